"""The shell: look, wake, grant. It reads, asks the core, writes and sends; it has no rules of its own.

Around every send lie four beats. *Look*: a snapshot, whose news is applied first. *Intent*: the decision that fixes number, key and request is committed with the lease.
*Send*: exactly that, outside any transaction (`sending`). *Outcome*: the answer is committed (`stepping`).
"""

from dunr.core.decide import decide
from dunr.core.decision import Decision
from dunr.core.effects import Charge
from dunr.core.events import (
    AttemptOverdue,
    DeadlineReached,
    Event,
    LookFailed,
    MethodUpdated,
    PayNow,
    RetryNow,
    TimerFired,
)
from dunr.core.reconcile import events_from
from dunr.core.terms import InFlightAction
from dunr.core.timers import due_event
from dunr.errors import NoSuchThing, WishRejected
from dunr.ports import KeyRefused, ObjectMissing, Refs, SnapshotUnavailable
from dunr.sending import Sender
from dunr.stepping import Look, Parts, Stepper

LOOKS_MAX = 5
EVENTS_OF_ONE_SNAPSHOT_MAX = 60

__all__ = ["Engine", "Look", "Parts"]


class Engine(Stepper):
    """Applies news, wakes cases and grants wishes, for any number of threads at once."""

    def __init__(self, parts: Parts) -> None:
        """Keep the parts; nothing is read or started."""
        super().__init__(parts)
        self._sender = Sender(self)

    def send(self, case_id: str, decision: Decision, look: Look | None) -> None:
        """Send what a decision ordered for the attempt in flight."""
        self._sender.send(case_id, decision, look)

    # --- looking ----------------------------------------------------------------------------------------------------------------

    def converge(self, case_id: str, look: Look) -> bool:
        """Apply everything that a snapshot says and the case does not know, money first, one event at a time; whether something was sent for it."""
        sent = False
        for _ in range(EVENTS_OF_ONE_SNAPSHOT_MAX):
            rows = self.load(case_id, look.snapshot)
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
