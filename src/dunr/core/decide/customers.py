"""What the customer says by themselves: a date on which they will pay, a wish for a new link, a wish to hear less.

None of it charges or pauses. A wish that cannot be granted now is answered, not queued.
"""

from datetime import timedelta

from dunr.core import notices
from dunr.core.decide.draft import Draft
from dunr.core.decide.planning import lay_from_now
from dunr.core.decide.rungs_left import coming_rungs
from dunr.core.events import PromiseMade, RemindersStopped
from dunr.core.terms import CaseState, NoticeKind
from dunr.core.value import replace

CONFLICT = 409
SENSELESS = 422
TOO_MANY = 429
CUSTOMER_PROMISES_MAX = 2  # a round: whoever gives their word again and again would never be charged, nor paused
PROCESSORS_OWN_DATE = "The date is the processor's own, and nobody here can move it."


def promise_made(draft: Draft, event: PromiseMade) -> None:
    """A promise to pay moves the next attempt to its date, within the policy's limit. That attempt spends no step."""
    case = draft.case
    limit_at = draft.now + timedelta(days=draft.policy.promise_days_max)
    if event.on_at <= draft.now or event.on_at > limit_at:
        draft.reject(SENSELESS, f"A promise must lie ahead, and not later than {draft.said(limit_at)}.")
        return
    if case.in_flight is not None or case.state is not CaseState.SCHEDULED or not coming_rungs(draft):
        draft.reject(CONFLICT, "There is no attempt that a promise could move.")
        return
    if case.beside is not None and case.beside.is_left:
        draft.reject(CONFLICT, PROCESSORS_OWN_DATE)
        return
    if event.by_customer and case.promises_count >= CUSTOMER_PROMISES_MAX:
        draft.reject(TOO_MANY, f"The customer has given their word {case.promises_count} times already.")
        return
    count = case.promises_count + (1 if event.by_customer else 0)
    draft.case = replace(case, promise_at=event.on_at, promises_count=count)
    lay_from_now(draft, event.on_at, f"promised by {event.actor} for {draft.said(event.on_at)}")


def link_asked(draft: Draft) -> None:
    """A new link goes to the address on file, in a mail that says how the invoice stands; one an hour, however often it is asked for."""
    case = draft.case
    if not case.is_open:
        draft.why(f"the case is {case.state}: there is nothing to pay, and so no link")
        return
    step = case.plan.next_step
    if case.paused_at is not None:
        kind, number = NoticeKind.PAUSED, 0
    elif case.state is CaseState.SCHEDULED and step is not None:
        kind, number = NoticeKind.REMINDER, step.number
    else:
        kind, number = notices.without_step(case.deciding_reason), case.steps_spent_count
    again = f"link-{draft.now:%Y-%m-%dT%H}"
    notice = notices.of_kind(case, kind, number, draft.now, draft.facts, is_warning=False, again=again)
    draft.notify(replace(notice, answers_customer=True))
    draft.why("the customer asks for a new link")


def reminders_stopped(draft: Draft, event: RemindersStopped) -> None:
    """Reminders about this invoice stop, or come again; what must be told before and about a pause is told anyway."""
    if draft.case.reminders_stopped is not event.again:
        draft.why("that is so already")
        return
    draft.case = replace(draft.case, reminders_stopped=not event.again)
    draft.why(f"{event.actor} wants {'reminders again' if event.again else 'no more reminders'} about this invoice")
