"""A hundred thousand dates at nine o'clock are not a hundred thousand calls at nine o'clock."""

from collections import Counter
from datetime import timedelta

import pytest

from dunr.core.circumstances import Circumstances
from dunr.core.policy import Policy, Step, Window
from dunr.core.schedule import is_missed, lay
from dunr.core.spreading import share_of, spread_seconds
from dunr.core.strategies import rungs
from dunr.core.terms import DeclineReason, StepUnit
from tests.core.world import facts, story, utc

NINE = utc("2026-06-24 09:00")
CASES = 100_000
SPREAD = Policy(spread_minutes=180)


def test_a_hundred_thousand_cases_due_at_nine_begin_evenly_over_the_minutes_of_the_policy() -> None:
    begun = Counter(spread_seconds(f"stripe:acct:in_{n}", SPREAD, NINE, "UTC") // 60 for n in range(CASES))
    assert set(begun) == set(range(180))
    assert max(begun.values()) < 1.3 * CASES / 180


def test_a_case_has_the_same_place_each_time() -> None:
    first, again = (spread_seconds("stripe:acct:in_1", SPREAD, NINE, "UTC") for _ in range(2))
    assert first == again
    assert 0 <= share_of("") < 1


def test_without_a_word_in_the_policy_nothing_is_spread() -> None:
    assert spread_seconds("stripe:acct:in_1", Policy(), NINE, "UTC") == 0


@pytest.mark.parametrize(
    ("window", "zone_name", "minutes_max"),
    [
        (Window(8, 10), "UTC", 60),
        (Window(8, 12), "Europe/Berlin", 60),  # it is eleven there
        (Window(8, 10), "Europe/Berlin", 0),  # and the window of a date that nobody could move has closed
        (None, "Europe/Berlin", 180),
    ],
)
def test_no_attempt_begins_after_its_window(window: Window | None, zone_name: str, minutes_max: int) -> None:
    policy = Policy(spread_minutes=180, window=window)
    latest = max(spread_seconds(f"in_{n}", policy, NINE, zone_name) for n in range(2000))
    assert minutes_max * 60 * 0.98 <= latest <= minutes_max * 60


def test_the_day_is_a_window_too() -> None:
    late = utc("2026-06-24 23:30")
    assert max(spread_seconds(f"in_{n}", SPREAD, late, "UTC") for n in range(2000)) < 30 * 60


def test_the_date_stays_and_the_attempt_begins_a_while_after_it() -> None:
    around = Circumstances(SPREAD, facts(), utc("2026-06-23 10:00"), case_id="stripe:acct:in_1")
    coming = rungs(SPREAD, facts(), DeclineReason.INSUFFICIENT_FUNDS, 0, 0, 0)
    laid = lay(coming, utc("2026-06-23 10:00"), around)
    plain = lay(coming, utc("2026-06-23 10:00"), Circumstances(SPREAD, facts(), utc("2026-06-23 10:00")))
    assert [step.at for step in laid.steps] == [step.at for step in plain.steps]
    step = laid.steps[0]
    assert step.begins_at == NINE + timedelta(seconds=spread_seconds("stripe:acct:in_1", SPREAD, NINE, "UTC")) > NINE
    assert "as this case's part of 180 minutes" in step.why[-1]
    assert not is_missed(step, step.begins_at + timedelta(minutes=59))
    assert is_missed(step, step.begins_at + timedelta(minutes=61))


def test_steps_in_hours_keep_their_times() -> None:
    policy = Policy(spread_minutes=180, steps=(Step(2, StepUnit.HOURS),))
    around = Circumstances(policy, facts(), NINE, case_id="stripe:acct:in_1")
    [step] = lay(rungs(policy, facts(), DeclineReason.INSUFFICIENT_FUNDS, 0, 0, 0), NINE, around).steps
    assert step.begins_at == step.at


def test_a_timer_at_the_date_itself_sends_nothing_and_later_it_does() -> None:
    seconds = spread_seconds("sandbox:main:in_1", SPREAD, NINE, "UTC")
    begins_at = NINE + timedelta(minutes=-(-seconds // 60))
    assert begins_at > NINE + timedelta(minutes=1)
    story(
        f"""
    2026-06-23 10:00  first charge fails: insufficient_funds, 4900 usd
                      notice first; next 2026-06-24 09:00
    2026-06-24 09:00  somebody looks
                      attempts 0; next 2026-06-24 09:00
    {begins_at:%Y-%m-%d %H:%M}  step 1 sent; declined insufficient_funds
                      notice reminder; next 2026-06-29 09:00
    """,
        SPREAD,
    )
