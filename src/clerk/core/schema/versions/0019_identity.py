"""What documents are: what their source and people say of them; an unknown kind is NULL"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0019"
down_revision = "0018"

JSON = sa.JSON().with_variant(JSONB(), "postgresql")
FACTS = ("kind", "body", "date", "title")


def upgrade() -> None:
    """Add the columns; every document is identified by the next run, without being read again.

    What a portal said of a document is kept as its word.  Of a file in a folder only the path was
    looked at, and the path is still known.
    """
    for name in ("listed", "corrections"):
        column = sa.Column(name, JSON, server_default=sa.text("'{}'"), nullable=False)
        op.add_column("documents", column)
    op.add_column("documents", sa.Column("identified_of", sa.String()))
    for table in ("documents", "document_parts"):
        _allow_unknown_kind(table)
    op.execute("UPDATE documents SET kind = 'agenda' WHERE kind = 'agendas'")
    build = "jsonb_build_object" if op.get_bind().dialect.name == "postgresql" else "json_object"
    facts = ", ".join(f"'{name}', {name}" for name in FACTS)
    op.execute(
        f"UPDATE documents SET listed = {build}({facts})"
        " WHERE source_url IS NULL OR source_url NOT LIKE 'file:%'"
    )


def _allow_unknown_kind(table: str) -> None:
    if op.get_bind().dialect.name == "postgresql":
        op.alter_column(table, "kind", existing_type=sa.String(), nullable=True)
        return
    # SQLite cannot change a column in place.
    op.add_column(table, sa.Column("new_kind", sa.String()))
    op.execute(f"UPDATE {table} SET new_kind = kind")
    op.execute(f"ALTER TABLE {table} DROP COLUMN kind")
    op.execute(f"ALTER TABLE {table} RENAME COLUMN new_kind TO kind")


def downgrade() -> None:
    """Let the folder say the kind again, and drop the columns."""
    op.execute("DELETE FROM document_parts")
    for table in ("documents", "document_parts"):
        if op.get_bind().dialect.name == "postgresql":
            op.execute(f"UPDATE {table} SET kind = '' WHERE kind IS NULL")
            op.alter_column(table, "kind", existing_type=sa.String(), nullable=False)
        else:
            empty = sa.Column("new_kind", sa.String(), server_default="", nullable=False)
            op.add_column(table, empty)
            op.execute(f"ALTER TABLE {table} DROP COLUMN kind")
            op.execute(f"ALTER TABLE {table} RENAME COLUMN new_kind TO kind")
    op.execute(
        "UPDATE documents SET kind = CASE WHEN name LIKE 'agendas/%' THEN 'agendas'"
        " ELSE 'minutes' END"
    )
    for name in ("identified_of", "corrections", "listed"):
        op.execute(f"ALTER TABLE documents DROP COLUMN {name}")
