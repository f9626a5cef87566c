"""What the operators' pages list: events, jobs, batches, documents, workers, the audit log.

Totals are counted in :mod:`clerk.ops.counts`; :mod:`clerk.ops.health` decides whether all is well.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any, TypeVar

from sqlalchemy import ColumnElement, Select, Table, func, or_, select

from clerk.core import answers, db, schema
from clerk.core.answers import KeptAnswer
from clerk.core.db import civic_db_connection, get_civic_db, reading_connection
from clerk.core.errors import NotFound
from clerk.core.models import (
    audit_table,
    batches_table,
    db_now,
    items_table,
    jobs_table,
    sites_table,
    stage_events_table,
    workers_table,
)
from clerk.core.site_extra import SiteRow
from clerk.core.states import OCR, Batch, Kind
from clerk.pipeline import ledger, sites
from clerk.pipeline.failures import DAY_SECONDS

from . import counts

T = TypeVar("T")


@dataclass(frozen=True)
class PipelineEvent:
    """Something that happened to a site, a run or the whole pipeline."""

    id: int
    at: datetime
    event: str
    subdomain: str | None
    stage: str | None
    completed: int
    failed: int
    detail: str | None


@dataclass(frozen=True)
class StageJob:
    """A stage of a run."""

    id: int
    subdomain: str | None
    stage: str
    state: str
    total: int
    completed: int
    failed: int
    created_at: datetime


@dataclass(frozen=True)
class ListedBatch:
    """What one worker was given, with its job and the worker's last heartbeat."""

    id: int
    parent_job_id: int
    subdomain: str | None
    stage: str
    kind: str
    status: str
    item_count: int
    attempt: int
    created_at: datetime
    started_at: datetime | None
    completed_at: datetime | None
    beat_at: datetime | None
    worker_id: str | None
    current_item: str | None
    error_message: str | None
    doc_identifiers: Sequence[str | Mapping[str, str]]
    parent_batch_id: int | None
    run_id: str | None


@dataclass(frozen=True)
class ListedItem:
    """A document of a site's last reading, or a row for several that have no name."""

    id: int
    document: str | None
    documents: int
    step: str
    state: str
    pages: int | None
    attempt: int
    error: str | None


@dataclass(frozen=True)
class ListedWorker:
    """A worker, and the batch it works on."""

    id: str
    host: str
    pid: int
    queues: str
    started_at: datetime
    beat_at: datetime
    alive: bool
    batch: ListedBatch | None = None


@dataclass(frozen=True)
class AuditEntry:
    """What a person did."""

    id: int
    at: datetime
    who: str
    action: str
    subject: str | None
    detail: str | None


@dataclass(frozen=True)
class PastReconciliation:
    """What one run of the reconciliation found and did."""

    at: datetime
    found: int
    crashed_batches: int
    recovered: int
    need_a_person: int


@dataclass(frozen=True)
class FinishedWork:
    """Work that a worker finished in one go: how many documents or steps, and how long it took."""

    event_id: int
    stage: str
    seconds: float
    pieces: int


def _columns(table: Table, kind: type) -> list[ColumnElement[Any]]:
    """Return the columns of a table that a class has fields for."""
    return [table.c[each.name] for each in fields(kind) if each.name in table.c]


def _find(kind: type[T], statement: Select[Any]) -> list[T]:
    """Return the rows of a statement whose columns are the fields of a class."""
    with reading_connection() as conn:
        return [kind(**row._mapping) for row in conn.execute(statement)]


# ------------------------------------------------------------------------------ sites and events


def list_sites() -> list[sites.SiteOverview]:
    """Return every site with its outcome and the documents of its last reading."""
    with reading_connection() as conn:
        return sites.overview(conn)


@dataclass(frozen=True)
class LocatedSite:
    """A site that is followed, and where it is if that is known."""

    subdomain: str
    name: str
    state: str
    latitude: float | None
    longitude: float | None


def located_sites() -> list[LocatedSite]:
    """Return every site by name; a position that cannot be one is not known."""
    columns = sites_table.c
    query = select(columns.subdomain, columns.name, columns.state, columns.lat, columns.lng)
    with reading_connection() as conn:
        rows = conn.execute(query).all()
    found = []
    for subdomain, name, state, *place in rows:
        try:
            latitude, longitude = map(float, place)
        except (TypeError, ValueError):
            latitude = longitude = math.nan
        known = abs(latitude) <= 90 and abs(longitude) <= 180
        position = (latitude, longitude) if known else (None, None)
        found.append(LocatedSite(subdomain, name or subdomain, state or "", *position))
    return sorted(found, key=lambda each: (each.name.lower(), each.subdomain))


def find_site(subdomain: str) -> SiteRow | None:
    """Return the row of a site; None if there is none."""
    with reading_connection() as conn:
        return db.get_site_by_subdomain(conn, subdomain)


def recent_events(limit: int = 12, subdomain: str | None = None) -> list[PipelineEvent]:
    """Return the last events, of all sites or of one."""
    events = stage_events_table
    statement = select(*_columns(events, PipelineEvent)).order_by(events.c.id.desc()).limit(limit)
    if subdomain is not None:
        statement = statement.where(events.c.subdomain == subdomain)
    return _find(PipelineEvent, statement)


def kept_answers(subdomain: str) -> list[KeptAnswer]:
    """Return what the source of a site returned and nobody understood, the newest first."""
    with reading_connection() as conn:
        return answers.kept_answers(conn, subdomain)


def text_of_answer(subdomain: str, name: str) -> str:
    """Return what one of these answers says."""
    with reading_connection() as conn:
        text = answers.text_of_answer(conn, subdomain, name)
    if text is None:
        raise NotFound(f"{subdomain} has no answer {name!r}.")
    return text


def past_reconciliations(limit: int = 20) -> list[PastReconciliation]:
    """Return the last reconciliations, newest first."""
    events = stage_events_table
    statement = (
        select(events.c.at, events.c.completed, events.c.failed, events.c.detail)
        .where(events.c.event == "reconciled")
        .order_by(events.c.id.desc())
        .limit(limit)
    )
    with reading_connection() as conn:
        rows = conn.execute(statement).fetchall()
    found = []
    for row in rows:
        detail = json.loads(row.detail or "{}")
        crashed = detail.get("crashed_batches", 0)
        found.append(
            PastReconciliation(row.at, detail.get("found", 0), crashed, row.completed, row.failed)
        )
    return found


def finished_work(after_event_id: int) -> list[FinishedWork]:
    """Return the work that was finished after an event, oldest first, and not before yesterday."""
    events = stage_events_table
    statement = (
        select(
            events.c.id.label("event_id"),
            events.c.stage,
            events.c.seconds,
            (events.c.completed + events.c.failed).label("pieces"),
        )
        .where(events.c.id > after_event_id, events.c.event == "finished")
        .where(events.c.at >= db_now(-DAY_SECONDS))
        .where(events.c.seconds.is_not(None), events.c.stage.is_not(None))
        .order_by(events.c.id)
    )
    return _find(FinishedWork, statement)


def seconds_by_stage() -> dict[str, float]:
    """Return the median time a piece of work took in each stage during the last day."""
    with reading_connection() as conn:
        return counts.seconds_by_stage(conn)


# -------------------------------------------------------------------------------------- batches


def stage_jobs(limit: int) -> list[StageJob]:
    """Return stages of runs: the open ones first, then the newest."""
    jobs = jobs_table
    stages = select(*_columns(jobs, StageJob)).where(jobs.c.kind == Kind.STAGE).limit(limit)
    # One after the other: sorted by their state, all stages there ever were would be read.  The
    # sum keeps SQLite from looking for open ones by their ids.
    open_stages = stages.where(jobs.c.state == ledger.sql_word("open"))
    found = _find(StageJob, open_stages.order_by((jobs.c.id + 0).desc()))
    closed = stages.where(jobs.c.state != "open").order_by(jobs.c.id.desc())
    return (found + _find(StageJob, closed))[:limit]


def _select_batches() -> Select[Any]:
    jobs, workers = jobs_table, workers_table
    return (
        select(
            *_columns(batches_table, ListedBatch),
            jobs.c.subdomain,
            jobs.c.stage,
            jobs.c.kind,
            jobs.c.run_id,
            workers.c.beat_at,
        )
        .join(jobs, jobs.c.id == batches_table.c.parent_job_id)
        .join(workers, workers.c.id == batches_table.c.worker_id, isouter=True)
    )


def list_batches(
    *,
    status: str | None = None,
    subdomain: str | None = None,
    job: int | None = None,
    limit: int = 50,
    offset: int = 0,
) -> list[ListedBatch]:
    """Return batches, newest first."""
    statement = _select_batches().order_by(batches_table.c.id.desc()).limit(limit).offset(offset)
    if status:
        statement = statement.where(batches_table.c.status == status)
    if subdomain:
        statement = statement.where(jobs_table.c.subdomain == subdomain)
    if job is not None:
        statement = statement.where(batches_table.c.parent_job_id == job)
    return _find(ListedBatch, statement)


def find_batch(batch_id: int) -> ListedBatch:
    """Return one batch; raise NotFound if there is none."""
    found = _find(ListedBatch, _select_batches().where(batches_table.c.id == batch_id))
    if not found:
        raise NotFound(f"There is no batch {batch_id}.")
    return found[0]


def batches_by_status(subdomain: str | None = None, job: int | None = None) -> dict[str, int]:
    """Return how many batches have each status, of all sites, of one, or of a job."""
    with reading_connection() as conn:
        return counts.batches_by_status(conn, subdomain, job)


# ---------------------------------------------------------------------- documents and workers


def list_documents(
    subdomain: str, *, state: str | None = None, like: str = "", limit: int = 100
) -> list[ListedItem]:
    """Return the documents of a site's last reading, those with an error first."""
    items, jobs = items_table, jobs_table
    last_reading = (
        select(func.max(jobs.c.id))
        .where(jobs.c.subdomain == subdomain, jobs.c.stage == OCR, jobs.c.kind == Kind.STAGE)
        .scalar_subquery()
    )
    statement = (
        select(*_columns(items, ListedItem))
        .where(items.c.job_id == last_reading)
        .order_by(items.c.error.is_(None), items.c.state.desc(), items.c.document)
        .limit(limit)
    )
    if state:
        statement = statement.where(items.c.state == state)
    if like:
        statement = statement.where(items.c.document.contains(like, autoescape=True))
    return _find(ListedItem, statement)


def list_workers() -> list[ListedWorker]:
    """Return the workers, those alive first, each with the batch it works on."""
    workers = workers_table
    alive = (workers.c.lease_until >= db_now()).label("alive")
    statement = select(*_columns(workers, ListedWorker), alive)
    running = _select_batches().where(batches_table.c.status == Batch.RUNNING)
    batch_of = {each.worker_id: each for each in _find(ListedBatch, running)}
    with reading_connection() as conn:
        dead = ledger.dead_on_this_host(conn)
        rows = conn.execute(statement.order_by(workers.c.lease_until.desc())).fetchall()
    return [
        ListedWorker(
            **{**row._mapping, "alive": row.alive and row.id not in dead},
            batch=batch_of.get(row.id),
        )
        for row in rows
    ]


# ------------------------------------------------------------------------ audit log, database


def record_audit(who: str, action: str, subject: str, detail: str) -> None:
    """Record what a person did where nothing else is written."""
    with civic_db_connection() as conn:
        ledger.audit(conn, who, action, subject, detail)


def audit_entries(*, like: str = "", limit: int = 100) -> list[AuditEntry]:
    """Return audit entries that contain some words, newest first."""
    audit = audit_table
    statement = select(*_columns(audit, AuditEntry)).order_by(audit.c.id.desc()).limit(limit)
    if like:
        columns = (audit.c.who, audit.c.action, audit.c.subject, audit.c.detail)
        statement = statement.where(
            or_(*(each.contains(like, autoescape=True) for each in columns))
        )
    return _find(AuditEntry, statement)


def database_version() -> str:
    """Return the kind of the database and the version of its schema."""
    engine = get_civic_db()
    return f"{engine.dialect.name}, schema {schema.current(engine)} of {schema.head()}"
