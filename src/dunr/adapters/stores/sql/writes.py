"""What a group of taken changes writes, gathered by table, so that each table is written by one statement.

Rows are written on condition of the version that was read, although the transaction has already seen it: where a
database lets another writer in between, the count of rows tells, and the group is done again.
"""

from collections.abc import Iterable, Sequence

from sqlalchemy import Table, bindparam, insert, update

from dunr.adapters.stores.changes import (
    recorded_at,
    version_read,
    with_version,
)
from dunr.adapters.stores.sql.columns import (
    Cells,
    attempt_cells,
    audit_cells,
    case_cells,
    customer_cells,
    effect_cells,
    line_cells,
    method_cells,
    posting_cells,
    subscription_cells,
)
from dunr.adapters.stores.sql.dialect import ROW_TABLES, Batch, Dialect, Found
from dunr.adapters.stores.sql.tables import (
    attempts,
    audit,
    cases,
    customers,
    effects,
    methods,
    posting_lines,
    postings,
    search_words,
    subscriptions,
)
from dunr.adapters.stores.words import customer_words, words_of
from dunr.core.decision import Posting
from dunr.core.model import Case
from dunr.ports import Change

INSERTS = {table.name: insert(table).inline() for table in (*ROW_TABLES, postings, posting_lines, audit)}
FIXED = {"id", "has_words"}
WORDED: Cells = {"has_words": True}  # what is created gets its words in the same transaction
UPDATES = {
    table.name: update(table)
    .where(table.c.id == bindparam("row_id"), table.c.version == bindparam("version_read"))
    .values({column.name: bindparam(column.name) for column in table.columns if column.name not in FIXED})
    for table in ROW_TABLES
}


class Writes:
    """The rows of several changes, waiting to be written."""

    def __init__(self, changes: Sequence[Change], search_key: str = "") -> None:
        self._search_key = search_key
        self._words: dict[tuple[str, str], Cells] = {}
        self._created: dict[Table, list[Cells]] = {}
        self._changed: dict[Table, list[Cells]] = {}
        self._attempts: list[Cells] = []
        self._decisions = [change.decision for change in changes]
        for change in changes:
            self._gather_rows(change)

    def _gather_rows(self, change: Change) -> None:
        rows, new = change.rows, change.decision
        if new.case is not None:
            version = version_read(rows.case)
            has_words = {} if version else WORDED
            self._add(cases, version, case_cells(with_version(new.case, version + 1)) | has_words)
            self._name(new.case.id, words_of(new.case), () if rows.case is None else words_of(rows.case))
            self._attempts += _changed_attempts(rows.case, new.case)
        if new.subscription is not None:
            version = version_read(rows.subscription)
            self._add(subscriptions, version, subscription_cells(with_version(new.subscription, version + 1)))
        if new.method is not None:
            version = version_read(rows.method)
            self._add(methods, version, method_cells(with_version(new.method, version + 1)))
        if new.customer is not None:
            version = version_read(rows.customer)
            self._add(customers, version, customer_cells(with_version(new.customer, version + 1)))
            known = () if rows.customer is None else customer_words(rows.customer, self._search_key)
            self._name(new.customer.id, customer_words(new.customer, self._search_key), known)

    def _name(self, owner: str, words: Iterable[str], known: Iterable[str]) -> None:
        """The words that a row has not had before."""
        for word in set(words).difference(known):
            self._words[word, owner] = {"word": word, "owner_id": owner}

    def _add(self, table: Table, version: int, cells: Cells) -> None:
        if version:
            condition: Cells = {"row_id": cells.pop("id"), "version_read": version}
            self._changed.setdefault(table, []).append(cells | condition)
        else:
            self._created.setdefault(table, []).append(cells)

    def batches(self, dialect: Dialect, found: Found) -> list[Batch]:
        """Everything that is to be written: rows first, then what refers to them. In each table in the order of its keys, where the order of rows says nothing."""
        batches: list[Batch] = []
        for table in ROW_TABLES:
            created = sorted(self._created.get(table, ()), key=lambda cells: str(cells["id"]))
            batches.append(Batch(INSERTS[table.name], created, each=True))
            batches.append(Batch(UPDATES[table.name], self._changed.get(table, ()), each=True))
        batches.append(Batch(dialect.insert_or_update(attempts), self._attempts, each=False))
        batches += self._postings(found)
        places = [entry for decision in self._decisions for entry in decision.audit]
        fresh = {(entry.case_id, entry.number): entry for entry in places}
        entries = [audit_cells(entry) for place, entry in fresh.items() if place not in found.hashes]
        batches.append(Batch(INSERTS[audit.name], entries, each=True))
        recorded = [
            effect_cells(effect, recorded_at(decision))
            for decision in self._decisions
            for effect in decision.recorded_effects
        ]
        batches.append(Batch(dialect.insert_or_ignore(effects), recorded, each=False))
        words = [cells for _, cells in sorted(self._words.items())]
        batches.append(Batch(dialect.insert_or_ignore(search_words), words, each=False))
        return [batch for batch in batches if batch.cells]

    def _postings(self, found: Found) -> list[Batch]:
        """Each entry that does not stand yet, with all of its lines."""
        wanted: dict[str, Posting] = {}
        for decision in self._decisions:
            for posting in decision.postings:
                if posting.id not in found.postings:
                    wanted.setdefault(posting.id, posting)
        return [
            Batch(INSERTS[postings.name], [posting_cells(posting) for posting in wanted.values()], each=True),
            Batch(
                INSERTS[posting_lines.name],
                [cells for posting in wanted.values() for cells in line_cells(posting)],
                each=True,
            ),
        ]


def _changed_attempts(read: Case | None, written: Case) -> list[Cells]:
    """The attempts of a case that its history does not show yet as they are now."""
    known = {} if read is None else {attempt.number: attempt for attempt in read.attempts}
    return [attempt_cells(written, attempt) for attempt in written.attempts if known.get(attempt.number) != attempt]
