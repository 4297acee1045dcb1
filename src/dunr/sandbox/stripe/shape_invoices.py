"""Invoices as Stripe shows them. From 2025-03-31 on one names neither its subscription nor its payment at the top."""

from __future__ import annotations

from dunr.sandbox.database import Transaction
from dunr.sandbox.records import Charge, Customer, Invoice, Subscription
from dunr.sandbox.snapshots import labels

from . import unused
from .payments import Payment, charges_of, payments_of, status_of_invoice
from .shape_customers import is_live, unix
from .shape_payments import invoice_payment
from .versions import INVOICE_PAYMENTS, since

PUBLIC_URL = "stripe_public_url"


def invoice(tx: Transaction, found: Invoice, version: str) -> dict[str, object]:
    charges, payments = charges_of(tx, found), payments_of(tx, found)
    owner = tx.get(Customer, found.customer)
    ended_at, status = unix(found.updated_at), status_of_invoice(found)
    received = sum(one.amount_minor for one in charges if one.status == "succeeded")
    due = found.amount_total_minor - found.credited_minor
    attempts = len([one for one in charges if one.status != "pending"]) + sum(p.waiting is not None for p in payments)
    shown: dict[str, object] = {
        **unused.INVOICE,
        "id": found.id,
        "object": "invoice",
        "account_country": "US",
        "amount_due": due,
        "amount_paid": min(due, received),
        "amount_remaining": found.amount_due_minor,
        "attempt_count": attempts or (1 if found.first_failed_at is not None else 0),
        "attempted": bool(attempts) or found.first_failed_at is not None,
        "auto_advance": found.status in ("draft", "open") and not found.left_alone,
        "billing_reason": _reason(found),
        "collection_method": found.collection_method,
        "created": unix(found.created_at),
        "currency": found.currency,
        "customer": found.customer,
        "customer_email": None if owner is None else owner.email,
        "customer_name": None if owner is None else owner.name,
        "default_payment_method": None,
        "default_source": None,
        "description": None,
        "due_date": None,
        "ending_balance": 0,
        "hosted_invoice_url": _hosted(tx, found),
        "last_finalization_error": None,
        "lines": _lines(tx, found, version),
        "livemode": is_live(tx),
        "metadata": {"tags": ",".join(labels(found.tags))} if found.tags is not None else {},
        "next_payment_attempt": unix(found.next_attempt_at),
        "number": None if found.status == "draft" else f"SANDBOX-{found.id[-8:].upper()}",
        "period_end": unix(found.created_at),
        "period_start": unix(found.created_at),
        "post_payment_credit_notes_amount": 0,
        "pre_payment_credit_notes_amount": found.credited_minor,
        "starting_balance": 0,
        "status": status,
        "status_transitions": {
            "finalized_at": None if found.status == "draft" else unix(found.created_at),
            "marked_uncollectible_at": ended_at if status == "uncollectible" else None,
            "paid_at": (_paid_at(charges) or ended_at) if status == "paid" else None,
            "voided_at": ended_at if status == "void" else None,
        },
        "subtotal": found.amount_total_minor,
        "total": found.amount_total_minor,
        "webhooks_delivered_at": unix(found.created_at),
    }
    if since(version, INVOICE_PAYMENTS):
        return {**shown, "amount_overpaid": max(0, received - due), "parent": _parent(found), "total_taxes": []}
    return {**shown, **_named_at_the_top(found, payments, status)}


def _named_at_the_top(found: Invoice, payments: list[Payment], status: str) -> dict[str, object]:
    """What older versions say at once."""
    default = next((payment for payment in payments if payment.is_default), None)
    latest = default.latest if default is not None else None
    return {
        "charge": None if latest is None else latest.id,
        "paid": status == "paid",
        "paid_out_of_band": False,
        "payment_intent": None if default is None else default.intent_id,
        "quote": None,
        "subscription": found.subscription,
        "tax": None,
    }


def _reason(found: Invoice) -> str:
    if found.subscription is None:
        return "manual"
    return "subscription_create" if found.first_invoice else "subscription_cycle"


def _hosted(tx: Transaction, found: Invoice) -> str | None:
    return None if found.status == "draft" else f"{tx.single(PUBLIC_URL)}/sandbox/stripe/hosted/{found.id}"


def _paid_at(charges: list[Charge]) -> int | None:
    times = [one.settled_at for one in charges if one.status == "succeeded" and one.settled_at is not None]
    return unix(max(times)) if times else None


def _parent(found: Invoice) -> dict[str, object] | None:
    if found.subscription is None:
        return None
    return {
        "quote_details": None,
        "subscription_details": {"metadata": {}, "subscription": found.subscription},
        "type": "subscription_details",
    }


def _lines(tx: Transaction, found: Invoice, version: str) -> dict[str, object]:
    """One line a product; the first one carries the whole amount."""
    products: list[str | None] = [*labels(found.products)] or [None]
    data = [_line(tx, found, version, number, product) for number, product in enumerate(products)]
    url = f"/v1/invoices/{found.id}/lines"
    return {"object": "list", "data": data, "has_more": False, "total_count": len(data), "url": url}


def _line(tx: Transaction, found: Invoice, version: str, number: int, product: str | None) -> dict[str, object]:
    subscription = tx.get(Subscription, found.subscription)
    amount = found.amount_total_minor if number == 0 else 0
    line: dict[str, object] = {
        "id": f"il_{found.id}" if number == 0 else f"il_{found.id}_{number}",
        "object": "line_item",
        "amount": amount,
        "currency": found.currency,
        "description": "Sandbox subscription",
        "discount_amounts": [],
        "discountable": True,
        "discounts": [],
        "livemode": is_live(tx),
        "metadata": {},
        "period": {
            "start": unix(found.created_at),
            "end": unix(found.created_at if subscription is None else subscription.period_end_at),
        },
        "quantity": 1,
    }
    if since(version, INVOICE_PAYMENTS):
        line["invoice"] = found.id
        line["parent"] = None if found.subscription is None else _line_parent(found.subscription)
        line["pricing"] = None if product is None else _pricing(product, amount)
    else:
        line["price"] = None if product is None else _price(product, found.currency)
        line["subscription"] = found.subscription
        line["type"] = "invoiceitem" if found.subscription is None else "subscription"
    return line


def _pricing(product: str, amount: int) -> dict[str, object]:
    details = {"price": f"price_{product}", "product": product}
    return {"price_details": details, "type": "price_details", "unit_amount_decimal": str(amount)}


def _price(product: str, currency: str) -> dict[str, object]:
    return {"id": f"price_{product}", "object": "price", "currency": currency, "product": product}


def _line_parent(subscription: str) -> dict[str, object]:
    return {
        "invoice_item_details": None,
        "subscription_item_details": {
            "invoice_item": None,
            "proration": False,
            "subscription": subscription,
            "subscription_item": f"si_{subscription}",
        },
        "type": "subscription_item_details",
    }


def invoice_payments(tx: Transaction, found: Invoice) -> dict[str, object]:
    """The list that ``payments`` becomes when it is expanded."""
    data = [invoice_payment(tx, payment) for payment in payments_of(tx, found)]
    url = f"/v1/invoice_payments?invoice={found.id}"
    return {"object": "list", "data": data, "has_more": False, "total_count": len(data), "url": url}
