"""The ladders that a policy has, and how far each reaches before anything moves its dates."""

import math
from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime, timedelta

from dunr.core.calendar import add_business_days
from dunr.core.policy import Policy, Step
from dunr.core.strategies import ladder_for
from dunr.core.terms import DeclineReason, StepUnit
from dunr.facts.calendars import holiday_dates
from dunr.facts.toml_lines import Path

MINUTES_OF_UNIT = {
    StepUnit.SECONDS: 1 / 60,
    StepUnit.MINUTES: 1,
    StepUnit.HOURS: 60,
    StepUnit.DAYS: 24 * 60,
    StepUnit.BUSINESS_DAYS: 24 * 60,
}
DAYS_MAX = 366  # nobody recovers a debt by waiting longer between tries
DAY_MINUTES = 24 * 60
CLOCK_CHANGE_MINUTES = 60  # a day of N × 24 hours on the clock can be an hour shorter
ONE_WEEK = tuple(date(2024, 1, 1) + timedelta(days=n) for n in range(7))  # every weekday once
SAMPLE_YEARS = range(2024, 2034)  # their holidays stand for those of all years
SAMPLE_AT = datetime(2100, 1, 4, 12, tzinfo=UTC)  # a Monday, under the network rules that have no end yet

Climbed = tuple[Path, DeclineReason | None, tuple[Step, ...]]


def ladders_of(policy: Policy) -> Iterator[tuple[Path, tuple[Step, ...]]]:
    """The ladders that a policy writes out, each with its place."""
    yield ("steps",), policy.steps
    yield ("floor",), policy.floor
    for reason, rule in policy.reasons:
        if rule.steps is not None:
            yield ("reasons", str(reason), "steps"), rule.steps


def climbed(policy: Policy) -> Iterator[Climbed]:
    """The ladders as they are climbed: the policy's own (no reason), and those of reasons as far as they go."""
    yield ("steps",), None, policy.steps
    for reason, rule in policy.reasons:
        path: Path = ("reasons", str(reason))
        if rule.steps is not None:
            yield (*path, "steps"), reason, rule.steps[: rule.steps_max]
        elif rule.strategy is not None:
            yield path, reason, ladder_for(policy, reason)[: rule.steps_max]


def instants(steps: Sequence[Step], first_at: datetime) -> tuple[datetime, ...]:
    """When the steps of a ladder fall after a failure, before anything moves them."""
    at, found = first_at, []
    for step in steps:
        if step.unit is StepUnit.BUSINESS_DAYS:
            day = add_business_days(at.date(), step.after, frozenset[date]())
            at = at.replace(year=day.year, month=day.month, day=day.day)
        else:
            at += timedelta(minutes=step.after * MINUTES_OF_UNIT[step.unit])
        found.append(at)
    return tuple(found)


def deadline_days_min(steps: tuple[Step, ...], calendar: str | None) -> int:
    """The fewest whole days after which the last of these steps is over, whenever the first failure was."""
    if all(step.unit in (StepUnit.SECONDS, StepUnit.MINUTES, StepUnit.HOURS) for step in steps):
        minutes = math.ceil(sum(step.after * MINUTES_OF_UNIT[step.unit] for step in steps))
        return (minutes + CLOCK_CHANGE_MINUTES) // DAY_MINUTES + 1
    if calendar is None or all(step.unit is not StepUnit.BUSINESS_DAYS for step in steps):
        return 1 + max(_days_taken(steps, start, frozenset()) for start in ONE_WEEK)
    holidays = holiday_dates(calendar, SAMPLE_YEARS)
    first, last = min(holidays), max(holidays)
    starts = (first - timedelta(days=n) for n in range(-(last - first).days, DAYS_MAX))
    return 1 + max(_days_taken(steps, start, holidays) for start in starts)


def _days_taken(steps: tuple[Step, ...], start: date, holidays: frozenset[date]) -> int:
    """How many days later the last step falls; hours and minutes are rounded up to days."""
    day = start
    for step in steps:
        if step.unit is StepUnit.BUSINESS_DAYS:
            day = add_business_days(day, step.after, holidays)
        else:
            day += timedelta(days=math.ceil(step.after * MINUTES_OF_UNIT[step.unit] / DAY_MINUTES))
    return (day - start).days
