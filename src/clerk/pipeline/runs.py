"""Runs as people ask for them: start or take up, how far they are, how they ended."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import datetime

from sqlalchemy import Connection, Select, bindparam, func, or_, select

from clerk.core import site_files
from clerk.core.config import Settings
from clerk.core.db import (
    among,
    civic_db_connection,
    lock_site,
    lock_sites,
    reading_connection,
    require_site,
    sites_in_a_run,
)
from clerk.core.models import db_now, items_table, jobs_table, runs_table, sites_table
from clerk.core.run_options import NO_OPTIONS, RunOptions
from clerk.core.states import (
    COMPILATION,
    DEPLOY,
    EXTRACTION,
    FETCH,
    OCR,
    QUEUES,
    STAGES,
    Item,
    Kind,
    Run,
    Step,
)

from . import queues, reconcile, steps, transitions
from .stages import CompileResult, DeployResult, ExtractResult, FetchResult

#: The rank of a run that goes before all others, and of one that waits for all others.
URGENT, LATE = -100, 100

#: A site is due when it was updated longer ago than this.
DUE_HOURS = 23.0
#: How many runs are started in one transaction.
STARTED_AT_ONCE = 100


@dataclass(frozen=True)
class RunFailure:
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
    #: Documents that were left when the run was cancelled or superseded.
    cancelled: int = 0
    #: Documents that needed no reading.
    unchanged: int = 0
    #: Documents that were tried.
    attempted: int = 0
    pages: int = 0
    #: What each single step had to say, by stage, as JSON shows it.
    details: dict[str, Mapping[str, object]] = field(default_factory=dict)
    failures: list[RunFailure] = field(default_factory=list)

    @property
    def nothing_new(self) -> bool:
        """Whether there was nothing to read that is not known to fail, nor gone or moved.

        A site that is published elsewhere now, or with other votes, is news too.
        """
        over = self.state in (Run.COMPLETED, Run.PARTIAL)
        rearranged = self.fetched and (self.fetched.gone or self.fetched.moved)
        published = self.deployed and self.deployed.changed
        return over and self.total > 0 and not (self.attempted or rearranged or published)

    @property
    def fetched(self) -> FetchResult | None:
        """What was found at the source, once that is known."""
        return FetchResult.stored(self.details.get(FETCH))

    @property
    def compiled(self) -> CompileResult | None:
        """What the database has, once it is compiled."""
        return CompileResult.stored(self.details.get(COMPILATION))

    @property
    def extracted(self) -> ExtractResult | None:
        """What was found in the text, once it is extracted."""
        return ExtractResult.stored(self.details.get(EXTRACTION))

    @property
    def deployed(self) -> DeployResult | None:
        """Where the site was published, once it is."""
        return DeployResult.stored(self.details.get(DEPLOY))

    @property
    def succeeded(self) -> bool:
        """Whether every document that was found is readable now."""
        return self.state == Run.COMPLETED


def start(
    settings: Settings,
    subdomain: str,
    *,
    options: RunOptions = NO_OPTIONS,
    goal: str | None = None,
    first: str = FETCH,
    restart: bool = False,
    urgent: bool = False,
) -> str:
    """Start a run of a site, or take up the one that is under way, and return its id.

    A run with nothing in it that anybody could do is first brought in line with the disk.  An
    urgent run goes before all that waits, also if it is under way already.
    """
    if not restart:
        with reading_connection() as conn:
            run = transitions.active_run(conn, subdomain)
            is_stuck = run is not None and not reconcile.has_work(conn, run.run_id)
        if is_stuck:
            reconcile.recover(settings, subdomain)
    with civic_db_connection() as conn:
        lock_site(conn, subdomain)
        require_site(conn, subdomain)
        active = transitions.active_run(conn, subdomain)
        if active is not None and not restart:
            run_id: str = active.run_id
            if urgent and active.rank > URGENT:
                transitions.change_rank(conn, run_id, URGENT)
        else:
            run_id = transitions.start_run(
                conn,
                subdomain,
                first=first,
                goal=goal,
                options=options,
                rank=URGENT if urgent else 0,
            )
    queues.offer(settings, QUEUES)
    return run_id


def start_due(settings: Settings, options: RunOptions = NO_OPTIONS) -> Iterator[int]:
    """Start a run of every due site without one, and give the number started so far.

    Many are started in one transaction.  Who is interrupted has started whole groups; repeating it
    starts the others.
    """
    with reading_connection() as conn:
        names = list(conn.execute(_due_sites(DUE_HOURS)).scalars())
    started = 0
    for first in range(0, len(names), STARTED_AT_ONCE):
        group = names[first : first + STARTED_AT_ONCE]
        with civic_db_connection() as conn:
            lock_sites(conn, group)
            # Others may have started some of them since they were listed.
            chosen = _due_sites(DUE_HOURS).where(among(conn, sites_table.c.subdomain, group))
            for name in sorted(conn.execute(chosen).scalars()):
                transitions.start_run(conn, name, options=options)
                started += 1
        queues.offer(settings, QUEUES)
        yield started


def _due_sites(hours: float) -> Select[str]:
    """Return the query of the sites not updated for this many hours and not in a run."""
    updated_at = sites_table.c.updated_at
    return (
        select(sites_table.c.subdomain)
        .where(or_(updated_at.is_(None), updated_at < db_now(-3600.0 * hours)))
        .where(sites_table.c.subdomain.not_in(sites_in_a_run()))
        .order_by(updated_at.asc().nulls_first(), sites_table.c.subdomain)
    )


def not_applied(run_id: str, options: RunOptions, goal: str | None = None) -> list[str]:
    """Return which of the wishes a run that was taken up does not have."""
    with reading_connection() as conn:
        run = conn.execute(select(runs_table).where(runs_table.c.run_id == run_id)).one()
    applied = RunOptions.stored(run.options).as_stored()
    wishes = [name for name, value in options.as_stored().items() if applied.get(name) != value]
    return wishes + (["stage"] if goal and run.goal_stage != goal else [])


def check_engine(
    subdomains: Sequence[str],
    options: RunOptions,
    settings: Settings,
    *,
    reads_here: bool = False,
) -> None:
    """Refuse runs whose OCR engine is not installed, before anything is opened.

    With ``reads_here`` also those whose languages this machine has no data for.
    """
    with reading_connection() as conn:
        for subdomain in subdomains:
            site = require_site(conn, subdomain)
            steps.check_engine(site, options, settings, reads_here=reads_here)


def list_all_years(subdomains: Sequence[str]) -> None:
    """Have the next run of each site list its source from the site's start year on.

    What is here already is not fetched again unless it is due.  A fetch that is under way goes on
    as it began; the run after it lists everything.
    """
    with civic_db_connection() as conn:
        for subdomain in subdomains:
            require_site(conn, subdomain)
        site_files.forget_full_listings(conn, subdomains)


def due_sites(hours: float = DUE_HOURS) -> list[str]:
    """Return the sites not updated for this many hours, and those with a run to be taken up."""
    sites, cutoff = sites_table, db_now(-3600.0 * hours)
    with reading_connection() as conn:
        return list(
            conn.execute(
                select(sites.c.subdomain)
                .where(
                    or_(
                        sites.c.updated_at.is_(None),
                        sites.c.updated_at < cutoff,
                        sites.c.subdomain.in_(sites_in_a_run()),
                    )
                )
                .order_by(sites.c.updated_at.asc().nulls_first(), sites.c.subdomain)
            ).scalars()
        )


class Unfinished:
    """Some runs, true while one of them is under way; cheap to ask again and again."""

    def __init__(self, run_ids: Collection[str]) -> None:
        self._left = list(run_ids)

    def __bool__(self) -> bool:
        """Check the last one only, and remove it from the list when it has ended."""
        with reading_connection() as conn:
            while self._left and not conn.execute(_ACTIVE, {"run": self._left[-1]}).first():
                self._left.pop()
        return bool(self._left)


_ACTIVE = select(runs_table.c.run_id).where(
    runs_table.c.run_id == bindparam("run"), runs_table.c.state == Run.ACTIVE
)


@dataclass(frozen=True)
class JobProgress:
    """How far a stage of a run is."""

    id: int
    run_id: str
    subdomain: str
    stage: str
    state: str
    total: int
    completed: int
    failed: int
    updated_at: datetime


def progress(run_ids: Sequence[str], since: datetime | None = None) -> list[JobProgress]:
    """Return the counters of each stage of the runs, in the order of the pipeline.

    With ``since`` only those that have changed from then on.
    """
    jobs, place = jobs_table, {run_id: at for at, run_id in enumerate(run_ids)}
    columns = [jobs.c[each.name] for each in fields(JobProgress)]
    with reading_connection() as conn:
        of_runs = among(conn, jobs.c.run_id, run_ids)
        chosen = select(*columns).where(of_runs, jobs.c.kind == Kind.STAGE)
        if since is not None:
            chosen = chosen.where(jobs.c.updated_at >= since)
        found = [JobProgress(*row) for row in conn.execute(chosen)]
    return sorted(found, key=lambda each: (place[each.run_id], STAGES.index(each.stage)))


def pages_read(job_ids: Sequence[int]) -> dict[int, int]:
    """Return how many pages each of these few jobs has read so far."""
    items = items_table
    with reading_connection() as conn:
        counted = (
            select(items.c.job_id, func.coalesce(func.sum(items.c.pages), 0))
            .where(items.c.job_id.in_(job_ids), items.c.attempt > 0)
            .group_by(items.c.job_id)
        )
        return {job: int(pages) for job, pages in conn.execute(counted)}


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
                summary.total, summary.completed, summary.failed = (
                    job.total,
                    job.completed,
                    job.failed,
                )
                if job.state == "closed":
                    summary.cancelled = job.total - job.completed - job.failed
                items = items_table
                of_job = items.c.job_id == job.id
                carried = select(items.c.documents).where(
                    of_job, items.c.step == Step.CARRIED, items.c.state == Item.COMPLETED
                )
                summary.unchanged = sum(conn.execute(carried).scalars())
                tried = conn.execute(
                    select(items.c.pages, items.c.state).where(of_job, items.c.attempt > 0)
                ).fetchall()
                summary.attempted = len(tried)
                # Of a document that was not finished a heartbeat has recorded the page that was
                # being read.
                summary.pages = sum(row.pages or 0 for row in tried if row.state == Item.COMPLETED)
                summary.failures += _failures(conn, job.id)
            elif job.failed:
                summary.failures += _failures(conn, job.id)
    return summary


def _failures(conn: Connection, job_id: int) -> list[RunFailure]:
    items = items_table
    rows = conn.execute(
        select(items.c.document, items.c.step, items.c.error)
        .where(items.c.job_id == job_id)
        .where(items.c.state.in_([Item.FAILED, Item.QUARANTINED]))
        .order_by(items.c.document)
    )
    return [RunFailure(row.document or row.step, row.error or "no reason recorded") for row in rows]
