"""What arrives: a report of the billing system that a charge has changed, signed as our own calls are.

A report is a hint, and is believed in nothing but that: what it is about is looked at, and the answer to that counts.
"""

import hashlib
from collections.abc import Mapping
from datetime import datetime, timedelta

import msgspec
from standardwebhooks import Webhook

from dunr.adapters.processors.admission import EPOCH, MARKS_MAX, TIMESTAMP, WebhookAccount, refuse_stale, refuse_strange
from dunr.adapters.processors.billing_http.wire import Report
from dunr.errors import BadEvent, BadRequest, BadSignature
from dunr.ports import Inbound, InboundState, Subject

NAME = "billing_http"
REPORTED = "charge.changed"
ID_LENGTH_MAX = 255


def received(body: bytes, headers: Mapping[str, str], account: WebhookAccount, now: datetime) -> Inbound:
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


def _check(body: bytes, given: Mapping[str, str], account: WebhookAccount, now: datetime) -> None:
    """Raise `BadSignature` unless the body was signed with one of the secrets, not too long ago and not in the future."""
    message_id, time, marks = (given.get(f"webhook-{name}", "") for name in ("id", "timestamp", "signature"))
    if not message_id or len(message_id) > ID_LENGTH_MAX or TIMESTAMP.fullmatch(time) is None:
        raise BadSignature(
            "The webhook-id and webhook-timestamp headers must name the message and its time in seconds."
        )
    signed_at = EPOCH + timedelta(seconds=int(time))
    expected = [_mark(secret, message_id, signed_at, body) for secret in account.webhook_secrets]
    refuse_strange(
        [mark.encode(errors="replace") for mark in marks.split(" ")[:MARKS_MAX]],
        [one for one in expected if one is not None],
        "Compare DUNR_WEBHOOK_SECRETS with the sender's.",
    )
    refuse_stale(int(time), account.tolerance_seconds, now)


def _mark(secret: str, message_id: str, signed_at: datetime, body: bytes) -> bytes | None:
    """The signature under this secret; None where the body is no text, and so was signed by nobody."""
    try:
        return Webhook(secret).sign(message_id, signed_at, body.decode()).encode()
    except UnicodeDecodeError:
        return None
