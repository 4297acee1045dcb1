"""A store moves to PostgreSQL: killed, it goes on where it was; neither side sends meanwhile; afterwards only the new one does."""

import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from dunr.accounting.proof import problems_of_books
from dunr.adapters.stores.sql.moves.move import Move
from dunr.adapters.stores.sql.store import SqlStore
from dunr.core.identity import differences
from dunr.errors import NotCarried, SettingsError, StoreUnavailable
from dunr.rulebook import MOVED
from dunr.store_moves import give_up, move
from dunr.testing.history import History
from dunr.testing.store_rows import event
from tests.entry.cli.terminals import Terminal
from tests.moves.stores import NOW, counted, store_in, url_of
from tests.postgres import server

DUNR = Path(sys.executable).with_name("dunr")
THOUSANDS = 3_000


@pytest.fixture
def database() -> Iterator[str]:
    """An empty PostgreSQL database."""
    where = server(durable=True)
    name = where.create()
    yield where.url(name)
    where.drop(name)


def rows_in(database: str) -> int:
    """How many rows of the largest table are there, where it is there already."""
    with psycopg.connect(database) as connection:
        there = connection.execute("SELECT to_regclass('effects')").fetchone()
        found = connection.execute("SELECT count(*) FROM effects").fetchone() if there and there[0] else (0,)
    assert found is not None
    return int(found[0])


def begun_on(url: str) -> SqlStore:
    store = SqlStore(url)
    try:
        store.migrate()
    except SettingsError:
        store.close()
        raise
    return store


def test_a_store_moves_and_the_new_one_is_itself(tmp_path: Path, database: str) -> None:
    path = store_in(tmp_path)
    before = counted(url_of(path))
    moved = move(url_of(path), database, None)
    assert moved.rows == before.rows | {"documents": before.rows["documents"] + 1}  # the brake of the move
    assert moved.went_on_from == 0
    target = begun_on(database)
    assert differences(target.recorded_identity(), target.identity()) == ()
    assert target.document("epoch") is not None
    stops = target.document("stops")
    assert stops is None or MOVED.encode() not in stops.body
    assert list(problems_of_books(target)) == []
    assert target.receive([event("evt_first")])
    target.close()
    with pytest.raises(SettingsError, match="was moved to postgresql://"):
        begun_on(url_of(path))
    with pytest.raises(NotCarried, match="already"):
        move(url_of(path), database, None)
    with pytest.raises(NotCarried, match="over"):
        give_up(url_of(path), database, None)


@pytest.mark.endurance
def test_killed_in_the_middle_it_goes_on_where_it_was(tmp_path: Path, database: str) -> None:
    big = tmp_path / "big.db"
    store = begun_on(url_of(big))
    store.record_identity(store.identity())
    store.close()
    History(worlds=20).fill(url_of(big), ended=THOUSANDS, scheduled=0, now=NOW)
    command = [str(DUNR), "db", "copy", "--from", url_of(big), "--to", database, "--json"]
    first = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.DEVNULL)
    give_up_at = time.monotonic() + 60
    while rows_in(database) == 0:
        assert first.poll() is None, "it was over before it could be killed"
        assert time.monotonic() < give_up_at
    first.kill()
    first.wait()
    with Move(url_of(big), database) as half:
        assert half.has_begun
        assert not half.is_over
    there = rows_in(database)
    moved = move(url_of(big), database, None)
    assert there > 0
    assert moved.went_on_from >= there
    assert moved.went_on_from < sum(moved.rows.values())
    assert counted(database).balances == counted(url_of(big)).balances


def test_nothing_is_written_on_either_side_meanwhile(tmp_path: Path, database: str) -> None:
    """Whoever runs on the source is refused, so that a webhook is not acknowledged but comes again; nobody can begin on a half."""
    path = store_in(tmp_path)
    running = begun_on(url_of(path))
    with Move(url_of(path), database) as moving:
        for url in (url_of(path), database):
            half = SqlStore(url)
            half.migrate(held=True)
            half.close()
        moving.freeze(moving.reserve())
        with pytest.raises(StoreUnavailable, match="is being moved"):
            running.receive([event("evt_meanwhile")])
        with pytest.raises(StoreUnavailable, match="is being moved"):
            running.put_document("x", b"", 0)
        assert running.cases(state=None, text=None, limit=1, after=None)  # it can still be asked
        with pytest.raises(SettingsError, match="is being moved"):
            begun_on(url_of(path))
        with pytest.raises(SettingsError, match="not filled yet"):
            begun_on(database)
    move(url_of(path), database, None)
    with pytest.raises(StoreUnavailable, match="was moved"):
        running.receive([event("evt_late")])
    running.close()


def test_a_move_can_be_taken_back_until_it_is_over(tmp_path: Path, database: str) -> None:
    path = store_in(tmp_path)
    with Move(url_of(path), database) as moving:
        half = SqlStore(database)
        half.migrate(held=True)
        half.close()
        moving.freeze(moving.reserve())
    assert give_up(url_of(path), database, None)
    store = begun_on(url_of(path))
    assert store.receive([event("evt_again")])
    assert differences(store.recorded_identity(), store.identity()) == ()
    store.close()
    with pytest.raises(SettingsError, match="not filled yet"):
        begun_on(database)
    move(url_of(path), database, None)  # the same target again: nothing had come yet


def test_a_row_that_changed_on_its_way_ends_the_move(tmp_path: Path, database: str) -> None:
    path = store_in(tmp_path)
    with Move(url_of(path), database) as moving:
        half = SqlStore(database)
        half.migrate(held=True)
        half.close()
        moving.freeze(moving.reserve())
        moving.copy()
        with psycopg.connect(database) as connection:
            connection.execute("UPDATE audit SET what = 'else' WHERE number = 1")
        with pytest.raises(NotCarried, match=r"a row of audit is not what it was"):
            moving.prove()
    with pytest.raises(NotCarried):
        move(url_of(path), database, None)
    with pytest.raises(SettingsError, match="not filled yet"):
        begun_on(database)


def test_what_cannot_be_moved_is_said(tmp_path: Path, database: str) -> None:
    path = store_in(tmp_path)
    with pytest.raises(SettingsError, match="dunr db restore"):
        move(database, url_of(path), None)
    with pytest.raises(NotCarried, match="no store"):
        move(url_of(tmp_path / "nothing.db"), database, None)
    move(url_of(path), database, None)
    other = store_in(tmp_path / "other")
    with pytest.raises(NotCarried, match="not empty"):
        move(url_of(other), database, None)


def test_the_commands_say_what_they_did(terminal: Terminal, database: str) -> None:
    store_in(terminal.folder / "dunr-data")
    url = url_of(terminal.folder / "dunr-data" / "dunr.db")
    told = terminal.done("db", "backup", "safe.db", "--json").json
    assert told["rows"]["cases"] > 0
    assert "as in the backup" in terminal.done("--data", "elsewhere", "db", "restore", "safe.db").out
    assert "copy" in terminal.run("--data", "elsewhere", "db", "check").out
    assert terminal.run("db", "backup", "safe.db").code == 1
    assert "Both sides were counted" in terminal.done("db", "copy", "--from", url, "--to", database).out
    assert terminal.run("cases").code == 2
    terminal.set(store=database)
    assert terminal.done("db", "check").out == "All is well.\n"
    assert terminal.run("db", "copy", "--from", url, "--to", database, "--give-up").code == 1
