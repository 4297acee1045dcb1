"""The merchant's own endpoint. Knows Standard Webhooks: how a message is signed, named and repeated."""

import hashlib
import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta

import httpx
import msgspec
import structlog
from standardwebhooks import Webhook
from standardwebhooks.webhooks import EmptyWebhookSecretError

from dunr.core.effects import Notice, Publish, PublishCharge, RaiseAlert
from dunr.core.terms import ChargeEnd
from dunr.errors import SettingsError
from dunr.ports import Clock, Delivery

_log = structlog.get_logger()

TIMEOUT_SECONDS = 10.0

CHARGE_EVENTS = {
    ChargeEnd.PAID: "charge.paid",
    ChargeEnd.NOT_PAID: "charge.not_paid",
    ChargeEnd.CLOSED: "charge.closed",
}

# What may stand in a header as the message's id.
_PLAIN_ID = re.compile(r"[\x21-\x7e]{1,256}")


VALID_FOR = timedelta(days=1)  # where no attempt is planned
LinkOf = Callable[[str, int, datetime], str | None]


def no_link(_case_id: str, _round: int, _at: datetime) -> str | None:
    """Where nobody makes links."""
    return None


class WebhookPublisher:
    """Posts each change and each alert, signed, with its effect's key as id: who remembers ids sees a repeat as one.

    A 2xx is an answer, a 410 is a wish to hear no more, anything else is tried again by whoever calls.
    """

    def __init__(self, url: str, secret: str, client: httpx.Client, clock: Clock, link_of: LinkOf = no_link) -> None:
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
        self._link_of = link_of

    def publish(self, message: Publish) -> Delivery:
        """Tell the application that access changed. It keeps the highest version that it has seen."""
        processor, account, subscription = message.subscription_id.split(":", 2)
        data = {
            "processor": processor,
            "account": account,
            "subscription": subscription,  # as the entitlement check is asked for it
            "access": message.access.value,
            "version": message.access_version,
            "why": message.why,
            "at": message.at,
        }
        return self._post(message.key, "access.changed", message.at, data)

    def publish_charge(self, message: PublishCharge) -> Delivery:
        """Tell the billing system how a charge has ended. It keeps the newest by `at`: late money is taken in, too."""
        processor, account, charge = message.case_id.split(":", 2)
        data = {
            "processor": processor,
            "account": account,
            "charge": charge,
            "status": message.end.value,
            "amount_due_minor": message.amount_due_minor,
            "currency": message.currency,
            "reason": message.reason.value if message.reason is not None else None,
            "reason_code": message.raw_code,
            "at": message.at,
        }
        return self._post(message.key, CHARGE_EVENTS[message.end], message.at, data)

    def alert(self, alert: RaiseAlert) -> Delivery:
        """Tell a person, by whatever the merchant hangs on this endpoint."""
        data = {"kind": alert.kind.value, "case": alert.case_id, "text": alert.text, "at": alert.at}
        return self._post(alert.key, "alert.raised", alert.at, data)

    def notice_due(self, notice: Notice, customer_id: str | None, now: datetime) -> Delivery:
        """What a customer is to be told, by whom they know. It is true until `valid_until`; what is told later may have changed."""
        data = {
            "kind": notice.kind.value,
            "case": notice.case_id,
            "invoice": notice.processor_invoice_id,
            "customer": customer_id.split(":", 2)[2] if customer_id is not None else None,
            "amount_minor": notice.amount_minor,
            "currency": notice.currency,
            "reason": notice.reason.value if notice.reason is not None else None,
            "plan": {
                "step_number": notice.step_number,
                "next_attempt_at": notice.next_attempt_at,
                "pause_at": notice.pause_at,
                "is_warning": notice.is_warning,
            },
            "link": self._link_of(notice.case_id, notice.round, now),
            "valid_until": notice.next_attempt_at or now + VALID_FOR,
        }
        return self._post(notice.key, "notice.due", now, data)

    def _post(self, key: str, event_type: str, at: datetime, data: Mapping[str, object]) -> Delivery:
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
