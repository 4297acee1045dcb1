"""From one outcome to rows: the only place where money moves.

A result is booked against the request that asked for it, in one transaction
with the invoice, its events and the answer. A request that was accepted while
the invoice was open is booked even if somebody else paid meanwhile: a real
card network does not ask, and a witness must not hide what an engine did.
"""

from __future__ import annotations

from datetime import timedelta

from . import invoices, outcomes
from .answers import Answer, charge_answer, error_answer
from .database import Transaction
from .events import emit_invoice
from .identifiers import new_id
from .outcomes import BreakAnswer, Decline, Fail, Hang, LoseAnswer, Outcome, Pend, RequireAction, SlowAnswer, Succeed
from .records import AgendaItem, Card, Charge, ChargeRequest, ChargeStatus, Intent, Invoice, Payer, RememberedKey


def book(tx: Transaction, request: ChargeRequest, outcome: Outcome) -> Answer:
    """Make the outcome true, and remember the answer on the request."""
    match outcome:
        case Succeed(amount_minor):
            answer = _succeed(tx, request, amount_minor)
        case Decline():
            answer = charge_answer(_decline(tx, request, outcome))
        case RequireAction():
            answer = _require_action(tx, request)
        case Pend(decline):
            answer = _pend(tx, request, decline)
        case Fail():
            return _fail(tx, request, outcome)
        case BreakAnswer(then):
            book(tx, request, then)
            answer = error_answer(500, "api_error", "Something went wrong after the charge was made.")
        case LoseAnswer(then) | Hang(_, then) | SlowAnswer(_, then):
            return book(tx, request, then)
    return _remember(tx, request, answer)


def collect(
    tx: Transaction, invoice: Invoice, card: Card | None, amount_minor: int, by: Payer, outcome: Outcome
) -> ChargeRequest:
    """Money asked for by somebody other than the engine: no key, the same books."""
    request = ChargeRequest(
        id=new_id("req"),
        by=by,
        invoice=invoice.id,
        amount_minor=amount_minor,
        currency=invoice.currency,
        card=None if card is None else card.id,
        outcome="begun",
        at=tx.now,
    )
    book(tx, request, outcome)
    return request


def captured(tx: Transaction, charge: Charge) -> None:
    """Mark the one request that moved this money."""
    request = tx.get(ChargeRequest, charge.request)
    if request is not None:
        request.captured = True
        request.outcome = "succeeded"
        tx.put(request)


def _remember(tx: Transaction, request: ChargeRequest, answer: Answer) -> Answer:
    request.answer_status = answer.status
    request.answer_body = answer.body.decode()
    tx.put(request)
    return answer


def _invoice(tx: Transaction, request: ChargeRequest) -> Invoice:
    invoice = tx.get(Invoice, request.invoice)
    assert invoice is not None, "a request is only accepted for an invoice that exists"
    return invoice


def _new_charge(tx: Transaction, request: ChargeRequest, status: ChargeStatus, decline: Decline | None) -> Charge:
    invoice = _invoice(tx, request)
    card = tx.get(Card, request.card)
    charge = Charge(
        id=new_id("ch"),
        invoice=invoice.id,
        customer=invoice.customer,
        key=request.key,
        amount_minor=request.amount_minor or 0,
        currency=invoice.currency,
        card=request.card,
        card_fingerprint=None if card is None else card.fingerprint,
        status=status,
        at=tx.now,
        settled_at=tx.now if status == "succeeded" else None,
        request=request.id,
        updated_at=tx.now,
    )
    if decline is not None:
        put_decline(charge, decline)
    request.charge = charge.id
    return charge


def put_decline(charge: Charge, decline: Decline) -> None:
    charge.error_code = decline.code
    charge.decline_code = decline.decline_code
    charge.advice_code = decline.advice_code
    charge.network_decline_code = decline.network_decline_code
    charge.network_advice_code = decline.network_advice_code


def _succeed(tx: Transaction, request: ChargeRequest, amount_minor: int | None) -> Answer:
    charge = _new_charge(tx, request, "succeeded", None)
    charge.amount_minor = min(charge.amount_minor, amount_minor or charge.amount_minor)
    request.outcome, request.captured = "succeeded", True
    tx.put(charge)
    invoices.money_arrived(tx, _invoice(tx, request), charge)
    return charge_answer(charge)


def _decline(tx: Transaction, request: ChargeRequest, decline: Decline, intent: str | None = None) -> Charge:
    charge = _new_charge(tx, request, "declined", decline)
    request.outcome, request.decline_code = "declined", decline.decline_code
    if intent is not None:
        # Before its events are written, since they tell of it.
        charge.intent = intent
        tx.put(
            Intent(
                id=intent,
                charge=charge.id,
                invoice=charge.invoice,
                card=request.card or "",
                amount_minor=charge.amount_minor,
            )
        )
    tx.put(charge)
    invoices.payment_failed(tx, _invoice(tx, request), charge)
    return charge


def _require_action(tx: Transaction, request: ChargeRequest) -> Answer:
    charge = _decline(tx, request, outcomes.AUTHENTICATION_REQUIRED, new_id("pi"))
    request.outcome = "requires_action"
    return charge_answer(charge)


def _pend(tx: Transaction, request: ChargeRequest, decline: Decline | None) -> Answer:
    charge = _new_charge(tx, request, "pending", None)
    request.outcome = "pending"
    tx.put(charge)
    tx.put(
        AgendaItem(
            id=f"settle:{charge.id}",
            kind="settle",
            due_at=tx.now + timedelta(seconds=tx.settings.pending_seconds),
            subject=charge.id,
            detail=f"fail:{_script_of(decline)}" if decline else "settle",
        )
    )
    emit_invoice(tx, "charge.pending", _invoice(tx, request), charge)
    return charge_answer(charge)


def _script_of(decline: Decline) -> str:
    parts = (decline.decline_code, decline.advice_code, decline.network_decline_code, decline.network_advice_code)
    return ":".join(part or "" for part in parts)


def _fail(tx: Transaction, request: ChargeRequest, failure: Fail) -> Answer:
    """An HTTP error moves nothing. Only what happened after the request began keeps its key."""
    answer = error_answer(failure.status, failure.code, "The sandbox was told to answer with this error.")
    request.outcome = f"error:{failure.status}:{failure.code}"
    if request.key is not None and not failure.stored:
        tx.remove(RememberedKey, request.key)
    return _remember(tx, request, answer)
