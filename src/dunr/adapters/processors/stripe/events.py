"""What arrives: an event is proved, its head is decoded and judged, and only later what it is about.

The signature comes first, over the raw bytes. After it only id, type, account, version and mode are decoded. An event of an account that is not served, of the other
mode, or of a type that is not used, is recorded with its reason and never applied. Classic events and thin ones (`v2.core.event`) come in at the same address.
"""

import hashlib
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated

import msgspec

from dunr.adapters.processors.admission import MarkedHeader, WebhookAccount
from dunr.errors import BadRequest
from dunr.ports import Inbound, InboundState

NAME = "stripe"
EVERY_ACCOUNT = "*"
THIN_PREFIX = "v1."  # a thin event about an object of the classic API carries its classic type behind this

INVOICE_EVENTS = frozenset(
    {"invoice.updated", "invoice.paid", "invoice.payment_succeeded"}
    | {"invoice.payment_failed", "invoice.payment_action_required", "invoice.payment_attempt_required"}
    | {"invoice.voided", "invoice.marked_uncollectible", "invoice.deleted", "invoice.overdue", "invoice.overpaid"}
    | {"invoice_payment.paid", "credit_note.created", "credit_note.updated", "credit_note.voided"}
)
CHARGE_EVENTS = frozenset(
    {"charge.succeeded", "charge.failed", "charge.pending", "charge.refunded"}
    | {"payment_intent.succeeded", "payment_intent.payment_failed", "payment_intent.processing"}
    | {"payment_intent.requires_action", "payment_intent.canceled"}
)
DISPUTE_EVENTS = frozenset(
    {"charge.dispute.created", "charge.dispute.updated", "charge.dispute.closed"}
    | {"charge.dispute.funds_withdrawn", "charge.dispute.funds_reinstated"}
)
SUBSCRIPTION_EVENTS = frozenset(
    f"customer.subscription.{change}"
    for change in ("updated", "deleted", "paused", "resumed", "past_due", "unpaid", "default_payment_method_changed")
)
CUSTOMER_EVENTS = frozenset(
    {"customer.updated", "customer.deleted", "payment_method.attached", "payment_method.detached"}
    | {"payment_method.updated", "payment_method.automatically_updated", "payment_method.card_automatically_updated"}
    | {"customer.source.created", "customer.source.updated", "customer.source.deleted"}
)
SUPPORTED_EVENTS = INVOICE_EVENTS | CHARGE_EVENTS | DISPUTE_EVENTS | SUBSCRIPTION_EVENTS | CUSTOMER_EVENTS
REASONS_OF_THEIR_OWN = {
    "invoice.created": "a draft is not to be collected yet",
    "invoice.finalized": "no charge of this invoice has failed yet",
    "invoice.upcoming": "an upcoming invoice has no id yet, so there is nothing to collect",
    "invoice.will_be_due": "the invoice is not due yet",
    "customer.subscription.created": "the first payment of a subscription is made in the browser",
}

SIGNATURE = MarkedHeader(
    "Stripe-Signature",
    "Compare webhook_secrets with the signing secret of each endpoint at Stripe, and let nothing between Stripe and dunr change the body.",
)

Text = Annotated[str, msgspec.Meta(min_length=1, max_length=200, pattern=r"^[\x21-\x7e]*\Z")]
# How many endpoints an event still waits for differs between two deliveries of the same event.
DELIVERIES_LEFT_NAME = b'"pending_webhooks"'
DELIVERIES_LEFT = re.compile(rb'"pending_webhooks"\s*:\s*[0-9]+')


class Head(msgspec.Struct):
    """All that is decoded of an event before it is stored. A thin event has neither a version nor an account, but may have a context."""

    id: Text
    type: Text
    livemode: bool
    account: Text | None = None
    api_version: Text | None = None
    context: str | None = None


_heads = msgspec.json.Decoder(Head)


@dataclass(frozen=True, slots=True, kw_only=True)
class StripeAccount(WebhookAccount):
    """Which account this is, which connected ones it serves, and what proves that an event is from Stripe. Each endpoint has a secret of its own."""

    connected: Collection[str] = ()

    def serves(self, account: str) -> bool:
        """Whether this account, or one that is connected to it, is meant."""
        return account == self.account or account in self.connected or EVERY_ACCOUNT in self.connected


def received(body: bytes, headers: Mapping[str, str], account: StripeAccount, now: datetime) -> Inbound:
    """One event as received. Raises `BadSignature`, or `BadRequest` where it is signed and still no event.

    The key carries the version in which the endpoint is told: one event told to two endpoints in two versions is two bodies, and neither is a forgery of the other.
    """
    SIGNATURE.check(headers, body, account, now)
    try:
        head = _heads.decode(body)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        raise BadRequest(
            "The body is signed, but it is no event of Stripe: it must be a JSON object with id, type and livemode."
        ) from None
    owner = head.account or _last_of(head.context) or account.account
    note = _ignored_because(head, owner, account)
    told_in = f"@{head.api_version}" if head.api_version is not None else ""
    return Inbound(
        key=f"{NAME}:{owner}:{head.id}{told_in}",
        processor=NAME,
        account=owner,
        event_type=head.type,
        live=head.livemode,
        received_at=now,
        body=body,
        body_sha256=hashlib.sha256(_without_deliveries_left(body)).hexdigest(),
        state=InboundState.IGNORED if note else InboundState.WAITING,
        note=note,
    )


def classic_type(event_type: str) -> str:
    """The type as a classic event has it: `invoice.paid` for `v1.invoice.paid`."""
    return event_type.removeprefix(THIN_PREFIX)


def _without_deliveries_left(body: bytes) -> bytes:
    """The body as it is in every delivery. The name is looked for first, since it stands behind thousands of bytes that the expression would walk through."""
    at = body.find(DELIVERIES_LEFT_NAME)
    return body if at < 0 else body[:at] + DELIVERIES_LEFT.sub(b"", body[at:])


def _last_of(context: str | None) -> str | None:
    """The account that a thin event's context ends in; contexts of organizations name the way to it."""
    last = (context or "").rpartition("/")[2]
    return last if last.startswith("acct_") else None


def _ignored_because(head: Head, owner: str, account: StripeAccount) -> str:
    """Why an event is recorded and not applied; empty where it is applied."""
    if not account.serves(owner):
        return "it belongs to another account"
    if head.livemode != account.live:
        ours, theirs = ("live", "test") if account.live else ("test", "live")
        return f"it is of {theirs} mode, and this is {ours} mode"
    kind = classic_type(head.type)
    if kind not in SUPPORTED_EVENTS:
        return REASONS_OF_THEIR_OWN.get(kind, "events of this type are not used")
    return ""
