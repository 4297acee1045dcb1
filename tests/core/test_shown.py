"""What people see in place of a state."""

from dunr.core.shown import shown_state
from dunr.core.terms import CaseState
from dunr.core.value import replace
from tests.core.world import story


def test_an_attempt_under_way_and_a_hold_are_shown_in_place_of_the_state() -> None:
    opened = story("""
        2026-06-23 10:00  first charge fails: insufficient_funds, 4900 usd
                          notice first
    """).case("in_1")
    assert opened is not None
    assert shown_state(opened) == "scheduled"

    held = story("""
        2026-06-23 10:00  first charge fails: insufficient_funds, 4900 usd
                          notice first
        2026-06-23 11:00  operator holds
    """).case("in_1")
    assert held is not None
    assert shown_state(held) == "held"
    assert shown_state(replace(held, state=CaseState.CLOSED)) == "closed"

    attempt = replace(opened.attempts[0], outcome=None)
    assert shown_state(replace(opened, attempts=(attempt,))) == "attempting"
