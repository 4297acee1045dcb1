"""Received events gather on the event loop while one transaction is on its way to the disk, and go together in the next.

Only this package is asynchronous, so this is where they wait: one thread writes, one call of the loop answers a whole group.
The queue has a bound, and nobody is answered before the commit.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

from dunr.entry.web.problems import Busy
from dunr.errors import StoreUnavailable
from dunr.ports import Inbound, Receipt

QUEUED_MAX = 2_000  # events
GROUP_MAX = 256  # events of one transaction; a single body with more goes alone

Receipts = Sequence[Receipt]
Part = tuple[Sequence[Inbound], "asyncio.Future[Receipts]"]


class GatheringWriter:
    """Hands received events to the store in groups. Used from one event loop."""

    def __init__(self, receive: Callable[[Sequence[Inbound]], Receipts], *, queued_max: int = QUEUED_MAX) -> None:
        self._receive = receive
        self._queued_max = queued_max
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="dunr-intake")
        self._waiting: deque[Part] = deque()
        self._queued_count = 0
        self._is_writing = False

    async def submit(self, inbounds: Sequence[Inbound]) -> Receipts:
        """The receipts, once they are on disk. Raises `Busy` where the queue is full, and what the store raises."""
        if self._waiting and self._queued_count + len(inbounds) > self._queued_max:
            raise Busy("Too many events wait to be written. Nothing was kept; send it again.")
        future: asyncio.Future[Receipts] = asyncio.get_running_loop().create_future()
        self._waiting.append((inbounds, future))
        self._queued_count += len(inbounds)
        if not self._is_writing:
            self._begin_group()
        return await future

    def _begin_group(self) -> None:
        """Start to write as many of those that wait as fit into one transaction."""
        group = [self._waiting.popleft()]
        size = len(group[0][0])
        while self._waiting and size + len(self._waiting[0][0]) <= GROUP_MAX:
            group.append(self._waiting.popleft())
            size += len(group[-1][0])
        self._queued_count -= size
        self._is_writing = True
        written = asyncio.get_running_loop().run_in_executor(self._thread, self._write, [part for part, _ in group])
        written.add_done_callback(lambda done: self._answer(group, done.result()))

    def _write(self, parts: Sequence[Sequence[Inbound]]) -> list[Receipts | Exception]:
        """What became of each part. A part that the store cannot take must not take the others of its group with it."""
        try:
            receipts = self._receive([inbound for part in parts for inbound in part])
        except StoreUnavailable as unavailable:
            return [unavailable] * len(parts)
        except Exception as error:  # noqa: BLE001 - it is raised where the part was submitted
            return [error] if len(parts) == 1 else [self._write([part])[0] for part in parts]
        answers: list[Receipts | Exception] = []
        begin = 0
        for part in parts:
            answers.append(receipts[begin : begin + len(part)])
            begin += len(part)
        return answers

    def _answer(self, group: list[Part], answers: list[Receipts | Exception]) -> None:
        """Start the next group, then answer this one; who has gone away meanwhile is not waited for."""
        self._is_writing = False
        if self._waiting:
            self._begin_group()
        for (_, future), answer in zip(group, answers, strict=True):
            if future.done():
                continue
            if isinstance(answer, Exception):
                future.set_exception(answer)
            else:
                future.set_result(answer)

    def close(self) -> None:
        """Stop the thread; what it began is written."""
        self._thread.shutdown()
