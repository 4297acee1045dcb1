"""What to do outside.

Effects are performed after the commit that recorded them, each under a key from `core.keys`; a repeat is harmless. A charge and a look-up
need no record of their own: the attempt in flight is their record, and the sweep finds it.
"""

from datetime import datetime

from dunr.core.terms import Access, AlertKind, ChargeEnd, DeclineReason, NoticeKind
from dunr.core.value import Value


class Charge(Value):
    """Send the attempt's request, unless `fence` is no longer the method's."""

    case_id: str
    attempt_number: int
    fence: int


class LookUp(Value):
    """Ask the processor what became of the attempt."""

    case_id: str
    attempt_number: int


class CancelAttempt(Value):
    """Cancel an intent that waits for the customer, and confirm it."""

    key: str
    case_id: str
    processor_intent_id: str


class RefreshMethod(Value):
    """Ask the processor for fresher details of a payment method: a newer expiry or number, or a fresh cryptogram of its network token."""

    key: str
    case_id: str
    processor_customer_id: str
    processor_method_id: str


class TakeOver(Value):
    """Have the processor leave the invoice to us, and read back that it does."""

    key: str
    case_id: str
    processor_invoice_id: str


class CardTold(Value):
    """The card that a notice is about which belongs to no case. `expires_on` reads `2027-03`."""

    processor_customer_id: str
    processor_method_id: str
    credential: str
    network: str | None
    last4: str | None
    expires_on: str


class Notice(Value):
    """One message to the customer, with the facts that it may state. It is written from the plan and keyed by (case, round, kind, step).

    One about a card that expires belongs to no case: its `case_id` is the id of the customer's row, its round 0, and it names no amount.
    """

    key: str
    case_id: str
    round: int
    kind: NoticeKind
    step_number: int | None
    not_before_at: datetime
    amount_minor: int
    currency: str
    processor_invoice_id: str
    next_attempt_at: datetime | None
    pause_at: datetime | None
    is_warning: bool
    reason: DeclineReason | None  # None where it may not be told
    answers_customer: bool = False  # leaves at once
    card: CardTold | None = None
    brand: str = ""  # as the policy names it


class Publish(Value):
    """Tell the merchant's application that access changed. A newer version supersedes an older one."""

    key: str
    case_id: str
    subscription_id: str
    access: Access
    access_version: int
    why: str
    at: datetime


class PublishCharge(Value):
    """Tell the merchant's billing system how a charge that it left to us has ended. A later end replaces an earlier one: late money is taken in."""

    key: str
    case_id: str
    processor_invoice_id: str
    end: ChargeEnd
    amount_due_minor: int
    currency: str
    reason: DeclineReason | None
    raw_code: str | None
    at: datetime


class RaiseAlert(Value):
    """Tell a person. The key makes a repeat the same alert. One that `ends` another, by its key, tells that it is over."""

    key: str
    kind: AlertKind
    case_id: str | None
    text: str
    at: datetime
    ends: str | None = None


class Nudge(Value):
    """Look at a case now: its turn in the card run has come, or something in it waits for what just ended."""

    key: str
    case_id: str
    access_restored: bool = False
    run_ended: bool = False


class StopSending(Value):
    """The processor refuses our API key: nothing is sent to this account until a person resumes it."""

    key: str
    case_id: str
    processor: str
    account: str
    why: str


RecordedEffect = (
    CancelAttempt | RefreshMethod | TakeOver | Notice | Publish | PublishCharge | RaiseAlert | Nudge | StopSending
)
Effect = Charge | LookUp | RecordedEffect
