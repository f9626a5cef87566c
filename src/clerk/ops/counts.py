"""Every figure that clerk shows, counted once: commands, pages, API and metrics show these.

:mod:`clerk.ops.health` decides whether they are good or bad.  What each figure means is written
here and, for operators, in ``docs/operating.md``::

    silent            sites in a stage without progress for two hours
    stuck             silent sites that nobody works on and no live worker will get to
    blocked           sites whose work waits until a person acts (full disk, missing engine)
    without documents sites whose last run found nothing
    attention         sites a person should check, each with one reason

    reading           the documents of each site's last reading; of a site that was never read here,
                      the counters that an older system left
    failed documents  those of the last readings that are failed or quarantined now
    failed steps      steps of the last run of each site that failed (fetch, compile, deploy ...)
    a cancelled document is neither read nor failed; a retried one is not failed any more

    last 24 hours     documents read: successful readings (read twice, counted twice)
                      documents failed: failed documents that became so within the day
                      runs by the state they ended in, within the day
                      crashes: batches created within the day whose process or worker died

    waiting, running  items in a queue: documents, steps, parts of uploads
    health score      the old system's: the share of sites that are done or moved within two hours

``ocr``, ``compilation``, ``documents`` and ``progress`` are sums of the counters in ``sites``,
which start at zero when a fetch has succeeded: a failed one leaves those of the run before.
Percentages are rounded as SQL rounds them; the database's
clock decides what is within a day.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal
from statistics import median
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Float,
    Row,
    and_,
    case,
    exists,
    extract,
    func,
    or_,
    select,
)

from clerk.core.config import Settings
from clerk.core.db import documents_of_sites, latest_runs, snapshot_connection
from clerk.core.models import (
    batches_table,
    db_now,
    hour_of,
    jobs_table,
    runs_table,
    sites_table,
    stage_events_table,
    workers_table,
)
from clerk.core.states import (
    COMPILATION,
    COMPLETED,
    DEPLOY,
    EXTRACTION,
    FETCH,
    OCR,
    QUEUES,
    STAGES,
    Batch,
    Kind,
    Run,
)
from clerk.pipeline import batches, failures, ledger, queues, schedule
from clerk.pipeline.failures import DAY_SECONDS, FailureTotals
from clerk.pipeline.ledger import sql_word
from clerk.pipeline.queues import LiveWorkers, QueueWork
from clerk.pipeline.reconcile import stuck_sites, waiting_for_a_person
from clerk.pipeline.schedule import LateSite
from clerk.pipeline.transitions import NO_DOCUMENTS

#: A site in a stage without progress for this long is silent.
SILENT_SECONDS = 2 * 3600.0

#: From this share of failed documents on, a site needs attention.
HIGH_FAILURE_PERCENT = 10.0

#: How many sites a list names.
SITES_NAMED = 10

#: How many of the latest events of a stage a median is taken over.
MEDIAN_EVENTS = 5000


def percent(part: int, whole: int) -> float | None:
    """Return a share with one decimal, rounded as SQL does; None when the whole is 0."""
    if not whole:
        return None
    share = Decimal(100 * part) / Decimal(whole)
    return float(share.quantize(Decimal("0.1"), rounding=ROUND_HALF_UP))


# ----------------------------------------------------------------------------------- values


@dataclass(frozen=True)
class SilentSite:
    """A site in a stage without progress for two hours."""

    subdomain: str
    stage: str
    updated_at: datetime | None
    hours: float | None
    total: int
    completed: int
    failed: int


@dataclass(frozen=True)
class Attention:
    """A site a person should check, and why."""

    subdomain: str
    reason: str


@dataclass(frozen=True)
class Rates:
    """Documents of all sites, and the shares of them in percent."""

    total: int
    completed: int
    failed: int

    @property
    def success(self) -> float | None:
        """The share that completed."""
        return percent(self.completed, self.total)

    @property
    def failure(self) -> float | None:
        """The share that failed."""
        return percent(self.failed, self.total)


@dataclass(frozen=True)
class StageProgress:
    """The sites in one stage, and how far they are in it together."""

    stage: str
    sites: int
    total: int
    completed: int
    failed: int


@dataclass(frozen=True)
class StalledQueue:
    """A queue whose work is not claimed, although live workers serve it and are idle."""

    name: str
    waiting: int
    workers: int


@dataclass(frozen=True)
class FetcherRuns:
    """How the last runs of the last day of one fetcher's sites went."""

    fetcher: str
    ran: int
    #: Sites whose fetch failed, or found nothing where there were documents before.
    failed_sites: tuple[str, ...]
    #: What one of them said.
    example: str

    @property
    def failed(self) -> int:
        """How many of them failed to fetch."""
        return len(self.failed_sites)


@dataclass(frozen=True)
class FailingSite:
    """A site whose last runs failed, how many in a row, and why the last one did."""

    subdomain: str
    failures: int
    reason: str


@dataclass
class Hour:
    """What happened within one hour of the last 24; the first and the last are incomplete."""

    begins_at: datetime
    done: int = 0
    failed: int = 0
    crashes: int = 0
    batches: int = 0

    @property
    def crash_rate(self) -> float:
        """The share of batches that crashed."""
        return self.crashes / self.batches if self.batches else 0.0


@dataclass(frozen=True)
class LastDay:
    """What happened within the last 24 hours."""

    documents_read: int
    documents_failed: int
    crashes: int
    batches: int
    reconciliations: int
    runs_started: int
    runs_completed: int
    runs_partial: int
    runs_no_documents: int
    runs_failed: int
    runs_cancelled: int
    runs_superseded: int

    @property
    def documents(self) -> int:
        """Documents that were read or failed."""
        return self.documents_read + self.documents_failed

    @property
    def runs(self) -> int:
        """Runs that ended without being cancelled or superseded."""
        well = self.runs_completed + self.runs_partial + self.runs_no_documents
        return well + self.runs_failed


@dataclass(frozen=True)
class Figures:
    """All figures, as they were at one moment."""

    sites: int
    stages: Mapping[str, int]
    hours_by_stage: Mapping[str, float]
    without_documents: int
    silent: int
    stuck: tuple[SilentSite, ...]
    #: Site -> what it waits for.
    blocked: Mapping[str, str]
    health_score: float | None
    silent_percent: float | None
    ocr: Rates
    compilation: Rates
    reading: Rates
    failed: FailureTotals
    last_day: LastDay
    queues: Mapping[str, QueueWork]
    stalled: tuple[StalledQueue, ...]
    paused: tuple[str, ...]
    workers: LiveWorkers
    #: Workers that died within the last day, whether their work was recovered or not.
    workers_lost: int
    #: Queues whose last worker is one of those.
    queues_left: tuple[str, ...]
    #: Some sites that were published here, whose files must be on disk.
    sites_with_files: tuple[str, ...]
    #: Documents and steps that ended within the last day.
    finished_by_stage: Mapping[str, int]
    #: When due sites were queued last, and how many wait for that now.
    scheduled_at: datetime | None
    overdue: int
    #: Sites whose last good run is too long ago for their schedule.
    late: tuple[LateSite, ...]
    fetchers: tuple[FetcherRuns, ...]
    failing: tuple[FailingSite, ...]
    batches: Mapping[str, int]
    attention: tuple[Attention, ...]
    progress: tuple[StageProgress, ...]
    documents: Mapping[str, Rates]
    reconciled_at: datetime | None
    hours: tuple[Hour, ...]

    @property
    def under_way(self) -> int:
        """The sites that are in a stage."""
        return sum(number for stage, number in self.stages.items() if stage != COMPLETED)

    def cleaned(self, clean: Callable[[str], str]) -> Figures:
        """Return the figures with every text that may quote an error cleaned."""
        return replace(
            self,
            attention=tuple(replace(each, reason=clean(each.reason)) for each in self.attention),
            failing=tuple(replace(each, reason=clean(each.reason)) for each in self.failing),
            fetchers=tuple(replace(each, example=clean(each.example)) for each in self.fetchers),
            blocked={site: clean(why) for site, why in self.blocked.items()},
        )

    def as_dict(self) -> dict[str, object]:
        """Return the figures as JSON shows them."""
        rates = {"ocr": self.ocr, "compilation": self.compilation, "reading": self.reading}
        shares = {
            name: asdict(each) | {"success_rate": each.success, "failure_rate": each.failure}
            for name, each in rates.items()
        }
        active = {
            name: {"waiting": each.waiting, "running": each.running}
            for name, each in self.queues.items()
        }
        shown = {name: value for name, value in asdict(self).items() if name != "queues"}
        return shown | shares | {"active": active}


# ---------------------------------------------------------------------------------- counting

_COUNTERS = ("total", "completed", "failed")
_Reading = Row[tuple[str, int, int, int]]


def figures(settings: Settings) -> Figures:
    """Count everything, at one moment."""
    with snapshot_connection() as conn:
        # The queues of each worker that died within the last day without signing off.
        dead = or_(
            workers_table.c.lease_until < db_now(),
            workers_table.c.id.in_(ledger.dead_on_this_host(conn)),
        )
        of_last_day = workers_table.c.lease_until >= db_now(-DAY_SECONDS)
        died = conn.execute(select(workers_table.c.queues).where(dead, of_last_day)).scalars()
        lost, workers = [names.split(",") for names in died], queues.live_workers(conn)
        now = conn.execute(select(db_now())).scalar_one()
        schedules = schedule.list_schedules(conn, settings, now)
        counted = _count_sites(conn)
        with_stage = sum(counted.stages.values())
        stuck = [
            SilentSite(
                site.subdomain,
                site.current_stage,
                site.updated_at,
                (now - site.updated_at).total_seconds() / 3600 if site.updated_at else None,
                site.ocr_total,
                site.ocr_completed,
                site.ocr_failed,
            )
            for site in stuck_sites(conn, SILENT_SECONDS / 3600)
        ]
        hours = _hours(conn, now)
        sites, last = sites_table, latest_runs(runs_table.c.state)
        found_nothing = or_(
            last.c.state == Run.NO_DOCUMENTS,
            and_(last.c.state.is_(None), sites.c.last_error_message == NO_DOCUMENTS),
        )
        without_documents = (
            select(sites.c.subdomain)
            .join(last, last.c.subdomain == sites.c.subdomain, isouter=True)
            .where(sites.c.current_stage == COMPLETED, found_nothing)
            .order_by(sites.c.subdomain)
        )
        empty, blocked = conn.execute(without_documents).scalars().all(), waiting_for_a_person(conn)
        work = queues.open_work(conn)
        read = conn.execute(documents_of_sites()).fetchall()
        attention = _attention(conn, read, empty, stuck, blocked)
        events = stage_events_table
        reconciled = select(func.max(events.c.at)).where(events.c.event == "reconciled")
        finished = (
            select(events.c.stage, func.sum(events.c.completed + events.c.failed))
            .where(events.c.event == "finished", events.c.at >= db_now(-DAY_SECONDS))
            .where(events.c.stage.is_not(None))
            .group_by(events.c.stage)
        )
        # Sites that a run took from fetch to deploy last: a few are enough.
        runs, jobs = runs_table, jobs_table
        was_deployed = exists().where(
            jobs.c.run_id == runs.c.run_id,
            jobs.c.kind == Kind.STAGE,
            jobs.c.stage == DEPLOY,
            jobs.c.completed > 0,
        )
        deployed = (
            select(runs.c.subdomain)
            .where(runs.c.state.in_(_WENT_WELL), was_deployed)
            .order_by(runs.c.finished_at.desc())
            .limit(2 * SITES_NAMED)
        )
        return Figures(
            sites=counted.sites,
            stages=counted.stages,
            hours_by_stage=counted.hours_by_stage,
            without_documents=len(empty),
            silent=counted.silent,
            stuck=tuple(stuck),
            blocked=blocked,
            health_score=percent(with_stage - counted.unhealthy, with_stage),
            silent_percent=percent(counted.silent, counted.under_way),
            ocr=counted.documents[OCR],
            compilation=counted.compilation,
            reading=Rates(*(sum(getattr(row, name) for row in read) for name in _COUNTERS)),
            failed=failures.count_in_database(conn),
            last_day=_last_day(conn, hours),
            queues=work,
            stalled=tuple(_stalled(conn, now, work)),
            paused=tuple(queues.paused(conn)),
            workers=workers,
            workers_lost=len(lost),
            queues_left=tuple(
                name
                for name in QUEUES
                if name not in workers.by_queue and any(name in each for each in lost)
            ),
            sites_with_files=tuple(dict.fromkeys(conn.execute(deployed).scalars())),
            finished_by_stage={row[0]: row[1] for row in conn.execute(finished)},
            scheduled_at=schedule.looked_at(conn),
            overdue=len(schedule.overdue(schedules, now)),
            late=tuple(schedule.late_sites(conn, schedules, now)),
            fetchers=fetcher_runs(conn, {row.subdomain for row in read if row.total}),
            failing=_failing(conn),
            batches=batches_by_status(conn),
            attention=tuple({each.subdomain: each for each in attention}.values()),
            progress=counted.progress,
            documents=counted.documents,
            reconciled_at=conn.execute(reconciled).scalar(),
            hours=tuple(hours),
        )


@dataclass(frozen=True)
class _SiteCounts:
    """What the rows of ``sites`` say, counted in one statement."""

    sites: int
    stages: Mapping[str, int]
    under_way: int
    silent: int
    #: Silent, or never updated: the old system compared with NULL, which is never true.
    unhealthy: int
    hours_by_stage: Mapping[str, float]
    #: Of sites that have documents to read.
    compilation: Rates
    documents: Mapping[str, Rates]
    progress: tuple[StageProgress, ...]


def _count_sites(conn: Connection) -> _SiteCounts:
    sites = sites_table
    stage, updated_at = sites.c.current_stage, sites.c.updated_at
    if conn.dialect.name == "sqlite":
        days: Any = func.julianday("now", type_=Float) - func.julianday(updated_at, type_=Float)
        hours = 24.0 * days
    else:
        hours = extract("epoch", func.now() - updated_at) / 3600.0
    sums: dict[str, ColumnElement[Any]] = {
        f"{each}_{name}": func.sum(sites.c[f"{each}_{name}"])
        for each in STAGES
        for name in _COUNTERS
    }
    has_documents = sites.c.ocr_total > 0
    for name in _COUNTERS:
        sums[f"read_{name}"] = func.sum(sites.c[f"{COMPILATION}_{name}"]).filter(has_documents)
    rows = conn.execute(
        select(
            stage,
            func.count().label("sites"),
            func.count().filter(updated_at < db_now(-SILENT_SECONDS)).label("silent"),
            func.count().filter(updated_at.is_(None)).label("never_updated"),
            func.avg(hours).label("hours"),
            *(func.coalesce(total, 0).label(name) for name, total in sums.items()),
        )
        .group_by(stage)
        .order_by(stage)
    ).fetchall()

    def counters(of: str, rows: Sequence[Row[Any]]) -> tuple[int, ...]:
        return tuple(sum(row._mapping[f"{of}_{name}"] for row in rows) for name in _COUNTERS)

    in_stage = {row.current_stage: row for row in rows if row.current_stage is not None}
    under_way = [row for name, row in in_stage.items() if name != COMPLETED]
    silent = sum(row.silent for row in under_way)
    return _SiteCounts(
        sites=sum(row.sites for row in rows),
        stages={name: row.sites for name, row in in_stage.items()},
        under_way=sum(row.sites for row in under_way),
        silent=silent,
        unhealthy=silent + sum(row.never_updated for row in under_way),
        hours_by_stage={
            row.current_stage: float(row.hours) for row in under_way if row.hours is not None
        },
        compilation=Rates(*counters("read", rows)),
        documents={each: Rates(*counters(each, rows)) for each in STAGES},
        progress=tuple(
            StageProgress(
                each,
                in_stage[each].sites if each in in_stage else 0,
                *counters(each, [in_stage[each]] if each in in_stage else []),
            )
            for each in STAGES
        ),
    )


def sites_with_failures(read: Iterable[_Reading]) -> list[_Reading]:
    """Return the sites that have failed documents, the highest share first."""
    failing = [row for row in read if row.total and row.failed]
    return sorted(failing, key=lambda row: (-row.failed / row.total, row.subdomain))


# --------------------------------------------------------------------------- the last 24 hours


def _hours(conn: Connection, now: datetime) -> list[Hour]:
    """Return the last 24 hours by the hour (UTC), the oldest first."""
    first = (now - timedelta(hours=24)).replace(minute=0, second=0, microsecond=0)
    found = {at: Hour(at) for at in (first + timedelta(hours=each) for each in range(25))}

    def hour(at: datetime) -> Hour:
        return found.setdefault(at, Hour(at))

    events = stage_events_table
    finished = hour_of(events.c.at)
    for at, documents in conn.execute(
        select(finished, func.sum(events.c.completed))
        .where(events.c.at >= db_now(-DAY_SECONDS), events.c.event == "finished")
        .where(events.c.stage == OCR)
        .group_by(finished)
    ):
        hour(at).done += documents
    for at, documents in failures.recent_by_hour(conn).items():
        hour(at).failed += documents
    for at, made in batches.by_hour(conn, now - timedelta(hours=24)).items():
        hour(at).batches += made.total()
        hour(at).crashes += made[Batch.CRASHED]
    return [found[at] for at in sorted(found)]


def _last_day(conn: Connection, hours: Sequence[Hour]) -> LastDay:
    events = stage_events_table
    ends = [f"run {state}" for state in Run.ENDED]
    # By name: grouped, SQLite would read all events there ever were.
    named = events.c.event.in_(["reconciled", "run started", "run resumed", *ends])
    rows = conn.execute(
        select(events.c.event, func.count())
        .where(named, events.c.at >= db_now(-DAY_SECONDS))
        .group_by(events.c.event)
    )
    times = {row[0]: row[1] for row in rows}
    ended = {
        f"runs_{state}": times.get(f"run {state}", 0) for state in Run.ALL if state != Run.ACTIVE
    }
    return LastDay(
        documents_read=sum(hour.done for hour in hours),
        documents_failed=sum(hour.failed for hour in hours),
        crashes=sum(hour.crashes for hour in hours),
        batches=sum(hour.batches for hour in hours),
        reconciliations=times.get("reconciled", 0),
        runs_started=times.get("run started", 0) + times.get("run resumed", 0),
        **ended,
    )


def failing_fetches() -> tuple[FetcherRuns, ...]:
    """Return how the last runs of the last day went, by fetcher."""
    with snapshot_connection() as conn:
        read = conn.execute(documents_of_sites()).fetchall()
        return fetcher_runs(conn, {row.subdomain for row in read if row.total})


def fetcher_runs(conn: Connection, had_documents: Collection[str]) -> tuple[FetcherRuns, ...]:
    """Return how the last run of each site that ended within the last day went, by fetcher."""
    events, sites = stage_events_table, sites_table
    ends = [f"run {state}" for state in (*_WENT_WELL, Run.NO_DOCUMENTS, Run.FAILED)]
    last = (
        select(func.max(events.c.id).label("id"))
        .where(events.c.event.in_(ends), events.c.at >= db_now(-DAY_SECONDS))
        .where(events.c.subdomain.is_not(None))
        .group_by(events.c.subdomain)
        .subquery()
    )
    rows = conn.execute(
        select(
            sites.c.scraper,
            sites.c.subdomain,
            sites.c.last_error_message,
            events.c.event,
            events.c.stage,
            events.c.detail,
        )
        .join(last, last.c.id == events.c.id)
        .join(sites, sites.c.subdomain == events.c.subdomain)
        .where(sites.c.scraper.is_not(None), sites.c.scraper != "")
        .order_by(sites.c.scraper, sites.c.subdomain)
    ).fetchall()
    by_fetcher: dict[str, list[Any]] = {}
    for row in rows:
        by_fetcher.setdefault(row.scraper, []).append(row)
    found = []
    for fetcher, ran in by_fetcher.items():
        failed = [
            row
            for row in ran
            if (row.event == f"run {Run.FAILED}" and row.stage == FETCH)
            or (row.event == f"run {Run.NO_DOCUMENTS}" and row.subdomain in had_documents)
        ]
        example = _why(failed[0].detail, failed[0].last_error_message) if failed else ""
        names = tuple(row.subdomain for row in failed)
        found.append(FetcherRuns(fetcher, len(ran), names, example))
    return tuple(found)


#: The states of a run that brought a site up to date.
_WENT_WELL = (Run.COMPLETED, Run.PARTIAL)


def _failing(conn: Connection) -> tuple[FailingSite, ...]:
    """Return the sites whose last runs failed, with how many failed in a row."""
    sites, runs, well = sites_table, runs_table, runs_table.alias("well")
    # Looked up in the index site by site: joined, all runs there ever were would be read.
    ended_well = (
        select(well.c.epoch)
        .where(well.c.subdomain == sites.c.subdomain)
        .where(well.c.state.in_([*_WENT_WELL, Run.NO_DOCUMENTS]))
        .order_by(well.c.epoch.desc())
        .limit(1)
        .correlate(sites)
        .scalar_subquery()
    )
    in_a_row = (
        select(func.count())
        .where(runs.c.subdomain == sites.c.subdomain, runs.c.state == Run.FAILED)
        .where(runs.c.epoch > func.coalesce(ended_well, 0))
        .correlate(sites)
        .scalar_subquery()
    )
    counted = select(
        sites.c.subdomain, sites.c.last_error_message, in_a_row.label("failures")
    ).subquery()
    last_reason = (
        select(runs.c.reason)
        .where(runs.c.subdomain == counted.c.subdomain, runs.c.state == Run.FAILED)
        .order_by(runs.c.epoch.desc())
        .limit(1)
        .scalar_subquery()
    )
    rows = conn.execute(
        select(counted, last_reason.label("reason"))
        .where(counted.c.failures > 0)
        .order_by(counted.c.subdomain)
    )
    return tuple(
        FailingSite(row.subdomain, row.failures, _why(row.reason, row.last_error_message))
        for row in rows
    )


def _why(reason: str | None, error: str | None) -> str:
    """Return why a run failed: what could not be done, and the error that stopped it."""
    cause = (error or "").partition("\n")[0]
    if not reason or not cause or cause.startswith(reason):
        return reason or cause or "no reason recorded"
    return f"{reason}: {cause}"


def seconds_by_stage(conn: Connection) -> dict[str, float]:
    """Return the median seconds per document or step of each stage during the last day."""
    events = stage_events_table
    medians = {}
    for stage in STAGES:
        rows = conn.execute(
            select(events.c.seconds, events.c.completed + events.c.failed)
            .where(events.c.event == "finished", events.c.stage == stage)
            .where(events.c.at >= db_now(-DAY_SECONDS), events.c.seconds.is_not(None))
            .order_by(events.c.id.desc())
            .limit(MEDIAN_EVENTS)
        ).fetchall()
        if rows:
            medians[stage] = median(row[0] / max(1, row[1]) for row in rows)
    return medians


def _stalled(
    conn: Connection, now: datetime, work: Mapping[str, QueueWork]
) -> Iterator[StalledQueue]:
    """Yield queues whose work was not claimed for two hours although their workers are idle.

    Busy workers will get to it: slow is not stalled.  Uploads are left out, because their batches
    do not say when they were claimed first.
    """
    long_ago = now - timedelta(seconds=SILENT_SECONDS)
    paused = set(queues.paused(conn))
    old = [
        (name, each.waiting)
        for name, each in work.items()
        if each.claimable_at is not None and each.claimable_at < long_ago and name not in paused
    ]
    if not old:
        return
    given, workers = batches_table, workers_table
    claimed = select(jobs_table.c.queue).distinct()
    claimed = claimed.join(given, given.c.parent_job_id == jobs_table.c.id)
    moving = set(conn.execute(claimed.where(given.c.created_at >= long_ago)).scalars())
    busy = select(given.c.worker_id).where(given.c.status == sql_word(Batch.RUNNING))
    alive = conn.execute(
        select(
            workers.c.queues, workers.c.started_at, workers.c.id.in_(busy).label("is_busy")
        ).where(workers.c.lease_until >= db_now())
    ).fetchall()
    for name, waiting in old:
        servers = [row for row in alive if name in row.queues.split(",")]
        idle = servers and not any(row.is_busy for row in servers)
        if idle and name not in moving and any(row.started_at < long_ago for row in servers):
            yield StalledQueue(name, waiting, len(servers))


def batches_by_status(
    conn: Connection, subdomain: str | None = None, job: int | None = None
) -> dict[str, int]:
    """Return the number of batches of each status: all, those of a site, or those of a job."""
    status = batches_table.c.status
    statement = select(status, func.count())
    if subdomain:
        of_site = jobs_table.c.id == batches_table.c.parent_job_id
        statement = statement.join(jobs_table, of_site)
        statement = statement.where(jobs_table.c.subdomain == subdomain)
    if job is not None:
        statement = statement.where(batches_table.c.parent_job_id == job)
    counted = conn.execute(statement.group_by(status))
    return dict.fromkeys(Batch.ALL, 0) | {row[0]: row[1] for row in counted}


# ---------------------------------------------------------------------------------- attention


def _attention(
    conn: Connection,
    read: Iterable[_Reading],
    without_documents: Iterable[str],
    stuck: Iterable[SilentSite],
    blocked: Mapping[str, str],
) -> Iterator[Attention]:
    """Yield the sites that need attention; of two reasons for a site the later one counts."""
    for row in sites_with_failures(read):
        share = percent(row.failed, row.total) or 0.0
        if share >= HIGH_FAILURE_PERCENT:
            counted = f"{row.failed} of {row.total} documents failed ({share} %)"
            yield Attention(row.subdomain, counted)
    for name in without_documents:
        yield Attention(name, "no documents found")
    last = latest_runs(runs_table.c.state, runs_table.c.reason)
    stage = case(
        *((sites_table.c[f"{each}_failed"] > 0, each) for each in (COMPILATION, EXTRACTION, DEPLOY))
    )
    failed = (
        select(last, sites_table.c.last_error_message)
        .join(sites_table, sites_table.c.subdomain == last.c.subdomain)
        .where(last.c.state == Run.FAILED)
        .order_by(last.c.subdomain)
    )
    for run in conn.execute(failed):
        yield Attention(run.subdomain, _why(run.reason, run.last_error_message))
    sites = sites_table
    without = (
        select(last.c.subdomain, stage.label("stage"), sites.c.last_error_message)
        .join(sites, sites.c.subdomain == last.c.subdomain)
        .where(last.c.state == Run.PARTIAL, stage.is_not(None))
        .order_by(last.c.subdomain)
    )
    for lacking in conn.execute(without):
        # Its documents are read, but it lacks what this stage makes of them: the votes, for one.
        why = _why(f"{lacking.stage} failed", lacking.last_error_message)
        yield Attention(lacking.subdomain, why)
    for site in stuck:
        since = "never updated" if site.hours is None else f"no progress for {site.hours:.1f} h"
        yield Attention(site.subdomain, f"stuck in {site.stage}, {since}")
    for name, trouble in blocked.items():
        yield Attention(name, f"waits for a person: {trouble}")
