"""Under the manual clock nothing runs by itself: after each inbound and each action the engine runs until quiet, here.

One run at a time. A run is asked for and awaited for a while only, since somebody in it may be waiting for our answer: the
sandbox that delivers a webhook while the clock is moved, or an application that asks us something while we tell it of an access change.
"""

from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from threading import Lock

import structlog

from dunr.running import Runner

QUIET_SECONDS_MAX = 5.0

_log = structlog.get_logger()


class Quiet:
    """Runs the engine until nothing is due. Where the clock runs by itself, workers do that, and this does nothing."""

    def __init__(self, runner: Runner, *, manual: bool) -> None:
        self._runner = runner
        self.manual = manual
        self._turn = Lock()
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="dunr-quiet")
        self._guard = Lock()
        self._asked: Future[None] | None = None  # for a run that has not begun
        self._movers_count = 0

    def ask(self) -> "Future[None] | None":
        """A run that begins after this moment, or None where there is nothing to wait for: workers run, or whoever moves the clock does."""
        if not self.manual:
            return None
        with self._guard:
            if self._asked is None:
                self._asked = self._thread.submit(self._run)
                self._asked.add_done_callback(_tell_failure)
            return None if self._movers_count else self._asked

    def settle(self) -> None:
        """Ask for a run and wait for it, for a while."""
        asked = self.ask()
        if asked is not None:
            wait([asked], QUIET_SECONDS_MAX)

    def _run(self) -> None:
        with self._turn:
            with self._guard:
                self._asked = None  # whoever asks from here on needs a run after this one
            self._runner.run_until_quiet()

    @contextmanager
    def moving_clock(self) -> Iterator[None]:
        """The clock is moved by the caller alone, who runs the engine at each instant; what arrives meanwhile is left to them."""
        with self._guard:
            self._movers_count += 1
        try:
            with self._turn:
                yield
        finally:
            with self._guard:
                self._movers_count -= 1

    def close(self) -> None:
        """Let the run that was asked for end."""
        self._thread.shutdown()


def _tell_failure(run: "Future[None]") -> None:
    error = run.exception()
    if error is not None:
        _log.error("run_until_quiet_failed", error=type(error).__name__, text=str(error))
