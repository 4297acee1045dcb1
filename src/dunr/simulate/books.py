"""What the simulated processor keeps: customers, cards, subscriptions, invoices, charges, disputes. The truth, against which everything of ours is checked.

The snapshot of an invoice is put together from parts that are kept until something in them changes.
"""

from dataclasses import dataclass
from datetime import datetime

from dunr.core.snapshot import (
    ChargeSnapshot,
    CustomerSnapshot,
    DisputeSnapshot,
    InvoiceSnapshot,
    MethodSnapshot,
    RawDecline,
    Snapshot,
    SubscriptionSnapshot,
)
from dunr.core.terms import (
    ChargeStatus,
    CollectionMethod,
    DisputeStatus,
    InvoiceStatus,
    Rail,
    SubscriptionStatus,
)

MINIMUM_MINOR = 50


class Card:
    """A card or an account to debit. `yes_rate` is how often it pays; otherwise it declines with one of `declines`."""

    __slots__ = ("declines", "method", "yes_rate")

    def __init__(self, name: str, rail: Rail, yes_rate: float, declines: tuple[RawDecline, ...]) -> None:
        """A card with its own temper."""
        self.method = MethodSnapshot(f"pm_{name}", f"fp_{name}", rail, "visa", "4242", "2027-03")
        self.yes_rate = yes_rate
        self.declines = declines


class Customer:
    """A payer, with the methods on file, the default first."""

    __slots__ = ("cards", "disputes", "id", "invoices", "shown", "subscriptions")

    def __init__(self, customer_id: str, email: str | None, cards: list[Card]) -> None:
        """A customer as they signed up."""
        self.id = customer_id
        self.cards = cards
        self.shown = CustomerSnapshot(customer_id, False, email, "Ada", "en", None, "US")
        self.invoices: list[Invoice] = []
        self.subscriptions: list[SimSubscription] = []
        self.disputes: list[Dispute] = []

    def touch(self) -> None:
        """Something about the customer changed: every snapshot shows it."""
        for invoice in self.invoices:
            invoice.kept = None


class SimSubscription:
    """A subscription at the processor."""

    __slots__ = ("id", "shown")

    def __init__(self, subscription_id: str) -> None:
        """A subscription whose renewal is past due."""
        self.id = subscription_id
        self.shown = SubscriptionSnapshot(subscription_id, SubscriptionStatus.PAST_DUE, None)


class Charge:
    """One charge of an invoice. `key` is the idempotency key of the request, whether or not a snapshot shows it."""

    __slots__ = (
        "amount_minor",
        "at",
        "card_key",
        "decline",
        "id",
        "intent_id",
        "key",
        "refunded_minor",
        "return_code",
        "status",
    )

    def __init__(
        self,
        charge_id: str,
        key: str | None,
        amount_minor: int,
        status: ChargeStatus,
        at: datetime,
        card_key: str | None,
    ) -> None:
        """A charge as it was made."""
        self.id = charge_id
        self.key = key
        self.amount_minor = amount_minor
        self.status = status
        self.at = at
        self.card_key = card_key
        self.decline: RawDecline | None = None
        self.intent_id: str | None = None
        self.refunded_minor = 0
        self.return_code: str | None = None


@dataclass(slots=True)
class Dispute:
    """A dispute about one charge."""

    id: str
    charge: Charge
    invoice_id: str
    status: DisputeStatus = DisputeStatus.OPEN
    reinstated: bool = False


class Invoice:
    """What is owed for one period, and everything that was done about it."""

    __slots__ = (
        "changed_at",
        "charges",
        "credits",
        "customer",
        "first_failed_at",
        "id",
        "kept",
        "next_attempt_at",
        "status",
        "subscription",
        "total_minor",
    )  # fmt: skip

    def __init__(
        self, invoice_id: str, customer: Customer, subscription: SimSubscription, total_minor: int, at: datetime
    ) -> None:
        """An invoice whose first charge is about to be made."""
        self.id = invoice_id
        self.customer = customer
        self.subscription = subscription
        self.total_minor = total_minor
        self.status = InvoiceStatus.OPEN
        self.charges: list[Charge] = []
        self.credits: list[tuple[datetime, int]] = []
        self.first_failed_at = at
        self.changed_at = at  # when what is due, or whether it may be charged, changed last
        self.next_attempt_at: datetime | None = None
        self.kept: Snapshot | None = None
        customer.invoices.append(self)

    @property
    def credited_minor(self) -> int:
        """What was credited without a payment."""
        return sum(amount for _, amount in self.credits)

    @property
    def captured_minor(self) -> int:
        """What was captured and did not come back."""
        return sum(charge.amount_minor for charge in self.charges if charge.status is ChargeStatus.SUCCEEDED)

    @property
    def due_minor(self) -> int:
        """What remains to be paid."""
        if self.status in (InvoiceStatus.VOID, InvoiceStatus.WRITTEN_OFF):
            return 0
        return max(0, self.total_minor - self.credited_minor - self.captured_minor)

    @property
    def is_payable(self) -> bool:
        """Whether a payment still meets a debt."""
        return self.status is InvoiceStatus.OPEN and self.due_minor > 0

    def changed(self, now: datetime) -> None:
        """What is due, or whether it may be charged, has changed."""
        self.kept = None
        self.changed_at = now
        if self.status in (InvoiceStatus.OPEN, InvoiceStatus.PAID):
            self.status = InvoiceStatus.OPEN if self.due_minor else InvoiceStatus.PAID

    def charge_of(self, key: str) -> Charge | None:
        """The charge of a request: the one that moved money, where there are several under one key."""
        found = None
        for charge in self.charges:
            if charge.key == key and (found is None or found.status is ChargeStatus.DECLINED):
                found = charge
        return found

    def read(self, now: datetime, *, shows_keys: bool) -> Snapshot:
        """What a consistent read shows now."""
        kept = self.kept
        if kept is None:
            kept = self._read(now, shows_keys)
            self.kept = kept
            return kept
        if kept.taken_at == now:
            return kept
        return Snapshot(
            now, True, kept.invoice, kept.subscription, kept.customer, kept.methods, kept.charges, kept.disputes,
            kept.processor_next_attempt_at,
        )  # fmt: skip

    def _read(self, now: datetime, shows_keys: bool) -> Snapshot:
        customer = self.customer
        return Snapshot(
            taken_at=now,
            live=True,
            invoice=InvoiceSnapshot(
                self.id,
                self.status,
                self.total_minor,
                self.due_minor,
                self.credited_minor,
                "usd",
                self.first_failed_at,
                CollectionMethod.CHARGE_AUTOMATICALLY,
                False,
                MINIMUM_MINOR,
            ),
            subscription=self.subscription.shown,
            customer=customer.shown,
            methods=tuple(card.method for card in customer.cards),
            charges=tuple(_shown(charge, shows_keys) for charge in self.charges),
            disputes=tuple(_shown_dispute(dispute) for dispute in customer.disputes),
            processor_next_attempt_at=self.next_attempt_at,
        )


def _shown(charge: Charge, shows_keys: bool) -> ChargeSnapshot:
    """A charge as a snapshot shows it."""
    return ChargeSnapshot(
        charge.id, charge.key if shows_keys else None, charge.amount_minor, charge.status, charge.at, charge.decline,
        charge.card_key, charge.intent_id, charge.refunded_minor, charge.return_code,
    )  # fmt: skip


def _shown_dispute(dispute: Dispute) -> DisputeSnapshot:
    """A dispute as a snapshot shows it."""
    return DisputeSnapshot(
        dispute.id, dispute.charge.id, dispute.invoice_id, dispute.charge.card_key or "", dispute.charge.amount_minor,
        dispute.status, dispute.reinstated,
    )  # fmt: skip
