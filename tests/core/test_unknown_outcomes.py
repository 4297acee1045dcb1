"""Not knowing: an attempt without an answer is looked up, and nothing else is sent for its invoice meanwhile."""

from datetime import timedelta

from dunr.core.effects import Charge
from dunr.core.events import AttemptNotFound, AttemptOverdue
from dunr.core.terms import InFlightAction, Outcome
from dunr.testing.scenario_acts import attempt_of
from tests.core.world import story

UNTIL_ATTEMPT_2 = """
    2026-06-23 10:00  first charge fails: insufficient_funds, 4900 usd
                      notice first
    2026-06-24 09:00  step 1 sent; declined insufficient_funds
                      notice reminder
    2026-06-29 09:00  step 2 sent
"""


def test_c02_nothing_is_sent_while_the_outcome_is_unknown_and_the_money_is_found_on_friday() -> None:
    story(
        UNTIL_ATTEMPT_2
        + """
    2026-06-29 09:00:30  no answer
                      in flight 2 unknown; looks again 2026-06-29 09:01:30; no notice
    2026-06-29 11:00  nothing happens
                      alert unsettled_attempt
    2026-07-02 09:00  nothing happens
                      in flight 2 unknown; attempts 2; no notice; state scheduled
    2026-07-03 12:00  look-ups find it paid
                      attempts 2
    2026-07-03 18:00  nothing happens
                      over unsettled_attempt; state recovered; access granted; in flight none; next none; notice receipt; attempts 2
                      booked opened 4900, recovered 4900
    2026-08-01 09:00  nothing happens
                      attempts 2
    """
    )


def test_c02_an_attempt_that_never_arrived_is_withdrawn_and_its_missed_step_is_laid_anew() -> None:
    story(
        UNTIL_ATTEMPT_2
        + """
    2026-06-29 09:00:30  no answer
    2026-06-29 11:00  nothing happens
                      alert unsettled_attempt
    2026-07-03 12:00  look-ups find nothing
    2026-07-03 18:00  nothing happens
                      attempt 2 withdrawn; in flight none
                      steps 2 2026-07-06 09:00, 3 2026-07-09 09:00, 4 2026-07-14 09:00; pause 2026-07-14 09:00
                      steps used 1; notice reminder
    2026-07-06 09:00  step 2 sent; paid
                      attempt 3 succeeded, key dunr-in_1-a3; state recovered; notice receipt; steps used 2
    """
    )


def test_an_attempt_found_declined_on_friday_lays_the_missed_step_anew() -> None:
    story(
        UNTIL_ATTEMPT_2
        + """
    2026-06-29 09:00:30  no answer
    2026-06-29 11:00  nothing happens
                      alert unsettled_attempt
    2026-07-03 12:00  look-ups find it declined insufficient_funds
    2026-07-03 18:00  nothing happens
                      attempt 2 declined; steps 3 2026-07-06 09:00, 4 2026-07-09 09:00; notice reminder
    """
    )


def test_a_person_is_told_after_an_hour_of_silence() -> None:
    story(
        UNTIL_ATTEMPT_2
        + """
    2026-06-29 09:00:30  no answer
    2026-06-29 10:00:29  nothing happens
                      no alert
    2026-06-29 10:00:30  nothing happens
                      alert unsettled_attempt
    """
    )


def test_a_request_that_is_not_there_yet_is_sent_again_with_the_same_bytes_and_key() -> None:
    story(
        UNTIL_ATTEMPT_2
        + """
    2026-06-29 09:00:30  no answer; look-ups find nothing
    2026-06-29 09:01:30  sent again
                      in flight 2 unknown; attempts 2
    2026-06-29 09:01:31  no answer
    2026-06-29 09:06:31  sent again; paid
                      state recovered; notice receipt; attempts 2
    """
    )


def test_a_request_that_kills_whoever_sends_it_leaves_the_card_to_others_for_longer_each_time() -> None:
    # Each silent sender keeps the card for its lease of five minutes; from the third call on the others have it in between.
    story(
        UNTIL_ATTEMPT_2
        + """
    2026-06-29 09:04  look-ups find nothing
    2026-06-29 09:05  sent again
    2026-06-29 09:10  sent again
    2026-06-29 09:15  nothing happens
                      in flight 2 unknown; looks again 2026-06-29 09:16
    2026-06-29 09:16  sent again
    2026-06-29 09:21  nothing happens
                      in flight 2 unknown; looks again 2026-06-29 09:26
    2026-06-29 09:26  sent again
    2026-06-29 09:31  nothing happens
                      in flight 2 unknown; looks again 2026-06-29 09:46
    """
    )


def test_a_sender_that_falls_silent_is_taken_over_and_never_withdrawn_by_the_gate() -> None:
    story(
        UNTIL_ATTEMPT_2
        + """
                      in flight 2; looks again 2026-06-29 09:05
    2026-06-29 09:04:59  nothing happens
                      in flight 2 None
    2026-06-29 09:05  nothing happens
                      in flight 2 unknown; looks again 2026-06-29 09:10
    2026-06-29 09:06  the gate closes under fence 2: the invoice is paid
                      in flight 2 unknown; because nobody can say any more
    2026-06-29 09:06  the gate closes: the invoice is paid
                      in flight 2 unknown; because nobody can say any more
    """
    )


def test_a_re_send_whose_gate_closes_is_looked_up_instead_of_withdrawn() -> None:
    story(
        UNTIL_ATTEMPT_2
        + """
    2026-06-29 09:00:30  no answer; look-ups find nothing; operator holds
    2026-06-29 09:01:30  nothing happens
                      in flight 2 unknown; attempts 2; holds operator
    2026-06-29 09:30  nothing happens
                      attempt 2 withdrawn; in flight none
    """
    )


def test_c08_nothing_is_re_sent_past_half_of_the_key_s_life() -> None:
    story(
        UNTIL_ATTEMPT_2
        + """
    2026-06-29 09:00:30  not now for 43000 s
    2026-06-30 12:00  nothing happens
                      in flight 2 unknown; attempts 2; alert unsettled_attempt
    """
    )


def test_an_attempt_that_no_call_can_have_reached_is_withdrawn_before_the_send() -> None:
    story(
        UNTIL_ATTEMPT_2
        + """
    2026-06-29 09:00:05  voided (unseen); the gate closes: the invoice is void at the processor
                      attempt 2 withdrawn; in flight none; steps used 1; state closed because voided
                      booked opened 4900, voided 4900; access granted
    """
    )


def test_a_holder_that_has_answered_cannot_withdraw_afterwards() -> None:
    story(
        UNTIL_ATTEMPT_2
        + """
    2026-06-29 09:00:30  no answer; the gate closes: paid
                      in flight 2 unknown
    """
    )


def test_a_pending_debit_never_gives_way() -> None:
    story(
        """
    2026-06-23 09:00  new card bank_1 on sepa
    2026-06-23 10:00  first charge fails: insufficient_funds, 4900 usd
                      notice first
    2026-06-24 09:00  step 1 sent; pending
                      in flight 1 pending; no notice; access grace
    2026-06-25 09:00  look-ups find nothing
    2026-06-29 12:00  nothing happens
                      in flight 1 pending; attempts 1; no notice
    2026-06-29 12:00  no answer
                      in flight 1 pending
    2026-06-29 12:00  not now
                      in flight 1 pending
    2026-06-30 12:00  nothing happens
                      in flight 1 pending; attempts 1
    2026-06-30 12:00  paid
                      state recovered; notice receipt
    """
    )


def test_c33_a_lock_time_out_keeps_attempt_and_key() -> None:
    story(
        UNTIL_ATTEMPT_2
        + """
    2026-06-29 09:00:01  not now
                      in flight 2; no notice; steps used 1
    2026-06-29 09:00:10  sent again; not now
                      in flight 2; steps used 1
    2026-06-29 09:00:30  sent again; paid
                      attempt 2 succeeded, key dunr-in_1-a2; state recovered; attempts 2; notice receipt
    """
    )


def test_an_attempt_that_did_not_begin_is_withdrawn_when_the_gate_has_closed_meanwhile() -> None:
    story(
        UNTIL_ATTEMPT_2
        + """
    2026-06-29 09:00:01  not now for 60 s; operator holds
    2026-06-29 09:03     nothing happens
                      attempt 2 withdrawn; in flight none; steps used 1
    """
    )


def test_look_ups_that_say_pending_or_declined_settle_what_was_unknown() -> None:
    story(
        UNTIL_ATTEMPT_2
        + """
    2026-06-29 09:00:30  no answer; look-ups find it pending
    2026-06-29 09:01:30  nothing happens
                      in flight 2 pending; looks again 2026-06-29 15:01:30
    2026-06-29 12:00  look-ups find it declined insufficient_funds
    2026-06-29 15:01:30  nothing happens
                      attempt 2 declined; next 2026-07-02 09:00; notice reminder
    """
    )


def test_a_look_up_that_meets_an_attempt_to_be_sent_again_leaves_it_to_whoever_looks_first() -> None:
    world = story(UNTIL_ATTEMPT_2 + "    2026-06-29 09:00:01  not now")
    attempt = attempt_of(world, "in_1")
    assert attempt.next_action_at is not None
    world.now = attempt.next_action_at
    decision = world.decide("in_1", AttemptOverdue(attempt.number), None)
    assert decision.changes_nothing
    assert "needs a look first" in decision.because[-1]


def test_a_silent_sender_may_have_sent_until_it_is_taken_over() -> None:
    """It slept before the send, woke, sent and died: the time to settle counts from the take-over, not from its intent."""
    world = story(UNTIL_ATTEMPT_2 + "    2026-06-29 09:00:30  no answer\n")
    world.decide("in_1", AttemptNotFound(2), None)
    resent = world.decide("in_1", AttemptOverdue(2), world.snapshot("in_1"))
    assert any(isinstance(effect, Charge) for effect in resent.effects)
    world.now += timedelta(hours=2)
    world.decide("in_1", AttemptOverdue(2), None)
    world.decide("in_1", AttemptNotFound(2), None)
    assert attempt_of(world, "in_1", 2).is_in_flight
    world.now += timedelta(minutes=15)
    world.decide("in_1", AttemptNotFound(2), None)
    assert attempt_of(world, "in_1", 2).outcome is Outcome.WITHDRAWN


def test_a_read_is_as_old_as_it_is_when_whoever_made_it_has_slept_since() -> None:
    """Read after six minutes, decided after seventeen: a charge that was booked in the ninth would be lost. It is read again, and only then withdrawn."""
    world = story(UNTIL_ATTEMPT_2 + "    2026-06-29 09:00:30  no answer\n")
    read_at = world.now + timedelta(minutes=6)
    world.now += timedelta(minutes=17)
    late = world.decide("in_1", AttemptNotFound(2, read_at), None)
    attempt = attempt_of(world, "in_1", 2)
    assert attempt.is_in_flight
    assert (attempt.next_action, attempt.next_action_at) == (InFlightAction.LOOK_UP, world.now)
    assert "not sent again before" in late.because[-1]
    world.decide("in_1", AttemptNotFound(2, world.now), None)
    assert attempt_of(world, "in_1", 2).outcome is Outcome.WITHDRAWN
