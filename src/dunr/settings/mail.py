"""What must be set together for mail to leave, and for news of it to come back."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dunr.settings.values import Settings

TOPIC = re.compile(r"arn:aws(?:-cn|-us-gov)?:sns:[a-z0-9-]+:\d{12}:[A-Za-z0-9_-]{1,256}(?:\.fifo)?")
BOUNCE_LOCAL_PART_MAX = 20  # so that a token fits behind it


def mail_contradictions(settings: "Settings", placeholder_from: str, placeholder_name: str) -> Iterator[str]:
    """What is missing, or does not go together."""
    leaves = settings.mailer != "log"
    if settings.mailer == "smtp" and not settings.smtp_host:
        yield 'mailer = "smtp" needs a server: write smtp_host = "smtp.example.com"'
    if settings.mailer == "ses" and not settings.ses_region:
        yield 'mailer = "ses" needs a region: write ses_region = "eu-west-2"'
    if leaves and (settings.mail_from == placeholder_from or "@" not in settings.mail_from):
        yield f'mailer = "{settings.mailer}" needs a sender: write mail_from = "billing@example.com"'
    if leaves and settings.merchant_name == placeholder_name:
        yield f'mailer = "{settings.mailer}" would sign mails with a placeholder: write merchant_name = "Your name"'
    if (settings.smtp_user is None) != (settings.smtp_password is None):
        yield "smtp_user and smtp_password belong together: write both, or neither"
    if settings.smtp_user is not None and settings.smtp_security == "none":
        yield 'smtp_password would travel in the clear: write smtp_security = "starttls" or "tls"'
    if settings.mail_channel == "own" and settings.publish_url is None:
        yield 'mail_channel = "own" needs to know whom to tell: write publish_url = "https://app.example.com/hooks/dunr" and publish_secret'
    for topic in settings.sns_topics:
        if TOPIC.fullmatch(topic) is None:
            yield 'sns_topics must hold whole names: write sns_topics = ["arn:aws:sns:eu-west-2:123456789012:dunr-feedback"]'
    if settings.bounce_address is not None and not _is_short_address(settings.bounce_address):
        yield f'bounce_address must be a plain address with at most {BOUNCE_LOCAL_PART_MAX} signs before the @: write bounce_address = "bounces@example.com"'


def _is_short_address(address: str) -> bool:
    local, _, domain = address.rpartition("@")
    plain = re.fullmatch(r"[A-Za-z0-9._-]+", local) is not None and re.fullmatch(r"[A-Za-z0-9.-]+", domain) is not None
    return plain and len(local) <= BOUNCE_LOCAL_PART_MAX
