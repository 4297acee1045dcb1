"""Small rules by table: declines, rungs, keys, caps, the gate, verdicts, mail times."""

from dataclasses import replace
from datetime import timedelta

import pytest

from dunr.core import budget, keys
from dunr.core.access import verdict
from dunr.core.declines import classify, raw_code
from dunr.core.gate import closed_because, ref_of
from dunr.core.model import Attempt, CaseShare, Method, Payer, Send, Subscription
from dunr.core.notices import as_it_leaves, mail_time, must_be_told_again
from dunr.core.policy import BUSINESS_LADDER, Policy, ReasonRule, Step, policy_hash
from dunr.core.schedule import forecast, pause_date, rungs
from dunr.core.snapshot import ChargeSnapshot, DisputeSnapshot, RawDecline
from dunr.core.terms import (
    SPENDS_NO_STEP,
    SPENDS_STEP,
    Access,
    AlertKind,
    CaseState,
    ChargeStatus,
    DeclineReason,
    DisputeStatus,
    FinalAction,
    InvoiceStatus,
    NoticeKind,
    Outcome,
    Rail,
    StepUnit,
    SubscriptionStatus,
    Trigger,
)
from dunr.testing.scenario_processor import card
from dunr.testing.scenario_world import World
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
        (RawDecline("card_declined", "brand_new"), R.GENERIC_DECLINE),
        (RawDecline("brand_new", "brand_new"), R.UNKNOWN),
        (RawDecline(None), R.UNKNOWN),
    ],
)
def test_the_strictest_signal_wins(raw: RawDecline, reason: DeclineReason) -> None:
    assert classify(raw, "sandbox", facts()) is reason


def test_a_code_of_another_processor_means_nothing_here() -> None:
    assert classify(RawDecline(None, "insufficient_funds"), "nobody", facts()) is R.UNKNOWN


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
        (R.INSUFFICIENT_FUNDS, ReasonRule(4, tuple(Step(n, StepUnit.DAYS) for n in (3, 5, 7, 7)))),
        (
            R.ISSUER_UNAVAILABLE,
            ReasonRule(3, (Step(29, StepUnit.MINUTES), Step(12, StepUnit.HOURS), Step(2, StepUnit.DAYS))),
        ),
        (R.DO_NOT_HONOR, ReasonRule(2, tuple(Step(n, StepUnit.DAYS) for n in (1, 3, 5)))),
        (R.UNKNOWN, ReasonRule(1, tuple(Step(n, StepUnit.DAYS) for n in (1, 3, 5)))),
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


def test_each_trigger_spends_a_step_or_does_not() -> None:
    assert set(Trigger) == SPENDS_STEP | SPENDS_NO_STEP
    assert not SPENDS_STEP & SPENDS_NO_STEP
    assert set(facts().reasons) == set(DeclineReason)


# --- caps -----------------------------------------------------------------------------------------------------------------


def sends(*hours: float, trigger: Trigger = Trigger.TIMER, outcome: Outcome | None = Outcome.DECLINED) -> Method:
    noon = utc("2026-06-23 12:00")
    made = tuple(Send(noon + timedelta(hours=hour), trigger, "c", n, outcome) for n, hour in enumerate(hours))
    return Method("m", 1, sends=made)


@pytest.mark.parametrize(
    ("method", "policy", "until"),
    [
        (None, Policy(), None),
        (sends(-1), Policy(card_attempts_24h_max=2), None),
        (sends(-2, -1), Policy(card_attempts_24h_max=2), "2026-06-24 10:00"),
        (sends(-1, -2), Policy(card_attempts_24h_max=2), "2026-06-24 10:00"),
        (sends(-3, -2, -1), Policy(card_attempts_24h_max=2), "2026-06-24 10:00"),
        (sends(-24, -1), Policy(card_attempts_24h_max=2), None),
        (sends(-2, -1, outcome=Outcome.WITHDRAWN), Policy(card_attempts_24h_max=2), None),
        (sends(-2, -1, outcome=Outcome.REFUSED), Policy(card_attempts_24h_max=2), None),
        (sends(-2, -1, outcome=None), Policy(card_attempts_24h_max=2), "2026-06-24 10:00"),
        (sends(-300, -200, -1), Policy(card_attempts_30d_max=3), "2026-07-11 00:00"),
        (sends(-3, -2, -1), Policy(card_attempts_30d_max=3, card_attempts_24h_max=1), "2026-07-23 09:00"),
        (sends(-300, -1), Policy(card_attempts_30d_max=2, card_attempts_24h_max=1), "2026-07-11 00:00"),
    ],
)
def test_when_a_card_has_room_again(method: Method | None, policy: Policy, until: str | None) -> None:
    deferral = budget.deferred_until(method, policy, utc("2026-06-23 12:00"))
    assert (deferral[0] if deferral else None) == (utc(until) if until else None)


def test_the_longer_wait_wins() -> None:
    # The month's ceiling frees earlier than the day's.
    method = sends(-719, -1, -0.5)
    deferral = budget.deferred_until(
        method, Policy(card_attempts_24h_max=2, card_attempts_30d_max=3), utc("2026-06-23 12:00")
    )
    assert deferral is not None
    assert deferral[0] == utc("2026-06-24 11:00")


def test_clicks_are_counted_apart() -> None:
    now, policy = utc("2026-06-23 12:00"), Policy(customer_attempts_max=2)
    assert budget.customer_has_room(None, policy, now)
    assert budget.customer_has_room(sends(-3, -2, -1), policy, now)
    assert not budget.customer_has_room(sends(-2, -1, trigger=Trigger.CUSTOMER), policy, now)
    assert budget.customer_has_room(sends(-25, -1, trigger=Trigger.CUSTOMER), policy, now)


# --- the gate -------------------------------------------------------------------------------------------------------------


def gate(change: str, world: World | None = None) -> str:
    """What the gate says about 4900 usd by card_1 after a change of the world."""
    world = world or story(FIRST)
    stopped: Method | None = None
    disputed = DisputeSnapshot("dp", "ch", None, "card_1", 1, DisputeStatus.OPEN)
    own = ChargeSnapshot("ch_own", "dunr-in_1-a1", 4900, ChargeStatus.PENDING, world.now)
    match change:
        case "void" | "paid":
            world.show("in_1", status=InvoiceStatus(change))
        case "amount":
            world.show("in_1", amount_due_minor=4800)
        case "currency":
            world.show("in_1", currency="eur")
        case "least":
            world.show("in_1", minimum_minor=5000)
        case "customer":
            world.customer = None
        case "ended":
            world.subscriptions["sub_1"] = SubscriptionStatus.ENDED
        case "no card":
            world.methods = []
        case "other expiry":
            world.methods = [card("card_1", expires_on="2031-01")]
        case "disputed card":
            world.disputes = [disputed]
        case "disputed invoice":
            world.disputes = [replace(disputed, card_key="card_9", processor_invoice_id="in_1")]
        case "lost":
            world.disputes = [replace(disputed, status=DisputeStatus.LOST)]
        case "won":
            world.disputes = [replace(disputed, status=DisputeStatus.WON)]
        case "stopped":
            stopped = Method("m", 1, stop=R.LOST_OR_STOLEN, stopped_credential=card("card_1").credential)
        case "stopped before":
            stopped = Method("m", 1, stop=R.LOST_OR_STOLEN, stopped_credential="card_1/2020-01")
        case "pending":
            world.invoice("in_1").charges.append(own)
        case _:
            assert change == "nothing"
    case, snapshot = world.case("in_1"), world.snapshot("in_1")
    assert case is not None
    reasons = closed_because(case, 4900, "usd", ref_of(card("card_1")), snapshot, stopped, world.stops)
    return "; ".join(reasons)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ("nothing", ""),
        ("won", ""),
        ("stopped before", ""),
        ("void", "the invoice is void at the processor"),
        ("paid", "the invoice is paid at the processor"),
        ("amount", "4800 usd is due, not 4900 usd"),
        ("currency", "4900 eur is due, not 4900 usd"),
        ("least", "the amount is below what the processor charges"),
        ("customer", "the customer is gone"),
        ("ended", "the subscription has ended"),
        ("no card", "the payment method is not on file any more, or has changed"),
        ("other expiry", "the payment method is not on file any more, or has changed"),
        ("disputed card", "a payment by this card, or of this invoice, is disputed"),
        ("disputed invoice", "a payment by this card, or of this invoice, is disputed"),
        ("lost", "a payment by this card, or of this invoice, is disputed"),
        ("stopped", "this credential was stopped by the issuer"),
        ("pending", "a charge is pending"),
    ],
)
def test_the_gate_says_why_it_is_closed(change: str, reason: str) -> None:
    assert gate(change) == reason


def test_the_gate_is_closed_for_a_case_that_is_over_or_held() -> None:
    assert gate("nothing", story(FIRST + "2026-06-23 11:00  operator closes\n")) == "the case is closed"
    assert gate("nothing", story(FIRST + "2026-06-23 11:00  operator holds\n")) == "held: asked by phone"
    assert gate("nothing", story(FIRST + "2026-06-23 11:00  charges are stopped\n")) == "the brake is on"


# --- access ---------------------------------------------------------------------------------------------------------------


def test_an_entitlement_check_is_open_in_doubt() -> None:
    now = utc("2026-06-23 12:00")
    unknown = verdict(None, now)
    assert (unknown.access, unknown.known, unknown.valid_until - now) == (Access.GRANTED, False, timedelta(hours=24))
    paused = Subscription("s", 1, SubscriptionStatus.PAST_DUE, None, now, access=Access.PAUSED, access_version=3)
    told = verdict(paused, now)
    assert (told.version, told.valid_until - now) == (3, timedelta(seconds=60))
    assert verdict(replace(paused, access=Access.ENDED), now).valid_until - now == timedelta(hours=24)


def test_a_share_is_open_by_its_state() -> None:
    share = CaseShare("c", CaseState.EXHAUSTED, Access.GRACE, None, FinalAction.PAUSE)
    assert share.access is Access.GRACE


# --- mail -----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("now", "zone", "at"),
    [
        ("2026-06-23 10:00", None, "2026-06-23 10:00"),
        ("2026-06-23 07:59", None, "2026-06-23 08:00"),
        ("2026-06-23 20:00", None, "2026-06-24 08:00"),
        ("2026-06-26 20:00", None, "2026-06-29 08:00"),
        ("2026-06-27 07:00", None, "2026-06-29 08:00"),
        ("2026-06-28 12:00", None, "2026-06-29 08:00"),
        ("2026-06-23 10:00", "America/Los_Angeles", "2026-06-23 15:00"),
        ("2026-06-26 23:30", "Australia/Sydney", "2026-06-28 22:00"),
        ("2026-12-25 10:00", "Europe/London", "2026-12-29 08:00"),  # two holidays and a weekend
    ],
)
def test_mails_leave_in_the_payer_s_daytime_on_business_days(now: str, zone: str | None, at: str) -> None:
    assert mail_time(utc(now), Payer(timezone=zone), Policy(calendar="GB"), facts()) == utc(at)


def test_a_notice_is_true_when_it_leaves_or_stays() -> None:
    world = story("2026-06-26 23:30  first charge fails: insufficient_funds, 4900 usd\n")
    notice, case = world.outbox[0], world.case("in_1")
    assert case is not None
    assert as_it_leaves(case, notice) == notice
    assert as_it_leaves(None, notice) is None
    assert as_it_leaves(replace(case, round=2), notice) is None
    assert as_it_leaves(replace(case, state=CaseState.RECOVERED), notice) is None
    assert not must_be_told_again(case)


def test_an_attempt_names_its_rail() -> None:
    ref = ref_of(card("bank", rail=Rail.SEPA))
    assert (ref.rail, ref.credential) == (Rail.SEPA, "bank/2030-12")
    assert Attempt.__dataclass_fields__["taken_over"].default is False
