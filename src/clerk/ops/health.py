"""Is it OK?  The one module that computes it; commands and pages show its figures.

The figures about sites are the ones operators get by SQL from ``sites``, computed by the database's
clock: a site is *silent* when it is in a stage and has not moved for two hours, and *stuck* when
nobody works on it either.  Percentages are rounded as SQL rounds them.
"""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path
from typing import Any, Final

from sqlalchemy import Connection, Float, Row, and_, extract, func, inspect, select, text

from clerk.core import config, schema, storage
from clerk.core.clock import utc_now
from clerk.core.config import Settings
from clerk.core.db import get_civic_db, latest_runs, reading_connection
from clerk.core.errors import ClerkError
from clerk.core.models import (
    audit_table,
    db_now,
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
    Item,
    Run,
    Step,
)
from clerk.pipeline import failures, pipeline_state, queue, upload_ledger
from clerk.pipeline.ledger import sql_word
from clerk.pipeline.reconcile import find_stuck_sites, waiting_for_a_person

from . import takeover

#: A site in a stage that has not moved for so long is silent.
SILENT_SECONDS = 2 * 3600.0
DAY_SECONDS = 86_400.0

#: Shares of failed documents above which a site is worth a look.
HIGH_FAILURE_PERCENT = 10.0

#: How many sites are named in lists.
SITES_NAMED = 10


class Level:
    """How bad it is; the numbers are the exit codes that monitoring understands."""

    OK: Final = 0
    WARNING: Final = 1
    CRITICAL: Final = 2
    UNKNOWN: Final = 3

    NAMES: Final = ("OK", "WARNING", "CRITICAL", "UNKNOWN")


def percent(part: int, whole: int) -> float | None:
    """Return a share with one decimal, rounded as SQL does; None when there is no whole."""
    if not whole:
        return None
    share = Decimal(100 * part) / Decimal(whole)
    return float(share.quantize(Decimal("0.1"), rounding=ROUND_HALF_UP))


# ------------------------------------------------------------------------------- the sites


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
    """Documents of a stage over all sites, and the shares of them in percent."""

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
class Pipeline:
    """Where all sites stand.

    ``progress`` is of the sites that are in a stage now, ``documents`` of all sites.
    """

    sites: int
    stages: Mapping[str, int]
    hours_by_stage: Mapping[str, float]
    without_documents: int
    silent: int
    stuck: tuple[SilentSite, ...]
    health_score: float | None
    silent_percent: float | None
    ocr: Rates
    compilation: Rates
    last_day: Mapping[str, int]
    active: Mapping[str, Mapping[str, int]]
    attention: tuple[Attention, ...]
    progress: tuple[StageProgress, ...]
    documents: Mapping[str, Rates]
    reconciled_at: datetime | None

    @property
    def healthy(self) -> bool:
        """Whether nothing is stuck and the score is what it should be."""
        return not self.stuck and (self.health_score is None or self.health_score >= HEALTHY_SCORE)


def pipeline() -> Pipeline:
    """Look at all sites and return where they stand."""
    with reading_connection() as conn:
        stages = _stages(conn)
        silent = silent_sites(conn)
        in_stage = sum(number for stage, number in stages.items() if stage != COMPLETED)
        known = sum(stages.values())
        stuck = _stuck_sites(conn)
        sums = _sums(conn)
        return Pipeline(
            sites=conn.execute(select(func.count()).select_from(sites_table)).scalar_one(),
            stages=stages,
            hours_by_stage=_hours_by_stage(conn),
            without_documents=len(_without_documents(conn)),
            silent=len(silent),
            stuck=tuple(stuck),
            health_score=percent(known - len(silent) - _unstamped(conn), known),
            silent_percent=percent(len(silent), in_stage),
            ocr=_documents(OCR, sums),
            compilation=_rates(conn, COMPILATION),
            last_day=last_day(conn),
            active=_active(conn),
            attention=tuple({each.subdomain: each for each in _attention(conn, stuck)}.values()),
            progress=tuple(_progress(stage, sums, stages) for stage in STAGES),
            documents={stage: _documents(stage, sums) for stage in STAGES},
            reconciled_at=_last_reconciled(conn),
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


def silent_sites(conn: Connection) -> list[SilentSite]:
    """Return the sites that have not moved for two hours, the longest silence first."""
    sites = sites_table
    now = conn.execute(select(db_now())).scalar_one()
    rows = conn.execute(
        select(sites)
        .where(_in_a_stage(), sites.c.updated_at < db_now(-SILENT_SECONDS))
        .order_by(sites.c.updated_at, sites.c.subdomain)
    )
    return [_as_silent(row, now) for row in rows]


def _stuck_sites(conn: Connection) -> list[SilentSite]:
    """Those of the silent sites, and of those never stamped, that nobody works on."""
    now = conn.execute(select(db_now())).scalar_one()
    return [_as_silent(row, now) for row in find_stuck_sites(SILENT_SECONDS / 3600)]


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
    rows = conn.execute(
        select(stage, func.avg(_hours_since(conn, updated_at)))
        .where(_in_a_stage(), updated_at.is_not(None))
        .group_by(stage)
        .order_by(stage)
    )
    return {row[0]: float(row[1]) for row in rows}


def _hours_since(conn: Connection, at: Any) -> Any:
    if conn.dialect.name == "sqlite":
        return 24.0 * (func.julianday("now", type_=Float) - func.julianday(at, type_=Float))
    return extract("epoch", func.now() - at) / 3600.0


def _without_documents(conn: Connection) -> list[str]:
    sites = sites_table
    return list(
        conn.execute(
            select(sites.c.subdomain)
            .where(sites.c.current_stage == COMPLETED)
            .where(sites.c.last_error_message == pipeline_state.NO_DOCUMENTS)
            .order_by(sites.c.subdomain)
        ).scalars()
    )


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


def _last_reconciled(conn: Connection) -> datetime | None:
    events = stage_events_table
    ran = select(func.max(events.c.at)).where(events.c.event == "reconciled")
    return conn.execute(ran).scalar()


def _rates(conn: Connection, stage: str) -> Rates:
    """Sum a stage over the sites that have documents to read."""
    sites = sites_table
    sums = [func.coalesce(func.sum(sites.c[f"{stage}_{counter}"]), 0) for counter in _COUNTERS]
    return Rates(*conn.execute(select(*sums).where(sites.c.ocr_total > 0)).one())


def sites_with_failures(conn: Connection, limit: int | None = SITES_NAMED) -> list[Row[Any]]:
    """Return the sites with the highest share of documents that could not be read."""
    sites = sites_table
    rate = 100.0 * sites.c.ocr_failed / func.nullif(sites.c.ocr_total, 0)
    return list(
        conn.execute(
            select(
                sites.c.subdomain,
                sites.c.current_stage,
                sites.c.ocr_total,
                sites.c.ocr_completed,
                sites.c.ocr_failed,
            )
            .where(sites.c.ocr_total > 0, sites.c.ocr_failed > 0)
            .order_by(rate.desc(), sites.c.subdomain)
            .limit(limit)
        )
    )


def last_day(conn: Connection) -> dict[str, int]:
    """Return what happened in the last 24 hours."""
    events = stage_events_table
    rows = conn.execute(
        select(
            events.c.event,
            events.c.stage,
            func.count().label("times"),
            func.sum(events.c.completed).label("completed"),
            func.sum(events.c.failed).label("failed"),
        )
        .where(events.c.at >= db_now(-DAY_SECONDS))
        .group_by(events.c.event, events.c.stage)
    ).fetchall()
    read = [row for row in rows if row.event == "finished" and row.stage == OCR]
    happened = {
        "documents_read": sum(row.completed for row in read),
        "documents_failed": sum(row.failed for row in read),
        "crashes": sum(row.times for row in rows if row.event == "crashed"),
        "reconciliations": sum(row.times for row in rows if row.event == "reconciled"),
    }
    for state in ("started", *(each for each in Run.ALL if each != Run.ACTIVE)):
        happened[f"runs_{state}"] = sum(row.times for row in rows if row.event == f"run {state}")
    return happened


def _active(conn: Connection) -> dict[str, dict[str, int]]:
    """Return for each queue how many pieces of work wait and how many are in hand."""
    number = func.count()
    open_states = [sql_word(Item.PENDING), sql_word(Item.RUNNING)]
    rows = conn.execute(
        select(jobs_table.c.queue, items_table.c.state, number)
        .join(items_table, items_table.c.job_id == jobs_table.c.id)
        .join(runs_table, runs_table.c.run_id == jobs_table.c.run_id)
        .where(jobs_table.c.state == sql_word("open"), runs_table.c.state == sql_word(Run.ACTIVE))
        .where(items_table.c.state.in_(open_states), items_table.c.step != Step.UNNAMED)
        .group_by(jobs_table.c.queue, items_table.c.state)
    )
    active = {name: {"waiting": 0, "running": 0} for name in QUEUES}
    for name, state, count in rows:
        active[name]["running" if state == Item.RUNNING else "waiting"] = count
    uploads = upload_ledger.open_work(conn)
    active[ANNOTATIONS] = {"waiting": uploads.waiting, "running": uploads.running}
    return active


def _attention(conn: Connection, stuck: Iterable[SilentSite]) -> Iterator[Attention]:
    """Yield the sites worth a look; of two reasons the later one weighs more."""
    for row in sites_with_failures(conn, limit=None):
        share = percent(row.ocr_failed, row.ocr_total) or 0.0
        if share >= HIGH_FAILURE_PERCENT:
            counted = f"{row.ocr_failed} of {row.ocr_total} documents failed ({share} %)"
            yield Attention(row.subdomain, counted)
    for name in _without_documents(conn):
        yield Attention(name, "no documents found")
    for run in _failed_runs(conn):
        yield Attention(run.subdomain, run.reason or "its last run failed")
    for site in stuck:
        silence = f"for {site.hours:.1f} h" if site.hours is not None else "since ever"
        yield Attention(site.subdomain, f"stuck in {site.stage}, no movement {silence}")
    for name, trouble in waiting_for_a_person(conn).items():
        yield Attention(name, f"waits for a person: {trouble}")


def _failed_runs(conn: Connection) -> list[Row[Any]]:
    """Return the last run of each site whose last run failed."""
    last = latest_runs(runs_table.c.state, runs_table.c.reason)
    failed = select(last).where(last.c.state == Run.FAILED).order_by(last.c.subdomain)
    return list(conn.execute(failed))


# -------------------------------------------------------------------- counters against disk


def disk_differences(site: Mapping[str, Any], folder: Path) -> list[str]:
    """Say where a site's counters and its folder disagree; a site in a run may well be ahead.

    What the fetch refused is counted as failed, and never was on disk.
    """
    refused = failures.refused(site["subdomain"])
    text_documents = sum(1 for _ in storage.text_documents(folder))
    pdfs = {each.name for each in storage.pdf_documents(folder)}
    with_text = {each.name for each in storage.text_documents(folder, incomplete=True)}
    found = [
        ("documents read", site["ocr_completed"], text_documents),
        ("documents in all", site["ocr_total"] - refused, len(pdfs | with_text)),
    ]
    return [
        f"{what}: {counted} counted, {on_disk} on disk"
        for what, counted, on_disk in found
        if counted != on_disk
    ]


# ------------------------------------------------------------------------ is it all right?

#: Below this the health score is critical; the seeds of the clean-up ask for as much.
HEALTHY_SCORE = 95.0

#: Free space of the storage directory: share and bytes.
DISK_WARNING, DISK_CRITICAL = 0.10, 0.03
DISK_WARNING_BYTES, DISK_CRITICAL_BYTES = 5 * 10**9, 10**9

#: With work under way, reconciliation should have run within.
RECONCILE_WARNING, RECONCILE_CRITICAL = timedelta(minutes=45), timedelta(hours=3)


@dataclass(frozen=True)
class Check:
    """One thing that was looked at, how it is, and the mend if it is not well."""

    name: str
    level: int
    said: str
    mend: str = ""

    @property
    def word(self) -> str:
        """The level in a word."""
        return Level.NAMES[self.level]


@dataclass
class Health:
    """All that was looked at."""

    checks: list[Check] = field(default_factory=list)
    pipeline: Pipeline | None = None

    @property
    def level(self) -> int:
        """The worst level; not knowing is less bad than knowing that it is critical."""
        levels = {check.level for check in self.checks}
        order = (Level.CRITICAL, Level.UNKNOWN, Level.WARNING)
        return next((level for level in order if level in levels), Level.OK)

    @property
    def word(self) -> str:
        """The worst level in a word."""
        return Level.NAMES[self.level]


def check_all() -> Health:
    """Look at everything an operator would, and say how it is."""
    settings = config.load()
    health = Health()
    database = _check_database()
    health.checks.append(database)
    health.checks.append(check_disk(settings.storage_dir))
    health.checks.append(_check_queue(settings))
    if database.level == Level.CRITICAL:
        return health
    usable = _check_schema()
    health.checks.append(usable)
    if usable.level == Level.CRITICAL:
        return health
    health.pipeline = pipeline()
    with reading_connection() as conn:
        health.checks += [
            _check_workers(conn, health.pipeline, settings),
            _check_paused(conn),
            _check_reconciliation(health.pipeline),
            _check_waiting(conn),
        ]
    health.checks += [_check_stuck(health.pipeline), _check_score(health.pipeline)]
    return health


def _check_database() -> Check:
    began = time.monotonic()
    try:
        with reading_connection() as conn:
            conn.execute(text("SELECT 1"))
    except ClerkError as error:
        return Check("database", Level.CRITICAL, str(error), error.hint)
    answered = (time.monotonic() - began) * 1000
    return Check(
        "database", Level.OK, f"{get_civic_db().dialect.name} answers in {answered:.0f} ms"
    )


def _check_schema() -> Check:
    engine = get_civic_db()
    try:
        schema.require_usable(engine)
    except ClerkError as error:
        return Check("schema", Level.CRITICAL, str(error), error.hint)
    if left := schema.what_is_left(engine):
        return Check("schema", Level.OK, f"at {schema.head()}; {left} stay until clerk db cleanup")
    return Check("schema", Level.OK, f"at {schema.head()}, the newest")


def check_disk(folder: Path) -> Check:
    """Say how much room the storage directory has."""
    try:
        storage.check_storage(folder)
        usage = shutil.disk_usage(folder)
    except ClerkError as error:
        return Check("disk", Level.CRITICAL, str(error), error.hint)
    share = usage.free / usage.total
    level = Level.OK
    if share < DISK_WARNING and usage.free < DISK_WARNING_BYTES:
        level = Level.WARNING
    if share < DISK_CRITICAL and usage.free < DISK_CRITICAL_BYTES:
        level = Level.CRITICAL
    said = f"{usage.free / 10**9:.1f} GB free of {usage.total / 10**9:.1f} GB ({share:.0%})"
    return Check("disk", level, said, "Free space, or move STORAGE_DIR." if level else "")


def _check_queue(settings: Settings) -> Check:
    if settings.embedded:
        return Check("queue", Level.OK, "embedded, no server needed")
    try:
        queue.check()
    except ClerkError as error:
        return Check("queue", Level.CRITICAL, str(error), error.hint)
    return Check("queue", Level.OK, f"{config.redact(settings.redis_url)} answers")


def _check_workers(conn: Connection, seen: Pipeline, settings: Settings) -> Check:
    """Work that waits in a queue needs somebody alive who serves it."""
    alive, last_beat = live_workers(conn)
    waiting = {name: each["waiting"] for name, each in seen.active.items() if each["waiting"]}
    unserved = {name: number for name, number in waiting.items() if name not in alive}
    beat = f", last beat {_ago(last_beat)}" if last_beat else ""
    said = f"{_count_alive(conn)} alive{beat}"
    if not unserved:
        return Check("workers", Level.OK, said)
    listed = ", ".join(f"{number} in {name}" for name, number in unserved.items())
    mend = _server_of(unserved) if settings.embedded else "Start: clerk worker TYPE -n N"
    return Check("workers", Level.WARNING, f"{said}; nobody serves {listed}", mend)


def _server_of(unserved: Collection[str]) -> str:
    """Say which command does the work when there are no workers."""
    commands = {
        "clerk run --all-due": any(name != ANNOTATIONS for name in unserved),
        "clerk annotations watch ID": ANNOTATIONS in unserved,
    }
    return "Run: " + ", ".join(command for command, needed in commands.items() if needed)


def _count_alive(conn: Connection) -> int:
    living = workers_table.c.lease_until >= db_now()
    return conn.execute(select(func.count()).where(living)).scalar_one()


def live_workers(conn: Connection) -> tuple[dict[str, int], datetime | None]:
    """Return how many living workers serve each queue, and when the last worker beat."""
    workers = workers_table
    last_beat = conn.execute(select(func.max(workers.c.beat_at))).scalar()
    alive: dict[str, int] = {}
    rows = conn.execute(select(workers.c.queues).where(workers.c.lease_until >= db_now()))
    for queues in rows.scalars():
        for name in filter(None, queues.split(",")):
            alive[name] = alive.get(name, 0) + 1
    return alive, last_beat


def _check_paused(conn: Connection) -> Check:
    paused = conn.execute(
        select(queues_table.c.name)
        .where(queues_table.c.paused_at.is_not(None))
        .order_by(queues_table.c.name)
    ).scalars()
    names = ", ".join(paused)
    if not names:
        return Check("queues", Level.OK, "none is paused")
    return Check("queues", Level.WARNING, f"paused: {names}", "Run: clerk queue resume NAME")


def _check_reconciliation(seen: Pipeline) -> Check:
    last = seen.reconciled_at
    under_way = sum(number for stage, number in seen.stages.items() if stage != COMPLETED)
    said = f"last ran {_ago(last)}" if last else "never ran"
    if not under_way:
        return Check("reconcile", Level.OK, f"{said}; no site is under way")
    late = utc_now() - last if last else RECONCILE_CRITICAL
    level = Level.WARNING if late > RECONCILE_WARNING else Level.OK
    if last and late > RECONCILE_CRITICAL:
        level = Level.CRITICAL
    mend = "Run: clerk reconcile-pipeline, and see: clerk install-units" if level else ""
    return Check("reconcile", level, f"{said}; {under_way} sites are under way", mend)


def _check_waiting(conn: Connection) -> Check:
    """Work that is given out again and again until somebody mends what it needs."""
    waiting = waiting_for_a_person(conn)
    if not waiting:
        return Check("operator", Level.OK, "nothing waits for a person")
    (first, trouble), *_ = waiting.items()
    more = f", and {len(waiting) - 1} more sites" if len(waiting) > 1 else ""
    mend = "Mend it; the work goes on by itself. See: clerk doctor"
    return Check("operator", Level.CRITICAL, f"{first}: {trouble}{more}", mend)


def _check_stuck(seen: Pipeline) -> Check:
    if not seen.stuck:
        in_hand = f", {seen.silent} silent ones are in work" if seen.silent else ""
        return Check("stuck", Level.OK, f"0 sites{in_hand}")
    names = ", ".join(site.subdomain for site in seen.stuck[:SITES_NAMED])
    share = percent(len(seen.stuck), seen.sites) or 0.0
    level = Level.WARNING if share < PREFLIGHT_STUCK_PERCENT else Level.CRITICAL
    said = f"{len(seen.stuck)} sites ({share} %): {names}"
    return Check("stuck", level, said, "Run: clerk reconcile-pipeline")


def _check_score(seen: Pipeline) -> Check:
    score = seen.health_score
    if score is None:
        return Check("score", Level.OK, "no site has run yet")
    level = Level.OK if score >= HEALTHY_SCORE else Level.CRITICAL
    mend = "See which: clerk pipeline-status" if level else ""
    return Check("score", level, f"health score {score} %", mend)


def _ago(moment: datetime) -> str:
    seconds = max(0.0, (utc_now() - moment).total_seconds())
    for size, unit in ((86_400, "d"), (3600, "h"), (60, "min")):
        if seconds >= size:
            return f"{seconds / size:.0f} {unit} ago"
    return f"{seconds:.0f} s ago"


# --------------------------------------------------------- may the legacy tables be dropped?

PREFLIGHT_STUCK_PERCENT = 1.0
PREFLIGHT_RECONCILIATIONS = 10
PREFLIGHT_FOUND = 5
PREFLIGHT_MANUAL_DAYS = 7
PREFLIGHT_LEGACY_HOURS = 24

#: What people do when clerk could not help itself.
MANUAL_RECOVERY = ("stuck sites migrated", "failures retried", "queue purged")


@dataclass(frozen=True)
class Criterion:
    """One condition of the clean-up, with its figure."""

    name: str
    figure: str
    required: str
    passed: bool


def preflight() -> list[Criterion]:
    """Return the conditions of the clean-up with their figures; changes nothing."""
    seen = pipeline()
    with reading_connection() as conn:
        return [
            _few_silent(seen),
            _calm_reconciliations(conn),
            _good_score(seen),
            _no_manual_recovery(conn),
            _no_legacy_writes(conn),
        ]


def _few_silent(seen: Pipeline) -> Criterion:
    share = seen.silent_percent or 0.0
    figure = f"{share} % ({seen.silent} sites)"
    required = f"< {PREFLIGHT_STUCK_PERCENT} %"
    return Criterion("Stuck sites", figure, required, share < PREFLIGHT_STUCK_PERCENT)


def _calm_reconciliations(conn: Connection) -> Criterion:
    found = _found_by_last_reconciliations(conn)
    enough = len(found) == PREFLIGHT_RECONCILIATIONS
    figure = f"{len(found)} runs, at most {max(found)} found" if found else "no run"
    required = f"last {PREFLIGHT_RECONCILIATIONS} runs < {PREFLIGHT_FOUND} each"
    calm = all(number < PREFLIGHT_FOUND for number in found)
    return Criterion("Reconciliation", figure, required, enough and calm)


def _found_by_last_reconciliations(conn: Connection) -> list[int]:
    events = stage_events_table
    details = conn.execute(
        select(events.c.detail)
        .where(events.c.event == "reconciled")
        .order_by(events.c.id.desc())
        .limit(PREFLIGHT_RECONCILIATIONS)
    ).scalars()
    return [int(json.loads(detail or "{}").get("found", 0)) for detail in details]


def _good_score(seen: Pipeline) -> Criterion:
    score = seen.health_score
    figure = f"{score} %" if score is not None else "no site has run"
    good = score is not None and score >= HEALTHY_SCORE
    return Criterion("Health score", figure, f">= {HEALTHY_SCORE} %", good)


def _no_manual_recovery(conn: Connection) -> Criterion:
    last = conn.execute(
        select(func.max(audit_table.c.at)).where(audit_table.c.action.in_(MANUAL_RECOVERY))
    ).scalar()
    figure = f"last {_ago(last)}" if last else "none"
    calm = last is None or utc_now() - last > timedelta(days=PREFLIGHT_MANUAL_DAYS)
    return Criterion("Manual recovery", figure, f"none for {PREFLIGHT_MANUAL_DAYS} days", calm)


def _no_legacy_writes(conn: Connection) -> Criterion:
    recent = recent_legacy_writes(conn)
    figure = f"{recent} rows"
    required = f"no write in {PREFLIGHT_LEGACY_HOURS} h"
    return Criterion("site_progress", figure, required, recent == 0)


def recent_legacy_writes(conn: Connection) -> int:
    """Count the rows of ``site_progress`` that the old code wrote within a day."""
    if "site_progress" not in inspect(conn).get_table_names():
        return 0
    since = utc_now() - timedelta(hours=PREFLIGHT_LEGACY_HOURS)
    rows = conn.execute(text("SELECT updated_at FROM site_progress")).scalars()
    return sum(1 for row in rows if (moment := takeover.moment(row)) and moment > since)
