"""From what Stripe says to a snapshot of ours. Pure: everything was asked for before."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TypeVar

from dunr.adapters.processors.stripe.changes import ChangedObject, Changes
from dunr.adapters.processors.stripe.charges import ChargeOnWire, try_without_charge
from dunr.adapters.processors.stripe.gathering import Gathered, intents_of
from dunr.adapters.processors.stripe.methods import default_of, in_order
from dunr.adapters.processors.stripe.money import minimum_minor
from dunr.adapters.processors.stripe.wire import CustomerOnWire, InvoiceOnWire, SubscriptionOnWire, id_of, instant
from dunr.core.glance import Glance
from dunr.core.snapshot import (
    ChargeSnapshot,
    CustomerSnapshot,
    InvoiceSnapshot,
    Snapshot,
    SubscriptionSnapshot,
)
from dunr.core.terms import ChargeStatus, CollectionMethod, InvoiceStatus, SubscriptionStatus
from dunr.core.value import replace
from dunr.ports import SnapshotUnavailable

Word = TypeVar("Word")

FIRST_INVOICE = "subscription_create"
INVOICE_STATUSES: Mapping[str, InvoiceStatus] = {
    "draft": InvoiceStatus.DRAFT,
    "open": InvoiceStatus.OPEN,
    "paid": InvoiceStatus.PAID,
    "void": InvoiceStatus.VOID,
    "uncollectible": InvoiceStatus.WRITTEN_OFF,
}
SUBSCRIPTION_STATUSES: Mapping[str, SubscriptionStatus] = {
    "active": SubscriptionStatus.ACTIVE,
    "trialing": SubscriptionStatus.TRIALING,
    "past_due": SubscriptionStatus.PAST_DUE,
    "incomplete": SubscriptionStatus.INCOMPLETE,
    "incomplete_expired": SubscriptionStatus.ENDED,
    "paused": SubscriptionStatus.PAUSED,
    "unpaid": SubscriptionStatus.UNPAID,
    "canceled": SubscriptionStatus.ENDED,
}


def snapshot_of(told: Gathered) -> Snapshot:
    """All of it as ours. Raises `SnapshotUnavailable` where Stripe uses a word that is not known: in doubt nothing is decided."""
    invoice = told.invoice
    returned = {charge.id: why for dispute, charge in told.disputes if (why := dispute.return_reason) is not None}
    charges = charges_of(invoice, told.charges, returned)
    first_failed_at = _first_failed_at(invoice, charges)
    methods = in_order(told.methods, invoice, first_failed_at)
    own = {charge.id for charge in told.charges}
    status = _known(INVOICE_STATUSES, invoice.status, "an invoice")
    subscription = invoice.subscription
    next_attempt = invoice.next_payment_attempt if status is InvoiceStatus.OPEN else None
    return Snapshot(
        taken_at=told.taken_at,
        live=invoice.livemode,
        invoice=_invoice(invoice, status, first_failed_at),
        subscription=_subscription(subscription) if subscription is not None else None,
        customer=_customer(invoice, methods[0].country if methods else None),
        methods=methods,
        charges=charges,
        disputes=tuple(
            dispute.seen(charge, invoice.id if charge.id in own else id_of(charge.invoice))
            for dispute, charge in told.disputes
            if dispute.return_reason is None
        ),
        processor_next_attempt_at=instant(next_attempt) if next_attempt is not None else None,
        collects_by_itself=invoice.auto_advance and status is InvoiceStatus.OPEN,
    )


def glance_at(invoice: InvoiceOnWire, taken_at: datetime, changes: Changes) -> Glance:
    """An open invoice as a list tells it: one that was tried and is not paid counts as failed, since when is for a look to say."""
    finalized_at = instant(invoice.status_transitions.finalized_at or invoice.created)
    owner = invoice.customer.id if invoice.customer is not None else ""
    gathered = Gathered(invoice, taken_at, charges=(), methods=(), disputes=())
    told = snapshot_of(gathered)
    tried = replace(told.invoice, first_failed_at=finalized_at if invoice.attempted else None)
    return Glance(
        replace(told, invoice=tried),
        default_method_id=default_of(invoice),
        charge_ids=tuple(changes.charge_ids.get(owner, ())),
        is_touched=owner in changes.touched,
    )


def glance_back_at(told: ChangedObject, since: datetime, changes: Changes) -> Glance | None:
    """An invoice as its newest event tells it, where it is closed. One that an event shows open and no list does has changed since."""
    status, owner = INVOICE_STATUSES.get(told.status or ""), id_of(told.customer)
    if status is None or owner is None or told.currency is None:
        return None
    invoice = InvoiceSnapshot(
        processor_invoice_id=told.id,
        status=status,
        amount_total_minor=told.amount_remaining + told.amount_paid + told.pre_payment_credit_notes_amount,
        amount_due_minor=told.amount_remaining,
        credited_minor=told.pre_payment_credit_notes_amount,
        currency=told.currency,
        first_failed_at=since,
        collection_method=CollectionMethod.CHARGE_AUTOMATICALLY,
        is_first=False,
    )
    return Glance(
        Snapshot(since, told.livemode, invoice, None, CustomerSnapshot(owner, deleted=False), (), ()),
        charge_ids=tuple(changes.charge_ids.get(owner, ())),
        is_touched=owner in changes.touched or status is InvoiceStatus.OPEN,
    )


def charges_of(
    invoice: InvoiceOnWire, charges: Sequence[ChargeOnWire], returned: Mapping[str, str]
) -> tuple[ChargeSnapshot, ...]:
    """The charges of an invoice, oldest first, and each try that left none."""
    intents = intents_of(invoice)
    seen = [charge.seen(intents.get(id_of(charge.payment_intent) or ""), returned.get(charge.id)) for charge in charges]
    tried_at = invoice.status_transitions.finalized_at or invoice.created
    tries = (try_without_charge(intent, charges, tried_at) for intent in intents.values())
    return tuple(sorted((*seen, *(one for one in tries if one is not None)), key=lambda one: one.at))


def _first_failed_at(invoice: InvoiceOnWire, charges: Sequence[ChargeSnapshot]) -> datetime | None:
    """When the first charge failed. Stripe also tries where there is nothing to charge; that fails when the invoice is finalized."""
    failed = [charge.at for charge in charges if charge.status is ChargeStatus.DECLINED]
    if failed:
        return min(failed)
    if invoice.attempted and not charges and invoice.amount_remaining > 0:
        return instant(invoice.status_transitions.finalized_at or invoice.created)
    return None


def _invoice(invoice: InvoiceOnWire, status: InvoiceStatus, first_failed_at: datetime | None) -> InvoiceSnapshot:
    """The total is put together from its parts, so that it is the same whether a credit note lowered the amount due or not."""
    credited = invoice.pre_payment_credit_notes_amount
    lines = invoice.lines.data if invoice.lines is not None else ()
    return InvoiceSnapshot(
        processor_invoice_id=invoice.id,
        status=status,
        amount_total_minor=invoice.amount_remaining + invoice.amount_paid + credited,
        amount_due_minor=invoice.amount_remaining,
        credited_minor=credited,
        currency=invoice.currency,
        first_failed_at=first_failed_at,
        collection_method=CollectionMethod.SEND_INVOICE
        if invoice.collection_method == CollectionMethod.SEND_INVOICE
        else CollectionMethod.CHARGE_AUTOMATICALLY,
        is_first=invoice.billing_reason == FIRST_INVOICE,
        minimum_minor=minimum_minor(invoice.currency),
        products=tuple(sorted({product for line in lines if (product := line.product) is not None})),
        tags=_tags(invoice),
    )


def _tags(invoice: InvoiceOnWire) -> tuple[str, ...]:
    """The metadata of the invoice, its subscription and its customer, each as `key=value`."""
    owners = (invoice, invoice.subscription, invoice.customer)
    return tuple(
        sorted({f"{key}={value}" for one in owners if one is not None for key, value in (one.metadata or {}).items()})
    )


def _subscription(subscription: SubscriptionOnWire) -> SubscriptionSnapshot:
    """The subscription. Since 2025-03-31 each item has a period of its own; the earliest end counts."""
    items = subscription.items.data if subscription.items is not None else ()
    ends = [item.current_period_end for item in items if item.current_period_end is not None]
    status = _known(SUBSCRIPTION_STATUSES, subscription.status, "a subscription")
    return SubscriptionSnapshot(subscription.id, status, instant(min(ends)) if ends else None)


def _customer(invoice: InvoiceOnWire, card_country: str | None) -> CustomerSnapshot | None:
    """The payer; where they gave no address, their card's country tells when they are paid. Stripe knows no timezone of theirs."""
    customer: CustomerOnWire | None = invoice.customer
    if customer is None:
        return None
    address = customer.address.country if customer.address is not None else None
    return CustomerSnapshot(
        processor_customer_id=customer.id,
        deleted=customer.deleted,
        email=customer.email or (None if customer.deleted else invoice.customer_email),
        name=customer.name,
        locale=customer.preferred_locales[0] if customer.preferred_locales else None,
        country=address or card_country,
    )


def _known(words: Mapping[str, Word], told: str, whose: str) -> Word:
    """One of our words for one of theirs."""
    word = words.get(told)
    if word is None:
        raise SnapshotUnavailable(
            f"Stripe says of {whose} that it is {told!r}, which this version of dunr does not know"
        )
    return word
