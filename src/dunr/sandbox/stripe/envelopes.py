"""One event on its way: kept for ``/v1/events``, and a body for each endpoint in the API version it is pinned to."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import msgspec

from dunr.sandbox.database import Happening, Transaction
from dunr.sandbox.events import queue
from dunr.sandbox.identifiers import new_id
from dunr.sandbox.instants import on_wire
from dunr.sandbox.records import Charge, ChargeRequest, Event

from .rows import Endpoint, StripeEvent
from .shape_customers import is_live, unix
from .versions import UPDATER_RENAMED, since

RENAMED = {"payment_method.automatically_updated": "payment_method.card_automatically_updated"}

Shape = Callable[[str], dict[str, object]]


@dataclass(frozen=True)
class News:
    """One event in the making. ``shape`` shows its object in a version; ``first_in`` is the version that knows it."""

    type: str
    shape: Shape
    first_in: str = ""
    before: dict[str, object] | None = None


def write(
    tx: Transaction, news: News, happening: Happening, api_version: str, account: str, *, connected: bool
) -> list[Event]:
    """The event itself, and a body for every endpoint that wants it."""
    event_id = new_id("evt")
    shown: dict[str, dict[str, object]] = {}
    endpoints = [
        endpoint
        for endpoint in tx.find(Endpoint, "status = 'enabled'")
        if endpoint.connect == connected and _wanted(endpoint, news, endpoint.api_version or api_version)
    ]
    request = _request(tx, happening)

    def body(version: str) -> bytes:
        if version not in shown:
            shown[version] = news.shape(version)
        event: dict[str, object] = {
            "id": event_id,
            "object": "event",
            "api_version": version,
            "created": unix(tx.now),
            "data": {
                "object": shown[version],
                **({} if news.before is None else {"previous_attributes": news.before}),
            },
            "livemode": is_live(tx),
            "pending_webhooks": len(endpoints),
            "request": request,
            "type": _type_in(news.type, version),
        }
        return msgspec.json.encode({**event, "account": account} if connected else event)

    def thin() -> bytes:
        about, context = shown[api_version], account if connected else None
        return msgspec.json.encode(
            notification(event_id, news.type, about, on_wire(tx.now), live=is_live(tx), context=context)
        )

    own = body(api_version)
    tx.put(StripeEvent(id=event_id, type=_type_in(news.type, api_version), created_at=tx.now, body=own.decode()))
    written = []
    for number, endpoint in enumerate(endpoints):
        version = endpoint.api_version or api_version
        whole = thin() if endpoint.thin else body(version)
        event = Event(
            id=event_id if number == 0 else f"{event_id}.{endpoint.id}",
            event_id=event_id,
            type=_type_in(news.type, version),
            created_at=tx.now,
            body=whole.decode(),
            endpoint=endpoint.id,
        )
        tx.put(event)
        queue(tx, event)
        written.append(event)
    return written


def _type_in(kind: str, version: str) -> str:
    return kind if since(version, UPDATER_RENAMED) else RENAMED.get(kind, kind)


def _wanted(endpoint: Endpoint, news: News, version: str) -> bool:
    enabled = msgspec.json.decode(endpoint.enabled_events, type=list[str])
    kind = _type_in(news.type, version)
    return since(version, news.first_in) and ("*" in enabled or kind in enabled or f"v1.{kind}" in enabled)


def _request(tx: Transaction, happening: Happening) -> dict[str, object]:
    """Which request caused it: the one at work, or the one whose late result this is."""
    if tx.caused_by is not None:
        return {"id": tx.caused_by[0], "idempotency_key": tx.caused_by[1]}
    charge = tx.get(Charge, happening.charge)
    request = tx.get(ChargeRequest, None if charge is None else charge.request)
    return {"id": None, "idempotency_key": None if request is None else request.key}


def notification(
    event_id: str, kind: str, about: dict[str, object], created: str | None, *, live: bool, context: str | None
) -> dict[str, object]:
    """A thin event: what it is about must be looked up."""
    name = about["object"]
    return {
        "id": event_id,
        "object": "v2.core.event",
        "context": context,
        "created": created,
        "livemode": live,
        "related_object": {"id": about["id"], "type": name, "url": f"/v1/{name}s/{about['id']}"},
        "type": f"v1.{kind}",
    }
