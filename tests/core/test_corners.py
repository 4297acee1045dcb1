"""Corners that no story passes by: repeats, absent rows, news that comes too late to matter."""

import pytest

from dunr.core.answers import Declined, Paid
from dunr.core.decide import decide
from dunr.core.effects import Charge, Notice
from dunr.core.events import (
    AttemptNotFound,
    AttemptReturned,
    AttemptSettled,
    ChargeFailed,
    DisputeOpened,
    Event,
    ForeignDecline,
    MethodUpdated,
    PaidElsewhere,
    RunEnded,
    TimerFired,
)
from dunr.core.facts import ProcessorFacts
from dunr.core.gate import closed_because, ref_of
from dunr.core.model import CardRun, Plan
from dunr.core.notices import of_next_step
from dunr.core.policy import Policy
from dunr.core.reconcile import events_from
from dunr.core.snapshot import ChargeSnapshot, DisputeSnapshot, RawDecline
from dunr.core.terms import ChargeStatus, DisputeStatus
from dunr.core.value import replace
from dunr.testing.scenario_processor import card
from dunr.testing.scenario_world import World
from tests.core.world import facts, story, utc

FIRST = "2026-06-23 10:00  first charge fails: insufficient_funds, 4900 usd\n notice first\n"
SENT = FIRST + "2026-06-24 09:00  step 1 sent\n"


def said(world: World, event: Event) -> str:
    """Decide and commit; the reasons."""
    return "; ".join(world.decide("in_1", event, world.snapshot("in_1")).because)


def test_a_repeat_is_a_repeat() -> None:
    world = story(SENT + "2026-06-24 09:01  paid\n notice receipt\n")
    ours = world.invoice("in_1").charges[-1]
    no = replace(ours, processor_charge_id="ch_no", status=ChargeStatus.DECLINED)
    assert "is known: a repeat" in said(world, PaidElsewhere(ours, 4900))
    said(world, ForeignDecline(no))
    assert "is known: a repeat" in said(world, ForeignDecline(no))
    dispute = DisputeSnapshot("dp_1", ours.processor_charge_id, "in_1", "card_1", 4900, DisputeStatus.OPEN)
    said(world, DisputeOpened(dispute))
    assert "is known: a repeat" in said(world, DisputeOpened(dispute))
    back = replace(ours, status=ChargeStatus.RETURNED)
    said(world, AttemptReturned(back))
    assert "is known: a repeat" in said(world, AttemptReturned(back))
    assert "is open already" in said(world, ChargeFailed())


def test_without_a_snapshot_nothing_is_said_to_have_happened() -> None:
    assert not list(events_from(story(FIRST).dossier("in_1", None)))


def test_a_timer_that_fires_when_the_card_has_gone_waits() -> None:
    world = story(FIRST)
    world.methods, world.now = [], utc("2026-06-24 09:00")
    assert "no payment method" in said(world, TimerFired(1))


def test_a_card_that_is_not_the_default_any_more_is_not_charged() -> None:
    world = story(FIRST)
    world.methods = [card("card_1"), card("card_old")]
    decision = world.decide("in_1", MethodUpdated(ref_of(card("card_old"))), world.snapshot("in_1"))
    assert not any(isinstance(effect, Charge) for effect in decision.effects)
    assert any("another payment method is the default now" in why for why in decision.because)


def test_a_return_that_is_our_own_fault_asks_the_customer_nothing() -> None:
    world = story(
        SENT + "2026-06-24 09:01  paid\n notice receipt\n2026-06-25 09:00  ch_a1_in_1 returned invalid_amount\n"
        " state awaiting_customer; no notice; alert payment_returned\n"
    )
    assert world.outbox == []


def test_receipts_can_be_off_or_the_processor_s_own() -> None:
    story("policy receipts=no\n" + SENT + "2026-06-24 09:01  paid\n no notice; state recovered\n")
    world = story(SENT)
    own = replace(facts(), processors={"sandbox": ProcessorFacts(sends_receipts=True)})
    dossier = world.dossier("in_1", world.snapshot("in_1"))
    paid = AttemptSettled(1, Paid("ch_1", 4900, world.now))
    assert any(isinstance(one, Notice) for one in decide(dossier, paid, facts(), world.now).recorded_effects)
    assert not any(isinstance(one, Notice) for one in decide(dossier, paid, own, world.now).recorded_effects)


def test_the_end_of_another_run_leaves_a_newer_card_waiting() -> None:
    world = story(SENT + "2026-06-24 09:01  new card card_2\n waiting card card_2\n")
    dossier = world.dossier("in_1", world.snapshot("in_1"))
    assert dossier.customer is not None
    run = CardRun(card("card_2").credential, ("sandbox:main:in_1",))
    going_on = replace(dossier, customer=replace(dossier.customer, run=run))
    decision = decide(going_on, RunEnded(), facts(), world.now)
    assert decision.case is None or decision.case.waiting_method is not None
    stopped = replace(dossier, customer=replace(dossier.customer, run=replace(run, stopped=True)))
    decision = decide(stopped, RunEnded(), facts(), world.now)
    assert decision.case is not None
    assert decision.case.waiting_method is None


def test_a_warning_that_was_due_and_never_left_is_given_before_a_deadline_in_the_middle() -> None:
    story("""
    policy deadline_days=5 steps=1d,6d,3d
    2026-06-23 10:00  mail is stopped; first charge fails: insufficient_funds, 4900 usd
                      pause 2026-06-28 10:00
    2026-06-24 10:00  step 1 sent; declined insufficient_funds
                      next 2026-06-30 10:00
    2026-06-28 10:00  nothing happens
                      access grace; pause 2026-06-29 10:00; no notice
    2026-06-28 12:00  nothing is stopped
                      notice reminder
    2026-06-29 12:00  nothing happens
                      access grace; notice final_warning
    2026-06-30 08:00  nothing happens
                      access paused; notice paused
    """)


def test_a_dead_card_that_is_not_the_default_stops_no_row_of_another() -> None:
    world = story("2026-06-23 09:00  new card card_2\n")
    charge = ChargeSnapshot(
        "ch_1", None, 4900, ChargeStatus.DECLINED, world.now, RawDecline(None, "stolen_card"), "card_1"
    )
    world.show("in_1", first_failed_at=world.now)
    world.invoice("in_1").charges.append(charge)
    decision = world.decide("in_1", ChargeFailed(), world.snapshot("in_1"))
    assert decision.method is None


def test_late_money_by_a_card_that_was_replaced() -> None:
    story(
        SENT
        + """
    2026-06-24 09:01  declined insufficient_funds
                      notice reminder
    2026-06-24 10:00  new card card_2; new card sent; declined insufficient_funds
    2026-06-24 11:00  attempt 1 paid
                      state recovered; alert late_money; notice receipt
    """
    )


def test_what_is_known_of_the_payer_follows_the_snapshot() -> None:
    world = story(FIRST)
    assert world.customer is not None
    world.customer = replace(world.customer, email="new@example.test", timezone="Asia/Tokyo")
    world.run_until(utc("2026-06-24 09:00"))
    customer = world.dossier("in_1", None).customer
    assert customer is not None
    assert (customer.payer.email, customer.payer.timezone) == ("new@example.test", "Asia/Tokyo")


def test_an_invoice_that_is_open_again_after_a_return_can_be_paid_in_cash() -> None:
    story("""
    2026-06-23 10:00  first charge fails: insufficient_funds, 4900 usd
                      notice first
    2026-06-24 09:00  step 1 sent; paid
                      notice receipt
    2026-06-30 10:00  ch_a1_in_1 returned insufficient_funds (unseen); marked as paid
                      state scheduled; due 4900; alert payment_returned; notice first
    2026-06-30 11:00  4900 more is due
    2026-07-01 09:00  step 1 sent; declined insufficient_funds
                      notice reminder
    2026-07-01 12:00  marked as paid
                      state recovered; due 0
    """)


def test_the_first_of_a_run_that_ends_otherwise_gives_its_turn_on() -> None:
    story("""
    2026-06-22 10:00  first charge fails: stolen_card, 1000 usd
                      notice method_needed
    2026-06-22 10:01  in_2: subscription sub_b
    2026-06-22 10:02  in_2: first charge fails: stolen_card, 2000 usd
                      in_2: notice method_needed
    2026-06-23 08:00  new card card_2; new card sent; pending
                      in_2: waiting card card_2
    2026-06-23 09:00  voided
                      state closed because voided; in_2: call left
    2026-06-23 09:01  in_2: paid
                      in_2: notice receipt
    """)


def test_a_case_whose_decline_was_never_known_is_treated_with_caution() -> None:
    world = story(FIRST)
    case = world.case("in_1")
    assert case is not None
    world.rows[case.id] = replace(case, deciding_reason=None)
    world.run_until(utc("2026-06-24 09:00"))
    answer = Declined("ch_1", RawDecline(None, "brand_new_code"), world.now)
    assert "exhausted" in said(world, AttemptSettled(1, answer))


def test_a_part_that_was_booked_as_somebody_else_s_and_is_ours() -> None:
    world = story(SENT)
    foreign = ChargeSnapshot("ch_77", None, 1900, ChargeStatus.SUCCEEDED, world.now)
    said(world, PaidElsewhere(foreign, 1900))
    assert "is booked already" in said(world, AttemptSettled(1, Paid("ch_77", 1900, world.now)))
    case = world.case("in_1")
    assert case is not None
    assert (case.amount_due_minor, case.overpaid_minor, case.steps_spent_count) == (3000, 0, 1)


def test_calls_of_one_attempt_are_bounded() -> None:
    world = story(SENT + "2026-06-24 09:00:30  no answer\n")
    case = world.case("in_1")
    assert case is not None
    often = replace(case.attempts[-1], call_count=20)
    world.rows[case.id] = replace(case, attempts=(*case.attempts[:-1], often))
    assert "and not sent again before" in said(world, AttemptNotFound(1))


def test_the_gate_is_closed_for_an_older_look() -> None:
    world = story(FIRST)
    case, snapshot = world.case("in_1"), world.snapshot("in_1")
    assert case is not None
    older = replace(snapshot, taken_at=utc("2026-06-23 09:00"))
    reasons = closed_because(case, 4900, "usd", ref_of(card("card_1")), older, None, world.stops)
    assert reasons == ("what was read is older than what the case knows",)
    assert not list(events_from(replace(world.dossier("in_1", older))))


def test_there_is_no_notice_of_a_step_that_is_not_planned() -> None:
    world = story(FIRST)
    case = world.case("in_1")
    assert case is not None
    bare = replace(case, plan=Plan())
    assert of_next_step(bare, Policy(), facts(), world.now, warns=True) is None


@pytest.mark.parametrize(
    ("status", "outcome"),
    [(ChargeStatus.DECLINED, "declined"), (ChargeStatus.PENDING, "pending"), (ChargeStatus.SUCCEEDED, "succeeded")],
)
def test_the_webhook_of_our_own_charge_settles_its_attempt(status: ChargeStatus, outcome: str) -> None:
    world = story(SENT)
    charge = ChargeSnapshot("ch_1", "dunr-in_1-a1", 4900, status, world.now)
    world.invoice("in_1").charges.append(charge)
    for _ in range(2):
        world.read("in_1")
        case = world.case("in_1")
        assert case is not None
        assert case.attempts[-1].outcome == outcome


def test_a_case_whose_turn_it_is_is_asked_whatever_it_knows() -> None:
    world = story(FIRST)
    dossier = world.dossier("in_1", world.snapshot("in_1"))
    assert dossier.customer is not None
    run = CardRun(card("card_1").credential, ("sandbox:main:in_1",))
    mine = replace(dossier, customer=replace(dossier.customer, run=run))
    assert list(events_from(mine)) == [MethodUpdated(ref_of(card("card_1")))]


def test_attempts_that_are_kept_are_the_first_and_the_newest() -> None:
    policy = Policy(customer_attempts_max=100, card_attempts_24h_max=1000, card_attempts_30d_max=1000)
    clicks = "".join(
        f"2026-06-23 10:{n:02}  payer clicks pay now; attempt {n} sent; declined do_not_honor\n" for n in range(1, 60)
    )
    world = story("2026-06-23 09:00  the card is amex\n" + FIRST + clicks, policy)
    case = world.case("in_1")
    assert case is not None
    assert [attempt.number for attempt in case.attempts] == [0, *range(11, 60)]
    assert case.attempt_number_last == 59
