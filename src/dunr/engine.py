"""The shell: receive, apply, step, perform. It reads, asks the core, writes and sends; it has no rules of its own.

Around every send lie four beats. *Look*: a snapshot, whose news is applied first. *Intent*: the decision that fixes number, key and request is committed with the lease.
*Send*: exactly that, outside any transaction, after another look where the first is too old, and only under the fence that was committed. *Outcome*: the answer is
committed. A crash between the last two leaves the attempt in flight, which is honest: the case's own waking time brings somebody to look it up.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

from dunr.core import gate, keys
from dunr.core.answers import CannotSay, Declined, LookUpAnswer, NotNow, NotThere, Paid, Pending, Refused, Unanswered
from dunr.core.decide import decide
from dunr.core.decision import Decision, Dossier, Stops
from dunr.core.effects import Charge, LookUp
from dunr.core.events import (
    AttemptAnswered,
    AttemptNotFound,
    AttemptOverdue,
    AttemptSettled,
    AttemptWithdrawn,
    DeadlineReached,
    Event,
    LookFailed,
    MethodUpdated,
    PayNow,
    RetryNow,
    TimerFired,
)
from dunr.core.facts import Facts
from dunr.core.model import Attempt, Case
from dunr.core.reconcile import events_from
from dunr.core.snapshot import Snapshot
from dunr.core.terms import InFlightAction
from dunr.core.timers import due_event
from dunr.errors import NoSuchThing, StoreUnavailable, WishRejected
from dunr.ports import (
    Change,
    ChargeRequest,
    Clock,
    KeyRefused,
    ObjectMissing,
    Processor,
    Refs,
    Rows,
    Rulebook,
    SnapshotUnavailable,
    Store,
)

STALE_TRIES_MAX = 100
LOOKS_MAX = 5
EVENTS_OF_ONE_SNAPSHOT_MAX = 60
SKEW_MAX = timedelta(minutes=5)


@dataclass(frozen=True, slots=True)
class Parts:
    """What the shell is put together from. `holder` names this worker in leases."""

    store: Store
    processors: dict[str, Processor]
    rulebook: Rulebook
    facts: Facts
    clock: Clock
    holder: str


@dataclass(frozen=True, slots=True)
class Look:
    """A snapshot, and when we asked for it by our own clock: its age is judged by that."""

    snapshot: Snapshot
    asked_at: datetime


class Engine:
    """Applies news, wakes cases and sends attempts, for any number of threads at once: each step is one conditional commit."""

    def __init__(self, parts: Parts) -> None:
        """Keep the parts; nothing is read or started."""
        self.parts = parts
        self.store = parts.store
        self.clock = parts.clock
        self.facts = parts.facts
        self.steps_count = 0

    # --- one step ---------------------------------------------------------------------------------------------------------------

    def step(self, case_id: str, event: Event, snapshot: Snapshot | None = None) -> Decision:
        """Decide on an event and commit; where somebody was faster, read again and decide again."""
        for _ in range(STALE_TRIES_MAX):
            rows = self._load(case_id, snapshot)
            decision = decide(self.dossier(case_id, rows, snapshot), event, self.facts, self.clock.now())
            if self.commit(rows, decision):
                return decision
        raise StoreUnavailable(f"{case_id} changed {STALE_TRIES_MAX} times while a step was decided; try again")

    def commit(self, rows: Rows, decision: Decision) -> bool:
        """Write a decision whole; False where the rows have moved. One that changes nothing is not written."""
        if decision.changes_nothing and not decision.effects:
            return True
        written = self.store.commit((Change(rows, decision),))[0]
        self.steps_count += written
        return written

    def dossier(self, case_id: str, rows: Rows, snapshot: Snapshot | None) -> Dossier:
        """Everything that a decision may depend on."""
        rulebook, case = self.parts.rulebook, rows.case
        processor, account, _ = case_id.split(":", 2)
        return Dossier(
            case_id=case_id,
            case=case,
            subscription=rows.subscription,
            method=rows.method,
            customer=rows.customer,
            policy=rulebook.policy(case.policy_hash) if case is not None else rulebook.policy_for_new_case(),
            snapshot=snapshot,
            stops=self._stops(processor, account, snapshot),
            epoch=rulebook.epoch(),
            holder=self.parts.holder,
        )

    def _stops(self, processor: str, account: str, snapshot: Snapshot | None) -> Stops:
        """What is stopped, including by a clock of ours that disagrees with the processor's."""
        stops = self.parts.rulebook.stops(processor, account)
        if (
            snapshot is None
            or abs(self.clock.now() - snapshot.taken_at) <= SKEW_MAX
            or not self._disagrees(processor, account)
        ):
            return stops
        why = "our clock and the processor's differ by more than five minutes"
        return Stops((*stops.charges, why), (*stops.pauses, why), stops.mail)

    def _disagrees(self, processor: str, account: str) -> bool:
        """Whether the processor's own clock, asked now, is far from ours: an old snapshot alone proves nothing."""
        theirs = self.parts.processors[processor].now(account)
        return theirs is not None and abs(self.clock.now() - theirs) > SKEW_MAX

    def _load(self, case_id: str, snapshot: Snapshot | None) -> Rows:
        """One consistent read; the rows beside a case are those that the snapshot names, if there is one."""
        if snapshot is None:
            return self.store.load(case_id, Refs())
        processor, account, _ = case_id.split(":", 2)
        method, subscription, customer = snapshot.default_method, snapshot.subscription, snapshot.customer
        return self.store.load(
            case_id,
            Refs(
                subscription_id=keys.row_id(processor, account, subscription.processor_subscription_id)
                if subscription
                else None,
                method_id=keys.row_id(processor, account, method.card_key) if method else None,
                customer_id=keys.row_id(processor, account, customer.processor_customer_id) if customer else None,
            ),
        )

    # --- looking ----------------------------------------------------------------------------------------------------------------

    def snapshot(self, case_id: str) -> Look:
        """What the processor says about the case's invoice now. Raises `SnapshotUnavailable` or `ObjectMissing`."""
        processor, account, invoice_id = case_id.split(":", 2)
        asked_at = self.clock.now()
        return Look(self.parts.processors[processor].snapshot(account, invoice_id), asked_at)

    def converge(self, case_id: str, look: Look) -> bool:
        """Apply everything that a snapshot says and the case does not know, money first, one event at a time; whether something was sent for it."""
        sent = False
        for _ in range(EVENTS_OF_ONE_SNAPSHOT_MAX):
            rows = self._load(case_id, look.snapshot)
            dossier = self.dossier(case_id, rows, look.snapshot)
            decisions = (decide(dossier, event, self.facts, self.clock.now()) for event in events_from(dossier))
            decision = next((one for one in decisions if not one.changes_nothing), None)
            if decision is None:
                return sent
            if self.commit(rows, decision):
                self.send(case_id, decision, look)
                sent = sent or any(isinstance(effect, Charge) for effect in decision.effects)
        return sent

    def look(self, case_id: str) -> Look:
        """Read the processor and apply its news. Where that sent something, what was read before is history: it is read again."""
        for _ in range(LOOKS_MAX):
            look = self.snapshot(case_id)
            if not self.converge(case_id, look):
                break
        return look

    # --- waking -----------------------------------------------------------------------------------------------------------------

    def wake(self, case_id: str) -> None:
        """Do what is due for a case, if anything is. Nothing is begun, sent again or paused without a look."""
        event = self._due(case_id)
        if event is None:
            return
        look = None
        if self._needs_look(case_id, event):
            try:
                look = self.look(case_id)
            except SnapshotUnavailable as unavailable:
                self.step(case_id, LookFailed(str(unavailable), key_refused=isinstance(unavailable, KeyRefused)))
                return
            except ObjectMissing as missing:
                self.step(case_id, LookFailed(str(missing), missing=True))
                return
            event = self._due(case_id)
        if event is not None:
            self.act(case_id, event, look)

    def _due(self, case_id: str) -> Event | None:
        """The event that is due for a case by its own row."""
        case = self.store.load(case_id, Refs()).case
        return due_event(case, self.clock.now()) if case is not None else None

    def _needs_look(self, case_id: str, event: Event) -> bool:
        """Whether the event may lead to a send or a pause; a look-up may not."""
        if isinstance(event, AttemptOverdue):
            case = self.store.load(case_id, Refs()).case
            attempt = case.in_flight if case is not None else None
            return attempt is not None and attempt.next_action is InFlightAction.RESEND
        return isinstance(event, TimerFired | MethodUpdated | DeadlineReached)

    def act(self, case_id: str, event: Event, look: Look | None) -> Decision:
        """Step, then send what the decision ordered."""
        decision = self.step(case_id, event, look.snapshot if look is not None else None)
        self.send(case_id, decision, look)
        return decision

    def wish(self, case_id: str, event: Event) -> Decision:
        """What a person asks for: granted, and sent. Raises like `grant`."""
        decision, look = self.grant(case_id, event)
        self.send(case_id, decision, look)
        return decision

    def grant(self, case_id: str, event: Event) -> tuple[Decision, Look | None]:
        """A wish looked at, decided and committed, and still to be sent. Raises `NoSuchThing` or `WishRejected`; nothing is queued.

        A wish that sends nothing is granted while the processor cannot be read, too.
        """
        if self.store.load(case_id, Refs()).case is None:
            raise NoSuchThing(f"There is no case {case_id!r}.")
        look: Look | None = None
        try:
            look = self.look(case_id)
        except (SnapshotUnavailable, ObjectMissing) as failure:
            if isinstance(event, PayNow | RetryNow):
                text = f"The processor cannot be read now, so nothing was done: {failure}"
                raise WishRejected(text, 503) from failure
        decision = self.step(case_id, event, look.snapshot if look is not None else None)
        if decision.rejection is not None:
            raise WishRejected(decision.rejection.detail, decision.rejection.http_status)
        return decision, look

    # --- sending ----------------------------------------------------------------------------------------------------------------

    def send(self, case_id: str, decision: Decision, look: Look | None) -> None:
        """The effects that the attempt in flight records by itself: charges and look-ups."""
        for effect in decision.effects:
            if isinstance(effect, Charge):
                assert look is not None, "a charge is ordered on a look"
                self._charge(case_id, effect, look)
            elif isinstance(effect, LookUp):
                self._look_up(case_id, effect)

    def _charge(self, case_id: str, effect: Charge, look: Look) -> None:
        """Send the attempt's request once, under its fence, and commit the answer."""
        look_age_max = timedelta(seconds=self.facts.timing.look_max_age_seconds)
        while True:
            rows, attempt = self._held_attempt(case_id, effect)
            case = rows.case
            if case is None or attempt is None:
                return
            refusals = self._gate(rows, case, attempt, look.snapshot)
            if refusals or self.clock.now() - look.asked_at <= look_age_max:
                break
            try:
                look = self.snapshot(case_id)
            except (SnapshotUnavailable, ObjectMissing) as failure:
                refusals = (f"the processor could not be read: {failure}",)
                break
        if refusals:
            self.step(case_id, AttemptWithdrawn(attempt.number, effect.fence, refusals))
            return
        answer = self.parts.processors[case.processor].charge(_request(case, attempt))
        match answer:
            case Paid() | Declined() | Refused():
                self.step(case_id, AttemptSettled(attempt.number, answer))
            case Pending() | Unanswered() | NotNow():
                self.step(case_id, AttemptAnswered(attempt.number, answer, fence=effect.fence))

    def _held_attempt(self, case_id: str, effect: Charge) -> tuple[Rows, Attempt | None]:
        """The attempt to send, if it is still in flight under this fence; a stale holder stops here and writes nothing."""
        rows = self.store.load(case_id, Refs())
        attempt = rows.case.in_flight if rows.case is not None else None
        if attempt is None or attempt.number != effect.attempt_number or attempt.fence != effect.fence:
            return rows, None
        if rows.method is None or rows.method.fence != effect.fence:
            return rows, None
        return rows, attempt

    def _gate(self, rows: Rows, case: Case, attempt: Attempt, snapshot: Snapshot) -> tuple[str, ...]:
        """The look before the send, with the stops read fresh."""
        assert attempt.method is not None, "an attempt of ours names its method"
        stops = self._stops(case.processor, case.account, snapshot)
        return gate.closed_because(
            case, attempt.amount_minor, attempt.currency, attempt.method, snapshot, rows.method, stops
        )

    def _look_up(self, case_id: str, effect: LookUp) -> None:
        """Ask the processor what became of an attempt, and commit what it says."""
        case = self.store.load(case_id, Refs()).case
        attempt = case.in_flight if case is not None else None
        if case is None or attempt is None or attempt.number != effect.attempt_number:
            return
        answer = self.parts.processors[case.processor].find_charge(case.account, case.processor_invoice_id, attempt)
        self.act(case_id, _looked_up(attempt.number, answer), None)


def _request(case: Case, attempt: Attempt) -> ChargeRequest:
    """Exactly what the attempt's intent says."""
    assert attempt.method is not None, "an attempt of ours names its method"
    return ChargeRequest(
        account=case.account,
        processor_invoice_id=case.processor_invoice_id,
        key=attempt.key,
        amount_minor=attempt.amount_minor,
        currency=attempt.currency,
        processor_method_id=attempt.method.processor_method_id,
    )


def _looked_up(number: int, answer: LookUpAnswer) -> Event:
    """A look-up's answer as an event."""
    match answer:
        case Paid() | Declined():
            return AttemptSettled(number, answer, looked_up=True)
        case Pending():
            return AttemptAnswered(number, answer, looked_up=True)
        case NotThere():
            return AttemptNotFound(number)
        case CannotSay():
            return AttemptAnswered(number, Unanswered(answer.why), looked_up=True)
