"""Figures that all processes share are one sum in the store: a scrape here and a scrape there count nothing twice, and a long history is summed up once."""

from datetime import timedelta

from dunr.adapters.stores.memory import MemoryStore
from dunr.core.terms import Outcome
from dunr.core.value import replace
from dunr.metering import ON_ITS_WAY, TOTALS, AttemptKind, totals
from dunr.testing.store_rows import at, attempt_on, decide, new_case, put


def store_with(*seconds: float) -> MemoryStore:
    """Attempts that were settled so many seconds after the start."""
    store = MemoryStore()
    for number, second in enumerate(seconds):
        ended = replace(attempt_on("card_1", 1, Outcome.SUCCEEDED), settled_at=at(second))
        put(store, decide(case=replace(new_case(f"inv_{number}"), attempts=(ended,))))
    return store


SUCCEEDED = AttemptKind(1, "none", "timer", "succeeded")
DAY = 86_400


def test_the_sum_is_the_same_whoever_asks_and_however_often() -> None:
    store = store_with(1, 2, DAY, DAY + 1)
    asked = [dict(totals(store, store, at(DAY + 60)).attempts) for _ in range(3)]
    assert asked == [{SUCCEEDED: 4}] * 3


def test_what_is_kept_goes_on_and_ends_before_what_may_be_on_its_way() -> None:
    store = store_with(1, 2)
    now = at(3) + ON_ITS_WAY
    totals(store, store, now)
    assert store.document(TOTALS) is not None
    late = replace(attempt_on("card_1", 1, Outcome.SUCCEEDED), settled_at=at(4))  # committed after the sum was kept
    put(store, decide(case=replace(new_case("inv_late"), attempts=(late,))))
    assert dict(totals(store, store, now + timedelta(days=1)).attempts) == {SUCCEEDED: 3}


def test_a_clock_that_was_moved_back_counts_nothing_twice() -> None:
    store = store_with(1)
    totals(store, store, at(10 * DAY))
    assert dict(totals(store, store, at(0)).attempts) == {SUCCEEDED: 1}
