"""An installation as the system before clerk left it.

Variants of its database::

    plain      sites with the deprecated columns, site_progress, job_tracking
    by hand    the pipeline columns were added with plain SQL: TIMESTAMP without a time zone, and on
               SQLite a claim stored as the text 'FALSE'
    sparse     an older one: no job_tracking, and sites lacks columns that came later

and, not among the variants because it keeps columns that clerk does not know::

    newest     the pipeline columns came with the old system's own revision, NOT NULL and with an
               index on the coordinator; those of its finance data are there, too
"""

from __future__ import annotations

import itertools
import json
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from sqlalchemy import Engine, inspect, text

VARIANTS = ("plain", "by hand", "sparse")

STAGES = ("fetch", "ocr", "compilation", "extraction", "deploy")

_FIRST_COLUMNS = """
    subdomain VARCHAR NOT NULL PRIMARY KEY, name VARCHAR, state VARCHAR, kind VARCHAR,
    scraper VARCHAR, pages INTEGER, start_year INTEGER
"""
_LATER_COLUMNS = ", extra VARCHAR, country VARCHAR, lat VARCHAR, lng VARCHAR"
_DEPRECATED_COLUMNS = """,
    status VARCHAR, extraction_status VARCHAR DEFAULT 'pending', last_updated VARCHAR,
    last_deployed VARCHAR, last_extracted VARCHAR
"""
_SITE_PROGRESS = """
    CREATE TABLE site_progress (
        subdomain VARCHAR NOT NULL PRIMARY KEY, current_stage VARCHAR,
        stage_total INTEGER DEFAULT 0 NOT NULL, stage_completed INTEGER DEFAULT 0 NOT NULL,
        started_at {moment}, updated_at {moment})
"""
_JOB_TRACKING = """
    CREATE TABLE job_tracking (
        rq_job_id VARCHAR NOT NULL PRIMARY KEY, subdomain VARCHAR NOT NULL,
        job_type VARCHAR NOT NULL, stage VARCHAR,
        created_at {moment} DEFAULT CURRENT_TIMESTAMP)
"""


def create_tables(engine: Engine, variant: str) -> None:
    """Create the tables of a variant."""
    sqlite = engine.dialect.name == "sqlite"
    zoned = "DATETIME" if sqlite else "TIMESTAMP WITH TIME ZONE"
    moment = "TIMESTAMP" if variant == "by hand" else zoned
    later = "" if variant == "sparse" else _LATER_COLUMNS
    with engine.begin() as conn:
        conn.execute(text(f"CREATE TABLE sites ({_FIRST_COLUMNS}{later}{_DEPRECATED_COLUMNS})"))
        conn.execute(text(_SITE_PROGRESS.format(moment=moment)))
        if variant != "sparse":
            conn.execute(text(_JOB_TRACKING.format(moment=moment)))
        if variant == "newest":
            for column in _columns_of_newest(sqlite):
                conn.execute(text(f"ALTER TABLE sites ADD COLUMN {column}"))
            conn.execute(text("CREATE INDEX idx_sites_has_finance_data ON sites(has_finance_data)"))
            conn.execute(
                text(
                    "CREATE INDEX idx_sites_coordinator_enqueued"
                    " ON sites(subdomain, coordinator_enqueued)"
                )
            )
        if variant == "by hand":
            for column in _columns_added_by_hand(sqlite):
                conn.execute(text(f"ALTER TABLE sites ADD COLUMN {column}"))
        if variant in ("by hand", "newest"):
            conn.execute(text("CREATE INDEX idx_sites_current_stage ON sites(current_stage)"))
            conn.execute(text("CREATE INDEX idx_sites_updated_at ON sites(updated_at)"))


def _columns_of_newest(sqlite: bool) -> list[str]:
    moment = "DATETIME" if sqlite else "TIMESTAMP WITH TIME ZONE"
    counters = [
        f"{stage}_{counter} INTEGER DEFAULT 0 NOT NULL"
        for stage in STAGES
        for counter in ("total", "completed", "failed")
    ]
    claim = "'false'" if sqlite else "false"
    return [
        "current_stage VARCHAR",
        f"started_at {moment}",
        f"updated_at {moment}",
        *counters,
        f"coordinator_enqueued BOOLEAN DEFAULT {claim} NOT NULL",
        "last_error_stage VARCHAR",
        "last_error_message VARCHAR",
        f"last_error_at {moment}",
        "has_finance_data BOOLEAN",
        "finance_source VARCHAR(100)",
        "finance_data_types JSON",
    ]


def _columns_added_by_hand(sqlite: bool) -> list[str]:
    counters = [
        f"{stage}_{counter} INT DEFAULT 0"
        for stage in STAGES
        for counter in ("total", "completed", "failed")
    ]
    claim = "coordinator_enqueued BOOLEAN DEFAULT " + ("'FALSE'" if sqlite else "FALSE")
    return [
        "current_stage VARCHAR",
        "started_at TIMESTAMP",
        "updated_at TIMESTAMP",
        *counters,
        claim,
        "last_error_stage VARCHAR",
        "last_error_message TEXT",
        "last_error_at TIMESTAMP",
    ]


def add_site(
    engine: Engine,
    subdomain: str,
    *,
    progress: tuple[str, int, int] | None = None,
    progress_at: str | None = "2026-01-17 08:00:00",
    **columns: Any,
) -> None:
    """Write a site, and its row of site_progress (stage, total, completed), as the old code did."""
    site = {"subdomain": subdomain, "name": subdomain.title(), "state": "CA", "kind": "city"}
    with engine.begin() as conn:
        _insert(conn, "sites", site | columns)
        if progress is not None:
            stage, total, completed = progress
            _insert(
                conn,
                "site_progress",
                {
                    "subdomain": subdomain,
                    "current_stage": stage,
                    "stage_total": total,
                    "stage_completed": completed,
                    "started_at": progress_at,
                    "updated_at": progress_at,
                },
            )


def _insert(conn: Any, table: str, row: dict[str, Any]) -> None:
    names, values = ", ".join(row), ", ".join(f":{name}" for name in row)
    conn.execute(text(f"INSERT INTO {table} ({names}) VALUES ({values})"), row)


def rows(engine: Engine) -> dict[str, list[dict[str, Any]]]:
    """Everything in the legacy tables and columns."""
    wanted = "subdomain, name, status, extraction_status, last_updated"
    with engine.begin() as conn:
        return {
            "sites": _read(conn, f"SELECT {wanted} FROM sites ORDER BY subdomain"),
            "site_progress": _read(conn, "SELECT * FROM site_progress ORDER BY subdomain")
            if "site_progress" in inspect(conn).get_table_names()
            else [],
        }


def _read(conn: Any, statement: str) -> list[dict[str, Any]]:
    return [dict(row._mapping) for row in conn.execute(text(statement))]


# ------------------------------------------------------------------ a whole installation


#: The odd ways in which a site is stuck: documents with PDF and text, with one of them only ...
STUCK_KINDS: dict[str, dict[str, Any]] = {
    "nothing on disk": {},
    "read, not coordinated": {"both": 3},
    "partly read": {"both": 2, "pdf": 1},
    "PDFs deleted after reading": {"text": 4},
    "many pages": {"both": 2, "pages": 5},
    "only agendas": {"both": 2, "folder": "_agendas"},
    "flat text files": {"both": 2, "flat": True},
    "everything failed": {"pdf": 3},
    "coordinator deferred": {"both": 1, "deferred": True},
    "claimed, never enqueued": {"both": 2, "claimed": True},
    "never stamped": {"both": 1, "progress_at": None},
    "failures of deleted PDFs": {"text": 2, "total": 3},
}

#: How many of 300 sites are where, beside the 105 that are stuck in ocr.
ELSEWHERE = {"completed": 189, "extraction": 3, "deploy": 2, "compilation": 1}

STUCK = 105
DEFERRED = 82
FAILED_JOBS = 2_695

#: When the stuck sites last moved.
OLD = "2026-01-17 08:00:00"

TEXT = "MINUTES\nThe council met at 7 pm.\nMotion by Smith, second by Jones. Motion passed 5-0.\n"


@dataclass
class Installation:
    """A legacy installation: which site is stuck in which way, and what else it has."""

    stuck: dict[str, str] = field(default_factory=dict)
    elsewhere: dict[str, str] = field(default_factory=dict)

    def of_kind(self, *kinds: str) -> list[str]:
        """The stuck sites of some kinds."""
        return sorted(name for name, kind in self.stuck.items() if kind in kinds)

    @property
    def without_text(self) -> list[str]:
        """The stuck sites that nobody can recover."""
        return self.of_kind("nothing on disk", "everything failed")


def install(
    engine: Engine, storage: Path, variant: str = "by hand", *, stuck: int = STUCK
) -> Installation:
    """Make an installation of 300 sites (or fewer), 105 of them stuck in ocr in all odd ways."""
    create_tables(engine, variant)
    (storage.parent / "source").mkdir(exist_ok=True)
    made = Installation()
    kinds = itertools.cycle(STUCK_KINDS)
    with engine.begin() as conn:
        for number in range(stuck):
            name, kind = f"stuck{number:03}.ca.us", next(kinds)
            made.stuck[name] = kind
            _install_stuck(conn, storage, name, STUCK_KINDS[kind], variant)
        for stage, number in ELSEWHERE.items():
            for index in range(number):
                name = f"{stage}{index:03}.ca.us"
                made.elsewhere[name] = stage
                _install_elsewhere(conn, storage, name, stage)
    return made


def _install_stuck(conn: Any, storage: Path, name: str, ways: dict[str, Any], variant: str) -> None:
    documents = ways.get("both", 0) + ways.get("pdf", 0) + ways.get("text", 0)
    site = _site(storage, name, "needs_ocr", OLD)
    if variant == "by hand" and ways.get("claimed"):
        site |= {"current_stage": "ocr", "coordinator_enqueued": True, "ocr_completed": 9}
    _insert(conn, "sites", site)
    at = ways.get("progress_at", OLD)
    _insert(conn, "site_progress", _progress(name, "ocr", ways.get("total", documents), 0, at))
    write_documents(storage / name, **{key: ways[key] for key in ways if key in _ON_DISK})


def _install_elsewhere(conn: Any, storage: Path, name: str, stage: str) -> None:
    status = "deployed" if stage == "completed" else f"needs_{stage}"
    at = _an_hour_ago() if stage == "completed" else OLD
    _insert(conn, "sites", _site(storage, name, status, at))
    if stage != "compilation":
        _insert(conn, "site_progress", _progress(name, stage, 1, 0, at))
    if stage != "completed":
        write_documents(storage / name, both=1)


def _site(storage: Path, name: str, status: str, at: str) -> dict[str, Any]:
    """A site whose source is a folder without documents."""
    return {
        "subdomain": name,
        "name": name,
        "scraper": "folder",
        "extra": json.dumps({"source": str(storage.parent / "source")}),
        "status": status,
        "last_updated": at.replace(" ", "T"),
    }


def _an_hour_ago() -> str:
    return (datetime.now(UTC) - timedelta(hours=1)).strftime("%Y-%m-%d %H:%M:%S")


def _progress(name: str, stage: str, total: int, completed: int, at: str | None) -> dict[str, Any]:
    return {
        "subdomain": name,
        "current_stage": stage,
        "stage_total": total,
        "stage_completed": completed,
        "started_at": at,
        "updated_at": at,
    }


_ON_DISK = ("both", "pdf", "text", "pages", "folder", "flat")


def write_documents(
    site: Path,
    *,
    both: int = 0,
    pdf: int = 0,
    text: int = 0,
    pages: int = 1,
    folder: str = "",
    flat: bool = False,
) -> None:
    """Write documents with PDF and text, with a PDF only, and with text only."""
    for number in range(both + pdf + text):
        date = f"2025-{number % 12 + 1:02}-{number // 12 % 28 + 1:02}"
        if number < both + pdf:
            _write(site / folder / "pdfs" / "Council" / f"{date}.pdf", "%PDF-1.4 as it was")
        if both <= number < both + pdf:
            continue
        root = site / folder / "txt" / "Council"
        for page in range(1, pages + 1):
            _write(root / (f"{date}.txt" if flat else f"{date}/page-{page}.txt"), TEXT)


def _write(path: Path, content: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content)


def leave_rq_jobs(url: str, deferred: int = DEFERRED, failed: int = FAILED_JOBS) -> None:
    """Leave coordinators that wait for ever, and failed OCR jobs, in a real Redis."""
    from rq import Queue
    from rq.job import Job, JobStatus

    from clerk.executors import rq

    connection = rq.connect(url)
    ocr, compilation = (Queue(name, connection=connection) for name in ("ocr", "compilation"))
    with connection.pipeline() as pipe:
        for number in range(failed):
            job = _job(connection, "ocr_page_job", "ocr", f"ocr-{number}", JobStatus.FAILED)
            ocr.failed_job_registry.add(job, pipeline=pipe, exc_string="PdfReadError")
        pipe.execute()
        for number in range(deferred):
            coordinator = f"coordinator-{number}"
            job = _job(
                connection,
                "ocr_complete_coordinator",
                "compilation",
                coordinator,
                JobStatus.DEFERRED,
            )
            job.save(pipeline=pipe)
            compilation.deferred_job_registry.add(job, pipeline=pipe)
            pipe.sadd(Job.dependents_key_for(f"ocr-{number}"), job.id)
            pipe.sadd(job.dependencies_key, f"ocr-{number}")
        pipe.execute()


def _job(connection: Any, function: str, origin: str, job_id: str, status: Any) -> Any:
    from rq.job import Job

    return Job.create(
        f"clerk.workers.{function}",
        kwargs={"subdomain": "stuck000.ca.us"},
        connection=connection,
        id=job_id,
        origin=origin,
        status=status,
    )


def move_clock(engine: Engine, days: int) -> None:
    """Let time pass: everything that is dated becomes older."""
    moments = {
        "audit": ("at",),
        "stage_events": ("at",),
        "site_progress": ("started_at", "updated_at"),
        "sites": ("started_at", "updated_at"),
    }
    sqlite = engine.dialect.name == "sqlite"
    with engine.begin() as conn:
        for table, names in moments.items():
            for name in names:
                older = f"{name} - INTERVAL '{days} days'"
                if sqlite:
                    older = f"strftime('%Y-%m-%d %H:%M:%f', {name}, '-{days} days') || '000'"
                conn.execute(text(f"UPDATE {table} SET {name} = {older}"))


# ------------------------------------------------------------- the old system's own revisions

#: Its jobs, below ``clerk.workers``.
JOBS = (
    "fetch_site_job",
    "ocr_document_job",
    "ocr_complete_coordinator",
    "coordinator_job",
    "db_compilation_job",
    "deploy_job",
)

#: Its revisions in order.
REVISIONS = (
    "45db71312424",
    "c27bd77144ce",
    "s9z7il1abnmz",
    "9daf09ff2554",
    "e2eeb77e18bc",
    "f3d4e5b6c7a8",
    "e032d9c68444",
)


def create_revision(engine: Engine, revision: str, *, stamped: bool = True) -> None:
    """Create the schema as the old system's own migrations leave it at a revision."""
    at = REVISIONS.index(revision)
    sqlite = engine.dialect.name == "sqlite"
    moment = "DATETIME" if sqlite else "TIMESTAMP"
    statements = [f"CREATE TABLE sites ({_FIRST_COLUMNS}{_LATER_COLUMNS}{_DEPRECATED_COLUMNS})"]
    if at >= 1:
        statements += [
            "CREATE TABLE job_tracking (rq_job_id VARCHAR NOT NULL PRIMARY KEY,"
            " site_id VARCHAR NOT NULL, job_type VARCHAR NOT NULL, stage VARCHAR,"
            f" created_at {moment} DEFAULT CURRENT_TIMESTAMP)",
            "CREATE INDEX idx_job_tracking_site_id ON job_tracking(site_id)",
            "CREATE TABLE site_progress (site_id VARCHAR NOT NULL PRIMARY KEY,"
            " current_stage VARCHAR, stage_total INTEGER DEFAULT 0 NOT NULL,"
            " stage_completed INTEGER DEFAULT 0 NOT NULL,"
            f" started_at {moment}, updated_at {moment})",
        ]
    if at >= 2:
        statements += [
            f"ALTER TABLE {table} RENAME COLUMN site_id TO subdomain"
            for table in ("job_tracking", "site_progress")
        ]
    if at >= 3:
        pipeline = [each for each in _columns_of_newest(sqlite) if "finance" not in each]
        pipeline = [each.replace("TIMESTAMP WITH TIME ZONE", "TIMESTAMP") for each in pipeline]
        statements += [f"ALTER TABLE sites ADD COLUMN {column}" for column in pipeline]
        statements += [
            "CREATE INDEX idx_sites_current_stage ON sites(current_stage)",
            "CREATE INDEX idx_sites_updated_at ON sites(updated_at)",
            "CREATE INDEX idx_sites_coordinator ON sites(coordinator_enqueued)",
        ]
    if at >= 4:
        statements += [
            "ALTER TABLE sites ADD COLUMN has_finance_data BOOLEAN",
            "CREATE INDEX idx_sites_has_finance_data ON sites(has_finance_data)",
        ]
    if at >= 5:
        finance = ("last_updated", "coverage_start", "coverage_end", "record_count")
        statements += [f"ALTER TABLE sites ADD COLUMN finance_{name} VARCHAR" for name in finance]
        statements += [
            "ALTER TABLE sites ADD COLUMN finance_source VARCHAR(100)",
            "ALTER TABLE sites ADD COLUMN finance_data_types JSON",
            "CREATE INDEX idx_sites_finance_metadata"
            " ON sites(has_finance_data, finance_last_updated)",
        ]
    if stamped:
        statements += [
            "CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL PRIMARY KEY)",
            f"INSERT INTO alembic_version VALUES ('{revision}')",
        ]
    with engine.begin() as conn:
        for statement in statements:
            conn.execute(text(statement))


def fill_revision(engine: Engine, revision: str, storage: Path) -> None:
    """Write what the old system would have written: sites in every stage, with their files."""
    at = REVISIONS.index(revision)
    key = "site_id" if at == 1 else "subdomain"
    (storage.parent / "source").mkdir(exist_ok=True)
    with engine.begin() as conn:
        for name, status in (("springfield", "needs_ocr"), ("shelbyville", "deployed")):
            site = _site(storage, name, status, OLD)
            if at >= 3 and status == "needs_ocr":
                site |= {"current_stage": "ocr", "ocr_total": 5, "ocr_completed": 2}
                site |= {"updated_at": OLD, "coordinator_enqueued": False}
            elif at >= 3:
                site |= {"current_stage": "completed", "updated_at": OLD}
            if at >= 4:
                site |= {"has_finance_data": name == "springfield"}
            if at >= 5:
                site |= {"finance_source": "budget", "finance_data_types": '["budget"]'}
            _insert(conn, "sites", site)
            if at >= 1:
                progress = _progress(
                    name, "ocr" if status == "needs_ocr" else "completed", 5, 2, OLD
                )
                progress[key] = progress.pop("subdomain")
                _insert(conn, "site_progress", progress)
        if at >= 1:
            job = {"rq_job_id": "j1", key: "springfield", "job_type": "ocr", "created_at": OLD}
            _insert(conn, "job_tracking", job)
    write_documents(storage / "springfield", both=2, pdf=3)
    write_documents(storage / "shelbyville", both=1)


def old_code_works(engine: Engine, revision: str) -> None:
    """Do what the old code does with its own columns and tables: write, read and count."""
    at = REVISIONS.index(revision)
    key = "site_id" if at == 1 else "subdomain"
    with engine.begin() as conn:
        _insert(conn, "sites", {"subdomain": "new.ca.us", "status": "needs_fetch", "pages": 0})
        conn.execute(text("UPDATE sites SET status = 'deployed', last_deployed = '2026-02-01'"))
        if at >= 1:
            progress = _progress("new.ca.us", "ocr", 3, 0, OLD)
            progress[key] = progress.pop("subdomain")
            _insert(conn, "site_progress", progress)
            conn.execute(text("UPDATE site_progress SET stage_completed = stage_completed + 1"))
            job = {"rq_job_id": "j2", key: "new.ca.us", "job_type": "ocr"}
            _insert(conn, "job_tracking", job)
        if at >= 3:
            # Its counters know no limit: one that is done twice counts twice.
            conn.execute(text("UPDATE sites SET ocr_completed = ocr_completed + 9"))
            claimed = (
                "UPDATE sites SET coordinator_enqueued = TRUE WHERE coordinator_enqueued = FALSE"
            )
            assert conn.execute(text(claimed)).rowcount >= 1
        assert conn.execute(text("SELECT count(*) FROM sites")).scalar() == 3
