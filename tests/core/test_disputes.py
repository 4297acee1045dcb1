"""A dispute holds the cases of its card; on its own invoice it is a matter for the ledger and for a person."""

from tests.core.world import story

RECOVERED_THEN_DISPUTED = """
    2026-06-01 10:00  in_5: first charge fails: insufficient_funds, 4900 usd
                      in_5: notice first
    2026-06-02 09:00  in_5: step 1 sent; declined insufficient_funds
                      in_5: notice reminder
    2026-06-05 09:00  in_5: step 2 sent; paid
                      in_5: state recovered; in_5: notice receipt
    2026-06-13 09:00  dispute dp_1 on ch_a2_in_5 of in_5, card card_1
                      in_5: state recovered; alert disputed; no notice
                      in_5: booked opened 4900, recovered 4900, disputed 4900
    2026-06-15 10:00  in_6: first charge fails: insufficient_funds, 4900 usd
                      in_6: state awaiting_customer; in_6: holds dispute; alert disputed; no notice; in_6: access grace
"""


def test_c42_a_lost_dispute_keeps_the_card_from_being_charged() -> None:
    story(
        RECOVERED_THEN_DISPUTED
        + """
    2026-07-15 10:00  nothing happens
                      in_6: attempts 0; no notice; in_6: access grace
    2026-07-31 10:00  dispute dp_1 lost
                      in_6: holds dispute; in_6: attempts 0; in_5: state recovered
                      in_5: booked opened 4900, recovered 4900, disputed 4900
    2026-08-01 10:00  in_6: operator releases
                      in_6: holds none; in_6: steps none; in_6: state awaiting_customer
    2026-08-03 12:00  nothing happens
                      in_6: attempts 0; in_6: access grace; in_6: notice method_needed
    2026-08-03 13:00  in_6: new card card_2; attempt 1 sent; paid
                      in_6: state recovered; in_6: notice receipt
    """
    )


def test_c42_an_inquiry_that_closes_is_no_loss_and_dunning_goes_on() -> None:
    story(
        RECOVERED_THEN_DISPUTED
        + """
    2026-06-16 08:30  dispute dp_1 warning_closed
                      in_6: holds none; in_6: state scheduled; no notice
                      in_6: steps 1 2026-06-16 09:00, 2 2026-06-19 09:00, 3 2026-06-24 09:00, 4 2026-06-29 09:00
                      in_5: state recovered; in_5: booked opened 4900, recovered 4900, disputed 4900, reinstated 4900
    2026-06-16 09:00  in_6: step 1 sent; paid
                      in_6: notice receipt
    """
    )


def test_c42_the_funds_are_reinstated_once() -> None:
    story(
        RECOVERED_THEN_DISPUTED
        + """
    2026-06-16 08:30  dispute dp_1 won
                      in_6: holds none; in_6: state scheduled; no notice
                      in_5: booked opened 4900, recovered 4900, disputed 4900
    2026-06-16 08:31  dispute dp_1 won, funds are back
                      in_5: booked opened 4900, recovered 4900, disputed 4900, reinstated 4900
    2026-06-16 08:32  in_5: somebody looks
                      in_5: booked opened 4900, recovered 4900, disputed 4900, reinstated 4900
    2026-06-16 09:00  in_6: step 1 sent; paid
                      in_6: notice receipt
    """
    )


def test_a_dispute_on_the_card_holds_a_case_in_the_middle_and_its_missed_steps_are_not_caught_up() -> None:
    story("""
    2026-06-01 10:00  in_5: first charge fails: insufficient_funds, 4900 usd
                      in_5: notice first
    2026-06-02 09:00  in_5: step 1 sent; paid
                      in_5: notice receipt
    2026-06-23 10:00  first charge fails: insufficient_funds, 4900 usd
                      notice first
    2026-06-24 09:00  step 1 sent; declined insufficient_funds
                      notice reminder
    2026-06-25 09:00  dispute dp_1 on ch_a1_in_5 of in_5, card card_1
                      holds dispute; alerts disputed, disputed; state scheduled
    2026-07-03 12:00  dispute dp_1 won, funds are back
                      holds none; attempts 1
                      steps 2 2026-07-06 09:00, 3 2026-07-09 09:00, 4 2026-07-14 09:00
                      notice reminder
    """)


def test_a_dispute_that_is_first_seen_when_it_is_over_is_no_loss() -> None:
    story("""
    2026-06-01 10:00  first charge fails: insufficient_funds, 4900 usd
                      notice first
    2026-06-02 09:00  step 1 sent; paid
                      notice receipt
    2026-06-13 09:00  dispute dp_1 on ch_a1_in_1 of in_1, card card_1 (unseen); dispute dp_1 warning_closed
                      alert disputed; booked opened 4900, recovered 4900, disputed 4900, reinstated 4900; holds none
    2026-06-14 09:00  dispute dp_2 on ch_a1_in_1 of in_1, card card_1 (unseen); dispute dp_2 won, funds are back
                      alert disputed
                      booked opened 4900, recovered 4900, disputed 4900, reinstated 4900, disputed 4900, reinstated 4900
    """)


def test_a_part_of_an_open_invoice_is_disputed() -> None:
    story("""
    2026-06-23 10:00  first charge fails: insufficient_funds, 4900 usd
                      notice first
    2026-06-23 11:00  paid elsewhere 1900 as ch_part
    2026-06-23 12:00  dispute dp_1 on ch_part of in_1, card card_9
                      holds dispute; alert disputed; booked opened 4900, part_paid 1900, disputed 1900
    2026-06-30 12:00  nothing happens
                      attempts 0; no notice
    """)


def test_a_dispute_on_another_card_and_another_invoice_holds_nothing() -> None:
    story("""
    2026-06-01 10:00  in_5: first charge fails: insufficient_funds, 4900 usd
                      in_5: notice first
    2026-06-02 09:00  in_5: step 1 sent; paid
                      in_5: notice receipt
    2026-06-23 09:00  no card
    2026-06-23 09:01  new card card_2
    2026-06-23 10:00  first charge fails: insufficient_funds, 4900 usd
                      notice first
    2026-06-23 11:00  no card (unseen); new card card_2 (unseen); dispute dp_1 on ch_a1_in_5 of in_5, card card_9
                      holds none; in_5: holds none; alert disputed; next 2026-06-24 09:00
    """)


RECOVERED_DISPUTED_AND_RETURNED = """
    2026-06-23 10:00  first charge fails: insufficient_funds, 4900 usd
                      notice first
    2026-06-24 09:00  step 1 sent; paid
                      state recovered; notice receipt
    2026-06-27 09:00  dispute dp_1 on ch_a1_in_1 of in_1, card card_1
                      state recovered; alert disputed; holds none
    2026-06-30 10:00  ch_a1_in_1 returned insufficient_funds
                      state awaiting_customer; holds dispute; steps none; alert payment_returned; no notice; access grace
"""


def test_a_debit_that_comes_back_while_it_is_disputed_is_held_from_the_start() -> None:
    story(
        RECOVERED_DISPUTED_AND_RETURNED
        + """
    2026-07-20 10:00  dispute dp_1 lost
                      holds dispute; attempts 1; access grace
    2026-09-01 10:00  nothing happens
                      holds dispute; attempts 1; access grace
    2026-09-01 10:01  operator releases
                      holds none; state awaiting_customer; notice method_needed
    2026-09-02 10:00  new card card_1
                      attempts 1; state awaiting_customer
    2026-09-02 11:00  new card card_2; attempt 2 sent; paid
                      state recovered; notice receipt
    """
    )


def test_a_debit_that_comes_back_while_it_is_disputed_goes_on_when_the_dispute_is_won() -> None:
    story(
        RECOVERED_DISPUTED_AND_RETURNED
        + """
    2026-07-20 10:00  dispute dp_1 won, funds are back
                      holds none; state scheduled; next 2026-07-21 09:00; notice first
    """
    )


def test_a_plan_that_stood_while_its_card_was_disputed_has_no_steps_when_only_a_person_ends_the_hold() -> None:
    story(
        """
    2026-06-23 10:00  first charge fails: insufficient_funds, 4900 usd
                      notice first
    2026-06-23 11:00  paid elsewhere 1900 as ch_part
    2026-06-23 12:00  dispute dp_1 on ch_part of in_1, card card_1
                      holds dispute; alert disputed
    2026-06-23 13:00  dispute dp_1 lost
                      holds dispute; next 2026-06-24 09:00
    2026-06-23 14:00  operator releases
                      holds none; attempts 0; steps none; state awaiting_customer; notice method_needed
    """
    )


def test_a_default_that_is_disputed_again_is_not_charged_when_its_step_is_due() -> None:
    story(
        RECOVERED_THEN_DISPUTED
        + """
    2026-06-16 10:00  in_6: new card card_2
                      in_6: holds dispute; in_6: attempts 0
    2026-06-16 11:00  in_6: operator releases
                      in_6: next 2026-06-17 09:00; in_6: notice first
    2026-06-16 12:00  in_6: new card card_1
                      in_6: attempts 0
    2026-06-17 09:00  nothing happens
                      in_6: attempts 0; in_6: steps none; in_6: state awaiting_customer; in_6: notice method_needed
    """
    )
