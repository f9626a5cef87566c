"""One run and one document, as the operators' pages show them, and when sites run next."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from sqlalchemy import select

from clerk.core import manifest, storage
from clerk.core.config import Settings
from clerk.core.db import reading_connection, require_site
from clerk.core.errors import InvalidInput, NotFound
from clerk.core.manifest import DocumentRow
from clerk.core.models import (
    items_table,
    jobs_table,
    log_lines_table,
    runs_table,
    stage_events_table,
)
from clerk.core.run_options import RunOptions
from clerk.core.states import STAGES
from clerk.pipeline import failures, redo, schedule
from clerk.pipeline.mirror import bring_document, has_pdf
from clerk.pipeline.schedule import Scheduled
from clerk.read.files import PageFacts, load_facts

from .document_versions import DocumentVersion, list_versions

#: How many documents and events of a run are shown.
SHOWN = 200


@dataclass(frozen=True)
class RunStage:
    """A stage of a run, or its coordinator, with its timing."""

    stage: str
    kind: str
    state: str
    total: int
    completed: int
    failed: int
    created_at: datetime
    closed_at: datetime | None
    #: Seconds that workers spent on it together.
    busy_seconds: float

    @property
    def seconds(self) -> float | None:
        """How long it was open; None while it is."""
        return (self.closed_at - self.created_at).total_seconds() if self.closed_at else None


@dataclass(frozen=True)
class Attempted:
    """A document or step of a run."""

    id: int
    run_id: str
    stage: str
    step: str
    document: str | None
    documents: int
    state: str
    attempt: int
    errors: int
    crashes: int
    lost: int
    pages: int | None
    bytes: int | None
    sha256: str | None
    worker_id: str | None
    error: str | None
    created_at: datetime
    finished_at: datetime | None


@dataclass(frozen=True)
class RunEvent:
    """Something that happened in a run."""

    id: int
    at: datetime
    event: str
    stage: str | None
    completed: int
    failed: int
    seconds: float | None
    detail: str | None


@dataclass(frozen=True)
class RunLogLine:
    """What a worker reported of a run."""

    id: int
    at: datetime
    level: str
    stage: str
    document: str | None
    worker_id: str | None
    attempt: int | None
    seconds: float | None
    message: str


@dataclass(frozen=True)
class RunDetails:
    """Everything about a run."""

    run_id: str
    subdomain: str
    epoch: int
    state: str
    goal_stage: str | None
    rank: int
    reason: str | None
    #: What started it; empty if a person did.
    opened_by: str
    created_at: datetime
    finished_at: datetime | None
    stages: Sequence[RunStage]
    #: Failed and running ones first.
    items: Sequence[Attempted]
    events: Sequence[RunEvent]
    #: The last ones, oldest first.
    log: Sequence[RunLogLine]


_ITEM_COLUMNS = [
    items_table.c[name]
    for name in Attempted.__dataclass_fields__
    if name in items_table.c and name != "stage"
]
_ORDER = {"running": 0, "failed": 1, "quarantined": 1, "pending": 2}


def find_run(run_id: str) -> RunDetails:
    """Return a run with its stages, documents and events, or refuse an unknown one by name."""
    runs, jobs, items, events = runs_table, jobs_table, items_table, stage_events_table
    with reading_connection() as conn:
        run = conn.execute(select(runs).where(runs.c.run_id == run_id)).first()
        if run is None:
            raise NotFound(f"There is no run {run_id!r}.", hint="Old runs are removed.")
        of_run = conn.execute(
            select(*(jobs.c[name] for name in RunStage.__dataclass_fields__))
            .where(jobs.c.run_id == run_id)
            .order_by(jobs.c.id)
        )
        stages = [RunStage(**row._mapping) for row in of_run]
        rows = conn.execute(
            select(*_ITEM_COLUMNS, jobs.c.stage)
            .join(jobs, jobs.c.id == items.c.job_id)
            .where(items.c.run_id == run_id)
            .order_by(items.c.error.is_(None), items.c.id)
            .limit(SHOWN)
        )
        found = [Attempted(**row._mapping) for row in rows]
        happened = conn.execute(
            select(*(events.c[name] for name in RunEvent.__dataclass_fields__))
            .where(events.c.run_id == run_id)
            .order_by(events.c.id)
            .limit(SHOWN)
        )
        lines = log_lines_table
        logged = conn.execute(
            select(*(lines.c[name] for name in RunLogLine.__dataclass_fields__))
            .where(lines.c.run_id == run_id)
            .order_by(lines.c.id.desc())
            .limit(SHOWN)
        )
        return RunDetails(
            **{
                name: run._mapping[name]
                for name in RunDetails.__dataclass_fields__
                if name in runs.c
            },
            opened_by=RunOptions.stored(run.options).opened_by,
            stages=sorted(stages, key=lambda each: STAGES.index(each.stage)),
            items=sorted(found, key=lambda each: _ORDER.get(each.state, 3)),
            events=[RunEvent(**row._mapping) for row in happened],
            log=[RunLogLine(**row._mapping) for row in logged][::-1],
        )


@dataclass(frozen=True)
class DocumentDetails:
    """A document: what it is, its files, how each page was read, and its result in each run."""

    subdomain: str
    name: str
    #: What the manifest knows; None of a document that was never stored.
    known: DocumentRow | None
    #: Newest first; the first is the present one.
    versions: Sequence[DocumentVersion]
    #: Whether its PDF can be shown.
    has_pdf: bool
    pages: Sequence[PageFacts]
    #: Newest first.
    history: Sequence[Attempted]

    @property
    def has_failed(self) -> bool:
        """Whether it is failed in the last run that names it."""
        return bool(self.history) and self.history[0].state in ("failed", "quarantined")

    @property
    def running(self) -> Attempted | None:
        """The attempt that is under way; its ``pages`` is the page it is at."""
        return next((each for each in self.history if each.state == "running"), None)


def find_document(settings: Settings, subdomain: str, name: str) -> DocumentDetails:
    """Return everything about a document, or refuse an unknown one by name."""
    try:
        document = storage.Document.from_name(name)
    except InvalidInput as error:
        raise NotFound(str(error)) from error
    jobs, items = jobs_table, items_table
    with reading_connection() as conn:
        require_site(conn, subdomain)
        rows = conn.execute(
            select(*_ITEM_COLUMNS, jobs.c.stage)
            .join(jobs, jobs.c.id == items.c.job_id)
            .where(jobs.c.subdomain == subdomain, items.c.document == name)
            .order_by(items.c.id.desc())
            .limit(SHOWN)
        )
        history = [Attempted(**row._mapping) for row in rows]
        known = manifest.document(conn, subdomain, name)
    folder = storage.site_folder(settings.storage_dir, subdomain)
    facts, shown = load_facts(document.text(folder)), has_pdf(settings, subdomain, document)
    if known is None and not history and not shown and facts is None:
        raise NotFound(
            f"{subdomain} has no document {name!r}.",
            hint=f"List them: clerk documents list {subdomain}",
        )
    return DocumentDetails(
        subdomain=subdomain,
        name=name,
        known=known,
        versions=list_versions(subdomain, name)[::-1] if known else (),
        has_pdf=shown,
        pages=facts.pages if facts else (),
        history=history,
    )


def original(settings: Settings, subdomain: str, name: str) -> Path:
    """Return where the PDF of a document is on this machine, which it is brought to if needed."""
    try:
        document = storage.Document.from_name(name)
    except InvalidInput as error:
        raise NotFound(str(error)) from error
    with reading_connection() as conn:
        require_site(conn, subdomain)
    bring_document(settings, subdomain, document)
    pdf = document.pdf(storage.site_folder(settings.storage_dir, subdomain))
    if not pdf.is_file():
        raise NotFound(f"The PDF of {name} is not on this machine.")
    return pdf


def retry_document(settings: Settings, subdomain: str, name: str, *, who: str) -> None:
    """Read a failed document again."""
    found = failures.find(failures.Filter(site=subdomain))
    failures.retry(settings, [each for each in found if each.document == name], who=who)


def redo_document(settings: Settings, subdomain: str, name: str, *, who: str) -> str:
    """Read a document again that was read, and return the run; empty if the site is in a run."""
    wanted = redo.Repetition(subdomain, (name,))
    started = redo.carry_out(settings, "ocr", [wanted], who=who)
    return started[0] if started else ""


# ---------------------------------------------------------------------------------- schedules


def upcoming(settings: Settings) -> list[Scheduled]:
    """Return every site with its schedule, the next one first."""
    with reading_connection() as conn:
        return schedule.list_schedules(conn, settings)


def last_queued_at() -> datetime | None:
    """Return when due sites were queued last; None if nothing ever does that here."""
    with reading_connection() as conn:
        return schedule.looked_at(conn)


def schedule_of(settings: Settings, subdomain: str) -> Scheduled:
    """Return the schedule of a site."""
    return next(each for each in upcoming(settings) if each.subdomain == subdomain)
