"""What an event is about, from its own body and nothing else, whatever version it was told in.

The shapes differ: until 2025-03-31 an invoice named its subscription and a charge or intent its invoice; since then an invoice names its subscription under `parent`,
a charge and an intent name no invoice at all, and a thin event names one object by type and id. A dispute never named its payer. Where a body does not name an invoice,
the subject carries the object through which `StripeProcessor.invoices_of` finds it.
"""

from typing import TypeVar

import msgspec

from dunr.adapters.processors.stripe.events import (
    CUSTOMER_EVENTS,
    DISPUTE_EVENTS,
    INVOICE_EVENTS,
    SUBSCRIPTION_EVENTS,
    classic_type,
)
from dunr.adapters.processors.stripe.wire import Id, Ref, id_of
from dunr.errors import BadEvent
from dunr.ports import Inbound, Subject

Kind = TypeVar("Kind")

INVOICE_ID_PREFIX = "in_"
METHOD_EVENTS_PREFIX = "payment_method."
KINDS_RESOLVED = frozenset({"charge", "payment_intent", "dispute", "payment_method", "invoice_payment", "credit_note"})


class StripeSubject(Subject):
    """A subject whose invoice has to be asked for: `through_kind` and `through_id` name the object that leads to it."""

    through_kind: str | None = None
    through_id: str | None = None


class SubscriptionDetails(msgspec.Struct):
    """Where newer invoices name their subscription."""

    subscription: Ref = None


class Parent(msgspec.Struct):
    """What an invoice was made for, since 2025-03-31."""

    subscription_details: SubscriptionDetails | None = None


class PaymentDetails(msgspec.Struct):
    """What some intents say of the order they pay."""

    order_reference: str | None = None


class EventObject(msgspec.Struct):
    """The ids that the object of a classic event may name, in any version."""

    id: Id | None = None
    object: str | None = None
    customer: Ref = None
    invoice: Ref = None
    subscription: Ref = None
    parent: Parent | None = None
    charge: Ref = None
    payment_intent: Ref = None
    payment_details: PaymentDetails | None = None


class Before(msgspec.Struct):
    """What the object said before the change; a field that did not change is not there."""

    customer: Ref | msgspec.UnsetType = msgspec.UNSET
    status: str | msgspec.UnsetType | None = msgspec.UNSET
    default_payment_method: Ref | msgspec.UnsetType = msgspec.UNSET
    default_source: Ref | msgspec.UnsetType = msgspec.UNSET
    collection_method: str | msgspec.UnsetType | None = msgspec.UNSET

    @property
    def customer_id(self) -> str | None:
        """Whose it was."""
        return id_of(self.customer) if self.customer is not msgspec.UNSET else None

    @property
    def matters(self) -> bool:
        """Whether a subscription changed in a way that a case wants to know. Most of its updates only begin the next period."""
        changed = (self.status, self.default_payment_method, self.default_source, self.collection_method)
        return any(one is not msgspec.UNSET for one in changed)


class EventData(msgspec.Struct):
    """The data of a classic event."""

    object: EventObject
    previous_attributes: Before | None = None


class ClassicEvent(msgspec.Struct):
    """The part of a classic event that says what it is about."""

    data: EventData


class RelatedObject(msgspec.Struct):
    """The one object that a thin event names."""

    id: Id
    type: str


class ThinEvent(msgspec.Struct):
    """The part of a thin event that says what it is about."""

    related_object: RelatedObject | None = None


class Kinship(msgspec.Struct):
    """What tells a thin event from a classic one."""

    object: str | None = None


def subject_of(inbound: Inbound) -> Subject:
    """What an event is about. Raises `BadEvent` where it lacks what its type must name."""
    kind = classic_type(inbound.event_type)
    if _decoded(inbound, Kinship).object == "v2.core.event":
        related = _decoded(inbound, ThinEvent).related_object
        if related is None:
            raise BadEvent(f"{inbound.event_type} names no related object")
        return _of_related(kind, related)
    data = _decoded(inbound, ClassicEvent).data
    if kind in INVOICE_EVENTS:
        return _of_invoice_event(kind, data.object)
    if kind in DISPUTE_EVENTS:
        return _through(kind, data.object.charge or data.object.payment_intent, data.object, wide=True)
    if kind in SUBSCRIPTION_EVENTS:
        return _of_subscription_event(kind, data)
    if kind in CUSTOMER_EVENTS:
        return _of_customer_event(kind, data)
    return _of_charge_event(kind, data.object)


def _of_related(kind: str, related: RelatedObject) -> Subject:
    """The subject of a thin event."""
    wide = kind in DISPUTE_EVENTS | SUBSCRIPTION_EVENTS | CUSTOMER_EVENTS
    if related.type == "invoice":
        return Subject(related.id, wide=wide)
    if related.type == "subscription":
        return Subject(None, related.id, wide=wide)
    if related.type == "customer":
        return Subject(None, None, related.id, wide=wide)
    if related.type not in KINDS_RESOLVED:
        raise BadEvent(f"{kind} names a related object of the kind {related.type}, which leads to no invoice")
    return StripeSubject(wide=wide, through_kind=related.type, through_id=related.id)


def _of_invoice_event(kind: str, told: EventObject) -> Subject:
    """An invoice, or something that names its invoice."""
    is_invoice = kind.startswith("invoice.")
    invoice = _must(kind, "invoice", told.id if is_invoice else id_of(told.invoice))
    details = told.parent.subscription_details if told.parent is not None else None
    subscription = id_of(told.subscription) or (id_of(details.subscription) if details is not None else None)
    return Subject(invoice, subscription, id_of(told.customer))


def _of_subscription_event(kind: str, data: EventData) -> Subject:
    """A subscription with all its invoices, or only its payer's open cases where nothing happened but that time went on."""
    subscription = _must(kind, "subscription", data.object.id)
    before = data.previous_attributes
    quiet = kind == "customer.subscription.updated" and before is not None and not before.matters
    customer = id_of(data.object.customer)
    return Subject(None, None if quiet and customer is not None else subscription, customer, wide=True)


def _of_charge_event(kind: str, told: EventObject) -> Subject:
    """A charge or an intent: by its invoice where it names it, else through the intent, which invoices are paid by."""
    ordered = told.payment_details.order_reference if told.payment_details is not None else None
    invoice = id_of(told.invoice) or (ordered if (ordered or "").startswith(INVOICE_ID_PREFIX) else None)
    if invoice is not None:
        return Subject(invoice, None, id_of(told.customer))
    return _through(kind, told.payment_intent or told.id, told, wide=False)


def _of_customer_event(kind: str, data: EventData) -> Subject:
    """A customer, or one of their payment methods. One that belongs to nobody any more says who it belonged to."""
    told = data.object
    if kind.startswith("customer.") and not kind.startswith("customer.source."):
        return Subject(None, None, _must(kind, "customer", told.id), wide=True)
    before = data.previous_attributes
    return Subject(None, None, id_of(told.customer) or (before.customer_id if before else None), wide=True)


def _through(kind: str, ref: Ref, told: EventObject, *, wide: bool) -> Subject:
    """A subject that is found through a charge or an intent."""
    through = _must(kind, "charge", id_of(ref))
    return StripeSubject(
        processor_customer_id=id_of(told.customer),
        wide=wide,
        through_kind="payment_intent" if through.startswith("pi_") else "charge",
        through_id=through,
    )


def _must(kind: str, what: str, value: str | None) -> str:
    if value is None:
        raise BadEvent(f"{kind} names no {what}")
    return value


def _decoded(inbound: Inbound, kind: type[Kind]) -> Kind:
    try:
        return msgspec.json.decode(inbound.body, type=kind)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        raise BadEvent(f"{inbound.event_type} has no readable data") from None
