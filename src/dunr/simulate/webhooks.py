"""The processor's webhooks on their way: repeated, late by days, out of order, lost, some of them unreadable or about things that nobody supports."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from random import Random

from dunr.errors import BadEvent
from dunr.ports import Inbound, InboundState, Subject
from dunr.simulate.books import Customer, Invoice
from dunr.simulate.clock import Happenings, SimClock
from dunr.simulate.weather import Weather

DELAYS_SECONDS = (1, 20, 100, 900, 7_200, 90_000, 260_000)
UNREADABLE_RATE = 0.01
UNSUPPORTED_RATE = 0.03
PROCESSOR = "sandbox"
ACCOUNT = "acct"


@dataclass(slots=True)
class Event:
    """One event that the processor wrote."""

    id: str
    kind: str
    subject: Subject


class Webhooks:
    """Writes events and carries them to `door`, or not."""

    def __init__(self, rng: Random, clock: SimClock, happenings: Happenings, weather: Weather) -> None:
        """Nothing is on its way."""
        self._rng = rng
        self._clock = clock
        self._happenings = happenings
        self.weather = weather
        self.door: Callable[[Inbound], None] | None = None
        self.subjects: dict[str, Subject | None] = {}
        self.lost: list[Event] = []
        self.serial = 0

    def send(self, kind: str, invoice: Invoice | None, customer: Customer, *, wide: bool = False) -> None:
        """An event about an invoice, or about the customer as a whole."""
        self.serial += 1
        subscription = invoice.subscription.id if invoice is not None else None
        subject = Subject(invoice.id if invoice is not None else None, subscription, customer.id, wide)
        event = Event(f"evt_{self.serial}", kind, subject)
        weather, rng = self.weather, self._rng
        if weather.webhook_drop_rate and rng.random() < weather.webhook_drop_rate:
            self.lost.append(event)
            return
        self._carry(event)
        while weather.webhook_repeat_rate and rng.random() < weather.webhook_repeat_rate:
            self._carry(event)

    def _carry(self, event: Event) -> None:
        """Deliver now, or after a while that lets later events overtake it."""
        rng, rate = self._rng, self.weather.webhook_delay_rate
        late = rate > 0 and rng.random() < rate
        at = self._clock.instant + timedelta(seconds=rng.choice(DELAYS_SECONDS) if late else 0)
        self._happenings.at(at, lambda: self._deliver(event))

    def _deliver(self, event: Event) -> None:
        """Hand the event in at our door."""
        assert self.door is not None, "a world connects the webhooks before it begins"
        key, now = f"{PROCESSOR}:{ACCOUNT}:{event.id}", self._clock.instant
        state, note = InboundState.WAITING, ""
        if key not in self.subjects:
            chance = self._rng.random()
            self.subjects[key] = None if chance < UNREADABLE_RATE and self.weather.webhook_drop_rate else event.subject
            if chance > 1 - UNSUPPORTED_RATE and self.weather.webhook_drop_rate:
                state, note = InboundState.IGNORED, "the type is not supported"
        self.door(Inbound(key, PROCESSOR, ACCOUNT, event.kind, True, now, b"", event.id, state, note))

    def translate(self, inbound: Inbound) -> Subject:
        """What the event is about, as the adapter reads it."""
        subject = self.subjects[inbound.key]
        if subject is None:
            raise BadEvent(f"{inbound.key} names no object")
        return subject
