"""Received events in SQL: insert-or-ignore on their key, a whole group in one statement, and the queue of those that
wait.
"""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import Connection, bindparam, select, update

from dunr.adapters.stores.changes import inbound_due_at, kept_conflict, settled
from dunr.adapters.stores.rows import snapshot_from_json, to_json
from dunr.adapters.stores.sql.columns import inbound_cells, inbound_from
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
        firsts = {inbound.key: inbound for inbound in reversed(group)}
        ordered = [inbound for inbound in group if firsts[inbound.key] is inbound]
        arrivals = self._database.dialect.arrive(connection, [inbound_cells(inbound) for inbound in ordered])
        new = {inbound.key for inbound, arrival in zip(ordered, arrivals, strict=True) if arrival.is_new}
        standing = {
            inbound.key: inbound.body_sha256 if arrival.is_new else arrival.standing_sha256
            for inbound, arrival in zip(ordered, arrivals, strict=True)
        }
        receipts: list[Receipt] = []
        conflicts: list[Inbound] = []
        for inbound in group:
            if inbound.key in new:
                new.remove(inbound.key)
                receipts.append(Receipt.NEW)
            elif inbound.body_sha256 == standing[inbound.key]:
                receipts.append(Receipt.DUPLICATE)
            else:
                receipts.append(Receipt.CONFLICT)
                conflicts.append(kept_conflict(inbound))
        if conflicts:
            insert = self._database.dialect.insert_or_ignore(inbounds)
            connection.execute(insert, [inbound_cells(inbound) for inbound in conflicts])
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
