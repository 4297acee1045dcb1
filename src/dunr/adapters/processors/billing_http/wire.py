"""The contract as it goes over the wire. `docs/billing.md` says it in words; `dunr connector check` asks a server whether it keeps it.

Amounts are in minor units; instants are RFC 3339. A field that a server adds is skipped.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated

import msgspec

Text = Annotated[str, msgspec.Meta(min_length=1, max_length=255, pattern=r"^[^\x00]+\Z")]  # no store takes a NUL
Amount = Annotated[int, msgspec.Meta(ge=0)]
Instant = Annotated[datetime, msgspec.Meta(tz=True)]


class ChargeCall(msgspec.Struct, frozen=True, omit_defaults=True):
    """*Charge*: take this amount from this instrument, once for this key."""

    charge: str
    key: str
    amount_minor: int
    currency: str
    instrument: str
    customer: str
    subscription: str | None = None
    period_start_on: str | None = None
    facts: Mapping[str, str] = {}


class LookUpCall(msgspec.Struct, frozen=True):
    """*Look up*: ask what became of this key."""

    charge: str
    key: str


class PaidAnswer(msgspec.Struct, frozen=True, tag_field="status", tag="paid"):
    """The money moved: `amount_minor` of it, all of it where that is left out."""

    id: Text
    at: Instant
    amount_minor: Amount | None = None


class NotPaidAnswer(msgspec.Struct, frozen=True, tag_field="status", tag="not_paid"):
    """No, for this reason."""

    reason_code: Text
    id: Text | None = None
    at: Instant | None = None


class PendingAnswer(msgspec.Struct, frozen=True, tag_field="status", tag="pending"):
    """Submitted; a look-up or a report tells the end."""

    id: Text | None = None


class ReturnedAnswer(msgspec.Struct, frozen=True, tag_field="status", tag="returned"):
    """To a look-up only: it was paid, and the payer's bank took it back."""

    id: Text
    at: Instant
    reason_code: Text
    amount_minor: Amount | None = None


class NotFoundAnswer(msgspec.Struct, frozen=True, tag_field="status", tag="not_found"):
    """To a look-up only: this key was never seen, or charged nothing and will not."""


ChargeAnswerOnWire = PaidAnswer | NotPaidAnswer | PendingAnswer
LookUpAnswerOnWire = PaidAnswer | NotPaidAnswer | PendingAnswer | ReturnedAnswer | NotFoundAnswer


class ErrorOnWire(msgspec.Struct, frozen=True):
    """Why a request was not taken."""

    code: Text = "unnamed"


class Refusal(msgspec.Struct, frozen=True):
    """The body of an answer that is no answer to the charge."""

    error: ErrorOnWire = ErrorOnWire()


class Report(msgspec.Struct, frozen=True):
    """A report of the billing system's own, signed like our calls: look at this charge again."""

    type: Text  # "charge.changed"; others are recorded and ignored
    data: "ReportData"


class ReportData(msgspec.Struct, frozen=True):
    """What it is about."""

    charge: Text | None = None
