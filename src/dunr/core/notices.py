"""What the customer is told, and when: written from the plan, so that a message cannot promise what will not happen.

The notice of retry *n* leaves when retry *n* is planned. The last one before a pause names the pause date: it is the warning without which nothing is paused.
"""

from datetime import date, datetime, timedelta
from functools import lru_cache
from typing import assert_never

from dunr.core import keys
from dunr.core.calendar import is_business_day, local_instant, next_business_day, zone
from dunr.core.circumstances import holidays_of, whereabouts
from dunr.core.effects import Notice
from dunr.core.facts import Facts, Notifies, Tellable
from dunr.core.model import Case, Payer
from dunr.core.policy import Policy
from dunr.core.terms import CaseState, DeclineReason, NoticeKind, Trigger
from dunr.core.timers import WARNING_LEAD
from dunr.core.value import replace
from dunr.core.wanted import is_unwanted

RETOLD_WHEN_MOVED_BY = timedelta(days=2)
USEFUL_FROM = timedelta(hours=2)  # before a step; whoever is written to later than that cannot act on it


def mail_time(now: datetime, payer: Payer, policy: Policy, facts: Facts) -> datetime:
    """The first instant from `now` on that falls into the payer's daytime on a business day of the policy."""
    zone_name, _ = whereabouts(payer, policy, facts)
    return _mail_time(now, zone_name, policy.mail_from_hour, policy.mail_until_hour, holidays_of(policy, facts))


def _mail_time(now: datetime, zone_name: str, from_hour: int, until_hour: int, holidays: frozenset[date]) -> datetime:
    """The same by what it depends on."""
    local = now.astimezone(zone(zone_name))
    day, hour = local.date(), local.hour
    if from_hour <= hour < until_hour and is_business_day(day, holidays):
        return now
    if hour >= from_hour:
        day += timedelta(days=1)
    return max(now, local_instant(next_business_day(day, holidays), from_hour, 0, zone_name))


_mail_time_of_step = lru_cache(maxsize=4096)(_mail_time)  # many cases have their steps at the same instants


def of_kind(
    case: Case,
    kind: NoticeKind,
    step_number: int | None,
    at: datetime,
    facts: Facts,
    *,
    is_warning: bool,
    again: str = "",
) -> Notice:
    """A notice of the case as it stands, with the facts that it may state."""
    step, reason = case.plan.next_step, case.deciding_reason
    return Notice(
        key=keys.notice(case.id, case.round, kind, step_number, again),
        case_id=case.id,
        round=case.round,
        kind=kind,
        step_number=step_number,
        not_before_at=at,
        amount_minor=case.amount_due_minor,
        currency=case.currency,
        processor_invoice_id=case.processor_invoice_id,
        next_attempt_at=step.at if step is not None else None,
        pause_at=case.plan.pause_at if is_warning else None,
        is_warning=is_warning,
        reason=_told(reason or DeclineReason.UNKNOWN, facts),
    )


def _told(reason: DeclineReason, facts: Facts) -> DeclineReason | None:
    """The reason as the customer may hear it, if at all."""
    match facts.reasons[reason].tellable:
        case Tellable.YES:
            return reason
        case Tellable.GENERIC_ONLY:
            return DeclineReason.GENERIC_DECLINE
        case Tellable.NO:
            return None
        case unreachable:
            assert_never(unreachable)


def _is_silent(reason: DeclineReason, step_number: int, facts: Facts) -> bool:
    """Whether the customer hears nothing about a step yet."""
    match facts.reasons[reason].notifies:
        case Notifies.YES:
            return False
        case Notifies.AFTER_FIRST_RETRY:
            return step_number == 1
        case Notifies.NO | Notifies.IF_UPDATER_MISSES | Notifies.MANUAL | Notifies.NEVER:
            return True
        case unreachable:
            assert_never(unreachable)


def of_next_step(
    case: Case, policy: Policy, facts: Facts, at: datetime, *, warns: bool, again: bool = False
) -> Notice | None:
    """The notice that belongs to the step planned next, or None where the reason is silent and nothing must be warned of."""
    step = case.plan.next_step
    if step is None:
        return None
    is_last = len(case.plan.steps) == 1 and not _is_left(case)
    if step.number == 1:
        kind = NoticeKind.FIRST
    elif is_last and case.paused_at is None:
        kind = NoticeKind.FINAL_WARNING
    else:
        kind = NoticeKind.REMINDER
    if not warns and _is_silent(case.deciding_reason or DeclineReason.UNKNOWN, step.number, facts):
        return None
    if kind is NoticeKind.FIRST and policy.first_notice_after_first_retry and not warns:
        return None
    return of_kind(case, kind, step.number, at, facts, is_warning=warns, again=step.at.isoformat() if again else "")


def is_last_word(case: Case, payer: Payer, policy: Policy, facts: Facts) -> bool:
    """Whether the notice of the next step is the last that leaves long enough before the pause: the one after it waits for the step itself, and for a mail time."""
    steps, pause_at = case.plan.steps, case.plan.pause_at
    if pause_at is None or case.paused_at is not None or not steps or _is_left(case):
        return False
    if len(steps) == 1:
        return True
    zone_name, _ = whereabouts(payer, policy, facts)
    hours, holidays = (policy.mail_from_hour, policy.mail_until_hour), holidays_of(policy, facts)
    return _mail_time_of_step(steps[0].at, zone_name, *hours, holidays) > pause_at - WARNING_LEAD


def _is_left(case: Case) -> bool:
    """Whether the step is the processor's own, of which nobody knows that it is the last."""
    return case.beside is not None and case.beside.is_left


def comes_too_soon(case: Case, now: datetime) -> bool:
    """Whether the next step is tried before a notice of it would be of use: steps that are minutes apart must not mean a mail each."""
    step = case.plan.next_step
    return step is not None and step.at - now < USEFUL_FROM


def must_be_told_again(case: Case) -> bool:
    """Whether the next step has moved by more than two days from the date that the customer was told."""
    step = case.plan.next_step
    return step is not None and step.told_at is not None and abs(step.at - step.told_at) > RETOLD_WHEN_MOVED_BY


def without_step(reason: DeclineReason | None) -> NoticeKind:
    """What is asked of the customer where there is nothing to try."""
    return NoticeKind.CONFIRM_WITH_BANK if reason is DeclineReason.AUTHENTICATION_REQUIRED else NoticeKind.METHOD_NEEDED


def waits_because(case: Case | None) -> str | None:
    """Why nothing is written about a case for now, though it stays due; None where it may leave."""
    if case is None or not case.is_open:
        return None
    if case.holds:
        return f"held: {case.holds[0].why}"
    attempt, notes = case.in_flight, case.method_notes
    is_tried = attempt is not None and attempt.trigger is Trigger.BACKUP
    if is_tried or (notes.backup_due_at is not None and not notes.is_backup_put_off):
        return "a backup method is tried first: it may make the notice needless"
    return None


def as_it_leaves(case: Case | None, notice: Notice) -> Notice | None:
    """The notice as it may leave now: with the amount and the dates of the plan as it stands, or None where it would not be true any more, or is not wanted."""
    if case is None or case.round != notice.round or is_unwanted(case, notice) or not _still_due(case, notice):
        return None
    if notice.kind is NoticeKind.RECEIPT:
        return notice
    step = case.plan.next_step
    return replace(
        notice,
        amount_minor=case.amount_due_minor,
        next_attempt_at=step.at if step is not None else None,
        pause_at=case.plan.pause_at if notice.is_warning else None,
    )


def _still_due(case: Case, notice: Notice) -> bool:
    """Whether what the notice is about still stands."""
    match notice.kind:
        case NoticeKind.RECEIPT:
            return case.state is CaseState.RECOVERED
        case NoticeKind.PAUSED:
            return case.is_open and case.paused_at is not None
        case NoticeKind.FIRST | NoticeKind.REMINDER | NoticeKind.FINAL_WARNING:
            step = case.plan.next_step
            if case.paused_at is not None and notice.kind is NoticeKind.FINAL_WARNING:
                return False
            return (
                case.state is CaseState.SCHEDULED
                and not case.holds
                and step is not None
                and step.number == notice.step_number
            )
        case NoticeKind.METHOD_NEEDED | NoticeKind.CONFIRM_WITH_BANK:
            return case.state in (CaseState.AWAITING_CUSTOMER, CaseState.EXHAUSTED)
        case NoticeKind.CARD_EXPIRING:
            return False  # it belongs to no case
        case unreachable:
            assert_never(unreachable)
