"""A commit in PostgreSQL, in as few round trips as it can have: one to begin, one to lock and look, and one to write and commit.

The look is one statement. Its first parts lock the rows of each table in the order of their ids, with one strength a table, so that all transactions lock in one
order; a row that had to be waited for is read as it stands after the wait. Its other parts show the picture of the moment when it began. Where a lock was waited
for, a version has moved in most cases, and then nothing is written; otherwise a key refuses what the picture did not show, and the work is done again.

The writes and the commit go out together, and the first that fails keeps all of them from being. No round trip but this one is a pipeline: the driver ends it
with a message after which the server does not count the time that a transaction is left open, and a process that froze there would keep its locks for ever.
"""

import logging
from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import cache

import psycopg
from psycopg.rows import TupleRow
from sqlalchemy import ClauseElement, Connection, Executable, Insert, Update
from sqlalchemy.dialects.postgresql.psycopg import PGDialect_psycopg

from dunr.adapters.stores.rows import to_microseconds
from dunr.adapters.stores.sql.columns import Cells
from dunr.adapters.stores.sql.dialect import ROW_TABLES, Batch, Found, Wanted

# A pipeline that was refused by a key says so twice: in what it raises, which is ours to judge, and in the log.
logging.getLogger("psycopg").setLevel(logging.ERROR)

DRIVER = PGDialect_psycopg(paramstyle="pyformat")  # type: ignore[no-untyped-call]
HASH, RUNNING, POSTED = range(len(ROW_TABLES), len(ROW_TABLES) + 3)

# Put together from names and numbers of our own; each value is bound.
_HASHES = (
    f"SELECT {HASH}, audit.case_id, audit.number, audit.hash FROM audit JOIN"  # noqa: S608
    " unnest(%(chains)s::text[], %(numbers)s::bigint[]) AS place (case_id, number)"
    " ON audit.case_id = place.case_id AND audit.number = place.number"
)
_RUNNING = f"SELECT {RUNNING}, method_id, 0, case_id FROM attempts WHERE running AND method_id = ANY(%(cards)s::text[])"  # noqa: S608
_POSTED = f"SELECT {POSTED}, id, 0, '' FROM postings WHERE id = ANY(%(postings)s::text[])"  # noqa: S608


@cache
def look(asked: tuple[bool, ...], written: tuple[bool, ...], beside: tuple[bool, bool, bool]) -> bytes:
    """The statement that locks rows of the tables that are asked for, for writing or for reading, and shows what stands beside them."""
    parts = [
        f"SELECT * FROM (SELECT {number}, id, version, '' FROM {table.name} WHERE id = ANY(%(ids_{number})s::text[])"  # noqa: S608
        f" ORDER BY id FOR {'NO KEY UPDATE' if written[number] else 'SHARE'}) AS {table.name}"
        for number, table in enumerate(ROW_TABLES)
        if asked[number]
    ]
    parts += [part for part, wanted in zip((_HASHES, _RUNNING, _POSTED), beside, strict=True) if wanted]
    return " UNION ALL ".join(parts).encode()


def find(connection: Connection, wanted: Wanted) -> Found:
    """Lock and look."""
    found = Found(versions={}, hashes={}, running={}, postings=set())
    asked = tuple(bool(ids) for ids in wanted.ids)
    beside = (bool(wanted.places), bool(wanted.cards), bool(wanted.postings))
    if not any(asked) and not any(beside):
        return found
    parameters: dict[str, object] = {f"ids_{number}": list(ids) for number, ids in enumerate(wanted.ids)}
    parameters["chains"] = [case_id for case_id, _ in wanted.places]
    parameters["numbers"] = [number for _, number in wanted.places]
    parameters["cards"], parameters["postings"] = list(wanted.cards), list(wanted.postings)
    driver = driver_of(connection)
    with driver.cursor() as cursor:
        cursor.execute(look(asked, wanted.written, beside), parameters)
        for kind, name, number, word in cursor:
            if kind == HASH:
                found.hashes[name, number] = word
            elif kind == RUNNING:
                found.running[name] = word
            elif kind == POSTED:
                found.postings.add(name)
            else:
                found.versions[kind, name] = number
    return found


def write(connection: Connection, batches: Sequence[Batch]) -> None:
    """Send all batches and the commit, then hear what became of them."""
    if not batches:
        return
    driver = driver_of(connection)
    cursors = [driver.cursor() for _ in batches]
    with driver.pipeline():
        for batch, cursor in zip(batches, cursors, strict=True):
            send, plain = _sender(batch.statement, frozenset(batch.cells[0])), [_plain(row) for row in batch.cells]
            if len(plain) == 1:
                cursor.execute(send, plain[0])
            else:
                cursor.executemany(send, plain)
        driver.commit()
    for batch, cursor in zip(batches, cursors, strict=True):
        # A row that is created twice is refused by its key, and one that is changed was locked at this version.
        assert not batch.each or cursor.rowcount == len(batch.cells), "a row was changed under its lock"
        cursor.close()


def driver_of(connection: Connection) -> "psycopg.Connection[TupleRow]":
    """The driver's own connection, for what is asked again and again."""
    driver = connection.connection.driver_connection
    assert isinstance(driver, psycopg.Connection)
    return driver


def _plain(cells: Cells) -> Mapping[str, object]:
    """Instants as the numbers that they are in the table."""
    return {name: to_microseconds(cell) if isinstance(cell, datetime) else cell for name, cell in cells.items()}


@cache
def _sender(statement: Insert | Update, names: frozenset[str]) -> bytes:
    """The text of a statement, built once."""
    return str(statement.compile(dialect=DRIVER, column_keys=sorted(names))).encode()


@cache
def written(statement: Executable) -> tuple[bytes, Mapping[str, object]]:
    """A question as the driver takes it, with the values that are its own."""
    assert isinstance(statement, ClauseElement)
    compiled = statement.compile(dialect=DRIVER)
    return str(compiled).encode(), compiled.params
