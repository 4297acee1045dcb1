"""A notice as a finished mail.

Knows how facts, sentences, brand and templates come together; states nothing that the notice does not.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from email.utils import format_datetime
from typing import Final

from dunr.core.effects import Notice
from dunr.core.model import Payer
from dunr.core.terms import NoticeKind
from dunr.mail.addressee import greeting_name, usable_address
from dunr.mail.brand import Brand
from dunr.mail.catalogue import SOURCE_LANGUAGE, Catalogue, Language, choose
from dunr.mail.dates import date_text, month_text, zone_of
from dunr.mail.layout import Layout, Letter
from dunr.mail.links import Links
from dunr.mail.message import RenderedMail, message_id, thread_id
from dunr.mail.money import amount_text
from dunr.mail.prose import is_fit
from dunr.mail.wording import Wording, wording
from dunr.ports import Copywriter

# What a copywriter's paragraph must repeat unchanged, where it takes the place of the template's opening.
_PROSE_STATES: Final = ("amount", "brand")


class MailRenderer:
    """Renders notices of one brand. Each mail is made of its own arguments alone, so threads may share this."""

    def __init__(
        self,
        brand: Brand,
        links: Links,
        exponents: Callable[[str, str], int],
        copywriter: Copywriter | None = None,
        fallbacks: tuple[str, ...] = (SOURCE_LANGUAGE,),
    ) -> None:
        """`exponents(processor, currency)`: decimal places; `fallbacks`: languages for payers whose own is missing."""
        self._brand = brand
        self._links = links
        self._exponents = exponents
        self._copywriter = copywriter
        self._fallbacks = fallbacks
        self._layout = Layout(brand)

    def render(
        self, notice: Notice, payer: Payer, policy_timezone: str, at: datetime, also: Sequence[Notice] = ()
    ) -> RenderedMail:
        """The notice as sent at `at`. Raises `NoUsableAddress`."""
        to = usable_address(payer.email)
        language = choose(payer.locale, self._fallbacks)
        facts = self._facts(notice, payer, policy_timezone, language)
        letter = self._letter(notice, wording(notice), language.catalogue, facts, at)
        letter = replace(letter, details=letter.details + self._others(also, payer, policy_timezone, language))
        domain = self._brand.domain
        return RenderedMail(
            notice_key=notice.key,
            kind=notice.kind,
            to=to,
            subject=letter.subject,
            message_id=message_id(notice.key, domain),
            headers=self._headers(notice, letter.lang, at),
            text=self._layout.text(letter),
            html=self._layout.html(letter),
            locale=letter.lang,
            at=at,
        )

    def _facts(self, notice: Notice, payer: Payer, policy_timezone: str, language: Language) -> dict[str, str]:
        """What may be stated, as text. A fact that the notice lacks is not there, and no sentence can print it."""
        zone = zone_of(payer.timezone, policy_timezone)
        facts = {"brand": self._brand.name, **self._owed(notice, language)}
        if notice.card is not None:
            facts["card_month"] = month_text(notice.card.expires_on, language.locale)
            facts |= {"card": notice.card.last4} if notice.card.last4 else {}
        if notice.next_attempt_at is not None:
            facts["next_date"] = date_text(notice.next_attempt_at, zone, language.locale)
        if notice.pause_at is not None:
            facts["pause_date"] = date_text(notice.pause_at, zone, language.locale)
        if (name := greeting_name(payer.name)) is not None:
            facts["name"] = name
        if self._brand.support_url is not None:
            facts["support_url"] = self._brand.support_url
        return facts

    def _others(
        self, also: Sequence[Notice], payer: Payer, policy_timezone: str, language: Language
    ) -> tuple[tuple[str, str], ...]:
        """The other invoices that this mail tells of: what is owed, and their dates, in rows of the table."""
        rows: list[tuple[str, str]] = []
        for other in also:
            facts = self._facts(other, payer, policy_timezone, language)
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
        self, notice: Notice, words: Wording, catalogue: Catalogue, facts: Mapping[str, str], at: datetime
    ) -> Letter:
        say = catalogue.say
        link = self._links.make(notice.case_id, notice.round, at) if words.button else None
        closing = [say("letter.reply", facts)] if self._brand.reply_to else []
        if link is not None:
            closing.append(say("letter.card_data", facts))
        return Letter(
            lang=catalogue.tag,
            subject=say(words.subject, facts),
            heading=say(words.heading, facts),
            greeting=say("letter.greeting" if "name" in facts else "letter.greeting_nameless", facts),
            opening=self._prose(notice.kind, catalogue.tag, facts) or say(words.opening, facts),
            paragraphs=tuple(say(key, facts) for key in words.paragraphs),
            button=say(words.button, facts) if words.button else None,
            link=link,
            details=_details(words, notice.kind, catalogue, facts),
            closing=tuple(closing),
            support=say("letter.support", facts) if self._brand.support_url else None,
            support_url=self._brand.support_url,
            signature=tuple(self._brand.signature.splitlines()),
            footer=say("letter.footer", facts),
        )

    def _prose(self, kind: NoticeKind, locale: str, facts: Mapping[str, str]) -> str | None:
        """The copywriter's paragraph, if there is one and it passes. It is not told the customer's name."""
        if self._copywriter is None or kind is NoticeKind.CARD_EXPIRING:
            return None
        told = {name: value for name, value in facts.items() if name not in {"name", "support_url"}}
        prose = self._copywriter.prose(kind.value, locale, told)
        return prose if prose is not None and is_fit(prose, told, _PROSE_STATES) else None

    def _headers(self, notice: Notice, language_tag: str, at: datetime) -> dict[str, str]:
        """All headers but To, Subject and Message-ID. No unsubscribe list: this is about a debt, no marketing."""
        thread = thread_id(notice.case_id, notice.round, self._brand.domain)
        headers = {"From": self._brand.sender, "Date": format_datetime(at)}
        if self._brand.reply_to is not None:
            headers["Reply-To"] = self._brand.reply_to
        return headers | {
            "In-Reply-To": thread,
            "References": thread,
            "Auto-Submitted": "auto-generated",
            "X-Auto-Response-Suppress": "All",
            "Content-Language": language_tag,
        }


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
