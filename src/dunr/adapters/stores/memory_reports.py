"""What people may ask a store in memory: it holds the rows that can be asked for, and answers in the order of the
port.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime
from itertools import dropwhile, islice
from threading import Lock

from dunr.adapters.stores.changes import effect_due_at
from dunr.adapters.stores.words import is_address, is_mentioned, wanted
from dunr.core.attempt import Attempt
from dunr.core.decision import AuditEntry, Posting
from dunr.core.effects import RecordedEffect
from dunr.core.model import Case, Customer
from dunr.ports import EffectRecord, Inbound, InboundState, Undone


class Fate:
    """An effect and what became of it so far."""

    __slots__ = ("done_at", "due_at", "effect", "note", "recorded_at", "tries_count")

    def __init__(self, effect: RecordedEffect, recorded: datetime) -> None:
        self.effect = effect
        self.recorded_at = recorded
        self.due_at = effect_due_at(effect, recorded)
        self.done_at: datetime | None = None
        self.tries_count = 0
        self.note = ""

    def undone(self) -> Undone:
        """What is still to be done, as it stands now."""
        return Undone(effect=self.effect, tries_count=self.tries_count, due_at=self.due_at, note=self.note)

    def record(self) -> EffectRecord:
        """The fate as a value."""
        return EffectRecord(
            effect=self.effect,
            recorded_at=self.recorded_at,
            done_at=self.done_at,
            tries_count=self.tries_count,
            note=self.note,
        )


def _newest_first(case: Case) -> tuple[datetime, str]:
    return case.opened_at, case.id


class MemoryReports:
    """The readable tables, and `Reports` over them. The order of a table is the order in which things happened."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._cases: dict[str, Case] = {}
        self._customers: dict[str, Customer] = {}
        self._postings: dict[str, Posting] = {}
        self._audit: dict[str, dict[int, AuditEntry]] = {}
        self._fates: dict[str, Fate] = {}
        self._inbounds: dict[str, Inbound] = {}

    def cases(self, *, state: str | None, text: str | None, limit: int, after: str | None) -> Sequence[Case]:
        """Cases, newest first. An `after` that names no case begins at the start."""
        with self._lock:
            found: Iterable[Case] = sorted(self._cases.values(), key=_newest_first, reverse=True)
            last = self._cases.get(after) if after is not None else None
        if last is not None:
            found = (case for case in found if _newest_first(case) < _newest_first(last))
        if state is not None:
            found = (case for case in found if case.state == state)
        if text is not None:
            found = (case for case in found if self._is_meant(case, text))
        return list(islice(found, limit))

    def _is_meant(self, case: Case, text: str) -> bool:
        """Whether a text is the beginning of one of its ids, or the address of its customer."""
        if is_address(text):
            customer = self._customers.get(case.customer_id or "")
            email = customer.payer.email if customer is not None else None
            return email is not None and email.lower() == text.strip().lower()
        return bool(wanted(text)) and is_mentioned(case, wanted(text))

    def postings(self, case_id: str | None, limit: int, after: str | None = None) -> Sequence[Posting]:
        """Ledger entries, first posted first. An `after` that names no entry begins at the start."""
        with self._lock:
            rows: Iterable[Posting] = list(self._postings.values())
            known = after is not None and after in self._postings
        if known:
            rows = islice(dropwhile(lambda row: row.id != after, rows), 1, None)
        return list(islice((row for row in rows if case_id is None or row.case_id == case_id), limit))

    def audit(self, case_id: str, limit: int) -> Sequence[AuditEntry]:
        """The chain of a case, from its start."""
        with self._lock:
            chain = self._audit.get(case_id, {})
            return [chain[number] for number in sorted(chain)[:limit]]

    def audited(
        self, from_at: datetime, until_at: datetime, limit: int, after: tuple[str, int] | None
    ) -> Sequence[AuditEntry]:
        """Entries of all cases in a span of time, by case and number."""
        with self._lock:
            entries = [entry for chain in self._audit.values() for entry in chain.values()]
        found = sorted((e for e in entries if from_at <= e.at < until_at), key=lambda e: (e.case_id, e.number))
        return [e for e in found if after is None or (e.case_id, e.number) > after][:limit]

    def effects(self, *, kind: str | None, case_id: str | None, limit: int) -> Sequence[EffectRecord]:
        """Recorded effects with their fate, newest first."""
        with self._lock:
            fates = (
                fate
                for fate in reversed(self._fates.values())
                if (kind is None or type(fate.effect).__name__ == kind)
                and (case_id is None or fate.effect.case_id == case_id)
            )
            return [fate.record() for fate in islice(fates, limit)]

    def inbounds(self, *, state: InboundState | None, limit: int) -> Sequence[Inbound]:
        """Received events, newest first."""
        with self._lock:
            rows = reversed(self._inbounds.values())
            return list(islice((row for row in rows if state is None or row.state is state), limit))

    def attempts_with_unknown_codes(self, limit: int) -> Sequence[tuple[str, Attempt]]:
        """Attempts with the id of their case, newest first."""
        with self._lock:
            cases = list(self._cases.values())
        found = [(case.id, attempt) for case in cases for attempt in case.attempts if attempt.unknown_codes is not None]
        found.sort(key=lambda one: (one[0], -one[1].number))
        found.sort(key=lambda one: one[1].settled_at or one[1].begun_at, reverse=True)
        return found[:limit]
