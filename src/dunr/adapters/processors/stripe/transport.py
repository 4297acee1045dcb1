"""The SDK's HTTP, with a bound on everything: one deadline for the whole exchange, one size for a body, no redirect, no proxy of the environment, no repeat.

Whatever goes wrong is said in our own words. An address, a key and a body never reach a message. What comes back is kept as it came; the SDK, whose objects nobody here
reads and which takes longer to build them than Stripe's answer is on its way, is handed an empty one.
"""

import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import httpx
import stripe

BODY_BYTES_MAX = 16 * 1024 * 1024
CONNECTIONS_MAX = 100
NOTHING_MORE = "{}"  # what the SDK makes its objects of
NEVER_SENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout, httpx.UnsupportedProtocol)

# The SDK would write an identifier of this machine into the user's folder and send it along with how long calls took.
stripe.enable_telemetry = False


class NoAnswer(Exception):
    """Nothing came back that could be called an answer. `sent`: whether Stripe may have seen the request."""

    def __init__(self, why: str, *, sent: bool) -> None:
        super().__init__(why)
        self.sent = sent


@dataclass(frozen=True, slots=True)
class Raw:
    """What came back, as it came."""

    status: int
    headers: Mapping[str, str]
    body: str


class BoundedTransport(stripe.HTTPClient):
    """What the SDK sends through. Threads may share it."""

    name = "httpx"

    def __init__(self, timeout_seconds: float) -> None:
        """`timeout_seconds` bounds the whole of each exchange."""
        super().__init__()
        self._timeout_seconds = timeout_seconds
        self._heard = threading.local()
        self._http = httpx.Client(
            timeout=timeout_seconds,
            limits=httpx.Limits(max_connections=CONNECTIONS_MAX, max_keepalive_connections=CONNECTIONS_MAX),
            follow_redirects=False,
            trust_env=False,
        )

    def request(
        self,
        method: str,
        url: str,
        headers: Mapping[str, str] | None,
        post_data: Any = None,  # noqa: ANN401 - as the SDK has it: an encoded form
        *,
        _usage: list[str] | None = None,
    ) -> tuple[str, int, Mapping[str, str]]:
        """Send once. Raises `NoAnswer`, which the SDK lets through."""
        deadline = time.monotonic() + self._timeout_seconds
        try:
            request = self._http.build_request(method, url, headers=dict(headers or {}), content=post_data)
            response = self._http.send(request, stream=True)
            try:
                body = _body(response, deadline)
            finally:
                response.close()
        except NEVER_SENT as error:
            raise NoAnswer(f"Stripe was not reached ({type(error).__name__})", sent=False) from None
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise NoAnswer(f"no answer from Stripe ({type(error).__name__})", sent=True) from None
        raw = Raw(response.status_code, response.headers, body.decode(errors="replace"))
        self._heard.raw = raw
        return NOTHING_MORE, raw.status, raw.headers

    def forget(self) -> None:
        """Begin an exchange of this thread: nothing has been heard yet."""
        self._heard.raw = None

    def heard(self) -> Raw | None:
        """What this thread heard last, since it forgot."""
        raw: Raw | None = self._heard.raw
        return raw

    def close(self) -> None:
        """Let go of the connections."""
        self._http.close()


def _body(response: httpx.Response, deadline: float) -> bytes:
    """The whole body, in time: a server that sends one byte now and then is as silent as one that sends none."""
    body = bytearray()
    for chunk in response.iter_bytes():
        body += chunk
        if len(body) > BODY_BYTES_MAX:
            raise NoAnswer("Stripe's answer is too long to be one", sent=True)
        if time.monotonic() > deadline:
            raise NoAnswer("Stripe's answer did not end in time", sent=True)
    return bytes(body)
