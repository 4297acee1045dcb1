"""What holds, for people: the stops that somebody put up, what the automatic brake holds by itself, and who changed either, when and why.

A person may lift what the brake holds: it lets go from the next send on, and still remembers how often it had to hold.
"""

from collections.abc import Callable
from datetime import datetime

import msgspec

from dunr.alerts import AlertDesk
from dunr.braking import brakes_in, brakes_name, gauge_in, gauge_name
from dunr.core import keys
from dunr.core.brake import Brake, Group, lifted
from dunr.core.terms import AlertKind
from dunr.core.value import replace
from dunr.errors import StoreUnavailable
from dunr.ports import Clock, Document, Store
from dunr.rulebook import StoredRulebook

RECORD = "stops-record"
RECORD_MAX = 500  # acts that are kept
WRITE_TRIES_MAX = 20


class Held(msgspec.Struct, frozen=True):
    """One brake that is on: nothing is sent until `until_at`, and from then on case by case until `all_at`."""

    account: str
    holds: str
    network: str | None
    country: str | None
    why: str
    until_at: datetime
    all_at: datetime
    times: int


class Act(msgspec.Struct, frozen=True):
    """Who did what to the stops, and why."""

    at: datetime
    actor: str
    what: str
    why: str


class BrakeDesk:
    """Stops, resumes and lifts, each on record."""

    def __init__(
        self, store: Store, clock: Clock, rulebook: StoredRulebook, accounts: tuple[tuple[str, str], ...]
    ) -> None:
        """`accounts`: the processors and accounts whose brakes are shown."""
        self._store = store
        self._clock = clock
        self._rulebook = rulebook
        self._accounts = accounts
        self._alerts = AlertDesk(store, clock)

    def stop(self, kind: str, scope: str, why: str, actor: str) -> None:
        """Put a stop up."""
        self._rulebook.stop(kind, scope, why)
        self._note(actor, f"stopped {kind} ({_said(scope)})", why)

    def resume(self, kind: str, scope: str, why: str, actor: str) -> None:
        """Take a stop away, if it stands."""
        if any((stop.kind, stop.scope) == (kind, scope) for stop in self._rulebook.all_stops()):
            self._rulebook.resume(kind, scope)
            self._note(actor, f"resumed {kind} ({_said(scope)})", why)

    def held(self) -> tuple[Held, ...]:
        """What holds by itself now."""
        return tuple(
            _shown(name, account, brake)
            for name, account in self._accounts
            for brake in brakes_in(self._store.document(brakes_name(name, account)))
            if brake.all_at > self._clock.now()
        )

    def lift(self, one: Held, why: str, actor: str) -> None:
        """Let go of what holds by itself. It holds again where the answers leave their band again."""
        processor, _, account = one.account.partition(":")
        group, now = Group(one.network, one.country), self._clock.now()
        # What is counted first: a brake that trips at this moment writes down what it finds there.
        self._rewrite(gauge_name(processor, account), lambda found: _lifted_gauge(found, group, now))
        self._rewrite(
            brakes_name(processor, account), lambda found: msgspec.json.encode(lifted(brakes_in(found), group, now))
        )
        about = f"{keys.alert(AlertKind.BRAKED, f'{processor}/{account}/{one.holds}/')}"
        self._alerts.end_all(about, f"Sending by {one.holds} goes on: {actor} lifted the brake.")
        self._note(actor, f"lifted the brake on {one.holds} ({one.account})", why)

    def record(self, limit: int) -> tuple[Act, ...]:
        """What was done, newest first."""
        return tuple(reversed(_acts(self._store.document(RECORD))))[:limit]

    def _note(self, actor: str, what: str, why: str) -> None:
        act = Act(self._clock.now(), actor, what, why)
        self._rewrite(RECORD, lambda found: msgspec.json.encode((*_acts(found), act)[-RECORD_MAX:]))

    def _rewrite(self, name: str, change: Callable[[Document | None], bytes]) -> None:
        """Change a document on condition of its version."""
        for _ in range(WRITE_TRIES_MAX):
            found = self._store.document(name)
            if self._store.put_document(name, change(found), found.version if found is not None else 0):
                return
        raise StoreUnavailable("What is held changed again and again while it was written; try again.")


def is_meant(one: Held, account: str | None, network: str | None, country: str | None) -> bool:
    """Whether a brake is one that somebody names; what they leave out is all of it."""
    named = ((account, one.account), (network, one.network), (country, one.country))
    return all(wanted is None or wanted == given for wanted, given in named)


def _shown(processor: str, account: str, brake: Brake) -> Held:
    group = brake.group
    where = (f"{processor}:{account}", group.said(processor), group.network, group.country)
    return Held(*where, brake.why, brake.until_at, brake.all_at, brake.times)


def _lifted_gauge(found: Document | None, group: Group, now: datetime) -> bytes:
    gauge = gauge_in(found)
    return msgspec.json.encode(replace(gauge, brakes=lifted(gauge.brakes, group, now)))


def _acts(document: Document | None) -> tuple[Act, ...]:
    return () if document is None else msgspec.json.decode(document.body, type=tuple[Act, ...])


def _said(scope: str) -> str:
    return "everywhere" if scope == "*" else scope
