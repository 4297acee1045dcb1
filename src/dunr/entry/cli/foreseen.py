"""What `dunr plan` answers: the scene that was asked about, and everything that would come of it, each with its reasons."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from dunr.core.model import Payer
from dunr.core.snapshot import RawDecline
from dunr.core.terms import Access, NoticeKind, Rail

NOTICE_WHY: Mapping[NoticeKind, str] = {
    NoticeKind.FIRST: "the first charge failed, and the first step is planned",
    NoticeKind.REMINDER: "a step failed, and the next one is planned",
    NoticeKind.FINAL_WARNING: "the last step is planned",
    NoticeKind.PAUSED: "access was paused",
    NoticeKind.RECEIPT: "the payment arrived",
    NoticeKind.METHOD_NEEDED: "nothing is tried until the customer acts",
    NoticeKind.CONFIRM_WITH_BANK: "the bank wants the customer to confirm the payment",
    NoticeKind.CARD_EXPIRING: "the card expires soon",
}


@dataclass(frozen=True, slots=True)
class Scene:
    """Who declines, what, and who pays: all that a forecast depends on besides the policy and the facts."""

    processor: str
    raw: RawDecline
    failed_at: datetime
    payer: Payer
    rail: Rail = Rail.CARD
    network: str | None = None


@dataclass(frozen=True, slots=True)
class ForeseenAttempt:
    """One coming step: `number` is the step's."""

    number: int
    at: datetime
    why: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ForeseenNotice:
    """One coming message, and the dates that it names."""

    kind: NoticeKind
    at: datetime
    step: int | None
    next_attempt_at: datetime | None
    pause_at: datetime | None
    reason: str | None
    why: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ForeseenAccess:
    """What the subscriber may do from an instant on."""

    at: datetime
    access: Access
    why: str


@dataclass(frozen=True, slots=True)
class Turn:
    """One decision on the way, with its whole chain of reasons."""

    at: datetime
    what: str
    why: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Forecast:
    """All of it. `undated` says why a step that the policy has gets no date."""

    policy: str
    reason: str
    kind: str
    strategy: str
    decline_why: tuple[str, ...]
    timezone: str
    timezone_why: str
    country: str | None
    network: str | None
    failed_at: datetime
    attempts: tuple[ForeseenAttempt, ...]
    undated: tuple[str, ...]
    pause_at: datetime | None
    pause_why: tuple[str, ...]
    access: tuple[ForeseenAccess, ...]
    notices: tuple[ForeseenNotice, ...]
    turns: tuple[Turn, ...]
