"""Keep former texts and orphans of annotations, reported errors, and changes that can be undone"""

from typing import Any

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0011"
down_revision = "0010"

ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
JSON = sa.JSON().with_variant(JSONB, "postgresql")
MOMENT = sa.DateTime(timezone=True)
CLEARED = tuple(
    f"cleared_{name}" for name in ("documents", "denotations", "blocks", "relations", "attributes")
)


def upgrade() -> None:
    """Add columns and tables; former sets are retired when the next one was stored."""
    now = sa.text(_now())
    column: sa.Column[Any]
    for column in (
        sa.Column("owner", sa.String()),
        sa.Column("is_public", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("deleted_at", MOMENT),
    ):
        op.add_column("annotation_projects", column)
    # What was extracted from public documents is public.
    op.execute("UPDATE annotation_projects SET is_public = TRUE WHERE name LIKE '%/extraction'")
    op.add_column("annotation_documents", sa.Column("deleted_at", MOMENT))
    for column in (
        sa.Column("retired_at", MOMENT),
        sa.Column("text_id", ID),
        _number("orphaned"),
        sa.Column("orphans", sa.Text()),
    ):
        op.add_column("annotation_sets", column)
    op.execute(
        f"UPDATE annotation_sets SET retired_at = {_now()} WHERE NOT is_current AND id NOT IN"
        " (SELECT former_id FROM annotation_sets WHERE former_id IS NOT NULL)"
    )
    op.execute(
        "UPDATE annotation_sets SET retired_at = (SELECT max(later.stored_at)"
        " FROM annotation_sets later WHERE later.document_id = annotation_sets.document_id"
        " AND later.former_id = annotation_sets.id) WHERE NOT is_current AND retired_at IS NULL"
    )
    for name in ("refused", *CLEARED):
        op.add_column("annotation_uploads", _number(name))
    op.create_table(
        "annotation_texts",
        sa.Column("id", ID, autoincrement=True, nullable=False),
        sa.Column("document_id", ID, nullable=False),
        sa.Column("digest", sa.String(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("replaced_at", MOMENT, server_default=now, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_annotation_texts"),
    )
    op.create_index("ix_annotation_texts_document_id", "annotation_texts", ["document_id"])
    op.create_table(
        "annotation_changes",
        sa.Column("id", ID, autoincrement=True, nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("project_id", ID),
        sa.Column("document_id", ID),
        sa.Column("former", JSON, server_default=sa.text("'{}'"), nullable=False),
        sa.Column("subject", sa.String(), nullable=False),
        sa.Column("who", sa.String(), nullable=False),
        sa.Column("at", MOMENT, server_default=now, nullable=False),
        sa.Column("undone_at", MOMENT),
        sa.PrimaryKeyConstraint("id", name="pk_annotation_changes"),
    )
    op.create_table(
        "annotation_reports",
        sa.Column("id", ID, autoincrement=True, nullable=False),
        sa.Column("subdomain", sa.String(), nullable=False),
        sa.Column("sourceid", sa.String(), nullable=False),
        sa.Column("span_begin", sa.Integer(), nullable=False),
        sa.Column("span_end", sa.Integer(), nullable=False),
        sa.Column("quote", sa.Text(), nullable=False),
        sa.Column("label", sa.String(), nullable=False),
        sa.Column("fields", JSON, server_default=sa.text("'{}'"), nullable=False),
        sa.Column("comment", sa.Text(), server_default="", nullable=False),
        sa.Column("reported_by", sa.String(), server_default="", nullable=False),
        sa.Column("reported_at", MOMENT, server_default=now, nullable=False),
        sa.Column("state", sa.String(), server_default="open", nullable=False),
        sa.Column("decided_by", sa.String()),
        sa.Column("decided_at", MOMENT),
        sa.PrimaryKeyConstraint("id", name="pk_annotation_reports"),
    )
    op.create_index("ix_annotation_reports_state", "annotation_reports", ["state", "subdomain"])


def downgrade() -> None:
    """Drop them; orphans, former texts and reported errors are lost."""
    op.drop_table("annotation_reports")
    op.drop_table("annotation_changes")
    op.drop_table("annotation_texts")
    for table, names in (
        ("annotation_uploads", ("refused", *CLEARED)),
        ("annotation_sets", ("retired_at", "text_id", "orphaned", "orphans")),
        ("annotation_documents", ("deleted_at",)),
        ("annotation_projects", ("owner", "is_public", "deleted_at")),
    ):
        for name in names:
            op.execute(f"ALTER TABLE {table} DROP COLUMN {name}")


def _number(name: str) -> sa.Column[int]:
    return sa.Column(name, sa.BigInteger(), server_default=sa.text("0"), nullable=False)


def _now() -> str:
    sqlite = op.get_bind().dialect.name == "sqlite"
    return "(strftime('%Y-%m-%d %H:%M:%f', 'now') || '000')" if sqlite else "now()"
