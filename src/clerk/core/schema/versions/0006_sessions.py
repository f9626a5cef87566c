"""Sessions of people who log in to the web pages"""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"

MOMENT = sa.DateTime(timezone=True)


def upgrade() -> None:
    """Create the table; ids are never used twice, also on SQLite."""
    sqlite = op.get_bind().dialect.name == "sqlite"
    now = "(strftime('%Y-%m-%d %H:%M:%f', 'now') || '000')" if sqlite else "now()"
    op.create_table(
        "sessions",
        sa.Column(
            "id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=True,
            nullable=False,
        ),
        sa.Column("sha256", sa.String(), nullable=False),
        sa.Column("who", sa.String(), nullable=False),
        sa.Column("role", sa.String(), nullable=False),
        sa.Column("client", sa.String(), nullable=True),
        sa.Column("created_at", MOMENT, server_default=sa.text(now), nullable=False),
        sa.Column("started_at", MOMENT, nullable=True),
        sa.Column("last_seen_at", MOMENT, nullable=True),
        sa.Column("expires_at", MOMENT, nullable=False),
        sa.Column("revoked_at", MOMENT, nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_sessions"),
        sa.UniqueConstraint("sha256", name="uq_sessions_sha256"),
        sqlite_autoincrement=True,
    )


def downgrade() -> None:
    """Drop the table: everybody is logged out."""
    op.drop_table("sessions")
