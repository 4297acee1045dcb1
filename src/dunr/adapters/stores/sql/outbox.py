"""Recorded effects in SQL, and everything that waits for its time."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import Text, bindparam, func, select, union_all, update

from dunr.adapters.stores.rows import to_microseconds
from dunr.adapters.stores.sql.columns import effect_from
from dunr.adapters.stores.sql.database import Database
from dunr.adapters.stores.sql.tables import Instant, cases, effects, inbounds
from dunr.core.value import replace
from dunr.ports import Undone

DUE = (
    select(cases.c.id)
    .where(cases.c.wake_at <= bindparam("now", type_=Instant))
    .order_by(cases.c.wake_at)
    .limit(bindparam("limit"))
)
UNDONE = (
    select(effects.c.kind, effects.c.body, effects.c.tries_count, effects.c.due_at, effects.c.note)
    .where(effects.c.done_at.is_(None), effects.c.due_at <= bindparam("now", type_=Instant))
    .order_by(effects.c.due_at, effects.c.sequence)
    .limit(bindparam("limit"))
)
UNDONE_OF = UNDONE.where(effects.c.case_id.in_(bindparam("case_ids", expanding=True)))
STILL_UNDONE = update(effects).where(effects.c.key == bindparam("wanted"), effects.c.done_at.is_(None))
DONE = STILL_UNDONE.values(done_at=bindparam("at", type_=Instant), note=bindparam("why"))
STILL_AS_READ = STILL_UNDONE.where(effects.c.due_at == bindparam("read_at", type_=Instant))
CLAIM = STILL_AS_READ.values(
    due_at=bindparam("at", type_=Instant), note=func.coalesce(bindparam("why", type_=Text), effects.c.note)
)
DEFER = STILL_AS_READ.values(
    due_at=bindparam("at", type_=Instant), note=bindparam("why"), tries_count=effects.c.tries_count + 1
)
REVIVE = (
    update(effects)
    .where(
        effects.c.key == bindparam("wanted"),
        effects.c.done_at.is_not(None),
        effects.c.note.startswith(bindparam("begins", type_=Text), autoescape=False),
    )
    .values(done_at=None, due_at=bindparam("at", type_=Instant), note="", tries_count=0)
)
FIRSTS = union_all(
    select(func.min(cases.c.wake_at, type_=Instant).label("at")).where(cases.c.wake_at.is_not(None)),
    select(func.min(effects.c.due_at, type_=Instant)).where(effects.c.done_at.is_(None)),
    select(func.min(inbounds.c.due_at, type_=Instant)).where(inbounds.c.due_at.is_not(None)),
)


class SqlOutbox:
    """`due`, `undone`, `claim`, `done`, `defer`, `revive` and `next_due_at`."""

    _database: Database

    def due(self, now: datetime, limit: int) -> Sequence[str]:
        return [case_id for (case_id,) in self._database.ask(DUE, {"now": to_microseconds(now), "limit": limit})]

    def undone(self, now: datetime, limit: int, case_ids: Sequence[str] | None = None) -> Sequence[Undone]:
        named = {} if case_ids is None else {"case_ids": list(case_ids)}
        rows = self._database.rows(UNDONE if case_ids is None else UNDONE_OF, {"now": now, "limit": limit, **named})
        return [
            Undone(effect=effect_from(row), tries_count=row.tries_count, due_at=row.due_at, note=row.note)
            for row in rows
        ]

    def done(self, effect_key: str, at: datetime, note: str) -> None:
        parameters = {"wanted": effect_key, "at": at, "why": note}
        self._database.write_once(lambda connection: connection.execute(DONE, parameters))

    def claim(self, undone: Undone, until_at: datetime, note: str | None = None) -> Undone | None:
        parameters = {"wanted": undone.effect.key, "read_at": undone.due_at, "at": until_at, "why": note}
        taken = self._database.write_once(lambda connection: connection.execute(CLAIM, parameters).rowcount == 1)
        return replace(undone, due_at=until_at, note=undone.note if note is None else note) if taken else None

    def defer(self, held: Undone, due_at: datetime, note: str) -> None:
        parameters = {"wanted": held.effect.key, "read_at": held.due_at, "at": due_at, "why": note}
        self._database.write_once(lambda connection: connection.execute(DEFER, parameters))

    def revive(self, effect_key: str, note_prefix: str, due_at: datetime) -> bool:
        parameters = {"wanted": effect_key, "begins": note_prefix, "at": due_at}
        return self._database.write_once(lambda connection: connection.execute(REVIVE, parameters).rowcount == 1)

    def next_due_at(self) -> datetime | None:
        return min((row.at for row in self._database.rows(FIRSTS) if row.at is not None), default=None)
