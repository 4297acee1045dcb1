"""A customer who starts another subscription with a new card instead of paying: the old debt is not charged to it without a person's word."""

from tests.core.world import story

ANEW = """
    2026-06-23 10:00  first charge fails: insufficient_funds, 4900 usd
                      notice first
    2026-06-23 15:00  new card card_2 came with sub_new
                      alert resubscribed; attempts 0; state awaiting_customer; next none; notice method_needed
                      pause 2026-07-07 09:00
"""


def test_nothing_is_charged_unasked_a_person_hears_of_it_and_the_deadline_runs() -> None:
    story(
        ANEW
        + """
    2026-06-24 10:00  somebody looks
                      attempts 0; no alert
    2026-07-07 09:00  nothing happens
                      attempts 0; access paused; notice paused
    """
    )


def test_the_customer_confirms_on_our_page() -> None:
    story(
        ANEW
        + """
    2026-06-24 10:00  payer clicks pay now
                      answered 202; call left; sent by customer on card_2
    2026-06-24 10:00  paid
                      state recovered; access granted; notice receipt
    """
    )


def test_an_operator_s_word_does_too() -> None:
    story(
        ANEW
        + """
    2026-06-24 10:00  operator retries
                      answered 202; call left; sent by operator on card_2
    2026-06-24 10:00  paid
                      notice receipt
    """
    )


def test_a_card_that_came_with_the_own_subscription_is_like_any_other() -> None:
    story("""
    2026-06-23 10:00  first charge fails: insufficient_funds, 4900 usd
                      notice first
    2026-06-23 15:00  new card card_2 came with sub_1
                      call left; sent by method_updated on card_2
    2026-06-23 15:00  paid
                      notice receipt
    """)


def test_the_old_card_as_the_default_again_is_a_word_too() -> None:
    story(
        ANEW
        + """
    2026-06-24 10:00  new card card_1
                      call left; sent by method_updated on card_1
    2026-06-24 10:00  paid
                      notice receipt
    """
    )


def test_a_run_of_another_card_passes_the_invoice_that_was_not_asked_about() -> None:
    story("""
    2026-06-20 10:00  in_2: subscription sub_2
    2026-06-22 10:00  in_1: first charge fails: stolen_card, 1000 usd
                      in_1: notice method_needed
    2026-06-22 12:00  in_2: first charge fails: stolen_card, 2000 usd
                      in_2: notice method_needed
    2026-06-23 10:00  new card card_2 came with sub_2
                      alert resubscribed; in_1: attempts 0; in_2: call left; in_2: sent by method_updated on card_2
    2026-06-23 10:00  in_2: paid
                      in_2: notice receipt; in_1: attempts 0; in_1: state awaiting_customer
    """)


def test_a_step_that_meets_such_a_card_after_an_attempt_in_flight_sends_nothing() -> None:
    story("""
    2026-06-23 10:00  first charge fails: insufficient_funds, 4900 usd
                      notice first
    2026-06-24 09:00  step 1 sent
    2026-06-24 09:00  new card card_2 came with sub_new
                      alert resubscribed; attempts 1; state scheduled
    2026-06-24 09:01  declined insufficient_funds
                      next 2026-06-29 09:00; notice reminder
    2026-06-29 09:00  nothing happens
                      attempts 1; state awaiting_customer; notice method_needed
    """)
