"""What happens to a received event: it is translated, looked at through a fresh snapshot, and settled with a note.

The event is only a hint. What cannot be read now waits; what cannot be read at all is visible in the dead letters with its reason; nothing is dropped silently.
"""

from collections.abc import Callable, Hashable, Sequence
from contextlib import ExitStack
from datetime import datetime, timedelta
from typing import TypeVar

from dunr.alerts import AlertDesk
from dunr.core import keys
from dunr.core.saying import said
from dunr.core.snapshot import Snapshot
from dunr.core.terms import AlertKind
from dunr.engine import Engine
from dunr.errors import BadEvent, StoreUnavailable
from dunr.happenings import tell
from dunr.ports import (
    Inbound,
    InboundState,
    KeyRefused,
    ObjectMissing,
    Receipt,
    Rows,
    Settlement,
    SnapshotUnavailable,
    Subject,
)
from dunr.renewal_desk import DUE, RenewalDesk

BAD_EVENT_TRIES_MAX = 5
MISSING_TRIED_FOR = timedelta(minutes=15)
WAIT_ALERT_AFTER = timedelta(hours=1)
WAIT_SECONDS = 15
WAIT_SECONDS_MAX = 900
Meet = Callable[[Callable[[AlertKind, str, str], None]], None]
NOTHING_READ = Rows(None, None, None, None)

Question = TypeVar("Question", bound=Hashable)
Answer = TypeVar("Answer")


class Asked:
    """What the processor was asked for one lot of inbounds: each question once, whatever came of it."""

    def __init__(self, engine: Engine) -> None:
        """Nothing is asked yet."""
        self._engine = engine
        self._looks: dict[str, Snapshot | Exception] = {}
        self._invoices: dict[tuple[str, str, Subject], Sequence[str] | Exception] = {}

    def about(self, case_id: str) -> Snapshot:
        """A look at a case. Raises like `Engine.look`, again for each that asks."""
        return _once(self._looks, case_id, lambda: self._engine.look(case_id).snapshot)

    def invoices_of(self, processor: str, account: str, subject: Subject) -> Sequence[str]:
        """The invoices that a subject stands for. Raises like the processor."""
        adapter = self._engine.parts.processors[processor]
        question = (processor, account, subject)
        return _once(self._invoices, question, lambda: adapter.invoices_of(account, subject))


def _once(known: dict[Question, Answer | Exception], question: Question, ask: Callable[[], Answer]) -> Answer:
    if question not in known:
        try:
            known[question] = ask()
        except (SnapshotUnavailable, ObjectMissing) as failure:
            known[question] = failure
    answer = known[question]
    if isinstance(answer, Exception):
        raise answer
    return answer


def _key_of(lot: Sequence[tuple[Inbound, Subject | None]]) -> str:
    """What must not be in two hands at once."""
    for inbound, subject in lot:
        if subject is not None and subject.processor_invoice_id is not None:
            return keys.case_id(inbound.processor, inbound.account, subject.processor_invoice_id)
    return lot[0][0].key


class Intake:
    """Applies inbounds through the engine; a repeat is harmless."""

    def __init__(self, engine: Engine, renewals: RenewalDesk | None = None, meet: Meet | None = None) -> None:
        """Keep the engine, and who renews subscriptions, where anybody does. `meet` is asked before anything is applied, and raises where it cannot be yet."""
        self.engine = engine
        self.renewals = renewals
        self._meet = meet
        self.alerts = AlertDesk(engine.store, engine.clock)

    def received(self, inbounds: Sequence[Inbound], receipts: Sequence[Receipt]) -> None:
        """After the commit: the same id with another body is a reason for an alert."""
        for inbound, receipt in zip(inbounds, receipts, strict=True):
            if receipt is Receipt.CONFLICT:
                text = f"Event {inbound.key} arrived again with another body. The first one counts; the second is kept."
                self.alert(AlertKind.EVENT_REUSED, f"{inbound.key}/{inbound.body_sha256[:16]}", text)

    def apply(self, *inbounds: Inbound) -> None:
        """Apply inbounds and settle each. What several are about is looked at once: all of them had arrived by then, so the look is newer than each.

        What goes wrong in one does not keep the others waiting, and is raised in the end.
        """
        asked = Asked(self.engine)
        with ExitStack() as each:
            for inbound in reversed(inbounds):
                each.callback(self._apply, inbound, asked)

    def together(self, inbounds: Sequence[Inbound]) -> list[tuple[str, tuple[Inbound, ...]]]:
        """Those of one payer as one lot, in the order of its first; each with the case that it is about, or the key of its first where none is named."""
        lots: dict[str, list[tuple[Inbound, Subject | None]]] = {}
        for inbound in inbounds:
            subject = self._subject(inbound)
            owner = subject.processor_customer_id if subject is not None else None
            lot = keys.row_id(inbound.processor, inbound.account, owner) if owner is not None else inbound.key
            lots.setdefault(lot, []).append((inbound, subject))
        return [(_key_of(lot), tuple(inbound for inbound, _ in lot)) for lot in lots.values()]

    def _subject(self, inbound: Inbound) -> Subject | None:
        """What an inbound says that it is about; None where it cannot be read."""
        processor = self.engine.parts.processors.get(inbound.processor)
        try:
            return processor.translate(inbound) if processor is not None else None
        except BadEvent:
            return None

    def _apply(self, inbound: Inbound, asked: Asked) -> None:
        """Apply one inbound and settle it."""
        snapshot: Snapshot | None = None
        try:
            if self._meet is not None:
                self._meet(self.alert)
            if self.renewals is not None and inbound.event_type == DUE:
                self.renewals.fall_due(inbound)
            else:
                snapshot = self._take_in(inbound, asked)
        except BadEvent as bad:
            self.failed(inbound, str(bad))
        except ObjectMissing as missing:
            self._missing(inbound, str(missing))
        except KeyRefused as refused:
            self._key_refused(inbound, str(refused))
        except (SnapshotUnavailable, StoreUnavailable) as unavailable:
            self._wait(inbound, str(unavailable))
        else:
            self._settle(inbound, InboundState.APPLIED, "applied", snapshot)

    def _take_in(self, inbound: Inbound, asked: Asked) -> Snapshot | None:
        """Look at every case that the event may concern; the last snapshot that was read."""
        snapshot: Snapshot | None = None
        subject = self.engine.parts.processors[inbound.processor].translate(inbound)
        for case_id in self._case_ids(inbound, subject, asked):
            strict = case_id.endswith(f":{subject.processor_invoice_id}")
            snapshot = self._look(case_id, asked, strict=strict) or snapshot
        return snapshot

    def _look(self, case_id: str, asked: Asked, *, strict: bool) -> Snapshot | None:
        """Look at one case; an invoice that only belongs to the wider subject may be gone without harm."""
        try:
            return asked.about(case_id)
        except ObjectMissing:
            if strict:
                raise
            return None

    def _case_ids(self, inbound: Inbound, subject: Subject, asked: Asked) -> Sequence[str]:
        """The cases that the event may concern: its invoice, and where it is wide, every open case of the customer, oldest first."""
        processor, account = inbound.processor, inbound.account
        found: list[str] = []
        if subject.wide and subject.processor_customer_id is not None:
            found.extend(self.engine.store.cases_of(keys.row_id(processor, account, subject.processor_customer_id)))
        if subject.processor_invoice_id is not None:
            found.append(keys.case_id(processor, account, subject.processor_invoice_id))
        elif not found or subject.processor_subscription_id is not None:
            invoices = asked.invoices_of(processor, account, subject)
            found.extend(keys.case_id(processor, account, invoice) for invoice in invoices)
        return tuple(dict.fromkeys(found))

    # --- settling ---------------------------------------------------------------------------------------------------------------

    def _settle(self, inbound: Inbound, state: InboundState, note: str, snapshot: Snapshot | None = None) -> None:
        """Write what became of it."""
        tell(
            "webhook_settled", inbound=inbound.key, type=inbound.event_type, state=state, tries=inbound.tries_count + 1
        )
        self.engine.store.settle(inbound.key, Settlement(state, note, inbound.tries_count + 1, None, snapshot))

    def _key_refused(self, inbound: Inbound, why: str) -> None:
        """Nothing can be read until the key is replaced: one alert a day, however many events wait for that."""
        now, processor, account = self.engine.clock.now(), inbound.processor, inbound.account
        self.alert(
            AlertKind.KEY_REVOKED,
            f"{processor}/{account}/{now.date().isoformat()}",
            f"{processor} refuses our API key for {account}. What arrives waits until the key is replaced.",
        )
        self._try_later(inbound, why, now)

    def _wait(self, inbound: Inbound, why: str) -> None:
        """Try again later, for as long as it takes; a person hears of it after an hour."""
        now = self.engine.clock.now()
        if now - inbound.received_at >= WAIT_ALERT_AFTER:
            self.alert(
                AlertKind.SNAPSHOT_UNAVAILABLE,
                inbound.key,
                f"Event {inbound.key} has waited since {said(inbound.received_at, 'UTC')}: {why}",
            )
        self._try_later(inbound, why, now)

    def _try_later(self, inbound: Inbound, why: str, now: datetime) -> None:
        """Leave it waiting, longer each time."""
        delay = timedelta(seconds=min(WAIT_SECONDS * 2 ** min(inbound.tries_count, 10), WAIT_SECONDS_MAX))
        self.engine.store.settle(
            inbound.key, Settlement(InboundState.WAITING, why, inbound.tries_count + 1, now + delay, None)
        )

    def _missing(self, inbound: Inbound, why: str) -> None:
        """What the processor does not know may be on its way: tried for a quarter of an hour, then skipped with a note, which a redrive applies."""
        if self.engine.clock.now() - inbound.received_at < MISSING_TRIED_FOR:
            self._wait(inbound, why)
            return
        self._settle(inbound, InboundState.IGNORED, f"skipped: {why}")
        self.alert(
            AlertKind.SNAPSHOT_UNAVAILABLE,
            inbound.key,
            f"Event {inbound.key} is about something that the processor does not know: {why}",
        )

    def failed(self, inbound: Inbound, why: str) -> None:
        """An event that cannot be understood, or on which something of ours breaks: a few tries, then a dead letter."""
        if inbound.tries_count + 1 < BAD_EVENT_TRIES_MAX:
            self._wait(inbound, why)
            return
        self._settle(inbound, InboundState.DEAD, why)
        self.alert(
            AlertKind.DEAD_LETTER,
            inbound.key,
            f"Event {inbound.key} was given up after {BAD_EVENT_TRIES_MAX} tries: {why}. Mend it and redrive it.",
        )

    def redrive(self, key: str) -> bool:
        """Give a dead or skipped inbound another chance; False where there is nothing to redrive."""
        inbound = self.engine.store.inbound(key)
        if inbound is None or inbound.state not in (InboundState.DEAD, InboundState.IGNORED):
            return False
        self.alerts.end_about(AlertKind.DEAD_LETTER, key, f"Event {key} was redriven.")
        note = f"redriven; before: {inbound.note}"
        self.engine.store.settle(key, Settlement(InboundState.WAITING, note, 0, self.engine.clock.now(), None))
        return True

    def alert(self, kind: AlertKind, about: str, text: str) -> None:
        """Tell a person about something that belongs to no case."""
        self.alerts.raise_about(kind, about, text)
