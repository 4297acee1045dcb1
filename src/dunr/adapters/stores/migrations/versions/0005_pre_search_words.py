"""Words by which cases are found, each with its owner; and a mark on cases that have none yet, because a release that knew no words opened them."""

import sqlalchemy as sa
from alembic import op

from dunr.adapters.stores.migrations.building import add_column, build_index

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    plain = sa.Text().with_variant(
        sa.Text(collation="C"), "postgresql"
    )  # ordered by its bytes, so that a beginning is a range
    op.create_table(
        "search_words",
        sa.Column("word", plain, nullable=False),
        sa.Column("owner_id", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("word", "owner_id"),
        if_not_exists=True,
    )
    add_column("cases", sa.Column("has_words", sa.Boolean(), nullable=False, server_default=sa.false()))
    build_index("cases_without_words", "cases", ["id"], "NOT has_words")
