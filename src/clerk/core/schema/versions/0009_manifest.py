"""The manifest: what is known of every document, and who may ask which host when"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0009"
down_revision = "0008"

ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
JSON = sa.JSON().with_variant(JSONB(), "postgresql")
MOMENT = sa.DateTime(timezone=True)

TABLES = (
    "hosts",
    "installation",
    "site_files",
    "source_meetings",
    "document_changes",
    "document_parts",
    "document_versions",
    "documents",
)


def _now() -> sa.TextClause:
    if op.get_bind().dialect.name == "sqlite":
        return sa.text("(strftime('%Y-%m-%d %H:%M:%f', 'now') || '000')")
    return sa.text("now()")


def upgrade() -> None:
    """Create the tables; the documents of an older installation are taken in by a scan."""
    op.create_table(
        "documents",
        sa.Column("id", ID, autoincrement=True, nullable=False),
        sa.Column("subdomain", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("identity", sa.String(), nullable=True),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("body", sa.String(), nullable=True),
        sa.Column("date", sa.Date(), nullable=True),
        sa.Column("title", sa.String(), nullable=True),
        sa.Column("file_name", sa.String(), nullable=True),
        sa.Column("sequence", sa.Integer(), server_default=sa.text("1"), nullable=False),
        sa.Column("evidence", JSON, server_default=sa.text("'{}'"), nullable=False),
        sa.Column("source_url", sa.String(), nullable=True),
        sa.Column("pdf_sha256", sa.String(), nullable=True),
        sa.Column("bytes", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("text_sha256", sa.String(), nullable=True),
        sa.Column("text_of", sa.String(), nullable=True),
        sa.Column("reader", sa.String(), nullable=True),
        sa.Column("pages", sa.Integer(), nullable=True),
        sa.Column("failed_pages", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("findings_sha256", sa.String(), nullable=True),
        sa.Column("findings_of", sa.String(), nullable=True),
        sa.Column("etag", sa.String(), nullable=True),
        sa.Column("last_modified", sa.String(), nullable=True),
        sa.Column("version_hint", sa.String(), nullable=True),
        sa.Column("source_bytes", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("source_mtime_ns", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("first_seen_at", MOMENT, server_default=_now(), nullable=False),
        sa.Column("last_seen_at", MOMENT, server_default=_now(), nullable=False),
        sa.Column("fetched_at", MOMENT, nullable=True),
        sa.Column("gone_at", MOMENT, nullable=True),
        sa.ForeignKeyConstraint(
            ["subdomain"],
            ["sites.subdomain"],
            name="fk_documents_subdomain",
            onupdate="CASCADE",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name="pk_documents"),
        sa.UniqueConstraint("subdomain", "identity", name="uq_documents_subdomain_identity"),
        sa.UniqueConstraint("subdomain", "name", name="uq_documents_subdomain_name"),
    )
    op.create_table(
        "document_versions",
        sa.Column("document_id", ID, autoincrement=False, nullable=False),
        sa.Column("pdf_sha256", sa.String(), nullable=False),
        sa.Column("bytes", sa.BigInteger(), nullable=False),
        sa.Column("fetched_at", MOMENT, server_default=_now(), nullable=False),
        sa.ForeignKeyConstraint(
            ["document_id"],
            ["documents.id"],
            name="fk_document_versions_document_id",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("document_id", "pdf_sha256", name="pk_document_versions"),
    )
    op.create_index(
        "ix_document_versions_pdf_sha256", "document_versions", ["pdf_sha256"], unique=False
    )
    op.create_table(
        "document_parts",
        sa.Column("document_id", ID, autoincrement=False, nullable=False),
        sa.Column("first_page", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("last_page", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("body", sa.String(), nullable=True),
        sa.Column("date", sa.Date(), nullable=True),
        sa.Column("title", sa.String(), nullable=True),
        sa.Column("of_other_place", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("evidence", JSON, server_default=sa.text("'{}'"), nullable=False),
        sa.ForeignKeyConstraint(
            ["document_id"],
            ["documents.id"],
            name="fk_document_parts_document_id",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("document_id", "first_page", name="pk_document_parts"),
    )
    op.create_table(
        "document_changes",
        sa.Column("number", ID, autoincrement=True, nullable=False),
        sa.Column("at", MOMENT, server_default=_now(), nullable=False),
        sa.Column("subdomain", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("change", sa.String(), nullable=False),
        sa.Column("text_sha256", sa.String(), nullable=True),
        sa.PrimaryKeyConstraint("number", name="pk_document_changes"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_document_changes_at", "document_changes", ["at"], unique=False)
    op.create_index(
        "ix_document_changes_subdomain", "document_changes", ["subdomain", "number"], unique=False
    )
    op.create_table(
        "source_meetings",
        sa.Column("subdomain", sa.String(), nullable=False),
        sa.Column("identity", sa.String(), nullable=False),
        sa.Column("body", sa.String(), nullable=False),
        sa.Column("title", sa.String(), nullable=False),
        sa.Column("start_local", sa.String(), nullable=False),
        sa.Column("timezone", sa.String(), nullable=False),
        sa.Column("status", sa.String(), nullable=False),
        sa.Column("source_url", sa.String(), nullable=False),
        sa.Column("gap", sa.String(), server_default="", nullable=False),
        sa.ForeignKeyConstraint(
            ["subdomain"],
            ["sites.subdomain"],
            name="fk_source_meetings_subdomain",
            onupdate="CASCADE",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("subdomain", "identity", name="pk_source_meetings"),
    )
    op.create_table(
        "site_files",
        sa.Column("subdomain", sa.String(), nullable=False),
        sa.Column("listed_at", MOMENT, nullable=True),
        sa.Column("scanned_at", MOMENT, nullable=True),
        sa.Column("database_sha256", sa.String(), nullable=True),
        sa.Column("database_digest", sa.String(), nullable=True),
        sa.ForeignKeyConstraint(
            ["subdomain"],
            ["sites.subdomain"],
            name="fk_site_files_subdomain",
            onupdate="CASCADE",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("subdomain", name="pk_site_files"),
    )
    op.create_table(
        "installation",
        sa.Column("single", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("created_at", MOMENT, server_default=_now(), nullable=False),
        sa.Column("storage_marked_at", MOMENT, nullable=True),
        sa.PrimaryKeyConstraint("single", name="pk_installation"),
    )
    op.create_table(
        "hosts",
        sa.Column("host", sa.String(), nullable=False),
        sa.Column("next_at", MOMENT, server_default=_now(), nullable=False),
        sa.Column("failures", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("closed_until", MOMENT, nullable=True),
        sa.Column("robots", sa.Text(), nullable=True),
        sa.Column("robots_at", MOMENT, nullable=True),
        sa.PrimaryKeyConstraint("host", name="pk_hosts"),
    )


def downgrade() -> None:
    """Drop the tables: files on disk stay, and a later upgrade takes them in again."""
    for name in TABLES:
        op.drop_table(name)
