"""Figures over a SQL store, each by an index that holds nothing else: the long history behind them is not read."""

from collections import Counter
from collections.abc import Mapping
from datetime import datetime

from sqlalchemy import bindparam, func, select

from dunr.adapters.stores.sql.database import Database
from dunr.adapters.stores.sql.tables import Instant, attempts, cases, effects, inbounds
from dunr.metering import NO_REASON, NUMBER_MAX, AttemptKind, EffectKind, Levels, fate_of
from dunr.ports import InboundState

NOW, FROM, UNTIL = (bindparam(name, type_=Instant) for name in ("now", "begin", "end"))

WAITING = select(func.count().label("rows_count"), func.min(inbounds.c.due_at, type_=Instant).label("at")).where(
    inbounds.c.due_at.is_not(None)
)
DEAD = select(func.count().label("rows_count")).where(inbounds.c.state == InboundState.DEAD.value)
DUE = select(func.count().label("rows_count"), func.min(cases.c.wake_at, type_=Instant).label("at")).where(
    cases.c.wake_at <= NOW
)
UNSETTLED = (
    select(
        attempts.c.outcome, func.count().label("rows_count"), func.min(attempts.c.begun_at, type_=Instant).label("at")
    )
    .where(attempts.c.settled_at.is_(None))
    .group_by(attempts.c.outcome)
)
UNDONE = (
    select(effects.c.kind, func.count().label("rows_count"), func.min(effects.c.due_at, type_=Instant).label("at"))
    .where(effects.c.done_at.is_(None), effects.c.due_at <= NOW)
    .group_by(effects.c.kind)
)
ENDED = (
    select(
        attempts.c.number,
        attempts.c.after_reason,
        attempts.c.trigger,
        attempts.c.outcome,
        func.count().label("rows_count"),
    )
    .where(attempts.c.settled_at >= FROM, attempts.c.settled_at < UNTIL)
    .group_by(attempts.c.number, attempts.c.after_reason, attempts.c.trigger, attempts.c.outcome)
)
DONE = (
    select(effects.c.kind, effects.c.note, func.count().label("rows_count"))
    .where(effects.c.done_at >= FROM, effects.c.done_at < UNTIL)
    .group_by(effects.c.kind, effects.c.note)
)


class SqlMetering:
    """`Metered`."""

    _database: Database

    def levels(self, now: datetime) -> Levels:
        ask = self._database.rows
        [waiting], [dead], [due] = ask(WAITING), ask(DEAD), ask(DUE, {"now": now})
        return Levels(
            inbounds_count=waiting.rows_count,
            inbounds_oldest_at=waiting.at,
            dead_letters_count=dead.rows_count,
            due_cases_count=due.rows_count,
            due_cases_oldest_at=due.at,
            unsettled=tuple(sorted((row.outcome or "in_flight", row.rows_count, row.at) for row in ask(UNSETTLED))),
            effects=tuple(sorted((row.kind, row.rows_count, row.at) for row in ask(UNDONE, {"now": now}))),
        )

    def ended_attempts(self, from_at: datetime, until_at: datetime) -> Mapping[AttemptKind, int]:
        counts: Counter[AttemptKind] = Counter()
        for row in self._database.rows(ENDED, {"begin": from_at, "end": until_at}):
            number, reason = min(row.number, NUMBER_MAX), row.after_reason or NO_REASON
            counts[AttemptKind(number, reason, row.trigger, row.outcome or NO_REASON)] += row.rows_count
        return counts

    def done_effects(self, from_at: datetime, until_at: datetime) -> Mapping[EffectKind, int]:
        counts: Counter[EffectKind] = Counter()
        for row in self._database.rows(DONE, {"begin": from_at, "end": until_at}):
            counts[EffectKind(row.kind, fate_of(row.note))] += row.rows_count
        return counts
