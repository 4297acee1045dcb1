"""A plan as a calendar in the terminal: each month that it touches, with a mark on each day on which something happens."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date, timedelta
from zoneinfo import ZoneInfo

from dunr.entry.cli.foreseen import Forecast

WIDTH = 9
HEAD = "".join(f"{name:<{WIDTH}}" for name in ("Mo", "Tu", "We", "Th", "Fr", "Sa", "Su")).rstrip()
FAILURE, PAUSE, NOTICE = "F", "P", "m"
MEANINGS = ((FAILURE, "the charge failed"), (PAUSE, "access pauses"), (NOTICE, "the customer is written to"))
MONTHS_MAX = 14


@dataclass(slots=True)
class Day:
    """What happens on one day."""

    fails: bool = False
    steps: list[int] = field(default_factory=list)
    pauses: bool = False
    tells: bool = False

    def __str__(self) -> str:
        """Its marks: `F`, a step or the first and the last of several, `P`, `m`."""
        steps = self.steps[:1] if len(self.steps) == 1 else [*self.steps[:1], *self.steps[-1:]]
        marks = (FAILURE * self.fails, "-".join(map(str, steps)), PAUSE * self.pauses, NOTICE * self.tells)
        return "".join(marks)


def picture(foreseen: Forecast) -> Iterator[str]:
    """The lines of the calendar, in the time zone of the payer, and what its marks mean."""
    days = days_of(foreseen)
    month, last = min(days).replace(day=1), max(days)
    for _ in range(MONTHS_MAX):
        if month > last:
            break
        yield from _month(month, days)
        month = (month + timedelta(days=31)).replace(day=1)
    shown = "".join(str(day) for day in days.values())
    words = [f"{mark} {meaning}" for mark, meaning in MEANINGS if mark in shown]
    if foreseen.attempts:
        words.insert(1, "1, 2 … the attempt of that step")
    yield f"{'; '.join(words)}. Days in {foreseen.timezone}."


def days_of(foreseen: Forecast) -> dict[date, Day]:
    """The days on which something happens."""
    zone = ZoneInfo(foreseen.timezone)
    found: defaultdict[date, Day] = defaultdict(Day)
    found[foreseen.failed_at.astimezone(zone).date()].fails = True
    for attempt in foreseen.attempts:
        found[attempt.at.astimezone(zone).date()].steps.append(attempt.number)
    if foreseen.pause_at is not None:
        found[foreseen.pause_at.astimezone(zone).date()].pauses = True
    for notice in foreseen.notices:
        found[notice.at.astimezone(zone).date()].tells = True
    return dict(found)


def _month(first: date, days: Mapping[date, Day]) -> Iterator[str]:
    """One month as weeks, and an empty line."""
    yield f"{first:%B %Y}"
    yield HEAD
    cells = [" " * WIDTH] * first.weekday()
    day = first
    while day.month == first.month:
        cells.append(f"{day.day:>2} {days.get(day, '')!s:<{WIDTH - 3}}")
        day += timedelta(days=1)
    for start in range(0, len(cells), 7):
        yield "".join(cells[start : start + 7]).rstrip()
    yield ""
