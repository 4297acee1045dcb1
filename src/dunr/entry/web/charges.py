"""Charges that a merchant's own billing system leaves to us, over the API: left once, changed later, asked for at any time."""

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Literal

import msgspec

from dunr.charge_book import FailedOutside, Instrument, LeftCharge, LeftStatus, PaidOutside
from dunr.charge_desk import ChargeDesk
from dunr.core.charge_ends import charge_end
from dunr.core.model import Case, Payer
from dunr.core.reconcile import CLOCKS_APART_MAX
from dunr.core.shown import shown_state
from dunr.core.terms import Rail
from dunr.entry.web.face import WebFace
from dunr.entry.web.operations import Answer, Call, Instant, Operation, in_utc
from dunr.errors import BadRequest, NoSuchThing
from dunr.ports import Refs
from dunr.tokens import Scope

Id = Annotated[
    str, msgspec.Meta(min_length=1, max_length=200, pattern=r"^[\x21-\x39\x3b-\x7e]+$(?!\n)")
]  # no colon: it parts the ids of rows
PathId = Annotated[
    str, msgspec.Meta(min_length=1, max_length=200, pattern=r"^[\x21-\x2e\x30-\x39\x3b-\x7e]+$(?!\n)")
]  # no slash either: it parts the path by which the thing is asked for, changed and taken back
Words = Annotated[str, msgspec.Meta(min_length=1, max_length=200, pattern="^[^\\x00]+$")]
Amount = Annotated[int, msgspec.Meta(ge=1, le=10**15)]
Currency = Annotated[str, msgspec.Meta(max_length=3, pattern="^[a-z]{3}$")]
Country = Annotated[str, msgspec.Meta(max_length=2, pattern="^[A-Z]{2}$")]


class InstrumentBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is charged, by your own id: a wallet, a phone account, a card on your file."""

    id: Id
    rail: Rail = Rail.CARRIER
    network: Words | None = None
    expires_on: Annotated[str, msgspec.Meta(max_length=7, pattern=r"^\d{4}-\d\d$")] | None = None
    country: Country | None = None


class CustomerBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Who pays, and who is written to."""

    id: Id
    email: Words | None = None
    name: Words | None = None
    locale: Words | None = None
    timezone: Words | None = None
    country: Country | None = None


class FailureBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A charge that you made yourself, and that failed."""

    id: Id
    at: Instant
    reason_code: Words


class ChargeBody(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One charge to be made, once. `due_at` left out: at once. `facts` come back in each call to you."""

    id: PathId
    amount_minor: Amount
    currency: Currency
    customer: CustomerBody
    instrument: InstrumentBody
    subscription: Id | None = None
    due_at: Instant | None = None
    failed: FailureBody | None = None  # where you made the first charge, and it failed: dunr goes on from there
    products: tuple[Words, ...] = ()
    tags: tuple[Words, ...] = ()
    facts: Mapping[Words, Words] = {}


class TakeBackBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Why it is not to be made any more: void, since it was wrong, or written_off, since it was given up."""

    status: Literal["void", "written_off"]


class PaymentBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Money that you got for it without us."""

    id: Id
    amount_minor: Amount
    at: Instant


class ChargeAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """A charge as it stands. `status` is CHARGE_PAID, CHARGE_NOT_PAID or CHARGE_CLOSED once it has ended, and null before; `case` tells the whole story."""

    id: str
    status: str | None
    state: str
    amount_minor: int
    amount_due_minor: int
    currency: str
    due_at: datetime
    next_attempt_at: datetime | None
    attempts_count: int
    case: str | None


def leave(face: WebFace, call: Call) -> Answer:
    """Take a charge. It is durable when this answers."""
    kept = desk_of(face).leave(left_charge(call.read(ChargeBody), face.now()))
    face.quiet.settle()
    return Answer(_answer(face, kept), 202)


def left_charge(body: ChargeBody, now: datetime) -> LeftCharge:
    """What is to be kept. Raises `BadRequest` for what makes no sense."""
    payer = body.customer
    return LeftCharge(
        id=body.id,
        amount_minor=body.amount_minor,
        currency=body.currency,
        customer_id=payer.id,
        instrument=instrument_of(body.instrument),
        due_at=in_utc(body.due_at) if body.due_at is not None else now,
        left_at=now,
        payer=Payer(payer.email, payer.name, payer.locale, payer.timezone, payer.country),
        subscription_id=body.subscription,
        products=body.products,
        tags=body.tags,
        failed=failure_of(body.failed, now) if body.failed is not None else None,
        facts=body.facts,
    )


def one_charge(face: WebFace, call: Call) -> Answer:
    """How a charge stands."""
    desk = desk_of(face)
    charge = desk.book.find(desk.account.account, call.path["id"])
    if charge is None:
        raise NoSuchThing("No charge of that id was left to dunr.")
    return Answer(_answer(face, charge))


def take_back(face: WebFace, call: Call) -> Answer:
    """Make it no more."""
    status = LeftStatus(call.read(TakeBackBody).status)
    return changed(face, desk_of(face).take_back(call.path["id"], status))


def note_payment(face: WebFace, call: Call) -> Answer:
    """Count money that came without us."""
    body, now = call.read(PaymentBody), face.now()
    if in_utc(body.at) - now > CLOCKS_APART_MAX:
        raise BadRequest("at lies in the future: write when the money came.")
    payment = PaidOutside(body.id, body.amount_minor, min(in_utc(body.at), now))
    return changed(face, desk_of(face).note_payment(call.path["id"], payment))


def pay_by(face: WebFace, call: Call) -> Answer:
    """Charge another instrument from now on; a new one is tried at once."""
    return changed(face, desk_of(face).pay_by(call.path["id"], instrument_of(call.read(InstrumentBody))))


def note_failure(face: WebFace, call: Call) -> Answer:
    """Count a try of the merchant's own that failed: it spends no step, and counts toward what a card may bear."""
    failure = failure_of(call.read(FailureBody), face.now())
    return changed(face, desk_of(face).note_failure(call.path["id"], failure))


def failure_of(body: FailureBody, now: datetime) -> FailedOutside:
    """What is to be written down. Raises `BadRequest` for what has not happened yet."""
    if in_utc(body.at) - now > CLOCKS_APART_MAX:
        raise BadRequest("at lies in the future: write when the charge failed.")
    return FailedOutside(body.id, min(in_utc(body.at), now), body.reason_code)


def changed(face: WebFace, charge: LeftCharge) -> Answer:
    """A charge as it stands after what was said of it."""
    face.quiet.settle()
    return Answer(_answer(face, charge), 202)


def instrument_of(body: InstrumentBody) -> Instrument:
    return Instrument(body.id, body.rail, body.network, body.expires_on, body.country)


def desk_of(face: WebFace) -> ChargeDesk:
    """The desk, where charges are left to us at all. Raises `NoSuchThing`."""
    desk = face.application.desk
    if desk is None:
        raise NoSuchThing(
            'Charges are left here only where processor = "billing_http": the processor makes its first charges by itself.'
        )
    return desk


def _answer(face: WebFace, charge: LeftCharge) -> ChargeAnswer:
    return charge_answer(charge, face.application.store.load(face.row_id(charge.id), Refs()).case)


def charge_answer(charge: LeftCharge, case: Case | None) -> ChargeAnswer:
    """A charge as it stands: what was left, and what became of it."""
    end, step = charge_end(case), case.plan.next_step if case is not None else None
    return ChargeAnswer(
        id=charge.id,
        status=end.value if end is not None else None,
        state=shown_state(case) if case is not None else charge.status.value,
        amount_minor=charge.amount_minor,
        amount_due_minor=case.amount_due_minor if case is not None else charge.amount_minor,
        currency=charge.currency,
        due_at=charge.due_at,
        next_attempt_at=step.at if step is not None else None,
        attempts_count=_attempts_count(case),
        case=case.id if case is not None else None,
    )


def _attempts_count(case: Case | None) -> int:
    return case.attempt_number_last + 1 if case is not None else 0


OPERATIONS = (
    Operation(
        "POST",
        "/v1/charges",
        "Leave a charge to dunr",
        leave,
        ChargeAnswer,
        Scope.ACT,
        202,
        ChargeBody,
        refusals=(404, 409),
    ),
    Operation("GET", "/v1/charges/{id}", "One charge as it stands", one_charge, ChargeAnswer, refusals=(404,)),
    Operation(
        "POST",
        "/v1/charges/{id}/take-back",
        "Take a charge back",
        take_back,
        ChargeAnswer,
        Scope.ACT,
        202,
        TakeBackBody,
        refusals=(404, 409),
    ),
    Operation(
        "POST",
        "/v1/charges/{id}/payments",
        "Note money that came without dunr",
        note_payment,
        ChargeAnswer,
        Scope.ACT,
        202,
        PaymentBody,
        refusals=(404,),
    ),
    Operation(
        "POST",
        "/v1/charges/{id}/failures",
        "Note a try of your own that failed",
        note_failure,
        ChargeAnswer,
        Scope.ACT,
        202,
        FailureBody,
        refusals=(404,),
    ),
    Operation(
        "POST",
        "/v1/charges/{id}/instrument",
        "Charge another instrument",
        pay_by,
        ChargeAnswer,
        Scope.ACT,
        202,
        InstrumentBody,
        refusals=(404,),
    ),
)
