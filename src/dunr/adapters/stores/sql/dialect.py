"""All that differs between SQL databases, as one protocol. `sqlite` and `postgres` beside this are the two that there are.

What a database gives for free and what has to be asked for differs: on SQLite a writer is alone, so what it reads stays true until it commits; on PostgreSQL
the rows that a change relies on have to be locked, and a statement that loses a race must be told from one that fails.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from sqlalchemy import Connection, Engine, Executable, Insert, Table
from sqlalchemy.exc import DBAPIError

from dunr.adapters.stores.sql.columns import Cells, Result
from dunr.adapters.stores.sql.tables import cases, customers, methods, subscriptions

ROW_TABLES = (
    cases,
    subscriptions,
    methods,
    customers,
)  # in the order of `changes.pairs_of`, in which they are also locked

Ask = Callable[[Executable], Sequence[Result]]


@dataclass(frozen=True, slots=True)
class Arrival:
    """What became of a row that was to be inserted unless its key stands: whether it is new, and the digest that stands where it is not."""

    is_new: bool
    standing_sha256: str | None


class Dialect(Protocol):
    """What a database needs that is not common SQL."""

    name: str
    path: Path | None  # the database's file, where it is one
    busy_seconds: float  # how long a writer waits for its turn
    one_writer: bool  # whether writers of this process must take turns

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

    def arrive(self, connection: Connection, events: Sequence[Cells]) -> Sequence[Arrival]:
        """Insert each event whose key does not stand yet, in one statement where nobody interferes. No two have the same key."""
        ...

    def versions(
        self, connection: Connection, ids: Sequence[Sequence[str]], written: Sequence[bool]
    ) -> Mapping[tuple[int, str], int]:
        """The versions of rows by table number and id, which nobody else changes until the transaction ends. `written` tells the tables that the transaction will
        write to.
        """
        ...

    def surroundings(self, ask: Ask) -> Mapping[str, str]:
        """What the place looks like in which the database lives, by names of `core.identity`."""
        ...

    def lost_a_race(self, error: DBAPIError) -> bool:
        """Whether the same transaction may succeed if it is tried again."""
        ...

    def cannot_serve(self, error: DBAPIError) -> bool:
        """Whether this is the database's condition, and not a wrong statement of ours."""
        ...
