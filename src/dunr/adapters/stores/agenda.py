"""What is due when, in memory: a heap of instants that forgets lazily.

Each thing has at most one instant. Moving or removing it leaves the old entry in the heap, where it is dropped once
it comes to the top, so that no operation looks at more than the entries it returns and the ones that it drops for
good.
"""

from datetime import datetime
from heapq import heapify, heappop, heappush

SLACK_MAX = 64  # dead entries that are not worth a sweep


class Agenda:
    """The instants at which named things want attention."""

    def __init__(self) -> None:
        self._heap: list[tuple[datetime, int, str]] = []
        self._entries: dict[str, tuple[datetime, int, str]] = {}
        self._serial = 0  # of equal instants, the first that was put comes first

    def put(self, name: str, at: datetime | None) -> None:
        """Set, move or (None) remove the instant of a thing."""
        entry = self._entries.get(name)
        if at is None:
            if entry is not None:
                del self._entries[name]
            return
        if entry is not None and entry[0] == at:
            return
        self._serial += 1
        entry = (at, self._serial, name)
        self._entries[name] = entry
        heappush(self._heap, entry)
        if len(self._heap) > 2 * len(self._entries) + SLACK_MAX:
            self._heap = list(self._entries.values())
            heapify(self._heap)

    def first(self) -> datetime | None:
        """The earliest instant, or None where nothing waits."""
        heap, entries = self._heap, self._entries
        while heap:
            if entries.get(heap[0][2]) is heap[0]:
                return heap[0][0]
            heappop(heap)
        return None

    def has_due(self, now: datetime) -> bool:
        """Whether the instant of anything has come."""
        heap = self._heap
        if not heap or heap[0][0] > now:
            return False
        first_at = self.first()
        return first_at is not None and first_at <= now

    def due(self, now: datetime, limit: int) -> list[str]:
        """The things whose instant has come, earliest first."""
        heap, entries = self._heap, self._entries
        if not heap or heap[0][0] > now:
            return []
        found: list[tuple[datetime, int, str]] = []
        while heap and len(found) < limit and heap[0][0] <= now:
            entry = heappop(heap)
            if entries.get(entry[2]) is entry:
                found.append(entry)
        for entry in found:
            heappush(heap, entry)
        return [entry[2] for entry in found]
