"""Runs as people ask for them: start or take up, how far they are, how they ended."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from sqlalchemy import Connection, Row, or_, select

from . import pipeline_state, queue, road
from .clock import utc_now
from .config import Settings
from .db import civic_db_connection, lock_site, reading_connection, require_site
from .models import items_table, jobs_table, runs_table, sites_table
from .stages import FETCH, OCR, QUEUES, STAGES, Item, Kind, Run, Step
from .work import steps

#: A site is due when it was updated longer ago than this.
DUE_HOURS = 23.0


@dataclass(frozen=True)
class Failure:
    """A document that failed, and why."""

    document: str
    error: str


@dataclass
class Summary:
    """How a run ended, or how far it is."""

    subdomain: str
    run_id: str
    state: str
    reason: str = ""
    total: int = 0
    completed: int = 0
    failed: int = 0
    #: Documents that needed no reading.
    unchanged: int = 0
    #: Documents that were taken in hand.
    attempted: int = 0
    pages: int = 0
    #: What each single step had to say, by stage.
    details: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    failures: list[Failure] = field(default_factory=list)

    @property
    def nothing_new(self) -> bool:
        """Whether there was nothing to read that is not known to fail."""
        over = self.state in (Run.COMPLETED, Run.PARTIAL)
        return over and self.total > 0 and self.attempted == 0

    @property
    def succeeded(self) -> bool:
        """Whether every document that was found is readable now."""
        return self.state == Run.COMPLETED


def start(
    subdomain: str,
    *,
    options: Mapping[str, Any] | None = None,
    goal: str | None = None,
    first: str = FETCH,
    restart: bool = False,
) -> str:
    """Start a run of a site, or take up the one that is under way, and return its id."""
    with civic_db_connection() as conn:
        lock_site(conn, subdomain)
        require_site(conn, subdomain)
        active = pipeline_state.active_run(conn, subdomain)
        if active is not None and not restart:
            run_id: str = active.run_id
        else:
            run_id = road.start_run(conn, subdomain, first=first, goal=goal, options=options)
    queue.offer(QUEUES)
    return run_id


def check_engine(subdomains: Sequence[str], options: Mapping[str, Any], settings: Settings) -> None:
    """Refuse runs whose OCR engine is not installed, before anything is opened."""
    with reading_connection() as conn:
        for subdomain in subdomains:
            steps.check_engine(require_site(conn, subdomain), options, settings)


def due_sites(hours: float = DUE_HOURS) -> list[str]:
    """Return the sites that were not updated for so long, and those with a run to be taken up."""
    cutoff = utc_now() - timedelta(hours=hours)
    sites, active = (
        sites_table,
        select(runs_table.c.subdomain).where(runs_table.c.state == Run.ACTIVE),
    )
    with reading_connection() as conn:
        return list(
            conn.execute(
                select(sites.c.subdomain)
                .where(
                    or_(
                        sites.c.updated_at.is_(None),
                        sites.c.updated_at < cutoff,
                        sites.c.subdomain.in_(active),
                    )
                )
                .order_by(sites.c.updated_at.asc().nulls_first(), sites.c.subdomain)
            ).scalars()
        )


def any_active(run_ids: Collection[str]) -> bool:
    """Whether one of the runs is under way still."""
    with reading_connection() as conn:
        return (
            conn.execute(
                select(runs_table.c.run_id).where(
                    runs_table.c.run_id.in_(list(run_ids)), runs_table.c.state == Run.ACTIVE
                )
            ).first()
            is not None
        )


def progress(run_ids: Sequence[str]) -> list[Row[Any]]:
    """Return the counters of each stage of the runs, in the order of the road."""
    with reading_connection() as conn:
        rows = conn.execute(
            select(jobs_table).where(
                jobs_table.c.run_id.in_(list(run_ids)), jobs_table.c.kind == Kind.STAGE
            )
        ).fetchall()
    return sorted(rows, key=lambda row: (run_ids.index(row.run_id), STAGES.index(row.stage)))


def summarise(run_id: str) -> Summary:
    """Return how a run ended, or how far it is."""
    with reading_connection() as conn:
        run = conn.execute(select(runs_table).where(runs_table.c.run_id == run_id)).one()
        summary = Summary(run.subdomain, run_id, run.state, run.reason or "")
        jobs = conn.execute(select(jobs_table).where(jobs_table.c.run_id == run_id)).fetchall()
        for job in jobs:
            if job.stage != OCR:
                summary.details[job.stage] = job.detail
            if job.stage == OCR and job.kind == Kind.STAGE:
                _add_reading(conn, job, summary)
            elif job.failed:
                summary.failures += _failures(conn, job)
    return summary


def _add_reading(conn: Connection, job: Row[Any], summary: Summary) -> None:
    summary.total, summary.completed, summary.failed = job.total, job.completed, job.failed
    items = items_table
    carried = conn.execute(
        select(items.c.documents).where(
            items.c.job_id == job.id, items.c.step == Step.CARRIED, items.c.state == Item.COMPLETED
        )
    ).scalars()
    summary.unchanged = sum(carried)
    tried = conn.execute(
        select(items.c.pages).where(items.c.job_id == job.id, items.c.attempt > 0)
    ).fetchall()
    summary.attempted = len(tried)
    summary.pages = sum(row.pages or 0 for row in tried)
    summary.failures += _failures(conn, job)


def _failures(conn: Connection, job: Row[Any]) -> list[Failure]:
    items = items_table
    rows = conn.execute(
        select(items.c.document, items.c.step, items.c.error)
        .where(items.c.job_id == job.id)
        .where(items.c.state.in_([Item.FAILED, Item.QUARANTINED]))
        .order_by(items.c.document)
    )
    return [Failure(row.document or row.step, row.error or "no reason was kept") for row in rows]
