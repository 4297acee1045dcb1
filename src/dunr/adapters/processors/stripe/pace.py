"""How fast we may ask: a bucket of tokens, one for each call, filled at the rate that Stripe allows.

Stripe refuses what is above its limit and may slow an account down that keeps trying. The bucket is this process's own; several processes share the account's limit and
set the rate lower.
"""

import threading
import time
from collections.abc import Callable

RATE_TEST_MAX = 25.0  # calls a second that Stripe allows in test mode
RATE_LIVE_MAX = 100.0  # and in live mode
BURST_SECONDS = 1.0  # of calls that may leave at once after a silence


class Pace:
    """Hands out tokens at a rate a second; threads may share it."""

    def __init__(
        self,
        rate_max: float,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """Begin with a full bucket."""
        self._rate_max = rate_max
        self._size = max(1.0, rate_max * BURST_SECONDS)
        self._tokens = self._size
        self._clock, self._sleep = clock, sleep
        self._filled_at = clock()
        self._lock = threading.Lock()

    def take(self, wait_seconds_max: float) -> bool:
        """Take one token, after waiting for it no longer than this. False where it would take longer; then none was taken."""
        with self._lock:
            now = self._clock()
            self._tokens = min(self._size, self._tokens + (now - self._filled_at) * self._rate_max)
            self._filled_at = now
            wait_seconds = max(0.0, (1.0 - self._tokens) / self._rate_max)
            if wait_seconds > wait_seconds_max:
                return False
            self._tokens -= 1.0  # below zero: those who come later wait behind us
        if wait_seconds > 0.0:
            self._sleep(wait_seconds)
        return True
