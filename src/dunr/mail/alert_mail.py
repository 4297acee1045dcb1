"""Alerts as mail to the merchant's own people: plain words, no brand, one mail to each of them.

Knows how one alert, many of a kind, and the end of either read, and that a repeat carries the same Message-ID.
"""

from email.utils import format_datetime, formataddr
from hashlib import sha256
from html import escape

from dunr.core.alerting import AlertWord
from dunr.core.saying import said
from dunr.mail.message import RenderedMail, Transport, message_id
from dunr.ports import Delivery

SHOWN_MAX = 20  # of many; the rest are counted
SUBJECT_WORDS_MAX = 80


class AlertMail:
    """Writes to one person; `sender` is the address that mails come from."""

    def __init__(self, transport: Transport, to: str, sender: str, base_url: str) -> None:
        """`base_url` is where our own pages are."""
        self._transport = transport
        self._to = to
        self._sender = sender
        self._page = f"{base_url}/alerts"

    def alert(self, word: AlertWord) -> Delivery:
        """Hand over one mail."""
        return self._transport.deliver(self._written(word))

    def _written(self, word: AlertWord) -> RenderedMail:
        lines = [*_lines(word), f"All alerts: {self._page}"]
        to = sha256(self._to.encode()).hexdigest()[:16]
        headers = {"From": formataddr(("dunr", self._sender)), "Date": format_datetime(word.at)}
        automatic = {"Auto-Submitted": "auto-generated", "X-Auto-Response-Suppress": "All"}
        return RenderedMail(
            notice_key=f"{word.key}/{to}",
            kind=word.kind,
            to=self._to,
            subject=_subject(word),
            message_id=message_id(f"{word.key}/{to}", self._sender.rpartition("@")[2]),
            headers={**headers, **automatic},
            text="\n\n".join(lines) + "\n",
            html="".join(f"<p>{escape(line)}</p>\n" for line in lines),
            locale="en",
            at=word.at,
        )


def _subject(word: AlertWord) -> str:
    """What it is about, and how much of it."""
    what = word.kind.value.replace("_", " ")
    count = len(word.alerts)
    many = f" ({count})" if count > 1 else ""
    return f"[dunr] {'Over: ' if word.is_end else ''}{what}{many}"[:SUBJECT_WORDS_MAX]


def _lines(word: AlertWord) -> list[str]:
    """One paragraph for each alert; of many the first ones, and how many there are."""
    shown = [f"{said(alert.at, 'UTC')}: {alert.text}" for alert in word.alerts[:SHOWN_MAX]]
    left_count = len(word.alerts) - len(shown)
    return [*shown, f"And {left_count} more of this kind."] if left_count else shown
