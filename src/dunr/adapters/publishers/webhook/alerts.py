"""Alerts to an endpoint: how one alert, many of a kind, and the end of either read as a message."""

from collections.abc import Mapping

import httpx

from dunr.adapters.publishers.webhook.signed import SignedSender
from dunr.core.alerting import AlertWord
from dunr.core.effects import RaiseAlert
from dunr.ports import Clock, Delivery

SHOWN_MAX = 50  # of many; the rest are counted


class AlertWebhook:
    """Tells people by an endpoint of its own: a chat, a pager."""

    def __init__(self, url: str, secret: str, client: httpx.Client, clock: Clock) -> None:
        """Signed as every message of ours is."""
        self._sender = SignedSender(url, secret, client, clock)

    def alert(self, word: AlertWord) -> Delivery:
        """One message."""
        return self._sender.post(word.key, alert_event(word), word.at, alert_data(word))


def alert_event(word: AlertWord) -> str:
    """The type of the message."""
    ending = "resolved" if word.is_end else "raised"
    return f"alert.{ending}" if len(word.alerts) == 1 else f"alerts.{ending}"


def alert_data(word: AlertWord) -> Mapping[str, object]:
    """What the message says: one alert, or how many there are and the first of them."""
    if len(word.alerts) == 1:
        return {"kind": word.kind.value, **_one(word.alerts[0])}
    shown = [_one(alert) for alert in word.alerts[:SHOWN_MAX]]
    return {"kind": word.kind.value, "count": len(word.alerts), "alerts": shown}


def _one(alert: RaiseAlert) -> Mapping[str, object]:
    return {"alert": alert.ends or alert.key, "case": alert.case_id, "text": alert.text, "at": alert.at}
