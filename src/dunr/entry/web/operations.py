"""One operation of the API: what it is called, who may, what goes in, what comes out.

The same table makes the routes and the OpenAPI document, so that they cannot disagree. Handlers are plain functions that run in a thread.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Annotated, Any, TypeVar

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from dunr.entry.web.admission import admit
from dunr.entry.web.bodies import API_BODY_BYTES_MAX, decode, read_body
from dunr.entry.web.face import WebFace, refuse_nul
from dunr.errors import BadRequest
from dunr.tokens import Scope

Kind = TypeVar("Kind")

Instant = Annotated[datetime, msgspec.Meta(tz=True)]
YEAR_MIN, YEAR_MAX = 1990, 2200
LIMIT_MAX = 500
LIMIT_DIGITS_MAX = 9  # zeros in front included: a number of thousands of digits is no number to Python
LIMIT_DEFAULT = 100


@dataclass(frozen=True, slots=True)
class Call:
    """One request, admitted and read."""

    path: Mapping[str, str]
    query: Mapping[str, str]
    headers: Mapping[str, str]
    body: bytes
    actor: str

    def read(self, kind: type[Kind]) -> Kind:
        """The JSON body. Raises `BadRequest`."""
        return decode(self.body, kind)

    @property
    def limit(self) -> int:
        """How many rows at most."""
        text = self.query.get("limit", str(LIMIT_DEFAULT))
        is_number = text.isascii() and text.isdecimal() and len(text) <= LIMIT_DIGITS_MAX
        if not is_number or not 1 <= int(text) <= LIMIT_MAX:
            raise BadRequest(f"limit must be a number between 1 and {LIMIT_MAX}.")
        return int(text)


@dataclass(frozen=True, slots=True)
class Answer:
    """What a handler answers."""

    value: object
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Operation:
    """One method of one address. `refusals` are the statuses that it may answer besides those of every operation."""

    method: str
    path: str
    summary: str
    handle: Callable[[WebFace, Call], Answer]
    answer: Any
    scope: Scope = Scope.READ
    status: int = 200
    body: type | None = None
    query: Mapping[str, str] = field(default_factory=dict)
    refusals: tuple[int, ...] = ()

    def route(self, face: WebFace) -> Route:
        """The route that serves it."""
        threads = face.reading if self.scope is Scope.READ else face.acting

        async def endpoint(request: Request) -> Response:
            body = await read_body(request, API_BODY_BYTES_MAX) if request.method == "POST" else b""
            answer = await threads.run(lambda: self._perform(face, request, body))
            return encoded(answer)

        return Route(self.path, endpoint, methods=[self.method], name=f"{self.method} {self.path}")

    def _perform(self, face: WebFace, request: Request, body: bytes) -> Answer:
        actor = admit(face, request, self.scope)
        refuse_nul(*request.path_params.values(), *request.query_params.values())
        return self.handle(face, Call(request.path_params, request.query_params, request.headers, body, actor))


def encoded(answer: Answer) -> Response:
    """An answer as JSON."""
    if answer.status == 304:  # noqa: PLR2004 - not modified, so there is nothing to send
        return Response(None, answer.status, dict(answer.headers))
    return Response(
        msgspec.json.encode(answer.value), answer.status, dict(answer.headers), media_type="application/json"
    )


def in_utc(at: datetime) -> datetime:
    """The same instant as dunr keeps it. Raises `BadRequest` for one that no calendar of ours reaches."""
    if not YEAR_MIN <= at.year <= YEAR_MAX:
        raise BadRequest(f"An instant must lie between the years {YEAR_MIN} and {YEAR_MAX}.")
    return at.astimezone(UTC)
