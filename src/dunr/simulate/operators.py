"""What people ask of dunr: *pay now*, and the operator's acts. Each is a request with an engine of its own, interleaved with the workers."""

from collections.abc import Callable
from datetime import timedelta
from random import Random

from dunr.core.events import (
    AttemptSettledByHand,
    CaseClosed,
    DeadlineExtended,
    Event,
    HoldPlaced,
    HoldReleased,
    PayNow,
    PolicyMoved,
    PromiseMade,
    RetryNow,
    StepPostponed,
)
from dunr.core.model import Case
from dunr.core.terms import ChargeStatus
from dunr.engine import Engine
from dunr.errors import NoSuchThing, WishRejected
from dunr.rulebook import StoredRulebook
from dunr.simulate.books import Invoice
from dunr.simulate.calls import Calls
from dunr.simulate.clock import Happenings, SimClock
from dunr.simulate.store import WatchedStore
from dunr.simulate.turns import Task, Turns
from dunr.simulate.watching import Watch
from dunr.simulate.weather import POLICIES

OPERATOR = "operator:olga"
EVIDENCE_AFTER = timedelta(hours=2)  # a person looks at the processor's own page, long after the last call


class Operators:
    """Spawns requests."""

    def __init__(
        self, rng: Random, clock: SimClock, happenings: Happenings, turns: Turns, store: WatchedStore, watch: Watch
    ) -> None:
        """Nobody has asked for anything."""
        self._rng = rng
        self._clock = clock
        self._happenings = happenings
        self._turns = turns
        self._store = store
        self._watch = watch

    def wishes(
        self, engine: Engine, calls: Calls, rulebook: StoredRulebook
    ) -> tuple[tuple[int, Callable[[Invoice], None]], ...]:
        """Every wish with its weight. A policy that a case is moved to is kept in the rulebook then."""

        def asks(event_of: Callable[[Case], Event | None], times: int = 1) -> Callable[[Invoice], None]:
            return lambda invoice: self._ask(engine, invoice, event_of, times)

        now = self._clock.now
        return (
            (6, asks(lambda _: PayNow("customer"))),
            (4, asks(lambda _: PayNow("customer"), times=2)),
            (2, asks(lambda _: RetryNow(OPERATOR))),
            (2, asks(lambda _: HoldPlaced(OPERATOR, "asked for time", now() + timedelta(days=3)))),
            (1, asks(lambda _: HoldPlaced(OPERATOR, "asked for time", None))),
            (2, asks(_release)),
            (2, asks(lambda _: StepPostponed(OPERATOR, now() + timedelta(days=2)))),
            (1, asks(lambda _: DeadlineExtended(OPERATOR, now() + timedelta(days=12)))),
            (1, asks(lambda _: PromiseMade("customer", now() + timedelta(days=1), by_customer=True))),
            (1, asks(lambda _: CaseClosed(OPERATOR, "agreed"))),
            (2, asks(lambda _: PolicyMoved(OPERATOR, rulebook.keep(self._rng.choice(POLICIES))))),
            (4, asks(lambda case: self._by_hand(case, calls))),
        )

    def _ask(self, engine: Engine, invoice: Invoice, event_of: Callable[[Case], Event | None], times: int) -> None:
        """Start the request, or several at once."""
        case = self._store.case(f"sandbox:acct:{invoice.id}")
        event = event_of(case) if case is not None else None
        if event is None or case is None:
            return
        case_id = case.id

        def request() -> None:
            try:
                engine.wish(case_id, event)
            except (WishRejected, NoSuchThing) as no:
                self._watch.tell("request", f"{type(event).__name__}: no, {no}")

        for number in range(times):
            self._watch.tell("request", f"{type(event).__name__} for {invoice.id}")
            self._turns.add(Task(f"request {number + 1}", engine.parts.holder, request))

    def release_own_hold(self, engine: Engine, invoice: Invoice) -> None:
        """The operator comes back to what they held."""
        self._ask(engine, invoice, _release, 1)

    def _by_hand(self, case: Case, calls: Calls) -> Event | None:
        """A truthful settlement of an attempt that has had no answer for long."""
        attempt = case.in_flight
        if attempt is None or self._clock.instant - (attempt.last_called_at or attempt.begun_at) < EVIDENCE_AFTER:
            return None
        if any(not task.idle and not task.name.startswith("request") for task in self._turns.tasks):
            return None  # somebody may be about to send it: a person who waits for that is a careful one
        record = calls.keys.get(attempt.key)
        charge = calls.invoices[case.processor_invoice_id].charge_of(attempt.key)
        if charge is None:
            pending = record is not None and record.answer is None
            return None if pending else AttemptSettledByHand(OPERATOR, attempt.number, False, "no charge there")
        if charge.status is ChargeStatus.SUCCEEDED and charge.amount_minor == attempt.amount_minor:
            return AttemptSettledByHand(OPERATOR, attempt.number, True, "seen there", charge.id)
        return None

    def brake(self, rulebook: StoredRulebook) -> None:
        """Somebody stops all charges, and resumes a day later."""
        kind = self._rng.choice(("charges", "pauses", "mail"))
        self._watch.tell("operator", f"stops {kind}")
        rulebook.stop(kind, "*", "a person wants to look")

        def resume() -> None:
            self._watch.tell("operator", f"resumes {kind}")
            rulebook.resume(kind)

        self._happenings.at(self._clock.instant + timedelta(days=1), resume)


def _release(case: Case) -> Event | None:
    """The operator's own hold goes; others are not theirs to judge here."""
    held = [hold.ref for hold in case.holds if hold.ref.startswith("operator-")]
    return HoldReleased(OPERATOR, held[0]) if held else None
