"""When people are paid: the rules of a country, and the days that they mean.

A payday that falls on a weekend or a holiday is the business day before it: wages move to the previous business day almost everywhere, while a collection moves
to the next. The rules are facts; which of them holds for one payer nobody knows, so each day that is common in the country counts.
"""

from datetime import date, timedelta
from enum import StrEnum
from functools import lru_cache
from typing import assert_never

from dunr.core.calendar import is_business_day
from dunr.core.value import Value

SUNDAY = 6
ROLLED_BACK_DAYS_MAX = 15  # no country closes for longer


class PaydayKind(StrEnum):
    """How a rule names its days."""

    WEEKDAYS = "weekdays"  # 0 is Monday
    MONTH_DAYS = "month_days"  # 31 is the last day of any month
    LAST_BUSINESS_DAY = "last_business_day"
    BUSINESS_DAY = "business_day"  # the n-th of the month; Saturdays count


class PaydayRule(Value):
    """One common way to be paid in a country."""

    kind: PaydayKind
    days: tuple[int, ...] = ()


@lru_cache(maxsize=16384)
def first_payday(start: date, days_max: int, rules: tuple[PaydayRule, ...], holidays: frozenset[date]) -> date | None:
    """The first payday from `start` on, at most `days_max` days later; None where there is none."""
    for count in range(days_max + 1):
        day = start + timedelta(days=count)
        if is_payday(day, rules, holidays):
            return day
    return None


def is_payday(day: date, rules: tuple[PaydayRule, ...], holidays: frozenset[date]) -> bool:
    """Whether people of the country are commonly paid on this day."""
    later = day + timedelta(days=ROLLED_BACK_DAYS_MAX)
    return day in paydays_of_month(day.year, day.month, rules, holidays) or (
        later.month != day.month and day in paydays_of_month(later.year, later.month, rules, holidays)
    )


@lru_cache(maxsize=4096)
def paydays_of_month(
    year: int, month: int, rules: tuple[PaydayRule, ...], holidays: frozenset[date]
) -> frozenset[date]:
    """The paydays of one month. Those of its first days may lie in the month before, where they were moved back to."""
    first = date(year, month, 1)
    length = (date(year + month // 12, month % 12 + 1, 1) - first).days
    days = [first + timedelta(days=count) for count in range(length)]
    return frozenset(_business_day_until(day, holidays) for rule in rules for day in _named(rule, days, holidays))


def _named(rule: PaydayRule, days: list[date], holidays: frozenset[date]) -> list[date]:
    """The days of a month that a rule names, before any is moved."""
    match rule.kind:
        case PaydayKind.WEEKDAYS:
            return [day for day in days if day.weekday() in rule.days]
        case PaydayKind.MONTH_DAYS:
            return [days[min(number, len(days)) - 1] for number in rule.days]
        case PaydayKind.LAST_BUSINESS_DAY:
            return [days[-1]]
        case PaydayKind.BUSINESS_DAY:
            counted = [day for day in days if day.weekday() != SUNDAY and day not in holidays]
            return [counted[number - 1] for number in rule.days]
        case unreachable:
            assert_never(unreachable)


def _business_day_until(day: date, holidays: frozenset[date]) -> date:
    """The day itself, or the last business day before it."""
    for _ in range(ROLLED_BACK_DAYS_MAX):
        if is_business_day(day, holidays):
            return day
        day -= timedelta(days=1)
    raise ValueError(
        f"no business day in the {ROLLED_BACK_DAYS_MAX} days up to {day}: the holiday calendar leaves none"
    )
