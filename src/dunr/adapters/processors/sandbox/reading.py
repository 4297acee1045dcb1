"""A snapshot as it travels: the sandbox's JSON as typed values, and those as ours."""

from typing import Annotated

import msgspec

from dunr.adapters.processors.sandbox.wire import ChargeOnWire, Id, Instant, Minor
from dunr.core.expiring import ExpiringCard
from dunr.core.model import Payer
from dunr.core.snapshot import (
    CustomerSnapshot,
    DisputeSnapshot,
    InvoiceSnapshot,
    MethodSnapshot,
    Snapshot,
    SubscriptionSnapshot,
)
from dunr.core.terms import CollectionMethod, DisputeStatus, InvoiceStatus, Rail, SubscriptionStatus

Labels = Annotated[tuple[Id, ...], msgspec.Meta(max_length=20)]


class InvoiceOnWire(msgspec.Struct):
    """An invoice inside a snapshot."""

    id: Id
    status: InvoiceStatus
    amount_total_minor: Minor
    amount_due_minor: Minor
    credited_minor: Minor
    currency: str
    first_failed_at: Instant | None
    collection_method: CollectionMethod
    first_invoice: bool
    minimum_minor: Minor
    products: Labels = ()
    tags: Labels = ()

    def seen(self) -> InvoiceSnapshot:
        return InvoiceSnapshot(
            processor_invoice_id=self.id,
            status=self.status,
            amount_total_minor=self.amount_total_minor,
            amount_due_minor=self.amount_due_minor,
            credited_minor=self.credited_minor,
            currency=self.currency,
            first_failed_at=self.first_failed_at,
            collection_method=self.collection_method,
            is_first=self.first_invoice,
            minimum_minor=self.minimum_minor,
            products=self.products,
            tags=self.tags,
        )


class SubscriptionOnWire(msgspec.Struct):
    """A subscription inside a snapshot."""

    id: Id
    status: SubscriptionStatus
    period_end_at: Instant | None

    def seen(self) -> SubscriptionSnapshot:
        return SubscriptionSnapshot(self.id, self.status, self.period_end_at)


class CustomerOnWire(msgspec.Struct):
    """A customer inside a snapshot."""

    id: Id
    deleted: bool
    email: str | None
    name: str | None
    locale: str | None
    timezone: str | None
    country: str | None

    def seen(self) -> CustomerSnapshot:
        return CustomerSnapshot(self.id, self.deleted, self.email, self.name, self.locale, self.timezone, self.country)


class MethodOnWire(msgspec.Struct):
    """A payment method inside a snapshot."""

    id: Id
    fingerprint: str | None
    network: str | None
    rail: Rail
    last4: str | None
    expires: str | None
    usable: bool
    country: str | None = None
    network_token: bool = False
    backup: bool = False
    came_with_subscription: Id | None = None

    def seen(self) -> MethodSnapshot:
        return MethodSnapshot(
            processor_method_id=self.id,
            fingerprint=self.fingerprint,
            rail=self.rail,
            network=self.network,
            last4=self.last4,
            expires_on=self.expires,
            country=self.country,
            is_network_token=self.network_token,
            is_backup=self.backup,
            came_with_subscription_id=self.came_with_subscription,
        )


class CardRefreshed(msgspec.Struct):
    """What the updater says: the card as it stands now, or why there is nothing to say of it."""

    card: MethodOnWire | None
    fresh_cryptogram: bool = False
    why: str | None = None


class ExpiringOnWire(msgspec.Struct):
    """A card that expires soon, with its holder."""

    customer: CustomerOnWire
    card: MethodOnWire

    def seen(self) -> ExpiringCard:
        known = self.customer.seen()
        payer = Payer(known.email, known.name, known.locale, known.timezone, known.country)
        return ExpiringCard(known.processor_customer_id, payer, self.card.seen())


class ExpiringListed(msgspec.Struct):
    """A page of cards that expire soon."""

    cards: list[ExpiringOnWire]
    next_cursor: str | None = None


class DisputeOnWire(msgspec.Struct):
    """A dispute of the customer inside a snapshot."""

    id: Id
    charge: Id
    invoice: Id | None
    card_fingerprint: str | None
    amount_minor: Minor
    status: DisputeStatus
    reinstated: bool

    def seen(self) -> DisputeSnapshot:
        return DisputeSnapshot(
            processor_dispute_id=self.id,
            processor_charge_id=self.charge,
            processor_invoice_id=self.invoice,
            card_key=self.card_fingerprint or self.charge,
            amount_minor=self.amount_minor,
            status=self.status,
            reinstated=self.reinstated,
        )


class SnapshotOnWire(msgspec.Struct):
    """One consistent reading of an invoice and all around it."""

    taken_at: Instant
    account: str
    live: bool
    invoice: InvoiceOnWire
    subscription: SubscriptionOnWire | None
    customer: CustomerOnWire | None
    methods: list[MethodOnWire]
    charges: list[ChargeOnWire]
    disputes: list[DisputeOnWire]
    next_attempt_at: Instant | None
    collects_by_itself: bool = False

    def seen(self) -> Snapshot:
        return Snapshot(
            taken_at=self.taken_at,
            live=self.live,
            invoice=self.invoice.seen(),
            subscription=self.subscription.seen() if self.subscription is not None else None,
            customer=self.customer.seen() if self.customer is not None else None,
            methods=tuple(method.seen() for method in self.methods if method.usable),
            charges=tuple(charge.seen() for charge in self.charges),
            disputes=tuple(dispute.seen() for dispute in self.disputes),
            processor_next_attempt_at=self.next_attempt_at,
            collects_by_itself=self.collects_by_itself,
        )
