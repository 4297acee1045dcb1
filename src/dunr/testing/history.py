"""A long history for a store, as true as one that took years: for asking whether a question costs the same with a million cases behind it.

What ended is taken from simulated worlds, in which the engine itself made every row, and repeated under other ids with its audit chains computed anew. What is still
scheduled is decided for each case by the core. All of it becomes rows by the store's own mapping, and goes in by the way that a restored backup goes in.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime, timedelta
from itertools import count, islice

import msgspec
from sqlalchemy import Table

from dunr.adapters.stores.rows import effect_from_json, kind_of, to_json
from dunr.adapters.stores.sql import columns
from dunr.adapters.stores.sql.moves.raw import TABLES, RawRow, raw_row, write
from dunr.adapters.stores.sql.tables import (
    attempts,
    audit,
    cases,
    customers,
    effects,
    inbounds,
    methods,
    posting_lines,
    postings,
    subscriptions,
)
from dunr.core import keys
from dunr.core.decide import decide
from dunr.core.decision import AuditEntry, Decision, Dossier, Posting
from dunr.core.events import ChargeFailed
from dunr.core.facts import Facts
from dunr.core.model import Case, Customer, Method, Subscription
from dunr.core.policy import Policy
from dunr.core.value import replace
from dunr.facts.load import load_facts
from dunr.ports import Inbound, Refs
from dunr.simulate.world import World
from dunr.testing.scenario import play

MARK = "§"  # behind each foreign id of a pattern; the number of the repetition takes its place
IDS = re.compile(r'\b((?:in|sub|cus|pm|fp|ch|pi|evt|dp)_[A-Za-z0-9_]+)\b(?!"\s*:)')
WORLDS = 60
ENTRIES_MAX = 8  # audit entries of a case: a world is made to be worse than most lives
ALL = 1_000
GROUP_CASES = 2_000
PERIOD = timedelta(days=30)  # over which the scheduled cases are spread
OPENING = "2026-06-23 10:00  nothing happens\n"

Group = dict[Table, list[RawRow]]


class _Effect(msgspec.Struct, frozen=True):
    """An effect with its fate."""

    kind: str
    body: str
    recorded_at: datetime
    done_at: datetime | None
    tries_count: int
    note: str


class _Told(msgspec.Struct, frozen=True):
    """Everything that a world, or one decision, left in the store."""

    cases: tuple[Case, ...]
    subscriptions: tuple[Subscription, ...]
    methods: tuple[Method, ...]
    customers: tuple[Customer, ...]
    postings: tuple[Posting, ...]
    audit: tuple[AuditEntry, ...]
    effects: tuple[_Effect, ...] = ()
    inbounds: tuple[Inbound, ...] = ()


class History:
    """Rows without end: `fill` writes them into a store whose tables are there."""

    def __init__(self, worlds: int = WORLDS) -> None:
        """Play the worlds whose rows are repeated."""
        self._facts = load_facts()
        told = (_told_by(seed, self._facts) for seed in count(1))
        usual = (one for one in told if len(one.audit) <= ENTRIES_MAX * len(one.cases))
        self._patterns = [_pattern(one) for one in islice(usual, worlds)]
        opened = play(OPENING, self._facts, Policy())
        opened.show("in_1", first_failed_at=opened.now)
        self._opening = _marked(opened.dossier("in_1", opened.snapshot("in_1")))
        self._serials: dict[Table, Iterator[int]] = {table: count(1) for table in (postings, effects, inbounds)}

    def fill(
        self, url: str, *, ended: int, scheduled: int, now: datetime, told: Callable[[int, int], None] | None = None
    ) -> int:
        """Write at least so many cases of either kind; how many there are."""
        cases_count = 0
        with write(url) as writer:
            for group in self._groups(ended, scheduled, now):
                for table in TABLES:
                    if table in group:
                        writer.fill(table, group[table])
                cases_count += len(group[cases])
                if told is not None:
                    told(min(cases_count, ended + scheduled), ended + scheduled)
            writer.count_on()
        return cases_count

    def _groups(self, ended: int, scheduled: int, now: datetime) -> Iterator[Group]:
        number, done = count(), 0
        while done < ended:
            group: Group = {}
            while done < ended and len(group.get(cases, ())) < GROUP_CASES:
                serial = next(number)
                done += self._add(group, self._repeated(serial))
            yield group
        for begin in range(0, scheduled, GROUP_CASES):
            group = {}
            for place in range(begin, min(begin + GROUP_CASES, scheduled)):
                self._add(group, self._opened(next(number), now - PERIOD * place / max(scheduled, 1) / 10))
            yield group

    def _repeated(self, number: int) -> _Told:
        pattern = self._patterns[number % len(self._patterns)]
        return msgspec.json.decode(pattern.replace(MARK, f"x{number}"), type=_Told)

    def _opened(self, number: int, failed_at: datetime) -> _Told:
        """A case that opens at an instant, decided by the core, with its first step in the days after."""
        read = msgspec.json.decode(self._opening.replace(MARK, f"s{number}"), type=Dossier)
        seen = read.snapshot
        assert seen is not None
        snapshot = replace(
            seen,
            taken_at=failed_at,
            invoice=replace(seen.invoice, first_failed_at=failed_at),
            charges=tuple(replace(charge, at=failed_at) for charge in seen.charges),
        )
        return _decided(decide(replace(read, snapshot=snapshot), ChargeFailed(), self._facts, failed_at))

    def _add(self, group: Group, told: _Told) -> int:
        """Add the rows of one story to a group; how many cases it has."""

        def put(table: Table, cells: Mapping[str, object]) -> None:
            if table in self._serials:
                cells = {**cells, "sequence": next(self._serials[table])}
            group.setdefault(table, []).append(raw_row(table, cells))

        heads = {}
        for entry in _chained(told.audit):
            heads[entry.case_id] = entry.hash
            put(audit, columns.audit_cells(entry))
        for case in told.cases:
            case = replace(case, audit_head=heads.get(case.id, ""))  # noqa: PLW2901 - the same case, with its own chain
            put(cases, columns.case_cells(case) | {"has_words": False})
            for attempt in case.attempts:
                put(attempts, columns.attempt_cells(case, attempt))
        for subscription in told.subscriptions:
            put(subscriptions, columns.subscription_cells(subscription))
        for method in told.methods:
            put(methods, columns.method_cells(method))
        for customer in told.customers:
            put(customers, columns.customer_cells(customer))
        for posting in told.postings:
            put(postings, columns.posting_cells(posting))
            for line in columns.line_cells(posting):
                put(posting_lines, line)
        for inbound in told.inbounds:
            put(inbounds, dict(zip(columns.INBOUND_NAMES, columns.inbound_values(inbound), strict=True)))
        for fate in told.effects:
            cells = columns.effect_cells(effect_from_json(fate.kind, fate.body), fate.recorded_at)
            put(effects, {**cells, "done_at": fate.done_at, "tries_count": fate.tries_count, "note": fate.note})
        return len(told.cases)


def _chained(entries: tuple[AuditEntry, ...]) -> Iterator[AuditEntry]:
    """The entries, case by case, each with the hash over the one before it."""
    hashes: dict[str, str] = {}
    for entry in entries:
        previous = hashes.get(entry.case_id, "")
        parts = (entry.case_id, str(entry.number), entry.at.isoformat(), entry.actor, entry.what, *entry.why)
        hashes[entry.case_id] = keys.audit_hash(previous, *parts)
        yield replace(entry, previous_hash=previous, hash=hashes[entry.case_id])


# --- what a world left --------------------------------------------------------------------------------------------------


def _told_by(seed: int, facts: Facts) -> _Told:
    """Play a world to its end, and read all of its store."""
    world = World(seed, facts)
    world.live()
    store = world.store
    found = store.cases(state=None, text=None, limit=ALL, after=None)
    rows = [store.load(case.id, Refs()) for case in found]
    return _Told(
        cases=tuple(found),
        subscriptions=tuple({one.subscription.id: one.subscription for one in rows if one.subscription}.values()),
        methods=tuple({one.method.id: one.method for one in rows if one.method}.values()),
        customers=tuple({one.customer.id: one.customer for one in rows if one.customer}.values()),
        postings=tuple(store.postings(None, ALL)),
        audit=tuple(entry for case in found for entry in store.audit(case.id, ALL)),
        effects=tuple(
            _Effect(
                kind_of(one.effect),
                to_json(one.effect),
                one.recorded_at,
                one.done_at or one.recorded_at,
                one.tries_count,
                one.note,
            )
            for one in reversed(store.effects(kind=None, case_id=None, limit=ALL))
        ),
        inbounds=tuple(replace(one, body=_body(one)) for one in reversed(store.inbounds(state=None, limit=ALL))),
    )


def _body(inbound: Inbound) -> bytes:
    """A body as a processor sends it: it is not read again, and takes its place on the disk."""
    event_id = inbound.key.rsplit(":", 1)[-1]
    return msgspec.json.encode(
        {"id": event_id, "type": inbound.event_type, "created": inbound.received_at, "data": {"padding": "." * 400}}
    )


def _marked(value: object) -> str:
    """A value as JSON in which each foreign id can be told from the same one of another repetition."""
    return IDS.sub(rf"\1{MARK}", msgspec.json.encode(value).decode())


def _pattern(told: _Told) -> str:
    """A world to be repeated. An alert that is about no case is the same in all of them, and left out."""
    marked = msgspec.json.decode(_marked(told), type=_Told)
    own = tuple(one for one in marked.effects if MARK in getattr(effect_from_json(one.kind, one.body), "key", ""))
    return msgspec.json.encode(msgspec.structs.replace(marked, effects=own)).decode()


def _decided(decision: Decision) -> _Told:
    """What one decision leaves in the store; nothing of it has been done yet, but for the mail."""
    at = decision.audit[-1].at
    return _Told(
        cases=tuple(one for one in (decision.case,) if one),
        subscriptions=tuple(one for one in (decision.subscription,) if one),
        methods=tuple(one for one in (decision.method,) if one),
        customers=tuple(one for one in (decision.customer,) if one),
        postings=decision.postings,
        audit=decision.audit,
        effects=tuple(_Effect(kind_of(one), to_json(one), at, at, 0, "sent") for one in decision.recorded_effects),
    )
