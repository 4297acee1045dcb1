"""What is in the database where a group of changes wants to write: read once, in the transaction, then kept up as
changes are taken.

The conditions of a whole group cost a handful of statements, however many changes it has. A change that is taken
counts for those after it, as if each had been committed alone.
"""

from collections.abc import Sequence

from sqlalchemy import Connection, bindparam, select, tuple_

from dunr.adapters.stores.changes import check_ids, is_running, method_id_of, pairs_of, version_read
from dunr.adapters.stores.sql.dialect import ROW_TABLES, Dialect
from dunr.adapters.stores.sql.tables import attempts, audit
from dunr.core.model import Case
from dunr.ports import Change

HASHES = select(audit.c.case_id, audit.c.number, audit.c.hash).where(
    tuple_(audit.c.case_id, audit.c.number).in_(bindparam("places", expanding=True))
)
RUNNING = select(attempts.c.method_id, attempts.c.case_id).where(
    attempts.c.running, attempts.c.method_id.in_(bindparam("cards", expanding=True))
)


def running_method_id(case: Case) -> str | None:
    """The card key on which a case has an attempt running, or None."""
    if not case.attempts or not is_running(case.attempts[-1]):
        return None
    return method_id_of(case)


class Present:
    """The versions, hashes and running attempts that a group of changes may collide with."""

    def __init__(self, connection: Connection, dialect: Dialect, changes: Sequence[Change]) -> None:
        self._versions = _versions(connection, dialect, changes)
        self._hashes: dict[tuple[str, int], str] = {}
        self._running: dict[str, str] = {}  # card key, and the case whose attempt runs on it
        places = [(entry.case_id, entry.number) for change in changes for entry in change.decision.audit]
        if places:
            rows = connection.execute(HASHES, {"places": places})
            self._hashes = {(row.case_id, row.number): row.hash for row in rows}
        written = [change.decision.case for change in changes if change.decision.case is not None]
        cards = [card for case in written if (card := running_method_id(case)) is not None]
        if cards:
            self._running = {row.method_id: row.case_id for row in connection.execute(RUNNING, {"cards": cards})}

    def take(self, change: Change) -> bool:
        """Whether every condition of a change holds; if so, it counts as written for those that come after it."""
        check_ids(change.rows, change.decision)
        if not (self._versions_hold(change) and self._audit_fits(change) and self._card_is_free(change.decision.case)):
            return False
        for number, (read, written) in enumerate(pairs_of(change.rows, change.decision)):
            if written is not None:
                self._versions[number, written.id] = version_read(read) + 1
        for entry in change.decision.audit:
            self._hashes[entry.case_id, entry.number] = entry.hash
        self._run(change.decision.case)
        return True

    def _versions_hold(self, change: Change) -> bool:
        for number, (read, written) in enumerate(pairs_of(change.rows, change.decision)):
            row = read or written
            if row is None:
                continue
            version = self._versions.get((number, row.id))
            if version != (None if read is None else read.version):
                return False
        return True

    def _audit_fits(self, change: Change) -> bool:
        """Whether no other entry stands where one is to be written."""
        return all(
            self._hashes.get((entry.case_id, entry.number), entry.hash) == entry.hash for entry in change.decision.audit
        )

    def _card_is_free(self, case: Case | None) -> bool:
        """The second net: whether no other case has an attempt running on the card."""
        card = None if case is None else running_method_id(case)
        return case is None or card is None or self._running.get(card, case.id) == case.id

    def _run(self, case: Case | None) -> None:
        """Count what a case that is about to be written has running, and what it has not any more."""
        if case is None:
            return
        self._running = {card: owner for card, owner in self._running.items() if owner != case.id}
        card = running_method_id(case)
        if card is not None:
            self._running[card] = case.id


def _versions(connection: Connection, dialect: Dialect, changes: Sequence[Change]) -> dict[tuple[int, str], int]:
    """The present version of each row that the changes hold or write, by table number and id; they stay so until the transaction ends."""
    ids: list[set[str]] = [set() for _ in ROW_TABLES]
    written = [False for _ in ROW_TABLES]
    for change in changes:
        for number, pair in enumerate(pairs_of(change.rows, change.decision)):
            ids[number].update(row.id for row in pair if row is not None)
            written[number] = written[number] or pair[1] is not None
    return dict(dialect.versions(connection, [sorted(found) for found in ids], written))
