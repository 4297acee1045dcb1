"""Recorded effects in SQL, and everything that waits for its time."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import bindparam, func, select, union_all, update

from dunr.adapters.stores.sql.columns import effect_from
from dunr.adapters.stores.sql.database import Database
from dunr.adapters.stores.sql.tables import Instant, cases, effects, inbounds
from dunr.ports import Undone

DUE = (
    select(cases.c.id)
    .where(cases.c.wake_at <= bindparam("now", type_=Instant))
    .order_by(cases.c.wake_at)
    .limit(bindparam("limit"))
)
UNDONE = (
    select(effects.c.kind, effects.c.body, effects.c.tries_count, effects.c.due_at)
    .where(effects.c.done_at.is_(None), effects.c.due_at <= bindparam("now", type_=Instant))
    .order_by(effects.c.due_at, effects.c.sequence)
    .limit(bindparam("limit"))
)
STILL_UNDONE = update(effects).where(effects.c.key == bindparam("wanted"), effects.c.done_at.is_(None))
DONE = STILL_UNDONE.values(done_at=bindparam("at", type_=Instant), note=bindparam("why"))
DEFER = STILL_UNDONE.values(
    due_at=bindparam("at", type_=Instant), note=bindparam("why"), tries_count=effects.c.tries_count + 1
)
FIRSTS = union_all(
    select(func.min(cases.c.wake_at, type_=Instant).label("at")).where(cases.c.wake_at.is_not(None)),
    select(func.min(effects.c.due_at, type_=Instant)).where(effects.c.done_at.is_(None)),
    select(func.min(inbounds.c.due_at, type_=Instant)).where(inbounds.c.due_at.is_not(None)),
)


class SqlOutbox:
    """`due`, `undone`, `done`, `defer` and `next_due_at`."""

    _database: Database

    def due(self, now: datetime, limit: int) -> Sequence[str]:
        return [row.id for row in self._database.rows(DUE, {"now": now, "limit": limit})]

    def undone(self, now: datetime, limit: int) -> Sequence[Undone]:
        rows = self._database.rows(UNDONE, {"now": now, "limit": limit})
        return [Undone(effect=effect_from(row), tries_count=row.tries_count, due_at=row.due_at) for row in rows]

    def done(self, effect_key: str, at: datetime, note: str) -> None:
        parameters = {"wanted": effect_key, "at": at, "why": note}
        self._database.write_once(lambda connection: connection.execute(DONE, parameters))

    def defer(self, effect_key: str, due_at: datetime, note: str) -> None:
        parameters = {"wanted": effect_key, "at": due_at, "why": note}
        self._database.write_once(lambda connection: connection.execute(DEFER, parameters))

    def next_due_at(self) -> datetime | None:
        return min((row.at for row in self._database.rows(FIRSTS) if row.at is not None), default=None)
