"""The webhook endpoint at Stripe: which events it must tell, what our key must be allowed, and how it is made.

The events are those that the adapter uses, without those that no classic endpoint can be told to send: they come in thin form, or from endpoints of older versions.
"""

from collections.abc import Sequence
from typing import cast

import msgspec
from stripe.params import WebhookEndpointCreateParams, WebhookEndpointUpdateParams

from dunr.adapters.processors.stripe.client import StripeConnection
from dunr.adapters.processors.stripe.events import SUPPORTED_EVENTS
from dunr.adapters.processors.stripe.wire import API_VERSION, Id, Listed
from dunr.inspection import Connected
from dunr.pacing import Unpaced

EVERYTHING = "*"
ENDPOINTS_MAX = 100
NOT_OF_CLASSIC_ENDPOINTS = frozenset(
    {"customer.subscription.default_payment_method_changed", "customer.subscription.past_due"}
    | {"customer.subscription.unpaid", "payment_method.card_automatically_updated"}
)
ENDPOINT_EVENTS = tuple(sorted(SUPPORTED_EVENTS - NOT_OF_CLASSIC_ENDPOINTS))


class EndpointOnWire(msgspec.Struct):
    """An endpoint; its secret is told once."""

    id: Id
    url: str
    status: str
    enabled_events: list[str]
    api_version: str | None = None
    secret: str | None = None

    @property
    def lacks(self) -> Sequence[str]:
        """The events that we need and that it does not tell."""
        told = set(self.enabled_events)
        return () if EVERYTHING in told else tuple(one for one in ENDPOINT_EVENTS if one not in told)

    @property
    def tells_besides(self) -> Sequence[str]:
        """The events that we have no use for."""
        return tuple(sorted(set(self.enabled_events) - set(ENDPOINT_EVENTS)))


def endpoints(connection: StripeConnection, account: str) -> Sequence[EndpointOnWire]:
    """Every endpoint of the account. Raises `SnapshotUnavailable` or `KeyRefused`."""
    listing, options = connection.v1.webhook_endpoints, connection.options(account)
    return connection.read(lambda: listing.list({"limit": ENDPOINTS_MAX}, options), Listed[EndpointOnWire]).data


class StripeConnector:
    """Makes the endpoint of one account; with connected accounts it hears of theirs, too."""

    def __init__(self, connection: StripeConnection, account: str, *, connected: bool) -> None:
        """Keep the connection; nothing is asked yet."""
        self._connection = connection
        self._account = account
        self._connected = connected

    @classmethod
    def opened(
        cls, *, url: str, api_key: str, account: str, timeout_seconds: float, connected: bool
    ) -> "StripeConnector":
        """A connector with a connection of its own."""
        connection = StripeConnection(
            url=url, api_key=api_key, account=account, timeout_seconds=timeout_seconds, pace=Unpaced()
        )
        return cls(connection, account, connected=connected)

    def connect(self, url: str) -> Connected:
        """Make the endpoint, or have the one at this address tell what it does not yet. Raises `SnapshotUnavailable`."""
        found = next((one for one in endpoints(self._connection, self._account) if one.url == url), None)
        calls, options = self._connection.v1.webhook_endpoints, self._connection.options(self._account)
        if found is None:
            wanted = cast(
                "WebhookEndpointCreateParams",
                {"url": url, "enabled_events": list(ENDPOINT_EVENTS), "api_version": API_VERSION, "description": "dunr"}
                | ({"connect": True} if self._connected else {}),
            )
            made = self._connection.read(lambda: calls.create(wanted, options), EndpointOnWire)
            return Connected(made.id, made.secret)
        lacked = found.lacks
        if lacked:
            change = cast("WebhookEndpointUpdateParams", {"enabled_events": sorted({*found.enabled_events, *lacked})})
            self._connection.read(lambda: calls.update(found.id, change, options), EndpointOnWire)
        return Connected(found.id, None, lacked)

    def close(self) -> None:
        """Let go of the connections."""
        self._connection.close()
