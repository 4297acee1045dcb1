"""What the processor's account of an invoice says that the case does not know: `core.reconcile` makes these from a snapshot."""

from dunr.core.attempt import MethodRef
from dunr.core.snapshot import ChargeSnapshot, DisputeSnapshot
from dunr.core.value import Value


class ChargeFailed(Value):
    """The first charge of an invoice failed; the snapshot beside it says how."""


class ChargeDue(Value):
    """An invoice has come whose first charge we make ourselves; the snapshot beside it says since when it is due."""


class PaidElsewhere(Value):
    """Somebody else collected: a captured charge that is not ours, or (None) money that no charge explains."""

    charge: ChargeSnapshot | None
    amount_minor: int


class ForeignDecline(Value):
    """Somebody else's try failed."""

    charge: ChargeSnapshot


class AttemptReturned(Value):
    """A captured bank debit came back."""

    charge: ChargeSnapshot


class Refunded(Value):
    """Money of this invoice went back to the payer; `total_minor` of the charge so far."""

    processor_charge_id: str
    total_minor: int


class AmountChanged(Value):
    """What is owed changed without a payment; the snapshot beside it says to what."""


class InvoiceVoided(Value):
    """The processor voided the invoice."""


class InvoiceWrittenOff(Value):
    """The processor gave the invoice up."""


class SubscriptionEnded(Value):
    """The subscription is over."""


class CustomerDeleted(Value):
    """The customer is gone at the processor."""


class DisputeOpened(Value):
    """A dispute stands on the payer's card, on this invoice or another one of theirs."""

    dispute: DisputeSnapshot


class DisputeClosed(Value):
    """A dispute ended, or its funds came back."""

    dispute: DisputeSnapshot


class MethodUpdated(Value):
    """A changed credential became the default, or was chosen on our page."""

    method: MethodRef


class Resubscribed(Value):
    """The default method came with a newer subscription of the customer, and nobody has let it pay for this one."""

    method: MethodRef


class ProcessorTries(Value):
    """What the processor does about the invoice by itself, or how the policy wants us to stand beside that, has changed."""


class MethodRemoved(Value):
    """The customer has no payment method any more."""


NewsEvent = (
    ChargeFailed
    | ChargeDue
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
    | Resubscribed
    | ProcessorTries
)
