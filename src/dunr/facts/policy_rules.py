"""What a policy must keep to before a case may run under it.

Each rule is one function, each breach one sentence that says what to write. What only may go wrong is in `policy_warnings`.
"""

from collections.abc import Iterator
from datetime import timedelta
from difflib import get_close_matches
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

from dunr.core.policy import Policy, ReasonRule, Step, Strategy
from dunr.core.strategies import strategy_for
from dunr.core.terms import DeclineKind, DeclineReason, FinalAction, Rail
from dunr.errors import SettingsError
from dunr.facts.calendars import check_calendar
from dunr.facts.complaints import Complaint, Level, shown
from dunr.facts.ladders import (
    DAY_MINUTES,
    DAYS_MAX,
    MINUTES_OF_UNIT,
    SAMPLE_AT,
    climbed,
    deadline_days_min,
    instants,
    ladders_of,
)
from dunr.facts.network_rules import shipped_rules
from dunr.facts.policy_warnings import warnings_about
from dunr.facts.tables import shipped_reasons
from dunr.facts.toml_lines import Path
from dunr.facts.windows import window_breaches

STEPS_MAX = 40
CARD_CAPS = (("card_attempts_24h_max", timedelta(hours=24)), ("card_attempts_30d_max", timedelta(days=30)))
UNKNOWN_STEPS_MAX = 1  # under every policy: one cautious step

# key, least, most, example
BOUNDS = (
    ("at_hour", 0, 23, 9),
    ("at_minute", 0, 59, 0),
    ("spread_minutes", 0, 720, 180),
    ("mail_from_hour", 0, 23, 8),
    ("mail_until_hour", 1, 24, 20),
    ("attempts_max", 1, 100, 12),
    ("deadline_days", 1, DAYS_MAX, 21),
    ("customer_attempts_max", 1, 100, 5),
    ("card_attempts_24h_max", 1, 100, 10),
    ("card_attempts_30d_max", 1, 1000, 15),
    ("promise_days_max", 0, DAYS_MAX, 14),
    ("card_expiring_notice_days", 0, DAYS_MAX, 30),
    ("take_over_percent", 0, 100, 10),
)


def problems_of(policy: Policy) -> list[str]:
    """What refuses a policy, in words, or nothing: for a policy that no file describes."""
    return [one.text for one in complaints_about(policy) if one.level is Level.ERROR]


def complaints_about(policy: Policy, place: Path = (), rails: tuple[Rail, ...] = ()) -> list[Complaint]:
    """All breaches and warnings, or none, as paths below `place`. `rails` are those that the policy serves; without any it serves all.

    A ladder is weighed against the rest only when its own steps are sound.
    """
    plain = [*_bounds(policy), *_places(policy), *_acquirer(policy), *_final_action(policy), *window_breaches(policy)]
    plain += [one for path, steps in ladders_of(policy) for one in _ladder(path, steps)]
    if not plain:
        plain += [
            *_something_happens(policy),
            *_reasons(policy),
            *_attempts(policy),
            *_deadline(policy),
            *_card_caps(policy),
        ]
    if not plain:
        plain += warnings_about(policy, rails)
    return [Complaint((*place, *one.path), one.text, one.level) for one in plain]


def _bounds(policy: Policy) -> Iterator[Complaint]:
    for key, least, most, example in BOUNDS:
        value = getattr(policy, key)
        if value is not None and not least <= value <= most:
            yield Complaint(
                (key,),
                f"{key} = {value} is out of range: write a number from {least} to {most}, such as {key} = {example}",
            )
    if policy.mail_from_hour >= policy.mail_until_hour:
        yield Complaint(
            ("mail_from_hour",),
            f"mail_from_hour = {policy.mail_from_hour} must be before mail_until_hour = {policy.mail_until_hour}: "
            "write mail_from_hour = 8 and mail_until_hour = 20",
        )


def _acquirer(policy: Policy) -> Iterator[Complaint]:
    """A misspelt rule would leave the stricter one in force, silently."""
    known = [rule.id for rule in shipped_rules() if rule.instead_of is not None]
    for name in policy.acquirer_allows:
        if name not in known:
            yield Complaint(
                ("acquirer_allows",),
                f'acquirer_allows names "{name}", which is no rule that an acquirer may allow: write one of {", ".join(known)}',
            )


def _places(policy: Policy) -> Iterator[Complaint]:
    try:
        ZoneInfo(policy.timezone)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        close = get_close_matches(policy.timezone, sorted(available_timezones()), n=1) or ["Europe/London"]
        yield Complaint(
            ("timezone",), f'timezone = "{policy.timezone}" is not a time zone: write timezone = "{close[0]}"'
        )
    if policy.calendar is not None:
        try:
            check_calendar(policy.calendar)
        except SettingsError as error:
            yield Complaint(("calendar",), f"calendar: {error}")


def _final_action(policy: Policy) -> Iterator[Complaint]:
    if policy.final_action is FinalAction.MARK_UNPAID:
        yield Complaint(
            ("final_action",),
            'final_action = "mark_unpaid" needs a processor that can mark a subscription unpaid, and none of them can '
            'yet: write final_action = "pause"',
        )


def _ladder(path: Path, steps: tuple[Step, ...]) -> Iterator[Complaint]:
    if len(steps) > STEPS_MAX:
        yield Complaint(path, f"{shown(path)} has {len(steps)} steps: write at most {STEPS_MAX}")
    for index, step in enumerate(steps):
        if step.after < 1:
            place = (*path, index)
            yield Complaint(
                (*place, "after"), f"{shown(place)} has after = {step.after}, which is no gap: write after = 1 or more"
            )
    if sum(step.after * MINUTES_OF_UNIT[step.unit] for step in steps) > DAYS_MAX * DAY_MINUTES:
        yield Complaint(path, f"{shown(path)} reaches further than {DAYS_MAX} days: write shorter gaps")


def _something_happens(policy: Policy) -> Iterator[Complaint]:
    if not policy.steps and policy.deadline_days is None:
        yield Complaint(
            ("steps",),
            "steps is empty and there is no deadline, so a case would never end: write a step, or deadline_days = 21",
        )


def _reasons(policy: Policy) -> Iterator[Complaint]:
    """Each row against what its reason allows."""
    for reason, rule in policy.reasons:
        place = f"reasons.{reason}"
        problem = _too_many(place, policy, rule) if not 0 <= rule.steps_max <= _steps_max(policy, rule) else None
        if problem is None and rule.steps_max > 0:
            problem = _in_vain(place, policy, reason, rule)
        if problem is not None:
            text = f"{place}.steps_max = {rule.steps_max}, but {problem}"
            yield Complaint(("reasons", str(reason), "steps_max"), text)


def _steps_max(policy: Policy, rule: ReasonRule) -> int:
    """How long the ladder of a row is; a strategy draws its own out."""
    if rule.steps is not None:
        return len(rule.steps)
    return STEPS_MAX if rule.strategy not in (None, Strategy.CUSTOM) else len(policy.steps)


def _too_many(place: str, policy: Policy, rule: ReasonRule) -> str:
    most = _steps_max(policy, rule)
    return f"the ladder has {most} steps: write a number from 0 to {most}, or a longer {place}.steps"


def _in_vain(place: str, policy: Policy, reason: DeclineReason, rule: ReasonRule) -> str | None:
    """Why steps after such a decline cannot bring anything, and what to write."""
    facts, strategy = shipped_reasons()[reason], strategy_for(policy, reason)
    none = f"write {place}.steps_max = 0"
    if facts.kind is DeclineKind.HARD:
        return f"that payment method is dead until it changes: {none}"
    if reason is DeclineReason.AUTHENTICATION_REQUIRED:
        return f"only the customer can confirm the payment, and no try without them can: {none}"
    if facts.stops_credential and strategy is not Strategy.REQUIRE_UPDATER:
        row = f'{place} = {{steps_max = 1, strategy = "require_updater"}}'
        return (
            "these details are refused until they change, so a notice would promise an attempt that cannot happen: "
            f"write {row}, or steps_max = 0"
        )
    if reason is DeclineReason.UNKNOWN and rule.steps_max > UNKNOWN_STEPS_MAX:
        return f"a code that nobody knows gets one cautious step: write {place}.steps_max = 1, and map the codes that you know"
    if strategy is Strategy.NONE:
        return f'its strategy "none" has no steps: {none}, or another strategy'
    return None


def _attempts(policy: Policy) -> Iterator[Complaint]:
    for path, _, steps in climbed(policy):
        if len(steps) > policy.attempts_max:
            yield Complaint(
                ("attempts_max",),
                f"attempts_max = {policy.attempts_max}, but `{shown(path)}` has {len(steps)} rungs: "
                f"write attempts_max = {len(steps)} or more, or fewer rungs",
            )


def _deadline(policy: Policy) -> Iterator[Complaint]:
    """Access must not pause while an attempt is still to come. Each ladder is weighed on its own."""
    if policy.deadline_days is None:
        return
    for path, _, steps in climbed(policy):
        least = deadline_days_min(steps, policy.calendar)
        if policy.deadline_days < least:
            yield Complaint(
                ("deadline_days",),
                f"deadline_days = {policy.deadline_days} could pause access before the last attempt of `{shown(path)}`: "
                f"write deadline_days = {least} or more, or shorter gaps in `{shown(path)}`",
            )


def _card_caps(policy: Policy) -> Iterator[Complaint]:
    """A notice must not promise an attempt that the policy's own ceilings forbid."""
    for path, _, steps in climbed(policy):
        times = (SAMPLE_AT, *instants(steps, SAMPLE_AT))
        for key, window in CARD_CAPS:
            most = max(sum(1 for at in times[: number + 1] if at > last - window) for number, last in enumerate(times))
            if getattr(policy, key) < most:
                yield Complaint(
                    (key,),
                    f"{key} = {getattr(policy, key)}, but with the first charge `{shown(path)}` makes {most} attempts in that time, so a notice "
                    f"would promise an attempt that cannot happen: write {key} = {most} or more, or longer gaps",
                )
