"""What a policy must keep to before a case may run under it.

Each rule is one function, each breach one sentence that says what to write.
"""

import math
from collections.abc import Iterator
from datetime import date, timedelta
from difflib import get_close_matches
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

from dunr.core.calendar import add_business_days
from dunr.core.policy import Policy, Step
from dunr.core.terms import DeclineKind, DeclineReason, FinalAction, StepUnit
from dunr.errors import SettingsError
from dunr.facts.calendars import check_calendar, holiday_dates
from dunr.facts.tables import shipped_reasons

DAYS_MAX = 366  # nobody recovers a debt by waiting longer between tries
STEPS_MAX = 40
UNKNOWN_STEPS_MAX = 1  # under every policy: one cautious step
MINUTES_OF_UNIT = {
    StepUnit.SECONDS: 1 / 60,
    StepUnit.MINUTES: 1,
    StepUnit.HOURS: 60,
    StepUnit.DAYS: 24 * 60,
    StepUnit.BUSINESS_DAYS: 24 * 60,
}
DAY_MINUTES = 24 * 60
CLOCK_CHANGE_MINUTES = 60  # a day of N × 24 hours on the clock can be an hour shorter
ONE_WEEK = tuple(date(2024, 1, 1) + timedelta(days=n) for n in range(7))  # every weekday once
SAMPLE_YEARS = range(2024, 2034)  # their holidays stand for those of all years

# key, least, most, example
BOUNDS = (
    ("at_hour", 0, 23, 9),
    ("at_minute", 0, 59, 0),
    ("mail_from_hour", 0, 23, 8),
    ("mail_until_hour", 1, 24, 20),
    ("attempts_max", 1, 100, 12),
    ("deadline_days", 1, DAYS_MAX, 21),
    ("customer_attempts_max", 1, 100, 5),
    ("card_attempts_24h_max", 1, 100, 10),
    ("card_attempts_30d_max", 1, 1000, 15),
    ("promise_days_max", 0, DAYS_MAX, 14),
)


def problems_of(policy: Policy) -> list[str]:
    """All breaches, or none. A ladder is weighed against the rest only when its own steps are sound."""
    found = [*_bounds(policy), *_places(policy), *_final_action(policy)]
    ladders = [problem for place, steps in _ladders(policy) for problem in _ladder(place, steps)]
    if found or ladders:
        return found + ladders
    return [*_something_happens(policy), *_reasons(policy), *_attempts(policy), *_deadline(policy)]


def _bounds(policy: Policy) -> Iterator[str]:
    for key, least, most, example in BOUNDS:
        value = getattr(policy, key)
        if value is not None and not least <= value <= most:
            yield f"{key} = {value} is out of range: write a number from {least} to {most}, such as {key} = {example}"
    if policy.mail_from_hour >= policy.mail_until_hour:
        yield (
            f"mail_from_hour = {policy.mail_from_hour} must be before mail_until_hour = {policy.mail_until_hour}: "
            "write mail_from_hour = 8 and mail_until_hour = 20"
        )


def _places(policy: Policy) -> Iterator[str]:
    try:
        ZoneInfo(policy.timezone)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        close = get_close_matches(policy.timezone, sorted(available_timezones()), n=1) or ["Europe/London"]
        yield f'timezone = "{policy.timezone}" is not a time zone: write timezone = "{close[0]}"'
    if policy.calendar is not None:
        try:
            check_calendar(policy.calendar)
        except SettingsError as error:
            yield f"calendar: {error}"


def _final_action(policy: Policy) -> Iterator[str]:
    if policy.final_action is FinalAction.MARK_UNPAID:
        yield (
            'final_action = "mark_unpaid" needs a processor that can mark a subscription unpaid, and none of them can '
            'yet: write final_action = "pause"'
        )


def _ladders(policy: Policy) -> Iterator[tuple[str, tuple[Step, ...]]]:
    yield "steps", policy.steps
    yield "floor", policy.floor
    for reason, rule in policy.reasons:
        if rule.steps is not None:
            yield f"reasons.{reason}.steps", rule.steps


def _ladder(place: str, steps: tuple[Step, ...]) -> Iterator[str]:
    if len(steps) > STEPS_MAX:
        yield f"{place} has {len(steps)} steps: write at most {STEPS_MAX}"
    for index, step in enumerate(steps):
        if step.after < 1:
            yield f"{place}[{index}] has after = {step.after}, which is no gap: write after = 1 or more"
    if sum(step.after * MINUTES_OF_UNIT[step.unit] for step in steps) > DAYS_MAX * DAY_MINUTES:
        yield f"{place} reaches further than {DAYS_MAX} days: write shorter gaps"


def _something_happens(policy: Policy) -> Iterator[str]:
    if not policy.steps and policy.deadline_days is None:
        yield "steps is empty and there is no deadline, so a case would never end: write a step, or deadline_days = 21"


def _reasons(policy: Policy) -> Iterator[str]:
    for reason, rule in policy.reasons:
        place = f"reasons.{reason}"
        ladder = policy.steps if rule.steps is None else rule.steps
        if not 0 <= rule.steps_max <= len(ladder):
            yield (
                f"{place}.steps_max = {rule.steps_max}, but the ladder has {len(ladder)} steps: "
                f"write a number from 0 to {len(ladder)}, or a longer {place}.steps"
            )
        elif rule.steps_max and shipped_reasons()[reason].kind is DeclineKind.HARD:
            yield (
                f"{place}.steps_max = {rule.steps_max}, but that payment method is dead until it changes: "
                f"write {place}.steps_max = 0"
            )
        elif reason is DeclineReason.UNKNOWN and rule.steps_max > UNKNOWN_STEPS_MAX:
            yield (
                f"{place}.steps_max = {rule.steps_max}, but a code that nobody knows gets one cautious step: "
                f"write {place}.steps_max = 1, and map the codes that you know"
            )


def _tried(policy: Policy) -> Iterator[tuple[str, tuple[Step, ...]]]:
    """The ladders as they are climbed: those of reasons only as far as they go."""
    yield "steps", policy.steps
    for reason, rule in policy.reasons:
        if rule.steps is not None:
            yield f"reasons.{reason}.steps", rule.steps[: rule.steps_max]


def _attempts(policy: Policy) -> Iterator[str]:
    for place, steps in _tried(policy):
        if len(steps) > policy.attempts_max:
            yield (
                f"attempts_max = {policy.attempts_max}, but `{place}` has {len(steps)} rungs: "
                f"write attempts_max = {len(steps)} or more, or fewer rungs"
            )


def _deadline(policy: Policy) -> Iterator[str]:
    """Access must not pause while an attempt is still to come. Each ladder is weighed on its own."""
    if policy.deadline_days is None:
        return
    for place, steps in _tried(policy):
        least = deadline_days_min(steps, policy.calendar)
        if policy.deadline_days < least:
            yield (
                f"deadline_days = {policy.deadline_days} could pause access before the last attempt of `{place}`: "
                f"write deadline_days = {least} or more, or shorter gaps in `{place}`"
            )


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
