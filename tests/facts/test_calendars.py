"""Holidays: by country, by part of a country, or a list of one's own; a name that means nothing says what to write."""

from datetime import date

import pytest

from dunr.errors import SettingsError
from dunr.facts.calendars import check_calendar, holiday_dates


@pytest.mark.parametrize(
    ("name", "holiday"),
    [
        ("GB", date(2026, 12, 28)),  # Boxing Day is a Saturday: the Monday is given instead
        ("GB-ENG", date(2026, 4, 6)),
        ("US", date(2026, 7, 3)),
        ("DE-BY", date(2026, 1, 6)),
        ("AU-NSW", date(2026, 4, 27)),
    ],
)
def test_a_country_or_a_part_of_it(name: str, holiday: date) -> None:
    found = holiday_dates(name, [2026])
    assert holiday in found
    assert {day.year for day in found} == {2026}
    check_calendar(name)


def test_easter_monday_is_not_a_holiday_in_all_of_britain() -> None:
    assert date(2026, 4, 6) not in holiday_dates("GB", [2026])


def test_a_list_of_ones_own_counts_whatever_the_year() -> None:
    assert holiday_dates("dates:2026-12-25, 2027-12-28", []) == {date(2026, 12, 25), date(2027, 12, 28)}
    check_calendar("dates:2026-12-25")


@pytest.mark.parametrize(
    ("name", "what_to_write"),
    [
        ("UK", "write GB-ENG or another part of GB or a list of your own such as dates:2026-12-25"),
        ("gb", "write GB or a list"),
        ("de-BY", "write DE-BY or a list"),
        ("Germany", "write a two-letter country code such as GB"),
        ("DE-XX", "write DE for the whole country, or a part of it: DE-BB, DE-BE"),
        ("DE-", "write DE for the whole country"),
        ("dates:", "write dates:2026-12-25,2026-12-28"),
        ("dates:2026-02-30", "write dates:2026-12-25,2026-12-28"),
        ("dates:20261225", "write dates:2026-12-25,2026-12-28"),
        ("dates:2026-12-25,", "write dates:2026-12-25,2026-12-28"),
    ],
)
def test_a_name_that_means_nothing_says_what_to_write(name: str, what_to_write: str) -> None:
    for ask in (check_calendar, lambda name: holiday_dates(name, [2026])):
        with pytest.raises(SettingsError) as refused:
            ask(name)
        assert name.removeprefix("dates:").split(",")[0] in str(refused.value)
        assert what_to_write in str(refused.value)


def test_an_endless_list_is_refused() -> None:
    with pytest.raises(SettingsError, match="write at most 2000"):
        check_calendar("dates:" + ",".join(["2026-12-25"] * 2001))


def test_a_country_without_years_is_a_mistake_of_ours() -> None:
    with pytest.raises(ValueError, match="name the years"):
        holiday_dates("GB", [])
