"""What travels: headers that each mail program reads as one, however long they are and in whatever language."""

from dataclasses import replace
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default
from itertools import product

import pytest

from dunr.core import value
from dunr.core.terms import NoticeKind
from dunr.mail.mime import as_email
from tests.mail.notices import NEXT, NOW, PAUSE, PAYER, brand, mail, notice, renderer

LONG = "billing." + "nordwind-international." * 3 + "example"


def arrived(message: EmailMessage) -> EmailMessage:
    read = message_from_bytes(message.as_bytes(), policy=default)
    assert isinstance(read, EmailMessage)
    return read


def test_what_machines_read_is_never_cut_or_encoded_however_long_it_is() -> None:
    link = f"<https://pay.nordwind.example/reminders/{'q' * 300}>"
    sent = renderer(brand(from_address=f"a@{LONG}")).render(notice(), PAYER, "UTC", NOW)
    sent = replace(sent, headers={**sent.headers, "List-Unsubscribe": link, "X-Dunr-Mail": "q" * 200})
    lines = as_email(sent).as_bytes().decode("ascii").split("\r\n\r\n")[0].split("\r\n")
    for header in (f"List-Unsubscribe: {link}", f"Message-ID: {sent.message_id}", f"X-Dunr-Mail: {'q' * 200}"):
        assert header in lines
    assert f"References: {sent.headers['References']}" in lines


@pytest.mark.parametrize("locale", ["en", "de", "fr", "es", "pt-BR", "ja"])
def test_every_subject_arrives_letter_by_letter(locale: str) -> None:
    payer = value.replace(PAYER, locale=locale)
    for writer in (renderer(brand(name=name)) for name in ("Nordwind", "Café Ümläut", "ノルドヴィント")):
        for kind, amount_minor in product(NoticeKind, (5, 50_000, 1_234_567_890)):
            told = notice(kind, amount_minor=amount_minor, currency="ugx", next_attempt_at=NEXT, pause_at=PAUSE)
            sent = writer.render(told, payer, "UTC", NOW)
            assert str(arrived(as_email(sent))["Subject"]) == sent.subject


@pytest.mark.parametrize("header", ["Subject", "X-Dunr-Mail"])
def test_a_line_break_in_a_header_is_refused(header: str) -> None:
    sent = mail()
    broken = "yes\r\nBcc: somebody@example.com"
    changed = (
        replace(sent, subject=broken)
        if header == "Subject"
        else replace(sent, headers={**sent.headers, header: broken})
    )
    with pytest.raises(ValueError, match="line break"):
        as_email(changed)
