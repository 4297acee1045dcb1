"""Raw rows of a PostgreSQL database: read in one REPEATABLE READ picture through a cursor on the server, and written by COPY.

Nothing but the driver is needed: `pg_dump` has to be of the server's own version, and is not there on a machine that only runs dunr.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import LiteralString

import psycopg
from psycopg import sql
from psycopg.rows import TupleRow
from sqlalchemy import Table
from sqlalchemy.engine import make_url

from dunr.adapters.stores.sql.moves.raw import ROWS_AT_ONCE, TABLES, RawRow, columns_of, keys_of, truths_of
from dunr.errors import StoreUnavailable

CONNECT_SECONDS = 5
# A table may be long, and whoever reads it may pause to write what it read: no limit of the server's may end that.
PATIENT = "-c statement_timeout=0 -c idle_in_transaction_session_timeout=0 -c synchronous_commit=on"

PostgresConnection = psycopg.Connection[TupleRow]


@contextmanager
def told() -> Iterator[None]:
    """What the server says, in its first line: the rest may quote a row."""
    try:
        yield
    except psycopg.OperationalError as error:
        said = next(iter(str(error).splitlines()), type(error).__name__)
        raise StoreUnavailable(f"the database answered: {said}") from error


def connected(url: str) -> PostgresConnection:
    """A connection beside those of the store."""
    plain = make_url(url).set(drivername="postgresql").render_as_string(hide_password=False)
    return psycopg.connect(plain, connect_timeout=CONNECT_SECONDS, options=PATIENT, application_name="dunr move")


def _cells(table: Table) -> sql.Composed:
    """The columns, with truth values as numbers."""
    truths = truths_of(table)
    names = (
        sql.SQL("{}::int").format(sql.Identifier(name)) if name in truths else sql.Identifier(name)
        for name in columns_of(table)
    )
    return sql.SQL(", ").join(names)


class PostgresReader:
    """Everything from one moment."""

    def __init__(self, connection: PostgresConnection) -> None:
        self._connection = connection

    def count(self, table: Table) -> int:
        asked = sql.SQL("SELECT count(*) FROM {}").format(sql.Identifier(table.name))
        row = self._connection.execute(asked).fetchone()
        assert row is not None
        return int(row[0])

    def rows(self, table: Table) -> Iterator[RawRow]:
        keys = sql.SQL(", ").join(map(sql.Identifier, keys_of(table)))
        asked = sql.SQL("SELECT {} FROM {} ORDER BY {}").format(_cells(table), sql.Identifier(table.name), keys)
        with self._connection.cursor(name=f"dunr_{table.name}") as cursor:
            cursor.itersize = ROWS_AT_ONCE
            cursor.execute(asked)
            yield from cursor

    def ask(self, question: str) -> Sequence[RawRow]:
        return self._connection.execute(question.encode()).fetchall()


@contextmanager
def read_postgres(url: str) -> Iterator[PostgresReader]:
    """One picture of a database, in a transaction that writes nothing."""
    with told(), connected(url) as connection:
        connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
        connection.read_only = True
        yield PostgresReader(connection)
        connection.rollback()


class PostgresWriter:
    """Fills tables; each `fill` is one transaction."""

    def __init__(self, connection: PostgresConnection) -> None:
        self._connection = connection

    def fill(self, table: Table, rows: Iterable[RawRow]) -> None:
        with self._connection.transaction():
            self._put(table, rows)

    def fill_with(
        self, table: Table, rows: Iterable[RawRow], statement: LiteralString, values: tuple[object, ...]
    ) -> None:
        """The same, and one statement more in the same transaction."""
        with self._connection.transaction():
            self._put(table, rows)
            self._connection.execute(statement, values)

    def _put(self, table: Table, rows: Iterable[RawRow]) -> None:
        names = sql.SQL(", ").join(map(sql.Identifier, columns_of(table)))
        wanted = sql.SQL("COPY {} ({}) FROM STDIN").format(sql.Identifier(table.name), names)
        with self._connection.cursor() as cursor, cursor.copy(wanted) as copy:
            for row in rows:
                copy.write_row(row)

    def count_on(self) -> None:
        with self._connection.transaction():
            for table in TABLES:
                if keys_of(table) != ("sequence",):
                    continue
                wanted = sql.SQL("SELECT setval({}, greatest((SELECT max(sequence) FROM {}), 1))")
                self._connection.execute(
                    wanted.format(sql.Literal(f"{table.name}_sequence_seq"), sql.Identifier(table.name))
                )
            self._connection.execute("ANALYZE")


@contextmanager
def write_postgres(url: str) -> Iterator[PostgresWriter]:
    """A way into a database whose tables are there."""
    with told(), connected(url) as connection:
        connection.autocommit = True
        yield PostgresWriter(connection)
