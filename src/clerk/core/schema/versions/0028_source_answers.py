"""What portals returned and nobody understood, for every machine to show"""

import sqlalchemy as sa
from alembic import op

from clerk.core.models import UtcDateTime

revision = "0028"
down_revision = "0027"


def upgrade() -> None:
    """Create the table."""
    op.create_table(
        "source_answers",
        sa.Column(
            "subdomain",
            sa.String,
            sa.ForeignKey(
                "sites.subdomain",
                name=op.f("fk_source_answers_subdomain"),
                ondelete="CASCADE",
                onupdate="CASCADE",
            ),
            primary_key=True,
        ),
        sa.Column("name", sa.String, primary_key=True),
        sa.Column("kept_at", UtcDateTime, nullable=False),
        sa.Column("kind", sa.String, nullable=False),
        sa.Column("url", sa.String, nullable=False),
        sa.Column("bytes", sa.Integer, nullable=False),
        sa.Column("content", sa.LargeBinary, nullable=False),
    )


def downgrade() -> None:
    """Drop it."""
    op.drop_table("source_answers")
