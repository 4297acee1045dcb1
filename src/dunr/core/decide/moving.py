"""An operator moves an open case to another policy.

Used steps count under the new one, what was told is never brought forward, and nothing changes under an attempt in flight: the new policy waits until that attempt
is settled, and then decides what follows from it.
"""

from dunr.core.decide.beside import stand_beside
from dunr.core.decide.draft import Draft
from dunr.core.decide.planning import lay_out, newest_step_at
from dunr.core.events import AttemptEvent, AttemptSettledByHand, Event, PolicyMoved
from dunr.core.policy import policy_hash
from dunr.core.terms import CaseState
from dunr.core.value import replace

CONFLICT = 409


def policy_moved(draft: Draft, event: PolicyMoved) -> None:
    """Move the case now, or as soon as the attempt in flight is settled."""
    policy, attempt = draft.dossier.policy_next, draft.case.in_flight
    if policy is None or not draft.case.is_open:
        draft.reject(CONFLICT, f"The case is {draft.case.state}: there are no dates that a policy could decide.")
        return
    draft.case = replace(draft.case, policy_next_hash=policy_hash(policy))
    if attempt is not None:
        draft.why(f"{event.actor} moves it to the policy {policy.name} when attempt {attempt.number} is settled")
        return
    draft.why(f"moved to the policy {policy.name} by {event.actor}")
    was_left = draft.case.beside is not None and draft.case.beside.is_left
    _take(draft)
    if draft.dossier.snapshot is not None:
        stand_beside(draft)
    _lay_out_again(draft, was_left=was_left)


def begin_settling(draft: Draft, event: Event) -> bool:
    """Before an event that may settle the attempt: whether the policy that waited for that decides about it already."""
    if draft.case.policy_next_hash is None or not isinstance(event, AttemptEvent | AttemptSettledByHand):
        return False
    draft.why("decided by the policy that an operator moved the case to")
    _take(draft)
    return True


def end_settling(draft: Draft) -> None:
    """After it: where nothing was settled, the policy goes on waiting; where what was settled leaves the plan as it was, the plan is laid out anew."""
    case, before = draft.case, draft.dossier.case
    assert before is not None, "a policy waits on a case that is there"
    if case.in_flight is not None:
        draft.case = replace(case, policy_hash=before.policy_hash, policy_next_hash=before.policy_next_hash)
    elif case.plan == before.plan:
        _lay_out_again(draft)


def _take(draft: Draft) -> None:
    """From now on the policy that was waited for decides."""
    policy = draft.dossier.policy_next
    assert policy is not None, "whoever reads a case that waits for a policy reads that policy, too"
    draft.policy = policy
    draft.case = replace(draft.case, policy_hash=policy_hash(policy), policy_next_hash=None)


def _lay_out_again(draft: Draft, *, was_left: bool = False) -> None:
    """The dates under the new policy, counted from the newest step that reached the bank. Where the invoice was left to the processor, it may have had none."""
    case = draft.case
    if case.state is CaseState.SCHEDULED or (was_left and case.state is CaseState.AWAITING_CUSTOMER):
        lay_out(draft, newest_step_at(case))
