"""Errors as the caller reads them: problem+json, with what happened and what to do, and nothing else.

No traceback, no secret, no word of the body that came in. People at a browser get the same as a page.
"""

from collections.abc import Awaitable, Callable, Mapping
from http import HTTPStatus
from typing import cast

import msgspec
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from dunr.entry.web.headers import SAFE
from dunr.errors import CallerError, DunrError, StoreUnavailable

RETRY_AFTER_SECONDS = 2
API_PREFIXES = ("/v1/", "/webhooks/", "/openapi.json", "/healthz", "/readyz")


class Problem(msgspec.Struct, frozen=True):
    """What went wrong (RFC 9457)."""

    type: str
    title: str
    status: int
    detail: str


class TooLarge(CallerError):
    """The body is longer than what is read here."""

    http_status = 413
    title = "Too large"


class TooSlow(CallerError):
    """The body did not arrive in time."""

    http_status = 408
    title = "Too slow"


class NotReadable(CallerError):
    """The body has a form that is not read here."""

    http_status = 415
    title = "Unsupported form"


class Busy(DunrError):
    """More is asked at this moment than can be queued; nothing was done."""


def problem_of(error: Exception) -> Problem:
    """What the caller may know of an error."""
    match error:
        case CallerError():
            title, status, detail = error.title, error.http_status, str(error)
        case StoreUnavailable():
            title, status, detail = "Store unavailable", 503, "The store did not answer. Nothing was done; try again."
        case Busy():
            title, status, detail = "Busy", 503, str(error)
        case HTTPException():
            phrase = HTTPStatus(error.status_code).phrase
            title, status, detail = phrase, error.status_code, _routing_detail(error.status_code)
        case _:
            title, status, detail = "Internal error", 500, "Something is wrong here; the log of dunr tells more."
    return Problem(f"urn:dunr:problem:{title.lower().replace(' ', '-')}", title, status, detail)


def _routing_detail(status: int) -> str:
    match status:
        case 404:
            return "There is nothing at this address; /openapi.json lists what there is."
        case 405:
            return "This address does not take that method; the header Allow names those that it takes."
        case _:
            return HTTPStatus(status).description or "The request was refused."


def problem_response(problem: Problem, headers: Mapping[str, str] | None = None) -> Response:
    """A problem on the wire."""
    return Response(
        msgspec.json.encode(problem), problem.status, dict(headers or {}), media_type="application/problem+json"
    )


def extra_headers(error: Exception) -> dict[str, str]:
    """What a status obliges us to send with it."""
    headers: dict[str, str] = {}
    match error:
        case HTTPException():
            headers.update(error.headers or {})
        case StoreUnavailable() | Busy():
            headers["Retry-After"] = str(RETRY_AFTER_SECONDS)
        case TooLarge() | TooSlow():
            headers["Connection"] = "close"  # the rest of the body is not read
        case CallerError() if error.http_status == HTTPStatus.UNAUTHORIZED:
            headers["WWW-Authenticate"] = 'Bearer realm="dunr"'
        case _:
            pass
    return headers


ErrorPage = Callable[[Problem, Mapping[str, str]], Response]
Handler = Callable[[Request, Exception], Awaitable[Response]]


def error_handler(page: ErrorPage) -> Handler:
    """Answers every error; `page` shows it to people."""

    async def answer(request: Request, error: Exception) -> Response:
        problem, headers = problem_of(error), extra_headers(error)
        if problem.status == HTTPStatus.INTERNAL_SERVER_ERROR:
            headers |= SAFE
        if is_for_people(request):
            if problem.status == HTTPStatus.UNAUTHORIZED:
                headers["WWW-Authenticate"] = 'Basic realm="dunr: an API token as the password"'
            return page(problem, headers)
        return problem_response(problem, headers)

    return cast("Handler", answer)


def is_for_people(request: Request) -> bool:
    """Whether the answer is read by a person: a card link always, the API never."""
    path = request.url.path
    if path.startswith("/pay/"):
        return True
    return not path.startswith(API_PREFIXES) and "text/html" in request.headers.get("accept", "")
