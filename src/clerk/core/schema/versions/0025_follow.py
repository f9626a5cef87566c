"""Followers, what they follow, and what they are told"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

from clerk.core.models import UtcDateTime, db_now

revision = "0025"
down_revision = "0024"

ID = sa.BigInteger().with_variant(sa.Integer, "sqlite")
JSON = sa.JSON().with_variant(JSONB(), "postgresql")
ITEM_STATES = ("pending", "running", "completed", "failed", "quarantined", "cancelled")


def one_of(table: str, column: str, *words: str) -> sa.CheckConstraint:
    """Return the constraint that a column has one of these words."""
    listed = ", ".join(f"'{word}'" for word in words)
    return sa.CheckConstraint(f"{column} IN ({listed})", name=op.f(f"ck_{table}_{column}"))


def of(table: str, column: str, other: str, *, nullable: bool = False) -> sa.Column[object]:
    """Return a column that leads to another table, with which its row is deleted."""
    name = op.f(f"fk_{table}_{column}")
    key = sa.ForeignKey(f"{other}.id", ondelete="CASCADE", name=name)
    return sa.Column(column, ID, key, nullable=nullable)


def now() -> sa.Column[object]:
    """Return the column of when a row was made."""
    return sa.Column("created_at", UtcDateTime, nullable=False, server_default=db_now())


def upgrade() -> None:
    """Create the tables."""
    op.add_column("documents", sa.Column("followed_of", sa.String()))
    op.add_column(
        "source_meetings",
        sa.Column("sequence", sa.Integer(), nullable=False, server_default=sa.text("0")),
    )
    op.add_column("source_meetings", sa.Column("changed_at", UtcDateTime))
    op.create_table(
        "followers",
        sa.Column("id", ID, primary_key=True, autoincrement=True),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("address", sa.String(), nullable=False),
        sa.Column("state", sa.String(), nullable=False, server_default="active"),
        sa.Column("reason", sa.Text(), nullable=False, server_default=""),
        sa.Column("secret", sa.String(), nullable=False),
        sa.Column("refusals", sa.Integer(), nullable=False, server_default=sa.text("0")),
        sa.Column("invited_at", UtcDateTime),
        now(),
        sa.Column("created_by", sa.String(), nullable=False, server_default=""),
        sa.Column("last_sent_at", UtcDateTime),
        one_of("followers", "kind", "mail", "webhook"),
        one_of("followers", "state", "active", "disabled"),
        sa.UniqueConstraint("kind", "address", name="uq_followers_kind_address"),
    )
    op.create_table(
        "subscriptions",
        sa.Column("id", ID, primary_key=True, autoincrement=True),
        of("subscriptions", "follower_id", "followers"),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("asked", JSON, nullable=False),
        sa.Column("digest", sa.String(), nullable=False),
        sa.Column("label", sa.String(), nullable=False),
        sa.Column("cadence", sa.String(), nullable=False),
        sa.Column("state", sa.String(), nullable=False, server_default="unconfirmed"),
        sa.Column("confirm_hash", sa.String()),
        sa.Column("confirm_until", UtcDateTime),
        now(),
        sa.Column("confirmed_at", UtcDateTime),
        one_of("subscriptions", "kind", "search", "place", "body", "person", "matter"),
        one_of("subscriptions", "cadence", "immediate", "daily", "weekly"),
        one_of("subscriptions", "state", "unconfirmed", "active", "paused"),
        sa.UniqueConstraint("follower_id", "digest", name="uq_subscriptions_follower_id_digest"),
    )
    for name in ("state", "created_at", "confirm_hash"):
        op.create_index(f"ix_subscriptions_{name}", "subscriptions", [name])
    op.create_table(
        "follow_deliveries",
        sa.Column("id", ID, primary_key=True, autoincrement=True),
        sa.Column("key", sa.String(), nullable=False),
        of("follow_deliveries", "follower_id", "followers"),
        sa.Column("what", sa.String(), nullable=False),
        sa.Column("slot", sa.String()),
        sa.Column("payload", JSON, nullable=False, server_default=sa.text("'{}'")),
        sa.Column("state", sa.String(), nullable=False, server_default="pending"),
        sa.Column("attempt", sa.Integer(), nullable=False, server_default=sa.text("0")),
        sa.Column("deadline", UtcDateTime),
        sa.Column("available_at", UtcDateTime, nullable=False, server_default=db_now()),
        sa.Column("error", sa.Text()),
        now(),
        sa.Column("sent_at", UtcDateTime),
        one_of("follow_deliveries", "state", *ITEM_STATES),
        sa.UniqueConstraint("key", name="uq_follow_deliveries_key"),
        sa.UniqueConstraint("follower_id", "slot", name="uq_follow_deliveries_follower_id_slot"),
    )
    op.create_index("ix_follow_deliveries_state", "follow_deliveries", ["state", "available_at"])
    op.create_table(
        "follow_hits",
        sa.Column("id", ID, primary_key=True, autoincrement=True),
        of("follow_hits", "subscription_id", "subscriptions"),
        sa.Column("document", sa.String(), nullable=False),
        sa.Column("text_sha256", sa.String(), nullable=False),
        sa.Column("shown", JSON, nullable=False),
        sa.Column("found_at", UtcDateTime, nullable=False, server_default=db_now()),
        of("follow_hits", "delivery_id", "follow_deliveries", nullable=True),
        sa.UniqueConstraint(
            "subscription_id",
            "document",
            "text_sha256",
            name="uq_follow_hits_subscription_id_document_text_sha256",
        ),
    )
    op.create_index("ix_follow_hits_delivery_id", "follow_hits", ["delivery_id"])
    op.create_table(
        "follow_state",
        sa.Column("single", sa.Integer(), primary_key=True, autoincrement=False),
        sa.Column("number", ID, nullable=False),
        sa.Column("signing_key", sa.String(), nullable=False),
    )
    op.create_table(
        "follow_waiting",
        sa.Column("subdomain", sa.String(), primary_key=True),
        sa.Column("name", sa.String(), primary_key=True),
        sa.Column("number", ID, nullable=False),
    )


def downgrade() -> None:
    """Forget who follows what."""
    for table in (
        "follow_waiting",
        "follow_state",
        "follow_hits",
        "follow_deliveries",
        "subscriptions",
        "followers",
    ):
        op.drop_table(table)
    # Not in a batch, which on SQLite would make the tables again although others refer to them.
    op.execute("ALTER TABLE source_meetings DROP COLUMN changed_at")
    op.execute("ALTER TABLE source_meetings DROP COLUMN sequence")
    op.execute("ALTER TABLE documents DROP COLUMN followed_of")
