"""New cards and lost ones: a changed credential is tried once on each open invoice, oldest first, one after another, until the first decline.

The customer row holds the run; each case waits for its turn there. A credential that comes while an attempt is in flight waits in the case's one slot.
"""

from dunr.core.attempt import MethodRef
from dunr.core.decide.allowing import allowance_of, put_off_turn
from dunr.core.decide.cardrun import pass_turn, turn_of
from dunr.core.decide.charging import begin, may_begin
from dunr.core.decide.draft import Draft
from dunr.core.decide.ending import STOPPED_LOOK
from dunr.core.decide.planning import is_paused_by_others, lay_from_now, set_steps, settle_state
from dunr.core.events import MethodUpdated, Resubscribed
from dunr.core.gate import is_disputed, is_for_another, is_stopped
from dunr.core.model import CardRun, Case
from dunr.core.reconcile import is_given_up
from dunr.core.terms import AlertKind, CaseState, Trigger
from dunr.core.value import replace


def _run_with(draft: Draft, method: MethodRef) -> CardRun:
    """The run for this credential, begun where it is new; the case joins it in its place by age."""
    customer = draft.customer
    run = customer.run if customer is not None else None
    cases = [one.case_id for one in customer.cases] if customer is not None else [draft.case.id]
    if run is None or run.credential != method.credential:
        draft.why(
            "a new payment method: every open invoice is tried with it once, the oldest first, until the first decline"
        )
        return CardRun(method.credential, tuple(cases))
    if draft.case.id in run.remaining:
        return run
    joined = {*run.remaining, draft.case.id}
    return replace(run, remaining=tuple(case_id for case_id in cases if case_id in joined))


def updated(draft: Draft, event: MethodUpdated) -> None:
    """A changed credential became the default: one attempt at once, if it is this case's turn and nothing forbids it."""
    case, method = draft.case, event.method
    if not case.is_open:
        draft.why(f"the case is {case.state}; a new payment method changes nothing")
        return
    if case.in_flight is not None:
        draft.case = replace(case, waiting_method=method, turn_at=None)
        draft.why(f"attempt {case.in_flight.number} is in flight; the new payment method waits until it is settled")
        return
    run = _run_with(draft, method)
    if draft.customer is not None and run != draft.customer.run:
        draft.customer = replace(draft.customer, run=run)
    case = _noted_before_due(draft, method)
    default = draft.snapshot.default_method
    unasked = default is not None and is_for_another(case, draft.snapshot, default)
    spoilt = run.stopped or method.credential in case.credentials_tried or is_stopped(draft.method, method) or unasked
    spoilt = spoilt or is_disputed(draft.snapshot, method.card_key)
    spoilt = spoilt or (case.beside is not None and case.beside.charges_nothing)
    if case.holds or spoilt or is_given_up(case, draft.now):
        draft.case = replace(case, waiting_method=None, turn_at=None)
        draft.why(
            "the new payment method is not tried here: the case is held or given up, the card was declined or tried already, a payment by it is "
            "disputed, it came with another subscription, or the processor collects by itself"
        )
        if draft.customer is not None and not run.stopped:
            pass_turn(draft, run)
        return
    if run.remaining[:1] != (case.id,):
        draft.case = replace(case, waiting_method=method, turn_at=None)
        draft.why("an older invoice is tried with the new payment method first")
        draft.nudge(run.remaining[0], turn_of(run))
        return
    _try_now(draft, method)


def _noted_before_due(draft: Draft, method: MethodRef) -> Case:
    """A charge that is not due yet is made by the new payment method when it is, and not before."""
    case, step = draft.case, draft.case.plan.next_step
    if case.has_failed or step is None or step.at <= draft.now:
        return case
    draft.why(f"the charge is due at {draft.said(step.at)}, and is made by the new payment method then")
    draft.case = replace(case, credentials_tried=(*case.credentials_tried, method.credential))
    return draft.case


def _try_now(draft: Draft, method: MethodRef) -> None:
    """Begin the attempt, or keep the credential waiting until it may."""
    default = draft.snapshot.default_method
    if default is None or default.credential != method.credential:
        draft.case = replace(draft.case, waiting_method=None, turn_at=None)
        draft.why("another payment method is the default now, or none; that one is charged")
        if draft.customer is not None and draft.customer.run is not None:
            pass_turn(draft, draft.customer.run)
        return
    if draft.dossier.stops.charges:
        draft.case = replace(draft.case, waiting_method=method, turn_at=draft.now + STOPPED_LOOK)
        draft.why(f"nothing is sent: {'; '.join(draft.dossier.stops.charges)}")
        return
    allowed = allowance_of(draft, method, Trigger.METHOD_UPDATED)
    if allowed.until_at is not None:
        put_off_turn(draft, method, allowed)
        return
    if may_begin(draft, method):
        begin(draft, Trigger.METHOD_UPDATED, None, method, allowed)
    else:
        draft.case = replace(draft.case, waiting_method=method, turn_at=draft.case.not_before_at)


def removed(draft: Draft) -> None:
    """Nothing is on file any more: nothing is tried until the customer adds a method, be it the same one again."""
    case = draft.case
    if case.state is not CaseState.SCHEDULED or case.in_flight is not None:
        draft.why("no step is planned that the missing payment method could stop")
        return
    draft.why("the customer has no payment method any more")
    draft.case = replace(case, credentials_tried=())
    set_steps(draft, ())
    settle_state(draft)


def resubscribed(draft: Draft, event: Resubscribed) -> None:
    """The customer started anew instead of paying: the card that came with that is not charged for the old debt without a person's word."""
    case = draft.case
    draft.case = replace(case, method_notes=replace(case.method_notes, unasked_credential=event.method.credential))
    draft.why("the default payment method came with another subscription: it is not charged for this invoice unasked")
    text = (
        f"The customer of {case.processor_invoice_id} has started another subscription, whose payment method is the default now. "
        "It is not charged for the old invoice unless the customer pays by our page, or you retry."
    )
    draft.alert(AlertKind.RESUBSCRIBED, f"{case.id}/{event.method.credential}", text)
    if case.state is CaseState.SCHEDULED and case.in_flight is None:
        draft.case = replace(draft.case, credentials_tried=())
        set_steps(draft, ())
        settle_state(draft)


def access_restored(draft: Draft) -> None:
    """The subscription left `paused`: an invoice that only waited for that is laid out from now."""
    case = draft.case
    waits = case.state is CaseState.AWAITING_CUSTOMER and case.plan.pause_at is None
    if not waits or case.holds or case.in_flight is not None or is_paused_by_others(draft):
        draft.why("this invoice did not wait for access to come back, or it has not come back")
        return
    draft.why("access is back: what waited for that is laid out from now")
    lay_from_now(draft, draft.now, "access is back: laid out from now")


def run_ended(draft: Draft) -> None:
    """The run was stopped by a decline on another invoice: its credential does not wait any longer, and a loan of access has ended."""
    run = draft.customer.run if draft.customer is not None else None
    waiting = draft.case.waiting_method
    if run is None or run.stopped or waiting is None or waiting.credential != run.credential:
        draft.case = replace(draft.case, waiting_method=None, turn_at=None)
    draft.case = replace(draft.case, not_before_at=None)
    draft.why("the card run that this case took part in has ended")
