"""The charges that a merchant's own billing system left to us: what is to be charged, to whom, and what the merchant has said of it since.

Where no processor keeps invoices, this book does: one document a charge, under the merchant's own id for it, written once and changed only on condition of what was
read. A charge that is left twice under one id is the same charge if it says the same, and a conflict if it does not.
"""

from collections.abc import Callable, Mapping
from datetime import datetime
from enum import StrEnum

import msgspec

from dunr.core.model import Payer
from dunr.core.terms import Rail
from dunr.core.value import Value, replace
from dunr.errors import NoSuchThing, StoreUnavailable, WishRejected
from dunr.ports import Store

CONFLICT = 409
WRITE_TRIES_MAX = 20

NO_FACTS: Mapping[str, str] = {}
Change = Callable[["LeftCharge"], "LeftCharge"]


class LeftStatus(StrEnum):
    """What the merchant says of a charge, whatever became of our attempts."""

    OPEN = "open"
    VOID = "void"  # the merchant took it back
    WRITTEN_OFF = "written_off"


class Instrument(Value):
    """What is charged, by the merchant's own id: a wallet, a phone account, a card on their file."""

    id: str
    rail: Rail
    network: str | None = None
    expires_on: str | None = None
    country: str | None = None


class PaidOutside(Value):
    """Money that the merchant got for a charge without us, by their own id for it."""

    id: str
    amount_minor: int
    at: datetime


class FailedOutside(Value):
    """A try of the merchant's own that failed, by their own id for it."""

    id: str
    at: datetime
    reason_code: str


class LeftCharge(Value):
    """One charge as it was left to us. `due_at` is when it may be made first; `left_at` when it came."""

    id: str
    amount_minor: int
    currency: str
    customer_id: str
    instrument: Instrument
    due_at: datetime
    left_at: datetime
    payer: Payer = Payer()
    subscription_id: str | None = None
    products: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    period_start_on: str | None = None
    period_end_at: datetime | None = None
    status: LeftStatus = LeftStatus.OPEN
    failed: FailedOutside | None = None  # the first charge, where the merchant had made it before they came
    paid_outside: tuple[PaidOutside, ...] = ()
    failed_outside: tuple[FailedOutside, ...] = ()  # what they have tried since
    facts: Mapping[str, str] = NO_FACTS  # whatever the merchant wants to read in each call

    def says_the_same(self, other: "LeftCharge") -> bool:
        """Whether two were left as one and the same charge, whenever they came and whatever was said of them since."""
        due_at = other.due_at if self.is_due_at_once and other.is_due_at_once else self.due_at
        told_since = replace(
            self,
            left_at=other.left_at,
            status=other.status,
            paid_outside=other.paid_outside,
            failed_outside=other.failed_outside,
        )
        return replace(told_since, due_at=due_at) == other

    @property
    def is_due_at_once(self) -> bool:
        """Whether it was to be made when it came, whenever that was."""
        return self.due_at == self.left_at


_read = msgspec.json.Decoder(LeftCharge).decode


def _name(account: str, charge_id: str) -> str:
    return f"charge/{account}/{charge_id}"


class ChargeBook:
    """The charges of every account, in the store."""

    def __init__(self, store: Store) -> None:
        """Keep the store; nothing is read."""
        self._store = store

    def find(self, account: str, charge_id: str) -> LeftCharge | None:
        """The charge of that id, or None where none was left."""
        document = self._store.document(_name(account, charge_id))
        return _read(document.body) if document is not None else None

    def leave(self, account: str, charge: LeftCharge) -> LeftCharge:
        """Write a charge down, once; what is known of it by now. Raises `WishRejected` where its id is taken by another one."""
        if self._store.put_document(_name(account, charge.id), msgspec.json.encode(charge), 0):
            return charge
        known = self.find(account, charge.id)
        assert known is not None, "a document whose first version could not be written is there"
        if not charge.says_the_same(known):
            raise WishRejected(
                f"Charge {charge.id!r} was left before, and said something else. Leave a changed charge under another id, or take the first one back.",
                CONFLICT,
            )
        return known

    def change(self, account: str, charge_id: str, change: Change) -> tuple[LeftCharge, int]:
        """What the merchant says of a charge now, and how often it was written. Raises `NoSuchThing` or `StoreUnavailable`."""
        for _ in range(WRITE_TRIES_MAX):
            document = self._store.document(_name(account, charge_id))
            if document is None:
                raise NoSuchThing(f"No charge {charge_id!r} was left to dunr.")
            before = _read(document.body)
            after = change(before)
            if after == before:
                return before, document.version
            if self._store.put_document(document.name, msgspec.json.encode(after), document.version):
                return after, document.version + 1
        raise StoreUnavailable(f"Charge {charge_id!r} changed {WRITE_TRIES_MAX} times while it was written; try again.")
