"""Bringing customers, cards, subscriptions and invoices into being, as a tester describes them."""

from __future__ import annotations

from datetime import datetime, timedelta

import msgspec

from . import invoices, outcomes, scripts
from .booking import put_decline
from .database import Transaction
from .descriptions import CardBody, CustomerBody, DeclineBody, FailureBody, InvoiceBody, NewCardBody, NewInvoiceBody
from .events import emit, emit_invoice
from .identifiers import new_id
from .instants import on_wire
from .outcomes import Decline
from .records import Card, Charge, Customer, Invoice, Subscription
from .refusals import conflict, invalid

PERIOD = timedelta(days=30)
RENEWED_UNTIL = timedelta(days=3 * 365)


def customer_of(tx: Transaction, body: CustomerBody | None) -> Customer:
    body = body or CustomerBody(id=new_id("cus"))
    customer = tx.get(Customer, body.id)
    if customer is None:
        customer = Customer(**msgspec.structs.asdict(body))
        tx.put(customer)
    return customer


def card_of(tx: Transaction, customer: Customer, body: CardBody | msgspec.UnsetType | None) -> Card | None:
    """The card as described, attached; the first one becomes the default."""
    if body is None:
        return None
    if isinstance(body, msgspec.UnsetType):
        body = CardBody(id=f"pm_{customer.id}")
    card = tx.get(Card, body.id)
    if card is not None and card.customer != customer.id:
        raise conflict(f"Card {card.id!r} belongs to customer {card.customer!r}. Use another id.")
    if card is None:
        card = Card(
            id=body.id,
            customer=customer.id,
            network=body.network,
            rail=body.rail,
            last4=body.last4,
            fingerprint=body.fingerprint or f"fp_{body.id}",
            expires=body.expires,
            country=body.country,
            network_token=body.network_token,
            backup=body.backup,
            came_with_subscription=body.came_with_subscription,
            created_at=tx.now,
        )
    card.detached = False
    tx.put(card)
    if customer.default_card is None:
        customer.default_card = card.id
        tx.put(customer)
    return card


def subscription_of(
    tx: Transaction, customer: Customer, body: InvoiceBody, status: str, started_at: datetime
) -> str | None:
    """The subscription as described; one that exists takes a status only if it is given."""
    if body.subscription is None:
        return None
    subscription_id = new_id("sub") if isinstance(body.subscription, msgspec.UnsetType) else body.subscription
    subscription = tx.get(Subscription, subscription_id)
    if subscription is None:
        subscription = Subscription(
            id=subscription_id, customer=customer.id, status=status, period_end_at=started_at + PERIOD
        )
    elif subscription.customer != customer.id:
        raise conflict(f"Subscription {subscription.id!r} belongs to customer {subscription.customer!r}.")
    elif subscription.status in ("active", "trialing"):
        subscription.status = status
    subscription.status = body.subscription_status or subscription.status
    subscription.period_end_at = body.period_end_at or subscription.period_end_at
    tx.put(subscription)
    return subscription.id


def _invoice_of(
    tx: Transaction, body: InvoiceBody, subscription_status: str, at: datetime
) -> tuple[Invoice, Card | None]:
    customer = customer_of(tx, body.customer)
    card = card_of(tx, customer, body.card)
    invoice = Invoice(
        id=body.invoice or new_id("in"),
        customer=customer.id,
        subscription=subscription_of(tx, customer, body, subscription_status, at),
        amount_total_minor=body.amount_minor,
        amount_due_minor=body.amount_minor,
        currency=body.currency.lower(),
        collection_method=body.collection_method,
        first_invoice=body.first_invoice,
        products=_labels(body.products),
        tags=_labels(body.tags),
        created_at=at,
        updated_at=tx.now,
    )
    return invoice, card


def _labels(labels: tuple[str, ...]) -> str | None:
    return msgspec.json.encode(labels).decode() if labels else None


def new_invoice(tx: Transaction, body: NewInvoiceBody) -> dict[str, object]:
    """An invoice that has not failed; one made as paid is paid by credit, as with a full coupon."""
    invoice, card = _invoice_of(tx, body, "active", tx.now)
    if body.status == "paid":
        invoice.credited_minor = invoice.amount_total_minor
    status = invoices.settle_up(tx, invoice)
    if body.status == "draft":
        invoice.status = "draft"
        tx.put(invoice)
    event = None
    if body.send_webhook:
        event = emit_invoice(tx, "invoice.paid" if status == "paid" else "invoice.updated", invoice).id
    return made(invoice, card, None, event)


def first_failure(tx: Transaction, body: FailureBody) -> dict[str, object]:
    """An invoice whose first charge was declined, or could not be made for want of a method."""
    if body.amount_minor == 0:
        raise invalid("A charge of nothing cannot fail. Give an amount_minor of at least 1.")
    failed_at = body.failed_at or tx.now
    invoice, card = _invoice_of(tx, body, "incomplete" if body.first_invoice else "past_due", failed_at)
    invoice.first_failed_at = failed_at
    invoices.plan_own_retry(tx, invoice)
    tx.put(invoice)
    decline = decline_from(body.decline)
    if card is not None:
        scripts.assume_declines(tx, card.id, decline)
    charge = None
    if card is not None or body.decline is not None:
        charge = _declined_charge(tx, invoice, card, decline, failed_at)
    event = emit_invoice(tx, "invoice.payment_failed", invoice, charge).id if body.send_webhook else None
    return made(invoice, card, charge, event)


def decline_from(body: str | DeclineBody | None) -> Decline:
    if isinstance(body, DeclineBody):
        return Decline(**msgspec.structs.asdict(body))
    return outcomes.decline_of(body or "insufficient_funds")


def _declined_charge(
    tx: Transaction, invoice: Invoice, card: Card | None, decline: Decline, failed_at: datetime
) -> Charge:
    """The first charge is the processor's own: it is booked, but nobody requested it."""
    charge = Charge(
        id=new_id("ch"),
        invoice=invoice.id,
        customer=invoice.customer,
        key=None,
        amount_minor=invoice.amount_due_minor,
        currency=invoice.currency,
        card=None if card is None else card.id,
        card_fingerprint=None if card is None else card.fingerprint,
        status="declined",
        at=failed_at,
        updated_at=tx.now,
    )
    put_decline(charge, decline)
    tx.put(charge)
    return charge


def made(invoice: Invoice, card: Card | None, charge: Charge | None, event: str | None) -> dict[str, object]:
    return {
        "invoice": invoice.id,
        "subscription": invoice.subscription,
        "customer": invoice.customer,
        "card": None if card is None else card.id,
        "charge": None if charge is None else charge.id,
        "event": event,
        "status": invoice.status,
        "amount_minor": invoice.amount_total_minor,
        "currency": invoice.currency,
        "first_failed_at": on_wire(invoice.first_failed_at),
    }


def attach(tx: Transaction, customer: Customer, body: NewCardBody) -> Card:
    """A new card on file. Made the default, it is two events for one change, as at real processors."""
    card = card_of(tx, customer, body)
    assert card is not None, "a described card is always there"
    keep(tx, customer, card, make_default=body.make_default)
    return card


def renew(tx: Transaction, card: Card, *, new_number: bool = True) -> None:
    """The account updater's hit: the same method stands for a new card from now on, or for the same one with a later expiry."""
    if new_number:
        card.fingerprint = new_id("fp")
    card.expires = f"{tx.now + RENEWED_UNTIL:%Y-%m}"
    tx.put(card)
    scripts.forget_assumed(tx, card.id)
    emit(tx, "payment_method.updated", customer=card.customer, card=card.id)


def keep(tx: Transaction, customer: Customer, card: Card, *, make_default: bool = True) -> None:
    """Put a card on file and say so."""
    card.detached = False
    tx.put(card)
    emit(tx, "payment_method.attached", customer=customer.id, card=card.id)
    if make_default:
        customer.default_card = card.id
        tx.put(customer)
        emit(tx, "customer.updated", customer=customer.id)
