"""The tables.

::

    sites 1--* runs 1--* jobs 1--* items              what must happen, and what has
                           jobs 1--* batch_job_trackings     what a worker was given
    sites 1--* documents 1--* document_versions, document_parts     the manifest
    document_changes   its outbox      source_meetings, site_files, installation, hosts
    quarantine   documents not to be tried again         stage_events   what happened, append-only
    workers      who is alive                             audit          what people did
    queues       which queues are paused                  tokens         keys of programs, hashed
    schedules    when sites are queued by themselves      problems       what people are notified of
    followers 1--* subscriptions 1--* follow_hits *--1 follow_deliveries *--1 followers
    follow_state, follow_waiting   how far matching has come in document_changes
    batch_history, batch_failures   what is kept of batches that were cleaned up
    adopted_schema   what of the schema was there before clerk, and what was changed in it

    jobs 1--1 annotation_uploads, 1--* annotation_issues
    annotation_projects, annotation_documents 1--* annotation_sets
        1--* denotations, blocks, relations, attributes

``sites`` is as operators know it; its counters are a projection of the ledger (``jobs`` and
``items``), kept in the same transaction.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    Date,
    DateTime,
    Dialect,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    TypeDecorator,
    UniqueConstraint,
    false,
    text,
)
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.functions import FunctionElement

from .states import STAGES, Batch, Follower, Item, Run, Subscription, Upload

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)


class UtcDateTime(TypeDecorator[datetime]):
    """An aware moment in UTC, on databases that keep zones and on SQLite, which does not."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Refuse naive moments, and store UTC."""
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError(f"{value!r} has no time zone")
        moment = value.astimezone(UTC)
        return moment.replace(tzinfo=None) if dialect.name == "sqlite" else moment

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Return an aware moment."""
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


class db_now(FunctionElement[datetime]):
    """The database's clock: the only one that counts.  ``db_now(5)`` is five seconds from now."""

    type = UtcDateTime()
    inherit_cache = True
    name = "db_now"


@compiles(db_now)
def _now_on_postgresql(element: Any, compiler: Any, **options: Any) -> str:
    if not len(element.clauses):
        return "now()"
    return f"now() + make_interval(secs => {compiler.process(element.clauses, **options)})"


@compiles(db_now, "sqlite")
def _now_on_sqlite(element: Any, compiler: Any, **options: Any) -> str:
    later = ""
    if len(element.clauses):
        later = f", ({compiler.process(element.clauses, **options)}) || ' seconds'"
    return f"(strftime('%Y-%m-%d %H:%M:%f', 'now'{later}) || '000')"


class hour_of(FunctionElement[datetime]):
    """The hour (UTC) that a moment lies in: ``hour_of(column)``."""

    type = UtcDateTime()
    inherit_cache = True
    name = "hour_of"


@compiles(hour_of)
def _hour_on_postgresql(element: Any, compiler: Any, **options: Any) -> str:
    return f"date_trunc('hour', {compiler.process(element.clauses, **options)}, 'UTC')"


@compiles(hour_of, "sqlite")
def _hour_on_sqlite(element: Any, compiler: Any, **options: Any) -> str:
    moment = compiler.process(element.clauses, **options)
    return f"strftime('%Y-%m-%d %H:00:00.000000', {moment})"


_Id = BigInteger().with_variant(Integer, "sqlite")
_Json = JSON().with_variant(JSONB, "postgresql")
#: Nothing is NULL, not a JSON null.
_JsonOrNull = JSON(none_as_null=True).with_variant(JSONB(none_as_null=True), "postgresql")


def _one_of(column: str, words: tuple[str, ...]) -> CheckConstraint:
    listed = ", ".join(f"'{word}'" for word in words)
    return CheckConstraint(f"{column} IN ({listed})", name=column)


sites_table = Table(
    "sites",
    metadata,
    Column("subdomain", String, primary_key=True, nullable=False),
    Column("name", String),
    Column("state", String),
    Column("kind", String),
    Column("scraper", String),
    Column("pages", Integer),
    Column("start_year", Integer),
    Column("extra", String),
    Column("country", String),
    Column("lat", String),
    Column("lng", String),
    Column("current_stage", String),
    Column("started_at", UtcDateTime),
    Column("updated_at", UtcDateTime),
    *(
        Column(f"{stage}_{counter}", Integer, server_default=text("0"))
        for stage in STAGES
        for counter in ("total", "completed", "failed")
    ),
    Column("coordinator_enqueued", Boolean, server_default=false()),
    Column("last_error_stage", String),
    Column("last_error_message", Text),
    Column("last_error_at", UtcDateTime),
    *(
        CheckConstraint(f"{stage}_completed + {stage}_failed <= {stage}_total", name=stage)
        for stage in STAGES
    ),
    Index("idx_sites_current_stage", "current_stage"),
    Index("idx_sites_updated_at", "updated_at"),
    Index(
        "idx_sites_coordinator_enqueued",
        "subdomain",
        "coordinator_enqueued",
        postgresql_where=text("coordinator_enqueued = false"),
        sqlite_where=text("coordinator_enqueued = 0"),
    ),
)

#: RQ job ids that the system before clerk recorded.  Kept, because the clean-up promises to remove
#: only what operators were told of.
job_tracking_table = Table(
    "job_tracking",
    metadata,
    Column("rq_job_id", String, primary_key=True),
    Column("subdomain", String, nullable=False, index=True),
    Column("job_type", String, nullable=False),
    Column("stage", String),
    Column("created_at", UtcDateTime, server_default=text("CURRENT_TIMESTAMP")),
)

#: What of ``sites`` was there before clerk; going back to the schema before it leaves that alone.
#: Databases made by older versions do not have this table.
adopted_schema_table = Table(
    "adopted_schema",
    metadata,
    Column("kind", String, primary_key=True),
    Column("name", String, primary_key=True),
)

runs_table = Table(
    "runs",
    metadata,
    Column("run_id", String, primary_key=True),
    Column(
        "subdomain",
        String,
        ForeignKey("sites.subdomain", ondelete="CASCADE", onupdate="CASCADE"),
        nullable=False,
    ),
    Column("epoch", Integer, nullable=False),
    Column("state", String, nullable=False, server_default=Run.ACTIVE),
    Column("goal_stage", String),
    Column("options", _Json, nullable=False, server_default=text("'{}'")),
    #: Added to the rank of each of its jobs: lower goes first.
    Column("rank", Integer, nullable=False, server_default=text("0")),
    Column("reason", Text),
    Column("created_at", UtcDateTime, nullable=False, server_default=db_now()),
    Column("finished_at", UtcDateTime),
    _one_of("state", Run.ALL),
    UniqueConstraint("subdomain", "epoch"),
    Index("ix_runs_finished_at", "finished_at", "run_id"),
    Index(
        "uq_runs_active",
        "subdomain",
        unique=True,
        postgresql_where=text("state = 'active'"),
        sqlite_where=text("state = 'active'"),
    ),
)

jobs_table = Table(
    "jobs",
    metadata,
    Column("id", _Id, primary_key=True, autoincrement=True),
    Column("kind", String, nullable=False),
    Column("run_id", String, ForeignKey("runs.run_id", ondelete="CASCADE")),
    Column("subdomain", String),
    Column("stage", String, nullable=False),
    Column("queue", String, nullable=False),
    Column("state", String, nullable=False, server_default="open"),
    Column("total", Integer, nullable=False, server_default=text("0")),
    Column("completed", Integer, nullable=False, server_default=text("0")),
    Column("failed", Integer, nullable=False, server_default=text("0")),
    #: Lower goes first.
    Column("rank", Integer, nullable=False, server_default=text("0")),
    Column("busy_seconds", Float, nullable=False, server_default=text("0")),
    Column("detail", _Json, nullable=False, server_default=text("'{}'")),
    Column("claimed_at", UtcDateTime, nullable=False, server_default=db_now()),
    Column("created_at", UtcDateTime, nullable=False, server_default=db_now()),
    Column("updated_at", UtcDateTime, nullable=False, server_default=db_now()),
    Column("closed_at", UtcDateTime),
    #: Set while a person keeps an upload from being worked on.
    Column("suspended_at", UtcDateTime),
    _one_of("state", ("open", "closed")),
    CheckConstraint("completed + failed <= total", name="counts"),
    UniqueConstraint("run_id", "kind", "stage"),
    Index("ix_jobs_subdomain", "subdomain"),
    #: The last reading of a site.
    Index(
        "ix_jobs_readings",
        "subdomain",
        "id",
        postgresql_where=text("stage = 'ocr' AND kind = 'stage'"),
        sqlite_where=text("stage = 'ocr' AND kind = 'stage'"),
    ),
    Index(
        "ix_jobs_claimable",
        "queue",
        "rank",
        "claimed_at",
        "id",
        postgresql_where=text("state = 'open'"),
        sqlite_where=text("state = 'open'"),
    ),
)

items_table = Table(
    "items",
    metadata,
    Column("id", _Id, primary_key=True, autoincrement=True),
    Column("job_id", _Id, ForeignKey("jobs.id", ondelete="CASCADE"), nullable=False),
    #: NULL for an item of an upload.
    Column("run_id", String, ForeignKey("runs.run_id", ondelete="CASCADE")),
    Column("step", String, nullable=False),
    Column("document", String),
    #: How many documents of the stage, or objects of an upload, this row stands for; 0 for a step
    #: that is not counted.
    Column("documents", Integer, nullable=False, server_default=text("1")),
    Column("state", String, nullable=False, server_default=Item.PENDING),
    Column("attempt", Integer, nullable=False, server_default=text("0")),
    Column("errors", Integer, nullable=False, server_default=text("0")),
    Column("crashes", Integer, nullable=False, server_default=text("0")),
    Column("lost", Integer, nullable=False, server_default=text("0")),
    #: Suspected of killing its worker: assigned alone.
    Column("alone", Boolean, nullable=False, server_default=false()),
    #: The fencing token: which claim holds the row.  Each claim makes a new one.
    Column("claim", String),
    #: The worker that holds the row, or held it last.
    Column("worker_id", String),
    #: NULL is never: a row that waits for its document to be named.
    Column("available_at", UtcDateTime),
    Column("bytes", BigInteger),
    Column("sha256", String),
    Column("pages", Integer),
    Column("error", Text),
    #: The class of the error.
    Column("error_kind", String),
    #: Page -> how the process died there; such a page is not read again.
    Column("blamed_pages", _JsonOrNull),
    #: Of an upload: which bytes of it, and what was wrong with them when it was split.
    Column("payload", _JsonOrNull),
    #: The part of an upload that this one is a piece of.
    Column("parent_item_id", _Id),
    Column("created_at", UtcDateTime, nullable=False, server_default=db_now()),
    Column("finished_at", UtcDateTime),
    _one_of("state", Item.ALL),
    UniqueConstraint("job_id", "document"),
    Index("ix_items_run_id", "run_id"),
    Index(
        "ix_items_pending",
        "job_id",
        "alone",
        "id",
        postgresql_where=text("state = 'pending'"),
        sqlite_where=text("state = 'pending'"),
    ),
    #: What can be claimed now, when the first jobs of a queue have nothing.
    Index(
        "ix_items_available",
        "step",
        "available_at",
        postgresql_where=text("state = 'pending'"),
        sqlite_where=text("state = 'pending'"),
    ),
    Index(
        "ix_items_running",
        "claim",
        postgresql_where=text("state = 'running'"),
        sqlite_where=text("state = 'running'"),
    ),
    Index(
        "ix_items_failed",
        "job_id",
        postgresql_where=text("state IN ('failed', 'quarantined')"),
        sqlite_where=text("state IN ('failed', 'quarantined')"),
    ),
    Index(
        "ix_items_failed_at",
        "finished_at",
        postgresql_where=text("state IN ('failed', 'quarantined')"),
        sqlite_where=text("state IN ('failed', 'quarantined')"),
    ),
)

batches_table = Table(
    "batch_job_trackings",
    metadata,
    Column("id", _Id, primary_key=True, autoincrement=True),
    Column("parent_job_id", _Id, ForeignKey("jobs.id", ondelete="CASCADE"), nullable=False),
    Column("child_job_id", String),
    Column("status", String, nullable=False, server_default=Batch.PENDING),
    Column("doc_identifiers", _Json, nullable=False, server_default=text("'[]'")),
    Column("item_count", Integer, nullable=False),
    Column("error_message", Text),
    Column("started_at", UtcDateTime),
    Column("completed_at", UtcDateTime),
    Column("created_at", UtcDateTime, nullable=False, server_default=db_now()),
    Column("updated_at", UtcDateTime, nullable=False, server_default=db_now()),
    #: The fencing token of the attempt that holds the batch.
    Column("claim", String, unique=True),
    Column("attempt", Integer, nullable=False, server_default=text("0")),
    Column("worker_id", String),
    Column("current_item", String),
    Column("parent_batch_id", _Id, ForeignKey("batch_job_trackings.id", ondelete="SET NULL")),
    #: The part of an upload that the batch is; other batches are found by their claim.
    Column("item_id", _Id),
    _one_of("status", Batch.ALL),
    CheckConstraint("item_count > 0", name="item_count"),
    Index("ix_batch_job_trackings_parent", "parent_job_id", "status"),
    Index("ix_batch_job_trackings_created", "created_at"),
    Index(
        "ix_batch_job_trackings_running",
        "worker_id",
        postgresql_where=text("status = 'running'"),
        sqlite_where=text("status = 'running'"),
    ),
    Index("ix_batch_job_trackings_item", "item_id"),
    #: Deleting a batch looks for those that name it.
    Index(
        "ix_batch_job_trackings_parent_batch",
        "parent_batch_id",
        postgresql_where=text("parent_batch_id IS NOT NULL"),
        sqlite_where=text("parent_batch_id IS NOT NULL"),
    ),
    Index(
        "ix_batch_job_trackings_pending",
        "parent_job_id",
        "id",
        postgresql_where=text("status = 'pending'"),
        sqlite_where=text("status = 'pending'"),
    ),
)

quarantine_table = Table(
    "quarantine",
    metadata,
    Column("id", _Id, primary_key=True, autoincrement=True),
    Column(
        "subdomain",
        String,
        ForeignKey("sites.subdomain", ondelete="CASCADE", onupdate="CASCADE"),
        nullable=False,
    ),
    Column("document", String, nullable=False),
    Column("sha256", String, nullable=False),
    #: Which reader gave up on it; another one may try again.
    Column("engine", String, nullable=False, server_default=""),
    Column("state", String, nullable=False),
    Column("reason", Text, nullable=False),
    Column("error_kind", String),
    Column("created_at", UtcDateTime, nullable=False, server_default=db_now()),
    UniqueConstraint("subdomain", "document", "sha256"),
)

#: The manifest: what is known of every document of every site.
documents_table = Table(
    "documents",
    metadata,
    Column("id", _Id, primary_key=True, autoincrement=True),
    Column(
        "subdomain",
        String,
        ForeignKey("sites.subdomain", ondelete="CASCADE", onupdate="CASCADE"),
        nullable=False,
    ),
    #: Where its files lie in the site's folder, as in minutes/CityCouncil/2024-01-15.
    Column("name", String, nullable=False),
    #: What the source calls it; NULL for a file that no source offers.
    Column("identity", String),
    #: What it is, for each of kind, body, date and title; NULL if that is not known.
    Column("kind", String),
    Column("body", String),
    Column("date", Date),
    Column("title", String),
    Column("file_name", String),
    #: Which of several documents of the same kind, body and date it is.
    Column("sequence", Integer, nullable=False, server_default=text("1")),
    #: For each of kind, body, date and title: where it comes from, the quote, and how sure it is.
    Column("evidence", _Json, nullable=False, server_default=text("'{}'")),
    #: What the source says of it, and what people corrected, by the same names.
    Column("listed", _Json, nullable=False, server_default=text("'{}'")),
    Column("corrections", _Json, nullable=False, server_default=text("'{}'")),
    #: The hash of the text it was identified by, and the version of the rules; NULL if it is due.
    Column("identified_of", String),
    Column("source_url", String),
    Column("pdf_sha256", String),
    Column("bytes", BigInteger, nullable=False, server_default=text("0")),
    #: The hash of its text; NULL until it is read.
    Column("text_sha256", String),
    #: The hash of the PDF that the text was read from.
    Column("text_of", String),
    #: What read it: of a document that needed no OCR, without the engine.
    Column("reader", String),
    Column("pages", Integer),
    Column("failed_pages", Integer, nullable=False, server_default=text("0")),
    #: The hash of the votes and names found in its text; NULL until they are looked for.
    Column("findings_sha256", String),
    #: The hash of the text they were found in, the version of the extractor, and a digest of the
    #: corrections that were honoured, if there are any.
    Column("findings_of", String),
    #: What tells whether the source's file has changed.
    Column("etag", String),
    Column("last_modified", String),
    Column("version_hint", String),
    Column("source_bytes", BigInteger, nullable=False, server_default=text("0")),
    Column("source_mtime_ns", BigInteger, nullable=False, server_default=text("0")),
    Column("first_seen_at", UtcDateTime, nullable=False, server_default=db_now()),
    Column("last_seen_at", UtcDateTime, nullable=False, server_default=db_now()),
    Column("fetched_at", UtcDateTime),
    Column("gone_at", UtcDateTime),
    #: The hash of the PDF that followers were notified of, or of the text of one without a PDF.
    Column("followed_of", String),
    UniqueConstraint("subdomain", "name"),
    UniqueConstraint("subdomain", "identity"),
)

#: The bytes a document had, the present ones included.
document_versions_table = Table(
    "document_versions",
    metadata,
    Column(
        "document_id",
        _Id,
        ForeignKey("documents.id", ondelete="CASCADE"),
        primary_key=True,
        autoincrement=False,
    ),
    Column("pdf_sha256", String, primary_key=True),
    Column("bytes", BigInteger, nullable=False),
    Column("fetched_at", UtcDateTime, nullable=False, server_default=db_now()),
    Index("ix_document_versions_pdf_sha256", "pdf_sha256"),
)

#: The parts of a packet, each a document of its own.
document_parts_table = Table(
    "document_parts",
    metadata,
    Column(
        "document_id",
        _Id,
        ForeignKey("documents.id", ondelete="CASCADE"),
        primary_key=True,
        autoincrement=False,
    ),
    Column("first_page", Integer, primary_key=True, autoincrement=False),
    Column(
        "first_character", Integer, primary_key=True, autoincrement=False, server_default=text("0")
    ),
    Column("last_page", Integer, nullable=False),
    Column("kind", String),
    Column("body", String),
    Column("date", Date),
    Column("title", String),
    Column("of_other_place", Boolean, server_default=false()),
    Column("evidence", _Json, nullable=False, server_default=text("'{}'")),
)

#: The outbox: each change of a document, in the order of their commits.  Search and alerts read on
#: from the last number they have seen.
document_changes_table = Table(
    "document_changes",
    metadata,
    Column("number", _Id, primary_key=True, autoincrement=True),
    Column("at", UtcDateTime, nullable=False, server_default=db_now()),
    Column("subdomain", String, nullable=False),
    Column("name", String, nullable=False),
    #: text, findings, facts or removed.
    Column("change", String, nullable=False),
    Column("text_sha256", String),
    Index("ix_document_changes_at", "at"),
    Index("ix_document_changes_subdomain", "subdomain", "number"),
    sqlite_autoincrement=True,
)

#: The meetings that a site's source lists, with or without documents.
source_meetings_table = Table(
    "source_meetings",
    metadata,
    Column(
        "subdomain",
        String,
        ForeignKey("sites.subdomain", ondelete="CASCADE", onupdate="CASCADE"),
        primary_key=True,
    ),
    Column("identity", String, primary_key=True),
    Column("body", String, nullable=False),
    Column("title", String, nullable=False),
    Column("start_local", String, nullable=False),
    Column("timezone", String, nullable=False),
    Column("status", String, nullable=False),
    Column("source_url", String, nullable=False),
    #: What is missing, as in "no minutes"; empty for a meeting that has what it should.
    Column("gap", String, nullable=False, server_default=""),
    #: How often body, title, time or status changed, and when that was last.
    Column("sequence", Integer, nullable=False, server_default=text("0")),
    Column("changed_at", UtcDateTime),
)

#: When each document was last asked for at its source, by its identity there; the row with an empty
#: identity is the fetch itself while it is not finished.
document_requests_table = Table(
    "document_requests",
    metadata,
    Column(
        "subdomain",
        String,
        ForeignKey("sites.subdomain", ondelete="CASCADE", onupdate="CASCADE"),
        primary_key=True,
    ),
    Column("identity", String, primary_key=True),
    Column("asked_at", UtcDateTime, nullable=False),
    #: How often in a row it failed, and before when it is not asked for again.
    Column("failures", Integer, nullable=False, server_default=text("0")),
    Column("next_at", UtcDateTime),
    Column("error", String, nullable=False, server_default=""),
)

#: The last few answers of a site's source that were not understood, without secrets.
source_answers_table = Table(
    "source_answers",
    metadata,
    Column(
        "subdomain",
        String,
        ForeignKey("sites.subdomain", ondelete="CASCADE", onupdate="CASCADE"),
        primary_key=True,
    ),
    Column("name", String, primary_key=True),
    Column("kept_at", UtcDateTime, nullable=False),
    Column("kind", String, nullable=False),
    Column("url", String, nullable=False),
    Column("bytes", Integer, nullable=False),
    #: Its beginning, compressed.
    Column("content", LargeBinary, nullable=False),
)

#: What is remembered of a site between two fetches, and which of its databases is current.
site_files_table = Table(
    "site_files",
    metadata,
    Column(
        "subdomain",
        String,
        ForeignKey("sites.subdomain", ondelete="CASCADE", onupdate="CASCADE"),
        primary_key=True,
    ),
    #: When the source was last listed from its beginning.
    Column("listed_at", UtcDateTime),
    #: When the site's folder was last compared with the manifest.
    Column("scanned_at", UtcDateTime),
    #: The compiled database that readers get, by its hash and content.
    Column("database_sha256", String),
    Column("database_digest", String),
)

#: One row: which installation this database belongs to.
installation_table = Table(
    "installation",
    metadata,
    #: Always 1.
    Column("single", Integer, primary_key=True, autoincrement=False),
    Column("id", String, nullable=False),
    Column("created_at", UtcDateTime, nullable=False, server_default=db_now()),
    #: When a storage directory was first marked with the id.
    Column("storage_marked_at", UtcDateTime),
)

#: When each host that documents are fetched from may be asked next, for all machines.
hosts_table = Table(
    "hosts",
    metadata,
    Column("host", String, primary_key=True),
    Column("next_at", UtcDateTime, nullable=False, server_default=db_now()),
    #: Failures of the host in a row, and until when it is left alone because of them.
    Column("failures", Integer, nullable=False, server_default=text("0")),
    Column("closed_until", UtcDateTime),
    Column("robots", Text),
    Column("robots_at", UtcDateTime),
)

stage_events_table = Table(
    "stage_events",
    metadata,
    Column("id", _Id, primary_key=True, autoincrement=True),
    Column("at", UtcDateTime, nullable=False, server_default=db_now()),
    Column("event", String, nullable=False),
    Column("subdomain", String),
    Column("run_id", String),
    Column("stage", String),
    Column("completed", Integer, nullable=False, server_default=text("0")),
    Column("failed", Integer, nullable=False, server_default=text("0")),
    Column("seconds", Float),
    Column("detail", Text),
    Index("ix_stage_events_at", "at"),
    Index("ix_stage_events_subdomain", "subdomain", "id"),
    Index("ix_stage_events_event", "event", "at"),
)

#: What workers reported of a run: steps that ended, and every attempt that did not go well.
log_lines_table = Table(
    "log_lines",
    metadata,
    Column("id", _Id, primary_key=True, autoincrement=True),
    Column("run_id", String, ForeignKey("runs.run_id", ondelete="CASCADE"), nullable=False),
    Column("at", UtcDateTime, nullable=False, server_default=db_now()),
    #: info, warning or error.
    Column("level", String, nullable=False),
    Column("stage", String, nullable=False),
    Column("document", String),
    Column("worker_id", String),
    Column("attempt", Integer),
    Column("seconds", Float),
    Column("message", Text, nullable=False),
    Index("ix_log_lines_run_id", "run_id", "id"),
)

workers_table = Table(
    "workers",
    metadata,
    Column("id", String, primary_key=True),
    Column("host", String, nullable=False),
    Column("pid", Integer, nullable=False),
    Column("queues", String, nullable=False),
    #: A file this worker holds a lock on, to be tried by others on the same host.
    Column("lock_path", String),
    Column("version", String),
    Column("started_at", UtcDateTime, nullable=False, server_default=db_now()),
    Column("beat_at", UtcDateTime, nullable=False, server_default=db_now()),
    #: When its leases end unless it beats again.
    Column("lease_until", UtcDateTime, nullable=False),
)

queues_table = Table(
    "queues",
    metadata,
    Column("name", String, primary_key=True),
    Column("paused_by", String),
    Column("paused_at", UtcDateTime),
)

#: When a site is queued by itself.
schedules_table = Table(
    "schedules",
    metadata,
    Column(
        "subdomain",
        String,
        ForeignKey("sites.subdomain", ondelete="CASCADE", onupdate="CASCADE"),
        primary_key=True,
    ),
    Column("rule", _Json, nullable=False),
    Column("next_at", UtcDateTime, index=True),
    #: When it was queued last.
    Column("queued_at", UtcDateTime),
    Column("paused_at", UtcDateTime),
    Column("paused_by", String),
)

#: Findings of health that people are notified of, once when they begin and once when they end.
problems_table = Table(
    "problems",
    metadata,
    Column("id", _Id, primary_key=True, autoincrement=True),
    Column("kind", String, nullable=False),
    Column("subject", String, nullable=False, server_default=""),
    Column("severity", String, nullable=False),
    Column("what", Text, nullable=False),
    Column("command", Text, nullable=False, server_default=""),
    Column("opened_at", UtcDateTime, nullable=False, server_default=db_now()),
    Column("told_at", UtcDateTime),
    Column("ended_at", UtcDateTime),
    Column("end_told_at", UtcDateTime),
    Index(
        "uq_problems_open",
        "kind",
        "subject",
        unique=True,
        postgresql_where=text("ended_at IS NULL"),
        sqlite_where=text("ended_at IS NULL"),
    ),
)

#: Who follows something: a mail address, or a webhook of a program.
followers_table = Table(
    "followers",
    metadata,
    Column("id", _Id, primary_key=True, autoincrement=True),
    Column("kind", String, nullable=False),
    #: The mail address, or the URL of the webhook.
    Column("address", String, nullable=False),
    #: Disabled ones are sent nothing; the reason says why.
    Column("state", String, nullable=False, server_default=Follower.ACTIVE),
    Column("reason", Text, nullable=False, server_default=""),
    #: Part of what signs personal links, or the key that signs what a webhook is sent.
    Column("secret", String, nullable=False),
    #: Messages that the recipient's server refused in a row.
    Column("refusals", Integer, nullable=False, server_default=text("0")),
    Column("invited_at", UtcDateTime),
    Column("created_at", UtcDateTime, nullable=False, server_default=db_now()),
    Column("created_by", String, nullable=False, server_default=""),
    Column("last_sent_at", UtcDateTime),
    #: The language of the messages.
    Column("language", String, nullable=False, server_default="en"),
    _one_of("kind", Follower.KINDS),
    _one_of("state", Follower.STATES),
    UniqueConstraint("kind", "address"),
)

#: What is followed, and how often its follower is notified.
subscriptions_table = Table(
    "subscriptions",
    metadata,
    Column("id", _Id, primary_key=True, autoincrement=True),
    Column("follower_id", _Id, ForeignKey("followers.id", ondelete="CASCADE"), nullable=False),
    Column("kind", String, nullable=False),
    Column("asked", _Json, nullable=False),
    #: Of kind and asked: nobody follows the same twice.
    Column("digest", String, nullable=False),
    Column("label", String, nullable=False),
    Column("cadence", String, nullable=False),
    Column("state", String, nullable=False, server_default=Subscription.UNCONFIRMED),
    Column("confirm_hash", String),
    Column("confirm_until", UtcDateTime),
    Column("created_at", UtcDateTime, nullable=False, server_default=db_now()),
    Column("confirmed_at", UtcDateTime),
    _one_of("kind", Subscription.KINDS),
    _one_of("cadence", Subscription.CADENCES),
    _one_of("state", Subscription.STATES),
    UniqueConstraint("follower_id", "digest"),
    Index("ix_subscriptions_state", "state"),
    Index("ix_subscriptions_created_at", "created_at"),
    Index("ix_subscriptions_confirm_hash", "confirm_hash"),
)

#: Messages to followers, leased and retried like items of the ledger.
follow_deliveries_table = Table(
    "follow_deliveries",
    metadata,
    Column("id", _Id, primary_key=True, autoincrement=True),
    #: The same for every attempt, so that a receiver can tell a repetition.
    Column("key", String, nullable=False, unique=True),
    Column("follower_id", _Id, ForeignKey("followers.id", ondelete="CASCADE"), nullable=False),
    #: confirm: a link to confirm a subscription; hits: what was found.
    Column("what", String, nullable=False),
    #: The day of a digest: one for each person and day.
    Column("slot", String),
    Column("payload", _Json, nullable=False, server_default=text("'{}'")),
    Column("state", String, nullable=False, server_default=Item.PENDING),
    Column("attempt", Integer, nullable=False, server_default=text("0")),
    #: Until when a sender that may be dead is waited for.
    Column("deadline", UtcDateTime),
    Column("available_at", UtcDateTime, nullable=False, server_default=db_now()),
    Column("error", Text),
    Column("created_at", UtcDateTime, nullable=False, server_default=db_now()),
    Column("sent_at", UtcDateTime),
    _one_of("state", Item.ALL),
    UniqueConstraint("follower_id", "slot"),
    Index("ix_follow_deliveries_state", "state", "available_at"),
)

#: A document that matches a subscription: once for each text of it.
follow_hits_table = Table(
    "follow_hits",
    metadata,
    Column("id", _Id, primary_key=True, autoincrement=True),
    Column(
        "subscription_id", _Id, ForeignKey("subscriptions.id", ondelete="CASCADE"), nullable=False
    ),
    #: The permanent id of the document.
    Column("document", String, nullable=False),
    Column("text_sha256", String, nullable=False),
    #: The content of its messages.
    Column("shown", _Json, nullable=False),
    Column("found_at", UtcDateTime, nullable=False, server_default=db_now()),
    #: The message that reports it, once there is one.
    Column("delivery_id", _Id, ForeignKey("follow_deliveries.id", ondelete="CASCADE")),
    UniqueConstraint("subscription_id", "document", "text_sha256"),
    Index("ix_follow_hits_delivery_id", "delivery_id"),
)

#: How far matching has come in the outbox, and the key that signs links; one row.
follow_state_table = Table(
    "follow_state",
    metadata,
    Column("single", Integer, primary_key=True, autoincrement=False),
    Column("number", _Id, nullable=False),
    Column("signing_key", String, nullable=False),
)

#: Changed documents that are not compiled yet, or not matched.
follow_waiting_table = Table(
    "follow_waiting",
    metadata,
    Column("subdomain", String, primary_key=True),
    Column("name", String, primary_key=True),
    #: The last change in the outbox.
    Column("number", _Id, nullable=False),
)

audit_table = Table(
    "audit",
    metadata,
    Column("id", _Id, primary_key=True, autoincrement=True),
    Column("at", UtcDateTime, nullable=False, server_default=db_now()),
    Column("who", String, nullable=False),
    Column("action", String, nullable=False),
    Column("subject", String),
    Column("detail", Text),
    Index("ix_audit_at", "at"),
)

tokens_table = Table(
    "tokens",
    metadata,
    Column("id", _Id, primary_key=True, autoincrement=True),
    Column("name", String, nullable=False),
    Column("role", String, nullable=False),
    #: The token itself is shown once and never kept.
    Column("sha256", String, nullable=False, unique=True),
    Column("created_by", String, nullable=False),
    Column("created_at", UtcDateTime, nullable=False, server_default=db_now()),
    Column("revoked_at", UtcDateTime),
)

#: People who are logged in to the web pages, and unused login links.
sessions_table = Table(
    "sessions",
    metadata,
    Column("id", _Id, primary_key=True, autoincrement=True),
    #: Of the secret in the login link; once that is used, of the secret in the cookie.
    Column("sha256", String, nullable=False, unique=True),
    Column("who", String, nullable=False),
    Column("role", String, nullable=False),
    #: The browser and address that logged in.
    Column("client", String),
    Column("created_at", UtcDateTime, nullable=False, server_default=db_now()),
    #: When the login link was used.
    Column("started_at", UtcDateTime),
    #: Within a few minutes: not every request writes.
    Column("last_seen_at", UtcDateTime),
    Column("expires_at", UtcDateTime, nullable=False),
    Column("revoked_at", UtcDateTime),
    #: An id that was used again would let a stale page revoke the session of somebody else.
    sqlite_autoincrement=True,
)

#: Runs that were pruned, by the day they ended on and their site.
run_history_table = Table(
    "run_history",
    metadata,
    Column(
        "subdomain",
        String,
        ForeignKey("sites.subdomain", ondelete="CASCADE", onupdate="CASCADE"),
        primary_key=True,
    ),
    Column("day", Date, primary_key=True),
    *(Column(word, Integer, nullable=False, server_default=text("0")) for word in Run.ENDED),
    #: Documents that were tried: how many were read, how many of them failed, and their pages.
    *(
        Column(name, BigInteger, nullable=False, server_default=text("0"))
        for name in ("documents_read", "documents_failed", "pages")
    ),
    #: How long workers were busy.
    Column("seconds", Float, nullable=False, server_default=text("0")),
)

#: Batches that were cleaned up, by the hour they were made in: kept for ever.
batch_history_table = Table(
    "batch_history",
    metadata,
    Column("hour", UtcDateTime, primary_key=True),
    Column("stage", String, primary_key=True),
    *(Column(word, Integer, nullable=False, server_default=text("0")) for word in Batch.FINAL),
    #: Of completed ones: how many seconds in all, the longest, and how many per class of duration.
    Column("seconds", Float, nullable=False, server_default=text("0")),
    Column("longest_seconds", Float, nullable=False, server_default=text("0")),
    Column("durations", _Json, nullable=False, server_default=text("'{}'")),
)

#: The documents in failed and crashed batches that were cleaned up: kept for ever.
batch_failures_table = Table(
    "batch_failures",
    metadata,
    Column("stage", String, primary_key=True),
    Column("sourcedb", String, primary_key=True),
    Column("sourceid", String, primary_key=True),
    Column("failed", Integer, nullable=False, server_default=text("0")),
    Column("crashed", Integer, nullable=False, server_default=text("0")),
    #: In how many of them it was the only document.
    Column("alone", Integer, nullable=False, server_default=text("0")),
    Column("last_at", UtcDateTime, nullable=False),
    Column("error", Text),
)


def _set_counters() -> list[Column[int]]:
    return [
        Column(name, BigInteger, nullable=False, server_default=text("0")) for name in SET_TABLES
    ]


#: The tables with the annotations of a set.
SET_TABLES = ("denotations", "blocks", "relations", "attributes")

annotation_projects_table = Table(
    "annotation_projects",
    metadata,
    Column("id", _Id, primary_key=True, autoincrement=True),
    #: A deleted project has another name, so that its name is free.
    Column("name", String, nullable=False, unique=True),
    Column("documents", BigInteger, nullable=False, server_default=text("0")),
    *_set_counters(),
    Column("created_at", UtcDateTime, nullable=False, server_default=db_now()),
    #: Who created it.
    Column("owner", String),
    #: Whether people who are not logged in see it.
    Column("is_public", Boolean, nullable=False, server_default=false()),
    Column("deleted_at", UtcDateTime),
    #: Name of a person -> their role in it: reader, editor or owner.
    Column("members", _Json, nullable=False, server_default=text("'{}'")),
)

annotation_documents_table = Table(
    "annotation_documents",
    metadata,
    Column("id", _Id, primary_key=True, autoincrement=True),
    Column("sourcedb", String, nullable=False),
    Column("sourceid", String, nullable=False),
    Column("digest", String, nullable=False),
    Column("text", Text, nullable=False),
    #: The upload that made it.
    Column("job_id", _Id),
    #: A deleted document has another sourceid, so that its name is free.
    Column("deleted_at", UtcDateTime),
    UniqueConstraint("sourcedb", "sourceid"),
)

#: Former texts of documents, for the former sets and the orphans that are about them.
annotation_texts_table = Table(
    "annotation_texts",
    metadata,
    Column("id", _Id, primary_key=True, autoincrement=True),
    Column("document_id", _Id, nullable=False),
    Column("digest", String, nullable=False),
    Column("text", Text, nullable=False),
    Column("replaced_at", UtcDateTime, nullable=False, server_default=db_now()),
    Index("ix_annotation_texts_document_id", "document_id"),
)

#: The annotations of a project on a document.  Rows of a set are never changed: another set takes
#: its place, so that a reader has all of the old or all of the new one, and a step back is easy.
annotation_sets_table = Table(
    "annotation_sets",
    metadata,
    Column("id", _Id, primary_key=True, autoincrement=True),
    Column("project_id", _Id, ForeignKey("annotation_projects.id"), nullable=False),
    Column("document_id", _Id, nullable=False),
    Column("job_id", _Id),
    #: The set it took the place of.
    Column("former_id", _Id),
    Column("is_current", Boolean, nullable=False),
    *_set_counters(),
    Column("namespaces", Text),
    Column("tracks", Text),
    Column("stored_at", UtcDateTime, nullable=False, server_default=db_now()),
    #: When another set took its place.
    Column("retired_at", UtcDateTime),
    #: The former text it is about; NULL: the document's text.
    Column("text_id", _Id),
    #: How many annotations have no place in the document's text, and these as JSON.
    Column("orphaned", BigInteger, nullable=False, server_default=text("0")),
    Column("orphans", Text),
    Index(
        "uq_annotation_sets_current",
        "project_id",
        "document_id",
        unique=True,
        postgresql_where=text("is_current"),
        sqlite_where=text("is_current"),
    ),
    Index("ix_annotation_sets_document_id", "document_id"),
    Index("ix_annotation_sets_job_id", "job_id"),
)


def _row_table(name: str, *columns: Column[Any]) -> Table:
    """Rows of sets, in the order of the set; no foreign keys, as they would cost more than COPY."""
    return Table(
        name,
        metadata,
        Column("set_id", _Id, primary_key=True, autoincrement=False),
        Column("position", Integer, primary_key=True, autoincrement=False),
        Column("id", String, nullable=False),
        *columns,
        sqlite_with_rowid=False,
    )


def _span_columns() -> list[Column[Any]]:
    return [
        Column("span_begin", Integer, nullable=False),
        Column("span_end", Integer, nullable=False),
        #: The spans of a discontinuous mention, as JSON.
        Column("pieces", Text),
        Column("obj", Text, nullable=False),
        #: The label as JSON where it is not a string.
        Column("value", Text),
    ]


denotations_table = _row_table("denotations", *_span_columns())
blocks_table = _row_table("blocks", *_span_columns())
relations_table = _row_table(
    "relations",
    Column("subj", String, nullable=False),
    Column("pred", Text, nullable=False),
    Column("obj", String, nullable=False),
)
attributes_table = _row_table(
    "attributes",
    Column("subj", String, nullable=False),
    Column("pred", Text, nullable=False),
    Column("value", Text, nullable=False),
)

annotation_uploads_table = Table(
    "annotation_uploads",
    metadata,
    Column("job_id", _Id, ForeignKey("jobs.id", ondelete="CASCADE"), primary_key=True),
    Column("project_id", _Id, ForeignKey("annotation_projects.id"), nullable=False),
    Column("state", String, nullable=False, server_default=Upload.OPEN),
    Column("mode", String, nullable=False),
    Column("options", _Json, nullable=False, server_default=text("'{}'")),
    #: The stored bytes and which of them are which file.
    Column("source", _Json, nullable=False, server_default=text("'{}'")),
    Column("bytes", BigInteger, nullable=False, server_default=text("0")),
    Column("bytes_done", BigInteger, nullable=False, server_default=text("0")),
    #: How many parts the file was split into so far.
    Column("batches", Integer, nullable=False, server_default=text("0")),
    #: What it stored so far: documents it changed, and annotations that are new with it.
    *(
        Column(name, BigInteger, nullable=False, server_default=text("0"))
        for name in ("documents", *SET_TABLES)
    ),
    #: Objects of which nothing was stored.
    Column("refused", BigInteger, nullable=False, server_default=text("0")),
    #: Documents that have no annotations any more, and annotations in lists that it emptied.
    *(
        Column(f"cleared_{name}", BigInteger, nullable=False, server_default=text("0"))
        for name in ("documents", *SET_TABLES)
    ),
    Column("retry_of", _Id),
    Column("created_by", String),
    _one_of("state", Upload.ALL),
)

annotation_issues_table = Table(
    "annotation_issues",
    metadata,
    Column("id", _Id, primary_key=True, autoincrement=True),
    Column("job_id", _Id, ForeignKey("jobs.id", ondelete="CASCADE"), nullable=False),
    Column("code", String, nullable=False),
    Column("message", Text, nullable=False),
    Column("file", String, nullable=False, server_default=""),
    Column("line", Integer, nullable=False, server_default=text("0")),
    Column("sourcedb", String, nullable=False, server_default=""),
    Column("sourceid", String, nullable=False, server_default=""),
    Column("detail", Text, nullable=False, server_default=""),
    #: How many lines it stands for.
    Column("times", Integer, nullable=False, server_default=text("1")),
    Index("ix_annotation_issues_job_id", "job_id", "code"),
)

#: Changes to projects and documents that can be undone.
annotation_changes_table = Table(
    "annotation_changes",
    metadata,
    Column("id", _Id, primary_key=True, autoincrement=True),
    Column("kind", String, nullable=False),
    Column("project_id", _Id),
    Column("document_id", _Id),
    #: What it was before.
    Column("former", _Json, nullable=False, server_default=text("'{}'")),
    Column("subject", String, nullable=False),
    Column("who", String, nullable=False),
    Column("at", UtcDateTime, nullable=False, server_default=db_now()),
    Column("undone_at", UtcDateTime),
)

#: Errors in findings that people reported, until an operator accepts or rejects them.
annotation_reports_table = Table(
    "annotation_reports",
    metadata,
    Column("id", _Id, primary_key=True, autoincrement=True),
    Column("subdomain", String, nullable=False),
    #: The page, and the span of its text that the finding is about.
    Column("sourceid", String, nullable=False),
    Column("span_begin", Integer, nullable=False),
    Column("span_end", Integer, nullable=False),
    Column("quote", Text, nullable=False),
    Column("label", String, nullable=False),
    #: The fields that are wrong, with their right values; empty: it is no finding at all.
    Column("fields", _Json, nullable=False, server_default=text("'{}'")),
    Column("comment", Text, nullable=False, server_default=""),
    Column("reported_by", String, nullable=False, server_default=""),
    Column("reported_at", UtcDateTime, nullable=False, server_default=db_now()),
    Column("state", String, nullable=False, server_default="open"),
    Column("decided_by", String),
    Column("decided_at", UtcDateTime),
    Index("ix_annotation_reports_state", "state", "subdomain"),
)
