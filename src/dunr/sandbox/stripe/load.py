"""How much was asked of this face: calls by kind, how many were refused as one too many, and the most in any one second.

Counted by a socket's clock and not by the sandbox's, like the limit itself.
"""

from __future__ import annotations

import time
from collections import Counter, deque
from threading import Lock

TOO_MANY = 429
SECOND = 1.0


class Load:
    """Counts until it is asked to begin anew."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._begin()

    def _begin(self) -> None:
        self._lately: deque[float] = deque()
        self._calls: Counter[str] = Counter()
        self._refused_count = 0
        self._per_second_max = 0

    def add(self, operation: str, status: int | None) -> None:
        """One more call, and the status that it got; none where nobody has answered it."""
        now = time.monotonic()
        with self._lock:
            self._lately.append(now)
            while self._lately[0] <= now - SECOND:
                self._lately.popleft()
            self._per_second_max = max(self._per_second_max, len(self._lately))
            self._calls[operation] += 1
            self._refused_count += status == TOO_MANY

    def shown(self) -> dict[str, object]:
        """All of it."""
        with self._lock:
            return {
                "calls_count": self._calls.total(),
                "refused_count": self._refused_count,
                "per_second_max": self._per_second_max,
                "calls": dict(self._calls.most_common()),
            }

    def forget(self) -> None:
        """Begin anew."""
        with self._lock:
            self._begin()
