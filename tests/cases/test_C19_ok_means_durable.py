"""C19: 200 is said when the event is on the disk, and not before: no database, or a kill between accept and commit, is no 2xx."""

import resource
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from tests.cases.rehearsal import Json, Rehearsal, until


@contextmanager
def locked(world: Rehearsal) -> Iterator[None]:
    """Another process holds the database, so that nothing can be written."""
    database = sqlite3.connect(world.folder / "data" / "dunr.db", isolation_level=None)
    try:
        database.execute("BEGIN EXCLUSIVE")
        yield
        database.execute("ROLLBACK")
    finally:
        database.close()


@contextmanager
def disk_full(world: Rehearsal) -> Iterator[None]:
    """No file of dunr's may grow, or be written at all."""
    process_id = world.processes["serve"].pid
    _, most = resource.prlimit(process_id, resource.RLIMIT_FSIZE, (1, resource.RLIM_INFINITY))
    try:
        yield
    finally:
        resource.prlimit(process_id, resource.RLIMIT_FSIZE, (most, most))


def fail_unseen(world: Rehearsal, invoice: str, card: str) -> None:
    """A payment fails, and nobody waits until the news is applied."""
    body: Json = {"invoice": invoice, "subscription": f"sub_{invoice}", "decline": "insufficient_funds"}
    body |= {"customer": {"id": f"cus_{invoice}", "email": f"{invoice}@example.com"}, "card": {"id": card}}
    world.psp.post("/sandbox/failures", json=body).raise_for_status()


def deliveries(world: Rehearsal, invoice: str) -> list[int | None]:
    """What the intake answered, try by try; None where it did not."""
    rows = world.psp.get("/sandbox/webhooks", params={"invoice": invoice}).json()
    return [row["response_status"] for row in rows if row["status"] != "waiting"]


def test_while_the_database_cannot_be_written_the_answer_is_5xx_and_the_redelivery_is_applied(world: Rehearsal) -> None:
    with locked(world):
        fail_unseen(world, "in_19a", "card_1")
        until(lambda: deliveries(world, "in_19a"))
    with disk_full(world):
        fail_unseen(world, "in_19b", "card_2")
        until(lambda: deliveries(world, "in_19b"))
    for invoice in ("in_19a", "in_19b"):
        assert deliveries(world, invoice) == [503]
        assert world.find(invoice) is None

    world.advance(seconds=120)
    for invoice in ("in_19a", "in_19b"):
        assert deliveries(world, invoice) == [503, 200]
        assert world.case(invoice)["state"] == "scheduled"
    assert sorted(mail["to"] for mail in world.mails("first")) == ["in_19a@example.com", "in_19b@example.com"]


def test_a_kill_between_accept_and_commit_is_no_2xx_and_what_got_a_2xx_survives_a_kill(world: Rehearsal) -> None:
    with locked(world):
        fail_unseen(world, "in_19c", "card_1")
        until(lambda: any(row["sent_at"] for row in world.psp.get("/sandbox/webhooks").json()))
        world.kill("serve")
        until(lambda: deliveries(world, "in_19c"))
    assert deliveries(world, "in_19c") == [None]
    world.start_serve()
    assert world.find("in_19c") is None
    world.advance(seconds=120)
    assert deliveries(world, "in_19c") == [None, 200]
    assert world.case("in_19c")["state"] == "scheduled"

    # The processor cannot be read, so what is acknowledged cannot be applied before the kill.
    world.set(snapshots_failing=True)
    fail_unseen(world, "in_19d", "card_2")
    until(lambda: deliveries(world, "in_19d") == [200])
    world.kill("serve")
    world.start_serve()
    assert world.find("in_19d") is None
    world.set(snapshots_failing=False)
    world.advance(seconds=120)
    assert world.case("in_19d")["state"] == "scheduled"
    assert deliveries(world, "in_19d") == [200], "it was not sent again"
    assert len(world.cases()) == 2
