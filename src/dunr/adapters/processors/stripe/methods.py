"""Which payment methods there are, and which of them is the default.

Stripe charges the invoice's own method, then the subscription's, then the customer's. A customer who answers a failed payment with a new card makes it their own default;
where the subscription has another, Stripe would go on with the old one for ever. So a default that is newer than the failure goes before all others.
"""

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import Annotated

import msgspec

from dunr.adapters.processors.stripe.wire import CustomerOnWire, Id, InvoiceOnWire, Ref, Seconds, id_of, instant
from dunr.core.snapshot import MethodSnapshot
from dunr.core.terms import Rail

RAILS = {
    "card": Rail.CARD,
    "link": Rail.CARD,  # a card in Link's wallet
    "us_bank_account": Rail.ACH,
    "sepa_debit": Rail.SEPA,
    "bacs_debit": Rail.BACS,
    "upi": Rail.UPI,
}

STARTED_WITH_MAX = timedelta(hours=1)  # between a card and the subscription that it was put on file for
BACKUP_MARK = "dunr_backup"  # metadata in which a merchant keeps that the customer agreed: "true"

Month = Annotated[int, msgspec.Meta(ge=1, le=12)]
Year = Annotated[int, msgspec.Meta(ge=1970, le=9999)]


class InstrumentOnWire(msgspec.Struct):
    """What is behind a payment method: a card, or a bank account."""

    fingerprint: str | None = None
    last4: str | None = None
    brand: str | None = None
    network: str | None = None
    country: str | None = None
    exp_month: Month | None = None
    exp_year: Year | None = None

    @property
    def expires_on(self) -> str | None:
        """The month after which the card is dead, as `2027-03`."""
        if self.exp_month is None or self.exp_year is None:
            return None
        return f"{self.exp_year:04d}-{self.exp_month:02d}"


class MethodOnWire(msgspec.Struct):
    """A payment method on file."""

    id: Id
    type: str
    created: Seconds = 0
    card: InstrumentOnWire | None = None
    us_bank_account: InstrumentOnWire | None = None
    sepa_debit: InstrumentOnWire | None = None
    bacs_debit: InstrumentOnWire | None = None
    metadata: dict[str, str] | None = None
    came_with: str | None = None  # asked for apart: Stripe tells it of the subscription

    @property
    def instrument(self) -> InstrumentOnWire:
        """The one instrument that its type names."""
        return self.card or self.us_bank_account or self.sepa_debit or self.bacs_debit or InstrumentOnWire()

    def seen(self) -> MethodSnapshot | None:
        """The method as ours, or None where it moves money on a rail that dunr has no rules for."""
        rail = RAILS.get(self.type)
        if rail is None:
            return None
        behind = self.instrument
        return MethodSnapshot(
            processor_method_id=self.id,
            fingerprint=behind.fingerprint,
            rail=rail,
            network=behind.brand,
            last4=behind.last4,
            expires_on=behind.expires_on,
            country=behind.country,
            came_with_subscription_id=self.came_with,
            is_backup=(self.metadata or {}).get(BACKUP_MARK) == "true",
        )


class StartedOnWire(msgspec.Struct):
    """A subscription, as far as it tells which card it was started with."""

    id: Id
    created: Seconds
    default_payment_method: Ref = None


def newer_default(on_file: Sequence[MethodOnWire], invoice: InvoiceOnWire) -> MethodOnWire | None:
    """The customer's own default, where it was put on file since the invoice was made: in answer to it, or to start something else."""
    own = _customers_own(invoice.customer)
    return next((one for one in on_file if one.id == own and one.created > invoice.created), None)


def started_with(method: MethodOnWire, subscriptions: Sequence[StartedOnWire]) -> str | None:
    """The subscription that a card was put on file for: its own default since it began, at about the time when the card came."""
    for one in subscriptions:
        apart = abs(instant(one.created) - instant(method.created))
        if id_of(one.default_payment_method) == method.id and apart <= STARTED_WITH_MAX:
            return one.id
    return None


def in_order(
    on_file: Sequence[MethodOnWire], invoice: InvoiceOnWire, first_failed_at: datetime | None
) -> tuple[MethodSnapshot, ...]:
    """The methods, the default first; none where there is no default, since a card that nobody chose is not charged."""
    by_id = {method.id: method for method in on_file}
    defaults = [by_id[one] for one in _defaults(invoice) if one in by_id]
    own = by_id.get(_customers_own(invoice.customer) or "")
    if own is not None and first_failed_at is not None and instant(own.created) > first_failed_at:
        defaults.insert(0, own)
    if not defaults:
        return ()
    others = sorted(on_file, key=lambda method: method.created, reverse=True)
    ordered = dict.fromkeys(method.id for method in (*defaults, *others))
    return tuple(seen for one in ordered if (seen := by_id[one].seen()) is not None)


def _customers_own(customer: CustomerOnWire | None) -> str | None:
    """The customer's default, in the newer place or the older one."""
    if customer is None:
        return None
    chosen: Ref = customer.invoice_settings.default_payment_method if customer.invoice_settings is not None else None
    return id_of(chosen) or id_of(customer.default_source)


def default_of(invoice: InvoiceOnWire) -> str | None:
    """What Stripe itself would charge."""
    return next(_defaults(invoice), None)


def _defaults(invoice: InvoiceOnWire) -> Iterator[str]:
    """The defaults as Stripe goes through them."""
    subscription = invoice.subscription
    yield from (one for one in (id_of(invoice.default_payment_method), id_of(invoice.default_source)) if one)
    if subscription is not None:
        chosen = (id_of(subscription.default_payment_method), id_of(subscription.default_source))
        yield from (one for one in chosen if one)
    own = _customers_own(invoice.customer)
    if own is not None:
        yield own
