"""One sample of every event, for questions that are asked of all of them."""

from datetime import datetime, timedelta
from typing import get_args

from dunr.core.answers import Declined, NotNow, Paid, Pending, Refused, RefusedKind, Unanswered
from dunr.core.events import (
    AccessRestored,
    AmountChanged,
    AttemptAnswered,
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
    MethodRefreshed,
    MethodRemoved,
    MethodUpdated,
    NoticeBounced,
    NoticeComplained,
    NoticeSent,
    PaidElsewhere,
    PayNow,
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
from dunr.core.gate import ref_of
from dunr.core.method_notes import Backup
from dunr.core.model import Case
from dunr.core.snapshot import ChargeSnapshot, DisputeSnapshot, RawDecline
from dunr.core.terms import ChargeStatus, DisputeStatus, NoticeKind
from dunr.testing.scenario_processor import card
from dunr.testing.scenario_world import World

ALL_EVENTS = get_args(Event)


def samples(world: World) -> list[Event]:
    """Every event, each in one or more forms, about the invoice `in_1` as it stands in this world."""
    case = world.case("in_1")
    assert case is not None
    return [
        ChargeFailed(),
        ChargeDue(),
        *_of_the_attempt(case, world.now),
        *_news(case, world.now),
        *_about_methods(case),
        *_of_the_course(case, world.now),
        *_of_people(case, world.now),
    ]


def _of_the_attempt(case: Case, now: datetime) -> list[Event]:
    number, step = case.attempt_number_last, case.plan.next_step
    fence = case.attempts[-1].fence if case.attempts else 0
    due, charge_id = max(1, case.amount_due_minor), f"ch_a{number}_in_1"
    refused = [Refused(kind, kind) for kind in RefusedKind]
    return [
        TimerFired(step.number if step else 1),
        TimerFired(99),
        *(AttemptAnswered(number, answer) for answer in (Pending("ch_p"), Unanswered("503"), NotNow("rate_limit", 3))),
        AttemptAnswered(number, Unanswered("503"), looked_up=True),
        AttemptAnswered(number, Unanswered("late"), fence=fence - 1),
        AttemptAnswered(77, Pending(None)),
        AttemptSettled(number, Paid(charge_id, due, now)),
        AttemptSettled(number, Paid(charge_id, 1, now), looked_up=True),
        AttemptSettled(number, Declined(charge_id, RawDecline(None, "insufficient_funds"), now)),
        AttemptSettled(number, Declined(None, RawDecline(None, "stolen_card"), now, "pi_9")),
        AttemptSettled(88, Paid("ch_88", due, now)),
        *(AttemptSettled(number, answer) for answer in refused),
        AttemptWithdrawn(number, fence, ("the invoice is paid",)),
        AttemptWithdrawn(number, fence - 1, ("the invoice is paid",)),
        AttemptWithdrawn(66, fence, ("the invoice is paid",)),
        AttemptOverdue(number),
        AttemptNotFound(number),
    ]


def _news(case: Case, now: datetime) -> list[Event]:
    charge_id = f"ch_a{case.attempt_number_last}_in_1"
    foreign = ChargeSnapshot("ch_any", None, 700, ChargeStatus.SUCCEEDED, now, None, "card_1")
    no = ChargeSnapshot("ch_no", None, 700, ChargeStatus.DECLINED, now, RawDecline(None, "stolen_card"), "card_1")
    back = ChargeSnapshot(charge_id, None, 700, ChargeStatus.RETURNED, now, RawDecline(None, "insufficient_funds"))
    dispute = DisputeSnapshot("dp_any", charge_id, "in_1", "card_1", 700, DisputeStatus.OPEN)
    lost = DisputeSnapshot("dp_any", charge_id, "in_1", "card_1", 700, DisputeStatus.LOST)
    won = DisputeSnapshot("dp_any", charge_id, "in_1", "card_1", 700, DisputeStatus.WON, reinstated=True)
    return [
        AttemptReturned(back),
        MethodUpdated(ref_of(card("card_new"))),
        MethodUpdated(ref_of(card("card_1"))),
        MethodRemoved(),
        PaidElsewhere(foreign, 700),
        PaidElsewhere(None, 700),
        ForeignDecline(no),
        AmountChanged(),
        InvoiceVoided(),
        InvoiceWrittenOff(),
        SubscriptionEnded(),
        CustomerDeleted(),
        DisputeOpened(dispute),
        DisputeOpened(won),
        DisputeClosed(lost),
        DisputeClosed(won),
        ProcessorTries(),
        Refunded(charge_id, 700),
        Refunded(charge_id, 0),
        IntentCancelled("pi_9", succeeded=False),
        IntentCancelled(case.uncancelled_intent_id or "pi_9", succeeded=True),
    ]


def _about_methods(case: Case) -> list[Event]:
    pending = case.method_notes.pending_refresh
    asked = pending.processor_method_id if pending is not None else "card_1"
    return [
        MethodRefreshed(asked, ref_of(card("card_1", expires_on="2033-01"))),
        MethodRefreshed(asked, ref_of(card("card_1")), cryptogram=True),
        MethodRefreshed("card_9", ref_of(card("card_9"))),
        RefreshMissed(asked, "the account is closed"),
        RefreshMissed("card_9", "the account is closed"),
        BackupDue(None),
        BackupDue(Backup("card_2", "card_2", "card_2/2030-12")),
        Resubscribed(ref_of(card("card_1"))),
    ]


def _of_the_course(case: Case, now: datetime) -> list[Event]:
    step = case.plan.next_step
    return [
        DeadlineReached(),
        HoldEnded(),
        AccessRestored(),
        RunEnded(),
        LookFailed("503"),
        LookFailed("404", missing=True),
        NoticeSent(NoticeKind.FINAL_WARNING, "notice/x", is_warning=True, told_at=step.at if step else now),
        NoticeBounced("notice/x", is_warning=True, why="no such mailbox"),
        NoticeBounced("notice/x", is_warning=False, why="no such mailbox"),
        NoticeComplained("notice/x"),
    ]


def _of_people(case: Case, now: datetime) -> list[Event]:
    number = case.attempt_number_last
    return [
        PayNow("payer"),
        RetryNow("alex"),
        HoldPlaced("alex", "asked", None),
        HoldReleased("alex", case.holds[0].ref if case.holds else "none"),
        StepPostponed("alex", now + timedelta(days=3)),
        StepPostponed("alex", now - timedelta(days=3)),
        DeadlineExtended("alex", now + timedelta(days=60)),
        PromiseMade("payer", now + timedelta(days=3)),
        LinkAsked("customer"),
        RemindersStopped("customer"),
        AttemptSettledByHand("alex", number, captured=True, evidence="the console"),
        AttemptSettledByHand("alex", number, captured=False, evidence="the console"),
        PolicyMoved("alex", "other"),
        CaseClosed("alex", "agreed"),
    ]
