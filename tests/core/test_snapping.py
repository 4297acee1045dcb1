"""Where a date lands: windows, month edges, business days and clock changes, each alone and together."""

from datetime import date, datetime, timedelta

import pytest

from dunr.core import calendar
from dunr.core.circumstances import whereabouts
from dunr.core.model import Payer
from dunr.core.paydays import PaydayKind, PaydayRule
from dunr.core.policy import Policy, Strategy, Window
from dunr.core.schedule import lay
from dunr.core.snapping import snap
from dunr.core.strategies import LADDERS, Rung, rungs
from dunr.core.value import replace
from dunr.core.windows import Place, closed_because, is_month_edge, last_open, nearest_open, next_open
from tests.core.plans import FUNDS, OFFICE, around, by, dates, laid
from tests.core.world import facts, utc

LONDON, NEW_YORK = "Europe/London", "America/New_York"
IN_LONDON = Place(LONDON, frozenset({date(2026, 8, 31)}))
STEP = Rung(1, LADDERS[Strategy.STANDARD][0], Strategy.STANDARD)


# --- windows --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("at", "opens_at", "why"),
    [
        ("2026-06-23 10:00", "2026-06-23 10:00", None),
        ("2026-06-23 08:00", "2026-06-23 08:00", None),  # nine in London
        ("2026-06-23 07:59", "2026-06-23 08:00", "outside 09:00 to 18:00"),
        ("2026-06-23 17:00", "2026-06-24 08:00", "outside 09:00 to 18:00"),  # six in London: closed
        ("2026-06-26 18:00", "2026-06-29 08:00", "outside 09:00 to 18:00"),  # Friday evening
        ("2026-06-27 10:00", "2026-06-29 08:00", "on a weekend"),
        ("2026-08-31 10:00", "2026-09-01 08:00", "a holiday"),
        ("2026-12-23 18:00", "2026-12-24 09:00", "outside 09:00 to 18:00"),  # winter
    ],
)
def test_a_window_opens_where_the_payer_lives(at: str, opens_at: str, why: str | None) -> None:
    assert next_open(utc(at), OFFICE, IN_LONDON) == utc(opens_at)
    assert closed_because(utc(at), OFFICE, IN_LONDON) == why


@pytest.mark.parametrize(
    ("days", "edges"),
    [(0, []), (1, [1, 30]), (2, [1, 2, 29, 30]), (3, [1, 2, 3, 28, 29, 30])],
)
def test_the_edges_of_a_month(days: int, edges: list[int]) -> None:
    assert [day for day in range(1, 31) if days and is_month_edge(date(2026, 6, day), days)] == edges


def test_days_around_the_month_s_end_are_avoided_except_paydays() -> None:
    edge = Window(avoid_month_edge_days=2)
    standard = by(Strategy.STANDARD, 1, window=edge)
    plan = laid(standard, "2026-06-28 10:00")
    assert dates(plan) == ["2026-07-03 00:00"]  # Monday 29 and Tuesday 30 June, 1 and 2 July are too near
    assert plan.steps[0].why[1] == (
        "Mon 29 Jun 2026, 10:00 UTC is too near to the turn of the month: moved on to Fri 3 Jul 2026, 00:00 UTC, by the payer's own time zone"
    )
    funds = by(Strategy.FUNDS_AWARE, 1, window=edge)
    # Monday 29 June is too near, but Tuesday 30 June is a payday in Great Britain.
    assert dates(laid(funds, "2026-06-26 10:00", LONDON, "GB")) == ["2026-06-30 08:00"]
    assert dates(laid(funds, "2026-06-26 10:00", LONDON, "IS")) == ["2026-07-02 23:00"]


@pytest.mark.parametrize(
    ("at", "lands_at"),
    [
        ("2026-06-23 17:30", "2026-06-23 16:59"),  # half past six in London: a minute before six is nearer than nine
        ("2026-06-24 03:00", "2026-06-24 08:00"),  # four in the morning: nine is nearer
        ("2026-06-27 05:00", "2026-06-26 16:59"),  # Saturday morning: Friday evening
        ("2026-06-28 10:00", "2026-06-29 08:00"),  # Sunday: Monday
        ("2026-06-23 10:00", "2026-06-23 10:00"),
    ],
)
def test_the_nearest_open_time_may_lie_before(at: str, lands_at: str) -> None:
    assert nearest_open(utc(at), OFFICE, IN_LONDON, utc("2026-06-01 00:00")) == utc(lands_at)


def test_the_nearest_time_is_not_before_the_floors() -> None:
    nearest = replace(OFFICE, nearest=True)
    standard = by(Strategy.STANDARD, 1, window=nearest)
    evening = "2026-06-22 17:30"  # a day later it is half past six in London
    assert dates(laid(standard, evening, LONDON)) == ["2026-06-23 16:59"]
    assert laid(standard, evening, LONDON).steps[0].why[1] == (
        "moved back to Tue 23 Jun 2026, 17:59 Europe/London, the nearest time in the window"
    )
    assert dates(laid(standard, evening, LONDON, wait_until="2026-06-23 17:00")) == ["2026-06-24 08:00"]
    where = around(standard, utc(evening), LONDON)
    coming = rungs(standard, facts(), FUNDS, 0, 0, 0)
    told = lay(coming, utc(evening), where, told={1: utc("2026-06-23 17:30")})
    assert dates(told) == ["2026-06-24 08:00"]  # what was told is not brought forward
    postponed = lay(coming, utc(evening), where, first=(utc("2026-06-23 17:30"), "postponed"))
    assert dates(postponed) == ["2026-06-24 08:00"]  # nor what a person has set


def test_a_window_that_never_opens_leaves_no_date_and_says_so() -> None:
    closed = by(Strategy.STANDARD, 1, window=Window(avoid_month_edge_days=16))
    plan = laid(closed, "2026-06-23 10:00")
    assert plan.steps == ()
    assert plan.undated[-1] == (
        "no date: Wed 24 Jun 2026, 10:00 UTC is too near to the turn of the month, and the window never opens"
    )
    never = Window(avoid_month_edge_days=16)
    assert last_open(utc("2026-06-23 10:00"), never, IN_LONDON) is None
    assert nearest_open(utc("2026-06-23 10:00"), never, IN_LONDON, utc("2026-01-01 00:00")) == utc("2026-06-23 10:00")


def test_a_business_day_step_keeps_the_window_s_hours_and_the_merchant_s_days() -> None:
    policy = Policy(window=Window(from_hour=9, until_hour=18))
    # Nine in UTC is five in the morning in New York.
    plan = laid(policy, "2026-06-23 10:00", NEW_YORK)
    assert dates(plan) == ["2026-06-24 13:00", "2026-06-29 13:00", "2026-07-02 13:00", "2026-07-07 13:00"]
    # From Friday evening there, the window leads to Saturday, and the merchant's days to Monday.
    rung = rungs(policy, facts(), FUNDS, 0, 0, 0)[0]
    snapped = snap(
        utc("2026-06-26 23:00"), rung, around(policy, utc("2026-06-23 10:00"), NEW_YORK), utc("2026-06-23 10:00")
    )
    assert snapped.at == utc("2026-06-29 13:00")
    assert len(snapped.why) == 3


def test_nothing_snaps_where_that_is_switched_off() -> None:
    policy = by(Strategy.FUNDS_AWARE, 2, window=OFFICE, snap=False)
    saturday = "2026-06-27 22:00"
    assert dates(laid(policy, saturday, LONDON, "GB")) == ["2026-06-30 22:00", "2026-07-05 22:00"]


def test_rules_that_never_agree_leave_no_date() -> None:
    # Business days of a merchant in Kiritimati (UTC+14), and one hour a day of a payer in Midway (UTC-11) that lies on their Saturday and Sunday only.
    open_on_weekends = frozenset(
        date(2026, 1, 1) + timedelta(days=n) for n in range(900) if (date(2026, 1, 1) + timedelta(days=n)).weekday() < 4
    )
    odd = replace(facts(), calendars={"odd": open_on_weekends})
    policy = Policy(
        timezone="Pacific/Kiritimati", calendar="odd", window=Window(from_hour=23, until_hour=24, weekdays_only=True)
    )
    rung = rungs(policy, odd, FUNDS, 0, 0, 0)[0]
    where = replace(around(policy, utc("2026-06-23 10:00"), "Pacific/Midway"), facts=odd)
    snapped = snap(utc("2026-06-23 10:00"), rung, where, utc("2026-06-23 10:00"))
    assert snapped.at is None
    assert snapped.why[-1] == "no date: after 20 rounds the rules still move it"


# --- where the payer lives ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("payer", "zone", "why"),
    [
        (Payer(timezone="Asia/Tokyo", country="DE"), "Asia/Tokyo", "the payer's own time zone"),
        (Payer(country="DE"), "Europe/Berlin", "the time zone of DE, since the payer's own is not known"),
        (
            Payer(timezone="Mars/Base", country="DE"),
            "Europe/Berlin",
            "the time zone of DE, since the payer's own is not known",
        ),
        (
            Payer(country="ES"),
            "Europe/Madrid",
            "the time zone of most people of ES, since the payer's own is not known",
        ),
        (
            Payer(country="US"),
            "Australia/Sydney",
            "the policy's time zone, since the payer's own is not known and US has no single one",
        ),
        (
            Payer(),
            "Australia/Sydney",
            "the policy's time zone, since neither the payer's own nor their country is known",
        ),
    ],
)
def test_the_payer_s_time_zone_and_its_source(payer: Payer, zone: str, why: str) -> None:
    assert whereabouts(payer, Policy(timezone="Australia/Sydney"), facts()) == (zone, why)


# --- clock changes --------------------------------------------------------------------------------------------------------

DST_DAYS = [
    ("Europe/Berlin", date(2026, 3, 29), date(2026, 10, 25)),
    ("America/New_York", date(2026, 3, 8), date(2026, 11, 1)),
    ("Australia/Lord_Howe", date(2026, 10, 4), date(2026, 4, 5)),
    ("America/Santiago", date(2026, 9, 6), date(2026, 4, 4)),
    ("Pacific/Chatham", date(2026, 9, 27), date(2026, 4, 5)),
    ("Africa/Casablanca", date(2026, 3, 22), date(2026, 2, 15)),
    ("America/St_Johns", date(2026, 3, 8), date(2026, 11, 1)),
    ("Asia/Beirut", date(2026, 3, 29), date(2026, 10, 25)),
]


@pytest.mark.parametrize(("zone", "spring", "autumn"), DST_DAYS)
@pytest.mark.parametrize(("hour", "minute"), [(0, 0), (0, 30), (1, 30), (2, 0), (2, 30), (3, 0), (23, 30)])
def test_each_step_has_one_instant_on_a_day_of_clock_change(
    zone: str, spring: date, autumn: date, hour: int, minute: int
) -> None:
    policy = Policy(timezone=zone, at_hour=hour, at_minute=minute)
    rung = rungs(policy, facts(), FUNDS, 0, 0, 0)[0]
    for day in (spring, autumn):
        start = datetime.combine(day - timedelta(days=3), datetime.min.time(), utc("2026-01-01 00:00").tzinfo)
        where = around(policy, start, zone)
        found = []
        for half_hour in range(6 * 24 * 2):
            wanted_at = start + timedelta(minutes=30 * half_hour)
            at = snap(wanted_at, rung, where, wanted_at).at
            assert at is not None
            assert at >= wanted_at
            found.append(at)
        assert found == sorted(found)
        local_days = [at.astimezone(calendar.zone(zone)).date() for at in dict.fromkeys(found)]
        assert len(local_days) == len(set(local_days)), "one instant a day"


def test_a_payday_s_hour_that_comes_twice_means_the_first() -> None:
    policy = replace(by(Strategy.FUNDS_AWARE, 1), at_hour=23, at_minute=30)
    rung = rungs(policy, facts(), FUNDS, 0, 0, 0)[0]
    thursdays = replace(facts(), paydays={"EG": (PaydayRule(PaydayKind.WEEKDAYS, (3,)),)})
    where = replace(around(policy, utc("2026-10-26 00:00"), "Africa/Cairo", "EG"), facts=thursdays)
    # On Thursday 29 October 2026 Cairo has half past eleven at night at 20:30 and again at 21:30 in UTC.
    for wanted, at in (("20:00", "20:30"), ("20:45", "20:45"), ("21:10", "21:10"), ("21:45", "21:45")):
        found = snap(utc(f"2026-10-29 {wanted}"), rung, where, utc("2026-10-26 00:00"))
        assert found.at == utc(f"2026-10-29 {at}")


def test_a_window_whose_hours_do_not_exist_on_a_day_opens_on_the_next() -> None:
    berlin = Place("Europe/Berlin", frozenset())
    night = Window(from_hour=2, until_hour=3)
    # On 29 March 2026 the clock goes from two to three.
    assert next_open(utc("2026-03-28 12:00"), night, berlin) == utc("2026-03-30 00:00")
    # On 25 October two o'clock comes twice: the window opens with the first.
    assert next_open(utc("2026-10-24 12:00"), night, berlin) == utc("2026-10-25 00:00")
    assert last_open(utc("2026-03-29 12:00"), night, berlin) == utc("2026-03-28 01:59")


def test_the_unit_of_a_gap_is_said_in_words() -> None:
    plan = laid(by(Strategy.SHORT_BACKOFF, 3), "2026-06-23 10:00")
    assert [step.why[0].split(" after ")[0] for step in plan.steps] == ["28.8 minutes", "12 hours", "2 days"]
    assert laid(by(Strategy.FIBONACCI, 1), "2026-06-23 10:00").steps[0].why[0].startswith("1 minute after")
