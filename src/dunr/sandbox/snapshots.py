"""What the processor says about an invoice, in one consistent read, and the lists for reconciliation."""

from __future__ import annotations

from datetime import datetime

import msgspec

from .answers import charge_on_wire
from .database import Transaction
from .events import ACCOUNT, LIVE
from .instants import on_wire, parsed
from .records import Card, Charge, Customer, Dispute, Invoice, Subscription
from .refusals import bad_request, not_found

PAGE_MAX = 100


def invoice_on_wire(tx: Transaction, invoice: Invoice) -> dict[str, object]:
    return {
        "id": invoice.id,
        "status": invoice.status,
        "amount_total_minor": invoice.amount_total_minor,
        "amount_due_minor": invoice.amount_due_minor,
        "credited_minor": invoice.credited_minor,
        "currency": invoice.currency,
        "first_failed_at": on_wire(invoice.first_failed_at),
        "collection_method": invoice.collection_method,
        "first_invoice": invoice.first_invoice,
        "created_at": on_wire(invoice.created_at),
        "minimum_minor": tx.settings.minimum_minor,
        "products": labels(invoice.products),
        "tags": labels(invoice.tags),
    }


def labels(stored: str | None) -> list[str]:
    return [] if stored is None else msgspec.json.decode(stored, type=list[str])


def subscription_on_wire(subscription: Subscription | None) -> dict[str, object] | None:
    if subscription is None:
        return None
    return {
        "id": subscription.id,
        "status": subscription.status,
        "period_end_at": on_wire(subscription.period_end_at),
    }


def customer_on_wire(customer: Customer) -> dict[str, object]:
    fields = ("id", "deleted", "email", "name", "locale", "timezone", "country")
    return {field: getattr(customer, field) for field in fields}


def card_on_wire(card: Card) -> dict[str, object]:
    return {
        "id": card.id,
        "fingerprint": card.fingerprint,
        "network": card.network,
        "rail": card.rail,
        "last4": card.last4,
        "expires": card.expires,
        "country": card.country,
        "usable": not card.detached,
        "network_token": card.network_token,
        "backup": card.backup,
        "came_with_subscription": card.came_with_subscription,
    }


def dispute_on_wire(dispute: Dispute) -> dict[str, object]:
    return {
        "id": dispute.id,
        "charge": dispute.charge,
        "invoice": dispute.invoice,
        "card_fingerprint": dispute.card_fingerprint,
        "amount_minor": dispute.amount_minor,
        "status": dispute.status,
        "reinstated": dispute.reinstated,
        "opened_at": on_wire(dispute.opened_at),
        "closed_at": on_wire(dispute.closed_at),
    }


def methods(tx: Transaction, customer: Customer) -> list[Card]:
    """Attached methods, the default first; a deleted customer has none."""
    if customer.deleted:
        return []
    cards = tx.find(Card, "customer = ? AND detached = 0", customer.id)
    return sorted(cards, key=lambda card: card.id != customer.default_card)


def snapshot(tx: Transaction, invoice_id: str) -> dict[str, object]:
    invoice = tx.get(Invoice, invoice_id)
    customer = tx.get(Customer, None if invoice is None else invoice.customer)
    if invoice is None or customer is None:
        raise not_found("invoice", invoice_id)
    return {
        "taken_at": on_wire(tx.shown_now),
        "account": tx.single(ACCOUNT),
        "live": tx.single(LIVE) == "true",
        "invoice": invoice_on_wire(tx, invoice),
        "subscription": subscription_on_wire(tx.get(Subscription, invoice.subscription)),
        "customer": customer_on_wire(customer),
        "methods": [card_on_wire(card) for card in methods(tx, customer)],
        "charges": [charge_on_wire(charge) for charge in tx.find(Charge, "invoice = ?", invoice.id)],
        "disputes": [dispute_on_wire(dispute) for dispute in tx.find(Dispute, "customer = ?", customer.id)],
        "next_attempt_at": on_wire(invoice.next_attempt_at),
        "retries_by_itself": tx.settings.retries_by_itself,
        "collects_by_itself": tx.settings.retries_by_itself and invoice.status == "open" and not invoice.left_alone,
    }


def charges(tx: Transaction, invoice: str | None, key: str | None) -> dict[str, object]:
    """Every booked charge that matches. What still hangs is not here: nobody knows it yet."""
    if invoice is None and key is None:
        raise bad_request("parameter_missing", "Name an invoice, a key, or both.")
    found = tx.find(Charge, "(?1 IS NULL OR invoice = ?1) AND (?2 IS NULL OR key = ?2)", invoice, key)
    return {
        "charges": [charge_on_wire(charge) for charge in found],
        "as_of": on_wire(tx.shown_now),
        "settle_after_seconds": tx.settings.settle_after_seconds,
    }


def invoices_page(
    tx: Transaction, status: str | None, since: datetime | None, cursor: str | None, limit: int
) -> dict[str, object]:
    where, values = "1", list[str | datetime]()
    if status is not None:
        where, values = "status = ?", [status]
    at, after = _resume(cursor, since)
    found = tx.find(
        Invoice, f"{where} AND (updated_at, id) > (?, ?)", *values, at, after, order="updated_at, id", limit=limit + 1
    )
    rows = [
        {
            **invoice_on_wire(tx, invoice),
            "customer": invoice.customer,
            "subscription": invoice.subscription,
            "updated_at": on_wire(invoice.updated_at),
        }
        for invoice in found[:limit]
    ]
    last = found[limit - 1] if len(found) > limit else None
    return {"invoices": rows, "next_cursor": _cursor(last), "as_of": on_wire(tx.shown_now)}


def recent_charges_page(tx: Transaction, since: datetime | None, cursor: str | None, limit: int) -> dict[str, object]:
    """By last change, so that a late settlement or return shows up again."""
    at, after = _resume(cursor, since)
    found = tx.find(Charge, "(updated_at, id) > (?, ?)", at, after, order="updated_at, id", limit=limit + 1)
    last = found[limit - 1] if len(found) > limit else None
    return {
        "charges": [charge_on_wire(charge) for charge in found[:limit]],
        "next_cursor": _cursor(last),
        "as_of": on_wire(tx.shown_now),
    }


def _cursor(last: Invoice | Charge | None) -> str | None:
    return None if last is None else f"{on_wire(last.updated_at)},{last.id}"


def _resume(cursor: str | None, since: datetime | None) -> tuple[datetime, str]:
    if cursor is None:
        return since or parsed("1970-01-01T00:00:00Z"), ""
    at, _, after = cursor.partition(",")
    try:
        return parsed(at), after
    except ValueError:
        raise bad_request("parameter_invalid", "The cursor is none of ours; leave it out to begin again.") from None
