"""What would become of a failed charge if every attempt were declined the same way: dates, notices and the pause, with their reasons.

The dates and the notices come from the functions that the engine uses; nothing is computed twice.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime

from dunr.core import notices, schedule
from dunr.core.effects import Notice
from dunr.core.facts import Facts
from dunr.core.model import Case, Payer, Plan
from dunr.core.policy import Policy, policy_hash
from dunr.core.terms import CaseState, DeclineReason, FinalAction, NoticeKind


@dataclass(frozen=True, slots=True)
class ForeseenAttempt:
    """One coming step: `number` is the step's."""

    number: int
    at: datetime
    why: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ForeseenNotice:
    """One coming message, and the dates that it names."""

    kind: NoticeKind
    at: datetime
    step: int | None
    next_attempt_at: datetime | None
    pause_at: datetime | None


@dataclass(frozen=True, slots=True)
class Forecast:
    """All of it."""

    policy: str
    attempts: tuple[ForeseenAttempt, ...]
    pause_at: datetime | None
    pause_why: tuple[str, ...]
    notices: tuple[ForeseenNotice, ...]


def forecast(policy: Policy, facts: Facts, reason: DeclineReason, failed_at: datetime) -> Forecast:
    """The future of a case that fails at `failed_at`."""
    plan = schedule.forecast(policy, facts, reason, failed_at)
    pauses = policy.final_action is not FinalAction.NONE
    return Forecast(
        policy=policy.name,
        attempts=tuple(ForeseenAttempt(step.number, step.at, step.why) for step in plan.steps),
        pause_at=plan.pause_at if pauses else None,
        pause_why=plan.pause_why if pauses else ("the policy takes no final action",),
        notices=tuple(_foreseen(notice) for notice in _notices(policy, facts, reason, failed_at, plan)),
    )


def _notices(policy: Policy, facts: Facts, reason: DeclineReason, failed_at: datetime, plan: Plan) -> Iterator[Notice]:
    """One after each failure, written from what is then still to come; then the one that says *paused*."""
    case = _case(policy, reason, failed_at)
    for done_count, at in enumerate((failed_at, *(step.at for step in plan.steps))):
        case = replace(case, plan=replace(plan, steps=plan.steps[done_count:]), steps_spent_count=done_count)
        mailed_at = notices.mail_time(at, Payer(), policy, facts)
        if not plan.steps:
            kind = notices.without_step(reason)
            yield notices.of_kind(case, kind, done_count, mailed_at, facts, is_warning=True)
        notice = notices.of_next_step(case, policy, facts, mailed_at)
        if notice is not None:
            yield notice
    if plan.pause_at is not None and policy.final_action is not FinalAction.NONE:
        at = notices.mail_time(plan.pause_at, Payer(), policy, facts)
        yield notices.of_kind(case, NoticeKind.PAUSED, None, at, facts, is_warning=False)


def _case(policy: Policy, reason: DeclineReason, failed_at: datetime) -> Case:
    """A case of nobody's, for the functions that read one."""
    return Case(
        id="forecast",
        version=0,
        processor="",
        account="",
        processor_invoice_id="",
        subscription_id=None,
        customer_id=None,
        state=CaseState.SCHEDULED,
        round=1,
        opened_at=failed_at,
        first_failed_at=failed_at,
        currency="",
        amount_total_minor=0,
        amount_due_minor=0,
        policy_hash=policy_hash(policy),
        seen_at=failed_at,
        deciding_reason=reason,
    )


def _foreseen(notice: Notice) -> ForeseenNotice:
    return ForeseenNotice(
        notice.kind, notice.not_before_at, notice.step_number, notice.next_attempt_at, notice.pause_at
    )
