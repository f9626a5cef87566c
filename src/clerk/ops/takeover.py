"""Take over an installation of the system before clerk, and drop its tables when it is safe.

The old system kept a site's stage in ``site_progress`` and ``sites.status``.  Taking a site over
writes it into the counters of ``sites``, as the disk shows it and never as those tables claim;
reconciliation then continues the site.  A site that has a run in the ledger is clerk's already and
is left alone, so every step can be repeated.

:func:`plan_migration` decides and changes nothing; :func:`carry_out` does what was decided.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, fields, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import Connection, func, inspect, select, text

from clerk.core import schema, storage
from clerk.core.clock import utc_now
from clerk.core.config import Settings
from clerk.core.db import civic_db_connection, get_civic_db, reading_connection
from clerk.core.errors import InvalidSubdomain
from clerk.core.models import audit_table, runs_table, stage_events_table
from clerk.core.states import COMPILATION, COMPLETED, DEPLOY, EXTRACTION, FETCH, OCR, STAGES
from clerk.pipeline import ledger, queues, site_counters, transitions
from clerk.pipeline.site_counters import AdoptedSite

from . import counts
from .health import ago

if TYPE_CHECKING:
    from clerk.executors.rq import WaitingJob

#: The stage of a site that only has the old ``status``.
STAGE_OF_STATUS = {
    "needs_fetch": FETCH,
    "needs_ocr": OCR,
    "needs_compilation": COMPILATION,
    "needs_extraction": EXTRACTION,
    "needs_deploy": DEPLOY,
    "deployed": COMPLETED,
    "no_documents": COMPLETED,
}

#: Workers of the old system may still be working on sites updated within this time.
SETTLED_AFTER = timedelta(hours=2)

#: Sites written in one transaction.
SITES_PER_TRANSACTION = 500


# ------------------------------------------------------------------------------- deciding


@dataclass(frozen=True)
class LegacySite:
    """What the tables of the old system say about a site that clerk has no run of."""

    subdomain: str
    #: Whether ``sites`` has it; ``site_progress`` may name others.
    is_known: bool
    current_stage: str | None
    status: str | None
    last_updated: datetime | str | None
    #: The stage and the total in ``site_progress``.
    progress_stage: str | None
    stage_total: int | None
    started_at: datetime | str | None
    updated_at: datetime | str | None


@dataclass
class Migration:
    """What is to be done with the sites of the old system that clerk does not know yet."""

    #: In the OCR stage by ``site_progress``.
    stuck: list[AdoptedSite] = field(default_factory=list)
    #: In any other stage, or with a ``status`` only.
    others: list[AdoptedSite] = field(default_factory=list)
    #: Subdomain -> why it cannot be taken over.
    refused: dict[str, str] = field(default_factory=dict)
    #: Whether the table ``site_progress`` exists.
    has_site_progress: bool = True

    @property
    def without_documents(self) -> list[AdoptedSite]:
        """Stuck sites with neither PDFs nor text: completed, with the error of the fetch."""
        return [site for site in self.stuck if site.stage == COMPLETED]

    @property
    def recently_updated(self) -> list[AdoptedSite]:
        """Stuck sites the old system may still be working on."""
        since = utc_now() - SETTLED_AFTER
        return [each for each in self.stuck if each.updated_at and each.updated_at > since]


def plan_migration(storage_dir: Path, waiting: Sequence[WaitingJob] = ()) -> Migration:
    """Return what is to be written, by the old tables and the disk; changes nothing.

    A document with an OCR job that waits in Redis was never tried: it does not count as failed.
    """
    migration = Migration()
    untried: dict[str, set[str]] = {}
    for job in waiting:
        if job.function.rpartition(".")[2] in OCR_JOBS:
            given = dict(zip(("subdomain", "pdf_path"), job.arguments, strict=False))
            given |= dict(job.named)
            path = Path(str(given.get("pdf_path", "")))
            untried.setdefault(str(given.get("subdomain")), set()).add("/".join(path.parts[-2:]))
    with reading_connection() as conn:
        migration.has_site_progress = "site_progress" in inspect(conn).get_table_names()
        sites = _legacy_sites(conn, migration.has_site_progress)
    for site in sites:
        stage = site.progress_stage or STAGE_OF_STATUS.get(site.status or "")
        never = untried.get(site.subdomain, set()) if stage == OCR else set()
        try:
            if not site.is_known:
                migration.refused[site.subdomain] = "site_progress names it and sites does not"
            elif site.progress_stage == OCR and site.current_stage in (None, OCR):
                migration.stuck.append(_adopted(site, OCR, storage_dir, never))
            elif site.current_stage is None and stage in (*STAGES, COMPLETED):
                migration.others.append(_adopted(site, stage, storage_dir, never))
            elif site.current_stage is None and stage:
                reason = f"site_progress knows it in the stage {stage!r}"
                migration.refused[site.subdomain] = reason
        except InvalidSubdomain as error:
            migration.refused[site.subdomain] = str(error)
    return migration


def _legacy_sites(conn: Connection, has_site_progress: bool) -> list[LegacySite]:
    columns = {column["name"] for column in inspect(conn).get_columns("sites")}
    status, last_updated = (
        f"s.{name}" if name in columns else "NULL" for name in ("status", "last_updated")
    )
    progress = "site_progress p" if has_site_progress else "(SELECT * FROM sites WHERE FALSE) p"
    total = "p.stage_total" if has_site_progress else "0"
    facts = (
        f"s.current_stage, {status} AS status, {last_updated} AS last_updated,"
        f" p.current_stage AS progress_stage, {total} AS stage_total, p.started_at, p.updated_at"
    )
    both = (
        f"SELECT s.subdomain, TRUE AS is_known, {facts}"
        f" FROM sites s LEFT JOIN {progress} ON p.subdomain = s.subdomain"
        f" UNION ALL SELECT p.subdomain, FALSE, {facts}"
        f" FROM {progress} LEFT JOIN sites s ON p.subdomain = s.subdomain"
        " WHERE s.subdomain IS NULL ORDER BY 1"
    )
    with_run = set(conn.execute(select(runs_table.c.subdomain).distinct()).scalars())
    names = [each.name for each in fields(LegacySite)]
    return [
        LegacySite(**{name: row._mapping[name] for name in names})
        for row in conn.execute(text(both))
        if row.subdomain not in with_run
    ]


def _adopted(
    legacy: LegacySite, stage: str, storage_dir: Path, untried: Collection[str] = ()
) -> AdoptedSite:
    """Return a site as the old system says, with its documents counted on disk.

    A document with text is read, a PDF without text failed unless it was never tried.  A document
    whose PDF was deleted after it was read counts as both; with no PDF left at all, the old total
    says how many there were.
    """
    updated_at = moment(legacy.updated_at) or moment(legacy.last_updated)
    site = AdoptedSite(
        legacy.subdomain, stage, started_at=moment(legacy.started_at), updated_at=updated_at
    )
    if stage not in (OCR, COMPLETED):
        return replace(site, total=1)
    if stage == COMPLETED and legacy.status == "no_documents":
        return replace(site, error=transitions.NO_DOCUMENTS)
    folder = storage.site_folder(storage_dir, legacy.subdomain)
    text_names = {each.name for each in storage.text_documents(folder)}
    pdf_names = {each.name for each in storage.pdf_documents(folder)}
    total, read = len(text_names | pdf_names), len(text_names)
    if stage == OCR and not total:
        return replace(site, stage=COMPLETED, error=transitions.NO_DOCUMENTS)
    if stage == OCR and not pdf_names:
        total = max(total, legacy.stage_total or 0)
    pdfs = [each for each in storage.pdf_documents(folder) if each.name not in text_names]
    never = sum("/".join(each.pdf(folder).parts[-2:]) in untried for each in pdfs)
    return replace(site, total=total, completed=read, failed=total - read - never)


def moment(value: datetime | str | None) -> datetime | None:
    """Return a timestamp of the old system in UTC; without a zone it is taken as UTC."""
    if isinstance(value, str):
        try:
            value = datetime.fromisoformat(value.strip())
        except ValueError:
            return None
    if value is None:
        return None
    return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


# ---------------------------------------------------------------------------------- doing


def migrate_stuck_sites(
    storage_dir: Path,
    waiting: Sequence[WaitingJob] = (),
    *,
    dry_run: bool = False,
    who: str = "operator",
) -> Migration:
    """Take over the sites of the old system and return what was decided about each."""
    migration = plan_migration(storage_dir, waiting)
    if not dry_run:
        carry_out(migration, who=who)
    return migration


def carry_out(migration: Migration, *, who: str = "operator") -> int:
    """Write what was decided and return how many stuck sites were migrated.

    A site that made progress in the meantime is left as it is.
    """
    migrated, others = _write(migration.stuck), _write(migration.others)
    if migrated or others:
        with civic_db_connection() as conn:
            detail = f"{migrated} stuck in ocr, {others} others"
            ledger.audit(conn, who, "stuck sites migrated", detail=detail)
    return migrated


def _write(sites: list[AdoptedSite]) -> int:
    written = 0
    for start in range(0, len(sites), SITES_PER_TRANSACTION):
        with civic_db_connection() as conn:
            some = sites[start : start + SITES_PER_TRANSACTION]
            written += site_counters.take_over(conn, some)
    return written


@dataclass(frozen=True)
class LeftoverJobs:
    """Jobs the old system left in Redis: deferred coordinators, and failed OCR jobs.

    ``stale``: entries whose job no longer exists.
    """

    deferred: int = 0
    failed: int = 0
    stale: int = 0


def rq_leftovers(settings: Settings) -> LeftoverJobs | None:
    """Count what the old system left in Redis; None where no Redis is configured."""
    if settings.embedded:
        return None
    queues.require_redis(settings)
    from clerk.executors import rq

    deferred = rq.messages(settings, COMPILATION)["deferred"]
    return LeftoverJobs(deferred, rq.messages(settings, OCR)["failed"])


def clear_rq_state(settings: Settings) -> LeftoverJobs | None:
    """Cancel deferred coordinators, delete failed OCR jobs, and return how many there were.

    None where no Redis is configured.
    """
    if settings.embedded:
        return None
    queues.require_redis(settings)
    from clerk.executors import rq

    deferred, stale_deferred = rq.clear_deferred(settings.redis_url, COMPILATION)
    failed, stale_failed = rq.clear_failed(settings.redis_url, OCR)
    return LeftoverJobs(deferred, failed, stale_deferred + stale_failed)


#: Where jobs of the old system may wait; the last is a plugin's.
OLD_QUEUES = ("high", *STAGES, "finance")

#: What the old system called the job that reads a document.
OCR_JOBS = ("ocr_document_job", "ocr_page_job")


@dataclass(frozen=True)
class OldJobs:
    """The jobs that wait in Redis under names of the old system, and what clerk does with them."""

    #: Run by clerk's workers.
    understood: tuple[WaitingJob, ...] = ()
    #: Functions that clerk does not have: they would only fail.
    unknown: tuple[WaitingJob, ...] = ()
    #: Functions of plugins and scripts; left alone.
    others: tuple[WaitingJob, ...] = ()


def old_jobs(settings: Settings) -> OldJobs:
    """Return the jobs that wait in Redis; none where no Redis is configured."""
    if settings.embedded:
        return OldJobs()
    from clerk import workers
    from clerk.executors import rq

    found = [job for name in OLD_QUEUES for job in rq.waiting_jobs(settings, name)]
    of_clerk = [job for job in found if job.function.startswith("clerk.")]
    understood = tuple(
        job
        for job in of_clerk
        if job.function.startswith("clerk.workers.")
        and job.function.removeprefix("clerk.workers.") in workers.__all__
    )
    return OldJobs(
        understood,
        tuple(job for job in of_clerk if job not in understood),
        tuple(job for job in found if job not in of_clerk),
    )


def clear_unknown_jobs(settings: Settings, jobs: OldJobs) -> int:
    """Delete the jobs that clerk cannot run and return how many there were."""
    if not jobs.unknown:
        return 0
    from clerk.executors import rq

    return rq.delete_jobs(settings, jobs.unknown)


# --------------------------------------------------------- may the legacy tables be dropped?

PREFLIGHT_SILENT_PERCENT = 1.0
PREFLIGHT_RECONCILIATIONS = 10
PREFLIGHT_FOUND = 5
PREFLIGHT_SCORE = 95.0
PREFLIGHT_MANUAL_DAYS = 7
PREFLIGHT_LEGACY_HOURS = 24

#: Actions of people that mean clerk did not recover by itself.
MANUAL_RECOVERY = ("stuck sites migrated", "failures retried", "queue purged")


@dataclass(frozen=True)
class Criterion:
    """One condition for dropping the legacy tables, with its figure."""

    name: str
    figure: str
    required: str
    passed: bool


def preflight(settings: Settings) -> list[Criterion]:
    """Return the conditions for dropping the legacy tables with their figures."""
    seen = counts.figures(settings)
    silent, score = seen.silent_percent or 0.0, seen.health_score
    events = stage_events_table
    with reading_connection() as conn:
        details = conn.execute(
            select(events.c.detail)
            .where(events.c.event == "reconciled")
            .order_by(events.c.id.desc())
            .limit(PREFLIGHT_RECONCILIATIONS)
        ).scalars()
        found = [int(json.loads(detail or "{}").get("found", 0)) for detail in details]
        recovered_at = conn.execute(
            select(func.max(audit_table.c.at)).where(audit_table.c.action.in_(MANUAL_RECOVERY))
        ).scalar()
        written = recent_legacy_writes(conn)
    week_ago = utc_now() - timedelta(days=PREFLIGHT_MANUAL_DAYS)
    return [
        Criterion(
            "Stuck sites",
            f"{silent} % ({seen.silent} sites)",
            f"< {PREFLIGHT_SILENT_PERCENT} %",
            silent < PREFLIGHT_SILENT_PERCENT,
        ),
        Criterion(
            "Reconciliation",
            f"{len(found)} runs, at most {max(found)} found" if found else "no run",
            f"last {PREFLIGHT_RECONCILIATIONS} runs < {PREFLIGHT_FOUND} each",
            len(found) == PREFLIGHT_RECONCILIATIONS and max(found) < PREFLIGHT_FOUND,
        ),
        Criterion(
            "Health score",
            f"{score} %" if score is not None else "no site has run",
            f">= {PREFLIGHT_SCORE} %",
            score is not None and score >= PREFLIGHT_SCORE,
        ),
        Criterion(
            "Manual recovery",
            f"last {ago(recovered_at)}" if recovered_at else "none",
            f"none for {PREFLIGHT_MANUAL_DAYS} days",
            recovered_at is None or recovered_at < week_ago,
        ),
        Criterion(
            "site_progress",
            f"{written} rows",
            f"no write in {PREFLIGHT_LEGACY_HOURS} h",
            written == 0,
        ),
    ]


def recent_legacy_writes(conn: Connection) -> int:
    """Count the rows of ``site_progress`` that the old code wrote within a day."""
    if "site_progress" not in inspect(conn).get_table_names():
        return 0
    since = utc_now() - timedelta(hours=PREFLIGHT_LEGACY_HOURS)
    rows = conn.execute(text("SELECT updated_at FROM site_progress")).scalars()
    return sum(1 for row in rows if (written_at := moment(row)) and written_at > since)


def drop_legacy(*, who: str = "operator", forced: bool = False) -> None:
    """Drop what only the old system used, and record who did it, in one transaction."""
    engine = get_civic_db()
    left = schema.what_is_left(engine)

    def record(conn: Connection) -> None:
        detail = f"{left} (forced)" if forced else left
        ledger.audit(conn, who, "legacy dropped", detail=detail or None)

    schema.drop_legacy(engine, also=record)
