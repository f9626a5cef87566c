"""An index of the items that can be claimed, by when they may be"""

import sqlalchemy as sa
from alembic import op

revision = "0024"
down_revision = "0020"

PENDING = "state = 'pending'"


def upgrade() -> None:
    """Create the index."""
    op.create_index(
        "ix_items_available",
        "items",
        ["step", "available_at"],
        postgresql_where=sa.text(PENDING),
        sqlite_where=sa.text(PENDING),
    )


def downgrade() -> None:
    """Drop it."""
    op.drop_index("ix_items_available", "items")
