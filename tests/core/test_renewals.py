"""When a subscription is renewed: dates worked out by hand."""

from datetime import date, datetime, timedelta

import pytest

from dunr.core.renewals import (
    CatchUp,
    PeriodUnit,
    Renewal,
    begins_on,
    charge_id,
    cycle,
    due_cycles,
    next_due_at,
    paused,
    resumed,
)
from dunr.core.value import replace
from tests.core.world import utc

MONTHLY = Renewal(4900, "usd", 1, PeriodUnit.MONTHS, date(2026, 1, 31))


def days(renewal: Renewal, count: int) -> list[str]:
    return [begins_on(renewal, number).isoformat() for number in range(count)]


@pytest.mark.parametrize(
    ("anchor", "period", "unit", "expected"),
    [
        ("2026-01-31", 1, "months", ["2026-01-31", "2026-02-28", "2026-03-31", "2026-04-30", "2026-05-31"]),
        ("2027-12-31", 1, "months", ["2027-12-31", "2028-01-31", "2028-02-29", "2028-03-31"]),
        ("2026-08-30", 6, "months", ["2026-08-30", "2027-02-28", "2027-08-30", "2028-02-29"]),
        ("2028-02-29", 1, "years", ["2028-02-29", "2029-02-28", "2030-02-28", "2031-02-28", "2032-02-29"]),
        ("2026-12-31", 1, "years", ["2026-12-31", "2027-12-31", "2028-12-31"]),
        ("2026-12-24", 1, "weeks", ["2026-12-24", "2026-12-31", "2027-01-07"]),
        ("2028-02-27", 2, "days", ["2028-02-27", "2028-02-29", "2028-03-02"]),
        ("2026-11-30", 3, "months", ["2026-11-30", "2027-02-28", "2027-05-30", "2027-08-30"]),
    ],
)
def test_every_cycle_is_counted_from_the_anchor(anchor: str, period: int, unit: str, expected: list[str]) -> None:
    renewal = replace(MONTHLY, anchor_on=date.fromisoformat(anchor), period_count=period, period_unit=PeriodUnit(unit))
    assert days(renewal, len(expected)) == expected


@pytest.mark.parametrize(
    ("zone", "day", "hour", "instant"),
    [
        ("Europe/Berlin", "2026-03-29", 9, "2026-03-29 07:00"),  # the day on which summer time begins
        (
            "Europe/Berlin",
            "2026-03-29",
            2,
            "2026-03-29 01:00",
        ),  # two o'clock does not exist: three o'clock, at 01:00 UTC
        ("Europe/Berlin", "2026-10-25", 2, "2026-10-25 00:00"),  # two o'clock comes twice: the first
        ("America/New_York", "2026-11-01", 1, "2026-11-01 05:00"),  # one o'clock comes twice
        ("Australia/Lord_Howe", "2026-10-04", 2, "2026-10-03 15:30"),  # half an hour is missing
        ("Asia/Kolkata", "2026-12-31", 23, "2026-12-31 17:30"),
        ("Pacific/Auckland", "2027-01-01", 0, "2026-12-31 11:00"),
    ],
)
def test_a_cycle_is_due_at_the_subscription_s_own_hour(zone: str, day: str, hour: int, instant: str) -> None:
    renewal = replace(MONTHLY, anchor_on=date.fromisoformat(day), timezone=zone, at_hour=hour)
    assert cycle(renewal, 0).due_at == utc(instant)


def due(renewal: Renewal, now: datetime) -> list[str]:
    return [one.begins_on.isoformat() for one in due_cycles(renewal, now)[0]]


def test_nothing_is_due_before_its_time_and_one_cycle_at_it() -> None:
    renewal = replace(MONTHLY, cycle_next=1)
    assert due_cycles(renewal, utc("2026-02-28 08:59")) == ((), renewal)
    cycles, moved = due_cycles(renewal, utc("2026-02-28 09:00"))
    assert [charge_id("sub_1", one) for one in cycles] == ["sub_1-20260228"]
    assert moved.cycle_next == 2
    assert due_cycles(moved, utc("2026-02-28 09:00")) == ((), moved)
    assert next_due_at(moved) == utc("2026-03-31 09:00")


@pytest.mark.parametrize(
    ("rule", "charged"),
    [
        (CatchUp.EACH, ["2026-02-28", "2026-03-31", "2026-04-30"]),
        (CatchUp.LATEST, ["2026-04-30"]),
        (CatchUp.NONE, []),
    ],
)
def test_after_an_outage_over_three_cycles_the_rule_says_which_are_charged(rule: CatchUp, charged: list[str]) -> None:
    renewal = replace(MONTHLY, cycle_next=1, catch_up=rule)
    assert due(renewal, utc("2026-05-02 12:00")) == charged
    assert due_cycles(renewal, utc("2026-05-02 12:00"))[1].cycle_next == 4


@pytest.mark.parametrize("rule", CatchUp)
def test_a_cycle_that_is_half_an_hour_late_was_not_missed(rule: CatchUp) -> None:
    assert due(replace(MONTHLY, cycle_next=1, catch_up=rule), utc("2026-02-28 09:30")) == ["2026-02-28"]


def test_an_outage_that_ends_as_a_cycle_falls_due_charges_that_one_even_where_none_is_caught_up() -> None:
    renewal = replace(MONTHLY, cycle_next=1, catch_up=CatchUp.NONE)
    assert due(renewal, utc("2026-04-30 09:10")) == ["2026-04-30"]


def test_a_trial_is_free_and_what_begins_after_it_is_not() -> None:
    renewal = replace(MONTHLY, starts_on=date(2026, 3, 1), catch_up=CatchUp.EACH)
    assert due(renewal, utc("2026-01-31 09:00")) == []
    assert due(renewal, utc("2026-03-31 09:00")) == ["2026-03-31"]


def test_after_its_end_nothing_is_charged_and_nothing_is_due() -> None:
    renewal = replace(MONTHLY, ends_on=date(2026, 3, 31), catch_up=CatchUp.EACH)
    assert due(renewal, utc("2026-12-31 09:00")) == ["2026-01-31", "2026-02-28"]
    moved = due_cycles(renewal, utc("2026-12-31 09:00"))[1]
    assert next_due_at(moved) is None
    assert due_cycles(moved, utc("2027-12-31 09:00")) == ((), moved)


def test_a_pause_skips_the_cycles_that_begin_in_it_whatever_the_rule_for_outages() -> None:
    resting = paused(replace(MONTHLY, cycle_next=1, catch_up=CatchUp.EACH), utc("2026-02-10 12:00"))
    assert next_due_at(resting) is None
    assert due_cycles(resting, utc("2026-04-30 09:00")) == ((), resting)
    awake = resumed(resting, utc("2026-04-15 12:00"))
    assert next_due_at(awake) == utc("2026-04-30 09:00")
    assert due(awake, utc("2026-05-31 09:00")) == ["2026-04-30", "2026-05-31"]


def test_a_decade_of_outage_is_caught_up_in_several_turns() -> None:
    daily = replace(MONTHLY, period_unit=PeriodUnit.DAYS, catch_up=CatchUp.EACH)
    now = utc("2036-01-31 12:00")
    charged, turns = [], 0
    while (found := due_cycles(daily, now))[0]:
        daily, turns = found[1], turns + 1
        charged += [one.begins_on for one in found[0]]
    assert turns == 4
    assert charged == [date(2026, 1, 31) + timedelta(days=number) for number in range(3653)]


def test_price_times_quantity_is_what_a_cycle_costs() -> None:
    assert replace(MONTHLY, quantity=3).amount_minor == 14_700


def test_the_latest_of_thousands_of_missed_cycles_is_one() -> None:
    daily = replace(MONTHLY, period_unit=PeriodUnit.DAYS, catch_up=CatchUp.LATEST)
    cycles, moved = due_cycles(daily, utc("2036-01-31 12:00"))
    assert [one.begins_on for one in cycles] == [date(2036, 1, 31)]
    assert due_cycles(moved, utc("2036-01-31 12:00")) == ((), moved)
