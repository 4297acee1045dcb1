"""The tables, and which of their columns are more than a copy of the body.

A row of the engine is its JSON body; the columns beside it are what a question needs an index for, and they are
derived from the body in `columns`. No decision ever reads through one of these indexes. `sequence` columns are the
order in which rows were written.
"""

from datetime import datetime

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    TypeDecorator,
    false,
    text,
)
from sqlalchemy.engine import Dialect

from dunr.adapters.stores.rows import from_microseconds, to_microseconds

metadata = MetaData()


class Instant(TypeDecorator[datetime]):
    """An instant as whole microseconds since 1970, so that every database orders it alike."""

    impl = BigInteger
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> int | None:  # noqa: ARG002
        return None if value is None else to_microseconds(value)

    def process_result_value(self, value: int | None, dialect: Dialect) -> datetime | None:  # noqa: ARG002
        return None if value is None else from_microseconds(value)


def _sequence() -> Column[int]:
    """A number that rises with each row; SQLite counts by itself only in an INTEGER."""
    return Column("sequence", BigInteger().with_variant(Integer, "sqlite"), primary_key=True, autoincrement=True)


def _row_table(name: str, *columns: Column[str] | Column[datetime], last: Column[bool] | None = None) -> Table:
    """A table of one of the four versioned rows. `last`: a column that came later."""
    return Table(
        name,
        metadata,
        Column("id", Text, primary_key=True),
        Column("version", BigInteger, nullable=False),
        *columns,
        Column("body", Text, nullable=False),
        *(() if last is None else (last,)),
    )


cases = _row_table(
    "cases",
    Column("state", Text, nullable=False),
    Column("processor_invoice_id", Text, nullable=False),
    Column("subscription_id", Text),
    Column("customer_id", Text),
    Column("method_id", Text),
    Column("opened_at", Instant, nullable=False),
    Column("wake_at", Instant),
    last=Column("has_words", Boolean, nullable=False, server_default=false()),
)
Index(
    "cases_without_words",
    cases.c.id,
    sqlite_where=text("NOT has_words"),
    postgresql_where=text("NOT has_words"),
)
Index(
    "cases_due",
    cases.c.wake_at,
    sqlite_where=cases.c.wake_at.is_not(None),
    postgresql_where=cases.c.wake_at.is_not(None),
)
Index("cases_newest", cases.c.opened_at, cases.c.id)
Index("cases_by_state", cases.c.state, cases.c.opened_at, cases.c.id)
Index("cases_by_customer", cases.c.customer_id)
Index("cases_by_subscription", cases.c.subscription_id)
Index("cases_by_invoice", cases.c.processor_invoice_id)

subscriptions = _row_table("subscriptions", Column("access", Text, nullable=False))
methods = _row_table("methods", Column("in_flight_case_id", Text), Column("lease_expires_at", Instant))
Index("methods_in_flight", methods.c.in_flight_case_id)
customers = _row_table("customers")

attempts = Table(
    "attempts",
    metadata,
    Column("case_id", Text, ForeignKey("cases.id"), primary_key=True),
    Column("number", BigInteger, primary_key=True, autoincrement=False),
    Column("round", BigInteger, nullable=False),
    Column("trigger", Text, nullable=False),
    Column("step_number", BigInteger),
    Column("after_reason", Text),
    Column("method_id", Text),
    Column("amount_minor", BigInteger, nullable=False),
    Column("currency", Text, nullable=False),
    Column("begun_at", Instant, nullable=False),
    Column("outcome", Text),
    Column("reason", Text),
    Column("raw_code", Text),
    Column("processor_charge_id", Text),
    Column("captured_minor", BigInteger, nullable=False),
    Column("settled_at", Instant),
    Column("running", Boolean, nullable=False),
    Column("body", Text, nullable=False),
    Column("has_unknown_codes", Boolean, nullable=False, server_default=false()),
)
# The second net under the lease: one running attempt per card key.
Index(
    "attempts_running",
    attempts.c.method_id,
    unique=True,
    sqlite_where=text("running"),
    postgresql_where=text("running"),
)
Index("attempts_by_charge", attempts.c.processor_charge_id)
Index(
    "attempts_ended",
    attempts.c.settled_at,
    sqlite_where=attempts.c.settled_at.is_not(None),
    postgresql_where=attempts.c.settled_at.is_not(None),
)
Index(
    "attempts_unsettled",
    attempts.c.outcome,
    attempts.c.begun_at,
    sqlite_where=attempts.c.settled_at.is_(None),
    postgresql_where=attempts.c.settled_at.is_(None),
)
Index(
    "attempts_with_unknown_codes",
    attempts.c.settled_at,
    sqlite_where=text("has_unknown_codes"),
    postgresql_where=text("has_unknown_codes"),
)

postings = Table(
    "postings",
    metadata,
    _sequence(),
    Column("id", Text, nullable=False, unique=True),
    Column("case_id", Text, nullable=False),
    Column("kind", Text, nullable=False),
    Column("at", Instant, nullable=False),
    Column("currency", Text, nullable=False),
)
Index("postings_by_case", postings.c.case_id, postings.c.sequence)

posting_lines = Table(
    "posting_lines",
    metadata,
    Column("posting_id", Text, ForeignKey("postings.id"), primary_key=True),
    Column("line", BigInteger, primary_key=True, autoincrement=False),
    Column("account", Text, nullable=False),
    Column("amount_minor", BigInteger, nullable=False),
)

audit = Table(
    "audit",
    metadata,
    Column("case_id", Text, primary_key=True),
    Column("number", BigInteger, primary_key=True, autoincrement=False),
    Column("at", Instant, nullable=False),
    Column("actor", Text, nullable=False),
    Column("what", Text, nullable=False),
    Column("why", Text, nullable=False),
    Column("previous_hash", Text, nullable=False),
    Column("hash", Text, nullable=False),
)

effects = Table(
    "effects",
    metadata,
    _sequence(),
    Column("key", Text, nullable=False, unique=True),
    Column("kind", Text, nullable=False),
    Column("case_id", Text),
    Column("body", Text, nullable=False),
    Column("recorded_at", Instant, nullable=False),
    Column("due_at", Instant, nullable=False),
    Column("done_at", Instant),
    Column("tries_count", BigInteger, nullable=False, default=0),
    Column("note", Text, nullable=False, default=""),
)
Index(
    "effects_undone",
    effects.c.due_at,
    effects.c.sequence,
    sqlite_where=effects.c.done_at.is_(None),
    postgresql_where=effects.c.done_at.is_(None),
)
Index(
    "effects_done",
    effects.c.done_at,
    sqlite_where=effects.c.done_at.is_not(None),
    postgresql_where=effects.c.done_at.is_not(None),
)
Index("effects_by_kind", effects.c.kind, effects.c.sequence)
Index("effects_by_case", effects.c.case_id, effects.c.sequence)

inbounds = Table(
    "inbounds",
    metadata,
    _sequence(),
    Column("key", Text, nullable=False, unique=True),
    Column("processor", Text, nullable=False),
    Column("account", Text, nullable=False),
    Column("event_type", Text, nullable=False),
    Column("live", Boolean, nullable=False),
    Column("received_at", Instant, nullable=False),
    Column("body", LargeBinary, nullable=False),
    Column("body_sha256", Text, nullable=False),
    Column("state", Text, nullable=False),
    Column("note", Text, nullable=False),
    Column("tries_count", BigInteger, nullable=False),
    Column("next_try_at", Instant),
    Column("due_at", Instant),
    Column("snapshot", Text),
)
Index(
    "inbounds_unapplied",
    inbounds.c.due_at,
    inbounds.c.sequence,
    sqlite_where=inbounds.c.due_at.is_not(None),
    postgresql_where=inbounds.c.due_at.is_not(None),
)
Index(
    "inbounds_settled",
    inbounds.c.received_at,
    sqlite_where=text("state IN ('applied', 'ignored')"),
    postgresql_where=text("state IN ('applied', 'ignored')"),
)
Index("inbounds_by_state", inbounds.c.state, inbounds.c.sequence)

documents = Table(
    "documents",
    metadata,
    Column("name", Text, primary_key=True),
    Column("version", BigInteger, nullable=False),
    Column("body", LargeBinary, nullable=False),
)

# By what cases are found: words of ids, whose owner is the case, and hashes of addresses, whose owner is the customer.
search_words = Table(
    "search_words",
    metadata,
    Column("word", Text().with_variant(Text(collation="C"), "postgresql"), primary_key=True),
    Column("owner_id", Text, primary_key=True),
)

# What the database knows of itself: its own id, the high-water mark, and what its surroundings looked like when it was last recorded.
identity = Table(
    "identity",
    metadata,
    Column("name", Text, primary_key=True),
    Column("value", Text),
    Column("counter", BigInteger),
)
