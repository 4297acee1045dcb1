"""When a case next wants attention, and what for.

Timers and alarms are hints: whatever wakes us, this page reads the case and says which event, if any, is due. `wake_at` is its shadow, kept on the row so that
a store can find it.
"""

from datetime import datetime, timedelta

from dunr.core.events import (
    AttemptOverdue,
    BackupDue,
    DeadlineReached,
    Event,
    HoldEnded,
    MethodUpdated,
    RefreshMissed,
    TimerFired,
)
from dunr.core.method_notes import MethodNotes
from dunr.core.model import Case
from dunr.core.terms import CaseState, DeclineReason

WARNING_LEAD = timedelta(hours=24)  # the last notice before a pause must have left at least this long before


def pause_due_at(case: Case) -> datetime | None:
    """The earliest instant at which this case may pause access, or None where it cannot now.

    Nothing pauses while an attempt is unsettled, a hold stands, a step before the date or a try of the processor's own is still to come. Where nobody has been warned
    by the date, that is the instant at which the warning is due.
    """
    if not case.is_open or case.paused_at is not None or case.plan.pause_at is None:
        return None
    if case.in_flight is not None or case.holds:
        return None
    if case.deciding_reason is DeclineReason.PAYER_DECEASED:
        return None
    step = case.plan.next_step
    if step is not None and step.at <= case.plan.pause_at:
        return None
    own_at = case.beside.next_at if case.beside is not None else None
    at = case.plan.pause_at if own_at is None else max(case.plan.pause_at, own_at)
    if case.warned_at is None:
        return at
    return max(at, case.warned_at + WARNING_LEAD)


def hold_ends_at(case: Case) -> datetime | None:
    """When the first of the holds ends by itself."""
    if not case.holds:
        return None
    return min([hold.until_at for hold in case.holds if hold.until_at is not None], default=None)


def _step_due_at(case: Case) -> datetime | None:
    """When the next step may be begun; a hold, an attempt in flight or a refresh that was asked for comes first."""
    step = case.plan.next_step
    if case.state is not CaseState.SCHEDULED or step is None or case.holds or case.in_flight is not None:
        return None
    return None if case.method_notes.pending_refresh is not None else step.begins_at


def _turn_due_at(case: Case) -> datetime | None:
    """When a waiting credential may act; an attempt in flight comes first."""
    return case.turn_at if case.waiting_method is not None and case.in_flight is None else None


def _refresh_given_up_at(case: Case) -> datetime | None:
    """When nobody waits any longer for the answer about fresher details."""
    pending = case.method_notes.pending_refresh
    return pending.give_up_at if pending is not None and case.is_open else None


def _backup_due_at(case: Case) -> datetime | None:
    """When a backup method has its turn; a hold or an attempt in flight comes first."""
    return case.method_notes.backup_due_at if case.is_open and case.in_flight is None and not case.holds else None


NOTHING_NOTED = MethodNotes()  # as with most cases


def wake_at(case: Case) -> datetime | None:
    """The earliest instant at which `due_event` will have something to say."""
    wishes: tuple[datetime | None, ...]
    attempt = case.in_flight
    if attempt is not None:  # the other wishes wait for its end
        wishes = (attempt.next_action_at, hold_ends_at(case), _refresh_given_up_at(case))
    elif case.holds:  # and so do all but these for the end of a hold
        wishes = (hold_ends_at(case), _refresh_given_up_at(case), _turn_due_at(case))
    else:
        wishes = (_step_due_at(case), pause_due_at(case))
        if case.waiting_method is not None or case.method_notes != NOTHING_NOTED:
            wishes = (*wishes, _refresh_given_up_at(case), _turn_due_at(case), _backup_due_at(case))
    first = None
    for at in wishes:
        if at is not None and (first is None or at < first):
            first = at
    if first is None or case.not_before_at is None:
        return first
    return max(first, case.not_before_at)


def due_event(case: Case, now: datetime) -> Event | None:
    """What is due now: first the attempt in flight, then holds that ended, payment methods, the pause (which waits for the steps before it), a step."""
    if case.not_before_at is not None and now < case.not_before_at:
        return None
    attempt = case.in_flight
    if attempt is not None and attempt.next_action_at is not None and attempt.next_action_at <= now:
        return AttemptOverdue(attempt.number)
    ends_at = hold_ends_at(case)
    if ends_at is not None and ends_at <= now:
        return HoldEnded()
    about_method = _due_about_method(case, now)
    if about_method is not None:
        return about_method
    pause_at = pause_due_at(case)
    if pause_at is not None and pause_at <= now:
        return DeadlineReached()
    step, step_at = case.plan.next_step, _step_due_at(case)
    if step is not None and step_at is not None and step_at <= now:
        return TimerFired(step.number)
    return None


def _due_about_method(case: Case, now: datetime) -> Event | None:
    """A credential whose turn it is, an answer that nobody waits for any longer, a backup."""
    turn_at, given_up_at, backup_at = _turn_due_at(case), _refresh_given_up_at(case), _backup_due_at(case)
    if case.waiting_method is not None and turn_at is not None and turn_at <= now:
        return MethodUpdated(case.waiting_method)
    pending = case.method_notes.pending_refresh
    if pending is not None and given_up_at is not None and given_up_at <= now:
        return RefreshMissed(pending.processor_method_id, "nobody could say in time")
    if backup_at is not None and backup_at <= now:
        return BackupDue(case.method_notes.backup)
    return None
