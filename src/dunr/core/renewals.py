"""When a subscription that we renew is charged, how much, and under which name.

Every cycle is counted from the anchor, never from the one before it, so that the 31st comes back after a short month and a late payment moves nothing. A cycle is one
charge, whose id is made of the subscription and the day on which the cycle begins: whoever fires twice, or again after a crash, leaves the same charge twice.
"""

from collections.abc import Iterator
from datetime import date, datetime, timedelta
from enum import StrEnum
from typing import assert_never

from dunr.core.calendar import local_day, local_instant
from dunr.core.value import Value, replace

MISSED_AFTER = timedelta(
    hours=1
)  # a cycle that could not be charged within it was missed, and the catch-up rule says what becomes of it
MONTHS_A_YEAR = 12
CYCLES_AT_ONCE_MAX = 1000  # of one subscription; the rest follow in the next turn


class PeriodUnit(StrEnum):
    """What a period is counted in."""

    DAYS = "days"
    WEEKS = "weeks"
    MONTHS = "months"
    YEARS = "years"


class CatchUp(StrEnum):
    """What becomes of cycles that were missed, because nothing ran."""

    EACH = "each"  # every one is charged
    LATEST = "latest"  # only the newest
    NONE = "none"  # none; the next cycle is charged at its time


class Renewal(Value):
    """A subscription with what decides about its cycles. `cycle_next` is the number of the first cycle that was not dealt with yet, from 0 at the anchor.

    Cycles that begin before `starts_on` (a trial) or from `ends_on` on are not charged, nor are those that begin while it is paused.
    """

    price_minor: int
    currency: str
    period_count: int
    period_unit: PeriodUnit
    anchor_on: date
    timezone: str = "UTC"
    at_hour: int = 9
    quantity: int = 1
    starts_on: date | None = None
    ends_on: date | None = None
    paused_on: date | None = None
    catch_up: CatchUp = CatchUp.LATEST
    cycle_next: int = 0

    @property
    def amount_minor(self) -> int:
        """What one cycle costs."""
        return self.price_minor * self.quantity


class Cycle(Value):
    """One cycle: the day on which it begins, the day on which the next one does, and the instant from which it may be charged."""

    number: int
    begins_on: date
    until_on: date
    due_at: datetime


def begins_on(renewal: Renewal, number: int) -> date:
    """The day on which a cycle begins; in a month without the anchor's day it is the last one."""
    anchor, steps = renewal.anchor_on, renewal.period_count * number
    match renewal.period_unit:
        case PeriodUnit.DAYS:
            return anchor + timedelta(days=steps)
        case PeriodUnit.WEEKS:
            return anchor + timedelta(weeks=steps)
        case PeriodUnit.MONTHS:
            return _months_after(anchor, steps)
        case PeriodUnit.YEARS:
            return _months_after(anchor, steps * MONTHS_A_YEAR)
        case unreachable:
            assert_never(unreachable)


def _months_after(day: date, months: int) -> date:
    whole = day.year * MONTHS_A_YEAR + day.month - 1 + months
    year, month = whole // MONTHS_A_YEAR, whole % MONTHS_A_YEAR + 1
    return date(year, month, min(day.day, _days_in(year, month)))


def _days_in(year: int, month: int) -> int:
    """How many days a month has."""
    following = date(year + month // MONTHS_A_YEAR, month % MONTHS_A_YEAR + 1, 1)
    return (following - timedelta(days=1)).day


def cycle(renewal: Renewal, number: int) -> Cycle:
    """A cycle by its number. On a day whose hour does not exist it is due at the first instant after it; on one that has it twice, at the first."""
    day = begins_on(renewal, number)
    return Cycle(number, day, begins_on(renewal, number + 1), local_instant(day, renewal.at_hour, 0, renewal.timezone))


def next_due_at(renewal: Renewal) -> datetime | None:
    """When there is something to do for it next; None where it has ended or is paused."""
    coming = cycle(renewal, renewal.cycle_next)
    if renewal.paused_on is not None or (renewal.ends_on is not None and coming.begins_on >= renewal.ends_on):
        return None
    return coming.due_at


def due_cycles(renewal: Renewal, now: datetime) -> tuple[tuple[Cycle, ...], Renewal]:
    """The cycles to charge now, oldest first, and the subscription with them dealt with. Whatever became of the cycles before makes no difference."""
    fallen = list(_fallen_due(renewal, now))
    if renewal.catch_up is CatchUp.EACH:
        fallen = fallen[:CYCLES_AT_ONCE_MAX]
    if not fallen:
        return (), renewal
    charged = [one for one in fallen if renewal.starts_on is None or one.begins_on >= renewal.starts_on]
    missed = [one for one in charged if now - one.due_at > MISSED_AFTER]
    match renewal.catch_up:
        case CatchUp.EACH:
            pass
        case CatchUp.LATEST:
            charged = charged[-1:]
        case CatchUp.NONE:
            charged = [one for one in charged if one not in missed]
        case unreachable:
            assert_never(unreachable)
    return tuple(charged), replace(renewal, cycle_next=fallen[-1].number + 1)


def _fallen_due(renewal: Renewal, now: datetime) -> Iterator[Cycle]:
    """The cycles whose time has come and that nobody has dealt with."""
    if renewal.paused_on is not None:
        return
    one = cycle(renewal, renewal.cycle_next)
    while one.due_at <= now and (renewal.ends_on is None or one.begins_on < renewal.ends_on):
        yield one
        one = cycle(renewal, one.number + 1)


def paused(renewal: Renewal, now: datetime) -> Renewal:
    """From today on no cycle is charged."""
    return replace(renewal, paused_on=local_day(now, renewal.timezone))


def resumed(renewal: Renewal, now: datetime) -> Renewal:
    """Cycles that begin from today on are charged again; those that began meanwhile are not caught up, whatever the rule for outages."""
    today = local_day(now, renewal.timezone)
    number = renewal.cycle_next
    while begins_on(renewal, number) < today:
        number += 1
    return replace(renewal, paused_on=None, cycle_next=number)


def charge_id(subscription_id: str, one: Cycle) -> str:
    """The name of a cycle's one charge."""
    return f"{subscription_id}-{one.begins_on:%Y%m%d}"
