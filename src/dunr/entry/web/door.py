"""The few addresses that are asked all the time, answered in front of the routes: webhooks, and the check of what a subscriber may do.

Between the server and such an answer there is no route to be found and no object made for the request and the response; that is half of what a small answer costs.
An error goes the way of every other. A request that is not one of these is none of our business.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus

from starlette.datastructures import Address
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.types import ASGIApp, Receive, Scope, Send

from dunr.entry.web.headers import SecurityHeaders, first_of_each
from dunr.entry.web.problems import Handler
from dunr.errors import DunrError

Headers = Sequence[tuple[bytes, bytes]]


@dataclass(slots=True)
class Asked:
    """What such an answer depends on. `named` is the last part of the address, and `headers` have names in lower case."""

    method: str
    named: str
    headers: Mapping[str, str]
    client: Address | None
    receive: Receive


Told = tuple[int, Headers, bytes]  # a status, all of its headers, and a body
Answering = Callable[[Asked], Awaitable[Told | None]]  # None: somebody behind the door answers that


class Door:
    """Middleware that answers what is asked all the time. `answers` are by the address up to its last part, and by method."""

    def __init__(self, app: ASGIApp, answers: Mapping[str, Mapping[str, Answering]], answer_error: Handler) -> None:
        self.app = app
        self._answers = answers
        self._answer_error = answer_error

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer it here, or let it in."""
        if scope["type"] == "http":
            place, slash, named = scope["path"].rpartition("/")
            answers = self._answers.get(place + slash)
            if answers is not None and named:
                await self._answer(answers, named, scope, receive, send)
                return
        await self.app(scope, receive, send)

    async def _answer(
        self, answers: Mapping[str, Answering], named: str, scope: Scope, receive: Receive, send: Send
    ) -> None:
        method, client = scope["method"], scope.get("client")
        asked = Asked(method, named, first_of_each(scope["headers"]), Address(*client) if client else None, receive)
        try:
            told = await (answers.get(method) or _refusing(answers))(asked)
        except (DunrError, HTTPException) as error:
            response = await self._answer_error(Request(scope, receive), error)
            await SecurityHeaders(response)(scope, receive, send)
        else:
            if told is None:
                await self.app(scope, receive, send)
                return
            status, headers, body = told
            await send({"type": "http.response.start", "status": status, "headers": headers})
            await send({"type": "http.response.body", "body": body})


def _refusing(answers: Mapping[str, Answering]) -> Answering:
    """For a method that the address does not take."""

    async def refuse(_asked: Asked) -> Told:
        raise HTTPException(HTTPStatus.METHOD_NOT_ALLOWED, headers={"Allow": ", ".join(answers)})

    return refuse
