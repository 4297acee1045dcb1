"""A backup is made while dunr works, is proved by restoring it, and what is restored from it is a copy that sends nothing."""

import sqlite3
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from dunr.adapters.stores.sql.moves import backup as backups
from dunr.adapters.stores.sql.moves.raw import TABLES, RawReader
from dunr.adapters.stores.sql.store import SqlStore
from dunr.adapters.stores.sql.tables import identity, metadata
from dunr.core.identity import differences
from dunr.errors import NotCarried, SettingsError, StoreUnavailable
from dunr.store_moves import backup, restore
from dunr.testing.store_rows import event
from tests.moves.stores import ENDED, SCHEDULED, counted, store_in, url_of
from tests.postgres import server


@pytest.fixture
def database() -> Iterator[str]:
    """An empty PostgreSQL database."""
    where = server()
    name = where.create()
    yield where.url(name)
    where.drop(name)


def trips(url: str) -> bool:
    """Whether the store would be taken for a copy at its next start."""
    store = SqlStore(url)
    try:
        store.migrate()
        return bool(differences(store.recorded_identity(), store.identity()))
    finally:
        store.close()


def test_every_table_is_carried() -> None:
    assert {*TABLES, identity} == set(metadata.sorted_tables)


def test_a_backup_holds_everything_and_needs_nothing_beside_it(tmp_path: Path) -> None:
    path = store_in(tmp_path)
    carried = backup(url_of(path), tmp_path / "safe" / "monday.db")
    assert [one.name for one in (tmp_path / "safe").iterdir()] == ["monday.db"]
    assert carried.rows["cases"] >= ENDED + SCHEDULED
    assert carried.problems == ()
    (tmp_path / "elsewhere").mkdir()
    moved = (tmp_path / "safe" / "monday.db").rename(tmp_path / "elsewhere" / "b.db")
    assert counted(url_of(moved)) == counted(url_of(path))


def test_a_backup_is_one_moment_while_others_write(tmp_path: Path) -> None:
    path = store_in(tmp_path)
    stop = threading.Event()
    written: list[int] = []
    store = SqlStore(url_of(path))
    store.migrate()

    def write() -> None:
        while not stop.is_set():
            store.receive([event(f"evt_busy_{len(written)}")])
            written.append(1)

    thread = threading.Thread(target=write)
    thread.start()
    try:
        carried = backup(url_of(path), tmp_path / "b.db")
    finally:
        stop.set()
        thread.join()
        store.close()
    assert len(written) > 1
    assert carried.rows == counted(url_of(tmp_path / "b.db")).rows


def test_a_restored_store_is_a_copy_and_the_original_is_not(tmp_path: Path) -> None:
    path = store_in(tmp_path)
    backup(url_of(path), tmp_path / "b.db")
    restore(tmp_path / "b.db", url_of(tmp_path / "other" / "dunr.db"))
    assert trips(url_of(tmp_path / "other" / "dunr.db"))
    assert not trips(url_of(path))


def test_a_store_restored_to_its_own_place_is_a_copy_even_where_nothing_was_written_since(tmp_path: Path) -> None:
    path = store_in(tmp_path)
    backup(url_of(path), tmp_path / "b.db")
    path.unlink()
    (tmp_path / "dunr.db-wal").write_bytes(b"left by a process that was killed")
    restore(tmp_path / "b.db", url_of(path))
    assert trips(url_of(path))


def test_nothing_is_overwritten(tmp_path: Path, database: str) -> None:
    path = store_in(tmp_path)
    backup(url_of(path), tmp_path / "b.db")
    with pytest.raises(NotCarried, match="is there already"):
        backup(url_of(path), tmp_path / "b.db")
    with pytest.raises(NotCarried, match="is there already"):
        restore(tmp_path / "b.db", url_of(path))
    restore(tmp_path / "b.db", database)
    with pytest.raises(NotCarried, match="not empty"):
        restore(tmp_path / "b.db", database)


def test_postgresql_is_backed_up_into_the_same_kind_of_file_and_back(tmp_path: Path, database: str) -> None:
    path = store_in(tmp_path)
    backup(url_of(path), tmp_path / "from-file.db")
    restore(tmp_path / "from-file.db", database)
    assert trips(database)
    carried = backup(database, tmp_path / "from-server.db")
    assert carried.rows == counted(url_of(path)).rows
    assert counted(url_of(tmp_path / "from-server.db")) == counted(url_of(path)) == counted(database)
    assert trips(url_of(tmp_path / "from-server.db"))


def test_numbers_go_on_after_those_that_were_restored(tmp_path: Path, database: str) -> None:
    path = store_in(tmp_path)
    backup(url_of(path), tmp_path / "b.db")
    restore(tmp_path / "b.db", database)
    store = SqlStore(database)
    store.migrate()
    store.receive([event("evt_after")])
    newest = store.inbounds(state=None, limit=1)
    store.close()
    assert newest[0].key.endswith("evt_after")


def test_what_is_not_what_was_read_is_no_backup(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A disk that lies: one amount of one line is another one in the file."""
    path = store_in(tmp_path)
    honest = backups._write_file

    def lie(reader: RawReader, written: Path) -> None:
        honest(reader, written)
        with sqlite3.connect(written) as connection:
            connection.execute("UPDATE posting_lines SET amount_minor = amount_minor + 1 WHERE rowid = 7")
        connection.close()

    monkeypatch.setattr(backups, "_write_file", lie)
    with pytest.raises(NotCarried, match=r"posting_lines.*balance"):
        backup(url_of(path), tmp_path / "b.db")
    assert not (tmp_path / "b.db").exists()


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        ("UPDATE audit SET what = 'nothing' WHERE number = 2", "is not as it was written"),
        ("UPDATE posting_lines SET amount_minor = amount_minor + 1 WHERE line = 1 AND rowid < 5", "is off"),
        ("DELETE FROM audit WHERE rowid = (SELECT max(rowid) FROM audit)", "not every audit chain ends"),
    ],
)
def test_what_is_wrong_in_the_store_already_is_said_and_kept(tmp_path: Path, spoil: str, said: str) -> None:
    path = store_in(tmp_path)
    with sqlite3.connect(path) as connection:
        connection.execute(spoil)
    connection.close()
    carried = backup(url_of(path), tmp_path / "b.db")
    assert said in " ".join(carried.problems)


def test_a_file_that_is_no_store_is_refused(tmp_path: Path) -> None:
    (tmp_path / "b.db").write_bytes(b"no database" * 1000)
    with pytest.raises(StoreUnavailable, match="not a database"):
        restore(tmp_path / "b.db", url_of(tmp_path / "dunr.db"))
    with pytest.raises(NotCarried, match="no file"):
        restore(tmp_path / "nothing.db", url_of(tmp_path / "dunr.db"))
    with pytest.raises(SettingsError, match="memory"):
        backup("memory:", tmp_path / "b.db")
