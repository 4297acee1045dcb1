"""Backup methods: where the default one fails, those that the customer agreed to have their turn, in order, once each, and spend no step."""

from tests.core.world import story

ON = """
    policy backup_methods=yes
    2026-06-23 10:00  backup card_2; backup card_3, not agreed to; backup card_4
"""
FAILS = ON + "    2026-06-23 10:00  first charge fails: {code}, 4900 usd\n"


def failing(code: str) -> str:
    return FAILS.format(code=code)


def test_a_backup_is_charged_at_once_and_spends_no_step() -> None:
    story(
        failing("insufficient_funds")
        + """
                      call left; sent by backup on card_2; in flight 1; no notice
    2026-06-23 10:01  paid
                      state recovered; steps used 0; access granted; notice receipt
    """
    )


def test_the_next_one_has_its_turn_and_each_only_once_in_a_round() -> None:
    story(
        failing("insufficient_funds")
        + """
                      call left; sent by backup on card_2
    2026-06-23 10:01  declined do_not_honor
                      call left; sent by backup on card_4; steps used 0
    2026-06-23 10:02  declined lost_card
                      state scheduled; next 2026-06-24 09:00; steps used 0; notice first; attempts 2
    2026-06-24 09:00  step 1 sent
                      sent by timer on card_1
    2026-06-24 09:01  declined insufficient_funds
                      attempts 3; next 2026-06-29 09:00; notice reminder
    """
    )


def test_nobody_is_asked_for_a_card_while_a_backup_may_pay() -> None:
    story(
        failing("stolen_card")
        + """
                      call left; sent by backup on card_2; state awaiting_customer; no notice
    2026-06-23 10:01  paid
                      state recovered; notice receipt
    """
    )
    story(
        failing("stolen_card")
        + """
                      call left; no notice
    2026-06-23 10:01  declined insufficient_funds
                      call left; no notice
    2026-06-23 10:02  declined insufficient_funds
                      state awaiting_customer; notice method_needed; attempts 2
    """
    )


def test_without_the_policy_s_word_nothing_but_the_default_is_charged() -> None:
    story(
        failing("insufficient_funds").replace("policy backup_methods=yes", "policy backup_methods=no")
        + "\n notice first; attempts 0\n"
    )


def test_a_backup_that_the_issuer_stopped_or_whose_card_is_full_is_passed_over() -> None:
    story(
        ON.replace("backup_methods=yes", "backup_methods=yes card_attempts_24h_max=1")
        + """
    2026-06-23 10:00  in_2: subscription sub_2
    2026-06-23 10:00  in_2: first charge fails: insufficient_funds, 1000 usd
                      in_2: call left; in_2: sent by backup on card_2
    2026-06-23 10:01  in_2: declined stolen_card
                      in_2: call left; in_2: sent by backup on card_4
    2026-06-23 10:02  in_2: declined insufficient_funds
                      in_2: notice first
    2026-06-23 12:00  in_1: first charge fails: insufficient_funds, 4900 usd
                      in_1: attempts 0; in_1: notice first
    """
    )


def test_backups_wait_while_sending_is_stopped_and_notices_do_not_wait_for_that() -> None:
    story(
        ON
        + """
    2026-06-23 10:00  charges are stopped; first charge fails: insufficient_funds, 4900 usd
                      attempts 0; notice first
    2026-06-23 10:12  nothing is stopped
                      attempts 0
    2026-06-23 10:15  nothing happens
                      call left; sent by backup on card_2
    2026-06-23 10:16  paid
                      notice receipt
    """
    )


def test_a_backup_whose_turn_was_spoilt_before_it_was_sent_has_it_again() -> None:
    story(
        failing("insufficient_funds")
        + """
                      call left
    2026-06-23 10:00  credited 1000; the gate closes: 3900 usd is due, not 4900 usd
                      attempt 1 withdrawn; in flight none
    2026-06-23 10:01  nothing happens
                      call left; sent by backup on card_2; in flight 2; attempt 2 None, key dunr-in_1-a2, amount 3900
    2026-06-23 10:02  refused bad_request
                      alert request_refused; holds processor
    2026-06-23 12:00  operator releases
                      call left; sent by backup on card_4
    2026-06-23 12:01  paid
                      state recovered; notice receipt
    """
    )


def test_a_customer_who_chose_their_card_is_not_charged_by_another() -> None:
    story(
        failing("insufficient_funds")
        + """
                      call left
    2026-06-23 10:01  declined insufficient_funds
                      call left
    2026-06-23 10:02  declined insufficient_funds
                      notice first
    2026-06-23 11:00  backup card_5; payer clicks pay now; attempt 3 sent; declined insufficient_funds
                      answered 202; attempts 3
    2026-06-24 09:00  step 1 sent; declined insufficient_funds
                      call left; sent by backup on card_5
    2026-06-24 09:01  paid
                      notice receipt
    """
    )


def test_a_held_case_gives_its_backups_their_turn_when_it_is_released() -> None:
    story(
        ON
        + """
    2026-06-23 10:00  first charge fails: insufficient_funds, 4900 usd, unseen
    2026-06-23 10:05  the webhook arrives
                      call left
    2026-06-23 10:05  declined insufficient_funds
                      call left
    2026-06-23 10:06  operator holds; declined insufficient_funds
                      attempts 2; holds operator
    2026-06-23 10:07  operator releases
                      attempts 2; notice first
    """
    )


def test_a_backup_that_is_being_charged_for_another_invoice_is_waited_for() -> None:
    story(
        ON
        + """
    2026-06-23 10:00  in_2: subscription sub_2
    2026-06-23 10:00  in_2: first charge fails: insufficient_funds, 1000 usd
                      in_2: call left; in_2: sent by backup on card_2
    2026-06-23 10:00  in_1: first charge fails: insufficient_funds, 4900 usd
                      in_1: attempts 0; in_1: no notice
    2026-06-23 10:00:03  in_2: paid
                      in_2: notice receipt; in_1: attempts 0
    2026-06-23 10:00:05  nothing happens
                      in_1: call left; in_1: sent by backup on card_2
    2026-06-23 10:00:06  in_1: paid
                      in_1: notice receipt
    """
    )


def test_a_notice_does_not_wait_for_a_backup_that_has_to_wait_long() -> None:
    story(
        ON
        + """
    2026-06-23 10:00  charge ch_p is pending
    2026-06-23 10:00  first charge fails: insufficient_funds, 4900 usd
                      attempts 0; notice first
    """
    )
