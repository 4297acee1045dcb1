"""What the budgets mean for a case: an attempt that has no room is put off, visibly, or given up, and the customer is asked."""

from dunr.core import budget
from dunr.core.attempt import MethodRef
from dunr.core.budget import Allowance
from dunr.core.decide.avoiding import note_avoided
from dunr.core.decide.cardrun import pass_turn
from dunr.core.decide.draft import Draft
from dunr.core.decide.opening import method_row
from dunr.core.decide.planning import lay_from_now
from dunr.core.decide.surroundings import deferral_limit, wish_of
from dunr.core.decide.telling import tell_customer_to_act
from dunr.core.model import PlannedStep
from dunr.core.sends import initiator_of
from dunr.core.terms import CaseState, Trigger
from dunr.core.value import replace


def allowance_of(draft: Draft, method: MethodRef, trigger: Trigger) -> Allowance:
    """What the budgets say to an attempt now."""
    row = method_row(draft, method.card_key)
    wish = wish_of(draft, method, initiator_of(trigger))
    return budget.allowance(wish, row, draft.policy, draft.facts, draft.now)


def put_off(draft: Draft, step: PlannedStep) -> None:
    """The step that is due has no room: it gets the next time that has, or none where that comes too late, and then the customer is asked."""
    lay_from_now(draft, draft.now, f"step {step.number} was due at {draft.said(step.at)}")


def put_off_turn(draft: Draft, method: MethodRef, allowed: Allowance) -> None:
    """A new payment method that has no room yet waits for it, or is given up where that comes too late: then the customer is asked for another."""
    assert allowed.until_at is not None, "only what has no room is put off"
    case = draft.case
    if allowed.until_at <= deferral_limit(draft):
        note_avoided(draft, allowed, deferred_count=1)
        draft.case = replace(draft.case, waiting_method=method, turn_at=allowed.until_at)
        draft.why(f"deferred to {draft.said(allowed.until_at)} by {allowed.rule}: {allowed.why}")
        return
    late = (
        "waiting does not help" if allowed.is_never else f"there is room again only at {draft.said(allowed.until_at)}"
    )
    draft.why(f"not tried, by {allowed.rule}: {allowed.why}, and {late}")
    note_avoided(draft, allowed, skipped_count=1)
    tried = (*case.credentials_tried, method.credential)
    draft.case = replace(draft.case, waiting_method=None, turn_at=None, credentials_tried=tried)
    if draft.customer is not None and draft.customer.run is not None:
        pass_turn(draft, draft.customer.run)
    if case.state is CaseState.AWAITING_CUSTOMER:
        tell_customer_to_act(draft)
