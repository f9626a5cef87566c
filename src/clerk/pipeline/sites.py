"""Sites: the list of all, the details of one, and removing one."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from datetime import datetime
from pathlib import Path

from sqlalchemy import Connection, delete, select

from clerk.core import manifest, outbox, storage
from clerk.core.config import Settings
from clerk.core.db import (
    civic_db_connection,
    documents_of_sites,
    latest_runs,
    lock_site,
    reading_connection,
    require_site,
)
from clerk.core.errors import BadSetting, StorageIncomplete
from clerk.core.models import audit_table, runs_table, schedules_table, sites_table
from clerk.core.site_extra import SiteRow, site_extra
from clerk.core.states import COMPLETED, OCR, STAGES, Run, Step
from clerk.publish import further_targets, published_at, unpublish

from . import failures, transitions
from .run_history import EarlierRuns, earlier_runs
from .search_index import index_site
from .site_counters import counters_of
from .transitions import NO_DOCUMENTS

#: Settings of a site that are not shown.
SECRET_CHOICES = ("token",)
#: How a site is listed whose settings cannot be read.
BAD_SETTINGS = "bad settings"
#: How many of a site's runs are shown.
RUNS_SHOWN = 5


@dataclass(frozen=True)
class SiteOverview:
    """A site with its outcome and the documents of its last reading."""

    subdomain: str
    name: str | None
    #: Its fetcher.
    scraper: str | None
    outcome: str
    current_stage: str | None
    documents: int
    read: int
    failed: int
    cancelled: int
    updated_at: datetime | None
    #: Whether its schedule is paused.
    paused: bool


@dataclass(frozen=True)
class StageCounters:
    """The counters of one stage of a site."""

    stage: str
    total: int
    completed: int
    failed: int
    cancelled: int


@dataclass(frozen=True)
class FilesOnDisk:
    """How many documents of a site have a PDF, and how many have text."""

    pdfs: int
    texts: int


@dataclass(frozen=True)
class SiteRun:
    """A run of a site; the fields are columns of ``runs``."""

    run_id: str
    subdomain: str
    epoch: int
    state: str
    goal_stage: str | None
    options: Mapping[str, object]
    rank: int
    reason: str | None
    created_at: datetime
    finished_at: datetime | None


@dataclass(frozen=True)
class SiteDetails:
    """Everything about a site, its counters and what is on disk."""

    #: The row of ``sites``, without ``extra``, which may hold secrets.
    columns: SiteRow
    outcome: str
    source: str | None
    settings: Mapping[str, object]
    #: What is wrong with the settings; empty if they can be read.
    settings_error: str
    stages: list[StageCounters]
    disk: FilesOnDisk
    #: Documents that the source offers no longer.
    gone: list[str]
    #: The latest runs, newest first.
    runs: list[SiteRun]
    #: Runs before those that are kept.
    earlier_runs: EarlierRuns | None
    #: Where counters and disk disagree; a site in a run may be ahead.
    differences: list[str]

    def as_dict(self) -> dict[str, object]:
        """Return the details as JSON shows them."""
        shown = asdict(self)
        columns: dict[str, object] = shown.pop("columns")
        return columns | shown


def overview(conn: Connection) -> list[SiteOverview]:
    """Return every site with its outcome and the documents of its last reading."""
    latest, documents = latest_runs(runs_table.c.state), documents_of_sites().subquery()
    rows = conn.execute(
        select(
            sites_table,
            latest.c.state.label("run_state"),
            documents.c.total,
            documents.c.completed,
            documents.c.failed,
            schedules_table.c.paused_at,
        )
        .join(schedules_table, schedules_table.c.subdomain == sites_table.c.subdomain, isouter=True)
        .join(latest, latest.c.subdomain == sites_table.c.subdomain, isouter=True)
        .join(documents, documents.c.subdomain == sites_table.c.subdomain)
        .order_by(sites_table.c.subdomain)
    )
    return [
        SiteOverview(
            subdomain=row.subdomain,
            name=row.name,
            scraper=row.scraper,
            outcome=(
                BAD_SETTINGS
                if _bad_settings({"subdomain": row.subdomain, "extra": row.extra})
                else outcome(row.current_stage, row.run_state, row.last_error_message)
            ),
            current_stage=row.current_stage,
            documents=row.total,
            read=row.completed,
            failed=row.failed,
            cancelled=(
                row.total - row.completed - row.failed if row.run_state == Run.CANCELLED else 0
            ),
            updated_at=row.updated_at,
            paused=row.paused_at is not None,
        )
        for row in rows
    ]


def names(conn: Connection, limit: int | None = None) -> list[str]:
    """Return the subdomains of the sites, in order."""
    chosen = select(sites_table.c.subdomain).order_by(sites_table.c.subdomain).limit(limit)
    return list(conn.execute(chosen).scalars())


def outcome(current_stage: str | None, run_state: str | None, error: str | None = None) -> str:
    """Return the state of a site in a word or two; finding nothing is never shown as a success.

    A site that was taken over without documents has no run: its error says so.
    """
    if current_stage is None:
        return "new"
    if current_stage != COMPLETED:
        return f"in {current_stage}" if run_state == Run.ACTIVE else f"stopped in {current_stage}"
    if run_state == Run.NO_DOCUMENTS or (run_state is None and error == NO_DOCUMENTS):
        return "no documents"
    return COMPLETED if run_state in (None, Run.SUPERSEDED) else run_state


def describe(settings: Settings, subdomain: str) -> SiteDetails:
    """Return everything about a site, and where its counters and its folder disagree."""
    with reading_connection() as conn:
        site = require_site(conn, subdomain)
        latest = (
            select(*(runs_table.c[each.name] for each in fields(SiteRun)))
            .where(runs_table.c.subdomain == subdomain)
            .order_by(runs_table.c.epoch.desc())
            .limit(RUNS_SHOWN)
        )
        runs = [SiteRun(*row) for row in conn.execute(latest)]
        documents = manifest.documents(conn, subdomain)
        earlier = earlier_runs(conn, subdomain)
    run_state = runs[0].state if runs else None
    columns = site.copy()
    columns.pop("extra", None)
    stages = []
    for stage in STAGES:
        total, completed, failed = counters_of(site, stage)
        cancelled = total - completed - failed if run_state == Run.CANCELLED else 0
        stages.append(StageCounters(stage, total, completed, failed, cancelled))
    folder, problem = storage.site_folder(settings.storage_dir, subdomain), _bad_settings(site)
    chosen = {} if problem else dict(site_extra(site))
    return SiteDetails(
        columns=columns,
        outcome=(
            BAD_SETTINGS
            if problem
            else outcome(site["current_stage"], run_state, site["last_error_message"])
        ),
        source=chosen.pop("source", None),
        settings={
            name: "***" if name in SECRET_CHOICES else value for name, value in chosen.items()
        },
        settings_error=problem,
        stages=stages,
        disk=FilesOnDisk(
            sum(bool(row.pdf_sha256) for row in documents),
            sum(bool(row.text_sha256 and not row.failed_pages) for row in documents),
        ),
        gone=[row.name for row in documents if row.gone_at],
        runs=runs,
        earlier_runs=earlier,
        # With a store the folder is a cache, which lacks most documents.
        differences=[] if settings.storage_url else disk_differences(site, folder),
    )


def _bad_settings(site: SiteRow) -> str:
    """Return what is wrong with a site's settings; one bad site does not end a listing."""
    try:
        site_extra(site)
    except BadSetting as error:
        return str(error)
    return ""


def disk_differences(site: SiteRow, folder: Path) -> list[str]:
    """Return where a site's counters and its folder disagree, or why that is not known.

    Documents that the fetch rejected count as failed and were never on disk.
    """
    failed = failures.find(failures.Filter(site=site["subdomain"], stage=OCR))
    rejected = sum(
        each.step == Step.DOCUMENT and failures.stored_pdf(folder, each.document) is None
        for each in failed
    )
    try:
        texts = sum(1 for _ in storage.text_documents(folder))
        pdfs = {each.name for each in storage.pdf_documents(folder)}
        with_text = {each.name for each in storage.text_documents(folder, incomplete=True)}
    except StorageIncomplete as error:
        return [str(error)]
    compared = [
        ("documents read", site["ocr_completed"], texts),
        ("documents in all", site["ocr_total"] - rejected, len(pdfs | with_text)),
    ]
    return [
        f"{what}: {counted} counted, {on_disk} on disk"
        for what, counted, on_disk in compared
        if counted != on_disk
    ]


@dataclass(frozen=True)
class StillPublished:
    """Where a removed site can still be seen."""

    #: Its folder on this machine.
    published: Path | None
    #: Other targets it was published to; clerk deletes nothing there.
    targets: list[str]


def remove(
    subdomain: str, settings: Settings, *, files: bool, who: str = "operator"
) -> StillPublished:
    """Delete a site and all its runs; with ``files`` also its files, here and published here."""
    folder = storage.site_folder(settings.storage_dir, subdomain)
    with civic_db_connection() as conn:
        site = require_site(conn, subdomain)
        lock_site(conn, subdomain)
        # Before the site, because settling work locks the run first.
        transitions.cancel_run(conn, subdomain, "The site was removed")
        conn.execute(delete(sites_table).where(sites_table.c.subdomain == subdomain))
        outbox.announce_site(conn, subdomain, outbox.REMOVED)
        conn.execute(audit_table.insert().values(who=who, action="site removed", subject=subdomain))
    index_site(settings, subdomain)
    if files:
        unpublish(settings, subdomain)
        shutil.rmtree(folder, ignore_errors=True)
    targets = [] if _bad_settings(site) else further_targets(site)
    return StillPublished(published_at(settings, subdomain), targets)
