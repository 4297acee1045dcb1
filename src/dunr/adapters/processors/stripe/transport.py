"""The SDK's HTTP, bounded as every other exchange with a processor is.

What comes back is kept as it came; the SDK, whose objects nobody here reads and which takes longer to build them than Stripe's answer is on its way, is handed an empty
one.
"""

import threading
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import stripe

from dunr.adapters.processors.exchange import BoundedHttp

BODY_BYTES_MAX = 16 * 1024 * 1024
NOTHING_MORE = "{}"  # what the SDK makes its objects of

# The SDK would write an identifier of this machine into the user's folder and send it along with how long calls took.
stripe.enable_telemetry = False


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
        self._heard = threading.local()
        self._http = BoundedHttp("Stripe", timeout_seconds=timeout_seconds, body_bytes_max=BODY_BYTES_MAX)

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
        answer = self._http.send(method, url, content=post_data, headers=headers)
        raw = Raw(answer.status, answer.headers, answer.body.decode(errors="replace"))
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
