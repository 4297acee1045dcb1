"""The doors of all processors side by side: how each is signed at, and what each makes of a body. For tests that break in by chance."""

import hashlib
import hmac
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from standardwebhooks import Webhook

from dunr.adapters.processors.admission import WebhookAccount
from dunr.adapters.processors.billing_http import events as billing
from dunr.adapters.processors.sandbox import events as sandbox
from dunr.adapters.processors.stripe import events as stripe
from dunr.adapters.processors.stripe import subjects
from dunr.ports import Inbound, Subject

NOW = datetime(2026, 6, 23, 10, tzinfo=UTC)
SECOND = int(NOW.timestamp())
SECRET = "whsec_" + "ZHVuciBmdXp6IHNlY3JldCBvZiB0aGUgdGVzdHM="
CORPUS = Path(__file__).parent / "corpus"

Headers = Mapping[str, str]


@dataclass(frozen=True)
class Door:
    """One processor's way in."""

    name: str
    headers: tuple[str, ...]  # by which a body is proved
    signed: Callable[[bytes], dict[str, str]]
    verify_at: Callable[[bytes, Headers, datetime], Inbound]
    translate: Callable[[Inbound], Subject]

    def verify(self, body: bytes, headers: Headers) -> Inbound:
        """At the instant of the tests."""
        return self.verify_at(body, headers, NOW)

    def __str__(self) -> str:
        return self.name

    @property
    def corpus(self) -> list[bytes]:
        """The bodies that are kept, each one that this processor sends, or sent once in an odd form."""
        return [path.read_bytes() for path in sorted((CORPUS / self.name).iterdir())]


def _marked(header: str) -> Callable[[bytes], dict[str, str]]:
    def signed(body: bytes) -> dict[str, str]:
        mark = hmac.new(SECRET.encode(), f"{SECOND}.".encode() + body, hashlib.sha256).hexdigest()
        return {header: f"t={SECOND},v1={mark}"}

    return signed


def _standard(body: bytes) -> dict[str, str]:
    try:
        mark = Webhook(SECRET).sign("msg_1", NOW, body.decode())
    except UnicodeDecodeError:
        mark = "v1,none"
    return {"webhook-id": "msg_1", "webhook-timestamp": str(SECOND), "webhook-signature": mark}


def _account(name: str) -> WebhookAccount:
    return WebhookAccount(account=name, live=False, webhook_secrets=(SECRET,), tolerance_seconds=300)


_STRIPE = stripe.StripeAccount(account="acct_shop", live=False, webhook_secrets=(SECRET,), tolerance_seconds=300)

DOORS = (
    Door(
        "sandbox",
        ("sandbox-signature",),
        _marked("sandbox-signature"),
        lambda body, headers, now: sandbox.received(body, headers, _account("acct_sandbox"), now),
        sandbox.subject_of,
    ),
    Door(
        "stripe",
        ("stripe-signature",),
        _marked("stripe-signature"),
        lambda body, headers, now: stripe.received(body, headers, _STRIPE, now),
        subjects.subject_of,
    ),
    Door(
        "billing_http",
        ("webhook-id", "webhook-timestamp", "webhook-signature"),
        _standard,
        lambda body, headers, now: billing.received(body, headers, _account("acct_billing"), now),
        billing.subject_of,
    ),
)
