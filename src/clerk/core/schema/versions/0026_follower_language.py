"""The language in which followers are told"""

import sqlalchemy as sa
from alembic import op

revision = "0026"
down_revision = "0025"


def upgrade() -> None:
    """Add the column; everybody was told in English before."""
    op.add_column(
        "followers", sa.Column("language", sa.String(), nullable=False, server_default="en")
    )


def downgrade() -> None:
    """Drop the column."""
    op.drop_column("followers", "language")
