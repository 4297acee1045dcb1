"""``/sandbox/webhooks``: the record of deliveries, sending again, and sending what no processor would."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Annotated

import msgspec

from .answers import Reply, as_json
from .database import Transaction
from .deliveries import receiver_of
from .events import body_of
from .identifiers import new_id
from .instants import on_wire
from .machine import Sandbox
from .records import Delivery, Event
from .refusals import invalid, unknown
from .wire import Call

LISTED_MAX = 10_000
PARALLEL_MAX = 32

Times = Annotated[int, msgspec.Meta(ge=1, le=1000)]


class ResendBody(msgspec.Struct, forbid_unknown_fields=True):
    """How often the same event is sent again, and whether all at once."""

    times: Times = 1
    concurrently: bool = False


class SendBody(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """An event of the tester's own making. ``raw`` replaces the whole body."""

    type: str = "invoice.payment_failed"
    data: msgspec.Raw = msgspec.Raw(b"{}")
    id: str | None = None
    created: int | None = None
    account: str | None = None
    live: bool | None = None
    raw: str | None = None
    signed_offset_seconds: int = 0  # how far t lies from the sandbox's clock
    secrets: list[str] | None = None  # instead of the configured ones
    signature: str | None = None  # the whole header; "" sends none
    times: Times = 1
    concurrently: bool = False


def list_deliveries(tx: Transaction, call: Call) -> Reply:
    """Every try, oldest first; ``?event=``, ``?type=`` and ``?invoice=`` narrow it."""
    event_id, kind, invoice = (call.query.get(name) for name in ("event", "type", "invoice"))
    events = {event.id: event for event in tx.find(Event, "(?1 IS NULL OR type = ?1)", kind)}
    rows = []
    for delivery in tx.find(Delivery, "(?1 IS NULL OR event = ?1)", event_id, limit=LISTED_MAX):
        event = events.get(delivery.event)
        if event is not None and (invoice is None or f'"{invoice}"' in event.body):
            rows.append(_row(delivery, event))
    return as_json(rows)


def _row(delivery: Delivery, event: Event) -> dict[str, object]:
    return {
        "id": delivery.id,
        "event": event.id,
        "type": event.type,
        "attempt": delivery.attempt_number,
        "status": delivery.status,
        "created_at": on_wire(event.created_at),
        "due_at": on_wire(delivery.due_at),
        "sent_at": on_wire(delivery.sent_at),
        "signature": delivery.signature,
        "response_status": delivery.response_status,
        "response_body": delivery.response_body,
        "error": delivery.error,
        "body": event.body,
    }


def resend(sandbox: Sandbox, call: Call) -> Reply:
    body = call.read(ResendBody)
    with sandbox.database.transaction() as tx:
        event = tx.get(Event, call.path["event"])
        if event is None:
            raise unknown("event", call.path["event"])
    return _send(sandbox, event, body.times, body.concurrently)


def send(sandbox: Sandbox, call: Call) -> Reply:
    body = call.read(SendBody)
    try:
        data = msgspec.json.decode(body.data)
    except (msgspec.DecodeError, RecursionError) as error:
        raise invalid(f"data must be JSON: {error}. Use raw for what is not.") from None
    with sandbox.database.transaction() as tx:
        event_id = body.id or new_id("evt")
        event = Event(
            # Two events may claim one id on purpose; ours must still be two.
            id=event_id if tx.get(Event, event_id) is None else new_id(event_id),
            event_id=event_id,
            type=body.type,
            created_at=tx.now,
            body=body.raw
            if body.raw is not None
            else body_of(tx, event_id, body.type, data, created=body.created, account=body.account, live=body.live),
            signed_offset_seconds=body.signed_offset_seconds,
            signed_with=None if body.secrets is None else msgspec.json.encode(body.secrets).decode(),
            signature=body.signature,
        )
        tx.put(event)
    return _send(sandbox, event, body.times, body.concurrently)


def _send(sandbox: Sandbox, event: Event, times: int, concurrently: bool) -> Reply:
    """At once and beside the queue, so that twenty copies can really arrive together."""
    with sandbox.database.transaction() as tx:
        receiver_of(tx, event, ())
        rows = []
        for _ in range(times):
            row = Delivery(id=new_id("dlv"), event=event.id, status="failed", first_due_at=tx.now, due_at=tx.now)
            tx.put(row)
            rows.append(row)
    if concurrently:
        with ThreadPoolExecutor(min(times, PARALLEL_MAX)) as pool:
            sent = list(pool.map(sandbox.deliver_now, rows))
    else:
        sent = [sandbox.deliver_now(row) for row in rows]
    return as_json({"event": event.id, "sent": len(sent), "answers": [_answer(row) for row in sent]})


def _answer(row: Delivery) -> dict[str, object]:
    return {"status": row.response_status, "body": row.response_body, "error": row.error}
