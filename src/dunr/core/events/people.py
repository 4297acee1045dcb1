"""What a person asks for: the customer, or an operator. Each names its `actor`, for the audit log."""

from datetime import datetime

from dunr.core.value import Value


class PayNow(Value):
    """The customer asks to pay now, by the default method."""

    actor: str


class RetryNow(Value):
    """An operator asks for an attempt now."""

    actor: str


class HoldPlaced(Value):
    """An operator holds the case."""

    actor: str
    why: str
    until_at: datetime | None


class HoldReleased(Value):
    """An operator releases one hold of the case."""

    actor: str
    ref: str


class StepPostponed(Value):
    """An operator moves the next step; the new time is snapped like any other."""

    actor: str
    to_at: datetime


class DeadlineExtended(Value):
    """An operator moves the pause date."""

    actor: str
    to_at: datetime


class PromiseMade(Value):
    """The customer, or an operator for them, promises to pay on a date; the next attempt is made then."""

    actor: str
    on_at: datetime
    by_customer: bool = False  # who gives their word by themselves may do so a few times only


class LinkAsked(Value):
    """The customer asks for a new link; it goes to the address on file."""

    actor: str


class RemindersStopped(Value):
    """The customer wants no reminders about this invoice; `again` takes that back."""

    actor: str
    again: bool = False


class AttemptSettledByHand(Value):
    """An operator settles an unanswered attempt, with evidence."""

    actor: str
    number: int
    captured: bool
    evidence: str
    processor_charge_id: str | None = None


class PolicyMoved(Value):
    """An operator moves the case to the policy of that hash, which the dossier holds as its `policy_next`."""

    actor: str
    to_hash: str


class CaseClosed(Value):
    """An operator closes the case; the debt stays for a person."""

    actor: str
    why: str


PersonEvent = (
    PayNow
    | RetryNow
    | HoldPlaced
    | HoldReleased
    | StepPostponed
    | DeadlineExtended
    | PromiseMade
    | LinkAsked
    | RemindersStopped
    | AttemptSettledByHand
    | PolicyMoved
    | CaseClosed
)
