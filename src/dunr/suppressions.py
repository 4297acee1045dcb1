"""Addresses that are written to no more, since mail came back from there for good or its owner complained.

They are kept by a hash, each as a document of its own, until a person lifts it: the list must not become a list of addresses.
"""

import hashlib
from datetime import datetime

import msgspec

from dunr.errors import StoreUnavailable
from dunr.ports import Store

DIGITS = 40
WRITE_TRIES_MAX = 20


class Suppressed(msgspec.Struct, frozen=True):
    """Why and since when an address is written to no more; `lifted` by a person since."""

    kind: str
    why: str
    at: datetime
    lifted: bool = False


class Suppressions:
    """Addresses that are written to no more, by a hash: the list itself must not become a list of addresses."""

    def __init__(self, store: Store) -> None:
        """Keep the store; nothing is read yet."""
        self._store = store

    def of(self, address: str) -> Suppressed | None:
        """Why an address is not written to, or None where it is."""
        document = self._store.document(name_of(address))
        found = msgspec.json.decode(document.body, type=Suppressed) if document is not None else None
        return found if found is not None and not found.lifted else None

    def put(self, address: str, kind: str, why: str, at: datetime) -> None:
        """Write to it no more."""
        self._write(address, Suppressed(kind, why, at))

    def lift(self, address: str, at: datetime) -> bool:
        """Write to it again; whether it was not written to."""
        known = self.of(address)
        if known is None:
            return False
        self._write(address, Suppressed(known.kind, known.why, at, lifted=True))
        return True

    def _write(self, address: str, suppressed: Suppressed) -> None:
        name, body = name_of(address), msgspec.json.encode(suppressed)
        for _ in range(WRITE_TRIES_MAX):
            document = self._store.document(name)
            if self._store.put_document(name, body, document.version if document is not None else 0):
                return
        raise StoreUnavailable("The suppressed address changed again and again while it was written; try again.")


def name_of(address: str) -> str:
    """The document that says so."""
    return f"suppressed/{hashlib.sha256(address.strip().lower().encode()).hexdigest()[:DIGITS]}"
