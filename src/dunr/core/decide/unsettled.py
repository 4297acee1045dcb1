"""Not knowing: an attempt that is pending, unanswered, not begun or not found.

"Don't know" is an answer: the attempt stays in flight, is looked up (`overdue`), and nothing else is sent for its invoice. It is withdrawn only when a consistent read
shows no charge late enough.
"""

from datetime import datetime, timedelta
from typing import assert_never

from dunr.core import keys
from dunr.core.answers import NotNow, Pending, Unanswered
from dunr.core.attempt import Attempt
from dunr.core.decide import step_calls
from dunr.core.decide.attempts import find, free_method, withdraw
from dunr.core.decide.draft import Draft
from dunr.core.decide.gaps import look_up_gap, resend_gap
from dunr.core.decide.planning import settle_state
from dunr.core.events import AttemptAnswered, AttemptNotFound
from dunr.core.gate import is_key_old
from dunr.core.terms import CaseState, InFlightAction, Outcome, Trigger
from dunr.core.value import replace

PENDING_LOOK_UP_GAP = timedelta(hours=6)
NOT_NOW_WAIT_SECONDS = 2
NOT_NOW_WAIT_SECONDS_MAX = 300
CALLS_MAX = 20


def answered(draft: Draft, event: AttemptAnswered) -> None:
    """An answer that settles nothing."""
    attempt = find(draft, event.number)
    if attempt is None or not attempt.is_in_flight:
        draft.why("the attempt is settled already; the answer changes nothing")
        return
    if event.fence is not None and event.fence != attempt.fence:
        draft.why("the answer came to a stale fence and settles nothing; the new holder looks it up")
        return
    if attempt.outcome is Outcome.PENDING:
        draft.why("still pending: what was submitted never gives way")
        return
    match event.answer:
        case Pending():
            _pending(draft, attempt, event.answer)
        case Unanswered():
            unanswered(draft, attempt, event.answer.why, looked_up=event.looked_up)
        case NotNow():
            _not_now(draft, attempt, event.answer)
        case unreachable:
            assert_never(unreachable)


def _pending(draft: Draft, attempt: Attempt, answer: Pending) -> None:
    """The processor works on it: no mail, no restore, no second charge."""
    free_method(draft, attempt, Outcome.PENDING)
    draft.change_attempt(
        replace(
            attempt,
            outcome=Outcome.PENDING,
            processor_charge_id=answer.processor_charge_id,
            next_action=InFlightAction.LOOK_UP,
            next_action_at=draft.now + PENDING_LOOK_UP_GAP,
        )
    )
    if attempt.trigger is Trigger.METHOD_UPDATED and draft.subscription is not None:
        draft.subscription = replace(draft.subscription, lent_credential=None)
    draft.why(f"attempt {attempt.number} is pending at the processor; it is looked up until it is settled")


def unanswered(draft: Draft, attempt: Attempt, why: str, *, looked_up: bool) -> None:
    """Nobody knows: it stays in flight and is looked up. A look-up that fails changes nothing; the next one is booked already."""
    if looked_up:
        draft.why(f"the look-up could not say: {why}")
        _call_or_give_up(draft, attempt)
        return
    free_method(draft, attempt, Outcome.UNKNOWN)
    unknown = replace(
        attempt,
        outcome=Outcome.UNKNOWN,
        last_called_at=draft.now,
        unknown_since_at=attempt.unknown_since_at or draft.now,
        next_action=InFlightAction.LOOK_UP,
        next_action_at=draft.now + look_up_gap(attempt.look_up_count),
    )
    draft.change_attempt(unknown)
    draft.why(
        f"attempt {attempt.number} has no answer ({why}): neither success nor failure; it is looked up, and nothing else is sent"
    )
    if step_calls.spend(draft, attempt.number):
        look_up_now(draft)


def look_up_now(draft: Draft) -> None:
    """The attempt in flight is looked up at once, not after the usual gap."""
    attempt = draft.case.in_flight
    assert attempt is not None, "it has just been found to be in flight"
    draft.change_attempt(replace(attempt, next_action_at=draft.now))


def _call_or_give_up(draft: Draft, attempt: Attempt) -> None:
    """A look-up brought nothing. Where steps are calls, the next one is, or the last was; elsewhere nothing changes."""
    step = step_calls.next_call(draft, attempt)
    if step is not None:
        step_calls.call_again(draft, attempt, step)
    else:
        step_calls.give_up(draft, attempt)


def _not_now(draft: Draft, attempt: Attempt, answer: NotNow) -> None:
    """The processor did not begin: attempt and key stay, the same bytes go out a little later, through the gate."""
    free_method(draft, attempt, attempt.outcome)
    wait_seconds = answer.wait_seconds or min(NOT_NOW_WAIT_SECONDS * 2**attempt.call_count, NOT_NOW_WAIT_SECONDS_MAX)
    jitter_seconds = int(keys.audit_hash(draft.case.id, str(attempt.call_count))[:4], 16) % (wait_seconds + 1)
    draft.change_attempt(
        replace(
            attempt,
            next_action=InFlightAction.RESEND,
            next_action_at=draft.now + timedelta(seconds=wait_seconds + jitter_seconds),
        )
    )
    draft.why(
        f"the processor did not begin ({answer.code}): nothing is counted, attempt {attempt.number} is sent again with its key"
    )


def not_found(draft: Draft, event: AttemptNotFound) -> None:
    """A consistent read shows no charge. Before `settle_after` the same bytes may be sent again; after it, and only then, the attempt is withdrawn.

    What counts is when it was read: a charge may have arrived between a read and a decision that comes late.
    """
    attempt = find(draft, event.number)
    if attempt is None or not attempt.is_in_flight:
        draft.why("the attempt is settled already")
        return
    if attempt.outcome is Outcome.PENDING:
        draft.why("the processor had taken it: a submitted debit is waited for, whatever one read shows")
        return
    settle_at = settles_at(draft, attempt)
    read_at = min(event.read_at or draft.now, draft.now)
    step = step_calls.next_call(draft, attempt)
    if step is not None and (step.at > draft.now or settle_at > read_at):
        step_calls.call_again(draft, attempt, step)
        return
    if read_at >= settle_at:
        never_arrived(
            draft,
            attempt,
            (
                f"the processor shows no charge for {attempt.key}, {draft.processor.settle_after_seconds} s after the last call",
            ),
        )
        return
    again_at = draft.now + resend_gap(attempt.call_count)
    may_call = not is_key_old(attempt, draft.processor, draft.now) and attempt.call_count < CALLS_MAX
    if may_call and again_at < settle_at:
        draft.change_attempt(replace(attempt, next_action=InFlightAction.RESEND, next_action_at=again_at))
        draft.why(
            f"no charge is there yet: the same request goes out again under the same key at {draft.said(again_at)}"
        )
        return
    look_at = max(settle_at, draft.now)
    draft.change_attempt(replace(attempt, next_action=InFlightAction.LOOK_UP, next_action_at=look_at))
    draft.why(f"no charge is there yet; looked up again at {draft.said(look_at)}, and not sent again before")


def settles_at(draft: Draft, attempt: Attempt) -> datetime:
    """From when on what a look-up does not find has never arrived."""
    called_at = attempt.last_called_at or attempt.begun_at
    known_at = max(called_at, attempt.unknown_since_at or called_at)
    return known_at + timedelta(seconds=draft.processor.settle_after_seconds)


def never_arrived(draft: Draft, attempt: Attempt, why: tuple[str, ...]) -> None:
    """Nothing of it has reached the processor. Where its calls have spent steps, what is left of the plan decides what follows; one that has ended stays so."""
    withdraw(draft, attempt, why)
    case = draft.case
    if draft.processor.calls_spend_steps and case.has_failed and case.state is CaseState.SCHEDULED:
        settle_state(draft)
