"""What a card's row writes down of an attempt: enough for every rule to count by, and whether a network has seen it at all."""

import pytest

from dunr.core.attempt import MethodRef
from dunr.core.decide.remembering import answered, remember, send_of_charge
from dunr.core.model import Method
from dunr.core.sends import FOREIGN
from dunr.core.snapshot import ChargeSnapshot, RawDecline
from dunr.core.terms import ChargeStatus, DeclineReason, Rail, Trigger
from tests.core.cards import ask, said, send
from tests.core.world import facts, story, utc

CARD = MethodRef("pm_1", "fp_1", "fp_1/2030-12", Rail.CARD, "mastercard")
FIRST = "2026-06-23 10:00  first charge fails: insufficient_funds, 4900 usd\n notice first\n"


def test_the_network_s_own_answer_is_kept_beside_its_meaning() -> None:
    raw = RawDecline("card_declined", "do_not_honor", network_decline_code="05", network_advice_code="03")
    kept = answered(send("2026-06-23 10:00"), raw, CARD, "sandbox", facts())
    assert (kept.code, kept.advice, kept.reason) == ("05", "03", DeclineReason.DO_NOT_RETRY)
    assert kept.reached_network


@pytest.mark.parametrize(
    ("processor", "raw"),
    [
        ("stripe", RawDecline("card_declined", outcome_reason="previously_declined_do_not_retry")),
        ("stripe", RawDecline("card_declined", outcome_reason="highest_risk_level")),
        ("adyen", RawDecline("46")),
        ("braintree", RawDecline("excessive_retry")),
    ],
)
def test_what_the_processor_stopped_itself_costs_no_room(processor: str, raw: RawDecline) -> None:
    kept = answered(send("2026-06-23 10:00"), raw, CARD, processor, facts())
    assert not kept.counts
    assert said(ask("2026-06-23 11:00", kept, network="mastercard")) == "9 left by mastercard-10-in-24-hours"


def test_a_foreign_charge_counts_with_what_is_known_of_it() -> None:
    world = story(FIRST)
    case = world.case("in_1")
    assert case is not None
    charge = ChargeSnapshot("ch_9", None, 700, ChargeStatus.DECLINED, utc("2026-06-23 10:30"))
    bare = send_of_charge(case, charge, FOREIGN, None, facts())
    assert (bare.trigger, bare.amount_minor, bare.currency) == (Trigger.PROCESSOR, 700, "usd")
    assert (bare.credential, bare.network, bare.reason) == (None, None, None)
    row = remember(Method("m", 1), [bare])
    assert row.sends == (bare,)


def test_the_first_charge_is_on_the_row_with_its_amount() -> None:
    row = story("2026-06-23 09:00  the card is visa\n" + FIRST).rows["card/sandbox:main:card_1"]
    assert isinstance(row, Method)
    (first,) = row.sends
    assert (first.attempt_number, first.amount_minor, first.currency, first.network) == (0, 4900, "usd", "visa")
    assert first.reason is DeclineReason.INSUFFICIENT_FUNDS


def test_a_debit_that_comes_back_is_a_presentation_that_failed() -> None:
    world = story(
        "2026-06-23 09:00  the card is nacha on ach\n"
        + FIRST
        + """
    2026-06-24 09:00  step 1 sent; paid as ch_1
                      state recovered; notice receipt
    2026-06-26 09:00  ch_1 returned R01
                      alert payment_returned; state scheduled; round 2
                      notice first
    """
    )
    row = world.rows["card/sandbox:main:card_1"]
    assert isinstance(row, Method)
    assert [(one.attempt_number, one.code, one.outcome) for one in row.sends][1:] == [(1, "R01", "declined")]
