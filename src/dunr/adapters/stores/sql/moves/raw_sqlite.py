"""Raw rows of a SQLite file: one picture of it for a reader, however much is written meanwhile, and rows by the place at which they lie in the file."""

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import Table
from sqlalchemy.engine import make_url

from dunr.adapters.stores.sql.moves.raw import ROWS_AT_ONCE, RawRow, columns_of, keys_of
from dunr.errors import StoreUnavailable

WAIT_SECONDS = 30.0


def path_of(url: str) -> Path:
    """The file of a SQLite address."""
    return Path(make_url(url).database or "")


@contextmanager
def told() -> Iterator[None]:
    """What SQLite says of a file, as words for whoever asked."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        if isinstance(error, sqlite3.IntegrityError | sqlite3.ProgrammingError):
            raise  # a fault of ours
        raise StoreUnavailable(f"the file could not be used ({error}); nothing was finished") from error


def opened(path: Path) -> sqlite3.Connection:
    """A connection to a file that exists, with transactions in our own hands."""
    address = f"{path.absolute().as_uri()}?mode=rw"
    return sqlite3.connect(address, uri=True, timeout=WAIT_SECONDS, isolation_level=None)


class SqliteReader:
    """Everything from one moment."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def count(self, table: Table) -> int:
        [(count,)] = self._connection.execute(f"SELECT count(*) FROM {table.name}")  # noqa: S608 - our own names
        return int(count)

    def rows(self, table: Table) -> Iterator[RawRow]:
        columns, keys = ", ".join(columns_of(table)), ", ".join(keys_of(table))
        cursor = self._connection.execute(f"SELECT {columns} FROM {table.name} ORDER BY {keys}")  # noqa: S608
        while page := cursor.fetchmany(ROWS_AT_ONCE):
            yield from page

    def places(self, table: Table, after: int, limit: int) -> Sequence[tuple[int, RawRow]]:
        """The next rows behind a place in the file, each with its own. Places stay as they are while nothing is written."""
        asked = f"SELECT rowid, {', '.join(columns_of(table))} FROM {table.name} WHERE rowid > ? ORDER BY rowid LIMIT ?"  # noqa: S608
        return [(row[0], row[1:]) for row in self._connection.execute(asked, (after, limit))]

    def count_to(self, table: Table, place: int) -> int:
        """How many rows lie at or before a place."""
        [(count,)] = self._connection.execute(f"SELECT count(*) FROM {table.name} WHERE rowid <= ?", (place,))  # noqa: S608
        return int(count)

    def ask(self, question: str) -> Sequence[RawRow]:
        return self._connection.execute(question).fetchall()

    def copy_to(self, path: Path) -> None:
        """The whole file, as it is in this picture, as one file that needs nothing beside it."""
        target = sqlite3.connect(path, isolation_level=None)
        try:
            self._connection.backup(target)
            target.execute("PRAGMA journal_mode=DELETE")
        finally:
            target.close()


@contextmanager
def read_sqlite(url: str) -> Iterator[SqliteReader]:
    """One picture of a file. Whoever writes meanwhile is not kept waiting."""
    with told():
        connection = opened(path_of(url))
        try:
            connection.execute("PRAGMA query_only=ON")
            connection.execute("BEGIN")
            connection.execute(
                "SELECT count(*) FROM sqlite_master"
            ).fetchall()  # the picture is taken at the first look
            yield SqliteReader(connection)
        finally:
            connection.close()


class SqliteWriter:
    """Fills tables of a file that nobody else uses yet."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def fill(self, table: Table, rows: Iterable[RawRow]) -> None:
        columns = columns_of(table)
        marks = ", ".join("?" for _ in columns)
        self._connection.execute("BEGIN IMMEDIATE")
        self._connection.executemany(f"INSERT INTO {table.name} ({', '.join(columns)}) VALUES ({marks})", rows)  # noqa: S608
        self._connection.execute("COMMIT")

    def count_on(self) -> None:
        """SQLite counts on from the highest by itself."""


@contextmanager
def write_sqlite(url: str) -> Iterator[SqliteWriter]:
    """A way into a file whose tables are there; all of it is one file afterwards."""
    with told():
        connection = opened(path_of(url))
        try:
            yield SqliteWriter(connection)
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        finally:
            connection.close()
