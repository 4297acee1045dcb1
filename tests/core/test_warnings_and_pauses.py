"""Nobody is paused unwarned: the last notice before a pause has left at least a day earlier, or somebody was told that it cannot."""

import pytest

from tests.core.world import story

UNTIL_STEP_4 = """
    2026-06-23 10:00  first charge fails: insufficient_funds, 4900 usd
                      notice first
    2026-06-24 09:00  step 1 sent; declined insufficient_funds
                      notice reminder
    2026-06-29 09:00  step 2 sent; declined insufficient_funds
                      notice reminder
"""


def test_an_undeliverable_warning_is_told_to_a_person_and_the_day_runs_from_then() -> None:
    story(
        UNTIL_STEP_4
        + """
    2026-07-02 09:00  mail bounces; step 3 sent; declined insufficient_funds
                      alert notice_undeliverable; no notice; next 2026-07-07 09:00
    2026-07-07 09:00  step 4 sent; declined insufficient_funds
                      access paused; alert notice_undeliverable
    """
    )


def test_no_pause_without_a_day_s_warning() -> None:
    # Mail is stopped when the warning would leave; the pause waits until a day after it has left.
    story(
        UNTIL_STEP_4
        + """
    2026-07-02 09:00  mail is stopped; step 3 sent; declined insufficient_funds
                      no notice
    2026-07-07 09:00  step 4 sent; declined insufficient_funds
                      state exhausted; access grace; no notice
    2026-07-10 09:00  nothing happens
                      access grace; no notice
    2026-07-10 12:00  nothing is stopped
                      notice method_needed; access grace
    2026-07-11 11:59  nothing happens
                      access grace
    2026-07-11 12:00  nothing happens
                      access paused
    2026-07-13 08:00  nothing happens
                      notice paused
    """
    )


def test_a_warning_that_a_hold_kept_back_leaves_after_it() -> None:
    story(
        UNTIL_STEP_4
        + """
    2026-07-02 08:59  operator holds
    2026-07-02 09:00  nothing happens
                      attempts 2
    2026-07-02 09:30  operator releases
                      call left
    2026-07-02 09:31  operator holds; declined insufficient_funds
                      holds operator; no notice; next 2026-07-07 09:00
    2026-07-03 09:31  operator releases
                      notice final_warning
    2026-07-07 09:00  step 4 sent; declined insufficient_funds
                      access paused; notice paused
    """
    )


def test_one_step_is_warned_of_by_the_first_notice_and_no_step_by_the_request_for_a_card() -> None:
    story("""
    policy steps=1bd floor=1bd
    2026-06-23 10:00  first charge fails: insufficient_funds, 4900 usd
                      notice first; pause 2026-06-24 09:00
    2026-06-24 09:00  step 1 sent; declined insufficient_funds
                      state exhausted; access grace; wakes 2026-06-24 10:00
    2026-06-24 10:00  nothing happens
                      access paused; notice paused
    """)
    story("""
    policy steps=none floor=1bd
    2026-06-23 10:00  first charge fails: insufficient_funds, 4900 usd
                      state exhausted; notice method_needed; access grace
    2026-06-24 10:00  nothing happens
                      access paused; notice paused; attempts 0
    """)


def test_a_deadline_between_the_steps_is_warned_of_before_it() -> None:
    story("""
    policy deadline_days=5 steps=1d,3d,3d
    2026-06-23 10:00  first charge fails: insufficient_funds, 4900 usd
                      notice first; pause 2026-06-28 10:00
    2026-06-24 10:00  step 1 sent; declined insufficient_funds
                      notice reminder
    2026-06-27 10:00  step 2 sent; declined insufficient_funds
    2026-06-28 10:00  nothing happens
                      access paused
    2026-06-29 08:00  nothing happens
                      notice paused
    2026-06-30 10:00  step 3 sent; paid
                      access granted; notice receipt
    """)


def test_a_night_s_failure_is_written_about_in_the_morning_of_a_business_day() -> None:
    story("""
    2026-06-26 23:30  first charge fails: insufficient_funds, 4900 usd
                      no notice; next 2026-06-29 09:00
    2026-06-29 07:59  nothing happens
                      no notice
    2026-06-29 08:00  nothing happens
                      notice first
    2026-06-29 09:00  step 1 sent; paid
                      notice receipt
    """)


def test_a_debt_settled_before_the_notice_leaves_is_not_written_about() -> None:
    story("""
    2026-06-26 23:30  first charge fails: insufficient_funds, 4900 usd
    2026-06-27 12:00  paid elsewhere 4900 as ch_link
    2026-06-30 12:00  nothing happens
                      no notice; state recovered
    """)


def test_a_notice_names_what_is_due_when_it_leaves() -> None:
    story("""
    2026-06-26 23:30  first charge fails: insufficient_funds, 4900 usd
    2026-06-27 12:00  credited 1000
    2026-06-29 08:00  nothing happens
                      notice first 3900
    """)


def test_the_first_notice_can_wait_for_the_first_retry() -> None:
    story("""
    policy first_notice_after_first_retry=yes
    2026-06-23 10:00  first charge fails: insufficient_funds, 4900 usd
                      no notice
    2026-06-24 09:00  step 1 sent; declined insufficient_funds
                      notice reminder
    """)


def test_a_silent_reason_sends_no_step_notice_but_the_warning_and_the_pause() -> None:
    story("""
    2026-06-23 10:00  first charge fails: issuer_not_available, 4900 usd
                      no notice; next 2026-06-24 09:00
    2026-06-24 09:00  step 1 sent; declined issuer_not_available
                      no notice
    2026-06-29 09:00  step 2 sent; declined issuer_not_available
                      no notice
    2026-07-02 09:00  step 3 sent; declined issuer_not_available
                      notice final_warning
    2026-07-07 09:00  step 4 sent; declined issuer_not_available
                      notice paused; access paused
    """)


def test_pauses_can_be_stopped() -> None:
    story(
        UNTIL_STEP_4
        + """
    2026-07-02 09:00  step 3 sent; declined insufficient_funds
                      notice final_warning
    2026-07-07 09:00  pauses are stopped; step 4 sent; declined insufficient_funds
                      state exhausted; access grace; no notice
    2026-07-08 09:00  nothing happens
                      access grace
    2026-07-08 09:01  nothing is stopped
    2026-07-08 10:00  nothing happens
                      access paused; notice paused
    """
    )


@pytest.mark.parametrize(("action", "alerts"), [("mark_unpaid", "no alert"), ("cancel", "alert cancel_asked")])
def test_the_strongest_thing_done_by_itself_is_a_pause(action: str, alerts: str) -> None:
    story(f"""
    policy steps=1bd floor=1bd final_action={action}
    2026-06-23 10:00  first charge fails: insufficient_funds, 4900 usd
                      notice first
    2026-06-24 09:00  step 1 sent; declined insufficient_funds
    2026-06-24 10:00  nothing happens
                      access paused; state exhausted; notice paused; {alerts}
    """)


def test_a_policy_without_a_final_action_announces_and_does_none() -> None:
    world = story("""
    policy steps=1bd floor=1bd final_action=none
    2026-06-23 10:00  first charge fails: insufficient_funds, 4900 usd
                      notice first; pause none
    2026-06-24 09:00  step 1 sent; declined insufficient_funds
                      state exhausted; notice method_needed; pause none
    2026-09-01 09:00  nothing happens
                      access grace; state exhausted
    """)
    assert all(getattr(effect, "pause_at", None) is None for effect in world.effects.values())


def test_the_payer_has_died() -> None:
    story("""
    2026-06-23 10:00  first charge fails: r15, 4900 usd
                      state awaiting_customer; steps none; no notice; alert payer_deceased; holds operator
    2026-08-23 10:00  nothing happens
                      access grace; no notice; attempts 0
    2026-08-23 11:00  operator releases
                      holds none; no notice; no alert
    2026-12-23 10:00  nothing happens
                      access grace; no notice; attempts 0
    """)


def test_the_payer_dies_while_the_case_runs() -> None:
    story(
        UNTIL_STEP_4
        + """
    2026-07-02 09:00  step 3 sent; declined insufficient_funds
                      notice final_warning
    2026-07-07 09:00  step 4 sent; declined r15
                      state awaiting_customer; alert payer_deceased; no notice; access grace
    2026-08-07 09:00  operator releases
                      no notice
    2026-09-07 09:00  nothing happens
                      access grace; no notice
    """
    )


def test_a_complaint_stops_mail_and_not_the_charges() -> None:
    story(
        UNTIL_STEP_4
        + """
    2026-07-01 09:00  payer complains
                      alert notice_undeliverable; next 2026-07-02 09:00
    2026-07-02 09:00  step 3 sent; paid
                      notice receipt
    """
    )


def test_the_processor_cannot_be_read() -> None:
    story(
        UNTIL_STEP_4
        + """
    2026-07-02 08:00  processor cannot be read
                      state scheduled; no alert
    2026-07-02 08:30  processor cannot be read
                      no alert
    2026-07-02 08:58  processor cannot be read
                      no alert
    2026-07-02 08:59  processor cannot be read
                      no alert
    2026-07-02 09:13  nothing happens
                      attempts 2
    2026-07-02 09:14:31  step 3 sent; declined insufficient_funds
                      notice final_warning
    2026-07-03 08:00  processor cannot be read, it knows no such invoice
                      alert snapshot_unavailable; wakes 2026-07-07 09:00
    """
    )


def test_the_processor_cannot_be_read_for_an_hour() -> None:
    story(
        UNTIL_STEP_4
        + """
    2026-07-01 08:00  processor cannot be read
    2026-07-01 09:00  processor cannot be read
                      alert snapshot_unavailable
    2026-07-01 09:01  processor cannot be read
                      no alert
    2026-07-02 09:00  step 3 sent; paid
                      over snapshot_unavailable; notice receipt
    """
    )
