"""A store in memory: the shipped fake, and what the simulator runs on.

Rows are immutable values, so reading shares them and costs nothing. One lock makes each verb a transaction. Nothing
survives the process; everything else is as the exam in `dunr.testing` says. It does not have the second net (two
running attempts on one card), so that a simulated world can show what the lease alone forbids.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime

from dunr.adapters.stores.agenda import Agenda
from dunr.adapters.stores.changes import (
    NOT_RECORDED,
    AnyRow,
    inbound_due_at,
    kept_conflict,
    recorded_at,
    refs_of,
    settled,
    version_read,
    with_version,
)
from dunr.adapters.stores.memory_metering import MemoryMetering
from dunr.adapters.stores.memory_reports import Fate, MemoryReports
from dunr.core.decision import Decision
from dunr.core.model import Method, Subscription
from dunr.core.snapshot import Snapshot
from dunr.ports import (
    Change,
    Document,
    Inbound,
    InboundState,
    Receipt,
    Refs,
    Rows,
    Settlement,
    Undone,
)


def _holds(table: dict[str, AnyRow], read: AnyRow | None, written: AnyRow | None) -> bool:
    """Whether the condition of a change on one row still holds."""
    if read is not None:
        assert written is None or written.id == read.id, "the decision writes another row than was read"
        present = table.get(read.id)
        return present is read or (present is not None and present.version == read.version)
    return written is None or written.id not in table


class MemoryStore(MemoryReports, MemoryMetering):
    """`Store` and `Reports` in memory. `before_commit` sees each change before anything is written, and may raise in
    its place.
    """

    def __init__(self, before_commit: Callable[[Change], None] | None = None) -> None:
        super().__init__()
        self._before_commit = before_commit
        self._subscriptions: dict[str, Subscription] = {}
        self._methods: dict[str, Method] = {}
        self._snapshots: dict[str, Snapshot] = {}
        self._documents: dict[str, Document] = {}
        self._cases_due = Agenda()
        self._effects_due = Agenda()
        self._inbounds_due = Agenda()

    # --- what arrives -----------------------------------------------------------------------------------------------

    def receive(self, inbounds: Sequence[Inbound]) -> Sequence[Receipt]:
        with self._lock:
            return [self._receive_one(inbound) for inbound in inbounds]

    def _receive_one(self, inbound: Inbound) -> Receipt:
        known = self._inbounds.get(inbound.key)
        if known is None:
            self._put_inbound(inbound)
            return Receipt.NEW
        if known.body_sha256 == inbound.body_sha256:
            return Receipt.DUPLICATE
        kept = kept_conflict(inbound)
        if kept.key not in self._inbounds:
            self._put_inbound(kept)
        return Receipt.CONFLICT

    def _put_inbound(self, inbound: Inbound) -> None:
        self._inbounds[inbound.key] = inbound
        self._inbounds_due.put(inbound.key, inbound_due_at(inbound))

    def unapplied(self, now: datetime, limit: int) -> Sequence[Inbound]:
        with self._lock:
            return [self._inbounds[key] for key in self._inbounds_due.due(now, limit)]

    def inbound(self, key: str) -> Inbound | None:
        return self._inbounds.get(key)

    def settle(self, key: str, settlement: Settlement) -> None:
        with self._lock:
            inbound = self._inbounds.get(key)
            if inbound is None or inbound.state is InboundState.APPLIED:
                return
            self._put_inbound(settled(inbound, settlement))
            if settlement.snapshot is not None:
                self._snapshots[key] = settlement.snapshot

    def snapshot_of(self, key: str) -> Snapshot | None:
        """The snapshot that was kept with an inbound."""
        return self._snapshots.get(key)

    # --- the four rows ----------------------------------------------------------------------------------------------

    def load(self, case_id: str | None, refs: Refs) -> Rows:
        with self._lock:
            case = self._cases.get(case_id) if case_id is not None else None
            subscription_id, method_id, customer_id = refs_of(case, refs)
            return Rows(
                case=case,
                subscription=self._subscriptions.get(subscription_id) if subscription_id is not None else None,
                method=self._methods.get(method_id) if method_id is not None else None,
                customer=self._customers.get(customer_id) if customer_id is not None else None,
            )

    def cases_of(self, customer_id: str) -> Sequence[str]:
        customer = self._customers.get(customer_id)
        if customer is None:
            return []
        return [case.case_id for case in sorted(customer.cases, key=lambda case: case.first_failed_at)]

    def commit(self, changes: Sequence[Change]) -> Sequence[bool]:
        if self._before_commit is not None:
            for change in changes:
                self._before_commit(change)
        with self._lock:
            return [self._commit_one(change.rows, change.decision) for change in changes]

    def _commit_one(self, rows: Rows, decision: Decision) -> bool:
        if not (
            _holds(self._cases, rows.case, decision.case)
            and _holds(self._subscriptions, rows.subscription, decision.subscription)
            and _holds(self._methods, rows.method, decision.method)
            and _holds(self._customers, rows.customer, decision.customer)
            and self._audit_fits(decision)
        ):
            return False
        if (case := decision.case) is not None:
            self._cases[case.id] = with_version(case, version_read(rows.case) + 1)
            self._cases_due.put(case.id, case.wake_at)
        if (subscription := decision.subscription) is not None:
            version = version_read(rows.subscription) + 1
            self._subscriptions[subscription.id] = with_version(subscription, version)
        if (method := decision.method) is not None:
            self._methods[method.id] = with_version(method, version_read(rows.method) + 1)
        if (customer := decision.customer) is not None:
            self._customers[customer.id] = with_version(customer, version_read(rows.customer) + 1)
        self._insert(decision)
        return True

    def _audit_fits(self, decision: Decision) -> bool:
        """Whether no other entry stands where one is to be written."""
        for entry in decision.audit:
            known = self._audit.get(entry.case_id, {}).get(entry.number)
            if known is not None and known.hash != entry.hash:
                return False
        return True

    def _insert(self, decision: Decision) -> None:
        """Write the insert-only rows; what is there already stays as it is."""
        for posting in decision.postings:
            self._postings.setdefault(posting.id, posting)
        for entry in decision.audit:
            self._audit.setdefault(entry.case_id, {}).setdefault(entry.number, entry)
        if decision.effects:
            recorded = recorded_at(decision)
            for effect in decision.effects:
                if isinstance(effect, NOT_RECORDED) or effect.key in self._fates:
                    continue
                fate = self._fates[effect.key] = Fate(effect, recorded)
                self._effects_due.put(effect.key, fate.due_at)

    # --- what is due ------------------------------------------------------------------------------------------------

    def due(self, now: datetime, limit: int) -> Sequence[str]:
        with self._lock:
            return self._cases_due.due(now, limit)

    def undone(self, now: datetime, limit: int, case_ids: Sequence[str] | None = None) -> Sequence[Undone]:
        with self._lock:
            read_max = limit if case_ids is None else len(self._fates)
            fates = [self._fates[key].undone() for key in self._effects_due.due(now, read_max)]
            wanted = fates if case_ids is None else [one for one in fates if one.effect.case_id in case_ids]
            return wanted[:limit]

    def done(self, effect_key: str, at: datetime, note: str) -> None:
        with self._lock:
            fate = self._fates.get(effect_key)
            if fate is not None and fate.done_at is None:
                fate.done_at, fate.note = at, note
                self._effects_due.put(effect_key, None)

    def claim(self, undone: Undone, until_at: datetime, note: str | None = None) -> Undone | None:
        with self._lock:
            fate = self._fate_as_read(undone)
            if fate is None:
                return None
            fate.due_at = until_at
            if note is not None:
                fate.note = note
            self._effects_due.put(undone.effect.key, until_at)
            return fate.undone()

    def defer(self, held: Undone, due_at: datetime, note: str) -> None:
        with self._lock:
            fate = self._fate_as_read(held)
            if fate is not None:
                fate.tries_count += 1
                fate.due_at, fate.note = due_at, note
                self._effects_due.put(held.effect.key, due_at)

    def _fate_as_read(self, read: Undone) -> Fate | None:
        """The fate of an effect to which nothing has happened since it was read."""
        fate = self._fates.get(read.effect.key)
        return fate if fate is not None and fate.done_at is None and fate.due_at == read.due_at else None

    def revive(self, effect_key: str, note_prefix: str, due_at: datetime) -> bool:
        with self._lock:
            fate = self._fates.get(effect_key)
            if fate is None or fate.done_at is None or not fate.note.startswith(note_prefix):
                return False
            fate.done_at, fate.note, fate.tries_count, fate.due_at = None, "", 0, due_at
            self._effects_due.put(effect_key, due_at)
            return True

    def next_due_at(self) -> datetime | None:
        with self._lock:
            firsts = (self._cases_due.first(), self._effects_due.first(), self._inbounds_due.first())
            return min([at for at in firsts if at is not None], default=None)

    # --- documents --------------------------------------------------------------------------------------------------

    def document(self, name: str) -> Document | None:
        return self._documents.get(name)

    def documents(self, names: Sequence[str]) -> Mapping[str, Document]:
        with self._lock:
            return {name: self._documents[name] for name in names if name in self._documents}

    def put_document(self, name: str, body: bytes, expected_version: int) -> bool:
        with self._lock:
            present = self._documents.get(name)
            if (0 if present is None else present.version) != expected_version:
                return False
            self._documents[name] = Document(name=name, version=expected_version + 1, body=body)
            return True
