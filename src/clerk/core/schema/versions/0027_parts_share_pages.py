"""Let two parts of a document begin on one page"""

import sqlalchemy as sa
from alembic import op

revision = "0027"
down_revision = "0026"

TABLE, KEY = "document_parts", "pk_document_parts"


def upgrade() -> None:
    """Add where a part begins on its page to the key; the next run says where that is."""
    column = sa.Column("first_character", sa.Integer(), nullable=False, server_default=sa.text("0"))
    op.add_column(TABLE, column)
    _replace_key("document_id", "first_page", "first_character")


def downgrade() -> None:
    """Keep the first part that begins on a page."""
    op.execute(
        """DELETE FROM document_parts WHERE EXISTS (
               SELECT 1 FROM document_parts AS other
               WHERE other.document_id = document_parts.document_id
                 AND other.first_page = document_parts.first_page
                 AND other.first_character < document_parts.first_character)"""
    )
    _replace_key("document_id", "first_page")
    op.execute("ALTER TABLE document_parts DROP COLUMN first_character")


def _replace_key(*columns: str) -> None:
    # SQLite makes the table again for that: no other table refers to it.
    with op.batch_alter_table(TABLE) as batch:
        batch.drop_constraint(KEY, type_="primary")
        batch.create_primary_key(KEY, list(columns))
