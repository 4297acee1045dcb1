"""C05: a worker is frozen past its lease, another takes over and charges, the first wakes up: it stops, and takes nothing away from the other."""

from pathlib import Path

import httpx

from tests.cases.racing import due_in, opened, race
from tests.cases.rehearsal import Rehearsal, payer, until
from tests.cases.stores import by_one_worker_or_four
from tests.crash.stores import PostgresDatabase, SqliteFile

LEASE = {"DUNR_PROCESSOR_TIMEOUT_SECONDS": "2", "DUNR_LOOK_MAX_AGE_SECONDS": "1", "DUNR_LEASE_SECONDS": "6"}
ADA = payer("ada")


def start_all(world: Rehearsal, workers: tuple[str, ...]) -> None:
    for name in workers:
        world.start_worker(name)


def try_other_invoice(world: Rehearsal) -> httpx.Response:
    """The same card is wanted for another invoice."""
    return world.pay_now("in_5x")


@by_one_worker_or_four
def test_a_worker_frozen_before_sending_finds_its_fence_stale_and_leaves_the_new_lease_alone(
    tmp_path: Path, store: SqliteFile | PostgresDatabase, workers: tuple[str, ...]
) -> None:
    with race(tmp_path, "frozen", **LEASE, **store.environment) as world:
        for invoice in ("in_5", "in_5x"):
            opened(world, invoice, customer=ADA)
        world.script("card_1", "hang:1.8:succeed")
        # So slow is the look before the intent that it is too old to send on; while the worker looks again, it is frozen.
        due_in(world, 1.0, "in_5")
        world.set(snapshots_hang_seconds=1)
        until(lambda: world.case("in_5")["attempt_in_flight"] == 1)
        world.freeze("frozen")
        world.set(snapshots_hang_seconds=0)
        assert world.requests("in_5") == []

        start_all(world, workers)
        until(lambda: world.requests("in_5"))
        world.thaw("frozen")
        busy = []
        while not world.captures("in_5"):
            busy.append(try_other_invoice(world))
        until(lambda: world.case("in_5")["state"] == "recovered")
        until(lambda: len(world.mails("receipt")) == 1)

        assert busy
        assert {answer.status_code for answer in busy[:-1]} <= {409}, "the card stays with whoever took over"
        assert [request["key"] for request in world.requests("in_5")] == ["dunr-in_5-a1"]
        assert world.captures("in_5") == 1
        assert [attempt["outcome"] for attempt in world.case("in_5")["attempts"]] == ["declined", "succeeded"]
        assert world.balance("in_5") == {"receivable": 0, "billed": -4900, "processor": 4900}


@by_one_worker_or_four
def test_a_worker_frozen_while_it_waits_for_the_answer_finds_it_booked_already(
    tmp_path: Path, store: SqliteFile | PostgresDatabase, workers: tuple[str, ...]
) -> None:
    shorter = LEASE | {"DUNR_PROCESSOR_TIMEOUT_SECONDS": "1", "DUNR_LEASE_SECONDS": "4"}
    with race(tmp_path, "frozen", **shorter, **store.environment) as world:
        opened(world, "in_5c", customer=ADA)
        world.set(drop_webhooks=True)
        world.script("card_1", "hang:0.7:succeed")
        due_in(world, 0.3, "in_5c")
        until(lambda: world.requests("in_5c"))
        world.freeze("frozen")

        start_all(world, workers)
        until(lambda: world.case("in_5c")["state"] == "recovered")
        for name in workers:
            world.kill(name)
        world.thaw("frozen")
        world.set(drop_webhooks=False)
        opened(world, "in_5d", card="card_2", customer=payer("bo"))

        assert len(world.requests("in_5c")) == 1
        assert world.captures("in_5c") == 1
        assert len([posting for posting in world.postings("in_5c") if posting["kind"] == "recovered"]) == 1
        assert world.balance("in_5c") == {"receivable": 0, "billed": -4900, "processor": 4900}
