"""What happens in the books, told as Stripe's events: to each endpoint in the API version it is pinned to.

One happening is several events at Stripe, as there: the first is the one that
says most. Each is kept for ``/v1/events`` in the account's own version.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import msgspec

from dunr.sandbox.database import Happening, Transaction
from dunr.sandbox.events import queue
from dunr.sandbox.identifiers import new_id
from dunr.sandbox.instants import on_wire
from dunr.sandbox.records import Card, Charge, ChargeRequest, Customer, Dispute, Event, Invoice, Subscription

from . import shape_customers, shape_invoices, shape_payments
from .payments import payment_of_charge, status_of_invoice
from .rows import Endpoint, StripeEvent, StripeRefund
from .shape_customers import is_live, unix
from .versions import INVOICE_PAYMENTS, REFUND_EVENTS, UPDATER_RENAMED, since

STATUS_SEEN = "stripe_status:"
RENAMED = {"payment_method.automatically_updated": "payment_method.card_automatically_updated"}

Shape = Callable[[str], dict[str, object]]


@dataclass(frozen=True)
class News:
    """One event in the making. ``shape`` shows its object in a version; ``first_in`` is the version that knows it."""

    type: str
    shape: Shape
    first_in: str = ""
    before: dict[str, object] | None = None


def listener(api_version: str, account: str, *, connected: bool) -> Callable[[Transaction, Happening], list[Event]]:
    """Hears what happens, and writes what the endpoints get."""

    def hear(tx: Transaction, happening: Happening) -> list[Event]:
        written = []
        for news in _news(tx, happening):
            written += _write(tx, news, happening, api_version, account, connected=connected)
        return written

    return hear


def _news(tx: Transaction, happening: Happening) -> list[News]:
    kind = happening.kind
    invoice, charge = tx.get(Invoice, happening.invoice), tx.get(Charge, happening.charge)
    if kind.startswith("dispute.") or kind in ("charge.refunded", "charge.returned"):
        return [] if charge is None else _of_money_that_went_back(tx, happening, charge)
    if kind.startswith("charge."):
        return [] if charge is None else _of_charge(tx, kind, charge)
    if kind.startswith("invoice."):
        return [] if invoice is None else _of_invoice(tx, kind, invoice, charge)
    if kind.startswith("subscription."):
        subscription = tx.get(Subscription, happening.subscription)
        return [] if subscription is None else _of_subscription(tx, kind, subscription)
    if kind.startswith("payment_method."):
        return _of_method(tx, kind, tx.get(Card, happening.card))
    customer = tx.get(Customer, happening.customer)
    return [] if customer is None else [News(kind, lambda _: _customer(tx, customer))]


def _customer(tx: Transaction, customer: Customer) -> dict[str, object]:
    """The event of a deletion still shows whole who was deleted."""
    return shape_customers.customer(tx, msgspec.structs.replace(customer, deleted=False))


def _of_charge(tx: Transaction, kind: str, charge: Charge) -> list[News]:
    payment = payment_of_charge(tx, charge)
    shape, intent = partial(shape_payments.charge, tx, charge), partial(shape_payments.intent, tx, payment)
    if kind == "charge.failed" and charge.intent is not None:
        return [News("payment_intent.requires_action", intent)]
    if kind == "charge.failed":
        return [News("payment_intent.payment_failed", intent), News("charge.failed", shape)]
    if kind == "charge.pending":
        return [News("payment_intent.processing", intent), News("charge.pending", shape)]
    paid = partial(shape_payments.invoice_payment, tx, payment)
    return [
        News("payment_intent.succeeded", intent),
        News("charge.succeeded", shape),
        News("invoice_payment.paid", lambda _: paid(), first_in=INVOICE_PAYMENTS),
    ]


def _of_money_that_went_back(tx: Transaction, happening: Happening, charge: Charge) -> list[News]:
    shape = partial(shape_payments.charge, tx, charge)
    dispute = tx.get(Dispute, happening.dispute)
    if dispute is not None:
        shown = partial(shape_payments.dispute, tx, dispute)
        if happening.kind == "dispute.opened":
            types = ["charge.dispute.created", "charge.dispute.funds_withdrawn"]
        else:
            back = dispute.status == "won" or dispute.reinstated
            types = ["charge.dispute.closed", *(["charge.dispute.funds_reinstated"] if back else [])]
        return [News(kind, lambda _: shown()) for kind in types]
    if happening.kind == "charge.returned":
        intent = partial(shape_payments.intent, tx, payment_of_charge(tx, charge))
        return [News("charge.failed", shape), News("payment_intent.payment_failed", intent)]
    so_far = sum(one.amount_minor for one in tx.find(StripeRefund, "charge = ?", charge.id))
    made = StripeRefund(
        id=new_id("re"), charge=charge.id, amount_minor=charge.refunded_minor - so_far, created_at=tx.now
    )
    tx.put(made)
    refund = partial(shape_payments.refund, tx, made)
    return [
        News("charge.refunded", shape, before={"amount_refunded": so_far}),
        News("refund.created", lambda _: refund(), first_in=REFUND_EVENTS),
    ]


def _of_invoice(tx: Transaction, kind: str, invoice: Invoice, charge: Charge | None) -> list[News]:
    shape = partial(shape_invoices.invoice, tx, invoice)
    if kind == "invoice.updated" and invoice.status == "written_off" and status_of_invoice(invoice) == "paid":
        kind = "invoice.paid"
    match kind:
        case "invoice.paid":
            types = ["invoice.paid", "invoice.payment_succeeded", "invoice.updated"]
        case "invoice.payment_failed" if charge is not None and charge.intent is not None:
            types = ["invoice.payment_failed", "invoice.payment_action_required", "invoice.updated"]
        case "invoice.payment_failed":
            types = ["invoice.payment_failed", "invoice.updated"]
        case "invoice.written_off":
            types = ["invoice.marked_uncollectible", "invoice.updated"]
        case "invoice.voided":
            types = ["invoice.voided", "invoice.updated"]
        case _:
            types = ["invoice.updated"]
    return [News(one, shape, before={} if one == "invoice.updated" else None) for one in types]


def _of_subscription(tx: Transaction, kind: str, subscription: Subscription) -> list[News]:
    shape = partial(shape_customers.subscription, tx, subscription)
    seen = tx.single(STATUS_SEEN + subscription.id)
    now = shape_customers.STATUSES.get(subscription.status, subscription.status)
    tx.put_single(STATUS_SEEN + subscription.id, now)
    if kind == "subscription.deleted":
        tx.put_single(shape_customers.ENDED + subscription.id, str(unix(tx.now)))
        return [News("customer.subscription.deleted", shape)]
    before: dict[str, object] = {"status": seen or "active"} if seen != now else {}
    return [News("customer.subscription.updated", shape, before=before)]


def _of_method(tx: Transaction, kind: str, card: Card | None) -> list[News]:
    if card is None:
        return []
    shape = partial(shape_customers.payment_method, tx, card)
    if kind == "payment_method.updated":
        return [News("payment_method.automatically_updated", lambda _: shape(), before={})]
    before: dict[str, object] | None = {"customer": card.customer} if kind == "payment_method.detached" else None
    return [News(kind, lambda _: shape(), before=before)]


def _write(
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

    own = body(api_version)
    related = str(shown[api_version]["id"])
    tx.put(
        StripeEvent(
            id=event_id, type=_type_in(news.type, api_version), created_at=tx.now, body=own.decode(), related=related
        )
    )
    written = []
    for number, endpoint in enumerate(endpoints):
        version = endpoint.api_version or api_version
        whole = _thin(tx, event_id, news, related, account) if endpoint.thin else body(version)
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


def _thin(tx: Transaction, event_id: str, news: News, related: str, account: str) -> bytes:
    """A notification: what it is about must be looked up."""
    kind = news.type.rpartition(".")[0]
    plural = f"{kind.replace('customer.', '').replace('charge.', '')}s"
    return msgspec.json.encode(
        {
            "id": event_id,
            "object": "v2.core.event",
            "context": account,
            "created": on_wire(tx.now),
            "livemode": is_live(tx),
            "related_object": {"id": related, "type": kind, "url": f"/v1/{plural}/{related}"},
            "type": f"v1.{news.type}",
        }
    )
