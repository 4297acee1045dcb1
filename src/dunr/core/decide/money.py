"""Money that arrived, or went back: booked in every state of a case, exactly once per charge.

No late failure of anything un-pays a paid invoice; only a return of the captured payment itself does.
"""

from datetime import datetime

from dunr.core import ledger, notices
from dunr.core.decide.draft import Draft
from dunr.core.decide.remembering import remember, send_of_charge
from dunr.core.events import ForeignDecline, PaidElsewhere
from dunr.core.gate import ref_of
from dunr.core.model import Case, Plan
from dunr.core.sends import FOREIGN
from dunr.core.terms import Access, AlertKind, CaseState, CloseReason, InFlightAction, NoticeKind, Outcome
from dunr.core.value import replace


def collect(draft: Draft, charge_ref: str, amount_minor: int, at: datetime, *, ours: bool) -> None:
    """Book a captured payment and draw the consequence: nothing left to pay, a rest, or too much."""
    case = draft.case
    owed = min(amount_minor, _still_owed(case))
    over = amount_minor - owed
    draft.postings.extend(ledger.collected(case, charge_ref, owed, over, at))
    draft.case = replace(
        _owing(case, -owed),
        captured_minor=case.captured_minor + amount_minor,
        overpaid_minor=case.overpaid_minor + over,
        seen_at=max(case.seen_at, at),
    )
    due = draft.case.amount_due_minor
    draft.why(
        f"{draft.money(amount_minor)} arrived by {charge_ref}{'' if ours else ', by no attempt of ours'}; {draft.money(due)} remains due"
    )
    if over:
        text = f"{draft.money(over)} too much was collected for {case.processor_invoice_id} (charge {charge_ref}). A person refunds it."
        draft.alert(AlertKind.OVERPAID, f"{case.id}/{charge_ref}", text)
    if case.state is CaseState.CLOSED:
        text = f"{draft.money(amount_minor)} arrived late for {case.processor_invoice_id}, which is closed ({case.closed_because})."
        draft.alert(AlertKind.LATE_MONEY, f"{case.id}/{charge_ref}", text)
        return
    if due == 0 and case.state is not CaseState.RECOVERED:
        recover(draft, ours=ours)


def _still_owed(case: Case) -> int:
    """How much a payment may meet: what is due, or what was given up; nothing is left of either after a void."""
    return case.written_off_minor if case.closed_because is CloseReason.WRITTEN_OFF else case.amount_due_minor


def _owing(case: Case, more_minor: int) -> Case:
    """The case with so much more (or less) of its debt, or of its loss where the debt was given up."""
    if case.closed_because is CloseReason.WRITTEN_OFF:
        return replace(case, written_off_minor=case.written_off_minor + more_minor)
    return replace(case, amount_due_minor=case.amount_due_minor + more_minor)


def recover(draft: Draft, *, ours: bool) -> None:
    """Nothing is left to pay: the plan ends, access comes back, and the customer gets one receipt where we collected."""
    draft.why("recovered: nothing is left to pay; what was still planned is cancelled")
    draft.case = replace(
        draft.case,
        state=CaseState.RECOVERED,
        ended_at=draft.now,
        plan=Plan(),
        access=Access.GRANTED,
        paused_at=None,
        waiting_method=None,
        turn_at=None,
        not_before_at=None,
        promise_at=None,
        promises_count=0,
        reminders_stopped=False,
        is_delinquent=False,
    )
    if ours:
        tell_receipt(draft)


def tell_receipt(draft: Draft) -> None:
    """One receipt a round, where the policy wants it and the processor sends none: for what we collected, not for what came by other ways."""
    if draft.policy.receipts and not draft.processor.sends_receipts:
        notice = notices.of_kind(draft.case, NoticeKind.RECEIPT, None, draft.now, draft.facts, is_warning=False)
        ours_minor = sum(one.captured_minor for one in draft.case.attempts if one.round == draft.case.round)
        draft.notify(replace(notice, amount_minor=ours_minor))


def refund(draft: Draft, charge_id: str, total_minor: int, at: datetime) -> None:
    """Money went back to the payer: first what was paid too much, then what had paid the debt. It never opens the debt again."""
    case = draft.case
    before = dict(case.refunded)
    amount = total_minor - before.get(charge_id, 0)
    if amount <= 0:
        draft.why(f"that refund of {charge_id} is known")
        return
    from_over = min(amount, case.overpaid_minor)
    draft.postings.extend(ledger.refunded(case, charge_id, total_minor, from_over, amount - from_over, at))
    before[charge_id] = total_minor
    draft.case = replace(case, refunded=tuple(sorted(before.items())), overpaid_minor=case.overpaid_minor - from_over)
    draft.why(
        f"{draft.money(amount)} of {charge_id} went back to the payer, {draft.money(from_over)} of it paid too much"
    )


def give_back(draft: Draft, charge_id: str, amount_minor: int, at: datetime) -> None:
    """A captured payment came back: first what was paid too much, then the debt that it had met stands again."""
    case = draft.case
    from_over = min(amount_minor, case.overpaid_minor)
    from_debt = amount_minor - from_over
    draft.postings.extend(ledger.reversed_(case, charge_id, from_over, from_debt, at))
    draft.case = replace(
        _owing(case, from_debt),
        captured_minor=case.captured_minor - amount_minor,
        overpaid_minor=case.overpaid_minor - from_over,
        returned_charge_ids=(*case.returned_charge_ids, charge_id),
    )


def _is_known(draft: Draft, charge_id: str) -> bool:
    """Whether this charge was taken in already: one charge is one fact."""
    ours = {attempt.processor_charge_id for attempt in draft.case.attempts}
    if charge_id not in draft.case.foreign_charge_ids and charge_id not in ours:
        return False
    draft.why(f"{charge_id} is known: a repeat")
    return True


def paid_elsewhere(draft: Draft, event: PaidElsewhere) -> None:
    """Somebody else collected. An attempt of ours that is in flight stays so: it is looked up, and may turn out to be an overpayment."""
    case, charge = draft.case, event.charge
    ref = charge.processor_charge_id if charge is not None else f"outside-n{case.audit_count + 1}"
    if _is_known(draft, ref):
        return
    if charge is not None:
        draft.case = replace(case, foreign_charge_ids=(*case.foreign_charge_ids, ref))
    collect(draft, ref, event.amount_minor, charge.at if charge is not None else draft.snapshot.taken_at, ours=False)
    _look_sooner(draft)


def foreign_decline(draft: Draft, event: ForeignDecline) -> None:
    """Somebody else's try failed: it counts toward the card's caps and spends no step."""
    case, charge = draft.case, event.charge
    if _is_known(draft, charge.processor_charge_id):
        return
    draft.case = replace(case, foreign_charge_ids=(*case.foreign_charge_ids, charge.processor_charge_id))
    row = draft.method
    if row is not None and charge.card_key is not None and row.id.endswith(f":{charge.card_key}"):
        shown = next((ref_of(one) for one in draft.snapshot.methods if one.card_key == charge.card_key), None)
        draft.method = remember(row, [send_of_charge(case, charge, FOREIGN, shown, draft.facts)])
    draft.why(f"somebody else's charge {charge.processor_charge_id} failed; it spends no step")
    _look_sooner(draft)


def _look_sooner(draft: Draft) -> None:
    """News about an invoice with an attempt in flight is a reason to look it up now, unless it has only just been sent."""
    attempt = draft.case.in_flight
    if attempt is not None and attempt.outcome is Outcome.UNKNOWN and attempt.next_action is InFlightAction.LOOK_UP:
        draft.change_attempt(replace(attempt, next_action_at=draft.now))
