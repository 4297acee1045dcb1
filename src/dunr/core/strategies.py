"""The ladder of each strategy, and the rungs that a case still has on it.

A ladder is a row of gaps; `core.snapping` says where each of them lands. What the tables of reasons call by other names is one of these strategies too.
"""

from collections.abc import Mapping
from datetime import timedelta
from functools import lru_cache

from dunr.core.facts import Facts
from dunr.core.policy import BUSINESS_LADDER, Policy, ReasonRule, Step, Strategy
from dunr.core.terms import DeclineReason, StepUnit
from dunr.core.value import Value

FIBONACCI_SPAN = timedelta(hours=24)  # of minutes after the first failure; the next billing cycle charges afresh
LIMIT_RESET_GAP = timedelta(hours=24)  # a limit on sums or tries resets overnight at the earliest
AT_ONCE = Step(0, StepUnit.SECONDS)


def _fibonacci() -> tuple[Step, ...]:
    """1, 1, 2, 3, 5, 8 … minutes, as long as they end within the span."""
    gaps = [1, 1]
    while sum(gaps) + gaps[-1] + gaps[-2] <= FIBONACCI_SPAN // timedelta(minutes=1):
        gaps.append(gaps[-1] + gaps[-2])
    return tuple(Step(gap, StepUnit.MINUTES) for gap in gaps)


def _days(*gaps: int) -> tuple[Step, ...]:
    return tuple(Step(gap, StepUnit.DAYS) for gap in gaps)


LADDERS: Mapping[Strategy, tuple[Step, ...]] = {
    Strategy.BUSINESS_DAYS: BUSINESS_LADDER,
    Strategy.FUNDS_AWARE: _days(3, 5, 7, 7),
    Strategy.SHORT_BACKOFF: (Step(1728, StepUnit.SECONDS), Step(12, StepUnit.HOURS), Step(2, StepUnit.DAYS)),
    Strategy.STANDARD: _days(1, 3, 5),
    Strategy.REQUIRE_UPDATER: (AT_ONCE,),  # begun by the fresh details, not by a date
    Strategy.NETWORK_ADVISED: _days(1, 3, 5),  # where the network says nothing
    Strategy.FIBONACCI: _fibonacci(),
    Strategy.CUSTOM: (),
    Strategy.NONE: (),
}

# The names that the table of reasons suggests, and the strategy that each one is.
MEANT: Mapping[str, Strategy] = {
    **{str(strategy): strategy for strategy in Strategy},
    "limit_reset": Strategy.STANDARD,  # with LIMIT_RESET_GAP as a floor
    "minutes_backoff": Strategy.SHORT_BACKOFF,
    "updater_then_retry": Strategy.REQUIRE_UPDATER,
    "customer_action": Strategy.NONE,
    "new_method": Strategy.NONE,
    "new_mandate": Strategy.NONE,
    "stop_and_review": Strategy.NONE,
    "reconcile": Strategy.NONE,
    "alert_operator": Strategy.NONE,
}


class Rung(Value):
    """A step that is still to come, by its number in the round, and how its date is found. `gap_min` is the least time after the decline before it."""

    number: int
    step: Step
    strategy: Strategy = Strategy.CUSTOM
    gap_min: timedelta = timedelta(0)


def strategy_for(policy: Policy, reason: DeclineReason) -> Strategy:
    """How the steps after a decline of this reason find their dates under a policy."""
    rule = policy.rule(reason)
    if rule is None:
        return policy.strategy
    if rule.strategy is not None:
        return rule.strategy
    return policy.strategy if rule.steps is None else Strategy.CUSTOM


def ladder_for(policy: Policy, reason: DeclineReason) -> tuple[Step, ...]:
    """All the steps that a policy gives a reason from its first decline on, whatever the reason earns by itself."""
    rule = policy.rule(reason)
    own = _own_ladder(rule)
    return policy.steps if rule is None or own is None else own[: rule.steps_max]


def _own_ladder(rule: ReasonRule | None) -> tuple[Step, ...] | None:
    """The ladder of a reason's own, or None where it climbs the policy's. A strategy's is drawn out to `steps_max` by its last gap."""
    if rule is None:
        return None
    if rule.steps is not None:
        return rule.steps
    if rule.strategy is None or rule.strategy is Strategy.CUSTOM:
        return None
    ladder = LADDERS[rule.strategy]
    return ladder + ladder[-1:] * (rule.steps_max - len(ladder))


@lru_cache(maxsize=4096)
def rungs(
    policy: Policy,
    facts: Facts,
    reason: DeclineReason,
    spent_count: int,
    spent_on_reason_count: int,
    spent_ever_count: int,
) -> tuple[Rung, ...]:
    """The rungs that a decline reason still has. Many cases stand on the same ones.

    `spent_count` steps of the round are used, `spent_on_reason_count` of them after declines of this reason; `spent_ever_count` counts over all rounds.
    """
    rule = policy.rule(reason)
    strategy = strategy_for(policy, reason)
    if strategy is Strategy.NONE:
        return ()
    own = _own_ladder(rule)
    ladder = policy.steps[spent_count:] if own is None else own[spent_on_reason_count:]
    steps_max = facts.reasons[reason].steps_default_max if rule is None else rule.steps_max
    if steps_max is not None:
        ladder = ladder[: max(0, steps_max - spent_on_reason_count)]
    ladder = ladder[: max(0, policy.attempts_max - spent_ever_count)]
    gap_min = gap_min_for(policy, reason)
    return tuple([Rung(spent_count + index, step, strategy, gap_min) for index, step in enumerate(ladder, start=1)])


def gap_min_for(policy: Policy, reason: DeclineReason) -> timedelta:
    """The least time between a decline of this reason and the next step: where a policy names a strategy for limits, it waits until they reset."""
    rule = policy.rule(reason) if reason is DeclineReason.VELOCITY_LIMIT else None
    return LIMIT_RESET_GAP if rule is not None and rule.strategy is not None else timedelta(0)
