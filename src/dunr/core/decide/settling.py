"""What became of an attempt: paid, declined, refused or withdrawn.

Evidence of a charge under our key settles its attempt in every state, whoever brings it. `withdrawn` is the only outcome that needs the fence, because it is the
only one that we say about ourselves.
"""

from datetime import timedelta
from typing import assert_never

from dunr.core import keys
from dunr.core.answers import Declined, Paid, Refused, RefusedKind
from dunr.core.attempt import Attempt
from dunr.core.decide import first_charge
from dunr.core.decide.attempts import find, free_method, hand_over_waiting, keep_turn, withdraw
from dunr.core.decide.backup_turns import after_failure
from dunr.core.decide.cardrun import run_stopped, run_succeeded
from dunr.core.decide.draft import Draft
from dunr.core.decide.ending import STOPPED_LOOK
from dunr.core.decide.invoices import carry_over
from dunr.core.decide.money import collect, tell_receipt
from dunr.core.decide.opening import alert_unknown, method_row, stop_credential
from dunr.core.decide.planning import begin_dunning, keep_wait, lay_out, set_steps, settle_state
from dunr.core.decide.surroundings import note_wait
from dunr.core.decide.unsettled import unanswered
from dunr.core.declines import classify, network_of, raw_code, unknown_codes
from dunr.core.effects import StopSending
from dunr.core.events import AttemptSettled, AttemptWithdrawn
from dunr.core.model import Hold
from dunr.core.terms import AlertKind, CaseState, DeclineKind, HoldKind, Outcome, Trigger
from dunr.core.value import replace

REFUSED_HOLD = timedelta(hours=24)
NOT_PAYABLE_WAIT = timedelta(hours=1)


def settled(draft: Draft, event: AttemptSettled) -> None:
    """The fate of an attempt is known."""
    attempt = find(draft, event.number)
    if attempt is None:
        return
    match event.answer:
        case Paid():
            _paid(draft, attempt, event.answer)
        case Declined():
            if attempt.is_in_flight:
                _declined(draft, attempt, event.answer)
            else:
                draft.why(f"attempt {attempt.number} is settled as {attempt.outcome}; a late failure un-pays nothing")
        case Refused():
            if attempt.is_in_flight:
                _refused(draft, attempt, event.answer)
            else:
                draft.why(f"attempt {attempt.number} is settled as {attempt.outcome}")
        case unreachable:
            assert_never(unreachable)


def _paid(draft: Draft, attempt: Attempt, answer: Paid) -> None:
    """The money moved. It is booked in every state, and once: one key is one payment."""
    if attempt.outcome is Outcome.SUCCEEDED:
        draft.why(f"attempt {attempt.number} is known to have succeeded: a repeat")
        return
    if not attempt.is_in_flight:
        text = f"Attempt {attempt.number} of {draft.case.processor_invoice_id} was settled as {attempt.outcome}, but its charge succeeded."
        draft.alert(AlertKind.LATE_MONEY, f"{draft.case.id}/a{attempt.number}", text)
    free_method(draft, attempt, Outcome.SUCCEEDED)
    draft.change_attempt(
        replace(
            attempt,
            outcome=Outcome.SUCCEEDED,
            processor_charge_id=answer.processor_charge_id,
            captured_minor=answer.amount_minor,
            settled_at=draft.now,
            next_action_at=None,
        )
    )
    was_in_flight = attempt.is_in_flight
    _book(draft, answer)
    run_succeeded(draft, attempt)
    hand_over_waiting(draft)
    if was_in_flight:
        _spend_step(draft, attempt)
        if draft.case.is_open:
            draft.why("a part was paid; the rest goes on")
            _go_on(draft, attempt)


def _book(draft: Draft, answer: Paid) -> None:
    """Book the money, unless it was booked already: news of a charge without our key can come before the answer that names it as ours."""
    if answer.processor_charge_id not in draft.case.foreign_charge_ids:
        collect(draft, answer.processor_charge_id, answer.amount_minor, answer.at, ours=True)
        return
    draft.why(f"{answer.processor_charge_id} is booked already; it was ours")
    if draft.case.state is CaseState.RECOVERED:
        tell_receipt(draft)


def _spend_step(draft: Draft, attempt: Attempt) -> None:
    """A step is spent when its attempt ends succeeded or declined."""
    if attempt.spends_step:
        case = draft.case
        draft.case = replace(
            case, steps_spent_count=case.steps_spent_count + 1, step_attempts_count=case.step_attempts_count + 1
        )
        draft.why(f"step {attempt.step_number} is spent")


def _go_on(draft: Draft, attempt: Attempt) -> None:
    """Plan what comes after a step, spent or held back for a promise, counted from the step's own date; after any other attempt the plan stands."""
    if not draft.case.is_open or draft.case.state is CaseState.EXHAUSTED:
        return
    if attempt.counted_from_at is not None:
        plan_anew = lay_out if attempt.step_number is not None else begin_dunning
        plan_anew(draft, attempt.counted_from_at)
        return
    if attempt.spends_step or attempt.trigger is Trigger.PROMISE:
        if draft.case.promise_at is not None:
            draft.case = replace(draft.case, promise_at=None)
        step = draft.case.plan.next_step
        lay_out(draft, step.at if step is not None else attempt.begun_at)


def _declined(draft: Draft, attempt: Attempt, answer: Declined) -> None:
    """A no. A step's decline decides what follows; another trigger's moves nothing, unless it is hard or asks for an action."""
    network = network_of(attempt.method) if attempt.method is not None else None
    meant = classify(answer.raw, draft.case.processor, draft.facts, network)
    reason = meant.reason
    known = replace(
        attempt,
        outcome=Outcome.DECLINED,
        reason=reason,
        raw_code=raw_code(answer.raw),
        unknown_codes=unknown_codes(meant, answer.raw),
        processor_charge_id=answer.processor_charge_id,
        processor_intent_id=answer.processor_intent_id,
        settled_at=draft.now,
        next_action_at=None,
    )
    free_method(draft, attempt, Outcome.DECLINED, answer.raw)
    draft.change_attempt(known)
    draft.why(f"attempt {attempt.number} declined: {draft.facts.reasons[reason].sentence}")
    if answer.processor_intent_id is not None:
        draft.case = replace(draft.case, uncancelled_intent_id=answer.processor_intent_id)
    alert_unknown(draft, known.unknown_codes, reason)
    stop_credential(draft, known)
    note_wait(draft, known, meant.wait_seconds)
    run_stopped(draft, attempt)
    hand_over_waiting(draft)
    kind = draft.facts.reasons[reason].kind
    if not draft.case.has_failed:
        first_charge.failed(draft, reason)
    elif attempt.spends_step or attempt.counted_from_at is not None:
        _spend_step(draft, attempt)
        if draft.case.deciding_reason is not reason:
            draft.case = replace(draft.case, deciding_reason=reason)
        _go_on(draft, attempt)
    elif attempt.trigger is Trigger.PROMISE and kind is DeclineKind.SOFT:
        draft.why("the promised payment was declined: the step that it took the place of is still to come")
        _go_on(draft, attempt)
    elif attempt.trigger is Trigger.BACKUP:
        draft.why("a backup method was declined: that says nothing about the default one, whose plan goes on")
    elif (
        attempt.trigger is Trigger.METHOD_UPDATED
        and kind is DeclineKind.SOFT
        and draft.case.state is CaseState.AWAITING_CUSTOMER
    ):
        draft.why("the new payment method may be tried again: its decline is laid out like a first one")
        draft.case = replace(draft.case, deciding_reason=reason)
        begin_dunning(draft, draft.now)
    elif kind in (DeclineKind.HARD, DeclineKind.ACTION) and draft.case.state in (
        CaseState.SCHEDULED,
        CaseState.AWAITING_CUSTOMER,
    ):
        draft.case = replace(draft.case, deciding_reason=reason)
        set_steps(draft, ())
        settle_state(draft)
    else:
        keep_wait(draft)
    after_failure(draft, attempt.trigger)


def _refused(draft: Draft, attempt: Attempt, answer: Refused) -> None:
    """Our request was not taken: no decline, no mail, the step is given back, and a person is told."""
    if attempt.call_count > 1 or attempt.taken_over or answer.kind is RefusedKind.IDEMPOTENCY_KEY_REUSED:
        draft.why("an earlier call of this attempt may have gone through; it is looked up before anything is said")
        unanswered(draft, replace(attempt, refused=answer.kind), f"refused: {answer.code}", looked_up=False)
    else:
        free_method(draft, attempt, Outcome.REFUSED)
        draft.change_attempt(
            replace(
                attempt,
                outcome=Outcome.REFUSED,
                refused=answer.kind,
                raw_code=answer.code,
                settled_at=draft.now,
                next_action_at=None,
            )
        )
        draft.why(f"the processor refused the request ({answer.code}): not a decline, the step is given back")
        keep_turn(draft, attempt)
        if attempt.trigger is Trigger.BACKUP:
            after_failure(draft, attempt.trigger)
    case = draft.case
    match answer.kind:
        case RefusedKind.NOT_PAYABLE:
            draft.nudge(case.id, f"a{attempt.number}-not-payable")
            draft.wait(
                NOT_PAYABLE_WAIT,
                "the processor says that nothing is to be collected: it is looked at again before anything else",
            )
        case RefusedKind.AMOUNT_TOO_SMALL:
            if case.is_open:
                carry_over(draft)
        case RefusedKind.KEY_REVOKED:
            key_refused(draft, f"{case.id}-a{attempt.number}", answer.code)
        case RefusedKind.BAD_REQUEST | RefusedKind.NOT_FOUND | RefusedKind.IDEMPOTENCY_KEY_REUSED:
            text = f"{case.processor} refused attempt {attempt.number} of {case.processor_invoice_id}: {answer.code}. Held for 24 hours or until a person releases it."
            draft.alert(AlertKind.REQUEST_REFUSED, f"{case.id}/a{attempt.number}", text)
            hold = Hold(
                HoldKind.PROCESSOR,
                f"a{attempt.number}",
                f"the processor refused the request: {answer.code}",
                draft.now,
                draft.now + REFUSED_HOLD,
            )
            draft.case = replace(draft.case, holds=(*draft.case.holds, hold))
        case unreachable:
            assert_never(unreachable)


def key_refused(draft: Draft, since: str, why: str) -> None:
    """The processor does not know our API key any more: all sending stops, and a person is told, once a day however many cases meet it."""
    case = draft.case
    text = f"{case.processor} refuses our API key for {case.account}. Nothing is sent there until the key is replaced and sending is resumed."
    about = f"{case.processor}/{case.account}/{draft.now.date().isoformat()}"
    draft.alert(AlertKind.KEY_REVOKED, about, text)
    key = keys.stop_sending(case.processor, case.account, since)
    draft.effects.append(StopSending(key, case.id, case.processor, case.account, f"the API key was refused ({why})"))
    draft.wait(STOPPED_LOOK, "the API key is refused: all sending stops")


def withdrawn(draft: Draft, event: AttemptWithdrawn) -> None:
    """The gate failed before the send. Only the fence's holder says so, and only for an attempt that nobody else may have sent."""
    attempt = find(draft, event.number)
    if attempt is None:
        return
    row = method_row(draft, attempt.method.card_key) if attempt.method is not None else None
    if (
        attempt.outcome is not None
        or attempt.taken_over
        or attempt.fence != event.fence
        or row is None
        or row.fence != event.fence
    ):
        draft.why("the fence is stale, or an answer came already: nobody can say any more that it was not sent")
        return
    withdraw(draft, attempt, event.why)
