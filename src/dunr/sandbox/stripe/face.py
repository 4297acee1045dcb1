"""One endpoint of the Stripe face: let in, remember, do the work, and answer with Stripe's headers.

Reads happen in one consistent look, writes in one transaction that the key and
the answer are part of. Every request is noted, so that a test can hold what an
adapter sent against the types of the official SDK.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field

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
from .errors import Wrong, broken, busy
from .load import Load
from .replies import LOOKUPS, SNAPSHOTS, Awaited, Told, booked, date, elsewhere, failed, headers, in_time, replayed

NOTED_MAX = 10_000


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


@dataclass
class Face:
    """What the endpoints share: the sandbox, the limit, and the notes."""

    sandbox: Sandbox
    limit: RateLimit = field(default_factory=RateLimit)
    load: Load = field(default_factory=Load)
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
        self, operation: Operation, path: Mapping[str, str], sent: Mapping[str, str], text: str, too_large: bool
    ) -> Told | Awaited:
        database = self.sandbox.database
        with database.read() if operation.method == "GET" else database.transaction() as tx:
            if too_large:
                wrong = Wrong(413, "invalid_request_error", "The request body is too large.")
                return failed(wrong, new_id("req"), {"Date": date(tx)})
            address = operation.path.format(**path)
            try:
                call = admitted(self.sandbox.config, tx, operation.method, address, path, sent, text)
            except Wrong as wrong:
                return failed(wrong, new_id("req"), {"Date": date(tx)})
            told = self._answer(tx, operation, call)
        status = None if isinstance(told, Awaited) or told.silent else told.status
        self.load.add(operation.name, status)
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
        shown = headers(tx, call)
        try:
            self._gate(tx, operation, call)
            first = None if call.key is None else keys.remembered(tx, call)
            if first is None:
                return self._done(tx, operation, call)
        except Wrong as wrong:
            told = failed(wrong, call.request_id, shown)
            if wrong.kept:
                keys.remember(tx, call, status=told.status, body=told.body)
            if operation.work is paying.pay:
                paying.note_refused(tx, call, wrong)
            return told
        if operation.work is paying.pay:
            paying.note_replayed(tx, call, first)
        return replayed(tx, call, first)

    def _done(self, tx: Transaction, operation: Operation, call: StripeCall) -> Told | Awaited:
        """The work itself, all of it or nothing."""
        tx.caused_by = (call.request_id, call.key)
        with tx.attempt():
            result = operation.work(tx, call) if call.here or not operation.of_books else elsewhere(operation, call)
        if isinstance(result, Booked):
            return booked(tx, call, result)
        shown = headers(tx, call)
        if isinstance(result, Hung):
            keys.remember(tx, call, charge_request=result.charge_request)
            return Told(0, b"", shown, silent=True) if tx.manual else Awaited(call, result)
        told = Told(200, msgspec.json.encode(result), shown)
        keys.remember(tx, call, status=told.status, body=told.body)
        return in_time(tx, operation, told)

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
                found.append(booked(tx, awaited.call, Booked(request.id)))
            return Answer(found[0].status, found[0].body)

        await wire.wait(waiting, look)
        return found[0]
