"""Drop site_progress, which the counters in sites replace"""

import sqlalchemy as sa
from alembic import context, op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Drop the table, unless legacy data is to be kept."""
    if context.config.attributes.get("keep_legacy"):
        return
    op.drop_table("site_progress", if_exists=True)


def downgrade() -> None:
    """Create the table again, empty, where it was dropped."""
    op.create_table(
        "site_progress",
        sa.Column("subdomain", sa.String(), primary_key=True, nullable=False),
        sa.Column("current_stage", sa.String()),
        sa.Column("stage_total", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("stage_completed", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("started_at", sa.DateTime(timezone=True)),
        sa.Column("updated_at", sa.DateTime(timezone=True)),
        if_not_exists=True,
    )
