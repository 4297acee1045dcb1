"""What the tests of mail are about: one merchant, one payer, and a notice of any kind with the facts that a test gives it."""

from datetime import UTC, datetime
from functools import cache
from typing import Any

from dunr.core.effects import Notice
from dunr.core.model import Payer
from dunr.core.terms import NoticeKind
from dunr.mail.brand import Brand
from dunr.mail.copywriting import CheckedCopywriter
from dunr.mail.links import CardLinks
from dunr.mail.message import RenderedMail
from dunr.mail.renderer import MailRenderer
from dunr.ports import Copywriter

NOW = datetime(2026, 6, 23, 10, tzinfo=UTC)
NEXT = datetime(2026, 7, 2, 9, tzinfo=UTC)
PAUSE = datetime(2026, 7, 7, 9, tzinfo=UTC)

NEXT_TEXT = "Thursday, July 2, 2026"
PAUSE_TEXT = "Tuesday, July 7, 2026"

# The processor's decimal places, as Stripe has them: of these only JPY is sent in whole units.
EXPONENTS = {"JPY": 0, "KWD": 3, "UGX": 2, "ISK": 2, "HUF": 2, "USD": 2, "EUR": 2, "INR": 2}

PAYER = Payer(email="ada@example.com", name="Ada Lovelace", locale="en", timezone="UTC", country="US")
LINKS = CardLinks("a secret that is long enough", "https://pay.nordwind.example")


def exponent(processor: str, currency: str) -> int:
    assert processor == "sandbox"
    return EXPONENTS[currency.upper()]


def brand(**changes: object) -> Brand:
    values: dict[str, Any] = {
        "name": "Nordwind",
        "from_address": "billing@nordwind.example",
        "reply_to": "help@nordwind.example",
        "support_url": "https://nordwind.example/help",
        "colour": "#0b7a5b",
        "signature": "Kind regards\nThe Nordwind team",
    }
    values.update(changes)
    return Brand(**values)


def renderer(of: Brand | None = None, copywriter: Copywriter | None = None) -> MailRenderer:
    checked = CheckedCopywriter(copywriter, limit_seconds=20) if copywriter is not None else None
    return MailRenderer(of or brand(), LINKS, exponent, checked)


def notice(kind: NoticeKind = NoticeKind.FIRST, **changes: object) -> Notice:
    values: dict[str, Any] = {
        "key": f"notice:sandbox:acct:in_8842:1:{kind.value}:0",
        "case_id": "sandbox:acct:in_8842",
        "round": 1,
        "kind": kind,
        "step_number": 1 if kind is NoticeKind.REMINDER else None,
        "not_before_at": NOW,
        "amount_minor": 5000,
        "currency": "usd",
        "processor_invoice_id": "in_8842",
        "next_attempt_at": None,
        "pause_at": None,
        "is_warning": False,
        "reason": None,
    }
    values.update(changes)
    return Notice(**values)


@cache
def shared_renderer() -> MailRenderer:
    return renderer()


def mail(kind: NoticeKind = NoticeKind.FIRST, payer: Payer = PAYER, **changes: object) -> RenderedMail:
    return shared_renderer().render(notice(kind, **changes), payer, "UTC", NOW)
