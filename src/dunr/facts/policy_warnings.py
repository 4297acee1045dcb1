"""What a policy may say, and what will not come of it as its author may think: each warning names the rule that it breaks.

A warning refuses nothing. The caps of the networks are counted by the same function that counts them before a send.
"""

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta

from dunr.core.counting import Wish, verdict
from dunr.core.policy import Policy, Step, Strategy
from dunr.core.rules import NetworkRule, RuleKind, rules_for
from dunr.core.sends import Send
from dunr.core.snapping import IN_DAYS, PAYDAY_DAYS_MAX
from dunr.core.strategies import strategy_for
from dunr.core.terms import DeclineKind, DeclineReason, FinalAction, Outcome, Rail, Trigger
from dunr.facts.complaints import Complaint, Level, shown
from dunr.facts.ladders import SAMPLE_AT, climbed, instants
from dunr.facts.network_rules import rules_by_network
from dunr.facts.tables import shipped_reasons
from dunr.facts.toml_lines import Path
from dunr.facts.windows import longest_closure

COUNTED_KINDS = (RuleKind.CAP, RuleKind.WITHIN)


def warnings_about(policy: Policy, rails: Sequence[Rail]) -> Iterator[Complaint]:
    """Every warning about a policy that keeps to the rules, on the rails that it serves: cards, where nothing says which."""
    yield from _network_caps(policy, rails or (Rail.CARD,))
    for path, reason, steps in climbed(policy):
        yield from _late_steps(policy, path, reason, steps)
    yield from _idle_settings(policy)
    yield from _idle_rows(policy)


# --- networks -----------------------------------------------------------------------------------------------------------------------


def _network_caps(policy: Policy, rails: Sequence[Rail]) -> Iterator[Complaint]:
    """The rules of the networks under which a whole ladder would not fit, each told for the first such ladder."""
    told = set()
    for rail, network in rules_by_network():
        if rail not in rails or (network is None) == (rail is Rail.CARD):
            continue
        for path, reason, steps in climbed(policy):
            for rule, number in _broken(policy, reason, steps, rail, network):
                if rule.id not in told:
                    told.add(rule.id)
                    yield Complaint(path, _does_not_fit(path, steps, number, rule), Level.WARNING)


def _does_not_fit(path: Path, steps: Sequence[Step], number: int, rule: NetworkRule) -> str:
    return (
        f"retry {number} of the {len(steps)} of `{shown(path)}` does not fit under a rule of the rail {rule.rail}, and would be put off or left "
        f"out: {rule.sentence} ({rule.id}). Write fewer steps or longer gaps, or keep the policy for other rails by a segment"
    )


def _broken(
    policy: Policy, reason: DeclineReason | None, steps: tuple[Step, ...], rail: Rail, network: str | None
) -> Iterator[tuple[NetworkRule, int]]:
    """Each rule that some attempt of a ladder breaks, with the number of the first one that does."""
    wish = Wish("sample", SAMPLE_AT, rail, network, None, "card", 1000, "usd", after_reason=reason)
    holding = rules_for(
        rules_by_network(),
        rail=rail,
        network=network,
        region=None,
        by_merchant=True,
        allowed=policy.acquirer_allows,
        at=SAMPLE_AT,
    )
    for rule in holding:
        if rule.kind not in COUNTED_KINDS:
            continue
        sends = [_send(SAMPLE_AT, 0, network)]
        for number, at in enumerate(instants(steps, SAMPLE_AT), start=1):
            if verdict(rule, wish, sends, None, at).until_at is not None:
                yield rule, number
                break
            sends.append(_send(at, number, network))


def _send(at: datetime, number: int, network: str | None) -> Send:
    trigger = Trigger.TIMER if number else Trigger.PROCESSOR
    return Send(at, trigger, "sample", number, Outcome.DECLINED, 1000, "usd", "card", network)


# --- what has no effect, or another one ---------------------------------------------------------------------------------------------


def _late_steps(
    policy: Policy, path: Path, reason: DeclineReason | None, steps: tuple[Step, ...]
) -> Iterator[Complaint]:
    """A step that a payday or a window moves can end up behind a deadline, and with it behind the pause."""
    if policy.deadline_days is None or policy.final_action is FinalAction.NONE or not steps:
        return
    slack = sum(_moved_days_max(policy, reason, step) for step in steps)
    last = instants(steps, SAMPLE_AT)[-1] - SAMPLE_AT
    if slack and last + timedelta(days=slack) > timedelta(days=policy.deadline_days):
        days = (last + timedelta(days=slack)).days + 1
        yield Complaint(
            ("deadline_days",),
            f"deadline_days = {policy.deadline_days}: paydays and the window can move the last attempt of `{shown(path)}` behind that day, and steps "
            f"go on after the pause then. Write deadline_days = {days} or more to be sure that access never pauses before it",
            Level.WARNING,
        )


def _moved_days_max(policy: Policy, reason: DeclineReason | None, step: Step) -> int:
    """How far at most a payday and the window move one step."""
    if not policy.snap or step.unit not in IN_DAYS:
        return 0
    strategy = policy.strategy if reason is None else strategy_for(policy, reason)
    days = PAYDAY_DAYS_MAX if strategy is Strategy.FUNDS_AWARE else 0
    if policy.window is not None:
        days += 1 + (longest_closure(policy.window, policy.calendar)[0] or 0)
    return days


def _idle_settings(policy: Policy) -> Iterator[Complaint]:
    """Settings that decide nothing beside the others."""
    if policy.final_action is FinalAction.NONE and policy.deadline_days is not None:
        yield Complaint(
            ("deadline_days",),
            f'deadline_days = {policy.deadline_days} has no effect, since nothing pauses with final_action = "none": take it out, or write final_action = "pause"',
            Level.WARNING,
        )
    if policy.window is not None and not policy.snap:
        yield Complaint(
            ("window",),
            "the window has no effect with snap = false: write snap = true, or take the window out",
            Level.WARNING,
        )
    elif policy.window is not None and not any(
        step.unit in IN_DAYS for _, _, steps in climbed(policy) for step in steps
    ):
        yield Complaint(
            ("window",),
            "the window has no effect, since it binds steps in days and there are none: take it out",
            Level.WARNING,
        )
    if policy.first_notice_after_first_retry and not policy.steps:
        yield Complaint(
            ("first_notice_after_first_retry",),
            "first_notice_after_first_retry = true, but there is no retry, so the customer would hear nothing before the warning: write it as false",
            Level.WARNING,
        )


def _idle_rows(policy: Policy) -> Iterator[Complaint]:
    """Rows for declines that say nothing about the payer: they are treated as unknown."""
    for reason, rule in policy.reasons:
        if rule.steps_max and shipped_reasons()[reason].kind in (DeclineKind.NEUTRAL, DeclineKind.OPERATOR):
            yield Complaint(
                ("reasons", str(reason)),
                f"reasons.{reason} has no effect: such a decline says nothing about the payer and is treated as unknown. Write steps_max = 0, or set reasons.unknown",
                Level.WARNING,
            )
