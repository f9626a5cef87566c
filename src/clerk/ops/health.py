"""Is it OK?  The one module that decides, by the figures of :mod:`clerk.ops.counts`.

Every door shows this verdict: ``clerk health``, ``pipeline-status --check``, the overview, the
System page, ``/readyz``, ``/metrics`` and the API.  It is OK exactly when every check is.

A check is about damage, not about how much there is to do: a long queue that live workers are
working through is OK, however long its sites have been silent.  The health score of the old system
counts such sites as unhealthy; it is shown, and decides nothing.
"""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Final

from sqlalchemy import Connection, func, inspect, select, text

from clerk.core import config, schema, storage
from clerk.core.clock import utc_now
from clerk.core.config import Settings
from clerk.core.db import get_civic_db, reading_connection
from clerk.core.errors import ClerkError
from clerk.core.models import audit_table, stage_events_table
from clerk.core.states import ANNOTATIONS
from clerk.pipeline import failures, queue

from . import counts, takeover
from .counts import SITES_NAMED, Figures, percent


class Level:
    """How bad it is; the numbers are the exit codes that monitoring understands."""

    OK: Final = 0
    WARNING: Final = 1
    CRITICAL: Final = 2
    UNKNOWN: Final = 3

    NAMES: Final = ("OK", "WARNING", "CRITICAL", "UNKNOWN")


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

#: The old system called a score below this unhealthy; the conditions of the clean-up still do.
HEALTHY_SCORE = 95.0

#: Share of the sites from which on stuck ones are critical.
STUCK_CRITICAL_PERCENT = 1.0

#: Of the runs, and of the documents, of the last day: from this share of failed ones on it is a
#: warning.  More than half is critical, unless that is only a few.
FAILED_WARNING_PERCENT = 10.0
FAILED_FEW = 4

#: More crashes than this in a day are a warning.
CRASHES_MANY = 20

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
    """All that was looked at, and the figures; none without a usable database."""

    checks: list[Check] = field(default_factory=list)
    figures: Figures | None = None

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

    @property
    def is_ok(self) -> bool:
        """Whether every check is OK."""
        return self.level == Level.OK

    @property
    def problems(self) -> list[Check]:
        """The checks that are not OK."""
        return [check for check in self.checks if check.level]

    def level_of(self, name: str) -> int:
        """Return the level of one check; OK when it was not looked at."""
        return next((check.level for check in self.checks if check.name == name), Level.OK)


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
    health.figures = counts.figures()
    health.checks += judge(health.figures, settings)
    return health


def judge(seen: Figures, settings: Settings) -> list[Check]:
    """Return what the figures say about the pipeline."""
    day = seen.last_day
    return [
        _check_workers(seen, settings),
        _check_queues(seen),
        _check_reconciliation(seen),
        _check_blocked(seen),
        _check_stuck(seen),
        _check_share("runs", day.runs_failed, day.runs, "See why: clerk pipeline-status"),
        _check_share("documents", day.documents_failed, day.documents, "See: clerk failures list"),
        _check_crashes(seen),
        _check_attention(seen),
        Check("score", Level.OK, _said_of_score(seen)),
    ]


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


def _check_workers(seen: Figures, settings: Settings) -> Check:
    """Work that waits in a queue needs somebody alive who serves it."""
    workers = seen.workers
    unserved = {
        name: work.waiting
        for name, work in seen.queues.items()
        if work.waiting and name not in workers.by_queue
    }
    beat = f", last beat {_ago(workers.last_beat_at)}" if workers.last_beat_at else ""
    said = f"{workers.alive} alive{beat}"
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


def _check_queues(seen: Figures) -> Check:
    """A paused queue is somebody's decision; one that stands still with idle workers is a fault."""
    said = [
        f"nothing was taken from {each.name} for 2 h: {each.waiting} waiting,"
        f" {each.workers} idle {'worker' if each.workers == 1 else 'workers'}"
        for each in seen.stalled
    ]
    if seen.paused:
        said.append(f"paused: {', '.join(seen.paused)}")
    if seen.stalled:
        mend = "Restart the workers, and read their log"
        return Check("queues", Level.CRITICAL, "; ".join(said), mend)
    if seen.paused:
        return Check("queues", Level.WARNING, "; ".join(said), "Run: clerk queue resume NAME")
    return Check("queues", Level.OK, "none is paused")


def _check_reconciliation(seen: Figures) -> Check:
    last = seen.reconciled_at
    said = f"last ran {_ago(last)}" if last else "never ran"
    if not seen.under_way:
        return Check("reconcile", Level.OK, f"{said}; no site is under way")
    late = utc_now() - last if last else RECONCILE_CRITICAL
    level = Level.WARNING if late > RECONCILE_WARNING else Level.OK
    if last and late > RECONCILE_CRITICAL:
        level = Level.CRITICAL
    mend = "Run: clerk reconcile-pipeline, and see: clerk install-units" if level else ""
    return Check("reconcile", level, f"{said}; {_sites(seen.under_way)} under way", mend)


def _check_blocked(seen: Figures) -> Check:
    """Work that is retried again and again until a person fixes what it needs."""
    if not seen.blocked:
        return Check("operator", Level.OK, "no work is blocked")
    (first, trouble), *_ = seen.blocked.items()
    more = f", and {_sites(len(seen.blocked) - 1)} more" if len(seen.blocked) > 1 else ""
    mend = "Fix it; the work continues by itself. See: clerk doctor"
    return Check("operator", Level.CRITICAL, f"{first}: {trouble}{more}", mend)


def _check_stuck(seen: Figures) -> Check:
    if not seen.stuck:
        served = f"; {_sites(seen.silent)} silent, but in work or next in a served queue"
        return Check("stuck", Level.OK, f"0 sites{served if seen.silent else ''}")
    share = percent(len(seen.stuck), seen.sites) or 0.0
    level = Level.WARNING if share < STUCK_CRITICAL_PERCENT else Level.CRITICAL
    names = _named([site.subdomain for site in seen.stuck])
    said = f"{_sites(len(seen.stuck))} ({share} %): {names}"
    return Check("stuck", level, said, "Run: clerk reconcile-pipeline")


def _check_share(what: str, failed: int, ended: int, mend: str) -> Check:
    """Judge the share of failed runs, or documents, among those that ended within the last day."""
    share = percent(failed, ended)
    if share is None:
        return Check(what, Level.OK, "none ended in the last 24 h")
    level = Level.WARNING if share >= FAILED_WARNING_PERCENT else Level.OK
    if 2 * failed > ended and failed > FAILED_FEW:
        level = Level.CRITICAL
    said = f"{failed} of {ended} failed in the last 24 h ({share} %)"
    return Check(what, level, said, mend if level else "")


def _check_crashes(seen: Figures) -> Check:
    crashes, made = seen.last_day.crashes, seen.last_day.batches
    level = Level.WARNING if crashes > CRASHES_MANY else Level.OK
    mend = "See which: clerk batch list --status crashed" if level else ""
    return Check("crashes", level, f"{crashes} of {made} batches crashed in the last 24 h", mend)


def _check_attention(seen: Figures) -> Check:
    """A site that needs attention is at least a warning: nothing is listed beside "all is well"."""
    if not seen.attention:
        return Check("attention", Level.OK, "no site needs attention")
    sites = [each.subdomain for each in seen.attention]
    verb = "needs" if len(sites) == 1 else "need"
    said = f"{_sites(len(sites))} {verb} attention: {_named(sites)}"
    return Check("attention", Level.WARNING, said, "See why: clerk pipeline-status")


def _said_of_score(seen: Figures) -> str:
    if seen.health_score is None:
        return "no site has run yet"
    return f"health score {seen.health_score} % (sites that are done or moved within 2 h)"


def _sites(number: int) -> str:
    return f"{number} {'site' if number == 1 else 'sites'}"


def _named(sites: list[str]) -> str:
    more = len(sites) - SITES_NAMED
    return ", ".join(sites[:SITES_NAMED]) + (f" and {more} more" if more > 0 else "")


def _ago(moment: datetime) -> str:
    seconds = max(0.0, (utc_now() - moment).total_seconds())
    for size, unit in ((86_400, "d"), (3600, "h"), (60, "min")):
        if seconds >= size:
            return f"{seconds / size:.0f} {unit} ago"
    return f"{seconds:.0f} s ago"


# --------------------------------------------------------- may the legacy tables be dropped?

PREFLIGHT_SILENT_PERCENT = 1.0
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
    seen = counts.figures()
    with reading_connection() as conn:
        return [
            _few_silent(seen),
            _calm_reconciliations(conn),
            _good_score(seen),
            _no_manual_recovery(conn),
            _no_legacy_writes(conn),
        ]


def _few_silent(seen: Figures) -> Criterion:
    share = seen.silent_percent or 0.0
    figure = f"{share} % ({seen.silent} sites)"
    required = f"< {PREFLIGHT_SILENT_PERCENT} %"
    return Criterion("Stuck sites", figure, required, share < PREFLIGHT_SILENT_PERCENT)


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


def _good_score(seen: Figures) -> Criterion:
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
