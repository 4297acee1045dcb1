"""When people are paid, country by country. The days were looked up on a calendar."""

from datetime import date, timedelta

import pytest

from dunr.core.paydays import PaydayKind, PaydayRule, first_payday, is_payday, paydays_of_month
from tests.core.world import facts

NO_HOLIDAYS: frozenset[date] = frozenset()


def paydays(country: str, year: int, month: int) -> list[str]:
    holidays = facts().calendars[country]
    return [f"{day:%a %d %b}" for day in sorted(paydays_of_month(year, month, facts().paydays[country], holidays))]


@pytest.mark.parametrize(
    ("country", "month", "expected"),
    [
        # The 27th is a Saturday and the 28th a Sunday: all of the 25th to the 28th falls on Thursday and Friday.
        ("GB", (2026, 6), ["Thu 25 Jun", "Fri 26 Jun", "Tue 30 Jun"]),
        # Christmas: the 25th is a holiday, the 26th a Saturday, Monday 28 December a holiday in its place.
        ("GB", (2026, 12), ["Thu 24 Dec", "Thu 31 Dec"]),
        ("DE", (2026, 8), ["Fri 14 Aug", "Mon 31 Aug"]),  # the 15th is a Saturday
        ("FR", (2026, 2), ["Fri 27 Feb"]),  # the 28th is the last day, and a Saturday
        ("JP", (2026, 6), ["Wed 10 Jun", "Mon 15 Jun", "Fri 19 Jun", "Thu 25 Jun", "Tue 30 Jun"]),
        ("BR", (2026, 7), ["Mon 06 Jul", "Mon 20 Jul"]),  # 1, 2, 3, Saturday 4 and Monday 6
        ("BR", (2026, 9), ["Fri 04 Sep", "Fri 18 Sep"]),  # the fifth is Saturday 5, so Friday; the 20th is a Sunday
        (
            "US",
            (2026, 7),
            ["Wed 01 Jul", "Thu 02 Jul", "Fri 10 Jul", "Wed 15 Jul", "Fri 17 Jul", "Fri 24 Jul", "Fri 31 Jul"],
        ),
        ("MX", (2026, 2), ["Fri 13 Feb", "Fri 27 Feb"]),
        ("NL", (2026, 12), ["Thu 24 Dec"]),
        ("IN", (2026, 5), ["Thu 30 Apr", "Thu 07 May", "Fri 29 May"]),  # Labour Day is a holiday there
    ],
)
def test_paydays_of_a_month(country: str, month: tuple[int, int], expected: list[str]) -> None:
    assert paydays(country, *month) == expected


def test_a_payday_of_a_first_that_is_a_sunday_lies_in_the_month_before() -> None:
    first = (PaydayRule(PaydayKind.MONTH_DAYS, (1,)),)
    assert is_payday(date(2026, 10, 30), first, NO_HOLIDAYS)  # 1 November 2026 is a Sunday
    assert not is_payday(date(2026, 11, 2), first, NO_HOLIDAYS)
    assert first_payday(date(2026, 10, 28), 4, first, NO_HOLIDAYS) == date(2026, 10, 30)
    assert first_payday(date(2026, 10, 31), 4, first, NO_HOLIDAYS) is None
    assert first_payday(date(2026, 12, 31), 4, first, NO_HOLIDAYS) == date(2027, 1, 1)


def test_no_payday_is_a_weekend_or_a_holiday() -> None:
    for country, rules in facts().paydays.items():
        holidays = facts().calendars[country]
        for month in range(1, 13):
            for day in paydays_of_month(2027, month, rules, holidays):
                assert day.weekday() < 5, (country, day)
                assert day not in holidays, (country, day)


def test_a_calendar_without_business_days_is_refused() -> None:
    closed = frozenset(date(2026, 1, 1) + timedelta(days=n) for n in range(400))
    with pytest.raises(ValueError, match="leaves none"):
        paydays_of_month(2026, 6, (PaydayRule(PaydayKind.LAST_BUSINESS_DAY),), closed)
