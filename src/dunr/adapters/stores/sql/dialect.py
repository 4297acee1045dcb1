"""All that differs between SQL databases, as one protocol. `sqlite` and `postgres` beside this are the two that there are.

What a database gives for free and what has to be asked for differs: on SQLite a writer is alone, so what it reads stays true until it commits; on PostgreSQL
the rows that a change relies on have to be locked, and a statement that loses a race must be told from one that fails.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any, Protocol

from sqlalchemy import Connection, Engine, Executable, Insert, Table, Update

from dunr.adapters.stores.sql.columns import Cells, Result
from dunr.adapters.stores.sql.tables import cases, customers, methods, subscriptions
from dunr.ports import Inbound

ROW_TABLES = (
    cases,
    subscriptions,
    methods,
    customers,
)  # in the order of `changes.pairs_of`, in which they are also locked

Ask = Callable[[Executable], Sequence[Result]]


class Fault(Enum):
    """What an error means for whoever asked."""

    RACE = "race"  # the same transaction may succeed if it is tried again
    TAKEN = "taken"  # a key is taken: a race as well, and where trying again does not help, a fault of ours
    CONDITION = "condition"  # the database cannot serve now
    LOST = "lost"  # and the connections to it are gone


@dataclass(frozen=True, slots=True)
class Arrival:
    """What became of an event that was to be inserted unless its key stands: whether it is new, and the digest of what stands (None: nothing any more)."""

    is_new: bool
    standing_sha256: str | None


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a group of changes may collide with, and therefore has to know. Ids are sorted."""

    ids: tuple[Sequence[str], ...]  # of rows that are held or written, by table
    written: tuple[bool, ...]  # whether any row of the table is written
    places: Sequence[tuple[str, int]]  # in audit chains
    cards: Sequence[str]  # on which attempts are to run
    postings: Sequence[str]


@dataclass(frozen=True, slots=True)
class Found:
    """What is there. The versions stay so until the transaction ends; the rest is refused by a key where it does not."""

    versions: dict[tuple[int, str], int]  # by table number and id
    hashes: dict[tuple[str, int], str]
    running: dict[str, str]  # card key, and the case whose attempt runs on it
    postings: set[str]


@dataclass(frozen=True, slots=True)
class Batch:
    """Rows for one statement. `each`: every row must be written, or another writer came in between."""

    statement: Insert | Update
    cells: Sequence[Cells]
    each: bool


class LostRace(Exception):
    """Another transaction wrote first; nothing was written, and the same work may be done on what is there now."""


class Dialect(Protocol):
    """What a database needs that is not common SQL."""

    name: str
    path: Path | None  # the database's file, where it is one
    busy_seconds: float  # how long a writer waits for its turn
    one_writer: bool  # whether writers of this process must take turns
    driver_errors: tuple[type[Exception], ...]  # what may be raised beside SQLAlchemy's own

    def reading(self) -> Engine:
        """An engine whose statements each see one commit."""
        ...

    def writing(self) -> Engine:
        """An engine whose transactions are serial on what they lock."""
        ...

    def migrating(self, writers: Engine) -> AbstractContextManager[Connection]:
        """A connection to change the tables by, one at a time in all processes."""
        ...

    def insert_or_ignore(self, table: Table) -> Insert:
        """Insert rows, leaving those that exist as they are."""
        ...

    def insert_or_update(self, table: Table) -> Insert:
        """Insert rows, or overwrite every column of those that exist."""
        ...

    def ask(self, readers: Engine, statement: Executable, parameters: Mapping[str, object]) -> Sequence[Any]:
        """The rows that answer a statement, from one commit, as the driver gives them: the statement is written out once, and values pass as they are."""
        ...

    def arrive(self, connection: Connection, events: Sequence[Inbound]) -> Sequence[Arrival]:
        """Insert each event whose key does not stand yet; what became of each, in order. No two have the same key."""
        ...

    def find(self, connection: Connection, wanted: Wanted) -> Found:
        """Look at everything that a group of changes may collide with, and keep the rows as they are."""
        ...

    def write(self, connection: Connection, batches: Sequence[Batch]) -> None:
        """Write all batches in their order, as the last thing in the transaction. Raises `LostRace`, or that a key is taken, where another writer came in between."""
        ...

    def surroundings(self, ask: Ask) -> Mapping[str, str]:
        """What the place looks like in which the database lives, by names of `core.identity`."""
        ...

    def ring(self) -> None:
        """Hint to all processes that something may be due."""
        ...

    def listen(self, heard: Callable[[], None]) -> Callable[[], None]:
        """Call `heard`, from another thread, when somebody rings; answers what stops it. A hint may be lost: go on polling."""
        ...

    def distrust(self) -> None:
        """A connection was lost, so those that wait for the next question are dead as well: open new ones."""
        ...

    def close(self) -> None:
        """Let go of what this opened by itself."""
        ...

    def judge(self, error: Exception) -> Fault | None:
        """What an error of the driver means; None: it is none of the driver's, or a fault of ours."""
        ...
