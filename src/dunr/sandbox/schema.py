"""The tables, and which struct lives in which. ``seq`` is the order of arrival."""

from __future__ import annotations

from . import records
from .stripe import rows as stripe_rows

TABLES: dict[type[records.Record], str] = {
    records.Customer: "customers",
    records.Card: "cards",
    records.Script: "scripts",
    records.UpdaterScript: "updater_scripts",
    records.RefreshRequest: "refresh_requests",
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
    stripe_rows.Endpoint: "stripe_endpoints",
    stripe_rows.StripeEvent: "stripe_events",
    stripe_rows.StripeKey: "stripe_keys",
    stripe_rows.StripeRefund: "stripe_refunds",
    stripe_rows.Permissions: "stripe_permissions",
}

INDEXES = (
    "CREATE INDEX IF NOT EXISTS cards_by_customer ON cards (customer)",
    "CREATE INDEX IF NOT EXISTS subscriptions_by_customer ON subscriptions (customer)",
    "CREATE INDEX IF NOT EXISTS invoices_by_customer ON invoices (customer)",
    "CREATE INDEX IF NOT EXISTS invoices_by_subscription ON invoices (subscription)",
    "CREATE INDEX IF NOT EXISTS invoices_by_change ON invoices (updated_at, id)",
    "CREATE INDEX IF NOT EXISTS charges_by_invoice ON charges (invoice)",
    "CREATE INDEX IF NOT EXISTS charges_by_customer ON charges (customer, at)",
    "CREATE INDEX IF NOT EXISTS charges_by_key ON charges (key)",
    "CREATE INDEX IF NOT EXISTS charges_by_change ON charges (updated_at, id)",
    "CREATE INDEX IF NOT EXISTS disputes_by_customer ON disputes (customer)",
    "CREATE INDEX IF NOT EXISTS requests_by_invoice ON requests (invoice)",
    "CREATE INDEX IF NOT EXISTS agenda_by_time ON agenda (due_at)",
    "CREATE INDEX IF NOT EXISTS deliveries_waiting ON deliveries (due_at) WHERE status = 'waiting'",
    "CREATE INDEX IF NOT EXISTS deliveries_by_event ON deliveries (event)",
    "CREATE INDEX IF NOT EXISTS invoices_by_creation ON invoices (created_at, seq)",
    "CREATE INDEX IF NOT EXISTS charges_by_time ON charges (at, seq)",
    "CREATE INDEX IF NOT EXISTS intents_by_invoice ON intents (invoice)",
    "CREATE INDEX IF NOT EXISTS stripe_events_by_creation ON stripe_events (created_at, seq)",
    "CREATE INDEX IF NOT EXISTS stripe_refunds_by_charge ON stripe_refunds (charge)",
)

SINGLES = "CREATE TABLE IF NOT EXISTS singles (name TEXT PRIMARY KEY, value TEXT NOT NULL)"


def columns_by_table() -> list[tuple[str, tuple[str, ...]]]:
    return [(table, kind.__struct_fields__) for kind, table in TABLES.items()]


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
