"""The shell of the automatic brake: it counts what charges come to, for all processes together, and puts on what the core says has to hold.

A process counts a few answers by itself and adds them to the gauge in the store by one conditional write. What is held stands in a document of its own, which is read
with the other stops before each send; it is written first, so that a crash in between leaves more held than counted, and never less.
"""

from datetime import datetime, timedelta
from threading import Lock

import msgspec
import structlog

from dunr.core import keys
from dunr.core.alerting import end_of
from dunr.core.answers import ChargeAnswer, Declined, NotNow, Paid, Pending, Refused, Unanswered
from dunr.core.brake import Answer, Brake, BrakeRule, Gauge, Group, fed, tripped
from dunr.core.decision import Decision
from dunr.core.effects import RaiseAlert
from dunr.core.saying import said
from dunr.core.snapshot import Snapshot
from dunr.core.terms import AlertKind
from dunr.errors import StoreUnavailable
from dunr.ports import Change, Clock, Document, Rows, Store

COUNTED_ALONE_MAX = 5
COUNTED_ALONE_FOR = timedelta(seconds=5)
WRITE_TRIES_MAX = 20
NOTHING_READ = Rows(None, None, None, None)

_log = structlog.get_logger()


def brakes_name(processor: str, account: str) -> str:
    """The document of what is held for an account."""
    return f"brakes:{processor}:{account}"


def gauge_name(processor: str, account: str) -> str:
    """The document of what was counted for an account."""
    return f"gauge:{processor}:{account}"


def gauge_in(document: Document | None) -> Gauge:
    """What a document has counted."""
    return Gauge() if document is None else msgspec.json.decode(document.body, type=Gauge)


def brakes_in(document: Document | None) -> tuple[Brake, ...]:
    """What a document holds."""
    return () if document is None else msgspec.json.decode(document.body, type=tuple[Brake, ...])


def group_of(snapshot: Snapshot | None, processor_method_id: str | None = None) -> Group | None:
    """The group of one method, or of the default one; None where nothing was read."""
    if snapshot is None:
        return None
    methods = [one for one in snapshot.methods if processor_method_id in (None, one.processor_method_id)]
    return Group(methods[0].network, methods[0].country if methods[0].network else None) if methods else Group()


class AutomaticBrake:
    """Counts, for any number of threads."""

    def __init__(self, store: Store, clock: Clock, rule: BrakeRule) -> None:
        """Nothing is counted yet."""
        self._store = store
        self._clock = clock
        self._rule = rule
        self._lock = Lock()
        self._alone: dict[tuple[str, str], list[tuple[Group, Answer]]] = {}
        self._told_at = clock.now()

    def answered(self, processor: str, account: str, group: Group | None, answer: ChargeAnswer) -> None:
        """A charge was answered, or was not. What the processor refused or put off says nothing about its issuers."""
        match answer:
            case Paid() | Pending():
                counted = Answer.TAKEN
            case Declined():
                counted = Answer.DECLINED
            case Unanswered():
                counted = Answer.UNKNOWN
            case NotNow() | Refused():
                return
        now = self._clock.now()
        with self._lock:
            self._alone.setdefault((processor, account), []).append((group or Group(), counted))
            count = sum(map(len, self._alone.values()))
            if count < COUNTED_ALONE_MAX and now - self._told_at < COUNTED_ALONE_FOR:
                return
            alone, self._alone, self._told_at = self._alone, {}, now
        for (name, of_account), answers in alone.items():
            self._tell(name, of_account, answers, now)

    def _tell(self, processor: str, account: str, answers: list[tuple[Group, Answer]], now: datetime) -> None:
        """Add to the gauge, and act on what it says. Where the store does not answer, these few are not counted."""
        try:
            for _ in range(WRITE_TRIES_MAX):
                if self._told(processor, account, answers, now):
                    return
        except StoreUnavailable as unavailable:
            _log.warning("not_counted", answers=len(answers), text=str(unavailable))

    def _told(self, processor: str, account: str, answers: list[tuple[Group, Answer]], now: datetime) -> bool:
        name = gauge_name(processor, account)
        document = self._store.document(name)
        before = gauge_in(document)
        gauge, brakes = tripped(fed(before, answers, self._rule, now), self._rule, processor, now)
        if brakes:
            self._hold(brakes_name(processor, account), gauge.brakes)
        version = document.version if document is not None else 0
        if not self._store.put_document(name, msgspec.json.encode(gauge), version):
            return False
        for brake in brakes:
            self._alert(processor, account, brake, now)
        return True

    def _hold(self, name: str, brakes: tuple[Brake, ...]) -> None:
        """Put them on, whoever else writes at this moment: they have read the same gauge, or will be told to read again."""
        for _ in range(WRITE_TRIES_MAX):
            document = self._store.document(name)
            if self._store.put_document(
                name, msgspec.json.encode(brakes), document.version if document is not None else 0
            ):
                return
        raise StoreUnavailable("The brakes changed again and again while they were written; try again.")

    def _alert(self, processor: str, account: str, brake: Brake, now: datetime) -> None:
        text = (
            f"{brake.why}. Nothing is sent there and nobody is paused for it until {said(brake.until_at, 'UTC')}; then sending comes back case by case, "
            f"until {said(brake.all_at, 'UTC')}. No step is spent meanwhile. Where this is as it should be, set automatic_brake = false or raise its limits."
        )
        about = f"{processor}/{account}/{brake.group.said(processor)}/{now:%Y-%m-%d}/{brake.times}"
        alert = RaiseAlert(keys.alert(AlertKind.BRAKED, about), AlertKind.BRAKED, None, text, now)
        over = f"The brake of {said(now, 'UTC')} on {brake.group.said(processor)} has let go."
        end = end_of(alert.key, alert.kind, None, over, brake.all_at)
        for one in (alert, end):  # the end is told when its time has come
            self._store.commit((Change(NOTHING_READ, Decision((one.text,), effects=(one,))),))
