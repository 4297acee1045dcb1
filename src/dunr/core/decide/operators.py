"""What people ask for to be tried: the customer's *pay now* and the operator's acts. Each goes through the same gate, caps and floors as a timer.

A wish that cannot be granted now is answered, not queued.
"""

from itertools import chain, count

from dunr.core import budget
from dunr.core.answers import Paid
from dunr.core.attempt import Attempt
from dunr.core.decide.allowing import allowance_of
from dunr.core.decide.charging import begin, may_begin
from dunr.core.decide.customers import PROCESSORS_OWN_DATE
from dunr.core.decide.disputes import release
from dunr.core.decide.draft import Draft
from dunr.core.decide.invoices import close
from dunr.core.decide.opening import method_row
from dunr.core.decide.planning import lay_from_now, set_steps
from dunr.core.decide.settling import settled
from dunr.core.decide.unsettled import never_arrived
from dunr.core.events import (
    AttemptSettled,
    AttemptSettledByHand,
    CaseClosed,
    DeadlineExtended,
    HoldPlaced,
    HoldReleased,
    StepPostponed,
)
from dunr.core.gate import by_hand, ref_of
from dunr.core.model import Hold
from dunr.core.terms import CaseState, ChargeStatus, CloseReason, HoldKind, InFlightAction, Trigger
from dunr.core.value import replace

CONFLICT = 409
SENSELESS = 422
TOO_MANY = 429


def pay_now(draft: Draft) -> None:
    """The customer asks to pay now, by the default method."""
    if not budget.customer_has_room(draft.method, draft.policy, draft.now):
        draft.reject(
            TOO_MANY,
            f"This card was tried {draft.policy.customer_attempts_max} times in 24 hours; try again tomorrow, or use another one.",
        )
        return
    _try_now(draft, Trigger.CUSTOMER)


def retry_now(draft: Draft) -> None:
    """An operator asks for an attempt now; it spends no step."""
    _try_now(draft, Trigger.OPERATOR)


def _try_now(draft: Draft, trigger: Trigger) -> None:
    """One attempt at once, or the reason why not."""
    case, default = draft.case, draft.snapshot.default_method
    if not case.is_open:
        draft.reject(CONFLICT, f"Nothing is to be paid here: the case is {case.state}.")
    elif case.in_flight is not None:
        draft.reject(CONFLICT, f"Already processing: attempt {case.in_flight.number} has no final answer yet.")
    elif draft.dossier.stops.charges:
        draft.reject(CONFLICT, "Sending is stopped at the moment; nothing was charged.")
    elif default is None:
        draft.reject(CONFLICT, "There is no payment method on file; add one first.")
    elif (allowed := allowance_of(draft, ref_of(default), trigger)).is_never:
        draft.reject(
            CONFLICT, f"This payment method cannot be charged for this invoice: {allowed.why} ({allowed.rule})."
        )
    elif allowed.until_at is not None:
        draft.reject(TOO_MANY, f"Not before {draft.said(allowed.until_at)}: {allowed.why} ({allowed.rule}).")
    elif may_begin(draft, ref_of(default)):
        begin(draft, trigger, None, ref_of(default), allowed)
    else:
        draft.reject(CONFLICT, f"Not now: {draft.because[-1]}.")


def hold_placed(draft: Draft, event: HoldPlaced) -> None:
    """An operator holds the case."""
    if not draft.case.is_open:
        draft.reject(CONFLICT, f"The case is {draft.case.state}; there is nothing to hold.")
        return
    if event.until_at is not None and event.until_at <= draft.now:
        draft.reject(SENSELESS, f"The hold would have ended at {draft.said(event.until_at)}, before it began.")
        return
    hold = Hold(HoldKind.OPERATOR, _free_ref(draft), event.why, draft.now, event.until_at)
    draft.case = replace(draft.case, holds=(*draft.case.holds, hold))
    draft.why(f"held by {event.actor}: {event.why}")


def _free_ref(draft: Draft) -> str:
    """A name that no other hold of the case has, so that each is released alone, however many were placed at one instant."""
    taken, ref = {hold.ref for hold in draft.case.holds}, f"operator-{draft.now.isoformat()}"
    return next(name for name in chain((ref,), (f"{ref}-{number}" for number in count(2))) if name not in taken)


def hold_released(draft: Draft, event: HoldReleased) -> None:
    """An operator releases one hold."""
    if all(hold.ref != event.ref for hold in draft.case.holds):
        known = ", ".join(hold.ref for hold in draft.case.holds) or "none"
        draft.reject(SENSELESS, f"There is no hold {event.ref!r} here; the holds are: {known}.")
        return
    release(draft, event.ref)


def holds_ended(draft: Draft) -> None:
    """Holds whose end has passed go by themselves."""
    ended = [hold for hold in draft.case.holds if hold.until_at is not None and hold.until_at <= draft.now]
    if not ended:
        draft.why("no hold has ended yet")
    for hold in ended:
        release(draft, hold.ref)


def step_postponed(draft: Draft, event: StepPostponed) -> None:
    """An operator moves the next step; the date is snapped like any other, and the later steps keep their gaps."""
    step = draft.case.plan.next_step
    if step is None or draft.case.state is not CaseState.SCHEDULED or draft.case.in_flight is not None:
        draft.reject(CONFLICT, "There is no step that could be postponed now.")
        return
    if draft.case.beside is not None and draft.case.beside.is_left:
        draft.reject(CONFLICT, PROCESSORS_OWN_DATE)
        return
    if event.to_at <= step.at:
        draft.reject(
            SENSELESS, f"Step {step.number} is due at {draft.said(step.at)}; it can only be moved to a later time."
        )
        return
    lay_from_now(draft, event.to_at, f"postponed by {event.actor} to {draft.said(event.to_at)}")


def deadline_extended(draft: Draft, event: DeadlineExtended) -> None:
    """An operator moves the pause date; what the customer was told is never brought forward."""
    case = draft.case
    if not case.is_open or case.paused_at is not None:
        draft.reject(CONFLICT, "There is no pause ahead that could be moved.")
        return
    if case.plan.pause_at is not None and event.to_at < case.plan.pause_at:
        draft.reject(
            SENSELESS, f"The pause is due at {draft.said(case.plan.pause_at)}; it can only be moved to a later time."
        )
        return
    draft.case = replace(case, deadline_at=event.to_at)
    set_steps(draft, draft.case.plan.steps)
    draft.why(f"the pause date was moved by {event.actor}")


def settled_by_hand(draft: Draft, event: AttemptSettledByHand) -> None:
    """A person settles an attempt that nobody else could, with evidence."""
    attempt = draft.case.in_flight
    if attempt is None or attempt.number != event.number:
        draft.reject(CONFLICT, f"Attempt {event.number} is not waiting for an answer.")
        return
    if _is_being_sent(draft, attempt):
        draft.reject(
            CONFLICT, f"Attempt {event.number} is being sent at this moment; what becomes of it nobody can know yet."
        )
        return
    if event.captured and not _may_be_of(draft, event.processor_charge_id):
        draft.reject(
            SENSELESS,
            f"The processor shows no captured charge {event.processor_charge_id!r} of this invoice; name the one that it shows, or none.",
        )
        return
    draft.why(
        f"settled by {event.actor}: {'captured' if event.captured else 'not captured'}; evidence: {event.evidence}"
    )
    if event.captured:
        charge_id = event.processor_charge_id
        if charge_id is None or draft.dossier.snapshot is None:
            charge_id = by_hand(charge_id or attempt.key)
        settled(draft, AttemptSettled(event.number, Paid(charge_id, attempt.amount_minor, draft.now), looked_up=True))
    else:
        never_arrived(draft, attempt, (f"{event.actor} says that nothing was captured",))


def _may_be_of(draft: Draft, processor_charge_id: str | None) -> bool:
    """Whether a charge that a person names may be this invoice's. A wrong one would be looked for in every snapshot from then on, in vain."""
    snapshot = draft.dossier.snapshot
    if processor_charge_id is None or snapshot is None:
        return True
    captured = (ChargeStatus.SUCCEEDED, ChargeStatus.RETURNED)
    return any(one.processor_charge_id == processor_charge_id and one.status in captured for one in snapshot.charges)


def _is_being_sent(draft: Draft, attempt: Attempt) -> bool:
    """Whether its request may be on its way: until the sender's lease has expired, no evidence can be about it."""
    row = method_row(draft, attempt.method.card_key) if attempt.method is not None else None
    lease = row.lease if row is not None else None
    if lease is not None and (lease.case_id, lease.attempt_number) == (draft.case.id, attempt.number):
        return lease.expires_at > draft.now
    is_first_call = attempt.outcome is None and attempt.next_action is InFlightAction.LOOK_UP
    return is_first_call and attempt.next_action_at is not None and attempt.next_action_at > draft.now


def case_closed(draft: Draft, event: CaseClosed) -> None:
    """An operator closes the case; the debt stays in the ledger for a person."""
    if not draft.case.is_open:
        draft.reject(CONFLICT, f"The case is {draft.case.state} already.")
        return
    close(draft, CloseReason.OPERATOR)
    draft.why(f"closed by {event.actor}: {event.why}")
