"""How Alembic reaches the database: by the connection that it is handed.

On SQLite that is inside the transaction of the connection. On PostgreSQL each migration is a transaction of its own, so that one may leave it to build an index
beside running writers.
"""

from alembic import context

from dunr.adapters.stores.sql.tables import metadata

context.configure(
    connection=context.config.attributes["connection"], target_metadata=metadata, transaction_per_migration=True
)
with context.begin_transaction():
    context.run_migrations()
