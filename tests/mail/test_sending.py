"""The port `Mailer`: what goes to the transport, what cannot go at all, and what a copywriter may and may not add."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

import pytest

from dunr.adapters.copywriters.template import TemplateCopywriter
from dunr.core.terms import NoticeKind
from dunr.core.value import replace
from dunr.mail.message import RenderedMail
from dunr.mail.sending import RenderingMailer
from dunr.ports import Delivery, Mailer
from tests.mail.notices import NEXT, NOW, PAYER, notice, renderer


class StoppedClock:
    def now(self) -> datetime:
        return NOW


@dataclass
class Tray:
    answer: Delivery = Delivery.SENT
    mails: list[RenderedMail] = field(default_factory=list)

    def deliver(self, mail: RenderedMail) -> Delivery:
        self.mails.append(mail)
        return self.answer


@pytest.mark.parametrize("answer", Delivery)
def test_the_transport_s_answer_is_the_mailer_s(answer: Delivery) -> None:
    tray = Tray(answer)
    mailer: Mailer = RenderingMailer(renderer(), tray, StoppedClock())
    assert mailer.send(notice(), PAYER, "UTC") is answer
    assert [(sent.to, sent.at, sent.notice_key) for sent in tray.mails] == [("ada@example.com", NOW, notice().key)]


@pytest.mark.parametrize("address", [None, "", "a@b\nBcc: c@d", "nobody"])
def test_without_an_address_nothing_is_sent(address: str | None) -> None:
    tray = Tray()
    mailer = RenderingMailer(renderer(), tray, StoppedClock())
    assert mailer.send(notice(), replace(PAYER, email=address), "UTC") is Delivery.UNDELIVERABLE
    assert not tray.mails


@dataclass
class Writer:
    text: str | None
    told: Mapping[str, str] = field(default_factory=dict)

    def prose(self, kind: str, locale: str, facts: Mapping[str, str]) -> str | None:
        self.told = {"kind": kind, "locale": locale, **facts}
        return self.text


def opening(writer: Writer | TemplateCopywriter) -> str:
    sent = renderer(copywriter=writer).render(notice(NoticeKind.FIRST, next_attempt_at=NEXT), PAYER, "UTC", NOW)
    return sent.text.replace("\n", " ")


TEMPLATE = opening(TemplateCopywriter())


def test_good_prose_takes_the_place_of_the_opening_and_of_nothing_else() -> None:
    prose = "A small thing: your payment of $50.00 for Nordwind did not reach us this time."
    text = opening(Writer(prose))
    assert prose in text
    assert "We tried to collect" not in text
    assert "We will try again on Thursday, July 2, 2026" in text


@pytest.mark.parametrize(
    "prose",
    [
        None,
        "",
        "Pay now.",
        "Your payment of $5.00 for Nordwind did not reach us this time.",
        "Your payment of $50.00 for Nordwind did not reach us; pay $60.00 instead.",
        "Your payment of $50.00 for Nordwind is due on July 9 this year.",
        "Your payment of $50.00 for Nordwind: see https://evil.example for details.",
        "Your payment of $50.00 for Nordwind: see evil.example for details, please.",
        "Your payment of $50.00 for Nordwind: write to me@evil for details, please.",
        "Your payment of $50.00 for Nordwind\ndid not reach us this time, sorry.",
        "Your payment did not reach us this time, and we are sorry to bother you.",
        "Your payment of $50.00 for Nordwind " + "really " * 1000,
    ],
)
def test_any_other_prose_leaves_the_template_s_words(prose: str | None) -> None:
    assert opening(Writer(prose)) == TEMPLATE


def test_a_copywriter_is_not_told_who_the_customer_is() -> None:
    writer = Writer(None)
    opening(writer)
    assert writer.told["amount"] == "$50.00"
    assert not [value for value in writer.told.values() if "Ada" in value or "@" in value]
