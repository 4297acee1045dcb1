"""Alerts, told: by every way that the settings name, each way once, as the core says when.

What was said stands in one document, so that all processes say it once. A way that does not work is tried again with growing gaps, and the others are not used
a second time: which were is written down with the effect.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from datetime import timedelta
from threading import Lock
from typing import assert_never

import msgspec

from dunr.claims import Claims
from dunr.core import keys
from dunr.core.alerting import (
    AlertBook,
    AlertWord,
    SayAlone,
    SayLater,
    SayNothing,
    SayTogether,
    end_of,
    key_now,
    noted,
    what_to_say,
)
from dunr.core.decision import Decision
from dunr.core.effects import RaiseAlert, RecordedEffect
from dunr.core.terms import AlertKind
from dunr.core.value import replace
from dunr.errors import StoreUnavailable
from dunr.happenings import tell
from dunr.ports import Change, Clock, Delivery, Rows, Store, Undone
from dunr.redaction import clean_text

BOOK = "alerts"
TOLD_BY = "told by "
TOGETHER_MAX = 200
DEFER_SECONDS, DEFER_SECONDS_MAX = 30, 6 * 3600
WRITE_TRIES_MAX = 100
NOTHING_READ = Rows(None, None, None, None)

Way = Callable[[AlertWord], Delivery]


class AlertDesk:
    """Raises alerts that belong to no case, and ends them; for any number of threads."""

    def __init__(self, store: Store, clock: Clock) -> None:
        """Keep what it is kept in."""
        self._store = store
        self._clock = clock

    def raise_about(self, kind: AlertKind, about: str, text: str) -> None:
        """Tell a person. The same trouble is one alert, until it was over."""
        key = key_now(self.book(), keys.alert(kind, about))
        tell("alert_raised", case=None, kind=kind, key=key)
        self.record(RaiseAlert(key, kind, None, text, self._clock.now()))

    def end(self, key: str, text: str) -> bool:
        """Tell those who heard of an alert that it is over; False where nobody did, or they know."""
        book = self.book()
        key = key_now(book, key)
        if not book.is_open(key):
            return False
        kind = next(one.kind for one in book.said if one.key == key)
        self.record(end_of(key, kind, None, text, self._clock.now()))
        return True

    def end_about(self, kind: AlertKind, about: str, text: str) -> bool:
        """The same, by what it was about."""
        return self.end(keys.alert(kind, about), text)

    def end_all(self, beginning: str, text: str) -> None:
        """Tell that all are over that people heard of and whose keys begin so."""
        for key in sorted({one.key for one in self.book().said if one.key.startswith(beginning)}):
            self.end(key, text)

    def record(self, *alerts: RaiseAlert) -> None:
        """Have alerts told as soon as it is their time."""
        texts = tuple(alert.text for alert in alerts)
        self._store.commit((Change(NOTHING_READ, Decision(texts, effects=alerts)),))

    def book(self) -> AlertBook:
        """What was said."""
        return self._read()[0]

    def note(self, alerts: tuple[RaiseAlert, ...], *, alone: bool) -> None:
        """Write down that it was said."""
        for _ in range(WRITE_TRIES_MAX):
            book, version = self._read()
            after = noted(book, alerts, self._clock.now(), alone=alone)
            if self._store.put_document(BOOK, msgspec.json.encode(after), version):
                return
        raise StoreUnavailable("The book of alerts changed again and again while it was written; try again.")

    def _read(self) -> tuple[AlertBook, int]:
        document = self._store.document(BOOK)
        if document is None:
            return AlertBook(), 0
        return msgspec.json.decode(document.body, type=AlertBook), document.version


class AlertTeller:
    """Performs `RaiseAlert`, for any number of threads; `ways` by their names."""

    def __init__(self, store: Store, clock: Clock, claims: Claims, ways: Mapping[str, Way]) -> None:
        """Keep what is told by."""
        self.desk = AlertDesk(store, clock)
        self._store = store
        self._clock = clock
        self._claims = claims
        self._ways = ways
        self._turn = Lock()

    @contextmanager
    def one_at_a_time(self, effect: RecordedEffect) -> Iterator[None]:
        """Alerts are told by one thread of this process, which can then put them together."""
        if not isinstance(effect, RaiseAlert):
            yield
            return
        with self._turn:
            yield

    def tell(self, alert: RaiseAlert, held: Undone) -> None:
        """Tell one alert, and with it what else has waited for the same message; or leave it for later."""
        now = self._clock.now()
        if held.note.startswith(TOLD_BY):  # some heard it, and the others hear the same
            self._say(held, (), alone=False)
            return
        verdict = what_to_say(self.desk.book(), alert, now)
        match verdict:
            case SayNothing():
                if verdict.is_noted:
                    self.desk.note((alert,), alone=False)
                self._claims.done(held, f"not told: {verdict.why}")
            case SayLater():
                self._store.claim(held, verdict.at, "many of its kind: told together")
            case SayAlone():
                self._say(held, (), alone=True)
            case SayTogether():
                with ExitStack() as companions:
                    self._say(held, self._waiting_too(alert, companions), alone=False)
            case unreachable:
                assert_never(unreachable)

    def _waiting_too(self, alert: RaiseAlert, companions: ExitStack) -> tuple[Undone, ...]:
        """What else of its kind is due and not told yet, each claimed by itself."""
        found: list[Undone] = []
        book, now = self.desk.book(), self._clock.now()
        for undone in self._store.undone(now, TOGETHER_MAX):
            other = undone.effect
            if not isinstance(other, RaiseAlert) or other.key == alert.key or undone.note.startswith(TOLD_BY):
                continue
            alike = other.kind is alert.kind and (other.ends is None) == (alert.ends is None)
            if alike and isinstance(what_to_say(book, other, now), SayTogether):
                held = companions.enter_context(self._claims.holding(undone))
                found += [held] if held is not None else []
        return tuple(found)

    def _say(self, held: Undone, others: tuple[Undone, ...], *, alone: bool) -> None:
        """By every way that has not been used yet; what did not work is tried again."""
        first = held.effect
        assert isinstance(first, RaiseAlert), "only alerts are told"
        alerts = tuple(_clean(one.effect) for one in (held, *others) if isinstance(one.effect, RaiseAlert))
        key = f"{first.key}+{len(others)}" if others else first.key
        word = AlertWord(key, first.kind, first.ends is not None, alerts, self._clock.now())
        told = held.note.removeprefix(TOLD_BY).split(", ") if held.note.startswith(TOLD_BY) else []
        was_told = bool(told)
        failed: list[str] = []
        for name, way in self._ways.items():
            if name not in told:
                (failed if way(word) is Delivery.FAILED_FOR_NOW else told).append(name)
        if told and not was_told:
            self.desk.note(
                tuple(one.effect for one in (held, *others) if isinstance(one.effect, RaiseAlert)), alone=alone
            )
        note = TOLD_BY + ", ".join(told)
        for one in (held, *others):
            if failed:
                gap = min(DEFER_SECONDS * 2 ** min(one.tries_count, 10), DEFER_SECONDS_MAX)
                self._claims.defer(one, self._clock.now() + timedelta(seconds=gap), note if told else "nobody took it")
            else:
                self._claims.done(one, note)


def _clean(alert: RaiseAlert) -> RaiseAlert:
    """Without secrets and addresses, which a merchant's own text or a processor's answer may have brought in."""
    return replace(alert, text=clean_text(alert.text))
