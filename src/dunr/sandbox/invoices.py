"""What an invoice owes, derived anew from its facts after each change, and what follows from it.

Due is total less credits less captured money that has not come back. Refunds
do not reopen an invoice. Money that arrives late is booked in every status.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Literal

from .database import Transaction
from .events import emit, emit_invoice
from .records import AgendaItem, Charge, Invoice, InvoiceStatus, Subscription

OWN_RETRIES_MAX = 4


def settle_up(tx: Transaction, invoice: Invoice) -> InvoiceStatus:
    """Recompute what is due and, where that changes it, the status. Writes the row, sends nothing."""
    captured = sum(c.amount_minor for c in tx.find(Charge, "invoice = ? AND status = 'succeeded'", invoice.id))
    invoice.amount_due_minor = max(0, invoice.amount_total_minor - invoice.credited_minor - captured)
    if invoice.status in ("draft", "open") and invoice.amount_due_minor == 0:
        invoice.status = "paid"
    elif invoice.status == "paid" and invoice.amount_due_minor > 0:
        invoice.status = "open"
    invoice.updated_at = tx.now
    if invoice.status != "open":
        forget_own_retry(tx, invoice)
    tx.put(invoice)
    return invoice.status


def money_arrived(tx: Transaction, invoice: Invoice, charge: Charge) -> None:
    was_payable = invoice.status in ("draft", "open")
    status = settle_up(tx, invoice)
    emit_invoice(tx, "charge.succeeded", invoice, charge)
    emit_invoice(tx, "invoice.paid" if was_payable and status == "paid" else "invoice.updated", invoice, charge)
    follow_subscription(tx, invoice)


def payment_failed(tx: Transaction, invoice: Invoice, charge: Charge) -> None:
    """A no on an invoice. On one that is already paid it stays a fact about the charge only."""
    if invoice.status == "open":
        invoice.first_failed_at = invoice.first_failed_at or tx.now
        plan_own_retry(tx, invoice)
    invoice.updated_at = tx.now
    tx.put(invoice)
    emit_invoice(tx, "charge.failed", invoice, charge)
    if invoice.status == "open":
        emit_invoice(tx, "invoice.payment_failed", invoice, charge)
    follow_subscription(tx, invoice)


def refunded(tx: Transaction, invoice: Invoice, charge: Charge, amount_minor: int) -> None:
    """Money given back. The caller knows that so much is left; the invoice stays as it is."""
    charge.refunded_minor += amount_minor
    charge.updated_at = tx.now
    tx.put(charge)
    emit_invoice(tx, "charge.refunded", invoice, charge)


def follow_subscription(tx: Transaction, invoice: Invoice) -> None:
    """Past due while one of its invoices has failed and is open; what has ended stays ended."""
    subscription = tx.get(Subscription, invoice.subscription)
    if subscription is None or subscription.status not in ("active", "trialing", "past_due", "unpaid"):
        return
    failing = tx.count(
        Invoice,
        "subscription = ? AND status = 'open' AND first_failed_at IS NOT NULL AND collection_method = ?",
        subscription.id,
        "charge_automatically",
    )
    owed = subscription.status in ("past_due", "unpaid")
    if bool(failing) == owed:
        return
    subscription.status = "past_due" if failing else "active"
    tx.put(subscription)
    emit(tx, "subscription.updated", subscription=subscription.id, customer=subscription.customer)


def settle_by_credit(tx: Transaction, invoice: Invoice) -> None:
    """Less is owed without a charge: the caller has raised what is credited."""
    status = settle_up(tx, invoice)
    emit_invoice(tx, "invoice.paid" if status == "paid" else "invoice.updated", invoice)
    follow_subscription(tx, invoice)


def end(tx: Transaction, invoice: Invoice, status: Literal["void", "written_off"]) -> None:
    """Nothing is asked for any more. The caller knows that it was a draft or open."""
    invoice.status = status
    settle_up(tx, invoice)
    emit_invoice(tx, "invoice.voided" if status == "void" else "invoice.written_off", invoice)
    follow_subscription(tx, invoice)


def plan_own_retry(tx: Transaction, invoice: Invoice) -> None:
    """Where the processor retries by itself, write down when it will."""
    wanted = (
        tx.settings.retries_by_itself
        and invoice.status == "open"
        and not invoice.left_alone
        and invoice.collection_method == "charge_automatically"
        and invoice.own_retry_count < OWN_RETRIES_MAX
    )
    if not wanted:
        forget_own_retry(tx, invoice)
        return
    invoice.next_attempt_at = tx.now + timedelta(seconds=tx.settings.own_retry_seconds)
    tx.put(
        AgendaItem(id=f"own_retry:{invoice.id}", kind="own_retry", due_at=invoice.next_attempt_at, subject=invoice.id)
    )


def forget_own_retry(tx: Transaction, invoice: Invoice) -> None:
    invoice.next_attempt_at = None
    tx.remove(AgendaItem, f"own_retry:{invoice.id}")


def replan_own_retries(tx: Transaction) -> None:
    """After the setting changed: every failed open invoice gets or loses its next try."""
    for invoice in tx.find(Invoice, "status = 'open' AND first_failed_at IS NOT NULL"):
        plan_own_retry(tx, invoice)
        tx.put(invoice)
