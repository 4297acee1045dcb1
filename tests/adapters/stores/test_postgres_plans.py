"""What the engine asks again and again costs the same after a long history: no question of it reads a table from end to end."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from sqlalchemy import Executable, Select, bindparam
from sqlalchemy.dialects.postgresql.psycopg import PGDialect_psycopg

from dunr.adapters.stores.rows import from_microseconds
from dunr.adapters.stores.sql import metering, outbox
from dunr.adapters.stores.sql.inbox import ONE, UNAPPLIED
from dunr.adapters.stores.sql.postgres_arrivals import ARRIVE, DIGESTS
from dunr.adapters.stores.sql.postgres_commits import look
from dunr.adapters.stores.sql.retention import OLD_EFFECTS, OLD_INBOUNDS
from dunr.adapters.stores.sql.searching import CASES, OWNERS, UNWORDED, WORDLESS
from dunr.adapters.stores.sql.store import CUSTOMER, LOAD, documents_named
from dunr.adapters.stores.sql.tables import cases
from tests.adapters.stores.postgres_opener import blank_database
from tests.postgres import Server, server

ROWS = 50_000
WAITING = 100  # of each kind, among the others

# A history of so many cases, all settled but for a few.
HISTORY = f"""
INSERT INTO customers SELECT 'cus_' || n, 1, '{{}}' FROM generate_series(1, {ROWS}) n;
INSERT INTO subscriptions SELECT 'sub_' || n, 1, 'granted', '{{}}' FROM generate_series(1, {ROWS}) n;
INSERT INTO methods SELECT 'pm_' || n, 1, NULL, NULL, '{{}}' FROM generate_series(1, {ROWS}) n;
INSERT INTO cases SELECT 'case_' || n, 1, 'recovered', 'in_' || n, 'sub_' || n, 'cus_' || n, 'pm_' || n, n,
  CASE WHEN n <= {WAITING} THEN n END, '{{}}' FROM generate_series(1, {ROWS}) n;
INSERT INTO attempts SELECT 'case_' || n, 1, 1, 'timer', 1, NULL, 'pm_' || n, 100, 'EUR', n, 'succeeded', NULL, NULL, 'ch_' || n, 100, n, n <= {WAITING}, '{{}}'
  FROM generate_series(1, {ROWS}) n;
INSERT INTO postings (id, case_id, kind, at, currency) SELECT 'p_' || n, 'case_' || n, 'opened', n, 'EUR' FROM generate_series(1, {ROWS}) n;
INSERT INTO audit SELECT 'case_' || n, 1, n, 'dunr', 'x', '[]', '', n::text FROM generate_series(1, {ROWS}) n;
INSERT INTO effects (key, kind, case_id, body, recorded_at, due_at, done_at, tries_count, note)
  SELECT 'n_' || n, 'Nudge', 'case_' || n, '{{}}', n, n, CASE WHEN n > {WAITING} THEN n END, 0, '' FROM generate_series(1, {ROWS}) n;
INSERT INTO inbounds (key, processor, account, event_type, live, received_at, body, body_sha256, state, note, tries_count, due_at)
  SELECT 'evt_' || n, 'a', 'b', 'c', false, n, '', '', CASE WHEN n > {WAITING} THEN 'applied' ELSE 'waiting' END, '', 0, CASE WHEN n <= {WAITING} THEN n END
  FROM generate_series(1, {ROWS}) n;
INSERT INTO search_words SELECT 'in_' || n, 'case_' || n FROM generate_series(1, {ROWS}) n;
UPDATE cases SET has_words = true;
INSERT INTO documents SELECT 'policy/' || n, 1, '' FROM generate_series(1, {ROWS}) n;
ANALYZE;
"""


@pytest.fixture(scope="module")
def history() -> Iterator[tuple[Server, str]]:
    """A database with a long history, made once."""
    where = server()
    name = where.create(blank_database(where))
    with where.connect(name) as connection:
        connection.execute(HISTORY.encode())
    yield where, name
    where.drop(name)


def nodes(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield plan
    for part in plan.get("Plans", ()):
        yield from nodes(part)


def text_of(statement: Executable) -> str:
    compiled = statement.compile(dialect=PGDialect_psycopg(paramstyle="pyformat"))  # type: ignore[attr-defined, no-untyped-call]
    return str(compiled)


INSTANT = 2_000_000_000_000_000
QUESTIONS: dict[str, tuple[str, dict[str, object]]] = {
    "due": (text_of(outbox.DUE), {"now": INSTANT, "limit": 100}),
    "undone": (text_of(outbox.UNDONE), {"now": INSTANT, "limit": 100}),
    "unapplied": (text_of(UNAPPLIED), {"now": INSTANT, "limit": 100}),
    "next_due_at": (text_of(outbox.FIRSTS), {}),
    "load": (
        text_of(LOAD),
        {
            "case": "case_7",
            "subscription": None,
            "method": None,
            "customer": None,
            **{
                f"param_{number}": word for number, word in enumerate(("case", "subscription", "method", "customer"), 1)
            },
        },
    ),
    "newest cases": (text_of(CASES.limit(50)), {"param_1": 50}),
    "cases of a state": (
        text_of(CASES.where(cases.c.state == bindparam("wanted")).limit(50)),
        {"wanted": "scheduled", "param_1": 50},
    ),
    "words that begin with a text": (text_of(OWNERS), {"begin": "in_4711", "end": "in_4711\U0010ffff", "limit": 1001}),
    "cases found by a text": (
        text_of(CASES.where(cases.c.id == bindparam("one")).limit(50)),
        {"one": "case_7", "param_1": 50},
    ),
    "cases without words": (text_of(WORDLESS), {"param_1": 1}),
    "cases that are to get words": (text_of(UNWORDED), {"limit": 100}),
    "events that wait": (text_of(metering.WAITING), {}),
    "attempts without an end": (text_of(metering.UNSETTLED), {}),
    "attempts that ended lately": (text_of(metering.ENDED), {"begin": ROWS - 20, "end": ROWS}),
    "effects that were done lately": (text_of(metering.DONE), {"begin": ROWS - 20, "end": ROWS}),
    "effects that wait": (text_of(metering.UNDONE), {"now": WAITING}),
    "cases_of": (text_of(CUSTOMER), {"wanted": "cus_7"}),
    "inbound": (text_of(ONE), {"wanted": "evt_7"}),
    "document": (text_of(documents_named(1)), {"name_0": "policy/7"}),
    "the digests of known events": (text_of(DIGESTS), {"keys": ["evt_7"]}),
    "done": (text_of(outbox.DONE), {"wanted": "n_7", "at": 1, "why": ""}),
    "commit": (
        look((True,) * 4, (True, False, True, False), (True, True, True)).decode(),
        {
            "ids_0": ["case_7"],
            "ids_1": ["sub_7"],
            "ids_2": ["pm_7"],
            "ids_3": ["cus_7"],
            "chains": ["case_7"],
            "numbers": [2],
            "cards": ["pm_7"],
            "postings": ["p_7"],
        },
    ),
    "receive": (
        ARRIVE,
        {
            "key": [f"evt_new_{number}" for number in range(32)],
            **{name: ["x"] * 32 for name in ("processor", "account", "event_type", "body_sha256", "state", "note")},
            "live": [False] * 32,
            "body": [b""] * 32,
            **{name: [1] * 32 for name in ("received_at", "tries_count", "next_try_at", "due_at")},
        },
    ),
}


@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("mode", ["force_custom_plan", "force_generic_plan"])
def test_no_question_reads_a_table_from_end_to_end(history: tuple[Server, str], question: str, mode: str) -> None:
    """Planned for these very values, and planned once for all values, as it is after a statement was prepared."""
    where, name = history
    text, parameters = QUESTIONS[question]
    with where.connect(name) as connection:
        connection.execute(f"SET plan_cache_mode = {mode}".encode())
        row = connection.execute(f"EXPLAIN (FORMAT JSON) {text}".encode(), parameters, prepare=True).fetchone()
    assert row is not None
    found = row[0] if isinstance(row[0], list) else json.loads(str(row[0]))
    scanned = {node["Relation Name"] for node in nodes(found[0]["Plan"]) if node["Node Type"] == "Seq Scan"}
    assert scanned == set(), json.dumps(found, indent=1)
    sorted_tables = [
        node for node in nodes(found[0]["Plan"]) if node["Node Type"] == "Sort" and node["Plan Rows"] > WAITING
    ]
    assert sorted_tables == [], "what is due comes out of its index in its order"


@pytest.mark.parametrize("old", [OLD_INBOUNDS, OLD_EFFECTS], ids=["inbounds", "effects"])
def test_what_is_old_is_found_without_reading_the_rest(history: tuple[Server, str], old: Select[tuple[int]]) -> None:
    where, name = history
    asked = (
        old.limit(100)
        .params(before=from_microseconds(200))
        .compile(
            dialect=PGDialect_psycopg(paramstyle="pyformat"),  # type: ignore[no-untyped-call]
            compile_kwargs={"literal_binds": True},
        )
    )
    with where.connect(name) as connection:
        row = connection.execute(f"EXPLAIN (FORMAT JSON) {asked}".encode()).fetchone()
    assert row is not None
    found = row[0]
    assert isinstance(found, list)
    seen = list(nodes(found[0]["Plan"]))
    assert not [node for node in seen if node["Node Type"] == "Seq Scan"], json.dumps(found, indent=1)
