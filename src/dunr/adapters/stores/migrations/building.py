"""Adding to a table that is being written to: a column, and an index on it."""

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa
from alembic import op


def build_index(name: str, table: str, columns: Sequence[str], where: str) -> None:
    """On PostgreSQL beside the writers, which an ordinary build would keep waiting; it waits for older transactions instead, for as long as they take. What a build
    that was killed left behind is not usable, and goes first.
    """
    condition = sa.text(where)
    if op.get_context().dialect.name == "sqlite":
        op.create_index(name, table, columns, sqlite_where=condition)
        return
    with op.get_context().autocommit_block():
        op.execute("SET lock_timeout = 0")
        op.drop_index(name, table, if_exists=True, postgresql_concurrently=True)
        op.create_index(name, table, columns, postgresql_where=condition, postgresql_concurrently=True)


def add_column(table: str, column: sa.Column[Any]) -> None:
    """One that an index is built on afterwards: what was added stays, where the build is killed, and is not added again."""
    if op.get_context().dialect.name == "sqlite":
        op.add_column(table, column)
    else:
        op.add_column(table, column, if_not_exists=True)
