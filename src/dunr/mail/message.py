"""A finished mail, and what carries it. Knows no template and no transport, so that mailers need not load either."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

import msgspec

from dunr.ports import Delivery


@dataclass(frozen=True, slots=True)
class RenderedMail:
    """One mail in full. `headers` are all but To, Subject and Message-ID, in the order in which they are to stand."""

    notice_key: str
    kind: str
    to: str
    subject: str
    message_id: str
    headers: Mapping[str, str]
    text: str
    html: str
    locale: str
    at: datetime
    token: str | None = None  # what a bounce of this mail shows
    return_path: str | None = None  # where it goes; None: where the transport's settings say


class Transport(Protocol):
    """Takes a finished mail away."""

    def deliver(self, mail: RenderedMail) -> Delivery:
        """Hand over one mail. Never raises for what a server or the network does."""
        ...


class OutboxEntry(msgspec.Struct, frozen=True, kw_only=True):
    """A mail as the log mailer keeps it, for people to look at."""

    notice_key: str
    kind: str
    to: str
    subject: str
    message_id: str
    at: datetime
    locale: str
    headers: dict[str, str]
    text: str
    html: str


def message_id(notice_key: str, domain: str) -> str:
    """The same for each try of one notice, so that a receiver can see a repeat. Tells nothing about the case."""
    return f"<{_digest('notice', notice_key)}@{domain}>"


def thread_id(case_id: str, round_number: int, domain: str) -> str:
    """The root of the thread that all notices of one round of a case hang on.

    No mail carries it as its own id: each can be threaded without knowing which one came first, or whether it arrived.
    """
    return f"<{_digest('thread', f'{case_id}#{round_number}')}@{domain}>"


def _digest(purpose: str, text: str) -> str:
    return hashlib.sha256(f"{purpose}:{text}".encode()).hexdigest()[:40]
