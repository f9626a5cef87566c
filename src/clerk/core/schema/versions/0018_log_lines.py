"""Log lines of runs, and an index for the failures of a span of time"""

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0014"

ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
FAILED = "state IN ('failed', 'quarantined')"


def upgrade() -> None:
    """Create the table and the indexes."""
    postgresql = op.get_bind().dialect.name == "postgresql"
    now = sa.text("now()" if postgresql else "(strftime('%Y-%m-%d %H:%M:%f', 'now') || '000')")
    op.create_table(
        "log_lines",
        sa.Column("id", ID, autoincrement=True, nullable=False),
        sa.Column("run_id", sa.String(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), server_default=now, nullable=False),
        sa.Column("level", sa.String(), nullable=False),
        sa.Column("stage", sa.String(), nullable=False),
        sa.Column("document", sa.String(), nullable=True),
        sa.Column("worker_id", sa.String(), nullable=True),
        sa.Column("attempt", sa.Integer(), nullable=True),
        sa.Column("seconds", sa.Float(), nullable=True),
        sa.Column("message", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["run_id"], ["runs.run_id"], name="fk_log_lines_run_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_log_lines"),
    )
    op.create_index("ix_log_lines_run_id", "log_lines", ["run_id", "id"])
    op.create_index(
        "ix_items_failed_at",
        "items",
        ["finished_at"],
        postgresql_where=sa.text(FAILED),
        sqlite_where=sa.text(FAILED),
    )


def downgrade() -> None:
    """Drop them: the log lines are lost."""
    op.drop_index("ix_items_failed_at", table_name="items")
    op.drop_index("ix_log_lines_run_id", table_name="log_lines")
    op.drop_table("log_lines")
