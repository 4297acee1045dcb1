"""A copywriter that may be believed: whatever it says is checked, remembered and bounded in time.

Knows that a mail does not wait for a model: what is not there in time, or is not fit, leaves the template's own words. The model is shown the template's
sentence with the names of facts in braces and never a value of one, so that no customer's data reaches it and nothing in a name can speak to it.
"""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache

import structlog
from babel.core import Locale
from babel.numbers import get_currency_name

from dunr.core.prose import Prose, refusal_of
from dunr.mail.catalogue import facts_in
from dunr.ports import Copywriter

LIMIT_SECONDS = 5.0
ASKED_AGAIN_AFTER_SECONDS = 600.0  # where the last answer was no use
_CURRENCIES = ("USD", "EUR", "GBP", "JPY", "BRL", "CHF", "INR", "KRW", "CNY", "BTC")
_SOON = (
    "today tomorrow tonight heute morgen übermorgen aujourd demain hoy mañana hoje amanhã 今日 本日 明日 明後日 "
    "dollar dollars cent cents pound pounds euro euros yen bucks dólar dólares real reais 円 ドル ユーロ"
)
SHORT_FORM = 3  # letters: "do" and "mar" are days and months, and words of their own
Counted = Callable[[Prose], None]
_log = structlog.get_logger()


@dataclass(slots=True)
class _Asked:
    """One question: asked once at a time, and its answer kept."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    prose: str | None = None
    until: float = 0.0  # monotonic; an answer that was no use is not asked for again before


class CheckedCopywriter:
    """Wraps a copywriter. Threads may share it. Its answers are kept per kind, language, tone and sentence for the life of the process."""

    def __init__(
        self, writer: Copywriter, tone: str = "", limit_seconds: float = LIMIT_SECONDS, counted: Counted | None = None
    ) -> None:
        """`limit_seconds`: how long one mail waits for it. `counted` hears of each answer, used or not: it was paid for."""
        self._writer = writer
        self._tone = tone
        self._limit_seconds = limit_seconds
        self._counted = counted
        self._asked: dict[tuple[str, str, str, str], _Asked] = {}

    def prose(self, kind: str, locale: str, sentence: str, tone: str = "") -> str | None:
        """A paragraph that states the facts of the sentence and no other, or None. Never raises for what a model or a network does."""
        tone = tone or self._tone
        asked = self._asked.setdefault((kind, locale, tone, sentence), _Asked())
        if asked.prose is not None:
            return asked.prose
        if time.monotonic() < asked.until or not asked.lock.acquire(blocking=False):
            return None  # it was no use a moment ago, or another mail is asking
        asked.until = time.monotonic() + ASKED_AGAIN_AFTER_SECONDS
        done = threading.Event()
        # A thread of its own, which may be left behind: whatever holds it up, the mail goes out.
        threading.Thread(target=self._ask, args=(asked, done, kind, locale, sentence, tone), daemon=True).start()
        if not done.wait(self._limit_seconds):
            _log.warning("prose_too_late", kind=kind, locale=locale)
        return asked.prose

    def _ask(self, asked: _Asked, done: threading.Event, kind: str, locale: str, sentence: str, tone: str) -> None:
        try:
            written = self._writer.prose(kind, locale, sentence, tone)
            text = (written.text or "").strip() if written is not None else ""
            refusal = refusal_of(text, facts_in(sentence), locale, forbidden_words(locale))
            if refusal is None:
                asked.prose = text
            elif written is not None:
                _log.warning("prose_refused", kind=kind, locale=locale, why=refusal[:200])
        finally:
            asked.lock.release()
            done.set()
        if written is not None and self._counted is not None:
            self._counted(written)


@cache
def forbidden_words(tag: str) -> frozenset[str]:
    """The names of months, days and common currencies in a language, in lower case: prose that has one states a fact of its own."""
    locale = Locale.parse(tag, sep="-")
    names = {
        str(name)
        for names in (locale.months, locale.days)
        for form in names["format"].values()
        for name in form.values()
    }
    names |= {get_currency_name(code, locale=locale) for code in _CURRENCIES}
    return frozenset(
        name.lower() for name in names if len(name) > SHORT_FORM or (not name.isascii() and len(name) > 1)
    ) | frozenset(_SOON.split())
