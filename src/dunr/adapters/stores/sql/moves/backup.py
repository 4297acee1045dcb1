"""A backup is one SQLite file, whatever the store is kept in; it is only called one once it was restored and counted.

SQLite writes its own file in one picture. PostgreSQL is read in one picture, row by row, into a file with the same tables: it needs no program of the server's
version, can be opened anywhere, and can be restored into either kind of store. A restored store is a copy: it does not know its surroundings.
"""

import os
import sqlite3
import tempfile
import uuid
from collections.abc import Mapping
from pathlib import Path

import msgspec
from sqlalchemy import Connection, delete, insert, select, update
from sqlalchemy.engine import make_url

from dunr.adapters.stores.sql.database import Database
from dunr.adapters.stores.sql.held import receive_from, received
from dunr.adapters.stores.sql.identity import DATABASE_ID, RECORDED
from dunr.adapters.stores.sql.moves.raw import TABLES, RawReader, read, write
from dunr.adapters.stores.sql.moves.raw_sqlite import SqliteReader, path_of, read_sqlite
from dunr.adapters.stores.sql.moves.tally import Tally, Told, differences, tally
from dunr.adapters.stores.sql.store import SqlStore
from dunr.adapters.stores.sql.tables import identity
from dunr.errors import NotCarried

NEW = "not-finished"
BESIDE = ("-wal", "-shm", "-journal")


class Carried(msgspec.Struct, frozen=True):
    """What a backup or a restore came to."""

    rows: dict[str, int]
    chains_count: int
    balances: dict[str, int]
    problems: tuple[str, ...]
    file_bytes: int


def backup(url: str, path: Path, told: Told | None = None) -> Carried:
    """Write the store at an address into one file, restore that into a fresh store, and compare. The file has its name only after that.

    Raises `NotCarried` where the restored store is not what was read.
    """
    if path.exists():
        raise NotCarried(f"{path} is there already, and is not overwritten: choose another name.")
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f"{path.name}.{NEW}-", dir=path.parent) as folder:
        written, fresh = Path(folder) / "backup.db", Path(folder) / "fresh.db"
        with read(url) as reader:
            there = tally(reader, told)
            _write_file(reader, written)
        _restore_file(written, fresh)
        with read_sqlite(_url(fresh)) as restored:
            _prove(there, tally(restored, told))
        _sync(written)
        written.rename(path)
    return _carried(there, path)


def restore(path: Path, url: str, told: Told | None = None) -> Carried:
    """Fill the empty store at an address from a backup. Nothing is sent from it until it is adopted. Raises `NotCarried` also where something is there."""
    if not path.is_file():
        raise NotCarried(f"There is no file {path}.")
    with read_sqlite(_url(path)) as backed_up:
        there = tally(backed_up, told)
    if make_url(url).get_backend_name() == "sqlite":
        _restore_as_file(path, path_of(url), there, told)
    else:
        _restore_as_rows(path, url, there, told)
    return _carried(there, path)


def _carried(there: Tally, path: Path) -> Carried:
    return Carried(there.rows, there.chains_count, there.balances, there.problems, path.stat().st_size)


def _prove(there: Tally, here: Tally) -> None:
    found = differences(there, here)
    if found:
        raise NotCarried(f"What was restored is not what was backed up: {'; '.join(found)}. The backup is not kept.")


# --- the file -----------------------------------------------------------------------------------------------------------


def _write_file(reader: RawReader, path: Path) -> None:
    """What a reader sees, as one file."""
    if isinstance(reader, SqliteReader):
        reader.copy_to(path)
        return
    _make_tables(path)
    with write(_url(path)) as writer:
        for table in TABLES:
            writer.fill(table, reader.rows(table))
        with_own = _database(path)
        try:
            with_own.prepare(lambda connection: connection.execute(delete(identity)).rowcount)
        finally:
            with_own.close()
        writer.fill(identity, reader.rows(identity))
    _be_one_file(path)


def _make_tables(path: Path) -> None:
    """Make the tables of this release, or bring those of the file up to it."""
    store = SqlStore(_url(path))
    try:
        store.migrate(held=True)
    finally:
        store.close()


def _restore_file(source: Path, target: Path) -> None:
    """A fresh store from a file, which knows that it is a copy."""
    with read_sqlite(_url(source)) as reader:
        reader.copy_to(target)
    database = _database(target)
    try:
        estrange(database)
    finally:
        database.close()
    _be_one_file(target)


def _restore_as_file(source: Path, target: Path, there: Tally, told: Told | None) -> None:
    if target.exists():
        raise NotCarried(f"{target} is there already, and is not overwritten: move it away first.")
    target.parent.mkdir(parents=True, exist_ok=True)
    for suffix in BESIDE:  # of a file that is gone: SQLite would take them for parts of the one that comes
        target.with_name(f"{target.name}{suffix}").unlink(missing_ok=True)
    with tempfile.TemporaryDirectory(prefix=f"{target.name}.{NEW}-", dir=target.parent) as folder:
        fresh = Path(folder) / "fresh.db"
        _restore_file(source, fresh)
        with read_sqlite(_url(fresh)) as restored:
            _prove(there, tally(restored, told))
        _sync(fresh)
        fresh.rename(target)


def _restore_as_rows(source: Path, url: str, there: Tally, told: Told | None) -> None:
    store = SqlStore(url)
    try:
        store.migrate(held=True)
    finally:
        store.close()
    with read(url) as reader:
        if any(reader.count(table) for table in TABLES):
            raise NotCarried("The database is not empty, and nothing is overwritten: make an empty one.")
    database = Database.at(url)
    try:
        receive_from(database, f"restore of {source.name}")
        with tempfile.TemporaryDirectory() as folder:
            newest = Path(folder) / "newest.db"  # the tables of this release, whatever those of the backup are
            with read_sqlite(_url(source)) as reader_of_source:
                reader_of_source.copy_to(newest)
            _make_tables(newest)
            with read_sqlite(_url(newest)) as reader_of_newest, write(url) as writer:
                for table in TABLES:
                    writer.fill(table, reader_of_newest.rows(table))
                writer.count_on()
                known = {str(name): value for name, value in reader_of_newest.ask("SELECT name, value FROM identity")}
        with read(url) as restored:
            _prove(there, tally(restored, told))
        _take_over_record(database, known)
        received(database)
    finally:
        database.close()


# --- what the restored store knows of itself ----------------------------------------------------------------------------


def estrange(database: Database) -> None:
    """Give a restored store another id than the one that is recorded in it, so that it is a copy wherever it lies."""

    def work(connection: Connection) -> None:
        present = connection.execute(select(identity.c.name, identity.c.value)).all()
        known = {row.name: row.value for row in present}
        connection.execute(update(identity).where(identity.c.name == DATABASE_ID).values(value=str(uuid.uuid4())))
        if f"{RECORDED}{DATABASE_ID}" not in known:
            cells = {"name": f"{RECORDED}{DATABASE_ID}", "value": known[DATABASE_ID], "counter": None}
            connection.execute(insert(identity), cells)

    database.prepare(work)


def _take_over_record(database: Database, known: Mapping[str, object]) -> None:
    """Record in a database with an id of its own what the backup says of its origin."""
    recorded = {name: value for name, value in known.items() if name.startswith(RECORDED)}
    recorded.setdefault(f"{RECORDED}{DATABASE_ID}", known[DATABASE_ID])
    cells = [{"name": name, "value": value, "counter": None} for name, value in recorded.items()]
    database.prepare(lambda connection: connection.execute(insert(identity), cells).rowcount)


def _url(path: Path) -> str:
    return f"sqlite:///{path.absolute()}"


def _database(path: Path) -> Database:
    return Database.at(_url(path))


def _be_one_file(path: Path) -> None:
    """Nothing beside it is needed to read it."""
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA journal_mode=DELETE")
    connection.close()


def _sync(path: Path) -> None:
    """On disk, whatever happens next."""
    with path.open("rb") as file:
        os.fsync(file.fileno())
