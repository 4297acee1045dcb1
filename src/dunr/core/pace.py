"""How fast a processor may be asked by all of our processes together, as a rule about instants.

Each call has an instant of its own, one after the other at the rate; a process reserves a few at a time, and those that pass unused are gone. So the rate is kept
whoever reserves, and nobody has to give anything back. Where the processor says that it is too much, the rate is halved for a while, and comes back by doubling.
"""

from datetime import datetime, timedelta

from dunr.core.value import Value, replace

BURST = timedelta(
    seconds=0.25
)  # of calls that may leave at once after a silence; a processor counts those of any one second
SLOWED_FOR = timedelta(seconds=30)  # after which the rate doubles again
REFUSALS_COUNT_ONCE_WITHIN = timedelta(seconds=2)  # what was on its way when the rate was lowered says nothing new
DIVISOR_MAX = 16


class Pace(Value):
    """When the next call may leave, and by how much the rate is divided for now."""

    next_at: datetime
    divisor: int = 1
    changed_at: datetime | None = None  # when the divisor became what it is
    refused_count: int = 0  # calls that the processor refused as one too many, of all time


class Reserved(Value):
    """So many calls may leave, the first at `first_at` and each of the others so long after the one before it."""

    first_at: datetime
    gap: timedelta
    count: int


def reserve(pace: Pace | None, rate_max: float, count: int, now: datetime) -> tuple[Pace, Reserved]:
    """The next `count` calls at a rate in calls a second; None where nobody has reserved any yet."""
    pace = _eased(pace or Pace(now - BURST), now)
    gap = timedelta(seconds=pace.divisor / rate_max)
    first_at = max(pace.next_at, now - BURST)
    return replace(pace, next_at=first_at + count * gap), Reserved(first_at, gap, count)


def slowed(pace: Pace | None, now: datetime) -> Pace:
    """The processor has refused a call as one too many: half as fast from now on, and what was reserved ahead counts no more."""
    pace = pace or Pace(now)
    refused_count = pace.refused_count + 1
    if pace.divisor > 1 and pace.changed_at is not None and now - pace.changed_at < REFUSALS_COUNT_ONCE_WITHIN:
        return replace(pace, refused_count=refused_count)
    return Pace(now, min(pace.divisor * 2, DIVISOR_MAX), now, refused_count)


def _eased(pace: Pace, now: datetime) -> Pace:
    """Twice as fast again for each time that nothing was refused for a while."""
    while pace.divisor > 1 and pace.changed_at is not None and now - pace.changed_at >= SLOWED_FOR:
        pace = replace(pace, divisor=pace.divisor // 2, changed_at=pace.changed_at + SLOWED_FOR)
    return pace
