"""What arrives: an event is proved, its head is decoded and judged, and only later what it is about.

The signature comes first, over the raw bytes. After it only id, type, account and mode are decoded; an event of another account or mode, or of a type that is not
used, is recorded with its reason and never applied.
"""

import hashlib
from collections.abc import Mapping
from datetime import datetime

import msgspec

from dunr.adapters.processors.admission import MarkedHeader, WebhookAccount
from dunr.adapters.processors.sandbox.wire import EventBody, EventHead
from dunr.errors import BadEvent, BadRequest
from dunr.ports import Inbound, InboundState, Subject

NAME = "sandbox"

INVOICE_EVENTS = frozenset(
    {"invoice.payment_failed", "invoice.paid", "invoice.updated", "invoice.voided", "invoice.written_off"}
    | {"charge.succeeded", "charge.failed", "charge.pending", "charge.returned", "charge.refunded"}
)
DISPUTE_EVENTS = frozenset({"dispute.opened", "dispute.closed"})
SUBSCRIPTION_EVENTS = frozenset({"subscription.updated", "subscription.deleted"})
CUSTOMER_EVENTS = frozenset(
    {"customer.updated", "customer.deleted"}
    | {"payment_method.attached", "payment_method.detached", "payment_method.updated"}
)
SUPPORTED_EVENTS = INVOICE_EVENTS | DISPUTE_EVENTS | SUBSCRIPTION_EVENTS | CUSTOMER_EVENTS


SIGNATURE = MarkedHeader("Sandbox-Signature", "Compare DUNR_WEBHOOK_SECRETS with the sender's.")


def received(body: bytes, headers: Mapping[str, str], account: WebhookAccount, now: datetime) -> Inbound:
    """One event as received. Raises `BadSignature`, or `BadRequest` where it is signed and still no event."""
    SIGNATURE.check(headers, body, account, now)
    try:
        head = msgspec.json.decode(body, type=EventHead)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        raise BadRequest(
            "The body is signed, but it is no event: it must be a JSON object with id, type, account and live."
        ) from None
    note = _ignored_because(head, account)
    return Inbound(
        key=f"{NAME}:{head.account}:{head.id}",
        processor=NAME,
        account=head.account,
        event_type=head.type,
        live=head.live,
        received_at=now,
        body=body,
        body_sha256=hashlib.sha256(body).hexdigest(),
        state=InboundState.IGNORED if note else InboundState.WAITING,
        note=note,
    )


def _ignored_because(head: EventHead, account: WebhookAccount) -> str:
    """Why an event is recorded and not applied; empty where it is applied."""
    if head.account != account.account:
        return "it belongs to another account"
    if head.live != account.live:
        ours, theirs = ("live", "test") if account.live else ("test", "live")
        return f"it is of {theirs} mode, and this is {ours} mode"
    if head.type not in SUPPORTED_EVENTS:
        return "events of this type are not used"
    return ""


def subject_of(inbound: Inbound) -> Subject:
    """What an event is about. Raises `BadEvent` where it lacks what its type must name."""
    kind = inbound.event_type
    try:
        data = msgspec.json.decode(inbound.body, type=EventBody).data
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        raise BadEvent(f"{kind} has no readable data") from None
    if kind in INVOICE_EVENTS | DISPUTE_EVENTS and data.invoice is None:
        raise BadEvent(f"{kind} names no invoice")
    if kind in SUBSCRIPTION_EVENTS and data.subscription is None:
        raise BadEvent(f"{kind} names no subscription")
    if kind in CUSTOMER_EVENTS | DISPUTE_EVENTS and data.customer is None:
        raise BadEvent(f"{kind} names no customer")
    return Subject(data.invoice, data.subscription, data.customer, wide=kind not in INVOICE_EVENTS)
