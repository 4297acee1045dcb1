"""What is not a decline: the processor did not take the request. No step is spent, no mail leaves, a person is told."""

import pytest

from tests.core.world import story

STEP_1 = """
    2026-06-23 10:00  first charge fails: insufficient_funds, 4900 usd
                      notice first
    2026-06-24 09:00  step 1 sent
"""


@pytest.mark.parametrize("kind", ["bad_request", "not_found"])
def test_c33c_a_bad_request_holds_the_case_for_a_day(kind: str) -> None:
    story(
        STEP_1
        + f"""
    2026-06-24 09:00:01  refused {kind}
                      attempt 1 refused; in flight none; holds processor; alert request_refused; no notice
                      steps used 0; access grace; state scheduled
    2026-06-25 09:00:01  nothing happens
                      holds none; next 2026-06-26 09:00; no notice
    2026-06-26 09:00  step 1 sent; paid
                      attempt 2 succeeded; state recovered; notice receipt; steps used 1
    """
    )


def test_c33c_a_person_releases_the_hold_and_the_step_runs() -> None:
    story(
        STEP_1
        + """
    2026-06-24 09:00:01  refused bad_request
                      holds processor; alert request_refused
    2026-06-24 09:30  operator releases nothing-of-that-name
                      answered 422
    2026-06-24 09:30  operator releases
                      holds none; in flight 2; call left
    2026-06-24 09:31  declined insufficient_funds
                      steps used 1; notice reminder
    """
    )


def test_c33d_a_revoked_key_stops_all_sending() -> None:
    story(
        STEP_1
        + """
    2026-06-24 09:00:01  charges are stopped; refused key_revoked
                      attempt 1 refused; sending stopped; alert key_revoked; no notice; steps used 0
    2026-06-24 12:00  nothing happens
                      attempts 1; no alert; no notice; access grace
    2026-06-24 12:00  nothing is stopped
    2026-06-25 09:00  step 1 sent; paid
                      state recovered; notice receipt; steps used 1
    """
    )


def test_c33d_a_key_that_is_refused_already_when_we_look_stops_all_sending_too() -> None:
    story(
        """
    2026-06-23 10:00  first charge fails: insufficient_funds, 4900 usd
                      notice first
    2026-06-24 08:59  charges are stopped; processor refuses our key
                      sending stopped; alert key_revoked; no notice
    2026-06-24 12:00  processor refuses our key
                      attempts 0; no alert; no notice; access grace; steps used 0
    2026-06-24 12:00  nothing is stopped
    2026-06-25 09:00  step 1 sent; paid
                      state recovered; notice receipt; steps used 1
    """
    )


def test_c33d_a_second_revocation_months_later_is_told_again() -> None:
    story(
        STEP_1
        + """
    2026-06-24 09:00:01  charges are stopped; refused key_revoked
                      alert key_revoked
    2026-06-24 09:30  nothing is stopped
    2026-06-24 09:31  nothing happens
                      call left
    2026-06-24 09:32  refused key_revoked; charges are stopped
                      no alert
    2026-09-01 08:00  nothing is stopped
                      no notice
    2026-09-01 08:59  nothing happens
                      steps 1 2026-09-01 09:00, 2 2026-09-04 09:00, 3 2026-09-09 09:00, 4 2026-09-14 09:00; notice first
    2026-09-01 09:00  step 1 sent; refused key_revoked; charges are stopped
                      alert key_revoked
    """
    )


def test_an_invoice_that_is_not_payable_any_more_is_looked_at() -> None:
    story(
        STEP_1
        + """
    2026-06-24 09:00:01  paid elsewhere 4900 as ch_link (unseen); refused not_payable
                      attempt 1 refused; state recovered; no notice; steps used 0
                      booked opened 4900, recovered 4900
    """
    )


def test_not_payable_while_the_invoice_looks_open_waits_an_hour_and_sends_nothing() -> None:
    story(
        STEP_1
        + """
    2026-06-24 09:00:01  refused not_payable
                      attempt 1 refused; state scheduled; steps used 0; no notice
    2026-06-24 09:59  nothing happens
                      attempts 1
    2026-06-25 09:00  step 1 sent; paid
                      notice receipt
    """
    )


@pytest.mark.parametrize("kind", ["bad_request", "not_found", "idempotency_key_reused"])
def test_a_refusal_of_a_re_send_looks_the_first_request_up(kind: str) -> None:
    story(
        STEP_1
        + f"""
    2026-06-24 09:00:30  no answer; look-ups find nothing
    2026-06-24 09:01:30  sent again; refused {kind}
                      in flight 1 unknown; holds processor; alert request_refused; no notice; steps used 0
    2026-06-24 09:02  look-ups find it paid
    2026-06-24 09:30  nothing happens
                      state recovered; attempt 1 succeeded; notice receipt
    """
    )


def test_a_revoked_key_at_a_re_send_leaves_the_attempt_in_flight() -> None:
    story(
        STEP_1
        + """
    2026-06-24 09:00:30  no answer; look-ups find nothing
    2026-06-24 09:01:30  sent again; refused key_revoked; charges are stopped
                      in flight 1 unknown; sending stopped; alert key_revoked
    2026-06-24 10:30  nothing happens
                      attempt 1 withdrawn; in flight none; steps used 0
    """
    )


def test_a_re_send_that_is_too_small_keeps_its_attempt_until_that_is_settled() -> None:
    story(
        STEP_1
        + """
    2026-06-24 09:00:30  no answer; look-ups find nothing
    2026-06-24 09:01:30  sent again; refused amount_too_small
                      in flight 1 unknown; state closed because carried_over; alert amount_too_small
    2026-06-24 10:00  nothing happens
                      attempt 1 withdrawn; in flight none
    """
    )


def test_a_re_send_of_a_paid_invoice_finds_its_own_payment() -> None:
    story(
        STEP_1
        + """
    2026-06-24 09:00:30  no answer; look-ups find nothing
    2026-06-24 09:01:30  sent again; captured silently; refused not_payable
                      state recovered; attempt 1 succeeded; notice receipt
    """
    )


def test_a_late_refusal_of_a_settled_attempt_changes_nothing() -> None:
    story(
        STEP_1
        + """
    2026-06-24 09:00:30  paid
                      notice receipt
    2026-06-24 09:00:31  refused bad_request
                      state recovered; holds none; no alert; because settled as succeeded
    """
    )


def test_c33b_cases_that_met_a_rate_limit_together_do_not_meet_it_together_again() -> None:
    world = story(
        """
    2026-06-23 10:00  in_1: first charge fails: insufficient_funds, 4900 usd
                      in_1: notice first
    2026-06-23 10:00  in_2: first charge fails: insufficient_funds, 4900 usd
                      in_2: notice first
    2026-06-24 08:59  in_1: processor cannot be read
    2026-06-24 08:59  in_2: processor cannot be read
    """
    )
    waits = {case.not_before_at for case in (world.case("in_1"), world.case("in_2")) if case is not None}
    assert len(waits) == 2
