"""The store in memory sits the exam, and keeps what only it promises: a hook before each commit, and speed by
structure.
"""

import pytest

from dunr.adapters.stores.memory import MemoryStore
from dunr.core.snapshot import Snapshot
from dunr.core.value import replace
from dunr.errors import StoreUnavailable
from dunr.ports import Change, InboundState
from dunr.testing.filled import filled
from dunr.testing.store_exam import ReportsExam, StoreExam
from dunr.testing.store_rows import NOTHING, at, decide, event, load, new_case, put, row_id, settlement


class TestMemoryStore(StoreExam):
    def make(self) -> MemoryStore:
        return MemoryStore()


class TestMemoryReports(ReportsExam):
    def make(self) -> MemoryStore:
        return MemoryStore()


def test_the_hook_sees_each_change_and_may_raise_in_its_place() -> None:
    seen: list[Change] = []

    def fail_on_the_second(change: Change) -> None:
        seen.append(change)
        if len(seen) == 2:
            raise StoreUnavailable("the disk is full")

    store = MemoryStore(before_commit=fail_on_the_second)
    changes = [Change(NOTHING, decide(case=new_case(name))) for name in ("a", "b", "c")]
    assert list(store.commit(changes[:1])) == [True]
    with pytest.raises(StoreUnavailable):
        store.commit(changes[1:])
    assert seen == changes[:2]
    assert load(store, "a").case is not None
    assert load(store, "b").case is None


def test_a_decision_that_writes_another_row_than_was_read_is_a_bug() -> None:
    store = MemoryStore()
    put(store, decide(case=new_case("a")))
    with pytest.raises(AssertionError, match="another row"):
        store.commit([Change(load(store, "a"), decide(case=new_case("b")))])


def test_the_agenda_does_not_grow_with_moves() -> None:
    store = MemoryStore()
    put(store, decide(case=new_case("still", wake_at=at(1))))
    put(store, decide(case=new_case("moves", wake_at=at(2))))
    for second in range(5000):
        rows = load(store, "moves")
        assert rows.case is not None
        put(store, decide(case=replace(rows.case, wake_at=at(second + 3))), rows)
    assert len(store._cases_due._heap) < 100
    assert list(store.due(at(9999), 9)) == [row_id("still"), row_id("moves")]


def test_the_snapshot_stays_beside_its_event() -> None:
    store = MemoryStore()
    store.receive([event("evt_1")])
    assert store.snapshot_of(row_id("evt_1")) is None
    store.settle(row_id("evt_1"), replace(settlement(InboundState.APPLIED), snapshot=filled(Snapshot)))
    assert store.snapshot_of(row_id("evt_1")) == filled(Snapshot)
    assert store.next_due_at() is None
