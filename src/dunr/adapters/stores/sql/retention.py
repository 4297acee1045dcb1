"""Forgetting what nobody needs any more: events that were applied or ignored, and effects that are done.

An event's key is what a second delivery is told by, so nothing younger than the processors deliver again may go (`KEYS_KEPT`). Dead letters stay until a person
has looked. The keys of effects keep a repeat from being told twice, so those of a case that may still decide something stay as long as it does. Cases, attempts,
the ledger and the audit log are never forgotten.
"""

from datetime import datetime, timedelta

from sqlalchemy import Connection, bindparam, delete, exists, select

from dunr.adapters.stores.sql.database import Database
from dunr.adapters.stores.sql.tables import Instant, cases, effects, inbounds
from dunr.core.terms import CaseState
from dunr.ports import InboundState

KEYS_KEPT = timedelta(days=60)
ENDED = (CaseState.RECOVERED.value, CaseState.CLOSED.value)
SETTLED = (InboundState.APPLIED.value, InboundState.IGNORED.value)

BEFORE = bindparam("before", type_=Instant)
OLD_INBOUNDS = (
    select(inbounds.c.sequence)
    .where(inbounds.c.state.in_(SETTLED), inbounds.c.received_at < BEFORE)
    .order_by(inbounds.c.received_at)
    .limit(bindparam("limit"))
)
OLD_EFFECTS = (
    select(effects.c.sequence)
    .where(
        effects.c.done_at < BEFORE,
        ~exists().where(cases.c.id == effects.c.case_id, cases.c.state.not_in(ENDED)),
    )
    .order_by(effects.c.done_at)
    .limit(bindparam("limit"))
)


class SqlRetention:
    """`forget`."""

    _database: Database

    def forget(self, now: datetime, kept: timedelta, limit: int) -> int:
        """Delete at most `limit` events and as many effects that are older than `kept`, in one short transaction; how many went. Call it again until none does.

        What is younger than `KEYS_KEPT` stays, however short `kept` is.
        """
        parameters = {"before": now - max(kept, KEYS_KEPT), "limit": limit}

        def work(connection: Connection) -> int:
            gone = connection.execute(delete(inbounds).where(inbounds.c.sequence.in_(OLD_INBOUNDS)), parameters)
            done = connection.execute(delete(effects).where(effects.c.sequence.in_(OLD_EFFECTS)), parameters)
            return gone.rowcount + done.rowcount

        return self._database.write(work)
