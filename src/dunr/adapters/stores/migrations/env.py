"""How Alembic reaches the database: by the connection that it is handed, inside that connection's transaction."""

from alembic import context

from dunr.adapters.stores.sql.tables import metadata

context.configure(connection=context.config.attributes["connection"], target_metadata=metadata)
with context.begin_transaction():
    context.run_migrations()
