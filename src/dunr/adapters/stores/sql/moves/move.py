"""The move of a store from its SQLite file into a PostgreSQL database, which may be killed anywhere and goes on where it was.

From the first row on, nobody can write to the source, and nobody can begin on the target: what is copied stays what it is. Rows go in the order in which they lie
in the file, a group in a transaction, together with the place that they reach. At the end both sides are counted; only then is the move called over, first in the
source and then in the target, so that there is no moment at which both would send.
"""

import uuid
from collections.abc import Callable, Iterator
from types import TracebackType
from typing import Self

import msgspec
from sqlalchemy import Table, select
from sqlalchemy.engine import make_url

from dunr.adapters.stores.sql.database import Database
from dunr.adapters.stores.sql.held import (
    OVER,
    PLACE,
    UNDER_WAY,
    freeze,
    moves_in,
    moves_out,
    places,
    receive_from,
    received,
    thaw,
)
from dunr.adapters.stores.sql.moves.raw import TABLES, read
from dunr.adapters.stores.sql.moves.raw_postgres import PostgresWriter, write_postgres
from dunr.adapters.stores.sql.moves.raw_sqlite import SqliteReader, path_of, read_sqlite
from dunr.adapters.stores.sql.moves.tally import Tally, Told, differences, tally
from dunr.adapters.stores.sql.tables import attempts
from dunr.errors import NotCarried, SettingsError

GROUP_ROWS = 5_000
RUNNING = select(attempts.c.case_id).where(attempts.c.running)
KEEP_PLACE = (
    "INSERT INTO identity (name, counter) VALUES (%s, %s) ON CONFLICT (name) DO UPDATE SET counter = excluded.counter"
)


class Moved(msgspec.Struct, frozen=True):
    """What a move came to. `went_on_from` is how many rows were there when this run began."""

    rows: dict[str, int]
    went_on_from: int
    chains_count: int
    balances: dict[str, int]
    problems: tuple[str, ...]


class Move:
    """One move, by the two addresses. Used in a `with` block."""

    def __init__(self, source_url: str, target_url: str) -> None:
        """Nothing is touched yet. Raises `SettingsError` where the addresses are not of these kinds."""
        kinds = make_url(source_url).get_backend_name(), make_url(target_url).get_backend_name()
        if kinds != ("sqlite", "postgresql"):
            raise SettingsError(
                "a store moves from sqlite:///path/to/dunr.db to postgresql://user@host/dunr; "
                "every other way is `dunr db backup` and `dunr db restore`"
            )
        self.source_url, self.target_url = source_url, target_url
        self.source_path = path_of(source_url)
        self.target_shown = make_url(target_url).set(query={}).render_as_string(hide_password=True)
        self._source, self._target = Database.at(source_url), Database.at(target_url)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, _: type[BaseException] | None, __: BaseException | None, ___: TracebackType | None) -> None:
        self._source.close()
        self._target.close()

    @property
    def is_over(self) -> bool:
        """Whether both sides say so."""
        out = moves_out(self._source)
        return out is not None and out[1] and moves_in(self._target) is None

    @property
    def has_begun(self) -> bool:
        """Whether the source is frozen for this move. Raises `NotCarried` where it is for another one."""
        out, into = moves_out(self._source), moves_in(self._target)
        if out is None:
            return False
        if into != out[0]:
            raise NotCarried(
                "The source is on its way into another database: go on with that one, or give that move up."
            )
        return True

    def reserve(self) -> str:
        """Keep everybody off the target, and give the move its name. Raises `NotCarried` where the target is not empty."""
        with read(self.target_url) as reader:
            if any(reader.count(table) for table in TABLES):
                raise NotCarried("The target is not empty, and nothing is overwritten: make an empty database.")
        move = str(uuid.uuid4())
        receive_from(self._target, move)
        return move

    def running_count(self) -> int:
        """How many attempts of the source may be on the wire now."""
        return len(self._source.rows(RUNNING))

    def freeze(self, move: str) -> None:
        """From here on nobody writes to the source."""
        freeze(self._source, move, f"this store is being moved to {self.target_shown}", UNDER_WAY)

    def give_up(self) -> bool:
        """Let the source live on; False where there was no move. Raises `NotCarried` where the move is over."""
        out = moves_out(self._source)
        if out is None:
            return False
        if out[1]:
            raise NotCarried("The move is over, and the target may have sent since; it cannot be taken back.")
        thaw(self._source)
        return True

    def copy(self, told: Told | None = None) -> int:
        """Bring over what is not there yet; how many rows were there before."""
        reached = places(self._target)
        with read_sqlite(self.source_url) as reader, write_postgres(self.target_url) as writer:
            total = sum(reader.count(table) for table in TABLES)
            went_on_from = done = sum(reader.count_to(table, reached.get(table.name, 0)) for table in TABLES)
            for table in TABLES:
                for count in self._copy_table(reader, writer, table, reached.get(table.name, 0)):
                    done += count
                    if told is not None:
                        told(done, total)
            writer.count_on()
        return went_on_from

    @staticmethod
    def _copy_table(reader: SqliteReader, writer: PostgresWriter, table: Table, place: int) -> Iterator[int]:
        while rows := reader.places(table, place, GROUP_ROWS):
            place = rows[-1][0]
            writer.fill_with(table, (row for _, row in rows), KEEP_PLACE, (f"{PLACE}{table.name}", place))
            yield len(rows)

    def prove(self, told: Told | None = None) -> Tally:
        """Count both sides. Raises `NotCarried` where they differ."""
        with read(self.source_url) as reader:
            there = tally(reader, told)
        with read(self.target_url) as reader:
            here = tally(reader, told)
        found = differences(there, here)
        if found:
            raise NotCarried(
                f"What arrived is not what was sent: {'; '.join(found)}. Give the move up, and begin again with an empty database."
            )
        return there

    def end(self, begin: Callable[[], None]) -> None:
        """The source is over for good; then `begin` makes the target its own, and then everybody may begin on it."""
        out = moves_out(self._source)
        assert out is not None, "only a move that has begun can end"
        freeze(self._source, out[0], f"this store was moved to {self.target_shown}", OVER)
        begin()
        received(self._target)
