"""What Stripe says around an invoice, in the one version in which this adapter reads: its JSON as typed values.

Only what is needed is named. A field that is missing where it must be there, or is of another kind, makes the whole body unreadable, so that nothing is half understood.
Amounts are Stripe's own minor units and go through as the integers they are; instants are seconds since 1970.
"""

from datetime import UTC, datetime
from typing import Annotated, Generic, TypeVar

import msgspec

API_VERSION = "2026-10-28.endive"  # every call of ours is made in it, whatever the account's default is

Kind = TypeVar("Kind")
Id = Annotated[str, msgspec.Meta(min_length=1, max_length=255, pattern=r"^[\x21-\x7e]*\Z")]
Code = Annotated[str, msgspec.Meta(max_length=100, pattern=r"^[A-Za-z0-9_.-]*\Z")]
Minor = Annotated[int, msgspec.Meta(ge=0, le=10**15)]
Seconds = Annotated[int, msgspec.Meta(ge=0, le=10**11)]


class Named(msgspec.Struct):
    """Any object where only its id is of interest."""

    id: Id


Ref = Id | Named | None


def id_of(ref: Ref) -> str | None:
    """The id, whether the object was expanded or not."""
    return ref.id if isinstance(ref, Named) else ref


def instant(seconds: int) -> datetime:
    """Aware UTC."""
    return datetime.fromtimestamp(seconds, UTC)


class Listed(msgspec.Struct, Generic[Kind]):
    """A page of a list."""

    data: list[Kind]
    has_more: bool = False


class ErrorOnWire(msgspec.Struct):
    """What went wrong with a request or a payment; its message is for people and is not read."""

    type: str | None = None
    code: Code | None = None
    decline_code: Code | None = None
    advice_code: Code | None = None
    network_decline_code: Code | None = None
    network_advice_code: Code | None = None
    charge: Ref = None
    payment_intent: "IntentOnWire | None" = None


class IntentOnWire(msgspec.Struct):
    """An intent: what an invoice is paid through."""

    id: Id
    status: str
    amount: Minor = 0
    amount_received: Minor = 0
    created: Seconds = 0
    latest_charge: Ref = None
    last_payment_error: ErrorOnWire | None = None


class ErrorBody(msgspec.Struct):
    """The body of an answer that is no object."""

    error: ErrorOnWire


class PaymentOnWire(msgspec.Struct):
    """How one payment of an invoice is made: through an intent, or in older days by a bare charge."""

    type: str = ""
    payment_intent: IntentOnWire | None = None
    charge: Ref = None


class PaymentTransitions(msgspec.Struct):
    """When a payment was made."""

    paid_at: Seconds | None = None


class InvoicePaymentOnWire(msgspec.Struct):
    """One payment of an invoice; the default one is Stripe's own."""

    id: Id
    status: str
    payment: PaymentOnWire
    is_default: bool = False
    amount_paid: Minor | None = None
    created: Seconds = 0
    status_transitions: PaymentTransitions = msgspec.field(default_factory=PaymentTransitions)


class InvoiceOfPayment(msgspec.Struct):
    """An invoice payment where only its invoice is of interest."""

    invoice: Ref
    is_default: bool = False


class PeriodOnWire(msgspec.Struct):
    """The period of one item of a subscription."""

    current_period_end: Seconds | None = None


class SubscriptionOnWire(msgspec.Struct):
    """A subscription."""

    id: Id
    status: str
    default_payment_method: Ref = None
    default_source: Ref = None
    items: Listed[PeriodOnWire] | None = None
    metadata: dict[str, str] | None = None


class SubscriptionDetailsOnWire(msgspec.Struct):
    """Where an invoice names its subscription."""

    subscription: SubscriptionOnWire | None = None


class ParentOnWire(msgspec.Struct):
    """What an invoice was made for."""

    subscription_details: SubscriptionDetailsOnWire | None = None


class AddressOnWire(msgspec.Struct):
    """Where somebody lives, as far as it matters for paydays."""

    country: str | None = None


class InvoiceSettingsOnWire(msgspec.Struct):
    """How a customer pays invoices."""

    default_payment_method: Ref = None


class CustomerOnWire(msgspec.Struct):
    """A customer; of a deleted one only the id is left."""

    id: Id
    deleted: bool = False
    email: str | None = None
    name: str | None = None
    preferred_locales: list[str] | None = None
    address: AddressOnWire | None = None
    invoice_settings: InvoiceSettingsOnWire | None = None
    default_source: Ref = None
    metadata: dict[str, str] | None = None


class PriceOnWire(msgspec.Struct):
    """What a line is for."""

    product: Ref = None


class PricingOnWire(msgspec.Struct):
    """Where a line names its price."""

    price_details: PriceOnWire | None = None


class LineOnWire(msgspec.Struct):
    """One line of an invoice."""

    pricing: PricingOnWire | None = None

    @property
    def product(self) -> str | None:
        """The merchant's id of what is paid for."""
        details = self.pricing.price_details if self.pricing is not None else None
        return id_of(details.product) if details is not None else None


class InvoiceTransitions(msgspec.Struct):
    """When an invoice changed its status."""

    finalized_at: Seconds | None = None


class InvoiceOnWire(msgspec.Struct):
    """An invoice with its customer, its subscription and its payments expanded."""

    id: Id
    status: str
    currency: Annotated[str, msgspec.Meta(min_length=3, max_length=3)]
    livemode: bool
    created: Seconds
    amount_paid: Minor
    amount_remaining: Minor
    collection_method: str
    pre_payment_credit_notes_amount: Minor = 0
    attempted: bool = False
    billing_reason: str | None = None
    next_payment_attempt: Seconds | None = None
    auto_advance: bool = False
    customer: CustomerOnWire | None = None
    customer_email: str | None = None
    default_payment_method: Ref = None
    default_source: Ref = None
    parent: ParentOnWire | None = None
    payments: Listed[InvoicePaymentOnWire] | None = None
    status_transitions: InvoiceTransitions = msgspec.field(default_factory=InvoiceTransitions)
    hosted_invoice_url: str | None = None
    lines: Listed[LineOnWire] | None = None
    metadata: dict[str, str] | None = None

    @property
    def subscription(self) -> SubscriptionOnWire | None:
        """The subscription that it belongs to, if any."""
        details = self.parent.subscription_details if self.parent is not None else None
        return details.subscription if details is not None else None
