"""The reads: one object by its id, and the lists that reconciliation goes through."""

from __future__ import annotations

from dunr.sandbox.database import Transaction
from dunr.sandbox.records import Card, Charge, Customer, Dispute, Invoice, Subscription

from . import shape_customers, shape_disputes, shape_invoices, shape_payments
from .calls import StripeCall
from .errors import Wrong, missing
from .expanding import expanded
from .lists import Narrow, cut, listed, page_of
from .parameters import (
    ChargeList,
    DisputeList,
    IntentList,
    InvoiceList,
    InvoicePaymentList,
    Page,
    Parameters,
    PaymentMethodList,
    PaymentMethodsOf,
    SubscriptionList,
)
from .payments import INTENT, PAYMENT, payment_by_intent, payments_of

Shown = dict[str, object]
STATUS_CLAUSES = {
    "draft": "status = 'draft'",
    "open": "status = 'open'",
    "void": "status = 'void'",
    "uncollectible": "status = 'written_off' AND amount_due_minor > 0",
    "paid": "(status = 'paid' OR (status = 'written_off' AND amount_due_minor = 0))",
}
# A payment that waits for the customer's bank has made no charge yet.
REAL_CHARGES = "NOT (status = 'declined' AND intent IS NOT NULL)"


def one(tx: Transaction, call: StripeCall, shown: Shown) -> Shown:
    return expanded(tx, shown, call.read(Parameters).expand, call.api_version)


def page(tx: Transaction, call: StripeCall, asked: Page, data: list[Shown], more: bool) -> Shown:
    return expanded(tx, listed(call.address, data, more=more), asked.expand, call.api_version)


def invoice(tx: Transaction, call: StripeCall) -> Shown:
    return one(tx, call, shape_invoices.invoice(tx, invoice_row(tx, call.id), call.api_version))


def invoice_row(tx: Transaction, invoice_id: str) -> Invoice:
    found = tx.get(Invoice, invoice_id)
    if found is None:
        raise missing("invoice", invoice_id)
    return found


def invoices(tx: Transaction, call: StripeCall) -> Shown:
    asked = call.read(InvoiceList)
    narrow = Narrow().by("customer", asked.customer).by("subscription", asked.subscription)
    narrow.by("collection_method", asked.collection_method).created(asked, "created_at")
    if asked.status is not None:
        narrow.where(STATUS_CLAUSES[asked.status])
    rows, more = page_of(tx, Invoice, narrow, asked, order_by="created_at")
    return page(tx, call, asked, [shape_invoices.invoice(tx, row, call.api_version) for row in rows], more)


def invoice_payments(tx: Transaction, call: StripeCall) -> Shown:
    """Of one invoice or one payment; without either, of the invoices created in the interval, newest first."""
    asked = call.read(InvoicePaymentList)
    if asked.payment is not None:
        payment = payment_by_intent(tx, asked.payment.payment_intent or "")
        rows = [] if payment is None else [payment.invoice]
        wanted = None if payment is None else payment.id
    else:
        narrow = Narrow().by("id", asked.invoice).created(asked, "created_at")
        rows = tx.find(Invoice, " AND ".join(narrow.parts), *narrow.values, order="created_at DESC, seq DESC")
        wanted = None
    shown = [shape_payments.invoice_payment(tx, payment) for row in rows for payment in payments_of(tx, row)]
    data = [row for row in shown if asked.status in (None, row["status"]) and wanted in (None, row["id"])]
    return expanded(tx, cut(data, asked, call.address), asked.expand, call.api_version)


def invoice_payment(tx: Transaction, call: StripeCall) -> Shown:
    payment = payment_by_intent(tx, INTENT + call.id.removeprefix(PAYMENT))
    if payment is None:
        raise missing("invoice_payment", call.id)
    return one(tx, call, shape_payments.invoice_payment(tx, payment))


def intent(tx: Transaction, call: StripeCall) -> Shown:
    payment = payment_by_intent(tx, call.id)
    if payment is None:
        raise missing("payment_intent", call.id)
    return one(tx, call, shape_payments.intent(tx, payment, call.api_version))


def intents(tx: Transaction, call: StripeCall) -> Shown:
    asked = call.read(IntentList)
    narrow = Narrow().by("customer", asked.customer).created(asked, "created_at")
    rows = tx.find(Invoice, " AND ".join(narrow.parts), *narrow.values, order="created_at DESC, seq DESC")
    data = [shape_payments.intent(tx, payment, call.api_version) for row in rows for payment in payments_of(tx, row)]
    return expanded(tx, cut(data, asked, call.address), asked.expand, call.api_version)


def charge(tx: Transaction, call: StripeCall) -> Shown:
    found = tx.get(Charge, call.id)
    if found is None or (found.status == "declined" and found.intent is not None):
        raise missing("charge", call.id)
    return one(tx, call, shape_payments.charge(tx, found, call.api_version))


def charges(tx: Transaction, call: StripeCall) -> Shown:
    asked = call.read(ChargeList)
    narrow = Narrow().where(REAL_CHARGES).by("customer", asked.customer).created(asked, "at")
    if asked.payment_intent is not None:
        payment = payment_by_intent(tx, asked.payment_intent)
        ids = [] if payment is None else [one.id for one in payment.charges]
        narrow.where(f"id IN ({', '.join('?' * len(ids))})", *ids)
    rows, more = page_of(tx, Charge, narrow, asked, order_by="at")
    return page(tx, call, asked, [shape_payments.charge(tx, row, call.api_version) for row in rows], more)


def customer(tx: Transaction, call: StripeCall) -> Shown:
    return one(tx, call, shape_customers.customer(tx, customer_row(tx, call.id)))


def customer_row(tx: Transaction, customer_id: str) -> Customer:
    found = tx.get(Customer, customer_id)
    if found is None:
        raise missing("customer", customer_id)
    return found


def payment_method(tx: Transaction, call: StripeCall) -> Shown:
    return one(tx, call, shape_customers.payment_method(tx, card_row(tx, call.id)))


def card_row(tx: Transaction, card_id: str) -> Card:
    found = tx.get(Card, card_id)
    if found is None:
        raise missing("PaymentMethod", card_id, "payment_method")
    return found


def payment_methods_of_customer(tx: Transaction, call: StripeCall) -> Shown:
    customer = customer_row(tx, call.id)
    if customer.deleted:
        raise missing("customer", call.id, "customer")
    return _methods(tx, call, customer, call.read(PaymentMethodList))


def payment_methods(tx: Transaction, call: StripeCall) -> Shown:
    asked = call.read(PaymentMethodsOf)
    if asked.customer is None:
        raise Wrong(400, "invalid_request_error", "Missing required param: customer.", param="customer")
    customer = tx.get(Customer, asked.customer)
    if customer is None or customer.deleted:
        raise missing("customer", asked.customer, "customer", status=400)
    return _methods(tx, call, customer, asked)


def _methods(tx: Transaction, call: StripeCall, owner: Customer, asked: PaymentMethodList) -> Shown:
    rails = [rail for rail, kind in shape_customers.METHOD_TYPES.items() if asked.type in (None, kind)]
    narrow = Narrow().by("customer", owner.id).where("detached = 0")
    narrow.where(f"rail IN ({', '.join('?' * len(rails))})", *rails)
    rows, more = page_of(tx, Card, narrow, asked, order_by=None)
    return page(tx, call, asked, [shape_customers.payment_method(tx, row) for row in rows], more)


def subscription(tx: Transaction, call: StripeCall) -> Shown:
    found = subscription_row(tx, call.id)
    return one(tx, call, shape_customers.subscription(tx, found, call.api_version))


def subscription_row(tx: Transaction, subscription_id: str) -> Subscription:
    found = tx.get(Subscription, subscription_id)
    if found is None:
        raise missing("subscription", subscription_id)
    return found


def subscriptions(tx: Transaction, call: StripeCall) -> Shown:
    """Those that ended are there only where they are asked for."""
    asked = call.read(SubscriptionList)
    narrow = Narrow().by("customer", asked.customer)
    match asked.status:
        case None:
            narrow.where("status <> 'ended'")
        case "all":
            pass
        case "canceled" | "ended":
            narrow.where("status = 'ended'")
        case status:
            narrow.by("status", status)
    rows, more = page_of(tx, Subscription, narrow, asked, order_by=None)
    return page(tx, call, asked, [shape_customers.subscription(tx, row, call.api_version) for row in rows], more)


def dispute(tx: Transaction, call: StripeCall) -> Shown:
    found = tx.get(Dispute, call.id)
    if found is None:
        raise missing("dispute", call.id)
    return one(tx, call, shape_disputes.dispute(tx, found))


def disputes(tx: Transaction, call: StripeCall) -> Shown:
    asked = call.read(DisputeList)
    narrow = Narrow().by("charge", asked.charge).created(asked, "opened_at")
    if asked.payment_intent is not None:
        payment = payment_by_intent(tx, asked.payment_intent)
        narrow.by("charge", "" if payment is None or payment.captured is None else payment.captured.id)
    rows, more = page_of(tx, Dispute, narrow, asked, order_by="opened_at")
    return page(tx, call, asked, [shape_disputes.dispute(tx, row) for row in rows], more)
