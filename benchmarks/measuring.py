"""How a benchmark measures: ours and the peer's turn by turn in one run on one machine, so that a busy machine slows both; the median of several rounds is told.

A figure is calls a second. Nothing here is a test: a slow machine must not fail a build.
"""

import statistics
from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter, process_time

ROUNDS = 5
ROUND_SECONDS = 0.4


@dataclass(frozen=True)
class Row:
    """One line of the result. `ratio` is ours to the peer's; `target` is the ratio wanted."""

    name: str
    unit: str
    ours: float
    peer: float
    peer_name: str
    target: float

    @property
    def ratio(self) -> float:
        """Ours to the peer's."""
        return self.ours / self.peer

    @property
    def met(self) -> bool:
        """Whether the target is reached."""
        return self.ratio >= self.target


def rate(call: Callable[[], object]) -> float:
    """Calls a second of processor time in one round."""
    count, begun, cpu_begun = 0, perf_counter(), process_time()
    while perf_counter() - begun < ROUND_SECONDS:
        for _ in range(50):
            call()
        count += 50
    return count / (process_time() - cpu_begun)


def side_by_side(ours: Callable[[], object], peer: Callable[[], object]) -> tuple[float, float]:
    """The median rates of both, taken in turns."""
    rounds = [(rate(ours), rate(peer)) for _ in range(ROUNDS)]
    return statistics.median(one for one, _ in rounds), statistics.median(other for _, other in rounds)
