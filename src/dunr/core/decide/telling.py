"""Which notice belongs to the plan as it stands now."""

from datetime import datetime

from dunr.core import notices
from dunr.core.coexistence import Beside
from dunr.core.decide import fresh_details
from dunr.core.decide.draft import Draft
from dunr.core.terms import CaseState, Coexistence, NoticeKind
from dunr.core.timers import WARNING_LEAD
from dunr.core.value import replace

UNWARNED = "unwarned"  # one slot more for a warning that found its own slot taken


def tell_next_step(draft: Draft) -> None:
    """The notice of the step planned next; told again only where its date moved by more than two days, or where it is the last word before a pause."""
    case = draft.case
    step = case.plan.next_step
    if not case.has_failed:
        return
    if case.beside is not None and not _tells_of_steps(draft, case.beside):
        return
    if step is not None and step.at <= draft.now and fresh_details.is_refreshed(case):
        draft.why("nobody is written to about an attempt that is made at once")
        return
    warns = notices.is_last_word(case, draft.payer, draft.policy, draft.facts)
    again = step is not None and step.told_at is not None
    if again:
        unwarned = case.warned_at is None and warns
        if not unwarned and not notices.must_be_told_again(case):
            return
        draft.why(
            "the customer is told again: the date has moved by more than two days, or it is the last word before the pause"
        )
    elif not warns and notices.comes_too_soon(case, draft.now):
        draft.why("nobody is written to about a step that comes within hours: the notice would be of no use")
        return
    at = notices.mail_time(draft.now, draft.payer, draft.policy, draft.facts)
    draft.notify(notices.of_next_step(case, draft.policy, draft.facts, at, warns=warns, again=again))


def _tells_of_steps(draft: Draft, beside: Beside) -> bool:
    """Whether the customer hears of the coming try, where the processor tries, too, or where the merchant decides whether there is one."""
    if beside.mode is Coexistence.ADVISE:
        draft.why("nobody is promised an attempt that is only advised")
        return False
    if beside.is_left and not draft.policy.notices_beside_processor:
        draft.why("the policy lets the processor write about its own tries")
        return False
    return True


def tell_customer_to_act(draft: Draft, *, again: str = "", from_at: datetime | None = None) -> None:
    """Ask for a new method, or for a confirmation with the bank; it names the pause date, where there is one, and so warns of it. It leaves not before `from_at`."""
    case = draft.case
    at = notices.mail_time(from_at or draft.now, draft.payer, draft.policy, draft.facts)
    warns = case.plan.pause_at is not None
    kind = notices.without_step(case.deciding_reason)
    draft.notify(notices.of_kind(case, kind, case.steps_spent_count, at, draft.facts, is_warning=warns, again=again))


def warn_late(draft: Draft) -> None:
    """Nobody has been warned and nothing more would be: warn now, and let a pause that is due wait for it."""
    case = draft.case
    pause_at = case.plan.pause_at
    if pause_at is not None and pause_at <= draft.now:
        why = (*case.plan.pause_why, "put off until a day after the warning")
        draft.case = replace(case, plan=replace(case.plan, pause_at=draft.now + WARNING_LEAD, pause_why=why))
    draft.why("nobody has been warned of the pause: the customer is written to, and the pause waits for that")
    again = (
        f"{UNWARNED}-{case.policy_hash}"  # a case that is moved may have used its slot under a policy without a pause
    )
    step = draft.case.plan.next_step
    if step is None or case.state is not CaseState.SCHEDULED:
        tell_customer_to_act(draft, again=again)
        return
    at = notices.mail_time(draft.now, draft.payer, draft.policy, draft.facts)
    kind = NoticeKind.FINAL_WARNING
    draft.notify(notices.of_kind(draft.case, kind, step.number, at, draft.facts, is_warning=True, again=again))
