"""The updater's own line in the funnel: what was asked, what was there, what it brought."""

from dunr.core.funnel import RefreshLine, refresh_line
from dunr.core.model import Case
from dunr.testing.scenario_world import World
from tests.core.world import FRESH, story

HIT = """
    2026-06-23 10:00  first charge fails: expired_card, 4900 usd
                      refresh asked
    2026-06-23 10:00  updater finds card_1b expiring 2031-01
                      call left
    2026-06-23 10:00  paid
                      notice receipt
"""
MISS = """
    2026-06-23 10:00  first charge fails: expired_card, 4900 usd
    2026-06-23 10:00  updater misses
                      notice method_needed
"""
PENDING = """
    2026-06-23 10:00  first charge fails: expired_card, 4900 usd
                      refresh asked
"""
TOKEN = """
    2026-06-23 10:00  card card_1 is a network token; first charge fails: insufficient_funds, 4900 usd
                      notice first
    2026-06-24 09:00  updater finds a fresh cryptogram
                      call left
"""


def case_of(world: World) -> Case:
    case = world.case("in_1")
    assert case is not None
    return case


def test_requests_hits_and_payments_are_counted_and_cryptograms_apart() -> None:
    cases = [case_of(story(text, FRESH)) for text in (HIT, MISS, MISS, PENDING, TOKEN)]
    line = refresh_line(cases)
    assert line == RefreshLine(3, 1, 1, 1, 1)
    assert line.hit_rate == 1 / 3


def test_without_requests_there_is_no_rate() -> None:
    assert refresh_line([]).hit_rate is None
