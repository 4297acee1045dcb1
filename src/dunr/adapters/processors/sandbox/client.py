"""HTTP to the sandbox, with a bound on everything: one deadline for the whole exchange, one size for a body, no redirect, no repeat.

Whatever goes wrong is said in our own words. An address, a key and a body never reach a message.
"""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import TypeVar
from urllib.parse import quote

import httpx
import msgspec

from dunr.ports import Pace

Kind = TypeVar("Kind")

BODY_BYTES_MAX = 8 * 1024 * 1024
CONNECTIONS_MAX = 100
PACE_WAIT_SECONDS_MAX = 5.0  # a look before a send must not grow old meanwhile
LOCK_TIMEOUT = b"lock_timeout"  # a 429 that says nothing about how often we ask
NEVER_SENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout, httpx.UnsupportedProtocol)


class NoAnswer(Exception):
    """Nothing came back that could be called an answer. `sent`: whether the processor may have seen the request."""

    def __init__(self, why: str, *, sent: bool) -> None:
        super().__init__(why)
        self.sent = sent


class Unreadable(Exception):
    """An answer came, but it does not say what it must."""


@dataclass(frozen=True, slots=True)
class Answer:
    """One whole answer."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def is_ok(self) -> bool:
        return HTTPStatus.OK <= self.status < HTTPStatus.MULTIPLE_CHOICES

    def read(self, kind: type[Kind]) -> Kind:
        """The body as the given kind. Raises `Unreadable`, which quotes nothing of it."""
        try:
            return msgspec.json.decode(self.body, type=kind)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            raise Unreadable(f"HTTP {self.status} with a body that cannot be read") from None


def path(*parts: str) -> str:
    """An address below the base; an id is quoted, so that it cannot climb out of its place."""
    return "".join(f"/{quote(part, safe='')}" for part in parts)


class SandboxClient:
    """One account's connection; threads may share it."""

    def __init__(self, base_url: str, api_key: str, timeout_seconds: float, pace: Pace) -> None:
        """`timeout_seconds` bounds the whole of each exchange."""
        self._timeout_seconds = timeout_seconds
        self._pace = pace
        self._http = httpx.Client(
            base_url=f"{base_url.rstrip('/')}/processor/v1",
            headers={"authorization": f"Bearer {api_key}", "user-agent": "dunr"},
            timeout=timeout_seconds,
            limits=httpx.Limits(max_connections=CONNECTIONS_MAX, max_keepalive_connections=CONNECTIONS_MAX),
            follow_redirects=False,
            trust_env=False,
        )

    def close(self) -> None:
        """Let go of the connections."""
        self._http.close()

    def get(self, place: str, query: Mapping[str, str] | None = None) -> Answer:
        """Read something. Raises `NoAnswer`."""
        return self._exchange(self._http.build_request("GET", place, params=query))

    def post(self, place: str, body: Mapping[str, object], headers: Mapping[str, str] | None = None) -> Answer:
        """Ask for something, exactly once. Raises `NoAnswer`."""
        content = msgspec.json.encode(body)
        kind = {"content-type": "application/json"}
        return self._exchange(
            self._http.build_request("POST", place, content=content, headers={**kind, **(headers or {})})
        )

    def _exchange(self, request: httpx.Request) -> Answer:
        if not self._pace.take(min(self._timeout_seconds, PACE_WAIT_SECONDS_MAX)):
            raise NoAnswer("our own rate limit is used up", sent=False)
        answer = self._send(request)
        if answer.status == HTTPStatus.TOO_MANY_REQUESTS and LOCK_TIMEOUT not in answer.body:
            self._pace.refused()
        return answer

    def _send(self, request: httpx.Request) -> Answer:
        deadline = time.monotonic() + self._timeout_seconds
        try:
            response = self._http.send(request, stream=True)
            try:
                body = _body(response, deadline)
            finally:
                response.close()
        except NEVER_SENT as error:
            raise NoAnswer(f"the processor was not reached ({type(error).__name__})", sent=False) from None
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise NoAnswer(f"no answer from the processor ({type(error).__name__})", sent=True) from None
        return Answer(response.status_code, {name.lower(): value for name, value in response.headers.items()}, body)


def _body(response: httpx.Response, deadline: float) -> bytes:
    """The whole body, in time: a server that sends one byte now and then is as silent as one that sends none."""
    body = bytearray()
    for chunk in response.iter_bytes():
        body += chunk
        if len(body) > BODY_BYTES_MAX:
            raise NoAnswer("the processor's answer is too long to be one", sent=True)
        if time.monotonic() > deadline:
            raise NoAnswer("the processor's answer did not end in time", sent=True)
    return bytes(body)
