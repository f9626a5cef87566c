"""Decide whether clerk is OK, by the figures of :mod:`clerk.ops.counts`.

``clerk health``, ``pipeline-status --check``, the overview, the System page, ``/readyz``,
``/metrics``, the alerts, the notifications and the API all show this result.  It is OK exactly when
every check is.  A check has findings, one per problem: what is wrong, how many it concerns, and the
command that helps.

A check is about damage, not about the amount of work: a long queue that live workers are working
through is OK, however long its sites have made no progress.  The health score of the old system
counts such sites as unhealthy; it is shown and decides nothing.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import IntEnum

from sqlalchemy import text

from clerk.core import config, schema, storage
from clerk.core.clock import utc_now
from clerk.core.config import Settings
from clerk.core.db import get_civic_db, reading_connection
from clerk.core.errors import ClerkError, StorageUnusable
from clerk.core.states import ANNOTATIONS
from clerk.follow import deliveries
from clerk.pipeline import queues
from clerk.pipeline.scan import unrecorded_sites
from clerk.search import index
from clerk.search.readers import open_index

from . import counts, store_check
from .counts import SITES_NAMED, FetcherRuns, Figures, percent

#: From this share of the sites on, stuck sites are critical.
STUCK_CRITICAL_PERCENT = 1.0

#: From this share on, failed runs or failed documents of the last day are a warning.  More than
#: half are critical, unless there are only a few.
FAILED_WARNING_PERCENT = 10.0
FAILED_FEW = 4

#: More crashes than this in a day are a warning, and so is this share if there are a few.  A crash
#: counts whether its work was recovered or not.
CRASHES_MANY = 20
CRASHES_FEW = 3
CRASHES_WARNING_PERCENT = 10.0

#: As many runs of a site that failed in a row are a finding of their own.
FAILED_IN_A_ROW = 3

#: At least this many sites of one fetcher, and half of those that ran, are one finding.
FETCHER_SITES = 3

#: Work that waits this long, and will wait as long again at the present rate, is a warning.
QUEUE_AGE = timedelta(hours=24)

#: Free space of the storage directory: share and bytes.
DISK_WARNING, DISK_CRITICAL = 0.10, 0.03
DISK_WARNING_BYTES, DISK_CRITICAL_BYTES = 5 * 10**9, 10**9

#: While a site is in a stage, reconciliation should have run within this time.
RECONCILE_WARNING, RECONCILE_CRITICAL = timedelta(minutes=45), timedelta(hours=3)


#: Where due sites are queued by a timer, it should have run within this time.
SCHEDULE_LATE = timedelta(hours=1)


class Level(IntEnum):
    """The result of a check; the numbers are the exit codes that monitoring systems expect."""

    OK = 0
    WARNING = 1
    CRITICAL = 2
    UNKNOWN = 3


#: The worst first: a known critical problem outranks an unknown state.
WORST_FIRST = (Level.CRITICAL, Level.UNKNOWN, Level.WARNING)


@dataclass(frozen=True)
class Finding:
    """One problem.  It is the same problem as long as ``kind`` and ``subject`` are the same."""

    #: The check that found it.
    kind: str
    severity: Level
    what: str
    #: How many sites, runs, documents or queues it concerns.
    number: int = 1
    #: What to do about it.
    command: str = ""
    #: The site, fetcher or queue it is about, where a check can find several problems.
    subject: str = ""


@dataclass(frozen=True)
class Check:
    """One check: its level, what was found, and how to fix it if it is not OK."""

    name: str
    level: Level
    message: str
    fix: str = ""
    #: How many it concerns.
    number: int = 1
    #: Several problems, if the check found them apart.
    parts: tuple[Finding, ...] = ()

    @property
    def word(self) -> str:
        """The name of the level."""
        return self.level.name

    @property
    def findings(self) -> tuple[Finding, ...]:
        """The problems it found; none when it is OK."""
        if not self.level:
            return ()
        whole = Finding(self.name, self.level, self.message, self.number, self.fix)
        return self.parts or (whole,)


def check_of(name: str, findings: Sequence[Finding], otherwise: str) -> Check:
    """Return the check that found these problems, or is OK with the words given."""
    if not findings:
        return Check(name, Level.OK, otherwise)
    level = next(each for each in WORST_FIRST if each in {f.severity for f in findings})
    return Check(
        name,
        level,
        _named([finding.what for finding in findings], "; "),
        findings[0].command,
        sum(finding.number for finding in findings),
        tuple(findings),
    )


@dataclass
class Health:
    """All checks, and the figures; there are none without a usable database."""

    checks: list[Check] = field(default_factory=list)
    figures: Figures | None = None

    @property
    def level(self) -> Level:
        """The worst level of all checks."""
        levels = {check.level for check in self.checks}
        return next((level for level in WORST_FIRST if level in levels), Level.OK)

    @property
    def word(self) -> str:
        """The name of the worst level."""
        return self.level.name

    @property
    def is_ok(self) -> bool:
        """Whether every check is OK."""
        return self.level == Level.OK

    @property
    def problems(self) -> list[Check]:
        """The checks that are not OK."""
        return [check for check in self.checks if check.level]

    @property
    def findings(self) -> list[Finding]:
        """Every problem, the worst first."""
        found = [finding for check in self.checks for finding in check.findings]
        return sorted(found, key=lambda finding: WORST_FIRST.index(finding.severity))

    def level_of(self, name: str) -> Level:
        """Return the level of one check; OK when it did not run."""
        return next((check.level for check in self.checks if check.name == name), Level.OK)


def check_all(settings: Settings) -> Health:
    """Run every check; those that need the database only if it is usable."""
    health = Health()
    for name, check in SYSTEM_CHECKS.items():
        health.checks.append(run_check(name, check, settings))
    if health.level_of("database") != Level.CRITICAL:
        health.checks.append(run_check("schema", check_schema, settings))
        if health.level_of("schema") != Level.CRITICAL:
            health.checks.append(run_check("follow", check_followers, settings))
            health.figures = counts.figures(settings)
            health.checks += [check(health.figures, settings) for check in FIGURE_CHECKS]
    return health


# ------------------------------------------------------------------------- the installation


def run_check(name: str, check: Callable[[Settings], Check], settings: Settings) -> Check:
    """Run one check of the installation; an error of clerk is its critical result."""
    try:
        return check(settings)
    except ClerkError as error:
        return Check(name, Level.CRITICAL, str(error), error.hint)


def check_database(_settings: Settings) -> Check:
    """The database must answer."""
    began = time.monotonic()
    with reading_connection() as conn:
        conn.execute(text("SELECT 1"))
    milliseconds = (time.monotonic() - began) * 1000
    answered = f"{get_civic_db().dialect.name} answers in {milliseconds:.0f} ms"
    return Check("database", Level.OK, answered)


def check_disk(settings: Settings) -> Check:
    """The storage directory must be usable and have free space."""
    storage.check_storage(settings.storage_dir)
    usage = shutil.disk_usage(settings.storage_dir)
    share = usage.free / usage.total
    level = Level.OK
    if share < DISK_WARNING and usage.free < DISK_WARNING_BYTES:
        level = Level.WARNING
    if share < DISK_CRITICAL and usage.free < DISK_CRITICAL_BYTES:
        level = Level.CRITICAL
    unit, power = ("GB", 9) if usage.free >= 10**8 else ("MB", 6)
    free = (
        f"{usage.free / 10**power:.1f} {unit} free of {usage.total / 10**power:.1f} {unit}"
        f" ({share:.0%})"
    )
    return Check("disk", level, free, "Free space, or move STORAGE_DIR." if level else "")


def check_queue(settings: Settings) -> Check:
    """Redis must answer if it is configured."""
    if settings.embedded:
        return Check("queue", Level.OK, settings.queue_in_words)
    queues.require_redis(settings)
    return Check("queue", Level.OK, f"{config.redact(settings.redis_url)} answers")


def check_schema(_settings: Settings) -> Check:
    """The schema must be the newest; tables of the old system may remain."""
    engine = get_civic_db()
    schema.require_usable(engine)
    if left := schema.what_is_left(engine):
        return Check("schema", Level.OK, f"at {schema.head()}; {left} stay until clerk db cleanup")
    return Check("schema", Level.OK, f"at {schema.head()}, the newest")


def check_search(settings: Settings) -> Check:
    """The parts of this machine's search index must be readable; a damaged one is rebuilt."""
    layout = index.read_layout(settings.storage_dir)
    fix = "clerk serve rebuilds it; or run: clerk search-index update"
    try:
        # Notes damage that nobody has met yet.
        missing = open_index(settings.storage_dir).missing if layout else ()
    except StorageUnusable as error:
        return Check("search", Level.WARNING, str(error).rstrip("."), fix)
    shards = range(len(layout.shards) if layout else 0)
    damage = {shard: index.damage_of(settings.storage_dir, shard) for shard in shards}
    damage |= {shard: damage[shard] or "it cannot be read" for shard in missing}
    damaged = [f"part {shard} is damaged: {why}" for shard, why in damage.items() if why]
    if damaged:
        return Check("search", Level.WARNING, "; ".join(damaged), fix, len(damaged))
    return Check("search", Level.OK, "the index can be read" if layout else "no index yet")


def check_followers(_settings: Settings) -> Check:
    """No message to a follower may be late, and no webhook disabled."""
    with reading_connection() as conn:
        found = deliveries.trouble(conn)
    findings = [
        Finding(
            "follow",
            Level.WARNING,
            f"webhook {number} is disabled: {reason}",
            command="Correct it and add it again, or remove it: clerk follow list",
            subject=f"webhook {number}",
        )
        for number, reason in found.disabled_webhooks
    ]
    if found.late_since is not None:
        waiting = "1 message waits" if found.late == 1 else f"{found.late} messages wait"
        findings.append(
            Finding(
                "follow",
                Level.WARNING,
                f"{waiting} since {found.late_since:%Y-%m-%d %H:%M} UTC: {found.error}",
                found.late,
                "Check MAIL_URL: clerk follow test-mail ADDRESS",
            )
        )
    return check_of("follow", findings, "no message is late, no webhook is disabled")


SYSTEM_CHECKS = {
    "database": check_database,
    "disk": check_disk,
    "queue": check_queue,
    "search": check_search,
}


# ------------------------------------------------------------------------------ the figures


def check_workers(seen: Figures, settings: Settings) -> Check:
    """A queue with waiting work needs a live worker, and so does one whose last worker died."""
    workers = seen.workers
    unserved = {
        name: work.waiting
        for name, work in seen.queues.items()
        if work.waiting and name not in workers.by_queue
    }
    alive = f"{workers.alive} alive"
    fix = "Start: clerk worker TYPE -n N"
    if unserved:
        if settings.embedded and not settings.uses_postgresql:
            commands = ["clerk run --all-due"] if unserved.keys() - {ANNOTATIONS} else []
            commands += ["clerk annotations watch ID"] if ANNOTATIONS in unserved else []
            fix = f"Run: {', '.join(commands)}"
        listed = ", ".join(f"{number} in {name}" for name, number in unserved.items())
        found = f"{alive}; no worker serves {listed}"
        return Check("workers", Level.WARNING, found, fix, sum(unserved.values()))
    if seen.queues_left:
        if settings.embedded and not settings.uses_postgresql:
            fix = "Start clerk serve or clerk run again, and check its log"
        found = f"{alive}; the last worker of {', '.join(seen.queues_left)} died"
        return Check("workers", Level.WARNING, found, fix, len(seen.queues_left))
    beat = f", last heartbeat {ago(workers.last_beat_at)}" if workers.last_beat_at else ""
    return Check("workers", Level.OK, alive + beat)


def check_store(seen: Figures, settings: Settings) -> Check:
    """The files of sites must be there: an empty storage directory is one that is not mounted.

    A bucket must answer and be this installation's; it is asked once a minute, and at most ten
    seconds.
    """
    if settings.storage_url:
        try:
            return Check("store", Level.OK, store_check.check_store(settings))
        except ClerkError as error:
            return Check("store", Level.CRITICAL, str(error), error.hint or "clerk doctor")
    known = seen.sites_with_files
    here = [name for name in known if storage.site_folder(settings.storage_dir, name).is_dir()]
    if known and not here:
        found = f"{settings.storage_dir} has no files of {_named(known)}"
        fix = "Mount the storage directory, or correct STORAGE_DIR."
        return Check("store", Level.CRITICAL, found, fix, len(known))
    if away := [name for name in known if name not in here]:
        found = f"{settings.storage_dir} has no files of {_named(away)}"
        fix = "Restore them; if they were deleted on purpose: clerk reconcile-pipeline --scan"
        return Check("store", Level.WARNING, found, fix, len(away))
    if unrecorded := unrecorded_sites(settings):
        found = f"the files of {_sites(len(unrecorded))} are not recorded: {_named(unrecorded)}"
        return Check("store", Level.WARNING, found, "Run: clerk db upgrade", len(unrecorded))
    return Check("store", Level.OK, f"files of {len(here)} of {len(known)} sites found")


def check_queues(seen: Figures, _settings: Settings) -> Check:
    """A paused queue is a person's decision; waiting work with idle workers is a fault."""
    found = [
        f"no work was taken from {each.name} for 2 h: {each.waiting} waiting,"
        f" {each.workers} idle {'worker' if each.workers == 1 else 'workers'}"
        for each in seen.stalled
    ]
    if seen.paused:
        found.append(f"paused: {', '.join(seen.paused)}")
    if seen.stalled:
        fix = "Restart the workers, and check their log"
        return Check("queues", Level.CRITICAL, "; ".join(found), fix)
    if seen.paused:
        return Check("queues", Level.WARNING, "; ".join(found), "Run: clerk queue resume NAME")
    return Check("queues", Level.OK, "none is paused")


def check_reconciliation(seen: Figures, _settings: Settings) -> Check:
    """Reconciliation must run while sites are in a stage."""
    last = seen.reconciled_at
    ran = f"last ran {ago(last)}" if last else "never ran"
    if not seen.under_way:
        return Check("reconcile", Level.OK, f"{ran}; no site is in a stage")
    late = utc_now() - last if last else RECONCILE_CRITICAL
    level = Level.WARNING if late > RECONCILE_WARNING else Level.OK
    if last and late > RECONCILE_CRITICAL:
        level = Level.CRITICAL
    fix = "Run: clerk reconcile-pipeline, and see: clerk install-units" if level else ""
    return Check("reconcile", level, f"{ran}; {_sites(seen.under_way)} in a stage", fix)


def check_schedule(seen: Figures, _settings: Settings) -> Check:
    """Due sites must be queued, and every site must have had a good run lately by its schedule."""
    last, findings = seen.scheduled_at, []
    ran = f"due sites were queued {ago(last)}" if last else "nothing queues due sites here"
    if last and seen.overdue and utc_now() - last > SCHEDULE_LATE:
        found = f"{_sites(seen.overdue)} due, and {ran}"
        fix = "Run: clerk schedule run, and see: clerk install-units"
        findings.append(Finding("schedule", Level.WARNING, found, seen.overdue, fix, "queueing"))
    if seen.late:
        oldest = seen.late[0]
        names = _named([site.subdomain for site in seen.late])
        found = (
            f"{_sites(len(seen.late))} without a good run for longer than twice the schedule,"
            f" up to {oldest.days:.0f} d: {names}"
        )
        fix = "See why: clerk pipeline-status"
        findings.append(Finding("schedule", Level.WARNING, found, len(seen.late), fix, "freshness"))
    return check_of("schedule", findings, ran)


def check_blocked(seen: Figures, _settings: Settings) -> Check:
    """Work that is retried until a person fixes what it needs is critical."""
    if not seen.blocked:
        return Check("operator", Level.OK, "no work is blocked")
    (first, trouble), *_ = seen.blocked.items()
    more = f", and {_sites(len(seen.blocked) - 1)} more" if len(seen.blocked) > 1 else ""
    fix = "Fix it; the work continues by itself. See: clerk doctor"
    found = f"{first}: {trouble}{more}"
    return Check("operator", Level.CRITICAL, found, fix, len(seen.blocked))


def check_stuck(seen: Figures, _settings: Settings) -> Check:
    """A site without progress must be in work or waiting in a queue that is served."""
    if not seen.stuck:
        served = f"; {_sites(seen.silent)} silent, but running or waiting in a served queue"
        return Check("stuck", Level.OK, f"0 sites{served if seen.silent else ''}")
    share = percent(len(seen.stuck), seen.sites) or 0.0
    level = Level.WARNING if share < STUCK_CRITICAL_PERCENT else Level.CRITICAL
    names = _named([site.subdomain for site in seen.stuck])
    found = f"{_sites(len(seen.stuck))} ({share} %): {names}"
    fix = "Run: clerk reconcile-pipeline"
    return Check("stuck", level, found, fix, len(seen.stuck))


def check_runs(seen: Figures, _settings: Settings) -> Check:
    """Few of the runs that ended within the last day may have failed."""
    day = seen.last_day
    return _check_share("runs", day.runs_failed, day.runs, "See why: clerk pipeline-status")


def check_documents(seen: Figures, _settings: Settings) -> Check:
    """Few of the documents read within the last day may have failed."""
    day = seen.last_day
    return _check_share(
        "documents", day.documents_failed, day.documents, "See: clerk failures list"
    )


def _check_share(name: str, failed: int, ended: int, fix: str) -> Check:
    share = percent(failed, ended)
    if share is None:
        return Check(name, Level.OK, "none ended in the last 24 h")
    level = Level.WARNING if share >= FAILED_WARNING_PERCENT else Level.OK
    if 2 * failed > ended and failed > FAILED_FEW:
        level = Level.CRITICAL
    found = f"{failed} of {ended} failed in the last 24 h ({share} %)"
    return Check(name, level, found, fix if level else "", failed)


def check_crashes(seen: Figures, _settings: Settings) -> Check:
    """Few batches may have crashed within the last day, and few workers may have died."""
    day, lost = seen.last_day, seen.workers_lost
    share = percent(day.crashes, day.batches) or 0.0
    often = day.crashes >= CRASHES_FEW and share >= CRASHES_WARNING_PERCENT
    level = Level.WARNING if often or day.crashes > CRASHES_MANY else Level.OK
    if lost >= CRASHES_FEW:
        level = Level.WARNING
    found = f"{day.crashes} of {day.batches} batches crashed in the last 24 h"
    if lost:
        found += f", {lost} {'worker' if lost == 1 else 'workers'} died"
    fix = "See which: clerk batch list --status crashed" if level else ""
    return Check("crashes", level, found, fix, day.crashes)


def check_fetchers(seen: Figures, _settings: Settings) -> Check:
    """Many sites of one fetcher that fail at once are one problem: its portal has changed."""
    findings = [
        Finding(
            "fetchers",
            Level.CRITICAL
            if 2 * each.failed > each.ran and each.failed > FAILED_FEW
            else Level.WARNING,
            f"{each.failed} of {_sites(each.ran)} with the fetcher {each.fetcher} failed to fetch"
            f" in the last 24 h ({each.example})",
            each.failed,
            "See why: clerk pipeline-status",
            each.fetcher,
        )
        for each in broken_fetchers(seen.fetchers)
    ]
    return check_of("fetchers", findings, "no fetcher fails for many sites")


def broken_fetchers(fetchers: Iterable[FetcherRuns]) -> list[FetcherRuns]:
    """Return the fetchers whose sites fail together."""
    return [
        each for each in fetchers if each.failed >= FETCHER_SITES and 2 * each.failed >= each.ran
    ]


def check_failing(seen: Figures, _settings: Settings) -> Check:
    """A site should not fail run after run; those of a broken fetcher are one problem already."""
    known = {site for each in broken_fetchers(seen.fetchers) for site in each.failed_sites}
    findings = [
        Finding(
            "failing",
            Level.WARNING,
            f"{each.subdomain} failed {each.failures} times in a row: {each.reason}",
            1,
            f"See why: clerk site show {each.subdomain}",
            each.subdomain,
        )
        for each in seen.failing
        if each.failures >= FAILED_IN_A_ROW and each.subdomain not in known
    ]
    return check_of("failing", findings, f"no site failed {FAILED_IN_A_ROW} times in a row")


def check_backlog(seen: Figures, _settings: Settings) -> Check:
    """Work that waits for a day should be done within the next: a served backlog never fails."""
    now, findings = utc_now(), []
    for name, work in seen.queues.items():
        rate = seen.finished_by_stage.get(name, 0)
        old = work.oldest_at is not None and now - work.oldest_at > QUEUE_AGE
        if old and work.waiting > rate and name not in seen.paused:
            queued = (
                f"{work.waiting} wait in {name}, the oldest queued {ago(work.oldest_at or now)}"
            )
            found = f"{queued}; {rate} were done in the last 24 h"
            fix = f"Start more workers: clerk worker {name} -n N"
            findings.append(Finding("backlog", Level.WARNING, found, work.waiting, fix, name))
    return check_of("backlog", findings, "the workers keep up with every queue")


def check_attention(seen: Figures, _settings: Settings) -> Check:
    """A site that needs attention is at least a warning: none is listed next to "OK"."""
    if not seen.attention:
        return Check("attention", Level.OK, "no site needs attention")
    sites = [each.subdomain for each in seen.attention]
    verb = "needs" if len(sites) == 1 else "need"
    found = f"{_sites(len(sites))} {verb} attention: {_named(sites)}"
    parts = tuple(
        Finding(
            "attention",
            Level.WARNING,
            f"{each.subdomain} needs attention: {each.reason}",
            1,
            f"See why: clerk site show {each.subdomain}",
            each.subdomain,
        )
        for each in seen.attention
    )
    fix = "See why: clerk pipeline-status"
    return Check("attention", Level.WARNING, found, fix, len(sites), parts)


def show_score(seen: Figures, _settings: Settings) -> Check:
    """The old system's health score is shown and always OK."""
    score = f"health score {seen.health_score} % (sites that are done or moved within 2 h)"
    return Check("score", Level.OK, "no site has run yet" if seen.health_score is None else score)


FIGURE_CHECKS: tuple[Callable[[Figures, Settings], Check], ...] = (
    check_workers,
    check_store,
    check_queues,
    check_reconciliation,
    check_schedule,
    check_blocked,
    check_stuck,
    check_runs,
    check_documents,
    check_fetchers,
    check_failing,
    check_backlog,
    check_crashes,
    check_attention,
    show_score,
)


def _sites(number: int) -> str:
    return f"{number} {'site' if number == 1 else 'sites'}"


def _named(sites: Sequence[str], comma: str = ", ") -> str:
    more = len(sites) - SITES_NAMED
    return comma.join(sites[:SITES_NAMED]) + (f" and {more} more" if more > 0 else "")


def ago(moment: datetime) -> str:
    """Return how long ago a moment was, in one unit."""
    seconds = max(0.0, (utc_now() - moment).total_seconds())
    for size, unit in ((86_400, "d"), (3600, "h"), (60, "min")):
        if seconds >= size:
            return f"{seconds / size:.0f} {unit} ago"
    return f"{seconds:.0f} s ago"
