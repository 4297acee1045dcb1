"""Disputes as Stripe shows them, with the money that went and came back; the same in each API version."""

from __future__ import annotations

from datetime import datetime

from dunr.sandbox.database import Transaction
from dunr.sandbox.records import Charge, Dispute, Invoice

from . import unused
from .payments import payment_of_charge
from .shape_customers import is_live, unix

DISPUTE_STATUSES = {"open": "needs_response", "won": "won", "lost": "lost", "warning_closed": "warning_closed"}


def dispute(tx: Transaction, found: Dispute) -> dict[str, object]:
    of = tx.get(Charge, found.charge)
    invoice = tx.get(Invoice, found.invoice)
    assert of is not None, "a dispute is about a charge"
    currency = of.currency if invoice is None else invoice.currency
    return {
        **unused.DISPUTE,
        "id": found.id,
        "object": "dispute",
        "amount": found.amount_minor,
        "balance_transactions": _moved(found, currency),
        "charge": found.charge,
        "created": unix(found.opened_at),
        "currency": currency,
        "is_charge_refundable": False,
        "livemode": is_live(tx),
        "metadata": {},
        "payment_intent": payment_of_charge(tx, of).intent_id,
        "reason": found.reason or "fraudulent",
        "status": DISPUTE_STATUSES[found.status],
    }


def came_back(found: Dispute) -> bool:
    """Whether the money is the merchant's again, however the dispute is called now."""
    return found.reinstated or found.status in ("won", "warning_closed")


def _moved(found: Dispute, currency: str) -> list[dict[str, object]]:
    """The money goes when the dispute is opened, and may come back in a second movement."""
    moved = [_movement(found, currency, "dispute", -found.amount_minor, found.opened_at)]
    if came_back(found):
        moved.append(_movement(found, currency, "dispute_reversal", found.amount_minor, found.closed_at))
    return moved


def _movement(
    found: Dispute, currency: str, category: str, amount_minor: int, at: datetime | None
) -> dict[str, object]:
    return {
        "id": f"txn_{category}_{found.id}",
        "object": "balance_transaction",
        "amount": amount_minor,
        "available_on": unix(at),
        "created": unix(at),
        "currency": currency,
        "description": None,
        "exchange_rate": None,
        "fee": 0,
        "fee_details": [],
        "net": amount_minor,
        "reporting_category": category,
        "source": found.id,
        "status": "available",
        "type": "adjustment",
    }
