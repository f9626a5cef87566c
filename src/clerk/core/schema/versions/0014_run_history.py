"""Roll-ups of runs by day and site, and indexes that keep pages and pruning quick"""

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"

STATES = ("completed", "partial", "no_documents", "failed", "cancelled", "superseded")
READINGS = "stage = 'ocr' AND kind = 'stage'"
PIECES = "parent_batch_id IS NOT NULL"


def upgrade() -> None:
    """Create the table and the indexes."""
    op.create_table(
        "run_history",
        sa.Column("subdomain", sa.String(), nullable=False),
        sa.Column("day", sa.Date(), nullable=False),
        *(
            sa.Column(word, sa.Integer(), server_default=sa.text("0"), nullable=False)
            for word in STATES
        ),
        *(
            sa.Column(name, sa.BigInteger(), server_default=sa.text("0"), nullable=False)
            for name in ("documents_read", "documents_failed", "pages")
        ),
        sa.Column("seconds", sa.Float(), server_default=sa.text("0"), nullable=False),
        sa.ForeignKeyConstraint(
            ["subdomain"],
            ["sites.subdomain"],
            name="fk_run_history_subdomain",
            ondelete="CASCADE",
            onupdate="CASCADE",
        ),
        sa.PrimaryKeyConstraint("subdomain", "day", name="pk_run_history"),
    )
    op.create_index("ix_runs_finished_at", "runs", ["finished_at", "run_id"])
    op.create_index(
        "ix_jobs_readings",
        "jobs",
        ["subdomain", "id"],
        postgresql_where=sa.text(READINGS),
        sqlite_where=sa.text(READINGS),
    )
    op.create_index(
        "ix_batch_job_trackings_parent_batch",
        "batch_job_trackings",
        ["parent_batch_id"],
        postgresql_where=sa.text(PIECES),
        sqlite_where=sa.text(PIECES),
    )


def downgrade() -> None:
    """Drop them."""
    op.drop_index("ix_batch_job_trackings_parent_batch", "batch_job_trackings")
    op.drop_index("ix_jobs_readings", "jobs")
    op.drop_index("ix_runs_finished_at", "runs")
    op.drop_table("run_history")
