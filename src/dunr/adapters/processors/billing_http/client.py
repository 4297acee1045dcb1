"""Signed HTTP to the billing system, with a bound on everything: one deadline for an exchange, one size for a body, no redirect, no repeat.

Each call is signed as Standard Webhooks says, so that the merchant checks it with a library that they have for our other messages. Whatever goes wrong is said in our
own words: an address, a secret and a body never reach a message.
"""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import httpx
import msgspec
from standardwebhooks import Webhook

BODY_BYTES_MAX = 1024 * 1024
CONNECTIONS_MAX = 100


class NoAnswer(Exception):
    """Nothing came back that could be called an answer; whether the request was seen, nobody knows."""


class Unreadable(Exception):
    """An answer came, but it does not say what it must."""


@dataclass(frozen=True, slots=True)
class Answer:
    """One whole answer."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    def read(self, kind: Any) -> Any:  # noqa: ANN401 - a union of answers, as msgspec takes it
        """The body as one of the given kinds. Raises `Unreadable`, which quotes nothing of it."""
        try:
            return msgspec.json.decode(self.body, type=kind)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            raise Unreadable(f"HTTP {self.status} with a body that the contract does not know") from None


class BillingClient:
    """The connection to one billing system; threads may share it. `now` is the time that signatures carry."""

    def __init__(self, secret: str, timeout_seconds: float, now: Callable[[], datetime]) -> None:
        """`timeout_seconds` bounds the whole of each exchange; `secret` is base64, as in `whsec_…`."""
        self._timeout_seconds = timeout_seconds
        self._now = now
        self._signer = Webhook(secret)
        self._http = httpx.Client(
            headers={"user-agent": "dunr", "content-type": "application/json"},
            timeout=timeout_seconds,
            limits=httpx.Limits(max_connections=CONNECTIONS_MAX, max_keepalive_connections=CONNECTIONS_MAX),
            follow_redirects=False,
            trust_env=False,
        )

    def close(self) -> None:
        """Let go of the connections."""
        self._http.close()

    def post(
        self, url: str, body: object, message_id: str, headers: Mapping[str, str] | None = None
    ) -> Answer | NoAnswer:
        """One signed call, made once."""
        content = msgspec.json.encode(body)
        now = self._now().astimezone(UTC)
        signed = {
            "webhook-id": message_id,
            "webhook-timestamp": str(int(now.timestamp())),
            "webhook-signature": self._signer.sign(message_id, now, content.decode()),
        }
        deadline = time.monotonic() + self._timeout_seconds
        try:
            with self._http.stream("POST", url, content=content, headers={**signed, **(headers or {})}) as response:
                read = _body(response, deadline)
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            return NoAnswer(f"no answer from the billing system ({type(error).__name__})")
        if read is None:
            return NoAnswer("the billing system's answer did not end in time, or is too long to be one")
        return Answer(response.status_code, {name.lower(): value for name, value in response.headers.items()}, read)


def _body(response: httpx.Response, deadline: float) -> bytes | None:
    """The whole body, in time: a server that sends one byte now and then is as silent as one that sends none."""
    body = bytearray()
    for chunk in response.iter_bytes():
        body += chunk
        if len(body) > BODY_BYTES_MAX or time.monotonic() > deadline:
            return None
    return bytes(body)
