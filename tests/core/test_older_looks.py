"""A look that is older than what the case knows sends nothing: another worker, or the same one a moment ago, may have collected since."""

from dunr.core.events import PayNow, TimerFired
from tests.core.world import story, utc


def test_a_step_does_not_ask_for_what_was_due_before_a_part_was_paid() -> None:
    world = story("""
    2026-06-23 10:00  first charge fails: insufficient_funds, 4900 usd
                      notice first
    2026-06-24 08:59  nothing happens
    """)
    read_before = world.snapshot("in_1")
    world = story(
        """
    2026-06-23 10:00  first charge fails: insufficient_funds, 4900 usd
                      notice first
    2026-06-24 08:59:30  paid elsewhere 1900 as ch_part
                      due 3000
    """
    )
    world.now = utc("2026-06-24 09:00")
    decision = world.decide("in_1", TimerFired(1), read_before)
    case = world.case("in_1")
    assert case is not None
    assert case.attempt_number_last == 0
    assert "older than what the case knows" in decision.because[-1]
    assert case.wake_at == utc("2026-06-24 09:00:05")
    assert "older than what the case knows" in world.decide("in_1", PayNow("customer"), read_before).because[-1]


def test_a_processor_that_does_not_show_a_payment_is_asked_again_in_an_hour() -> None:
    world = story("""
    2026-06-23 10:00  first charge fails: insufficient_funds, 4900 usd
                      notice first
    2026-06-23 12:00  payer clicks pay now; attempt 1 sent; paid 1900
                      due 3000
    """)
    world.invoice("in_1").charges = [one for one in world.invoice("in_1").charges if one.key is None]
    world.now = utc("2026-06-24 09:00")
    world.decide("in_1", TimerFired(1), world.snapshot("in_1"))
    case = world.case("in_1")
    assert case is not None
    assert case.wake_at == utc("2026-06-24 10:00")
