"""The card run: after a new credential, the customer's open invoices are tried one after another, oldest first, until the first decline.

The customer row holds the run; each case waits for its turn there. This page moves the run on when an attempt of it has ended.
"""

from dunr.core.attempt import Attempt
from dunr.core.decide.draft import Draft
from dunr.core.model import CardRun
from dunr.core.value import replace


def _run_of(draft: Draft, attempt: Attempt) -> CardRun | None:
    """The run that an attempt belongs to: by its card, whatever began it, if this case has not had its turn yet."""
    run = draft.customer.run if draft.customer is not None else None
    if run is None or run.stopped or attempt.method is None or attempt.method.credential != run.credential:
        return None
    return run if draft.case.id in run.remaining else None


def run_succeeded(draft: Draft, attempt: Attempt) -> None:
    """The new card was charged here: the next case of the run has its turn."""
    run = _run_of(draft, attempt)
    if run is not None:
        pass_turn(draft, run)


def turn_of(run: CardRun) -> str:
    """What a case is nudged for when its turn in a run has come."""
    return f"turn/{run.credential}"


def pass_turn(draft: Draft, run: CardRun) -> None:
    """Take this case off the run and have the next one looked at."""
    assert draft.customer is not None, "a run lives on a customer row"
    remaining = tuple(case_id for case_id in run.remaining if case_id != draft.case.id)
    draft.customer = replace(draft.customer, run=replace(run, remaining=remaining))
    if remaining:
        draft.nudge(remaining[0], turn_of(run))
    else:
        draft.why("every open invoice was tried with the new payment method")


def run_stopped(draft: Draft, attempt: Attempt) -> None:
    """The new card was declined: it is not tried on the other invoices, and access that was lent goes back to what it was."""
    run, customer = _run_of(draft, attempt), draft.customer
    if run is None or customer is None:
        return
    draft.customer = replace(customer, run=replace(run, stopped=True))
    draft.why("the card run stops here")
    for case_id in run.remaining:
        if case_id != draft.case.id:
            draft.nudge(case_id, f"run-ended/{run.credential}", run_ended=True)
