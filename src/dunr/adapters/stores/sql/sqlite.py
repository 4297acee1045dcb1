"""SQLite: one file, one writer at a time.

A writing transaction begins with BEGIN IMMEDIATE, so that what it reads stays true until it commits; readers see the last commit and never wait. WAL with
`synchronous=FULL`: a commit that returned survives the power going away.
"""

import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

from sqlalchemy import (
    ClauseElement,
    Connection,
    Engine,
    Executable,
    Insert,
    Table,
    bindparam,
    create_engine,
    event,
    literal,
    select,
    tuple_,
    union_all,
)
from sqlalchemy.dialects.sqlite import insert
from sqlalchemy.dialects.sqlite.pysqlite import SQLiteDialect_pysqlite
from sqlalchemy.engine import URL
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import ConnectionPoolEntry, QueuePool, StaticPool

from dunr.adapters.stores.sql.dialect import ROW_TABLES, Arrival, Ask, Batch, Fault, Found, LostRace, Wanted
from dunr.adapters.stores.sql.sqlite_arrivals import arrive
from dunr.adapters.stores.sql.sqlite_driver import driver_of
from dunr.adapters.stores.sql.tables import attempts, audit, postings
from dunr.ports import Inbound

NAMED = SQLiteDialect_pysqlite(paramstyle="named")
READERS_MAX = 64
STATEMENTS_CACHED = 500

VERSIONS = union_all(
    *(
        select(literal(number).label("kind"), table.c.id, table.c.version).where(
            table.c.id.in_(bindparam(f"ids_{number}", expanding=True))
        )
        for number, table in enumerate(ROW_TABLES)
    )
)
HASHES = select(audit.c.case_id, audit.c.number, audit.c.hash).where(
    tuple_(audit.c.case_id, audit.c.number).in_(bindparam("places", expanding=True))
)
RUNNING = select(attempts.c.method_id, attempts.c.case_id).where(
    attempts.c.running, attempts.c.method_id.in_(bindparam("cards", expanding=True))
)
POSTED = select(postings.c.id).where(postings.c.id.in_(bindparam("ids", expanding=True)))


class SqliteDialect:
    """One file, many processes: each waits its turn for `busy_seconds`."""

    def __init__(self, url: URL, busy_seconds: float) -> None:
        self.name = "sqlite"
        self._url = url
        self.busy_seconds = busy_seconds
        self.one_writer = True
        self.driver_errors: tuple[type[Exception], ...] = (sqlite3.Error,)
        self._file = Path(url.database or "")
        self.path: Path | None = self._file
        self._idle: list[sqlite3.Connection] = []  # appending and popping are atomic

    def reading(self) -> Engine:
        """An engine whose connections cannot write."""
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
        address = f"{self._file.absolute().as_uri()}?mode=rw"
        return sqlite3.connect(address, uri=True, timeout=self.busy_seconds, check_same_thread=False)

    def writing(self) -> Engine:
        """An engine with the one connection that writes."""
        engine = create_engine(
            self._url,
            poolclass=StaticPool,
            pool_reset_on_return=None,
            query_cache_size=STATEMENTS_CACHED,
            connect_args={
                "timeout": self.busy_seconds,
                "check_same_thread": False,
                "cached_statements": STATEMENTS_CACHED,
            },
        )
        event.listen(engine, "connect", _prepare_writer)
        event.listen(engine, "begin", _begin_immediate)
        return engine

    @contextmanager
    def migrating(self, writers: Engine) -> Iterator[Connection]:
        """All of it in one transaction: a writer is alone anyway."""
        with writers.connect() as connection, connection.begin():
            yield connection

    def insert_or_ignore(self, table: Table) -> Insert:
        return _insert_or_ignore(table)

    def insert_or_update(self, table: Table) -> Insert:
        return _insert_or_update(table)

    def ask(self, readers: Engine, statement: Executable, parameters: Mapping[str, object]) -> Sequence[Any]:  # noqa: ARG002 - its pool costs more than the question
        """By a connection of our own that is idle, so that a question may also be asked on an event loop; there are as many as were ever asked by at once."""
        text, own = _written(statement)
        try:
            driver = self._idle.pop()
        except IndexError:
            driver = self._open_existing()
            driver.execute("PRAGMA query_only=ON")
        try:
            return driver.execute(text, {**own, **parameters}).fetchall()
        finally:
            self._idle.append(driver)

    def arrive(self, connection: Connection, events: Sequence[Inbound]) -> Sequence[Arrival]:
        return arrive(connection, events)

    def find(self, connection: Connection, wanted: Wanted) -> Found:
        """Whoever writes is alone, so that nothing has to be locked; what nobody wants to know is not asked."""
        ids = {f"ids_{number}": list(found) for number, found in enumerate(wanted.ids)}
        places = connection.execute(HASHES, {"places": wanted.places}) if wanted.places else ()
        cards = connection.execute(RUNNING, {"cards": wanted.cards}) if wanted.cards else ()
        posted = connection.execute(POSTED, {"ids": wanted.postings}).scalars() if wanted.postings else ()
        return Found(
            versions={(row.kind, row.id): row.version for row in connection.execute(VERSIONS, ids)},
            hashes={(row.case_id, row.number): row.hash for row in places},
            running={row.method_id: row.case_id for row in cards},
            postings=set(posted),
        )

    def write(self, connection: Connection, batches: Sequence[Batch]) -> None:
        """One statement after the other."""
        for batch in batches:
            result = connection.execute(
                batch.statement, batch.cells, execution_options={"preserve_rowcount": batch.each}
            )
            if batch.each and result.rowcount != len(batch.cells):
                raise LostRace

    def surroundings(self, ask: Ask) -> Mapping[str, str]:  # noqa: ARG002 - a file needs no question
        """The file: a copy is another one."""
        status = self._file.stat()
        born_at = getattr(status, "st_birthtime", None)
        return {"inode": str(status.st_ino)} | ({} if born_at is None else {"birth": str(born_at)})

    def ring(self) -> None:
        """Nobody can be told through a file: everybody polls."""

    def listen(self, heard: Callable[[], None]) -> Callable[[], None]:  # noqa: ARG002 - nobody rings
        """Nothing is ever heard."""
        return lambda: None

    def distrust(self) -> None:
        """A file is not lost like that."""

    def close(self) -> None:
        while self._idle:
            self._idle.pop().close()

    def judge(self, error: Exception) -> Fault | None:
        """Busy and locked are races; whatever else the file cannot do is its condition."""
        said = error.orig if isinstance(error, DBAPIError) else error
        if not isinstance(said, sqlite3.OperationalError):
            return None
        code = getattr(said, "sqlite_errorcode", 0) & 0xFF  # the low byte is the kind, the rest a detail
        return Fault.RACE if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED) else Fault.CONDITION


@cache
def _written(statement: Executable) -> tuple[str, Mapping[str, object]]:
    """A statement as the driver takes it, with the values that are its own."""
    assert isinstance(statement, ClauseElement)
    compiled = statement.compile(dialect=NAMED)
    return str(compiled), compiled.params


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
    driver_of(connection).execute("BEGIN IMMEDIATE")
