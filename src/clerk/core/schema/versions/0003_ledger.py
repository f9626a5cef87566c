"""Clerk's own tables: runs, jobs, items, batches and what stands beside them"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0003"
down_revision = "0002"

ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
JSON = sa.JSON().with_variant(JSONB(), "postgresql")
MOMENT = sa.DateTime(timezone=True)


def _now() -> sa.TextClause:
    if op.get_bind().dialect.name == "sqlite":
        return sa.text("(strftime('%Y-%m-%d %H:%M:%f', 'now') || '000')")
    return sa.text("now()")


def upgrade() -> None:
    """Create the tables."""
    op.create_table(
        "annotation_documents",
        sa.Column("id", ID, autoincrement=True, nullable=False),
        sa.Column("sourcedb", sa.String(), nullable=False),
        sa.Column("sourceid", sa.String(), nullable=False),
        sa.Column("digest", sa.String(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("job_id", ID, nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_annotation_documents"),
        sa.UniqueConstraint(
            "sourcedb", "sourceid", name="uq_annotation_documents_sourcedb_sourceid"
        ),
    )
    op.create_table(
        "annotation_projects",
        sa.Column("id", ID, autoincrement=True, nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("documents", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("denotations", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("blocks", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("relations", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("attributes", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("created_at", MOMENT, server_default=_now(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_annotation_projects"),
        sa.UniqueConstraint("name", name="uq_annotation_projects_name"),
    )
    op.create_table(
        "attributes",
        sa.Column("set_id", ID, autoincrement=False, nullable=False),
        sa.Column("position", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("subj", sa.String(), nullable=False),
        sa.Column("pred", sa.Text(), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("set_id", "position", name="pk_attributes"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "audit",
        sa.Column("id", ID, autoincrement=True, nullable=False),
        sa.Column("at", MOMENT, server_default=_now(), nullable=False),
        sa.Column("who", sa.String(), nullable=False),
        sa.Column("action", sa.String(), nullable=False),
        sa.Column("subject", sa.String(), nullable=True),
        sa.Column("detail", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_audit"),
    )
    op.create_index("ix_audit_at", "audit", ["at"], unique=False)
    op.create_table(
        "batch_failures",
        sa.Column("stage", sa.String(), nullable=False),
        sa.Column("sourcedb", sa.String(), nullable=False),
        sa.Column("sourceid", sa.String(), nullable=False),
        sa.Column("failed", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("crashed", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("alone", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("last_at", MOMENT, nullable=False),
        sa.Column("error", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("stage", "sourcedb", "sourceid", name="pk_batch_failures"),
    )
    op.create_table(
        "batch_history",
        sa.Column("hour", MOMENT, nullable=False),
        sa.Column("stage", sa.String(), nullable=False),
        sa.Column("completed", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("failed", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("crashed", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("split", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("seconds", sa.Float(), server_default=sa.text("0"), nullable=False),
        sa.Column("longest_seconds", sa.Float(), server_default=sa.text("0"), nullable=False),
        sa.Column("durations", JSON, server_default=sa.text("'{}'"), nullable=False),
        sa.PrimaryKeyConstraint("hour", "stage", name="pk_batch_history"),
    )
    op.create_table(
        "blocks",
        sa.Column("set_id", ID, autoincrement=False, nullable=False),
        sa.Column("position", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("span_begin", sa.Integer(), nullable=False),
        sa.Column("span_end", sa.Integer(), nullable=False),
        sa.Column("pieces", sa.Text(), nullable=True),
        sa.Column("obj", sa.Text(), nullable=False),
        sa.Column("value", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("set_id", "position", name="pk_blocks"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "denotations",
        sa.Column("set_id", ID, autoincrement=False, nullable=False),
        sa.Column("position", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("span_begin", sa.Integer(), nullable=False),
        sa.Column("span_end", sa.Integer(), nullable=False),
        sa.Column("pieces", sa.Text(), nullable=True),
        sa.Column("obj", sa.Text(), nullable=False),
        sa.Column("value", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("set_id", "position", name="pk_denotations"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "queues",
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("paused_by", sa.String(), nullable=True),
        sa.Column("paused_at", MOMENT, nullable=True),
        sa.PrimaryKeyConstraint("name", name="pk_queues"),
    )
    op.create_table(
        "relations",
        sa.Column("set_id", ID, autoincrement=False, nullable=False),
        sa.Column("position", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("subj", sa.String(), nullable=False),
        sa.Column("pred", sa.Text(), nullable=False),
        sa.Column("obj", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("set_id", "position", name="pk_relations"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "stage_events",
        sa.Column("id", ID, autoincrement=True, nullable=False),
        sa.Column("at", MOMENT, server_default=_now(), nullable=False),
        sa.Column("event", sa.String(), nullable=False),
        sa.Column("subdomain", sa.String(), nullable=True),
        sa.Column("run_id", sa.String(), nullable=True),
        sa.Column("stage", sa.String(), nullable=True),
        sa.Column("completed", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("failed", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("seconds", sa.Float(), nullable=True),
        sa.Column("detail", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_stage_events"),
    )
    op.create_index("ix_stage_events_at", "stage_events", ["at"], unique=False)
    op.create_index("ix_stage_events_event", "stage_events", ["event", "at"], unique=False)
    op.create_index("ix_stage_events_subdomain", "stage_events", ["subdomain", "id"], unique=False)
    op.create_table(
        "tokens",
        sa.Column("id", ID, autoincrement=True, nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("role", sa.String(), nullable=False),
        sa.Column("sha256", sa.String(), nullable=False),
        sa.Column("created_by", sa.String(), nullable=False),
        sa.Column("created_at", MOMENT, server_default=_now(), nullable=False),
        sa.Column("revoked_at", MOMENT, nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_tokens"),
        sa.UniqueConstraint("sha256", name="uq_tokens_sha256"),
    )
    op.create_table(
        "workers",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("host", sa.String(), nullable=False),
        sa.Column("pid", sa.Integer(), nullable=False),
        sa.Column("queues", sa.String(), nullable=False),
        sa.Column("lock_path", sa.String(), nullable=True),
        sa.Column("version", sa.String(), nullable=True),
        sa.Column("started_at", MOMENT, server_default=_now(), nullable=False),
        sa.Column("beat_at", MOMENT, server_default=_now(), nullable=False),
        sa.Column("lease_until", MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_workers"),
    )
    op.create_table(
        "annotation_sets",
        sa.Column("id", ID, autoincrement=True, nullable=False),
        sa.Column("project_id", ID, nullable=False),
        sa.Column("document_id", ID, nullable=False),
        sa.Column("job_id", ID, nullable=True),
        sa.Column("former_id", ID, nullable=True),
        sa.Column("is_current", sa.Boolean(), nullable=False),
        sa.Column("denotations", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("blocks", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("relations", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("attributes", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("namespaces", sa.Text(), nullable=True),
        sa.Column("tracks", sa.Text(), nullable=True),
        sa.Column("stored_at", MOMENT, server_default=_now(), nullable=False),
        sa.ForeignKeyConstraint(
            ["project_id"], ["annotation_projects.id"], name="fk_annotation_sets_project_id"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_annotation_sets"),
    )
    op.create_index(
        "ix_annotation_sets_document_id", "annotation_sets", ["document_id"], unique=False
    )
    op.create_index("ix_annotation_sets_job_id", "annotation_sets", ["job_id"], unique=False)
    op.create_index(
        "uq_annotation_sets_current",
        "annotation_sets",
        ["project_id", "document_id"],
        unique=True,
        postgresql_where=sa.text("is_current"),
        sqlite_where=sa.text("is_current"),
    )
    op.create_table(
        "quarantine",
        sa.Column("id", ID, autoincrement=True, nullable=False),
        sa.Column("subdomain", sa.String(), nullable=False),
        sa.Column("document", sa.String(), nullable=False),
        sa.Column("sha256", sa.String(), nullable=False),
        sa.Column("engine", sa.String(), server_default="", nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("created_at", MOMENT, server_default=_now(), nullable=False),
        sa.ForeignKeyConstraint(
            ["subdomain"],
            ["sites.subdomain"],
            name="fk_quarantine_subdomain",
            onupdate="CASCADE",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name="pk_quarantine"),
        sa.UniqueConstraint(
            "subdomain", "document", "sha256", name="uq_quarantine_subdomain_document_sha256"
        ),
    )
    op.create_table(
        "runs",
        sa.Column("run_id", sa.String(), nullable=False),
        sa.Column("subdomain", sa.String(), nullable=False),
        sa.Column("epoch", sa.Integer(), nullable=False),
        sa.Column("state", sa.String(), server_default="active", nullable=False),
        sa.Column("goal_stage", sa.String(), nullable=True),
        sa.Column("options", JSON, server_default=sa.text("'{}'"), nullable=False),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("created_at", MOMENT, server_default=_now(), nullable=False),
        sa.Column("finished_at", MOMENT, nullable=True),
        sa.CheckConstraint(
            "state IN ('active', 'completed', 'partial', 'no_documents', 'failed', 'cancelled', "
            "'superseded')",
            name="ck_runs_state",
        ),
        sa.ForeignKeyConstraint(
            ["subdomain"],
            ["sites.subdomain"],
            name="fk_runs_subdomain",
            onupdate="CASCADE",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("run_id", name="pk_runs"),
        sa.UniqueConstraint("subdomain", "epoch", name="uq_runs_subdomain_epoch"),
    )
    op.create_index(
        "uq_runs_active",
        "runs",
        ["subdomain"],
        unique=True,
        postgresql_where=sa.text("state = 'active'"),
        sqlite_where=sa.text("state = 'active'"),
    )
    op.create_table(
        "jobs",
        sa.Column("id", ID, autoincrement=True, nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("run_id", sa.String(), nullable=True),
        sa.Column("subdomain", sa.String(), nullable=True),
        sa.Column("stage", sa.String(), nullable=False),
        sa.Column("queue", sa.String(), nullable=False),
        sa.Column("state", sa.String(), server_default="open", nullable=False),
        sa.Column("total", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("completed", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("failed", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("rank", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("busy_seconds", sa.Float(), server_default=sa.text("0"), nullable=False),
        sa.Column("detail", JSON, server_default=sa.text("'{}'"), nullable=False),
        sa.Column("claimed_at", MOMENT, server_default=_now(), nullable=False),
        sa.Column("created_at", MOMENT, server_default=_now(), nullable=False),
        sa.Column("updated_at", MOMENT, server_default=_now(), nullable=False),
        sa.Column("closed_at", MOMENT, nullable=True),
        sa.CheckConstraint("state IN ('open', 'closed')", name="ck_jobs_state"),
        sa.CheckConstraint("completed + failed <= total", name="ck_jobs_counts"),
        sa.ForeignKeyConstraint(
            ["run_id"], ["runs.run_id"], name="fk_jobs_run_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_jobs"),
        sa.UniqueConstraint("run_id", "kind", "stage", name="uq_jobs_run_id_kind_stage"),
    )
    op.create_index(
        "ix_jobs_claimable",
        "jobs",
        ["queue", "rank", "claimed_at", "id"],
        unique=False,
        postgresql_where=sa.text("state = 'open'"),
        sqlite_where=sa.text("state = 'open'"),
    )
    op.create_table(
        "annotation_issues",
        sa.Column("id", ID, autoincrement=True, nullable=False),
        sa.Column("job_id", ID, nullable=False),
        sa.Column("code", sa.String(), nullable=False),
        sa.Column("message", sa.Text(), nullable=False),
        sa.Column("file", sa.String(), server_default="", nullable=False),
        sa.Column("line", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("sourcedb", sa.String(), server_default="", nullable=False),
        sa.Column("sourceid", sa.String(), server_default="", nullable=False),
        sa.Column("detail", sa.Text(), server_default="", nullable=False),
        sa.Column("times", sa.Integer(), server_default=sa.text("1"), nullable=False),
        sa.ForeignKeyConstraint(
            ["job_id"], ["jobs.id"], name="fk_annotation_issues_job_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_annotation_issues"),
    )
    op.create_index(
        "ix_annotation_issues_job_id", "annotation_issues", ["job_id", "code"], unique=False
    )
    op.create_table(
        "annotation_uploads",
        sa.Column("job_id", ID, nullable=False),
        sa.Column("project_id", ID, nullable=False),
        sa.Column("state", sa.String(), server_default="open", nullable=False),
        sa.Column("mode", sa.String(), nullable=False),
        sa.Column("options", JSON, server_default=sa.text("'{}'"), nullable=False),
        sa.Column("source", JSON, server_default=sa.text("'{}'"), nullable=False),
        sa.Column("bytes", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("bytes_done", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("batches", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("is_split", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("split_claim", sa.String(), nullable=True),
        sa.Column("split_worker_id", sa.String(), nullable=True),
        sa.Column("split_attempt", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("documents", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("denotations", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("blocks", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("relations", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("attributes", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("retry_of", ID, nullable=True),
        sa.Column("created_by", sa.String(), nullable=True),
        sa.CheckConstraint(
            "state IN ('open', 'suspended', 'completed', 'cancelled', 'rolled_back')",
            name="ck_annotation_uploads_state",
        ),
        sa.ForeignKeyConstraint(
            ["job_id"], ["jobs.id"], name="fk_annotation_uploads_job_id", ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["project_id"], ["annotation_projects.id"], name="fk_annotation_uploads_project_id"
        ),
        sa.PrimaryKeyConstraint("job_id", name="pk_annotation_uploads"),
    )
    op.create_table(
        "batch_job_trackings",
        sa.Column("id", ID, autoincrement=True, nullable=False),
        sa.Column("parent_job_id", ID, nullable=False),
        sa.Column("child_job_id", sa.String(), nullable=True),
        sa.Column("status", sa.String(), server_default="pending", nullable=False),
        sa.Column("doc_identifiers", JSON, server_default=sa.text("'[]'"), nullable=False),
        sa.Column("item_count", sa.Integer(), nullable=False),
        sa.Column("error_message", sa.Text(), nullable=True),
        sa.Column("started_at", MOMENT, nullable=True),
        sa.Column("completed_at", MOMENT, nullable=True),
        sa.Column("created_at", MOMENT, server_default=_now(), nullable=False),
        sa.Column("updated_at", MOMENT, server_default=_now(), nullable=False),
        sa.Column("claim", sa.String(), nullable=True),
        sa.Column("attempt", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("worker_id", sa.String(), nullable=True),
        sa.Column("current_item", sa.String(), nullable=True),
        sa.Column("parent_batch_id", ID, nullable=True),
        sa.Column("payload", JSON, nullable=True),
        sa.Column("bytes", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("errors", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("crashes", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("available_at", MOMENT, server_default=_now(), nullable=False),
        sa.CheckConstraint(
            "status IN ('pending', 'running', 'completed', 'failed', 'crashed', 'split')",
            name="ck_batch_job_trackings_status",
        ),
        sa.CheckConstraint("item_count > 0", name="ck_batch_job_trackings_item_count"),
        sa.ForeignKeyConstraint(
            ["parent_batch_id"],
            ["batch_job_trackings.id"],
            name="fk_batch_job_trackings_parent_batch_id",
            ondelete="SET NULL",
        ),
        sa.ForeignKeyConstraint(
            ["parent_job_id"],
            ["jobs.id"],
            name="fk_batch_job_trackings_parent_job_id",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name="pk_batch_job_trackings"),
        sa.UniqueConstraint("claim", name="uq_batch_job_trackings_claim"),
    )
    op.create_index(
        "ix_batch_job_trackings_created", "batch_job_trackings", ["created_at"], unique=False
    )
    op.create_index(
        "ix_batch_job_trackings_parent",
        "batch_job_trackings",
        ["parent_job_id", "status"],
        unique=False,
    )
    op.create_index(
        "ix_batch_job_trackings_pending",
        "batch_job_trackings",
        ["parent_job_id", "id"],
        unique=False,
        postgresql_where=sa.text("status = 'pending'"),
        sqlite_where=sa.text("status = 'pending'"),
    )
    op.create_index(
        "ix_batch_job_trackings_running",
        "batch_job_trackings",
        ["worker_id"],
        unique=False,
        postgresql_where=sa.text("status = 'running'"),
        sqlite_where=sa.text("status = 'running'"),
    )
    op.create_table(
        "items",
        sa.Column("id", ID, autoincrement=True, nullable=False),
        sa.Column("job_id", ID, nullable=False),
        sa.Column("run_id", sa.String(), nullable=False),
        sa.Column("step", sa.String(), nullable=False),
        sa.Column("document", sa.String(), nullable=True),
        sa.Column("documents", sa.Integer(), server_default=sa.text("1"), nullable=False),
        sa.Column("state", sa.String(), server_default="pending", nullable=False),
        sa.Column("attempt", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("errors", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("crashes", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("lost", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("alone", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("claim", sa.String(), nullable=True),
        sa.Column("available_at", MOMENT, nullable=True),
        sa.Column("bytes", sa.BigInteger(), nullable=True),
        sa.Column("sha256", sa.String(), nullable=True),
        sa.Column("pages", sa.Integer(), nullable=True),
        sa.Column("error", sa.Text(), nullable=True),
        sa.Column("created_at", MOMENT, server_default=_now(), nullable=False),
        sa.Column("finished_at", MOMENT, nullable=True),
        sa.CheckConstraint(
            "state IN ('pending', 'running', 'completed', 'failed', 'quarantined', 'cancelled')",
            name="ck_items_state",
        ),
        sa.ForeignKeyConstraint(
            ["job_id"], ["jobs.id"], name="fk_items_job_id", ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["run_id"], ["runs.run_id"], name="fk_items_run_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_items"),
        sa.UniqueConstraint("job_id", "document", name="uq_items_job_id_document"),
    )
    op.create_index(
        "ix_items_failed",
        "items",
        ["job_id"],
        unique=False,
        postgresql_where=sa.text("state IN ('failed', 'quarantined')"),
        sqlite_where=sa.text("state IN ('failed', 'quarantined')"),
    )
    op.create_index(
        "ix_items_pending",
        "items",
        ["job_id", "alone", "id"],
        unique=False,
        postgresql_where=sa.text("state = 'pending'"),
        sqlite_where=sa.text("state = 'pending'"),
    )
    op.create_index("ix_items_run_id", "items", ["run_id"], unique=False)
    op.create_index(
        "ix_items_running",
        "items",
        ["claim"],
        unique=False,
        postgresql_where=sa.text("state = 'running'"),
        sqlite_where=sa.text("state = 'running'"),
    )


def downgrade() -> None:
    """Drop the tables; sites keeps its counters."""
    op.drop_index(
        "ix_items_running",
        table_name="items",
        postgresql_where=sa.text("state = 'running'"),
        sqlite_where=sa.text("state = 'running'"),
    )
    op.drop_index("ix_items_run_id", table_name="items")
    op.drop_index(
        "ix_items_pending",
        table_name="items",
        postgresql_where=sa.text("state = 'pending'"),
        sqlite_where=sa.text("state = 'pending'"),
    )
    op.drop_index(
        "ix_items_failed",
        table_name="items",
        postgresql_where=sa.text("state IN ('failed', 'quarantined')"),
        sqlite_where=sa.text("state IN ('failed', 'quarantined')"),
    )
    op.drop_table("items")
    op.drop_index(
        "ix_batch_job_trackings_running",
        table_name="batch_job_trackings",
        postgresql_where=sa.text("status = 'running'"),
        sqlite_where=sa.text("status = 'running'"),
    )
    op.drop_index(
        "ix_batch_job_trackings_pending",
        table_name="batch_job_trackings",
        postgresql_where=sa.text("status = 'pending'"),
        sqlite_where=sa.text("status = 'pending'"),
    )
    op.drop_index("ix_batch_job_trackings_parent", table_name="batch_job_trackings")
    op.drop_index("ix_batch_job_trackings_created", table_name="batch_job_trackings")
    op.drop_table("batch_job_trackings")
    op.drop_table("annotation_uploads")
    op.drop_index("ix_annotation_issues_job_id", table_name="annotation_issues")
    op.drop_table("annotation_issues")
    op.drop_index(
        "ix_jobs_claimable",
        table_name="jobs",
        postgresql_where=sa.text("state = 'open'"),
        sqlite_where=sa.text("state = 'open'"),
    )
    op.drop_table("jobs")
    op.drop_index(
        "uq_runs_active",
        table_name="runs",
        postgresql_where=sa.text("state = 'active'"),
        sqlite_where=sa.text("state = 'active'"),
    )
    op.drop_table("runs")
    op.drop_table("quarantine")
    op.drop_index(
        "uq_annotation_sets_current",
        table_name="annotation_sets",
        postgresql_where=sa.text("is_current"),
        sqlite_where=sa.text("is_current"),
    )
    op.drop_index("ix_annotation_sets_job_id", table_name="annotation_sets")
    op.drop_index("ix_annotation_sets_document_id", table_name="annotation_sets")
    op.drop_table("annotation_sets")
    op.drop_table("workers")
    op.drop_table("tokens")
    op.drop_index("ix_stage_events_subdomain", table_name="stage_events")
    op.drop_index("ix_stage_events_event", table_name="stage_events")
    op.drop_index("ix_stage_events_at", table_name="stage_events")
    op.drop_table("stage_events")
    op.drop_table("relations")
    op.drop_table("queues")
    op.drop_table("denotations")
    op.drop_table("blocks")
    op.drop_table("batch_history")
    op.drop_table("batch_failures")
    op.drop_index("ix_audit_at", table_name="audit")
    op.drop_table("audit")
    op.drop_table("attributes")
    op.drop_table("annotation_projects")
    op.drop_table("annotation_documents")
