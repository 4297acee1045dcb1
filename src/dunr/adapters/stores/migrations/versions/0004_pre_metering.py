"""What a monitor asks is found by an index: attempts by when they ended, and those that have not."""

from dunr.adapters.stores.migrations.building import build_index

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    build_index("attempts_ended", "attempts", ["settled_at"], "settled_at IS NOT NULL")
    build_index("attempts_unsettled", "attempts", ["outcome", "begun_at"], "settled_at IS NULL")
