"""Fresher details before another attempt: whether they are asked for, and whether they came.

An expired card is not charged again before its processor was asked for the newer one, and the cryptogram of a network token is renewed before each step.
This page asks and looks back; what follows from an answer is in `refreshing`.
"""

from datetime import timedelta

from dunr.core import keys
from dunr.core.attempt import MethodRef
from dunr.core.decide.draft import Draft
from dunr.core.effects import RefreshMethod
from dunr.core.facts import Capability
from dunr.core.method_notes import REFRESHES_KEPT_MAX, Refresh
from dunr.core.model import Case
from dunr.core.policy import Strategy
from dunr.core.terms import DeclineReason, Outcome, Trigger
from dunr.core.value import replace

ANSWER_WAIT = timedelta(hours=24)


def is_wanted(draft: Draft, reason: DeclineReason) -> bool:
    """Whether the policy wants fresher details after this decline, before anything is planned."""
    rule = draft.policy.rule(reason)
    return rule is not None and rule.strategy is Strategy.REQUIRE_UPDATER


def comes_first(draft: Draft, reason: DeclineReason) -> bool:
    """Whether they are still to be asked for, or to come."""
    case = draft.case
    if not is_wanted(draft, reason):
        return False
    if case.method_notes.pending_refresh is not None:
        return True
    method = _declined_method(case)
    return method is not None and _is_offered(draft) and not _was_asked(case, method)


def ask(draft: Draft, reason: DeclineReason) -> None:
    """Ask for them, once; where the answer is on its way, wait for it."""
    method = _declined_method(draft.case)
    if draft.case.method_notes.pending_refresh is None and method is not None:
        draft.why("fresher details of the payment method are asked for before anything else")
        _ask_for(draft, method, reason)
    else:
        draft.why("the answer about fresher details of the payment method is waited for")


def is_refreshed(case: Case) -> bool:
    """Whether fresher details came after the last decline, and no attempt has used them yet."""
    return _unused_hit(case) is not None


def follows_refresh(case: Case, method: MethodRef) -> bool:
    """Whether an attempt by this method is the one that follows our own refresh."""
    hit = _unused_hit(case)
    return hit is not None and hit.hit_credential == method.credential


def needs_cryptogram(draft: Draft, method: MethodRef) -> bool:
    """Whether a fresh cryptogram is to be asked for before this method, a network token, is charged: once for each attempt."""
    case = draft.case
    if not _is_offered(draft):
        return False
    asked = (one for one in case.method_notes.refreshes if one.processor_method_id == method.processor_method_id)
    return all(one.after_attempt_number < case.attempt_number_last for one in asked)


def ask_for_cryptogram(draft: Draft, method: MethodRef) -> None:
    """Ask for it; the step waits for the answer, whatever it is."""
    draft.why("a fresh cryptogram of the network token is asked for before the attempt")
    _ask_for(draft, method, None)


def _ask_for(draft: Draft, method: MethodRef, reason: DeclineReason | None) -> None:
    """Note the request and have it made."""
    case, notes = draft.case, draft.case.method_notes
    assert case.customer_id is not None, "a method that may be refreshed belongs to a customer"
    refresh = Refresh(
        round=case.round,
        processor_method_id=method.processor_method_id,
        credential=method.credential,
        card_key=method.card_key,
        reason=reason,
        after_attempt_number=case.attempt_number_last,
        asked_at=draft.now,
        give_up_at=draft.now + ANSWER_WAIT,
    )
    kept = (*notes.refreshes, refresh)[-REFRESHES_KEPT_MAX:]
    draft.case = replace(case, method_notes=replace(notes, refreshes=kept))
    key = keys.refresh(case.id, method.credential, draft.now.isoformat())
    customer = case.customer_id.split(":", 2)[2]
    draft.effects.append(RefreshMethod(key, case.id, customer, method.processor_method_id))


def _is_offered(draft: Draft) -> bool:
    """Whether the processor knows of fresher details at all."""
    return Capability.REFRESH_METHOD in draft.processor.capabilities and draft.case.customer_id is not None


def _declined_method(case: Case) -> MethodRef | None:
    """The method whose decline decides: that of the newest attempt, backups aside."""
    declined = (a for a in reversed(case.attempts) if a.trigger is not Trigger.BACKUP and a.outcome is Outcome.DECLINED)
    newest = next(declined, None)
    return newest.method if newest is not None else None


def _was_asked(case: Case, method: MethodRef) -> bool:
    """Whether fresher details of this very credential were asked for in this round, because of a decline."""
    return any(
        (one.round, one.credential) == (case.round, method.credential) and one.reason is not None
        for one in case.method_notes.refreshes
    )


def _unused_hit(case: Case) -> Refresh | None:
    """The newest answered refresh of this round, where it was a hit after a decline and no attempt by it has ended since."""
    asked = [one for one in case.method_notes.refreshes if one.reason is not None and one.round == case.round]
    newest = asked[-1] if asked else None
    if newest is None or not newest.is_hit:
        return None
    used = any(
        a.number > newest.after_attempt_number
        and a.outcome in (Outcome.SUCCEEDED, Outcome.DECLINED)
        and a.method is not None
        and a.method.credential == newest.hit_credential
        for a in case.attempts
    )
    return None if used else newest
