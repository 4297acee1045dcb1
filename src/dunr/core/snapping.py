"""From the date that a step asks for to the one that it gets.

The bank's wait, the next payday, the window where the payer lives, the merchant's business days, the networks' rules and the merchant's own budget each move a date
forward, never back, and are applied again and again until none of them does. A step for which they do not agree has no date, and says why. This one function
serves every path: a first failure, a missed step, a postponement, a promise.
"""

from collections.abc import Callable
from datetime import date, datetime, timedelta
from functools import lru_cache

from dunr.core.budget import allowance
from dunr.core.calendar import local_day, local_instant, next_business_day, zone
from dunr.core.circumstances import NO_HOLIDAYS, Circumstances
from dunr.core.paydays import first_payday
from dunr.core.policy import Policy, Strategy
from dunr.core.saying import said
from dunr.core.strategies import Rung
from dunr.core.terms import StepUnit
from dunr.core.value import Value
from dunr.core.windows import Place, closed_because, nearest_open, next_open

ROUNDS_MAX = 20
PAYDAY_DAYS_MAX = 4  # a payday further away is not waited for
IN_DAYS = (StepUnit.DAYS, StepUnit.BUSINESS_DAYS)

Move = tuple[datetime | None, str]  # the later instant (None: never), and why
Rule = Callable[[datetime, Place, Circumstances], Move | None]


class Snapped(Value):
    """The date that a step gets, or None; a reason for each move; and the network's rule that deferred it or left it without a date, if one did."""

    at: datetime | None
    why: tuple[str, ...]
    deferred_by: str | None = None


def snap(
    wanted_at: datetime, rung: Rung, around: Circumstances, earliest: datetime, *, is_counted: bool = False
) -> Snapped:
    """The date that a step gets.

    `earliest` bounds a window that may move a date back. `is_counted`: the date was counted in business days, and so is one of them.
    """
    rules = rules_for(rung, around)
    if not rules or (is_counted and rules is BUSINESS_DAY_ONLY):
        return Snapped(wanted_at, ())
    at, why, deferred_by = wanted_at, [], None
    window, place = around.policy.window, _place(rung, around)
    if window is not None and window.nearest and _window in rules:
        nearest = nearest_open(wanted_at, window, place, earliest)
        if nearest < wanted_at:
            at = nearest
            why.append(f"moved back to {said(at, around.zone_name)}, the nearest time in the window")
    for _ in range(ROUNDS_MAX):
        before = at
        for rule in rules:
            move = rule(at, place, around)
            if move is not None:
                why.append(move[1])
                if rule is _room:
                    deferred_by = _network_rule(at, around) or deferred_by
                if move[0] is None:
                    return Snapped(None, tuple(why), deferred_by)
                at = move[0]
        if at == before:
            return Snapped(at, tuple(why), deferred_by)
    return Snapped(None, (*why, f"no date: after {ROUNDS_MAX} rounds the rules still move it"), deferred_by)


def rules_for(rung: Rung, around: Circumstances) -> tuple[Rule, ...]:
    """The rules that may move a step: windows bind steps in days and the attempt that follows fresh details, what a bank or a network forbids binds all."""
    policy, unit = around.policy, rung.step.unit
    snaps = policy.snap and (unit in IN_DAYS or rung.strategy is Strategy.REQUIRE_UPDATER)
    aims = snaps and rung.strategy is Strategy.FUNDS_AWARE and bool(around.paydays)
    if around.floor_at is None and around.wish is None and not aims and not (snaps and policy.window):
        return BUSINESS_DAY_ONLY if unit is StepUnit.BUSINESS_DAYS else ()
    rules: list[Rule] = []
    if around.floor_at is not None:
        rules.append(_floor)
    if unit is StepUnit.BUSINESS_DAYS:
        rules.append(_business_day)
    if aims:
        rules.append(_payday)
    if snaps and policy.window is not None:
        rules.append(_window)
    if around.wish is not None:
        rules.append(_room)
    return tuple(rules)


def _floor(at: datetime, _place: Place, around: Circumstances) -> Move | None:
    """Nothing before what the bank, or the reason of the decline, asks to wait."""
    floor_at = around.floor_at
    if floor_at is None or at >= floor_at:
        return None
    return floor_at, f"not before {said(floor_at, around.policy.timezone)}: {around.floor_why}"


def _business_day(at: datetime, place: Place, around: Circumstances) -> Move | None:
    """The hour of the policy on a business day of the policy; where there is a window, that says the hour."""
    policy = around.policy
    if policy.window is not None and policy.snap:
        day = local_day(at, policy.timezone)
        business_day = next_business_day(day, place.holidays)
        if business_day == day:
            return None
        moved_at = local_instant(business_day, 0, 0, policy.timezone)
    else:
        moved_at = _next_business_hour(at, policy.at_hour, policy.at_minute, policy.timezone, place.holidays)
        if moved_at == at:
            return None
    return moved_at, f"moved forward to the next allowed time, {said(moved_at, policy.timezone)}"


BUSINESS_DAY_ONLY: tuple[Rule, ...] = (_business_day,)


@lru_cache(maxsize=4096)
def _next_business_hour(at: datetime, hour: int, minute: int, zone_name: str, holidays: frozenset[date]) -> datetime:
    """The first instant from `at` on at that hour of a business day. Many cases ask for the same dates."""
    day = next_business_day(local_day(at, zone_name), holidays)
    found = local_instant(day, hour, minute, zone_name)
    if found < at:
        day = next_business_day(day + timedelta(days=1), holidays)
        found = local_instant(day, hour, minute, zone_name)
    return found


def _payday(at: datetime, place: Place, around: Circumstances) -> Move | None:
    """The first payday of the payer's country, if one is near: when the money is there, in the morning of that day."""
    local, clock = at.astimezone(zone(place.zone_name)), _payday_clock(around.policy)
    today = local.date()
    day = first_payday(today, PAYDAY_DAYS_MAX, place.paydays, place.payday_holidays)
    if day is None or (day == today and (local.hour, local.minute) >= clock):
        return None
    moved_at = local_instant(day, *clock, place.zone_name)
    if moved_at <= at:  # the hour that comes twice in autumn has been there once
        return None
    return moved_at, f"moved on to {said(moved_at, around.zone_name)}, the next payday in {around.country}"


def _payday_clock(policy: Policy) -> tuple[int, int]:
    """The policy's hour where the window is open then, else the hour in which it opens."""
    window = policy.window
    if window is None or window.from_hour <= policy.at_hour < window.until_hour:
        return policy.at_hour, policy.at_minute
    return window.from_hour, 0


def _window(at: datetime, place: Place, around: Circumstances) -> Move | None:
    """The next time at which the window is open where the payer lives."""
    window = around.policy.window
    assert window is not None, "the rule is left out where there is no window"
    moved_at = next_open(at, window, place)
    if moved_at == at:
        return None
    why = f"{said(at, around.zone_name)} is {closed_because(at, window, place)}"
    if moved_at is None:
        return None, f"no date: {why}, and the window never opens"
    return moved_at, f"{why}: moved on to {said(moved_at, around.zone_name)}, by {around.zone_why}"


def _place(rung: Rung, around: Circumstances) -> Place:
    """Where the rules hold; and for a step that aims at paydays, those of the payer's country, where wages are paid before the holidays."""
    paydays = around.paydays if rung.strategy is Strategy.FUNDS_AWARE else ()
    if not paydays or around.country is None:
        return Place(around.zone_name, around.holidays)
    return Place(around.zone_name, around.holidays, paydays, around.facts.calendars.get(around.country, NO_HOLIDAYS))


def _room(at: datetime, _place: Place, around: Circumstances) -> Move | None:
    """What the networks and the merchant's own budget allow on this card, the attempts of the same plan included."""
    wish, method = around.wish, around.method
    assert wish is not None, "the rule is left out where there is no card"
    found = allowance(wish, method, around.policy, around.facts, at)
    if found.until_at is None:
        return None
    limit_at = around.deferral_limit_at
    if found.is_never:
        return None, f"no date: {found.why}, and waiting does not help"
    if limit_at is not None and found.until_at > limit_at:
        return (
            None,
            f"no date: {found.why}, and there is room again only at {said(found.until_at, around.policy.timezone)}",
        )
    return found.until_at, f"deferred to {said(found.until_at, around.policy.timezone)} by {found.rule}: {found.why}"


def _network_rule(at: datetime, around: Circumstances) -> str | None:
    """The network's rule for which there is no room at an instant, or None where it is a ceiling of the policy."""
    assert around.wish is not None, "the rule is left out where there is no card"
    found = allowance(around.wish, around.method, around.policy, around.facts, at)
    return None if found.is_own else found.rule
