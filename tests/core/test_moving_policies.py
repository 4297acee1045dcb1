"""An operator moves a case to another policy: used steps count, and nothing that was told is brought forward."""

from tests.core.world import story

FIRST = """
    2026-06-23 10:00  first charge fails: insufficient_funds, 4900 usd
                      notice first
"""


def test_a_moved_policy_counts_the_used_steps_and_never_brings_a_told_pause_forward() -> None:
    story(
        FIRST
        + """
    2026-06-24 09:00  step 1 sent; declined insufficient_funds
                      notice reminder
    2026-06-29 09:00  step 2 sent; declined insufficient_funds
                      notice reminder
    2026-07-02 09:00  step 3 sent; declined insufficient_funds
                      notice final_warning; pause 2026-07-07 09:00
    2026-07-03 09:00  operator moves the policy to steps=1bd,1bd,1bd,1bd floor=1bd
                      answered 202; steps 4 2026-07-07 09:00; pause 2026-07-07 09:00; no notice
    2026-07-07 09:00  step 4 sent; declined insufficient_funds
                      access paused; notice paused
    """
    )


def test_a_shorter_policy_makes_the_next_step_the_last_and_says_so() -> None:
    story(
        FIRST
        + """
    2026-06-24 09:00  step 1 sent; declined insufficient_funds
                      notice reminder
    2026-06-25 09:00  operator moves the policy to steps=1bd,3bd floor=1bd
                      steps 2 2026-06-29 09:00; pause 2026-06-29 09:00; notice final_warning
    2026-06-29 09:00  step 2 sent; declined insufficient_funds
                      access paused; notice paused
    """
    )


def test_a_told_date_stays_and_the_steps_after_it_follow_it() -> None:
    story(
        FIRST
        + """
    2026-06-24 09:00  step 1 sent; declined insufficient_funds
                      notice reminder; next 2026-06-29 09:00
    2026-06-24 10:00  operator moves the policy to steps=1bd,1bd,1bd,1bd floor=1bd
                      steps 2 2026-06-29 09:00, 3 2026-06-30 09:00, 4 2026-07-01 09:00; pause 2026-07-01 09:00
    """
    )


def test_a_policy_with_no_steps_left_ends_the_plan() -> None:
    story(
        FIRST
        + """
    2026-06-24 09:00  step 1 sent; declined insufficient_funds
                      notice reminder
    2026-06-25 09:00  operator moves the policy to steps=1bd floor=1bd
                      state exhausted; notice method_needed; access grace
    2026-06-26 09:00  nothing happens
                      access paused; notice paused
    2026-06-26 10:00  operator moves the policy to steps=3bd final_action=none
                      answered 202; state exhausted; access paused
    2026-06-27 10:00  paid elsewhere 4900 as ch_x; operator moves the policy to steps=3bd
                      answered 409; access granted
    """
    )


def test_a_case_that_waits_to_pause_can_be_moved_to_a_policy_that_does_not() -> None:
    story("""
    policy steps=1bd floor=5bd
    2026-06-23 10:00  first charge fails: insufficient_funds, 4900 usd
                      notice first
    2026-06-24 09:00  step 1 sent; declined insufficient_funds
                      state exhausted; pause 2026-06-30 09:00
    2026-06-25 09:00  operator moves the policy to steps=1bd floor=5bd final_action=none
                      state exhausted
    2026-07-30 09:00  nothing happens
                      access grace; no notice
    """)


def test_a_pause_date_that_was_told_is_not_brought_forward_by_a_shorter_deadline() -> None:
    story("""
    policy steps=1bd deadline_days=14
    2026-06-23 10:00  first charge fails: insufficient_funds, 4900 usd
                      notice first; pause 2026-07-07 10:00
    2026-06-23 12:00  operator moves the policy to steps=1bd deadline_days=2
                      answered 202; pause 2026-07-07 10:00
    2026-06-24 09:00  step 1 sent; declined insufficient_funds
                      state exhausted; pause 2026-07-07 10:00; access grace
    2026-07-07 10:00  nothing happens
                      access paused; notice paused
    """)


IN_FLIGHT = (
    FIRST
    + """
    2026-06-24 09:00  step 1 sent
    2026-06-24 09:00:30  no answer; operator moves the policy to steps=2d,2d,2d floor=1bd
                      answered 202; in flight 1 unknown; because when attempt 1 is settled
"""
)


def test_a_case_moves_when_its_attempt_is_declined_and_the_new_policy_decides_what_follows() -> None:
    story(
        IN_FLIGHT
        + """
    2026-06-24 09:01  look-ups find it declined insufficient_funds
    2026-06-24 09:02  nothing happens
                      in flight none; steps 2 2026-06-26 09:00, 3 2026-06-28 09:00; notice reminder
    """
    )


def test_an_attempt_that_never_arrived_gives_its_step_back_to_the_new_policy() -> None:
    story(
        IN_FLIGHT
        + """
    2026-06-24 09:30  operator settles attempt 1 as not captured
                      attempt 1 withdrawn; in flight none
                      steps 1 2026-06-25 10:00, 2 2026-06-27 10:00, 3 2026-06-29 10:00
    """
    )


def test_the_new_policy_goes_on_waiting_while_a_look_up_settles_nothing() -> None:
    story(
        IN_FLIGHT
        + """
    2026-06-24 09:01  look-ups find it pending
    2026-06-24 09:02  nothing happens
                      in flight 1 pending
    """
    )


def test_the_new_policy_waits_for_the_request_that_is_sent_again() -> None:
    story(
        IN_FLIGHT
        + """
    2026-06-24 09:01  look-ups find nothing
    2026-06-24 09:01:30  sent again; declined insufficient_funds
                      in flight none; steps 2 2026-06-26 09:00, 3 2026-06-28 09:00; notice reminder
    """
    )


def test_a_move_that_waits_ends_with_the_money() -> None:
    story(
        IN_FLIGHT
        + """
    2026-06-24 09:01  look-ups find it paid
    2026-06-24 09:02  nothing happens
                      state recovered; in flight none; notice receipt
    """
    )


def test_a_try_by_the_customer_that_is_declined_leaves_the_dates_to_the_new_policy() -> None:
    story(
        FIRST
        + """
    2026-06-23 12:00  payer clicks pay now; attempt 1 sent
    2026-06-23 12:00:30  no answer; operator moves the policy to steps=2d,2d floor=1bd
                      answered 202; in flight 1 unknown
    2026-06-23 12:01  look-ups find it declined insufficient_funds
    2026-06-23 12:02  nothing happens
                      in flight none; steps 1 2026-06-25 10:00, 2 2026-06-27 10:00
    """
    )
