"""Reading and writing: every statement and every transaction goes through here, and a failure of the database becomes
`StoreUnavailable`.

In one process, writers take turns at a lock; between processes, at the database's own. Whoever does not get a turn in
time has written nothing. An error that is not the database's condition but our own bug (a broken constraint, a wrong
statement) is not caught.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from threading import Lock
from typing import TypeVar

from sqlalchemy import Connection, Executable
from sqlalchemy.exc import OperationalError
from sqlalchemy.exc import TimeoutError as NoConnectionFree

from dunr.adapters.stores.sql.columns import Result
from dunr.adapters.stores.sql.dialect import Dialect
from dunr.adapters.stores.sql.high_water import HighWater
from dunr.errors import StoreUnavailable

Answer = TypeVar("Answer")

TRIES_MAX = 3


class LostRace(Exception):
    """Another transaction wrote first; nothing was written, and the same work may be done on what is there now."""


class Database:
    """One database as this process sees it."""

    def __init__(self, dialect: Dialect) -> None:
        self.dialect = dialect
        self.high_water = HighWater(dialect.path)
        self._readers = dialect.reading()
        self._writers = dialect.writing()
        self._turn = Lock()

    def rows(self, statement: Executable, parameters: Mapping[str, object] | None = None) -> Sequence[Result]:
        """The answer to one statement, from one commit."""
        return self._try(lambda: self._read(statement, parameters))

    def write(self, work: Callable[[Connection], Answer]) -> Answer:
        """Do work in one transaction; it is on disk when this returns.

        The work may be done again from its beginning where it lost a race, so it must not leave anything behind
        outside the transaction.
        """
        return self._try(lambda: self._write(work))

    def prepare(self, work: Callable[[Connection], Answer]) -> Answer:
        """Do work on a database that may not have its tables yet."""
        return self._try(lambda: self._prepare(work))

    def close(self) -> None:
        """Let go of the database."""
        self._readers.dispose()
        self._writers.dispose()
        self.high_water.close()

    def _read(self, statement: Executable, parameters: Mapping[str, object] | None) -> Sequence[Result]:
        with self._readers.connect() as connection:
            return connection.execute(statement, parameters).all()

    def _write(self, work: Callable[[Connection], Answer]) -> Answer:
        with self._turn, self._writers.connect() as connection:
            with connection.begin():
                answer = work(connection)
                mark = self.high_water.raise_in(connection)
            self.high_water.leave(mark)
            return answer

    def _prepare(self, work: Callable[[Connection], Answer]) -> Answer:
        with self._turn, self._writers.connect() as connection, connection.begin():
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
            except OperationalError as error:
                in_vain = not tries_left or time.monotonic() >= give_up_at
                if in_vain or not self.dialect.lost_a_race(error):
                    raise StoreUnavailable(f"the database answered: {error.orig}; nothing was acknowledged") from error
            except NoConnectionFree as error:
                raise StoreUnavailable("too many readers at once; try again") from error
