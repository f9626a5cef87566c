"""Moves from the system before clerk, under the names operators use.

The old system kept a site's stage in ``site_progress`` and ``sites.status``.  Taking over means to
write it into the counters of ``sites``, as the disk shows it and never as those tables claim;
reconciliation then sets the sites moving.  A site that has a run in the ledger is clerk's already
and is left alone, so every move can be repeated.

:func:`plan_migration` decides and changes nothing; :func:`carry_out` does what was decided.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Row, inspect, select, text

from clerk.core import config, schema, storage
from clerk.core.clock import utc_now
from clerk.core.db import civic_db_connection, get_civic_db, reading_connection
from clerk.core.errors import InvalidSubdomain
from clerk.core.models import runs_table
from clerk.core.states import COMPILATION, COMPLETED, DEPLOY, EXTRACTION, FETCH, OCR, STAGES
from clerk.pipeline import ledger, pipeline_state, queue
from clerk.pipeline.reconcile import find_stuck_sites, recover_stuck_site

__all__ = [
    "carry_out",
    "clear_rq_state",
    "count_pdf_files",
    "count_txt_files",
    "drop_legacy",
    "find_stuck_sites",
    "migrate_stuck_sites",
    "plan_migration",
    "recover_stuck_site",
    "rq_leftovers",
]

#: Where a site is that only has the old ``status``.
STAGE_OF_STATUS = {
    "needs_fetch": FETCH,
    "needs_ocr": OCR,
    "needs_compilation": COMPILATION,
    "needs_extraction": EXTRACTION,
    "needs_deploy": DEPLOY,
    "deployed": COMPLETED,
    "no_documents": COMPLETED,
}

#: Sites that moved within this time may be in the hands of the old system's workers.
SETTLED_AFTER = timedelta(hours=2)

#: Sites written in one transaction.
CHUNK = 500


def count_txt_files(subdomain: str) -> int:
    """Count the documents of a site that have been read: documents, never pages."""
    folder = storage.site_folder(config.load().storage_dir, subdomain)
    return sum(1 for _ in storage.text_documents(folder))


def count_pdf_files(subdomain: str) -> int:
    """Count the PDFs of a site, minutes and agendas."""
    folder = storage.site_folder(config.load().storage_dir, subdomain)
    return sum(1 for _ in storage.pdf_documents(folder))


# ------------------------------------------------------------------------------- deciding


@dataclass(frozen=True)
class TakenOver:
    """Where a site of the old system stands, to be written into its counters."""

    subdomain: str
    stage: str
    total: int = 0
    completed: int = 0
    failed: int = 0
    error: str = ""
    started_at: datetime | None = None
    updated_at: datetime | None = None


@dataclass
class Migration:
    """What the old tables and the disk say about the sites that clerk does not know yet."""

    #: In the OCR stage by ``site_progress``.
    stuck: list[TakenOver] = field(default_factory=list)
    #: In any other stage, or with a ``status`` only.
    others: list[TakenOver] = field(default_factory=list)
    #: Subdomain -> why it cannot be taken over.
    refused: dict[str, str] = field(default_factory=dict)
    #: The old table is there.
    legacy: bool = True

    @property
    def without_documents(self) -> list[TakenOver]:
        """Stuck sites with neither PDFs nor text: completed, with the error of the fetch."""
        return [site for site in self.stuck if site.stage == COMPLETED]

    @property
    def moved_lately(self) -> list[TakenOver]:
        """Stuck sites the old system may still be working on."""
        since = utc_now() - SETTLED_AFTER
        return [each for each in self.stuck if each.updated_at and each.updated_at > since]


def plan_migration() -> Migration:
    """Look at the old tables and the disk and return what is to be written; changes nothing."""
    migration = Migration()
    storage_dir = config.load().storage_dir
    with reading_connection() as conn:
        tables = inspect(conn).get_table_names()
        migration.legacy = "site_progress" in tables
        rows = _legacy_sites(conn, migration.legacy)
    for row in rows:
        try:
            _plan_site(migration, row, storage_dir)
        except InvalidSubdomain as error:
            migration.refused[row.subdomain] = str(error)
    return migration


def _plan_site(migration: Migration, row: Row[Any], storage_dir: Path) -> None:
    if row.known is None:
        migration.refused[row.subdomain] = "site_progress names it and sites does not"
    elif row.progress == OCR and row.current_stage in (None, OCR):
        migration.stuck.append(_read_by_the_old_system(row, storage_dir))
    elif row.current_stage is None and (stage := row.progress or _stage_of_status(row)):
        if stage not in (*STAGES, COMPLETED):
            migration.refused[row.subdomain] = f"site_progress knows it in the stage {stage!r}"
        elif stage == OCR:
            migration.others.append(_read_by_the_old_system(row, storage_dir))
        else:
            migration.others.append(_in_another_stage(row, stage, storage_dir))


def _legacy_sites(conn: Connection, with_progress: bool) -> Sequence[Row[Any]]:
    """Return the sites that clerk has no run of, with what the old tables say about each."""
    columns = {column["name"] for column in inspect(conn).get_columns("sites")}
    status, updated = (
        f"s.{name}" if name in columns else "NULL" for name in ("status", "last_updated")
    )
    progress = "site_progress p" if with_progress else "(SELECT * FROM sites WHERE FALSE) p"
    total = "p.stage_total" if with_progress else "0"
    facts = (
        f"s.current_stage, {status} AS status, {updated} AS last_updated,"
        f" p.current_stage AS progress, {total} AS stage_total, p.started_at, p.updated_at"
    )
    both = (
        f"SELECT s.subdomain, s.subdomain AS known, {facts}"
        f" FROM sites s LEFT JOIN {progress} ON p.subdomain = s.subdomain"
        f" UNION ALL SELECT p.subdomain, NULL, {facts}"
        f" FROM {progress} LEFT JOIN sites s ON p.subdomain = s.subdomain"
        " WHERE s.subdomain IS NULL ORDER BY 1"
    )
    taken = set(conn.execute(select(runs_table.c.subdomain).distinct()).scalars())
    return [row for row in conn.execute(text(both)) if row.subdomain not in taken]


def _stage_of_status(row: Row[Any]) -> str | None:
    return STAGE_OF_STATUS.get(row.status) if row.status else None


def _read_by_the_old_system(row: Row[Any], storage_dir: Path) -> TakenOver:
    """Count a reading by the disk: text is read, a PDF without it failed.

    A document whose PDF was deleted after it was read counts on both sides; with no PDF left at all
    the old total tells how many there were.
    """
    text_names, pdf_names = _on_disk(storage_dir, row.subdomain)
    if not text_names and not pdf_names:
        return _taken_over(row, COMPLETED, error=pipeline_state.NO_DOCUMENTS)
    total = len(text_names | pdf_names)
    if not pdf_names:
        total = max(total, row.stage_total or 0)
    read = len(text_names)
    return _taken_over(row, OCR, total=total, completed=read, failed=total - read)


def _on_disk(storage_dir: Path, subdomain: str) -> tuple[set[str], set[str]]:
    """Return the documents of a site that have text, and those that have a PDF."""
    folder = storage.site_folder(storage_dir, subdomain)
    return (
        {each.name for each in storage.text_documents(folder)},
        {each.name for each in storage.pdf_documents(folder)},
    )


def _in_another_stage(row: Row[Any], stage: str, storage_dir: Path) -> TakenOver:
    """Take a site as the old system says; what a completed one has read is counted by the disk."""
    if stage != COMPLETED:
        return _taken_over(row, stage, total=1)
    if row.status == "no_documents":
        return _taken_over(row, stage, error=pipeline_state.NO_DOCUMENTS)
    text_names, pdf_names = _on_disk(storage_dir, row.subdomain)
    total, read = len(text_names | pdf_names), len(text_names)
    return _taken_over(row, stage, total=total, completed=read, failed=total - read)


def _taken_over(row: Row[Any], stage: str, **facts: Any) -> TakenOver:
    return TakenOver(
        row.subdomain,
        stage,
        started_at=moment(row.started_at),
        updated_at=moment(row.updated_at) or moment(row.last_updated),
        **facts,
    )


def moment(value: datetime | str | None) -> datetime | None:
    """Return what the old system wrote as an aware moment; without a zone it is taken as UTC."""
    if isinstance(value, str):
        try:
            value = datetime.fromisoformat(value.strip())
        except ValueError:
            return None
    if value is None:
        return None
    return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


# ---------------------------------------------------------------------------------- doing


def migrate_stuck_sites(*, dry_run: bool = False, who: str = "operator") -> Migration:
    """Take over the sites of the old system and return what was decided about each."""
    migration = plan_migration()
    if not dry_run:
        carry_out(migration, who=who)
    return migration


def carry_out(migration: Migration, *, who: str = "operator") -> int:
    """Write what was decided and return how many stuck sites were migrated.

    A site that moved on in the meantime is left as it is.
    """
    migrated = sum(_take_over(chunk) for chunk in _chunks(migration.stuck))
    others = sum(_take_over(chunk) for chunk in _chunks(migration.others))
    if migrated or others:
        with civic_db_connection() as conn:
            detail = f"{migrated} stuck in ocr, {others} others"
            ledger.audit(conn, who, "stuck sites migrated", detail=detail)
    return migrated


def _take_over(sites: Iterable[TakenOver]) -> int:
    with civic_db_connection() as conn:
        return pipeline_state.take_over(conn, [_columns(site) for site in sites])


def _columns(site: TakenOver) -> dict[str, Any]:
    counted = OCR if site.stage == COMPLETED else site.stage
    return {
        "subdomain": site.subdomain,
        "current_stage": site.stage,
        "started_at": site.started_at,
        "updated_at": site.updated_at,
        "error": site.error,
        f"{counted}_total": site.total,
        f"{counted}_completed": site.completed,
        f"{counted}_failed": site.failed,
    }


def _chunks(sites: Sequence[TakenOver]) -> Iterator[Sequence[TakenOver]]:
    return (sites[start : start + CHUNK] for start in range(0, len(sites), CHUNK))


# ------------------------------------------------------------------------- the old queue


@dataclass(frozen=True)
class Leftovers:
    """What the old system left in Redis: coordinators that wait for ever, and failed reading.

    ``stale``: entries whose job is gone.
    """

    deferred: int = 0
    failed: int = 0
    stale: int = 0


def rq_leftovers() -> Leftovers | None:
    """Count what the old system left in Redis; None where no Redis is configured."""
    if config.load().embedded:
        return None
    queue.check()
    from clerk.executors import rq

    url = config.load().redis_url
    return Leftovers(rq.count_deferred(url, COMPILATION), rq.count_failed(url, OCR))


def clear_rq_state() -> Leftovers | None:
    """Cancel deferred coordinators, delete failed OCR jobs, and return how many there really were.

    None where no Redis is configured.
    """
    if config.load().embedded:
        return None
    queue.check()
    from clerk.executors import rq

    url = config.load().redis_url
    deferred, gone = rq.clear_deferred(url, COMPILATION)
    failed, gone_too = rq.clear_failed(url, OCR)
    return Leftovers(deferred, failed, gone + gone_too)


# ------------------------------------------------------------------------------ clean-up


def drop_legacy(*, who: str = "operator", forced: bool = False) -> None:
    """Drop what only the old system used, and keep who did it, in one transaction."""
    engine = get_civic_db()
    left = schema.what_is_left(engine)

    def keep(conn: Connection) -> None:
        detail = f"{left} (forced)" if forced else left
        ledger.audit(conn, who, "legacy dropped", detail=detail or None)

    schema.drop_legacy(engine, also=keep)
