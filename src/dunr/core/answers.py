"""What a processor may answer to a charge, a look-up or a refresh, and the merchant to the question before a charge, as values.

An adapter turns its wire into one of these; the core turns them into outcomes. A decline is an answer. "Don't know" is an answer.
"""

from datetime import datetime
from enum import StrEnum

from dunr.core.snapshot import MethodSnapshot, RawDecline
from dunr.core.value import Value


class Paid(Value):
    """The money moved: `amount_minor` of it, which may be less than was asked for."""

    processor_charge_id: str
    amount_minor: int
    at: datetime


class Declined(Value):
    """The issuer, or the processor on its own account, said no."""

    processor_charge_id: str | None
    raw: RawDecline
    at: datetime
    processor_intent_id: str | None = None


class Pending(Value):
    """Submitted; the result comes later."""

    processor_charge_id: str | None


class NotNow(Value):
    """The processor did not begin: rate limit, lock time-out, or the first request with this key still runs."""

    code: str
    wait_seconds: int | None = None


class Unanswered(Value):
    """No answer, or one that says nothing: time-out, reset, 5xx, a replayed 5xx."""

    why: str


class RefusedKind(StrEnum):
    """Why a processor did not take a request."""

    BAD_REQUEST = "bad_request"
    KEY_REVOKED = "key_revoked"  # the API key, not the idempotency key
    NOT_FOUND = "not_found"
    IDEMPOTENCY_KEY_REUSED = "idempotency_key_reused"
    AMOUNT_TOO_SMALL = "amount_too_small"
    NOT_PAYABLE = "not_payable"  # paid, void or otherwise not to be collected any more


class Refused(Value):
    """The request was not taken. It is our fault or a race, and never the customer's."""

    kind: RefusedKind
    code: str


class NotThere(Value):
    """A consistent read found no charge for the attempt."""


class CannotSay(Value):
    """The look-up itself failed."""

    why: str


class Refreshed(Value):
    """There are fresher details: the method as it stands now, under the id that was asked for. `cryptogram`: only its network token is fresh."""

    method: MethodSnapshot
    cryptogram: bool = False


class Missed(Value):
    """There are none. `why` in words for a person."""

    why: str


class Permitted(Value, tag=True):
    """The merchant's own system says that a charge may be made."""


class Forbidden(Value, tag=True):
    """It says that it must not. `ask_again_at`: not before then, where it says so."""

    why: str
    ask_again_at: datetime | None = None


class NoWord(Value, tag=True):
    """It could not be asked, or said nothing that could be read."""

    why: str


ChargeAnswer = Paid | Declined | Pending | NotNow | Unanswered | Refused
LookUpAnswer = Paid | Declined | Pending | NotThere | CannotSay
RefreshAnswer = Refreshed | Missed
Permission = Permitted | Forbidden | NoWord
