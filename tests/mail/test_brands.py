"""Whose name and look a mail has: the policy's brand (and so the segment's), the account's, else the merchant's own."""

import pytest

from dunr.core.terms import NoticeKind
from dunr.core.value import replace
from dunr.errors import SettingsError
from dunr.mail.brand import Brand, contrast
from dunr.mail.brands import read_brands
from dunr.mail.renderer import MailRenderer
from tests.mail.notices import LINKS, NOW, PAYER, exponent, notice
from tests.mail.pages import read

TABLES = {
    "default": {"colour": "#0b7a5b", "postal_address": "1 Harbour Road\nLeeds", "locale": "de"},
    "premium": {"name": "Nordwind Gold", "logo_url": "https://cdn.nordwind.example/gold.png", "signature": "Your desk"},
    "acct_2": {"name": "Südwind", "from_address": "hallo@suedwind.example"},
}
BRANDS = read_brands("Nordwind", "billing@nordwind.example", TABLES)


def test_the_policy_s_brand_counts_then_the_account_s_then_the_merchant_s() -> None:
    assert BRANDS.of(notice(brand="premium")).name == "Nordwind Gold"
    assert BRANDS.of(notice(case_id="stripe:acct_2:in_1")).name == "Südwind"
    assert BRANDS.of(notice(case_id="stripe:acct_2:in_1", brand="premium")).name == "Nordwind Gold"
    assert BRANDS.of(notice()).name == "Nordwind"
    assert BRANDS.of(notice(brand="gone since")).name == "Nordwind"


def test_a_brand_that_is_not_there_is_told_once_and_the_mail_leaves() -> None:
    told: list[tuple[str, str]] = []
    brands = read_brands("Nordwind", "billing@nordwind.example", TABLES, lambda name, text: told.append((name, text)))
    for _ in range(2):
        assert brands.of(notice(brand="premum")).name == "Nordwind"
    assert brands.of(notice(brand="premium")).name == "Nordwind Gold"
    [(name, text)] = told
    assert name == "premum"
    assert "[brands.premum]" in text


def test_what_the_default_says_counts_for_the_others() -> None:
    assert {brand.colour for brand in BRANDS.all().values()} == {"#0b7a5b"}


def test_a_mail_has_the_brand_throughout() -> None:
    renderer = MailRenderer(BRANDS, LINKS, exponent)
    gold = renderer.render(notice(brand="premium"), replace(PAYER, locale="sv"), "UTC", NOW)
    assert gold.locale == "de"
    assert "Nordwind Gold" in gold.headers["From"]
    assert 'alt="Nordwind Gold"' in gold.html
    assert "https://cdn.nordwind.example/gold.png" in gold.html
    for words in (gold.text, read(gold.html).words):
        assert "1 Harbour Road" in words
        assert "Your desk" in words
    south = renderer.render(notice(case_id="sandbox:acct_2:in_1"), PAYER, "UTC", NOW)
    assert south.message_id.endswith("@suedwind.example>")
    assert "Nordwind" not in south.text + south.subject + south.html


@pytest.mark.parametrize(
    ("tables", "said"),
    [
        ({"gold": {"color": "#ffffff"}}, r"\[brands.gold\] has no setting color: write colour"),
        ({"gold": {"logo_url": "gold.png"}}, r"\[brands.gold\] cannot be used. The brand's logo_url"),
        ({"default": {"colour": "green"}}, r"\[brands.default\] cannot be used. The brand's colour"),
    ],
)
def test_a_brand_that_cannot_be_used_says_what_to_write(tables: dict[str, dict[str, str]], said: str) -> None:
    with pytest.raises(SettingsError, match=said):
        read_brands("Nordwind", "billing@nordwind.example", tables)


def test_colours_are_weighed_as_wcag_weighs_them() -> None:
    assert round(contrast("#000000", "#ffffff"), 2) == 21
    assert round(contrast("#777777", "#ffffff"), 2) == 4.48
    assert not Brand(name="N", from_address="n@n.example").warnings()
    (pale,) = Brand(name="N", from_address="n@n.example", colour="#ffee88").warnings()
    assert "#ffee88 can hardly be told from the white of a letter (1.2:1)" in pale
    (dark,) = Brand(name="N", from_address="n@n.example", colour="#102030").warnings()
    assert "at night" in dark


@pytest.mark.parametrize("kind", NoticeKind)
def test_pictures_have_words_and_tables_have_no_meaning(kind: NoticeKind) -> None:
    html = MailRenderer(BRANDS, LINKS, exponent).render(notice(kind, brand="premium"), PAYER, "UTC", NOW).html
    assert html.count("<img") == html.count("alt=")
    assert "prefers-color-scheme: dark" in html
    assert html.count("<h1") == 1
