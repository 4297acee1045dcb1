"""One exchange of HTTP with a processor, with a bound on everything: one deadline for the whole of it and one size for a body.

It follows no redirect, heeds no proxy of the environment and repeats nothing. Every processor that is asked over HTTP is asked through here, so that what bounds one
bounds all. Whatever goes wrong is said in our own words: an address, a key and a body never reach a message.
"""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus
from types import UnionType
from typing import Any, TypeVar, overload

import httpx
import msgspec

from dunr.certificates import trusted

Kind = TypeVar("Kind")

CONNECTIONS_MAX = 100
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
    """One whole answer. The names of its headers are in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def is_ok(self) -> bool:
        return HTTPStatus.OK <= self.status < HTTPStatus.MULTIPLE_CHOICES

    @overload
    def read(self, kind: type[Kind]) -> Kind: ...

    @overload
    def read(self, kind: UnionType) -> Any: ...  # noqa: ANN401 - any one of them

    def read(self, kind: Any) -> Any:
        """The body as the given kind. Raises `Unreadable`, which quotes nothing of it."""
        try:
            return msgspec.json.decode(self.body, type=kind)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            raise Unreadable(f"HTTP {self.status} with a body that cannot be read") from None


class BoundedHttp:
    """The connections to one processor; threads may share them."""

    def __init__(
        self,
        whom: str,
        *,
        timeout_seconds: float,
        body_bytes_max: int,
        base_url: str = "",
        headers: Mapping[str, str] | None = None,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        """`whom` is what messages call the processor; `timeout_seconds` bounds the whole of each exchange. `transport` may forbid addresses."""
        self._whom = whom
        self._timeout_seconds = timeout_seconds
        self._body_bytes_max = body_bytes_max
        self._http = httpx.Client(
            base_url=base_url,
            headers=dict(headers or {}),
            timeout=timeout_seconds,
            limits=httpx.Limits(max_connections=CONNECTIONS_MAX, max_keepalive_connections=CONNECTIONS_MAX),
            follow_redirects=False,
            verify=trusted(),
            trust_env=False,
            transport=transport,
        )

    def close(self) -> None:
        """Let go of the connections."""
        self._http.close()

    def send(
        self,
        method: str,
        url: str,
        *,
        query: Mapping[str, str] | None = None,
        content: str | bytes | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Answer:
        """Send once. Raises `NoAnswer`."""
        deadline = time.monotonic() + self._timeout_seconds
        try:
            request = self._http.build_request(method, url, params=query, content=content, headers=dict(headers or {}))
            response = self._http.send(request, stream=True)
            try:
                body = self._whole(response, deadline)
            finally:
                response.close()
        except NEVER_SENT as error:
            raise NoAnswer(f"{self._whom} was not reached ({type(error).__name__})", sent=False) from None
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise NoAnswer(f"no answer from {self._whom} ({type(error).__name__})", sent=True) from None
        return Answer(response.status_code, {name.lower(): value for name, value in response.headers.items()}, body)

    def _whole(self, response: httpx.Response, deadline: float) -> bytes:
        """The whole body, in time: a server that sends one byte now and then is as silent as one that sends none."""
        body = bytearray()
        for chunk in response.iter_bytes():
            body += chunk
            if len(body) > self._body_bytes_max:
                raise NoAnswer(f"the answer of {self._whom} is too long to be one", sent=True)
            if time.monotonic() > deadline:
                raise NoAnswer(f"the answer of {self._whom} did not end in time", sent=True)
        return bytes(body)
