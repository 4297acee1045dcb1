"""``expand``: ids that become the objects they name, along a dotted path."""

from __future__ import annotations

from dunr.sandbox.database import Transaction
from dunr.sandbox.records import Card, Charge, Customer, Invoice, Subscription

from . import shape_customers, shape_invoices, shape_payments
from .errors import Wrong
from .payments import payment_by_intent

DEPTH_MAX = 4

Shown = dict[str, object]


def expanded(tx: Transaction, shown: Shown, paths: list[str], version: str) -> Shown:
    """The object with every path laid open. Raises 400 for one that cannot be."""
    for path in paths:
        parts = path.split(".")
        if len(parts) > DEPTH_MAX:
            raise _cannot(path, f"You cannot expand more than {DEPTH_MAX} levels of a property")
        _open(tx, shown, parts, version, path)
    return shown


def _open(tx: Transaction, node: object, parts: list[str], version: str, path: str) -> None:
    if not parts or node is None:
        return
    if isinstance(node, list):
        for one in node:
            _open(tx, one, parts, version, path)
        return
    if not isinstance(node, dict):
        raise _cannot(path)
    head, rest = parts[0], parts[1:]
    if head == "payments" and node.get("object") == "invoice" and "parent" in node:
        invoice = tx.get(Invoice, str(node["id"]))
        assert invoice is not None, "an invoice that is shown is there"
        node.setdefault("payments", shape_invoices.invoice_payments(tx, invoice))
    elif head == "refunds" and node.get("object") == "charge":
        charge = tx.get(Charge, str(node["id"]))
        assert charge is not None, "a charge that is shown is there"
        node.setdefault("refunds", shape_payments.refunds_list(tx, charge))
    if head not in node:
        raise _cannot(path)
    value = node[head]
    if isinstance(value, str):
        node[head] = _object(tx, head, value, version)
        if node[head] is None:
            raise _cannot(path)
    _open(tx, node[head], rest, version, path)


def _object(tx: Transaction, field: str, record_id: str, version: str) -> Shown | None:
    """The object that a field names, or nothing where the field names none."""
    match field:
        case "customer":
            customer = tx.get(Customer, record_id)
            return None if customer is None else shape_customers.customer(tx, customer)
        case "subscription":
            subscription = tx.get(Subscription, record_id)
            return None if subscription is None else shape_customers.subscription(tx, subscription, version)
        case "invoice" | "latest_invoice":
            invoice = tx.get(Invoice, record_id)
            return None if invoice is None else shape_invoices.invoice(tx, invoice, version)
        case "charge" | "latest_charge":
            charge = tx.get(Charge, record_id)
            return None if charge is None else shape_payments.charge(tx, charge, version)
        case "payment_intent":
            payment = payment_by_intent(tx, record_id)
            return None if payment is None else shape_payments.intent(tx, payment, version)
        case "payment_method" | "default_payment_method":
            card = tx.get(Card, record_id)
            return None if card is None else shape_customers.payment_method(tx, card)
        case _:
            return None


def _cannot(path: str, why: str | None = None) -> Wrong:
    message = why or f"This property cannot be expanded ({path})."
    return Wrong(400, "invalid_request_error", message, param="expand", code="property_cannot_be_expanded")
