"""A notice as a finished mail.

Knows how facts, sentences, brand and templates come together; states nothing that the notice does not.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from email.utils import format_datetime

from dunr.core.effects import Notice
from dunr.core.model import Payer
from dunr.core.terms import NoticeKind
from dunr.core.wanted import may_be_stopped
from dunr.mail.addressee import greeting_name, usable_address
from dunr.mail.brand import Brand
from dunr.mail.brands import Brands
from dunr.mail.catalogue import Catalogue, Language, choose, filled
from dunr.mail.copywriting import CheckedCopywriter
from dunr.mail.dates import date_text, month_text, zone_of
from dunr.mail.layout import Letter
from dunr.mail.layouts import Layouts
from dunr.mail.links import Links
from dunr.mail.message import RenderedMail, message_id, thread_id
from dunr.mail.money import amount_text
from dunr.mail.wording import Wording, wording


class MailRenderer:
    """Renders notices. Each mail is made of its own arguments alone, so threads may share this."""

    def __init__(
        self,
        brands: Brands | Brand,
        links: Links,
        exponents: Callable[[str, str], int],
        copywriter: CheckedCopywriter | None = None,
        layouts: Layouts | None = None,
        reminder_links: Links | None = None,
    ) -> None:
        """`exponents(processor, currency)`: decimal places. One brand alone is the brand of all notices. Without `reminder_links` no reminder offers to stop."""
        self._brands = brands if isinstance(brands, Brands) else Brands(brands)
        self._links = links
        self._exponents = exponents
        self._copywriter = copywriter
        self._layouts = layouts or Layouts()
        self._reminder_links = reminder_links

    def render(
        self, notice: Notice, payer: Payer, policy_timezone: str, at: datetime, also: Sequence[Notice] = ()
    ) -> RenderedMail:
        """The notice as sent at `at`. Raises `NoUsableAddress`."""
        to = usable_address(payer.email)
        brand = self._brands.of(notice)
        language = choose(payer.locale, (brand.locale,))
        facts = self._facts(notice, payer, policy_timezone, language, brand)
        letter = self._letter(notice, wording(notice), language.catalogue, facts, at, brand)
        others = self._others(also, payer, policy_timezone, language, brand)
        stops = [(one, link) for one in (notice, *also) if (link := self._stop_link(one, at)) is not None]
        shown = tuple((language.catalogue.say("letter.stop", self._owed(one, language)), link) for one, link in stops)
        letter = replace(letter, details=letter.details + others, stops=shown)
        layout = self._layouts.of(brand)
        return RenderedMail(
            notice_key=notice.key,
            kind=notice.kind,
            to=to,
            subject=letter.subject,
            message_id=message_id(notice.key, brand.domain),
            headers=_headers(notice, letter.lang, at, brand) | _one_click(self._stop_link(notice, at)),
            text=layout.text(letter),
            html=layout.html(letter),
            locale=letter.lang,
            at=at,
        )

    def _stop_link(self, notice: Notice, at: datetime) -> str | None:
        """Where reminders about the invoice of a notice are stopped; None where it is more than a reminder."""
        if self._reminder_links is None or not may_be_stopped(notice):
            return None
        return self._reminder_links.make(notice.case_id, notice.round, at)

    def _facts(
        self, notice: Notice, payer: Payer, policy_timezone: str, language: Language, brand: Brand
    ) -> dict[str, str]:
        """What may be stated, as text. A fact that the notice lacks is not there, and no sentence can print it."""
        zone = zone_of(payer.timezone, policy_timezone)
        facts = {"brand": brand.name, **self._owed(notice, language)}
        if notice.card is not None:
            facts["card_month"] = month_text(notice.card.expires_on, language.locale)
            facts |= {"card": notice.card.last4} if notice.card.last4 else {}
        if notice.next_attempt_at is not None:
            facts["next_date"] = date_text(notice.next_attempt_at, zone, language.locale)
        if notice.pause_at is not None:
            facts["pause_date"] = date_text(notice.pause_at, zone, language.locale)
        if (name := greeting_name(payer.name)) is not None:
            facts["name"] = name
        if brand.support_url is not None:
            facts["support_url"] = brand.support_url
        return facts

    def _others(
        self, also: Sequence[Notice], payer: Payer, policy_timezone: str, language: Language, brand: Brand
    ) -> tuple[tuple[str, str], ...]:
        """The other invoices that this mail tells of: what is owed, and their dates, in rows of the table."""
        rows: list[tuple[str, str]] = []
        for other in also:
            facts = self._facts(other, payer, policy_timezone, language, brand)
            names = [name for name in ("invoice", "amount", "next_date", "pause_date") if name in facts]
            rows.extend((language.catalogue.say(f"details.{name}", facts), facts[name]) for name in names)
        return tuple(rows)

    def _owed(self, notice: Notice, language: Language) -> dict[str, str]:
        """What is owed and for what, where anything is."""
        if notice.kind is NoticeKind.CARD_EXPIRING:
            return {}
        processor = notice.case_id.partition(":")[0]
        exponent = self._exponents(processor, notice.currency)
        return {
            "amount": amount_text(notice.amount_minor, notice.currency, exponent, language.locale),
            "invoice": "".join(filter(str.isprintable, notice.processor_invoice_id)),
        }

    def _letter(
        self,
        notice: Notice,
        words: Wording,
        catalogue: Catalogue,
        facts: Mapping[str, str],
        at: datetime,
        brand: Brand,
    ) -> Letter:
        say = catalogue.say
        link = self._links.make(notice.case_id, notice.round, at) if words.button else None
        closing = [say("letter.reply", facts)] if brand.reply_to else []
        if link is not None:
            closing.append(say("letter.card_data", facts))
        opening = self._opening(notice.kind, words.opening, catalogue, facts, brand.tone)
        paragraphs = tuple(say(key, facts) for key in words.paragraphs)
        return Letter(
            lang=catalogue.tag,
            subject=say(words.subject, facts),
            preheader=next((one for one in paragraphs if facts.get("next_date", "\0") in one), opening),
            heading=say(words.heading, facts),
            greeting=say("letter.greeting" if "name" in facts else "letter.greeting_nameless", facts),
            opening=opening,
            paragraphs=paragraphs,
            button=say(words.button, facts) if words.button else None,
            link=link,
            details=_details(words, notice.kind, catalogue, facts),
            closing=tuple(closing),
            support=say("letter.support", facts) if brand.support_url else None,
            support_url=brand.support_url,
            signature=tuple(brand.signature.splitlines()),
            footer=say("letter.footer", facts),
            postal_address=tuple(brand.postal_address.splitlines()),
        )

    def _opening(self, kind: NoticeKind, key: str, catalogue: Catalogue, facts: Mapping[str, str], tone: str) -> str:
        """The first paragraph: the copywriter's where there is a good one. It is shown the sentence and no value of a fact."""
        if self._copywriter is not None and kind is not NoticeKind.CARD_EXPIRING:
            prose = self._copywriter.prose(kind.value, catalogue.tag, catalogue.sentences[key], tone)
            if prose is not None:
                return filled(prose, facts)
        return catalogue.say(key, facts)


def _headers(notice: Notice, language_tag: str, at: datetime, brand: Brand) -> dict[str, str]:
    """All headers but To, Subject and Message-ID. No list of subscribers is meant by any: this is about a debt, no marketing."""
    thread = thread_id(notice.case_id, notice.round, brand.domain)
    headers = {"From": brand.sender, "Date": format_datetime(at)}
    if brand.reply_to is not None:
        headers["Reply-To"] = brand.reply_to
    return headers | {
        "In-Reply-To": thread,
        "References": thread,
        "Auto-Submitted": "auto-generated",
        "X-Auto-Response-Suppress": "All",
        "Content-Language": language_tag,
    }


def _one_click(link: str | None) -> dict[str, str]:
    """The one click by which reminders of this invoice stop (RFC 8058), for mail programs that show a button for it."""
    if link is None:
        return {}
    return {"List-Unsubscribe": f"<{link}>", "List-Unsubscribe-Post": "List-Unsubscribe=One-Click"}


def _details(
    words: Wording, kind: NoticeKind, catalogue: Catalogue, facts: Mapping[str, str]
) -> tuple[tuple[str, str], ...]:
    """The facts again as a short table, for those who do not read letters."""
    names = [name for name in ("amount", "invoice") if name in facts]
    if kind is not NoticeKind.RECEIPT and "next_date" in facts:
        names.append("next_date")
    if words.tells_pause:
        names.append("pause_date")
    return tuple((catalogue.say(f"details.{name}", facts), facts[name]) for name in names)
