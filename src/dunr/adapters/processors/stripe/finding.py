"""What became of an attempt, where no answer came.

A charge of an invoice does not carry our key. The event about it does: Stripe keeps events for thirty days, each with the idempotency key of the request that caused it.
So a charge is ours where its event names our key, and it is not where its event names another or none. Only where no event can be had is it judged by time, amount and
card; and where that fits more than one answer, we cannot say.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

import msgspec

from dunr.adapters.processors.stripe.charges import AUTHENTICATION_REQUIRED, REQUIRES_ACTION
from dunr.adapters.processors.stripe.wire import Id, IntentOnWire, Seconds
from dunr.core.answers import CannotSay, Declined, LookUpAnswer, NotThere, Paid, Pending
from dunr.core.attempt import Attempt
from dunr.core.snapshot import ChargeSnapshot, RawDecline
from dunr.core.terms import ChargeStatus

SKEW_MAX = timedelta(minutes=5)  # of the two clocks, where the key proves whose charge it is
SKEW_USUAL = timedelta(seconds=5)  # and where nothing does
EVENT_DELAY_MAX = timedelta(minutes=2)
SILENCE_MAX = timedelta(minutes=15)  # of a bank that thinks before it asks for the customer
CAUSING_EVENTS = [
    "charge.succeeded",
    "charge.failed",
    "charge.pending",
    "payment_intent.succeeded",
    "payment_intent.payment_failed",
    "payment_intent.processing",
    "payment_intent.requires_action",
]
# The first of these that an attempt's charges show is its fate: one key is one payment.
MOST_TELLING = (ChargeStatus.SUCCEEDED, ChargeStatus.RETURNED, ChargeStatus.PENDING, ChargeStatus.DECLINED)


class CauseOnWire(msgspec.Struct):
    """The request behind an event; absent where Stripe acted by itself."""

    idempotency_key: str | None = None


class ChangedOnWire(msgspec.Struct):
    """The object that an event is about."""

    id: Id


class ChangeOnWire(msgspec.Struct):
    """The data of an event."""

    object: ChangedOnWire


class PastEvent(msgspec.Struct):
    """An event that Stripe keeps."""

    id: Id
    created: Seconds
    data: ChangeOnWire
    request: CauseOnWire | None = None


Causes = Mapping[str, frozenset[str | None]]  # the keys behind the events of a charge or an intent


@dataclass(frozen=True, slots=True)
class Window:
    """The time in which the events of an attempt must lie."""

    since_at: datetime
    until_at: datetime


def causes_of(events: Iterable[PastEvent]) -> Causes:
    """Which requests each charge and intent was touched by."""
    keys: dict[str, set[str | None]] = {}
    for event in events:
        key = event.request.idempotency_key if event.request is not None else None
        keys.setdefault(event.data.object.id, set()).add(key)
    return {about: frozenset(found) for about, found in keys.items()}


def window_of(attempt: Attempt, charges: Sequence[ChargeSnapshot], intents: Iterable[IntentOnWire]) -> Window | None:
    """Where to look for the events of an attempt; None where nothing happened that could be its doing."""
    begun_at = attempt.begun_at - SKEW_MAX
    times = [charge.at for charge in charges if charge.at >= begun_at]
    if any(intent.status == REQUIRES_ACTION for intent in intents):
        times += [begun_at, (attempt.last_called_at or attempt.begun_at) + SILENCE_MAX]
    return Window(min(times) - SKEW_USUAL, max(times) + EVENT_DELAY_MAX) if times else None


def fate_of(
    attempt: Attempt, charges: Sequence[ChargeSnapshot], intents: Iterable[IntentOnWire], causes: Causes
) -> LookUpAnswer:
    """What became of the attempt, from every charge of its invoice and what is known of their causes."""
    known = [one for one in charges if one.processor_charge_id == attempt.processor_charge_id]
    proven = known or [one for one in charges if attempt.key in causes.get(one.processor_charge_id, ())]
    if proven:
        return _fate(min(proven, key=lambda one: MOST_TELLING.index(one.status)))
    for intent in intents:
        if intent.status == REQUIRES_ACTION and attempt.key in causes.get(intent.id, ()):
            return Declined(intent.id, AUTHENTICATION_REQUIRED, attempt.begun_at, intent.id)
    return _by_likeness(attempt, [one for one in charges if one.processor_charge_id not in causes])


def _by_likeness(attempt: Attempt, charges: Sequence[ChargeSnapshot]) -> LookUpAnswer:
    """The charges whose cause nobody tells: one that was made since, of this amount and with this card, is ours."""
    card_key = attempt.method.card_key if attempt.method is not None else None
    alike = [
        one
        for one in charges
        if one.at >= attempt.begun_at - SKEW_USUAL
        and one.amount_minor == attempt.amount_minor
        and (card_key is None or one.card_key in (None, card_key))
    ]
    if not alike:
        return NotThere()
    telling = min(alike, key=lambda one: MOST_TELLING.index(one.status))
    if telling.status is ChargeStatus.DECLINED and len(alike) > 1:
        return CannotSay(f"{len(alike)} charges of the invoice failed since, and Stripe does not say which is ours")
    return _fate(telling)


def _fate(charge: ChargeSnapshot) -> Paid | Declined | Pending:
    """A charge as an answer. One that came back was paid first; the snapshot tells of its return."""
    match charge.status:
        case ChargeStatus.SUCCEEDED | ChargeStatus.RETURNED:
            return Paid(charge.processor_charge_id, charge.amount_minor, charge.at)
        case ChargeStatus.PENDING:
            return Pending(charge.processor_charge_id)
        case ChargeStatus.DECLINED:
            raw = charge.decline or RawDecline(None)
            return Declined(charge.processor_charge_id, raw, charge.at, charge.processor_intent_id)
