"""``/sandbox``: disputes and bounced debits. What banks take back."""

from __future__ import annotations

from typing import Literal

import msgspec

from . import invoices
from .answers import Reply, as_json, charge_on_wire
from .control_billing import AmountBody, fresh, invoice_of, succeeded_charge
from .database import Transaction
from .events import emit_invoice
from .identifiers import new_id
from .records import Charge, Dispute
from .refusals import conflict, unknown
from .snapshots import dispute_on_wire
from .wire import Call

BOUNCE_REASONS = {
    "R01": "insufficient_funds",
    "R09": "insufficient_funds",
    "R02": "incorrect_account_details",
    "R03": "incorrect_account_details",
    "R04": "incorrect_account_details",
}


class ReturnBody(msgspec.Struct, forbid_unknown_fields=True):
    """Why a bank debit bounced."""

    code: str = "R01"


class CloseBody(msgspec.Struct, forbid_unknown_fields=True):
    """How a dispute ended."""

    status: Literal["won", "lost", "warning_closed"]
    reinstated: bool = False


def dispute(tx: Transaction, call: Call) -> Reply:
    charge, body = succeeded_charge(tx, call), call.read(AmountBody)
    if tx.find(Dispute, "charge = ? AND status = 'open'", charge.id):
        raise conflict("The charge is disputed already. Close that dispute first.")
    amount_minor = min(body.amount_minor or charge.amount_minor, charge.amount_minor)
    opened = _new_dispute(tx, charge, amount_minor, reason=None)
    emit_invoice(tx, "dispute.opened", invoice_of(tx, charge), charge, opened.id)
    return as_json({"dispute": dispute_on_wire(opened)}, 201)


def _new_dispute(tx: Transaction, charge: Charge, amount_minor: int, reason: str | None) -> Dispute:
    opened = Dispute(
        id=new_id("dp"),
        customer=charge.customer,
        charge=charge.id,
        invoice=charge.invoice,
        card_fingerprint=charge.card_fingerprint,
        amount_minor=amount_minor,
        reason=reason,
        opened_at=tx.now,
    )
    tx.put(opened)
    return opened


def close_dispute(tx: Transaction, call: Call) -> Reply:
    found, body = tx.get(Dispute, call.path["id"]), call.read(CloseBody)
    if found is None:
        raise unknown("dispute", call.path["id"])
    charge = tx.get(Charge, found.charge)
    assert charge is not None, "a dispute is about a charge"
    found.status, found.reinstated, found.closed_at = body.status, body.reinstated, tx.now
    tx.put(found)
    emit_invoice(tx, "dispute.closed", invoice_of(tx, charge), charge, found.id)
    return as_json({"dispute": dispute_on_wire(found)})


def return_charge(tx: Transaction, call: Call) -> Reply:
    """A bank debit bounces after it succeeded: the invoice is owed again."""
    charge, body = succeeded_charge(tx, call), call.read(ReturnBody)
    invoice = invoice_of(tx, charge)
    if tx.overheard:
        return _lost_at_once(tx, charge, body.code)
    charge.status, charge.return_code, charge.updated_at = "returned", body.code, tx.now
    tx.put(charge)
    invoices.settle_up(tx, invoice)
    if invoice.status == "open":
        invoice.first_failed_at = invoice.first_failed_at or tx.now
        tx.put(invoice)
    emit_invoice(tx, "charge.returned", invoice, charge)
    emit_invoice(tx, "invoice.updated", invoice, charge)
    invoices.follow_subscription(tx, invoice)
    return as_json({"charge": charge_on_wire(charge), "invoice": fresh(tx, invoice)})


def _lost_at_once(tx: Transaction, charge: Charge, code: str) -> Reply:
    """At Stripe a debit that bounces after it succeeded is a dispute that nobody can win; the invoice stays paid."""
    invoice = invoice_of(tx, charge)
    dispute = _new_dispute(tx, charge, charge.amount_minor, reason=BOUNCE_REASONS.get(code, "bank_cannot_process"))
    emit_invoice(tx, "dispute.opened", invoice, charge, dispute.id)
    dispute.status, dispute.closed_at = "lost", tx.now
    tx.put(dispute)
    emit_invoice(tx, "dispute.closed", invoice, charge, dispute.id)
    return as_json({"charge": charge_on_wire(charge), "invoice": fresh(tx, invoice)})
