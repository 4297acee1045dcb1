"""All that differs between SQL databases.

SQLite: one writer at a time. A writing transaction begins with BEGIN IMMEDIATE, so that what it reads stays true
until it commits; readers see the last commit and never wait. WAL with `synchronous=FULL`: a commit that returned
survives the power going away.

PostgreSQL's place is here: another `Dialect` with its own engines and inserts. Two things that SQLite gives for free
it must add: rows that a change read but does not write have to be locked (`FOR SHARE`), and a statement that loses a
race must be told from one that fails (`lost_a_race`).
"""

import sqlite3
from functools import cache
from pathlib import Path
from typing import Protocol

from sqlalchemy import Connection, Engine, Insert, Table, create_engine, event, make_url
from sqlalchemy.dialects.sqlite import insert
from sqlalchemy.engine import URL
from sqlalchemy.exc import OperationalError
from sqlalchemy.pool import ConnectionPoolEntry, QueuePool, StaticPool

from dunr.errors import SettingsError

READERS_MAX = 64
STATEMENTS_CACHED = 500


class Dialect(Protocol):
    """What a database needs that is not common SQL."""

    name: str
    path: Path | None  # the database's file, where it is one
    busy_seconds: float  # how long a writer waits for its turn

    def reading(self) -> Engine:
        """An engine whose statements each see one commit, and which cannot write."""
        ...

    def writing(self) -> Engine:
        """An engine whose transactions are serial on what they read."""
        ...

    def insert_or_ignore(self, table: Table) -> Insert:
        """Insert rows, leaving those that exist as they are."""
        ...

    def insert_or_update(self, table: Table) -> Insert:
        """Insert rows, or overwrite every column of those that exist."""
        ...

    def lost_a_race(self, error: OperationalError) -> bool:
        """Whether the same transaction may succeed if it is tried again."""
        ...


def dialect_of(url: str, busy_seconds: float) -> Dialect:
    """The dialect for a database URL."""
    parsed = make_url(url)
    if parsed.get_backend_name() != "sqlite":
        raise SettingsError(
            f"DUNR_STORE names {parsed.get_backend_name()}, which this version cannot use; try sqlite:///dunr.db"
        )
    if parsed.database in (None, "", ":memory:"):
        raise SettingsError("DUNR_STORE names no file; write sqlite:///dunr.db, or memory: for a store that forgets")
    return SqliteDialect(parsed, busy_seconds)


class SqliteDialect:
    """One file, many processes: each waits its turn for `busy_seconds`."""

    def __init__(self, url: URL, busy_seconds: float) -> None:
        self.name = "sqlite"
        self._url = url
        self.busy_seconds = busy_seconds
        self.path: Path | None = Path(url.database or "")

    def reading(self) -> Engine:
        engine = create_engine(
            self._url,
            creator=self._open_existing,
            isolation_level="AUTOCOMMIT",
            poolclass=QueuePool,
            pool_size=READERS_MAX,
            max_overflow=0,
            pool_timeout=self.busy_seconds,
            pool_reset_on_return=None,
            pool_use_lifo=True,
            query_cache_size=STATEMENTS_CACHED,
        )
        event.listen(engine, "connect", _prepare_reader)
        return engine

    def _open_existing(self) -> sqlite3.Connection:
        """Open the file for a reader, who must not leave an empty one behind where there is none."""
        assert self.path is not None
        address = f"{self.path.absolute().as_uri()}?mode=rw"
        return sqlite3.connect(address, uri=True, timeout=self.busy_seconds, check_same_thread=False)

    def writing(self) -> Engine:
        engine = create_engine(
            self._url,
            poolclass=StaticPool,
            pool_reset_on_return=None,
            query_cache_size=STATEMENTS_CACHED,
            connect_args={"timeout": self.busy_seconds, "check_same_thread": False},
        )
        event.listen(engine, "connect", _prepare_writer)
        event.listen(engine, "begin", _begin_immediate)
        return engine

    def insert_or_ignore(self, table: Table) -> Insert:
        return _insert_or_ignore(table)

    def insert_or_update(self, table: Table) -> Insert:
        return _insert_or_update(table)

    def lost_a_race(self, error: OperationalError) -> bool:
        code = getattr(error.orig, "sqlite_errorcode", 0) & 0xFF  # the low byte is the kind, the rest a detail
        return code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


@cache
def _insert_or_ignore(table: Table) -> Insert:
    """Built once: building a statement costs more than running it."""
    return insert(table).on_conflict_do_nothing()


@cache
def _insert_or_update(table: Table) -> Insert:
    statement = insert(table)
    keys = list(table.primary_key.columns)
    new = {column.name: statement.excluded[column.name] for column in table.columns if column not in set(keys)}
    return statement.on_conflict_do_update(index_elements=keys, set_=new)


def _prepare_reader(connection: sqlite3.Connection, _: ConnectionPoolEntry) -> None:
    connection.execute("PRAGMA query_only=ON")


def _prepare_writer(connection: sqlite3.Connection, _: ConnectionPoolEntry) -> None:
    """Take the transactions out of the driver's hands, and make what is committed stay."""
    connection.isolation_level = None
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=FULL")
    connection.execute("PRAGMA foreign_keys=ON")


def _begin_immediate(connection: Connection) -> None:
    connection.exec_driver_sql("BEGIN IMMEDIATE")
