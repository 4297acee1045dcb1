"""``/sandbox/stripe``: what only this face can be told, and what it noted."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
from starlette.routing import Route

from dunr.sandbox.answers import Answer, Reply, as_json
from dunr.sandbox.database import Transaction
from dunr.sandbox.identifiers import new_id
from dunr.sandbox.machine import Sandbox
from dunr.sandbox.processor_face import PAY_TOKEN_LIFE
from dunr.sandbox.records import Invoice, PayToken
from dunr.sandbox.refusals import unknown
from dunr.sandbox.wire import Call, Handler, endpoint

from .accounts import endpoint_shape
from .admission import Level
from .errors import Wrong
from .face import Face
from .rows import Endpoint, Permissions
from .versions import checked

Work = Callable[[Transaction, Call], Reply]


class EndpointBody(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """What changes about an endpoint that Stripe's own API cannot change later."""

    api_version: str | None = None
    enabled_events: list[str] | None = None
    thin: bool | None = None
    secrets: list[str] | None = None


def requests(face: Face) -> Reply:
    """Every request that was let in, oldest first, with its parameters as they were sent."""
    return as_json(list(face.notes))


def begin_load(face: Face) -> Reply:
    """Count anew from here."""
    face.load.forget()
    return as_json(face.load.shown())


def put_permissions(tx: Transaction, call: Call) -> Reply:
    """What a restricted key may do from now on: ``{"invoice": "write", "charge": "read"}``."""
    allowed = call.read(dict[str, Level])
    tx.put(Permissions(id=call.path["key"], allowed=msgspec.json.encode(allowed).decode()))
    return as_json(allowed)


def patch_endpoint(tx: Transaction, call: Call) -> Reply:
    found, body = tx.get(Endpoint, call.path["id"]), call.read(EndpointBody)
    if found is None:
        raise unknown("webhook endpoint", call.path["id"])
    if body.api_version is not None:
        try:
            found.api_version = checked(body.api_version)
        except Wrong as wrong:
            return as_json(wrong.body("req_control"), wrong.status)
    if body.enabled_events is not None:
        found.enabled_events = msgspec.json.encode(body.enabled_events).decode()
    if body.secrets is not None:
        found.secrets = msgspec.json.encode(body.secrets).decode()
    if body.thin is not None:
        found.thin = body.thin
    tx.put(found)
    return as_json({**endpoint_shape(tx, found), "thin": found.thin})


def hosted(tx: Transaction, call: Call) -> Reply:
    """The invoice's own page: the same address for ever, a fresh token behind it each time."""
    invoice = tx.get(Invoice, call.path["id"])
    if invoice is None:
        raise unknown("invoice", call.path["id"])
    token = PayToken(
        id=new_id("pay"), customer=invoice.customer, invoice=invoice.id, expires_at=tx.now + PAY_TOKEN_LIFE
    )
    tx.put(token)
    return Answer(303, b"", location=f"{call.base_url}/sandbox/pay/{token.id}")


def routes(face: Face) -> list[Route]:
    sandbox = face.sandbox

    def writing(work: Work) -> Handler:
        def handle(sandbox: Sandbox, call: Call) -> Reply:
            with sandbox.database.transaction() as tx:
                return work(tx, call)

        return handle

    def at(method: str, path: str, handler: Handler) -> Route:
        return Route(f"/sandbox/stripe{path}", endpoint(sandbox, handler, keyless=True), methods=[method])

    return [
        at("GET", "/requests", lambda _sandbox, _call: requests(face)),
        at("GET", "/load", lambda _sandbox, _call: as_json(face.load.shown())),
        at("DELETE", "/load", lambda _sandbox, _call: begin_load(face)),
        at("PUT", "/keys/{key}/permissions", writing(put_permissions)),
        at("PATCH", "/webhook_endpoints/{id}", writing(patch_endpoint)),
        at("GET", "/hosted/{id}", writing(hosted)),
    ]
