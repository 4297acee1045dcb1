"""When time has nothing more to offer: a case is exhausted, its access pauses, or a person has to decide."""

from datetime import timedelta
from typing import assert_never

from dunr.core import ledger, notices
from dunr.core.decide.draft import Draft
from dunr.core.decide.telling import warn_late
from dunr.core.model import Hold
from dunr.core.terms import Access, AlertKind, CaseState, FinalAction, HoldKind, NoticeKind
from dunr.core.timers import pause_due_at
from dunr.core.value import replace

STOPPED_LOOK = timedelta(minutes=5)
PAUSE_STOPPED_LOOK = timedelta(hours=1)


def hold_for_a_person(draft: Draft) -> None:
    """A deceased payer gets neither notice nor pause."""
    hold = Hold(HoldKind.OPERATOR, "deceased", "the payer has died", draft.now, None)
    holds = (*(one for one in draft.case.holds if one.ref != hold.ref), hold)
    draft.case = replace(
        draft.case, state=CaseState.AWAITING_CUSTOMER, plan=replace(draft.case.plan, steps=()), holds=holds
    )
    draft.alert(
        AlertKind.PAYER_DECEASED,
        draft.case.id,
        f"The payer of {draft.case.processor_invoice_id} has died. Nothing is sent; a person decides.",
    )
    draft.why("the payer has died: held for a person")


def exhaust(draft: Draft, why: str) -> None:
    """All steps are spent: still payable, and delinquent in the ledger; the pause follows at its date."""
    case = draft.case
    draft.why(f"exhausted: {why}")
    draft.postings.append(ledger.delinquent(case, case.amount_due_minor, draft.now))
    draft.case = replace(
        draft.case, state=CaseState.EXHAUSTED, ended_at=draft.now, is_delinquent=True, plan=replace(case.plan, steps=())
    )
    if draft.case.warned_at is None and draft.case.paused_at is None:
        warn_late(draft)
    pause_if_due(draft)


def pause_if_due(draft: Draft) -> None:
    """Take the final action where its time has come and nothing forbids it."""
    due_at = pause_due_at(draft.case)
    if due_at is None or due_at > draft.now:
        return
    warned_at = draft.case.warned_at
    if warned_at is None:
        warn_late(draft)
        return
    if draft.case.beside is not None and draft.case.beside.next_at is not None:
        draft.wait(PAUSE_STOPPED_LOOK, "nothing pauses as long as the processor will try again by itself")
        return
    if draft.dossier.stops.pauses:
        wait = STOPPED_LOOK if draft.case.plan.steps else PAUSE_STOPPED_LOOK
        draft.wait(wait, f"pausing is stopped: {'; '.join(draft.dossier.stops.pauses)}")
        return
    match draft.policy.final_action:
        case FinalAction.NONE:
            draft.case = replace(draft.case, plan=replace(draft.case.plan, pause_at=None))
            draft.why("the policy takes no final action")
            return
        case FinalAction.CANCEL:
            text = f"{draft.case.processor_invoice_id} is exhausted and the policy asks for a cancellation. Access is paused; a person decides."
            draft.alert(AlertKind.CANCEL_ASKED, draft.case.id, text)
        case FinalAction.PAUSE | FinalAction.MARK_UNPAID:
            pass
        case unreachable:
            assert_never(unreachable)
    draft.why(f"paused: {'; '.join(draft.case.plan.pause_why)}; the customer was warned at {draft.said(warned_at)}")
    draft.case = replace(draft.case, access=Access.PAUSED, paused_at=draft.now)
    if not draft.case.plan.steps and draft.case.state is not CaseState.EXHAUSTED:
        exhaust(draft, "the pause date has come and there is nothing to try")
    at = notices.mail_time(draft.now, draft.payer, draft.policy, draft.facts)
    draft.notify(notices.of_kind(draft.case, NoticeKind.PAUSED, None, at, draft.facts, is_warning=False))
