"""One endpoint of the Stripe face: let in, remember, do the work, and answer with Stripe's headers.

Reads happen in one consistent look, writes in one transaction that the key and
the answer are part of. Every request is noted, so that a test can hold what an
adapter sent against the types of the official SDK.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from email.utils import format_datetime

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from dunr.sandbox import wire
from dunr.sandbox.answers import Answer, Waiting
from dunr.sandbox.database import Transaction
from dunr.sandbox.identifiers import new_id
from dunr.sandbox.machine import Sandbox
from dunr.sandbox.processor_face import RateLimit
from dunr.sandbox.records import ChargeRequest
from dunr.sandbox.refusals import Refusal

from . import keys, paying
from .admission import admitted, masked, permit
from .calls import Booked, Hung, Operation, StripeCall
from .errors import Wrong, broken, busy, missing
from .lists import listed
from .rows import StripeKey

NOTED_MAX = 10_000

# Which of the sandbox's settings makes the reads of a resource fail or hang.
SNAPSHOTS = frozenset({"invoices", "customers", "subscriptions", "payment_methods"})
LOOKUPS = frozenset({"invoice_payments", "payment_intents", "charges"})


class Note(msgspec.Struct, frozen=True):
    """A request as it arrived, and the status it got; none where nobody has answered it."""

    id: str
    operation: str
    path: str
    parameters: dict[str, object]
    api_version: str
    account: str | None
    idempotency_key: str | None
    api_key: str
    status: int | None


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


@dataclass
class Face:
    """What the endpoints share: the sandbox, the limit, and the notes."""

    sandbox: Sandbox
    limit: RateLimit = field(default_factory=RateLimit)
    notes: deque[Note] = field(default_factory=lambda: deque(maxlen=NOTED_MAX))

    def endpoint(self, operation: Operation) -> wire.Endpoint:
        async def answer(request: Request) -> Response:
            body = await wire.whole_body(request)
            in_query = operation.method == "GET" or not body
            text = request.url.query if in_query else (body or b"").decode("utf-8", "replace")
            loop = asyncio.get_running_loop()
            told = await loop.run_in_executor(
                wire.QUICK, self._handle, operation, dict(request.path_params), request.headers, text, body is None
            )
            if isinstance(told, Awaited):
                told = await self._held(told)
            if told.silent:
                return wire.Silent()
            await asyncio.sleep(told.seconds)
            return Response(told.body, told.status, dict(told.headers), media_type="application/json")

        return answer

    def _handle(
        self, operation: Operation, path: Mapping[str, str], headers: Mapping[str, str], text: str, too_large: bool
    ) -> Told | Awaited:
        database = self.sandbox.database
        with database.read() if operation.method == "GET" else database.transaction() as tx:
            if too_large:
                wrong = Wrong(413, "invalid_request_error", "The request body is too large.")
                return _failed(wrong, new_id("req"), {"Date": _date(tx)})
            address = operation.path.format(**path)
            try:
                call = admitted(self.sandbox.config, tx, operation.method, address, path, headers, text)
            except Wrong as wrong:
                return _failed(wrong, new_id("req"), {"Date": _date(tx)})
            told = self._answer(tx, operation, call)
        status = None if isinstance(told, Awaited) or told.silent else told.status
        self.notes.append(
            Note(
                id=call.request_id,
                operation=operation.name,
                path=call.address,
                parameters=call.parameters,
                api_version=call.api_version,
                account=call.account_header,
                idempotency_key=call.key,
                api_key=masked(call.api_key),
                status=status,
            )
        )
        return told

    def _answer(self, tx: Transaction, operation: Operation, call: StripeCall) -> Told | Awaited:
        headers = _headers(tx, call)
        try:
            self._gate(tx, operation, call)
            first = None if call.key is None else keys.remembered(tx, call)
        except Wrong as wrong:
            return _failed(wrong, call.request_id, headers)
        if first is not None:
            return _replayed(tx, call, first)
        tx.caused_by = (call.request_id, call.key)
        try:
            result = operation.work(tx, call) if call.here or not operation.of_books else _elsewhere(operation, call)
            if isinstance(result, Hung):
                keys.remember(tx, call, charge_request=result.charge_request)
                return Told(0, b"", headers, silent=True) if tx.manual else Awaited(call, result)
            if isinstance(result, Booked):
                return _booked(tx, call, result)
            told = Told(200, msgspec.json.encode(result), headers)
        except Wrong as wrong:
            told = _failed(wrong, call.request_id, headers)
            if wrong.kept:
                keys.remember(tx, call, status=told.status, body=told.body)
            return told
        keys.remember(tx, call, status=told.status, body=told.body)
        return _in_time(tx, operation, told)

    def _gate(self, tx: Transaction, operation: Operation, call: StripeCall) -> None:
        """What is asked before anything begins."""
        permit(tx, call, operation.permission, "read" if operation.method == "GET" else "write")
        try:
            self.limit.admit(tx.settings.rate_limit_per_second)
        except Refusal as refusal:
            raise busy(refusal.message, "rate_limit") from None
        failing = (operation.resource in SNAPSHOTS and tx.settings.snapshots_failing) or (
            operation.resource in LOOKUPS and tx.settings.lookups_failing
        )
        if operation.method == "GET" and failing:
            raise broken(503, "The sandbox was told to fail here.")

    async def _held(self, awaited: Awaited) -> Told:
        """Hold the line until the agenda has booked the result; it does so with or without us."""
        waiting = Waiting(awaited.hung.charge_request, awaited.hung.due_at)
        found: list[Told] = []

        def look(_: Waiting) -> Answer | None:
            with self.sandbox.database.transaction() as tx:
                request = tx.get(ChargeRequest, awaited.hung.charge_request)
                if request is None or request.answer_status is None:
                    return None
                found.append(_booked(tx, awaited.call, Booked(request.id)))
            return Answer(found[0].status, found[0].body)

        await wire.wait(waiting, look)
        return found[0]


def _date(tx: Transaction) -> str:
    return format_datetime(tx.shown_now.replace(microsecond=0), usegmt=True)


def _headers(tx: Transaction, call: StripeCall) -> dict[str, str]:
    headers = {"Date": _date(tx), "Request-Id": call.request_id, "Stripe-Version": call.api_version}
    if call.account_header is not None:
        headers["Stripe-Account"] = call.account_header
    if call.key is not None:
        headers["Idempotency-Key"] = call.key
    return headers


def _failed(wrong: Wrong, request_id: str, headers: Mapping[str, str]) -> Told:
    more = {} if wrong.retry is None else {"Stripe-Should-Retry": "true" if wrong.retry else "false"}
    return Told(
        wrong.status, msgspec.json.encode(wrong.body(request_id)), {"Request-Id": request_id, **headers, **more}
    )


def _elsewhere(operation: Operation, call: StripeCall) -> dict[str, object]:
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


def _booked(tx: Transaction, call: StripeCall, result: Booked) -> Told:
    """The answer to a booked charge, kept under its key; which may be an error, or said to nobody."""
    request = tx.get(ChargeRequest, result.charge_request)
    assert request is not None, "a booked request is in the books"
    headers = _headers(tx, call)
    kept = True
    try:
        told = Told(200, msgspec.json.encode(paying.answer(tx, request, call.api_version)), headers)
    except Wrong as wrong:
        told, kept = _failed(wrong, call.request_id, headers), wrong.kept
    if kept and call.key is not None:
        keys.remember(tx, call, status=told.status, body=told.body)
    elif call.key is not None:
        keys.forget(tx, call)
    return replace(told, silent=result.lost, seconds=result.seconds)


def _replayed(tx: Transaction, call: StripeCall, first: StripeKey) -> Told:
    """The first answer, to the byte; one that was still to come when the key was kept is made now."""
    if first.answer_status is None or first.answer_body is None:
        assert first.charge_request is not None, "a key without an answer says where it comes from"
        original = replace(call, request_id=first.request_id, api_version=first.api_version)
        told = _booked(tx, original, Booked(first.charge_request))
    else:
        told = Told(first.answer_status, first.answer_body.encode(), {})
    headers = {
        **_headers(tx, call),
        "Idempotent-Replayed": "true",
        "Original-Request": first.request_id,
        "Stripe-Should-Retry": "false",
    }
    return replace(told, headers=headers)


def _in_time(tx: Transaction, operation: Operation, told: Told) -> Told:
    """Reads can be told to hang, in real seconds; on the manual clock the line goes dead."""
    if operation.method != "GET":
        return told
    seconds = 0
    if operation.resource in SNAPSHOTS:
        seconds = tx.settings.snapshots_hang_seconds
    elif operation.resource in LOOKUPS:
        seconds = tx.settings.lookups_hang_seconds
    return replace(told, silent=bool(seconds) and tx.manual, seconds=float(seconds))
