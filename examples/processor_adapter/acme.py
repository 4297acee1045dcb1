"""The way in of an adapter for a made-up processor, Acme Pay: what a webhook proves, and what it is about.

Acme signs `{time}.{body}` with HMAC-SHA256 in the header `Acme-Signature: time=…;mac=…`, and tells in each event which invoice it is about.
"""

import hashlib
import hmac
import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Annotated

import msgspec

from dunr.errors import BadEvent, BadRequest, BadSignature
from dunr.ports import Inbound, InboundState, Subject

HEADER = re.compile(r"time=([0-9]{1,11});mac=([0-9a-f]{64})")
TOLERANCE_SECONDS = 300
USED = frozenset({"payment.failed", "payment.succeeded"})
Id = Annotated[str, msgspec.Meta(min_length=1, max_length=100, pattern=r"^[\x21-\x7e]*\Z")]


class Event(msgspec.Struct):
    """The part of Acme's events that is read."""

    event_id: Id
    kind: Id
    test: bool
    invoice: Id | None = None


class AcmeDoor:
    """`verify` and `translate` of the port `Processor`."""

    name = "acme"

    def __init__(self, account: str, secret: str, *, live: bool) -> None:
        self._account = account
        self._secret = secret
        self._live = live

    def verify(self, body: bytes, headers: Mapping[str, str], now: datetime) -> Sequence[Inbound]:
        """Prove it first, and read only then."""
        given = next((value for name, value in headers.items() if name.lower() == "acme-signature"), "")
        parts = HEADER.fullmatch(given)
        if parts is None:
            raise BadSignature("The Acme-Signature header must read time=…;mac=….")
        expected = hmac.new(self._secret.encode(), f"{parts[1]}.".encode() + body, hashlib.sha256).hexdigest()
        if not hmac.compare_digest(expected, parts[2]):
            raise BadSignature("The mac does not fit the body.")
        if abs(int(now.timestamp()) - int(parts[1])) > TOLERANCE_SECONDS:
            raise BadSignature("The signature is genuine, but its time is too far from ours.")
        try:
            event = msgspec.json.decode(body, type=Event)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            raise BadRequest("The body is signed, and is no event of Acme.") from None
        note = self._ignored_because(event)
        return (
            Inbound(
                key=f"{self.name}:{self._account}:{event.event_id}",
                processor=self.name,
                account=self._account,
                event_type=event.kind,
                live=not event.test,
                received_at=now,
                body=body,
                body_sha256=hashlib.sha256(body).hexdigest(),
                state=InboundState.IGNORED if note else InboundState.WAITING,
                note=note,
            ),
        )

    def _ignored_because(self, event: Event) -> str:
        if event.test == self._live:
            return "it is of the other mode"
        return "" if event.kind in USED else "events of this type are not used"

    def translate(self, inbound: Inbound) -> Subject:
        """The invoice that is to be looked at."""
        invoice = msgspec.json.decode(inbound.body, type=Event).invoice
        if invoice is None:
            raise BadEvent(f"{inbound.event_type} names no invoice")
        return Subject(processor_invoice_id=invoice)
