"""Events of many requests are written together; each request gets its own receipts, or hears why not."""

from collections.abc import Sequence
from concurrent.futures import Future
from functools import partial
from threading import Event

import pytest

from dunr.adapters.stores.group_writer import GroupWriter
from dunr.adapters.stores.memory import MemoryStore
from dunr.errors import StoreUnavailable
from dunr.ports import Inbound, Receipt
from dunr.testing.store_rows import event
from dunr.testing.together import together
from tests.adapters.stores.opener import Opener

NEW, DUPLICATE = Receipt.NEW, Receipt.DUPLICATE
WAIT = 30


class SlowStore:
    """A store whose disk answers when it is told to."""

    def __init__(self) -> None:
        self.store = MemoryStore()
        self.groups: list[int] = []
        self.begun, self.disk_answers = Event(), Event()
        self.error: StoreUnavailable | None = None

    def receive(self, inbounds: Sequence[Inbound]) -> Sequence[Receipt]:
        self.groups.append(len(inbounds))
        self.begun.set()
        assert self.disk_answers.wait(WAIT)
        if self.error is not None:
            raise self.error
        return self.store.receive(inbounds)


def submit(writer: GroupWriter, *names: str) -> "Future[Sequence[Receipt]]":
    return writer.submit([event(name) for name in names])


def test_what_comes_during_a_write_is_written_together() -> None:
    store = SlowStore()
    writer = GroupWriter(store)
    first = submit(writer, "evt_1")
    assert store.begun.wait(WAIT)
    others = [submit(writer, "evt_1", "evt_2"), submit(writer), submit(writer, "evt_2"), submit(writer, "evt_3")]
    assert not first.done()
    store.disk_answers.set()
    assert list(first.result(WAIT)) == [NEW]
    assert [list(other.result(WAIT)) for other in others] == [[DUPLICATE, NEW], [], [DUPLICATE], [NEW]]
    assert store.groups == [1, 4]
    writer.close()


def test_a_group_has_a_bound_and_a_large_body_goes_alone() -> None:
    store = SlowStore()
    writer = GroupWriter(store, group_max=3)
    futures = [submit(writer, "a"), submit(writer, "b", "c"), submit(writer, "d", "e"), submit(writer, *"fghij")]
    store.disk_answers.set()
    assert [len(future.result(WAIT)) for future in futures] == [1, 2, 2, 5]
    assert store.groups == [1, 2, 2, 5]
    writer.close()


def test_a_full_queue_refuses_at_once() -> None:
    store = SlowStore()
    writer = GroupWriter(store, queued_max=2)
    accepted = [submit(writer, "a")]
    assert store.begun.wait(WAIT)
    accepted.append(submit(writer, "b", "c"))
    with pytest.raises(StoreUnavailable, match="too many"):
        submit(writer, "d")
    store.disk_answers.set()
    assert [list(future.result(WAIT)) for future in accepted] == [[NEW], [NEW, NEW]]
    assert list(submit(writer, "d").result(WAIT)) == [NEW]
    writer.close()


def test_a_failure_reaches_each_of_its_group_and_nobody_else() -> None:
    store = SlowStore()
    store.error = StoreUnavailable("the disk is full")
    writer = GroupWriter(store)
    first = submit(writer, "a")
    store.disk_answers.set()
    with pytest.raises(StoreUnavailable, match="full"):
        first.result(WAIT)
    store.error = None
    assert list(submit(writer, "a").result(WAIT)) == [NEW]
    writer.close()


def test_whoever_stops_waiting_does_not_stop_the_others() -> None:
    store = SlowStore()
    writer = GroupWriter(store)
    one, other = submit(writer, "a"), submit(writer, "b")
    assert not one.cancel()
    store.disk_answers.set()
    assert list(other.result(WAIT)) == [NEW]
    assert list(one.result(WAIT)) == [NEW]
    writer.close()


def test_closing_writes_what_waits_and_takes_no_more() -> None:
    store = SlowStore()
    writer = GroupWriter(store)
    futures = [submit(writer, name) for name in "abc"]
    store.disk_answers.set()
    writer.close()
    assert [future.done() for future in futures] == [True] * 3
    with pytest.raises(StoreUnavailable, match="stopped"):
        submit(writer, "d")
    writer.close()


class TestOnSqlite(Opener):
    def test_many_threads_get_their_own_receipts(self) -> None:
        """Each thread submits its own events and one that all share: one of them has it new."""
        writer = GroupWriter(self.make())

        def deliver(thread: int) -> list[Receipt]:
            futures = [submit(writer, f"evt_{thread}_{number}", f"shared_{number}") for number in range(20)]
            receipts = [future.result(WAIT) for future in futures]
            assert [own for own, _ in receipts] == [NEW] * 20
            return [shared for _, shared in receipts]

        answers = together([partial(deliver, thread) for thread in range(8)])
        writer.close()
        for shared in zip(*answers, strict=True):
            assert sorted(shared) == [DUPLICATE] * 7 + [NEW]
