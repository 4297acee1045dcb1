"""What the customer says by themselves: when they will pay, that they want a new link, and that they want to hear less."""

from tests.core.world import story

FIRST = """
    2026-06-23 10:00  first charge fails: insufficient_funds, 4900 usd
                      notice first
"""


def test_a_promise_moves_the_next_attempt_within_its_limit() -> None:
    story(
        FIRST
        + """
    2026-06-23 11:00  payer promises for 2026-06-23 10:00
                      answered 422
    2026-06-23 11:00  payer promises for 2026-07-08 11:00
                      answered 422
    2026-06-23 11:00  payer promises for 2026-07-01 09:00
                      answered 202; next 2026-07-01 09:00; notice first
    2026-07-01 09:00  attempt 1 sent; payer promises for 2026-07-03 09:00
                      answered 409
    2026-07-01 09:01  paid
                      notice receipt
    """
    )


def test_a_promised_attempt_spends_no_step() -> None:
    """The step whose place it took comes after it, with its own gap, and so do all the others."""
    story(
        FIRST
        + """
    2026-06-23 11:00  payer promises for 2026-07-01 09:00
                      answered 202; steps 1 2026-07-01 09:00, 2 2026-07-06 09:00, 3 2026-07-09 09:00, 4 2026-07-14 09:00; notice first
    2026-07-01 09:00  attempt 1 sent; declined insufficient_funds
                      steps 1 2026-07-02 09:00, 2 2026-07-07 09:00, 3 2026-07-10 09:00, 4 2026-07-15 09:00; no notice
    2026-07-02 09:00  step 1 sent; declined insufficient_funds
                      next 2026-07-07 09:00; notice reminder
    """
    )


def test_a_promised_attempt_that_meets_a_hard_decline_asks_for_another_card() -> None:
    story(
        FIRST
        + """
    2026-06-23 11:00  payer promises for 2026-07-01 09:00
                      answered 202; next 2026-07-01 09:00; notice first
    2026-07-01 09:00  attempt 1 sent; declined stolen_card
                      state awaiting_customer; notice method_needed
    """
    )


def test_a_word_is_given_twice_and_no_more() -> None:
    story(
        FIRST
        + """
    2026-06-23 11:00  payer promises for 2026-06-30 09:00
                      answered 202; next 2026-06-30 09:00; notice first
    2026-06-23 11:01  payer promises for 2026-07-03 09:00
                      answered 202; next 2026-07-03 09:00; notice first
    2026-06-23 11:02  payer promises for 2026-07-06 09:00
                      answered 429; next 2026-07-03 09:00
    """
    )


def test_a_new_link_says_how_the_invoice_stands_and_comes_once_an_hour() -> None:
    story(
        FIRST
        + """
    2026-06-23 21:10  payer asks for a new link
                      notice reminder
    2026-06-23 21:50  payer asks for a new link
                      no notice
    2026-06-23 22:10  payer asks for a new link
                      notice reminder
    2026-06-24 09:00  step 1 sent; declined stolen_card
                      notice method_needed
    2026-06-24 10:00  payer asks for a new link
                      notice method_needed
    2026-07-07 09:00  nothing happens
                      access paused; notice paused
    2026-07-07 10:00  payer asks for a new link
                      notice paused
    2026-07-07 11:00  paid elsewhere 4900 as ch_link
                      no notice
    2026-07-07 12:00  payer asks for a new link
                      no notice
    """
    )


def test_whoever_wants_no_reminders_still_hears_of_the_pause() -> None:
    story(
        FIRST
        + """
    2026-06-23 11:00  payer wants no more reminders
    2026-06-23 11:01  payer wants no more reminders
    2026-06-24 09:00  step 1 sent; declined insufficient_funds
                      no notice
    2026-06-29 09:00  step 2 sent; declined insufficient_funds
                      no notice
    2026-06-29 10:00  payer wants reminders again
    2026-06-29 11:00  payer wants no more reminders
    2026-07-02 09:00  step 3 sent; declined insufficient_funds
                      notice final_warning
    2026-07-07 09:00  step 4 sent; declined insufficient_funds
                      access paused; notice paused
    """
    )


def test_an_earlier_promise_does_not_bring_a_told_date_forward() -> None:
    story("""
    policy steps=5bd
    2026-06-23 10:00  first charge fails: insufficient_funds, 4900 usd
                      next 2026-06-30 09:00; notice first
    2026-06-23 11:00  payer promises for 2026-06-25 09:00
                      answered 202; next 2026-06-30 09:00; no notice
    """)
