"""What is in the database where a group of changes wants to write: read once, in the transaction, then kept up as
changes are taken.

The conditions of a whole group cost a handful of statements, however many changes it has. A change that is taken
counts for those after it, as if each had been committed alone.
"""

from collections.abc import Sequence

from dunr.adapters.stores.changes import check_ids, is_running, method_id_of, pairs_of, version_read
from dunr.adapters.stores.sql.dialect import ROW_TABLES, Found, Wanted
from dunr.core.model import Case
from dunr.ports import Change


def running_method_id(case: Case) -> str | None:
    """The card key on which a case has an attempt running, or None."""
    if not case.attempts or not is_running(case.attempts[-1]):
        return None
    return method_id_of(case)


class Present:
    """The versions, hashes and running attempts that a group of changes may collide with."""

    def __init__(self, found: Found) -> None:
        self._versions = dict(found.versions)
        self._hashes = dict(found.hashes)
        self._running = dict(found.running)

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


def wanted_by(changes: Sequence[Change]) -> Wanted:
    """What has to be known before a group of changes can be taken."""
    ids: list[set[str]] = [set() for _ in ROW_TABLES]
    written = [False for _ in ROW_TABLES]
    for change in changes:
        for number, pair in enumerate(pairs_of(change.rows, change.decision)):
            ids[number].update(row.id for row in pair if row is not None)
            written[number] = written[number] or pair[1] is not None
    decisions = [change.decision for change in changes]
    cards = {running_method_id(decision.case) for decision in decisions if decision.case is not None} - {None}
    return Wanted(
        ids=tuple(sorted(found) for found in ids),
        written=tuple(written),
        places=[(entry.case_id, entry.number) for decision in decisions for entry in decision.audit],
        cards=sorted(card for card in cards if card is not None),
        postings=sorted({posting.id for decision in decisions for posting in decision.postings}),
    )
