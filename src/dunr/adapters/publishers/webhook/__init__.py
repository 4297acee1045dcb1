"""Signed webhooks: to the merchant's application, and of alerts to people."""

from dunr.adapters.publishers.webhook.alerts import AlertWebhook
from dunr.adapters.publishers.webhook.publisher import WebhookPublisher

__all__ = ["AlertWebhook", "WebhookPublisher"]
