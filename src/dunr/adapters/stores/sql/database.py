"""Reading and writing: every statement and every transaction goes through here, and a failure of the database becomes
`StoreUnavailable`.

Where a database has one writer, those of one process take turns at a lock, and processes at the database's own. Whoever does not get a turn in time has written
nothing. A connection that was lost may have committed: whoever is told so tries again, and the conditions of the commit say what stands. An error that is not the
database's condition but our own bug (a broken constraint, a wrong statement) is not caught.
"""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from threading import Lock
from typing import Any, TypeVar

from sqlalchemy import Connection, Executable
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as NoConnectionFree

from dunr.adapters.stores.sql.choosing import dialect_of
from dunr.adapters.stores.sql.columns import Result
from dunr.adapters.stores.sql.dialect import Dialect, Fault, LostRace
from dunr.adapters.stores.sql.high_water import HighWater
from dunr.errors import StoreUnavailable

Answer = TypeVar("Answer")

TRIES_MAX = 3
BUSY_SECONDS = 5.0
CONNECTIONS_MAX = 8  # of one process to a server; ten processes fit into its usual hundred


class Database:
    """One database as this process sees it."""

    def __init__(self, dialect: Dialect) -> None:
        self.dialect = dialect
        self.high_water = HighWater(dialect.path)
        self._readers = dialect.reading()
        self._writers = dialect.writing()
        self._kept: Connection | None = None
        self._turn = Lock() if dialect.one_writer else nullcontext()
        self._errors: tuple[type[Exception], ...] = (DBAPIError, *dialect.driver_errors)

    @classmethod
    def at(cls, url: str, busy_seconds: float = BUSY_SECONDS, connections_max: int = CONNECTIONS_MAX) -> "Database":
        """The database at an address. `busy_seconds` is how long a writer waits for others, and `connections_max` how many connections to a server there are."""
        return cls(dialect_of(url, busy_seconds, connections_max))

    def rows(self, statement: Executable, parameters: Mapping[str, object] | None = None) -> Sequence[Result]:
        """The answer to one statement, from one commit."""
        return self._try(lambda: self._read(statement, parameters))

    def ask(self, statement: Executable, parameters: Mapping[str, object]) -> Sequence[Any]:
        """The same for the few questions that are asked all the time: plain rows for plain values, instants as whole microseconds."""
        return self._try(lambda: self.dialect.ask(self._readers, statement, parameters))

    def write(self, work: Callable[[Connection], Answer]) -> Answer:
        """Do work in one transaction; it is on disk when this returns.

        The work may be done again from its beginning where it lost a race, so it must not leave anything behind
        outside the transaction.
        """
        return self._try(lambda: self._write(work))

    def write_once(self, work: Callable[[Connection], Answer]) -> Answer:
        """Do work that is one statement, or several of which each may stand alone; it is on disk when this returns."""
        if self.dialect.one_writer:
            return self.write(work)
        return self._try(lambda: self._write_once(work))

    def prepare(self, work: Callable[[Connection], Answer]) -> Answer:
        """Do work in one transaction on a database whose surroundings may not be recorded yet."""
        return self._try(lambda: self._prepare(work))

    def migrate(self, work: Callable[[Connection], Answer]) -> Answer:
        """Change the tables, one process at a time."""
        return self._try(lambda: self._migrate(work))

    def close(self) -> None:
        """Let go of the database."""
        self.dialect.close()
        if self._kept is not None:
            self._kept.close()
        self._readers.dispose()
        self._writers.dispose()
        self.high_water.close()

    @contextmanager
    def _writer(self) -> Iterator[Connection]:
        """A connection that may write, for one turn. Where there is one writer, it is always the same: taking one out and giving it back costs more than a small
        transaction does.
        """
        with self._turn:
            if not self.dialect.one_writer:
                with self._writers.connect() as connection:
                    yield connection
                return
            if self._kept is None:
                self._kept = self._writers.connect()
            yield self._kept

    def _read(self, statement: Executable, parameters: Mapping[str, object] | None) -> Sequence[Result]:
        with self._readers.connect() as connection:
            return connection.execute(statement, parameters).all()

    def _write(self, work: Callable[[Connection], Answer]) -> Answer:
        with self._writer() as connection:
            with connection.begin():
                answer = work(connection)
                mark = self.high_water.raise_in(connection)
            self.high_water.leave(mark)
            return answer

    def _write_once(self, work: Callable[[Connection], Answer]) -> Answer:
        with self._readers.connect() as connection:
            return work(connection)

    def _prepare(self, work: Callable[[Connection], Answer]) -> Answer:
        with self._writer() as connection, connection.begin():
            return work(connection)

    def _migrate(self, work: Callable[[Connection], Answer]) -> Answer:
        with self._turn, self.dialect.migrating(self._writers) as connection:
            return work(connection)

    def _try(self, action: Callable[[], Answer]) -> Answer:
        """Do it again a few times where it lost a race, but wait no longer than one turn; tell the caller where that does not help."""
        tries_left = TRIES_MAX
        give_up_at = time.monotonic() + self.dialect.busy_seconds
        while True:
            tries_left -= 1
            try:
                return action()
            except LostRace as error:
                if not tries_left:
                    raise StoreUnavailable("others wrote first, again and again; try again") from error
            except NoConnectionFree as error:
                raise StoreUnavailable("every connection to the database is in use; try again") from error
            except self._errors as error:
                fault = self.dialect.judge(error)
                if fault in {Fault.RACE, Fault.TAKEN} and tries_left and time.monotonic() < give_up_at:
                    continue
                if fault is Fault.LOST:
                    self.dialect.distrust()
                if fault in {None, Fault.TAKEN}:
                    raise
                raise StoreUnavailable(f"the database answered: {_first_line(error)}") from error


def _first_line(error: Exception) -> str:
    """What the database said, without its details, which may quote a row."""
    said = error.orig if isinstance(error, DBAPIError) else error
    return next(iter(str(said).splitlines()), type(said).__name__)
