"""What the budgets mean for a case: a step that has no room is put off, visibly, or skipped, and the customer is asked.

Also the one place where a send is written down on its card's row, with all that the networks' rules count by.
"""

from datetime import datetime, timedelta

from dunr.core import budget
from dunr.core.budget import Allowance
from dunr.core.counting import Wish
from dunr.core.decide.cardrun import pass_turn
from dunr.core.decide.draft import Draft
from dunr.core.decide.opening import method_row
from dunr.core.decide.planning import lay_from_now, set_steps
from dunr.core.decide.telling import tell_customer_to_act
from dunr.core.model import MethodRef
from dunr.core.rules import Avoided, together
from dunr.core.sends import initiator_of
from dunr.core.terms import CaseState, Trigger
from dunr.core.value import replace

PUT_OFF_MAX = timedelta(days=30)  # from the first attempt


def wish_of(draft: Draft, method: MethodRef, trigger: Trigger) -> Wish:
    """The attempt as its network would see it: the amount that is due, by that method."""
    case, snapshot = draft.case, draft.snapshot
    shown = next((one for one in snapshot.methods if one.processor_method_id == method.processor_method_id), None)
    country = shown.country if shown is not None else None
    return Wish(
        case_id=case.id,
        first_at=case.attempts[0].begun_at if case.attempts else case.first_failed_at,
        rail=method.rail,
        network=method.network,
        region=country or draft.payer.country,
        credential=method.credential,
        amount_minor=snapshot.invoice.amount_due_minor,
        currency=case.currency,
        initiator=initiator_of(trigger),
        after_reason=case.deciding_reason,
    )


def allowance_of(draft: Draft, method: MethodRef, trigger: Trigger) -> Allowance:
    """What the budgets say to an attempt now."""
    row = method_row(draft, method.card_key)
    return budget.allowance(wish_of(draft, method, trigger), row, draft.policy, draft.facts, draft.now)


def is_in_time(draft: Draft, at: datetime) -> bool:
    """Whether a put-off attempt still makes sense then: before the deadline, where one is set, and within 30 days of the first attempt."""
    case, policy = draft.case, draft.policy
    has_deadline = case.deadline_at is not None or policy.deadline_days is not None
    deadline_at = case.plan.pause_at if has_deadline else None
    return at <= case.first_failed_at + PUT_OFF_MAX and (deadline_at is None or at < deadline_at)


def put_off(draft: Draft, allowed: Allowance) -> None:
    """The step that is due has no room: it gets the next time that has, or is skipped where that comes too late."""
    assert allowed.until_at is not None, "only what has no room is put off"
    if is_in_time(draft, allowed.until_at):
        note_avoided(draft, allowed, deferred_count=1)
        lay_from_now(draft, allowed.until_at, f"deferred by {allowed.rule}: {allowed.why}")
        return
    case = draft.case
    kept = tuple(step for step in case.plan.steps if step.at >= allowed.until_at)
    skipped = case.plan.steps[: len(case.plan.steps) - len(kept)]
    names = ", ".join(f"step {step.number}" for step in skipped)
    draft.why(f"skipped by {allowed.rule}: {names}; {allowed.why}, and {_when(allowed)}")
    note_avoided(draft, allowed, skipped_count=len(skipped))
    draft.case = replace(case, steps_spent_count=case.steps_spent_count + len(skipped))
    set_steps(draft, kept)
    draft.case = replace(draft.case, state=CaseState.SCHEDULED if kept else CaseState.AWAITING_CUSTOMER)
    tell_customer_to_act(draft)


def put_off_turn(draft: Draft, method: MethodRef, allowed: Allowance) -> None:
    """A new payment method that has no room yet waits for it, or is given up where that comes too late: then the customer is asked for another."""
    assert allowed.until_at is not None, "only what has no room is put off"
    if is_in_time(draft, allowed.until_at):
        note_avoided(draft, allowed, deferred_count=1)
        draft.case = replace(draft.case, waiting_method=method, turn_at=allowed.until_at)
        draft.why(f"deferred by {allowed.rule}: {allowed.why}")
        return
    draft.why(f"not tried, by {allowed.rule}: {allowed.why}, and {_when(allowed)}")
    note_avoided(draft, allowed, skipped_count=1)
    draft.case = replace(draft.case, waiting_method=None, turn_at=None)
    if draft.customer is not None and draft.customer.run is not None:
        pass_turn(draft, draft.customer.run)
    if draft.case.state is CaseState.AWAITING_CUSTOMER:
        tell_customer_to_act(draft)


def _when(allowed: Allowance) -> str:
    """Why waiting does not help."""
    if allowed.is_never or allowed.until_at is None:
        return "waiting does not change that"
    return f"there is no room before {allowed.until_at.isoformat()}, which is too late"


def note_avoided(draft: Draft, allowed: Allowance, *, deferred_count: int = 0, skipped_count: int = 0) -> None:
    """Count what a network's rule kept from being sent, and what that would have cost; a ceiling of our own costs nothing to break."""
    if allowed.is_own:
        return
    fee = allowed.fee
    count = deferred_count + skipped_count
    cost = (count * fee.amount_minor, fee.currency) if fee is not None else (0, None)
    more = Avoided(allowed.rule, deferred_count, skipped_count, *cost)
    draft.case = replace(draft.case, avoided=together((*draft.case.avoided, more)))
