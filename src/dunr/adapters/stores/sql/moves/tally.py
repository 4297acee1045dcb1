"""What a store holds, in a few numbers that are the same wherever the same rows lie: counted before it is carried, and counted again where it has arrived.

Per table: how many rows, and a sum over a digest of each, which no order changes. Of the audit log: each chain is followed from its first entry to its head, and
that is the head that the case names. Of the ledger: the balance of every account, and that each entry adds up to nothing.
"""

from collections.abc import Callable
from hashlib import blake2b

import msgspec

from dunr.adapters.stores.rows import from_microseconds, texts_from_json
from dunr.adapters.stores.sql.moves.raw import TABLES, RawReader, RawRow, columns_of
from dunr.adapters.stores.sql.tables import audit, cases
from dunr.core import keys

DIGEST_BYTES = 16
MASK = (1 << (8 * DIGEST_BYTES)) - 1
ROWS_BETWEEN_SIGNS = 5_000
PROBLEMS_TOLD_MAX = 20
BALANCES = (
    "SELECT postings.currency, posting_lines.account, CAST(sum(posting_lines.amount_minor) AS BIGINT) FROM posting_lines"
    " JOIN postings ON postings.id = posting_lines.posting_id GROUP BY postings.currency, posting_lines.account"
)
UNBALANCED = "SELECT posting_id FROM posting_lines GROUP BY posting_id HAVING sum(amount_minor) <> 0 ORDER BY posting_id LIMIT 20"

Told = Callable[[int, int], None]  # how many rows are done, of how many

_encode = msgspec.msgpack.Encoder().encode


class Tally(msgspec.Struct, frozen=True):
    """Equal where two stores hold the same. `problems` are those of the store itself, not of its carriage."""

    rows: dict[str, int]
    sums: dict[str, str]
    chains_count: int
    heads: str
    balances: dict[str, int]  # by currency and account
    problems: tuple[str, ...]

    @property
    def rows_count(self) -> int:
        """All rows together."""
        return sum(self.rows.values())


class _Sum:
    """A sum over digests of rows: the same for the same rows in any order, and another one for any other rows."""

    def __init__(self) -> None:
        self.count = 0
        self._total = 0

    def add(self, row: RawRow) -> None:
        self.count += 1
        digest = blake2b(_encode(row), digest_size=DIGEST_BYTES).digest()
        self._total = (self._total + int.from_bytes(digest, "big")) & MASK

    @property
    def text(self) -> str:
        return f"{self._total:0{2 * DIGEST_BYTES}x}"


class _Named(msgspec.Struct, frozen=True):
    """What a case says of its own chain."""

    id: str
    audit_head: str = ""
    audit_count: int = 0


class _Chains:
    """Follows the chains, whose entries come case by case in their order."""

    def __init__(self) -> None:
        self.heads, self.named = _Sum(), _Sum()
        self.problems: list[str] = []
        self._case_id: object = None
        self._number, self._hash = 0, ""
        place = {name: number for number, name in enumerate(columns_of(audit))}
        names = ("case_id", "number", "at", "actor", "what", "why", "previous_hash", "hash")
        self._places = tuple(place[name] for name in names)
        self._body = columns_of(cases).index("body")

    def follow(self, row: RawRow) -> None:
        """One entry."""
        case_id, number, at, actor, what, why, previous, written = (row[place] for place in self._places)
        if case_id != self._case_id:
            self.end()
            self._case_id = case_id
        self._number += 1
        parts = (
            case_id,
            str(number),
            from_microseconds(int(at or 0)).isoformat(),
            actor,
            what,
            *texts_from_json(str(why)),
        )
        expected = keys.audit_hash(self._hash, *map(str, parts))
        if (number, previous, written) != (self._number, self._hash, expected):
            self.problems.append(f"an audit entry of {case_id!s} is not as it was written")
        self._hash = str(written)

    def end(self) -> None:
        """The chain of one case is over."""
        if self._case_id is not None:
            self.heads.add((str(self._case_id), self._number, self._hash))
        self._case_id, self._number, self._hash = None, 0, ""

    def name(self, row: RawRow) -> None:
        """What a case says of its chain."""
        named = msgspec.json.decode(str(row[self._body]), type=_Named)
        if named.audit_count:
            self.named.add((named.id, named.audit_count, named.audit_head))


def tally(reader: RawReader, told: Told | None = None) -> Tally:
    """Count everything in one picture of a store."""
    total = sum(reader.count(table) for table in TABLES)
    done = 0
    chains, sums = _Chains(), {table.name: _Sum() for table in TABLES}
    for table in TABLES:
        of_table = sums[table.name]
        beside = chains.follow if table is audit else chains.name if table is cases else None
        for row in reader.rows(table):
            of_table.add(row)
            if beside is not None:
                beside(row)
            done += 1
            if told is not None and done % ROWS_BETWEEN_SIGNS == 0:
                told(done, total)
    chains.end()
    problems = [*chains.problems, *(f"the posting {posting_id!s} is off" for (posting_id,) in reader.ask(UNBALANCED))]
    if chains.heads.text != chains.named.text:
        problems.append("not every audit chain ends where its case says")
    return Tally(
        rows={name: one.count for name, one in sums.items()},
        sums={name: one.text for name, one in sums.items()},
        chains_count=chains.heads.count,
        heads=chains.heads.text,
        balances={
            f"{currency!s} {account!s}": int(str(amount)) for currency, account, amount in sorted(reader.ask(BALANCES))
        },
        problems=tuple(problems[:PROBLEMS_TOLD_MAX]),
    )


def differences(there: Tally, here: Tally) -> tuple[str, ...]:
    """What did not arrive as it was, in words."""
    found = [
        f"{name} has {here.rows[name]} rows and should have {count}"
        for name, count in there.rows.items()
        if here.rows[name] != count
    ]
    found += [
        f"a row of {name} is not what it was"
        for name, text in there.sums.items()
        if here.rows[name] == there.rows[name] and here.sums[name] != text
    ]
    if (there.chains_count, there.heads) != (here.chains_count, here.heads):
        found.append("the audit chains do not end where they did")
    if there.balances != here.balances:
        found.append("the balance of the ledger is another one")
    return tuple(found)
