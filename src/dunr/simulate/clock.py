"""Virtual time: one clock for the whole world, and what is to happen in it when."""

from collections.abc import Callable
from datetime import UTC, datetime
from heapq import heappop, heappush

WORLD_BEGINS_AT = datetime(2026, 6, 23, 10, 0, tzinfo=UTC)


class SimClock:
    """The world's clock. It stands still until the world moves it."""

    __slots__ = ("instant",)

    def __init__(self) -> None:
        """Begin on a Tuesday morning."""
        self.instant = WORLD_BEGINS_AT

    def now(self) -> datetime:
        return self.instant


class Happenings:
    """What the world will do by itself: acts of the processor and of people, each at its instant, in the order of time."""

    def __init__(self, clock: SimClock) -> None:
        """Nothing is to happen yet."""
        self._clock = clock
        self._heap: list[tuple[datetime, int, Callable[[], None]]] = []
        self._serial = 0

    def at(self, instant: datetime, act: Callable[[], None]) -> None:
        """Let something happen at an instant; of equal instants, the first that was named comes first."""
        self._serial += 1
        heappush(self._heap, (instant, self._serial, act))

    def first_at(self) -> datetime | None:
        """The instant of the next act."""
        return self._heap[0][0] if self._heap else None

    def forget(self) -> None:
        """Nothing will happen any more."""
        self._heap.clear()

    def happen(self) -> None:
        """Let everything happen whose instant has come."""
        heap = self._heap
        while heap and heap[0][0] <= self._clock.instant:
            heappop(heap)[2]()
