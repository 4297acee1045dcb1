"""Amounts as people read them, from minor units as the processor sends them (case C55)."""

import pytest
from babel.core import Locale

from dunr.core.terms import NoticeKind
from dunr.mail.money import amount_text
from tests.mail.notices import EXPONENTS, PAYER, exponent, mail
from tests.mail.pages import read

NBSP = "\u00a0"

ENGLISH = [
    ("JPY", 5000, "¥5,000"),
    ("USD", 5000, "$50.00"),
    ("USD", 1, "$0.01"),
    ("USD", 123456789, "$1,234,567.89"),
    ("KWD", 5000, f"KWD{NBSP}5.000"),
    ("KWD", 35200, f"KWD{NBSP}35.200"),
    ("UGX", 500, f"UGX{NBSP}5"),
    ("UGX", 550, f"UGX{NBSP}5.50"),
    ("ISK", 500, f"ISK{NBSP}5"),
    ("HUF", 5000, f"HUF{NBSP}50"),
    ("HUF", 5050, f"HUF{NBSP}50.50"),
    ("EUR", 0, "€0.00"),
]


@pytest.mark.parametrize(("currency", "amount_minor", "expected"), ENGLISH)
def test_amounts_in_english(currency: str, amount_minor: int, expected: str) -> None:
    sent = mail(NoticeKind.FIRST, amount_minor=amount_minor, currency=currency.lower())
    assert f"payment of {expected} to Nordwind" in sent.subject
    assert f"Amount: {expected}\n" in sent.text
    assert expected in read(sent.html).words


REGIONS = [
    ("de_DE", "EUR", 123456, f"1.234,56{NBSP}€"),
    ("de_DE", "JPY", 5000, f"5.000{NBSP}¥"),
    ("fr_FR", "EUR", 123456, f"1\u202f234,56{NBSP}€"),
    ("pt_BR", "KWD", 5000, f"KWD{NBSP}5,000"),
    ("ja_JP", "JPY", 1235, "￥1,235"),
    ("en_IN", "INR", 12345600, "₹1,23,456.00"),
    ("es_ES", "HUF", 5050, f"50,50{NBSP}HUF"),
]


@pytest.mark.parametrize(("locale", "currency", "amount_minor", "expected"), REGIONS)
def test_amounts_by_region(locale: str, currency: str, amount_minor: int, expected: str) -> None:
    assert amount_text(amount_minor, currency, exponent("sandbox", currency), Locale.parse(locale)) == expected


def test_the_exponent_is_the_processor_s() -> None:
    assert amount_text(500, "UGX", 0, Locale("en")) == f"UGX{NBSP}500"
    assert amount_text(500, "UGX", 2, Locale("en")) == f"UGX{NBSP}5"


def test_no_minor_unit_is_ever_hidden() -> None:
    for currency, places in EXPONENTS.items():
        texts = {amount_text(amount, currency, places, Locale("en")) for amount in range(1000)}
        assert len(texts) == 1000


def test_an_amount_never_leaves_the_shared_pattern_changed() -> None:
    huf = [amount_text(amount, "HUF", 2, Locale("en")) for amount in (5050, 5000, 5050)]
    assert huf == [f"HUF{NBSP}50.50", f"HUF{NBSP}50", f"HUF{NBSP}50.50"]
    assert PAYER.locale == "en"
