"""Where a merchant leaves charges to us, and says later what has become of them.

What is said is written into the book first, and then handed to the intake as an event of our own: durable when we answer, applied like any webhook, and only once. A
crash between the two leaves a charge that nobody acknowledged; the merchant asks again, and gets the same charge.
"""

import hashlib

import msgspec

from dunr.charge_book import Change, ChargeBook, FailedOutside, Instrument, LeftCharge, LeftStatus, PaidOutside
from dunr.core import keys
from dunr.core.terms import CloseReason
from dunr.core.value import Value, replace
from dunr.errors import WishRejected
from dunr.ports import Clock, Inbound, Refs, Store

LEFT = "charge.left"
CHANGED = "charge.changed"
CONFLICT = 409
TAKEN_BACK = (CloseReason.VOIDED, CloseReason.WRITTEN_OFF)  # nothing is due then, and nothing was paid


class Account(Value):
    """Whose charges these are."""

    processor: str
    account: str
    live: bool


class ChargeDesk:
    """The desk of one account."""

    def __init__(self, account: Account, store: Store, clock: Clock) -> None:
        """Keep the parts; nothing is read."""
        self.account = account
        self.book = ChargeBook(store)
        self._store = store
        self._clock = clock

    def leave(self, charge: LeftCharge) -> LeftCharge:
        """Take a charge; durable on return, and made when it is due. A repeat is the same charge. Raises `WishRejected` for another one under its id."""
        kept = self.book.leave(self.account.account, charge)
        self._tell(LEFT, charge.id, LEFT)
        return kept

    def take_back(self, charge_id: str, status: LeftStatus) -> LeftCharge:
        """The merchant wants it no more: nothing is sent from now on. An attempt on its way is settled all the same.

        Raises `NoSuchThing`, or `WishRejected` where it was charged already.
        """
        case = self._store.load(self.case_id(charge_id), Refs()).case
        if case is not None and case.amount_due_minor == 0 and case.closed_because not in TAKEN_BACK:
            raise WishRejected(f"Charge {charge_id!r} is paid; refund it in your own system.", CONFLICT)
        return self._change(charge_id, lambda charge: replace(charge, status=status))

    def note_payment(self, charge_id: str, payment: PaidOutside) -> LeftCharge:
        """The merchant was paid without us; the same payment twice is one. Raises `NoSuchThing`."""

        def noted(charge: LeftCharge) -> LeftCharge:
            if any(one.id == payment.id for one in charge.paid_outside):
                return charge
            return replace(charge, paid_outside=(*charge.paid_outside, payment))

        return self._change(charge_id, noted)

    def note_failure(self, charge_id: str, failure: FailedOutside) -> LeftCharge:
        """The merchant has tried by themselves, and it failed; the same try twice is one. Raises `NoSuchThing`."""

        def noted(charge: LeftCharge) -> LeftCharge:
            if any(one.id == failure.id for one in charge.failed_outside):
                return charge
            return replace(charge, failed_outside=(*charge.failed_outside, failure))

        return self._change(charge_id, noted)

    def look_again(self, charge_id: str, why: str) -> None:
        """Have a charge looked at, since something about it is known elsewhere. `why` makes a repeat the same event."""
        self._tell(CHANGED, charge_id, f"{CHANGED}/{why}")

    def pay_by(self, charge_id: str, instrument: Instrument) -> LeftCharge:
        """The customer pays by another instrument from now on. Raises `NoSuchThing`."""
        return self._change(charge_id, lambda charge: replace(charge, instrument=instrument))

    def event(self, event_type: str, event_id: str, body: object) -> Inbound:
        """An event of our own. `event_id` makes a repeat the same event."""
        written, account = msgspec.json.encode(body), self.account
        return Inbound(
            key=f"{account.processor}:{account.account}:{event_id}",
            processor=account.processor,
            account=account.account,
            event_type=event_type,
            live=account.live,
            received_at=self._clock.now(),
            body=written,
            body_sha256=hashlib.sha256(written).hexdigest(),
        )

    def _tell(self, event_type: str, charge_id: str, event_id: str) -> None:
        """Have a charge looked at."""
        body = {"type": event_type, "data": {"charge": charge_id}}
        self._store.receive((self.event(event_type, f"{event_id}/{charge_id}", body),))

    def _change(self, charge_id: str, change: Change) -> LeftCharge:
        charge, version = self.book.change(self.account.account, charge_id, change)
        self._tell(CHANGED, charge_id, f"{CHANGED}/v{version}")
        return charge

    def case_id(self, charge_id: str) -> str:
        """The id of a charge's case."""
        return keys.case_id(self.account.processor, self.account.account, charge_id)
