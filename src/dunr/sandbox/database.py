"""The sandbox's own SQLite file: one connection, one transaction at a time.

A test processor has no need of parallel writers, and a witness has great need
of being right: each request reads the clock once and does all its work in one
transaction, under one lock. Nothing here waits for the network.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import TypeVar

import msgspec

from .config import ClockMode
from .instants import parsed, stored
from .records import Event, Record
from .schema import TABLES, columns_by_table, table_statements
from .settings import Settings

R = TypeVar("R", bound=Record)
Value = str | int | None | datetime

CLOCK = "clock"
SETTINGS = "settings"


@dataclass(frozen=True)
class Happening:
    """One thing that became true, in our own words and by ids, for whoever tells it in others."""

    kind: str
    invoice: str | None = None
    subscription: str | None = None
    customer: str | None = None
    charge: str | None = None
    card: str | None = None
    dispute: str | None = None


class Transaction:
    """What one piece of work sees: the rows, the settings, and one ``now``."""

    def __init__(self, connection: sqlite3.Connection, mode: ClockMode, listeners: Sequence[Listener] = ()) -> None:
        self._connection = connection
        self._listeners = listeners
        self.caused_by: tuple[str, str | None] | None = None  # the request at work, and its key
        self._settings: Settings | None = None
        self.manual = mode == "manual"
        self.now = datetime.now(UTC) if mode == "system" else parsed(self.single(CLOCK) or "")

    @property
    def settings(self) -> Settings:
        if self._settings is None:
            text = self.single(SETTINGS)
            self._settings = msgspec.json.decode(text, type=Settings) if text else Settings()
        return self._settings

    @settings.setter
    def settings(self, settings: Settings) -> None:
        self._settings = settings
        self.put_single(SETTINGS, msgspec.json.encode(settings).decode())

    @property
    def shown_now(self) -> datetime:
        """The clock as others see it, in snapshots and signatures; it may be told to be wrong."""
        return self.now + timedelta(seconds=self.settings.clock_offset_seconds)

    @property
    def overheard(self) -> bool:
        """Whether another face tells what happens in events of its own."""
        return bool(self._listeners)

    @contextmanager
    def attempt(self) -> Iterator[None]:
        """Part of the work, which an error undoes while the rest stands."""
        self._connection.execute("SAVEPOINT attempt")
        try:
            yield
        except BaseException:
            self._connection.execute("ROLLBACK TO attempt")
            raise
        finally:
            self._connection.execute("RELEASE attempt")

    def tell(self, happening: Happening) -> list[Event]:
        """Let the listeners write their events; answers what they wrote, the most telling one first."""
        return [event for listener in self._listeners for event in listener(self, happening)]

    def move_clock(self, to: datetime) -> None:
        self.put_single(CLOCK, stored(to))
        self.now = to

    def single(self, name: str) -> str | None:
        row = self._connection.execute("SELECT value FROM singles WHERE name = ?", (name,)).fetchone()
        return None if row is None else str(row[0])

    def put_single(self, name: str, value: str) -> None:
        self._connection.execute(
            "INSERT INTO singles (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
            (name, value),
        )

    def get(self, kind: type[R], record_id: str | None) -> R | None:
        found = self.find(kind, "id = ?", record_id)
        return found[0] if found else None

    def find(self, kind: type[R], where: str = "1", *values: Value, order: str = "seq", limit: int = -1) -> list[R]:
        """Rows of one kind, oldest first unless another order is asked for."""
        names = kind.__struct_fields__
        statement = f"SELECT {', '.join(names)} FROM {TABLES[kind]} WHERE {where} ORDER BY {order} LIMIT ?"
        rows = self._connection.execute(statement, (*map(_column, values), limit)).fetchall()
        return [_record(kind, names, row) for row in rows]

    def count(self, kind: type[R], where: str, *values: Value) -> int:
        row = self._connection.execute(
            f"SELECT count(*) FROM {TABLES[kind]} WHERE {where}", tuple(map(_column, values))
        ).fetchone()
        return int(row[0])

    def put(self, record: Record) -> None:
        """Insert, or update in place so that the row keeps its order of arrival."""
        names = record.__struct_fields__
        assignments = ", ".join(f"{name} = excluded.{name}" for name in names)
        self._connection.execute(
            f"INSERT INTO {TABLES[type(record)]} ({', '.join(names)}) VALUES ({', '.join('?' * len(names))}) "
            f"ON CONFLICT (id) DO UPDATE SET {assignments}",
            tuple(_column(getattr(record, name)) for name in names),
        )

    def remove(self, kind: type[R], record_id: str) -> bool:
        cursor = self._connection.execute(f"DELETE FROM {TABLES[kind]} WHERE id = ?", (record_id,))
        return cursor.rowcount > 0


Listener = Callable[[Transaction, Happening], list[Event]]


def _column(value: Value) -> str | int | None:
    return stored(value) if isinstance(value, datetime) else value


def _record(kind: type[R], names: Sequence[str], row: Sequence[object]) -> R:
    values = dict(zip(names, row, strict=True))
    for name in _yes_or_no(kind):
        values[name] = bool(values[name])
    return msgspec.convert(values, kind)


@cache
def _yes_or_no(kind: type[Record]) -> tuple[str, ...]:
    """The fields that SQLite keeps as 0 and 1."""
    return tuple(field.name for field in msgspec.structs.fields(kind) if field.type is bool)


class Database:
    """The file, its lock, and who wants to know that something changed."""

    def __init__(self, path: Path, mode: ClockMode, clock_start: datetime | None) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._mode: ClockMode = mode
        self._lock = threading.Lock()
        self._connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        self.on_commit: list[Callable[[], None]] = []
        self.listeners: list[Listener] = []
        for pragma in ("journal_mode = WAL", "synchronous = FULL", "busy_timeout = 10000"):
            self._connection.execute(f"PRAGMA {pragma}")
        for statement in table_statements():
            self._connection.execute(statement)
        for table, names in columns_by_table():
            self._add_missing(table, names)
        if mode == "manual":
            start = stored(clock_start or datetime.now(UTC).replace(microsecond=0))
            self._connection.execute("INSERT OR IGNORE INTO singles (name, value) VALUES (?, ?)", (CLOCK, start))

    @contextmanager
    def transaction(self) -> Iterator[Transaction]:
        """All or nothing, one at a time; listeners hear of it after the commit."""
        with self._lock:
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield Transaction(self._connection, self._mode, self.listeners)
            except BaseException:
                self._connection.execute("ROLLBACK")
                raise
            self._connection.execute("COMMIT")
        for tell in self.on_commit:
            tell()

    @contextmanager
    def read(self) -> Iterator[Transaction]:
        """One consistent look; whatever it writes is undone."""
        with self._lock:
            self._connection.execute("BEGIN")
            try:
                yield Transaction(self._connection, self._mode, self.listeners)
            finally:
                self._connection.execute("ROLLBACK")

    def _add_missing(self, table: str, names: Sequence[str]) -> None:
        """A file of an older version lacks the newest columns, all of which may be empty."""
        there = {row[1] for row in self._connection.execute(f"PRAGMA table_info({table})")}
        for name in names:
            if name not in there:
                self._connection.execute(f"ALTER TABLE {table} ADD COLUMN {name}")

    def close(self) -> None:
        with self._lock:
            self._connection.close()
