"""When the steps of a case fall, and why.

One function lays every plan, whoever asks: the first failure, a step that was missed, an operator who postpones. Each date carries the rules that made it.
Dates only ever move forward.
"""

from collections.abc import Sequence
from datetime import date, datetime, timedelta
from functools import lru_cache

from dunr.core.calendar import add_business_days, is_business_day, local_day, local_instant, next_business_day, zone
from dunr.core.facts import Facts
from dunr.core.model import Plan, PlannedStep
from dunr.core.policy import Policy, Step
from dunr.core.terms import DeclineReason, StepUnit
from dunr.core.value import Value, replace

LATE_BY_MOST = timedelta(hours=1)  # a step that is later than this was missed
NO_HOLIDAYS: frozenset[date] = frozenset()
GAPS = {
    StepUnit.DAYS: timedelta(days=1),
    StepUnit.HOURS: timedelta(hours=1),
    StepUnit.MINUTES: timedelta(minutes=1),
    StepUnit.SECONDS: timedelta(seconds=1),
}
SHORT_UNITS = (StepUnit.MINUTES, StepUnit.SECONDS)  # steps that run at their time or not at all


class Rung(Value):
    """A step that is still to come, by its number in the round."""

    number: int
    step: Step


def holidays_of(policy: Policy, facts: Facts) -> frozenset[date]:
    """The holidays that the policy names, or none."""
    return facts.calendars.get(policy.calendar, NO_HOLIDAYS) if policy.calendar else NO_HOLIDAYS


def rungs(
    policy: Policy,
    facts: Facts,
    reason: DeclineReason,
    spent_count: int,
    spent_on_reason_count: int,
    spent_ever_count: int,
) -> tuple[Rung, ...]:
    """The rungs that a decline reason still has.

    `spent_count` steps of the round are used, `spent_on_reason_count` of them after declines of this reason; `spent_ever_count` counts over all rounds.
    """
    rule = policy.rule(reason)
    default_max = facts.reasons[reason].steps_default_max
    steps_max = rule.steps_max if rule else default_max
    ladder = policy.steps[spent_count:] if rule is None or rule.steps is None else rule.steps[spent_on_reason_count:]
    if steps_max is not None:
        ladder = ladder[: max(0, steps_max - spent_on_reason_count)]
    ladder = ladder[: max(0, policy.attempts_max - spent_ever_count)]
    return tuple(Rung(spent_count + index, step) for index, step in enumerate(ladder, start=1))


def after(step: Step, base: datetime, policy: Policy, facts: Facts) -> tuple[datetime, tuple[str, ...]]:
    """The instant one rung after `base`, with its reasons."""
    if step.unit is not StepUnit.BUSINESS_DAYS:
        return base + step.after * GAPS[step.unit], (f"{step.after} {step.unit} after {base.isoformat()}",)
    start = local_day(base, policy.timezone)
    return _business_days_after(
        step.after, start, (policy.at_hour, policy.at_minute), policy.timezone, holidays_of(policy, facts)
    )


@lru_cache(maxsize=4096)
def _business_days_after(
    count: int, start: date, clock_time: tuple[int, int], zone_name: str, holidays: frozenset[date]
) -> tuple[datetime, tuple[str, ...]]:
    """The instant some business days after a day, with its reasons. Many cases fail on the same days, and ask for the same dates."""
    day = add_business_days(start, count, holidays)
    hour, minute = clock_time
    why = [f"{count} business day{'s' if count != 1 else ''} after {start:%a %d %b %Y} ({zone_name})"]
    skipped = _skipped(start, day, holidays)
    if skipped:
        why.append(f"skips {skipped}")
    why.append(f"{day:%a %d %b %Y} at {hour:02}:{minute:02} {zone_name}")
    return local_instant(day, hour, minute, zone_name), tuple(why)


def _skipped(start: date, end: date, holidays: frozenset[date]) -> str:
    """The weekends and holidays between two days, in words."""
    days = [start + timedelta(days=n) for n in range(1, (end - start).days)]
    named = [f"holiday {day:%d %b}" for day in days if day in holidays]
    if any(not is_business_day(day, NO_HOLIDAYS) for day in days):
        named.insert(0, "the weekend")
    return " and ".join(named)


def next_allowed(step: Step, now: datetime, policy: Policy, facts: Facts) -> datetime:
    """The first instant from `now` on at which a step of this unit may run."""
    if step.unit is not StepUnit.BUSINESS_DAYS:
        return now
    holidays = holidays_of(policy, facts)
    day = next_business_day(local_day(now, policy.timezone), holidays)
    at = local_instant(day, policy.at_hour, policy.at_minute, policy.timezone)
    if at < now:
        day = next_business_day(day + timedelta(days=1), holidays)
        at = local_instant(day, policy.at_hour, policy.at_minute, policy.timezone)
    return at


def lay_steps(coming: Sequence[Rung], base: datetime, policy: Policy, facts: Facts) -> tuple[PlannedStep, ...]:
    """The dates of the rungs, each one gap after the one before it, the first one gap after `base`."""
    planned = []
    for rung in coming:
        at, why = after(rung.step, base, policy, facts)
        planned.append(PlannedStep(rung.number, at, why))
        base = at
    return tuple(planned)


def lay_from(
    coming: Sequence[Rung], first_at: datetime, first_why: str, policy: Policy, facts: Facts
) -> tuple[PlannedStep, ...]:
    """The dates of the rungs with the first one set: for missed, postponed and promised steps. `first_at` is snapped to the step's own rule."""
    if not coming:
        return ()
    at = next_allowed(coming[0].step, first_at, policy, facts)
    why = (first_why,) if at == first_at else (first_why, f"moved forward to the next allowed time, {at.isoformat()}")
    return (PlannedStep(coming[0].number, at, why), *lay_steps(coming[1:], at, policy, facts))


def is_missed(step: PlannedStep, now: datetime) -> bool:
    """Whether the step's time passed by more than an hour."""
    return now - step.at > LATE_BY_MOST


def has_passed(rung: Rung, planned: PlannedStep, now: datetime) -> bool:
    """Whether a step's time is gone: a step in minutes runs at its time or not at all; any other may be late by an hour."""
    return planned.at < now if rung.step.unit in SHORT_UNITS else is_missed(planned, now)


def relay_missed(
    coming: Sequence[Rung], planned: Sequence[PlannedStep], now: datetime, policy: Policy, facts: Facts
) -> tuple[PlannedStep, ...]:
    """What becomes of a plan whose first date has passed: never caught up.

    Steps in minutes whose time is gone are skipped and the later ones keep their times. If the step after them is gone too, it
    runs at the next allowed instant and the rest are laid anew from it with their gaps.
    """
    left = list(zip(coming, planned, strict=False))
    while left and left[0][0].step.unit in SHORT_UNITS and has_passed(*left[0], now):
        del left[0]
    if left and has_passed(*left[0], now):
        rungs_left = [rung for rung, _ in left]
        return lay_from(rungs_left, now, "its time passed while nothing could be sent", policy, facts)
    return tuple(step for _, step in left)


def keep_told(old: Sequence[PlannedStep], new: Sequence[PlannedStep]) -> tuple[PlannedStep, ...]:
    """The new plan, remembering what the customer was told; a date that was told is never brought forward."""
    told = {step.number: step.told_at for step in old if step.told_at is not None}
    kept = []
    for step in new:
        told_at = told.get(step.number)
        if told_at is not None and step.at < told_at:
            kept.append(PlannedStep(step.number, told_at, (*step.why, "the customer was told this date"), told_at))
        else:
            kept.append(replace(step, told_at=told_at))
    return tuple(kept)


def pause_date(
    steps: Sequence[PlannedStep],
    last_tried_at: datetime | None,
    first_failed_at: datetime,
    deadline_at: datetime | None,
    policy: Policy,
    facts: Facts,
) -> tuple[datetime, tuple[str, ...]]:
    """When access pauses: an operator's date; else the policy's deadline; else the later of the last step and the floor."""
    if deadline_at is not None:
        return deadline_at, ("an operator set this date",)
    if policy.deadline_days is not None:
        return _same_local_time(first_failed_at, policy), (
            f"{policy.deadline_days} days after the first failure, at the same local time",
        )
    floor = first_failed_at
    for step in policy.floor:
        floor, _ = after(step, floor, policy, facts)
    last = steps[-1].at if steps else last_tried_at
    if last is not None and last > floor:
        return last, ("when the last step has failed",)
    if last is not None and last == floor:
        return floor, ("when the last step has failed, which is also the earliest day for a pause",)
    return floor, (
        f"the earliest day for a pause: the day of the last of {len(policy.floor)} steps from the first failure",
    )


def _same_local_time(first_failed_at: datetime, policy: Policy) -> datetime:
    """The first failure plus the policy's days, at the same local time of day."""
    assert policy.deadline_days is not None
    local = first_failed_at.astimezone(zone(policy.timezone))
    day = local.date() + timedelta(days=policy.deadline_days)
    return local_instant(day, local.hour, local.minute, policy.timezone)


def forecast(policy: Policy, facts: Facts, reason: DeclineReason, failed_at: datetime) -> Plan:
    """The plan of a fresh case in which every attempt is declined the same way."""
    coming = rungs(policy, facts, reason, 0, 0, 0)
    steps = lay_steps(coming, failed_at, policy, facts)
    pause_at, pause_why = pause_date(steps, None, failed_at, None, policy, facts)
    return Plan(steps, pause_at, pause_why)
