"""What is asked again and again reads no table of a SQLite file from end to end, nor sorts one, however long its history is."""

import sqlite3

import pytest
from sqlalchemy import ClauseElement, bindparam
from sqlalchemy.dialects import sqlite

from dunr.adapters.stores.sql import metering, outbox
from dunr.adapters.stores.sql.inbox import ONE, UNAPPLIED
from dunr.adapters.stores.sql.searching import CASES, OWNERS, UNWORDED, WORDLESS
from dunr.adapters.stores.sql.store import CUSTOMER, LOAD, documents_named
from dunr.adapters.stores.sql.tables import cases
from tests.adapters.stores.opener import blank_database

QUESTIONS: dict[str, ClauseElement] = {
    "due": outbox.DUE,
    "undone": outbox.UNDONE,
    "unapplied": UNAPPLIED,
    "inbound": ONE,
    "case look-up, and the entitlement check": LOAD,
    "cases_of": CUSTOMER,
    "document": documents_named(1),
    "done": outbox.DONE,
    "newest cases": CASES.limit(50),
    "cases of a state": CASES.where(cases.c.state == bindparam("wanted")).limit(50),
    "words that begin with a text": OWNERS,
    "cases found by a text": CASES.where(cases.c.id.in_(["a", "b"])).limit(50),
    "cases of an address": CASES.where(cases.c.customer_id.in_(["a", "b"])).limit(50),
    "cases without words": WORDLESS,
    "cases that are to get words": UNWORDED,
    "events that wait": metering.WAITING,
    "dead letters": metering.DEAD,
    "cases that are due": metering.DUE,
    "attempts without an end": metering.UNSETTLED,
    "attempts that ended lately": metering.ENDED,
    "effects that were done lately": metering.DONE,
    "effects that wait": metering.UNDONE,
}
GROUPED = {
    *("cases found by a text", "cases of an address"),
    "attempts that ended lately",
    "effects that were done lately",
    "effects that wait",
}  # few rows, found by their time


@pytest.mark.parametrize("question", QUESTIONS)
def test_no_question_reads_a_table_from_end_to_end(question: str) -> None:
    dialect = sqlite.dialect(paramstyle="named")
    statement = QUESTIONS[question].compile(dialect=dialect, compile_kwargs={"render_postcompile": True})
    connection = sqlite3.connect(blank_database())
    try:
        rows = connection.execute(f"EXPLAIN QUERY PLAN {statement}", dict.fromkeys(statement.params, 1)).fetchall()
    finally:
        connection.close()
    steps = [str(row[3]) for row in rows]
    assert not [
        step for step in steps if step.startswith("SCAN") and " INDEX " not in step and "CONSTANT" not in step
    ], steps
    if question not in GROUPED:
        assert not [step for step in steps if "TEMP B-TREE" in step], steps
