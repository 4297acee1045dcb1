"""What became of an attempt: answered, settled, withdrawn, overdue, not found, or that its time has come."""

from datetime import datetime

from dunr.core.answers import Declined, NotNow, Paid, Pending, Refused, Unanswered
from dunr.core.value import Value


class TimerFired(Value):
    """The planned step is due."""

    step_number: int


class AttemptAnswered(Value):
    """The processor answered without settling: it works on it, it did not begin, or nothing came.

    `looked_up`: the answer came from a look-up; else `fence` is the one under which the call was made.
    """

    number: int
    answer: Pending | Unanswered | NotNow
    looked_up: bool = False
    fence: int | None = None


class AttemptSettled(Value):
    """The fate of an attempt is known. `looked_up`: from a look-up, a snapshot or evidence rather than from the call itself."""

    number: int
    answer: Paid | Declined | Refused
    looked_up: bool = False


class AttemptWithdrawn(Value):
    """The gate failed before the send; written by the holder of `fence` only."""

    number: int
    fence: int
    why: tuple[str, ...]


class AttemptOverdue(Value):
    """The attempt's next action is due: whoever sent it has gone, or it is time to look again. `holder` takes over."""

    number: int


class AttemptNotFound(Value):
    """A consistent read at the processor found no charge for the attempt. `read_at` is when it was asked: whoever asked may have slept since; None: just now."""

    number: int
    read_at: datetime | None = None


class IntentCancelled(Value):
    """The cancellation of an open intent was answered: confirmed, or (the charge then shows in the snapshot) it had succeeded meanwhile."""

    processor_intent_id: str
    succeeded: bool


AttemptEvent = (
    TimerFired
    | AttemptAnswered
    | AttemptSettled
    | AttemptWithdrawn
    | AttemptOverdue
    | AttemptNotFound
    | IntentCancelled
)
