"""What happened: the only things that can change a case.

An event is a value that somebody has established: the snapshot shows it, the processor answered it, a timer fired, a person said so. `decide` turns it into a decision.
Operator and customer events name their `actor`, for the audit log.
"""

from dataclasses import dataclass
from datetime import datetime

from dunr.core.answers import Declined, NotNow, Paid, Pending, Refused, Unanswered
from dunr.core.model import MethodRef
from dunr.core.snapshot import ChargeSnapshot, DisputeSnapshot
from dunr.core.terms import NoticeKind


@dataclass(frozen=True, slots=True)
class ChargeFailed:
    """The first charge of an invoice failed; the snapshot beside it says how."""


@dataclass(frozen=True, slots=True)
class TimerFired:
    """The planned step is due."""

    step_number: int


@dataclass(frozen=True, slots=True)
class AttemptAnswered:
    """The processor answered without settling: it works on it, it did not begin, or nothing came.

    `looked_up`: the answer came from a look-up; else `fence` is the one under which the call was made.
    """

    number: int
    answer: Pending | Unanswered | NotNow
    looked_up: bool = False
    fence: int | None = None


@dataclass(frozen=True, slots=True)
class AttemptSettled:
    """The fate of an attempt is known. `looked_up`: from a look-up, a snapshot or evidence rather than from the call itself."""

    number: int
    answer: Paid | Declined | Refused
    looked_up: bool = False


@dataclass(frozen=True, slots=True)
class AttemptWithdrawn:
    """The gate failed before the send; written by the holder of `fence` only."""

    number: int
    fence: int
    why: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AttemptOverdue:
    """The attempt's next action is due: whoever sent it has gone, or it is time to look again. `holder` takes over."""

    number: int


@dataclass(frozen=True, slots=True)
class AttemptNotFound:
    """A consistent read at the processor found no charge for the attempt."""

    number: int


@dataclass(frozen=True, slots=True)
class AttemptReturned:
    """A captured bank debit came back."""

    charge: ChargeSnapshot


@dataclass(frozen=True, slots=True)
class MethodUpdated:
    """A changed credential became the default, or was chosen on our page."""

    method: MethodRef


@dataclass(frozen=True, slots=True)
class MethodRemoved:
    """The customer has no payment method any more."""


@dataclass(frozen=True, slots=True)
class PaidElsewhere:
    """Somebody else collected: a captured charge that is not ours, or (None) money that no charge explains."""

    charge: ChargeSnapshot | None
    amount_minor: int


@dataclass(frozen=True, slots=True)
class ForeignDecline:
    """Somebody else's try failed."""

    charge: ChargeSnapshot


@dataclass(frozen=True, slots=True)
class AmountChanged:
    """What is owed changed without a payment; the snapshot beside it says to what."""


@dataclass(frozen=True, slots=True)
class InvoiceVoided:
    """The processor voided the invoice."""


@dataclass(frozen=True, slots=True)
class InvoiceWrittenOff:
    """The processor gave the invoice up."""


@dataclass(frozen=True, slots=True)
class SubscriptionEnded:
    """The subscription is over."""


@dataclass(frozen=True, slots=True)
class CustomerDeleted:
    """The customer is gone at the processor."""


@dataclass(frozen=True, slots=True)
class DisputeOpened:
    """A dispute stands on the payer's card, on this invoice or another one of theirs."""

    dispute: DisputeSnapshot


@dataclass(frozen=True, slots=True)
class DisputeClosed:
    """A dispute ended, or its funds came back."""

    dispute: DisputeSnapshot


@dataclass(frozen=True, slots=True)
class Refunded:
    """Money of this invoice went back to the payer; `total_minor` of the charge so far."""

    processor_charge_id: str
    total_minor: int


@dataclass(frozen=True, slots=True)
class IntentCancelled:
    """The cancellation of an open intent was answered: confirmed, or (the charge then shows in the snapshot) it had succeeded meanwhile."""

    processor_intent_id: str
    succeeded: bool


@dataclass(frozen=True, slots=True)
class DeadlineReached:
    """The pause date of the plan has come."""


@dataclass(frozen=True, slots=True)
class HoldEnded:
    """Holds whose end has passed."""


@dataclass(frozen=True, slots=True)
class AccessRestored:
    """The subscription left `paused`; a case without a plan is laid out from now."""


@dataclass(frozen=True, slots=True)
class RunEnded:
    """The card run that this case took part in has ended; what hung on it is computed anew."""


@dataclass(frozen=True, slots=True)
class LookFailed:
    """The processor could not be read when something was due. `missing`: it does not know the invoice; `key_refused`: nor us any more."""

    why: str
    missing: bool = False
    key_refused: bool = False


@dataclass(frozen=True, slots=True)
class NoticeSent:
    """A notice left. `is_warning`: it named the pause date."""

    kind: NoticeKind
    key: str
    is_warning: bool
    told_at: datetime | None


@dataclass(frozen=True, slots=True)
class NoticeBounced:
    """A notice could not be delivered for good."""

    key: str
    is_warning: bool
    why: str


@dataclass(frozen=True, slots=True)
class NoticeComplained:
    """The recipient complained; nothing more is mailed to that address."""

    key: str


@dataclass(frozen=True, slots=True)
class PayNow:
    """The customer asks to pay now, by the default method."""

    actor: str


@dataclass(frozen=True, slots=True)
class RetryNow:
    """An operator asks for an attempt now."""

    actor: str


@dataclass(frozen=True, slots=True)
class HoldPlaced:
    """An operator holds the case."""

    actor: str
    why: str
    until_at: datetime | None


@dataclass(frozen=True, slots=True)
class HoldReleased:
    """An operator releases one hold of the case."""

    actor: str
    ref: str


@dataclass(frozen=True, slots=True)
class StepPostponed:
    """An operator moves the next step; the new time is snapped like any other."""

    actor: str
    to_at: datetime


@dataclass(frozen=True, slots=True)
class DeadlineExtended:
    """An operator moves the pause date."""

    actor: str
    to_at: datetime


@dataclass(frozen=True, slots=True)
class PromiseMade:
    """The customer, or an operator for them, promises to pay on a date; the next attempt is made then."""

    actor: str
    on_at: datetime


@dataclass(frozen=True, slots=True)
class AttemptSettledByHand:
    """An operator settles an unanswered attempt, with evidence."""

    actor: str
    number: int
    captured: bool
    evidence: str
    processor_charge_id: str | None = None


@dataclass(frozen=True, slots=True)
class PolicyMoved:
    """An operator moves the case to the policy in the dossier's `policy_next`."""

    actor: str


@dataclass(frozen=True, slots=True)
class CaseClosed:
    """An operator closes the case; the debt stays for a person."""

    actor: str
    why: str


Event = (
    ChargeFailed | TimerFired | AttemptAnswered | AttemptSettled | AttemptWithdrawn | AttemptOverdue | AttemptNotFound | AttemptReturned
    | MethodUpdated | MethodRemoved
    | PaidElsewhere | ForeignDecline | AmountChanged | InvoiceVoided | InvoiceWrittenOff | SubscriptionEnded | CustomerDeleted
    | DisputeOpened | DisputeClosed | Refunded | IntentCancelled | DeadlineReached | HoldEnded | AccessRestored | RunEnded | LookFailed
    | NoticeSent | NoticeBounced | NoticeComplained
    | PayNow | RetryNow | HoldPlaced | HoldReleased | StepPostponed | DeadlineExtended | PromiseMade | AttemptSettledByHand | PolicyMoved | CaseClosed
)  # fmt: skip
