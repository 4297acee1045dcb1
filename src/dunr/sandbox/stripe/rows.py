"""What only the Stripe face has to remember: its endpoints, events, keys and refunds."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from dunr.sandbox.records import Record


class Endpoint(Record, kw_only=True):
    """A webhook endpoint, pinned to the API version of the objects that it gets."""

    url: str
    secrets: str  # a JSON list; two while one is being replaced
    api_version: str | None = None  # None: whatever the account's default is
    enabled_events: str = '["*"]'  # a JSON list
    status: Literal["enabled", "disabled"] = "enabled"
    description: str | None = None
    metadata: str = "{}"
    connect: bool = False  # hears of connected accounts, not of the platform's own
    thin: bool = False  # gets ids to look up instead of objects
    created_at: datetime


class StripeEvent(Record, kw_only=True):
    """One event as ``/v1/events`` shows it, in the account's own API version."""

    type: str
    created_at: datetime
    body: str


class StripeKey(Record, kw_only=True):
    """An idempotency key and the first answer it got; ids are scoped to account and mode."""

    fingerprint: str
    request_id: str
    first_at: datetime
    charge_request: str | None = None  # whose result is the answer, once it is known
    api_version: str
    answer_status: int | None = None
    answer_body: str | None = None


class StripeRefund(Record, kw_only=True):
    """Money given back, one row each time."""

    charge: str
    amount_minor: int
    reason: str | None = None
    metadata: str = "{}"
    created_at: datetime


class Permissions(Record, kw_only=True):
    """What a restricted key may do; the id is the key."""

    allowed: str  # a JSON object: resource → none, read or write
