"""How much one link, or one stranger, may ask of us: a bucket of tries for each, which fills again with time.

Kept in the memory of one process and bounded. What must hold across processes (one new link an hour, the tries on a card) is kept by the core.
"""

import time
from collections import OrderedDict
from collections.abc import Callable
from threading import Lock

from dunr.errors import CallerError

NAMES_MAX = 10_000


class TooFast(CallerError):
    """Too many tries in a short time; nothing was done."""

    http_status = 429
    title = "Too many requests"


class Pace:
    """So many tries at once, then one each `seconds_each`. The one that was seen longest ago is forgotten first."""

    def __init__(self, at_once: int, seconds_each: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._at_once = at_once
        self._seconds_each = seconds_each
        self._clock = clock
        self._guard = Lock()
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()  # what is left, as of when

    def take(self, name: str) -> None:
        """One try. Raises `TooFast`."""
        now = self._clock()
        with self._guard:
            left, as_of = self._buckets.pop(name, (float(self._at_once), now))
            left = min(float(self._at_once), left + (now - as_of) / self._seconds_each)
            has_room = left >= 1
            self._buckets[name] = (left - 1 if has_room else left, now)
            if len(self._buckets) > NAMES_MAX:
                self._buckets.popitem(last=False)
        if not has_room:
            raise TooFast("That was a lot at once, and nothing was done. Try again in a few minutes.")
