"""A notice as it would look, with made-up facts: to be looked at before a customer does. Its link leads nowhere."""

from datetime import datetime, timedelta

from dunr.core.effects import CardTold, Notice
from dunr.core.model import Payer
from dunr.core.terms import DeclineReason, NoticeKind
from dunr.mail.message import RenderedMail
from dunr.mail.renderer import MailRenderer

CURRENCIES = {"en": "usd", "pt": "brl", "ja": "jpy"}  # of the others: euros
NAMES = {"ja": "山田 太郎", "de": "Ada Müller", "fr": "Ada Lefèvre", "es": "Ada Núñez", "pt": "Ada Conceição"}
STEPS = {NoticeKind.FIRST: 1, NoticeKind.REMINDER: 2, NoticeKind.FINAL_WARNING: 4}


def preview(
    renderer: MailRenderer, kind: NoticeKind, locale: str, at: datetime, processor: str = "sandbox", brand: str = ""
) -> RenderedMail:
    """The mail of one kind in one language. `brand` is one of the settings'."""
    language = locale[:2].lower()
    payer = Payer(email="customer@shop.invalid", name=NAMES.get(language, "Ada Lovelace"), locale=locale)
    return renderer.render(sample(kind, at, processor, CURRENCIES.get(language, "eur"), brand), payer, "UTC", at)


def sample(kind: NoticeKind, at: datetime, processor: str, currency: str, brand: str) -> Notice:
    """A notice as it would be in the middle of a story."""
    tries = kind not in (NoticeKind.RECEIPT, NoticeKind.PAUSED, NoticeKind.CARD_EXPIRING)
    return Notice(
        key=f"preview:{kind}",
        case_id=f"{processor}:preview:in_8842",
        round=1,
        kind=kind,
        step_number=STEPS.get(kind),
        not_before_at=at,
        amount_minor=5000,
        currency=currency,
        processor_invoice_id="in_8842",
        next_attempt_at=at + timedelta(days=3) if tries else None,
        pause_at=at + timedelta(days=8) if tries else None,
        is_warning=kind is NoticeKind.FINAL_WARNING,
        reason=DeclineReason.INSUFFICIENT_FUNDS if kind in (NoticeKind.FIRST, NoticeKind.REMINDER) else None,
        card=CardTold("cus_1", "pm_1", "card_1", "visa", "4242", f"{at:%Y-%m}")
        if kind is NoticeKind.CARD_EXPIRING
        else None,
        brand=brand,
    )
