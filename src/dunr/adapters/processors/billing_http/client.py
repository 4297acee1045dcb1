"""Signed HTTP to the billing system.

Each call is signed as Standard Webhooks says, so that the merchant checks it with a library that they have for our other messages.
"""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime

import msgspec
from standardwebhooks import Webhook

from dunr.adapters.processors.exchange import Answer, BoundedHttp, NoAnswer

BODY_BYTES_MAX = 1024 * 1024


class BillingClient:
    """The connection to one billing system; threads may share it. `now` is the time that signatures carry."""

    def __init__(self, secret: str, timeout_seconds: float, now: Callable[[], datetime]) -> None:
        """`timeout_seconds` bounds the whole of each exchange; `secret` is base64, as in `whsec_…`."""
        self._now = now
        self._signer = Webhook(secret)
        self._http = BoundedHttp(
            "the billing system",
            timeout_seconds=timeout_seconds,
            body_bytes_max=BODY_BYTES_MAX,
            headers={"user-agent": "dunr", "content-type": "application/json"},
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
