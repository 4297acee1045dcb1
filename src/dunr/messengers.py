"""By what the merchant's application is told, and people of alerts: the part of the bootstrap that is about them. Each adapter is imported where it is selected."""

from collections.abc import Mapping
from contextlib import ExitStack

from dunr.alerts import Way
from dunr.mailroom import link_of, mail_transport
from dunr.outbound import LOOPBACK, guarded_client
from dunr.ports import Clock, Publisher
from dunr.settings import Settings


def allowed_for(settings: Settings) -> tuple[str, ...]:
    """The private networks that messages may go to. This machine is open to rehearsals, so that they need no setting; live keys find it closed."""
    if settings.outbound_allowed is not None:
        return settings.outbound_allowed
    return () if settings.live else LOOPBACK


def messengers_of(settings: Settings, clock: Clock, opened: ExitStack) -> tuple[Publisher, Mapping[str, Way]]:
    """What tells the application, and every way by which people are told; where no way is named, alerts stand on their page."""
    publisher, ways = _publisher(settings, clock, opened), _alert_ways(settings, clock, opened)
    if settings.publish_url is None and ways:
        return publisher, ways
    return publisher, {"application": publisher.alert, **ways}


def _publisher(settings: Settings, clock: Clock, opened: ExitStack) -> Publisher:
    if settings.publish_url is not None and settings.publish_secret is not None:
        from dunr.adapters.publishers.webhook import WebhookPublisher

        client = guarded_client(allowed_for(settings))
        opened.callback(client.close)
        return WebhookPublisher(settings.publish_url, settings.publish_secret, client, clock, link_of(settings))
    from dunr.adapters.publishers.none import StoredOnlyPublisher

    return StoredOnlyPublisher()


def _alert_ways(settings: Settings, clock: Clock, opened: ExitStack) -> Mapping[str, Way]:
    """Every way that the settings name, by a name that tells no address."""
    ways: dict[str, Way] = {}
    if settings.alert_url is not None and settings.alert_secret is not None:
        from dunr.adapters.publishers.webhook import AlertWebhook

        client = guarded_client(allowed_for(settings))
        opened.callback(client.close)
        ways["webhook"] = AlertWebhook(settings.alert_url, settings.alert_secret, client, clock).alert
    if settings.alert_mail_to:
        from dunr.mail.alert_mail import AlertMail

        transport = mail_transport(settings)
        close = getattr(transport, "close", None)
        if close is not None:
            opened.callback(close)
        for number, to in enumerate(settings.alert_mail_to, 1):
            ways[f"mail {number}"] = AlertMail(transport, to, settings.mail_from, settings.links_base).alert
    return ways
