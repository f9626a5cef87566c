"""Every figure that clerk shows, counted once: commands, pages, API and metrics show these.

Whether they are good or bad is decided in :mod:`clerk.ops.health`.  What each figure means is
written here and, for operators, in ``docs/operating.md``::

    silent            sites in a stage that have not moved for two hours
    stuck             silent sites that nobody works on and no live worker will get to
    blocked           sites whose work waits until a person acts (full disk, missing engine)
    without documents sites whose last run found nothing
    attention         sites a person should look at, each with one reason

    reading           the documents of each site's last reading; of a site that was never read here,
                      the counters that an older system left
    failed documents  those of the last readings that are failed or quarantined now
    failed steps      steps of the last run of each site that failed (fetch, compile, deploy ...)
    a cancelled document is neither read nor failed; a retried one is not failed any more

    last 24 hours     documents read: readings that ended well (read twice, counted twice)
                      documents failed: failed documents that became so within the day
                      runs by the state they ended in, within the day
                      crashes: batches made within the day whose process or worker died

    waiting, running  pieces of work in a queue: documents, steps, parts of uploads
    health score      the old system's: the share of sites that are done or moved within two hours

``ocr``, ``compilation``, ``documents`` and ``progress`` are sums of the counters in ``sites``,
which start at zero with every run.  Percentages are rounded as SQL rounds them; the database's
clock decides what is within a day.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal
from statistics import median
from typing import Any

from sqlalchemy import Connection, Float, Row, and_, extract, func, or_, select

from clerk.core.db import documents_of_sites, latest_runs, snapshot_connection
from clerk.core.models import (
    batches_table,
    db_now,
    hour_of,
    items_table,
    jobs_table,
    queues_table,
    runs_table,
    sites_table,
    stage_events_table,
    workers_table,
)
from clerk.core.states import (
    ANNOTATIONS,
    COMPILATION,
    COMPLETED,
    OCR,
    QUEUES,
    STAGES,
    Batch,
    Item,
    Run,
    Step,
)
from clerk.pipeline import batches, failures, upload_ledger
from clerk.pipeline.failures import DAY_SECONDS, Failed
from clerk.pipeline.ledger import sql_word
from clerk.pipeline.pipeline_state import NO_DOCUMENTS
from clerk.pipeline.reconcile import stuck_sites, waiting_for_a_person

#: A site in a stage that has not moved for so long is silent.
SILENT_SECONDS = 2 * 3600.0

#: Share of failed documents from which on a site is worth a look.
HIGH_FAILURE_PERCENT = 10.0

#: How many sites are named in lists.
SITES_NAMED = 10

#: Medians are taken over at most so many of the last events of a stage.
EVENTS_AT_MOST = 5000


def percent(part: int, whole: int) -> float | None:
    """Return a share with one decimal, rounded as SQL does; None when there is no whole."""
    if not whole:
        return None
    share = Decimal(100 * part) / Decimal(whole)
    return float(share.quantize(Decimal("0.1"), rounding=ROUND_HALF_UP))


# ----------------------------------------------------------------------------------- values


@dataclass(frozen=True)
class SilentSite:
    """A site in a stage that has not moved for two hours."""

    subdomain: str
    stage: str
    updated_at: datetime | None
    hours: float | None
    total: int
    completed: int
    failed: int


@dataclass(frozen=True)
class Attention:
    """A site a person should look at, and why."""

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
class QueueWork:
    """What of a queue waits and is in hand."""

    waiting: int = 0
    running: int = 0
    sites: int = 0
    oldest_at: datetime | None = None
    #: Since when there is something that could be claimed.
    claimable_at: datetime | None = None


@dataclass(frozen=True)
class Workers:
    """The workers that are alive."""

    alive: int
    by_queue: Mapping[str, int]
    last_beat_at: datetime | None


@dataclass(frozen=True)
class StalledQueue:
    """A queue from which nobody takes anything, though live workers serve it and have time."""

    name: str
    waiting: int
    workers: int


@dataclass
class Hour:
    """What happened within one hour of the last 24; the first and the last are not whole ones."""

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
        """Documents of which it was decided whether they can be read."""
        return self.documents_read + self.documents_failed

    @property
    def runs(self) -> int:
        """Runs that came to an end by themselves, well or badly."""
        well = self.runs_completed + self.runs_partial + self.runs_no_documents
        return well + self.runs_failed


@dataclass(frozen=True)
class Figures:
    """All of them, as they were at one moment."""

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
    failed: Failed
    last_day: LastDay
    queues: Mapping[str, QueueWork]
    stalled: tuple[StalledQueue, ...]
    paused: tuple[str, ...]
    workers: Workers
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

    def as_dict(self) -> dict[str, Any]:
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


def figures() -> Figures:
    """Count everything, at one moment."""
    with snapshot_connection() as conn:
        now = conn.execute(select(db_now())).scalar_one()
        stages = _stages(conn)
        silent = conn.execute(select(func.count()).where(_is_silent())).scalar_one()
        in_stage = sum(number for stage, number in stages.items() if stage != COMPLETED)
        known = sum(stages.values())
        stuck = [_as_silent(row, now) for row in stuck_sites(conn, SILENT_SECONDS / 3600)]
        sums = _sums(conn)
        hours = _hours(conn, now)
        empty, blocked = _without_documents(conn), waiting_for_a_person(conn)
        work, workers = open_work(conn), live_workers(conn)
        read = conn.execute(documents_of_sites()).fetchall()
        attention = _attention(conn, read, empty, stuck, blocked)
        return Figures(
            sites=conn.execute(select(func.count()).select_from(sites_table)).scalar_one(),
            stages=stages,
            hours_by_stage=_hours_by_stage(conn),
            without_documents=len(empty),
            silent=silent,
            stuck=tuple(stuck),
            blocked=blocked,
            health_score=percent(known - silent - _unstamped(conn), known),
            silent_percent=percent(silent, in_stage),
            ocr=_documents(OCR, sums),
            compilation=_rates(conn, COMPILATION),
            reading=Rates(*(sum(getattr(row, name) for row in read) for name in _COUNTERS)),
            failed=failures.count_in_database(conn),
            last_day=_last_day(conn, hours),
            queues=work,
            stalled=tuple(_stalled(conn, now, work)),
            paused=tuple(_paused(conn)),
            workers=workers,
            batches=batches_by_status(conn),
            attention=tuple({each.subdomain: each for each in attention}.values()),
            progress=tuple(_progress(stage, sums, stages) for stage in STAGES),
            documents={stage: _documents(stage, sums) for stage in STAGES},
            reconciled_at=_last_reconciled(conn),
            hours=tuple(hours),
        )


def _stages(conn: Connection) -> dict[str, int]:
    stage = sites_table.c.current_stage
    rows = conn.execute(
        select(stage, func.count()).where(stage.is_not(None)).group_by(stage).order_by(stage)
    )
    return {row[0]: row[1] for row in rows}


def _in_a_stage() -> Any:
    stage = sites_table.c.current_stage
    return and_(stage != COMPLETED, stage.is_not(None))


def _is_silent() -> Any:
    return and_(_in_a_stage(), sites_table.c.updated_at < db_now(-SILENT_SECONDS))


def silent_sites(conn: Connection) -> list[SilentSite]:
    """Return the sites that have not moved for two hours, the longest silence first."""
    sites = sites_table
    now = conn.execute(select(db_now())).scalar_one()
    rows = conn.execute(
        select(sites).where(_is_silent()).order_by(sites.c.updated_at, sites.c.subdomain)
    )
    return [_as_silent(row, now) for row in rows]


def _as_silent(row: Row[Any], now: datetime) -> SilentSite:
    silence = (now - row.updated_at).total_seconds() / 3600 if row.updated_at else None
    return SilentSite(
        row.subdomain,
        row.current_stage,
        row.updated_at,
        silence,
        row.ocr_total,
        row.ocr_completed,
        row.ocr_failed,
    )


def _unstamped(conn: Connection) -> int:
    """Count sites in a stage that never moved: SQL's comparison with NULL finds them unhealthy."""
    return conn.execute(
        select(func.count()).where(_in_a_stage(), sites_table.c.updated_at.is_(None))
    ).scalar_one()


def _hours_by_stage(conn: Connection) -> dict[str, float]:
    """Return how long ago the sites of each stage moved, on average."""
    stage, updated_at = sites_table.c.current_stage, sites_table.c.updated_at
    if conn.dialect.name == "sqlite":
        since: Any = func.julianday("now", type_=Float) - func.julianday(updated_at, type_=Float)
        hours = 24.0 * since
    else:
        hours = extract("epoch", func.now() - updated_at) / 3600.0
    rows = conn.execute(
        select(stage, func.avg(hours))
        .where(_in_a_stage(), updated_at.is_not(None))
        .group_by(stage)
        .order_by(stage)
    )
    return {row[0]: float(row[1]) for row in rows}


def _without_documents(conn: Connection) -> list[str]:
    """Return the sites that completed without documents."""
    sites, last = sites_table, latest_runs(runs_table.c.state)
    found_nothing = or_(
        last.c.state == Run.NO_DOCUMENTS,
        and_(last.c.state.is_(None), sites.c.last_error_message == NO_DOCUMENTS),
    )
    return list(
        conn.execute(
            select(sites.c.subdomain)
            .join(last, last.c.subdomain == sites.c.subdomain, isouter=True)
            .where(sites.c.current_stage == COMPLETED, found_nothing)
            .order_by(sites.c.subdomain)
        ).scalars()
    )


def _last_reconciled(conn: Connection) -> datetime | None:
    events = stage_events_table
    ran = select(func.max(events.c.at)).where(events.c.event == "reconciled")
    return conn.execute(ran).scalar()


# ----------------------------------------------------------- documents: counters and readings

_COUNTERS = ("total", "completed", "failed")
_Sums = Mapping[str | None, Mapping[str, int]]


def _sums(conn: Connection) -> _Sums:
    """Return the sums of all counters, by the stage the sites are in."""
    sites = sites_table
    names = [f"{stage}_{counter}" for stage in STAGES for counter in _COUNTERS]
    sums = [func.coalesce(func.sum(sites.c[name]), 0).label(name) for name in names]
    rows = conn.execute(select(sites.c.current_stage, *sums).group_by(sites.c.current_stage))
    return {row.current_stage: dict(row._mapping) for row in rows}


def _progress(stage: str, sums: _Sums, sites: Mapping[str, int]) -> StageProgress:
    counted = [sums.get(stage, {}).get(f"{stage}_{counter}", 0) for counter in _COUNTERS]
    return StageProgress(stage, sites.get(stage, 0), *counted)


def _documents(stage: str, sums: _Sums) -> Rates:
    counted = (sum(each[f"{stage}_{counter}"] for each in sums.values()) for counter in _COUNTERS)
    return Rates(*counted)


def _rates(conn: Connection, stage: str) -> Rates:
    """Sum a stage over the sites that have documents to read."""
    sites = sites_table
    sums = [func.coalesce(func.sum(sites.c[f"{stage}_{counter}"]), 0) for counter in _COUNTERS]
    return Rates(*conn.execute(select(*sums).where(sites.c.ocr_total > 0)).one())


_Reading = Row[tuple[str, int, int, int]]


def sites_with_failures(read: Iterable[_Reading]) -> list[_Reading]:
    """Return those of the sites that have failed documents, the highest share first."""
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
    rows = conn.execute(
        select(events.c.event, func.count())
        .where(events.c.at >= db_now(-DAY_SECONDS))
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


def seconds_by_stage(conn: Connection) -> dict[str, float]:
    """Return the median time a piece of work took in each stage during the last day."""
    events = stage_events_table
    medians = {}
    for stage in STAGES:
        rows = conn.execute(
            select(events.c.seconds, events.c.completed + events.c.failed)
            .where(events.c.event == "finished", events.c.stage == stage)
            .where(events.c.at >= db_now(-DAY_SECONDS), events.c.seconds.is_not(None))
            .order_by(events.c.id.desc())
            .limit(EVENTS_AT_MOST)
        ).fetchall()
        if rows:
            medians[stage] = median(row[0] / max(1, row[1]) for row in rows)
    return medians


# ---------------------------------------------------------------------------- queues, workers


def open_work(conn: Connection) -> dict[str, QueueWork]:
    """Return what waits and what is in hand, by queue."""
    items, jobs = items_table, jobs_table
    waiting = items.c.state == sql_word(Item.PENDING)
    running = items.c.state == sql_word(Item.RUNNING)
    rows = conn.execute(
        select(
            jobs.c.queue,
            func.count().filter(waiting).label("waiting"),
            func.count().filter(running).label("running"),
            func.count(jobs.c.subdomain.distinct()).label("sites"),
            func.min(items.c.created_at).filter(waiting).label("oldest_at"),
            func.min(items.c.available_at).filter(waiting).label("claimable_at"),
        )
        .join(items, items.c.job_id == jobs.c.id)
        .join(runs_table, runs_table.c.run_id == jobs.c.run_id)
        .where(jobs.c.state == sql_word("open"), runs_table.c.state == sql_word(Run.ACTIVE))
        .where(waiting | running, items.c.step != Step.UNNAMED)
        .group_by(jobs.c.queue)
    )
    work = {
        row.queue: QueueWork(row.waiting, row.running, row.sites, row.oldest_at, row.claimable_at)
        for row in rows
    }
    uploads = upload_ledger.open_work(conn)
    work[ANNOTATIONS] = QueueWork(uploads.waiting, uploads.running, oldest_at=uploads.oldest_at)
    return {name: work.get(name, QueueWork()) for name in QUEUES}


def live_workers(conn: Connection) -> Workers:
    """Return how many workers are alive, how many serve each queue, and when the last one beat."""
    workers = workers_table
    last_beat_at = conn.execute(select(func.max(workers.c.beat_at))).scalar()
    alive = conn.execute(
        select(workers.c.queues).where(workers.c.lease_until >= db_now())
    ).fetchall()
    by_queue: dict[str, int] = {}
    for row in alive:
        for name in filter(None, row.queues.split(",")):
            by_queue[name] = by_queue.get(name, 0) + 1
    return Workers(len(alive), by_queue, last_beat_at)


def _paused(conn: Connection) -> list[str]:
    paused = queues_table.c.paused_at.is_not(None)
    chosen = select(queues_table.c.name).where(paused).order_by(queues_table.c.name)
    return list(conn.execute(chosen).scalars())


def _stalled(
    conn: Connection, now: datetime, work: Mapping[str, QueueWork]
) -> Iterator[StalledQueue]:
    """Yield queues whose work nobody takes for two hours, though their workers have nothing else.

    Workers that are busy will get to it: slow is not stalled.  Uploads are left out, because their
    batches do not say when they were claimed first.
    """
    long_ago = now - timedelta(seconds=SILENT_SECONDS)
    paused = set(_paused(conn))
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
    """Return how many batches there are of each status, of all sites or of one, or of a job."""
    status = batches_table.c.status
    statement = select(status, func.count()).join(
        jobs_table, jobs_table.c.id == batches_table.c.parent_job_id
    )
    if subdomain:
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
    """Yield the sites worth a look; of two reasons the later one weighs more."""
    for row in sites_with_failures(read):
        share = percent(row.failed, row.total) or 0.0
        if share >= HIGH_FAILURE_PERCENT:
            counted = f"{row.failed} of {row.total} documents failed ({share} %)"
            yield Attention(row.subdomain, counted)
    for name in without_documents:
        yield Attention(name, "no documents found")
    last = latest_runs(runs_table.c.state, runs_table.c.reason)
    failed = select(last).where(last.c.state == Run.FAILED).order_by(last.c.subdomain)
    for run in conn.execute(failed):
        yield Attention(run.subdomain, run.reason or "its last run failed")
    for site in stuck:
        silence = f"for {site.hours:.1f} h" if site.hours is not None else "since ever"
        yield Attention(site.subdomain, f"stuck in {site.stage}, no movement {silence}")
    for name, trouble in blocked.items():
        yield Attention(name, f"waits for a person: {trouble}")
