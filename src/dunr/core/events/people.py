"""What a person asks for: the customer, or an operator. Each names its `actor`, for the audit log."""

from dataclasses import dataclass
from datetime import datetime


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


PersonEvent = (
    PayNow
    | RetryNow
    | HoldPlaced
    | HoldReleased
    | StepPostponed
    | DeadlineExtended
    | PromiseMade
    | AttemptSettledByHand
    | PolicyMoved
    | CaseClosed
)
