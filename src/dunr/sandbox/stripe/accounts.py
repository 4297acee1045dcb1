"""The account itself: its webhook endpoints, its events, its balance, and who it is."""

from __future__ import annotations

import secrets
from typing import Any

import msgspec

from dunr.sandbox.database import Transaction
from dunr.sandbox.identifiers import new_id
from dunr.sandbox.instants import on_wire
from dunr.sandbox.records import Delivery

from . import unused
from .calls import StripeCall
from .envelopes import notification
from .errors import missing
from .expanding import expanded
from .lists import Narrow, listed, page_of
from .parameters import EndpointCreate, EndpointUpdate, EventList, Nothing, Page, Parameters
from .reading import Shown
from .rows import Endpoint, StripeEvent
from .shape_customers import LONG_AGO, is_live, unix
from .versions import checked

FIRST_ENDPOINT = "we_sandbox"


def endpoint_shape(tx: Transaction, found: Endpoint, *, with_secret: bool = False) -> Shown:
    """The secret is told once, when the endpoint is made."""
    shown: Shown = {
        "id": found.id,
        "object": "webhook_endpoint",
        "api_version": found.api_version,
        "application": None,
        "created": unix(found.created_at),
        "description": found.description,
        "enabled_events": msgspec.json.decode(found.enabled_events),
        "livemode": is_live(tx),
        "metadata": msgspec.json.decode(found.metadata),
        "status": found.status,
        "url": found.url,
    }
    if with_secret:
        shown["secret"] = msgspec.json.decode(found.secrets, type=list[str])[0]
    return shown


def configured_endpoint(tx: Transaction, url: str, signing: tuple[str, ...], *, connect: bool) -> None:
    """The receiver that the sandbox was started with. Its pinned version and its wishes survive a restart."""
    found = tx.get(Endpoint, FIRST_ENDPOINT)
    if found is None:
        found = Endpoint(id=FIRST_ENDPOINT, url=url, secrets="[]", connect=connect, created_at=tx.now)
    found.url, found.connect = url, connect
    found.secrets = msgspec.json.encode(signing).decode()
    tx.put(found)


def create_endpoint(tx: Transaction, call: StripeCall) -> Shown:
    asked = call.read(EndpointCreate)
    made = Endpoint(
        id=new_id("we"),
        url=asked.url,
        secrets=msgspec.json.encode([f"whsec_{secrets.token_hex(16)}"]).decode(),
        api_version=None if asked.api_version is None else checked(asked.api_version),
        enabled_events=msgspec.json.encode(asked.enabled_events).decode(),
        description=asked.description,
        metadata=msgspec.json.encode(asked.metadata or {}).decode(),
        connect=asked.connect,
        created_at=tx.now,
    )
    tx.put(made)
    return expanded(tx, endpoint_shape(tx, made, with_secret=True), asked.expand, call.api_version)


def _endpoint(tx: Transaction, call: StripeCall) -> Endpoint:
    found = tx.get(Endpoint, call.id)
    if found is None:
        raise missing("webhook endpoint", call.id, "webhook_endpoint")
    return found


def endpoint(tx: Transaction, call: StripeCall) -> Shown:
    call.read(Parameters)
    return endpoint_shape(tx, _endpoint(tx, call))


def endpoints(tx: Transaction, call: StripeCall) -> Shown:
    rows, more = page_of(tx, Endpoint, Narrow(), asked := call.read(Page), order_by=None)
    shown = listed(call.address, [endpoint_shape(tx, row) for row in rows], more=more)
    return expanded(tx, shown, asked.expand, call.api_version)


def update_endpoint(tx: Transaction, call: StripeCall) -> Shown:
    asked, found = call.read(EndpointUpdate), _endpoint(tx, call)
    found.url = asked.url or found.url
    found.description = asked.description or found.description
    if asked.enabled_events is not None:
        found.enabled_events = msgspec.json.encode(asked.enabled_events).decode()
    if asked.metadata is not None:
        found.metadata = msgspec.json.encode(asked.metadata or {}).decode()
    if asked.disabled is not None:
        found.status = "disabled" if asked.disabled else "enabled"
    tx.put(found)
    return endpoint_shape(tx, found)


def delete_endpoint(tx: Transaction, call: StripeCall) -> Shown:
    """Gone; what still waits to be delivered to it is dropped."""
    call.read(Nothing)
    found = _endpoint(tx, call)
    waiting = "status = 'waiting' AND event IN (SELECT id FROM events WHERE endpoint = ?)"
    for delivery in tx.find(Delivery, waiting, found.id):
        delivery.status, delivery.error = "dropped", "the endpoint was deleted"
        tx.put(delivery)
    tx.remove(Endpoint, found.id)
    return {"id": found.id, "object": "webhook_endpoint", "deleted": True}


def event(tx: Transaction, call: StripeCall) -> Shown:
    call.read(Parameters)
    found = tx.get(StripeEvent, call.id)
    if found is None:
        raise missing("event", call.id)
    return _shown(tx, found)


def events(tx: Transaction, call: StripeCall) -> Shown:
    """Newest first. ``delivery_success`` tells those apart that some endpoint has not taken yet."""
    asked = call.read(EventList)
    narrow = Narrow().created(asked, "created_at")
    if asked.type is not None:
        narrow.where("type LIKE ?", asked.type.replace("*", "%"))
    if asked.types is not None:
        narrow.where(f"type IN ({', '.join('?' * len(asked.types))})", *asked.types)
    if asked.delivery_success is not None:
        undelivered = (
            "id IN (SELECT e.event_id FROM events e WHERE e.endpoint IS NOT NULL AND NOT EXISTS "
            "(SELECT 1 FROM deliveries d WHERE d.event = e.id AND d.status = 'delivered'))"
        )
        narrow.where(f"NOT {undelivered}" if asked.delivery_success else undelivered)
    rows, more = page_of(tx, StripeEvent, narrow, asked, order_by="created_at")
    shown = listed(call.address, [_shown(tx, row) for row in rows], more=more)
    return expanded(tx, shown, asked.expand, call.api_version)


def notified_event(tx: Transaction, call: StripeCall) -> Shown:
    """What a notification was about, as the newer API tells it: when, which type, and of what."""
    call.read(Parameters)
    found = tx.get(StripeEvent, call.id)
    if found is None:
        raise missing("event", call.id)
    about = msgspec.json.decode(found.body, type=dict[str, Any])["data"]["object"]
    return notification(found.id, found.type, about, on_wire(found.created_at), live=is_live(tx), context=None)


def _shown(tx: Transaction, found: StripeEvent) -> Shown:
    """In the version that the account had when it happened, with what is still to be delivered now."""
    shown: Shown = msgspec.json.decode(found.body, type=dict[str, object])
    undelivered = "event IN (SELECT id FROM events WHERE event_id = ?) AND status = 'waiting'"
    return {**shown, "pending_webhooks": tx.count(Delivery, undelivered, found.id)}


def account(_tx: Transaction, call: StripeCall) -> Shown:
    call.read(Parameters)
    return {
        "id": call.path.get("id", call.account),
        "object": "account",
        "business_profile": {"name": "Sandbox", "support_email": None, "url": None},
        "charges_enabled": True,
        "country": "US",
        "created": LONG_AGO,
        "default_currency": "usd",
        "details_submitted": True,
        "email": None,
        "payouts_enabled": True,
        "settings": unused.ACCOUNT_SETTINGS,
        "type": "standard",
    }


def balance(_tx: Transaction, call: StripeCall) -> Shown:
    call.read(Parameters)
    nothing = [{"amount": 0, "currency": "usd", "source_types": {"card": 0}}]
    return {"object": "balance", "available": nothing, "livemode": call.live, "pending": nothing}
