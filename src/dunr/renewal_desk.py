"""Subscriptions that we renew for a merchant: kept as documents, woken by events of our own, charged through the charge desk.

Each time that a subscription is written, an event is put into the intake that becomes due with its next cycle; the one from before finds nothing to do when it comes.
What an event does is harmless to repeat: the charge of a cycle has one id, and the subscription moves on only on condition of what was read. Charges and the next event
are durable before the subscription moves on, so that a crash in between repeats them and loses none.
"""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import NamedTuple

import msgspec

from dunr.charge_book import NO_FACTS, Instrument, LeftCharge
from dunr.charge_desk import ChargeDesk
from dunr.core.model import Payer
from dunr.core.renewals import Cycle, Renewal, charge_id, cycle, due_cycles, next_due_at
from dunr.core.value import Value, replace
from dunr.errors import BadEvent, NoSuchThing, StoreUnavailable, WishRejected
from dunr.ports import Clock, Inbound, Store

DUE = "renewal.due"
CONFLICT = 409
WRITE_TRIES_MAX = 20


class RenewedSubscription(Value):
    """A subscription that we renew: who pays, by what, and when."""

    id: str
    customer_id: str
    instrument: Instrument
    renewal: Renewal
    payer: Payer = Payer()
    products: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    facts: Mapping[str, str] = NO_FACTS


class Kept(NamedTuple):
    """A subscription as it is written down, and how often it was."""

    subscription: RenewedSubscription
    version: int
    is_new: bool = False  # it was begun just now


Change = Callable[[RenewedSubscription, datetime], RenewedSubscription]
_read = msgspec.json.Decoder(RenewedSubscription).decode


class _DueBody(msgspec.Struct, frozen=True):
    """What an event of ours says: which subscription may be due."""

    subscription: str


class RenewalDesk:
    """The subscriptions of one account."""

    def __init__(self, charges: ChargeDesk, store: Store, clock: Clock) -> None:
        """Keep the parts; nothing is read."""
        self._charges = charges
        self._store = store
        self._clock = clock

    def find(self, subscription_id: str) -> Kept:
        """A subscription as it stands. Raises `NoSuchThing`."""
        document = self._store.document(self._name(subscription_id))
        if document is None:
            raise NoSuchThing(f"dunr renews no subscription {subscription_id!r}.")
        return Kept(_read(document.body), document.version)

    def begin(self, subscription: RenewedSubscription) -> Kept:
        """Renew a subscription from now on; the same one twice is one. Raises `WishRejected` where its id is taken by another."""
        first = Kept(subscription, 1, is_new=True)
        self._wake(first)
        if self._store.put_document(self._name(subscription.id), msgspec.json.encode(subscription), 0):
            return first
        known = self.find(subscription.id)
        same = replace(known.subscription, renewal=replace(known.subscription.renewal, cycle_next=0))
        if same != replace(subscription, renewal=replace(subscription.renewal, cycle_next=0)):
            text = f"Subscription {subscription.id!r} is renewed already, and otherwise. Change that one, or choose another id."
            raise WishRejected(text, CONFLICT)
        return known

    def change(self, subscription_id: str, change: Change) -> Kept:
        """Change a subscription from its next cycle on. Cycles that are due already are charged first, as they were agreed. Raises `NoSuchThing`."""
        for _ in range(WRITE_TRIES_MAX):
            self._charge_what_is_due(subscription_id)
            kept = self.find(subscription_id)
            after = Kept(change(kept.subscription, self._clock.now()), kept.version + 1)
            if after.subscription == kept.subscription:
                return kept
            self._wake(after)
            if self._write(after):
                return after
        raise StoreUnavailable(
            f"Subscription {subscription_id!r} changed {WRITE_TRIES_MAX} times while it was written."
        )

    def fall_due(self, inbound: Inbound) -> None:
        """Charge what is due of the subscription that an event of ours names. Raises `BadEvent` or `StoreUnavailable`.

        One that is not there was never begun: whoever tried was not told that it was.
        """
        try:
            subscription_id = msgspec.json.decode(inbound.body, type=_DueBody).subscription
        except msgspec.MsgspecError:
            raise BadEvent(f"{inbound.event_type} names no subscription") from None
        if self._store.document(self._name(subscription_id)) is None:
            return
        for _ in range(WRITE_TRIES_MAX):
            if self._charge_what_is_due(subscription_id):
                return
        raise StoreUnavailable(f"Subscription {subscription_id!r} changed {WRITE_TRIES_MAX} times while it fell due.")

    def _charge_what_is_due(self, subscription_id: str) -> bool:
        """Leave the charges of the cycles that are due, and move on; False where somebody else wrote first."""
        kept = self.find(subscription_id)
        cycles, moved = due_cycles(kept.subscription.renewal, self._clock.now())
        if moved is kept.subscription.renewal:
            return True
        for one in cycles:
            self._leave(kept.subscription, one)
        after = Kept(replace(kept.subscription, renewal=moved), kept.version + 1)
        self._wake(after)
        return self._write(after)

    def _leave(self, subscription: RenewedSubscription, one: Cycle) -> None:
        """The one charge of a cycle. What was left first stands, also where the price has changed between a crash and its repeat."""
        name = charge_id(subscription.id, one)
        if not subscription.renewal.amount_minor:
            return
        known = self._charges.book.find(self._charges.account.account, name)
        self._charges.leave(known or _charge(subscription, one, name, self._clock.now()))

    def _wake(self, kept: Kept) -> None:
        """Put the event that becomes due with the next cycle into the intake.

        Its name has the instant: whoever wakes may yet fail to write, and somebody else may write in their place.
        """
        subscription, at = kept.subscription, next_due_at(kept.subscription.renewal)
        if at is None:
            return
        name = f"{DUE}/{subscription.id}/v{kept.version}/{at:%Y%m%dT%H%M%S}"
        event = self._charges.event(DUE, name, _DueBody(subscription.id))
        self._store.receive((replace(event, next_try_at=at),))

    def _write(self, kept: Kept) -> bool:
        name = self._name(kept.subscription.id)
        return self._store.put_document(name, msgspec.json.encode(kept.subscription), kept.version - 1)

    def _name(self, subscription_id: str) -> str:
        return f"renewal/{self._charges.account.account}/{subscription_id}"


def _charge(subscription: RenewedSubscription, one: Cycle, name: str, now: datetime) -> LeftCharge:
    """A cycle's charge. It is due when the cycle is, and its period ends where the next one begins."""
    renewal = subscription.renewal
    return LeftCharge(
        id=name,
        amount_minor=renewal.amount_minor,
        currency=renewal.currency,
        customer_id=subscription.customer_id,
        instrument=subscription.instrument,
        due_at=one.due_at,
        left_at=now,
        payer=subscription.payer,
        subscription_id=subscription.id,
        products=subscription.products,
        tags=subscription.tags,
        period_start_on=one.begins_on.isoformat(),
        period_end_at=cycle(renewal, one.number + 1).due_at,
        facts=subscription.facts,
    )
