"""How much an address was written to lately, so that nobody is written to again and again on one day. A hint: two processes at once may each count one too few."""

import hashlib
from datetime import datetime, timedelta

import msgspec

from dunr.ports import Store

DAY = timedelta(hours=24)
KEPT_MAX = 100
DIGITS = 40


class RecentMail:
    """When mail left for an address within a day."""

    def __init__(self, store: Store) -> None:
        """Keep the store; nothing is read yet."""
        self._store = store

    def room_at(self, address: str, per_day_max: int, now: datetime) -> datetime:
        """From when on there is room for one more: now, or a day after the mail that fills the day."""
        recent = [at for at in self._read(address)[0] if at > now - DAY]
        return now if len(recent) < per_day_max else sorted(recent)[-per_day_max] + DAY

    def note(self, address: str, now: datetime) -> None:
        """One more left."""
        left, version = self._read(address)
        kept = tuple(at for at in (*left, now) if at > now - DAY)[-KEPT_MAX:]
        self._store.put_document(_name(address), msgspec.json.encode(kept), version)

    def _read(self, address: str) -> tuple[tuple[datetime, ...], int]:
        document = self._store.document(_name(address))
        if document is None:
            return (), 0
        return msgspec.json.decode(document.body, type=tuple[datetime, ...]), document.version


def _name(address: str) -> str:
    return f"mailed/{hashlib.sha256(address.strip().lower().encode()).hexdigest()[:DIGITS]}"
