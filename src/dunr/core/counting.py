"""How much room one rule leaves one wish, counted on the sends of a card.

A window rolls: a send that is exactly as old as the window has left it. Nothing that may have counted is left out: an unanswered call counts, and so does all
that the card's row has had to forget.
"""

from calendar import monthrange
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from typing import assert_never

from dunr.core.calendar import local_day, local_instant, zone
from dunr.core.model import Method
from dunr.core.rules import Counted, Counter, NetworkRule, RuleKind, Scope, is_same
from dunr.core.sends import Forgotten, Initiator, Send
from dunr.core.terms import DeclineReason, Outcome, Rail
from dunr.core.value import Value

NEVER_AT = datetime(9999, 1, 1, tzinfo=UTC)  # later than any date of a plan


class Wish(Value):
    """An attempt that somebody wants to make, as its network would see it."""

    case_id: str
    first_at: datetime  # of the invoice's first charge
    rail: Rail
    network: str | None
    region: str | None  # the country in which the card was issued
    credential: str
    amount_minor: int
    currency: str
    initiator: Initiator = Initiator.MERCHANT
    after_reason: DeclineReason | None = None  # the newest decline of the case, for a card row that does not know it


class Verdict(Value):
    """What one rule says at one instant: wait until `until_at`, or there is room, with so many left after this one."""

    rule: NetworkRule
    until_at: datetime | None
    left_count: int | None
    why: str


def verdict(rule: NetworkRule, wish: Wish, method: Method, at: datetime) -> Verdict:
    """By the kind of the rule."""
    match rule.kind:
        case RuleKind.CAP:
            return _cap(rule, _counted(rule, wish, method.sends), _forgotten(rule, wish, method), at)
        case RuleKind.BAN:
            return _ban(rule, _counted(rule, wish, method.sends), _forgotten(rule, wish, method), at)
        case RuleKind.ONLY_AFTER:
            return _only_after(rule, wish, _counted(rule, wish, method.sends))
        case RuleKind.WITHIN:
            return Verdict(rule, NEVER_AT if at > _end(rule, wish.first_at) else None, None, rule.sentence)
        case RuleKind.HOURS:
            return Verdict(rule, _next_hour(rule, at), None, rule.sentence)
        case unreachable:
            assert_never(unreachable)


def _window(rule: NetworkRule) -> timedelta:
    assert rule.window_seconds is not None, "the test of the table demands a window where one is needed"
    return timedelta(seconds=rule.window_seconds)


def _end(rule: NetworkRule, first_at: datetime) -> datetime:
    """The last instant of a window that begins with the first charge. A month ends on the same day of the next one, or on that one's last."""
    if rule.window_months is None:
        return first_at + _window(rule)
    months = first_at.month - 1 + rule.window_months
    year, month = first_at.year + months // 12, months % 12 + 1
    return first_at.replace(year=year, month=month, day=min(first_at.day, monthrange(year, month)[1]))


def _counted(rule: NetworkRule, wish: Wish, sends: Iterable[Send]) -> list[Send]:
    """The sends that the rule takes together with the wish, oldest first."""
    amount = (wish.amount_minor, wish.currency)
    found = [
        send
        for send in sends
        if send.counts
        and (rule.network is None or send.network in (None, rule.network))
        and (rule.counted is not Counted.DECLINES or send.outcome is not Outcome.SUCCEEDED)
        and (rule.counter is Counter.ANY or send.may_be_by(wish.initiator))
        and is_same(rule.scope, send, wish.case_id, wish.credential, amount)
    ]
    return sorted(found, key=lambda send: send.at)


def _forgotten(rule: NetworkRule, wish: Wish, method: Method) -> Forgotten | None:
    """What the row does not keep any more and may have been such a send: nobody can tell, so all of it counts."""
    forgotten = method.sends_forgotten
    if forgotten is not None and rule.scope is Scope.INVOICE and forgotten.last_at < wish.first_at:
        return None
    return forgotten


def _cap(rule: NetworkRule, sends: Sequence[Send], forgotten: Forgotten | None, at: datetime) -> Verdict:
    """Room, or the instant at which enough of the sends have left the window."""
    limit = rule.limit
    assert limit is not None, "the test of the table demands a limit for a cap"
    if rule.window_seconds is None:
        used = _used(rule, sends)
        if forgotten is not None or used >= limit:
            return Verdict(rule, NEVER_AT, None, f"{rule.sentence}; there have been {_many(used, forgotten)}")
        return Verdict(rule, None, limit - used - 1, f"{rule.sentence}; there have been {used}")
    window = _window(rule)
    used = _used_in(rule, sends, forgotten, window, at)
    why = f"{rule.sentence}; there have been {used}"
    if used < limit:
        return Verdict(rule, None, limit - used - 1, why)
    leaving = sorted({send.at + window for send in sends} | ({forgotten.last_at + window} if forgotten else set()))
    until_at = next(end for end in leaving if end > at and _used_in(rule, sends, forgotten, window, end) < limit)
    return Verdict(rule, until_at, None, why)


def _many(used: int, forgotten: Forgotten | None) -> str:
    """A count in words; what was forgotten makes it a least one."""
    return f"{used}" if forgotten is None else f"{used} and perhaps {forgotten.count} more"


def _used_in(
    rule: NetworkRule, sends: Sequence[Send], forgotten: Forgotten | None, window: timedelta, at: datetime
) -> int:
    """How much of a cap is used in the window that ends at an instant: a send that is exactly as old as the window has left it."""
    inside = [send for send in sends if send.at > at - window]
    if forgotten is not None and forgotten.last_at > at - window:
        return len(inside) + forgotten.count
    return _used(rule, inside)


def _used(rule: NetworkRule, sends: Sequence[Send]) -> int:
    """How many count: the first charge of a transaction is no retry, but any other in its window is one to the network."""
    begins = bool(sends) and rule.counted is Counted.RETRIES and sends[0].attempt_number == 0
    return len(sends) - 1 if begins else len(sends)


def _ban(rule: NetworkRule, sends: Sequence[Send], forgotten: Forgotten | None, at: datetime) -> Verdict:
    """Nothing after an answer of that kind, or after one that is forgotten and may have been."""
    ends = [send.at for send in sends if rule.names(send.code, send.advice, send.reason)]
    if forgotten is not None:
        ends.append(forgotten.last_at)
    if not ends:
        return Verdict(rule, None, None, rule.sentence)
    until_at = NEVER_AT if rule.window_seconds is None else max(ends) + _window(rule)
    return Verdict(rule, until_at if until_at > at else None, None, rule.sentence)


def _only_after(rule: NetworkRule, wish: Wish, sends: Sequence[Send]) -> Verdict:
    """Nothing, unless the newest answer is one that the rule names."""
    known = [send for send in sends if send.code is not None or send.reason is not None]
    answer = (known[-1].code, known[-1].advice, known[-1].reason) if known else (None, None, wish.after_reason)
    named = rule.names(*answer)
    return Verdict(rule, None if named else NEVER_AT, None, rule.sentence)


def _next_hour(rule: NetworkRule, at: datetime) -> datetime | None:
    """The next instant inside the hours of the rule, or None where `at` is inside."""
    assert rule.timezone is not None, "the test of the table demands a time zone for hours"
    local = at.astimezone(zone(rule.timezone))
    minute = local.hour * 60 + local.minute
    if any(start <= minute < end for start, end in rule.hours):
        return None
    today = local_day(at, rule.timezone)
    starts = (
        local_instant(day, start // 60, start % 60, rule.timezone)
        for day in (today, today + timedelta(days=1))
        for start, _ in rule.hours
    )
    return min(start for start in starts if start > at)
