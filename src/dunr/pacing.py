"""One rate of calls to a processor for all of our processes, kept in the store.

A process reserves up to a quarter of a second's worth of calls at a time, by one conditional write, and hands them out to its threads. What one lets pass no other can
use, so it reserves one more than the last time where it used all of those, and half as many where it did not. It is about sockets, and so about real time, whatever clock
the rest goes by.
"""

import math
import threading
import time
from collections import deque
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import TypeVar

import msgspec
import structlog

from dunr.core.pace import LATE_MAX, Pace, reserve, slowed
from dunr.errors import StoreUnavailable
from dunr.ports import Store

RESERVED_SECONDS = 0.25
WRITE_TRIES_MAX = 20

_log = structlog.get_logger()

Answer = TypeVar("Answer")


class Unpaced:
    """For a processor without a limit that we know of, and for a command that asks a few things once."""

    def take(self, wait_seconds_max: float) -> bool:  # noqa: ARG002 - nobody waits
        """There is always room for one more call."""
        return True

    def refused(self) -> None:
        """It says so itself, and whoever asked waits."""


class SharedPace:
    """The port `Pace` over a document; threads and processes share it."""

    def __init__(
        self,
        store: Store,
        name: str,
        rate_max: float,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """`name` is that of whom the processor counts calls for, `rate_max` in calls a second. Nothing is reserved yet."""
        self._store = store
        self._document = f"pace:{name}"
        self._rate_max = rate_max
        self._count, self._count_max = 1, math.ceil(rate_max * RESERVED_SECONDS)
        self._now, self._sleep = now, sleep
        self._lock = threading.Lock()
        self._reserved: deque[datetime] = deque()
        self._has_wasted = False  # some of those that were reserved last

    def take(self, wait_seconds_max: float) -> bool:
        """Wait for the turn of one call. False where it would take longer than this, or where the store cannot say; then nothing may be sent."""
        until_at = self._now() + timedelta(seconds=wait_seconds_max)
        while True:
            with self._lock:
                now = self._now()
                at = self._next(now)
                if at is None:
                    return False
                if at > until_at:
                    self._reserved.appendleft(at)
                    return False
            if at > now:
                self._sleep((at - now).total_seconds())
            if self._now() <= at + LATE_MAX:
                return True
            # The machine woke us too late: the instant has passed, and with it the right to that call.

    def refused(self) -> None:
        """The processor took a call for one too many: everybody asks less often for a while."""
        with self._lock:
            self._reserved.clear()
            divisor = self._rewrite(self._slowed)
        if divisor is not None:
            _log.warning("pace_lowered", document=self._document, calls_a_second=self._rate_max / divisor)

    def _slowed(self, pace: Pace | None) -> tuple[Pace, int]:
        after = slowed(pace, self._now())
        return after, after.divisor

    def _next(self, now: datetime) -> datetime | None:
        """The instant of the next call that is ours; those that passed unused are gone."""
        while self._reserved and self._reserved[0] < now - LATE_MAX:
            self._reserved.popleft()
            self._has_wasted = True
        if not self._reserved:
            reserved = self._rewrite(lambda pace: reserve(pace, self._rate_max, self._count, now))
            if reserved is None:
                return None
            self._count = max(1, self._count // 2) if self._has_wasted else min(self._count + 1, self._count_max)
            self._has_wasted = False
            self._reserved.extend(reserved.first_at + number * reserved.gap for number in range(reserved.count))
        return self._reserved.popleft()

    def _rewrite(self, change: Callable[[Pace | None], tuple[Pace, Answer]]) -> Answer | None:
        """Change the document on condition of its version; None where the store does not answer, or others write all the time."""
        try:
            for _ in range(WRITE_TRIES_MAX):
                document = self._store.document(self._document)
                before = msgspec.json.decode(document.body, type=Pace) if document is not None else None
                after, answer = change(before)
                version = document.version if document is not None else 0
                if after == before or self._store.put_document(self._document, msgspec.json.encode(after), version):
                    return answer
        except StoreUnavailable as unavailable:
            _log.warning("pace_unknown", text=str(unavailable))
        return None


def pace_of(store: Store, name: str, rate_max: float | None) -> SharedPace | Unpaced:
    """The pace of one account of a processor; `rate_max` in calls a second, None where it has no limit."""
    return Unpaced() if rate_max is None else SharedPace(store, name, rate_max)
