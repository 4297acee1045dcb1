"""One case as people read it: what was tried, what is planned, what was told, what was booked, each with its why.

Copies only: every reason in here was written by the decision that it explains.
"""

from collections.abc import Sequence

import msgspec

from dunr.core.attempt import Attempt
from dunr.core.decision import AuditEntry, Posting
from dunr.core.effects import Notice, RaiseAlert
from dunr.core.method_notes import Refresh
from dunr.core.model import Case, Hold, Plan, Subscription
from dunr.core.rules import Avoided
from dunr.core.shown import shown_state
from dunr.entry.web.shapes import (
    AccessAnswer,
    AlertAnswer,
    AttemptAnswer,
    AuditAnswer,
    AvoidedAnswer,
    CaseAnswer,
    HoldAnswer,
    NoticeAnswer,
    PlanAnswer,
    PostingAnswer,
    RefreshAnswer,
    StepAnswer,
    StoryAnswer,
)
from dunr.ports import EffectRecord, Refs, Reports, Store

HISTORY_MAX = 500


def bare(row_id: str | None) -> str | None:
    """The processor's own id in the id of a row."""
    return row_id.split(":", 2)[2] if row_id is not None else None


def case_answer(case: Case) -> CaseAnswer:
    """A case in short."""
    attempt, step = case.in_flight, case.plan.next_step
    return CaseAnswer(
        id=case.id,
        processor=case.processor,
        account=case.account,
        invoice=case.processor_invoice_id,
        subscription=bare(case.subscription_id),
        customer=bare(case.customer_id),
        state=case.state,
        shown=shown_state(case),
        round=case.round,
        amount_due_minor=case.amount_due_minor,
        amount_total_minor=case.amount_total_minor,
        captured_minor=case.captured_minor,
        overpaid_minor=case.overpaid_minor,
        currency=case.currency,
        reason=case.deciding_reason,
        closed_because=case.closed_because,
        access=case.access,
        steps_spent_count=case.steps_spent_count,
        attempt_in_flight=attempt.number if attempt is not None else None,
        next_attempt_at=step.at if step is not None else None,
        pause_at=case.plan.pause_at,
        first_failed_at=case.first_failed_at,
        opened_at=case.opened_at,
        ended_at=case.ended_at,
        policy_hash=case.policy_hash,
    )


def story(store: Store, reports: Reports, case: Case) -> StoryAnswer:
    """A case with everything that people may want to know of it."""
    subscription = store.load(case.id, Refs()).subscription
    notices = reports.effects(kind=Notice.__name__, case_id=case.id, limit=HISTORY_MAX)
    alerts = reports.effects(kind=RaiseAlert.__name__, case_id=case.id, limit=HISTORY_MAX)
    return StoryAnswer(
        **msgspec.structs.asdict(case_answer(case)),
        attempts=tuple(_attempt(attempt) for attempt in case.attempts),
        avoided=avoided_answer(case.avoided),
        plan=_plan(case.plan),
        holds=tuple(_hold(hold) for hold in case.holds),
        refreshes=tuple(_refresh(refresh) for refresh in case.method_notes.refreshes),
        notices=tuple(
            _notice(record, record.effect) for record in reversed(notices) if isinstance(record.effect, Notice)
        ),
        subscription_access=_access(case, subscription) if subscription is not None else None,
        postings=postings_answer(reports.postings(case.id, HISTORY_MAX)),
        alerts=alerts_answer(tuple(reversed(alerts))),
        audit=tuple(_audit(entry) for entry in reports.audit(case.id, HISTORY_MAX)),
    )


def _attempt(attempt: Attempt) -> AttemptAnswer:
    return AttemptAnswer(
        number=attempt.number,
        round=attempt.round,
        trigger=attempt.trigger,
        step_number=attempt.step_number,
        outcome=attempt.outcome,
        in_flight=attempt.is_in_flight,
        reason=attempt.reason,
        raw_code=attempt.raw_code,
        amount_minor=attempt.amount_minor,
        captured_minor=attempt.captured_minor,
        currency=attempt.currency,
        key=attempt.key,
        processor_charge_id=attempt.processor_charge_id,
        processor_method_id=attempt.method.processor_method_id if attempt.method is not None else None,
        call_count=attempt.call_count,
        begun_at=attempt.begun_at,
        settled_at=attempt.settled_at,
        next_action_at=attempt.next_action_at,
        allowed_by=attempt.allowed_by,
        left_count=attempt.left_count,
    )


def avoided_answer(rows: Sequence[Avoided]) -> tuple[AvoidedAnswer, ...]:
    """What network rules kept from being sent, on the wire."""
    return tuple(
        AvoidedAnswer(
            rule=row.rule,
            deferred_count=row.deferred_count,
            skipped_count=row.skipped_count,
            fee_minor=row.fee_minor,
            currency=row.currency,
        )
        for row in rows
    )


def _plan(plan: Plan) -> PlanAnswer:
    steps = tuple(StepAnswer(step.number, step.at, step.why, step.told_at, step.deferred_by) for step in plan.steps)
    return PlanAnswer(steps, plan.pause_at, plan.pause_why)


def _refresh(refresh: Refresh) -> RefreshAnswer:
    return RefreshAnswer(
        processor_method_id=refresh.processor_method_id,
        reason=refresh.reason,
        asked_at=refresh.asked_at,
        answered_at=refresh.answered_at,
        hit=None if refresh.is_pending else refresh.is_hit,
        why=refresh.why,
    )


def _hold(hold: Hold) -> HoldAnswer:
    return HoldAnswer(hold.kind, hold.ref, hold.why, hold.since_at, hold.until_at)


def _notice(record: EffectRecord, notice: Notice) -> NoticeAnswer:
    return NoticeAnswer(
        key=notice.key,
        kind=notice.kind,
        step_number=notice.step_number,
        next_attempt_at=notice.next_attempt_at,
        pause_at=notice.pause_at,
        recorded_at=record.recorded_at,
        done_at=record.done_at,
        note=record.note,
    )


def _access(case: Case, subscription: Subscription) -> AccessAnswer:
    return AccessAnswer(
        access=subscription.access,
        reason=subscription.access_why,
        version=subscription.access_version,
        changed_at=subscription.access_changed_at,
        of_this_case=case.access,
        paused_at=case.paused_at,
    )


def postings_answer(postings: Sequence[Posting]) -> tuple[PostingAnswer, ...]:
    """Ledger entries on the wire."""
    return tuple(
        PostingAnswer(id=row.id, case=row.case_id, kind=row.kind, at=row.at, currency=row.currency, lines=row.lines)
        for row in postings
    )


def alerts_answer(records: Sequence[EffectRecord]) -> tuple[AlertAnswer, ...]:
    """Alerts on the wire, each with its end."""
    found = [record.effect for record in records if isinstance(record.effect, RaiseAlert)]
    over_at = {alert.ends: alert.at for alert in found if alert.ends is not None}
    return tuple(
        AlertAnswer(
            key=alert.key,
            kind=alert.kind,
            case=alert.case_id,
            text=alert.text,
            at=alert.at,
            told_at=record.done_at,
            over_at=over_at.get(alert.key),
        )
        for record in records
        if isinstance(alert := record.effect, RaiseAlert) and alert.ends is None
    )


def _audit(entry: AuditEntry) -> AuditAnswer:
    return AuditAnswer(
        number=entry.number, at=entry.at, actor=entry.actor, what=entry.what, because=entry.why, hash=entry.hash
    )
