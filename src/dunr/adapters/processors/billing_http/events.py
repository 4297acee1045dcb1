"""What arrives: a report of the billing system that a charge has changed, signed as our own calls are.

A report is a hint, and is believed in nothing but that: what it is about is looked at, and the answer to that counts.
"""

import hashlib
import hmac
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import msgspec
from standardwebhooks import Webhook

from dunr.adapters.processors.billing_http.wire import Report
from dunr.errors import BadEvent, BadRequest, BadSignature
from dunr.ports import Inbound, InboundState, Subject

NAME = "billing_http"
REPORTED = "charge.changed"
ID_LENGTH_MAX = 255


@dataclass(frozen=True, slots=True, kw_only=True)
class BillingAccount:
    """Which account this is, and what proves that a report is from it."""

    account: str
    live: bool
    webhook_secrets: Sequence[str]  # may change while we run
    tolerance_seconds: int


def received(body: bytes, headers: Mapping[str, str], account: BillingAccount, now: datetime) -> Inbound:
    """One report as received. Raises `BadSignature`, or `BadRequest` where it is signed and still no report."""
    given = {name.lower(): value for name, value in headers.items() if name.lower().startswith("webhook-")}
    message_id = given.get("webhook-id", "")
    _check(body, given, account, now)
    try:
        report = msgspec.json.decode(body, type=Report)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        raise BadRequest(
            'The body is signed, but it is no report: write {"type": "charge.changed", "data": {"charge": "…"}}.'
        ) from None
    is_used = report.type == REPORTED
    return Inbound(
        key=f"{NAME}:{account.account}:{message_id}",
        processor=NAME,
        account=account.account,
        event_type=report.type,
        live=account.live,
        received_at=now,
        body=body,
        body_sha256=hashlib.sha256(body).hexdigest(),
        state=InboundState.WAITING if is_used else InboundState.IGNORED,
        note="" if is_used else "reports of this type are not used",
    )


def subject_of(inbound: Inbound) -> Subject:
    """Which charge an event is about. Raises `BadEvent` where it names none."""
    try:
        charge = msgspec.json.decode(inbound.body, type=Report).data.charge
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        raise BadEvent(f"{inbound.event_type} has no readable data") from None
    if charge is None:
        raise BadEvent(f"{inbound.event_type} names no charge")
    return Subject(processor_invoice_id=charge)


def _check(body: bytes, given: Mapping[str, str], account: BillingAccount, now: datetime) -> None:
    """Raise `BadSignature` unless the body was signed with one of the secrets, not too long ago and not in the future.

    The skew is set only where the signature itself is right: then a clock is off, and not the sender.
    """
    message_id, time, marks = (given.get(f"webhook-{name}", "") for name in ("id", "timestamp", "signature"))
    if not message_id or len(message_id) > ID_LENGTH_MAX or not (time.isascii() and time.isdigit() and len(time) <= 12):  # noqa: PLR2004 - seconds
        raise BadSignature(
            "The webhook-id and webhook-timestamp headers must name the message and its time in seconds."
        )
    signed_at = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=int(time))
    if not any(_fits(secret, message_id, signed_at, body, marks) for secret in account.webhook_secrets):
        raise BadSignature(
            "No v1 signature fits any configured secret. Compare DUNR_WEBHOOK_SECRETS with the sender's."
        )
    skew_seconds = int((now.astimezone(UTC) - signed_at).total_seconds())
    if abs(skew_seconds) > account.tolerance_seconds:
        raise BadSignature(
            f"The signature is genuine, but its time is {abs(skew_seconds)} s "
            f"{'old' if skew_seconds > 0 else 'in the future'}; {account.tolerance_seconds} s are allowed. Check both clocks.",
            skew_seconds,
        )


def _fits(secret: str, message_id: str, signed_at: datetime, body: bytes, marks: str) -> bool:
    """Whether one of the space-separated signatures is of this secret."""
    try:
        expected = Webhook(secret).sign(message_id, signed_at, body.decode()).encode()
    except UnicodeDecodeError:
        return False
    return any(hmac.compare_digest(expected, mark.encode()) for mark in marks.split(" ")[:16])
