"""`dunr serve` is killed again and again while two hundred charges lose their answers; nothing acknowledged is lost, and nobody pays twice.

The processor is a process of its own with its own database, so that it remembers what really happened. The seed is printed; `DUNR_CRASH_SEED` plays it again.
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
from tests.crash.stores import PostgresDatabase, SqliteFile, store_of
from tests.crash.stories import WAYS, Story, all_acknowledged_applied, check_explained, check_money

CHARGES = 200
KILLS = 20
BATCH = CHARGES // KILLS
SETTINGS = {
    "DUNR_PROCESSOR_TIMEOUT_SECONDS": "1",
    "DUNR_LOOK_MAX_AGE_SECONDS": "1",
    "DUNR_LEASE_SECONDS": "4",
    "DUNR_WORKER_THREADS": "8",
    "DUNR_AUTOMATIC_BRAKE": "false",  # so many lost answers would put it on
}
ENOUGH_SECONDS = 450.0  # a look-up that a kill cut off is made again after one minute, then after five


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.endurance)])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[SqliteFile | PostgresDatabase]:
    store = store_of(request.param, tmp_path)
    yield store
    store.close()


@pytest.fixture
def world(tmp_path: Path, store: SqliteFile | PostgresDatabase) -> Iterator[Rehearsal]:
    with race(tmp_path, **SETTINGS, **store.environment) as running:
        running.set(webhook_backoff_seconds=[1])
        yield running


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_nothing_is_lost_and_nobody_pays_twice_however_often_the_server_is_killed(
    world: Rehearsal, store: SqliteFile | PostgresDatabase
) -> None:
    seed = int(os.environ.get("DUNR_CRASH_SEED", random.randrange(2**32)))
    print(f"DUNR_CRASH_SEED={seed}")
    story = Story(world, store, random.Random(seed), CHARGES)

    with ThreadPoolExecutor(8) as people:
        begun = kill_again_and_again(story, people)
        for act in begun:
            act.result()
    until(lambda: len(world.cases()) == CHARGES)
    until(
        lambda: not [case["invoice"] for case in world.cases() if case["attempt_in_flight"] is not None], ENOUGH_SECONDS
    )
    until(lambda: all_acknowledged_applied(story), ENOUGH_SECONDS)

    cases = {invoice: world.case(invoice) for invoice in story.invoices}
    for invoice, case in cases.items():
        check_money(world, invoice, case)
        check_explained(case)
    told = Counter(case["state"] for case in cases.values())
    silent = sum(
        any("fallen silent" in why for why in entry["because"]) for case in cases.values() for entry in case["audit"]
    )
    print(f"kills={KILLS} attempts_taken_over={silent} states={dict(told)}")
    assert silent, "no kill came while an attempt was under way"
    assert told["recovered"] >= CHARGES / 2
    until(lambda: len(store.receipt_notes()) == told["recovered"] and all(store.receipt_notes()), ENOUGH_SECONDS)
    fates = Counter(store.receipt_notes())
    print(f"receipts={dict(fates)}")
    assert set(fates) <= {"sent", "maybe_sent"}
    receipts = Counter(mail["to"] for mail in world.mails("receipt"))
    assert max(receipts.values()) == 1
    assert fates["sent"] <= receipts.total() <= told["recovered"], "only one that nobody can know of may be missing"


def kill_again_and_again(story: Story, people: ThreadPoolExecutor) -> list[Future[None]]:
    """Each life of the server gets some work, and an end at any moment in it."""
    world, begun = story.world, list[Future[None]]()
    for life in range(KILLS):
        batch = story.invoices[life * BATCH : (life + 1) * BATCH]
        for invoice in batch:
            story.fail(invoice)
        ways = [story.chance.choice(WAYS) for _ in batch]
        begun += [people.submit(story.act, invoice, way) for invoice, way in zip(batch, ways, strict=True)]
        time.sleep(story.chance.uniform(0.05, 1.2))
        world.kill("serve")
        world.start_serve()
    return begun
