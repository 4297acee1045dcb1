"""The attempt in flight and the card that it holds: what both settling and not knowing need."""

from datetime import timedelta

from dunr.core.attempt import Attempt
from dunr.core.decide.backup_turns import give_back
from dunr.core.decide.draft import Draft
from dunr.core.decide.opening import method_row
from dunr.core.decide.remembering import answered, remember, send_of_charge
from dunr.core.gate import ref_of
from dunr.core.sends import FOREIGN, Send
from dunr.core.snapshot import ChargeSnapshot, RawDecline
from dunr.core.terms import Outcome, Trigger
from dunr.core.value import replace

TURN_AGAIN_AFTER = timedelta(minutes=1)
WITHDRAWN_IN_A_ROW_MAX = 3
WITHDRAWN_WAIT = timedelta(hours=1)


def find(draft: Draft, number: int) -> Attempt | None:
    """The attempt of that number, or None (with the reason noted) where the case does not have it."""
    for attempt in draft.case.attempts:
        if attempt.number == number:
            return attempt
    draft.why(f"there is no attempt {number} here")
    return None


def free_method(draft: Draft, attempt: Attempt, outcome: Outcome | None, raw: RawDecline | None = None) -> None:
    """Give the card back, where this attempt holds it, and note what became of the send."""
    row = method_row(draft, attempt.method.card_key) if attempt.method is not None else None
    if row is None:
        return
    lease = row.lease
    mine = lease is not None and (lease.case_id, lease.attempt_number) == (draft.case.id, attempt.number)
    case_id, number = draft.case.id, attempt.number
    sends = tuple(
        [
            _ended(draft, attempt, send, outcome, raw)
            if send.attempt_number == number and send.case_id == case_id
            else send
            for send in row.sends
        ]
    )
    if mine or sends != row.sends:
        draft.method = replace(row, lease=None if mine else lease, sends=sends)


def note_return(draft: Draft, charge: ChargeSnapshot, raw: RawDecline) -> None:
    """A debit that came back was a presentation that failed, and counts as one, whoever made it."""
    ours = [one for one in draft.case.attempts if one.processor_charge_id == charge.processor_charge_id]
    if ours:
        free_method(draft, ours[0], Outcome.DECLINED, raw)
        return
    shown = [ref_of(one) for one in draft.snapshot.methods if one.card_key == charge.card_key]
    row = method_row(draft, shown[0].card_key) if shown else None
    if row is not None:
        back = send_of_charge(draft.case, replace(charge, decline=raw), FOREIGN, shown[0], draft.facts)
        draft.method = remember(row, [back])


def _ended(draft: Draft, attempt: Attempt, send: Send, outcome: Outcome | None, raw: RawDecline | None) -> Send:
    """The send with its outcome, and with what the decline says."""
    ended = replace(send, outcome=outcome)
    return ended if raw is None else answered(ended, raw, attempt.method, draft.case.processor, draft.facts)


def hand_over_waiting(draft: Draft) -> None:
    """A credential that came meanwhile has its turn now."""
    if draft.case.waiting_method is not None and draft.case.is_open:
        draft.case = replace(draft.case, turn_at=draft.now)


def keep_turn(draft: Draft, attempt: Attempt) -> None:
    """After an attempt that reached nobody: a new payment method was not tried by it, and has its turn again, unless a newer one waits."""
    if not draft.case.is_open:
        return
    if attempt.trigger is not Trigger.METHOD_UPDATED or attempt.method is None or draft.case.waiting_method is not None:
        hand_over_waiting(draft)
        return
    draft.why("the new payment method was not charged; it keeps its turn")
    tried = tuple(one for one in draft.case.credentials_tried if one != attempt.method.credential)
    draft.case = replace(
        draft.case, credentials_tried=tried, waiting_method=attempt.method, turn_at=draft.now + TURN_AGAIN_AFTER
    )


def withdraw(draft: Draft, attempt: Attempt, why: tuple[str, ...]) -> None:
    """Settle an attempt as never having reached the network: the step is given back."""
    free_method(draft, attempt, Outcome.WITHDRAWN)
    draft.change_attempt(replace(attempt, outcome=Outcome.WITHDRAWN, settled_at=draft.now, next_action_at=None))
    draft.why(f"attempt {attempt.number} is withdrawn, its step given back: {'; '.join(why)}")
    keep_turn(draft, attempt)
    give_back(draft, attempt)
    newest = [one.outcome for one in draft.case.attempts[-WITHDRAWN_IN_A_ROW_MAX:]]
    if newest == [Outcome.WITHDRAWN] * WITHDRAWN_IN_A_ROW_MAX:
        draft.wait(WITHDRAWN_WAIT, "nothing got out several times in a row: the case is left alone for an hour")
