"""How fast a processor may be asked by all of our processes together, as a rule about instants.

Each call has an instant of its own, one after the other; a process reserves a few at a time, and those that pass unused are gone. So the rate is kept whoever
reserves, and nobody has to give anything back. Where the processor says that it is too much, the rate is halved for a while, and comes back by doubling.

A processor counts what arrives within any one second, so the instants are as far apart as it takes for that to hold: a call may leave late by so much, and be on its
way for longer than the one before it.
"""

import math
from datetime import datetime, timedelta

from dunr.core.value import Value, replace

LATE_MAX = timedelta(seconds=0.05)  # a call may leave so long after its instant, and no later
WAY_DIFFERS_MAX = timedelta(seconds=0.1)  # in how long calls are on their way, and clocks of machines from each other
COUNTED_WITHIN = timedelta(seconds=1) + LATE_MAX + WAY_DIFFERS_MAX  # the instants of what may arrive within one second
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
    """The next `count` calls where no more than `rate_max` may arrive within a second. `pace` is None where nobody has reserved any yet."""
    pace = _eased(pace or Pace(now - LATE_MAX), now)
    gap = timedelta(microseconds=math.ceil(COUNTED_WITHIN / timedelta(microseconds=1) * pace.divisor / rate_max))
    first_at = max(pace.next_at, now - LATE_MAX)
    return replace(pace, next_at=first_at + count * gap), Reserved(first_at, gap, count)


def slowed(pace: Pace | None, now: datetime) -> Pace:
    """The processor has refused a call as one too many: half as fast from now on, after what others may have reserved already."""
    pace = pace or Pace(now)
    refused_count = pace.refused_count + 1
    if pace.divisor > 1 and pace.changed_at is not None and now - pace.changed_at < REFUSALS_COUNT_ONCE_WITHIN:
        return replace(pace, refused_count=refused_count)
    return Pace(max(pace.next_at, now), min(pace.divisor * 2, DIVISOR_MAX), now, refused_count)


def _eased(pace: Pace, now: datetime) -> Pace:
    """Twice as fast again for each time that nothing was refused for a while."""
    while pace.divisor > 1 and pace.changed_at is not None and now - pace.changed_at >= SLOWED_FOR:
        pace = replace(pace, divisor=pace.divisor // 2, changed_at=pace.changed_at + SLOWED_FOR)
    return pace
