"""Four workers and a server on PostgreSQL, each of them killed at any moment, while charges lose their answers; nothing is lost, nobody pays twice, nobody is alarmed.

The usual run is a short one. `DUNR_CRASH_CHARGES=5000 DUNR_CRASH_KILLS=60` plays the long one; the seed is printed, and `DUNR_CRASH_SEED` plays it again.
"""

import os
import random
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.cases.racing import race
from tests.cases.rehearsal import Rehearsal, until
from tests.crash.stores import PostgresDatabase, store_of
from tests.crash.stories import (
    WAYS,
    Story,
    all_acknowledged_applied,
    check_explained,
    check_money,
    looked_at,
)

CHARGES = int(os.environ.get("DUNR_CRASH_CHARGES", "120"))
KILLS = int(os.environ.get("DUNR_CRASH_KILLS", "8"))
BATCH = -(-CHARGES // KILLS)
WORKERS = ("worker_1", "worker_2", "worker_3", "worker_4")
SETTINGS = {
    "DUNR_PROCESSOR_TIMEOUT_SECONDS": "1",
    "DUNR_LOOK_MAX_AGE_SECONDS": "1",
    "DUNR_LEASE_SECONDS": "4",
    "DUNR_WORKER_THREADS": "4",
    "DUNR_AUTOMATIC_BRAKE": "false",  # so many lost answers would put it on
}
ENOUGH_SECONDS = 450.0 + CHARGES / 10


@pytest.fixture
def store(tmp_path: Path) -> Iterator[PostgresDatabase]:
    store = store_of("postgresql", tmp_path)
    assert isinstance(store, PostgresDatabase)
    yield store
    store.close()


@pytest.fixture
def world(tmp_path: Path, store: PostgresDatabase) -> Iterator[Rehearsal]:
    with race(tmp_path, *WORKERS, **SETTINGS, **store.environment) as running:
        running.set(webhook_backoff_seconds=[1])
        yield running


@pytest.mark.slow
@pytest.mark.endurance
@pytest.mark.timeout(1200 + CHARGES)
def test_nothing_is_lost_and_nobody_pays_twice_whoever_is_killed(world: Rehearsal, store: PostgresDatabase) -> None:
    seed = int(os.environ.get("DUNR_CRASH_SEED", random.randrange(2**32)))
    print(f"DUNR_CRASH_SEED={seed}")
    story = Story(world, store, random.Random(seed), CHARGES)

    killed = Counter[str]()
    with ThreadPoolExecutor(8) as people:
        for act in kill_again_and_again(story, people, killed):
            act.result()
    until(lambda: all_acknowledged_applied(story), ENOUGH_SECONDS)
    until(lambda: nobody_waits_for_an_answer(store), ENOUGH_SECONDS)

    cases = looked_at(world, story.invoices)
    for invoice, case in cases.items():
        check_money(world, invoice, case)
        check_explained(case)
    told = Counter(case["state"] for case in cases.values())
    silent = sum(
        any("fallen silent" in why for why in entry["because"]) for case in cases.values() for entry in case["audit"]
    )
    alerts = Counter(alert["kind"] for alert in world.alerts())
    print(
        f"charges={CHARGES} killed={dict(killed)} attempts_taken_over={silent} states={dict(told)} alerts={dict(alerts)}"
    )
    assert sum(killed.values()) == KILLS
    assert told["recovered"] >= CHARGES / 2
    assert alerts == {}
    until(lambda: receipts_settled(store), ENOUGH_SECONDS)
    fates = receipt_fates(store)
    print(f"receipts={dict(fates)}")
    assert sum(fates.values()) == told["recovered"], "each recovered case has one receipt"
    assert set(fates) <= {"sent", "maybe_sent"}


def kill_again_and_again(story: Story, people: ThreadPoolExecutor, killed: Counter[str]) -> list[Future[None]]:
    """Each round gets some work, and an end for one of the five at any moment in it."""
    world, begun = story.world, list[Future[None]]()
    for number in range(KILLS):
        batch = story.invoices[number * BATCH : (number + 1) * BATCH]
        list(people.map(story.fail, batch))
        ways = [story.chance.choice(WAYS) for _ in batch]
        begun += [people.submit(story.act, invoice, way) for invoice, way in zip(batch, ways, strict=True)]
        time.sleep(story.chance.uniform(0.05, 1.2))
        victim = story.chance.choice(("serve", *WORKERS))
        killed[victim] += 1
        world.kill(victim)
        if victim == "serve":
            world.start_serve("--no-worker")
        else:
            world.start_worker(victim)
    return begun


def nobody_waits_for_an_answer(store: PostgresDatabase) -> bool:
    return store.ask("SELECT count(*) FROM attempts WHERE outcome IS NULL OR outcome IN ('unknown', 'pending')") == [
        (0,)
    ]


RECEIPTS = "FROM effects WHERE kind = 'Notice' AND body::json->>'kind' = 'receipt'"


def receipts_settled(store: PostgresDatabase) -> bool:
    return store.ask(f"SELECT count(*) {RECEIPTS} AND done_at IS NULL") == [(0,)]


def receipt_fates(store: PostgresDatabase) -> Counter[str]:
    """What became of each receipt."""
    return Counter(dict(store.ask(f"SELECT note, count(*) {RECEIPTS} GROUP BY note")))
