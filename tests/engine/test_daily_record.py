"""The daily record: a chain that was replaced as a whole, with hashes that fit each other, is still found out."""

from datetime import timedelta

import pytest

from dunr.adapters.stores.memory import MemoryStore
from dunr.core.value import replace
from dunr.daily_record import BEGINNING, problems_of_days, record_day
from dunr.testing.store_rows import at, audit_entry, decide, new_case, put

DAY = timedelta(days=1)


@pytest.fixture
def store() -> MemoryStore:
    store = MemoryStore()
    for number, name in ((1, "a"), (2, "b")):
        put(store, decide(case=new_case(name), audit=(audit_entry(number, case=name),)))
    return store


def test_each_record_follows_the_one_before_and_holds(store: MemoryStore) -> None:
    first = record_day(store, store, at(0) + DAY)
    put(store, decide(case=new_case("c"), audit=(replace(audit_entry(3, case="c"), at=at(0) + DAY),)))
    second = record_day(store, store, at(0) + 2 * DAY)
    assert first is not None
    assert second is not None
    assert (first.from_at, first.entries_count) == (BEGINNING, 2)
    assert (second.from_at, second.entries_count) == (first.until_at, 1)
    assert not list(problems_of_days(store, store))


def test_what_is_still_on_its_way_waits_for_the_next_record(store: MemoryStore) -> None:
    record = record_day(store, store, at(2) + timedelta(minutes=15))
    assert record is not None
    assert record.entries_count == 1
    assert record_day(store, store, at(2)) is None


def test_a_chain_that_was_replaced_is_found_in_its_day(store: MemoryStore) -> None:
    record_day(store, store, at(0) + DAY)
    record_day(store, store, at(0) + 2 * DAY)
    (case_id, chain), *_ = store._audit.items()
    store._audit[case_id] = {number: replace(entry, hash="another") for number, entry in chain.items()}
    assert ["2 entries, of 2" in problem for problem in problems_of_days(store, store)] == [True]
    del store._audit[case_id]
    assert ["1 entries, of 2" in problem for problem in problems_of_days(store, store)] == [True]


def test_a_record_that_is_gone_is_told(store: MemoryStore) -> None:
    record_day(store, store, at(0) + DAY)
    store._documents = {name: one for name, one in store._documents.items() if name == "audit-days"}
    assert [problem.endswith("is gone.") for problem in problems_of_days(store, store)] == [True]
