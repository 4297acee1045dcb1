"""`dunr worker` is killed between the mail server's 250 and our commit, and at other moments: one notice has one Message-ID, and that window alone can repeat it."""

import random
import time
from collections import Counter
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from tests.cases.rehearsal import Rehearsal, until
from tests.crash.mailing import MORNING, Watched, are_done, by_mail, notices_of, owes, start_workers, stop_then_kill
from tests.crash.stores import PostgresDatabase, SqliteFile, store_of

REPEATED_SECONDS = 120.0  # the lease of the dead, and half a minute before a repeat
MANY = 24
KILLS = 6


@pytest.fixture(params=["sqlite", "postgresql"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[SqliteFile | PostgresDatabase]:
    store = store_of(request.param, tmp_path)
    yield store
    store.close()


def end_of(world: Rehearsal, worker: str, killed: list[str], _address: str) -> None:
    """The mail server's doing, in the middle of a mail to somebody."""
    stop_then_kill(world, worker, killed)


def nothing(_address: str) -> None:
    """The mail server goes on."""


@pytest.mark.slow
@pytest.mark.endurance
@pytest.mark.timeout(600)
def test_what_was_answered_and_not_booked_is_repeated_under_the_same_id_if_it_warns_and_else_never(
    tmp_path: Path, store: SqliteFile | PostgresDatabase
) -> None:
    """The worker dies with the server's 250 unread, once over a warning and once over a first notice that warns of nothing."""
    post, killed = Watched(), list[str]()
    with by_mail(tmp_path, post, MORNING, **store.environment) as world:
        for number, (name, decline) in enumerate((("warned", "stolen_card"), ("told", "insufficient_funds"))):
            worker, address = f"worker_{number}", f"{name}@example.com"
            post.at_end = partial(end_of, world, worker, killed)
            start_workers(world, worker)
            owes(world, f"in_{name}", name, decline=decline)
            until(partial(post.ids_to, address))
            assert world.processes.pop(worker).wait(60) == -9
            post.at_end = nothing
        assert killed == ["worker_0", "worker_1"]
        assert [notice["done_at"] for notice in notices_of(world, "in_warned")] == [None], "it was not booked"

        start_workers(world, "next")
        until(partial(are_done, world, "in_warned", "in_told"), REPEATED_SECONDS)
        first, again = post.ids_to("warned@example.com")
        assert first == again
        assert len(post.ids_to("told@example.com")) == 1
        assert [notice["note"] for notice in notices_of(world, "in_warned")] == ["sent"]
        assert [notice["note"] for notice in notices_of(world, "in_told")] == ["maybe_sent"]


@pytest.mark.slow
@pytest.mark.endurance
@pytest.mark.timeout(600)
def test_a_worker_that_dies_before_the_mail_is_handed_over_has_sent_nothing_and_the_next_one_sends_it_once(
    tmp_path: Path, store: SqliteFile | PostgresDatabase
) -> None:
    post, killed = Watched(), list[str]()
    with by_mail(tmp_path, post, MORNING, **store.environment) as world:
        post.at_recipient = partial(end_of, world, "worker", killed)
        start_workers(world, "worker")
        owes(world, "in_1", "ada")
        until(lambda: killed)
        assert world.processes.pop("worker").wait(60) == -9
        assert post.arrived == []
        post.at_recipient = nothing

        start_workers(world, "next")
        until(partial(are_done, world, "in_1"), REPEATED_SECONDS)
        assert [notice["note"] for notice in notices_of(world, "in_1")] == ["sent"], world.log("next")
        assert len(post.ids_to("ada@example.com")) == 1


@pytest.mark.slow
@pytest.mark.endurance
@pytest.mark.timeout(600)
def test_however_often_two_workers_are_killed_each_notice_has_one_id(
    tmp_path: Path, store: SqliteFile | PostgresDatabase
) -> None:
    """At any moment: while they ask, decide, hand over or book. A repeat can only come from the window, so there are no more of them than kills."""
    chance, post = random.Random(7), Watched()
    with by_mail(tmp_path, post, MORNING, **store.environment) as world:
        start_workers(world, "worker_0", "worker_1")
        for number in range(MANY):
            owes(world, f"in_{number}", f"payer{number}")
            if number % (MANY // KILLS) == MANY // KILLS - 1:
                time.sleep(chance.uniform(0.0, 0.5))
                victim = chance.choice(("worker_0", "worker_1"))
                world.kill(victim)
                world.start_worker(victim)
        until(partial(are_done, world, *(f"in_{number}" for number in range(MANY))), REPEATED_SECONDS)
        ids = {number: post.ids_to(f"payer{number}@example.com") for number in range(MANY)}
        assert all(len(set(found)) == 1 for found in ids.values()), "each warning left, under one id"
        assert len({found[0] for found in ids.values()}) == MANY
        repeats = Counter({number: len(found) - 1 for number, found in ids.items()})
        print(f"kills={KILLS} repeats={repeats.total()}")
        assert repeats.total() <= KILLS * 4, "a dead worker had at most its four threads in the window"
