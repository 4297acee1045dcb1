"""May this subscriber use the product? The question that the merchant's application asks, answered by one key read on the event loop."""

from collections.abc import Callable, Sequence
from datetime import datetime

import msgspec

from dunr.core.access import verdict
from dunr.core.model import Case, Subscription
from dunr.core.terms import Access
from dunr.entry.web.admission import admit
from dunr.entry.web.door import Asked, Told
from dunr.entry.web.face import WebFace
from dunr.entry.web.headers import guarded
from dunr.facts.currencies import units
from dunr.ports import Refs
from dunr.tokens import Scope

ENTITLEMENTS = "/v1/entitlements/"
PATH = f"{ENTITLEMENTS}{{subscription}}"
HEADERS = guarded(((b"cache-control", b"private, no-cache"),))


class Banner(msgspec.Struct, frozen=True):
    """What an application shows to a subscriber who owes something: how much in the currency of the oldest open invoice, over how many, when it is tried again, and
    the page where it can be paid. The page is theirs alone: show it to nobody who is not logged in as them. `amount_due` is in whole units, such as `49.00`, whatever
    digits the processor counts the currency in.
    """

    amount_due: str
    amount_due_minor: int
    currency: str
    invoices_count: int
    next_attempt_at: datetime | None
    link: str


class EntitlementAnswer(msgspec.Struct, frozen=True):
    """Access of one subscription. Keep it until `valid_until`; after that, and without an answer, grant access."""

    subscription: str
    access: Access
    reason: str
    version: int
    known: bool
    valid_until: datetime
    next_change_at: datetime | None
    banner: Banner | None


class EntitlementCheck:
    """Answers the check. `link` makes the address of the page where a case can be fixed."""

    def __init__(self, face: WebFace, link: Callable[[str, int, datetime], str]) -> None:
        self._face = face
        self._link = link

    async def answer(self, asked: Asked) -> Told:
        """Admit, read one key, and answer; with 304 where the asker knows the answer already."""
        admit(self._face, asked, Scope.READ)
        tag, body = self._told(asked.named)
        headers = ((b"etag", tag.encode()), *HEADERS)
        known_tag = asked.headers.get("if-none-match")
        if known_tag is not None and tag in (one.strip().removeprefix("W/") for one in known_tag.split(",")):
            return 304, headers, b""
        return 200, ((b"content-length", b"%d" % len(body)), (b"content-type", b"application/json"), *headers), body

    def _told(self, given: str) -> tuple[str, bytes]:
        """The answer, and the tag by which it is known."""
        face, row_id = self._face, self._face.row_id(given)
        subscription = face.application.store.load(None, Refs(subscription_id=row_id)).subscription
        now = face.now()
        told, owed = verdict(subscription, now), _owed(face, subscription)
        answer = EntitlementAnswer(
            subscription=row_id.split(":", 2)[2],
            access=told.access,
            reason=told.reason,
            version=told.version,
            known=told.known,
            valid_until=told.valid_until,
            next_change_at=_next_change_at(owed) if told.access is Access.GRACE else None,
            banner=self._banner(owed, now),
        )
        return _tag(answer), msgspec.json.encode(answer)

    def _banner(self, owed: Sequence[Case], now: datetime) -> Banner | None:
        """What is owed, in one line."""
        if not owed:
            return None
        oldest = min(owed, key=lambda case: case.first_failed_at)
        alike = [case for case in owed if case.currency == oldest.currency]
        steps = [case.plan.next_step.at for case in owed if case.plan.next_step is not None]
        amount_due_minor = sum(case.amount_due_minor for case in alike)
        return Banner(
            amount_due=f"{units(oldest.processor, amount_due_minor, oldest.currency):f}",
            amount_due_minor=amount_due_minor,
            currency=oldest.currency,
            invoices_count=len(alike),
            next_attempt_at=min(steps, default=None),
            link=self._link(oldest.id, oldest.round, now),
        )


def _owed(face: WebFace, subscription: Subscription | None) -> Sequence[Case]:
    """The open cases of a subscription that owes something; of any other, nothing is read but its own row."""
    if subscription is None or subscription.access in (Access.GRANTED, Access.ENDED):
        return ()
    found = (face.application.store.load(share.case_id, Refs()).case for share in subscription.cases)
    return [case for case in found if case is not None and case.is_open and case.has_failed]


def _next_change_at(owed: Sequence[Case]) -> datetime | None:
    """When access is going to be paused, as planned now."""
    pauses = (case.plan.pause_at for case in owed if case.paused_at is None)
    return min((at for at in pauses if at is not None), default=None)


def _tag(answer: EntitlementAnswer) -> str:
    """What the answer says, without what moves with the clock."""
    banner = answer.banner
    said = f"{answer.version}-{answer.access}"
    if banner is None:
        return f'"{said}"'
    at = banner.next_attempt_at
    moment = f"{at:%Y%m%d%H%M%S}" if at is not None else "none"
    return f'"{said}-{banner.amount_due_minor}{banner.currency}{banner.invoices_count}-{moment}"'
