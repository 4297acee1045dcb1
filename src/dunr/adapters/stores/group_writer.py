"""One writer for many that receive: while one transaction is on its way to the disk, the events of everybody else
gather for the next.

Waiting for the disk is what a commit costs, and it costs the same for one event as for hundreds. The queue has a
bound: whoever comes when it is full is told so at once, before anything was acknowledged.
"""

from collections import deque
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Condition
from typing import Protocol

from dunr.errors import StoreUnavailable
from dunr.ports import Inbound, Receipt

QUEUED_MAX = 2_000  # events
GROUP_MAX = 256  # events of one transaction; a single body with more goes alone

Receipts = Sequence[Receipt]


class Receiver(Protocol):
    """The one verb that is needed of a store."""

    def receive(self, inbounds: Sequence[Inbound]) -> Receipts:
        """Insert or ignore, all in one transaction."""
        ...


class GroupWriter:
    """Hands received events to a store in groups, from one thread of its own."""

    def __init__(self, store: Receiver, *, queued_max: int = QUEUED_MAX, group_max: int = GROUP_MAX) -> None:
        self._store = store
        self._queued_max = queued_max
        self._group_max = group_max
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="dunr-group-writer")
        self._state = Condition()
        self._waiting: deque[tuple[Sequence[Inbound], Future[Receipts]]] = deque()
        self._queued = 0
        self._writing = False
        self._closed = False

    def submit(self, inbounds: Sequence[Inbound]) -> "Future[Receipts]":
        """The receipts, once they are on disk. Raises `StoreUnavailable` where the queue is full; so does the future
        where the store fails.

        The future cannot be cancelled: whoever stops waiting for it does not stop the others of its group.
        """
        future: Future[Receipts] = Future()
        future.set_running_or_notify_cancel()
        with self._state:
            if self._closed:
                raise StoreUnavailable("the writer has stopped; try again")
            if self._waiting and self._queued + len(inbounds) > self._queued_max:
                raise StoreUnavailable("too many events wait to be written; try again")
            self._waiting.append((inbounds, future))
            self._queued += len(inbounds)
            if not self._writing:
                self._begin_group()
        return future

    def close(self) -> None:
        """Take no more, write what waits, and stop."""
        with self._state:
            self._closed = True
            self._state.wait_for(lambda: not self._writing)
        self._thread.shutdown()

    def _begin_group(self) -> None:
        """Start to write as many of those that wait as fit into one transaction. The caller holds the condition."""
        group = [self._waiting.popleft()]
        size = len(group[0][0])
        while self._waiting and size + len(self._waiting[0][0]) <= self._group_max:
            group.append(self._waiting.popleft())
            size += len(group[-1][0])
        self._queued -= size
        self._writing = True
        written = self._thread.submit(self._store.receive, [inbound for part, _ in group for inbound in part])
        written.add_done_callback(lambda future: self._answer(group, future))

    def _answer(self, group: list[tuple[Sequence[Inbound], "Future[Receipts]"]], written: "Future[Receipts]") -> None:
        """Start the next group, then give each of this one its receipts, or what the store raised."""
        with self._state:
            if self._waiting:
                self._begin_group()
            else:
                self._writing = False
                self._state.notify_all()
        error = written.exception()
        if error is not None:
            for _, future in group:
                future.set_exception(error)
            return
        receipts = written.result()
        begin = 0
        for part, future in group:
            future.set_result(receipts[begin : begin + len(part)])
            begin += len(part)
