"""The high-water mark: how many transactions this database has written, kept in it and in a file beside it.

The mark rises inside each writing transaction, and is left in the file after the commit. The file can therefore lag
behind the database, and never be ahead of it, unless an older database file was put back. In that case, and where the
file is missing, neither is touched until the identity is recorded anew: the trace of what happened must not be washed
away by the next write. A process beneath which an older database was put back writes nothing at all any more: what it
has in hand belongs to a database that is gone, and only a start asks whether this one is a copy.
"""

import os
from pathlib import Path

from sqlalchemy import Connection

from dunr.adapters.stores.sql.sqlite_driver import driver_of
from dunr.errors import StoreUnavailable

MARK = "mark"
DIGITS = 20  # one width, so that overwriting in place never leaves half a number

READ_MARK = "SELECT counter FROM identity WHERE name = 'mark'"
READ_FREEZE = "SELECT value FROM identity WHERE name = 'mark'"
# The row has a value where nobody may write any more (see `held`).
RAISE_MARK = "UPDATE identity SET counter = counter + 1 WHERE name = 'mark' AND value IS NULL RETURNING counter"
SET_MARK = "UPDATE identity SET counter = ? WHERE name = 'mark'"


class HighWater:
    """The mark of one database; without a file (PostgreSQL knows its timeline) there is none."""

    def __init__(self, database: Path | None) -> None:
        self._path = None if database is None else database.with_name(f"{database.name}.mark")
        self._file: int | None = None
        self._agrees = False  # the file was seen not to be ahead of the database

    def beside(self) -> int | None:
        """The mark in the file; None where there is no such file, or nothing readable in it."""
        if self._path is None or not self._path.exists():
            return None
        return _number(self._path.read_bytes())

    def raise_in(self, connection: Connection) -> int | None:
        """Raise the mark in the database, as part of a transaction; the new mark, or None where it must stay as it
        is.
        """
        if self._path is None:
            return None
        if not self._agrees:
            beside, inside = self.beside(), _counter(connection, READ_MARK)
            self._agrees = beside is not None and beside <= inside
            if not self._agrees:
                _refuse_where_frozen(connection)
                return None
        raised = driver_of(connection).execute(RAISE_MARK).fetchall()
        if not raised:
            _refuse_where_frozen(connection)
            raise StoreUnavailable("the high-water mark is gone from the database; nothing is written")
        [(mark,)] = raised
        assert isinstance(mark, int)
        beside = _number(os.pread(self._opened(), DIGITS, 0))
        if beside is not None and beside >= mark:
            raise StoreUnavailable(
                f"an older database was put back while it was in use (mark {mark - 1}, and {beside} beside it); nothing is written until dunr is started again"
            )
        return mark

    def leave(self, mark: int | None) -> None:
        """Leave the committed mark in the file. Not synced: a lagging file is harmless."""
        if mark is None or self._path is None:
            return
        os.pwrite(self._opened(), b"%0*d\n" % (DIGITS, mark), 0)

    def overtake(self, connection: Connection) -> int | None:
        """Set the mark in the database above what either place says, as part of a transaction; the new mark."""
        if self._path is None:
            return None
        mark = max(_counter(connection, READ_MARK), self.beside() or 0) + 1
        driver_of(connection).execute(SET_MARK, (mark,))
        return mark

    def create(self) -> None:
        """Make the file where it is missing, at a mark that no database is behind."""
        self.close()
        if self._path is not None and not self._path.exists():
            self._path.write_bytes(b"%0*d\n" % (DIGITS, 0))

    def _opened(self) -> int:
        """The file, which stays open: it is read and written in each transaction."""
        if self._file is None:
            assert self._path is not None, "without a file there is no mark"
            self._file = os.open(self._path, os.O_RDWR)
        return self._file

    def close(self) -> None:
        """Let go of the file."""
        if self._file is not None:
            os.close(self._file)
            self._file = None


def _number(text: bytes) -> int | None:
    text = text.strip()
    return int(text) if text.isdigit() else None


def _counter(connection: Connection, statement: str) -> int:
    """The one number that a statement answers. All is fetched, so that the statement is over before the commit."""
    [(counter,)] = driver_of(connection).execute(statement).fetchall()
    assert isinstance(counter, int)
    return counter


def _refuse_where_frozen(connection: Connection) -> None:
    """Raises `StoreUnavailable` where the store is being moved, or was."""
    rows = driver_of(connection).execute(READ_FREEZE).fetchall()
    if rows and rows[0][0] is not None:
        raise StoreUnavailable(f"{rows[0][0]}; nothing is written here")
