"""Eight workers, three cards, and many invoices that fall due on them at one moment, again and again: the processor never sees two attempts at once on one card.

Each charge takes a while at the processor, a process of its own with its own books, before it is booked and anybody is told; two that begin within that while on
one card were under way together. The trap is a claim of rows that skips what others hold: at PostgreSQL's usual isolation it lets two through in every trial.
"""

import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from datetime import datetime, timedelta
from itertools import pairwise
from pathlib import Path

import pytest

from tests.cases.racing import due_in, opened, race
from tests.cases.rehearsal import Json, Rehearsal, payer, until
from tests.crash.stores import PostgresDatabase, store_of

WORKERS = 8
CARDS = 3
INVOICES_OF_A_CARD = 5
ROUNDS = 4  # each with three cards that were not charged yet, since a card is charged so often a day and no more
CHARGE_SECONDS = 0.4
LEASE_WAIT_SECONDS = 5.0  # after so long, whoever found the card busy looks again
SETTINGS = {
    "DUNR_PROCESSOR_TIMEOUT_SECONDS": "10",
    "DUNR_LOOK_MAX_AGE_SECONDS": "1",
    "DUNR_LEASE_SECONDS": "30",
    "DUNR_WORKER_THREADS": "3",
}
ENOUGH_SECONDS = 240.0


@pytest.fixture
def store(tmp_path: Path) -> Iterator[PostgresDatabase]:
    store = store_of("postgresql", tmp_path)
    assert isinstance(store, PostgresDatabase)
    yield store
    store.close()


@pytest.mark.slow
@pytest.mark.endurance
@pytest.mark.timeout(600)
def test_eight_workers_never_have_two_attempts_at_once_on_one_of_three_cards(
    tmp_path: Path, store: PostgresDatabase
) -> None:
    workers = [f"worker_{number}" for number in range(WORKERS)]
    with race(tmp_path, workers[0], **SETTINGS, **store.environment) as world:
        for name in workers[1:]:
            world.start_worker(name)
        until(lambda: all("Working" in world.log(name) for name in workers), ENOUGH_SECONDS)
        charged = [request for number in range(ROUNDS) for request in charged_in(world, number)]

        assert together_on_one_card(charged) == []
        tried = Counter(request["invoice"] for request in charged)
        assert set(tried.values()) == {1}, "each invoice that had its turn was charged once"
        assert all(world.captures(invoice) == 1 for invoice in tried)
        at_once = max(len([one for one in charged if overlaps(one, other)]) for other in charged)
        print(f"requests={len(charged)} on {len({one['card'] for one in charged})} cards, at most {at_once} at once")
        assert at_once > 1, "different cards are charged side by side, or this shows nothing"
        for name in workers:
            assert "Traceback" not in world.log(name)


def charged_in(world: Rehearsal, round_number: int) -> list[Json]:
    """What the processor was asked for when so many invoices of three cards fell due at one moment."""
    invoices: list[str] = []
    for number in range(CARDS):
        name = f"{round_number}_{number}"
        world.script(f"card_{name}", f"hang:{CHARGE_SECONDS}:succeed")
        for count in range(INVOICES_OF_A_CARD):
            invoices.append(f"in_{name}_{count}")
            opened(world, invoices[-1], card=f"card_{name}", customer=payer(f"ada{name}"))
    due_in(world, 12.0, *invoices)  # before it comes, a busy machine must have told all of them
    until(lambda: len(requests_of(world, invoices)) >= CARDS, ENOUGH_SECONDS)
    time.sleep(LEASE_WAIT_SECONDS + 1)  # those that found their card busy come again
    until(lambda: not any(world.case(invoice)["attempt_in_flight"] for invoice in invoices), ENOUGH_SECONDS)
    return requests_of(world, invoices)


def requests_of(world: Rehearsal, invoices: list[str]) -> list[Json]:
    return [request for invoice in invoices for request in world.requests(invoice)]


def overlaps(one: Json, other: Json) -> bool:
    apart = abs(datetime.fromisoformat(one["at"]) - datetime.fromisoformat(other["at"]))
    return apart < timedelta(seconds=CHARGE_SECONDS)


def together_on_one_card(charged: list[Json]) -> list[tuple[str, str]]:
    """Pairs of requests that were under way at the same time on the same card, as the processor saw them."""
    by_card: defaultdict[str, list[Json]] = defaultdict(list)
    for request in charged:
        by_card[request["card"]].append(request)
    found: list[tuple[str, str]] = []
    for requests in by_card.values():
        requests.sort(key=lambda request: str(request["at"]))
        pairs = pairwise(requests)
        found += [(one["invoice"], next_one["invoice"]) for one, next_one in pairs if overlaps(one, next_one)]
    return found
