"""What the dates of a case depend on, read off the decision that is being written: where the payer lives, the card and its sends, and what the bank asked for."""

from datetime import datetime, timedelta

from dunr.core import keys
from dunr.core.attempt import Attempt, MethodRef
from dunr.core.circumstances import Circumstances, whereabouts
from dunr.core.counting import Wish
from dunr.core.decide.draft import Draft
from dunr.core.gate import ref_of
from dunr.core.model import Method
from dunr.core.sends import Initiator
from dunr.core.snapshot import MethodSnapshot
from dunr.core.strategies import gap_min_for
from dunr.core.terms import DeclineReason, Outcome
from dunr.core.value import replace

PUT_OFF_MAX = timedelta(days=30)  # a cap may defer a step until so long after the first failure


def circumstances_of(draft: Draft, reason: DeclineReason) -> Circumstances:
    """The circumstances of the coming steps, which answer a decline of that reason."""
    case, payer = draft.case, draft.payer
    zone_name, zone_why = whereabouts(payer, draft.policy, draft.facts)
    snapshot = draft.dossier.snapshot
    default = snapshot.default_method if snapshot is not None else None
    floor_at, floor_why = _floor(draft, reason)
    return Circumstances(
        policy=draft.policy,
        facts=draft.facts,
        first_failed_at=case.first_failed_at,
        zone_name=zone_name,
        zone_why=zone_why,
        country=payer.country,
        wish=wish_of(draft, ref_of(default), Initiator.MERCHANT) if default is not None else None,
        method=_row(draft, default) if default is not None else None,
        floor_at=floor_at,
        floor_why=floor_why,
        issuer_wait_until_at=case.issuer_wait_until_at,
        deferral_limit_at=deferral_limit(draft),
        case_id=case.id,
    )


def _floor(draft: Draft, reason: DeclineReason) -> tuple[datetime | None, str]:
    """The instant before which nothing may be tried: what the bank asked for, or until a limit resets."""
    wait_until_at = draft.case.issuer_wait_until_at
    gap_min = gap_min_for(draft.policy, reason)
    if gap_min:
        last_at = max(one.settled_at or one.begun_at for one in draft.case.attempts if one.outcome is Outcome.DECLINED)
        if wait_until_at is None or wait_until_at < last_at + gap_min:
            return last_at + gap_min, "a limit was reached, and limits reset after a day at the earliest"
    return wait_until_at, "the bank or its network asked to wait until then"


def deferral_limit(draft: Draft) -> datetime:
    """Until when a step may be deferred: 30 days from the first failure, or the deadline where one is set."""
    case = draft.case
    limit_at = case.first_failed_at + PUT_OFF_MAX
    if case.deadline_at is not None:
        return min(limit_at, case.deadline_at)
    if draft.policy.deadline_days is not None:
        return min(limit_at, case.first_failed_at + timedelta(days=draft.policy.deadline_days))
    return limit_at


def wish_of(draft: Draft, method: MethodRef, initiator: Initiator) -> Wish:
    """An attempt at what is due, by that method, as its network would see it."""
    case, methods = draft.case, draft.snapshot.methods
    shown = next((one for one in methods if one.processor_method_id == method.processor_method_id), None)
    country = shown.country if shown is not None else None
    return Wish(
        case_id=case.id,
        first_at=case.attempts[0].begun_at if case.attempts else draft.now,
        rail=method.rail,
        network=method.network,
        region=country or draft.payer.country,
        credential=method.credential,
        amount_minor=draft.snapshot.invoice.amount_due_minor,
        currency=case.currency,
        initiator=initiator,
        after_reason=case.deciding_reason,
    )


def _row(draft: Draft, method: MethodSnapshot) -> Method | None:
    """The row of the card, where the dossier was read for it."""
    row_id = keys.row_id(draft.case.processor, draft.case.account, method.card_key)
    return draft.method if draft.method is not None and draft.method.id == row_id else None


def stated_until(attempt: Attempt, wait_seconds: int | None) -> datetime | None:
    """The end of the wait that was stated in the answer to an attempt, or None where none was."""
    if wait_seconds is None:
        return None
    return (attempt.settled_at or attempt.begun_at) + timedelta(seconds=wait_seconds)


def note_wait(draft: Draft, attempt: Attempt, wait_seconds: int | None) -> None:
    """Remember how long the bank or its network asks to wait with this credential. What another credential was asked for does not bind this one."""
    case, stated_at = draft.case, stated_until(attempt, wait_seconds)
    until_at = case.issuer_wait_until_at
    earlier = [one.method for one in case.attempts if one.number < attempt.number and one.method is not None]
    if earlier and attempt.method is not None and earlier[-1].credential != attempt.method.credential:
        until_at = None
    if stated_at is not None:
        until_at = stated_at if until_at is None else max(until_at, stated_at)
        draft.why(f"the bank or its network asks to wait until {draft.said(stated_at)}")
    if until_at != case.issuer_wait_until_at:
        draft.case = replace(case, issuer_wait_until_at=until_at)
