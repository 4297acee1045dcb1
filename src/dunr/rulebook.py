"""The documents that decide, kept in the store: policies by their hash, the stops, and the epoch of an adopted copy.

A policy is immutable under its hash and therefore remembered; the stops are read afresh each time, so that a brake holds from the next send on, in every process.
"""

from collections.abc import Callable

import msgspec

from dunr.braking import brakes_in, brakes_name
from dunr.core.decision import Stops
from dunr.core.facts import Facts
from dunr.core.policy import Policy, policy_hash
from dunr.core.segments import Choice, PolicySet, choose
from dunr.core.snapshot import Snapshot
from dunr.errors import StoreUnavailable
from dunr.mappings import DECLINES, NONE, Mappings, StoredMappings
from dunr.ports import Document, Standing, Store

STOPS = "stops"
EPOCH = "epoch"
WRITE_TRIES_MAX = 20
KINDS = ("charges", "pauses", "mail")


class Stop(msgspec.Struct, frozen=True):
    """One thing that is stopped: what (`charges`, `pauses` or `mail`), where (an account, or everywhere), and why."""

    kind: str
    scope: str
    why: str


EVERYWHERE = "*"
NOTHING = Standing(Stops(), 0)  # is stopped, and nobody adopted this store
IMPORTED = "import"  # everywhere, until `dunr import --agree`
COPIED = "copy"  # everywhere, until `dunr adopt`: resuming anything else leaves it up
MOVED = "move"  # everywhere, while the store is moved to another database


class StoredRulebook:
    """Reads and writes the documents. `current` answers the policy set in force for new cases."""

    def __init__(self, store: Store, current: Callable[[], PolicySet], given: Mappings = NONE) -> None:
        """Keep the store; nothing is read yet. `given` are the settings' own meanings of codes."""
        self._store = store
        self._current = current
        self._policies: dict[str, Policy] = {}
        self._decoded: tuple[int, tuple[Stop, ...]] = (0, ())
        self.mappings = StoredMappings(store, given)

    # --- policies ---------------------------------------------------------------------------------------------------------------

    def policy_for_new_case(self, processor: str, snapshot: Snapshot | None) -> Choice:
        """The policy that the set in force chooses, kept under its hash before it is answered."""
        choice = choose(self._current(), processor, snapshot)
        self.keep(choice.policy)
        return choice

    def keep(self, policy: Policy) -> str:
        """Keep a policy under its hash, once; the hash."""
        name = policy_hash(policy)
        if name not in self._policies:
            self._store.put_document(f"policy:{name}", msgspec.json.encode(policy), 0)
            self._policies[name] = policy
        return name

    def policy(self, policy_hash: str) -> Policy:
        """A policy that some case opened with."""
        known = self.kept(policy_hash)
        if known is None:
            raise StoreUnavailable(
                f"The policy {policy_hash} of a case is not in the store; restore the documents table."
            )
        return known

    def kept(self, policy_hash: str) -> Policy | None:
        """A policy that was ever kept, or None where nothing has that hash."""
        known = self._policies.get(policy_hash)
        if known is None:
            document = self._store.document(f"policy:{policy_hash}")
            if document is None:
                return None
            known = msgspec.json.decode(document.body, type=Policy)
            self._policies[policy_hash] = known
        return known

    # --- stops ------------------------------------------------------------------------------------------------------------------

    def all_stops(self) -> tuple[Stop, ...]:
        """Every stop that stands."""
        return self._stops_in(self._store.document(STOPS))

    def _stops_in(self, document: Document | None) -> tuple[Stop, ...]:
        """The stops of a document, decoded once for each of its versions."""
        if document is None:
            return ()
        version, stops = self._decoded
        if version != document.version:
            stops = msgspec.json.decode(document.body, type=tuple[Stop, ...])
            self._decoded = (document.version, stops)
        return stops

    def standing(self, processor: str, account: str) -> Standing:
        """What is stopped for one account, and the epoch."""
        held = brakes_name(processor, account)
        found = self._store.documents((STOPS, EPOCH, DECLINES, held))
        self.mappings.notice(found.get(DECLINES))
        if not found:
            return NOTHING
        epoch = int(found[EPOCH].body) if EPOCH in found else 0
        return Standing(self._stops(found.get(STOPS), processor, account), epoch, brakes_in(found.get(held)))

    def _stops(self, document: Document | None, processor: str, account: str) -> Stops:
        """What a document stops for one account."""
        scopes = (EVERYWHERE, COPIED, IMPORTED, MOVED, f"{processor}:{account}")
        here = [stop for stop in self._stops_in(document) if stop.scope in scopes]
        charges, pauses, mail = (tuple(stop.why for stop in here if stop.kind == kind) for kind in KINDS)
        return Stops(charges, pauses, mail)

    def facts(self, known: Facts) -> Facts:
        """The facts with the meanings that codes were given, as the last `standing` read them."""
        return self.mappings.over(known)

    def stop_charges(self, processor: str, account: str, why: str) -> None:
        """Stop all sending to one account."""
        self.stop("charges", f"{processor}:{account}", why)

    def stop(self, kind: str, scope: str, why: str) -> None:
        """Put a stop up; one that stands already stays as it is."""
        wanted = Stop(kind, scope, why)
        self._rewrite(
            lambda stops: stops if any((s.kind, s.scope) == (kind, scope) for s in stops) else (*stops, wanted)
        )

    def resume(self, kind: str, scope: str = EVERYWHERE) -> None:
        """Take a stop away."""
        self._rewrite(lambda stops: tuple(stop for stop in stops if (stop.kind, stop.scope) != (kind, scope)))

    def _rewrite(self, change: Callable[[tuple[Stop, ...]], tuple[Stop, ...]]) -> None:
        """Change the document of stops on condition of its version; where nothing changes, nothing is written."""
        for _ in range(WRITE_TRIES_MAX):
            document = self._store.document(STOPS)
            version = document.version if document is not None else 0
            before = self._stops_in(document)
            stops = change(before)
            if stops == before or self._store.put_document(STOPS, msgspec.json.encode(stops), version):
                return
        raise StoreUnavailable("The stops changed again and again while they were written; try again.")

    # --- epoch ------------------------------------------------------------------------------------------------------------------

    def epoch(self) -> int:
        """How often this store was adopted as a copy; part of every key after the first time."""
        document = self._store.document(EPOCH)
        return int(document.body) if document is not None else 0

    def raise_epoch(self) -> int:
        """Begin a new epoch, for an adopted copy."""
        document = self._store.document(EPOCH)
        epoch = (int(document.body) if document is not None else 0) + 1
        if not self._store.put_document(EPOCH, str(epoch).encode(), document.version if document is not None else 0):
            raise StoreUnavailable(
                "The epoch was raised by somebody else at the same time; look before adopting again."
            )
        return epoch
