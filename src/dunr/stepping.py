"""One step: read the rows, let the core decide, commit the decision on condition of what was read.

Everything that changes a case goes through here, whoever it comes from. Where somebody was faster, the rows are read and the decision is made again.
"""

from datetime import datetime, timedelta

from dunr.braking import AutomaticBrake, group_of
from dunr.core import keys
from dunr.core.brake import Group, held_because
from dunr.core.decide import decide
from dunr.core.decision import Decision, Dossier, Stops
from dunr.core.events import Event, PolicyMoved, card_key_of
from dunr.core.facts import Facts
from dunr.core.model import Case
from dunr.core.segments import Choice
from dunr.core.snapshot import Snapshot
from dunr.core.value import Value, replace
from dunr.errors import StoreUnavailable
from dunr.happenings import tell_of_decision
from dunr.ports import Change, Clock, Processor, Refs, Rows, Rulebook, Standing, Store
from dunr.preflight import Preflight, question_before

STALE_TRIES_MAX = 100
SKEW_MAX = timedelta(minutes=5)


class Parts(Value):
    """What the shell is put together from. `holder` names this worker in leases; without a `brake` nothing holds by itself, without a `preflight` nobody is asked."""

    store: Store
    processors: dict[str, Processor]
    rulebook: Rulebook
    facts: Facts
    clock: Clock
    holder: str
    brake: AutomaticBrake | None = None
    preflight: Preflight | None = None


class Look(Value):
    """A snapshot, and when we asked for it by our own clock: its age is judged by that. `read` is what we knew once all of it had been applied."""

    snapshot: Snapshot
    asked_at: datetime
    read: Dossier | None = None


class Stepper:
    """Steps of cases, for any number of threads at once: each is one conditional commit."""

    def __init__(self, parts: Parts) -> None:
        """Keep the parts; nothing is read or started."""
        self.parts = parts
        self.store = parts.store
        self.clock = parts.clock
        self.steps_count = 0

    @property
    def facts(self) -> Facts:
        """What decides about every case, with the meanings that the merchant gave to codes."""
        return self.parts.rulebook.facts(self.parts.facts)

    def step(self, case_id: str, event: Event, look: Look | None = None) -> Decision:
        """Decide on an event and commit; where somebody was faster, read again and decide again."""
        snapshot, read = (look.snapshot, look.read) if look is not None else (None, None)
        named = card_key_of(event)
        if named is not None:
            read = None  # it is about another card than the one that was read
        for _ in range(STALE_TRIES_MAX):
            if read is None:
                read = self.read(case_id, snapshot, named)
            decision = self.decide(read, event)
            if self.commit(read, decision):
                return decision
            read = None
        raise StoreUnavailable(f"{case_id} changed {STALE_TRIES_MAX} times while a step was decided; try again")

    def decide(self, read: Dossier, event: Event) -> Decision:
        """What an event comes to now, before anything is written. Where a charge would go out, whoever may forbid it is asked."""
        decision, preflight = self.foreseen(read, event), self.parts.preflight
        question = question_before(decision) if preflight is not None else None
        if preflight is None or question is None:
            return decision
        return self.foreseen(replace(read, permission=preflight.may_charge(question)), event)

    def foreseen(self, read: Dossier, event: Event) -> Decision:
        """What an event comes to by what was read, with nobody asked."""
        if isinstance(event, PolicyMoved):
            read = replace(read, policy_next=self.parts.rulebook.policy(event.to_hash))
        return decide(read, event, self.facts, self.clock.now())

    def commit(self, read: Dossier, decision: Decision) -> bool:
        """Write a decision whole; False where the rows have moved. One that changes nothing is not written."""
        if decision.changes_nothing and not decision.effects:
            return True
        rows = Rows(read.case, read.subscription, read.method, read.customer)
        written = self.store.commit((Change(rows, decision),))[0]
        self.steps_count += written
        if written:
            tell_of_decision(read.case, decision)
        return written

    def read(self, case_id: str, snapshot: Snapshot | None, named_card_key: str | None = None) -> Dossier:
        """Everything that a decision may depend on, read now. `named_card_key`: the card that the event is about, where it is not the default one."""
        rulebook, rows = self.parts.rulebook, self._rows(case_id, snapshot, named_card_key)
        case = rows.case
        processor, _, _ = case_id.split(":", 2)
        standing = self.standing(case_id, snapshot)
        choice = self._choice(case, processor, snapshot)
        return Dossier(
            case_id=case_id,
            case=case,
            subscription=rows.subscription,
            method=rows.method,
            customer=rows.customer,
            policy=choice.policy,
            policy_why=choice.why,
            policy_next=rulebook.policy(case.policy_next_hash) if case is not None and case.policy_next_hash else None,
            snapshot=snapshot,
            named_card_key=named_card_key,
            stops=standing.stops,
            epoch=standing.epoch,
            holder=self.parts.holder,
        )

    def _choice(self, case: Case | None, processor: str, snapshot: Snapshot | None) -> Choice:
        """The policy that the case opened with, or the one that a new case gets."""
        if case is None:
            return self.parts.rulebook.policy_for_new_case(processor, snapshot)
        return Choice(self.parts.rulebook.policy(case.policy_hash))

    def standing(self, case_id: str, snapshot: Snapshot | None, processor_method_id: str | None = None) -> Standing:
        """The epoch and what is stopped for a case and its method: also by the automatic brake, and by a clock of ours that disagrees with the processor's."""
        processor, account, _ = case_id.split(":", 2)
        standing = self._braked(case_id, group_of(snapshot, processor_method_id))
        if (
            snapshot is None
            or abs(self.clock.now() - snapshot.taken_at) <= SKEW_MAX
            or not self._disagrees(processor, account)
        ):
            return standing
        why = "our clock and the processor's differ by more than five minutes"
        stops = standing.stops
        return Standing(Stops((*stops.charges, why), (*stops.pauses, why), stops.mail), standing.epoch)

    def _braked(self, case_id: str, group: Group | None) -> Standing:
        """What is stopped, with what holds by itself among it."""
        processor, account, _ = case_id.split(":", 2)
        standing = self.parts.rulebook.standing(processor, account)
        if not standing.brakes or self.parts.brake is None:
            return standing
        reasons, stops = held_because(standing.brakes, group, case_id, self.clock.now()), standing.stops
        held = Stops((*stops.charges, *reasons), (*stops.pauses, *reasons), stops.mail)
        return replace(standing, stops=held)

    def _disagrees(self, processor: str, account: str) -> bool:
        """Whether the processor's own clock, asked now, is far from ours: an old snapshot alone proves nothing."""
        theirs = self.parts.processors[processor].now(account)
        return theirs is not None and abs(self.clock.now() - theirs) > SKEW_MAX

    def _rows(self, case_id: str, snapshot: Snapshot | None, named_card_key: str | None) -> Rows:
        """One consistent read; the rows beside a case are those that the snapshot names, if there is one, and the card that the event names."""
        processor, account, _ = case_id.split(":", 2)
        named_id = keys.row_id(processor, account, named_card_key) if named_card_key is not None else None
        if snapshot is None:
            return self.store.load(case_id, Refs(method_id=named_id))
        method, subscription, customer = snapshot.default_method, snapshot.subscription, snapshot.customer
        return self.store.load(
            case_id,
            Refs(
                subscription_id=keys.row_id(processor, account, subscription.processor_subscription_id)
                if subscription
                else None,
                method_id=named_id or (keys.row_id(processor, account, method.card_key) if method else None),
                customer_id=keys.row_id(processor, account, customer.processor_customer_id) if customer else None,
            ),
        )

    def snapshot(self, case_id: str) -> Look:
        """What the processor says about the case's invoice now. Raises `SnapshotUnavailable` or `ObjectMissing`."""
        processor, account, invoice_id = case_id.split(":", 2)
        asked_at = self.clock.now()
        return Look(self.parts.processors[processor].snapshot(account, invoice_id), asked_at)
