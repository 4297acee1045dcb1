"""PostgreSQL: many writers at once, each on rows that it locks.

Transactions run at READ COMMITTED. That is enough, because a change begins by locking every row that it relies on, written or only read, and answers by the
versions that it then sees: a locked row is read as it stands after the wait. Locks are taken in one order, by table and id, so that two groups do not wait for
each other; where the database breaks a tie all the same, the work is done again. Rows that do not exist yet cannot be locked: two that create one meet at its
key, and the one that comes second is told so by the count of rows.
"""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import psycopg
from psycopg.conninfo import make_conninfo
from psycopg.rows import TupleRow
from sqlalchemy import Connection, Engine, Executable, Insert, Table, create_engine, event, text
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.engine import URL
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.exc import DBAPIError, DisconnectionError
from sqlalchemy.pool import ConnectionPoolEntry, PoolProxiedConnection, QueuePool

from dunr.adapters.stores.sql.bell import Bell, Listener
from dunr.adapters.stores.sql.dialect import Arrival, Ask, Batch, Fault, Found, Wanted
from dunr.adapters.stores.sql.postgres_arrivals import arrive
from dunr.adapters.stores.sql.postgres_commits import find, write, written
from dunr.errors import StoreUnavailable
from dunr.ports import Inbound

CONNECT_SECONDS = 5
STATEMENT_SECONDS = 30.0
SILENT_SECONDS = 15  # a server that does not acknowledge our bytes for so long is gone
RECYCLE_SECONDS = 1800
STATEMENTS_CACHED = 500
MADE_AT = "made_at"
MIGRATION_LOCK = 0x64756E72  # "dunr": the advisory lock of whoever changes the tables
MIGRATION_SECONDS_MAX = 600.0
MIGRATION_ASKED_AGAIN_SECONDS = 0.1

SERIALIZATION_FAILURE, DEADLOCK, KEY_TAKEN = "40001", "40P01", "23505"
NO_SUCH_TABLE, READ_ONLY = "42P01", "25006"
CONNECTION_STATES = ("08", "57P", "25P03")  # cut off, shutting down or starting, or left open for too long

SURROUNDINGS = text(
    # The first eight digits of the name of a WAL file are the timeline that is written now.
    # A dump that is put back, also into the same database, writes the row of the identity again, under another transaction number.
    "SELECT (SELECT system_identifier FROM pg_control_system())::text AS system,"
    " left(pg_walfile_name(pg_current_wal_insert_lsn()), 8) AS timeline,"
    " (SELECT oid FROM pg_database WHERE datname = current_database())::text AS oid,"
    " (SELECT xmin FROM identity WHERE name = 'database')::text AS written_by"
)


class PostgresDialect:
    """One server, any number of processes, each with a bounded pool of connections."""

    def __init__(self, url: URL, busy_seconds: float, connections_max: int) -> None:
        self.name = "postgresql"
        self.path: Path | None = None
        self.busy_seconds = busy_seconds
        self.one_writer = False
        self.driver_errors: tuple[type[Exception], ...] = (psycopg.Error,)
        arguments = _connect_arguments(url, busy_seconds)
        plain_url = url.set(drivername="postgresql").render_as_string(hide_password=False)
        self._conninfo = make_conninfo(plain_url, **arguments)
        self._bell = Bell(self._connect)
        self._engine = create_engine(
            url.set(drivername="postgresql+psycopg"),
            isolation_level="READ COMMITTED",
            poolclass=QueuePool,
            pool_size=connections_max,
            max_overflow=0,
            pool_timeout=busy_seconds,
            pool_use_lifo=True,
            pool_recycle=RECYCLE_SECONDS,
            query_cache_size=STATEMENTS_CACHED,
            connect_args=arguments,
        )
        self._lost_at = -1.0
        event.listen(self._engine, "connect", _prepare)
        event.listen(self._engine, "checkout", self._refuse_dead)

    def reading(self) -> Engine:
        """The same connections, with each statement a transaction of its own."""
        return self._engine.execution_options(isolation_level="AUTOCOMMIT")

    def writing(self) -> Engine:
        return self._engine

    @contextmanager
    def migrating(self, writers: Engine) -> Iterator[Connection]:
        """One connection holds the lock and another does the work, each migration in a transaction of its own. The lock is asked for again and again, without
        waiting inside a statement: whoever builds an index beside running writers waits for every older statement, and must not wait for us.
        """
        with self.reading().connect() as lock, writers.connect() as connection:
            give_up = time.monotonic() + MIGRATION_SECONDS_MAX
            while not lock.exec_driver_sql(f"SELECT pg_try_advisory_lock({MIGRATION_LOCK})").scalar_one():
                if time.monotonic() >= give_up:
                    raise StoreUnavailable("another process has been changing the tables for too long; try again")
                time.sleep(MIGRATION_ASKED_AGAIN_SECONDS)
            try:
                connection.exec_driver_sql("SET statement_timeout = 0")
                connection.commit()
                yield connection
            finally:
                connection.invalidate()  # forgets the setting
                lock.invalidate()  # and this gives the lock back

    def insert_or_ignore(self, table: Table) -> Insert:
        return _insert_or_ignore(table)

    def insert_or_update(self, table: Table) -> Insert:
        return _insert_or_update(table)

    def ask(self, readers: Engine, statement: Executable, parameters: Mapping[str, object]) -> Sequence[Any]:
        with closing(readers.raw_connection()) as pooled:
            driver = pooled.driver_connection
            assert isinstance(driver, psycopg.Connection)
            text, own = written(statement)
            driver.autocommit = True
            try:
                return driver.execute(text, {**own, **parameters}).fetchall()
            finally:
                if driver.closed:
                    pooled.invalidate()
                else:
                    driver.autocommit = False

    def arrive(self, connection: Connection, events: Sequence[Inbound]) -> Sequence[Arrival]:
        return arrive(connection, events)

    def find(self, connection: Connection, wanted: Wanted) -> Found:
        return find(connection, wanted)

    def write(self, connection: Connection, batches: Sequence[Batch]) -> None:
        write(connection, batches)

    def surroundings(self, ask: Ask) -> Mapping[str, str]:
        """The server, its timeline, and the database on it."""
        [row] = ask(SURROUNDINGS)
        return {"system": row.system, "timeline": row.timeline, "oid": f"{row.oid}, written by {row.written_by}"}

    def ring(self) -> None:
        self._bell.ring()

    def listen(self, heard: Callable[[], None]) -> Callable[[], None]:
        return Listener(self._connect, heard).close

    def distrust(self) -> None:
        self._lost_at = time.monotonic()

    def _refuse_dead(self, _: DBAPIConnection, entry: ConnectionPoolEntry, __: PoolProxiedConnection) -> None:
        """One refusal is enough: whoever comes next gets a connection that was made after the loss."""
        if entry.info[MADE_AT] <= self._lost_at:
            raise DisconnectionError

    def close(self) -> None:
        self._bell.close()

    def _connect(self) -> "psycopg.Connection[TupleRow]":
        """A connection beside the pool."""
        return psycopg.connect(self._conninfo, autocommit=True)

    def judge(self, error: Exception) -> Fault | None:
        """By the state that the server told; without one, it was the connection."""
        said = error.orig if isinstance(error, DBAPIError) else error
        state = getattr(said, "sqlstate", None)
        if state in {SERIALIZATION_FAILURE, DEADLOCK}:
            return Fault.RACE
        if state == KEY_TAKEN:
            return Fault.TAKEN
        if isinstance(said, psycopg.OperationalError | psycopg.InterfaceError):
            return Fault.LOST if state is None or state.startswith(CONNECTION_STATES) else Fault.CONDITION
        if state == READ_ONLY:
            return Fault.LOST  # this server became a standby; the one to write to is elsewhere
        return Fault.CONDITION if state == NO_SUCH_TABLE else None


def _connect_arguments(url: URL, busy_seconds: float) -> dict[str, str | int]:
    """Limits for everything that could wait for ever. A transaction that its process left open (frozen, cut off) is ended by the server, so that its locks go."""
    waits = {
        "lock_timeout": busy_seconds,
        "statement_timeout": max(STATEMENT_SECONDS, busy_seconds),
        "idle_in_transaction_session_timeout": 2 * busy_seconds,
    }
    options = " ".join(f"-c {name}={max(1, int(seconds * 1000))}" for name, seconds in waits.items())
    given = {str(name) for name in url.query}
    ours: dict[str, str | int] = {
        "application_name": "dunr",
        "connect_timeout": CONNECT_SECONDS,
        "keepalives_idle": SILENT_SECONDS,
        "keepalives_interval": 5,
        "keepalives_count": 3,
        "tcp_user_timeout": SILENT_SECONDS * 1000,
        "options": options,
    }
    return {name: value for name, value in ours.items() if name not in given}


def _prepare(connection: DBAPIConnection, entry: ConnectionPoolEntry) -> None:
    """A commit that returned survives the power going away, whatever the server's default is. A stronger default stays."""
    cursor = connection.cursor()
    cursor.execute(
        "SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'"
    )
    cursor.close()
    connection.commit()
    entry.info[MADE_AT] = time.monotonic()


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
