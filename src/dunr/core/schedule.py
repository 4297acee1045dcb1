"""When the steps of a case fall, and why.

One function lays every plan, whoever asks: the first failure, a step that was missed, an operator who postpones. Each date carries the rules that made it.
Dates only ever move forward.
"""

from collections.abc import Mapping, Sequence
from datetime import date, datetime, timedelta
from functools import lru_cache

from dunr.core.budget import assumed
from dunr.core.calendar import add_business_days, is_business_day, local_day, local_instant, zone
from dunr.core.circumstances import NO_HOLIDAYS, Circumstances, holidays_of
from dunr.core.facts import Facts
from dunr.core.model import Plan, PlannedStep
from dunr.core.plenty import is_plainly_free
from dunr.core.policy import Policy, Step, Strategy
from dunr.core.saying import day_said, said
from dunr.core.snapping import IN_DAYS, snap
from dunr.core.spreading import spread_seconds
from dunr.core.strategies import FIBONACCI_SPAN, Rung, rungs
from dunr.core.terms import DeclineReason, StepUnit
from dunr.core.value import Value, replace

NOBODY_TOLD: Mapping[int, datetime] = {}
LATE_BY_MOST = timedelta(hours=1)  # a step that is later than this was missed
GAPS = {
    StepUnit.DAYS: timedelta(days=1),
    StepUnit.HOURS: timedelta(hours=1),
    StepUnit.MINUTES: timedelta(minutes=1),
    StepUnit.SECONDS: timedelta(seconds=1),
}
SHORT_UNITS = (StepUnit.MINUTES, StepUnit.SECONDS)  # steps that run at their time or not at all


class Laid(Value):
    """The dates of the rungs that have one, and why the rung after them has none; `forbidden_by` is the network's rule that leaves it without, if one does."""

    steps: tuple[PlannedStep, ...]
    undated: tuple[str, ...] = ()
    forbidden_by: str | None = None


def after(step: Step, base: datetime, policy: Policy, facts: Facts) -> tuple[datetime, tuple[str, ...]]:
    """The instant one rung after `base`, with its reasons."""
    return _after(step, base, (policy.at_hour, policy.at_minute), policy.timezone, holidays_of(policy, facts))


def _after(
    step: Step, base: datetime, clock_time: tuple[int, int], zone_name: str, holidays: frozenset[date]
) -> tuple[datetime, tuple[str, ...]]:
    """The same by what it depends on."""
    if step.unit is not StepUnit.BUSINESS_DAYS:
        return base + step.after * GAPS[step.unit], (f"{spoken(step)} after {said(base, zone_name)}",)
    return _business_days_after(step.after, local_day(base, zone_name), clock_time, zone_name, holidays)


@lru_cache(maxsize=4096)
def _business_days_after(
    count: int, start: date, clock_time: tuple[int, int], zone_name: str, holidays: frozenset[date]
) -> tuple[datetime, tuple[str, ...]]:
    """The instant some business days after a day, with its reasons. Many cases fail on the same days, and ask for the same dates."""
    day = add_business_days(start, count, holidays)
    hour, minute = clock_time
    why = [f"{count} business day{'s' if count != 1 else ''} after {day_said(start)} ({zone_name})"]
    skipped = _skipped(start, day, holidays)
    if skipped:
        why.append(f"skips {skipped}")
    why.append(f"{day_said(day)} at {hour:02}:{minute:02} {zone_name}")
    return local_instant(day, hour, minute, zone_name), tuple(why)


def _skipped(start: date, end: date, holidays: frozenset[date]) -> str:
    """The weekends and holidays between two days, in words."""
    days = [start + timedelta(days=n) for n in range(1, (end - start).days)]
    named = [f"holiday {day.day} {day:%b}" for day in days if day in holidays]
    if any(not is_business_day(day, NO_HOLIDAYS) for day in days):
        named.insert(0, "the weekend")
    return " and ".join(named)


def spoken(step: Step) -> str:
    """A gap in words; seconds as minutes."""
    if step.unit is StepUnit.SECONDS:
        return f"{step.after / 60:g} minutes"
    unit = step.unit.replace("_", " ")
    return f"{step.after} {unit if step.after != 1 else unit.removesuffix('s')}"


def lay(
    coming: Sequence[Rung],
    base: datetime,
    around: Circumstances,
    *,
    first: tuple[datetime, str] | None = None,
    told: Mapping[int, datetime] = NOBODY_TOLD,
) -> Laid:
    """The dates of the rungs: each one gap after the one before it, the first one gap after `base`, and each moved on by the rules of `snapping`.

    `first` sets the date of the first rung, with its reason, for steps that were missed, postponed, promised or deferred. `told` are the dates that the customer
    knows, by the number of the step: none is brought forward.
    """
    wish = around.wish
    if wish is not None and is_plainly_free(wish, around.method, around.policy, around.facts, len(coming)):
        around, wish = replace(around, wish=None), None
    steps: list[PlannedStep] = []
    why: tuple[str, ...]
    for rung in coming:
        rung_now, is_set = rung, first is not None and not steps
        if first is not None and not steps:
            wanted_at, why, earliest = first[0], (first[1],), first[0]
        else:
            rung_now, wanted_at, why = _wanted(rung, base, around, is_first=not steps)
            earliest = base + rung.gap_min
        told_at = told.get(rung.number)
        if told_at is not None:
            earliest = max(earliest, told_at)
            if wanted_at < told_at:
                wanted_at, is_set, why = told_at, True, (*why, "the customer was told this date")
        snapped = snap(wanted_at, rung_now, around, earliest, is_counted=not is_set)
        at, why = snapped.at, why + snapped.why
        if (
            at is not None
            and rung.strategy is Strategy.FIBONACCI
            and not is_set
            and at > around.first_failed_at + FIBONACCI_SPAN
        ):
            at, why = (
                None,
                (*why, "no date: the day after the first failure is over, and the next billing cycle charges afresh"),
            )
        if at is None:
            return Laid(tuple(steps), (f"step {rung.number} has no date", *why), snapped.deferred_by)
        late_seconds = _spread(rung_now, at, around)
        if late_seconds:
            why = (
                *why,
                f"begun {late_seconds // 60} minutes later, as this case's part of {around.policy.spread_minutes} minutes",
            )
        steps.append(PlannedStep(rung.number, at, why, told_at, snapped.deferred_by, late_seconds))
        if wish is not None:
            around = replace(around, method=assumed(around.method, wish, at))
        base = at
    return Laid(tuple(steps))


def _spread(rung: Rung, at: datetime, around: Circumstances) -> int:
    """How long after its date a step begins: only those in days come due together by the thousand."""
    if not around.policy.spread_minutes or around.case_id is None or rung.step.unit not in IN_DAYS:
        return 0
    return spread_seconds(around.case_id, around.policy, at, around.zone_name)


def _wanted(
    rung: Rung, base: datetime, around: Circumstances, *, is_first: bool
) -> tuple[Rung, datetime, tuple[str, ...]]:
    """The date that a rung asks for by itself. What the network advises is the gap of the step that comes next, in hours where it is shorter than a day."""
    until_at = around.issuer_wait_until_at
    if rung.strategy is Strategy.NETWORK_ADVISED and is_first and until_at is not None:
        unit = StepUnit.HOURS if until_at - base < GAPS[StepUnit.DAYS] else StepUnit.DAYS
        why = f"{said(until_at, around.policy.timezone)}, as the network advised"
        return replace(rung, step=replace(rung.step, unit=unit)), max(base, until_at), (why,)
    at, words = after(rung.step, base, around.policy, around.facts)
    if rung.strategy is Strategy.FUNDS_AWARE and around.policy.snap and not around.paydays:
        where = f"{around.country} has none in the tables" if around.country else "the payer's country is not known"
        words = (*words, f"no payday to aim at: {where}")
    return rung, at, words


def is_missed(step: PlannedStep, now: datetime) -> bool:
    """Whether the step's time passed by more than an hour."""
    return now - step.begins_at > LATE_BY_MOST


def has_passed(rung: Rung, planned: PlannedStep, now: datetime) -> bool:
    """Whether a step's time is gone: a step in minutes runs at its time or not at all; any other may be late by an hour."""
    return planned.at < now if rung.step.unit in SHORT_UNITS else is_missed(planned, now)


def relay_missed(coming: Sequence[Rung], planned: Sequence[PlannedStep], now: datetime, around: Circumstances) -> Laid:
    """What becomes of a plan whose first date has passed: never caught up.

    Steps in minutes whose time is gone are skipped and the later ones keep their times. If the step after them is gone too, it
    runs at the next allowed instant and the rest are laid anew from it with their gaps.
    """
    left = list(zip(coming, planned, strict=False))
    while left and left[0][0].step.unit in SHORT_UNITS and has_passed(*left[0], now):
        del left[0]
    if left and has_passed(*left[0], now):
        rungs_left = [rung for rung, _ in left]
        first = (now, "its time passed while nothing could be sent")
        return lay(rungs_left, now, around, first=first, told=told_of(planned))
    return Laid(tuple([step for _, step in left]))


def told_of(steps: Sequence[PlannedStep]) -> Mapping[int, datetime]:
    """The dates that the customer was told, by the number of the step."""
    return {step.number: step.told_at for step in steps if step.told_at is not None} or NOBODY_TOLD


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
    clock_time, holidays = (policy.at_hour, policy.at_minute), holidays_of(policy, facts)
    floor = _floor(policy.floor, first_failed_at, clock_time, policy.timezone, holidays)
    last = steps[-1].at if steps else last_tried_at
    if last is not None and last > floor:
        return last, ("when the last step has failed",)
    if last is not None and last == floor:
        return floor, ("when the last step has failed, which is also the earliest day for a pause",)
    return floor, (
        f"the earliest day for a pause: the day of the last of {len(policy.floor)} steps from the first failure",
    )


@lru_cache(maxsize=4096)
def _floor(
    steps: tuple[Step, ...],
    first_failed_at: datetime,
    clock_time: tuple[int, int],
    zone_name: str,
    holidays: frozenset[date],
) -> datetime:
    """The day on which access pauses at the earliest. A case asks again with each plan."""
    at = first_failed_at
    for step in steps:
        at, _ = _after(step, at, clock_time, zone_name, holidays)
    return at


def _same_local_time(first_failed_at: datetime, policy: Policy) -> datetime:
    """The first failure plus the policy's days, at the same local time of day."""
    assert policy.deadline_days is not None
    local = first_failed_at.astimezone(zone(policy.timezone))
    day = local.date() + timedelta(days=policy.deadline_days)
    return local_instant(day, local.hour, local.minute, policy.timezone)


def forecast(policy: Policy, facts: Facts, reason: DeclineReason, failed_at: datetime) -> Plan:
    """The plan of a fresh case of a payer of whom nothing is known, in which every attempt is declined the same way."""
    coming = rungs(policy, facts, reason, 0, 0, 0)
    steps = lay(coming, failed_at, Circumstances(policy, facts, failed_at, policy.timezone)).steps
    pause_at, pause_why = pause_date(steps, None, failed_at, None, policy, facts)
    return Plan(steps, pause_at, pause_why)
