"""Ranks of runs, schedules of sites, problems that people are told of, comments on sites"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0010"
down_revision = "0009"

ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
JSON = sa.JSON().with_variant(JSONB(), "postgresql")
MOMENT = sa.DateTime(timezone=True)

#: PostgreSQL shows them to whoever looks at the table; SQLite has none.
COMMENTS = {
    "TABLE sites": "Single source of truth for site and pipeline state",
    "COLUMN sites.current_stage": (
        "Current pipeline stage: fetch|ocr|compilation|extraction|deploy|completed"
    ),
    "COLUMN sites.coordinator_enqueued": (
        "Prevents duplicate coordinators - atomically claimed by last job"
    ),
}


def upgrade() -> None:
    """Add the column and the tables."""
    postgresql = op.get_bind().dialect.name == "postgresql"
    now = sa.text("now()" if postgresql else "(strftime('%Y-%m-%d %H:%M:%f', 'now') || '000')")
    op.add_column(
        "runs", sa.Column("rank", sa.Integer(), server_default=sa.text("0"), nullable=False)
    )
    op.create_table(
        "schedules",
        sa.Column("subdomain", sa.String(), nullable=False),
        sa.Column("rule", JSON, nullable=False),
        sa.Column("next_at", MOMENT, nullable=True),
        sa.Column("queued_at", MOMENT, nullable=True),
        sa.Column("paused_at", MOMENT, nullable=True),
        sa.Column("paused_by", sa.String(), nullable=True),
        sa.ForeignKeyConstraint(
            ["subdomain"],
            ["sites.subdomain"],
            name="fk_schedules_subdomain",
            ondelete="CASCADE",
            onupdate="CASCADE",
        ),
        sa.PrimaryKeyConstraint("subdomain", name="pk_schedules"),
    )
    op.create_index("ix_schedules_next_at", "schedules", ["next_at"])
    op.create_table(
        "problems",
        sa.Column("id", ID, autoincrement=True, nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("subject", sa.String(), server_default="", nullable=False),
        sa.Column("severity", sa.String(), nullable=False),
        sa.Column("what", sa.Text(), nullable=False),
        sa.Column("command", sa.Text(), server_default="", nullable=False),
        sa.Column("opened_at", MOMENT, server_default=now, nullable=False),
        sa.Column("told_at", MOMENT, nullable=True),
        sa.Column("ended_at", MOMENT, nullable=True),
        sa.Column("end_told_at", MOMENT, nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_problems"),
    )
    op.create_index(
        "uq_problems_open",
        "problems",
        ["kind", "subject"],
        unique=True,
        postgresql_where=sa.text("ended_at IS NULL"),
        sqlite_where=sa.text("ended_at IS NULL"),
    )
    if postgresql:
        for what, comment in COMMENTS.items():
            op.execute(f"COMMENT ON {what} IS '{comment}'")


def downgrade() -> None:
    """Remove them: schedules and told problems are lost."""
    if op.get_bind().dialect.name == "postgresql":
        for what in COMMENTS:
            op.execute(f"COMMENT ON {what} IS NULL")
    op.drop_index("uq_problems_open", table_name="problems")
    op.drop_table("problems")
    op.drop_index("ix_schedules_next_at", table_name="schedules")
    op.drop_table("schedules")
    op.drop_column("runs", "rank")
