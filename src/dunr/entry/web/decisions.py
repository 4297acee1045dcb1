"""Where dunr only decides: the merchant asks what to do with a charge now, makes the call, and says what it came to."""

from datetime import datetime
from typing import Annotated, Literal

import msgspec

from dunr.advice_book import AdviceBook, Report
from dunr.core.attempt import Attempt
from dunr.core.charge_ends import charge_end
from dunr.core.model import Case
from dunr.core.reconcile import CLOCKS_APART_MAX
from dunr.core.shown import shown_state
from dunr.entry.web.charges import Amount, ChargeAnswer, Id, Words, changed, desk_of
from dunr.entry.web.face import WebFace
from dunr.entry.web.operations import Answer, Call, Instant, Operation, in_utc
from dunr.errors import BadRequest, NoSuchThing
from dunr.ports import Refs
from dunr.tokens import Scope

Key = Annotated[str, msgspec.Meta(min_length=1, max_length=300, pattern="^[^\\x00]+$")]


class AskBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Nothing more is to be said."""


class DecisionAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """What to do with a charge now.

    `charge`: make this call, once, under this key and before `valid_until`, and report what it came to. `report`: you have such a call in hand, and have not said
    what it came to. `wait`: nothing, until then if a time stands there. `stop`: it has ended, as `status` says.
    """

    decision: Literal["charge", "report", "wait", "stop"]
    key: str | None = None
    amount_minor: int | None = None
    currency: str | None = None
    instrument: str | None = None
    valid_until: datetime | None = None
    until: datetime | None = None
    status: str | None = None
    why: str = ""


class ReportBody(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What your call came to."""

    key: Key
    status: Literal["paid", "not_paid", "pending"]
    at: Instant
    id: Id | None = None
    amount_minor: Amount | None = None
    reason_code: Words | None = None


def decision(face: WebFace, call: Call) -> Answer:
    """What to do now. A call that is handed out counts as handed out from here on."""
    call.read(AskBody)
    desk, charge_id = desk_of(face), call.path["id"]
    book = _advice(face)
    face.quiet.settle()
    if desk.book.find(desk.account.account, charge_id) is None:
        raise NoSuchThing("No charge of that id was left to dunr.")
    case = face.application.store.load(face.row_id(charge_id), Refs()).case
    return Answer(_decided(face, book, case))


def _decided(face: WebFace, book: AdviceBook, case: Case | None) -> DecisionAnswer:
    """The decision as it stands. What is in flight comes first, also in a case that has ended."""
    attempt = case.in_flight if case is not None else None
    if case is None:
        return DecisionAnswer(decision="wait", why="it was not looked at yet")
    if attempt is not None:
        advice = book.hand_out(case.account, attempt, face.now()) if _may_go(face, case, attempt) else None
        if advice is not None:
            return DecisionAnswer(
                decision="charge",
                key=advice.key,
                amount_minor=advice.amount_minor,
                currency=advice.currency,
                instrument=advice.instrument,
                valid_until=advice.valid_until,
                why=f"attempt {attempt.number}, by {attempt.trigger}",
            )
        known = book.find(case.account, attempt.key)
        if known is not None and known.handed_out_at is not None and known.report is None:
            return DecisionAnswer(decision="report", key=known.key, why="nothing else is advised before it is reported")
        return DecisionAnswer(
            decision="wait", until=attempt.next_action_at, why=f"attempt {attempt.number} is looked at"
        )
    end = charge_end(case)
    if end is not None:
        return DecisionAnswer(decision="stop", status=end.value, why=str(case.closed_because or case.state))
    step = case.plan.next_step
    why = f"held: {case.holds[0].why}" if case.holds else "; ".join(step.why) if step is not None else shown_state(case)
    return DecisionAnswer(decision="wait", until=step.begins_at if step is not None else None, why=why)


def _may_go(face: WebFace, case: Case, attempt: Attempt) -> bool:
    """The look before the call leaves our hands: what was taken back, paid, held or stopped meanwhile is not handed out."""
    stops = face.application.rulebook.standing(case.processor, case.account).stops
    return case.is_open and not case.holds and not stops.charges and case.amount_due_minor == attempt.amount_minor


def report(face: WebFace, call: Call) -> Answer:
    """What the merchant's call came to, however late; the same report twice is one."""
    body, charge_id, desk, now = call.read(ReportBody), call.path["id"], desk_of(face), face.now()
    book = _advice(face)
    if body.status == "not_paid" and body.reason_code is None:
        raise BadRequest("reason_code is missing: why was it not paid?")
    if in_utc(body.at) - now > CLOCKS_APART_MAX:
        raise BadRequest("at lies in the future: write when it was paid or not.")
    told = Report(body.status, min(in_utc(body.at), now), body.id, body.amount_minor, body.reason_code)
    charge = desk.book.find(desk.account.account, charge_id)
    if charge is None:
        raise NoSuchThing("No charge of that id was left to dunr.")
    book.report(desk.account.account, charge_id, body.key, told)
    desk.look_again(charge_id, f"{body.key}/{body.status}")
    return changed(face, charge)


def _advice(face: WebFace) -> AdviceBook:
    """The advice, where any is given. Raises `NoSuchThing`."""
    if not face.application.settings.billing_decision_only:
        raise NoSuchThing("dunr makes the calls here; with billing_decision_only = true it would only decide.")
    return AdviceBook(face.application.store)


OPERATIONS = (
    Operation(
        "POST",
        "/v1/charges/{id}/decision",
        "Ask what to do with a charge now",
        decision,
        DecisionAnswer,
        Scope.ACT,
        200,
        AskBody,
        refusals=(404,),
    ),
    Operation(
        "POST",
        "/v1/charges/{id}/report",
        "Say what an advised call came to",
        report,
        ChargeAnswer,
        Scope.ACT,
        202,
        ReportBody,
        refusals=(404, 409),
    ),
)
