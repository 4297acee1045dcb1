"""Senders that die on a step's call, and holds that outlast the day: no call is made without a step of its own, and nothing is given up that is only held."""

from dunr.core.decide import decide
from dunr.core.decision import Stops
from dunr.core.events import AttemptNotFound
from dunr.core.value import replace
from tests.core.test_step_calls import LADDER, UNANSWERED, billed, minutes_after
from tests.core.world import utc

NOTHING_FOUND = "    2026-06-23 10:00:10  look-ups find nothing\n"


def test_a_sender_that_died_on_a_steps_call_has_spent_that_step() -> None:
    world = billed(
        UNANSWERED
        + NOTHING_FOUND
        + """
    2026-06-23 10:01  sent again; no word
                      steps used 0
    2026-06-23 10:06  nothing happens
                      steps used 3; next 2026-06-23 10:07; in flight 0 unknown
    2026-06-23 10:07  sent again; paid
                      state recovered; steps used 4; notice receipt
    """
    )
    assert minutes_after(world) == []


def test_a_sender_that_died_on_the_first_charge_begins_the_ladder_when_that_is_noticed() -> None:
    world = billed(
        """
    2026-06-23 10:00  charge falls due: 4900 usd
                      call left
    2026-06-23 10:00:01  look-ups find nothing
    2026-06-23 10:05  nothing happens
                      access grace; steps used 0; next 2026-06-23 10:06; no notice
    """
    )
    assert minutes_after(world, "2026-06-23 10:05") == list(LADDER)


def test_when_every_sender_dies_there_are_no_more_calls_than_steps() -> None:
    world = billed(UNANSWERED + NOTHING_FOUND)
    world.run_until(utc("2026-06-26 10:00"))
    assert 0 < len(world.sent) <= len(LADDER)
    case = world.case("in_1")
    assert case is not None
    assert (case.state, case.in_flight) == ("exhausted", None)


def test_a_held_charge_is_not_given_up_when_its_day_is_over_but_when_the_hold_is() -> None:
    billed(
        UNANSWERED
        + """
    2026-06-23 10:00:40  operator holds
    2026-06-24 16:05  nothing happens
                      in flight 0 unknown; told of charge none; alert unsettled_attempt
    2026-06-25 10:00  operator releases
                      state exhausted; told of charge CHARGE_NOT_PAID; alert charge_unsettled; notice method_needed
    """
    )


def test_a_charge_is_not_given_up_while_all_sending_is_stopped() -> None:
    world = billed(
        UNANSWERED
        + """
    2026-06-23 10:00:40  operator holds
    2026-06-24 09:59  nothing happens
                      alert unsettled_attempt
    """
    )
    world.run_until(utc("2026-06-25 10:00"))
    read = world.dossier("in_1", None)
    assert read.case is not None
    braked = replace(read, case=replace(read.case, holds=()), stops=Stops(("the brake is on",)))
    decision = decide(braked, AttemptNotFound(0), world.facts, world.now)
    assert decision.case is None or decision.case.state == "scheduled"
