"""How events arrive in SQLite: all in one statement, and where a key stands already, which is rare, a look at which, and then the others. Whoever writes is alone,
so nothing comes in between.

Each statement is one call of the driver, however many events there are: at each call another thread may take the interpreter, and give it back late.
"""

import sqlite3
from collections.abc import Sequence
from functools import cache
from itertools import chain

from sqlalchemy import Connection

from dunr.adapters.stores.sql.columns import INBOUND_NAMES, inbound_values
from dunr.adapters.stores.sql.dialect import Arrival
from dunr.adapters.stores.sql.sqlite_driver import driver_of
from dunr.ports import Inbound

ROWS_MAX = 64  # of one statement; each count has a text of its own, and the driver keeps them prepared


def arrive(connection: Connection, events: Sequence[Inbound]) -> Sequence[Arrival]:
    """Insert each event whose key does not stand yet."""
    arrivals: list[Arrival] = []
    for begin in range(0, len(events), ROWS_MAX):
        arrivals += _arrive(connection, events[begin : begin + ROWS_MAX])
    return arrivals


def _arrive(connection: Connection, events: Sequence[Inbound]) -> list[Arrival]:
    driver = driver_of(connection)
    try:
        _insert(driver, events)
        standing: dict[str, str] = {}
    except sqlite3.IntegrityError:  # then none of them is inserted
        standing = dict(driver.execute(_digests(len(events)), [event.key for event in events]).fetchall())
        new = [event for event in events if event.key not in standing]
        if new:
            _insert(driver, new)
    return [Arrival(event.key not in standing, standing.get(event.key, event.body_sha256)) for event in events]


def _insert(driver: sqlite3.Connection, events: Sequence[Inbound]) -> None:
    driver.execute(_insertion(len(events)), list(chain.from_iterable(map(inbound_values, events))))


# Put together from the names of our own columns; each value is bound.


@cache
def _digests(count: int) -> str:
    return f"SELECT key, body_sha256 FROM inbounds WHERE key IN ({_places(count)})"  # noqa: S608


@cache
def _insertion(count: int) -> str:
    row = f"({_places(len(INBOUND_NAMES))})"
    return f"INSERT INTO inbounds ({', '.join(INBOUND_NAMES)}) VALUES {', '.join([row] * count)}"  # noqa: S608


def _places(count: int) -> str:
    return ", ".join("?" * count)
