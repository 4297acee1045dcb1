"""The database is killed again and again under a server and four workers; they come back by themselves, and nothing is lost or charged twice."""

import random
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.cases.racing import race
from tests.cases.rehearsal import Rehearsal, until
from tests.crash.stores import PostgresDatabase
from tests.crash.stories import WAYS, Story, all_acknowledged_applied, check_explained, check_money, looked_at
from tests.postgres import Server, own_server

CHARGES = 45
DEATHS = 3
BATCH = CHARGES // DEATHS
WORKERS = ("worker_1", "worker_2", "worker_3", "worker_4")
SETTINGS = {
    "DUNR_PROCESSOR_TIMEOUT_SECONDS": "1",
    "DUNR_LOOK_MAX_AGE_SECONDS": "1",
    "DUNR_LEASE_SECONDS": "4",
    "DUNR_AUTOMATIC_BRAKE": "false",  # so many lost answers would put it on
}
ENOUGH_SECONDS = 180.0


@pytest.fixture
def server() -> Iterator[Server]:
    server = own_server()
    yield server
    server.close()


@pytest.fixture
def store(server: Server) -> PostgresDatabase:
    return PostgresDatabase(server)


@pytest.fixture
def world(tmp_path: Path, store: PostgresDatabase) -> Iterator[Rehearsal]:
    with race(tmp_path, *WORKERS, **SETTINGS, **store.environment) as running:
        running.set(webhook_backoff_seconds=[1])
        yield running


@pytest.mark.slow
@pytest.mark.endurance
@pytest.mark.timeout(900)
def test_a_database_that_dies_in_the_middle_is_waited_for(
    world: Rehearsal, store: PostgresDatabase, server: Server
) -> None:
    story = Story(world, store, random.Random(5), CHARGES)
    with ThreadPoolExecutor(8) as people:
        for number in range(DEATHS):
            batch = story.invoices[number * BATCH : (number + 1) * BATCH]
            list(people.map(story.fail, batch))
            acts = [people.submit(story.act, invoice, story.chance.choice(WAYS)) for invoice in batch]
            time.sleep(story.chance.uniform(0.2, 1.5))
            server.kill()
            time.sleep(story.chance.uniform(0.2, 2.0))
            server.start()
            for act in acts:
                act.result()
    until(lambda: all_acknowledged_applied(story), ENOUGH_SECONDS)
    until(lambda: nothing_open(store), ENOUGH_SECONDS)

    cases = looked_at(world, story.invoices)
    for invoice, case in cases.items():
        check_money(world, invoice, case)
        check_explained(case)
    told = Counter(case["state"] for case in cases.values())
    print(f"deaths={DEATHS} states={dict(told)} alerts={[alert['kind'] for alert in world.alerts()]}")
    assert told["recovered"] >= CHARGES / 2
    assert world.alerts() == []
    for name in ("serve", *WORKERS):
        assert world.processes[name].poll() is None, f"{name} has ended"


def nothing_open(store: PostgresDatabase) -> bool:
    return store.ask("SELECT count(*) FROM attempts WHERE outcome IS NULL OR outcome IN ('unknown', 'pending')") == [
        (0,)
    ]
