"""How calls on steps end: what was decided meanwhile stands, each step is spent once, and nothing waits for an answer that cannot come."""

from datetime import timedelta

from dunr.core.value import replace
from dunr.testing.scenario import play
from tests.core.test_step_calls import BILLING, LADDER, UNANSWERED, billed, minutes_after
from tests.core.world import facts, utc


def test_a_charge_that_was_taken_back_stays_closed_when_its_call_proves_never_to_have_arrived() -> None:
    billed(
        UNANSWERED
        + """
    2026-06-23 10:00:10  look-ups find nothing
    2026-06-23 10:00:40  voided
                      state closed because voided; told of charge CHARGE_CLOSED
    2026-06-24 10:00  nothing happens
                      state closed because voided; attempt 0 withdrawn; told of charge none; no notice
    """
    )


def test_what_was_paid_elsewhere_stays_paid_when_our_call_proves_never_to_have_arrived() -> None:
    billed(
        UNANSWERED
        + """
    2026-06-23 10:00:10  look-ups find nothing
    2026-06-23 10:00:40  paid elsewhere 4900 as ch_x
                      state recovered; told of charge CHARGE_PAID
    2026-06-24 10:00  nothing happens
                      state recovered; attempt 0 withdrawn; told of charge none; no notice
    """
    )


def test_a_step_whose_call_had_no_answer_is_spent_once_when_a_look_up_finds_the_decline() -> None:
    world = billed(
        UNANSWERED
        + """
    2026-06-23 10:01  sent again
    2026-06-23 10:01:01  look-ups find it declined insufficient_funds
    2026-06-23 10:01:05  no answer
                      attempt 0 declined; steps used 1; next 2026-06-23 10:02; no notice
    """
    )
    assert minutes_after(world) == list(LADDER[1:])


def test_what_a_look_up_finds_out_about_the_first_charge_decides_as_its_answer_would_have() -> None:
    play(
        """
    policy steps=3d,3d
    2026-06-23 10:00  charge falls due: 4900 usd
                      call left
    2026-06-23 10:00:01  look-ups find it declined insufficient_funds
    2026-06-23 10:00:30  no answer
                      attempt 0 declined; steps used 0; notice first
                      steps 1 2026-06-26 10:00:30, 2 2026-06-29 10:00:30
    """,
        replace(facts(), processors={"sandbox": BILLING}),
    )


def test_a_step_in_days_is_spent_once_when_its_second_call_is_declined() -> None:
    play(
        """
    policy steps=3d,3d
    2026-06-23 10:00  charge falls due: 4900 usd
                      call left
    2026-06-23 10:00  declined insufficient_funds
                      notice first; steps 1 2026-06-26 10:00, 2 2026-06-29 10:00
    2026-06-26 10:00  step 1 sent
    2026-06-26 10:00:01  look-ups find nothing
    2026-06-26 10:00:30  no answer
                      steps used 1; call left
    2026-06-26 10:00:31  declined insufficient_funds
                      attempt 1 declined; steps used 1; next 2026-06-29 10:00; notice final_warning
    """,
        replace(facts(), processors={"sandbox": BILLING}),
    )


def test_a_call_that_the_gate_forbids_is_withdrawn_once_nothing_is_there_and_what_is_due_now_is_charged() -> None:
    billed(
        UNANSWERED
        + """
    2026-06-23 10:00:35  look-ups find nothing
    2026-06-23 10:00:40  paid elsewhere 900 as ch_x
    2026-06-23 10:21  nothing happens
                      attempt 0 withdrawn; attempt 1 None, key dunr-in_1-a1, amount 4000; call left; no alert
    """
    )


def test_a_charge_whose_calls_are_forbidden_and_whose_look_ups_fail_is_given_up_after_a_day() -> None:
    billed(
        UNANSWERED
        + """
    2026-06-23 10:00:40  paid elsewhere 900 as ch_x
    2026-06-24 09:59  nothing happens
                      in flight 0 unknown; told of charge none; alert unsettled_attempt
    2026-06-24 16:05  nothing happens
                      state exhausted; told of charge CHARGE_NOT_PAID; alert charge_unsettled; notice method_needed
    """
    )


def test_a_person_who_says_that_the_last_call_captured_nothing_ends_the_charge() -> None:
    text = UNANSWERED
    for minutes in LADDER:
        at = utc("2026-06-23 10:00") + timedelta(minutes=minutes)
        text += f"{at:%Y-%m-%d %H:%M}  sent again; no answer\n"
        text += "alert unsettled_attempt\n" if minutes == 88 else ""
    billed(
        text
        + """
    2026-06-24 04:00  operator settles attempt 0 as not captured
                      state exhausted; told of charge CHARGE_NOT_PAID
    """
    )


def test_a_server_that_said_not_now_to_the_first_charge_has_spent_no_step() -> None:
    world = billed(
        """
    2026-06-23 10:00  charge falls due: 4900 usd
                      call left
    2026-06-23 10:00  not now for 1 s
                      in flight 0 None; access granted
    2026-06-23 10:00:10  sent again; declined insufficient_funds
                      attempt 0 declined; steps used 0; state scheduled; no notice
    """
    )
    case = world.case("in_1")
    assert case is not None
    assert not case.attempts[0].spends_step


def test_a_policy_that_waits_for_the_end_of_an_attempt_moves_none_of_its_calls() -> None:
    world = billed(
        UNANSWERED
        + """
    2026-06-23 10:00:40  operator moves the policy to steps=3d,3d
    2026-06-23 10:01  sent again; no answer
                      steps used 1; next 2026-06-23 10:02
    2026-06-23 10:02  sent again; paid
                      state recovered; notice receipt
    """
    )
    case = world.case("in_1")
    assert case is not None
    assert case.policy_next_hash is None
