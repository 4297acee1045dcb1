"""What has changed at Stripe since some moment, from its events: it lists objects by when they were made, and keeps events for thirty days.

An event is read for what every API version says alike: which object it is about, whose that is, and of an invoice how it stands. What a list of invoices does not show,
such as a card, a refund or a dispute, makes its payer touched: their invoices are looked at.
"""

from dataclasses import dataclass, field

import msgspec

from dunr.adapters.processors.stripe.wire import Id, Minor, Ref, id_of

INVOICE_CHANGES = [
    "invoice.paid",
    "invoice.payment_failed",
    "invoice.payment_action_required",
    "invoice.voided",
    "invoice.marked_uncollectible",
    "invoice.updated",
]
MONEY_CHANGES = [
    "charge.refunded",
    "charge.dispute.created",
    "charge.dispute.closed",
    "charge.dispute.funds_reinstated",
]
CHANGES = [  # Stripe takes twenty
    *INVOICE_CHANGES,
    *MONEY_CHANGES,
    "charge.succeeded",
    "charge.failed",
    "payment_method.attached",
    "payment_method.detached",
    "payment_method.updated",
    "payment_method.automatically_updated",
    "customer.updated",
    "customer.deleted",
    "customer.subscription.deleted",
]


class ChangedObject(msgspec.Struct):
    """The object of an event, as far as all versions agree on it."""

    id: Id
    object: str | None = None
    customer: Ref = None
    charge: Ref = None
    status: str | None = None
    currency: str | None = None
    amount_paid: Minor = 0
    amount_remaining: Minor = 0
    pre_payment_credit_notes_amount: Minor = 0
    livemode: bool = False


class Before(msgspec.Struct):
    """Whose it was before."""

    customer: Ref = None


class ChangedData(msgspec.Struct):
    """The data of an event."""

    object: ChangedObject
    previous_attributes: Before | None = None


class PastChange(msgspec.Struct):
    """An event that Stripe keeps."""

    id: Id
    data: ChangedData
    type: str = ""


@dataclass(slots=True)
class Changes:
    """By customer: the charges that came, and whether anything else of theirs changed.

    `invoices` are as their newest event tells them, and `moved` are the charges whose money moved after they were made.
    """

    charge_ids: dict[str, list[str]] = field(default_factory=dict)
    touched: set[str] = field(default_factory=set)
    invoices: dict[str, ChangedObject] = field(default_factory=dict)
    moved: set[str] = field(default_factory=set)

    def add(self, event: PastChange) -> None:
        """One more event; the newest come first."""
        told = event.data.object
        if event.type in INVOICE_CHANGES or told.object == "invoice":
            self.invoices.setdefault(told.id, told)
        elif event.type in MONEY_CHANGES:
            self.moved.add(id_of(told.charge) or told.id)
        elif event.type in ("charge.succeeded", "charge.failed"):
            self.charge_ids.setdefault(id_of(told.customer) or "", []).append(told.id)
        else:
            before = event.data.previous_attributes
            owner = id_of(told.customer) or (id_of(before.customer) if before is not None else None)
            self.touched.add(owner or told.id)  # a customer is its own owner
