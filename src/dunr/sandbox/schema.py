"""The tables, and which struct lives in which. ``seq`` is the order of arrival."""

from __future__ import annotations

from . import records

TABLES: dict[type[records.Record], str] = {
    records.Customer: "customers",
    records.Card: "cards",
    records.Script: "scripts",
    records.Subscription: "subscriptions",
    records.Invoice: "invoices",
    records.Charge: "charges",
    records.Intent: "intents",
    records.Dispute: "disputes",
    records.ChargeRequest: "requests",
    records.RememberedKey: "remembered_keys",
    records.AgendaItem: "agenda",
    records.Event: "events",
    records.Delivery: "deliveries",
    records.PayToken: "pay_tokens",
}

INDEXES = (
    "CREATE INDEX IF NOT EXISTS cards_by_customer ON cards (customer)",
    "CREATE INDEX IF NOT EXISTS subscriptions_by_customer ON subscriptions (customer)",
    "CREATE INDEX IF NOT EXISTS invoices_by_customer ON invoices (customer)",
    "CREATE INDEX IF NOT EXISTS invoices_by_subscription ON invoices (subscription)",
    "CREATE INDEX IF NOT EXISTS invoices_by_change ON invoices (updated_at, id)",
    "CREATE INDEX IF NOT EXISTS charges_by_invoice ON charges (invoice)",
    "CREATE INDEX IF NOT EXISTS charges_by_key ON charges (key)",
    "CREATE INDEX IF NOT EXISTS charges_by_change ON charges (updated_at, id)",
    "CREATE INDEX IF NOT EXISTS disputes_by_customer ON disputes (customer)",
    "CREATE INDEX IF NOT EXISTS requests_by_invoice ON requests (invoice)",
    "CREATE INDEX IF NOT EXISTS agenda_by_time ON agenda (due_at)",
    "CREATE INDEX IF NOT EXISTS deliveries_waiting ON deliveries (due_at) WHERE status = 'waiting'",
    "CREATE INDEX IF NOT EXISTS deliveries_by_event ON deliveries (event)",
)

SINGLES = "CREATE TABLE IF NOT EXISTS singles (name TEXT PRIMARY KEY, value TEXT NOT NULL)"


def table_statements() -> list[str]:
    """One CREATE TABLE a struct, its columns in the struct's own order."""
    statements = [SINGLES]
    for kind, table in TABLES.items():
        columns = ", ".join(name for name in kind.__struct_fields__ if name != "id")
        statements.append(
            f"CREATE TABLE IF NOT EXISTS {table} "
            f"(seq INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, {columns})"
        )
    return statements + list(INDEXES)
