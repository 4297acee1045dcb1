"""What the processor of a scenario shows: one customer, their cards, subscriptions, invoices and disputes."""

from dataclasses import dataclass, field
from datetime import UTC, datetime

from dunr.core.answers import Declined, Paid, Pending, Permission
from dunr.core.events import AttemptNotFound
from dunr.core.snapshot import (
    ChargeSnapshot,
    CustomerSnapshot,
    DisputeSnapshot,
    InvoiceSnapshot,
    MethodSnapshot,
    Snapshot,
    SubscriptionSnapshot,
)
from dunr.core.terms import CollectionMethod, InvoiceStatus, Rail, SubscriptionStatus
from dunr.core.value import replace

LookUpResult = Paid | Declined | Pending | AttemptNotFound | None


@dataclass
class InvoiceInWorld:
    """What the processor shows of one invoice."""

    invoice: InvoiceSnapshot
    subscription_id: str | None
    charges: list[ChargeSnapshot] = field(default_factory=list)
    look_ups: LookUpResult = None  # None: the look-up itself fails
    next_try_at: datetime | None = None
    collects: bool = False  # by itself, whether a try is planned or not


def card(name: str, *, expires_on: str = "2030-12", rail: Rail = Rail.CARD) -> MethodSnapshot:
    """A payment method by its name, which is its card key too."""
    return MethodSnapshot(name, name, rail, expires_on=expires_on)


def the_payer() -> CustomerSnapshot:
    """The customer of every scenario."""
    return CustomerSnapshot("cus_1", deleted=False, email="payer@example.test")


@dataclass(kw_only=True)
class ProcessorInWorld:
    """The processor, by its own clock, which is everybody's."""

    now: datetime = datetime(2026, 1, 1, tzinfo=UTC)
    customer: CustomerSnapshot | None = field(default_factory=the_payer)
    methods: list[MethodSnapshot] = field(default_factory=lambda: [card("card_1")])
    subscriptions: dict[str, SubscriptionStatus] = field(default_factory=dict)
    invoices: dict[str, InvoiceInWorld] = field(default_factory=dict)
    disputes: list[DisputeSnapshot] = field(default_factory=list)
    permission: Permission | None = None  # what the merchant says when asked before a charge

    def invoice(self, invoice_id: str) -> InvoiceInWorld:
        """The invoice of that id; the first mention makes it, open and not failed yet."""
        if invoice_id not in self.invoices:
            shown = InvoiceSnapshot(
                invoice_id, InvoiceStatus.OPEN, 4900, 4900, 0, "usd", None, CollectionMethod.CHARGE_AUTOMATICALLY, False
            )
            self.invoices[invoice_id] = InvoiceInWorld(shown, "sub_1")
        return self.invoices[invoice_id]

    def show(self, invoice_id: str, **changes: object) -> None:
        """Change what the processor shows of an invoice."""
        at = self.invoice(invoice_id)
        at.invoice = replace(at.invoice, **changes)  # type: ignore[arg-type]

    def snapshot(self, invoice_id: str) -> Snapshot:
        """One reading, now."""
        at = self.invoice(invoice_id)
        status = self.subscriptions.get(at.subscription_id or "", SubscriptionStatus.PAST_DUE)
        known = SubscriptionSnapshot(at.subscription_id, status, None) if at.subscription_id else None
        return Snapshot(
            taken_at=self.now,
            live=False,
            invoice=at.invoice,
            subscription=known,
            customer=self.customer,
            methods=tuple(self.methods),
            charges=tuple(at.charges),
            disputes=tuple(self.disputes),
            processor_next_attempt_at=at.next_try_at,
            collects_by_itself=at.collects,
        )
