"""People and their roles in projects of annotations"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0020"
down_revision = "0019"

JSON = sa.JSON().with_variant(JSONB(), "postgresql")


def upgrade() -> None:
    """Add the people of a project."""
    op.add_column(
        "annotation_projects",
        sa.Column("members", JSON, server_default=sa.text("'{}'"), nullable=False),
    )


def downgrade() -> None:
    """Forget them."""
    # Not in a batch, which on SQLite would make the table again although others refer to it.
    op.execute("ALTER TABLE annotation_projects DROP COLUMN members")
