"""Figures over a store in memory: it holds little enough to be looked through."""

from collections import Counter, defaultdict
from collections.abc import Mapping
from datetime import datetime

from dunr.adapters.stores.changes import inbound_due_at
from dunr.adapters.stores.memory_reports import Fate
from dunr.adapters.stores.rows import kind_of
from dunr.core.model import Case
from dunr.metering import NO_REASON, NUMBER_MAX, AttemptKind, EffectKind, Levels, fate_of
from dunr.ports import Inbound, InboundState


class MemoryMetering:
    """`Metered`."""

    _cases: dict[str, Case]
    _fates: dict[str, Fate]
    _inbounds: dict[str, Inbound]

    def levels(self, now: datetime) -> Levels:
        waiting = [at for one in list(self._inbounds.values()) if (at := inbound_due_at(one)) is not None]
        due = [case.wake_at for case in list(self._cases.values()) if case.wake_at is not None and case.wake_at <= now]
        unsettled: dict[str, list[datetime]] = defaultdict(list)
        for case in list(self._cases.values()):
            for attempt in case.attempts:
                if attempt.settled_at is None:
                    unsettled[attempt.outcome or "in_flight"].append(attempt.begun_at)
        undone: dict[str, list[datetime]] = defaultdict(list)
        for fate in list(self._fates.values()):
            if fate.done_at is None and fate.due_at <= now:
                undone[kind_of(fate.effect)].append(fate.due_at)
        return Levels(
            inbounds_count=len(waiting),
            inbounds_oldest_at=min(waiting, default=None),
            dead_letters_count=sum(one.state is InboundState.DEAD for one in list(self._inbounds.values())),
            due_cases_count=len(due),
            due_cases_oldest_at=min(due, default=None),
            unsettled=_listed(unsettled),
            effects=_listed(undone),
        )

    def ended_attempts(self, from_at: datetime, until_at: datetime) -> Mapping[AttemptKind, int]:
        return Counter(
            AttemptKind(
                min(one.number, NUMBER_MAX), one.after_reason or NO_REASON, one.trigger, one.outcome or NO_REASON
            )
            for case in list(self._cases.values())
            for one in case.attempts
            if one.settled_at is not None and from_at <= one.settled_at < until_at
        )

    def done_effects(self, from_at: datetime, until_at: datetime) -> Mapping[EffectKind, int]:
        return Counter(
            EffectKind(kind_of(one.effect), fate_of(one.note))
            for one in list(self._fates.values())
            if one.done_at is not None and from_at <= one.done_at < until_at
        )


def _listed(found: Mapping[str, list[datetime]]) -> tuple[tuple[str, int, datetime], ...]:
    return tuple(sorted((str(name), len(instants), min(instants)) for name, instants in found.items()))
