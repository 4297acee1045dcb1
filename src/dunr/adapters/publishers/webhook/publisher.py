"""The merchant's own endpoint: what a change of access, the end of a charge, an alert and a notice that is due read like as messages."""

from collections.abc import Callable
from datetime import datetime, timedelta

import httpx

from dunr.adapters.publishers.webhook.alerts import alert_data, alert_event
from dunr.adapters.publishers.webhook.signed import SignedSender
from dunr.core.alerting import AlertWord
from dunr.core.effects import Notice, Publish, PublishCharge
from dunr.core.terms import ChargeEnd
from dunr.ports import Clock, Delivery

CHARGE_EVENTS = {
    ChargeEnd.PAID: "charge.paid",
    ChargeEnd.NOT_PAID: "charge.not_paid",
    ChargeEnd.CLOSED: "charge.closed",
}

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
        self._sender = SignedSender(url, secret, client, clock)
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
        return self._sender.post(message.key, "access.changed", message.at, data)

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
        return self._sender.post(message.key, CHARGE_EVENTS[message.end], message.at, data)

    def alert(self, word: AlertWord) -> Delivery:
        """Tell a person, by whatever the merchant hangs on this endpoint."""
        return self._sender.post(word.key, alert_event(word), word.at, alert_data(word))

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
        return self._sender.post(notice.key, "notice.due", now, data)
