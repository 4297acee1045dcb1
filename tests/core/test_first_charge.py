"""A first charge of our own: a renewal, or a charge that the merchant left to us. It is attempt 0, and a case like any other begins where it fails."""

from dunr.core.charge_ends import charge_end
from dunr.core.decide import decide
from dunr.core.decision import Stops
from dunr.core.events import ChargeDue, TimerFired
from dunr.core.terms import ChargeEnd
from dunr.core.value import replace
from tests.core.world import facts, story

DUE = """
    2026-06-23 10:00  charge falls due: 4900 usd
                      call left; attempt 0 None, key dunr-in_1-a0, amount 4900; access granted; steps used 0
"""


def test_a_charge_that_is_paid_at_once_recovers_nothing_and_writes_to_nobody() -> None:
    story(
        DUE
        + """
    2026-06-23 10:00:02  paid
                      state recovered; told of charge CHARGE_PAID; booked opened 4900, charged 4900; access granted; notice receipt
    2026-08-01 10:00  nothing happens
                      attempts 0
    """
    )


def test_a_charge_that_fails_opens_the_dunning_that_any_failure_opens() -> None:
    story(
        DUE
        + """
    2026-06-23 10:00:02  declined insufficient_funds
                      state scheduled; access grace; notice first; told of charge none; booked opened 4900
                      steps 1 2026-06-24 09:00, 2 2026-06-29 09:00, 3 2026-07-02 09:00, 4 2026-07-07 09:00; pause 2026-07-07 09:00
    2026-06-24 09:00  step 1 sent; paid
                      attempt 1 succeeded, key dunr-in_1-a1; state recovered; told of charge CHARGE_PAID; notice receipt
                      booked opened 4900, recovered 4900
    """
    )


def test_the_merchant_hears_at_once_that_a_dead_card_is_not_paid_and_later_that_it_is() -> None:
    story(
        DUE
        + """
    2026-06-23 10:00:02  declined stolen_card
                      state awaiting_customer; told of charge CHARGE_NOT_PAID; notice method_needed
    2026-06-25 08:00  new card card_2
                      call left
    2026-06-25 08:01  paid
                      state recovered; told of charge CHARGE_PAID; notice receipt
    """
    )


def test_a_card_that_the_issuer_stopped_is_not_charged_for_the_next_invoice_either() -> None:
    story(
        DUE
        + """
    2026-06-23 10:00:02  declined stolen_card
                      notice method_needed
    2026-07-23 10:00  in_2: charge falls due: 4900 usd
                      in_2: state awaiting_customer; in_2: attempts none; in_2: told of charge CHARGE_NOT_PAID; in_2: notice method_needed; notice paused
    """
    )


def test_a_first_charge_is_made_however_late_and_a_stop_delays_it() -> None:
    story(
        """
    2026-06-23 09:59  charges are stopped
    2026-06-23 10:00  charge falls due: 4900 usd
                      attempts none; state scheduled; access granted; next 2026-06-23 10:00
    2026-06-23 18:00  nothing is stopped
    2026-06-23 18:05  attempt 0 sent; paid
                      state recovered; notice receipt
    """
    )


def test_without_a_payment_method_the_first_charge_waits_and_a_method_begins_it() -> None:
    story(
        """
    2026-06-23 09:59  no card
    2026-06-23 10:00  charge falls due: 4900 usd
                      attempts none; state awaiting_customer; notice method_needed; told of charge none
    2026-06-23 12:30  new card card_2
                      call left
    2026-06-23 12:31  paid
                      state recovered; notice receipt
    """
    )


def test_two_charges_that_fall_due_at_once_share_one_card_one_after_the_other() -> None:
    story(
        DUE
        + """
    2026-06-23 10:00:01  in_2: charge falls due: 900 usd
                      in_2: attempts none
    2026-06-23 10:00:02  paid
                      notice receipt
    2026-06-23 10:00:07  in_2: attempt 0 sent; paid
                      in_2: state recovered; in_2: notice receipt
    """
    )


def test_an_operator_may_postpone_a_charge_that_could_not_be_made_yet() -> None:
    story(
        """
    2026-06-23 09:59  charges are stopped
    2026-06-23 10:00  charge falls due: 4900 usd
    2026-06-23 11:00  operator postpones to 2026-06-26 11:00
                      next 2026-06-26 11:00; pause none; no notice
    2026-06-23 12:00  nothing is stopped
    2026-06-26 11:00  attempt 0 sent; paid
                      state recovered; notice receipt
    """
    )


def test_a_charge_that_the_merchant_takes_back_is_not_made_and_its_debt_is_gone() -> None:
    story(
        """
    2026-06-23 09:59  charges are stopped
    2026-06-23 10:00  charge falls due: 4900 usd
    2026-06-23 11:00  voided
                      state closed because voided; told of charge CHARGE_CLOSED; booked opened 4900, voided 4900; attempts none
    """
    )


def test_while_access_is_paused_a_policy_may_charge_nothing_new_and_goes_on_when_it_is_back() -> None:
    story(
        """
    policy steps=1bd floor=1bd while_paused=skip
    2026-06-23 10:00  first charge fails: insufficient_funds, 4900 usd
                      notice first
    2026-06-24 09:00  step 1 sent; declined insufficient_funds
    2026-06-24 12:00  nothing happens
                      access paused; notice paused
    2026-07-23 10:00  in_2: charge falls due: 4900 usd
                      in_2: state awaiting_customer; in_2: attempts none; in_2: told of charge none
    2026-07-23 11:00  paid elsewhere 4900 as ch_x
                      state recovered; in_2: call left
    2026-07-23 11:01  in_2: paid
                      in_2: state recovered; in_2: notice receipt
    """
    )


def test_a_debit_that_comes_back_after_it_was_paid_at_once_is_a_failure_like_any_other() -> None:
    story(
        DUE
        + """
    2026-06-23 10:00:02  paid
                      notice receipt
    2026-06-30 10:00  ch_a0_in_1 returned insufficient_funds
                      state scheduled; round 2; access grace; alert payment_returned; notice first
    """
    )


def test_what_is_below_the_least_amount_is_carried_over_before_anything_is_sent() -> None:
    story(
        """
    2026-06-23 09:00  the least that is charged is 5000
    2026-06-23 10:00  charge falls due: 4900 usd
                      state closed because carried_over; attempts none; alert amount_too_small; told of charge CHARGE_CLOSED
    """
    )


def test_of_a_charge_that_was_taken_back_before_anybody_looked_the_merchant_hears_the_end_too() -> None:
    story(
        """
    2026-06-23 10:00  charge falls due: 4900 usd, unseen
    2026-06-23 10:01  voided
                      state closed because voided; told of charge CHARGE_CLOSED; attempts none; booked opened 4900, voided 4900
    """
    )


def test_of_a_charge_that_was_paid_before_anybody_looked_the_merchant_hears_the_end_too() -> None:
    story(
        """
    2026-06-23 10:00  charge falls due: 4900 usd, unseen
    2026-06-23 10:01  paid elsewhere 4900 as ch_x
                      state recovered; told of charge CHARGE_PAID; attempts none; access granted; booked none; no notice
    2026-06-23 10:02  somebody looks
                      told of charge none
    """
    )


def test_a_charge_whose_customer_is_gone_before_anybody_looked_opens_nothing() -> None:
    world = story(
        """
    2026-06-23 10:00  charge falls due: 4900 usd, unseen
    """
    )
    gone = replace(world.snapshot("in_1"), customer=None)
    decision = decide(world.dossier("in_1", gone), ChargeDue(), facts(), world.now)
    assert decision.changes_nothing
    assert decision.because == ("the customer is gone",)


def test_a_first_charge_in_too_quick_succession_waits_for_room_on_the_card() -> None:
    story(
        """
    policy card_attempts_24h_max=1
    2026-06-23 10:00  charge falls due: 4900 usd
                      call left
    2026-06-23 10:00:02  paid
                      notice receipt
    2026-06-23 11:00  in_2: charge falls due: 900 usd
                      in_2: attempts none; in_2: wakes 2026-06-24 10:00
    2026-06-24 10:00  in_2: attempt 0 sent; paid
                      in_2: state recovered; in_2: notice receipt
    """
    )


def test_a_first_charge_that_comes_due_as_the_method_goes_waits_for_another_look() -> None:
    world = story(
        """
    2026-06-23 09:59  charges are stopped
    2026-06-23 10:00  charge falls due: 4900 usd
    """
    )
    bare = replace(world.dossier("in_1", replace(world.snapshot("in_1"), methods=())), stops=Stops())
    decision = decide(bare, TimerFired(0), facts(), world.now)
    assert decision.because == ("there is no payment method to charge",)


def test_the_end_of_a_charge_that_the_processor_began_is_told_to_nobody() -> None:
    world = story(
        "2026-06-23 10:00  first charge fails: insufficient_funds, 4900 usd\n notice first; told of charge none"
    )
    assert charge_end(world.case("in_1")) is None
    assert charge_end(None) is None
    assert [str(end) for end in ChargeEnd] == ["CHARGE_PAID", "CHARGE_NOT_PAID", "CHARGE_CLOSED"]


def test_a_charge_that_is_not_due_yet_is_not_made_because_the_payment_method_changed() -> None:
    story(
        """
    2026-06-23 09:59  charges are stopped
    2026-06-23 10:00  charge falls due: 4900 usd
    2026-06-23 11:00  operator postpones to 2026-06-26 11:00
    2026-06-23 12:00  nothing is stopped
    2026-06-24 12:00  new card card_2
                      attempts none; next 2026-06-26 11:00; access granted
    2026-06-26 11:00  attempt 0 sent; paid
                      sent by renewal on card_2; state recovered; notice receipt
    """
    )


def test_what_was_paid_before_anybody_looked_is_no_news_afterwards() -> None:
    story(
        """
    2026-06-23 10:00  charge falls due: 4900 usd, unseen
    2026-06-23 10:01  paid elsewhere 900 as ch_x
                      due 4000; booked opened 4000; call left; attempt 0 None, amount 4000
    2026-06-23 10:02  paid
                      state recovered; booked opened 4000, charged 4000; notice receipt
    """
    )
