"""What people are told of alerts, and when: each once until it is over, then that it is over; and where many of one kind come, one message for all of them.

What was said is kept in one book, which is bounded. It is what makes a repeat silent, and what knows whom an end is of interest to: an end of what nobody heard
of is told to nobody.
"""

from datetime import UTC, datetime, timedelta

from dunr.core.effects import RaiseAlert
from dunr.core.terms import AlertKind
from dunr.core.value import Value, replace

ALONE_MAX = 5  # messages about one alert, of one kind, within an hour; more are told together
ALONE_WITHIN = timedelta(hours=1)
TOGETHER_EVERY = timedelta(minutes=15)
SAID_MAX = 500  # the oldest are forgotten: then their end is told to nobody


class Said(Value):
    """What was said, or what need not be said any more. `key` names the alert, also where this says that it is over."""

    key: str
    kind: AlertKind
    at: datetime
    is_end: bool = False
    alone: bool = False


class AlertBook(Value):
    """Everything that was said, oldest first."""

    said: tuple[Said, ...] = ()

    def knows(self, key: str, *, is_end: bool) -> bool:
        """Whether this was said."""
        return any(one.key == key and one.is_end is is_end for one in self.said)

    def is_open(self, key: str) -> bool:
        """Whether people were told, and not yet that it is over."""
        return self.knows(key, is_end=False) and not self.knows(key, is_end=True)


class AlertWord(Value):
    """One message: one alert, several of one kind, or the end of one or several."""

    key: str
    kind: AlertKind
    is_end: bool
    alerts: tuple[RaiseAlert, ...]
    at: datetime


class SayAlone(Value):
    """Tell it now."""


class SayTogether(Value):
    """Tell it now, with all others of its kind that have waited."""


class SayLater(Value):
    """Wait for others of its kind, until this instant."""

    at: datetime


class SayNothing(Value):
    """Tell nobody. `is_noted`: the book must say so, so that what comes late is not told either."""

    why: str
    is_noted: bool = False


def what_to_say(book: AlertBook, alert: RaiseAlert, now: datetime) -> SayAlone | SayTogether | SayLater | SayNothing:
    """How an alert, or the end of one, is told at this moment."""
    about = alert.ends or alert.key
    is_end = alert.ends is not None
    if book.knows(about, is_end=True):
        return SayNothing("it was over before it could be told" if not is_end else "that it is over was told before")
    if not is_end and book.knows(about, is_end=False):
        return SayNothing("it was told before, and is not over")
    if is_end and not book.knows(about, is_end=False):
        return SayNothing("nobody had been told of it", is_noted=True)
    alone_count = sum(
        one.alone and one.kind is alert.kind and one.is_end is is_end and one.at > now - ALONE_WITHIN
        for one in book.said
    )
    if alone_count < ALONE_MAX:
        return SayAlone()
    together_at = _next_round(alert.at)
    return SayTogether() if together_at <= now else SayLater(together_at)


def noted(book: AlertBook, alerts: tuple[RaiseAlert, ...], now: datetime, *, alone: bool) -> AlertBook:
    """The book after something was said."""
    new = tuple(
        Said(alert.ends or alert.key, alert.kind, now, is_end=alert.ends is not None, alone=alone) for alert in alerts
    )
    return replace(book, said=(*book.said, *new)[-SAID_MAX:])


def key_now(book: AlertBook, key: str) -> str:
    """The key under which trouble is told that may have been over before: each time that it comes back is another alert."""
    ends = [one for one in book.said if one.is_end and (one.key == key or one.key.startswith(f"{key}~"))]
    return f"{key}~{len(ends)}" if ends else key


def end_of(alert_key: str, kind: AlertKind, case_id: str | None, text: str, at: datetime) -> RaiseAlert:
    """What tells that an alert is over."""
    return RaiseAlert(f"{alert_key}/over", kind, case_id, text, at, ends=alert_key)


def _next_round(at: datetime) -> datetime:
    """The end of the quarter of an hour in which something happened: those that wait leave together."""
    begun = datetime(at.year, at.month, at.day, at.hour, tzinfo=UTC)
    rounds = (at - begun) // TOGETHER_EVERY + 1
    return begun + rounds * TOGETHER_EVERY
