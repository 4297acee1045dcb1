"""Telling other processes that something came in, and hearing it: PostgreSQL's NOTIFY and LISTEN, as hints.

A worker that is told looks at once, and one that is not looks at its next poll; nothing relies on a note that arrives. That is why the notes are not part of the
commits: a commit that carries one waits for every other commit that does, until it is on disk, and all writers would queue up behind one lock. A thread beside
them sends at most one note in `PAUSE_SECONDS`, whatever happened in between.
"""

import threading
from collections.abc import Callable

import psycopg
import structlog
from psycopg import sql
from psycopg.rows import TupleRow

CHANNEL = "dunr"
PAUSE_SECONDS = 0.02
AGAIN_SECONDS = 1.0
PATIENCE_SECONDS = 5.0  # how long a listener waits for a note before it looks whether it is still wanted

Connect = Callable[[], "psycopg.Connection[TupleRow]"]

_log = structlog.get_logger()


class Bell:
    """Rings in all processes that listen. `ring` costs nothing but a flag."""

    def __init__(self, connect: Connect) -> None:
        self._connect = connect
        self._rung = threading.Event()
        self._closed = threading.Event()
        self._guard = threading.Lock()
        self._thread: threading.Thread | None = None

    def ring(self) -> None:
        """Tell the others soon."""
        self._rung.set()
        if self._thread is None:
            self._begin()

    def close(self) -> None:
        """Send what is to be told, and stop."""
        self._closed.set()
        self._rung.set()
        if self._thread is not None:
            self._thread.join(PATIENCE_SECONDS)

    def _begin(self) -> None:
        with self._guard:
            if self._thread is None and not self._closed.is_set():
                self._thread = threading.Thread(target=self._run, name="dunr-bell", daemon=True)
                self._thread.start()

    def _run(self) -> None:
        while not self._closed.is_set():
            try:
                with self._connect() as connection:
                    self._notify_on(connection)
            except psycopg.Error as error:
                _log.info("not_notified", error=type(error).__name__)  # the others poll
                self._closed.wait(AGAIN_SECONDS)

    def _notify_on(self, connection: "psycopg.Connection[TupleRow]") -> None:
        notify = sql.SQL("NOTIFY {}").format(sql.Identifier(CHANNEL))
        connection.execute("SET synchronous_commit = off")  # a note that is lost is a poll later
        while True:
            self._rung.wait()
            self._rung.clear()
            connection.execute(notify)
            if self._closed.wait(PAUSE_SECONDS):
                return


class Listener:
    """Calls `heard` for each note, and once after each time that it could not hear, from a thread of its own."""

    def __init__(self, connect: Connect, heard: Callable[[], None]) -> None:
        self._connect = connect
        self._heard = heard
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._run, name="dunr-listener", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Stop listening, at the next note or within `PATIENCE_SECONDS`; nothing more is called from then on."""
        self._closed.set()

    def _run(self) -> None:
        while not self._closed.is_set():
            try:
                with self._connect() as connection:
                    self._listen_on(connection)
            except psycopg.Error as error:
                _log.info("not_listening", error=type(error).__name__)  # polling goes on
                self._closed.wait(AGAIN_SECONDS)

    def _listen_on(self, connection: "psycopg.Connection[TupleRow]") -> None:
        connection.execute(sql.SQL("LISTEN {}").format(sql.Identifier(CHANNEL)))
        self._tell()
        while not self._closed.is_set():
            for _ in connection.notifies(timeout=PATIENCE_SECONDS, stop_after=1):
                self._tell()

    def _tell(self) -> None:
        if not self._closed.is_set():
            self._heard()
