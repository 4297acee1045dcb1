"""Invoices that come while access is paused wait for it, and are laid out when it is back."""

from tests.core.world import story

EXHAUSTED = """
    policy steps=1bd floor=1bd
    2026-06-23 10:00  first charge fails: insufficient_funds, 4900 usd
                      notice first
    2026-06-24 09:00  step 1 sent; declined insufficient_funds
    2026-06-24 10:00  nothing happens
                      state exhausted; access paused; notice paused
"""


def test_an_invoice_of_a_paused_subscription_waits_with_one_notice() -> None:
    story(
        EXHAUSTED
        + """
    2026-07-23 10:00  in_2: first charge fails: insufficient_funds, 4900 usd
                      in_2: state awaiting_customer; in_2: steps none; in_2: pause none; in_2: notice method_needed; access paused
    2026-08-20 10:00  nothing happens
                      in_2: state awaiting_customer; in_2: attempts 0; in_2: no notice
    2026-08-20 10:01  in_1: paid elsewhere 4900 as ch_x
                      in_1: state recovered; access grace; in_2: state scheduled
                      in_2: steps 1 2026-08-21 09:00; in_2: notice first
    2026-08-21 09:00  in_2: step 1 sent; paid
                      in_2: notice receipt; access granted
    """
    )


def test_an_invoice_with_a_dead_card_of_a_paused_subscription_is_asked_about_when_access_is_back() -> None:
    story(
        EXHAUSTED
        + """
    2026-07-23 10:00  in_2: first charge fails: stolen_card, 4900 usd
                      in_2: state awaiting_customer; in_2: notice method_needed; in_2: pause none
    2026-08-20 10:01  in_1: paid elsewhere 4900 as ch_x
                      access grace; in_2: state awaiting_customer; in_2: notice method_needed; in_2: pause 2026-08-21 10:01
    2026-08-21 10:01  nothing happens
                      access paused; in_2: notice paused
    """
    )


def test_while_paused_full_lays_the_whole_plan_and_skip_says_nothing() -> None:
    story(
        EXHAUSTED.replace("policy ", "policy while_paused=full ")
        + """
    2026-07-23 10:00  in_2: first charge fails: insufficient_funds, 4900 usd
                      in_2: state scheduled; in_2: steps 1 2026-07-24 09:00; in_2: notice first
    """
    )
    story(
        EXHAUSTED.replace("policy ", "policy while_paused=skip ")
        + """
    2026-07-23 10:00  in_2: first charge fails: insufficient_funds, 4900 usd
                      in_2: state awaiting_customer; in_2: no notice
    2026-08-20 10:00  nothing happens
                      in_2: attempts 0; in_2: no notice; access paused
    """
    )


def test_access_that_was_lent_and_then_earned_lays_the_waiting_invoice_out() -> None:
    # in_1 paused access; in_2 came meanwhile and waits. The new card pays in_1, and is declined for in_2.
    story(
        EXHAUSTED
        + """
    2026-07-20 10:00  in_2: first charge fails: insufficient_funds, 4900 usd
                      in_2: notice method_needed
    2026-07-21 10:00  in_3: first charge fails: insufficient_funds, 4900 usd
                      in_3: notice method_needed
    2026-07-22 10:00  new card card_2
                      in_1: call left; access grace
    2026-07-22 10:00  in_1: paid
                      in_1: notice receipt; in_2: call left; access grace
    2026-07-22 10:00  in_2: declined insufficient_funds
                      access grace; in_2: state scheduled; in_2: notice first; in_3: state scheduled; in_3: notice first
    """
    )
