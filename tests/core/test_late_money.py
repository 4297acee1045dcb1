"""Money that comes when nobody waits for it any more, or not yet."""

from tests.core.world import story

OPEN = """
    2026-06-23 10:00  first charge fails: insufficient_funds, 4900 usd
                      notice first
"""


def test_late_money_after_a_void_is_an_overpayment() -> None:
    story(
        OPEN
        + """
    2026-06-25 10:00  voided
                      state closed because voided; due 0; access granted; next none; no notice
    2026-06-26 10:00  paid elsewhere 4900 as ch_late
                      alerts overpaid, late_money; state closed because voided; overpaid 4900
                      booked opened 4900, voided 4900, overpaid 4900
    2026-06-27 10:00  ch_late returned insufficient_funds
                      alert payment_returned; overpaid 0; due 0; state closed because voided
    """.replace("2026-06-25 10:00", "2026-06-23 11:00")
    )


def test_late_money_after_a_write_off_is_recovered() -> None:
    story(
        OPEN
        + """
    2026-06-23 11:00  written off
                      state closed because written_off; due 0; access granted; no notice
    2026-06-26 10:00  paid elsewhere 4000 as ch_late
                      alert late_money; overpaid 0; booked opened 4900, written_off 4900, recovered 4000
    2026-06-26 11:00  paid elsewhere 4900 as ch_more
                      alerts overpaid, late_money; overpaid 4000
                      booked opened 4900, written_off 4900, recovered 4000, recovered 900, overpaid 4000
    """
    )


def test_late_money_after_the_end_of_the_subscription_is_recovered_and_revives_nothing() -> None:
    story(
        OPEN
        + """
    2026-06-23 11:00  subscription is ended
                      state closed because subscription_ended; due 4900; access ended; alert debt_left_open; no notice
    2026-06-26 10:00  paid elsewhere 4900 as ch_late
                      alert late_money; due 0; access ended; booked opened 4900, recovered 4900
    """
    )


def test_late_money_after_a_person_closed_the_case() -> None:
    story(
        OPEN
        + """
    2026-06-23 11:00  operator closes
                      state closed because operator; due 4900; access granted
    2026-06-23 11:01  operator closes
                      answered 409
    2026-06-26 10:00  paid elsewhere 4900 as ch_late
                      alert late_money; due 0; booked opened 4900, recovered 4900
    """
    )


def test_late_money_after_the_customer_was_deleted() -> None:
    story(
        OPEN
        + """
    2026-06-23 11:00  customer deleted
                      state closed because customer_deleted; due 4900; alert debt_left_open; access granted
    2026-06-26 10:00  paid elsewhere 4900 as ch_late
                      alert late_money; due 0
    """
    )


def test_money_for_an_exhausted_case_restores_access() -> None:
    story(
        OPEN
        + """
    2026-06-24 09:00  step 1 sent; declined insufficient_funds
                      notice reminder
    2026-06-29 09:00  step 2 sent; declined insufficient_funds
                      notice reminder
    2026-07-02 09:00  step 3 sent; declined insufficient_funds
                      notice final_warning
    2026-07-07 09:00  step 4 sent; declined insufficient_funds
                      notice paused; access paused
    2026-07-20 09:00  paid elsewhere 1000 as ch_part
                      state exhausted; due 3900; access paused
    2026-07-21 09:00  paid elsewhere 3900 as ch_rest
                      state recovered; access granted; no notice
                      booked opened 4900, delinquent 4900, part_paid 1000, recovered 3900
    """
    )


def test_a_charge_that_was_pending_when_the_case_opened_is_booked_when_it_succeeds() -> None:
    story("""
    2026-06-23 10:00  charge ch_p is pending; first charge fails: insufficient_funds, 4900 usd
                      notice first
    2026-06-24 09:00  nothing happens
                      attempts 0
    2026-06-24 09:30  charge ch_p is succeeded
                      state recovered; booked opened 4900, recovered 4900
    """)
