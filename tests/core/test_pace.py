"""The rate of calls to a processor: instants one after the other, whoever reserves them."""

from datetime import UTC, datetime, timedelta
from random import Random

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dunr.core.pace import DIVISOR_MAX, LATE_MAX, SLOWED_FOR, WAY_DIFFERS_MAX, Pace, reserve, slowed
from dunr.core.value import replace

NOW = datetime(2026, 6, 23, 10, tzinfo=UTC)
SECOND = timedelta(seconds=1)
ROUNDED_OFF = timedelta(microseconds=2)  # by the dice of the test


def test_after_a_silence_a_few_may_leave_at_once_and_then_one_after_the_other() -> None:
    pace, first = reserve(
        None, 46.0, 2, NOW
    )  # 46 within a second, and what is late or quicker on its way: 25 milliseconds each
    assert (first.first_at, first.gap) == (NOW - LATE_MAX, timedelta(milliseconds=25))
    pace, second = reserve(pace, 46.0, 5, NOW)
    assert (second.first_at, second.gap, second.count) == (NOW, timedelta(milliseconds=25), 5)
    assert reserve(pace, 46.0, 1, NOW)[1].first_at == NOW + timedelta(milliseconds=125)


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.integers(1, 120),
    st.lists(
        st.tuples(st.sampled_from(("reserve", "refuse")), st.integers(1, 30), st.floats(0, 0.6)),
        min_size=1,
        max_size=25,
    ),
    st.randoms(use_true_random=False),
)
def test_no_second_sees_more_calls_than_the_processor_allows_whoever_reserves(
    rate_max: int, doings: list[tuple[str, int, float]], chance: Random
) -> None:
    pace: Pace | None = None
    now, arrived = NOW, []
    for doing, count, seconds in doings:
        now += timedelta(seconds=seconds)
        if doing == "refuse":
            pace = slowed(pace, now)
            continue
        pace, reserved = reserve(pace, float(rate_max), count, now)
        for number in range(count):
            at = reserved.first_at + number * reserved.gap
            left_at = max(at, min(now, at + LATE_MAX)) + chance.random() * (at + LATE_MAX - max(at, now))
            arrived.append(left_at + chance.random() * WAY_DIFFERS_MAX)
    arrived.sort()
    for first, later in zip(arrived, arrived[rate_max:], strict=False):
        assert later - first >= SECOND - ROUNDED_OFF


def test_what_passes_unused_is_gone() -> None:
    pace, _ = reserve(None, 10.0, 1, NOW)
    _, later = reserve(pace, 10.0, 100, NOW + 60 * SECOND)
    assert later.first_at == NOW + 60 * SECOND - LATE_MAX


def test_a_refusal_halves_the_rate_after_what_another_process_has_reserved() -> None:
    pace, held = reserve(None, 23.0, 10, NOW)
    pace = slowed(pace, NOW)
    after = reserve(pace, 23.0, 1, NOW)[1]
    assert (after.first_at, after.gap) == (held.first_at + 10 * held.gap, 2 * held.gap)
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
    gaps = [reserve(pace, 11.5, 1, at + count * SLOWED_FOR)[1].gap / timedelta(seconds=0.1) for count in range(4)]
    assert gaps == [4, 2, 1, 1]
    pace, _ = reserve(pace, 11.5, 1, at + SLOWED_FOR)
    assert reserve(pace, 11.5, 1, at + 2 * SLOWED_FOR)[1].gap == timedelta(seconds=0.1)
