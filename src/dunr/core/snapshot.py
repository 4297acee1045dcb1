"""What the processor says about an invoice now.

A snapshot is one consistent reading, taken by an adapter and never edited. Intake, the look before sending and the daily sweep all
work on the same value. Amounts are in minor units of the invoice's currency as the processor counts them; instants are aware UTC.
"""

from datetime import datetime

from dunr.core.terms import (
    ChargeStatus,
    CollectionMethod,
    DisputeStatus,
    InvoiceStatus,
    Rail,
    SubscriptionStatus,
)
from dunr.core.value import Value


class RawDecline(Value):
    """Every signal of a decline, in the processor's own words; absent ones are None."""

    code: str | None
    decline_code: str | None = None
    advice_code: str | None = None
    network_decline_code: str | None = None
    network_advice_code: str | None = None
    outcome_reason: str | None = None
    network: str | None = None  # whose numbers the two network codes are, where the decline itself says so


class UnknownCodes(Value):
    """What no table knew of a decline: the keys (processor or network, field, code), and all of its signals as they came."""

    keys: tuple[tuple[str, str, str], ...]
    raw: RawDecline


class InvoiceSnapshot(Value):
    """The invoice: `amount_due_minor` is what remains to be paid, `credited_minor` what was credited without a payment.

    `products` are the merchant's ids of what is paid for; `tags` are whatever words the merchant hung on the invoice, its subscription or its customer.
    `charge_due_at` says from when on we make the first charge ourselves; None where the processor makes it.
    """

    processor_invoice_id: str
    status: InvoiceStatus
    amount_total_minor: int
    amount_due_minor: int
    credited_minor: int
    currency: str
    first_failed_at: datetime | None
    collection_method: CollectionMethod
    is_first: bool
    minimum_minor: int = 0
    products: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    charge_due_at: datetime | None = None


class SubscriptionSnapshot(Value):
    """The subscription that the invoice belongs to."""

    processor_subscription_id: str
    status: SubscriptionStatus
    period_end_at: datetime | None


class CustomerSnapshot(Value):
    """The payer, as the processor knows them; mail address, locale, timezone and country may be missing."""

    processor_customer_id: str
    deleted: bool
    email: str | None = None
    name: str | None = None
    locale: str | None = None
    timezone: str | None = None
    country: str | None = None


class MethodSnapshot(Value):
    """One payment method. The card key is the fingerprint where known, else the method's id."""

    processor_method_id: str
    fingerprint: str | None
    rail: Rail
    network: str | None = None
    last4: str | None = None
    expires_on: str | None = None  # "2027-03"
    country: str | None = None  # where the card was issued: "BR"
    is_network_token: bool = False  # the network keeps the number; its cryptogram may be asked for anew
    is_backup: bool = False  # the customer agreed that it is charged when the default one fails
    came_with_subscription_id: str | None = None  # put on file to start that subscription, and not chosen since

    @property
    def card_key(self) -> str:
        """What caps, leases and hard stops hang on."""
        return self.fingerprint or self.processor_method_id

    @property
    def credential(self) -> str:
        """Changes when the card behind the method changes: fingerprint or id, with the expiry."""
        return f"{self.card_key}/{self.expires_on or '-'}"


class ChargeSnapshot(Value):
    """One charge of the invoice. `key` is our idempotency key where the processor keeps it, else None."""

    processor_charge_id: str
    key: str | None
    amount_minor: int
    status: ChargeStatus
    at: datetime
    decline: RawDecline | None = None
    card_key: str | None = None
    processor_intent_id: str | None = None
    refunded_minor: int = 0
    return_code: str | None = None


class DisputeSnapshot(Value):
    """One dispute of the customer, on whichever invoice; `card_key` names the card it was opened on."""

    processor_dispute_id: str
    processor_charge_id: str
    processor_invoice_id: str | None
    card_key: str
    amount_minor: int
    status: DisputeStatus
    reinstated: bool = False


class Snapshot(Value):
    """All of it, read at `taken_at` by the processor's own clock. Methods: the default first."""

    taken_at: datetime
    live: bool
    invoice: InvoiceSnapshot
    subscription: SubscriptionSnapshot | None
    customer: CustomerSnapshot | None
    methods: tuple[MethodSnapshot, ...]
    charges: tuple[ChargeSnapshot, ...]
    disputes: tuple[DisputeSnapshot, ...] = ()
    processor_next_attempt_at: datetime | None = None
    collects_by_itself: bool = False  # the processor may charge it without being asked, whether a try is planned or not

    @property
    def default_method(self) -> MethodSnapshot | None:
        """The method that the next attempt names, or None where there is nothing to charge."""
        return self.methods[0] if self.methods else None
