"""Small rules by table: declines, rungs, keys, caps, the gate, verdicts, mail times."""

from datetime import timedelta

import pytest

from dunr.core import keys
from dunr.core.declines import classify, raw_code
from dunr.core.policy import BUSINESS_LADDER, Policy, ReasonRule, Step, policy_hash
from dunr.core.schedule import forecast, pause_date
from dunr.core.snapshot import RawDecline
from dunr.core.strategies import rungs
from dunr.core.terms import (
    AlertKind,
    DeclineReason,
    NoticeKind,
    StepUnit,
)
from tests.core.world import facts, story, utc

R = DeclineReason
FIRST = "2026-06-23 10:00  first charge fails: insufficient_funds, 4900 usd\n notice first\n"


# --- declines -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        (RawDecline(None, "insufficient_funds"), R.INSUFFICIENT_FUNDS),
        (RawDecline("card_declined", "insufficient_funds"), R.INSUFFICIENT_FUNDS),
        (RawDecline("card_declined", "do_not_honor"), R.DO_NOT_HONOR),
        (RawDecline("card_declined", "stolen_card"), R.LOST_OR_STOLEN),
        (RawDecline("card_declined", "pickup_card"), R.LOST_OR_STOLEN),
        (RawDecline("expired_card"), R.EXPIRED_CARD),
        (RawDecline("card_declined", "issuer_not_available"), R.ISSUER_UNAVAILABLE),
        (RawDecline("authentication_required", "authentication_not_handled"), R.AUTHENTICATION_REQUIRED),
        (RawDecline("card_declined", "authentication_required"), R.AUTHENTICATION_REQUIRED),
        (RawDecline("card_declined", "insufficient_funds", advice_code="do_not_try_again"), R.DO_NOT_RETRY),
        (RawDecline("card_declined"), R.UNKNOWN),
        (RawDecline("card_declined", "brand_new"), R.UNKNOWN),
        (RawDecline("expired_card", "brand_new"), R.EXPIRED_CARD),
        (RawDecline("brand_new", "brand_new"), R.UNKNOWN),
        (RawDecline(None), R.UNKNOWN),
    ],
)
def test_the_strictest_signal_wins(raw: RawDecline, reason: DeclineReason) -> None:
    assert classify(raw, "sandbox", facts()).reason is reason


def test_a_code_of_another_processor_means_nothing_here() -> None:
    assert classify(RawDecline(None, "insufficient_funds"), "nobody", facts()).reason is R.UNKNOWN


@pytest.mark.parametrize(
    ("raw", "told"),
    [
        (RawDecline("a", "b"), "b"),
        (RawDecline("a"), "a"),
        (RawDecline(None, network_decline_code="51"), "51"),
        (RawDecline(None, outcome_reason="blocked"), "blocked"),
        (RawDecline(None), "none"),
    ],
)
def test_the_most_telling_code(raw: RawDecline, told: str) -> None:
    assert raw_code(raw) == told


BY_REASON = Policy(
    name="by_reason",
    reasons=(
        (R.INSUFFICIENT_FUNDS, ReasonRule(4, steps=tuple(Step(n, StepUnit.DAYS) for n in (3, 5, 7, 7)))),
        (
            R.ISSUER_UNAVAILABLE,
            ReasonRule(3, steps=(Step(29, StepUnit.MINUTES), Step(12, StepUnit.HOURS), Step(2, StepUnit.DAYS))),
        ),
        (R.DO_NOT_HONOR, ReasonRule(2, steps=tuple(Step(n, StepUnit.DAYS) for n in (1, 3, 5)))),
        (R.UNKNOWN, ReasonRule(1, steps=tuple(Step(n, StepUnit.DAYS) for n in (1, 3, 5)))),
    ),
)


@pytest.mark.parametrize(
    ("reason", "hours"),
    [
        (R.INSUFFICIENT_FUNDS, [72, 192, 360, 528]),
        (R.ISSUER_UNAVAILABLE, [29 / 60, 12 + 29 / 60, 60 + 29 / 60]),
        (R.DO_NOT_HONOR, [24, 96]),
        (R.LOST_OR_STOLEN, []),
        (R.INVALID_ACCOUNT, []),
        (R.UNKNOWN, [24]),
    ],
)
def test_document_004_s_rows(reason: DeclineReason, hours: list[float]) -> None:
    failed_at = utc("2026-06-23 10:00")
    planned = forecast(BY_REASON, facts(), reason, failed_at)
    assert [(step.at - failed_at) / timedelta(hours=1) for step in planned.steps] == hours


@pytest.mark.parametrize(
    ("reason", "spent", "on_reason", "ever", "numbers"),
    [
        (R.INSUFFICIENT_FUNDS, 0, 0, 0, [1, 2, 3, 4]),
        (R.INSUFFICIENT_FUNDS, 2, 2, 2, [3, 4]),
        (R.INSUFFICIENT_FUNDS, 2, 1, 2, [3, 4]),
        (R.INSUFFICIENT_FUNDS, 4, 4, 4, []),
        (R.INSUFFICIENT_FUNDS, 0, 0, 11, [1]),
        (R.INSUFFICIENT_FUNDS, 0, 0, 99, []),
        (R.UNKNOWN, 1, 0, 1, [2]),
        (R.UNKNOWN, 1, 1, 1, []),
        (R.EXPIRED_CARD, 0, 0, 0, []),
    ],
)
def test_rungs_that_are_left(reason: DeclineReason, spent: int, on_reason: int, ever: int, numbers: list[int]) -> None:
    assert [rung.number for rung in rungs(Policy(), facts(), reason, spent, on_reason, ever)] == numbers


def test_a_row_of_its_own_starts_its_own_ladder_where_its_reason_starts() -> None:
    left = rungs(BY_REASON, facts(), R.DO_NOT_HONOR, 2, 0, 2)
    assert [(rung.number, rung.step.after) for rung in left] == [(3, 1), (4, 3)]


@pytest.mark.parametrize(
    ("steps", "last_tried", "deadline", "policy", "at", "why"),
    [
        ((), None, None, Policy(), "2026-07-07 09:00", "the earliest day for a pause"),
        ((), "2026-07-07 09:00", None, Policy(), "2026-07-07 09:00", "which is also the earliest day"),
        ((), "2026-07-09 09:00", None, Policy(), "2026-07-09 09:00", "when the last step has failed"),
        ((), None, "2026-08-01 12:00", Policy(deadline_days=3), "2026-08-01 12:00", "an operator"),
        ((), None, None, Policy(deadline_days=3), "2026-06-26 10:00", "3 days after the first failure"),
        ((), None, None, Policy(deadline_days=150, timezone="Europe/Berlin"), "2026-11-20 11:00", "same local time"),
    ],
)
def test_the_pause_date(
    steps: tuple[()], last_tried: str | None, deadline: str | None, policy: Policy, at: str, why: str
) -> None:
    tried_at = utc(last_tried) if last_tried else None
    deadline_at = utc(deadline) if deadline else None
    got = pause_date(steps, tried_at, utc("2026-06-23 10:00"), deadline_at, policy, facts())
    assert got[0] == utc(at)
    assert why in "; ".join(got[1])


def test_each_date_says_why() -> None:
    step = forecast(Policy(calendar="GB"), facts(), R.INSUFFICIENT_FUNDS, utc("2026-12-24 10:00")).steps[0]
    assert step.why == (
        "1 business day after Thu 24 Dec 2026 (UTC)",
        "skips the weekend and holiday 25 Dec and holiday 26 Dec and holiday 28 Dec",
        "Tue 29 Dec 2026 at 09:00 UTC",
    )


# --- keys -----------------------------------------------------------------------------------------------------------------


def test_keys_are_built_from_ids_and_numbers() -> None:
    assert keys.charge("inv_8842", 3, 0) == "dunr-inv_8842-a3"
    assert keys.charge("inv_8842", 3, 2) == "dunr-inv_8842-a3e2"
    assert keys.case_id("stripe", "acct_1", "in_1") == keys.row_id("stripe", "acct_1", "in_1") == "stripe:acct_1:in_1"
    assert keys.notice("c", 2, NoticeKind.REMINDER, 3) == "notice/c/r2/reminder/3"
    assert keys.notice("c", 2, NoticeKind.PAUSED, None, "x") == "notice/c/r2/paused/0/x"
    assert keys.alert(AlertKind.OVERPAID, "c/ch") == "alert/overpaid/c/ch"
    assert keys.audit_hash("a", "b") != keys.audit_hash("ab")


def test_an_instant_is_written_as_the_chains_hold_it() -> None:
    begins_at = utc("2026-06-23 10:00")
    for at in (
        begins_at,
        begins_at + timedelta(seconds=7),
        begins_at + timedelta(microseconds=120_000),
        begins_at.replace(year=987),
    ):
        assert keys.instant(at) == at.isoformat()


def test_the_audit_chain_can_be_walked() -> None:
    world = story(FIRST + "2026-06-24 09:00  step 1 sent; paid\n notice receipt\n")
    case = world.case("in_1")
    assert case is not None
    previous = ""
    for number, entry in enumerate(world.audit, start=1):
        assert (entry.number, entry.previous_hash) == (number, previous)
        parts = (entry.case_id, str(entry.number), entry.at.isoformat(), entry.actor, entry.what, *entry.why)
        previous = entry.hash
        assert entry.hash == keys.audit_hash(entry.previous_hash, *parts)
    assert case.audit_head == previous


def test_a_policy_s_name_is_its_content() -> None:
    assert policy_hash(Policy()) == policy_hash(Policy(name="business_days"))
    assert policy_hash(Policy()) != policy_hash(Policy(at_minute=1))
    assert Policy(steps=BUSINESS_LADDER).rule(R.UNKNOWN) is None


def test_every_reason_has_its_facts() -> None:
    assert set(facts().reasons) == set(DeclineReason)
