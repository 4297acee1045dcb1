"""Each kind of notice as a mail program reads it: two parts, complete headers, one link, and nothing from elsewhere."""

import email
import email.policy
from concurrent.futures import ThreadPoolExecutor
from email.header import decode_header, make_header
from email.message import EmailMessage
from email.utils import parseaddr

import pytest

from dunr.core.effects import CardTold
from dunr.core.model import Payer
from dunr.core.terms import NoticeKind
from dunr.core.value import replace
from dunr.mail.mime import as_email
from tests.mail.notices import LINKS, NEXT, NOW, PAUSE, PAYER, brand, mail, notice, renderer
from tests.mail.pages import read

LINE_BYTES_MAX = 998


def parsed(sent: bytes) -> EmailMessage:
    message = email.message_from_bytes(sent, policy=email.policy.default)
    assert isinstance(message, EmailMessage)
    return message


@pytest.mark.parametrize("kind", NoticeKind)
def test_a_mail_program_finds_both_parts_text_first(kind: NoticeKind) -> None:
    sent = mail(kind, next_attempt_at=NEXT, pause_at=PAUSE)
    raw = as_email(sent).as_bytes()
    message = parsed(raw)
    assert message.get_content_type() == "multipart/alternative"
    parts = list(message.iter_parts())
    assert [part.get_content_type() for part in parts] == ["text/plain", "text/html"]
    assert {part.get_content_charset() for part in parts} == {"utf-8"}
    text, html = (part.get_content() for part in parts)
    assert text.replace("\r\n", "\n").strip() == sent.text.strip()
    assert html.replace("\r\n", "\n").strip() == sent.html.strip()
    assert max(map(len, raw.split(b"\r\n"))) <= LINE_BYTES_MAX
    assert b"\n" not in raw.replace(b"\r\n", b"")
    assert not message.defects


@pytest.mark.parametrize("kind", NoticeKind)
def test_the_headers_say_who_when_and_that_no_person_wrote(kind: NoticeKind) -> None:
    sent = mail(kind)
    message = parsed(as_email(sent).as_bytes())
    assert message["To"] == "ada@example.com"
    assert message["From"] == "Nordwind <billing@nordwind.example>"
    assert message["Reply-To"] == "help@nordwind.example"
    assert message["Subject"] == sent.subject
    assert message["Date"].datetime == NOW
    assert message["Auto-Submitted"] == "auto-generated"
    assert message["Content-Language"] == "en"
    assert message["Message-ID"] == sent.message_id
    assert message["List-Unsubscribe"] is None
    assert len(message.get_all("Message-ID", [])) == 1


def test_the_message_id_is_the_key_s_own() -> None:
    one = mail(NoticeKind.FIRST)
    again = renderer().render(notice(NoticeKind.FIRST), PAYER, "UTC", PAUSE)
    other = mail(NoticeKind.FIRST, key="notice:another")
    assert one.message_id == again.message_id != other.message_id
    assert one.message_id.endswith("@nordwind.example>")
    assert "in_8842" not in one.message_id


def test_one_round_is_one_thread() -> None:
    thread = [mail(kind).headers["References"] for kind in NoticeKind]
    assert len(set(thread)) == 1
    assert mail().headers["In-Reply-To"] == thread[0]
    assert mail(round=2).headers["References"] != thread[0]
    assert mail(case_id="sandbox:acct:in_2").headers["References"] != thread[0]
    assert thread[0] not in {mail(kind).message_id for kind in NoticeKind}


@pytest.mark.parametrize("kind", sorted(set(NoticeKind) - {NoticeKind.RECEIPT}))
def test_both_parts_hold_the_one_link_that_opens_this_case(kind: NoticeKind) -> None:
    sent = mail(kind, round=3)
    link = LINKS.make("sandbox:acct:in_8842", 3, NOW)
    assert sent.text.count(link) == 1
    assert read(sent.html).hrefs == [link, "https://nordwind.example/help"]
    claims = LINKS.read(link.rpartition("/")[2], NOW)
    assert (claims.case_id, claims.round) == ("sandbox:acct:in_8842", 3)


@pytest.mark.parametrize("kind", NoticeKind)
def test_the_page_is_complete_in_itself(kind: NoticeKind) -> None:
    sent = mail(kind, next_attempt_at=NEXT)
    page = read(sent.html)
    assert page.lang == "en"
    assert not {"script", "img", "link", "iframe", "form"} & set(page.tags)
    assert "@import" not in sent.html
    assert "prefers-color-scheme: dark" in sent.html
    assert 'name="viewport"' in sent.html
    assert page.tags.count("h1") == 1
    assert "{{" not in sent.html + sent.text
    owes = kind is not NoticeKind.CARD_EXPIRING  # nothing has failed yet
    assert ("$50.00" in page.words, "$50.00" in sent.text, "in_8842" in page.words) == (owes, owes, owes)
    assert "The Nordwind team" in page.words


@pytest.mark.parametrize(("last4", "said"), [("4242", "ending in 4242, and it is good"), (None, "It is good until")])
def test_a_card_that_expires_is_named_by_its_last_digits_where_they_are_known(last4: str | None, said: str) -> None:
    card = CardTold("cus_1", "pm_1", "fp_1/2027-03", "visa", last4, "2027-03")
    sent = mail(NoticeKind.CARD_EXPIRING, card=card, case_id="sandbox:acct:cus_1", round=0, currency="", amount_minor=0)
    assert said in " ".join(sent.text.split())
    assert "until the end of March 2027" in " ".join(sent.text.split())
    claims = LINKS.read(sent.text.split("/pay/")[1].split()[0], NOW)
    assert (claims.case_id, claims.is_about_a_card) == ("sandbox:acct:cus_1", True)


def test_a_brand_with_commas_and_accents_is_one_sender() -> None:
    for name in ("Café Nord, Süd & Söhne (GmbH)", 'Ink "Quote", Inc.', "株式会社ノルドヴィント" * 5):
        sent = renderer(brand(name=name)).render(notice(), PAYER, "UTC", NOW)
        raw = as_email(sent).as_bytes()
        assert [a.addr_spec for a in parsed(raw)["From"].addresses] == ["billing@nordwind.example"]
        shown, _ = parseaddr(email.message_from_bytes(raw)["From"])
        assert str(make_header(decode_header(shown))) == name
        assert max(map(len, raw.split(b"\r\n"))) <= LINE_BYTES_MAX


def test_a_brand_may_have_no_reply_address_and_no_help_page() -> None:
    sent = renderer(brand(reply_to=None, support_url=None, signature="")).render(notice(), PAYER, "UTC", NOW)
    assert "Reply-To" not in sent.headers
    assert "Reply to this mail" not in sent.text
    assert "Help:" not in sent.text
    assert len(read(sent.html).hrefs) == 1


def test_neighbours_in_other_threads_never_bleed() -> None:
    shared = renderer()
    payers = [
        Payer(email=f"p{number}@example.com", name=f"Payer{number}x", locale=locale, timezone=zone)
        for number in range(40)
        for locale, zone in (
            ("en-US", "America/New_York"),
            ("en-GB", "Asia/Tokyo"),
            ("de-DE", None),
            ("xx", "no/where"),
        )
    ]
    work = [
        (notice(key=f"n{index}", amount_minor=10000 + index, pause_at=PAUSE, is_warning=True), payer)
        for index, payer in enumerate(payers)
    ]

    def render(item: int) -> object:
        return shared.render(*work[item], "UTC", NOW)

    expected = [render(item) for item in range(len(work))]
    with ThreadPoolExecutor(8) as threads:
        assert list(threads.map(render, range(len(work)))) == expected


def test_a_payer_s_region_writes_the_date_and_their_zone_decides_it() -> None:
    late = PAUSE.replace(hour=20)
    tokyo = replace(PAYER, locale="en-GB", timezone="Asia/Tokyo")
    assert "Wednesday, 8 July 2026" in mail(NoticeKind.FINAL_WARNING, tokyo, pause_at=late).text.replace("\n", " ")
    assert PAYER.timezone == "UTC"
    assert "Tuesday, July 7, 2026" in mail(NoticeKind.FINAL_WARNING, PAYER, pause_at=late).text.replace("\n", " ")
