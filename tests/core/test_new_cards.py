"""A new card: tried once on each open invoice, oldest first, until the first decline; access is lent meanwhile."""

from tests.core.world import story

FIRST = """
    2026-06-23 10:00  first charge fails: insufficient_funds, 4900 usd
                      notice first
"""

EXHAUSTED = """
    policy steps=1bd floor=1bd
    2026-06-23 10:00  first charge fails: insufficient_funds, 4900 usd
                      notice first
    2026-06-24 09:00  step 1 sent; declined insufficient_funds
    2026-06-24 10:00  nothing happens
                      state exhausted; access paused; notice paused
"""


def test_c48a_the_new_card_is_charged_at_once_and_named_explicitly() -> None:
    story(
        FIRST
        + """
    2026-06-24 09:00  step 1 sent; declined insufficient_funds
                      notice reminder
    2026-06-25 14:00  new card card_2
                      call left; sent by method_updated on card_2; in flight 2
    2026-06-25 14:00  paid
                      state recovered; access granted; next none; notice receipt; steps used 1
    """
    )


def test_c48a_a_paused_customer_gets_access_back_with_the_attempt_s_intent() -> None:
    story(
        EXHAUSTED
        + """
    2026-06-25 14:00  new card card_2
                      call left; access grace; told of access grace
    2026-06-25 14:00  paid
                      state recovered; access granted; notice receipt
    """
    )


def test_c48c_the_new_card_declines_and_access_is_as_it_was() -> None:
    story(
        EXHAUSTED
        + """
    2026-06-25 14:00  new card card_2
                      call left; access grace
    2026-06-25 14:00  declined insufficient_funds
                      state exhausted; access paused; steps used 1; no notice
    2026-06-25 15:00  new card card_1
                      attempts 2; access paused
    2026-06-25 16:00  new card card_2
                      attempts 2; access paused
    2026-06-25 17:00  new card card_2 expiring 2031-01
                      call left; attempts 3; access grace
    2026-06-25 17:00  paid
                      state recovered; access granted; notice receipt
    """
    )


def test_c48c_the_automatic_attempts_are_not_spent_and_the_next_retry_uses_the_new_card() -> None:
    story(
        FIRST
        + """
    2026-06-23 14:00  new card card_2
                      call left; sent by method_updated on card_2
    2026-06-23 14:00  declined insufficient_funds
                      steps used 0; next 2026-06-24 09:00; no notice
    2026-06-24 09:00  step 1 sent
                      sent by timer on card_2; steps used 0
    2026-06-24 09:00  declined insufficient_funds
                      steps used 1; notice reminder
    """
    )


def test_restore_on_payment_lends_nothing() -> None:
    story(
        EXHAUSTED.replace("policy steps", "policy restore_on=payment steps")
        + """
    2026-06-25 14:00  new card card_2
                      call left; access paused
    2026-06-25 14:00  paid
                      access granted; notice receipt
    """
    )


def test_a_slow_debit_lends_nothing_and_a_pending_answer_ends_the_loan() -> None:
    story(
        EXHAUSTED
        + """
    2026-06-25 14:00  new card bank_1 on sepa
                      call left; access paused
    2026-06-25 14:01  pending
                      access paused; in flight 2 pending
    """
    )
    story(
        EXHAUSTED
        + """
    2026-06-25 14:00  new card card_2
                      call left; access grace
    2026-06-25 14:01  pending
                      access paused; in flight 2 pending
    2026-06-27 14:01  paid
                      access granted; state recovered; notice receipt
    """
    )


# --- while an attempt is in flight ------------------------------------------------------------------------------------------


def test_a_card_that_comes_while_an_attempt_is_in_flight_waits_and_the_newest_wins() -> None:
    story(
        FIRST
        + """
    2026-06-24 09:00  step 1 sent
    2026-06-24 09:01  new card card_2
                      waiting card card_2; attempts 1
    2026-06-24 09:02  new card card_3
                      waiting card card_3; attempts 1
    2026-06-24 09:03  declined insufficient_funds
                      call left; sent by method_updated on card_3; waiting card none; notice reminder; steps used 1
    2026-06-24 09:04  paid
                      state recovered; notice receipt; attempts 2
    """
    )


def test_a_waiting_card_is_dropped_on_success() -> None:
    story(
        FIRST
        + """
    2026-06-24 09:00  step 1 sent
    2026-06-24 09:01  new card card_2
    2026-06-24 09:03  paid
                      state recovered; waiting card none; attempts 1; notice receipt
    """
    )


def test_a_waiting_card_has_its_turn_after_a_part_payment() -> None:
    story(
        FIRST
        + """
    2026-06-24 09:00  step 1 sent
    2026-06-24 09:01  new card card_2
    2026-06-24 09:03  paid 1900
                      call left; sent by method_updated on card_2; attempt 2 None, key dunr-in_1-a2, amount 3000
                      notice reminder
    2026-06-24 09:04  paid
                      state recovered; notice receipt
    """
    )


def test_a_waiting_card_has_its_turn_after_a_refusal_was_released() -> None:
    story(
        FIRST
        + """
    2026-06-24 09:00  step 1 sent
    2026-06-24 09:01  new card card_2
    2026-06-24 09:03  refused bad_request
                      alert request_refused; holds processor; attempts 1
    2026-06-24 12:00  operator releases; somebody looks
                      call left; sent by method_updated on card_2; attempts 2
    2026-06-24 12:01  paid
                      state recovered; notice receipt
    """
    )


def test_a_new_card_that_was_not_charged_keeps_its_turn() -> None:
    story(
        FIRST
        + """
    2026-06-23 14:00  new card card_2
                      call left; in flight 1
    2026-06-23 14:00  credited 1000; the gate closes: 3900 usd is due, not 4900 usd
                      attempt 1 withdrawn; waiting card card_2, turn 2026-06-23 14:01; in flight none
    2026-06-23 14:01  nothing happens
                      call left; in flight 2; attempt 2 None, key dunr-in_1-a2, amount 3900
    2026-06-23 14:01  paid
                      state recovered; notice receipt
    """
    )


def test_a_refused_request_for_a_new_card_is_made_again_when_the_hold_has_gone() -> None:
    story("""
    2026-06-23 10:00  first charge fails: stolen_card, 4900 usd
                      notice method_needed
    2026-06-23 14:00  new card card_2; new card sent; refused bad_request
                      alert request_refused; attempt 1 refused; holds processor; state awaiting_customer
    2026-06-23 15:00  operator releases; somebody looks
                      call left; sent by method_updated on card_2; attempts 2
    2026-06-23 15:00  paid
                      state recovered; notice receipt
    """)


def test_a_card_waits_while_sending_is_stopped_and_until_its_caps_allow_it() -> None:
    story(
        FIRST
        + """
    2026-06-23 11:00  charges are stopped; new card card_2
                      waiting card card_2; attempts 0
    2026-06-23 12:02  nothing is stopped
                      attempts 0
    2026-06-23 12:05  new card sent; paid
                      state recovered; notice receipt
    """
    )
    story("""
    policy card_attempts_24h_max=2
    2026-06-23 10:00  first charge fails: insufficient_funds, 4900 usd
                      notice first
    2026-06-23 11:00  payer clicks pay now; attempt 1 sent; declined insufficient_funds
                      answered 202
    2026-06-23 12:00  payer clicks pay now
                      answered 429; because 2 attempts on one card in 24 hours
    2026-06-23 13:00  new card card_1 expiring 2031-01
                      waiting card card_1, turn 2026-06-24 10:00
    2026-06-24 09:00  nothing happens
                      attempts 1; next 2026-06-25 09:00; no notice
    2026-06-24 10:00  new card sent; paid
                      state recovered; notice receipt
    """)


def test_a_new_card_waits_until_an_earlier_try_at_the_bank_is_cancelled_and_that_confirmed() -> None:
    story(
        FIRST
        + """
    2026-06-24 09:00  step 1 sent; declined authentication_required with intent pi_1
                      notice confirm_with_bank
    2026-06-24 12:00  new card card_2
                      cancellation asked; attempts 1
    2026-06-24 12:00  intent pi_1 is cancelled
    2026-06-24 12:02  nothing happens
                      call left; sent by method_updated on card_2; in flight 2
    2026-06-24 12:02  paid
                      state recovered; notice receipt
    """
    )


def test_access_is_not_lent_any_longer_for_a_card_that_was_taken_away_before_it_could_be_charged() -> None:
    story(
        EXHAUSTED
        + """
    2026-06-25 14:00  new card card_2
                      call left; access grace; told of access grace
    2026-06-25 14:00  no answer
    2026-06-25 14:00  no card
    2026-06-25 14:00  look-ups find nothing
    2026-06-25 15:00  nothing happens
                      access paused; told of access paused; in flight none
    """
    )
