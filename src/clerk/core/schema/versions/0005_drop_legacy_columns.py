"""Drop the columns of sites that only the system before clerk used"""

import sqlalchemy as sa
from alembic import context, op

revision = "0005"
down_revision = "0004"

#: Newest first, as they were added.
LEGACY = ("last_extracted", "last_deployed", "last_updated", "extraction_status", "status")


def upgrade() -> None:
    """Drop them, unless legacy data is to be kept.

    In place: on SQLite a rebuilt table would take the rows that refer to it along.
    """
    if context.config.attributes.get("keep_legacy"):
        return
    present = {column["name"] for column in sa.inspect(op.get_bind()).get_columns("sites")}
    for name in LEGACY:
        if name in present:
            op.execute(f"ALTER TABLE sites DROP COLUMN {name}")


def downgrade() -> None:
    """Add them again, empty, where they were dropped."""
    present = {column["name"] for column in sa.inspect(op.get_bind()).get_columns("sites")}
    for name in reversed(LEGACY):
        if name not in present:
            default = "pending" if name == "extraction_status" else None
            op.add_column("sites", sa.Column(name, sa.String(), server_default=default))
