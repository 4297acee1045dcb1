"""The failed first charge: a case opens, its debt is booked, and the decline decides what follows."""

from datetime import datetime

from dunr.core import keys, ledger
from dunr.core.attempt import Attempt, MethodRef
from dunr.core.decide.backup_turns import after_failure
from dunr.core.decide.beside import refused, stand_beside
from dunr.core.decide.draft import Draft
from dunr.core.decide.invoices import carry_over
from dunr.core.decide.planning import begin_dunning, set_steps
from dunr.core.decide.remembering import remember, send_of_charge
from dunr.core.decide.surroundings import stated_until
from dunr.core.decision import Decision, Dossier
from dunr.core.declines import Classification, classify, in_words, network_of, raw_code, unknown_codes
from dunr.core.disputed import BLOCKING, KnownDispute
from dunr.core.facts import Facts
from dunr.core.gate import ref_of
from dunr.core.model import Case, Customer, Hold, Method, Subscription
from dunr.core.policy import policy_hash
from dunr.core.reconcile import not_ours_because
from dunr.core.snapshot import ChargeSnapshot, MethodSnapshot, Snapshot, UnknownCodes
from dunr.core.terms import (
    AlertKind,
    CaseState,
    ChargeStatus,
    DeclineReason,
    HoldKind,
    Outcome,
    Trigger,
)
from dunr.core.value import replace


def charge_failed(dossier: Dossier, facts: Facts, now: datetime) -> Decision:
    """Open the case, unless the invoice is not ours to collect."""
    snapshot = dossier.snapshot
    assert snapshot is not None, "a case opens on a snapshot"
    not_ours = not_ours_because(snapshot)
    if not_ours is not None:
        return Decision((not_ours,))
    refusal = refused(dossier, snapshot, now)
    if refusal is not None:
        return refusal
    failed = _failed_charge(snapshot)
    draft = Draft(dossier, _new_case(dossier, snapshot, failed, facts, now), facts, now)
    meet_neighbours(draft, snapshot)
    stand_beside(draft)
    case = draft.case
    draft.postings.append(ledger.opened(case, case.amount_due_minor, now))
    draft.why(
        f"the first charge of {case.processor_invoice_id} failed at {draft.said(case.first_failed_at)}: {draft.money(case.amount_due_minor)} is due"
    )
    draft.why(*dossier.policy_why)
    draft.why(f"declined: {facts.reasons[case.deciding_reason or DeclineReason.UNKNOWN].sentence}")
    alert_unknown(draft, case.attempts[0].unknown_codes, case.deciding_reason)
    stop_credential(draft, case.attempts[0])
    _count_tries(draft, snapshot)
    if snapshot.invoice.amount_due_minor < snapshot.invoice.minimum_minor:
        carry_over(draft)
    elif case.holds:
        draft.case = replace(case, state=CaseState.AWAITING_CUSTOMER)
        draft.why("held from the start: a payment by this card is disputed")
        draft.alert(
            AlertKind.DISPUTED,
            f"{case.id}/opened",
            f"{case.processor_invoice_id} failed while a payment by the same card is disputed: held for a person.",
        )
        set_steps(draft, ())
    else:
        begin_dunning(draft, case.first_failed_at)
        after_failure(draft, Trigger.PROCESSOR)
    return draft.finish("ChargeFailed", "dunr")


def _count_tries(draft: Draft, snapshot: Snapshot) -> None:
    """What the processor tried already counts toward the card's caps."""
    default = snapshot.default_method
    row = method_row(draft, default.card_key) if default is not None else None
    if default is None or row is None:
        return
    tries = [charge for charge in snapshot.charges if charge.card_key == default.card_key]
    if tries:
        sends = [send_of_charge(draft.case, charge, 0, ref_of(default), draft.facts) for charge in tries]
        draft.method = remember(row, sends)


def _failed_charge(snapshot: Snapshot) -> ChargeSnapshot | None:
    """The newest failed charge of the invoice, or None where no charge was even made."""
    declined = [charge for charge in snapshot.charges if charge.status is ChargeStatus.DECLINED]
    return max(declined, key=lambda charge: charge.at, default=None)


def _method_of(snapshot: Snapshot, failed: ChargeSnapshot | None) -> MethodSnapshot | None:
    """The method that the failed charge used, as far as the snapshot still shows it."""
    if failed is None or failed.card_key is None:
        return snapshot.default_method
    return next((method for method in snapshot.methods if method.card_key == failed.card_key), None)


def _first_failure(
    snapshot: Snapshot, failed: ChargeSnapshot | None, method: MethodRef | None, meant: Classification | None
) -> Attempt:
    """Attempt 0, which the processor made, and what its decline means."""
    invoice = snapshot.invoice
    assert invoice.first_failed_at is not None, "not_ours_because has looked at this"
    declined = failed.decline if failed is not None else None
    return Attempt(
        number=0,
        round=1,
        trigger=Trigger.PROCESSOR,
        step_number=None,
        after_reason=None,
        key="",
        amount_minor=failed.amount_minor if failed is not None else invoice.amount_due_minor,
        currency=invoice.currency,
        method=method,
        begun_at=invoice.first_failed_at,
        fence=0,
        outcome=Outcome.DECLINED,
        reason=meant.reason if meant is not None else DeclineReason.UNKNOWN,
        raw_code=raw_code(declined) if declined is not None else None,
        processor_charge_id=failed.processor_charge_id if failed is not None else None,
        processor_intent_id=failed.processor_intent_id if failed is not None else None,
        settled_at=invoice.first_failed_at,
        unknown_codes=unknown_codes(meant, declined),
    )


def as_it_opens(dossier: Dossier, snapshot: Snapshot, first_failed_at: datetime, now: datetime) -> Case:
    """What every case begins with, whoever makes its first charge: whose it is, what is owed, and what was charged before we came."""
    processor, account, invoice_id = dossier.case_id.split(":", 2)
    invoice, subscription, customer = snapshot.invoice, snapshot.subscription, snapshot.customer
    return Case(
        id=dossier.case_id,
        version=0,
        processor=processor,
        account=account,
        processor_invoice_id=invoice_id,
        subscription_id=keys.row_id(processor, account, subscription.processor_subscription_id)
        if subscription
        else None,
        customer_id=keys.row_id(processor, account, customer.processor_customer_id) if customer else None,
        state=CaseState.SCHEDULED,
        round=1,
        opened_at=now,
        first_failed_at=first_failed_at,
        currency=invoice.currency,
        amount_total_minor=invoice.amount_total_minor,
        amount_due_minor=invoice.amount_due_minor,
        policy_hash=policy_hash(dossier.policy),
        seen_at=snapshot.taken_at,
        foreign_charge_ids=tuple(
            [charge.processor_charge_id for charge in snapshot.charges if charge.status is not ChargeStatus.PENDING]
        ),
        credited_minor=invoice.credited_minor,
        charge_due_at=invoice.charge_due_at,
    )


def _new_case(dossier: Dossier, snapshot: Snapshot, failed: ChargeSnapshot | None, facts: Facts, now: datetime) -> Case:
    """The row as it opens, with attempt 0."""
    processor, shown = dossier.case_id.split(":", 1)[0], _method_of(snapshot, failed)
    declined, method = failed.decline if failed is not None else None, ref_of(shown) if shown is not None else None
    network = network_of(method) if method is not None else None
    meant = classify(declined, processor, facts, network) if declined is not None else None
    first, charges = _first_failure(snapshot, failed, method, meant), snapshot.charges
    return replace(
        as_it_opens(dossier, snapshot, first.begun_at, now),
        attempts=(first,),
        deciding_reason=first.reason,
        issuer_wait_until_at=stated_until(first, meant.wait_seconds if meant is not None else None),
        refunded=tuple([(one.processor_charge_id, one.refunded_minor) for one in charges if one.refunded_minor]),
        returned_charge_ids=tuple([one.processor_charge_id for one in charges if one.status is ChargeStatus.RETURNED]),
        credentials_tried=(method.credential,) if method is not None else (),
        uncancelled_intent_id=failed.processor_intent_id if failed is not None else None,
    )


def meet_neighbours(draft: Draft, snapshot: Snapshot) -> None:
    """Create the rows beside the case that no store has seen yet, and take over the disputes that stand already."""
    case, known = draft.case, snapshot.subscription
    if draft.subscription is None and case.subscription_id is not None and known is not None:
        draft.subscription = Subscription(case.subscription_id, 0, known.status, known.period_end_at, snapshot.taken_at)
    if draft.customer is None and case.customer_id is not None:
        draft.customer = Customer(case.customer_id, 0, payer=draft.payer)
    if not snapshot.disputes:
        return
    cards = {method.card_key for method in snapshot.methods}
    standing = [
        one
        for one in snapshot.disputes
        if one.card_key in cards or one.processor_invoice_id == case.processor_invoice_id
    ]
    blocking = [one for one in standing if one.status in BLOCKING]
    draft.case = replace(
        case,
        disputes=tuple(KnownDispute(one.processor_dispute_id, one.status, one.reinstated) for one in standing),
        holds=tuple([hold_for(one.processor_dispute_id, draft.now) for one in blocking]),
    )


def hold_for(processor_dispute_id: str, now: datetime) -> Hold:
    """What a dispute does to a case that might charge the same card."""
    return Hold(HoldKind.DISPUTE, processor_dispute_id, "a payment by this card is disputed", now, None)


def alert_unknown(draft: Draft, codes: UnknownCodes | None, reason: DeclineReason | None) -> None:
    """Codes that no table knows are shown to a person, each of them once. `reason` is what the decline counts as meanwhile."""
    if codes is None:
        return
    if reason is DeclineReason.UNKNOWN:
        meanwhile = "a decline that says nothing else gets one cautious step"
    else:
        meanwhile = f"beside it other signals were known, and the decline counts as {reason}"
    for key in codes.keys:
        text = f"{in_words(key)} is in no table; {meanwhile}. `dunr declines unknown` proposes a meaning, `dunr declines map` gives it one."
        draft.why(f"{in_words(key)} is in no table")
        draft.alert(AlertKind.UNKNOWN_DECLINE, "/".join(key), text)


def stop_credential(draft: Draft, attempt: Attempt) -> None:
    """A hard decline stops the credential until it changes."""
    if attempt.reason is None or attempt.method is None or not draft.facts.reasons[attempt.reason].stops_credential:
        return
    row = method_row(draft, attempt.method.card_key)
    if row is not None:
        draft.method = replace(row, stop=attempt.reason, stopped_credential=attempt.method.credential)
        draft.why("this credential is not charged again until it changes")


def method_row(draft: Draft, card_key: str) -> Method | None:
    """The method row of the dossier, made where it is new; None where the dossier was read for another card."""
    row_id = keys.row_id(draft.case.processor, draft.case.account, card_key)
    if draft.method is None:
        return Method(row_id, 0) if draft.dossier.method_id == row_id else None
    return draft.method if draft.method.id == row_id else None
