"""Nothing got out: the step is given back, and after three times in a row the case is left alone for a while."""

from datetime import timedelta

from dunr.core.decide import decide
from dunr.core.events import AttemptWithdrawn, Event, TimerFired
from dunr.core.model import Case
from dunr.core.terms import Outcome
from dunr.testing.scenario_world import World
from tests.core.world import facts, story


def step(world: World, case: Case, event: Event) -> Case:
    """Decide at the same instant, without sending anything, and keep the rows."""
    decision = decide(world.dossier("in_1", world.snapshot("in_1")), event, facts(), world.now)
    assert decision.case is not None
    world.rows[case.id] = decision.case
    if decision.method is not None:
        world.rows[f"card/{decision.method.id}"] = decision.method
    return decision.case


def test_three_attempts_withdrawn_in_a_row_leave_the_case_alone_for_an_hour() -> None:
    world = story("""
    2026-06-23 10:00  first charge fails: insufficient_funds, 4900 usd
                      notice first
    """)
    case = world.case("in_1")
    assert case is not None
    for number in (1, 2, 3):
        assert case.wake_at is not None
        world.now = max(world.now, case.wake_at)
        case = step(world, case, TimerFired(1))
        attempt = case.in_flight
        assert attempt is not None
        assert attempt.number == number
        case = step(world, case, AttemptWithdrawn(attempt.number, attempt.fence, ("too slow",)))
        assert case.attempts[-1].outcome is Outcome.WITHDRAWN
        assert case.steps_spent_count == 0
    assert case.wake_at == world.now + timedelta(hours=1)
