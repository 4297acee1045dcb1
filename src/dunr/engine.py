"""The shell: look, wake, grant. It reads, asks the core, writes and sends; it has no rules of its own.

Around every send lie four beats. *Look*: a snapshot, whose news is applied first. *Intent*: the decision that fixes number, key and request is committed with the lease.
*Send*: exactly that, outside any transaction (`sending`). *Outcome*: the answer is committed (`stepping`).
"""

from dunr.core.decision import Decision, Dossier
from dunr.core.effects import Charge
from dunr.core.events import (
    AttemptOverdue,
    BackupDue,
    DeadlineReached,
    Event,
    LookFailed,
    MethodUpdated,
    PayNow,
    RetryNow,
    TimerFired,
)
from dunr.core.model import Case
from dunr.core.reconcile import events_from
from dunr.core.terms import InFlightAction
from dunr.core.timers import due_event
from dunr.core.value import replace
from dunr.errors import NoSuchThing, WishRejected
from dunr.ports import KeyRefused, ObjectMissing, Refs, SnapshotUnavailable
from dunr.sending import Sender
from dunr.stepping import Look, Parts

LOOKS_MAX = 5
EVENTS_OF_ONE_SNAPSHOT_MAX = 60

__all__ = ["Engine", "Look", "Parts"]


class Engine(Sender):
    """Applies news, wakes cases and grants wishes, for any number of threads at once."""

    # --- looking ----------------------------------------------------------------------------------------------------------------

    def converge(self, case_id: str, look: Look) -> tuple[bool, Dossier | None]:
        """Apply everything that a snapshot says and the case does not know, money first, one event at a time.

        Whether something was sent for it, and what was known in the end; None where there is more to apply.
        """
        sent = False
        for _ in range(EVENTS_OF_ONE_SNAPSHOT_MAX):
            read = self.read(case_id, look.snapshot)
            decisions = (self.decide(read, event) for event in events_from(read))
            decision = next((one for one in decisions if not one.changes_nothing or one.effects), None)
            if decision is not None and decision.changes_nothing:
                self.commit(read, decision)  # no case opens, and a person hears why
                decision = None
            if decision is None:
                return sent, read
            if self.commit(read, decision):
                self.send(case_id, decision, look)
                sent = sent or any(isinstance(effect, Charge) for effect in decision.effects)
        return sent, None

    def look(self, case_id: str) -> Look:
        """Read the processor and apply its news. Where that sent something, what was read before is history: it is read again.

        Raises like `snapshot`, also where there is more news than is taken in at once: what was taken in stays, and whoever looks next goes on.
        """
        for _ in range(LOOKS_MAX):
            look = self.snapshot(case_id)
            sent, read = self.converge(case_id, look)
            if read is not None and not sent:
                break
        if read is None:
            raise SnapshotUnavailable(f"{case_id} has more news than is taken in at once; the next look goes on")
        return replace(look, read=read)

    # --- waking -----------------------------------------------------------------------------------------------------------------

    def wake(self, case_id: str) -> None:
        """Do what is due for a case, if anything is. Nothing is begun, sent again or paused without a look."""
        case = self.store.load(case_id, Refs()).case
        event = self._due(case)
        if case is None or event is None:
            return
        look = None
        if _needs_look(case, event):
            try:
                look = self.look(case_id)
            except SnapshotUnavailable as unavailable:
                self.step(case_id, LookFailed(str(unavailable), key_refused=isinstance(unavailable, KeyRefused)))
                return
            except ObjectMissing as missing:
                self.step(case_id, LookFailed(str(missing), missing=True))
                return
            event = self._due((look.read or self.store.load(case_id, Refs())).case)
        if event is not None:
            self.act(case_id, event, look)

    def _due(self, case: Case | None) -> Event | None:
        """The event that is due for a case by its own row."""
        return due_event(case, self.clock.now()) if case is not None else None

    def act(self, case_id: str, event: Event, look: Look | None) -> Decision:
        """Step, then send what the decision ordered."""
        decision = self.step(case_id, event, look)
        self.send(case_id, decision, look)
        return decision

    def wish(self, case_id: str, event: Event) -> Decision:
        """What a person asks for: granted, and sent. Raises like `grant`."""
        decision, look = self.grant(case_id, event)
        self.send(case_id, decision, look)
        return decision

    def foresee(self, case_id: str, event: Event) -> tuple[Dossier, Decision]:
        """What a wish would come to by what is known here, with nothing asked, written or sent. Raises `NoSuchThing`."""
        read = self.read(case_id, None)
        if read.case is None:
            raise NoSuchThing(f"There is no case {case_id!r}.")
        return read, self.foreseen(read, event)

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
        decision = self.step(case_id, event, look)
        if decision.rejection is not None:
            raise WishRejected(decision.rejection.detail, decision.rejection.http_status)
        return decision, look


def _needs_look(case: Case, event: Event) -> bool:
    """Whether the event may lead to a send or a pause; a look-up may not."""
    if isinstance(event, AttemptOverdue):
        attempt = case.in_flight
        return attempt is not None and attempt.next_action is InFlightAction.RESEND
    return isinstance(event, TimerFired | MethodUpdated | BackupDue | DeadlineReached)
