"""Money that arrives, or goes back: booked in every state, once, and never silent."""

from dunr.core.decide.draft import ATTEMPTS_KEPT_MAX
from dunr.core.events import RetryNow
from dunr.core.value import replace
from tests.core.world import story

OPEN = """
    2026-06-23 10:00  first charge fails: insufficient_funds, 4900 usd
                      notice first
"""


def test_c03a_the_look_before_the_send_sees_a_payment_whose_webhook_is_late() -> None:
    story(
        OPEN
        + """
    2026-06-24 08:59  paid elsewhere 4900 as ch_link (unseen)
    2026-06-24 09:00  nothing happens
                      state recovered; attempts 0; no notice; booked opened 4900, recovered 4900; access granted
    2026-06-24 09:01  the webhook arrives
                      booked opened 4900, recovered 4900
    """
    )


def test_c03b_both_capture_and_the_second_payment_is_an_overpayment_with_an_alert() -> None:
    story(
        OPEN
        + """
    2026-06-24 09:00  step 1 sent
    2026-06-24 09:00:05  paid elsewhere 4900 as ch_link
                      state recovered; in flight 1; booked opened 4900, recovered 4900; no notice
    2026-06-24 09:00:20  paid
                      state recovered; overpaid 4900; alert overpaid; no notice; in flight none
                      booked opened 4900, recovered 4900, overpaid 4900
    2026-06-25 09:00  ch_link refunded up to 2000
                      overpaid 2900
    2026-06-25 09:01  ch_link refunded up to 4900
                      overpaid 0; state recovered
                      booked opened 4900, recovered 4900, overpaid 4900, refunded_overpayment 2000, refunded_overpayment 2900
    """
    )


def test_news_about_an_unknown_attempt_makes_us_look_at_once() -> None:
    story(
        OPEN
        + """
    2026-06-24 09:00  step 1 sent
    2026-06-24 09:00:30  no answer
                      looks again 2026-06-24 09:01:30
    2026-06-24 09:00:40  look-ups find it paid; captured silently; paid elsewhere 4900 as ch_link
                      attempt 1 succeeded; overpaid 4900; alert overpaid; notice receipt
    """
    )


def test_a_charge_without_our_key_that_turns_out_to_be_ours_is_counted_once() -> None:
    # The webhook beats the answer, and the processor keeps no key: first it looks foreign, then the answer names it.
    story(
        OPEN
        + """
    2026-06-24 09:00  step 1 sent; captured silently as ch_77 without its key; the webhook arrives
                      state recovered; in flight 1; booked opened 4900, recovered 4900
    2026-06-24 09:00:03  paid 4900 as ch_77
                      attempt 1 succeeded; overpaid 0; booked opened 4900, recovered 4900; no alert; notice receipt
    """
    )


def test_a_decline_without_our_key_that_turns_out_to_be_ours_spends_one_step() -> None:
    story(
        OPEN
        + """
    2026-06-24 09:00  step 1 sent; declined elsewhere insufficient_funds as ch_a1_in_1
                      in flight 1; steps used 0
    2026-06-24 09:00:03  declined insufficient_funds
                      attempt 1 declined; steps used 1; notice reminder
    """
    )


def test_c13_two_events_for_one_change_make_one_recovery() -> None:
    story(
        OPEN
        + """
    2026-06-24 09:00  step 1 sent; paid
                      state recovered; notice receipt; told of access granted
    2026-06-24 09:00:01  subscription is past_due; the webhook arrives
                      no notice; told of access none
    2026-06-24 09:00:02  subscription is active; the webhook arrives
                      state recovered; no notice; told of access none; access granted
    """
    )


def test_c15_a_late_failure_un_pays_nothing() -> None:
    story(
        OPEN
        + """
    2026-06-24 09:00  step 1 sent; declined insufficient_funds
                      notice reminder
    2026-06-29 09:00  step 2 sent; paid
                      state recovered; notice receipt
    2026-06-29 09:40  attempt 2 declined insufficient_funds
                      state recovered; attempt 2 succeeded; access granted; no notice; next none
    2026-06-29 09:50  declined elsewhere do_not_honor as ch_late
                      state recovered; access granted; no notice; next none
    """
    )


def test_c40_the_retry_asks_for_what_is_still_due() -> None:
    story("""
    2026-06-23 10:00  first charge fails: insufficient_funds, 10000 usd
                      notice first 10000
    2026-06-24 09:00  step 1 sent; declined insufficient_funds
                      notice reminder 10000
    2026-06-25 10:00  credited 2500
                      due 7500
    2026-06-28 10:00  paid elsewhere 4000 as ch_part
                      due 3500; state scheduled; next 2026-06-29 09:00
    2026-06-29 09:00  step 2 sent; declined insufficient_funds
                      attempt 2 declined, key dunr-in_1-a2, amount 3500; notice reminder 3500
                      booked opened 10000, credited 2500, part_paid 4000
    2026-07-01 10:00  credited 3500
                      state recovered; due 0; access granted; no notice; next none
    """)


def test_c07a_a_credit_booked_while_the_request_is_out_is_settled_after_it() -> None:
    story(
        OPEN
        + """
    2026-06-24 09:00  step 1 sent
    2026-06-24 09:01  credited 1000
                      due 3900; in flight 1
    2026-06-24 09:05:30  look-ups find nothing
                      attempts 1
    2026-06-24 09:30  nothing happens
                      attempt 1 withdrawn, key dunr-in_1-a1, amount 4900; steps used 0; call left
                      in flight 2; attempts 2
    2026-06-24 09:31  paid
                      attempt 2 succeeded, key dunr-in_1-a2, amount 3900; state recovered; notice receipt 3900
    """
    )


def test_a_key_that_was_used_for_another_request_is_looked_up_before_anything_else() -> None:
    story(
        OPEN
        + """
    2026-06-24 09:00  step 1 sent; refused idempotency_key_reused
                      in flight 1 unknown; alert request_refused; holds processor; no notice; steps used 0
    2026-06-24 09:05  look-ups find it paid
    2026-06-24 09:10  nothing happens
                      attempt 1 succeeded; state recovered; notice receipt
    """
    )


def test_a_part_payment_spends_its_step_and_the_rest_goes_on() -> None:
    story(
        OPEN
        + """
    2026-06-24 09:00  step 1 sent; paid 1900
                      due 3000; state scheduled; steps used 1; next 2026-06-29 09:00; notice reminder 3000
    2026-06-29 09:00  step 2 sent; paid
                      attempt 2 succeeded, key dunr-in_1-a2, amount 3000; state recovered; notice receipt 4900
                      booked opened 4900, part_paid 1900, recovered 3000
    """
    )


def test_c40_the_receipt_is_for_what_we_collected() -> None:
    story(
        OPEN
        + """
    2026-06-23 12:00  paid elsewhere 1400 as ch_x
                      due 3500; state scheduled
    2026-06-24 09:00  step 1 sent; paid
                      attempt 1 succeeded, key dunr-in_1-a1, amount 3500; state recovered; notice receipt 3500
                      booked opened 4900, part_paid 1400, recovered 3500
    """
    )


def test_a_credit_and_a_payment_that_no_charge_explains_are_booked_apart() -> None:
    story(
        OPEN
        + """
    2026-06-23 12:00  credited 1000 (unseen); marked as paid
                      state recovered; due 0; booked opened 4900, credited 1000, recovered 3900
    """
    )


def test_more_is_due_than_before() -> None:
    story(
        OPEN
        + """
    2026-06-23 12:00  100 more is due
                      due 5000; booked opened 4900, credited -100
    2026-06-24 09:00  step 1 sent; paid
                      state recovered; notice receipt 5000
    """
    )


def test_c57_nothing_to_collect_opens_no_case() -> None:
    story("""
    2026-06-23 10:00  invoice fails without a charge, 0 usd
                      no case
    2026-06-23 10:00  in_2: marked as paid
                      in_2: no case
    """)


def test_c57_an_amount_below_the_minimum_is_carried_over_without_a_mail() -> None:
    story("""
    2026-06-23 10:00  the least that is charged is 50; first charge fails: insufficient_funds, 30 usd
                      state closed because carried_over; no notice; alert amount_too_small; access granted
    2026-06-24 09:00  nothing happens
                      attempts 0
    """)


def test_c57_a_credit_can_leave_too_little() -> None:
    story(
        OPEN
        + """
    2026-06-23 12:00  the least that is charged is 50; credited 4870
                      state closed because carried_over; due 30; alert amount_too_small; access granted
    """
    )


def test_c57_a_refusal_because_of_the_amount_is_no_decline() -> None:
    story(
        OPEN
        + """
    2026-06-24 09:00  step 1 sent; refused amount_too_small
                      state closed because carried_over; attempt 1 refused; alert amount_too_small; no notice
    """
    )


def test_many_attempts_later_an_own_part_payment_and_an_own_decline_are_no_news() -> None:
    world = story(
        OPEN
        + """
    2026-06-24 09:00  step 1 sent; paid 1900
                      due 3000; notice reminder
    2026-06-29 09:00  step 2 sent; declined insufficient_funds
                      notice reminder
    """
    )
    case = world.case("in_1")
    assert case is not None
    since = tuple(
        replace(case.attempts[-1], number=number, key=f"dunr-in_1-a{number}", processor_charge_id=f"ch_a{number}_in_1")
        for number in range(3, 60)
    )
    world.rows[case.id] = replace(case, attempts=(*case.attempts, *since), attempt_number_last=59)
    world.decide("in_1", RetryNow("operator"), world.snapshot("in_1"))
    world.read("in_1")
    after = world.case("in_1")
    assert after is not None
    assert after.in_flight is not None
    assert len(after.attempts) == ATTEMPTS_KEPT_MAX + 1  # and the part payment
    assert (after.captured_minor, after.amount_due_minor) == (1900, 3000)
    assert "ch_a2_in_1" in after.foreign_charge_ids  # forgotten, and no news
