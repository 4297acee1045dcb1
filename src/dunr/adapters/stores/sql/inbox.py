"""Received events in SQL: insert-or-ignore on their key, a whole group in one statement, and the queue of those that
wait.
"""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import Connection, bindparam, select, update

from dunr.adapters.stores.changes import inbound_due_at, kept_conflict, settled
from dunr.adapters.stores.rows import snapshot_from_json, to_json
from dunr.adapters.stores.sql.columns import inbound_from
from dunr.adapters.stores.sql.database import Database
from dunr.adapters.stores.sql.tables import Instant, inbounds
from dunr.core.snapshot import Snapshot
from dunr.ports import Inbound, InboundState, Receipt, Settlement

INBOUND_COLUMNS = [column for column in inbounds.columns if column.name not in {"sequence", "due_at", "snapshot"}]

ONE = select(*INBOUND_COLUMNS).where(inbounds.c.key == bindparam("wanted"))
UNAPPLIED = (
    select(*INBOUND_COLUMNS)
    .where(inbounds.c.due_at <= bindparam("now", type_=Instant))
    .order_by(inbounds.c.due_at, inbounds.c.sequence)
    .limit(bindparam("limit"))
)
# Somebody else may have applied it since it was read.
UNSETTLED = update(inbounds).where(
    inbounds.c.key == bindparam("wanted"), inbounds.c.state != InboundState.APPLIED.value
)
SNAPSHOT = select(inbounds.c.snapshot).where(inbounds.c.key == bindparam("wanted"))


class SqlInbox:
    """`receive`, `unapplied`, `inbound` and `settle`."""

    _database: Database

    def receive(self, inbounds: Sequence[Inbound]) -> Sequence[Receipt]:
        if not inbounds:
            return []
        receipts = self._database.write_once(lambda connection: self._receive(connection, inbounds))
        if Receipt.NEW in receipts:
            self._database.dialect.ring()
        return receipts

    def _receive(self, connection: Connection, group: Sequence[Inbound]) -> Sequence[Receipt]:
        """Insert the first of each key, then compare the others with what stands there. Other bodies are kept in a statement of their own: where it fails, nothing
        was acknowledged, and the sender comes again.
        """
        dialect = self._database.dialect
        firsts: dict[str, Inbound] = {}
        for inbound in group:
            firsts.setdefault(inbound.key, inbound)
        arrivals = dict(zip(firsts, dialect.arrive(connection, list(firsts.values())), strict=True))
        unclaimed = {key for key, arrival in arrivals.items() if arrival.is_new}
        receipts: list[Receipt] = []
        conflicts: dict[str, Inbound] = {}
        for inbound in group:
            arrival = arrivals[inbound.key]
            if inbound.key in unclaimed:
                unclaimed.remove(inbound.key)
                receipts.append(Receipt.NEW)
            elif inbound.body_sha256 == arrival.standing_sha256:
                receipts.append(Receipt.DUPLICATE)
            else:
                receipts.append(Receipt.CONFLICT)
                kept = kept_conflict(inbound)
                conflicts[kept.key] = kept
        if conflicts:
            dialect.arrive(connection, list(conflicts.values()))
        return receipts

    def unapplied(self, now: datetime, limit: int) -> Sequence[Inbound]:
        return [inbound_from(row) for row in self._database.rows(UNAPPLIED, {"now": now, "limit": limit})]

    def inbound(self, key: str) -> Inbound | None:
        rows = self._database.rows(ONE, {"wanted": key})
        return inbound_from(rows[0]) if rows else None

    def settle(self, key: str, settlement: Settlement) -> None:
        self._database.write_once(lambda connection: self._settle(connection, key, settlement))

    def _settle(self, connection: Connection, key: str, settlement: Settlement) -> None:
        row = connection.execute(ONE, {"wanted": key}).one_or_none()
        if row is None or row.state == InboundState.APPLIED:
            return
        after = settled(inbound_from(row), settlement)
        cells: dict[str, object] = {
            "state": after.state.value,
            "note": after.note,
            "tries_count": after.tries_count,
            "next_try_at": after.next_try_at,
            "due_at": inbound_due_at(after),
        }
        if settlement.snapshot is not None:
            cells["snapshot"] = to_json(settlement.snapshot)
        connection.execute(UNSETTLED.values(cells), {"wanted": key})

    def snapshot_of(self, key: str) -> Snapshot | None:
        """The snapshot that was kept with an inbound."""
        rows = self._database.rows(SNAPSHOT, {"wanted": key})
        return snapshot_from_json(rows[0].snapshot) if rows and rows[0].snapshot is not None else None
