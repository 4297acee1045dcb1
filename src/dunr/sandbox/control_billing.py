"""``/sandbox``: failing, paying, voiding, disputing. What people do to an invoice."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

import msgspec

from . import billing, invoices
from .answers import Reply, as_json, charge_on_wire
from .booking import collect
from .database import Transaction
from .descriptions import CardBody, CustomerBody, FailureBody, FailuresBody, NewInvoiceBody
from .outcomes import Succeed
from .records import Card, Charge, ChargeRequest, Customer, Intent, Invoice
from .refusals import conflict, invalid, unknown
from .snapshots import invoice_on_wire
from .wire import Call

MADE = "made:"

Positive = Annotated[int, msgspec.Meta(ge=1, le=10**15)]


class AmountBody(msgspec.Struct, forbid_unknown_fields=True):
    """How much; all of it where nothing is said."""

    amount_minor: Positive | None = None


class PayBody(AmountBody):
    """A payment by the customer."""

    card: str | None = None
    force: bool = False  # pay what is no longer payable, or more than is due


def fail(tx: Transaction, call: Call) -> Reply:
    body = call.read(FailureBody)
    return _made_before(tx, body.invoice) or _make(tx, billing.first_failure(tx, body))


def fail_many(tx: Transaction, call: Call) -> Reply:
    """As many failures, each of a customer, a card and a subscription of its own, and nobody is told: an account with a past."""
    body = call.read(FailuresBody)
    for number in range(1, body.count + 1):
        name = f"{body.name}_{number}"
        card = CardBody(id=f"pm_{name}") if body.with_card else None
        told = FailureBody(
            invoice=f"in_{name}",
            subscription=f"sub_{name}",
            customer=CustomerBody(id=f"cus_{name}", email=f"{name}@example.com"),
            amount_minor=body.amount_minor,
            card=card,
            failed_at=body.failed_at,
            decline=body.decline,
            send_webhook=False,
        )
        if tx.get(Invoice, told.invoice) is None:
            billing.first_failure(tx, told)
            _put_on_file_by(tx, card, body.failed_at)
    return as_json({"first": f"in_{body.name}_1", "last": f"in_{body.name}_{body.count}", "count": body.count}, 201)


def _put_on_file_by(tx: Transaction, card: CardBody | None, at: datetime | None) -> None:
    """A card that failed at some time was there by then."""
    kept = tx.get(Card, card.id if card is not None else None)
    if kept is not None and at is not None:
        kept.created_at = at
        tx.put(kept)


def create_invoice(tx: Transaction, call: Call) -> Reply:
    body = call.read(NewInvoiceBody)
    return _made_before(tx, body.invoice) or _make(tx, billing.new_invoice(tx, body))


def _made_before(tx: Transaction, invoice_id: str | None) -> Reply | None:
    """The same invoice again is the same object and nothing new."""
    if invoice_id is None:
        return None
    before = tx.single(MADE + invoice_id)
    return None if before is None else as_json(msgspec.Raw(before.encode()))


def _make(tx: Transaction, made: dict[str, object]) -> Reply:
    answer = as_json(made, 201)
    tx.put_single(f"{MADE}{made['invoice']}", answer.body.decode())
    return answer


def pay(tx: Transaction, call: Call) -> Reply:
    """The customer pays by some way of their own; it always works."""
    invoice, body = _invoice(tx, call), call.read(PayBody)
    if not body.force and invoice.status not in ("draft", "open"):
        raise conflict(f'The invoice is {invoice.status}. Send {{"force": true}} to pay it all the same.')
    if not body.force and (body.amount_minor or 0) > invoice.amount_due_minor:
        raise invalid(f'Only {invoice.amount_due_minor} is due. Send {{"force": true}} to pay more.')
    amount_minor = body.amount_minor or invoice.amount_due_minor or invoice.amount_total_minor
    customer = tx.get(Customer, invoice.customer)
    card = tx.get(Card, body.card or (customer.default_card if customer else None))
    request = collect(tx, invoice, card, amount_minor, "customer", Succeed())
    return as_json({"charge": _charge_body(tx, request.charge), "invoice": fresh(tx, invoice)})


def void(tx: Transaction, call: Call) -> Reply:
    return _end(tx, _invoice(tx, call), "void")


def write_off(tx: Transaction, call: Call) -> Reply:
    return _end(tx, _invoice(tx, call), "written_off")


def _end(tx: Transaction, invoice: Invoice, status: Literal["void", "written_off"]) -> Reply:
    if invoice.status not in ("draft", "open", status):
        raise conflict(f"The invoice is {invoice.status}; only a draft or open one can become {status}.")
    if invoice.status != status:
        invoices.end(tx, invoice, status)
    return as_json({"invoice": fresh(tx, invoice)})


def credit(tx: Transaction, call: Call) -> Reply:
    invoice, body = _invoice(tx, call), call.read(AmountBody)
    if invoice.status not in ("draft", "open"):
        raise conflict(f"The invoice is {invoice.status}; there is nothing left to credit.")
    if (body.amount_minor or 0) > invoice.amount_due_minor:
        raise invalid(f"Only {invoice.amount_due_minor} is due; a credit cannot be larger.")
    invoice.credited_minor += body.amount_minor or invoice.amount_due_minor
    invoices.settle_by_credit(tx, invoice)
    return as_json({"invoice": fresh(tx, invoice)})


def refund(tx: Transaction, call: Call) -> Reply:
    charge, body = succeeded_charge(tx, call), call.read(AmountBody)
    left = charge.amount_minor - charge.refunded_minor
    if left == 0 or (body.amount_minor or 0) > left:
        raise conflict(f"Only {left} of this charge is left to refund.")
    invoices.refunded(tx, invoice_of(tx, charge), charge, body.amount_minor or left)
    return as_json({"charge": charge_on_wire(charge)})


def confirm_charge(tx: Transaction, call: Call) -> Reply:
    charge = _charge(tx, call)
    return _confirm(tx, tx.get(Intent, charge.intent), charge.id)


def confirm_intent(tx: Transaction, call: Call) -> Reply:
    """By the intent's id, or by that of the one payment which a Stripe invoice has for life."""
    asked = call.path["id"]
    newest = tx.find(Intent, "invoice = ?", asked.removeprefix("pi_"), order="seq DESC", limit=1)
    return _confirm(tx, tx.get(Intent, asked) or (newest[0] if newest else None), asked)


def _confirm(tx: Transaction, intent: Intent | None, asked: str) -> Reply:
    """The customer says yes to their bank: a new charge, which carries the intent but no key."""
    if intent is None:
        raise unknown("intent waiting for the customer in", asked)
    if intent.status != "requires_action":
        raise conflict(f"The intent is {intent.status}; it can no longer be confirmed.")
    invoice = tx.get(Invoice, intent.invoice)
    assert invoice is not None, "an intent belongs to an invoice"
    request = collect(tx, invoice, tx.get(Card, intent.card), intent.amount_minor, "customer", Succeed())
    charge = tx.get(Charge, request.charge)
    assert charge is not None, "a success is booked as a charge"
    charge.intent = intent.id
    tx.put(charge)
    intent.status = "succeeded"
    tx.put(intent)
    return as_json({"intent": {"id": intent.id, "status": intent.status}, "charge": charge_on_wire(charge)})


def _invoice(tx: Transaction, call: Call) -> Invoice:
    invoice = tx.get(Invoice, call.path["id"])
    if invoice is None:
        raise unknown("invoice", call.path["id"])
    return invoice


def invoice_of(tx: Transaction, charge: Charge) -> Invoice:
    invoice = tx.get(Invoice, charge.invoice)
    assert invoice is not None, "a charge belongs to an invoice"
    return invoice


def _charge(tx: Transaction, call: Call) -> Charge:
    """By its own id, or by that of a row of GET /charges, which is a request."""
    asked = call.path["id"]
    request = tx.get(ChargeRequest, asked)
    charge = tx.get(Charge, asked if request is None else request.charge)
    if charge is None:
        raise unknown("charge", asked)
    return charge


def succeeded_charge(tx: Transaction, call: Call) -> Charge:
    charge = _charge(tx, call)
    if charge.status != "succeeded":
        raise conflict(f"The charge is {charge.status}; only one that succeeded can come back.")
    return charge


def fresh(tx: Transaction, invoice: Invoice) -> dict[str, object] | None:
    found = tx.get(Invoice, invoice.id)
    return None if found is None else invoice_on_wire(tx, found)


def _charge_body(tx: Transaction, charge_id: str | None) -> dict[str, object] | None:
    charge = tx.get(Charge, charge_id)
    return None if charge is None else charge_on_wire(charge)
