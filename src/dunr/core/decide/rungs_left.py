"""The rungs that a case still has on its ladder, under its policy and for the reason that decides."""

from dunr.core.decide import fresh_details
from dunr.core.decide.draft import Draft
from dunr.core.declines import treated_as
from dunr.core.policy import Step
from dunr.core.strategies import Rung, rungs
from dunr.core.terms import DeclineReason, Outcome, StepUnit

FIRST_CHARGE = Rung(0, Step(0, StepUnit.HOURS))  # made as soon as it may be, however late
REACHED_THE_BANK = (Outcome.SUCCEEDED, Outcome.DECLINED)
UNANSWERED_AS = DeclineReason.PROCESSING_ERROR  # the steps that no answer earns, where each of them is a call


def planning_reason(draft: Draft) -> DeclineReason:
    """The reason whose rungs count."""
    return planned_as(draft, draft.case.deciding_reason)


def planned_as(draft: Draft, reason: DeclineReason | None) -> DeclineReason:
    """The reason whose steps a decline gets."""
    return treated_as(reason, draft.facts) if reason is not None else DeclineReason.UNKNOWN


def coming_rungs(draft: Draft) -> tuple[Rung, ...]:
    """The rungs that the case still has, under its policy and its deciding reason; none before the fresher details have come that a reason wants.

    As long as a first charge of our own has not failed, it is the only one.
    """
    if not draft.case.has_failed:
        return (FIRST_CHARGE,)
    if fresh_details.is_wanted(draft, planning_reason(draft)) and not fresh_details.is_refreshed(draft.case):
        return ()
    return rungs_left(draft)


def rungs_left(draft: Draft) -> tuple[Rung, ...]:
    """The rungs by their numbers alone. Skipped rungs count as used, for whatever reason it is now."""
    case, reason = draft.case, planning_reason(draft)
    spent_count = unanswered_count = on_reason = 0
    for attempt in case.attempts:
        if attempt.round != case.round:
            continue
        unanswered_count += attempt.unanswered_steps_count
        if attempt.spends_step and attempt.outcome in REACHED_THE_BANK:
            spent_count += 1
            on_reason += planned_as(draft, attempt.after_reason) is reason
    skipped_count = max(0, case.steps_spent_count - spent_count - unanswered_count)
    if reason is UNANSWERED_AS:
        on_reason += unanswered_count
    return rungs(
        draft.policy, draft.facts, reason, case.steps_spent_count, on_reason + skipped_count, case.step_attempts_count
    )
