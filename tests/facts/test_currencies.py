"""Minor units: the same integer is another sum of money at each processor."""

from decimal import Decimal

import pytest

from dunr.facts.currencies import exponent, units


@pytest.mark.parametrize(
    ("currency", "amount_minor", "shown"),
    [
        ("USD", 5000, "50.00"),
        ("JPY", 5000, "5000"),
        ("KWD", 5000, "5.000"),
        ("UGX", 500, "5.00"),
        ("ISK", 500, "5.00"),
        ("HUF", 5000, "50.00"),
        ("TWD", 5000, "50.00"),
        ("MGA", 5000, "5000"),
    ],
)
def test_the_sandbox_counts_as_stripe_does(currency: str, amount_minor: int, shown: str) -> None:
    assert str(units("stripe", amount_minor, currency)) == shown
    assert str(units("sandbox", amount_minor, currency)) == shown


@pytest.mark.parametrize(("currency", "digits"), [("UGX", 0), ("ISK", 0), ("MGA", 2), ("IQD", 3), ("EUR", 2)])
def test_others_count_as_the_standard_says(currency: str, digits: int) -> None:
    assert exponent("billing_http", currency) == digits


def test_stripe_writes_currencies_small() -> None:
    assert exponent("stripe", "jpy") == exponent("stripe", "JPY") == 0


def test_nothing_is_lost_in_a_large_or_a_negative_amount() -> None:
    assert units("stripe", 99_999_999_999_999_999, "usd") == Decimal("999999999999999.99")
    assert units("stripe", -5, "usd") == Decimal("-0.05")
    assert units("stripe", 0, "jpy") == 0
