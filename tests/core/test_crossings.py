"""Two things that were right each by itself cross on their way: a credit and a payment, a settled debt and a card that still waited."""

from dunr.core.events import AmountChanged
from tests.core.world import story

OPEN = """
    2026-06-23 10:00  first charge fails: insufficient_funds, 4900 usd
                      notice first
"""


def test_a_credit_that_crosses_the_payment_of_the_same_debt_is_an_overpayment() -> None:
    world = story(
        OPEN
        + """
    2026-06-24 09:00  step 1 sent; credited 1000 (unseen); paid
                      notice receipt; state recovered
    2026-06-24 09:05  somebody looks
                      state recovered; overpaid 1000; alert overpaid; booked opened 4900, recovered 4900, credited_late 1000
    2026-06-24 09:06  somebody looks
                      overpaid 1000
    """
    )
    decision = world.decide("in_1", AmountChanged(), world.snapshot("in_1"))
    assert decision.changes_nothing


def test_a_card_whose_attempt_was_withdrawn_does_not_wait_at_a_case_that_is_over() -> None:
    story(
        OPEN
        + """
    2026-06-23 14:00  new card card_2
                      call left
    2026-06-23 14:00:01  no answer
    2026-06-23 14:01  paid elsewhere 4900 as ch_link
                      state recovered
    2026-06-23 17:00  nothing happens
                      alert unsettled_attempt
    2026-06-23 18:00  look-ups find nothing
    2026-06-24 18:00  nothing happens
                      attempt 1 withdrawn; waiting card none; next none
    """
    )


def test_a_card_that_waited_and_is_removed_is_not_waited_for() -> None:
    story(
        OPEN
        + """
    2026-06-24 09:00  step 1 sent; pending
    2026-06-24 10:00  new card card_1 expiring 2031-01
                      waiting card card_1
    2026-06-24 11:00  no card
    2026-06-24 12:00  declined insufficient_funds
                      state awaiting_customer; notice reminder, method_needed; waiting card none
    2026-06-26 12:00  nothing happens
                      attempts 1; steps none
    """
    )


def test_a_credit_beyond_what_a_part_payment_left_is_an_overpayment() -> None:
    story(
        OPEN
        + """
    2026-06-23 12:00  paid elsewhere 2000 as ch_link (unseen); marked as paid (unseen); credited 3000
                      state recovered; overpaid 100; alert overpaid
                      booked opened 4900, part_paid 2000, credited 2900, credited_late 100
    """
    )
