"""What became of the notices: the warning before a pause counts from the moment it left, or was found undeliverable."""

from datetime import timedelta

from dunr.core import keys
from dunr.core.decide.draft import LOOK_ALERT_AFTER, Draft
from dunr.core.decide.ending import pause_if_due
from dunr.core.decide.settling import key_refused
from dunr.core.events import LookFailed, NoticeBounced, NoticeComplained, NoticeSent
from dunr.core.model import Plan
from dunr.core.terms import AlertKind
from dunr.core.value import replace

LOOK_WAIT = timedelta(minutes=1)
LOOK_WAIT_MAX = timedelta(minutes=15)
LOOK_WAIT_MISSING = timedelta(hours=6)


def sent(draft: Draft, event: NoticeSent) -> None:
    """Remember the date that the customer was told, and when they were warned."""
    case = draft.case
    step = case.plan.next_step
    if step is not None and event.told_at is not None and step.at == event.told_at:
        told = replace(step, told_at=event.told_at)
        draft.case = replace(case, plan=Plan((told, *case.plan.steps[1:]), case.plan.pause_at, case.plan.pause_why))
    if event.is_warning:
        draft.case = replace(draft.case, warned_at=draft.now)
    draft.why(f"the notice {event.kind} left")


def bounced(draft: Draft, event: NoticeBounced) -> None:
    """Not deliverable: a person is told, and the time before a pause runs from now; the charging schedule is untouched."""
    text = f"A notice for {draft.case.processor_invoice_id} cannot be delivered: {event.why}. Reach the customer another way."
    draft.alert(AlertKind.NOTICE_UNDELIVERABLE, event.key, text)
    if event.is_warning:
        draft.case = replace(draft.case, warned_at=draft.now)
    draft.why("the notice could not be delivered")


def complained(draft: Draft, event: NoticeComplained) -> None:
    """The recipient complained: nothing more is mailed to them, and a person is told."""
    if draft.customer is not None:
        draft.customer = replace(draft.customer, mail_stopped=True)
    text = f"The recipient of a notice for {draft.case.processor_invoice_id} complained. No more mail goes to that address."
    draft.alert(AlertKind.NOTICE_UNDELIVERABLE, f"{event.key}/complaint", text)
    draft.why("the recipient complained: mail to them stops")


def look_failed(draft: Draft, event: LookFailed) -> None:
    """The processor cannot be read: nothing is sent or paused; try again soon, and tell a person after an hour."""
    case = draft.case
    since_at = case.look_failing_since_at or draft.now
    if event.key_refused:
        key_refused(draft, f"{case.id}-look-{since_at.isoformat()}", event.why)
        draft.case = replace(draft.case, look_failing_since_at=since_at)
        return
    if event.missing or draft.now - since_at >= LOOK_ALERT_AFTER:
        text = f"{case.processor} cannot be read for {case.processor_invoice_id} since {draft.said(since_at)}: {event.why}. Nothing is sent meanwhile."
        draft.alert(AlertKind.SNAPSHOT_UNAVAILABLE, f"{case.id}/{since_at.date().isoformat()}", text)
    growing = min(
        max(LOOK_WAIT, (draft.now - since_at) / 2), LOOK_WAIT_MAX
    )  # an outage of days is not asked about each minute
    wait = LOOK_WAIT_MISSING if event.missing else growing + _own_share(draft)
    draft.wait(wait, f"the processor could not be read: {event.why}")
    draft.case = replace(draft.case, look_failing_since_at=since_at)


def _own_share(draft: Draft) -> timedelta:
    """Some seconds more, others for each case: those that met a rate limit together must not meet it together again."""
    digits = keys.audit_hash(draft.case.id, draft.now.isoformat())[:4]
    return timedelta(seconds=int(digits, 16) % int(LOOK_WAIT.total_seconds()))


def deadline_reached(draft: Draft) -> None:
    """The pause date has come."""
    pause_if_due(draft)
    if draft.case is draft.dossier.case:
        draft.why("the pause is not due: something is unsettled, held, or still to be tried")
