"""The answer to a request for fresher details: a hit is followed by one attempt at the next allowed time, a miss asks the customer."""

from dunr.core.attempt import MethodRef
from dunr.core.decide import fresh_details
from dunr.core.decide.draft import Draft
from dunr.core.decide.opening import method_row
from dunr.core.decide.planning import lay_from_now, set_steps, settle_state
from dunr.core.decide.rungs_left import planning_reason
from dunr.core.events import MethodRefreshed, RefreshMissed
from dunr.core.method_notes import Refresh
from dunr.core.terms import CaseState, DeclineKind
from dunr.core.value import replace

UNCHANGED = "its details are what they were"


def refreshed(draft: Draft, event: MethodRefreshed) -> None:
    """The method as it stands now. Details that have not changed are a miss, however the processor calls that."""
    pending = _pending(draft, event.processor_method_id)
    if pending is None:
        return
    method = event.method
    if method.credential == pending.credential and not event.cryptogram:
        _miss(draft, pending, UNCHANGED)
        return
    what = "a fresh cryptogram" if method.credential == pending.credential else "newer details"
    _answer(draft, replace(pending, answered_at=draft.now, hit_credential=method.credential, why=what))
    draft.why(f"the payment method was refreshed: {what}")
    if method.credential not in draft.case.credentials_tried:
        draft.case = replace(draft.case, credentials_tried=(*draft.case.credentials_tried, method.credential))
    _lift_stop(draft, method)
    if _is_waited_for(draft, pending):
        lay_from_now(draft, draft.now, f"the payment method was refreshed ({what}): one attempt follows")


def missed(draft: Draft, event: RefreshMissed) -> None:
    """There is nothing fresher."""
    pending = _pending(draft, event.processor_method_id)
    if pending is not None:
        _miss(draft, pending, event.why)


def _pending(draft: Draft, processor_method_id: str) -> Refresh | None:
    """The refresh that is waited for, if it is this one."""
    pending = draft.case.method_notes.pending_refresh
    if pending is None or pending.processor_method_id != processor_method_id:
        draft.why("nobody waits for that refresh any more")
        return None
    return pending


def _miss(draft: Draft, pending: Refresh, why: str) -> None:
    """Note it; where nothing else is planned, the customer is asked."""
    _answer(draft, replace(pending, answered_at=draft.now, why=why))
    draft.why(f"the payment method could not be refreshed: {why}")
    if _is_waited_for(draft, pending):
        set_steps(draft, ())
        settle_state(draft)


def _answer(draft: Draft, answered: Refresh) -> None:
    """Write the answer over the request."""
    notes = draft.case.method_notes
    draft.case = replace(draft.case, method_notes=replace(notes, refreshes=(*notes.refreshes[:-1], answered)))


def _is_waited_for(draft: Draft, pending: Refresh) -> bool:
    """Whether what comes next hangs on the answer; a customer, a hold or a payment may have been faster."""
    case = draft.case
    return (
        pending.reason is not None
        and pending.round == case.round
        and case.state is CaseState.AWAITING_CUSTOMER
        and not case.holds
        and not case.plan.steps
        and fresh_details.is_wanted(draft, planning_reason(draft))
    )


def _lift_stop(draft: Draft, method: MethodRef) -> None:
    """A token that was stopped because its card had expired may be charged again; one that was stopped for good may not."""
    row = method_row(draft, method.card_key)
    if row is None or row.stop is None or row.stopped_credential != method.credential:
        return
    if draft.facts.reasons[row.stop].kind is DeclineKind.ACTION:
        draft.method = replace(row, stop=None, stopped_credential=None)
