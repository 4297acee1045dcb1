"""Events and objects in Stripe's shapes, one for each version that told them otherwise. All of them are about the same failed invoice."""

import hashlib
import hmac
import json
from datetime import UTC, datetime
from typing import Any

Json = dict[str, Any]

ACCOUNT = "acct_shop"
SECRET = "whsec_first_endpoint"
OTHER_SECRET = "whsec_second_endpoint"
AT = datetime(2026, 6, 23, 10, tzinfo=UTC)
SECOND = int(AT.timestamp())

OLDEST = "2020-03-02"
BEFORE_BASIL = "2024-09-30.acacia"
BASIL = "2025-03-31.basil"
NEWEST = "2026-10-28.endive"
CLASSIC_VERSIONS = (OLDEST, "2020-08-27", "2022-11-15", BEFORE_BASIL, BASIL, NEWEST)


def is_since_basil(version: str) -> bool:
    return version >= "2025-03-31"


def signed(body: bytes, *secrets: str, at: datetime = AT, scheme: str = "v1") -> dict[str, str]:
    """The headers over these bytes, with one mark for each secret."""
    second = int(at.timestamp())
    marks = [
        f"{scheme}={hmac.new(secret.encode(), f'{second}.'.encode() + body, hashlib.sha256).hexdigest()}"
        for secret in secrets or (SECRET,)
    ]
    return {"Stripe-Signature": ",".join([f"t={second}", *marks])}


def event(kind: str, told: Json, version: str = NEWEST, before: Json | None = None, **more: object) -> bytes:
    """A classic event, pretty-printed as Stripe sends it."""
    data: Json = {"object": told} if before is None else {"object": told, "previous_attributes": before}
    body: Json = {
        "id": "evt_1",
        "object": "event",
        "api_version": version,
        "created": SECOND,
        "data": data,
        "livemode": False,
        "pending_webhooks": 1,
        "request": {"id": None, "idempotency_key": None},
        "type": kind,
    }
    return json.dumps(body | more, indent=2).encode()


def thin(kind: str, related_type: str, related_id: str, **more: object) -> bytes:
    """A thin event, which names one object and nothing of it."""
    body: Json = {
        "id": "evt_test_thin",
        "object": "v2.core.event",
        "created": "2026-06-23T10:00:00.000Z",
        "type": kind,
        "livemode": False,
        "reason": None,
        "related_object": {"id": related_id, "type": related_type, "url": f"/v1/{related_type}s/{related_id}"},
    }
    return json.dumps(body | more).encode()


def invoice(version: str) -> Json:
    """The invoice as an event shows it: the same facts in other places."""
    shown: Json = {
        "id": "in_1",
        "object": "invoice",
        "status": "open",
        "customer": "cus_1",
        "amount_due": 4900,
        "amount_paid": 0,
        "amount_remaining": 4900,
        "attempt_count": 1,
        "attempted": True,
        "billing_reason": "subscription_cycle",
        "collection_method": "charge_automatically",
        "created": SECOND - 3600,
        "currency": "usd",
        "livemode": False,
    }
    if is_since_basil(version):
        details = {"metadata": {}, "subscription": "sub_1"}
        return shown | {"parent": {"type": "subscription_details", "subscription_details": details}}
    return shown | {"subscription": "sub_1", "charge": "ch_1", "payment_intent": "pi_1", "paid": False}


def charge(version: str) -> Json:
    """The failed charge as an event shows it."""
    shown: Json = {
        "id": "ch_1",
        "object": "charge",
        "amount": 4900,
        "customer": "cus_1",
        "payment_intent": "pi_1",
        "status": "failed",
        "failure_code": "card_declined",
        "livemode": False,
    }
    return shown if is_since_basil(version) else shown | {"invoice": "in_1"}


def intent(version: str) -> Json:
    """The intent that failed as an event shows it."""
    shown: Json = {
        "id": "pi_1",
        "object": "payment_intent",
        "amount": 4900,
        "customer": "cus_1",
        "status": "requires_payment_method",
        "livemode": False,
    }
    return shown | ({} if is_since_basil(version) else {"invoice": "in_1"})


def method(customer: str | None = "cus_1") -> Json:
    return {"id": "pm_1", "object": "payment_method", "type": "card", "customer": customer, "livemode": False}


def subscription(status: str = "past_due") -> Json:
    return {"id": "sub_1", "object": "subscription", "customer": "cus_1", "status": status, "livemode": False}


def dispute() -> Json:
    """A dispute names its charge and its intent, and never whose it is."""
    return {
        "id": "dp_1",
        "object": "dispute",
        "amount": 4900,
        "charge": "ch_1",
        "payment_intent": "pi_1",
        "reason": "fraudulent",
        "status": "needs_response",
        "livemode": False,
    }
