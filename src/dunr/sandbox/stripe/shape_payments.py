"""Charges, payment intents, invoice payments and refunds as Stripe shows them, in each API version."""

from __future__ import annotations

import msgspec

from dunr.sandbox.database import Transaction
from dunr.sandbox.records import Card, Charge, Customer, Dispute

from . import unused
from .declines import error_of, message_of
from .payments import Payment, payment_of_charge
from .rows import StripeRefund
from .shape_customers import METHOD_TYPES, billing_details, country_of, expiry, is_live, payment_method, unix
from .versions import CHARGES_UNLISTED, INVOICE_PAYMENTS, since

CHARGE_STATUSES = {"succeeded": "succeeded", "declined": "failed", "pending": "pending", "returned": "succeeded"}


def charge(tx: Transaction, found: Charge, version: str) -> dict[str, object]:
    """The invoice is named before 2025-03-31 only; from then on the way leads over its payments."""
    paid, code = found.status != "declined", found.error_code
    shown: dict[str, object] = {
        **unused.CHARGE,
        "id": found.id,
        "object": "charge",
        "amount": found.amount_minor,
        "amount_captured": found.amount_minor if paid else 0,
        "amount_refunded": found.refunded_minor,
        "application": None,
        "balance_transaction": f"txn_{found.id}" if found.status == "succeeded" else None,
        "billing_details": billing_details(tx.get(Customer, found.customer)),
        "captured": paid,
        "created": unix(found.at),
        "currency": found.currency,
        "customer": found.customer,
        "description": None,
        "disputed": tx.count(Dispute, "charge = ?", found.id) > 0,
        "failure_code": code,
        "failure_message": None if code is None else message_of(found),
        "livemode": is_live(tx),
        "metadata": {},
        "outcome": _outcome(found),
        "paid": paid,
        "payment_intent": payment_of_charge(tx, found).intent_id,
        "payment_method": found.card,
        "payment_method_details": _details(tx, found),
        "refunded": found.refunded_minor >= found.amount_minor > 0,
        "status": CHARGE_STATUSES[found.status],
    }
    if not since(version, INVOICE_PAYMENTS):
        shown["invoice"] = found.invoice
    if not since(version, CHARGES_UNLISTED):
        shown["refunds"] = refunds_list(tx, found)
    return shown


def _outcome(found: Charge) -> dict[str, object]:
    declined = found.status == "declined"
    reason = found.decline_code or found.error_code
    return {
        "advice_code": found.advice_code,
        "network_advice_code": found.network_advice_code,
        "network_decline_code": found.network_decline_code,
        "network_status": "declined_by_network" if declined else "approved_by_network",
        "reason": reason if declined else None,
        "risk_level": "normal",
        "seller_message": f"The bank returned the decline code `{reason}`." if declined else "Payment complete.",
        "type": "issuer_declined" if declined else "authorized",
    }


def _details(tx: Transaction, found: Charge) -> dict[str, object] | None:
    card = tx.get(Card, found.card)
    if card is None:
        return None
    kind = METHOD_TYPES[card.rail]
    if kind != "card":
        return {"type": kind, kind: {"last4": card.last4, "fingerprint": found.card_fingerprint}}
    month, year = expiry(tx, card)
    brand = card.network or "unknown"
    return {
        "type": "card",
        "card": {
            "brand": brand,
            "country": country_of(tx, card),
            "exp_month": month,
            "exp_year": year,
            "fingerprint": found.card_fingerprint,
            "funding": "credit",
            "last4": card.last4,
            "network": brand,
            "network_token": {"used": card.network_token},
            "three_d_secure": None,
            "wallet": None,
        },
    }


def status_of(payment: Payment) -> str:
    latest = payment.latest
    if payment.captured is not None:
        return "succeeded"
    if payment.invoice.status == "void":
        return "canceled"
    if latest is not None and latest.status == "pending":
        return "processing"
    return "requires_action" if payment.waiting is not None else "requires_payment_method"


def intent(tx: Transaction, payment: Payment, version: str) -> dict[str, object]:
    """A payment that waits for the customer's bank names the card; one that was declined has none any more."""
    status, latest, captured, invoice = status_of(payment), payment.latest, payment.captured, payment.invoice
    declined = latest if latest is not None and latest.status == "declined" and status != "requires_action" else None
    method = payment.waiting.card if payment.waiting is not None else None
    if latest is not None and status in ("succeeded", "processing"):
        method = latest.card
    shown: dict[str, object] = {
        **unused.INTENT,
        "id": payment.intent_id,
        "object": "payment_intent",
        "amount": payment.amount_minor,
        "amount_capturable": 0,
        "amount_received": 0 if captured is None else captured.amount_minor,
        "canceled_at": unix(invoice.updated_at) if status == "canceled" else None,
        "cancellation_reason": "void_invoice" if status == "canceled" else None,
        "capture_method": "automatic",
        "client_secret": f"{payment.intent_id}_secret_sandbox",
        "confirmation_method": "automatic",
        "created": unix(invoice.created_at),
        "currency": invoice.currency,
        "customer": invoice.customer,
        "description": None,
        "latest_charge": None if latest is None else latest.id,
        "last_payment_error": None if declined is None else last_error(tx, declined),
        "livemode": is_live(tx),
        "metadata": {},
        "next_action": _next_action(status),
        "payment_method": method,
        "payment_method_types": ["card"],
        "processing": None,
        "setup_future_usage": None,
        "status": status,
    }
    if not since(version, INVOICE_PAYMENTS):
        shown["invoice"] = invoice.id
    if not since(version, CHARGES_UNLISTED):
        shown["charges"] = {
            "object": "list",
            "data": [charge(tx, one, version) for one in reversed(payment.charges)],
            "has_more": False,
            "total_count": len(payment.charges),
            "url": f"/v1/charges?payment_intent={payment.intent_id}",
        }
    return shown


def _next_action(status: str) -> dict[str, object] | None:
    if status != "requires_action":
        return None
    return {"type": "use_stripe_sdk", "use_stripe_sdk": {"type": "three_d_secure_redirect"}}


def last_error(tx: Transaction, declined: Charge) -> dict[str, object]:
    """The decline as an intent carries it: with its charge and the whole method."""
    card = tx.get(Card, declined.card)
    method = None if card is None else {**payment_method(tx, card)}
    return {**error_of(declined), "type": "card_error", "charge": declined.id, "payment_method": method}


def invoice_payment(tx: Transaction, payment: Payment) -> dict[str, object]:
    captured = payment.captured
    status = {"succeeded": "paid", "canceled": "canceled"}.get(status_of(payment), "open")
    ended_at = unix(payment.invoice.updated_at)
    return {
        "id": payment.id,
        "object": "invoice_payment",
        "amount_paid": None if captured is None else captured.amount_minor,
        "amount_requested": payment.amount_minor,
        "created": unix(payment.invoice.created_at),
        "currency": payment.invoice.currency,
        "invoice": payment.invoice.id,
        "is_default": payment.is_default,
        "livemode": is_live(tx),
        "payment": {"payment_intent": payment.intent_id, "type": "payment_intent"},
        "status": status,
        "status_transitions": {
            "canceled_at": ended_at if status == "canceled" else None,
            "paid_at": None if captured is None else unix(captured.settled_at),
        },
    }


def refund(tx: Transaction, found: StripeRefund) -> dict[str, object]:
    of = tx.get(Charge, found.charge)
    assert of is not None, "a refund is of a charge"
    return {
        "id": found.id,
        "object": "refund",
        "amount": found.amount_minor,
        "charge": of.id,
        "created": unix(found.created_at),
        "currency": of.currency,
        "metadata": msgspec.json.decode(found.metadata),
        "payment_intent": payment_of_charge(tx, of).intent_id,
        "reason": found.reason,
        "status": "succeeded",
    }


def refunds_list(tx: Transaction, of: Charge) -> dict[str, object]:
    found = tx.find(StripeRefund, "charge = ?", of.id, order="seq DESC")
    data = [refund(tx, one) for one in found]
    return {"object": "list", "data": data, "has_more": False, "url": f"/v1/charges/{of.id}/refunds"}
