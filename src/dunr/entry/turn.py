"""Whose turn it is to perform recorded effects: one process's at a time, so that two workers do not send one mail twice.

A document names the process and until when. It is renewed while that process works; one that died is followed when its time has passed.
"""

import time
from datetime import datetime, timedelta

import msgspec

from dunr.ports import Clock, Store

TURN = "turn/effects"
LASTS = timedelta(seconds=15)
RENEWED_AFTER_SECONDS = 5.0
ASKED_AGAIN_AFTER_SECONDS = 1.0


class Held(msgspec.Struct, frozen=True):
    """Who, and until when."""

    holder: str
    until_at: datetime


class Turn:
    """Used by one thread."""

    def __init__(self, store: Store, clock: Clock, holder: str) -> None:
        self._store = store
        self._clock = clock
        self._holder = holder
        self._is_ours = False
        self._ask_again_at = 0.0

    def is_ours(self) -> bool:
        """Whether we may perform effects now; asks the store now and then only."""
        if time.monotonic() >= self._ask_again_at:
            self._is_ours = self._take()
            wait = RENEWED_AFTER_SECONDS if self._is_ours else ASKED_AGAIN_AFTER_SECONDS
            self._ask_again_at = time.monotonic() + wait
        return self._is_ours

    def leave(self) -> None:
        """Let the next one have it at once."""
        if self._is_ours:
            self._write(self._clock.now())
            self._is_ours = False

    def _take(self) -> bool:
        return self._write(self._clock.now() + LASTS)

    def _write(self, until_at: datetime) -> bool:
        """Write our name, unless somebody else's time is not over; on condition that nobody writes at the same moment."""
        document = self._store.document(TURN)
        held = msgspec.json.decode(document.body, type=Held) if document is not None else None
        if held is not None and held.holder != self._holder and held.until_at > self._clock.now():
            return False
        body = msgspec.json.encode(Held(self._holder, until_at))
        return self._store.put_document(TURN, body, document.version if document is not None else 0)
