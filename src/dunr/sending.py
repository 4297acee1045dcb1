"""Sending: what a decision ordered for the attempt in flight, its charge or its look-up.

A charge goes out once per order, exactly as its intent says: only under the fence that was committed, after another look where the last is too old, and through the gate.
A crash before its answer is committed leaves the attempt in flight, which is honest: the case's own waking time brings somebody to look it up.
"""

import time
from datetime import datetime, timedelta
from itertools import count

from dunr.braking import group_of
from dunr.core import gate
from dunr.core.answers import (
    CannotSay,
    ChargeAnswer,
    Declined,
    Forbidden,
    LookUpAnswer,
    NotNow,
    NotThere,
    NoWord,
    Paid,
    Pending,
    Permitted,
    Refused,
    Unanswered,
)
from dunr.core.attempt import Attempt
from dunr.core.decision import Decision
from dunr.core.effects import Charge, LookUp
from dunr.core.events import AttemptAnswered, AttemptNotFound, AttemptSettled, AttemptWithdrawn, Event
from dunr.core.model import Case
from dunr.core.snapshot import Snapshot
from dunr.happenings import about, tell
from dunr.ports import ChargeRequest, ObjectMissing, Refs, Rows, SnapshotUnavailable
from dunr.preflight import question_about
from dunr.stepping import Look, Parts, Stepper

LOOKS_BEFORE_SEND_MAX = 5


class Sender(Stepper):
    """Steps, and performs the effects that have no record but the attempt in flight."""

    def __init__(self, parts: Parts) -> None:
        """Keep the parts; nothing is under way."""
        super().__init__(parts)
        self._under_way: dict[
            object, tuple[str, Charge]
        ] = {}  # each by a mark of its own: a case may be here twice, by a stale fence

    def let_go(self) -> int:
        """Give back the cards of all charges that are still under way, for a process that ends without their answers; how many they were.

        Such an attempt stays in flight as one that nobody answered: it is looked up, and no other holder has to wait until a lease has passed.
        """
        charges = list(self._under_way.values())
        for case_id, effect in charges:
            answer = Unanswered("the worker that sent it was told to stop before the answer came")
            self.step(case_id, AttemptAnswered(effect.attempt_number, answer, fence=effect.fence))
        return len(charges)

    def send(self, case_id: str, decision: Decision, look: Look | None) -> None:
        """The effects that the attempt in flight records by itself: charges and look-ups."""
        for effect in decision.effects:
            if isinstance(effect, Charge):
                assert look is not None, "a charge is ordered on a look"
                mark = object()
                self._under_way[mark] = (case_id, effect)
                try:
                    self._charge(case_id, effect, look)
                finally:
                    del self._under_way[mark]
            elif isinstance(effect, LookUp):
                self._look_up(case_id, effect)

    def _charge(self, case_id: str, effect: Charge, look: Look) -> None:
        """Send the attempt's request once, under its fence, and commit the answer."""
        held = self._cleared(case_id, effect, look)
        if held is None:
            return
        case, attempt, refusals = held
        if refusals:
            self.step(case_id, AttemptWithdrawn(attempt.number, effect.fence, refusals))
            return
        with about(case=case_id, attempt=attempt.number):
            answer = self._called(case, attempt)
        if self.parts.brake is not None:
            of = group_of(look.snapshot, attempt.method.processor_method_id if attempt.method is not None else None)
            self.parts.brake.answered(case.processor, case.account, of, answer)
        match answer:
            case Paid() | Declined() | Refused():
                self.step(case_id, AttemptSettled(attempt.number, answer))
            case Pending() | Unanswered() | NotNow():
                self.step(case_id, AttemptAnswered(attempt.number, answer, fence=effect.fence))

    def _called(self, case: Case, attempt: Attempt) -> ChargeAnswer:
        """One call, told before and after: a process that dies between leaves the first line."""
        tell("attempt_sent", trigger=attempt.trigger, call=attempt.call_count, amount_minor=attempt.amount_minor)
        begun = time.monotonic()
        answer = self.parts.processors[case.processor].charge(_request(case, attempt))
        tell("attempt_answered", answer=type(answer).__name__.lower(), seconds=round(time.monotonic() - begun, 3))
        return answer

    def _cleared(self, case_id: str, effect: Charge, look: Look) -> tuple[Case, Attempt, tuple[str, ...]] | None:
        """The attempt, and what forbids it by a look that is young enough; None where this fence does not hold it any more."""
        look_age_max = timedelta(seconds=self.facts.timing.look_max_age_seconds)
        for looks_count in count(1):
            rows, attempt = self._held_attempt(case_id, effect)
            if rows.case is None or attempt is None:
                break
            refusals = self._gate(rows, rows.case, attempt, look.snapshot)
            if refusals or self.clock.now() - look.asked_at <= look_age_max:
                return rows.case, attempt, refusals
            if looks_count > LOOKS_BEFORE_SEND_MAX:
                return rows.case, attempt, ("each look took longer than a look may be old",)
            try:
                look = self.snapshot(case_id)
            except (SnapshotUnavailable, ObjectMissing) as failure:
                return rows.case, attempt, (f"the processor could not be read: {failure}",)
            forbidden = self._forbidden(rows.case, attempt)
            if forbidden:
                return rows.case, attempt, forbidden
        return None

    def _forbidden(self, case: Case, attempt: Attempt) -> tuple[str, ...]:
        """Why the merchant does not let it go any more, where so much time has passed since they were asked that we look again."""
        preflight = self.parts.preflight
        answer = preflight.may_charge(question_about(case, attempt)) if preflight is not None else Permitted()
        match answer:
            case Permitted():
                return ()
            case Forbidden() | NoWord():
                return (f"the merchant's own system does not let it go: {answer.why}",)

    def _held_attempt(self, case_id: str, effect: Charge) -> tuple[Rows, Attempt | None]:
        """The attempt to send, if it is still in flight under this fence; a stale holder stops here and writes nothing."""
        rows = self.store.load(case_id, Refs())
        attempt = rows.case.in_flight if rows.case is not None else None
        if attempt is None or attempt.number != effect.attempt_number or attempt.fence != effect.fence:
            return rows, None
        if rows.method is None or rows.method.fence != effect.fence:
            return rows, None
        return rows, attempt

    def _gate(self, rows: Rows, case: Case, attempt: Attempt, snapshot: Snapshot) -> tuple[str, ...]:
        """The look before the send, with the stops read fresh."""
        assert attempt.method is not None, "an attempt of ours names its method"
        facts = self.facts.processors[case.processor]
        if gate.is_key_old(attempt, facts, self.clock.now()):
            return ("its key is too old: whoever was to send it slept for too long",)
        stops = self.standing(case.id, snapshot, attempt.method.processor_method_id).stops
        return gate.closed_because(
            case, attempt.amount_minor, attempt.currency, attempt.method, snapshot, rows.method, stops
        )

    def _look_up(self, case_id: str, effect: LookUp) -> None:
        """Ask the processor what became of an attempt, and commit what it says."""
        case = self.store.load(case_id, Refs()).case
        attempt = case.in_flight if case is not None else None
        if case is None or attempt is None or attempt.number != effect.attempt_number:
            return
        with about(case=case_id, attempt=attempt.number):
            read_at = self.clock.now()
            answer = self.parts.processors[case.processor].find_charge(case.account, case.processor_invoice_id, attempt)
            tell("attempt_looked_up", answer=type(answer).__name__.lower())
        decision = self.step(case_id, _looked_up(attempt.number, answer, read_at))
        self.send(case_id, decision, None)


def _request(case: Case, attempt: Attempt) -> ChargeRequest:
    """Exactly what the attempt's intent says."""
    assert attempt.method is not None, "an attempt of ours names its method"
    return ChargeRequest(
        account=case.account,
        processor_invoice_id=case.processor_invoice_id,
        key=attempt.key,
        amount_minor=attempt.amount_minor,
        currency=attempt.currency,
        processor_method_id=attempt.method.processor_method_id,
    )


def _looked_up(number: int, answer: LookUpAnswer, read_at: datetime) -> Event:
    """A look-up's answer as an event."""
    match answer:
        case Paid() | Declined():
            return AttemptSettled(number, answer, looked_up=True)
        case Pending():
            return AttemptAnswered(number, answer, looked_up=True)
        case NotThere():
            return AttemptNotFound(number, read_at)
        case CannotSay():
            return AttemptAnswered(number, Unanswered(answer.why), looked_up=True)
