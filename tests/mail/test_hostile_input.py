"""A customer's name and address are somebody else's words: they make no markup, no header, no link and no log line."""

import email
import email.policy

import pytest

from dunr.core.terms import NoticeKind
from dunr.core.value import replace
from dunr.errors import SettingsError
from dunr.mail.addressee import NoUsableAddress, greeting_name, usable_address
from dunr.mail.mime import as_email
from tests.mail.notices import PAYER, brand, mail
from tests.mail.pages import read

HOSTILE_NAMES = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "</td></table></html><!--",
    "Ada\r\nBcc: everyone@example.org",
    "Ada\nSubject: You have won",
    "{{ brand.__class__ }}{% for x in y %}",
    "{pause_date} {amount}",
    "Visit https://evil.example now",
    "evil.example/claim",
    "www.evil.example",
    "me@evil.example",
    "A" * 5000,
    "\u202egnirts desrever",
    "Ada\x00\x07\u2028Lovelace",
    "'; DROP TABLE payers; --",
    "&lt;b&gt; &amp;",
)


@pytest.mark.parametrize("name", HOSTILE_NAMES)
def test_a_name_makes_no_markup_no_link_and_no_header(name: str) -> None:
    honest = mail(NoticeKind.FIRST)
    sent = mail(NoticeKind.FIRST, replace(PAYER, name=name))
    page, honest_page = read(sent.html), read(honest.html)
    assert page.tags == honest_page.tags
    assert page.attributes == honest_page.attributes
    assert page.hrefs == honest_page.hrefs
    assert "evil.example" not in sent.text + sent.html
    message = email.message_from_bytes(as_email(sent).as_bytes(), policy=email.policy.default)
    honest_message = email.message_from_bytes(as_email(honest).as_bytes(), policy=email.policy.default)
    assert message.keys() == honest_message.keys()
    assert message["Subject"] == honest.subject
    assert message["To"] == "ada@example.com"


def test_markup_in_a_name_is_shown_as_it_was_typed() -> None:
    sent = mail(payer=replace(PAYER, name="Ada <b>Love</b> & Co"))
    assert "Hello Ada <b>Love</b> & Co," in sent.text
    assert "Hello Ada <b>Love</b> & Co," in read(sent.html).words
    assert "&lt;b&gt;" in sent.html


def test_a_name_is_cleaned_or_left_out() -> None:
    assert greeting_name("  Ada \t Lovelace ") == "Ada Lovelace"
    assert greeting_name("J. R. R. Tolkien") == "J. R. R. Tolkien"
    assert greeting_name("Ada\r\nBcc: x") == "Ada Bcc: x"
    assert greeting_name("Zoë O’Neill-Łukasz") == "Zoë O’Neill-Łukasz"
    assert greeting_name("\u202e\u200b") is None
    assert greeting_name(None) is None
    assert greeting_name("see evil.example") is None


def test_a_name_that_looks_like_a_placeholder_stays_one() -> None:
    assert "Hello {pause_date}," in mail(payer=replace(PAYER, name="{pause_date}")).text


HOSTILE_ADDRESSES = (
    None,
    "",
    "ada",
    "@example.com",
    "ada@",
    "ada@example.com\r\nBcc: everyone@example.org",
    "ada@example.com\n",
    "ada@example.com, everyone@example.org",
    "Ada <ada@example.com>",
    "ada@exa mple.com",
    "ada@example..com",
    f"{'a' * 65}@example.com",
    f"ada@{'a' * 300}.example",
    "ada\x00@example.com",
    "ada@exa\uff20mple.com",
    "ada@example.com\uff0cbob@example.com",
    '"ada"@example.com',
)


@pytest.mark.parametrize("address", HOSTILE_ADDRESSES)
def test_an_address_that_is_not_one_plain_address_is_refused(address: str | None) -> None:
    with pytest.raises(NoUsableAddress) as refused:
        usable_address(address)
    assert "ada" not in str(refused.value)
    assert refused.value.__cause__ is None


def test_a_domain_is_written_in_ascii() -> None:
    assert usable_address("ada@bücher.example") == "ada@xn--bcher-kva.example"
    assert usable_address("ada+tag@sub.example.co.uk") == "ada+tag@sub.example.co.uk"


@pytest.mark.parametrize("address", ["a..b@example.com", ".a@example.com", "a.@example.com", "o'neil+x=y@example.com"])
def test_an_odd_address_is_written_to_as_it_is(address: str) -> None:
    raw = as_email(mail(payer=replace(PAYER, email=address))).as_bytes()
    assert f"To: {address}\r\n".encode() in raw


def test_an_invoice_id_is_data_as_well() -> None:
    sent = mail(processor_invoice_id="<i>in</i>\r\nX-Evil: 1")
    assert "i" not in read(sent.html).tags
    assert "\nX-Evil" not in sent.text


BAD_BRANDS = (
    {"name": " "},
    {"name": "Nord\nwind"},
    {"from_address": "Nordwind <billing@nordwind.example>"},
    {"from_address": "billing@nordwind.example\r\nBcc: x@example.org"},
    {"from_address": "billing@nørdwind.example"},
    {"reply_to": "nobody"},
    {"support_url": "javascript:alert(1)"},
    {"colour": "red; background: url(x)"},
)


@pytest.mark.parametrize("changes", BAD_BRANDS)
def test_a_brand_that_would_break_a_mail_is_refused_at_start(changes: dict[str, str]) -> None:
    with pytest.raises(SettingsError) as refused:
        brand(**changes)
    assert "example" not in str(refused.value)


def test_the_button_can_be_read_on_any_colour() -> None:
    assert brand(colour="#000080").ink == "#ffffff"
    assert brand(colour="#ffdd00").ink == "#000000"
