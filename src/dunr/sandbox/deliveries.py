"""Sending webhooks: signed bytes, one try at a time, every answer written down.

No lock on the database is held while a receiver thinks, because the receiver
may well ask the processor something before it answers.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

import httpx
import msgspec

from .database import Database, Transaction
from .events import WEBHOOK_URL
from .identifiers import new_id
from .records import Delivery, Event
from .refusals import conflict
from .stripe.rows import Endpoint

RETRIED_FOR = timedelta(days=3)
ANSWER_KEPT_CHARS = 2000


@dataclass(frozen=True)
class Sending:
    """All that the network part needs to know, read in one transaction."""

    delivery: str
    url: str
    body: bytes
    signature: str
    signature_header: str
    timeout_seconds: int


def sign(body: bytes, secrets: Sequence[str], timestamp: int) -> str:
    """``t=…`` and one ``v1=`` for each secret, over the timestamp and the raw body."""
    signed = f"{timestamp}.".encode() + body
    marks = [hmac.new(secret.encode(), signed, hashlib.sha256).hexdigest() for secret in secrets]
    return ",".join([f"t={timestamp}", *(f"v1={mark}" for mark in marks)])


@dataclass(frozen=True)
class Receiver:
    """Where an event goes, which secrets sign it, and under which name."""

    url: str
    secrets: tuple[str, ...]
    signature_header: str


def receiver_of(tx: Transaction, event: Event, configured: tuple[str, ...]) -> Receiver:
    """The endpoint that the event was written for, else the one configured receiver, else the first endpoint."""
    endpoint = tx.get(Endpoint, event.endpoint)
    url = tx.single(WEBHOOK_URL)
    if endpoint is None and not url:
        endpoint = next(iter(tx.find(Endpoint, "status = 'enabled'", limit=1)), None)
    if endpoint is not None:
        secrets = msgspec.json.decode(endpoint.secrets, type=tuple[str, ...])
        return Receiver(endpoint.url, secrets, "stripe-signature")
    if not url:
        raise conflict("The sandbox has no webhook_url. Start it with one to send events.")
    return Receiver(url, configured, "sandbox-signature")


def waiting(tx: Transaction, until: datetime, *, newest_first: bool = False) -> list[Delivery]:
    order = "due_at, seq DESC" if newest_first else "due_at, seq"
    return tx.find(Delivery, "status = 'waiting' AND due_at <= ?", until, order=order)


def earliest(tx: Transaction) -> datetime | None:
    found = tx.find(Delivery, "status = 'waiting'", order="due_at, seq", limit=1)
    return found[0].due_at if found else None


def undelivered(tx: Transaction) -> int:
    """Due now and not answered yet; a caller that waits for quiet waits for 0."""
    return tx.count(Delivery, "status = 'waiting' AND due_at <= ?", tx.now)


def drop_waiting(tx: Transaction) -> None:
    """A sandbox restarted without a receiver has nobody to send the rest to."""
    for delivery in tx.find(Delivery, "status = 'waiting'"):
        event = tx.get(Event, delivery.event)
        if event is not None and event.endpoint is not None:
            continue
        delivery.status, delivery.error = "dropped", "no webhook_url is configured"
        tx.put(delivery)


def prepare(tx: Transaction, delivery: Delivery, configured: tuple[str, ...]) -> Sending:
    event = tx.get(Event, delivery.event)
    assert event is not None, "a delivery belongs to an event"
    receiver = receiver_of(tx, event, configured)
    secrets = receiver.secrets if event.signed_with is None else msgspec.json.decode(event.signed_with, type=list[str])
    body = event.body.encode()
    timestamp = int(tx.shown_now.timestamp()) + event.signed_offset_seconds
    signature = event.signature if event.signature is not None else sign(body, secrets, timestamp)
    delivery.signature, delivery.sent_at = signature, tx.now
    tx.put(delivery)
    return Sending(
        delivery.id, receiver.url, body, signature, receiver.signature_header, tx.settings.webhook_timeout_seconds
    )


def send(client: httpx.Client, sending: Sending) -> tuple[int | None, str]:
    """The receiver's status and words, or no status and what went wrong."""
    headers = {"content-type": "application/json", "user-agent": "dunr-sandbox"}
    if sending.signature:
        headers[sending.signature_header] = sending.signature
    try:
        response = client.post(
            sending.url, content=sending.body, headers=headers, timeout=float(sending.timeout_seconds)
        )
    except httpx.HTTPError as error:
        return None, f"{type(error).__name__}: {error}"
    return response.status_code, response.text[:ANSWER_KEPT_CHARS]


def record(tx: Transaction, delivery_id: str, status: int | None, words: str, *, again: bool) -> Delivery:
    """Write the answer down; anything but a 2xx is tried again, with growing waits, for three days."""
    delivery = tx.get(Delivery, delivery_id)
    assert delivery is not None, "deliveries are never removed"
    delivery.response_status = status
    delivery.response_body, delivery.error = (None, words) if status is None else (words, None)
    delivery.status = "delivered" if status is not None and httpx.codes.is_success(status) else "failed"
    tx.put(delivery)
    if delivery.status == "failed" and again:
        _try_again(tx, delivery)
    return delivery


def _try_again(tx: Transaction, failed: Delivery) -> None:
    waits = tx.settings.webhook_backoff_seconds
    if not waits:
        return
    wait = waits[min(failed.attempt_number, len(waits)) - 1]
    due_at = tx.now + timedelta(seconds=wait)
    if due_at > failed.first_due_at + RETRIED_FOR:
        return
    tx.put(
        Delivery(
            id=new_id("dlv"),
            event=failed.event,
            attempt_number=failed.attempt_number + 1,
            first_due_at=failed.first_due_at,
            due_at=due_at,
        )
    )


def deliver(
    database: Database, client: httpx.Client, secrets: tuple[str, ...], delivery: Delivery, *, again: bool
) -> Delivery:
    """One whole try, with the network between two transactions."""
    with database.transaction() as tx:
        sending = prepare(tx, delivery, secrets)
    status, words = send(client, sending)
    with database.transaction() as tx:
        return record(tx, delivery.id, status, words, again=again)
