"""The meanings that a merchant gave to codes, kept in the store: they count from the next decline on, in every process.

What the settings say of the same code counts before them, since a file that is kept under review is the stronger word.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType

import msgspec

from dunr.core.declines import in_words, with_mappings
from dunr.core.facts import DeclineKey, Facts
from dunr.core.terms import DeclineReason
from dunr.errors import BadRequest, StoreUnavailable
from dunr.facts.mapping import problem_with, problem_with_owner
from dunr.ports import Document, Store

DECLINES = "declines"
WRITE_TRIES_MAX = 20
MAPPINGS_MAX = 1000

Mappings = Mapping[DeclineKey, DeclineReason]
NONE: Mappings = MappingProxyType({})


class Mapped(msgspec.Struct, frozen=True):
    """One row of the document."""

    processor: str
    field: str
    code: str
    reason: DeclineReason


class StoredMappings:
    """Reads and writes the document. `given` are the mappings of the settings, which nothing here replaces."""

    def __init__(self, store: Store, given: Mappings) -> None:
        """Keep the store; nothing is read yet."""
        self._store = store
        self.given = given
        self._read: tuple[int, Mappings] = (0, NONE)
        self._over: tuple[Mappings, Facts, Facts] | None = None

    def stored(self) -> Mappings:
        """What the document says now."""
        self.notice(self._store.document(DECLINES))
        return self._read[1]

    def notice(self, document: Document | None) -> None:
        """Take over a document that was read with others, decoded once for each of its versions."""
        version = document.version if document is not None else 0
        if version == self._read[0]:
            return
        rows = msgspec.json.decode(document.body, type=tuple[Mapped, ...]) if document is not None else ()
        self._read = (version, {(row.processor, row.field, row.code): row.reason for row in rows})

    def over(self, facts: Facts) -> Facts:
        """The facts with what was noticed last; `facts` hold what the settings say already."""
        stored = self._read[1]
        if not stored:
            return facts
        over = self._over
        if over is None or over[0] is not stored or over[1] is not facts:
            own = {key: reason for key, reason in stored.items() if key not in self.given}
            over = self._over = (stored, facts, with_mappings(facts, own))
        return over[2]

    def put(self, key: DeclineKey, reason: DeclineReason) -> None:
        """Give a code a meaning. Raises `BadRequest` where the settings have it, or where no decline could have it."""
        problem = problem_with_owner(key[0], "The decline mapping") or problem_with(key)
        if problem is not None:
            raise BadRequest(problem)
        self._refuse_given(key)
        self._rewrite(lambda known: {**known, key: reason})

    def remove(self, key: DeclineKey) -> None:
        """Take a meaning away again. Raises `BadRequest` where there is none to take away."""
        self._refuse_given(key)
        if key not in self.stored():
            raise BadRequest(f"{in_words(key)} was given no meaning: `dunr declines list` shows those that were")
        self._rewrite(lambda known: {one: reason for one, reason in known.items() if one != key})

    def _refuse_given(self, key: DeclineKey) -> None:
        if key in self.given:
            raise BadRequest(f"{in_words(key)} is in [declines] of dunr.toml as {self.given[key]}: change it there")

    def _rewrite(self, change: Callable[[Mappings], Mappings]) -> None:
        """Change the document on condition of its version."""
        for _ in range(WRITE_TRIES_MAX):
            document = self._store.document(DECLINES)
            self.notice(document)
            changed = change(self._read[1])
            if len(changed) > MAPPINGS_MAX:
                raise BadRequest(
                    f"There are {MAPPINGS_MAX} mappings already: take some away, or write them in dunr.toml"
                )
            rows = tuple(Mapped(*key, reason) for key, reason in sorted(changed.items()))
            if self._store.put_document(DECLINES, msgspec.json.encode(rows), document.version if document else 0):
                return
        raise StoreUnavailable("The mappings changed again and again while they were written; try again.")
