"""May this subscriber use the product? The question that the merchant's application asks, answered by one key read on the event loop."""

from datetime import datetime

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from dunr.core.access import verdict
from dunr.core.model import Subscription
from dunr.core.terms import Access
from dunr.entry.web.admission import admit
from dunr.entry.web.face import WebFace
from dunr.ports import Refs
from dunr.tokens import Scope

PATH = "/v1/entitlements/{subscription}"


class EntitlementAnswer(msgspec.Struct, frozen=True):
    """Access of one subscription. Keep it until `valid_until`; after that, and without an answer, grant access."""

    subscription: str
    access: Access
    reason: str
    version: int
    known: bool
    valid_until: datetime
    next_change_at: datetime | None


def entitlement_route(face: WebFace) -> Route:
    """GET /v1/entitlements/{subscription}."""

    async def answer(request: Request) -> Response:
        admit(face, request, Scope.READ)
        return _entitlement(face, request.path_params["subscription"], request.headers.get("if-none-match"))

    return Route(PATH, answer, methods=["GET"])


def _entitlement(face: WebFace, given: str, known_tag: str | None) -> Response:
    row_id = face.row_id(given)
    subscription = face.application.store.load(None, Refs(subscription_id=row_id)).subscription
    told = verdict(subscription, face.now())
    tag = f'"{told.version}-{told.access}"'
    headers = {"ETag": tag, "Cache-Control": "private, no-cache"}
    if known_tag is not None and tag in (one.strip().removeprefix("W/") for one in known_tag.split(",")):
        return Response(None, 304, headers)
    answer = EntitlementAnswer(
        subscription=row_id.split(":", 2)[2],
        access=told.access,
        reason=told.reason,
        version=told.version,
        known=told.known,
        valid_until=told.valid_until,
        next_change_at=_next_change_at(face, subscription),
    )
    return Response(msgspec.json.encode(answer), 200, headers, media_type="application/json")


def _next_change_at(face: WebFace, subscription: Subscription | None) -> datetime | None:
    """When access is going to be paused, as planned now; only the cases of a subscription in grace are asked."""
    if subscription is None or subscription.access is not Access.GRACE:
        return None
    cases = (face.application.store.load(share.case_id, Refs()).case for share in subscription.cases)
    pauses = (case.plan.pause_at for case in cases if case is not None and case.paused_at is None)
    return min((at for at in pauses if at is not None), default=None)
