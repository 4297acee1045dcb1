"""One function per event: `decide(dossier, event, facts, now)` is the only way that anything about a case changes.

It performs nothing and cannot fail: the same inputs give the same decision, always. An event that a state ignores gives a decision that changes nothing and
says why.
"""

from datetime import datetime
from typing import assert_never

from dunr.core.decide import (
    backups,
    beside,
    charging,
    customers,
    disputes,
    first_charge,
    invoices,
    messages,
    methods,
    money,
    moving,
    opening,
    operators,
    overdue,
    refreshing,
    settling,
    unsettled,
)
from dunr.core.decide.draft import Draft
from dunr.core.decide.rungs_left import FIRST_CHARGE
from dunr.core.decision import Decision, Dossier
from dunr.core.events import (
    AccessRestored,
    AmountChanged,
    AttemptAnswered,
    AttemptEvent,
    AttemptNotFound,
    AttemptOverdue,
    AttemptReturned,
    AttemptSettled,
    AttemptSettledByHand,
    AttemptWithdrawn,
    BackupDue,
    CaseClosed,
    ChargeDue,
    ChargeFailed,
    CourseEvent,
    CustomerDeleted,
    DeadlineExtended,
    DeadlineReached,
    DisputeClosed,
    DisputeOpened,
    Event,
    ForeignDecline,
    HoldEnded,
    HoldPlaced,
    HoldReleased,
    IntentCancelled,
    InvoiceVoided,
    InvoiceWrittenOff,
    LinkAsked,
    LookFailed,
    MethodEvent,
    MethodRefreshed,
    MethodRemoved,
    MethodUpdated,
    NewsEvent,
    NoticeBounced,
    NoticeComplained,
    NoticeSent,
    PaidElsewhere,
    PayNow,
    PersonEvent,
    PolicyMoved,
    ProcessorTries,
    PromiseMade,
    RefreshMissed,
    Refunded,
    RemindersStopped,
    Resubscribed,
    RetryNow,
    RunEnded,
    StepPostponed,
    SubscriptionEnded,
    TimerFired,
)
from dunr.core.facts import Facts


def decide(dossier: Dossier, event: Event, facts: Facts, now: datetime) -> Decision:
    """The decision that an event calls for. `now` is aware UTC; an event about a case that does not exist, other than its opening, changes nothing."""
    if dossier.case is None:
        if isinstance(event, ChargeFailed):
            return opening.charge_failed(dossier, facts, now)
        if isinstance(event, ChargeDue):
            return first_charge.charge_due(dossier, facts, now)
        return Decision(("there is no such case",))
    draft = Draft(dossier, dossier.case, facts, now)
    taken = moving.begin_settling(draft, event)
    _dispatch(draft, event)
    if taken:
        moving.end_settling(draft)
    if draft.rejection is None and draft.case is not dossier.case:
        draft.believe_snapshot()
    return draft.finish(type(event).__name__, getattr(event, "actor", "dunr"))


def _dispatch(draft: Draft, event: Event) -> None:
    """To the function of the event, by its group."""
    if isinstance(event, AttemptEvent):
        _about_attempt(draft, event)
    elif isinstance(event, NewsEvent):
        _about_news(draft, event)
    elif isinstance(event, MethodEvent):
        _about_method(draft, event)
    elif isinstance(event, CourseEvent):
        _about_course(draft, event)
    else:
        _about_wish(draft, event)


def _about_attempt(draft: Draft, event: AttemptEvent) -> None:
    """Name every event of the group, so that a new one does not type-check until it has its function."""
    match event:
        case TimerFired():
            _step_due(draft, event)
        case AttemptAnswered():
            unsettled.answered(draft, event)
        case AttemptSettled():
            settling.settled(draft, event)
        case AttemptWithdrawn():
            settling.withdrawn(draft, event)
        case AttemptOverdue():
            overdue.overdue(draft, event)
        case AttemptNotFound():
            unsettled.not_found(draft, event)
        case IntentCancelled():
            disputes.intent_cancelled(draft, event)
        case unreachable:
            assert_never(unreachable)


def _step_due(draft: Draft, event: TimerFired) -> None:
    """The first charge is a step of its own kind."""
    if event.step_number == FIRST_CHARGE.number and charging.is_due(draft, event):
        first_charge.begin_first(draft)
    else:
        charging.timer_fired(draft, event)


def _about_news(draft: Draft, event: NewsEvent) -> None:
    """Name every event of the group, so that a new one does not type-check until it has its function."""
    match event:
        case ChargeFailed() | ChargeDue():
            draft.why("the case is open already")
        case PaidElsewhere():
            money.paid_elsewhere(draft, event)
        case ForeignDecline():
            money.foreign_decline(draft, event)
        case AttemptReturned():
            disputes.returned(draft, event)
        case Refunded():
            money.refund(draft, event.processor_charge_id, event.total_minor, draft.now)
        case AmountChanged():
            invoices.amount_changed(draft)
        case InvoiceVoided():
            invoices.voided(draft)
        case InvoiceWrittenOff():
            invoices.written_off(draft)
        case SubscriptionEnded():
            invoices.subscription_ended(draft)
        case CustomerDeleted():
            invoices.customer_deleted(draft)
        case DisputeOpened():
            disputes.dispute_opened(draft, event)
        case DisputeClosed():
            disputes.dispute_closed(draft, event)
        case MethodUpdated():
            methods.updated(draft, event)
        case MethodRemoved():
            methods.removed(draft)
        case Resubscribed():
            methods.resubscribed(draft, event)
        case ProcessorTries():
            beside.noticed(draft)
        case unreachable:
            assert_never(unreachable)


def _about_method(draft: Draft, event: MethodEvent) -> None:
    """Name every event of the group, so that a new one does not type-check until it has its function."""
    match event:
        case MethodRefreshed():
            refreshing.refreshed(draft, event)
        case RefreshMissed():
            refreshing.missed(draft, event)
        case BackupDue():
            backups.due(draft, event)
        case unreachable:
            assert_never(unreachable)


def _about_course(draft: Draft, event: CourseEvent) -> None:
    """Name every event of the group, so that a new one does not type-check until it has its function."""
    match event:
        case DeadlineReached():
            messages.deadline_reached(draft)
        case HoldEnded():
            operators.holds_ended(draft)
        case AccessRestored():
            methods.access_restored(draft)
        case RunEnded():
            methods.run_ended(draft)
        case LookFailed():
            messages.look_failed(draft, event)
        case NoticeSent():
            messages.sent(draft, event)
        case NoticeBounced():
            messages.bounced(draft, event)
        case NoticeComplained():
            messages.complained(draft, event)
        case unreachable:
            assert_never(unreachable)


def _about_wish(draft: Draft, event: PersonEvent) -> None:
    """Name every event of the group, so that a new one does not type-check until it has its function."""
    match event:
        case PayNow():
            operators.pay_now(draft)
        case RetryNow():
            operators.retry_now(draft)
        case HoldPlaced():
            operators.hold_placed(draft, event)
        case HoldReleased():
            operators.hold_released(draft, event)
        case StepPostponed():
            operators.step_postponed(draft, event)
        case DeadlineExtended():
            operators.deadline_extended(draft, event)
        case PromiseMade():
            customers.promise_made(draft, event)
        case LinkAsked():
            customers.link_asked(draft)
        case RemindersStopped():
            customers.reminders_stopped(draft, event)
        case AttemptSettledByHand():
            operators.settled_by_hand(draft, event)
        case PolicyMoved():
            moving.policy_moved(draft, event)
        case CaseClosed():
            operators.case_closed(draft, event)
        case unreachable:
            assert_never(unreachable)
