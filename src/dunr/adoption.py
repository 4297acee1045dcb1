"""A copy of the database is harmless until an operator says that it is the one to go on with.

At each start the store's identity is compared with the one that it recorded. Where they differ, nothing is charged, mailed or paused, in every process, from then
on: the stops have a scope of their own, which `resume` does not touch. Adopting looks at every open case while the stops are still up, begins a new epoch (so
that no key of the original is ever used again), records the identity and only then takes the stops away.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from dunr.application import Application
from dunr.core import keys
from dunr.core.identity import differences
from dunr.core.terms import AlertKind, CaseState
from dunr.errors import StoreUnavailable
from dunr.intake import Intake
from dunr.ports import ObjectMissing, Reports, SnapshotUnavailable
from dunr.rulebook import COPIED, KINDS, StoredRulebook

WHY = "this database is a copy; `dunr adopt` says that it is the one to go on with"
OPEN_STATES = (CaseState.SCHEDULED, CaseState.AWAITING_CUSTOMER, CaseState.EXHAUSTED)
PAGE = 200
PAGES_MAX = 100_000


@runtime_checkable
class Identified(Protocol):
    """A store that can tell itself from a copy of itself."""

    def identity(self) -> Mapping[str, str]:
        """What the store and its surroundings look like now."""
        ...

    def recorded_identity(self) -> Mapping[str, str]:
        """What they looked like when they were recorded last; empty where they never were."""
        ...

    def record_identity(self, identity: Mapping[str, str]) -> None:
        """Take this for our own from now on."""
        ...


def stop_if_copied(store: Identified, rulebook: StoredRulebook, intake: Intake) -> tuple[str, ...]:
    """Put the stops up where the store is a copy, with one alert; the differences. The first start records the identity."""
    recorded, present = store.recorded_identity(), store.identity()
    if not recorded:
        store.record_identity(present)
        return ()
    different = differences(recorded, present)
    if different:
        for kind in KINDS:
            rulebook.stop(kind, COPIED, WHY)
        about = keys.audit_hash(
            str(rulebook.epoch()), *(f"{name}={value}" for name, value in sorted(present.items()) if "mark" not in name)
        )
        intake.alert(AlertKind.COPIED_STORE, about[:16], f"Nothing is sent: {WHY}. {'; '.join(different)}.")
    return different


def refuse_if_swapped(store: Identified, rulebook: StoredRulebook) -> None:
    """Raises `StoreUnavailable` where another database was put in the place of the one that this process began with, and that nobody was told of at a start."""
    different = differences(store.recorded_identity(), store.identity())
    if different and not is_stopped_as_copy(rulebook):
        raise StoreUnavailable(f"{'; '.join(different)}. Nothing is sure to be kept until dunr is started again.")


def is_stopped_as_copy(rulebook: StoredRulebook) -> bool:
    """Whether the store waits for an operator to adopt it."""
    return any(stop.scope == COPIED for stop in rulebook.all_stops())


@dataclass(frozen=True, slots=True)
class Adopted:
    """What an adoption came to. Cases that could not be looked at keep the stops up."""

    epoch: int
    looked_at_count: int
    unreadable: tuple[tuple[str, str], ...]

    @property
    def is_done(self) -> bool:
        """Whether sending may go on."""
        return not self.unreadable


def adopt(application: Application, store: Identified) -> Adopted:
    """Go on with this database. Nothing is sent while the open cases are looked at; where one cannot be, nothing changes."""
    looked_at_count = 0
    unreadable: list[tuple[str, str]] = []
    for case_id in open_cases(application.reports):
        try:
            application.engine.look(case_id)
            looked_at_count += 1
        except SnapshotUnavailable as failure:
            unreadable.append((case_id, str(failure)))
        except ObjectMissing:
            looked_at_count += 1  # the look before any send finds the same, and sends nothing
    rulebook = application.rulebook
    if unreadable:
        return Adopted(rulebook.epoch(), looked_at_count, tuple(unreadable))
    epoch = rulebook.raise_epoch()
    store.record_identity(store.identity())
    for kind in KINDS:
        rulebook.resume(kind, COPIED)
    return Adopted(epoch, looked_at_count, ())


def open_cases(reports: Reports) -> Iterator[str]:
    """Ids of all cases that are neither recovered nor closed. What is opened meanwhile may be missing, and was just looked at."""
    for state in OPEN_STATES:
        after: str | None = None
        for _ in range(PAGES_MAX):
            page = reports.cases(state=state, text=None, limit=PAGE, after=after)
            yield from (case.id for case in page)
            if len(page) < PAGE:
                break
            after = page[-1].id


def identified(store: object) -> Identified | None:
    """The store as one that knows its identity, or None where it has none."""
    return store if isinstance(store, Identified) else None
