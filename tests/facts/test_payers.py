"""What ships about payers by their country: paydays that can be computed, and time zones that exist."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo, available_timezones

import pytest

from dunr.core.paydays import PaydayKind, PaydayRule, paydays_of_month
from dunr.errors import SettingsError
from dunr.facts.calendars import Calendars, check_calendar, holiday_dates
from dunr.facts.load import load_facts
from dunr.facts.payers import SHARE_MIN, shipped_paydays, shipped_zones
from dunr.facts.tables import rows


def test_every_row_of_paydays_is_sound_and_says_where_it_is_from() -> None:
    for row in rows("paydays.csv"):
        assert len(row["country"]) == 2
        assert PaydayKind(row["kind"])
        assert 0 < float(row["share"]) <= 1
        assert row["source"]


def test_every_country_with_paydays_has_a_calendar_and_pays_every_month() -> None:
    facts = load_facts(years=range(2026, 2029))
    for country, rules in facts.paydays.items():
        check_calendar(country)
        for month in range(1, 13):
            assert paydays_of_month(2027, month, rules, facts.calendars[country]), (country, month)


def test_a_rare_way_to_be_paid_moves_nobody_s_dates() -> None:
    rare = [row for row in rows("paydays.csv") if float(row["share"]) < SHARE_MIN]
    assert [row["country"] for row in rare] == ["GB"]
    assert all(rule.kind is not PaydayKind.WEEKDAYS for rule in shipped_paydays()["GB"])
    assert PaydayRule(PaydayKind.WEEKDAYS, (4,)) in shipped_paydays()["US"]


def test_every_country_s_time_zone_exists_and_holds_for_one_place_only() -> None:
    zones = shipped_zones()
    assert {zone.name for zone in zones.values()} <= available_timezones()
    assert not {"US", "CA", "AU", "BR", "MX", "RU", "ID"} & set(zones)
    assert zones["DE"].holds_for_all
    assert not zones["ES"].holds_for_all  # the Canary Islands are an hour behind
    now = datetime(2026, 6, 23, 10, tzinfo=UTC)
    assert all(now.astimezone(ZoneInfo(zone.name)).utcoffset() is not None for zone in zones.values())


def test_calendars_are_read_when_they_are_asked_for_and_once() -> None:
    calendars = Calendars(years=(2026,))
    assert (len(calendars), list(calendars)) == (0, [])
    assert calendars["GB"] == holiday_dates("GB", (2026,))
    assert calendars["GB"] is calendars["GB"]
    assert (len(calendars), list(calendars)) == (1, ["GB"])
    with pytest.raises(SettingsError, match="There is no holiday calendar"):
        calendars["Atlantis"]


def test_calendars_reach_as_far_as_any_plan_where_nobody_names_the_years() -> None:
    years = {day.year for day in Calendars()["DE"]}
    assert {2026, 2040} <= years
