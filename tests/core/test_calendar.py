"""Days and hours where the merchant and the payer live: business days, and local times that exist twice or not at all."""

import os
import subprocess
import sys
from datetime import UTC, date, datetime, timedelta

import pytest

from dunr.core.calendar import add_business_days, local_day, local_instant, next_business_day
from dunr.core.policy import Policy
from dunr.core.schedule import forecast
from dunr.core.terms import DeclineReason
from tests.core.world import facts, utc

FUNDS = DeclineReason.INSUFFICIENT_FUNDS


def steps(failed_at: str, policy: Policy) -> list[str]:
    return [f"{step.at:%Y-%m-%d %H:%M}" for step in forecast(policy, facts(), FUNDS, utc(failed_at)).steps]


@pytest.mark.parametrize(
    ("failed_at", "policy", "expected"),
    [
        (
            "2026-06-23 10:00",
            Policy(),
            ["2026-06-24 09:00", "2026-06-29 09:00", "2026-07-02 09:00", "2026-07-07 09:00"],
        ),
        (
            "2026-06-26 23:30",  # Saturday in Sydney already
            Policy(timezone="Australia/Sydney"),
            ["2026-06-28 23:00", "2026-07-01 23:00", "2026-07-06 23:00", "2026-07-09 23:00"],
        ),
        (
            "2026-12-24 10:00",
            Policy(calendar="GB", timezone="UTC"),
            ["2026-12-29 09:00", "2027-01-04 09:00", "2027-01-07 09:00", "2027-01-12 09:00"],
        ),
        (
            "2026-12-24 10:00",  # without the holidays the first would be Christmas Day
            Policy(),
            ["2026-12-25 09:00", "2026-12-30 09:00", "2027-01-04 09:00", "2027-01-07 09:00"],
        ),
        (
            "2026-06-27 10:00",
            Policy(),
            ["2026-06-29 09:00", "2026-07-02 09:00", "2026-07-07 09:00", "2026-07-10 09:00"],
        ),
    ],
    ids=["a", "b", "c", "c without holidays", "e"],
)
def test_c60_business_days(failed_at: str, policy: Policy, expected: list[str]) -> None:
    assert steps(failed_at, policy) == expected


# --- clock changes: the wall time that is asked for, and the instant that it means -----------------------------------------


GAPS = [
    ("Europe/Berlin", date(2026, 3, 29), (2, 30), "2026-03-29T01:00:00+00:00"),
    ("America/New_York", date(2026, 3, 8), (2, 30), "2026-03-08T07:00:00+00:00"),
    ("Australia/Lord_Howe", date(2026, 10, 4), (2, 15), "2026-10-03T15:30:00+00:00"),  # half an hour
    ("Pacific/Apia", date(2011, 12, 30), (9, 0), "2011-12-30T10:00:00+00:00"),  # a day that never was
    ("America/Santiago", date(2026, 9, 6), (0, 30), "2026-09-06T04:00:00+00:00"),  # at midnight
    ("Africa/Casablanca", date(2026, 3, 22), (2, 30), "2026-03-22T02:00:00+00:00"),  # after Ramadan
    ("Pacific/Chatham", date(2026, 9, 27), (3, 0), "2026-09-26T14:00:00+00:00"),  # at a quarter to three
    ("Asia/Beirut", date(2026, 3, 29), (0, 15), "2026-03-28T22:00:00+00:00"),
]
TWICE = [
    ("Europe/Berlin", date(2026, 10, 25), (2, 30), "2026-10-25T00:30:00+00:00"),
    ("America/New_York", date(2026, 11, 1), (1, 30), "2026-11-01T05:30:00+00:00"),
    ("Australia/Lord_Howe", date(2026, 4, 5), (1, 45), "2026-04-04T14:45:00+00:00"),
    ("America/Santiago", date(2026, 4, 4), (23, 30), "2026-04-05T02:30:00+00:00"),
    ("Pacific/Chatham", date(2026, 4, 5), (3, 0), "2026-04-04T13:15:00+00:00"),
    ("America/St_Johns", date(2026, 11, 1), (1, 15), "2026-11-01T03:45:00+00:00"),
]
PLAIN = [
    ("UTC", date(2026, 6, 24), (9, 0), "2026-06-24T09:00:00+00:00"),
    ("Asia/Kathmandu", date(2026, 6, 24), (9, 0), "2026-06-24T03:15:00+00:00"),
    ("Pacific/Kiritimati", date(2026, 6, 24), (9, 0), "2026-06-23T19:00:00+00:00"),
    ("Not/AZone", date(2026, 6, 24), (9, 0), "2026-06-24T09:00:00+00:00"),
]


@pytest.mark.parametrize(("zone", "day", "at", "expected"), [*GAPS, *TWICE, *PLAIN])
def test_a_local_time_is_one_instant(zone: str, day: date, at: tuple[int, int], expected: str) -> None:
    assert local_instant(day, *at, zone).isoformat() == expected


@pytest.mark.parametrize(("zone", "day", "at", "_expected"), GAPS)
def test_a_time_that_does_not_exist_moves_to_the_first_that_does(
    zone: str, day: date, at: tuple[int, int], _expected: str
) -> None:
    from zoneinfo import ZoneInfo

    instant = local_instant(day, *at, zone)
    wanted = datetime(day.year, day.month, day.day, *at)  # noqa: DTZ001 (a wall time)
    just_before = (instant - timedelta(seconds=1)).astimezone(ZoneInfo(zone)).replace(tzinfo=None)
    assert just_before < wanted <= instant.astimezone(ZoneInfo(zone)).replace(tzinfo=None)


@pytest.mark.parametrize("zone", ["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Pacific/Chatham"])
def test_a_daily_step_happens_once_a_day_for_a_year(zone: str) -> None:
    for hour, minute in ((2, 30), (1, 45), (0, 0), (9, 0)):
        days = [date(2026, 1, 1) + timedelta(days=n) for n in range(365)]
        instants = [local_instant(day, hour, minute, zone) for day in days]
        assert instants == sorted(set(instants))
        assert [local_day(at, zone) for at in instants] == days


@pytest.mark.parametrize("machine", ["America/Los_Angeles", "Nowhere/AtAll"])
def test_the_machine_s_own_zone_changes_nothing(machine: str) -> None:
    program = (
        "from datetime import datetime, UTC\n"
        "from dunr.core.policy import Policy\n"
        "from dunr.core.schedule import forecast\n"
        "from dunr.core.terms import DeclineReason as R\n"
        "from dunr.facts.load import load_facts\n"
        "plan = forecast(Policy(timezone='Australia/Sydney'), load_facts(), R.INSUFFICIENT_FUNDS,"
        " datetime(2026, 6, 26, 23, 30, tzinfo=UTC))\n"
        "print(*[step.at.isoformat() for step in plan.steps], plan.pause_at.isoformat())\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", program], env={**os.environ, "TZ": machine}, capture_output=True, text=True, check=True
    )
    assert run.stdout.split() == [
        *("2026-06-28T23:00:00+00:00", "2026-07-01T23:00:00+00:00", "2026-07-06T23:00:00+00:00"),
        *("2026-07-09T23:00:00+00:00", "2026-07-09T23:00:00+00:00"),
    ]


def test_business_days() -> None:
    friday, holidays = date(2026, 6, 26), frozenset({date(2026, 6, 29)})
    assert add_business_days(friday, 1, frozenset()) == date(2026, 6, 29)
    assert add_business_days(friday, 1, holidays) == date(2026, 6, 30)
    assert add_business_days(date(2026, 6, 27), 0, frozenset()) == date(2026, 6, 27)
    assert next_business_day(friday, holidays) == friday
    assert next_business_day(date(2026, 6, 27), holidays) == date(2026, 6, 30)


def test_a_calendar_without_business_days_is_said_to_be_wrong() -> None:
    endless = frozenset(date(2026, 1, 1) + timedelta(days=n) for n in range(500))
    with pytest.raises(ValueError, match="the holiday calendar leaves none"):
        next_business_day(date(2026, 1, 1), endless)


def test_an_instant_s_day_depends_on_the_place() -> None:
    at = datetime(2026, 6, 26, 23, 30, tzinfo=UTC)
    assert local_day(at, "Australia/Sydney") == date(2026, 6, 27)
    assert local_day(at, "America/New_York") == date(2026, 6, 26)
