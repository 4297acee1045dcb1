"""The rate of calls to a processor: instants one after the other, whoever reserves them."""

from datetime import UTC, datetime, timedelta

from dunr.core.pace import DIVISOR_MAX, SLOWED_FOR, Pace, reserve, slowed
from dunr.core.value import replace

NOW = datetime(2026, 6, 23, 10, tzinfo=UTC)
SECOND = timedelta(seconds=1)


def test_after_a_silence_a_few_may_leave_at_once_and_then_one_after_the_other() -> None:
    pace, first = reserve(None, 20.0, 5, NOW)
    assert first.first_at + 5 * first.gap == NOW
    pace, second = reserve(pace, 25.0, 5, NOW)
    assert (second.first_at, second.gap, second.count) == (NOW, timedelta(seconds=0.04), 5)
    assert reserve(pace, 25.0, 1, NOW)[1].first_at == NOW + timedelta(seconds=0.2)


def test_what_passes_unused_is_gone() -> None:
    pace, _ = reserve(None, 10.0, 1, NOW)
    _, later = reserve(pace, 10.0, 100, NOW + 60 * SECOND)
    assert later.first_at == NOW + 59.75 * SECOND


def test_a_refusal_halves_the_rate_and_forgets_what_was_reserved_ahead() -> None:
    pace, _ = reserve(None, 10.0, 1000, NOW)
    pace = slowed(pace, NOW)
    assert reserve(pace, 10.0, 1, NOW)[1].gap == timedelta(seconds=0.2)
    assert pace.next_at == NOW
    assert slowed(None, NOW).divisor == 2


def test_refusals_of_what_was_on_its_way_count_once() -> None:
    once = slowed(None, NOW)
    assert slowed(once, NOW + SECOND) == replace(once, refused_count=2)
    assert slowed(once, NOW + 3 * SECOND).divisor == 4


def test_it_is_never_slower_than_a_sixteenth() -> None:
    pace = Pace(NOW)
    for count in range(9):
        pace = slowed(pace, NOW + 5 * count * SECOND)
    assert pace.divisor == DIVISOR_MAX


def test_the_rate_comes_back_by_doubling() -> None:
    pace = slowed(slowed(None, NOW), NOW + 5 * SECOND)
    at = NOW + 5 * SECOND
    gaps = [reserve(pace, 10.0, 1, at + count * SLOWED_FOR)[1].gap / timedelta(seconds=0.1) for count in range(4)]
    assert gaps == [4, 2, 1, 1]
    pace, _ = reserve(pace, 10.0, 1, at + SLOWED_FOR)
    assert reserve(pace, 10.0, 1, at + 2 * SLOWED_FOR)[1].gap == timedelta(seconds=0.1)
