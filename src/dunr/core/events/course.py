"""What the course of a case brings by itself: dates that come, holds that end, a run that ends, notices that left, a processor that cannot be read."""

from datetime import datetime

from dunr.core.terms import NoticeKind
from dunr.core.value import Value


class DeadlineReached(Value):
    """The pause date of the plan has come."""


class HoldEnded(Value):
    """Holds whose end has passed."""


class AccessRestored(Value):
    """The subscription left `paused`; a case without a plan is laid out from now."""


class RunEnded(Value):
    """The card run that this case took part in has ended; what hung on it is computed anew."""


class LookFailed(Value):
    """The processor could not be read when something was due. `missing`: it does not know the invoice; `key_refused`: nor us any more."""

    why: str
    missing: bool = False
    key_refused: bool = False


class NoticeSent(Value):
    """A notice left. `is_warning`: it named the pause date."""

    kind: NoticeKind
    key: str
    is_warning: bool
    told_at: datetime | None


class NoticeBounced(Value):
    """A notice could not be delivered for good."""

    key: str
    is_warning: bool
    why: str


class NoticeComplained(Value):
    """The recipient complained; nothing more is mailed to that address."""

    key: str


CourseEvent = (
    DeadlineReached | HoldEnded | AccessRestored | RunEnded | LookFailed | NoticeSent | NoticeBounced | NoticeComplained
)
