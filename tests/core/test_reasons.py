"""What each reason of a decline earns: steps, a question to the customer, or nothing at all."""

import pytest

from tests.core.world import story

FIRST = """
    2026-06-23 10:00  first charge fails: insufficient_funds, 4900 usd
                      notice first
"""


@pytest.mark.parametrize("code", ["stolen_card", "lost_card", "pickup_card", "revocation_of_all_authorizations"])
def test_c30_a_dead_card_is_not_charged_and_the_customer_is_asked(code: str) -> None:
    world = story(f"""
    2026-06-23 10:00  first charge fails: {code}, 4900 usd
                      state awaiting_customer; steps none; pause 2026-07-07 09:00; access grace; notice method_needed
    2026-06-26 10:00  payer clicks pay now
                      answered 409; attempts 0
    2026-06-27 10:00  new card card_2
                      call left; in flight 1; sent by method_updated on card_2; access grace
    2026-06-27 10:00  declined insufficient_funds
                      state scheduled; steps used 0
                      steps 1 2026-06-29 09:00, 2 2026-07-02 09:00, 3 2026-07-07 09:00, 4 2026-07-10 09:00
                      pause 2026-07-10 09:00
    2026-06-29 09:00  step 1 sent; paid
                      notices first, receipt; state recovered
    """)
    assert all(effect.key != "stolen" for effect in world.effects.values())


def test_c30_nobody_acts_and_access_pauses_at_the_deadline() -> None:
    story("""
    2026-06-23 10:00  first charge fails: stolen_card, 4900 usd
                      notice method_needed; pause 2026-07-07 09:00
    2026-07-07 09:00  nothing happens
                      state exhausted; access paused; notice paused; attempts 0
    """)


def test_c32_an_authentication_is_asked_for_once_and_never_retried_blindly() -> None:
    story("""
    2026-06-23 10:00  first charge fails: authentication_required, 4900 usd
                      state awaiting_customer; steps none; notice confirm_with_bank; access grace
    2026-06-26 10:00  nothing happens
                      attempts 0; no notice
    2026-06-26 10:01  paid elsewhere 4900 as ch_3ds
                      state recovered; access granted; no notice; booked opened 4900, recovered 4900
    """)


def test_c32_a_step_that_meets_an_authentication_stops_the_series() -> None:
    story(
        FIRST
        + """
    2026-06-24 09:00  step 1 sent; declined authentication_required with intent pi_1
                      state awaiting_customer; notice confirm_with_bank; steps none; steps used 1
    2026-06-29 09:00  nothing happens
                      attempts 1; no notice
    """
    )


def test_a_click_while_an_earlier_try_waits_for_the_bank_cancels_that_first() -> None:
    story(
        FIRST
        + """
    2026-06-24 09:00  step 1 sent; declined authentication_required with intent pi_1
                      notice confirm_with_bank
    2026-06-24 10:00  payer clicks pay now
                      answered 409; cancellation asked; attempts 1
    2026-06-24 10:01  intent pi_1 is cancelled
                      attempts 1
    2026-06-24 10:02  payer clicks pay now; attempt 2 sent; paid
                      state recovered; notice receipt
    """
    )


def test_an_intent_is_cancelled_and_that_confirmed_before_the_next_attempt() -> None:
    story(
        FIRST
        + """
    2026-06-24 09:00  step 1 sent; declined insufficient_funds with intent pi_1
                      notice reminder
    2026-06-29 09:00  nothing happens
                      attempts 1; cancellation asked
    2026-06-29 09:00  intent pi_2 is cancelled
                      attempts 1; because not waited for
    """
    )
    story(
        FIRST
        + """
    2026-06-24 09:00  step 1 sent; declined insufficient_funds with intent pi_1
                      notice reminder
    2026-06-29 09:00  nothing happens
                      attempts 1; cancellation asked
    2026-06-29 09:00  intent pi_1 is cancelled
                      call left; in flight 2
    2026-06-29 09:01  paid
                      notice receipt
    """
    )


def test_an_intent_that_had_succeeded_is_money() -> None:
    story(
        FIRST
        + """
    2026-06-24 09:00  step 1 sent; declined insufficient_funds with intent pi_1
                      notice reminder
    2026-06-29 09:00  nothing happens
                      attempts 1; cancellation asked
    2026-06-29 09:00  paid elsewhere 4900 as ch_3ds (unseen); intent pi_1 is paid already
                      state recovered; attempts 1; no notice
    """
    )


def test_an_unknown_code_gets_one_cautious_step_and_one_alert() -> None:
    story("""
    2026-06-23 10:00  first charge fails: brand_new_code, 4900 usd
                      steps 1 2026-06-24 09:00; pause 2026-07-07 09:00; notice first; alert unknown_decline
    2026-06-24 09:00  step 1 sent; declined brand_new_code
                      state exhausted; access grace; no notice; no alert
    2026-07-07 09:00  nothing happens
                      access paused; notice paused; attempts 1
    """)


@pytest.mark.parametrize("code", ["duplicate_transaction", "invalid_amount"])
def test_a_decline_that_says_nothing_about_the_payer_gets_one_cautious_step_too(code: str) -> None:
    story(f"""
    2026-06-23 10:00  first charge fails: {code}, 4900 usd
                      steps 1 2026-06-24 09:00; notice first
    2026-06-24 09:00  step 1 sent; declined {code}
                      state exhausted; steps used 1
    2026-07-07 09:00  nothing happens
                      access paused; attempts 1; notice paused
    """)


def test_no_decline_to_be_seen_is_an_unknown_reason() -> None:
    story("""
    2026-06-23 10:00  invoice fails without a charge, 4900 usd
                      steps 1 2026-06-24 09:00; notice first; no alert
    """)


def test_the_latest_decline_of_a_step_decides() -> None:
    story(
        FIRST
        + """
    2026-06-24 09:00  step 1 sent; declined brand_new_code
                      steps 2 2026-06-29 09:00; notice final_warning; alert unknown_decline
    2026-06-29 09:00  step 2 sent; declined insufficient_funds
                      steps 3 2026-07-02 09:00, 4 2026-07-07 09:00; notice reminder
    """
    )


def test_c34_no_payment_method_asks_for_one_and_the_first_card_is_charged_once() -> None:
    story("""
    2026-06-23 09:00  no card
    2026-06-23 10:00  invoice fails without a charge, 4900 usd
                      state awaiting_customer; steps none; notice method_needed; pause 2026-07-07 09:00
    2026-06-25 10:00  new card card_1
                      call left; in flight 1; sent by method_updated on card_1
    2026-06-25 10:00  paid
                      state recovered; notice receipt; attempts 1
    """)


def test_c34_a_method_detached_in_the_middle_stops_the_retries() -> None:
    story(
        FIRST
        + """
    2026-06-24 09:00  step 1 sent; declined insufficient_funds
                      notice reminder
    2026-06-26 10:00  no card
                      state awaiting_customer; steps none; notice method_needed; pause 2026-07-07 09:00
    2026-06-29 09:00  nothing happens
                      attempts 1; no notice
    2026-06-30 10:00  new card card_1
                      call left; sent by method_updated on card_1
    2026-06-30 10:00  paid
                      state recovered; notice receipt
    """
    )
