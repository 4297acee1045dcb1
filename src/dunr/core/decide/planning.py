"""Laying a case out: after a decline, after a missed step, after a person moved something.

The one place where the plan of a case is written. It also says which notice belongs to the new plan, and whether there is nothing left to try.
"""

from datetime import datetime, timedelta

from dunr.core import notices
from dunr.core.circumstances import Circumstances
from dunr.core.coexistence import Beside
from dunr.core.decide import fresh_details
from dunr.core.decide.avoiding import note_laid
from dunr.core.decide.draft import Draft
from dunr.core.decide.ending import exhaust, hold_for_a_person
from dunr.core.decide.rungs_left import coming_rungs, planning_reason, rungs_left
from dunr.core.decide.surroundings import circumstances_of
from dunr.core.decide.telling import tell_customer_to_act, tell_next_step
from dunr.core.gate import chargeable_method
from dunr.core.model import Case, Plan, PlannedStep
from dunr.core.schedule import Laid, has_passed, lay, pause_date, relay_missed, told_of
from dunr.core.sends import NEVER_SENT
from dunr.core.snapping import snap
from dunr.core.strategies import Rung
from dunr.core.terms import (
    SPENDS_STEP,
    Access,
    CaseState,
    DeclineKind,
    DeclineReason,
    FinalAction,
    WhilePaused,
)
from dunr.core.timers import WARNING_LEAD
from dunr.core.value import replace

UNSEEN_FOR = timedelta(days=1)  # the processor may name its next try a while after the last one has failed
AFTER_REFRESH = "the payment method was refreshed: one attempt follows"


def set_steps(draft: Draft, steps: tuple[PlannedStep, ...]) -> None:
    """Write the steps and the pause date that follows from them; a pause that was told is never brought forward."""
    draft.case = replace(draft.case, plan=_planned(draft, steps))
    for step in steps:
        draft.why(f"step {step.number} at {draft.said(step.at)}: {'; '.join(step.why)}")


def _planned(draft: Draft, steps: tuple[PlannedStep, ...]) -> Plan:
    """The steps with the pause date that follows from them; nothing pauses before something has failed."""
    case = draft.case
    if not case.has_failed:
        return Plan(steps)
    if draft.policy.final_action is FinalAction.NONE:
        return Plan(steps, None, ("the policy takes no final action",))
    tried = [
        attempt.begun_at for attempt in case.attempts if attempt.trigger in SPENDS_STEP and attempt.round == case.round
    ]
    pause_at, pause_why = pause_date(
        steps, tried[-1] if tried else None, case.first_failed_at, case.deadline_at, draft.policy, draft.facts
    )
    if case.warned_at is not None and case.plan.pause_at is not None and pause_at < case.plan.pause_at:
        pause_at, pause_why = case.plan.pause_at, (*pause_why, "the customer was told this date")
    return Plan(steps, pause_at, pause_why)


def lay_out(draft: Draft, base: datetime) -> None:
    """Plan what comes after a decline, counted from `base`; dates that have passed are laid anew from now."""
    if left_to_processor(draft):
        return
    reason = planning_reason(draft)
    if fresh_details.comes_first(draft, reason) and rungs_left(draft):
        fresh_details.ask(draft, reason)
        set_steps(draft, ())
        _enter(draft, CaseState.AWAITING_CUSTOMER)
        return
    if _follows_refresh(draft):
        lay_from_now(draft, draft.now, AFTER_REFRESH)
        return
    coming, around = coming_rungs(draft), circumstances_of(draft, reason)
    laid = lay(coming, base, around, told=told_of(draft.case.plan.steps))
    if laid.steps and has_passed(coming[0], laid.steps[0], draft.now):
        laid = _without_passed(draft, coming, laid.steps, around)
    _write(draft, laid)


def lay_quietly(draft: Draft, base: datetime) -> None:
    """Date the coming steps from `base` while an attempt is in flight: nobody is told, and its fate decides what they mean. Dates that have passed are skipped."""
    coming, around = coming_rungs(draft), circumstances_of(draft, planning_reason(draft))
    laid = lay(coming, base, around)
    if laid.steps and has_passed(coming[0], laid.steps[0], draft.now):
        laid = _without_passed(draft, coming, laid.steps, around)
    draft.why(*laid.undated)
    set_steps(draft, laid.steps)


def newest_step_at(case: Case) -> datetime:
    """When the newest step that reached the bank began, else the first failure: what a plan that is laid anew is counted from."""
    steps = (one.begun_at for one in case.attempts if one.step_number is not None and one.outcome not in NEVER_SENT)
    return max(steps, default=case.first_failed_at)


def lay_from_now(draft: Draft, at: datetime, why: str) -> None:
    """Lay the coming steps anew with the first at `at`, or at the next allowed time after it."""
    if left_to_processor(draft):
        return
    coming, told = coming_rungs(draft), told_of(draft.case.plan.steps)
    _write(draft, lay(coming, at, circumstances_of(draft, planning_reason(draft)), first=(at, why), told=told))


def _follows_refresh(draft: Draft) -> bool:
    """Whether the coming step is the attempt that follows fresher details: it is made when it may be, and never skipped for having been late."""
    return fresh_details.is_wanted(draft, planning_reason(draft)) and fresh_details.is_refreshed(draft.case)


def keep_wait(draft: Draft) -> None:
    """A wait that was stated to somebody else's attempt binds the plan, too: a step before its end moves there."""
    case, step = draft.case, draft.case.plan.next_step
    until_at = case.issuer_wait_until_at
    if case.state is CaseState.SCHEDULED and step is not None and until_at is not None and step.at < until_at:
        lay_from_now(draft, step.at, f"step {step.number} was due at {draft.said(step.at)}")


def move_to_open_time(draft: Draft, step: PlannedStep) -> bool:
    """Whether the step that is due had to move, since its time is not open any more where the payer lives now: the time zone may have changed since it was planned."""
    coming = coming_rungs(draft)
    around = replace(circumstances_of(draft, planning_reason(draft)), wish=None)
    at = snap(step.at, coming[0], around, step.at).at if coming else step.at
    if at is not None and at <= draft.now:
        return False
    lay_from_now(draft, step.at, f"due at {draft.said(step.at)}")
    return True


def run_missed(draft: Draft) -> None:
    """A step whose time has passed is never caught up: one runs at the next allowed time, the rest follow with their gaps."""
    draft.why("the step's time passed by more than an hour; it is not caught up")
    if _follows_refresh(draft):
        lay_from_now(draft, draft.now, AFTER_REFRESH)
        return
    _write(
        draft,
        _without_passed(
            draft, coming_rungs(draft), draft.case.plan.steps, circumstances_of(draft, planning_reason(draft))
        ),
    )


def _without_passed(
    draft: Draft, coming: tuple[Rung, ...], planned: tuple[PlannedStep, ...], around: Circumstances
) -> Laid:
    """The plan without the dates that have passed. A step that is skipped for good counts as used, so that it is not offered again."""
    laid = relay_missed(coming, planned, draft.now, around)
    first = laid.steps[0].number if laid.steps else None
    skipped = [rung.number for rung in coming if first is None or rung.number < first] if not laid.undated else []
    if skipped:
        draft.case = replace(draft.case, steps_spent_count=draft.case.steps_spent_count + len(skipped))
        draft.why(f"skipped, since their minutes have passed: {', '.join(f'step {number}' for number in skipped)}")
    return laid


def left_to_processor(draft: Draft) -> bool:
    """Where the invoice is left to the processor, its own next try is the plan; whether that is so."""
    beside = draft.case.beside
    if beside is None or not beside.is_left:
        return False
    reason = planning_reason(draft)
    if reason is DeclineReason.PAYER_DECEASED:
        hold_for_a_person(draft)
        return True
    is_hopeless = draft.facts.reasons[reason].kind in (DeclineKind.HARD, DeclineKind.ACTION)
    told = told_of(draft.case.plan.steps).get(beside.step_number)
    why = ("the processor tries by itself then, and its own date is the only one",)
    at = None if is_hopeless else beside.next_at
    set_steps(draft, (PlannedStep(beside.step_number, at, why, told),) if at is not None else ())
    if at is not None:
        _enter(draft, CaseState.SCHEDULED)
        tell_next_step(draft)
    else:
        _enter(draft, CaseState.AWAITING_CUSTOMER)
        if is_hopeless:
            tell_customer_to_act(draft)
        else:
            _ask_beside_processor(draft, beside)
    return True


def _ask_beside_processor(draft: Draft, beside: Beside) -> None:
    """Ask the customer, though not before the processor has had time to name its next try; a pause is put off until a day after that."""
    pause_at = draft.case.plan.pause_at
    from_at = notices.mail_time(draft.now + UNSEEN_FOR, draft.payer, draft.policy, draft.facts)
    if pause_at is not None and pause_at < from_at + WARNING_LEAD:
        why = (*draft.case.plan.pause_why, "put off until a day after the warning")
        draft.case = replace(draft.case, plan=replace(draft.case.plan, pause_at=from_at + WARNING_LEAD, pause_why=why))
    draft.why("the processor names no next try of its own; that it has given up is not assumed")
    tell_customer_to_act(draft, again=f"own-{beside.step_number}", from_at=from_at)


def _write(draft: Draft, laid: Laid) -> None:
    """Write what was laid, and what it means for the case."""
    draft.why(*laid.undated)
    note_laid(draft, laid)
    set_steps(draft, laid.steps)
    settle_state(draft, is_undated=bool(laid.undated))


def is_paused_by_others(draft: Draft) -> bool:
    """Whether another invoice has paused the subscription, a loan of access aside."""
    shares = draft.subscription.cases if draft.subscription is not None else ()
    return any(share.access is Access.PAUSED and share.case_id != draft.case.id for share in shares)


def begin_dunning(draft: Draft, base: datetime) -> None:
    """Lay the plan, unless another invoice has paused access already: then the policy's `while_paused` says what this one gets, and it pauses nothing itself."""
    if not is_paused_by_others(draft) or draft.policy.while_paused is WhilePaused.FULL:
        lay_out(draft, base)
        return
    draft.case = replace(draft.case, state=CaseState.AWAITING_CUSTOMER, plan=Plan())
    draft.why(f"access is paused already, and the policy says {draft.policy.while_paused} for a new invoice meanwhile")
    if draft.policy.while_paused is WhilePaused.FIRST_CHARGE_ONLY:
        tell_customer_to_act(draft)


def _enter(draft: Draft, state: CaseState) -> None:
    """The case is in this state from now on."""
    if draft.case.state is not state:
        draft.case = replace(draft.case, state=state)


def settle_state(draft: Draft, *, is_undated: bool = False) -> None:
    """The state that the plan means, and the notice that belongs to it. Where a step has no date, nothing is spent, but only the customer can help."""
    case = draft.case
    if case.deciding_reason is DeclineReason.PAYER_DECEASED:
        hold_for_a_person(draft)
        return
    if case.plan.steps and not has_no_method(draft):
        _enter(draft, CaseState.SCHEDULED)
        tell_next_step(draft)
        return
    if case.plan.steps:
        draft.why("there is no payment method to charge")
        draft.case = replace(draft.case, plan=replace(case.plan, steps=()))
    if not is_undated and _is_spent(draft):
        exhaust(draft, "the steps are spent")
        return
    _enter(draft, CaseState.AWAITING_CUSTOMER)
    draft.why("nothing to try until the customer acts")
    tell_customer_to_act(draft)


def has_no_method(draft: Draft) -> bool:
    """Whether the snapshot at hand shows that there is nothing to charge, or nothing that may be charged unasked."""
    snapshot = draft.dossier.snapshot
    return snapshot is not None and chargeable_method(draft.case, snapshot) is None


def _is_spent(draft: Draft) -> bool:
    """Whether time alone has nothing more to offer: the reason had steps, and they are used up."""
    if has_no_method(draft):
        return False
    kind = draft.facts.reasons[planning_reason(draft)].kind
    return kind is DeclineKind.SOFT
