"""How quickly the core decides and the simulator steps, against the least that any scheduler must do: four dates in business days, in plain Python."""

from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta
from itertools import count
from statistics import median
from zoneinfo import ZoneInfo

from benchmarks.measuring import ROUNDS, Row, rate, side_by_side
from dunr.core.answers import Declined
from dunr.core.circumstances import Circumstances
from dunr.core.decide import decide
from dunr.core.declines import classify
from dunr.core.events import AttemptSettled, ChargeFailed
from dunr.core.policy import Policy
from dunr.core.schedule import lay
from dunr.core.snapshot import RawDecline
from dunr.core.strategies import rungs
from dunr.facts.load import load_facts
from dunr.facts.policies import policy_named
from dunr.simulate.chaos import run
from dunr.testing.scenario import play

PEER = "a four-date schedule in plain Python"
WANTED_RATIO = 50_000 / 255_000  # decisions a second to schedules a second, as the design wants them on one machine
CHAOS_WANTED_RATIO = 10_000 / 255_000  # engine steps of the simulator to the same schedules
WORLDS = 40  # in one round of the simulator
START = datetime(2026, 6, 23, 10, tzinfo=UTC)
DECLINE = RawDecline("card_declined", "insufficient_funds")
FAILED = """
2026-06-23 10:00  first charge fails: insufficient_funds, 4900 usd
                  notice first
2026-06-24 09:00  step 1 sent
"""


def instants() -> Iterator[datetime]:
    """Another second each time, so that nothing is remembered from the call before."""
    return (START + timedelta(seconds=number) for number in count())


def plain_schedule(failed_at: datetime, zone: ZoneInfo, holidays: frozenset[date]) -> list[datetime]:
    """Four dates at nine, 1, 3, 3 and 3 business days apart."""
    day, dates = failed_at.astimezone(zone).date(), []
    for gap in (1, 3, 3, 3):
        for _ in range(gap):
            day += timedelta(days=1)
            while day.weekday() >= 5 or day in holidays:
                day += timedelta(days=1)
        dates.append(datetime.combine(day, time(9), zone))
    return dates


def rows() -> Iterator[Row]:
    """What a decline means with the date of the next attempt; a whole first decision; a whole decision on a declined attempt."""
    facts, zone, holidays = load_facts(), ZoneInfo("UTC"), frozenset((date(2026, 7, 3),))
    peer_at = instants()

    def peer() -> object:
        return plain_schedule(next(peer_at), zone, holidays)

    by_reason, at = policy_named("by_reason"), instants()

    def next_attempt() -> object:
        failed_at = next(at)
        reason = classify(DECLINE, "stripe", facts).reason
        coming = rungs(by_reason, facts, reason, 0, 0, 0)[:1]
        return lay(coming, failed_at, Circumstances(by_reason, facts, failed_at))

    yield Row("classify and next attempt", "a second", *side_by_side(next_attempt, peer), PEER, WANTED_RATIO)

    untouched = play("2026-06-23 10:00  nothing happens\n", facts, Policy())
    untouched.show("in_1", first_failed_at=untouched.now)
    opening = untouched.dossier("in_1", untouched.snapshot("in_1"))
    opened_at = instants()

    def open_case() -> object:
        return decide(opening, ChargeFailed(), facts, next(opened_at))

    yield Row("decide: a case opens with its plan", "a second", *side_by_side(open_case, peer), PEER, WANTED_RATIO)

    attempted = play(FAILED, facts, Policy())
    settling = attempted.dossier("in_1", None)
    settled_at = (attempted.now + timedelta(seconds=number) for number in count())

    def settle() -> object:
        now = next(settled_at)
        return decide(settling, AttemptSettled(1, Declined("ch_1", DECLINE, now)), facts, now)

    yield Row("decide: an attempt is declined", "a second", *side_by_side(settle, peer), PEER, WANTED_RATIO)

    steps_and_peer = [
        (run(WORLDS, number * WORLDS, facts=facts).steps_per_cpu_second, rate(peer)) for number in range(ROUNDS)
    ]
    steps, schedules = (median(column) for column in zip(*steps_and_peer, strict=True))
    yield Row("chaos: steps of the engine", "a second of one core", steps, schedules, PEER, CHAOS_WANTED_RATIO)
