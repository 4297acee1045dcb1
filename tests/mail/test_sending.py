"""The port `Mailer`: what goes to the transport, what cannot go at all, and what a copywriter may and may not add."""

from dataclasses import dataclass, field
from datetime import datetime

import pytest

from dunr.core.prose import Prose
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
    told: list[str] = field(default_factory=list)

    def prose(self, kind: str, locale: str, sentence: str, tone: str = "") -> Prose:
        self.told = [kind, locale, sentence, tone]
        return Prose(self.text, "made up", 200, 40)


def opening(writer: Writer | None) -> str:
    sent = renderer(copywriter=writer).render(notice(NoticeKind.FIRST, next_attempt_at=NEXT), PAYER, "UTC", NOW)
    return sent.text.replace("\n", " ")


TEMPLATE = opening(None)


def test_good_prose_takes_the_place_of_the_opening_and_of_nothing_else() -> None:
    text = opening(Writer("A small thing: your payment of {amount} for {brand} did not reach us this time."))
    assert "A small thing: your payment of $50.00 for Nordwind did not reach us this time." in text
    assert "We tried to collect" not in text
    assert "We will try again on Thursday, July 2, 2026" in text


@pytest.mark.parametrize(
    "prose", [None, "", "Your payment of $50.00 for {brand} did not reach us this time.", "{amount} {brand} " * 500]
)
def test_any_other_prose_leaves_the_template_s_words(prose: str | None) -> None:
    assert opening(Writer(prose)) == TEMPLATE


def test_a_copywriter_hears_no_value_of_any_fact() -> None:
    writer = Writer(None)
    opening(writer)
    told = " ".join(writer.told)
    assert "{amount}" in told
    assert not [word for word in ("50", "$", "Ada", "Nordwind", "@", "8842") if word in told]
