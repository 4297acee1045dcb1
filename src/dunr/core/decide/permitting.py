"""Where the merchant wants to be asked before each charge: a yes lets it go, a no holds the case for a day, and no word holds it for a moment.

A charge that is forbidden has not begun: no number is spent, no step, no card is held. While the hold stands nothing is sent and nobody is paused, as under any hold.
"""

from datetime import timedelta
from typing import assert_never

from dunr.core.answers import Forbidden, NoWord, Permitted
from dunr.core.decide.draft import Draft
from dunr.core.model import Hold
from dunr.core.terms import AlertKind, HoldKind
from dunr.core.value import replace

HOLD_REF = "may-charge"
FORBIDDEN_FOR = timedelta(hours=24)  # where the merchant does not say for how long
FORBIDDEN_FOR_MAX = timedelta(days=30)
ASKED_AGAIN_MIN = timedelta(minutes=1)
ASKED_AGAIN_MAX = timedelta(hours=1)
UNANSWERED_ALERT_AFTER = timedelta(minutes=15)


def is_permitted(draft: Draft) -> bool:
    """Whether the merchant lets the charge go. Where not, the case is held, and asked about again when the hold ends."""
    match draft.dossier.permission:
        case None:
            return True
        case Permitted():
            draft.why("the merchant's own system was asked, and says that it may be charged")
            return True
        case Forbidden() as no:
            _forbidden(draft, no)
            return False
        case NoWord() as silence:
            _unanswered(draft, silence)
            return False
        case unreachable:
            assert_never(unreachable)


def _forbidden(draft: Draft, no: Forbidden) -> None:
    """A no counts until the merchant wants to be asked again, within reason."""
    asked_for = no.ask_again_at or draft.now + FORBIDDEN_FOR
    until_at = min(max(asked_for, draft.now + ASKED_AGAIN_MIN), draft.now + FORBIDDEN_FOR_MAX)
    _hold(draft, f"the merchant forbids it: {no.why}", until_at - draft.now)


def _unanswered(draft: Draft, silence: NoWord) -> None:
    """Nobody says yes, so nothing is charged. It is asked again after as long as it has waited, and a person hears of it when that is long."""
    step, case = draft.case.plan.next_step, draft.case
    late = draft.now - step.begins_at if step is not None else timedelta(0)
    if late >= UNANSWERED_ALERT_AFTER:
        text = (
            f"Your own system does not say whether charges may be made ({silence.why}), so none are made for {case.account}, and nobody is paused for them. "
            f"First seen at {case.processor_invoice_id}. Look at may_charge_url."
        )
        about = f"{case.processor}/{case.account}/{draft.now.date().isoformat()}"
        draft.alert(AlertKind.PERMISSION_UNANSWERED, about, text)
    why = f"the merchant's own system does not say whether it may be charged: {silence.why}"
    _hold(draft, why, min(max(late, ASKED_AGAIN_MIN), ASKED_AGAIN_MAX))


def _hold(draft: Draft, why: str, lasts: timedelta) -> None:
    hold = Hold(HoldKind.MERCHANT, HOLD_REF, why, draft.now, draft.now + lasts)
    others = (one for one in draft.case.holds if one.ref != HOLD_REF)
    draft.case = replace(draft.case, holds=(*others, hold))
    draft.why(f"not charged, and held until {draft.said(draft.now + lasts)}: {why}")
