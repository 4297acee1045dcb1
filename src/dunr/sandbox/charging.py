"""One charge request from the engine: the key, the gate, the script, the books.

The first answer of a key is kept and given back to the byte until the key's
life ends; then the key is forgotten and the same request is a brand-new one,
as at real processors. Whatever is refused before it begins leaves no key.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Annotated

import msgspec

from . import outcomes, scripts
from .answers import Answer, Delayed, Reply, Silence, Waiting
from .booking import book
from .database import Transaction
from .identifiers import new_id
from .outcomes import Hang, LoseAnswer, SlowAnswer
from .records import AgendaItem, Card, ChargeRequest, Customer, Invoice, RememberedKey
from .refusals import Refusal, bad_request, not_found

KEY_LENGTH_MAX = 255


class ChargeBody(msgspec.Struct, forbid_unknown_fields=True):
    """What an engine asks for, explicit to the last part."""

    amount_minor: Annotated[int, msgspec.Meta(ge=1, le=10**15)]
    currency: str
    card: str


def receive(tx: Transaction, invoice_id: str, key: str | None, body: ChargeBody) -> Reply:
    """Answer one request. Raises ``Refusal`` where nothing has begun."""
    if key is not None and not 0 < len(key) <= KEY_LENGTH_MAX:
        raise bad_request("parameter_invalid", f"Idempotency-Key must have 1 to {KEY_LENGTH_MAX} characters.")
    request = ChargeRequest(
        id=new_id("req"),
        invoice=invoice_id,
        key=key,
        amount_minor=body.amount_minor,
        currency=body.currency.lower(),
        card=body.card,
        outcome="begun",
        at=tx.now,
    )
    fingerprint = f"{invoice_id}|{body.amount_minor}|{request.currency}|{body.card}"
    if key is not None:
        remembered = _remembered(tx, key)
        if remembered is not None:
            return _repeat(tx, request, remembered, fingerprint)
    card = _payable(tx, invoice_id, body)
    tx.put(request)
    if key is not None:
        tx.put(RememberedKey(id=key, request=request.id, fingerprint=fingerprint, first_at=tx.now))
    return _begin(tx, request, scripts.next_outcome(tx, card.id))


def _begin(tx: Transaction, request: ChargeRequest, script: str) -> Reply:
    outcome = outcomes.parse(script)
    if isinstance(outcome, Hang):
        request.outcome = "hung"
        tx.put(request)
        due_at = tx.now + timedelta(seconds=outcome.seconds)
        tx.put(AgendaItem(id=f"book:{request.id}", kind="book", due_at=due_at, subject=request.id, detail=script))
        return Silence() if tx.manual else Waiting(request.id, due_at)
    answer = book(tx, request, outcome)
    if isinstance(outcome, LoseAnswer):
        return Silence()
    return Delayed(outcome.seconds, answer) if isinstance(outcome, SlowAnswer) else answer


def _remembered(tx: Transaction, key: str) -> RememberedKey | None:
    """The key's first request, unless its life is over and it has long been answered."""
    remembered = tx.get(RememberedKey, key)
    if remembered is None:
        return None
    first = tx.get(ChargeRequest, remembered.request)
    answered = first is not None and first.answer_status is not None
    if answered and tx.now >= remembered.first_at + timedelta(seconds=tx.settings.key_life_seconds):
        tx.remove(RememberedKey, key)
        return None
    return remembered


def _repeat(tx: Transaction, request: ChargeRequest, remembered: RememberedKey, fingerprint: str) -> Answer:
    if fingerprint != remembered.fingerprint:
        raise Refusal(
            400,
            "idempotency_error",
            "idempotency_key_reused",
            "This key was first used with other parameters. Send the same request, or use a new key.",
        )
    first = tx.get(ChargeRequest, remembered.request)
    if first is None or first.answer_status is None or first.answer_body is None:
        raise Refusal(
            409, "idempotency_error", "idempotency_key_in_use", "The first request with this key is still running."
        )
    request.outcome, request.charge = "replayed", first.charge
    request.answer_status = first.answer_status
    tx.put(request)
    return Answer(first.answer_status, first.answer_body.encode(), replayed=True)


def _payable(tx: Transaction, invoice_id: str, body: ChargeBody) -> Card:
    """The gate: what is refused here never reached a card network."""
    invoice = tx.get(Invoice, invoice_id)
    if invoice is None:
        raise not_found("invoice", invoice_id)
    if invoice.status != "open":
        raise bad_request("invoice_not_payable", f"The invoice is {invoice.status}; nothing can be charged.")
    customer = tx.get(Customer, invoice.customer)
    if customer is None or customer.deleted:
        raise bad_request("customer_deleted", "The customer has been deleted.")
    card = tx.get(Card, body.card)
    if card is None or card.detached or card.customer != invoice.customer:
        raise bad_request("card_not_found", f"{body.card} is no payment method of this customer.")
    if body.currency.lower() != invoice.currency:
        raise bad_request("currency_mismatch", f"The invoice is in {invoice.currency}.")
    if body.amount_minor > invoice.amount_due_minor:
        raise bad_request("amount_too_large", f"Only {invoice.amount_due_minor} is due.")
    if body.amount_minor < tx.settings.minimum_minor:
        raise bad_request("amount_too_small", f"The least that can be charged is {tx.settings.minimum_minor}.")
    return card


def note_refused(tx: Transaction, invoice_id: str, key: str | None, body: ChargeBody | None, refusal: Refusal) -> None:
    """A request that was turned away is still a request: the witness counts it."""
    tx.put(
        ChargeRequest(
            id=new_id("req"),
            invoice=invoice_id,
            key=key,
            amount_minor=None if body is None else body.amount_minor,
            currency=None if body is None else body.currency.lower(),
            card=None if body is None else body.card,
            outcome=f"error:{refusal.status}:{refusal.code}",
            at=tx.now,
            answer_status=refusal.status,
        )
    )
