"""One signed message to one endpoint. Knows Standard Webhooks: how a message is signed, named and repeated, and what an answer means."""

import hashlib
import re
from collections.abc import Mapping
from datetime import UTC, datetime

import httpx
import msgspec
import structlog
from standardwebhooks import Webhook
from standardwebhooks.webhooks import EmptyWebhookSecretError

from dunr.errors import SettingsError
from dunr.ports import Clock, Delivery

_log = structlog.get_logger()

TIMEOUT_SECONDS = 10.0

# What may stand in a header as the message's id.
_PLAIN_ID = re.compile(r"[\x21-\x7e]{1,256}")


class SignedSender:
    """Posts messages with their keys as ids: who remembers ids sees a repeat as one.

    A 2xx is an answer, a 410 is a wish to hear no more, anything else is tried again by whoever calls.
    """

    def __init__(self, url: str, secret: str, client: httpx.Client, clock: Clock) -> None:
        """`secret` is base64, as in `whsec_…`; receivers compare the signed time of `clock` with theirs."""
        if not url.startswith(("https://", "http://")):
            raise SettingsError("The webhook URL must begin with https:// or http://.")
        try:
            self._signer = Webhook(secret)
        except (ValueError, EmptyWebhookSecretError) as error:
            raise SettingsError("The webhook secret must be base64 (whsec_…) and not empty.") from error
        self._url = url
        self._client = client
        self._clock = clock

    def post(self, key: str, event_type: str, at: datetime, data: Mapping[str, object]) -> Delivery:
        """One message, once."""
        body = msgspec.json.encode({"type": event_type, "timestamp": at, "data": data})
        message_id = key if _PLAIN_ID.fullmatch(key) else hashlib.sha256(key.encode()).hexdigest()
        now = self._clock.now().astimezone(UTC)
        headers = {
            "content-type": "application/json",
            "webhook-id": message_id,
            "webhook-timestamp": str(int(now.timestamp())),
            "webhook-signature": self._signer.sign(message_id, now, body.decode()),
        }
        try:
            # The answer's body is of no interest and is not read, however long it is. A redirect is no receipt.
            with self._client.stream(
                "POST", self._url, content=body, headers=headers, timeout=TIMEOUT_SECONDS, follow_redirects=False
            ) as response:
                return _told(key, response.status_code)
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            _log.warning("webhook_not_sent", key=key, error=type(error).__name__)
            return Delivery.FAILED_FOR_NOW


def _told(key: str, status: int) -> Delivery:
    if httpx.codes.is_success(status):
        return Delivery.SENT
    gone = status == httpx.codes.GONE
    _log.warning("webhook_refused", key=key, status=status)
    return Delivery.UNDELIVERABLE if gone else Delivery.FAILED_FOR_NOW
