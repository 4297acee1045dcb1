"""The look before every send.

May this exact request go out now?
The same function stands before the intent, before a send that was delayed, and before every re-send. It answers with reasons; no reason means yes.
In doubt, closed.
"""

from datetime import datetime, timedelta

from dunr.core.attempt import Attempt, MethodRef
from dunr.core.decision import Stops
from dunr.core.disputed import BLOCKING
from dunr.core.facts import ProcessorFacts
from dunr.core.model import Case, Method
from dunr.core.snapshot import InvoiceSnapshot, MethodSnapshot, Snapshot
from dunr.core.terms import (
    CaseState,
    ChargeStatus,
    CollectionMethod,
    InvoiceStatus,
    Outcome,
    SubscriptionStatus,
)

OLDER_LOOK = "what was read is older than what the case knows"
NOT_TAKEN_OVER = "the processor has not left this invoice to us yet"


def ref_of(method: MethodSnapshot) -> MethodRef:
    """The request's view of a payment method."""
    return MethodRef(method.processor_method_id, method.card_key, method.credential, method.rail, method.network)


def by_hand(name: str) -> str:
    """How a charge is called that a person vouches for and that no snapshot has shown: by the id that was told, else by our key."""
    return f"hand:{name}"


def is_believed(case: Case, snapshot: Snapshot) -> bool:
    """Whether the snapshot is at least as new as what the case knows."""
    if snapshot.taken_at < case.seen_at:
        return False
    known = [one.processor_charge_id for one in case.attempts if one.outcome is Outcome.SUCCEEDED]
    if not known:
        return True
    shown = {charge.processor_charge_id for charge in snapshot.charges if charge.status is not ChargeStatus.DECLINED}
    return all(one in shown or (one or "").startswith(by_hand("")) for one in known)


def is_key_old(attempt: Attempt, processor: ProcessorFacts, now: datetime) -> bool:
    """Whether half of the key's life is over: from then on the request is not sent, by nobody and for no reason."""
    return now - attempt.begun_at >= timedelta(seconds=processor.key_lifetime_seconds) / 2


def is_stopped(row: Method | None, method: MethodRef) -> bool:
    """Whether a hard decline binds this credential."""
    return row is not None and row.stop is not None and row.stopped_credential == method.credential


def is_for_another(case: Case, snapshot: Snapshot, method: MethodSnapshot) -> bool:
    """Whether a method came with another subscription and nobody has let it pay for this one: who starts anew is not charged for the old debt unasked."""
    came_with = method.came_with_subscription_id
    own = snapshot.subscription.processor_subscription_id if snapshot.subscription is not None else None
    return came_with is not None and came_with != own and method.credential not in case.credentials_tried


def chargeable_method(case: Case, snapshot: Snapshot) -> MethodSnapshot | None:
    """The default method, where there is one and time alone may bring its turn: it needs nobody's word, and no payment by it is disputed. A hold has its own end."""
    default = snapshot.default_method
    if default is None or is_for_another(case, snapshot, default):
        return None
    return None if not case.holds and is_disputed(snapshot, default.card_key) else default


def is_disputed(snapshot: Snapshot, card_key: str) -> bool:
    """Whether a payment by this card is disputed, or was lost that way: it is not charged again."""
    return any(one.status in BLOCKING and one.card_key == card_key for one in snapshot.disputes)


def closed_because(
    case: Case,
    amount_minor: int,
    currency: str,
    method: MethodRef,
    snapshot: Snapshot,
    row: Method | None,
    stops: Stops,
) -> tuple[str, ...]:
    """Every reason why the request must not be sent now; empty where it may."""
    reasons = list(stops.charges)
    if case.state in (CaseState.RECOVERED, CaseState.CLOSED):
        reasons.append(f"the case is {case.state}")
    if not is_believed(case, snapshot):
        reasons.append(OLDER_LOOK)
    reasons.extend(f"held: {hold.why}" for hold in case.holds)
    reasons.extend(_invoice_reasons(snapshot.invoice, amount_minor, currency))
    reasons.extend(_payer_reasons(snapshot))
    reasons.extend(_method_reasons(method, snapshot, row))
    reasons.extend(_dispute_reasons(case, method, snapshot))
    if any(charge.status is ChargeStatus.PENDING for charge in snapshot.charges):
        reasons.append(
            "a charge is pending"
        )  # somebody else's, or an earlier one of ours that was thought not to be there
    reasons.extend(_own_tries(case, snapshot))
    return tuple(reasons)


def _dispute_reasons(case: Case, method: MethodRef, snapshot: Snapshot) -> list[str]:
    """What disputes say against it. One over this invoice holds the case; by another card it may be paid once a person has let it go on."""
    reasons = []
    if is_disputed(snapshot, method.card_key):
        reasons.append("a payment by this card is disputed")
    known = {one.processor_dispute_id for one in case.disputes}
    of_invoice = [one for one in snapshot.disputes if one.processor_invoice_id == case.processor_invoice_id]
    if any(one.status in BLOCKING and one.processor_dispute_id not in known for one in of_invoice):
        reasons.append("a payment of this invoice is disputed")
    return reasons


def _own_tries(case: Case, snapshot: Snapshot) -> list[str]:
    """What the processor's own tries say against it: one debt has one collector."""
    reasons, beside = [], case.beside
    if snapshot.processor_next_attempt_at is not None:
        reasons.append("the processor will try again by itself")
    if beside is None:
        return reasons
    if beside.charges_nothing:
        reasons.append(f"the processor collects this invoice by itself, and the policy says {beside.mode}")
    elif snapshot.collects_by_itself:
        reasons.append(NOT_TAKEN_OVER)
    return reasons


def _invoice_reasons(invoice: InvoiceSnapshot, amount_minor: int, currency: str) -> list[str]:
    """What the invoice says against it."""
    if invoice.status is not InvoiceStatus.OPEN:
        return [f"the invoice is {invoice.status} at the processor"]
    reasons = []
    if invoice.amount_due_minor != amount_minor or invoice.currency != currency:
        reasons.append("what is due is not the amount of the request any more")
    if invoice.amount_due_minor < max(1, invoice.minimum_minor):
        reasons.append("the amount is below what the processor charges")
    if invoice.collection_method is CollectionMethod.SEND_INVOICE:
        reasons.append("the invoice is collected by mail")
    return reasons


def _payer_reasons(snapshot: Snapshot) -> list[str]:
    """What the customer and the subscription say against it."""
    reasons = []
    if snapshot.customer is None or snapshot.customer.deleted:
        reasons.append("the customer is gone")
    if snapshot.subscription is not None and snapshot.subscription.status is SubscriptionStatus.ENDED:
        reasons.append("the subscription has ended")
    return reasons


def _method_reasons(method: MethodRef, snapshot: Snapshot, row: Method | None) -> list[str]:
    """What the payment method says against it."""
    reasons = []
    on_file = next((one for one in snapshot.methods if one.processor_method_id == method.processor_method_id), None)
    if on_file is None or on_file.credential != method.credential:
        reasons.append("the payment method is not on file any more, or has changed")
    if is_stopped(row, method):
        reasons.append("this credential was stopped by the issuer")
    return reasons
