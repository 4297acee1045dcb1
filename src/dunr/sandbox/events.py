"""What becomes a webhook. An event and its deliveries are written with the change they tell of.

The body names ids only: it is a hint to look, and the snapshot is the truth.
"""

from __future__ import annotations

from datetime import timedelta

import msgspec

from .database import Happening, Transaction
from .identifiers import new_id
from .records import Charge, Delivery, Event, Invoice

ACCOUNT = "account"
LIVE = "live"
WEBHOOK_URL = "webhook_url"


def body_of(
    tx: Transaction,
    event_id: str,
    kind: str,
    data: object,
    *,
    created: int | None = None,
    account: str | None = None,
    live: bool | None = None,
) -> str:
    """The JSON of one event, with every part that a test may want to be odd."""
    body = {
        "id": event_id,
        "type": kind,
        "created": int(tx.now.timestamp()) if created is None else created,
        "account": account or tx.single(ACCOUNT),
        "live": tx.single(LIVE) == "true" if live is None else live,
        "data": data,
    }
    return msgspec.json.encode(body).decode()


def emit(
    tx: Transaction,
    kind: str,
    *,
    invoice: str | None = None,
    subscription: str | None = None,
    customer: str | None = None,
    charge: str | None = None,
    card: str | None = None,
    dispute: str | None = None,
) -> Event:
    """Write the event and queue its deliveries, as the settings say.

    Where another face tells it too, the answer is the event that its receiver will know.
    """
    event_id = new_id("evt")
    data = {"invoice": invoice, "subscription": subscription, "customer": customer, "charge": charge}
    event = Event(id=event_id, event_id=event_id, type=kind, created_at=tx.now, body=body_of(tx, event_id, kind, data))
    tx.put(event)
    if tx.single(WEBHOOK_URL) or not tx.overheard:
        queue(tx, event)
    told = tx.tell(Happening(kind, invoice, subscription, customer, charge, card, dispute))
    return told[0] if told else event


def emit_invoice(
    tx: Transaction, kind: str, invoice: Invoice, charge: Charge | None = None, dispute: str | None = None
) -> Event:
    return emit(
        tx,
        kind,
        invoice=invoice.id,
        subscription=invoice.subscription,
        customer=invoice.customer,
        charge=None if charge is None else charge.id,
        dispute=dispute,
    )


def queue(tx: Transaction, event: Event) -> None:
    settings = tx.settings
    has_receiver = event.endpoint is not None or bool(tx.single(WEBHOOK_URL))
    due_at = tx.now + timedelta(seconds=settings.delay_webhooks_seconds)
    for _ in range(1 + settings.duplicate_webhooks):
        delivery = Delivery(id=new_id("dlv"), event=event.id, first_due_at=due_at, due_at=due_at)
        if settings.drop_webhooks or not has_receiver:
            delivery.status = "dropped"
            delivery.error = "drop_webhooks is on" if has_receiver else "no webhook_url is configured"
        tx.put(delivery)
