"""What people ask for: the customer's *pay now*, and the operator's acts. The engine decides; a wish that cannot be granted is answered, not queued."""

from concurrent.futures import wait
from typing import Annotated

import msgspec

from dunr.core.attempt import Attempt
from dunr.core.effects import Charge
from dunr.core.events import (
    AttemptSettledByHand,
    CaseClosed,
    DeadlineExtended,
    Event,
    HoldPlaced,
    HoldReleased,
    PayNow,
    PromiseMade,
    RetryNow,
    StepPostponed,
)
from dunr.entry.web.face import WebFace
from dunr.entry.web.operations import Answer, Call, Instant, Operation, in_utc
from dunr.entry.web.shapes import CaseAnswer
from dunr.entry.web.stories import case_answer
from dunr.tokens import Scope

CUSTOMER = "customer"
ANSWER_SECONDS_MAX = 2.0  # a click is answered after this, however long the processor takes

Words = Annotated[str, msgspec.Meta(min_length=1, max_length=1000, pattern="^[^\\x00]+$")]
Reference = Annotated[str, msgspec.Meta(min_length=1, max_length=200)]


class BegunAnswer(msgspec.Struct, frozen=True):
    """An attempt that began. `outcome` is null while the processor has not answered."""

    case: str
    attempt_number: int
    outcome: str | None


class NoBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Nothing is to be said."""


class HoldBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Why nothing is to be sent, and until when; without an end, until it is released."""

    why: Words
    until_at: Instant | None = None


class ReleaseBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which hold; where there is only one, it need not be named."""

    ref: Reference | None = None


class ToBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where to move the date."""

    to_at: Instant


class PromiseBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """When the customer promised to pay."""

    on_at: Instant


class SettleBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What became of an attempt that nobody else could settle, and how that is known."""

    attempt_number: Annotated[int, msgspec.Meta(ge=1)]
    captured: bool
    evidence: Words
    processor_charge_id: Reference | None = None


class CloseBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Why the case is closed; the debt stays in the ledger."""

    why: Words


def begin_attempt(face: WebFace, given: str, event: PayNow | RetryNow) -> Attempt:
    """Begin an attempt and send it. It is on its way when this returns; its answer is there if the processor was quick."""
    case_id, engine = face.case(given).id, face.application.engine
    decision, look = engine.grant(case_id, event)
    sent = face.sending.submit(lambda: engine.send(case_id, decision, look))
    wait([sent], ANSWER_SECONDS_MAX)
    if sent.done():
        sent.result()
        face.quiet.settle()
    number = next(effect.attempt_number for effect in decision.effects if isinstance(effect, Charge))
    return next(attempt for attempt in face.case(case_id).attempts if attempt.number == number)


def pay_now(face: WebFace, call: Call) -> Answer:
    """The customer asks to pay now."""
    return _begun(face, call, PayNow(CUSTOMER))


def retry(face: WebFace, call: Call) -> Answer:
    """An operator asks for an attempt now."""
    return _begun(face, call, RetryNow(call.actor))


def _begun(face: WebFace, call: Call, event: PayNow | RetryNow) -> Answer:
    call.read(NoBody)
    case = face.case(call.path["id"])
    attempt = begin_attempt(face, case.id, event)
    return Answer(BegunAnswer(case.id, attempt.number, attempt.outcome), 202)


def hold(face: WebFace, call: Call) -> Answer:
    """Send nothing for this case."""
    body = call.read(HoldBody)
    return _granted(face, call, HoldPlaced(call.actor, body.why, in_utc(body.until_at) if body.until_at else None))


def release(face: WebFace, call: Call) -> Answer:
    """Take one hold away."""
    ref, holds = call.read(ReleaseBody).ref, face.case(call.path["id"]).holds
    only = holds[0].ref if len(holds) == 1 else ""
    return _granted(face, call, HoldReleased(call.actor, ref or only))


def postpone(face: WebFace, call: Call) -> Answer:
    """Move the next step."""
    return _granted(face, call, StepPostponed(call.actor, in_utc(call.read(ToBody).to_at)))


def extend(face: WebFace, call: Call) -> Answer:
    """Move the pause date."""
    return _granted(face, call, DeadlineExtended(call.actor, in_utc(call.read(ToBody).to_at)))


def promise(face: WebFace, call: Call) -> Answer:
    """Note a promise to pay; the next attempt is made then."""
    return _granted(face, call, PromiseMade(call.actor, in_utc(call.read(PromiseBody).on_at)))


def settle(face: WebFace, call: Call) -> Answer:
    """Settle an attempt by hand, with evidence."""
    body = call.read(SettleBody)
    event = AttemptSettledByHand(
        call.actor, body.attempt_number, body.captured, body.evidence, body.processor_charge_id
    )
    return _granted(face, call, event)


def close(face: WebFace, call: Call) -> Answer:
    """Close a case."""
    return _granted(face, call, CaseClosed(call.actor, call.read(CloseBody).why))


def _granted(face: WebFace, call: Call, event: Event) -> Answer:
    case_id = face.case(call.path["id"]).id
    face.application.engine.wish(case_id, event)
    face.quiet.settle()
    return Answer(case_answer(face.case(case_id)))


_REFUSALS = (404, 409, 422, 503)

OPERATIONS = (
    Operation(
        "POST", "/v1/cases/{id}/pay-now", "The customer pays now", pay_now, BegunAnswer, Scope.ACT, 202, NoBody,
        refusals=(*_REFUSALS, 429),
    ),
    Operation(
        "POST", "/v1/cases/{id}/retry", "Try again now, spending no step", retry, BegunAnswer, Scope.ACT, 202, NoBody,
        refusals=(*_REFUSALS, 429),
    ),
    *(
        Operation("POST", f"/v1/cases/{{id}}/{name}", summary, handle, CaseAnswer, Scope.ACT, 200, body, refusals=_REFUSALS)
        for name, summary, handle, body in (
            ("hold", "Send nothing for this case", hold, HoldBody),
            ("release", "Release one hold", release, ReleaseBody),
            ("postpone", "Move the next attempt to a later time", postpone, ToBody),
            ("extend", "Move the pause date to a later time", extend, ToBody),
            ("promise", "Note a promise to pay", promise, PromiseBody),
            ("settle", "Settle an unanswered attempt with evidence", settle, SettleBody),
            ("close", "Close the case; the debt stays in the ledger", close, CloseBody),
        )
    ),
)  # fmt: skip
