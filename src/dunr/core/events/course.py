"""What the course of a case brings by itself: dates that come, holds that end, a run that ends, notices that left, a processor that cannot be read."""

from dataclasses import dataclass
from datetime import datetime

from dunr.core.terms import NoticeKind


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


CourseEvent = (
    DeadlineReached | HoldEnded | AccessRestored | RunEnded | LookFailed | NoticeSent | NoticeBounced | NoticeComplained
)
