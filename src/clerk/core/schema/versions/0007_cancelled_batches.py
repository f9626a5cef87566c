"""Let batches be cancelled, and count them in the history"""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"

TABLE = "batch_job_trackings"
BEFORE = "status IN ('pending', 'running', 'completed', 'failed', 'crashed', 'split')"
AFTER = BEFORE.replace("'split'", "'split', 'cancelled'")


def upgrade() -> None:
    """Allow the status, and add its column to the history."""
    _change_check(BEFORE, AFTER)
    op.add_column(
        "batch_history",
        sa.Column("cancelled", sa.Integer(), server_default=sa.text("0"), nullable=False),
    )


def downgrade() -> None:
    """Show cancelled batches as failed again."""
    op.execute(f"UPDATE {TABLE} SET status = 'failed' WHERE status = 'cancelled'")
    _change_check(AFTER, BEFORE)
    op.execute("UPDATE batch_history SET failed = failed + cancelled WHERE cancelled > 0")
    op.execute("ALTER TABLE batch_history DROP COLUMN cancelled")


def _change_check(before: str, after: str) -> None:
    if op.get_bind().dialect.name == "sqlite":
        _make_again(before, after)
        return
    op.drop_constraint(f"ck_{TABLE}_status", TABLE)
    op.create_check_constraint(f"ck_{TABLE}_status", TABLE, after)


def _make_again(before: str, after: str) -> None:
    """Make the table again with another condition: SQLite cannot change one in place.

    Dropping it deletes row by row and looks for rows that refer to each, hence the index.
    """
    conn = op.get_bind()
    made = conn.execute(
        sa.text("SELECT type, sql FROM sqlite_master WHERE tbl_name = :name AND sql IS NOT NULL"),
        {"name": TABLE},
    ).fetchall()
    (table,) = (row.sql for row in made if row.type == "table")
    if before not in table:
        raise RuntimeError(f"{TABLE} has another condition on its status than {before}")
    conn.exec_driver_sql(f"CREATE INDEX ix_{TABLE}_parts ON {TABLE} (parent_batch_id)")
    conn.exec_driver_sql(f"CREATE TEMPORARY TABLE kept AS SELECT * FROM {TABLE}")
    conn.exec_driver_sql(f"DROP TABLE {TABLE}")
    conn.exec_driver_sql(table.replace(before, after))
    conn.exec_driver_sql(f"INSERT INTO {TABLE} SELECT * FROM kept ORDER BY id")
    conn.exec_driver_sql("DROP TABLE kept")
    for row in made:
        if row.type != "table":
            conn.exec_driver_sql(row.sql)
