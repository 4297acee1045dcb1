"""Money that somebody takes back: returned debits, refunds, disputes."""

from tests.core.world import story

PAID_BY_DEBIT = """
    2026-06-23 09:00  new card bank_1 on ach
    2026-06-23 10:00  first charge fails: insufficient_funds, 4900 usd
                      notice first
    2026-06-24 09:00  step 1 sent; pending
                      no notice; in flight 1 pending
    2026-06-26 09:00  paid
                      state recovered; notice receipt
"""


def test_a_returned_debit_that_may_be_presented_again_starts_a_new_round() -> None:
    story(
        PAID_BY_DEBIT
        + """
    2026-06-30 10:00  ch_a1_in_1 returned insufficient_funds
                      state scheduled; round 2; due 4900; access grace; alert payment_returned; notice first
                      steps 1 2026-07-01 09:00; because Nacha allows a returned entry to be presented twice more
                      booked opened 4900, recovered 4900, reversed 4900
    2026-06-30 10:01  somebody looks
                      state scheduled; no alert
    2026-07-01 09:00  step 1 sent; paid
                      attempt 2 succeeded, key dunr-in_1-a2; state recovered; notice receipt
    """
    )


def test_a_debit_that_must_not_be_presented_again_waits_for_the_customer() -> None:
    story(
        PAID_BY_DEBIT
        + """
    2026-06-30 10:00  ch_a1_in_1 returned account_closed
                      state awaiting_customer; round 2; due 4900; access grace; notice method_needed; alert payment_returned
                      pause 2026-07-14 09:00
    2026-07-14 09:00  nothing happens
                      state exhausted; access paused; notice paused; attempts 1
    """
    )


def test_the_return_of_a_second_payment_un_pays_nothing() -> None:
    # Both captured; the debit that came second bounces. The first payment still stands: nothing is owed.
    story("""
    2026-06-23 10:00  first charge fails: insufficient_funds, 4900 usd
                      notice first
    2026-06-24 09:00  step 1 sent; paid elsewhere 4900 as ch_link
                      state recovered
    2026-06-24 09:01  paid
                      overpaid 4900; alert overpaid
    2026-06-26 10:00  ch_a1_in_1 returned insufficient_funds
                      state recovered; overpaid 0; due 0; alert payment_returned; no notice; next none
                      booked opened 4900, recovered 4900, overpaid 4900, reversed_overpayment 4900
    2026-06-27 10:00  ch_link returned insufficient_funds
                      state scheduled; round 2; due 4900; alert payment_returned
    2026-06-29 10:00  nothing happens
                      notice first; call left
    """)


def test_the_return_of_late_money_restores_the_loss_and_nothing_else() -> None:
    story("""
    2026-06-23 10:00  first charge fails: insufficient_funds, 4900 usd
                      notice first
    2026-06-23 11:00  written off
                      state closed because written_off
    2026-06-24 11:00  paid elsewhere 4900 as ch_late
                      alert late_money
    2026-06-26 10:00  ch_late returned insufficient_funds
                      state closed because written_off; due 0; alert payment_returned; no notice
                      booked opened 4900, written_off 4900, recovered 4900, reversed 4900
    2026-06-27 11:00  paid elsewhere 4900 as ch_again
                      alert late_money; overpaid 0
    """)


def test_a_return_in_an_exhausted_case_adds_to_its_delinquent_debt() -> None:
    story("""
    policy steps=1bd floor=1bd
    2026-06-23 10:00  first charge fails: insufficient_funds, 4900 usd
                      notice first
    2026-06-23 11:00  paid elsewhere 1900 as ch_part
    2026-06-24 09:00  step 1 sent; declined insufficient_funds
                      state exhausted; access grace; due 3000
    2026-06-24 10:00  nothing happens
                      access paused; notice paused
    2026-06-26 10:00  ch_part returned insufficient_funds
                      state exhausted; due 4900; alert payment_returned; access paused; round 1
                      booked opened 4900, part_paid 1900, delinquent 3000, reversed 1900
    2026-06-27 10:00  paid elsewhere 4900 as ch_all
                      state recovered; access granted
    """)


def test_a_return_while_the_case_is_open_changes_what_the_next_step_asks_for() -> None:
    story("""
    2026-06-23 10:00  first charge fails: insufficient_funds, 4900 usd
                      notice first
    2026-06-23 11:00  paid elsewhere 1900 as ch_part
                      due 3000; state scheduled
    2026-06-23 12:00  ch_part returned insufficient_funds
                      due 4900; state scheduled; next 2026-06-24 09:00; alert payment_returned
    2026-06-24 09:00  step 1 sent; paid
                      attempt 1 succeeded, key dunr-in_1-a1, amount 4900; notice receipt
    """)


def test_a_charge_that_came_and_went_unseen_is_booked_both_ways() -> None:
    story("""
    2026-06-23 10:00  first charge fails: insufficient_funds, 4900 usd
                      notice first
    2026-06-23 11:00  paid elsewhere 4900 as ch_x (unseen); ch_x returned insufficient_funds
                      state scheduled; round 2; due 4900; alert payment_returned
                      booked opened 4900, recovered 4900, reversed 4900
                      notice first
    """)


def test_an_invoice_that_stays_paid_after_the_return_is_not_paid_by_that() -> None:
    # Some processors leave the invoice paid when a debit bounces: the returned money must not come back as a payment.
    world = story(
        PAID_BY_DEBIT
        + """
    2026-06-30 10:00  ch_a1_in_1 returned insufficient_funds (unseen); marked as paid
                      state scheduled; round 2; due 4900; alert payment_returned; notice first
    2026-06-30 11:00  somebody looks
                      state scheduled; due 4900
    2026-07-01 09:00  nothing happens
                      attempts 1
    """
    )
    assert "sandbox:main:in_1/recovered/ch_a1_in_1" in world.ledger


def test_cash_after_a_return_is_seen_as_paid() -> None:
    story(
        PAID_BY_DEBIT
        + """
    2026-06-30 10:00  ch_a1_in_1 returned insufficient_funds
                      state scheduled; round 2; due 4900; alert payment_returned; notice first
    2026-06-30 11:00  marked as paid
                      state recovered; due 0; no notice
    """
    )


def test_a_new_round_does_not_keep_the_old_round_s_deadline() -> None:
    story("""
    2026-06-23 09:00  new card bank_1 on ach
    2026-06-23 10:00  first charge fails: insufficient_funds, 4900 usd
                      notice first
    2026-06-23 11:00  operator extends to 2026-07-20 09:00
                      pause 2026-07-20 09:00
    2026-06-24 09:00  step 1 sent; paid
                      state recovered; notice receipt
    2026-08-04 10:00  ch_a1_in_1 returned insufficient_funds
                      round 2; pause 2026-08-18 09:00; alert payment_returned; notice first
    """)


def test_a_refund_of_what_paid_the_debt_does_not_open_it_again() -> None:
    story(
        PAID_BY_DEBIT
        + """
    2026-06-30 10:00  ch_a1_in_1 refunded up to 1000
                      state recovered; due 0; no notice; booked opened 4900, recovered 4900, refunded 1000
    2026-06-30 10:01  ch_a1_in_1 refunded up to 4900
                      booked opened 4900, recovered 4900, refunded 1000, refunded 3900; state recovered
    """
    )
