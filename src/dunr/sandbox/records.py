"""The rows of the sandbox, one struct a table. Every field is one column."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

import msgspec

InvoiceStatus = Literal["draft", "open", "paid", "void", "written_off"]
ChargeStatus = Literal["succeeded", "declined", "pending", "returned"]
Payer = Literal["api", "customer", "processor"]


class Record(msgspec.Struct, kw_only=True):
    """What all rows share: a name."""

    id: str


class Customer(Record, kw_only=True):
    """Who owes."""

    deleted: bool = False
    email: str | None = None
    name: str | None = None
    locale: str | None = None
    timezone: str | None = None
    country: str | None = None
    default_card: str | None = None


class Card(Record, kw_only=True):
    """A payment method. No number is ever stored, only what a receipt may show."""

    customer: str
    network: str | None = "visa"
    rail: str = "card"
    last4: str = "4242"
    fingerprint: str
    expires: str | None = None
    country: str | None = None  # where it was issued: "BR"
    detached: bool = False
    network_token: bool = False
    backup: bool = False  # the customer agreed that it is charged when the default one fails
    came_with_subscription: str | None = None  # put on file to start that subscription
    created_at: datetime | None = None  # None: longer ago than this book goes back


class Script(Record, kw_only=True):
    """What the next charges of a card answer; the id is the card's, which may not exist yet."""

    outcomes: str  # a JSON list
    position: int = 0
    given: bool = True  # False: we assumed it from a first failure


class UpdaterScript(Record, kw_only=True):
    """What the updater answers next about a card; the id is the card's, which may not exist yet."""

    outcomes: str  # a JSON list
    position: int = 0


class RefreshRequest(Record, kw_only=True):
    """One request for fresher details of a card, and what it came to."""

    card: str
    customer: str
    outcome: str
    fingerprint_before: str | None
    fingerprint_after: str | None
    expires_before: str | None
    expires_after: str | None
    at: datetime


class Subscription(Record, kw_only=True):
    """What is paid for, period by period."""

    customer: str
    status: str = "active"
    period_end_at: datetime | None = None
    default_card: str | None = None  # goes before the customer's own


class Invoice(Record, kw_only=True):
    """What is owed for one period."""

    customer: str
    subscription: str | None = None
    status: InvoiceStatus = "open"
    amount_total_minor: int
    amount_due_minor: int
    credited_minor: int = 0
    currency: str
    collection_method: str = "charge_automatically"
    first_invoice: bool = False
    first_failed_at: datetime | None = None
    next_attempt_at: datetime | None = None
    own_retry_count: int = 0
    left_alone: bool = False  # told not to act on it by ourselves
    products: str | None = None  # a JSON list
    tags: str | None = None  # a JSON list
    created_at: datetime
    updated_at: datetime


class Charge(Record, kw_only=True):
    """One try at moving money that the processor has booked."""

    invoice: str
    customer: str
    key: str | None
    amount_minor: int
    currency: str
    card: str | None
    card_fingerprint: str | None
    status: ChargeStatus
    error_code: str | None = None
    decline_code: str | None = None
    advice_code: str | None = None
    network_decline_code: str | None = None
    network_advice_code: str | None = None
    at: datetime
    settled_at: datetime | None = None
    refunded_minor: int = 0
    return_code: str | None = None
    intent: str | None = None
    request: str | None = None
    updated_at: datetime


class Intent(Record, kw_only=True):
    """A payment that waits for the customer's word to their bank."""

    charge: str
    invoice: str
    card: str
    amount_minor: int
    status: Literal["requires_action", "succeeded", "cancelled"] = "requires_action"


class Dispute(Record, kw_only=True):
    """The cardholder's word against ours."""

    customer: str
    charge: str
    invoice: str
    card_fingerprint: str | None
    amount_minor: int
    status: Literal["open", "won", "lost", "warning_closed"] = "open"
    reinstated: bool = False
    reason: str | None = None
    opened_at: datetime
    closed_at: datetime | None = None


class ChargeRequest(Record, kw_only=True):
    """One request for money, whatever became of it: the witness's own list."""

    by: Payer = "api"
    invoice: str
    key: str | None = None
    amount_minor: int | None = None
    currency: str | None = None
    card: str | None = None
    outcome: str
    decline_code: str | None = None
    captured: bool = False
    charge: str | None = None
    at: datetime
    answer_status: int | None = None
    answer_body: str | None = None


class RememberedKey(Record, kw_only=True):
    """The id is the idempotency key; the answer is on the request that came first."""

    request: str
    fingerprint: str
    first_at: datetime


class AgendaItem(Record, kw_only=True):
    """Something the processor will do by itself, written down so that a kill cannot lose it."""

    kind: Literal["book", "settle", "own_retry"]
    due_at: datetime
    subject: str
    detail: str = ""


class Event(Record, kw_only=True):
    """A webhook's exact bytes, and any odd way in which it was asked to be signed."""

    event_id: str | None
    type: str
    created_at: datetime
    body: str
    signed_offset_seconds: int = 0
    signed_with: str | None = None  # JSON list of secrets instead of the configured ones
    signature: str | None = None  # the whole header, as given
    endpoint: str | None = None  # whom it is for, where that is not the one configured receiver


class Delivery(Record, kw_only=True):
    """One try at delivering one event, and the answer."""

    event: str
    attempt_number: int = 1
    status: Literal["waiting", "delivered", "failed", "dropped"] = "waiting"
    first_due_at: datetime
    due_at: datetime
    sent_at: datetime | None = None
    signature: str | None = None
    response_status: int | None = None
    response_body: str | None = None
    error: str | None = None


class PayToken(Record, kw_only=True):
    """One link to the hosted page, for one purpose and a short time."""

    customer: str
    invoice: str | None
    expires_at: datetime
    used_at: datetime | None = None
