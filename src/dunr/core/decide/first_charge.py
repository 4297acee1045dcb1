"""The first charge of an invoice that we make ourselves: a renewal, or a charge that the merchant left to us.

It is attempt 0, like the failed first charge of any other case; what sets it apart is that nothing has failed before. So it has no decline to answer, no window, and
no hour after which it was missed: it is made when it may be. Its failure begins the dunning that a case of any other kind begins with.
"""

from datetime import datetime

from dunr.core import ledger
from dunr.core.decide.allowing import allowance_of
from dunr.core.decide.charging import GATE_WAIT, begin, may_begin
from dunr.core.decide.draft import Draft
from dunr.core.decide.ending import STOPPED_LOOK
from dunr.core.decide.invoices import carry_over
from dunr.core.decide.money import recover
from dunr.core.decide.opening import as_it_opens, meet_neighbours
from dunr.core.decide.planning import begin_dunning, is_paused_by_others
from dunr.core.decide.rungs_left import FIRST_CHARGE
from dunr.core.decision import Decision, Dossier
from dunr.core.facts import Facts
from dunr.core.gate import chargeable_method, is_stopped, ref_of
from dunr.core.model import Case, Plan, PlannedStep
from dunr.core.reconcile import not_ours_because
from dunr.core.snapshot import Snapshot
from dunr.core.terms import Access, CaseState, DeclineReason, Trigger, WhilePaused
from dunr.core.value import replace


def charge_due(dossier: Dossier, facts: Facts, now: datetime) -> Decision:
    """Open the case with the first charge planned, unless the invoice is not ours to collect."""
    snapshot = dossier.snapshot
    assert snapshot is not None, "a case opens on a snapshot"
    not_ours = not_ours_because(snapshot)
    if not_ours is not None:
        return Decision((not_ours,))
    draft = Draft(dossier, _new_case(dossier, snapshot, now), facts, now)
    meet_neighbours(draft, snapshot)
    case = draft.case
    if case.amount_due_minor == 0:
        draft.why(f"{case.processor_invoice_id} was paid before it was looked at")
        recover(draft, ours=False)
        return draft.finish("ChargeDue", "dunr")
    draft.postings.append(ledger.opened(case, case.amount_due_minor, now))
    draft.why(
        f"{draft.money(case.amount_due_minor)} of {case.processor_invoice_id} is to be charged from {draft.said(case.first_failed_at)} on"
    )
    draft.why(*dossier.policy_why)
    if snapshot.invoice.amount_due_minor < snapshot.invoice.minimum_minor:
        carry_over(draft)
    elif is_paused_by_others(draft) and draft.policy.while_paused is WhilePaused.SKIP:
        draft.case = replace(case, state=CaseState.AWAITING_CUSTOMER, plan=Plan())
        draft.why("access is paused already, and the policy charges no new invoice meanwhile")
    return draft.finish("ChargeDue", "dunr")


def _new_case(dossier: Dossier, snapshot: Snapshot, now: datetime) -> Case:
    """The row as it opens: nothing tried, nothing failed, access untouched."""
    due_at = snapshot.invoice.charge_due_at
    assert due_at is not None, "events_from has looked at this"
    return replace(
        as_it_opens(dossier, snapshot, due_at, now),
        attempt_number_last=FIRST_CHARGE.number - 1,
        credentials_tried=(snapshot.methods[0].credential,) if snapshot.methods else (),
        plan=Plan((PlannedStep(FIRST_CHARGE.number, due_at, ("the charge is due",)),)),
        access=Access.GRANTED,
        has_failed=False,
    )


def begin_first(draft: Draft) -> None:
    """The first charge is due: begin it, or say why not now."""
    if draft.dossier.stops.charges:
        draft.wait(STOPPED_LOOK, f"nothing is sent: {'; '.join(draft.dossier.stops.charges)}")
        return
    default = chargeable_method(draft.case, draft.snapshot)
    if default is None:
        draft.wait(GATE_WAIT, "there is no payment method to charge")
        return
    method = ref_of(default)
    row = draft.method
    if row is not None and row.stop is not None and is_stopped(row, method):
        draft.why(f"not charged: this credential was stopped by the issuer ({row.stop})")
        failed(draft, row.stop)
        return
    if not may_begin(draft, method):
        return
    allowed = allowance_of(draft, method, Trigger.RENEWAL)
    if allowed.until_at is not None:
        draft.wait_until(allowed.until_at, f"not charged yet, by {allowed.rule}: {allowed.why}")
        return
    begin(draft, Trigger.RENEWAL, None, method, allowed)


def failed(draft: Draft, reason: DeclineReason) -> None:
    """The first charge has failed: from here on the case is like any other."""
    note_failure(draft, reason)
    begin_dunning(draft, draft.case.first_failed_at)


def note_failure(draft: Draft, reason: DeclineReason) -> None:
    """The debt is to be recovered from now on, and access is lent meanwhile."""
    draft.case = replace(
        draft.case, has_failed=True, first_failed_at=draft.now, deciding_reason=reason, access=Access.GRACE, plan=Plan()
    )
