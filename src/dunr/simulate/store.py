"""The memory store of a world: each verb is a place where somebody else may run, and each commit is watched."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from dunr.adapters.stores.memory import MemoryStore
from dunr.core.effects import Charge
from dunr.core.model import Case, Subscription
from dunr.ports import Change, Document, Inbound, Refs, Rows, Settlement, Undone
from dunr.simulate.turns import Turns
from dunr.simulate.watching import Watch


class WatchedStore(MemoryStore):
    """The memory store; every verb of the port is a place where somebody else may run."""

    def __init__(self, turns: Turns, watch: Watch) -> None:
        super().__init__()
        self._turns = turns
        self._watch = watch
        watch.case_of = self._cases.get

    def unapplied(self, now: datetime, limit: int) -> Sequence[Inbound]:
        self._turns.port_call()
        return super().unapplied(now, limit)

    def settle(self, key: str, settlement: Settlement) -> None:
        self._turns.port_call()
        super().settle(key, settlement)

    def load(self, case_id: str | None, refs: Refs) -> Rows:
        self._turns.port_call()
        return super().load(case_id, refs)

    def cases_of(self, customer_id: str) -> Sequence[str]:
        self._turns.port_call()
        return super().cases_of(customer_id)

    def commit(self, changes: Sequence[Change]) -> Sequence[bool]:
        self._turns.port_call()
        written = super().commit(changes)
        for change, done in zip(changes, written, strict=True):
            if done:
                task = self._turns.current
                self._watch.committed(task.name if task is not None else "world", change, change.decision)
                for effect in change.decision.effects:
                    if isinstance(effect, Charge):
                        self._turns.perilous_moment()
        return written

    def due(self, now: datetime, limit: int) -> Sequence[str]:
        self._turns.port_call()
        return super().due(now, limit)

    def undone(self, now: datetime, limit: int, case_ids: Sequence[str] | None = None) -> Sequence[Undone]:
        self._turns.port_call()
        return super().undone(now, limit, case_ids)

    def done(self, effect_key: str, at: datetime, note: str) -> None:
        self._turns.port_call()
        super().done(effect_key, at, note)

    def claim(self, undone: Undone, until_at: datetime, note: str | None = None) -> Undone | None:
        self._turns.port_call()
        return super().claim(undone, until_at, note)

    def defer(self, held: Undone, due_at: datetime, note: str) -> None:
        self._turns.port_call()
        super().defer(held, due_at, note)

    def document(self, name: str) -> Document | None:
        self._turns.port_call()
        return super().document(name)

    def documents(self, names: Sequence[str]) -> Mapping[str, Document]:
        self._turns.port_call()
        return super().documents(names)

    def case(self, case_id: str) -> Case | None:
        """A case, read by the world itself."""
        return self._cases.get(case_id)

    def is_due(self, now: datetime) -> bool:
        """Whether anything waits for a worker now; read by the world itself."""
        return self._cases_due.has_due(now) or self._effects_due.has_due(now) or self._inbounds_due.has_due(now)

    def next_case_at(self) -> datetime | None:
        """When the next case or inbound is due; a notice may wait as long as its case is held."""
        instants = (self._cases_due.first(), self._inbounds_due.first())
        return min((at for at in instants if at is not None), default=None)

    def subscriptions(self) -> Sequence[Subscription]:
        """All subscription rows, read by the world itself."""
        return list(self._subscriptions.values())
