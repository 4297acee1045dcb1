"""A mark on attempts whose decline had a code that no table knew, so that the inbox of such codes is one indexed read."""

import sqlalchemy as sa

from dunr.adapters.stores.migrations.building import add_column, build_index

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    add_column("attempts", sa.Column("has_unknown_codes", sa.Boolean(), nullable=False, server_default=sa.false()))
    build_index("attempts_with_unknown_codes", "attempts", ["settled_at"], "has_unknown_codes")
