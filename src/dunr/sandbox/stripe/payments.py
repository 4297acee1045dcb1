"""Which payment each charge of an invoice belongs to.

Stripe gives an invoice one payment intent for life: each failed charge and the
one that pays belong to it. The books know charges only, and some of them are
no part of that payment: money that paid a part, or that came when nothing was
due any more. Each of those is a payment of its own.
"""

from __future__ import annotations

from dataclasses import dataclass

from dunr.sandbox.database import Transaction
from dunr.sandbox.records import Charge, Intent, Invoice

INTENT = "pi_"
PAYMENT = "inpay_"


@dataclass(frozen=True)
class Payment:
    """One payment of one invoice, with its charges, oldest first, and the customer's pending word to the bank."""

    invoice: Invoice
    intent_id: str
    is_default: bool
    charges: tuple[Charge, ...]
    waiting: Intent | None = None

    @property
    def id(self) -> str:
        return PAYMENT + self.intent_id.removeprefix(INTENT)

    @property
    def latest(self) -> Charge | None:
        return self.charges[-1] if self.charges else None

    @property
    def captured(self) -> Charge | None:
        return next((charge for charge in self.charges if charge.status in ("succeeded", "returned")), None)

    @property
    def amount_minor(self) -> int:
        captured = self.captured
        if captured is not None or not self.is_default:
            return (captured or self.charges[0]).amount_minor
        if self.invoice.status == "open" or not self.charges:
            return self.invoice.amount_due_minor
        return self.charges[-1].amount_minor


def status_of_invoice(invoice: Invoice) -> str:
    """Stripe's word for it. An uncollectible invoice that is paid after all is paid."""
    if invoice.status == "written_off":
        return "paid" if invoice.amount_due_minor == 0 else "uncollectible"
    return invoice.status


def charges_of(tx: Transaction, invoice: Invoice) -> list[Charge]:
    """What Stripe would call a charge. A payment that waits for the customer's bank has not made one yet."""
    found = tx.find(Charge, "invoice = ?", invoice.id)
    return [charge for charge in found if not (charge.status == "declined" and charge.intent is not None)]


def payments_of(tx: Transaction, invoice: Invoice) -> list[Payment]:
    """The default payment first. A draft has none, and neither has an invoice over nothing."""
    if invoice.status == "draft":
        return []
    charges = charges_of(tx, invoice)
    due = invoice.amount_total_minor - invoice.credited_minor
    own, apart, so_far = list[Charge](), list[Charge](), 0
    for charge in charges:
        if charge.status not in ("succeeded", "returned"):
            own.append(charge)
            continue
        completes = so_far < due <= so_far + charge.amount_minor
        so_far += charge.amount_minor
        (own if completes else apart).append(charge)
    found = [Payment(invoice, INTENT + charge.id, is_default=False, charges=(charge,)) for charge in apart]
    if due > 0 or own:
        default = Payment(
            invoice, INTENT + invoice.id, is_default=True, charges=tuple(own), waiting=_waiting(tx, invoice)
        )
        found.insert(0, default)
    return found


def _waiting(tx: Transaction, invoice: Invoice) -> Intent | None:
    found = tx.find(Intent, "invoice = ? AND status = 'requires_action'", invoice.id, order="seq DESC", limit=1)
    return found[0] if found and invoice.status == "open" else None


def payment_by_intent(tx: Transaction, intent_id: str) -> Payment | None:
    name = intent_id.removeprefix(INTENT)
    charge = tx.get(Charge, name)
    invoice = tx.get(Invoice, name if charge is None else charge.invoice)
    if not intent_id.startswith(INTENT) or invoice is None:
        return None
    return next((payment for payment in payments_of(tx, invoice) if payment.intent_id == intent_id), None)


def payment_of_charge(tx: Transaction, charge: Charge) -> Payment:
    """Every charge belongs to exactly one payment, save the placeholder of one that waits, which is the default's."""
    invoice = tx.get(Invoice, charge.invoice)
    assert invoice is not None, "a charge belongs to an invoice"
    found = payments_of(tx, invoice)
    named = next((payment for payment in found if any(one.id == charge.id for one in payment.charges)), None)
    return named or Payment(invoice, INTENT + invoice.id, is_default=True, charges=(), waiting=_waiting(tx, invoice))
