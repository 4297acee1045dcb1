"""What an attempt in flight wants next: it is looked up, or sent again. Whoever does so raises the fence.

It may be sent again only with the same bytes under the same key, through the gate, within half of the key's life. One whose sender fell silent is taken over here.
"""

from datetime import datetime, timedelta
from typing import assert_never

from dunr.core.attempt import Attempt
from dunr.core.decide import step_calls
from dunr.core.decide.attempts import find, withdraw
from dunr.core.decide.draft import Draft
from dunr.core.decide.gaps import look_up_gap
from dunr.core.decide.opening import method_row
from dunr.core.decide.permitting import is_permitted
from dunr.core.decide.unsettled import NOT_NOW_WAIT_SECONDS, PENDING_LOOK_UP_GAP, settles_at
from dunr.core.effects import Charge, LookUp
from dunr.core.events import AttemptOverdue
from dunr.core.gate import closed_because, is_key_old
from dunr.core.sends import Lease
from dunr.core.terms import AlertKind, InFlightAction, Outcome
from dunr.core.value import replace


def overdue(draft: Draft, event: AttemptOverdue) -> None:
    """The next action of the attempt in flight is due: look it up, or send it again. Whoever does so raises the fence."""
    attempt = find(draft, event.number)
    if (
        attempt is None
        or not attempt.is_in_flight
        or attempt.next_action_at is None
        or attempt.next_action_at > draft.now
    ):
        draft.why("nothing is due for this attempt")
        return
    if attempt.next_action is InFlightAction.RESEND and draft.dossier.snapshot is None:
        draft.why("it became due to be sent again only after this was read: that needs a look first")
        return
    match attempt.next_action:
        case InFlightAction.LOOK_UP:
            _look_up(draft, attempt)
        case InFlightAction.RESEND:
            _resend(draft, attempt)
        case unreachable:
            assert_never(unreachable)


def _look_up(draft: Draft, attempt: Attempt) -> None:
    """Ask the processor, and book the next time to ask. An attempt whose sender fell silent is taken over here."""
    since_at = attempt.unknown_since_at or draft.now
    row = method_row(draft, attempt.method.card_key) if attempt.method is not None else None
    lease = row.lease if row is not None else None
    silent = attempt.outcome is None or (
        lease is not None and (lease.case_id, lease.attempt_number) == (draft.case.id, attempt.number)
    )
    alert_at = since_at + timedelta(seconds=draft.processor.unsettled_alert_seconds)
    alert = not attempt.alerted and attempt.outcome is not Outcome.PENDING and draft.now >= alert_at
    next_at = _next_look_at(draft, attempt, alert_at)
    fence = attempt.fence
    if silent and row is not None:
        fence = row.fence + 1
        draft.method = replace(
            row, fence=fence, lease=None if row.lease is not None and row.lease.case_id == draft.case.id else row.lease
        )
        draft.why(f"whoever sent attempt {attempt.number} has fallen silent: taken over under fence {fence}")
    draft.change_attempt(
        replace(
            attempt,
            fence=fence,
            taken_over=attempt.taken_over or silent,
            # Until this moment the silent one may have sent it; from here on the fence stops them.
            last_called_at=draft.now if silent else attempt.last_called_at,
            outcome=attempt.outcome or Outcome.UNKNOWN,
            unknown_since_at=since_at,
            look_up_count=attempt.look_up_count + 1,
            next_action_at=next_at,
            alerted=attempt.alerted or alert,
        )
    )
    if silent:
        step_calls.spend(draft, attempt.number)
    if alert:
        text = f"Attempt {attempt.number} of {draft.case.processor_invoice_id} has had no answer since {draft.said(since_at)}. It is looked up; a person may settle it."
        draft.alert(AlertKind.UNSETTLED_ATTEMPT, f"{draft.case.id}/a{attempt.number}", text)
    draft.why(f"look-up {attempt.look_up_count + 1} of attempt {attempt.number}")
    draft.effects.append(LookUp(draft.case.id, attempt.number))


def _next_look_at(draft: Draft, attempt: Attempt, alert_at: datetime) -> datetime:
    """When to ask again: after the next gap; once when what is not there has not arrived for good; and once when a person is to be told."""
    if attempt.outcome is Outcome.PENDING:
        return draft.now + PENDING_LOOK_UP_GAP
    next_at = draft.now + look_up_gap(attempt.look_up_count + 1)
    return min(at for at in (next_at, alert_at, settles_at(draft, attempt)) if at > draft.now)


def _resend(draft: Draft, attempt: Attempt) -> None:
    """The same bytes under the same key, through the gate, under a new fence; never past half of the key's life."""
    case, method = draft.case, attempt.method
    assert method is not None, "an attempt of ours names its method"
    if is_key_old(attempt, draft.processor, draft.now):
        draft.change_attempt(
            replace(
                attempt,
                next_action=InFlightAction.LOOK_UP,
                outcome=attempt.outcome or Outcome.UNKNOWN,
                next_action_at=draft.now,
            )
        )
        draft.why("the key is too old to send the request again; it is looked up instead")
        return
    refusals = closed_because(
        case, attempt.amount_minor, attempt.currency, method, draft.snapshot, draft.method, draft.dossier.stops
    )
    if not refusals and not is_permitted(draft):
        refusals = (f"held: {draft.case.holds[-1].why}",)
    if refusals and not attempt.taken_over and attempt.outcome is None:
        withdraw(draft, attempt, refusals)
        return
    if refusals:
        draft.why(f"not sent again: {'; '.join(refusals)}")
        look_at = draft.now + look_up_gap(attempt.look_up_count)
        draft.change_attempt(replace(attempt, next_action=InFlightAction.LOOK_UP, next_action_at=look_at))
        return
    _send_again(draft, attempt)


def _send_again(draft: Draft, attempt: Attempt) -> None:
    """Take the card's lease under a new fence and order the call."""
    assert attempt.method is not None, "an attempt of ours names its method"
    row = method_row(draft, attempt.method.card_key)
    lease_end = draft.now + timedelta(seconds=draft.facts.timing.lease_seconds)
    held = row.lease if row is not None else None
    if row is None or (held is not None and held.expires_at > draft.now and held.case_id != draft.case.id):
        draft.change_attempt(replace(attempt, next_action_at=draft.now + timedelta(seconds=NOT_NOW_WAIT_SECONDS)))
        draft.why("another attempt on this card is being sent")
        return
    fence = row.fence + 1
    draft.method = replace(
        row, fence=fence, lease=Lease(draft.case.id, attempt.number, draft.dossier.holder, fence, lease_end)
    )
    step = step_calls.due_call(draft, attempt)
    draft.change_attempt(
        replace(
            attempt,
            fence=fence,
            step_number=step.number if step is not None else attempt.step_number,
            counted_from_at=None if step is not None else attempt.counted_from_at,
            taken_over=attempt.taken_over or attempt.outcome is not None,
            call_count=attempt.call_count + 1,
            last_called_at=draft.now,
            next_action=InFlightAction.LOOK_UP,
            next_action_at=lease_end,
        )
    )
    draft.why(f"call {attempt.call_count + 1} of attempt {attempt.number}, the same request under the same key")
    draft.effects.append(Charge(draft.case.id, attempt.number, fence))
