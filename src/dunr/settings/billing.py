"""What may not be set together where the merchant's own billing system takes the charges."""

import base64
import binascii
from collections.abc import Iterator
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from dunr.settings.values import Settings

NAME = "billing_http"
SECRET_BYTES_MIN = 24
EXAMPLE_SECRET = "whsec_<base64 of 32 random bytes>"  # noqa: S105 - an example


def billing_contradictions(settings: "Settings") -> Iterator[str]:
    """Everything that is wrong, each with what to write instead."""
    if settings.processor != NAME:
        return
    calls = (
        () if settings.billing_decision_only else (("billing_charge_url", "charge"), ("billing_look_up_url", "look-up"))
    )
    for key, what in calls:
        url = getattr(settings, key)
        if url is None:
            yield f'processor = "{NAME}" needs the address of your {what} call: write {key} = "https://billing.example.com/{what}"'
        elif settings.live and urlsplit(url).scheme != "https":
            yield f'live = true with {key} = "{url}", which anybody can overhear: write an https address'
    if not settings.billing_decision_only and not is_strong_secret(settings.billing_secret):
        yield f'processor = "{NAME}" signs its calls: write billing_secret = "{EXAMPLE_SECRET}"'
    if settings.webhook_secrets_file is None and not all(is_strong_secret(one) for one in settings.webhook_secrets):
        yield f'processor = "{NAME}" takes signed reports: write webhook_secrets = ["{EXAMPLE_SECRET}"]'
    both = set(settings.billing_retryable_codes) & set(settings.billing_final_codes)
    if both:
        yield f"{', '.join(sorted(both))} cannot be retryable and final: take it out of billing_retryable_codes or billing_final_codes"


def is_strong_secret(secret: str | None) -> bool:
    """Whether it is base64 of enough bytes, as Standard Webhooks has it."""
    try:
        return len(base64.b64decode((secret or "").removeprefix("whsec_"), validate=True)) >= SECRET_BYTES_MIN
    except (binascii.Error, ValueError):
        return False
