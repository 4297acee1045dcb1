"""Many threads that begin at the same moment."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import TypeVar

Answer = TypeVar("Answer")

WAIT_SECONDS = 60


def together(tasks: Sequence[Callable[[], Answer]]) -> list[Answer]:
    """Run each task in a thread of its own, all at once; the answers in order. What a task raises is raised here."""
    barrier = Barrier(len(tasks))

    def begin(task: Callable[[], Answer]) -> Answer:
        barrier.wait(WAIT_SECONDS)
        return task()

    with ThreadPoolExecutor(len(tasks)) as pool:
        return [future.result(WAIT_SECONDS) for future in [pool.submit(begin, task) for task in tasks]]
