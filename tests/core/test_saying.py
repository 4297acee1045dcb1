"""How a date and an amount read in a reason."""

from datetime import UTC, date, datetime

import pytest

from dunr.core.saying import amount_said, day_said, said
from dunr.core.value import replace
from tests.core.world import facts, story


@pytest.mark.parametrize(
    ("zone_name", "text"),
    [
        ("UTC", "Tue 7 Jul 2026, 23:05 UTC"),
        ("Europe/London", "Wed 8 Jul 2026, 00:05 Europe/London"),
        ("America/St_Johns", "Tue 7 Jul 2026, 20:35 America/St_Johns"),
    ],
)
def test_an_instant_is_said_where_it_holds(zone_name: str, text: str) -> None:
    assert said(datetime(2026, 7, 7, 23, 5, 28, tzinfo=UTC), zone_name) == text


def test_a_day_is_said_without_idle_digits() -> None:
    assert day_said(date(2026, 7, 7)) == "Tue 7 Jul 2026"


@pytest.mark.parametrize(
    ("amount_minor", "currency", "exponent", "text"),
    [
        (4900, "usd", 2, "49.00 USD"),
        (125_000, "usd", 2, "1,250.00 USD"),
        (4900, "jpy", 0, "4,900 JPY"),
        (4900, "kwd", 3, "4.900 KWD"),
        (-5, "EUR", 2, "-0.05 EUR"),
        (0, "eur", 2, "0.00 EUR"),
    ],
)
def test_an_amount_is_written_in_whole_units(amount_minor: int, currency: str, exponent: int, text: str) -> None:
    assert amount_said(amount_minor, currency, exponent) == text


def test_each_processor_counts_in_its_own_minor_units() -> None:
    known = replace(facts(), exponents={"stripe": {"JPY": 0}})
    assert [known.exponent("stripe", code) for code in ("jpy", "usd")] == [0, 2]
    assert known.exponent("another", "jpy") == 2


def test_a_case_tells_its_dates_and_its_money_as_people_do() -> None:
    story("""
    policy timezone=Europe/London
    2026-06-23 10:00  first charge fails: insufficient_funds, 4900 usd
                      because failed at Tue 23 Jun 2026, 11:00 Europe/London: 49.00 USD is due
                      because step 1 at Wed 24 Jun 2026, 09:00 Europe/London
                      notice first
    2026-06-24 08:00  step 1 sent; paid
                      because 49.00 USD arrived
                      notice receipt
    """)
