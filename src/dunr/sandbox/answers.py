"""What a handler may answer, and the shapes of charges on the wire."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from http import HTTPStatus

import msgspec

from .instants import on_wire
from .records import Charge


@dataclass(frozen=True)
class Answer:
    """A status and the exact bytes; a replay must give back the very same ones."""

    status: int
    body: bytes
    replayed: bool = False
    media_type: str = "application/json"
    location: str | None = None


@dataclass(frozen=True)
class Waiting:
    """The request hangs: its result is booked at ``due_at``, whether or not anybody still listens."""

    request: str
    due_at: datetime


@dataclass(frozen=True)
class Silence:
    """Close the connection without a word."""


@dataclass(frozen=True)
class Delayed:
    """The answer is known but takes its time, in real seconds."""

    seconds: float
    answer: Answer


Reply = Answer | Waiting | Delayed | Silence


def as_json(body: object, status: int = 200) -> Answer:
    return Answer(status, msgspec.json.encode(body))


def decline_on_wire(charge: Charge) -> dict[str, object] | None:
    if charge.error_code is None:
        return None
    return {
        "code": charge.error_code,
        "decline_code": charge.decline_code,
        "advice_code": charge.advice_code,
        "network_decline_code": charge.network_decline_code,
        "network_advice_code": charge.network_advice_code,
    }


def charge_on_wire(charge: Charge) -> dict[str, object]:
    return {
        "id": charge.id,
        "invoice": charge.invoice,
        "customer": charge.customer,
        "key": charge.key,
        "amount_minor": charge.amount_minor,
        "currency": charge.currency,
        "card": charge.card,
        "card_fingerprint": charge.card_fingerprint,
        "status": charge.status,
        "decline": decline_on_wire(charge),
        "at": on_wire(charge.at),
        "settled_at": on_wire(charge.settled_at),
        "refunded_minor": charge.refunded_minor,
        "return_code": charge.return_code,
        "intent": charge.intent,
    }


def charge_answer(charge: Charge) -> Answer:
    """200 with the charge, or 402 with the decline and the charge."""
    if charge.status != "declined":
        return as_json({"charge": charge_on_wire(charge)})
    error: dict[str, object] = {
        "type": "card_error",
        **(decline_on_wire(charge) or {}),
        "charge": charge.id,
        "message": "The payment was declined.",
    }
    if charge.intent is not None:
        error["intent"] = charge.intent
    body: dict[str, object] = {"error": error, "charge": charge_on_wire(charge)}
    if charge.intent is not None:
        body["intent"] = charge.intent
    return as_json(body, 402)


def error_answer(status: int, code: str, message: str) -> Answer:
    kinds = {401: "authentication_error", 409: "idempotency_error", 429: "rate_limit_error"}
    kind = kinds.get(status, "api_error" if status >= HTTPStatus.INTERNAL_SERVER_ERROR else "invalid_request_error")
    error: Mapping[str, object] = {"type": kind, "code": code, "message": message}
    return as_json({"error": error}, status)
