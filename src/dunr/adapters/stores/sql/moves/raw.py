"""Rows as they lie in the tables, for whoever carries a whole store somewhere else.

All databases keep the same cells: text, whole numbers and bytes; an instant is a number already, and a truth value is carried as 0 or 1. So a row that was read
from one kind of database can be written to the other as it is, and a sum over the cells is the same in both.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from functools import cache
from typing import Protocol

from sqlalchemy import Boolean, Table
from sqlalchemy.engine import make_url

from dunr.adapters.stores.rows import to_microseconds
from dunr.adapters.stores.sql.tables import identity, metadata
from dunr.errors import SettingsError

RawRow = tuple[str | int | bytes | None, ...]

# In an order in which no row comes before one that it names. What a database knows of itself stays where it is.
TABLES: tuple[Table, ...] = tuple(table for table in metadata.sorted_tables if table is not identity)
ROWS_AT_ONCE = 2_000


class RawReader(Protocol):
    """One picture of a store: whatever is written meanwhile is not in it."""

    def count(self, table: Table) -> int:
        """How many rows a table has."""
        ...

    def rows(self, table: Table) -> Iterator[RawRow]:
        """All of them, by primary key: rows that belong together come together."""
        ...

    def ask(self, question: str) -> Sequence[RawRow]:
        """The answer to a question in SQL that both kinds of database understand."""
        ...


class RawWriter(Protocol):
    """Puts rows into a store, a group in a transaction."""

    def fill(self, table: Table, rows: Iterable[RawRow]) -> None:
        """Insert rows; none of them may be there."""
        ...

    def count_on(self) -> None:
        """Let the numbers that rise with each row go on after the highest that was filled in."""
        ...


@cache
def columns_of(table: Table) -> tuple[str, ...]:
    """The names of the cells of a row, in order."""
    return tuple(column.name for column in table.columns)


def truths_of(table: Table) -> frozenset[str]:
    """Which of them are truth values."""
    return frozenset(column.name for column in table.columns if isinstance(column.type, Boolean))


def keys_of(table: Table) -> tuple[str, ...]:
    """The columns of the primary key."""
    return tuple(column.name for column in table.primary_key.columns)


def read(url: str) -> AbstractContextManager[RawReader]:
    """One picture of the store at an address."""
    if make_url(url).get_backend_name() == "sqlite":
        from dunr.adapters.stores.sql.moves.raw_sqlite import read_sqlite  # noqa: PLC0415 - chosen by the address

        return read_sqlite(url)
    from dunr.adapters.stores.sql.moves.raw_postgres import read_postgres  # noqa: PLC0415 - its driver is an extra

    return read_postgres(url)


def write(url: str) -> AbstractContextManager[RawWriter]:
    """A way into the store at an address, whose tables are there."""
    kind = make_url(url).get_backend_name()
    if kind == "sqlite":
        from dunr.adapters.stores.sql.moves.raw_sqlite import write_sqlite  # noqa: PLC0415 - chosen by the address

        return write_sqlite(url)
    if kind == "postgresql":
        from dunr.adapters.stores.sql.moves.raw_postgres import write_postgres  # noqa: PLC0415 - its driver is an extra

        return write_postgres(url)
    raise SettingsError("a store is kept at sqlite:///path/to/dunr.db or postgresql://user@host/dunr")


def raw_row(table: Table, cells: Mapping[str, object]) -> RawRow:
    """The cells of a row as they lie in the table."""
    return tuple(_raw(cells.get(name)) for name in columns_of(table))


def _raw(cell: object) -> str | int | bytes | None:
    if isinstance(cell, datetime):
        return to_microseconds(cell)
    if isinstance(cell, bool):
        return int(cell)
    assert cell is None or isinstance(cell, str | int | bytes)
    return cell
