"""The card run: after a new credential, the customer's open invoices are tried one after another, oldest first, until the first decline.

The customer row holds the run; each case waits for its turn there. This page moves the run on when an attempt of it has ended.
"""

from dataclasses import replace

from dunr.core.decide.draft import Draft
from dunr.core.model import CardRun


def run_succeeded(draft: Draft) -> None:
    """The new card paid this invoice: the next case of the run has its turn."""
    if draft.customer is not None and draft.customer.run is not None:
        pass_turn(draft, draft.customer.run)


def pass_turn(draft: Draft, run: CardRun) -> None:
    """Take this case off the run and have the next one looked at."""
    assert draft.customer is not None, "a run lives on a customer row"
    remaining = tuple(case_id for case_id in run.remaining if case_id != draft.case.id)
    draft.customer = replace(draft.customer, run=replace(run, remaining=remaining))
    if remaining:
        draft.nudge(remaining[0], f"turn/{run.credential}")
    else:
        draft.why("every open invoice was tried with the new payment method")


def run_stopped(draft: Draft) -> None:
    """The new card was declined: it is not tried on the other invoices, and access that was lent goes back to what it was."""
    customer = draft.customer
    if customer is None or customer.run is None or customer.run.stopped:
        return
    draft.customer = replace(customer, run=replace(customer.run, stopped=True))
    draft.why("the card run stops here")
    for case_id in customer.run.remaining:
        if case_id != draft.case.id:
            draft.nudge(case_id, f"run-ended/{customer.run.credential}", run_ended=True)
