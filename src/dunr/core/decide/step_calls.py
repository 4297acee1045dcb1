"""Calls in place of attempts: while nobody knows what became of an attempt, each coming step is another call of it, with the same bytes under the same key.

For processors whose keys live long enough, such as the merchant's own billing system: a call that has no answer has spent the step that it was made on, and the next
one goes out at the time of the next step. Where there is no such step, or the key would be too old by then, the attempt is looked up like any other.
"""

from datetime import timedelta

from dunr.core.attempt import Attempt
from dunr.core.decide import first_charge
from dunr.core.decide.attempts import find
from dunr.core.decide.draft import Draft
from dunr.core.decide.ending import exhaust
from dunr.core.decide.planning import lay_quietly
from dunr.core.decide.rungs_left import UNANSWERED_AS
from dunr.core.gate import is_key_old
from dunr.core.model import PlannedStep
from dunr.core.terms import SPENDS_STEP, AlertKind, CaseState, InFlightAction, Trigger
from dunr.core.value import replace

CALLED_ON_STEPS = SPENDS_STEP | {Trigger.RENEWAL}  # what a person began is looked up, and the plan stands
GIVEN_UP_AFTER = timedelta(hours=24)  # from the first failure: then nobody waits for an answer any more


def spend(draft: Draft, number: int) -> bool:
    """A call had no answer, or nobody is left to hear it: its step is spent, and the coming ones are dated from its own date. Whether there was one to spend."""
    attempt = find(draft, number)
    if not draft.processor.calls_spend_steps or attempt is None or not draft.case.is_open:
        return False
    case, step = draft.case, draft.case.plan.next_step
    base, spent_count = draft.now, 0
    if not case.has_failed:
        first_charge.note_failure(draft, UNANSWERED_AS)
    elif attempt.step_number is not None and step is not None and step.number == attempt.step_number:
        base, spent_count = step.at, 1
        draft.why(f"step {step.number} is spent: its call had no answer")
    else:
        return False
    draft.case = replace(
        draft.case,
        steps_spent_count=case.steps_spent_count + spent_count,
        step_attempts_count=case.step_attempts_count + spent_count,
        deciding_reason=UNANSWERED_AS,
        state=CaseState.SCHEDULED,
    )
    draft.change_attempt(
        replace(
            attempt,
            unanswered_steps_count=attempt.unanswered_steps_count + spent_count,
            counted_from_at=base,
        )
    )
    draft.policy = draft.dossier.policy  # one that an operator moved the case to waits, since nothing is settled yet
    lay_quietly(draft, base)
    return True


def next_call(draft: Draft, attempt: Attempt) -> PlannedStep | None:
    """The step on which the attempt is called again, or None where it is only looked up."""
    step = draft.case.plan.next_step
    if not draft.processor.calls_spend_steps or step is None or draft.case.state is not CaseState.SCHEDULED:
        return None
    if attempt.trigger not in CALLED_ON_STEPS:
        return None
    return None if is_key_old(attempt, draft.processor, max(step.at, draft.now)) else step


def due_call(draft: Draft, attempt: Attempt) -> PlannedStep | None:
    """The step that a call which goes out now is made on, or None where it is on none: a first charge that nobody has answered yet has no step to spend."""
    step = next_call(draft, attempt)
    return step if step is not None and draft.case.has_failed and step.at <= draft.now else None


def call_again(draft: Draft, attempt: Attempt, step: PlannedStep) -> None:
    """Nothing was found: the same request goes out again when the next step is due."""
    draft.change_attempt(replace(attempt, next_action=InFlightAction.RESEND, next_action_at=max(step.at, draft.now)))
    draft.why(f"the same request goes out again under the same key at step {step.number}, {draft.said(step.at)}")


def give_up(draft: Draft, attempt: Attempt) -> None:
    """Still nobody knows, and the steps are spent or over: for the merchant the charge is not paid, and a person is told that it may be. It is looked up all the same."""
    case = draft.case
    over_at = case.first_failed_at + GIVEN_UP_AFTER
    if not draft.processor.calls_spend_steps or case.state is not CaseState.SCHEDULED:
        return
    if any(step.at > draft.now for step in case.plan.steps):
        return
    if case.holds or draft.dossier.stops.charges:
        draft.why("the day is over, but not what holds the charge: it is given up only when it might have gone on")
        return
    if draft.now < over_at:
        if attempt.next_action_at is not None and attempt.next_action_at > over_at:
            draft.change_attempt(replace(attempt, next_action_at=over_at))
        return
    text = (
        f"Nobody knows whether attempt {attempt.number} of {case.processor_invoice_id} was paid, a day after it failed. "
        "It counts as not paid, and is looked up further."
    )
    draft.alert(AlertKind.CHARGE_UNSETTLED, f"{case.id}/a{attempt.number}", text)
    exhaust(draft, "no call was answered within a day")
