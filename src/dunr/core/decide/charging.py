"""Beginning an attempt: the gate, the budget, the lease, the intent.

An intent fixes number, key and the exact request in the same commit that takes the lease of the card. What is sent afterwards is precisely this, however often.
"""

from datetime import timedelta

from dunr.core import keys
from dunr.core.attempt import Attempt, MethodRef
from dunr.core.budget import Allowance
from dunr.core.decide import beside, fresh_details
from dunr.core.decide.allowing import allowance_of, put_off
from dunr.core.decide.draft import ATTEMPTS_KEPT_MAX, LENT_KEPT_MAX, Draft
from dunr.core.decide.ending import STOPPED_LOOK
from dunr.core.decide.opening import method_row
from dunr.core.decide.permitting import is_permitted
from dunr.core.decide.planning import move_to_open_time, run_missed, set_steps, settle_state
from dunr.core.decide.remembering import remember, send_of_attempt
from dunr.core.effects import CancelAttempt, Charge
from dunr.core.events import TimerFired
from dunr.core.gate import (
    OLDER_LOOK,
    chargeable_method,
    closed_because,
    is_believed,
    is_for_another,
    is_stopped,
    ref_of,
)
from dunr.core.model import Method, PlannedStep
from dunr.core.schedule import is_missed
from dunr.core.sends import Lease
from dunr.core.terms import SLOW_RAILS, Access, Coexistence, Outcome, RestoreOn, Trigger
from dunr.core.value import replace

LEASE_WAIT = timedelta(seconds=5)
GATE_WAIT = timedelta(hours=1)
INTENT_WAIT = timedelta(minutes=1)


def timer_fired(draft: Draft, event: TimerFired) -> None:
    """The planned step is due: begin its attempt, or say why not now. A step that is late by more than an hour was missed."""
    case, step = draft.case, draft.case.plan.next_step
    if step is None or not is_due(draft, event):
        draft.why(f"step {event.step_number} is not due: the timer was early, late or doubled")
        return
    if case.beside is not None and case.beside.is_left:
        beside.own_step_due(draft, case.beside)
        return
    missed = is_missed(step, draft.now)
    if draft.dossier.stops.charges:
        wait = GATE_WAIT if missed else STOPPED_LOOK
        draft.wait(wait, f"nothing is sent: {'; '.join(draft.dossier.stops.charges)}")
        return
    default = draft.snapshot.default_method
    if default is None:
        draft.wait(GATE_WAIT, "there is no payment method to charge")
        return
    if chargeable_method(case, draft.snapshot) is None:
        if is_for_another(case, draft.snapshot, default):
            draft.why("the default payment method came with another subscription: nothing is charged unasked")
        else:
            draft.why("a payment by this card is disputed: nothing is charged by it any more")
        set_steps(draft, ())
        settle_state(draft)
        return
    method = ref_of(default)
    if _is_stopped_elsewhere(draft, method):
        return
    if _is_advised(draft, step, method) or beside.is_awaited(draft):
        return
    if not _is_gate_open(draft, method):
        return  # a missed step is laid anew once it may be sent, not every day until then
    if missed:
        run_missed(draft)
        return
    if move_to_open_time(draft, step):
        return
    trigger = _trigger_of(draft, step, method)
    allowed = allowance_of(draft, method, trigger)
    if allowed.until_at is not None:
        put_off(draft, step)
        return
    if default.is_network_token and fresh_details.needs_cryptogram(draft, method):
        fresh_details.ask_for_cryptogram(draft, method)
        return
    if _is_card_free(draft) and is_permitted(draft):
        begin(draft, trigger, None if trigger is Trigger.PROMISE else step.number, method, allowed)


def _trigger_of(draft: Draft, step: PlannedStep, method: MethodRef) -> Trigger:
    """Why the attempt that is due begins: one that keeps a promise takes the place of a step and leaves it unspent."""
    promise_at = draft.case.promise_at
    if promise_at is not None and promise_at <= step.at:
        return Trigger.PROMISE
    return Trigger.UPDATER if fresh_details.follows_refresh(draft.case, method) else Trigger.TIMER


def is_due(draft: Draft, event: TimerFired) -> bool:
    """Whether the step that a timer names is the next one, and its time has come."""
    step = draft.case.plan.next_step
    return (
        draft.case.in_flight is None
        and step is not None
        and step.number == event.step_number
        and step.begins_at <= draft.now
    )


def _is_advised(draft: Draft, step: PlannedStep, method: MethodRef) -> bool:
    """Whether the policy has what is due published in place of charged. A step that was missed is laid anew, as any other."""
    if draft.case.beside is None or draft.case.beside.mode is not Coexistence.ADVISE:
        return False
    if is_missed(step, draft.now):
        run_missed(draft)
    else:
        beside.advise(draft, step, method)
    return True


def _is_stopped_elsewhere(draft: Draft, method: MethodRef) -> bool:
    """Whether another invoice met a hard decline with this credential: then time alone brings nothing here either, and the customer is asked."""
    row = draft.method
    if draft.case.holds or row is None or not is_stopped(row, method):
        return False
    draft.why(f"this credential was stopped by the issuer ({row.stop}): nothing is tried until it changes")
    draft.case = replace(draft.case, deciding_reason=row.stop)
    set_steps(draft, ())
    settle_state(draft)
    return True


def may_begin(draft: Draft, method: MethodRef) -> bool:
    """Whether an attempt may begin now; where not, when to look again."""
    return _is_gate_open(draft, method) and _is_card_free(draft) and is_permitted(draft)


def _is_gate_open(draft: Draft, method: MethodRef) -> bool:
    """The look before the intent."""
    case, snapshot = draft.case, draft.snapshot
    if not is_believed(case, snapshot):
        contradicts = snapshot.taken_at > case.seen_at  # read later, and still without a payment that is known
        draft.wait(GATE_WAIT if contradicts else LEASE_WAIT, f"not sent: {OLDER_LOOK}; it is looked at again")
        return False
    refusals = closed_because(
        case, snapshot.invoice.amount_due_minor, case.currency, method, snapshot, draft.method, draft.dossier.stops
    )
    if refusals:
        wait_at = snapshot.processor_next_attempt_at
        if wait_at is not None and wait_at > draft.now:
            draft.wait_until(wait_at + INTENT_WAIT, f"not sent: {'; '.join(refusals)}")
        else:
            draft.wait(GATE_WAIT, f"not sent: {'; '.join(refusals)}")
        return False
    return True


def _is_card_free(draft: Draft) -> bool:
    """Whether no earlier try waits for the customer's bank, and no other attempt is being sent on this card."""
    case = draft.case
    if case.uncancelled_intent_id is not None:
        key = keys.cancel_intent(case.uncancelled_intent_id)
        draft.effects.append(CancelAttempt(key, case.id, case.uncancelled_intent_id))
        draft.wait(
            INTENT_WAIT, "an earlier try waits for the customer's bank: it is cancelled, and that confirmed, first"
        )
        return False
    lease = draft.method.lease if draft.method is not None else None
    if lease is not None and lease.expires_at > draft.now and lease.case_id != case.id:
        draft.wait(
            min(LEASE_WAIT, lease.expires_at - draft.now),
            f"another attempt on this card is being sent, for {lease.case_id}",
        )
        return False
    return True


def begin(draft: Draft, trigger: Trigger, step_number: int | None, method: MethodRef, allowed: Allowance) -> None:
    """The intent: attempt number, key and request, with the lease and its fence. `allowed` is what the budgets said to this very attempt."""
    case, now = draft.case, draft.now
    number = case.attempt_number_last + 1
    row = method_row(draft, method.card_key)
    assert row is not None, "the engine loads the row of the card that the snapshot names first"
    assert allowed.until_at is None, f"what the budgets forbid is not begun: {allowed.why}"
    fence = row.fence + 1
    lease_seconds = timedelta(seconds=draft.facts.timing.lease_seconds)
    attempt = Attempt(
        number=number,
        round=case.round,
        trigger=trigger,
        step_number=step_number,
        after_reason=case.deciding_reason,
        key=keys.charge(case.processor_invoice_id, number, draft.dossier.epoch),
        amount_minor=draft.snapshot.invoice.amount_due_minor,
        currency=case.currency,
        method=method,
        begun_at=now,
        fence=fence,
        call_count=1,
        last_called_at=now,
        next_action_at=now + lease_seconds,
        allowed_by=allowed.rule,
        left_count=allowed.left_count,
    )
    draft.method = _leased(row, draft, attempt, method)
    tried = (
        case.credentials_tried
        if method.credential in case.credentials_tried
        else (*case.credentials_tried, method.credential)
    )
    attempts = (*case.attempts, attempt)
    forgotten = _forgotten(attempts)
    known = (one.processor_charge_id for one in forgotten)
    draft.case = replace(
        case,
        attempts=tuple(one for one in attempts if one not in forgotten),
        foreign_charge_ids=(*case.foreign_charge_ids, *(charge_id for charge_id in known if charge_id is not None)),
        attempt_number_last=number,
        credentials_tried=tried,
        waiting_method=None,
        turn_at=None,
        not_before_at=None,
    )
    draft.why(f"attempt {number} ({trigger}) begins: {draft.money(attempt.amount_minor)}, key {attempt.key}")
    draft.why(f"allowed by {allowed.rule}: {allowed.why}; after this one {allowed.left_count} more")
    draft.effects.append(Charge(case.id, number, fence))
    if trigger is Trigger.METHOD_UPDATED:
        _lend_access(draft, method)


def _leased(row: Method, draft: Draft, attempt: Attempt, method: MethodRef) -> Method:
    """The card's row with the lease, the fence and the send."""
    lease = Lease(
        draft.case.id,
        attempt.number,
        draft.dossier.holder,
        attempt.fence,
        draft.now + timedelta(seconds=draft.facts.timing.lease_seconds),
    )
    return remember(replace(row, lease=lease, fence=attempt.fence), [send_of_attempt(draft.case, attempt, method)])


def _forgotten(attempts: tuple[Attempt, ...]) -> tuple[Attempt, ...]:
    """What the case need not carry any more: neither the first failure, nor the newest, nor any that brought money. Their charges stay known, lest they be news."""
    older = attempts[1 : -(ATTEMPTS_KEPT_MAX - 1)]
    return tuple(one for one in older if one.outcome is not Outcome.SUCCEEDED)


def _lend_access(draft: Draft, method: MethodRef) -> None:
    """Access comes back with the intent of the attempt that follows a new card, once per card and never for a slow debit."""
    subscription = draft.subscription
    if (
        draft.policy.restore_on is RestoreOn.METHOD_UPDATED
        and subscription is not None
        and subscription.access is Access.PAUSED
        and method.rail not in SLOW_RAILS
        and method.credential not in subscription.lent_before
    ):
        lent = (*subscription.lent_before, method.credential)[-LENT_KEPT_MAX:]
        draft.subscription = replace(subscription, lent_credential=method.credential, lent_before=lent)
        draft.why("the customer put a new payment method on file: access is back while it is charged")
