"""What travels around a charge, an event and a list: the sandbox's JSON as typed values.

Only what is needed is named; a field that is missing or of another kind makes the whole body unreadable, so that nothing is ever half understood.
"""

from datetime import datetime
from typing import Annotated

import msgspec

from dunr.core.snapshot import ChargeSnapshot, RawDecline
from dunr.core.terms import ChargeStatus, InvoiceStatus

Instant = Annotated[datetime, msgspec.Meta(tz=True)]
Id = Annotated[str, msgspec.Meta(min_length=1, max_length=200, pattern=r"^[\x21-\x7e]*\Z")]
Minor = Annotated[int, msgspec.Meta(ge=0, le=10**15)]


class EventHead(msgspec.Struct):
    """All that is decoded of an event before it is stored."""

    id: Id
    type: Annotated[str, msgspec.Meta(min_length=1, max_length=100, pattern=r"^[\x21-\x7e]*\Z")]
    account: Id
    live: bool


class EventData(msgspec.Struct):
    """The ids that an event names; which ones must be there depends on its type."""

    invoice: Id | None = None
    subscription: Id | None = None
    customer: Id | None = None


class EventBody(msgspec.Struct):
    """The part of an event that says what it is about."""

    data: EventData


class DeclineOnWire(msgspec.Struct):
    """A no, in the sandbox's words."""

    code: str | None = None
    decline_code: str | None = None
    advice_code: str | None = None
    network_decline_code: str | None = None
    network_advice_code: str | None = None

    def raw(self) -> RawDecline:
        return RawDecline(
            code=self.code,
            decline_code=self.decline_code,
            advice_code=self.advice_code,
            network_decline_code=self.network_decline_code,
            network_advice_code=self.network_advice_code,
        )


class ChargeOnWire(msgspec.Struct):
    """One charge of an invoice."""

    id: Id
    invoice: Id
    key: str | None
    amount_minor: Minor
    currency: str
    card_fingerprint: str | None
    status: ChargeStatus
    at: Instant
    decline: DeclineOnWire | None = None
    refunded_minor: Minor = 0
    return_code: str | None = None
    intent: Id | None = None

    def raw_decline(self) -> RawDecline:
        return self.decline.raw() if self.decline is not None else RawDecline(None)

    def seen(self) -> ChargeSnapshot:
        return ChargeSnapshot(
            processor_charge_id=self.id,
            key=self.key,
            amount_minor=self.amount_minor,
            status=self.status,
            at=self.at,
            decline=self.decline.raw() if self.decline is not None else None,
            card_key=self.card_fingerprint,
            processor_intent_id=self.intent,
            refunded_minor=self.refunded_minor,
            return_code=self.return_code,
        )


class ChargeAnswered(msgspec.Struct):
    """A charge was booked, whatever came of it (200 and 402)."""

    charge: ChargeOnWire
    intent: Id | None = None


class ErrorOnWire(msgspec.Struct):
    """What is wrong with a request; the message is for people and is not read."""

    code: Annotated[str, msgspec.Meta(max_length=64, pattern=r"^[a-z0-9_]+\Z")]


class Refusal(msgspec.Struct):
    """The body of an answer that is neither a charge nor a reading."""

    error: ErrorOnWire


class ChargesFound(msgspec.Struct):
    """A look-up: every booked charge that matches, and how long a charge may still appear after its call."""

    charges: list[ChargeOnWire]
    settle_after_seconds: Minor


class InvoiceListed(msgspec.Struct):
    """An invoice in a list."""

    id: Id
    status: InvoiceStatus


class InvoicesListed(msgspec.Struct):
    """A page of invoices, or all of a customer's."""

    invoices: list[InvoiceListed]
    next_cursor: str | None = None


class SubscriptionRead(msgspec.Struct):
    """A subscription with its invoices."""

    invoices: list[Id]


class IntentStatus(msgspec.Struct):
    """Where an intent stands."""

    status: str


class IntentRead(msgspec.Struct):
    """An intent after a cancellation was asked for."""

    intent: IntentStatus


class InvoiceLeft(msgspec.Struct):
    """An invoice that is left to us."""

    invoice: Id


class LinkRead(msgspec.Struct):
    """A fresh hosted page."""

    url: Annotated[str, msgspec.Meta(max_length=2000, pattern=r"^https?://[\x21-\x7e]+\Z")]


class AccountRead(msgspec.Struct):
    """Whose account this is, the sandbox's clock, and where its webhooks go."""

    account: str
    now: Instant
    live: bool = False
    webhook_url: str | None = None
