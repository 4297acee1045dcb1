"""May this subscriber use the product? The question that the merchant's application asks, answered by one key read on the event loop."""

from datetime import datetime

import msgspec

from dunr.core.access import verdict
from dunr.core.model import Subscription
from dunr.core.terms import Access
from dunr.entry.web.admission import admit
from dunr.entry.web.door import Asked, Told
from dunr.entry.web.face import WebFace
from dunr.entry.web.headers import guarded
from dunr.ports import Refs
from dunr.tokens import Scope

ENTITLEMENTS = "/v1/entitlements/"
PATH = f"{ENTITLEMENTS}{{subscription}}"
HEADERS = guarded(((b"cache-control", b"private, no-cache"),))


class EntitlementAnswer(msgspec.Struct, frozen=True):
    """Access of one subscription. Keep it until `valid_until`; after that, and without an answer, grant access."""

    subscription: str
    access: Access
    reason: str
    version: int
    known: bool
    valid_until: datetime
    next_change_at: datetime | None


class EntitlementCheck:
    """Answers the check."""

    def __init__(self, face: WebFace) -> None:
        self._face = face

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
        told = verdict(subscription, face.now())
        answer = EntitlementAnswer(
            subscription=row_id.split(":", 2)[2],
            access=told.access,
            reason=told.reason,
            version=told.version,
            known=told.known,
            valid_until=told.valid_until,
            next_change_at=_next_change_at(face, subscription),
        )
        return f'"{told.version}-{told.access}"', msgspec.json.encode(answer)


def _next_change_at(face: WebFace, subscription: Subscription | None) -> datetime | None:
    """When access is going to be paused, as planned now; only the cases of a subscription in grace are asked."""
    if subscription is None or subscription.access is not Access.GRACE:
        return None
    cases = (face.application.store.load(share.case_id, Refs()).case for share in subscription.cases)
    pauses = (case.plan.pause_at for case in cases if case is not None and case.paused_at is None)
    return min((at for at in pauses if at is not None), default=None)
