"""Policies, what is in force and what a move does, as people read it in a terminal."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from dunr.entry.cli.terminal import say, show_table, shown

if TYPE_CHECKING:
    from datetime import datetime

    from dunr.core.policy import Policy
    from dunr.core.segments import Segment
    from dunr.policies_in_force import InForce
    from dunr.policy_moves import CaseMoved


def show_in_force(in_force: "InForce") -> None:
    """Where the policies in force are from, which there are, and how one is chosen."""
    say(f"In force since {shown(in_force.since_at)}: {in_force.origin}, by {in_force.actor} (set {in_force.set_hash}).")
    if in_force.refused is not None:
        say(
            f"{in_force.origin} was changed and cannot be used; since {shown(in_force.refused.at)} new cases go on with what it said before:"
        )
        say(in_force.refused.text)
    policies = in_force.policies
    if policies.segments:
        rows: list[tuple[object, ...]] = [(one.name, one.policy, _conditions(one)) for one in policies.segments]
        show_table(
            "The first segment that fits decides",
            ("Segment", "Policy", "Takes"),
            [*rows, ("", policies.default, "everything else")],
        )


def _conditions(segment: "Segment") -> str:
    """What a segment takes."""
    named = [
        f"{key} {' or '.join(getattr(segment, key))}"
        for key in ("products", "currencies", "countries", "processors", "rails", "tags")
        if getattr(segment, key)
    ]
    low, high = segment.amount_min_minor, segment.amount_max_minor
    if low is not None or high is not None:
        named.append(f"amounts from {low or 0}{'' if high is None else f' to {high}'}")
    return ", ".join(named) or "everything"


def show_policy(policy: "Policy") -> None:
    """One policy, setting by setting."""
    from dunr.core.policy import policy_hash

    say(f"{policy.name}, kept by cases as {policy_hash(policy)}")
    rows = [(key, words(getattr(policy, key))) for key in policy.__struct_fields__ if key not in ("name", "reasons")]
    show_table(
        "", ("Setting", "Value"), [*rows, *((f"reasons.{reason}", words(rule)) for reason, rule in policy.reasons)]
    )


def words(value: object) -> str:
    """A value as a person would write it."""
    from dunr.core.policy import ReasonRule, Step, Window

    if isinstance(value, Step):
        return f"{value.after} {value.unit}"
    if isinstance(value, ReasonRule):
        if not value.steps_max:
            return "nothing is tried again"
        ladder = words(value.steps) if value.steps is not None else value.strategy
        return f"at most {value.steps_max} of {ladder}" if ladder else f"at most {value.steps_max}"
    if isinstance(value, Window):
        days = ", weekdays only" if value.weekdays_only else ""
        edge = (
            f", not within {value.avoid_month_edge_days} days of the month's end" if value.avoid_month_edge_days else ""
        )
        return f"{value.from_hour:02}:00 to {value.until_hour:02}:00{days}{edge}{', or the nearest time' if value.nearest else ''}"
    if isinstance(value, tuple | list):
        return ", ".join(words(one) for one in value) or "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "none" if value is None else str(value)


def show_moves(moves: "Sequence[CaseMoved]", *, dry_run: bool) -> None:
    """The dates of each case before and after."""
    for one in moves:
        if one.rejected is not None:
            say(f"{one.case_id} cannot be moved: {one.rejected}")
            continue
        moved = "would be moved" if dry_run else "is moved"
        when = f", when attempt {one.waits_for} is settled" if one.waits_for is not None else ""
        say(f"{one.case_id} {moved} from {one.policy_before} to {one.policy_after}{when}.")
        rows = [(f"step {step.number}", _at(step.before_at), _at(step.after_at)) for step in one.steps]
        show_table("", ("", "Before", "After"), [*rows, ("pause", _at(one.pause_before_at), _at(one.pause_after_at))])


def _at(at: "datetime | None") -> str:
    return "none" if at is None else shown(at)
