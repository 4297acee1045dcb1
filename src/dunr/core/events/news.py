"""What the processor's account of an invoice says that the case does not know: `core.reconcile` makes these from a snapshot."""

from dataclasses import dataclass

from dunr.core.model import MethodRef
from dunr.core.snapshot import ChargeSnapshot, DisputeSnapshot


@dataclass(frozen=True, slots=True)
class ChargeFailed:
    """The first charge of an invoice failed; the snapshot beside it says how."""


@dataclass(frozen=True, slots=True)
class PaidElsewhere:
    """Somebody else collected: a captured charge that is not ours, or (None) money that no charge explains."""

    charge: ChargeSnapshot | None
    amount_minor: int


@dataclass(frozen=True, slots=True)
class ForeignDecline:
    """Somebody else's try failed."""

    charge: ChargeSnapshot


@dataclass(frozen=True, slots=True)
class AttemptReturned:
    """A captured bank debit came back."""

    charge: ChargeSnapshot


@dataclass(frozen=True, slots=True)
class Refunded:
    """Money of this invoice went back to the payer; `total_minor` of the charge so far."""

    processor_charge_id: str
    total_minor: int


@dataclass(frozen=True, slots=True)
class AmountChanged:
    """What is owed changed without a payment; the snapshot beside it says to what."""


@dataclass(frozen=True, slots=True)
class InvoiceVoided:
    """The processor voided the invoice."""


@dataclass(frozen=True, slots=True)
class InvoiceWrittenOff:
    """The processor gave the invoice up."""


@dataclass(frozen=True, slots=True)
class SubscriptionEnded:
    """The subscription is over."""


@dataclass(frozen=True, slots=True)
class CustomerDeleted:
    """The customer is gone at the processor."""


@dataclass(frozen=True, slots=True)
class DisputeOpened:
    """A dispute stands on the payer's card, on this invoice or another one of theirs."""

    dispute: DisputeSnapshot


@dataclass(frozen=True, slots=True)
class DisputeClosed:
    """A dispute ended, or its funds came back."""

    dispute: DisputeSnapshot


@dataclass(frozen=True, slots=True)
class MethodUpdated:
    """A changed credential became the default, or was chosen on our page."""

    method: MethodRef


@dataclass(frozen=True, slots=True)
class MethodRemoved:
    """The customer has no payment method any more."""


NewsEvent = (
    ChargeFailed
    | PaidElsewhere
    | ForeignDecline
    | AttemptReturned
    | Refunded
    | AmountChanged
    | InvoiceVoided
    | InvoiceWrittenOff
    | SubscriptionEnded
    | CustomerDeleted
    | DisputeOpened
    | DisputeClosed
    | MethodUpdated
    | MethodRemoved
)
