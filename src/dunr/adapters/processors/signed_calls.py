"""Signed HTTP to a system of the merchant's own.

Each call is signed as Standard Webhooks says, so that the merchant checks it with a library that they have for our other messages.
"""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime

import httpx
import msgspec
from standardwebhooks import Webhook

from dunr.adapters.processors.exchange import Answer, BoundedHttp, NoAnswer

BODY_BYTES_MAX = 1024 * 1024


class SignedCalls:
    """The connections to one system of the merchant; threads may share them. `now` is the time that signatures carry."""

    def __init__(
        self,
        whom: str,
        secret: str,
        timeout_seconds: float,
        now: Callable[[], datetime],
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        """`whom` is what messages call it; `timeout_seconds` bounds the whole of each exchange; `secret` is base64, as in `whsec_…`."""
        self._now = now
        self._signer = Webhook(secret)
        self._http = BoundedHttp(
            whom,
            timeout_seconds=timeout_seconds,
            body_bytes_max=BODY_BYTES_MAX,
            headers={"user-agent": "dunr", "content-type": "application/json"},
            transport=transport,
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
        try:
            return self._http.send("POST", url, content=content, headers={**signed, **(headers or {})})
        except NoAnswer as nothing:
            return nothing
