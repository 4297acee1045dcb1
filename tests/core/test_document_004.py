"""The three functions of the article on dunning that dunr goes by hold as written: policy rows, the fallback for unknown codes, and the delays, with nothing snapped."""

from datetime import datetime, timedelta

import pytest

from dunr.core.circumstances import Circumstances
from dunr.core.declines import classify
from dunr.core.policy import Policy, ReasonRule, Strategy
from dunr.core.schedule import lay
from dunr.core.snapshot import RawDecline
from dunr.core.strategies import rungs, strategy_for
from dunr.core.terms import DeclineKind, DeclineReason
from tests.core.world import facts, utc

R = DeclineReason

# The article's table. Its strategy `cancel` is what a policy's final action does here, and never without being told to.
ROWS = {
    R.INSUFFICIENT_FUNDS: ReasonRule(4, Strategy.FUNDS_AWARE),
    R.ISSUER_UNAVAILABLE: ReasonRule(3, Strategy.SHORT_BACKOFF),
    R.DO_NOT_HONOR: ReasonRule(2, Strategy.STANDARD),
    R.EXPIRED_CARD: ReasonRule(1, Strategy.REQUIRE_UPDATER),
    R.LOST_OR_STOLEN: ReasonRule(0, Strategy.NONE),
    R.INVALID_ACCOUNT: ReasonRule(0, Strategy.NONE),
    R.UNKNOWN: ReasonRule(1, Strategy.STANDARD),
}
POLICY = Policy(name="article", reasons=tuple(ROWS.items()), snap=False)

# The article's delays in days; 0.02 stands for 28.8 minutes.
BASE: dict[Strategy, list[float]] = {
    Strategy.FUNDS_AWARE: [3, 5, 7, 7],
    Strategy.SHORT_BACKOFF: [0.02, 0.5, 2],
    Strategy.STANDARD: [1, 3, 5],
}
INSTANTS = [utc("2026-06-23 10:00"), utc("2026-06-27 23:59"), utc("2026-12-31 00:00"), utc("2026-03-29 01:30")]


def next_retry_at(reason: DeclineReason, attempt: int, now: datetime) -> datetime | None:
    """What the article calls by this name: the next try after `attempt` of them, or None where the budget is spent."""
    coming = rungs(POLICY, facts(), reason, attempt, attempt, attempt)
    steps = lay(coming, now, Circumstances(POLICY, facts(), now)).steps
    return steps[0].at if steps else None


def as_the_article_has_it(reason: DeclineReason, attempt: int, now: datetime) -> datetime | None:
    rule = ROWS[reason]
    if attempt >= rule.steps_max:
        return None
    base = BASE[strategy_for(POLICY, reason)]
    return now + timedelta(days=base[min(attempt, len(base) - 1)])


@pytest.mark.parametrize("now", INSTANTS)
@pytest.mark.parametrize("attempt", range(7))
@pytest.mark.parametrize("reason", [reason for reason in ROWS if reason is not R.EXPIRED_CARD])
def test_next_retry_at(reason: DeclineReason, attempt: int, now: datetime) -> None:
    assert next_retry_at(reason, attempt, now) == as_the_article_has_it(reason, attempt, now)


@pytest.mark.parametrize("attempt", range(6))
def test_a_longer_budget_repeats_the_last_delay(attempt: int) -> None:
    longer = Policy(reasons=((R.DO_NOT_HONOR, ReasonRule(6, Strategy.STANDARD)),), snap=False)
    now = INSTANTS[0]
    coming = rungs(longer, facts(), R.DO_NOT_HONOR, attempt, attempt, attempt)
    at = lay(coming, now, Circumstances(longer, facts(), now)).steps[0].at
    assert at == now + timedelta(days=BASE[Strategy.STANDARD][min(attempt, 2)])


@pytest.mark.parametrize(
    ("code", "reason", "kind"),
    [
        ("insufficient_funds", R.INSUFFICIENT_FUNDS, DeclineKind.SOFT),
        ("issuer_not_available", R.ISSUER_UNAVAILABLE, DeclineKind.SOFT),
        ("do_not_honor", R.DO_NOT_HONOR, DeclineKind.SOFT),
        ("expired_card", R.EXPIRED_CARD, DeclineKind.ACTION),  # the article says soft, and updates it before a try
        ("stolen_card", R.LOST_OR_STOLEN, DeclineKind.HARD),
        ("invalid_account", R.INVALID_ACCOUNT, DeclineKind.HARD),
        ("a_code_of_tomorrow", R.UNKNOWN, DeclineKind.SOFT),
    ],
)
def test_classify(code: str, reason: DeclineReason, kind: DeclineKind) -> None:
    meant = classify(RawDecline("card_declined", code), "sandbox", facts())
    assert meant.reason is reason
    assert facts().reasons[reason].kind is kind


def test_an_unknown_code_gets_one_try_and_never_a_cancellation() -> None:
    now = INSTANTS[0]
    assert next_retry_at(R.UNKNOWN, 0, now) == now + timedelta(days=1)
    assert next_retry_at(R.UNKNOWN, 1, now) is None
    assert facts().reasons[R.UNKNOWN].kind is DeclineKind.SOFT


def test_an_expired_card_is_updated_first_and_then_tried_once() -> None:
    assert strategy_for(POLICY, R.EXPIRED_CARD) is Strategy.REQUIRE_UPDATER
    assert len(rungs(POLICY, facts(), R.EXPIRED_CARD, 0, 0, 0)) == 1
    assert rungs(POLICY, facts(), R.EXPIRED_CARD, 1, 1, 1) == ()
