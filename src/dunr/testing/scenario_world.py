"""The world of a scenario: rows in a dictionary, a processor that shows what the lines say, and a clock that only
goes forward.

Nothing here decides. Rows change by `decide` alone, snapshots are read by `events_from`, and what is due is asked of
`due_event`, as the engine does it, but without a store, a network or a thread.
"""

from dataclasses import dataclass, field
from datetime import datetime
from typing import TypeVar

from dunr.core import keys
from dunr.core.answers import Declined, Paid, Pending, Unanswered
from dunr.core.decide import decide
from dunr.core.decision import AuditEntry, Decision, Dossier, Posting, Stops
from dunr.core.effects import Charge, LookUp, Notice, Nudge, RecordedEffect
from dunr.core.events import (
    AccessRestored,
    AttemptAnswered,
    AttemptNotFound,
    AttemptSettled,
    Event,
    NoticeBounced,
    NoticeSent,
    RunEnded,
    card_key_of,
)
from dunr.core.facts import Facts
from dunr.core.gate import closed_because
from dunr.core.model import Case, Customer, Method, Subscription
from dunr.core.notices import as_it_leaves, waits_because
from dunr.core.policy import Policy, policy_hash
from dunr.core.reconcile import events_from
from dunr.core.snapshot import Snapshot
from dunr.core.timers import due_event
from dunr.core.value import replace
from dunr.testing.scenario_processor import ProcessorInWorld

R = TypeVar("R", Case, Subscription, Method, Customer)
PROCESSOR, ACCOUNT = "sandbox", "main"
EVENTS_OF_ONE_SNAPSHOT_MAX = 20
WAKES_MAX = 20_000


@dataclass
class Sent:
    """One call that left: which attempt, what for, and how much."""

    case_id: str
    attempt_number: int
    fence: int
    key: str
    amount_minor: int
    processor_method_id: str


def case_id(invoice_id: str) -> str:
    """The id of the case of an invoice."""
    return keys.case_id(PROCESSOR, ACCOUNT, invoice_id)


@dataclass(kw_only=True)
class World(ProcessorInWorld):
    """All of it. `now` is moved by `run_until`; what the code under test did since the last line is kept to be told."""

    facts: Facts
    policy: Policy = field(default_factory=Policy)
    stops: Stops = field(default_factory=Stops)
    mail_works: bool = True
    policies: dict[str, Policy] = field(default_factory=dict)
    policy_next: Policy | None = None
    epoch: int = 0
    rows: dict[str, Case | Subscription | Method | Customer] = field(default_factory=dict)
    ledger: dict[str, Posting] = field(default_factory=dict)
    audit: list[AuditEntry] = field(default_factory=list)
    effects: dict[str, RecordedEffect] = field(default_factory=dict)
    outbox: list[Notice] = field(default_factory=list)
    sent: list[Sent] = field(default_factory=list)
    told: list[RecordedEffect] = field(default_factory=list)
    mailed: list[Notice] = field(default_factory=list)
    decisions: list[Decision] = field(default_factory=list)  # since the last act
    wished: Decision | None = None  # what became of the last wish

    def case(self, invoice_id: str) -> Case | None:
        """The case of an invoice, if it was opened."""
        return self._row(case_id(invoice_id), Case)

    def _row(self, key: str, kind: type[R]) -> R | None:
        """A row by its key, of the kind that lives there."""
        row = self.rows.get(key)
        assert row is None or isinstance(row, kind)
        return row

    def subscription(self, invoice_id: str) -> Subscription | None:
        """The subscription row beside a case."""
        at = self.invoice(invoice_id)
        return self._row("sub/" + keys.row_id(PROCESSOR, ACCOUNT, at.subscription_id or "none"), Subscription)

    def dossier(self, invoice_id: str, snapshot: Snapshot | None, named_card_key: str | None = None) -> Dossier:
        """One consistent read; the method row is the one that the dossier itself names."""
        case = self.case(invoice_id)
        self.policies.setdefault(policy_hash(self.policy), self.policy)
        read = Dossier(
            case_id=case_id(invoice_id),
            case=case,
            subscription=self.subscription(invoice_id),
            method=None,
            customer=self._row("cus/" + keys.row_id(PROCESSOR, ACCOUNT, "cus_1"), Customer),
            policy=self.policies[case.policy_hash] if case is not None else self.policy,
            snapshot=snapshot,
            stops=self.stops,
            policy_next=self.policy_next,
            named_card_key=named_card_key,
            epoch=self.epoch,
            holder="worker-1",
        )
        return replace(read, method=self._row(f"card/{read.method_id}", Method), permission=self.permission)

    def decide(self, invoice_id: str, event: Event, snapshot: Snapshot | None) -> Decision:
        """Decide, and commit where something changes."""
        decision = decide(self.dossier(invoice_id, snapshot, card_key_of(event)), event, self.facts, self.now)
        assert decision.because, f"a decision without a reason: {event}"
        self.decisions.append(decision)
        self._commit(decision)
        return decision

    def _commit(self, decision: Decision) -> None:
        """Write the rows and keep the effects, each key once."""
        for kind, row in (
            ("", decision.case),
            ("sub/", decision.subscription),
            ("card/", decision.method),
            ("cus/", decision.customer),
        ):
            if row is not None:
                self.rows[kind + row.id] = replace(row, version=row.version + 1)
        for posting in decision.postings:
            assert sum(amount for _, amount in posting.lines) == 0, posting
            self.ledger.setdefault(posting.id, posting)
        self.audit.extend(decision.audit)
        for effect in decision.effects:
            if isinstance(effect, Charge | LookUp):
                self._send(effect)
            elif effect.key not in self.effects:
                self.effects[effect.key] = effect
                self._perform(effect)

    def _send(self, effect: Charge | LookUp) -> None:
        """A charge leaves; a look-up is answered by what the lines said of the invoice."""
        invoice_id = effect.case_id.split(":", 2)[2]
        case = self.case(invoice_id)
        assert case is not None
        if isinstance(effect, Charge):
            attempt = case.in_flight
            assert attempt is not None, "a charge without an attempt in flight"
            assert attempt.method is not None, "a charge without a method"
            row = self.rows["card/" + keys.row_id(PROCESSOR, ACCOUNT, attempt.method.card_key)]
            assert isinstance(row, Method)
            assert row.fence == effect.fence == attempt.fence, "a charge without the fence of its card"
            assert row.lease is not None, "a charge without the lease of its card"
            call = (effect.case_id, attempt.number, effect.fence, attempt.key, attempt.amount_minor)
            self.sent.append(Sent(*call, attempt.method.processor_method_id))
            return
        match self.invoice(invoice_id).look_ups:
            case AttemptNotFound():
                self.decide(invoice_id, AttemptNotFound(effect.attempt_number), None)
            case Paid() | Declined() as answer:
                self.decide(invoice_id, AttemptSettled(effect.attempt_number, answer, looked_up=True), None)
            case Pending() as answer:
                self.decide(invoice_id, AttemptAnswered(effect.attempt_number, answer, looked_up=True), None)
            case None:
                failed = Unanswered("the look-up failed")
                self.decide(invoice_id, AttemptAnswered(effect.attempt_number, failed, looked_up=True), None)

    def _perform(self, effect: RecordedEffect) -> None:
        """Notices wait for their time; a nudge is a look at a case; the rest is told to whoever reads the scenario."""
        if isinstance(effect, Notice):
            self.outbox.append(effect)
        elif isinstance(effect, Nudge):
            invoice_id = effect.case_id.split(":", 2)[2]
            if effect.run_ended:
                self.decide(invoice_id, RunEnded(), self.snapshot(invoice_id))
            self.read(invoice_id)
            if effect.access_restored:
                self.decide(invoice_id, AccessRestored(), self.snapshot(invoice_id))
        else:
            self.told.append(effect)

    # --- reading and waking -----------------------------------------------------------------------------------------

    def read(self, invoice_id: str, snapshot: Snapshot | None = None) -> int:
        """Apply what a snapshot says, one event at a time, until it says nothing new; how many events that took."""
        taken = snapshot or self.snapshot(invoice_id)
        for count in range(EVENTS_OF_ONE_SNAPSHOT_MAX):
            dossier = self.dossier(invoice_id, taken)
            for event in events_from(dossier):
                if not decide(dossier, event, self.facts, self.now).changes_nothing:
                    self.decide(invoice_id, event, taken)
                    break
            else:
                return count
        raise AssertionError(f"the same snapshot of {invoice_id} never stops to say something new")

    def read_all(self) -> None:
        """A webhook about the customer: each invoice is read, in the order in which it came into the world."""
        for invoice_id in tuple(self.invoices):
            self.read(invoice_id)

    def wake(self, invoice_id: str) -> None:
        """Look, then do what is due, until nothing is due."""
        for _ in range(EVENTS_OF_ONE_SNAPSHOT_MAX):
            case = self.case(invoice_id)
            if case is None or due_event(case, self.now) is None:
                return
            self.read(invoice_id)
            case = self.case(invoice_id)
            event = due_event(case, self.now) if case is not None else None
            if event is not None:
                self.decide(invoice_id, event, self.snapshot(invoice_id))
        raise AssertionError(f"something is due for {invoice_id} again and again at {self.now.isoformat()}")

    def deliver(self) -> None:
        """Hand over the notices whose time has come, unless they say what is no longer true."""
        for notice in [one for one in self.outbox if self._may_leave(one)]:
            self.outbox.remove(notice)
            invoice_id = notice.case_id.split(":", 2)[2]
            leaving = as_it_leaves(self.case(invoice_id), notice)
            if leaving is None:
                continue
            if self.mail_works:
                self.mailed.append(leaving)
                step_at = leaving.next_attempt_at
                self.decide(invoice_id, NoticeSent(leaving.kind, leaving.key, leaving.is_warning, step_at), None)
            else:
                self.decide(invoice_id, NoticeBounced(leaving.key, leaving.is_warning, "no such mailbox"), None)

    def _may_leave(self, notice: Notice) -> bool:
        """Whether a notice's time has come and nothing makes it wait."""
        held = waits_because(self.case(notice.case_id.split(":", 2)[2])) is not None
        return notice.not_before_at <= self.now and not self.stops.mail and not held

    def next_due_at(self) -> datetime | None:
        """When something in the world wants attention next."""
        wakes = [row.wake_at for row in self.rows.values() if isinstance(row, Case) and row.wake_at is not None]
        mails = [
            notice.not_before_at
            for notice in self.outbox
            if not self.stops.mail and waits_because(self.case(notice.case_id.split(":", 2)[2])) is None
        ]
        return min((*wakes, *mails), default=None)

    def run_until(self, at: datetime) -> None:
        """Let time pass, doing what is due in order."""
        assert at >= self.now, f"time does not run backward, from {self.now.isoformat()} to {at.isoformat()}"
        for _ in range(WAKES_MAX):
            due_at = self.next_due_at()
            if due_at is None or due_at > at:
                self.now = at
                return
            self.now = max(self.now, due_at)
            self.deliver()
            for invoice_id in tuple(self.invoices):
                self.wake(invoice_id)
            self.deliver()
        raise AssertionError(f"more than {WAKES_MAX} things were due before {at.isoformat()}")

    def settle(self) -> None:
        """Do what is due at this instant."""
        self.run_until(self.now)

    def gate_of(self, invoice_id: str) -> tuple[str, ...]:
        """What the look before the send would say now about the attempt in flight."""
        dossier = self.dossier(invoice_id, self.snapshot(invoice_id))
        attempt = dossier.case.in_flight if dossier.case is not None else None
        assert dossier.case is not None
        assert dossier.snapshot is not None
        assert attempt is not None
        assert attempt.method is not None
        request = (attempt.amount_minor, attempt.currency, attempt.method)
        return closed_because(dossier.case, *request, dossier.snapshot, dossier.method, dossier.stops)
