"""What happens in the books, as Stripe's events. One happening is several of them; the first says most."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import msgspec

from dunr.sandbox.database import Happening, Transaction
from dunr.sandbox.identifiers import new_id
from dunr.sandbox.records import Card, Charge, Customer, Dispute, Event, Invoice, Subscription

from . import shape_customers, shape_disputes, shape_invoices, shape_payments
from .envelopes import News, write
from .payments import payment_of_charge, status_of_invoice
from .rows import StripeRefund
from .shape_customers import unix
from .versions import INVOICE_PAYMENTS, REFUND_EVENTS

STATUS_SEEN = "stripe_status:"


def listener(api_version: str, account: str, *, connected: bool) -> Callable[[Transaction, Happening], list[Event]]:
    """Hears what happens, and writes what the endpoints get."""

    def hear(tx: Transaction, happening: Happening) -> list[Event]:
        written = []
        for news in _news(tx, happening):
            written += write(tx, news, happening, api_version, account, connected=connected)
        return written

    return hear


def _news(tx: Transaction, happening: Happening) -> list[News]:
    kind = happening.kind
    invoice, charge = tx.get(Invoice, happening.invoice), tx.get(Charge, happening.charge)
    if kind.startswith("dispute.") or kind == "charge.refunded":
        return [] if charge is None else _of_money_that_went_back(tx, happening, charge)
    if kind.startswith("charge."):
        return [] if charge is None else _of_charge(tx, kind, charge)
    if kind.startswith("invoice."):
        return [] if invoice is None else _of_invoice(tx, kind, invoice, charge)
    if kind.startswith("subscription."):
        subscription = tx.get(Subscription, happening.subscription)
        return [] if subscription is None else _of_subscription(tx, kind, subscription)
    if kind.startswith("payment_method."):
        return _of_method(tx, kind, tx.get(Card, happening.card))
    customer = tx.get(Customer, happening.customer)
    return [] if customer is None else [News(kind, lambda _: _customer(tx, customer))]


def _customer(tx: Transaction, customer: Customer) -> dict[str, object]:
    """The event of a deletion still shows whole who was deleted."""
    return shape_customers.customer(tx, msgspec.structs.replace(customer, deleted=False))


def _of_charge(tx: Transaction, kind: str, charge: Charge) -> list[News]:
    payment = payment_of_charge(tx, charge)
    shape, intent = partial(shape_payments.charge, tx, charge), partial(shape_payments.intent, tx, payment)
    if kind == "charge.failed" and charge.intent is not None:
        return [News("payment_intent.requires_action", intent)]
    if kind == "charge.failed":
        return [News("payment_intent.payment_failed", intent), News("charge.failed", shape)]
    if kind == "charge.pending":
        return [News("payment_intent.processing", intent), News("charge.pending", shape)]
    paid = partial(shape_payments.invoice_payment, tx, payment)
    return [
        News("payment_intent.succeeded", intent),
        News("charge.succeeded", shape),
        News("invoice_payment.paid", lambda _: paid(), first_in=INVOICE_PAYMENTS),
    ]


def _of_money_that_went_back(tx: Transaction, happening: Happening, charge: Charge) -> list[News]:
    shape = partial(shape_payments.charge, tx, charge)
    dispute = tx.get(Dispute, happening.dispute)
    if dispute is not None:
        shown = partial(shape_disputes.dispute, tx, dispute)
        if happening.kind == "dispute.opened":
            types = ["charge.dispute.created", "charge.dispute.funds_withdrawn"]
        else:
            back = ["charge.dispute.funds_reinstated"] if shape_disputes.came_back(dispute) else []
            types = ["charge.dispute.closed", *back]
        return [News(kind, lambda _: shown()) for kind in types]
    so_far = sum(one.amount_minor for one in tx.find(StripeRefund, "charge = ?", charge.id))
    made = StripeRefund(
        id=new_id("re"), charge=charge.id, amount_minor=charge.refunded_minor - so_far, created_at=tx.now
    )
    tx.put(made)
    refund = partial(shape_payments.refund, tx, made)
    return [
        News("charge.refunded", shape, before={"amount_refunded": so_far}),
        News("refund.created", lambda _: refund(), first_in=REFUND_EVENTS),
    ]


def _of_invoice(tx: Transaction, kind: str, invoice: Invoice, charge: Charge | None) -> list[News]:
    shape = partial(shape_invoices.invoice, tx, invoice)
    if kind == "invoice.updated" and invoice.status == "written_off" and status_of_invoice(invoice) == "paid":
        kind = "invoice.paid"
    match kind:
        case "invoice.paid":
            types = ["invoice.paid", "invoice.payment_succeeded", "invoice.updated"]
        case "invoice.payment_failed" if charge is not None and charge.intent is not None:
            types = ["invoice.payment_failed", "invoice.payment_action_required", "invoice.updated"]
        case "invoice.payment_failed":
            types = ["invoice.payment_failed", "invoice.updated"]
        case "invoice.written_off":
            types = ["invoice.marked_uncollectible", "invoice.updated"]
        case "invoice.voided":
            types = ["invoice.voided", "invoice.updated"]
        case _:
            types = ["invoice.updated"]
    return [News(one, shape, before={} if one == "invoice.updated" else None) for one in types]


def _of_subscription(tx: Transaction, kind: str, subscription: Subscription) -> list[News]:
    shape = partial(shape_customers.subscription, tx, subscription)
    seen = tx.single(STATUS_SEEN + subscription.id)
    now = shape_customers.STATUSES.get(subscription.status, subscription.status)
    tx.put_single(STATUS_SEEN + subscription.id, now)
    if kind == "subscription.deleted":
        tx.put_single(shape_customers.ENDED + subscription.id, str(unix(tx.now)))
        _leave_alone(tx, subscription)
        return [News("customer.subscription.deleted", shape)]
    # A subscription that nobody has heard of yet was the opposite, since it tells of a change.
    seen = seen or ("past_due" if now == "active" else "active")
    before: dict[str, object] = {"status": seen} if seen != now else {}
    return [News("customer.subscription.updated", shape, before=before)]


def _leave_alone(tx: Transaction, subscription: Subscription) -> None:
    """What is still owed for a subscription that ended stays owed, and is no longer collected by itself."""
    for invoice in tx.find(Invoice, "subscription = ? AND status IN ('draft', 'open')", subscription.id):
        invoice.left_alone = True
        tx.put(invoice)


def _of_method(tx: Transaction, kind: str, card: Card | None) -> list[News]:
    if card is None:
        return []
    shape = partial(shape_customers.payment_method, tx, card)
    if kind == "payment_method.updated":
        return [News("payment_method.automatically_updated", lambda _: shape(), before={})]
    before: dict[str, object] | None = {"customer": card.customer} if kind == "payment_method.detached" else None
    return [News(kind, lambda _: shape(), before=before)]
