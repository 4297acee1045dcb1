"""Disputes, returned debits and refunds: money that somebody takes back.

A dispute holds the payer's open cases on that card; on the disputed invoice it is a matter for the ledger and for a person, and never opens it again.
"""

from dunr.core import ledger
from dunr.core.attempt import Attempt
from dunr.core.decide.attempts import note_return
from dunr.core.decide.draft import Draft
from dunr.core.decide.money import give_back
from dunr.core.decide.opening import alert_unknown, hold_for
from dunr.core.decide.planning import begin_dunning, has_no_method, lay_out, set_steps, settle_state
from dunr.core.decide.telling import tell_customer_to_act
from dunr.core.declines import classify, network_of, unknown_codes
from dunr.core.disputed import BLOCKING, KnownDispute
from dunr.core.events import AttemptReturned, DisputeClosed, DisputeOpened, IntentCancelled
from dunr.core.gate import ref_of
from dunr.core.model import Hold
from dunr.core.snapshot import ChargeSnapshot, DisputeSnapshot, RawDecline
from dunr.core.terms import (
    Access,
    AlertKind,
    CaseState,
    DeclineKind,
    DeclineReason,
    DisputeStatus,
    InFlightAction,
    InvoiceStatus,
    Outcome,
)
from dunr.core.value import replace


def _remember(draft: Draft, dispute: DisputeSnapshot) -> None:
    """Keep what the case has seen of this dispute."""
    others = tuple(one for one in draft.case.disputes if one.processor_dispute_id != dispute.processor_dispute_id)
    known = KnownDispute(dispute.processor_dispute_id, dispute.status, dispute.reinstated)
    draft.case = replace(draft.case, disputes=(*others, known))


def _is_of_this_invoice(draft: Draft, dispute: DisputeSnapshot) -> bool:
    """Whether the disputed payment is one of this case's own."""
    return dispute.processor_invoice_id == draft.case.processor_invoice_id


def dispute_opened(draft: Draft, event: DisputeOpened) -> None:
    """Book it where the payment is ours; hold the case where it is open."""
    dispute, case = event.dispute, draft.case
    if any(known.processor_dispute_id == dispute.processor_dispute_id for known in case.disputes):
        draft.why(f"dispute {dispute.processor_dispute_id} is known: a repeat")
        return
    _remember(draft, dispute)
    if _is_of_this_invoice(draft, dispute):
        draft.postings.append(ledger.disputed(case, dispute.processor_dispute_id, dispute.amount_minor, draft.now))
        draft.why(f"{draft.money(dispute.amount_minor)} of this invoice is disputed; it is not charged again by itself")
    if case.is_open and dispute.status in BLOCKING:
        hold = hold_for(dispute.processor_dispute_id, draft.now)
        draft.case = replace(draft.case, holds=(*draft.case.holds, hold))
        draft.why("held: a payment by this card is disputed; nothing is charged, written or paused")
    _note_on_card(draft, dispute)
    text = f"Dispute {dispute.processor_dispute_id} over {draft.money(dispute.amount_minor)} concerns {case.processor_invoice_id}."
    draft.alert(AlertKind.DISPUTED, f"{case.id}/{dispute.processor_dispute_id}", text)
    if dispute.reinstated or dispute.status not in BLOCKING:
        dispute_closed(draft, DisputeClosed(dispute))


def _note_on_card(draft: Draft, dispute: DisputeSnapshot) -> None:
    """Keep the open disputes on the card's own row, where the dossier holds it."""
    row = draft.method
    if row is None or not row.id.endswith(f":{dispute.card_key}"):
        return
    others = tuple(one for one in row.open_disputes if one != dispute.processor_dispute_id)
    is_open = dispute.status is DisputeStatus.OPEN
    draft.method = replace(row, open_disputes=(*others, dispute.processor_dispute_id) if is_open else others)


def dispute_closed(draft: Draft, event: DisputeClosed) -> None:
    """A lost dispute keeps its hold: only a person lets that card be charged again. Any other end releases it."""
    dispute = event.dispute
    _remember(draft, dispute)
    _note_on_card(draft, dispute)
    draft.why(
        f"dispute {dispute.processor_dispute_id}: {dispute.status}{', the funds are back' if dispute.reinstated else ''}"
    )
    funds_back = dispute.reinstated or dispute.status is DisputeStatus.WARNING_CLOSED
    if funds_back and _is_of_this_invoice(draft, dispute):
        draft.postings.append(
            ledger.reinstated(draft.case, dispute.processor_dispute_id, dispute.amount_minor, draft.now)
        )
    if dispute.status is not DisputeStatus.LOST:
        release(draft, dispute.processor_dispute_id)


def release(draft: Draft, ref: str) -> None:
    """End one hold. Steps whose time passed meanwhile are laid anew; a case that never had a plan gets one, and one whose card may not be charged any more has none."""
    case = draft.case
    released = next((hold for hold in case.holds if hold.ref == ref), None)
    if released is None:
        return
    draft.case = replace(case, holds=tuple(hold for hold in case.holds if hold.ref != ref))
    draft.why(f"the hold since {draft.said(released.since_at)} is released: {released.why}")
    resume(draft)


def resume(draft: Draft) -> None:
    """Go on after the last hold has gone. A step that is late by more than an hour is laid anew by its timer."""
    case = draft.case
    if case.holds or not case.is_open or case.state is CaseState.EXHAUSTED:
        return
    if case.in_flight is not None:
        _look_up_late(draft, case.in_flight)
        return
    draft.case = replace(case, not_before_at=None)
    if case.plan.steps and has_no_method(draft):
        settle_state(draft)
    elif not case.plan.steps and case.deciding_reason is not DeclineReason.PAYER_DECEASED:
        begin_dunning(draft, case.first_failed_at if case.steps_spent_count == 0 else draft.now)


def _look_up_late(draft: Draft, attempt: Attempt) -> None:
    """What nobody answered before the hold may have to be called again, or given up, now: a look-up decides."""
    is_waiting = attempt.outcome is Outcome.UNKNOWN and attempt.next_action is InFlightAction.LOOK_UP
    if draft.processor.calls_spend_steps and is_waiting:
        draft.change_attempt(replace(attempt, next_action_at=draft.now))


def returned(draft: Draft, event: AttemptReturned) -> None:
    """A bank debit came back after it had succeeded: the debt stands again, in a new round where presenting it once more makes sense."""
    charge, case = event.charge, draft.case
    if charge.processor_charge_id in case.returned_charge_ids:
        draft.why(f"the return of {charge.processor_charge_id} is known: a repeat")
        return
    give_back(draft, charge.processor_charge_id, charge.amount_minor, draft.now)
    if draft.snapshot.invoice.status is InvoiceStatus.PAID:
        still_paid = case.returned_unseen_minor + draft.case.amount_due_minor - case.amount_due_minor
        draft.case = replace(draft.case, returned_unseen_minor=still_paid)
    raw, reason = _why_returned(draft, charge)
    note_return(draft, charge, raw)
    text = f"Payment {charge.processor_charge_id} of {case.processor_invoice_id} was returned ({draft.facts.reasons[reason].sentence})."
    draft.alert(AlertKind.PAYMENT_RETURNED, f"{case.id}/{charge.processor_charge_id}", text)
    draft.why(
        f"the captured payment {charge.processor_charge_id} came back: {draft.money(charge.amount_minor)} is owed again"
    )
    if case.state is not CaseState.RECOVERED or not draft.case.amount_due_minor:
        return
    again, holds = reason is DeclineReason.INSUFFICIENT_FUNDS, _holds_from_the_start(draft)
    draft.case = replace(
        draft.case,
        state=CaseState.SCHEDULED if again and not holds else CaseState.AWAITING_CUSTOMER,
        holds=holds,
        round=case.round + 1,
        steps_spent_count=0,
        first_failed_at=draft.now,
        has_failed=True,
        deciding_reason=reason,
        access=Access.GRACE,
        ended_at=None,
        warned_at=None,
        paused_at=None,
        deadline_at=None,
    )
    draft.why(f"round {case.round + 1} begins")
    if holds:
        draft.why("held from the start: a payment by this card is disputed")
        set_steps(draft, ())
    elif again:
        lay_out(draft, draft.now)
    else:
        _ask_customer(draft)


def _holds_from_the_start(draft: Draft) -> tuple[Hold, ...]:
    """The holds of a case that opens again: those that stand, and one for each dispute that came while there was nothing to hold."""
    standing = draft.case.holds
    held = {hold.ref for hold in standing}
    missing = [
        known.processor_dispute_id
        for known in draft.case.disputes
        if known.status in BLOCKING and known.processor_dispute_id not in held
    ]
    return (*standing, *[hold_for(ref, draft.now) for ref in missing])


def _why_returned(draft: Draft, charge: ChargeSnapshot) -> tuple[RawDecline, DeclineReason]:
    """The return as a decline, and what it means: its code is the debit scheme's where the account's scheme is known, else the processor's own."""
    attempt = next((one for one in draft.case.attempts if one.processor_charge_id == charge.processor_charge_id), None)
    shown = [ref_of(method) for method in draft.snapshot.methods if method.card_key == charge.card_key]
    charged = attempt.method if attempt is not None and attempt.method is not None else next(iter(shown), None)
    network = network_of(charged) if charged is not None else None
    code = charge.return_code
    raw = charge.decline or (RawDecline(None, network_decline_code=code) if network else RawDecline(code))
    meant = classify(raw, draft.case.processor, draft.facts, network)
    codes = unknown_codes(meant, raw)
    alert_unknown(draft, codes, meant.reason)
    if attempt is not None and codes is not None:
        draft.change_attempt(replace(attempt, unknown_codes=codes))
    return raw, meant.reason


def _ask_customer(draft: Draft) -> None:
    """A return that must not be presented again waits for the customer."""
    set_steps(draft, ())
    kind = draft.facts.reasons[draft.case.deciding_reason or DeclineReason.UNKNOWN].kind
    if kind is not DeclineKind.OPERATOR:
        tell_customer_to_act(draft)


def intent_cancelled(draft: Draft, event: IntentCancelled) -> None:
    """Only a confirmed cancellation lets the next attempt begin; where the intent had succeeded, the snapshot brings the money."""
    case = draft.case
    if case.uncancelled_intent_id != event.processor_intent_id:
        draft.why("that intent is not waited for any more")
        return
    draft.case = replace(case, uncancelled_intent_id=None, not_before_at=None)
    if event.succeeded:
        draft.why("the intent had succeeded meanwhile; the money is looked for")
        draft.nudge(case.id, f"intent/{event.processor_intent_id}")
    else:
        draft.why("the earlier try is cancelled, and that is confirmed")
