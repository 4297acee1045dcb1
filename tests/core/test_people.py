"""What operators and payers ask for: granted through the same gate, or answered with the reason why not."""

import pytest

from tests.core.world import story

FIRST = """
    2026-06-23 10:00  first charge fails: insufficient_funds, 4900 usd
                      notice first
"""


def test_pay_now_is_answered_at_once() -> None:
    story(
        FIRST
        + """
    2026-06-23 11:00  payer clicks pay now; attempt 1 sent
                      answered 202; sent by customer on card_1
    2026-06-23 11:00  payer clicks pay now
                      answered 409; because Already processing
    2026-06-23 11:00  operator retries
                      answered 409
    2026-06-23 11:01  paid
                      state recovered; notice receipt
    2026-06-23 11:02  payer clicks pay now
                      answered 409; because Nothing is to be paid
    """
    )


def test_an_operator_s_try_spends_no_step() -> None:
    story(
        FIRST
        + """
    2026-06-23 11:00  operator retries; attempt 1 sent; declined insufficient_funds
                      sent by operator on card_1; steps used 0; next 2026-06-24 09:00; no notice
    """
    )


def test_a_hard_decline_of_a_click_stops_the_series() -> None:
    story(
        FIRST
        + """
    2026-06-23 11:00  payer clicks pay now; attempt 1 sent; declined stolen_card
                      state awaiting_customer; steps none; notice method_needed; steps used 0
    2026-06-23 11:05  payer clicks pay now
                      answered 409; because this credential was stopped
    2026-07-07 09:00  nothing happens
                      access paused; notice paused; attempts 1
    """
    )


def test_a_hard_decline_on_one_invoice_stops_the_series_of_another_with_the_same_card() -> None:
    story("""
    2026-06-22 10:00  in_1: first charge fails: insufficient_funds, 1000 usd
                      in_1: notice first
    2026-06-22 11:00  in_2: first charge fails: stolen_card, 2000 usd
                      in_2: notice method_needed; in_1: state scheduled
    2026-06-23 09:00  nothing happens
                      in_1: state awaiting_customer; in_1: attempts 0; in_1: steps none; in_1: notice method_needed
    2026-07-06 09:00  nothing happens
                      in_1: access paused; in_1: notice paused; in_2: access paused; in_2: notice paused
    """)


@pytest.mark.parametrize(
    ("before", "answer"),
    [
        ("charges are stopped", "answered 409; because Sending is stopped"),
        ("operator holds", "answered 409; because held"),
        ("collected by mail", "answered 409; because collected by mail"),
        ("charge ch_p is pending", "answered 409; because pending"),
    ],
)
def test_a_wish_that_cannot_be_granted_is_answered_and_leaves_no_trace(before: str, answer: str) -> None:
    story(
        FIRST
        + f"""
    2026-06-23 11:00  {before}
    2026-06-23 11:00  payer clicks pay now
                      {answer}; attempts 0; wakes {"none" if before == "operator holds" else "2026-06-24 09:00"}
    """
    )


def test_pay_now_without_a_card() -> None:
    story(
        FIRST
        + """
    2026-06-23 11:00  no card; payer clicks pay now
                      answered 409; because no payment method; notice method_needed
    """
    )


def test_a_click_while_the_card_is_used_for_another_invoice() -> None:
    story(
        FIRST
        + """
    2026-06-23 10:30  in_2: first charge fails: insufficient_funds, 4900 usd
                      in_2: notice first
    2026-06-23 11:00  payer clicks pay now; attempt 1 sent
                      answered 202
    2026-06-23 11:00  in_2: payer clicks pay now
                      answered 409; because another attempt on this card
    2026-06-23 11:01  attempt 1 paid
                      notice receipt; in_2: attempts 0
    2026-06-23 11:02  in_2: payer clicks pay now; attempt 1 sent; paid
                      answered 202; in_2: notice receipt
    """
    )


def test_two_steps_of_one_card_at_the_same_time_go_one_after_the_other() -> None:
    story(
        FIRST
        + """
    2026-06-23 10:30  in_2: first charge fails: insufficient_funds, 4900 usd
                      in_2: notice first
    2026-06-24 09:00  step 1 sent
                      in_2: attempts 0
    2026-06-24 09:00:03  paid
                      notice receipt; in_2: attempts 0
    2026-06-24 09:00:06  in_2: step 1 sent; paid
                      in_2: state recovered; in_2: notice receipt
    """
    )


def test_an_attempt_whose_card_is_used_by_another_is_sent_again_a_little_later() -> None:
    story(
        FIRST
        + """
    2026-06-23 10:30  in_2: first charge fails: insufficient_funds, 4900 usd
                      in_2: notice first
    2026-06-24 09:00  step 1 sent; not now for 60 s
                      in flight 1
    2026-06-24 09:00:05  in_2: step 1 sent
    2026-06-24 09:02:30  in_2: paid
                      in_2: notice receipt; in_1: in flight 1
    2026-06-24 09:02:40  sent again; paid
                      notice receipt
    """
    )


# --- holds, postponements, promises, deadlines ---------------------------------------------------------------------------------


def test_holds_are_released_each_alone() -> None:
    story(
        FIRST
        + """
    2026-06-23 11:00  operator holds
    2026-06-23 11:01  operator holds until 2026-06-26 12:00
                      holds operator, operator
    2026-06-26 12:00  nothing happens
                      holds operator; attempts 0
    2026-06-26 13:00  operator releases
                      holds none; steps 1 2026-06-29 09:00, 2 2026-07-02 09:00, 3 2026-07-07 09:00, 4 2026-07-10 09:00
                      notice first
    2026-06-29 09:00  step 1 sent; paid
                      notice receipt
    2026-06-29 10:00  operator holds
                      answered 409
    """
    )


def test_an_exhausted_case_that_is_held_is_not_paused_until_it_is_released() -> None:
    story("""
    policy steps=1bd floor=1bd
    2026-06-23 10:00  first charge fails: insufficient_funds, 4900 usd
                      notice first
    2026-06-24 09:00  step 1 sent; declined insufficient_funds; operator holds
                      state exhausted; holds operator
    2026-06-25 09:00  nothing happens
                      access grace
    2026-06-25 10:00  operator releases
                      access paused; notice paused
    """)


def test_holds_of_one_instant_are_released_one_by_one() -> None:
    story(
        FIRST
        + """
    2026-06-23 11:00  operator holds; operator holds; operator holds
                      holds operator, operator, operator
    2026-06-23 12:00  operator releases operator-2026-06-23T11:00:00+00:00-2
                      holds operator, operator
    2026-06-23 12:00  operator releases operator-2026-06-23T11:00:00+00:00
                      holds operator
    2026-06-23 12:00  operator holds until 2026-06-23 12:00
                      answered 422; holds operator
    """
    )


def test_c60d_a_postponed_step_is_snapped_again() -> None:
    story("""
    2026-06-27 10:00  first charge fails: insufficient_funds, 4900 usd
                      steps 1 2026-06-29 09:00, 2 2026-07-02 09:00, 3 2026-07-07 09:00, 4 2026-07-10 09:00
    2026-06-29 09:00  step 1 sent; declined insufficient_funds
                      notices first, reminder
    2026-07-02 09:00  step 2 sent; declined insufficient_funds
                      notice reminder
    2026-07-07 09:00  step 3 sent; declined insufficient_funds
                      notice final_warning; next 2026-07-10 09:00
    2026-07-08 10:00  operator postpones to 2026-07-11 09:00
                      answered 202; steps 4 2026-07-13 09:00; pause 2026-07-13 09:00; notice final_warning
    2026-07-13 09:00  step 4 sent; declined insufficient_funds
                      attempts 4; access paused; notice paused
    """)


def test_a_postponement_looks_forward_only() -> None:
    story(
        FIRST
        + """
    2026-06-23 11:00  operator postpones to 2026-06-24 08:00
                      answered 422; next 2026-06-24 09:00
    2026-06-23 11:00  operator postpones to 2026-06-25 09:00
                      answered 202; steps 1 2026-06-25 09:00, 2 2026-06-30 09:00, 3 2026-07-03 09:00, 4 2026-07-08 09:00; no notice
    2026-06-25 09:00  step 1 sent; operator postpones to 2026-06-29 09:00
                      answered 409
    """
    )


def test_a_deadline_is_only_extended() -> None:
    story(
        FIRST
        + """
    2026-06-23 11:00  operator extends to 2026-07-01 09:00
                      answered 422; pause 2026-07-07 09:00
    2026-06-23 11:00  operator extends to 2026-07-20 09:00
                      answered 202; pause 2026-07-20 09:00
    2026-06-24 09:00  step 1 sent; declined insufficient_funds
                      notice reminder; pause 2026-07-20 09:00
    2026-06-29 09:00  step 2 sent; declined stolen_card
                      notice method_needed; pause 2026-07-20 09:00
    2026-07-20 09:00  nothing happens
                      access paused; notice paused
    2026-07-20 10:00  operator extends to 2026-08-01 09:00
                      answered 409
    """
    )


def test_releasing_a_hold_brings_no_look_up_forward_where_each_attempt_is_called_once() -> None:
    story(
        """
    2026-06-23 10:00  first charge fails: insufficient_funds, 4900 usd
                      notice first
    2026-06-24 09:00  step 1 sent; no answer
                      wakes 2026-06-24 09:01
    2026-06-24 09:00:10  operator holds
                      holds operator
    2026-06-24 09:00:20  operator releases
                      holds none; attempts 1; wakes 2026-06-24 09:01
    """
    )
