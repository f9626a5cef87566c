"""Say of a part of a packet that nobody knows whose it is"""

import sqlalchemy as sa
from alembic import op

revision = "0029"
down_revision = "0028"

TABLE, COLUMN = "document_parts", "of_other_place"


def upgrade() -> None:
    """Let it be NULL; the next run says where that is so."""
    _allow_null(nullable=True)


def downgrade() -> None:
    """Call such parts those of another place, as before."""
    op.execute(
        sa.text("UPDATE document_parts SET of_other_place = true WHERE of_other_place IS NULL")
    )
    _allow_null(nullable=False)


def _allow_null(*, nullable: bool) -> None:
    with op.batch_alter_table(TABLE) as batch:
        batch.alter_column(
            COLUMN,
            existing_type=sa.Boolean(),
            existing_server_default=sa.false(),
            nullable=nullable,
        )
