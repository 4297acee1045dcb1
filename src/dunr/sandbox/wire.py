"""HTTP in and out: handlers are plain functions on a call, run off the event loop.

Endpoints carry their own error answers, so that their routes may be mounted
in another app without our middleware.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TypeVar

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from .answers import Answer, Delayed, Reply, Silence, Waiting, as_json
from .machine import Sandbox
from .records import ChargeRequest
from .refusals import Problem, Refusal, invalid, not_found
from .strangers import refuse_strangers

S = TypeVar("S")

BODY_BYTES_MAX = 1_000_000
POLL_SECONDS = 0.02
STRIPE_PATHS = ("/v1/", "/v2/")

# Two pools: a receiver of a slow send must still be able to call the processor.
QUICK = ThreadPoolExecutor(16, thread_name_prefix="sandbox-quick")
_SLOW = ThreadPoolExecutor(8, thread_name_prefix="sandbox-slow")


@dataclass(frozen=True)
class Call:
    """One HTTP request, read whole."""

    path: Mapping[str, str]
    query: Mapping[str, str]
    headers: Mapping[str, str]
    body: bytes
    base_url: str

    def read(self, kind: type[S]) -> S:
        """The JSON body as the given type; an empty body is an empty object."""
        try:
            return msgspec.json.decode(self.body or b"{}", type=kind)
        except (msgspec.DecodeError, RecursionError) as error:
            raise invalid(f"The body does not fit: {error}.") from None


Handler = Callable[[Sandbox, Call], Reply]
Endpoint = Callable[[Request], Awaitable[Response]]


def endpoint(sandbox: Sandbox, handler: Handler, *, slow: bool = False, keyless: bool = False) -> Endpoint:
    """``keyless``: nobody has to show a key, so whoever asks must at least be no page of somebody else."""

    async def answer(request: Request) -> Response:
        if keyless:
            try:
                refuse_strangers(request)
            except Problem as problem:
                return _response(_problem(problem))
        body = await whole_body(request)
        if body is None:
            return _response(_problem(Problem(413, "Too large", f"At most {BODY_BYTES_MAX} bytes.")))
        call = Call(request.path_params, request.query_params, request.headers, body, base_url(request))
        loop = asyncio.get_running_loop()
        reply = await loop.run_in_executor(_SLOW if slow else QUICK, _guarded, sandbox, handler, call)
        if isinstance(reply, Waiting):
            reply = await wait(reply, lambda waiting: _booked(sandbox, waiting.request))
        if isinstance(reply, Delayed):
            await asyncio.sleep(reply.seconds)
            reply = reply.answer
        return Silent() if isinstance(reply, Silence) else _response(reply)

    return answer


async def no_such_route(request: Request, _error: Exception) -> Response:
    """A wrong address in the words of the face that was meant."""
    what = f"{request.method} {request.url.path}"
    if request.url.path.startswith(STRIPE_PATHS):
        error = {"type": "invalid_request_error", "message": f"Unrecognized request URL ({what})."}
        return _response(as_json({"error": error}, 404))
    if request.url.path.startswith("/processor"):
        return _response(as_json(not_found("route", what).body(), 404))
    problem = Problem(404, "Not found", f"There is no {what}. The faces are /sandbox/… and /processor/v1/….")
    return _response(_problem(problem))


def _problem(problem: Problem) -> Answer:
    return Answer(problem.status, msgspec.json.encode(problem.body()), media_type="application/problem+json")


def base_url(request: Request) -> str:
    """Where this app is rooted as the caller sees it, its mount included."""
    return f"{request.url.scheme}://{request.url.netloc}{request.scope.get('root_path', '')}"


async def whole_body(request: Request) -> bytes | None:
    """The whole body, or None as soon as it is longer than anything we could be asked."""
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > BODY_BYTES_MAX:
            return None
    return bytes(body)


def _guarded(sandbox: Sandbox, handler: Handler, call: Call) -> Reply:
    try:
        return handler(sandbox, call)
    except Refusal as refusal:
        return as_json(refusal.body(), refusal.status)
    except Problem as problem:
        return _problem(problem)


async def wait(waiting: Waiting, look: Callable[[Waiting], Answer | None]) -> Answer:
    """Hold the line until the agenda has booked the result; it does so with or without us."""
    loop = asyncio.get_running_loop()
    remaining = (waiting.due_at - datetime.now(waiting.due_at.tzinfo)) / timedelta(seconds=1)
    await asyncio.sleep(max(0.0, remaining))
    while True:
        booked = await loop.run_in_executor(QUICK, look, waiting)
        if booked is not None:
            return booked
        await asyncio.sleep(POLL_SECONDS)


def _booked(sandbox: Sandbox, request_id: str) -> Answer | None:
    with sandbox.database.read() as tx:
        request = tx.get(ChargeRequest, request_id)
    if request is None or request.answer_status is None or request.answer_body is None:
        return None
    return Answer(request.answer_status, request.answer_body.encode())


def _response(answer: Answer) -> Response:
    headers = {"Idempotent-Replayed": "true"} if answer.replayed else {}
    if answer.location is not None:
        headers["Location"] = answer.location
    return Response(answer.body, answer.status, headers, media_type=answer.media_type)


class Silent(Response):
    """Closes the connection with nothing said, as a dead processor would.

    ASGI has no word for that. Under uvicorn the receive function belongs to
    the request cycle, which knows its transport; anywhere else we can only
    break off inside a response, which a client reads as a lost one too.
    """

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        assert scope["type"] == "http", "only HTTP requests reach a handler"
        transport = getattr(getattr(receive, "__self__", None), "transport", None)
        if transport is not None:
            transport.close()
            while (await receive())["type"] != "http.disconnect":
                pass
            return
        await send({"type": "http.response.start", "status": 500, "headers": [(b"content-length", b"1")]})
        raise ConnectionAbortedError("the sandbox was told to drop this connection")
