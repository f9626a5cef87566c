"""What operators ask about batches: are they well, how often they crash, how long they take.

Reports add what is live in ``batch_job_trackings`` to what is kept of batches that were cleaned up
(by the hour they were made in), so cleaning up changes no figure.  Days and hours are UTC.
"""

from __future__ import annotations

import math
import shutil
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, Connection, Float, Row, delete, func, insert, select, update
from sqlalchemy import cast as sql_cast

from clerk.annotations import store, uploads
from clerk.core import config
from clerk.core.clock import utc_now
from clerk.core.db import civic_db_connection, reading_connection
from clerk.core.models import (
    annotation_uploads_table,
    batch_failures_table,
    batch_history_table,
    batches_table,
    hour_of,
    jobs_table,
)
from clerk.core.states import Batch, Kind, Upload

from . import workers
from .batch_tracking import Batches, BatchJobTracking, doc_summary

batches, jobs, history = batches_table, jobs_table, batch_history_table

#: Finished batches are kept this long.
KEPT = timedelta(days=7)
#: So many crashes are named.
CRASHES_SHOWN = 5
#: Batches cleaned up in one transaction.
AT_ONCE = 1_000
#: Percentiles of what was cleaned up are known by classes, each so much longer than the last.
_CLASS = 1.1


# ----------------------------------------------------------------------------------- health


@dataclass(frozen=True)
class Crash:
    """A batch whose worker died, and what it was given."""

    job: int | None
    documents: str
    error: str


@dataclass(frozen=True)
class Health:
    """How the batches made in the last hours fared."""

    hours: float
    total: int
    pending: int
    running: int
    completed: int
    failed: int
    crashed: int
    split: int
    cancelled: int
    recent_crashes: tuple[Crash, ...] = ()

    @property
    def completed_percent(self) -> float:
        """The share of completed ones."""
        return round(100.0 * self.completed / self.total, 1) if self.total else 0.0


def health(hours: float = 24.0) -> Health:
    """Return how the batches made in the last hours fared."""
    since = utc_now() - timedelta(hours=hours)
    counts: Counter[str] = Counter()
    with reading_connection() as conn:
        for made in by_hour(conn, since).values():
            counts.update(made)
    by_status = {status: counts[status] for status in Batch.ALL}
    return Health(
        hours=hours,
        total=sum(by_status.values()),
        recent_crashes=tuple(_recent_crashes(since)) if by_status[Batch.CRASHED] else (),
        **by_status,
    )


def by_hour(conn: Connection, since: datetime) -> dict[datetime, Counter[str]]:
    """Return how many batches were made in each hour since a moment, by what became of them."""
    found: dict[datetime, Counter[str]] = {}
    hour = hour_of(batches.c.created_at)
    live = (
        select(hour, batches.c.status, func.count())
        .where(batches.c.created_at > since)
        .group_by(hour, batches.c.status)
    )
    for at, status, number in conn.execute(live):
        found.setdefault(at, Counter())[status] += number
    for row in conn.execute(select(history).where(history.c.hour >= _hour(since))):
        kept = {status: row._mapping[status] for status in Batch.FINAL}
        found.setdefault(row.hour, Counter()).update(kept)
    return found


def _recent_crashes(since: datetime) -> Iterable[Crash]:
    live = Batches().created_since(since).crashed().last(CRASHES_SHOWN)
    yield from (Crash(b.parent_job_id, b.doc_summary(), b.error_message or "") for b in live)
    kept = batch_failures_table
    chosen = (
        select(kept)
        .where(kept.c.crashed > 0, kept.c.last_at >= _hour(since))
        .order_by(kept.c.alone.desc(), kept.c.last_at.desc())
        .limit(CRASHES_SHOWN - len(live))
    )
    with reading_connection() as conn:
        for row in conn.execute(chosen):
            name = {"sourcedb": row.sourcedb, "sourceid": row.sourceid}
            yield Crash(None, doc_summary([name]), row.error or "")


def _hour(moment: datetime) -> datetime:
    return moment.astimezone(UTC).replace(minute=0, second=0, microsecond=0)


# ---------------------------------------------------------------------------------- reports


@dataclass
class Day:
    """The batches made on one day."""

    date: date
    crashed: int = 0
    total: int = 0

    @property
    def crash_rate_pct(self) -> float:
        """The share of those that crashed."""
        return round(100.0 * self.crashed / self.total, 2) if self.total else 0.0


def crash_rate(days: int = 7) -> list[Day]:
    """Return how many batches crashed on each of the last days, the newest first."""
    since = utc_now() - timedelta(days=days)
    found: dict[date, Day] = {}
    with reading_connection() as conn:
        for hour, made in by_hour(conn, since).items():
            day = found.setdefault(hour.date(), Day(hour.date()))
            day.crashed += made[Batch.CRASHED]
            day.total += made.total()
    return [found[when] for when in sorted(found, reverse=True)]


@dataclass(frozen=True)
class Timing:
    """How long completed batches took."""

    days: int
    count: int
    avg_seconds: float
    max_seconds: float
    p95_seconds: float


def timing(days: int = 7) -> Timing:
    """Return how long the completed batches of the last days took.

    The 95th percentile of batches that were cleaned up is right to ten per cent.
    """
    since = utc_now() - timedelta(days=days)
    classes: Counter[int] = Counter()
    with reading_connection() as conn:
        span = seconds_taken(conn)
        live = select(span).where(batches.c.created_at > since, _timed(Batch.COMPLETED))
        seconds = sorted(float(each) for each in conn.execute(live).scalars())
        kept = conn.execute(select(history).where(history.c.hour >= _hour(since))).fetchall()
    for row in kept:
        classes.update({int(name): number for name, number in row.durations.items()})
    count = len(seconds) + classes.total()
    total = sum(seconds) + sum(row.seconds for row in kept)
    longest = max([*seconds, *(row.longest_seconds for row in kept)], default=0.0)
    return Timing(
        days,
        count,
        round(total / count, 3) if count else 0.0,
        round(longest, 3),
        round(min(longest, _percentile(seconds, classes, 0.95)), 3),
    )


def _timed(*statuses: str) -> ColumnElement[bool]:
    both = batches.c.started_at.is_not(None) & batches.c.completed_at.is_not(None)
    return batches.c.status.in_(statuses) & both


def seconds_taken(conn: Connection) -> ColumnElement[float]:
    """Return the seconds between a batch's start and end, as SQL of either database."""
    started, ended = batches.c.started_at, batches.c.completed_at
    if conn.dialect.name == "sqlite":
        taken: Any = (func.julianday(ended) - func.julianday(started)) * 86_400.0
        return func.round(taken, 3)
    epoch: ColumnElement[float] = sql_cast(func.extract("epoch", ended - started), Float)
    return epoch


def _percentile(seconds: Sequence[float], classes: Mapping[int, int], share: float) -> float:
    values = [(each, 1) for each in seconds]
    values += [(_CLASS**name, number) for name, number in classes.items()]
    left = math.ceil(share * sum(number for _, number in values))
    for value, number in sorted(values):
        left -= number
        if left <= 0:
            return value
    return 0.0


def _class_of(seconds: float) -> int:
    return math.ceil(math.log(max(seconds, 1e-3), _CLASS))


@dataclass(frozen=True)
class Size:
    """How large the table of batches is."""

    rows: int
    bytes: int | None
    by_status: Mapping[str, int]
    oldest_at: datetime | None
    rows_in_history: int


def size() -> Size:
    """Return how large the table of batches is."""
    with reading_connection() as conn:
        by_status = Batches().counts_by_status()
        kept = conn.execute(select(func.count()).select_from(history)).scalar_one()
        return Size(
            sum(by_status.values()),
            _bytes_of(conn),
            by_status,
            conn.execute(select(func.min(batches.c.created_at))).scalar(),
            kept,
        )


def _bytes_of(conn: Connection) -> int | None:
    if conn.dialect.name == "postgresql":
        return conn.execute(select(func.pg_total_relation_size(batches.name))).scalar()
    compiled = {row[0] for row in conn.exec_driver_sql("PRAGMA compile_options")}
    if "ENABLE_DBSTAT_VTAB" not in compiled:
        return None
    pages = "SELECT sum(pgsize) FROM dbstat WHERE name LIKE '%batch_job_trackings%'"
    return conn.exec_driver_sql(pages).scalar()


def slow(limit: int = 10, days: int = 7) -> list[BatchJobTracking]:
    """Return the batches of the last days that took longest."""
    since = utc_now() - timedelta(days=days)
    with reading_connection() as conn:
        ids = conn.execute(
            select(batches.c.id)
            .where(batches.c.created_at > since, _timed(*Batch.FINAL))
            .order_by(seconds_taken(conn).desc(), batches.c.id)
            .limit(limit)
        ).scalars()
        order = {number: place for place, number in enumerate(ids)}
    found = Batches().where(batches.c.id.in_(list(order)))
    return sorted(found, key=lambda batch: order[batch.id])


@dataclass
class FailingDocument:
    """A document and how often batches with it ended badly."""

    stage: str
    sourcedb: str
    sourceid: str
    failed: int = 0
    crashed: int = 0
    #: How often it was the only one in the batch: then it is to blame.
    alone: int = 0
    last_at: datetime | None = None
    error: str = ""


def failures(limit: int = 20) -> list[FailingDocument]:
    """Return the documents that were in most batches that failed or crashed, guilty ones first."""
    found: dict[tuple[str, str, str], FailingDocument] = {}
    with reading_connection() as conn:
        bad = [Batch.FAILED, Batch.CRASHED]
        for row in conn.execute(_with_stage().where(batches.c.status.in_(bad))):
            _blame(found, row)
        for row in conn.execute(select(batch_failures_table)):
            each = _failing(found, row.stage, dict(row._mapping))
            each.failed += row.failed
            each.crashed += row.crashed
            each.alone += row.alone
            _note(each, row.last_at, row.error)
    worst = sorted(found.values(), key=lambda d: (-d.alone, -(d.failed + d.crashed), d.sourceid))
    return worst[:limit]


def _with_stage() -> Any:
    return select(batches, jobs.c.stage).join(jobs, jobs.c.id == batches.c.parent_job_id)


def _blame(found: dict[tuple[str, str, str], FailingDocument], row: Row[Any]) -> None:
    for name in row.doc_identifiers:
        each = _failing(found, row.stage, name)
        each.failed += row.status == Batch.FAILED
        each.crashed += row.status == Batch.CRASHED
        each.alone += len(row.doc_identifiers) == 1
        _note(each, row.completed_at or row.updated_at, row.error_message)


def _failing(
    found: dict[tuple[str, str, str], FailingDocument], stage: str, name: Mapping[str, Any]
) -> FailingDocument:
    key = (stage, str(name["sourcedb"]), str(name["sourceid"]))
    return found.setdefault(key, FailingDocument(*key))


def _note(each: FailingDocument, moment: datetime, error: str | None) -> None:
    if each.last_at is None or moment >= each.last_at:
        each.last_at, each.error = moment, (error or "").split("\n", 1)[0]


# --------------------------------------------------------------------------------- clean-up


@dataclass
class CleanedUp:
    """What a clean-up removed, or would remove."""

    batches: int = 0
    former_sets: int = 0
    uploaded_files: int = 0


def cleanup(older_than: timedelta = KEPT, *, dry_run: bool = False) -> CleanedUp:
    """Remove finished batches that are older, after adding them to the history.

    What waits or is in work is never touched.  Also gone are sets of annotations that were
    replaced, and files of uploads that ended, before that time: then nobody can go back.
    """
    before = utc_now() - older_than
    done = CleanedUp()
    if dry_run:
        done.batches = Batches().finished().older_than(before).count()
        with reading_connection() as conn:
            done.former_sets = store.count_former_sets(conn, before)
        done.uploaded_files = len(_uploaded_files(before))
        return done
    while removed := _clean_some(before):
        done.batches += removed
    while removed := _forget_sets(before):
        done.former_sets += removed
    for folder in _uploaded_files(before):
        shutil.rmtree(folder, ignore_errors=True)
        done.uploaded_files += 1
    return done


def _clean_some(before: datetime) -> int:
    with civic_db_connection() as conn:
        rows = conn.execute(
            _with_stage()
            .where(batches.c.status.in_(Batch.FINAL), batches.c.created_at < before)
            .order_by(batches.c.id)
            .limit(AT_ONCE)
            .with_for_update(of=batches)
        ).fetchall()
        _roll_up(conn, rows)
        conn.execute(delete(batches).where(batches.c.id.in_([row.id for row in rows])))
    return len(rows)


def _forget_sets(before: datetime) -> int:
    with civic_db_connection() as conn:
        return store.forget_former_sets(conn, before)


def _uploaded_files(before: datetime) -> list[Any]:
    """Return the folders of uploads that ended before a moment, and of those nobody knows."""
    root = config.load().storage_dir / "_clerk" / "uploads"
    known = annotation_uploads_table
    open_states = [Upload.OPEN, Upload.SUSPENDED]
    chosen = select(known.c.source, known.c.state, jobs.c.closed_at)
    with reading_connection() as conn:
        rows = conn.execute(chosen.join(jobs, jobs.c.id == known.c.job_id)).fetchall()
    needed = {
        row.source["path"].rsplit("/", 2)[-2]
        for row in rows
        if row.source and (row.state in open_states or row.closed_at >= before)
    }
    return [
        folder
        for folder in (root.iterdir() if root.is_dir() else ())
        if folder.name not in needed and folder.stat().st_mtime < before.timestamp()
    ]


@dataclass
class _Sums:
    """What is kept of the batches of an hour."""

    counts: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0
    longest: float = 0.0
    durations: Counter[str] = field(default_factory=Counter)

    def add(self, row: Row[Any]) -> None:
        """Count a batch."""
        self.counts[row.status] += 1
        if row.status == Batch.COMPLETED and row.started_at and row.completed_at:
            seconds = (row.completed_at - row.started_at).total_seconds()
            self.seconds += seconds
            self.longest = max(self.longest, seconds)
            self.durations[str(_class_of(seconds))] += 1


def _roll_up(conn: Connection, rows: Sequence[Row[Any]]) -> None:
    sums: dict[tuple[datetime, str], _Sums] = {}
    failing: dict[tuple[str, str, str], FailingDocument] = {}
    for row in rows:
        sums.setdefault((_hour(row.created_at), row.stage), _Sums()).add(row)
        if row.status in (Batch.FAILED, Batch.CRASHED):
            _blame(failing, row)
    for (hour, stage), more in sums.items():
        _add_to_history(conn, hour, stage, more)
    for each in failing.values():
        _add_to_failures(conn, each)


def _add_to_history(conn: Connection, hour: datetime, stage: str, more: _Sums) -> None:
    mine = (history.c.hour == hour) & (history.c.stage == stage)
    row = conn.execute(select(history).where(mine).with_for_update()).first()
    if row is None:
        values: dict[str, Any] = {status: more.counts[status] for status in Batch.FINAL}
        values |= {"seconds": more.seconds, "longest_seconds": more.longest}
        conn.execute(
            insert(history).values(hour=hour, stage=stage, durations=dict(more.durations), **values)
        )
        return
    changed: dict[str, Any] = {s: row._mapping[s] + more.counts[s] for s in Batch.FINAL}
    changed |= {
        "seconds": row.seconds + more.seconds,
        "longest_seconds": max(row.longest_seconds, more.longest),
        "durations": dict(Counter(row.durations) + more.durations),
    }
    conn.execute(update(history).where(mine).values(changed))


def _add_to_failures(conn: Connection, each: FailingDocument) -> None:
    kept = batch_failures_table
    mine = (
        (kept.c.stage == each.stage)
        & (kept.c.sourcedb == each.sourcedb)
        & (kept.c.sourceid == each.sourceid)
    )
    changed = conn.execute(
        update(kept)
        .where(mine)
        .values(
            failed=kept.c.failed + each.failed,
            crashed=kept.c.crashed + each.crashed,
            alone=kept.c.alone + each.alone,
            last_at=each.last_at,
            error=each.error,
        )
    )
    if changed.rowcount == 0:
        conn.execute(insert(kept).values(each.__dict__))


# --------------------------------------------------------------------------------- the dead


def detect_crashed(timeout: timedelta | None = None) -> int:
    """Take batches back from workers that are dead, and return how many were found.

    Batches that scripts keep by themselves have no worker: those are crashed when nobody has
    touched them for the time given (CRASH_DETECTION_TIMEOUT).
    """
    timeout = timeout or timedelta(seconds=config.load().crash_detection_timeout)
    found = workers.sweep() + uploads.sweep()
    silent = BatchJobTracking.possibly_crashed(timeout).where(batches.c.claim.is_(None))
    return found + sum(batch.mark_crashed() for batch in silent)


def kind_of(batch: BatchJobTracking) -> str:
    """Return whether a batch is of a stage or of an upload."""
    chosen = select(jobs.c.kind).where(jobs.c.id == batch.parent_job_id)
    with reading_connection() as conn:
        kind: str = conn.execute(chosen).scalar_one()
    return kind if kind == Kind.UPLOAD else Kind.STAGE
