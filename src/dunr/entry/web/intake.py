"""Webhooks come in here: received once, answered fast, thought about later. 200 is said only after the commit.

The signature is checked over the bytes as they came, on the event loop; the store is asked by one writer for all that wait.
"""

import asyncio
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from functools import partial

import structlog

from dunr.core.terms import AlertKind
from dunr.entry.web.bodies import Room, receive_body
from dunr.entry.web.door import Asked, Told
from dunr.entry.web.face import WebFace
from dunr.entry.web.gathering import GatheringWriter
from dunr.entry.web.headers import guarded
from dunr.entry.web.quiet import QUIET_SECONDS_MAX
from dunr.errors import BadSignature, StoreUnavailable
from dunr.happenings import tell
from dunr.ports import Inbound, Processor, Receipt

KEYS_TOLD_MAX = 32  # of one group, in the log
SKEW_ALERT_EVERY = timedelta(hours=1)
TAKEN = b'{"received":true}'
TAKEN_HEADERS = guarded(((b"content-length", b"%d" % len(TAKEN)), (b"content-type", b"application/json")))

WEBHOOKS = "/webhooks/"
HELD_BYTES_MAX = 32 * 1024 * 1024  # of bodies that are being read or wait to be written

_log = structlog.get_logger()


class WebhookIntake:
    """The address that processors call."""

    def __init__(self, face: WebFace) -> None:
        self._face = face
        self._application = face.application
        self._body_bytes_max = face.settings.body_bytes_max
        self._room = Room(HELD_BYTES_MAX)
        self._writer = GatheringWriter(self._receive)
        self._skew_alerted_at: datetime | None = None

    def _receive(self, inbounds: Sequence[Inbound]) -> Sequence[Receipt]:
        """Keep a group, and tell of it in one line: a line each would cost more than to keep them."""
        receipts = self._application.store.receive(inbounds)
        told = [inbound.key for inbound in inbounds[:KEYS_TOLD_MAX]]
        counts = {receipt.value: receipts.count(receipt) for receipt in Receipt if receipt in receipts}
        tell("webhooks_received", inbounds=told, **counts)
        return receipts

    async def receive(self, asked: Asked) -> Told | None:
        """Take one body, and say that it is kept; None for a name that is no processor's."""
        processor = self._application.processors.get(asked.named)
        if processor is None:
            return None
        with self._room.holding() as hold:
            body = await receive_body(asked.headers, asked.receive, self._body_bytes_max, hold)
            await self._take(processor, body, asked.headers)
        return 200, TAKEN_HEADERS, TAKEN

    async def _take(self, processor: Processor, body: bytes, headers: Mapping[str, str]) -> None:
        """Take one body, which may hold several events."""
        inbounds = await self._verified(processor, body, headers)
        if inbounds:
            receipts = await self._writer.submit(inbounds)
            if Receipt.CONFLICT in receipts:
                await self._face.acting.run(partial(self._application.intake.received, inbounds, receipts))
            await self._let_it_settle()

    async def _verified(self, processor: Processor, body: bytes, headers: Mapping[str, str]) -> Sequence[Inbound]:
        """The events of a body that is proved to come from the processor, at the moment of its arrival."""
        now = self._application.clock.now()
        try:
            return processor.verify(body, headers, now)
        except BadSignature as bad:
            self._face.bad_signatures_count += 1
            if bad.skew_seconds is not None:
                await self._tell_skew(processor.name, bad.skew_seconds, now)
            raise

    async def _tell_skew(self, processor: str, skew_seconds: int, now: datetime) -> None:
        """A genuine signature with a wrong time means that a clock is off: a person hears of it once an hour."""
        last_at = self._skew_alerted_at
        if last_at is not None and timedelta() <= now - last_at < SKEW_ALERT_EVERY:
            return
        self._skew_alerted_at = now
        text = (
            f"Webhooks of {processor} carry a genuine signature, but their time and our clock differ by {abs(skew_seconds)} seconds, "
            f"so they are refused. Set the clock of this machine right; the processor will send them again."
        )
        about = f"{processor}/{now:%Y-%m-%dT%H}"
        try:
            await self._face.acting.run(partial(self._application.intake.alert, AlertKind.CLOCK_SKEW, about, text))
        except StoreUnavailable as unavailable:
            self._skew_alerted_at = None
            _log.warning("clock_skew_not_recorded", text=str(unavailable))

    async def _let_it_settle(self) -> None:
        """Under the manual clock, what was received is applied before we answer, unless whoever moves the clock waits for the answer."""
        run = self._face.quiet.ask()
        if run is not None:
            await asyncio.wait([asyncio.wrap_future(run)], timeout=QUIET_SECONDS_MAX)

    def close(self) -> None:
        """Write what waits."""
        self._writer.close()
