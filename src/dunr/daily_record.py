"""A daily record over everything that the audit log took in, each record chained to the one before it.

The chain of a case proves that its own entries were not rewritten; the daily record proves that none of the chains was replaced as a whole. A record covers the
entries whose instant lies between two moments, the later of which is old enough that no decision with an earlier instant is still on its way to the store.
"""

import hashlib
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import msgspec

from dunr.core.decision import AuditEntry
from dunr.core.saying import said
from dunr.ports import Reports, Store

NEWEST = "audit-days"
ON_ITS_WAY = timedelta(minutes=15)
PAGE = 500
BEGINNING = datetime(1970, 1, 1, tzinfo=UTC)


class Record(msgspec.Struct, frozen=True):
    """The entries from `from_at` up to, not including, `until_at`, by number and hash. `before` names the record before, if there is one."""

    from_at: datetime
    until_at: datetime
    entries_count: int
    before: str | None
    hash: str


class Newest(msgspec.Struct, frozen=True):
    """Which record is the last, by the name of its document."""

    name: str


def record_day(store: Store, reports: Reports, now: datetime) -> Record | None:
    """Record what came since the last record; None where somebody else was faster or nothing is old enough."""
    pointer = store.document(NEWEST)
    last = msgspec.json.decode(pointer.body, type=Newest).name if pointer is not None else None
    before = _read(store, last) if last is not None else None
    from_at = before.until_at if before is not None else BEGINNING
    until_at = now - ON_ITS_WAY
    if until_at <= from_at:
        return None
    count, digest = _digest(reports, from_at, until_at, before.hash if before is not None else "")
    record = Record(from_at, until_at, count, last, digest)
    name = f"audit-day:{until_at.isoformat()}"
    version = pointer.version if pointer is not None else 0
    if not store.put_document(name, msgspec.json.encode(record), 0):
        return None
    return record if store.put_document(NEWEST, msgspec.json.encode(Newest(name)), version) else None


def problems_of_days(store: Store, reports: Reports) -> Iterator[str]:
    """Every day whose entries are not those that were recorded, newest first."""
    pointer = store.document(NEWEST)
    name = msgspec.json.decode(pointer.body, type=Newest).name if pointer is not None else None
    while name is not None:
        record = _read(store, name)
        if record is None:
            yield f"The daily record {name} is gone."
            return
        before = _read(store, record.before) if record.before is not None else None
        found = _digest(reports, record.from_at, record.until_at, before.hash if before is not None else "")
        if found != (record.entries_count, record.hash):
            yield (
                f"The audit log between {said(record.from_at, 'UTC')} and {said(record.until_at, 'UTC')} is not what was recorded: "
                f"{found[0]} entries, of {record.entries_count}."
            )
        name = record.before


def _read(store: Store, name: str) -> Record | None:
    document = store.document(name)
    return msgspec.json.decode(document.body, type=Record) if document is not None else None


def _digest(reports: Reports, from_at: datetime, until_at: datetime, previous: str) -> tuple[int, str]:
    """How many entries there are, and a hash over all of them and what came before."""
    count, digest = 0, hashlib.sha256(previous.encode())
    for entry in _entries(reports, from_at, until_at):
        count += 1
        digest.update(f"\x1e{entry.case_id}\x1f{entry.number}\x1f{entry.hash}".encode())
    return count, digest.hexdigest()


def _entries(reports: Reports, from_at: datetime, until_at: datetime) -> Iterator[AuditEntry]:
    after: tuple[str, int] | None = None
    while page := reports.audited(from_at, until_at, PAGE, after):
        yield from page
        after = (page[-1].case_id, page[-1].number)
