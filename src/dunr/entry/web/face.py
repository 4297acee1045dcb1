"""What the handlers of this package share: the application, and the threads in which it is asked.

Reading and acting have threads of their own, so that a processor that hangs does not keep anybody from looking; sending has its own
again, since an attempt that is on its way outlives the click that began it.
"""

import asyncio
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from datetime import datetime
from threading import Lock
from typing import TypeVar

from dunr.application import Application
from dunr.core.model import Case
from dunr.entry.web.problems import Busy
from dunr.entry.web.quiet import Quiet
from dunr.errors import BadRequest, NoSuchThing
from dunr.ports import Refs

Result = TypeVar("Result")

READING_THREADS = 8
ACTING_THREADS = 32
WAITING_MAX = 256


def refuse_nul(*given: str) -> None:
    """No id holds the character that ends a text in SQLite, and that PostgreSQL does not take. Raises `BadRequest`."""
    if any("\0" in one for one in given):
        raise BadRequest("What is asked for holds the character NUL, which nothing here does.")


class BoundedThreads:
    """Threads with a bound on what waits for them."""

    def __init__(self, name: str, threads: int, waiting_max: int = WAITING_MAX) -> None:
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix=f"dunr-{name}")
        self._room = threads + waiting_max
        self._guard = Lock()

    def submit(self, work: Callable[[], Result]) -> "Future[Result]":
        """Begin as soon as a thread is free. Raises `Busy`."""
        with self._guard:
            if self._room == 0:
                raise Busy("Too much is asked at this moment. Nothing was done; try again.")
            self._room -= 1
        future = self._threads.submit(copy_context().run, work)  # a request keeps its id in the log
        future.add_done_callback(lambda _: self._leave())
        return future

    def _leave(self) -> None:
        with self._guard:
            self._room += 1

    async def run(self, work: Callable[[], Result]) -> Result:
        """The result, without keeping the event loop waiting."""
        return await asyncio.wrap_future(self.submit(work))

    def close(self) -> None:
        """Let what was begun end."""
        self._threads.shutdown()


class WebFace:
    """The application as the web sees it."""

    def __init__(self, application: Application) -> None:
        self.application = application
        self.settings = application.settings
        self.quiet = Quiet(application.runner, manual=application.settings.clock == "manual")
        self.reading = BoundedThreads("reading", READING_THREADS)
        self.acting = BoundedThreads("acting", ACTING_THREADS)
        self.sending = BoundedThreads("sending", ACTING_THREADS)
        self.bad_signatures_count = 0

    def now(self) -> datetime:
        """The present instant, by the application's clock."""
        return self.application.clock.now()

    def row_id(self, given: str) -> str:
        """The id of a row for what a caller named: the processor's bare id, or the whole. Raises `BadRequest`."""
        refuse_nul(given)
        prefix = f"{self.settings.processor}:{self.settings.account}:"
        return given if given.startswith(prefix) else prefix + given

    def case(self, given: str) -> Case:
        """The case that a caller named by its id or by the bare invoice id. Raises `NoSuchThing`."""
        case = self.application.store.load(self.row_id(given), Refs()).case
        if case is None:
            raise NoSuchThing("There is no case of that id; GET /v1/cases lists those that there are.")
        return case

    @property
    def has_sandbox(self) -> bool:
        """Whether test-only forms may exist."""
        return self.settings.is_rehearsal

    def close(self) -> None:
        """Let everything that was begun end."""
        self.acting.close()
        self.sending.close()
        self.reading.close()
        self.quiet.close()
