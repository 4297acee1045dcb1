"""A processor that tries by itself, too: what follows when that is noticed, when its own try is due, and when a step of ours is only advised."""

from datetime import datetime, timedelta
from typing import assert_never

from dunr.core import keys
from dunr.core.attempt import MethodRef
from dunr.core.coexistence import Beside, beside_of
from dunr.core.decide.draft import Draft
from dunr.core.decide.planning import lay_out, left_to_processor, newest_step_at
from dunr.core.decision import Decision, Dossier
from dunr.core.effects import RaiseAlert, TakeOver
from dunr.core.gate import closed_because
from dunr.core.model import PlannedStep
from dunr.core.snapshot import Snapshot
from dunr.core.terms import AlertKind, CaseState, Coexistence
from dunr.core.value import replace

OWN_TRY_LATE = timedelta(hours=1)  # a processor may take its time
TAKE_OVER_LOOK = timedelta(minutes=5)
ADVICE_WAIT = timedelta(hours=1)


def refused(dossier: Dossier, snapshot: Snapshot, now: datetime) -> Decision | None:
    """The decision not to open a case, where the policy refuses to stand beside the processor's own tries; a person hears why. None where it opens."""
    known = beside_of(None, dossier.policy, snapshot)
    if known is None or known.mode is not Coexistence.REFUSE:
        return None
    text = (
        f"No case was opened for {snapshot.invoice.processor_invoice_id}: the processor tries to collect it by itself, and the policy "
        f'{dossier.policy.name} refuses that. Switch its own retries off there, or write coexistence = "observe" or "take_over".'
    )
    key = keys.alert(AlertKind.COEXISTENCE, f"{dossier.case_id}/refused")
    return Decision((text,), effects=(RaiseAlert(key, AlertKind.COEXISTENCE, None, text, now),))


def stand_beside(draft: Draft) -> None:
    """Note how the case stands beside the processor's own tries, as the snapshot shows them, and what has to follow at once."""
    before, known = draft.case.beside, beside_of(draft.case.beside, draft.policy, draft.snapshot)
    if known is None or known == before:
        return
    draft.case = replace(draft.case, beside=known)
    draft.why(_in_words(draft, known))
    if known.collects and (before is None or before.mode is not known.mode):
        _tell_once(draft, known)
    if known.asked_count != (before.asked_count if before is not None else 0):
        key = keys.take_over(draft.case.id, known.asked_count)
        draft.effects.append(TakeOver(key, draft.case.id, draft.case.processor_invoice_id))


def noticed(draft: Draft) -> None:
    """Something about the processor's own tries has changed: the plan follows, unless an attempt or a hold comes first, or the case has ended."""
    before = draft.case.beside
    was_left = before is not None and before.is_left
    if draft.case.is_open:
        stand_beside(draft)
    case = draft.case
    if case.beside == before:
        draft.why("what the processor does by itself is as it was, or the case has ended")
        return
    goes_on = case.state is CaseState.SCHEDULED or (case.state is CaseState.AWAITING_CUSTOMER and not case.holds)
    if not goes_on or case.in_flight is not None:
        return
    if not left_to_processor(draft) and was_left:
        lay_out(draft, newest_step_at(case))


def own_step_due(draft: Draft, beside: Beside) -> None:
    """The processor's own try is due, and the look shows no trace of it yet: it may be late. A step that is still ours gives way to its date."""
    step = draft.case.plan.next_step
    if step is None or step.at != beside.next_at:
        left_to_processor(draft)
        return
    draft.wait(OWN_TRY_LATE, f"nothing is sent: the processor was to try by itself at {draft.said(step.at)}")


def is_awaited(draft: Draft) -> bool:
    """Whether an invoice that we take over is not left to us yet: then nothing is sent, and a person hears of it once a step is due."""
    beside = draft.case.beside
    if beside is None or beside.charges_nothing or not draft.snapshot.collects_by_itself:
        return False
    text = (
        f"{draft.case.processor_invoice_id} is to be taken over, and {draft.case.processor} still collects it by itself, so nothing is sent. "
        "`dunr doctor` shows whether the API key may write invoices."
    )
    draft.alert(AlertKind.COEXISTENCE, f"{draft.case.id}/not-taken-over-{beside.asked_count}", text)
    draft.wait(TAKE_OVER_LOOK, "not sent: the processor has not left this invoice to us yet")
    return True


def advise(draft: Draft, step: PlannedStep, method: MethodRef) -> None:
    """Publish what we would charge now, and go on as if its decline were known: the merchant charges, or does not."""
    case, snapshot = draft.case, draft.snapshot
    alone = replace(case, beside=None), replace(snapshot, processor_next_attempt_at=None)
    amount_minor = snapshot.invoice.amount_due_minor
    refusals = closed_because(
        alone[0], amount_minor, case.currency, method, alone[1], draft.method, draft.dossier.stops
    )
    if refusals:
        draft.wait(ADVICE_WAIT, f"not advised: {'; '.join(refusals)}")
        return
    text = (
        f"Advice: charge {draft.money(amount_minor)} of {case.processor_invoice_id} now, by {method.processor_method_id}. "
        f"It is step {step.number}: {'; '.join(step.why)}. dunr does not charge it."
    )
    draft.alert(AlertKind.ADVICE, f"{case.id}/r{case.round}/step-{step.number}", text)
    draft.why(f"step {step.number} was advised and not charged, as the policy says")
    draft.case = replace(case, steps_spent_count=case.steps_spent_count + 1)
    lay_out(draft, draft.now)


def _in_words(draft: Draft, beside: Beside) -> str:
    """How the case stands, for the story."""
    next_try = (
        f"its next try is at {draft.said(beside.next_at)}" if beside.next_at is not None else "it names no next try"
    )
    match beside.mode:
        case Coexistence.OBSERVE | Coexistence.REFUSE:
            return (
                f"{draft.case.processor} tries to collect this invoice by itself ({next_try}): nothing is charged by us"
            )
        case Coexistence.ADVISE:
            return f"{draft.case.processor} tries to collect this invoice by itself ({next_try}): what we would charge is only advised"
        case Coexistence.TAKE_OVER:
            asked = "it is asked to leave it to us" if beside.collects else "it leaves it to us"
            return f"this customer is of the {draft.policy.take_over_percent} % whose invoices are taken over from {draft.case.processor}: {asked}"
        case unreachable:
            assert_never(unreachable)


def _tell_once(draft: Draft, beside: Beside) -> None:
    """A person hears of the processor's own tries once for each account and mode."""
    case = draft.case
    text = (
        f"{case.processor} retries by itself (first seen at {case.processor_invoice_id}). The policy {draft.policy.name} says "
        f'coexistence = "{beside.mode}". `dunr doctor` says more.'
    )
    draft.alert(AlertKind.COEXISTENCE, f"{case.processor}:{case.account}/{beside.mode}", text)
