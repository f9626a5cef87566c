"""Keep uploads in the ledger of items, and pages and kinds of errors in columns"""

import json
import re
from collections.abc import Callable

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0008"
down_revision = "0007"

ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
JSON = sa.JSON(none_as_null=True).with_variant(JSONB(none_as_null=True), "postgresql")
MOMENT = sa.DateTime(timezone=True)

BATCHES = "batch_job_trackings"
#: The state of an item, by the status of the batch that an upload had in its place.
STATES = {
    "pending": "pending",
    "running": "running",
    "completed": "completed",
    "failed": "failed",
    "crashed": "quarantined",
    "cancelled": "cancelled",
}
#: What older versions wrote at the beginning of an error, and of pages that killed their process.
ERROR_CLASS = re.compile(r"([A-Z]\w*)(?=: )")
PAGE = re.compile(r"page (?P<page>\d+) of \d+: (?P<why>.*?)(?=; page \d+ of \d+: |$)", re.DOTALL)


def upgrade() -> None:
    """Add the columns, and make items of the batches of uploads."""
    op.add_column("jobs", sa.Column("suspended_at", MOMENT))
    op.create_index("ix_jobs_subdomain", "jobs", ["subdomain"])
    if op.get_bind().dialect.name == "sqlite":
        _make_again("items", lambda sql: sql.replace("run_id VARCHAR NOT NULL", "run_id VARCHAR"))
    else:
        op.alter_column("items", "run_id", existing_type=sa.String(), nullable=True)
    op.add_column("items", sa.Column("worker_id", sa.String()))
    op.add_column("items", sa.Column("error_kind", sa.String()))
    op.add_column("items", sa.Column("blamed_pages", JSON))
    op.add_column("items", sa.Column("payload", JSON))
    op.add_column("items", sa.Column("parent_item_id", ID))
    op.add_column("quarantine", sa.Column("error_kind", sa.String()))
    op.add_column(BATCHES, sa.Column("item_id", ID))
    op.create_index("ix_batch_job_trackings_item", BATCHES, ["item_id"])
    op.execute(
        "UPDATE items SET worker_id = (SELECT b.worker_id FROM batch_job_trackings b"
        " WHERE b.claim = items.claim) WHERE state = 'running'"
    )
    _move_uploads()
    _fill_kinds()
    for name in ("payload", "bytes", "errors", "crashes", "available_at"):
        op.execute(f"ALTER TABLE {BATCHES} DROP COLUMN {name}")
    for name in ("is_split", "split_claim", "split_worker_id", "split_attempt"):
        op.execute(f"ALTER TABLE annotation_uploads DROP COLUMN {name}")


def _move_uploads() -> None:
    """Make an item of every batch of an upload, and of every file that is not wholly split."""
    conn = op.get_bind()
    states = " ".join(f"WHEN '{status}' THEN '{state}'" for status, state in STATES.items())
    # Until the batches know their items, parent_item_id holds the batch an item was made of.
    conn.execute(
        sa.text(
            "INSERT INTO items (job_id, step, documents, state, attempt, errors, crashes, claim,"
            " worker_id, available_at, bytes, error, payload, parent_item_id, created_at,"
            " finished_at)"
            f" SELECT b.parent_job_id, 'store', b.item_count, CASE b.status {states} END,"
            " b.attempt, b.errors, b.crashes, b.claim, b.worker_id, b.available_at, b.bytes,"
            " b.error_message, CASE WHEN b.status <> 'completed' THEN b.payload END, b.id,"
            " b.created_at, b.completed_at"
            " FROM batch_job_trackings b JOIN jobs j ON j.id = b.parent_job_id"
            " WHERE j.kind = 'upload' AND b.status <> 'split'"
            " AND (b.payload IS NOT NULL OR b.status = 'completed')"
            " ORDER BY b.id"
        )
    )
    made = conn.execute(
        sa.text("SELECT parent_item_id AS batch, id AS item FROM items WHERE step = 'store'")
    )
    pairs = [dict(row._mapping) for row in made]
    if pairs:
        link = f"UPDATE {BATCHES} SET item_id = :item WHERE id = :batch"
        conn.execute(sa.text(link), pairs)
    conn.execute(
        sa.text(
            "UPDATE items SET parent_item_id = (SELECT former.item_id FROM batch_job_trackings b"
            " JOIN batch_job_trackings former ON former.id = b.parent_batch_id"
            " WHERE b.item_id = items.id) WHERE step = 'store'"
        )
    )
    conn.execute(
        sa.text(
            "INSERT INTO items (job_id, step, documents, state, attempt, available_at)"
            f" SELECT job_id, 'split', 0, 'pending', split_attempt, {_now()}"
            " FROM annotation_uploads WHERE NOT is_split AND state IN ('open', 'suspended')"
            " ORDER BY job_id"
        )
    )
    conn.execute(
        sa.text(
            f"UPDATE jobs SET suspended_at = {_now()} WHERE id IN"
            " (SELECT job_id FROM annotation_uploads WHERE state = 'suspended')"
        )
    )


def _fill_kinds() -> None:
    """Read the kinds of errors, and the pages that killed a process, from what was said of them."""
    conn = op.get_bind()
    for table, column in (("items", "error"), ("quarantine", "reason")):
        chosen = f"SELECT id, {column} AS said FROM {table} WHERE {column} IS NOT NULL"
        rows = conn.execute(sa.text(chosen)).fetchall()
        kinds = [
            {"id": row.id, "kind": named[1]}
            for row in rows
            if (named := ERROR_CLASS.match(row.said))
        ]
        if kinds:
            conn.execute(sa.text(f"UPDATE {table} SET error_kind = :kind WHERE id = :id"), kinds)
        pages = [
            {
                "id": row.id,
                "pages": json.dumps({f["page"]: f["why"] for f in PAGE.finditer(row.said)}),
            }
            for row in rows
            if table == "items" and PAGE.match(row.said)
        ]
        if pages:
            value = "CAST(:pages AS JSONB)" if conn.dialect.name == "postgresql" else ":pages"
            fill = f"UPDATE items SET blamed_pages = {value} WHERE id = :id"
            conn.execute(sa.text(fill), pages)


def downgrade() -> None:
    """Show what items hold of uploads in their batches again."""
    conn = op.get_bind()
    _add_columns_again()
    conn.execute(
        sa.text(
            f"UPDATE {BATCHES} SET"
            + ", ".join(
                f" {name} = coalesce((SELECT i.{name} FROM items i"
                f" WHERE i.id = {BATCHES}.item_id), {name})"
                for name in ("payload", "bytes", "errors", "crashes", "available_at")
            )
            + " WHERE item_id IS NOT NULL"
        )
    )
    # A crash that cost nothing was not kept: the batch that went on has the documents.
    conn.execute(
        sa.text(
            f"UPDATE {BATCHES} SET status = 'split' WHERE status = 'crashed' AND item_id IN"
            " (SELECT id FROM items WHERE step = 'store' AND state <> 'quarantined')"
        )
    )
    conn.execute(
        sa.text(
            "UPDATE annotation_uploads SET is_split = NOT EXISTS (SELECT 1 FROM items i"
            " WHERE i.job_id = annotation_uploads.job_id AND i.step = 'split'"
            " AND i.state IN ('pending', 'running'))"
        )
    )
    conn.execute(sa.text("DELETE FROM items WHERE run_id IS NULL"))
    op.drop_index("ix_batch_job_trackings_item", BATCHES)
    op.drop_index("ix_jobs_subdomain", "jobs")
    for table, name in (
        (BATCHES, "item_id"),
        ("jobs", "suspended_at"),
        ("quarantine", "error_kind"),
        *(
            ("items", name)
            for name in ("worker_id", "error_kind", "blamed_pages", "payload", "parent_item_id")
        ),
    ):
        op.execute(f"ALTER TABLE {table} DROP COLUMN {name}")
    if conn.dialect.name == "sqlite":
        _make_again("items", lambda sql: sql.replace("run_id VARCHAR", "run_id VARCHAR NOT NULL"))
    else:
        op.alter_column("items", "run_id", existing_type=sa.String(), nullable=False)


def _add_columns_again() -> None:
    zero = sa.text("0")
    op.add_column(BATCHES, sa.Column("payload", JSON))
    op.add_column(BATCHES, sa.Column("bytes", sa.BigInteger(), server_default=zero, nullable=False))
    for name in ("errors", "crashes"):
        op.add_column(BATCHES, sa.Column(name, sa.Integer(), server_default=zero, nullable=False))
    uploads = "annotation_uploads"
    op.add_column(
        uploads, sa.Column("is_split", sa.Boolean(), server_default=sa.false(), nullable=False)
    )
    op.add_column(uploads, sa.Column("split_claim", sa.String()))
    op.add_column(uploads, sa.Column("split_worker_id", sa.String()))
    op.add_column(
        uploads, sa.Column("split_attempt", sa.Integer(), server_default=zero, nullable=False)
    )
    if op.get_bind().dialect.name == "postgresql":
        now = sa.text("now()")
        op.add_column(
            BATCHES, sa.Column("available_at", MOMENT, server_default=now, nullable=False)
        )
        return
    # SQLite adds no column whose default is an expression.
    column = f"available_at DATETIME DEFAULT {_now()} NOT NULL"
    _make_again(BATCHES, lambda sql: sql.replace("CONSTRAINT", f"{column}, \n\tCONSTRAINT", 1))


def _now() -> str:
    if op.get_bind().dialect.name == "sqlite":
        return "(strftime('%Y-%m-%d %H:%M:%f', 'now') || '000')"
    return "now()"


def _make_again(table: str, changed: Callable[[str], str]) -> None:
    """Make a table again from another definition: SQLite cannot change a column in place.

    Dropping it deletes row by row and looks for rows that refer to each, hence the index.
    """
    conn = op.get_bind()
    made = conn.execute(
        sa.text("SELECT type, sql FROM sqlite_master WHERE tbl_name = :name AND sql IS NOT NULL"),
        {"name": table},
    ).fetchall()
    (definition,) = (row.sql for row in made if row.type == "table")
    if changed(definition) == definition:
        raise RuntimeError(f"{table} has another definition than this revision expects")
    names = ", ".join(row[1] for row in conn.exec_driver_sql(f"PRAGMA table_info({table})"))
    if table == BATCHES:
        conn.exec_driver_sql(f"CREATE INDEX ix_{table}_parts ON {table} (parent_batch_id)")
    conn.exec_driver_sql(f"CREATE TEMPORARY TABLE kept AS SELECT * FROM {table}")
    conn.exec_driver_sql(f"DROP TABLE {table}")
    conn.exec_driver_sql(changed(definition))
    conn.exec_driver_sql(f"INSERT INTO {table} ({names}) SELECT {names} FROM kept ORDER BY id")
    conn.exec_driver_sql("DROP TABLE kept")
    for row in made:
        if row.type != "table":
            conn.exec_driver_sql(row.sql)
