"""Answers in the making: Stripe's headers, the first answer again, a late one, and none at all."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from email.utils import format_datetime

import msgspec

from dunr.sandbox.database import Transaction
from dunr.sandbox.records import ChargeRequest

from . import keys, paying
from .calls import Booked, Hung, Operation, StripeCall
from .errors import Wrong, missing
from .lists import listed
from .rows import StripeKey

# Which of the sandbox's settings makes the reads of a resource fail or hang.
SNAPSHOTS = frozenset({"invoices", "customers", "subscriptions", "payment_methods"})
LOOKUPS = frozenset({"invoice_payments", "payment_intents", "charges"})


@dataclass(frozen=True)
class Told:
    """An answer, or the silence in its place. ``seconds`` is how long it takes, in real ones."""

    status: int
    body: bytes
    headers: Mapping[str, str]
    silent: bool = False
    seconds: float = 0.0


@dataclass(frozen=True)
class Awaited:
    """The answer is not known yet; the line is held until it is."""

    call: StripeCall
    hung: Hung


def date(tx: Transaction) -> str:
    return format_datetime(tx.shown_now.replace(microsecond=0), usegmt=True)


def headers(tx: Transaction, call: StripeCall) -> dict[str, str]:
    headers = {"Date": date(tx), "Request-Id": call.request_id, "Stripe-Version": call.api_version}
    if call.account_header is not None:
        headers["Stripe-Account"] = call.account_header
    if call.key is not None:
        headers["Idempotency-Key"] = call.key
    return headers


def failed(wrong: Wrong, request_id: str, shown: Mapping[str, str]) -> Told:
    more = {} if wrong.retry is None else {"Stripe-Should-Retry": "true" if wrong.retry else "false"}
    return Told(wrong.status, msgspec.json.encode(wrong.body(request_id)), {"Request-Id": request_id, **shown, **more})


def elsewhere(operation: Operation, call: StripeCall) -> dict[str, object]:
    """The key is of the other mode, or the account is the platform's own, which has no books."""
    if "id" not in call.path and operation.method == "GET":
        return listed(call.address, [])
    wrong = missing(operation.what, call.path.get("id", ""))
    if call.account == call.books_account:
        here, there = ("live", "test") if call.live else ("test", "live")
        wrong.message += (
            f"; a similar object exists in {there} mode, but a {here} mode key was used to make this request."
        )
    raise wrong


def booked(tx: Transaction, call: StripeCall, result: Booked) -> Told:
    """The answer to a booked charge, kept under its key; which may be an error, or said to nobody."""
    request = tx.get(ChargeRequest, result.charge_request)
    assert request is not None, "a booked request is in the books"
    shown, kept = headers(tx, call), result.kept
    try:
        told = Told(200, msgspec.json.encode(paying.answer(tx, request, call)), shown)
    except Wrong as wrong:
        told, kept = failed(wrong, call.request_id, shown), kept and wrong.kept
    if kept:
        keys.remember(tx, call, status=told.status, body=told.body, charge_request=request.id)
    elif call.key is not None:
        keys.forget(tx, call)
    return replace(told, silent=result.lost, seconds=result.seconds)


def replayed(tx: Transaction, call: StripeCall, first: StripeKey) -> Told:
    """The first answer, to the byte; one that was still to come when the key was kept is made now."""
    if first.answer_status is None or first.answer_body is None:
        assert first.charge_request is not None, "a key without an answer says where it comes from"
        original = replace(call, request_id=first.request_id, api_version=first.api_version)
        told = booked(tx, original, Booked(first.charge_request))
    else:
        told = Told(first.answer_status, first.answer_body.encode(), {})
    shown = {
        **headers(tx, call),
        "Idempotent-Replayed": "true",
        "Original-Request": first.request_id,
    }
    return replace(told, headers=shown)


def in_time(tx: Transaction, operation: Operation, told: Told) -> Told:
    """Reads can be told to hang, in real seconds; on the manual clock the line goes dead."""
    if operation.method != "GET":
        return told
    seconds = 0
    if operation.resource in SNAPSHOTS:
        seconds = tx.settings.snapshots_hang_seconds
    elif operation.resource in LOOKUPS:
        seconds = tx.settings.lookups_hang_seconds
    return replace(told, silent=bool(seconds) and tx.manual, seconds=float(seconds))
