"""A new card is tried on the oldest invoice first, one after another, until the first decline; nothing stands in the way for ever."""

from tests.core.world import story

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
