"""What a snapshot says happened, as events: the one reader for intake, the look before sending and the daily sweep.

Money first, then what the invoice, the subscription and the customer are now, then disputes, then cards. The events come one at a time: the engine applies
the first, reads the case again and asks again, until nothing is left to say; so the same snapshot can be read twice without harm.

Charges are facts, whatever the snapshot's age. Everything else is a statement of its moment, and is believed only if the snapshot is not older than what the
case knows already: not taken before the last one believed, and showing every payment that the case knows.
"""

from collections.abc import Iterator
from datetime import datetime, timedelta
from itertools import islice
from typing import assert_never

from dunr.core.answers import Declined, Paid, Pending
from dunr.core.attempt import Attempt
from dunr.core.coexistence import beside_of
from dunr.core.decision import Dossier
from dunr.core.events import (
    AmountChanged,
    AttemptAnswered,
    AttemptReturned,
    AttemptSettled,
    ChargeDue,
    ChargeFailed,
    CustomerDeleted,
    DisputeClosed,
    DisputeOpened,
    Event,
    ForeignDecline,
    InvoiceVoided,
    InvoiceWrittenOff,
    MethodRefreshed,
    MethodRemoved,
    MethodUpdated,
    PaidElsewhere,
    ProcessorTries,
    Refunded,
    Resubscribed,
    SubscriptionEnded,
)
from dunr.core.gate import by_hand, is_believed, is_for_another, is_stopped, ref_of
from dunr.core.model import Case
from dunr.core.snapshot import ChargeSnapshot, RawDecline, Snapshot
from dunr.core.terms import (
    CaseState,
    ChargeStatus,
    CollectionMethod,
    DisputeStatus,
    InvoiceStatus,
    Outcome,
    SubscriptionStatus,
    Trigger,
)

EXHAUSTED_STILL_CHARGED = timedelta(
    days=60
)  # a new card is charged for a debt that was given up no longer ago than this


CLOCKS_APART_MAX = timedelta(minutes=5)


def not_ours_because(snapshot: Snapshot) -> str | None:
    """Why no case is to be opened for this invoice, or None where one is."""
    invoice = snapshot.invoice
    is_over = invoice.status is not InvoiceStatus.OPEN or invoice.amount_due_minor <= 0
    if is_over and invoice.charge_due_at is None:  # of a charge that was left to us, the merchant hears how it ended
        return f"nothing is to be collected: {invoice.status}, {invoice.amount_due_minor} due"
    if invoice.is_first or (
        snapshot.subscription is not None and snapshot.subscription.status is SubscriptionStatus.INCOMPLETE
    ):
        return "the first payment of a subscription is made in the browser"
    if invoice.collection_method is CollectionMethod.SEND_INVOICE:
        return "the customer pays this invoice by mail"
    if invoice.first_failed_at is None and invoice.charge_due_at is None:
        return "no charge of this invoice has failed"
    if snapshot.customer is None or snapshot.customer.deleted:
        return "the customer is gone"
    if snapshot.subscription is not None and snapshot.subscription.status is SubscriptionStatus.ENDED:
        return "the subscription has ended"
    return None


def events_from(dossier: Dossier) -> Iterator[Event]:
    """Everything in the dossier's snapshot that its case does not know yet, the most important first."""
    case, snapshot = dossier.case, dossier.snapshot
    if snapshot is None:
        return
    if case is None:
        if not_ours_because(snapshot) is None:
            yield ChargeDue() if snapshot.invoice.first_failed_at is None else ChargeFailed()
        return
    vouched = _vouched_for(case, snapshot)
    for charge in snapshot.charges:
        yield from _from_charge(case, charge, is_vouched_for=charge.processor_charge_id in vouched)
    if is_believed(case, snapshot):
        yield from statements_in(dossier, case, snapshot)
        yield from _from_disputes(case, snapshot)
        yield from _from_methods(dossier, case, snapshot)


def statements_in(dossier: Dossier, case: Case, snapshot: Snapshot) -> Iterator[Event]:
    """What the invoice, its subscription, its payer and the processor's own tries are now, as far as the case does not know it."""
    yield from _from_statements(dossier, case, snapshot)
    yield from _from_own_tries(dossier, case, snapshot)


def _attempt_of(case: Case, charge: ChargeSnapshot) -> Attempt | None:
    """The attempt that a charge belongs to: by our key where the processor keeps it, else by its id."""
    for attempt in case.attempts:
        if attempt.processor_charge_id in (charge.processor_charge_id, by_hand(charge.processor_charge_id)) or (
            charge.key is not None and attempt.key == charge.key
        ):
            return attempt
    return None


def _vouched_for(case: Case, snapshot: Snapshot) -> frozenset[str]:
    """Captured charges that a person has vouched for without naming them, where the processor keeps no key of ours: the oldest that can be the attempt's."""
    found: set[str] = set()
    known = {one.processor_charge_id for one in case.attempts}.union(case.foreign_charge_ids)
    for attempt in case.attempts:
        if attempt.processor_charge_id != by_hand(attempt.key):
            continue
        alike = (
            charge
            for charge in sorted(snapshot.charges, key=lambda one: one.at)
            if charge.status in (ChargeStatus.SUCCEEDED, ChargeStatus.RETURNED)
            and charge.key is None
            and charge.amount_minor == attempt.amount_minor
            and charge.at >= attempt.begun_at - CLOCKS_APART_MAX
            and charge.processor_charge_id not in known | found
        )
        found.update(charge.processor_charge_id for charge in islice(alike, 1))
    return frozenset(found)


def _from_charge(case: Case, charge: ChargeSnapshot, *, is_vouched_for: bool) -> Iterator[Event]:
    """What one charge says that the case does not know."""
    attempt = _attempt_of(case, charge)
    known = attempt is not None or is_vouched_for or charge.processor_charge_id in case.foreign_charge_ids
    if attempt is not None:
        yield from _from_own_charge(attempt, charge)
    elif not known and charge.status in (ChargeStatus.SUCCEEDED, ChargeStatus.RETURNED):
        yield PaidElsewhere(charge, charge.amount_minor)
    elif not known and charge.status is ChargeStatus.DECLINED:
        yield ForeignDecline(charge)
    if charge.status is ChargeStatus.RETURNED and charge.processor_charge_id not in case.returned_charge_ids:
        yield AttemptReturned(charge)
    if charge.refunded_minor and charge.refunded_minor > dict(case.refunded).get(charge.processor_charge_id, 0):
        yield Refunded(charge.processor_charge_id, charge.refunded_minor)


def _from_own_charge(attempt: Attempt, charge: ChargeSnapshot) -> Iterator[Event]:
    """Our own charge as the processor shows it. One key is one payment: a success that is known is never counted again."""
    if attempt.trigger is Trigger.PROCESSOR or attempt.outcome is Outcome.SUCCEEDED:
        return
    match charge.status:
        case ChargeStatus.SUCCEEDED | ChargeStatus.RETURNED:
            yield AttemptSettled(
                attempt.number, Paid(charge.processor_charge_id, charge.amount_minor, charge.at), looked_up=True
            )
        case ChargeStatus.DECLINED:
            if attempt.is_in_flight:
                raw = charge.decline or RawDecline(None)
                answer = Declined(charge.processor_charge_id, raw, charge.at, charge.processor_intent_id)
                yield AttemptSettled(attempt.number, answer, looked_up=True)
        case ChargeStatus.PENDING:
            if attempt.is_in_flight and attempt.outcome is not Outcome.PENDING:
                yield AttemptAnswered(attempt.number, Pending(charge.processor_charge_id), looked_up=True)
        case unreachable:
            assert_never(unreachable)


def _from_statements(dossier: Dossier, case: Case, snapshot: Snapshot) -> Iterator[Event]:
    """What the invoice, the subscription and the customer are now."""
    invoice, in_flight = snapshot.invoice, case.in_flight is not None
    credited = invoice.credited_minor - case.credited_minor
    if (case.is_open and credited) or (case.state is CaseState.RECOVERED and credited > 0):
        yield AmountChanged()
    unexplained = case.amount_due_minor - invoice.amount_due_minor - credited
    paid = unexplained - case.returned_unseen_minor
    if case.is_open and invoice.status is InvoiceStatus.PAID and paid > 0 and not in_flight:
        yield PaidElsewhere(None, paid)
    if invoice.status is InvoiceStatus.VOID and case.is_open:
        yield InvoiceVoided()
    if invoice.status is InvoiceStatus.WRITTEN_OFF and case.is_open:
        yield InvoiceWrittenOff()
    too_small = 0 < invoice.amount_due_minor < invoice.minimum_minor  # what a part payment left
    if case.is_open and invoice.status is InvoiceStatus.OPEN and (unexplained or too_small) and not in_flight:
        yield AmountChanged()
    ended = snapshot.subscription is not None and snapshot.subscription.status is SubscriptionStatus.ENDED
    if ended and (case.is_open or (dossier.subscription is not None and dossier.subscription.ended_at is None)):
        yield SubscriptionEnded()
    if case.is_open and (snapshot.customer is None or snapshot.customer.deleted):
        yield CustomerDeleted()


def _from_own_tries(dossier: Dossier, case: Case, snapshot: Snapshot) -> Iterator[Event]:
    """What the processor will do by itself, as long as there is something to collect."""
    is_payable = case.is_open and snapshot.invoice.status is InvoiceStatus.OPEN
    if is_payable and beside_of(case.beside, dossier.policy, snapshot) != case.beside:
        yield ProcessorTries()


def _from_disputes(case: Case, snapshot: Snapshot) -> Iterator[Event]:
    """Disputes of this invoice, or on the card that this case would charge."""
    if not snapshot.disputes:
        return
    cards = {a.method.card_key for a in case.attempts if a.method is not None} | {m.card_key for m in snapshot.methods}
    known = {dispute.processor_dispute_id: dispute for dispute in case.disputes}
    for dispute in snapshot.disputes:
        seen = known.get(dispute.processor_dispute_id)
        of_this_invoice = dispute.processor_invoice_id == case.processor_invoice_id
        if not of_this_invoice and not (case.is_open and dispute.card_key in cards):
            continue
        if seen is None:
            yield DisputeOpened(dispute)
        elif (seen.status, seen.reinstated) != (
            dispute.status,
            dispute.reinstated,
        ) and dispute.status is not DisputeStatus.OPEN:
            yield DisputeClosed(dispute)


def is_given_up(case: Case, at: datetime) -> bool:
    """Whether a case was exhausted so long ago that a new card is not charged for it any more."""
    exhausted_at = case.ended_at if case.state is CaseState.EXHAUSTED else None
    return exhausted_at is not None and at - exhausted_at > EXHAUSTED_STILL_CHARGED


def _from_methods(dossier: Dossier, case: Case, snapshot: Snapshot) -> Iterator[Event]:
    """A new credential, or none any more. A case whose turn it is in the card run is asked in any event, so that it can pass the turn on."""
    if not case.is_open:
        return
    default = snapshot.default_method
    if default is None:
        if case.state is CaseState.SCHEDULED and case.in_flight is None:
            yield MethodRemoved()
        return
    run = dossier.customer.run if dossier.customer is not None else None
    if run is not None and run.credential == default.credential:
        if run.stopped:
            return
        if run.remaining[:1] == (case.id,) and case.in_flight is None and case.turn_at is None:
            yield MethodUpdated(ref_of(default))
            return
    pending = case.method_notes.pending_refresh
    if pending is not None and pending.processor_method_id == default.processor_method_id:
        if pending.credential != default.credential:
            yield MethodRefreshed(default.processor_method_id, ref_of(default))
        return
    if is_for_another(case, snapshot, default):
        if case.method_notes.unasked_credential != default.credential:
            yield Resubscribed(ref_of(default))
        return
    waiting = case.waiting_method is not None and case.waiting_method.credential == default.credential
    known = waiting or default.credential in case.credentials_tried or is_stopped(dossier.method, ref_of(default))
    known = known or (case.beside is not None and case.beside.charges_nothing)  # the processor tries it, or a person
    if not known and not case.holds and not is_given_up(case, snapshot.taken_at):
        yield MethodUpdated(ref_of(default))
