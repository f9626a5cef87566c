"""When each document was last asked for at its source, and how often that failed in a row"""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0011"

MOMENT = sa.DateTime(timezone=True)


def upgrade() -> None:
    """Create the table; a document without a row counts as asked for when it was fetched."""
    op.create_table(
        "document_requests",
        sa.Column("subdomain", sa.String(), nullable=False),
        sa.Column("identity", sa.String(), nullable=False),
        sa.Column("asked_at", MOMENT, nullable=False),
        sa.Column("failures", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("next_at", MOMENT, nullable=True),
        sa.Column("error", sa.String(), server_default="", nullable=False),
        sa.ForeignKeyConstraint(
            ["subdomain"],
            ["sites.subdomain"],
            name="fk_document_requests_subdomain",
            onupdate="CASCADE",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("subdomain", "identity", name="pk_document_requests"),
    )


def downgrade() -> None:
    """Drop the table: documents are asked for again as if they had just been fetched."""
    op.drop_table("document_requests")
