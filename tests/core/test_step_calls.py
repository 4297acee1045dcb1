"""Where a key lives long, no answer is no reason to wait for one: each coming step is another call of the same attempt, with the same bytes under the same key.

The ladder of source 002: fourteen retries, at 1, 2, 4, 7, 12, 20, 33, 54, 88, 143, 232, 376, 609 and 986 minutes after the failure, and then CHARGE_NOT_PAID.
"""

from datetime import timedelta

from dunr.core.facts import ProcessorFacts
from dunr.core.terms import Outcome
from dunr.core.value import replace
from dunr.facts.policies import policy_named
from dunr.testing.scenario import play
from dunr.testing.scenario_world import World
from tests.core.world import facts, utc

FIBONACCI = policy_named("fibonacci")
LADDER = (1, 2, 4, 7, 12, 20, 33, 54, 88, 143, 232, 376, 609, 986)
BILLING = ProcessorFacts(key_lifetime_seconds=48 * 3600, settle_after_seconds=900, calls_spend_steps=True)
WALLET = "    2026-06-23 09:59  new card wallet_1 on carrier\n"
UNANSWERED = """
    2026-06-23 10:00  charge falls due: 4900 usd
                      call left
    2026-06-23 10:00  no answer
                      in flight 0 unknown; access grace; no notice; told of charge none
"""


def billed(text: str) -> World:
    """A story at a billing system whose keys live for two days."""
    return play(WALLET + text, replace(facts(), processors={"sandbox": BILLING}), FIBONACCI)


def minutes_after(world: World, began: str = "2026-06-23 10:00") -> list[float]:
    """When the steps that are planned fall, in minutes after the failure."""
    case = world.case("in_1")
    assert case is not None
    return [(step.at - utc(began)) / timedelta(minutes=1) for step in case.plan.steps]


def test_the_first_failure_lays_the_ladder_whether_it_was_declined_or_had_no_answer() -> None:
    assert minutes_after(billed(UNANSWERED)) == list(LADDER)
    declined = billed(
        """
    2026-06-23 10:00  charge falls due: 4900 usd
                      call left
    2026-06-23 10:00  declined insufficient_funds
                      no notice; state scheduled
    """
    )
    assert minutes_after(declined) == list(LADDER)


def test_c02_a_time_out_is_looked_up_and_what_is_found_there_is_not_sent_again() -> None:
    billed(
        """
    2026-06-23 10:00  charge falls due: 4900 usd
                      call left
    2026-06-23 10:00:01  look-ups find it paid
    2026-06-23 10:00:30  no answer
                      state recovered; told of charge CHARGE_PAID; attempts 0; notice receipt; booked opened 4900, recovered 4900
    2026-06-25 10:00  nothing happens
                      attempts 0
    """
    )


def test_after_no_answer_each_step_is_a_call_of_the_same_attempt() -> None:
    billed(
        UNANSWERED
        + """
    2026-06-23 10:01  sent again; no answer
                      attempts 0; steps used 1; next 2026-06-23 10:02; no notice
    2026-06-23 10:02  sent again; no answer
                      attempts 0; steps used 2; next 2026-06-23 10:04
    2026-06-23 10:04  sent again; paid
                      attempt 0 succeeded, key dunr-in_1-a0; state recovered; notice receipt; told of charge CHARGE_PAID
    """
    )


def test_a_retryable_reason_after_calls_without_an_answer_begins_a_new_attempt_on_the_next_step() -> None:
    world = billed(
        UNANSWERED
        + """
    2026-06-23 10:01  sent again; no answer
    2026-06-23 10:02  sent again; declined insufficient_funds
                      attempt 0 declined; steps used 2; next 2026-06-23 10:04; no notice
    2026-06-23 10:04  step 3 sent; no answer
                      attempts 1; steps used 3; next 2026-06-23 10:07
    2026-06-23 10:07  sent again; declined insufficient_funds
                      attempt 1 declined, key dunr-in_1-a1; steps used 4; next 2026-06-23 10:12; no notice
    """
    )
    assert minutes_after(world) == list(LADDER[4:])


def test_a_step_that_comes_late_moves_no_other_and_what_it_overtook_is_skipped() -> None:
    world = billed(
        UNANSWERED
        + """
    2026-06-23 10:00:30  nobody is awake for 2 minutes
                      call left
    2026-06-23 10:02:31  no answer
                      steps used 2; next 2026-06-23 10:04
    """
    )
    assert minutes_after(world) == list(LADDER[2:])


def test_c09_fourteen_retries_then_charge_not_paid_and_no_more() -> None:
    text = """
    2026-06-23 10:00  charge falls due: 4900 usd
                      call left
    2026-06-23 10:00  declined insufficient_funds
                      no notice
    """
    for number, minutes in enumerate(LADDER, start=1):
        at = utc("2026-06-23 10:00") + timedelta(minutes=minutes)
        text += f"{at:%Y-%m-%d %H:%M}  step {number} sent; declined insufficient_funds\n"
        # Only a gap of hours leaves the customer time to act: those after steps 11 and 12. The one after 13 begins at night.
        told = "notice reminder" if number in (11, 12) else "no notice"
        text += f"told of charge none; {told}\n" if number < 14 else ""
    text = text.removesuffix("\n") + "\n told of charge CHARGE_NOT_PAID; no notice\n"
    billed(
        text
        + "2026-07-23 10:00  nothing happens\n attempts 14; steps used 14; state exhausted; told of charge none; notice method_needed\n"
    )


def test_a_day_without_any_answer_ends_in_charge_not_paid_with_an_alert_and_late_money_is_taken_in() -> None:
    text = UNANSWERED
    for minutes in LADDER:
        at = utc("2026-06-23 10:00") + timedelta(minutes=minutes)
        text += f"{at:%Y-%m-%d %H:%M}  sent again; no answer\n"
        text += "alert unsettled_attempt\n" if minutes == 88 else ""
    billed(
        text
        + """
                      steps used 14; attempts 0; told of charge none
    2026-06-24 10:00  nothing happens
                      state exhausted; told of charge CHARGE_NOT_PAID; in flight 0 unknown; alert charge_unsettled; notice method_needed
    2026-06-25 09:00  look-ups find it paid
    2026-06-25 18:00  nothing happens
                      state recovered; told of charge CHARGE_PAID; attempt 0 succeeded; notice receipt
    """
    )


def test_what_was_never_there_after_the_last_call_is_withdrawn_and_not_paid() -> None:
    text = UNANSWERED + "2026-06-23 10:00:30  look-ups find nothing\n"
    for minutes in LADDER:
        at = utc("2026-06-23 10:00") + timedelta(minutes=minutes)
        text += f"{at:%Y-%m-%d %H:%M}  sent again; no answer\n"
        text += "alert unsettled_attempt\n" if minutes == 88 else ""
    world = billed(
        text
        + "2026-06-24 12:00  nothing happens\n told of charge CHARGE_NOT_PAID; state exhausted; in flight none; notice method_needed\n"
    )
    case = world.case("in_1")
    assert case is not None
    assert case.attempts[0].outcome is Outcome.WITHDRAWN


def test_a_pending_charge_is_waited_for_and_its_failure_by_look_up_begins_the_ladder() -> None:
    world = billed(
        """
    2026-06-23 10:00  charge falls due: 4900 usd
                      call left
    2026-06-23 10:00  pending
                      in flight 0 pending; access granted; no notice
    2026-06-23 12:00  look-ups find it declined insufficient_funds
    2026-06-23 16:00  nothing happens
                      attempt 0 declined; state scheduled; no notice
    """
    )
    assert minutes_after(world, "2026-06-23 16:00") == list(LADDER)


def test_in_days_the_key_would_be_too_old_and_the_attempt_is_looked_up_like_any_other() -> None:
    play(
        """
    policy steps=3d,3d
    2026-06-23 10:00  charge falls due: 4900 usd
                      call left
    2026-06-23 10:00:30  no answer
                      in flight 0 unknown; steps 1 2026-06-26 10:00:30, 2 2026-06-29 10:00:30; no notice
    2026-06-23 10:20  look-ups find nothing
    2026-06-23 11:00  nothing happens
                      attempt 0 withdrawn; state scheduled; no alert
    2026-06-26 10:00:30  step 1 sent; paid
                      state recovered; notice receipt
    """,
        replace(facts(), processors={"sandbox": BILLING}),
    )


def test_a_call_for_a_charge_that_was_taken_back_meanwhile_is_looked_up_and_not_made_again() -> None:
    billed(
        """
    2026-06-23 10:00  charge falls due: 4900 usd
                      call left
    2026-06-23 10:00:10  voided
                      told of charge CHARGE_CLOSED
    2026-06-23 10:00:30  no answer
                      in flight 0 unknown; looks again 2026-06-23 10:01:30; steps none
    """
    )


def test_a_charge_that_the_customer_began_spends_no_step_when_it_has_no_answer() -> None:
    billed(
        """
    2026-06-23 10:00  charge falls due: 4900 usd
                      call left
    2026-06-23 10:00  declined insufficient_funds
                      no notice
    2026-06-23 10:00:10  payer clicks pay now
                      call left; steps used 0
    2026-06-23 10:00:40  no answer
                      in flight 1 unknown; steps used 0; next 2026-06-23 10:01
    2026-06-23 10:02  look-ups find it declined insufficient_funds
    2026-06-23 10:07  nothing happens
                      attempt 1 declined; call left; steps used 0; attempts 2
    """
    )
