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
                      answered 429; because 2 attempts in 24 h
    2026-06-23 13:00  new card card_1 expiring 2031-01
                      waiting card card_1, turn 2026-06-24 10:00
    2026-06-24 09:00  nothing happens
                      attempts 1; next 2026-06-25 09:00; no notice
    2026-06-24 10:00  new card sent; paid
                      state recovered; notice receipt
    """)


# --- the run over several invoices --------------------------------------------------------------------------------------------


THREE = """
    2026-06-20 10:00  in_1: subscription sub_a
    2026-06-20 10:00  in_2: subscription sub_b
    2026-06-20 10:00  in_3: subscription sub_a
    2026-06-22 09:00  in_1: first charge fails: stolen_card, 1000 usd
                      in_1: notice method_needed
    2026-06-22 10:00  in_2: first charge fails: stolen_card, 2000 usd
                      in_2: notice method_needed
    2026-06-23 10:00  in_3: first charge fails: stolen_card, 3000 usd
                      in_3: notice method_needed
"""


def test_the_run_tries_the_oldest_invoice_first_and_each_after_the_other() -> None:
    story(
        THREE
        + """
    2026-06-24 10:00  new card card_2
                      in_1: call left; in_1: in flight 1; in_2: waiting card card_2; in_3: waiting card card_2
    2026-06-24 10:00  in_1: paid
                      in_1: state recovered; in_1: notice receipt; in_2: call left; in_2: in flight 1; in_3: attempts 0
    2026-06-24 10:00  in_2: paid
                      in_2: state recovered; in_2: notice receipt; in_3: call left; in_3: in flight 1
    2026-06-24 10:00  in_3: paid
                      in_3: state recovered; in_3: notice receipt
    """
    )


def test_the_run_stops_at_the_first_decline() -> None:
    story(
        THREE
        + """
    2026-06-24 10:00  new card card_2
                      in_1: call left
    2026-06-24 10:00  in_1: paid
                      in_1: notice receipt; in_2: call left
    2026-06-24 10:00  in_2: declined stolen_card
                      in_2: state awaiting_customer; in_3: attempts 0; in_3: waiting card none; in_3: state awaiting_customer
    2026-06-24 11:00  new card card_3
                      in_2: call left; in_3: attempts 0; in_3: waiting card card_3
    2026-06-24 11:00  in_2: paid
                      in_2: notice receipt; in_3: call left
    2026-06-24 11:00  in_3: paid
                      in_3: notice receipt
    """
    )


def test_lent_access_reverts_for_each_subscription_when_the_run_stops() -> None:
    story("""
    policy steps=1bd floor=1bd while_paused=full
    2026-06-20 10:00  in_1: subscription sub_a
    2026-06-20 10:00  in_2: subscription sub_b
    2026-06-20 10:00  in_3: subscription sub_a
    2026-06-22 10:00  in_1: first charge fails: stolen_card, 1000 usd
                      in_1: notice method_needed
    2026-06-22 10:01  in_2: first charge fails: stolen_card, 2000 usd
                      in_2: notice method_needed
    2026-06-22 10:02  in_3: first charge fails: stolen_card, 3000 usd
                      in_3: notice method_needed
    2026-06-23 10:10  nothing happens
                      in_1: access paused; in_2: access paused; in_1: notice paused; in_2: notice paused; in_3: notice paused
    2026-06-24 10:00  new card card_2
                      in_1: call left; in_1: access grace; in_2: access paused
    2026-06-24 10:00  in_1: paid
                      in_1: notice receipt; in_1: access grace; in_2: call left; in_2: access grace
    2026-06-24 10:00  in_2: declined insufficient_funds
                      in_2: access paused; in_3: access paused; in_3: attempts 0; in_3: state exhausted
    2026-06-24 12:00  in_3: paid elsewhere 3000 as ch_x
                      in_3: access granted; in_2: access paused
    """)


def test_an_older_invoice_that_is_held_does_not_stand_in_the_way() -> None:
    story(
        THREE
        + """
    2026-06-24 09:00  in_1: operator holds
    2026-06-24 10:00  new card card_2
                      in_1: attempts 0; in_2: call left; in_2: in flight 1
    2026-06-24 10:00  in_2: paid
                      in_2: notice receipt; in_3: call left
    2026-06-24 10:00  in_3: paid
                      in_3: notice receipt; in_1: attempts 0
    2026-06-24 12:00  in_1: operator releases
    2026-06-24 12:00  in_1: somebody looks
                      in_1: call left; in_1: sent by method_updated on card_2
    2026-06-24 12:00  in_1: paid
                      in_1: notice receipt
    """
    )


def test_an_invoice_given_up_long_ago_does_not_stand_in_the_way() -> None:
    story("""
    policy steps=1bd floor=1bd
    2026-01-05 10:00  in_1: first charge fails: insufficient_funds, 1000 usd
                      in_1: notice first
    2026-01-06 09:00  in_1: step 1 sent; declined insufficient_funds
    2026-01-06 10:00  nothing happens
                      in_1: state exhausted; in_1: notice paused
    2026-06-22 10:00  in_2: subscription sub_b
    2026-06-22 10:01  in_2: first charge fails: stolen_card, 2000 usd
                      in_2: notice method_needed
    2026-06-22 12:00  new card card_2
                      in_1: attempts 1; in_2: call left; in_2: in flight 1
    2026-06-22 12:00  in_2: paid
                      in_2: notice receipt; in_1: attempts 1
    """)


def test_an_invoice_that_was_paid_or_voided_gives_its_place_up() -> None:
    story(
        THREE
        + """
    2026-06-24 10:00  new card card_2
                      in_1: call left; in_2: waiting card card_2
    2026-06-24 10:00  in_2: voided
                      in_2: state closed because voided
    2026-06-24 10:01  in_1: paid
                      in_1: notice receipt; in_3: call left
    2026-06-24 10:02  in_3: paid
                      in_3: notice receipt
    """
    )


def test_a_step_that_uses_the_new_card_first_does_not_stall_the_run() -> None:
    # The second invoice waits for its turn; its own step comes due meanwhile and tries the very same card.
    story("""
    2026-06-20 10:00  in_2: subscription sub_b
    2026-06-20 10:00  in_3: subscription sub_c
    2026-06-22 10:00  in_1: first charge fails: stolen_card, 1000 usd
                      in_1: notice method_needed
    2026-06-22 10:01  in_2: first charge fails: insufficient_funds, 2000 usd
                      in_2: notice first
    2026-06-22 10:02  in_3: first charge fails: stolen_card, 3000 usd
                      in_3: notice method_needed
    2026-06-23 08:00  new card card_2
                      in_1: call left
    2026-06-23 08:01  in_1: pending
                      in_1: in flight 1 pending
    2026-06-23 09:00  in_2: step 1 sent; paid
                      in_2: state recovered; in_2: notice receipt; in_3: attempts 0
    2026-06-24 09:00  in_1: paid
                      in_1: notice receipt; in_3: call left
    2026-06-24 09:00  in_3: paid
                      in_3: notice receipt
    """)
    story("""
    2026-06-20 10:00  in_2: subscription sub_b
    2026-06-20 10:00  in_3: subscription sub_c
    2026-06-22 10:00  in_1: first charge fails: stolen_card, 1000 usd
                      in_1: notice method_needed
    2026-06-22 10:01  in_2: first charge fails: insufficient_funds, 2000 usd
                      in_2: notice first
    2026-06-22 10:02  in_3: first charge fails: stolen_card, 3000 usd
                      in_3: notice method_needed
    2026-06-23 08:00  new card card_2
                      in_1: call left
    2026-06-23 08:01  in_1: pending
    2026-06-23 09:00  in_2: step 1 sent; declined insufficient_funds
                      in_2: notice reminder; in_3: waiting card none
    2026-06-24 09:00  in_1: paid
                      in_1: notice receipt; in_3: attempts 0; in_3: waiting card none
    """)


# --- invoices that come while access is paused ------------------------------------------------------------------------------


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
