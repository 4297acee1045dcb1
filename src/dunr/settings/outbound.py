"""What may be set together where messages go out to the merchant's own systems and people."""

import base64
import ipaddress
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dunr.settings.values import Settings

PUBLISH_SECRET_BYTES_MIN = 24
PAIRS = (("publish_url", "publish_secret"), ("alert_url", "alert_secret"), ("may_charge_url", "may_charge_secret"))
PLAIN_ADDRESS = re.compile(r"[^\s@<>,;:\"\\\x00-\x1f]{1,64}@[A-Za-z0-9](?:[A-Za-z0-9.-]{0,252}[A-Za-z0-9])?")


def outbound_contradictions(settings: "Settings") -> Iterator[str]:
    """Everything that is wrong, each with what to write instead."""
    for url, secret in PAIRS:
        given = getattr(settings, secret)
        if (getattr(settings, url) is None) != (given is None):
            yield f"{url} and {secret} belong together, since what we send is signed: write both, or neither"
        if given and not _is_webhook_secret(given):
            yield (
                f"{secret} is no secret of Standard Webhooks: write {secret} = "
                f'"whsec_…" with {PUBLISH_SECRET_BYTES_MIN} or more random bytes in base64 behind whsec_'
            )
    for address in settings.alert_mail_to:
        if PLAIN_ADDRESS.fullmatch(address) is None:
            yield 'alert_mail_to must hold plain addresses: write alert_mail_to = ["ops@example.com"]'
    for named in settings.outbound_allowed or ():
        if not _is_network(named):
            yield f'outbound_allowed holds "{named}", which is no address and no network: write outbound_allowed = ["10.1.0.0/16"]'


def _is_webhook_secret(secret: str) -> bool:
    try:
        return len(base64.b64decode(secret.removeprefix("whsec_"), validate=True)) >= PUBLISH_SECRET_BYTES_MIN
    except ValueError:  # not base64
        return False


def _is_network(named: str) -> bool:
    try:
        ipaddress.ip_network(named, strict=False)
    except ValueError:
        return False
    return True
