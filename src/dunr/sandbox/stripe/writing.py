"""The writes that are no payment: updates, endings, methods that come and go, refunds, the portal."""

from __future__ import annotations

import msgspec

from dunr.sandbox import billing, control_customers, invoices
from dunr.sandbox.database import Transaction
from dunr.sandbox.events import emit, emit_invoice
from dunr.sandbox.identifiers import new_id
from dunr.sandbox.processor_face import PAY_TOKEN_LIFE
from dunr.sandbox.records import Card, Charge, Customer, Invoice, PayToken, Subscription

from . import paying, shape_customers, shape_invoices, shape_payments
from .calls import StripeCall
from .declines import TEST_METHODS
from .errors import missing, refused
from .expanding import expanded
from .lists import Narrow, page_of
from .parameters import (
    Attach,
    CustomerUpdate,
    IntentCancel,
    InvoiceUpdate,
    Parameters,
    PortalSession,
    RefundCreate,
    RefundList,
    SubscriptionCancel,
)
from .payments import payment_by_intent, status_of_invoice
from .reading import Shown, card_row, customer_row, invoice_row, one, page, subscription_row
from .rows import StripeRefund


def update_invoice(tx: Transaction, call: StripeCall) -> Shown:
    """``auto_advance=false`` ends Stripe's own tries; ``true`` brings them back where the settings have them."""
    asked = call.read(InvoiceUpdate)
    invoice = invoice_row(tx, call.id)
    if asked.auto_advance is not None and invoice.left_alone == asked.auto_advance:
        invoice.left_alone = not asked.auto_advance
        invoice.updated_at = tx.now
        if invoice.first_failed_at is not None:
            invoices.plan_own_retry(tx, invoice)
        tx.put(invoice)
        emit_invoice(tx, "invoice.updated", invoice)
    shown = shape_invoices.invoice(tx, invoice, call.api_version)
    return expanded(tx, shown, asked.expand, call.api_version)


def void_invoice(tx: Transaction, call: StripeCall) -> Shown:
    return _ended(tx, call, "void")


def mark_uncollectible(tx: Transaction, call: StripeCall) -> Shown:
    return _ended(tx, call, "uncollectible")


def _ended(tx: Transaction, call: StripeCall, status: str) -> Shown:
    call.read(Parameters)
    invoice = invoice_row(tx, call.id)
    now = status_of_invoice(invoice)
    allowed = ("open", "uncollectible") if status == "void" else ("open",)
    if now not in allowed:
        raise refused(f"You can only mark an invoice as {status} when it is {' or '.join(allowed)}; this one is {now}.")
    invoices.end(tx, invoice, "void" if status == "void" else "written_off")
    return one(tx, call, shape_invoices.invoice(tx, invoice, call.api_version))


def cancel_intent(tx: Transaction, call: StripeCall) -> Shown:
    """The intent of an invoice's default payment cannot be cancelled by itself; void the invoice instead."""
    call.read(IntentCancel)
    payment = payment_by_intent(tx, call.id)
    if payment is None:
        raise missing("payment_intent", call.id)
    status = shape_payments.status_of(payment)
    if status in ("succeeded", "canceled"):
        raise refused(
            f"You cannot cancel this PaymentIntent because it has a status of {status}.",
            code="payment_intent_unexpected_state",
        )
    raise refused(
        f"You cannot cancel PaymentIntent {call.id} because it was created by invoice {payment.invoice.id}. "
        "Void the invoice instead, or pay it with another payment method."
    )


def attach(tx: Transaction, call: StripeCall) -> Shown:
    asked = call.read(Attach)
    customer = tx.get(Customer, asked.customer)
    if customer is None or customer.deleted:
        raise missing("customer", asked.customer, "customer", status=400)
    named = call.id in TEST_METHODS and tx.get(Card, call.id) is None
    card = paying.card_of_test_method(tx, customer.id, call.id) if named else card_row(tx, call.id)
    if not card.detached and card.customer != customer.id:
        raise refused("The payment method you provided has already been attached to a customer.")
    card.customer = customer.id
    billing.keep(tx, customer, card, make_default=False)
    return expanded(tx, shape_customers.payment_method(tx, card), asked.expand, call.api_version)


def detach(tx: Transaction, call: StripeCall) -> Shown:
    call.read(Parameters)
    card = card_row(tx, call.id)
    if card.detached:
        raise refused("The payment method you provided is not attached to a customer so detachment is impossible.")
    control_customers.detach(tx, card)
    return one(tx, call, shape_customers.payment_method(tx, card))


def update_customer(tx: Transaction, call: StripeCall) -> Shown:
    asked = call.read(CustomerUpdate)
    customer = customer_row(tx, call.id)
    wanted = asked.invoice_settings.default_payment_method if asked.invoice_settings is not None else None
    if wanted is not None:
        card = tx.get(Card, wanted)
        if card is None or card.detached or card.customer != customer.id:
            raise missing("PaymentMethod", wanted, "invoice_settings[default_payment_method]", status=400)
        customer.default_card = wanted
    customer.email = asked.email or customer.email
    customer.name = asked.name or customer.name
    if asked.preferred_locales:
        customer.locale = asked.preferred_locales[0]
    tx.put(customer)
    emit(tx, "customer.updated", customer=customer.id)
    return expanded(tx, shape_customers.customer(tx, customer), asked.expand, call.api_version)


def cancel_subscription(tx: Transaction, call: StripeCall) -> Shown:
    asked = call.read(SubscriptionCancel)
    found = subscription_row(tx, call.id)
    if found.status == "ended":
        raise missing("subscription", call.id)
    control_customers.end_subscription(tx, found)
    now = tx.get(Subscription, found.id) or found
    return expanded(tx, shape_customers.subscription(tx, now, call.api_version), asked.expand, call.api_version)


def create_refund(tx: Transaction, call: StripeCall) -> Shown:
    asked = call.read(RefundCreate)
    charge = _refundable(tx, asked)
    left = charge.amount_minor - charge.refunded_minor
    if left == 0:
        raise refused(f"Charge {charge.id} has already been refunded.", code="charge_already_refunded")
    if (asked.amount or 0) > left:
        raise refused(f"Refund amount is greater than unrefunded amount on charge ({left}).", param="amount")
    invoice = tx.get(Invoice, charge.invoice)
    assert invoice is not None, "a charge belongs to an invoice"
    invoices.refunded(tx, invoice, charge, asked.amount or left)
    made = tx.find(StripeRefund, "charge = ?", charge.id, order="seq DESC", limit=1)[0]
    made.reason = asked.reason
    if asked.metadata:
        made.metadata = msgspec.json.encode(asked.metadata).decode()
    tx.put(made)
    return expanded(tx, shape_payments.refund(tx, made), asked.expand, call.api_version)


def _refundable(tx: Transaction, asked: RefundCreate) -> Charge:
    payment = payment_by_intent(tx, asked.payment_intent or "")
    captured = payment.captured if payment is not None else None
    charge = tx.get(Charge, asked.charge) or captured
    if charge is None:
        named = "payment_intent" if asked.payment_intent else "charge"
        raise missing(named, asked.payment_intent or asked.charge or "", named, status=400)
    if charge.status != "succeeded":
        raise refused(f"Charge {charge.id} has not succeeded, so there is nothing to refund.")
    return charge


def refund(tx: Transaction, call: StripeCall) -> Shown:
    found = tx.get(StripeRefund, call.id)
    if found is None:
        raise missing("refund", call.id)
    return one(tx, call, shape_payments.refund(tx, found))


def refunds(tx: Transaction, call: StripeCall) -> Shown:
    asked = call.read(RefundList)
    narrow = Narrow().by("charge", asked.charge).created(asked, "created_at")
    if asked.payment_intent is not None:
        payment = payment_by_intent(tx, asked.payment_intent)
        narrow.by("charge", "" if payment is None or payment.captured is None else payment.captured.id)
    rows, more = page_of(tx, StripeRefund, narrow, asked, order_by=None)
    return page(tx, call, asked, [shape_payments.refund(tx, row) for row in rows], more)


def portal_session(tx: Transaction, call: StripeCall) -> Shown:
    """A link to the sandbox's page for one customer, good for a short time and one use."""
    asked = call.read(PortalSession)
    customer = tx.get(Customer, asked.customer)
    if customer is None or customer.deleted:
        raise missing("customer", asked.customer, "customer", status=400)
    token = PayToken(id=new_id("pay"), customer=customer.id, invoice=None, expires_at=tx.now + PAY_TOKEN_LIFE)
    tx.put(token)
    return {
        "id": f"bps_{token.id}",
        "object": "billing_portal.session",
        "configuration": asked.configuration or "bpc_sandbox",
        "created": shape_customers.unix(tx.now),
        "customer": customer.id,
        "flow": None if asked.flow_data is None else msgspec.to_builtins(asked.flow_data),
        "livemode": shape_customers.is_live(tx),
        "locale": asked.locale,
        "on_behalf_of": None,
        "return_url": asked.return_url,
        "url": f"{call.public_url}/sandbox/pay/{token.id}",
    }
