"""How much room one rule leaves one wish, counted on the sends of a card.

A window rolls: a send that is exactly as old as the window has left it. Nothing that may have counted is left out: an unanswered call counts, and so does all
that the card's row has had to forget.
"""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from typing import assert_never

from dunr.core.calendar import local_day, local_instant, zone
from dunr.core.rules import Counted, Counter, NetworkRule, RuleKind, Scope
from dunr.core.sends import Forgotten, Initiator, Send
from dunr.core.terms import DeclineReason, Outcome, Rail
from dunr.core.value import Value

MORE_THAN_A_MONTH = timedelta(days=31)  # from the first of any month
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


def verdict(rule: NetworkRule, wish: Wish, sends: Sequence[Send], forgotten: Forgotten | None, at: datetime) -> Verdict:
    """What the rule says at an instant to a card with these sends, all of which count, the oldest first."""
    if rule.scope is Scope.INVOICE and forgotten is not None and forgotten.last_at < wish.first_at:
        forgotten = None  # older than the invoice, so none of it was for this one
    match rule.kind:
        case RuleKind.CAP:
            return _cap(rule, _counted(rule, wish, sends), forgotten, at)
        case RuleKind.BAN:
            named = [send for send in sends if rule.names(send.code, send.advice, send.reason)]
            return _ban(rule, _counted(rule, wish, named), forgotten, at)
        case RuleKind.ONLY_AFTER:
            return _only_after(rule, wish, _counted(rule, wish, sends))
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
    opens_at = first_at.replace(year=first_at.year + months // 12, month=months % 12 + 1, day=1)
    last_day = ((opens_at + MORE_THAN_A_MONTH).replace(day=1) - timedelta(days=1)).day
    return opens_at.replace(day=min(first_at.day, last_day))


def _counted(rule: NetworkRule, wish: Wish, sends: Sequence[Send]) -> Sequence[Send]:
    """The sends that the rule takes together with the wish. What is not known of one counts as if it were the same."""
    if not sends:
        return sends
    if rule.network is not None:
        sends = [send for send in sends if send.network is None or send.network == rule.network]
    if rule.counted is Counted.DECLINES:
        sends = [send for send in sends if send.outcome is not Outcome.SUCCEEDED]
    if rule.counter is not Counter.ANY:
        sends = [send for send in sends if send.may_be_by(wish.initiator)]
    match rule.scope:
        case Scope.CARD:
            return sends
        case Scope.CARD_AMOUNT:
            return _of_amount(wish, sends)
        case Scope.CREDENTIAL_AMOUNT:
            same = [send for send in sends if send.credential is None or send.credential == wish.credential]
            return _of_amount(wish, same)
        case Scope.INVOICE:
            return [send for send in sends if send.case_id == wish.case_id]
        case unreachable:
            assert_never(unreachable)


def _of_amount(wish: Wish, sends: Iterable[Send]) -> list[Send]:
    """Those of the same amount."""
    amount, currency = wish.amount_minor, wish.currency
    return [
        send
        for send in sends
        if send.amount_minor is None or (send.amount_minor == amount and send.currency == currency)
    ]


def _cap(rule: NetworkRule, sends: Sequence[Send], forgotten: Forgotten | None, at: datetime) -> Verdict:
    """Room, or the instant at which enough of the sends have left the window."""
    limit = rule.limit
    assert limit is not None, "the test of the table demands a limit for a cap"
    if rule.window_seconds is None:
        used = _used(rule, sends, 0)
        if forgotten is not None or used >= limit:
            return Verdict(rule, NEVER_AT, None, f"{rule.sentence}; there have been {_many(used, forgotten)}")
        return Verdict(rule, None, limit - used - 1, f"{rule.sentence}; there have been {used}")
    window = _window(rule)
    used = _used_at(rule, sends, forgotten, window, at)
    why = f"{rule.sentence}; there have been {used}"
    if used < limit:
        return Verdict(rule, None, limit - used - 1, why)
    ends = [send.at + window for send in sends if send.at > at - window]
    if forgotten is not None:
        ends = sorted((*ends, forgotten.last_at + window))
    until_at = next(end for end in ends if end > at and _used_at(rule, sends, forgotten, window, end) < limit)
    return Verdict(rule, until_at, None, why)


def _many(used: int, forgotten: Forgotten | None) -> str:
    """A count in words; what was forgotten makes it a least one."""
    return f"{used}" if forgotten is None else f"{used} and perhaps {forgotten.count} more"


def _used_at(
    rule: NetworkRule, sends: Sequence[Send], forgotten: Forgotten | None, window: timedelta, at: datetime
) -> int:
    """How much of a cap is used in the window that ends at an instant: a send that is exactly as old as the window has left it."""
    start_at = at - window
    gone = len([send for send in sends if send.at <= start_at])
    if forgotten is not None and forgotten.last_at > start_at:
        return len(sends) - gone + forgotten.count
    return _used(rule, sends, gone)


def _used(rule: NetworkRule, sends: Sequence[Send], gone: int) -> int:
    """How many of them count without the first ones: the first charge of a transaction is no retry, but any other in its window is one to the network."""
    left = len(sends) - gone
    begins = left > 0 and rule.counted is Counted.RETRIES and sends[gone].attempt_number == 0
    return left - 1 if begins else left


def begun(send: Send) -> datetime:
    """When a send was, for putting several in order."""
    return send.at


def _ban(rule: NetworkRule, sends: Iterable[Send], forgotten: Forgotten | None, at: datetime) -> Verdict:
    """Nothing after an answer of that kind, or after one that is forgotten and may have been."""
    ends = [send.at for send in sends]
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
