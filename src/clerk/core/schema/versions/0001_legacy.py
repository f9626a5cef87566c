"""The schema of an old installation"""

import sqlalchemy as sa
from alembic import op

from clerk.core.errors import DowngradeRefused

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Create the tables as the system before clerk had them."""
    op.create_table(
        "sites",
        sa.Column("subdomain", sa.String(), primary_key=True, nullable=False),
        sa.Column("name", sa.String()),
        sa.Column("state", sa.String()),
        sa.Column("kind", sa.String()),
        sa.Column("scraper", sa.String()),
        sa.Column("pages", sa.Integer()),
        sa.Column("start_year", sa.Integer()),
        sa.Column("extra", sa.String()),
        sa.Column("country", sa.String()),
        sa.Column("lat", sa.String()),
        sa.Column("lng", sa.String()),
        sa.Column("status", sa.String()),
        sa.Column("extraction_status", sa.String(), server_default="pending"),
        sa.Column("last_updated", sa.String()),
        sa.Column("last_deployed", sa.String()),
        sa.Column("last_extracted", sa.String()),
    )
    op.create_table(
        "site_progress",
        sa.Column("subdomain", sa.String(), primary_key=True, nullable=False),
        sa.Column("current_stage", sa.String()),
        sa.Column("stage_total", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("stage_completed", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("started_at", sa.DateTime(timezone=True)),
        sa.Column("updated_at", sa.DateTime(timezone=True)),
    )
    op.create_table(
        "job_tracking",
        sa.Column("rq_job_id", sa.String(), primary_key=True),
        sa.Column("subdomain", sa.String(), nullable=False),
        sa.Column("job_type", sa.String(), nullable=False),
        sa.Column("stage", sa.String()),
        sa.Column(
            "created_at", sa.DateTime(timezone=True), server_default=sa.text("CURRENT_TIMESTAMP")
        ),
    )
    op.create_index("ix_job_tracking_subdomain", "job_tracking", ["subdomain"])


def downgrade() -> None:
    """Refuse: the tables may be those of the old system, with all its sites."""
    raise DowngradeRefused(
        "The schema cannot go back beyond 0001: that would drop the tables sites, site_progress and"
        " job_tracking with everything in them.",
        hint="To remove all of it, drop the database itself.",
    )
