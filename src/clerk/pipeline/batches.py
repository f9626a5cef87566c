"""Batches: what workers were given, as ``batch_job_trackings`` records it.

::

    pending --mark_running--> running --mark_completed--> completed
                                 |  \\---mark_failed----> failed
       \\---------mark_crashed----+---------------------> crashed

clerk itself also ends batches as ``split`` (divided into smaller ones) and ``cancelled`` (a person
cancelled the run or upload, or a newer run superseded it).

A transition is one guarded statement; its result says whether this call made it.  No batch leaves a
final status.  :class:`BatchJobTracking` is for operators' scripts; clerk's own workers change their
rows through :mod:`clerk.pipeline.ledger`.

Reports add the live rows to the history of batches that were cleaned up (by the hour they were
created in), so a cleanup changes no figure.  Days and hours are UTC.
"""

from __future__ import annotations

import math
import shutil
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any, ClassVar, Self

from sqlalchemy import (
    ColumnElement,
    Connection,
    Float,
    Row,
    Select,
    delete,
    func,
    insert,
    select,
    update,
)
from sqlalchemy import cast as sql_cast

from clerk.annotations import store
from clerk.core.clock import utc_now
from clerk.core.db import civic_db_connection, reading_connection
from clerk.core.errors import InvalidInput, NotFound, described
from clerk.core.models import (
    annotation_uploads_table,
    batch_failures_table,
    batch_history_table,
    batches_table,
    db_now,
    hour_of,
    jobs_table,
)
from clerk.core.states import Batch, Kind, Upload
from clerk.core.storage import uploads_folder

from .ledger import doc_summary

#: For each status, the statuses a batch may come from.  Nothing leaves a final one.
MAY_COME_FROM = {
    Batch.RUNNING: (Batch.PENDING,),
    Batch.COMPLETED: (Batch.RUNNING,),
    Batch.FAILED: (Batch.RUNNING,),
    Batch.CRASHED: (Batch.PENDING, Batch.RUNNING),
}

LABELS = {
    Batch.PENDING: "Waiting to start",
    Batch.RUNNING: "In progress",
    Batch.COMPLETED: "Completed successfully",
    Batch.FAILED: "Failed with error",
    Batch.CRASHED: "Crashed or killed",
    Batch.SPLIT: "Divided into smaller batches",
    Batch.CANCELLED: "Cancelled",
}

CRASHED_MESSAGE = "The job did not update its status within the expected time: crashed or killed."

#: Stack frames kept with an error.
TRACE_LINES = 5

batches, jobs, history = batches_table, jobs_table, batch_history_table

#: How long finished batches are kept.
KEPT = timedelta(days=7)
#: Crashed batches listed by :func:`health`.
CRASHES_SHOWN = 5
#: Batches cleaned up in one transaction.
BATCHES_PER_TRANSACTION = 1_000
#: Durations of cleaned-up batches are kept as a histogram; each bucket is this much wider.
_BUCKET_GROWTH = 1.1


@dataclass(frozen=True)
class Batches:
    """A selection of batches that can be narrowed, counted and listed."""

    conditions: tuple[ColumnElement[bool], ...] = ()

    def where(self, *conditions: ColumnElement[bool]) -> Self:
        """Keep only batches that meet these conditions."""
        return type(self)((*self.conditions, *conditions))

    def with_status(self, *statuses: str) -> Self:
        """Keep only batches with one of these statuses."""
        return self.where(batches.c.status.in_(statuses))

    def for_parent(self, parent_job_id: int) -> Self:
        """Keep only batches of a job."""
        return self.where(batches.c.parent_job_id == parent_job_id)

    def pending(self) -> Self:
        """Keep only batches that wait for a worker."""
        return self.with_status(Batch.PENDING)

    def running(self) -> Self:
        """Keep only batches a worker has."""
        return self.with_status(Batch.RUNNING)

    def completed(self) -> Self:
        """Keep only batches that succeeded."""
        return self.with_status(Batch.COMPLETED)

    def failed(self) -> Self:
        """Keep only batches that ended with an error."""
        return self.with_status(Batch.FAILED)

    def crashed(self) -> Self:
        """Keep only batches whose worker died."""
        return self.with_status(Batch.CRASHED)

    def cancelled(self) -> Self:
        """Keep only batches whose run or upload was cancelled."""
        return self.with_status(Batch.CANCELLED)

    def finished(self) -> Self:
        """Keep only batches with a final status."""
        return self.with_status(*Batch.FINAL)

    def possibly_crashed(self, timeout: timedelta = timedelta(minutes=10)) -> Self:
        """Keep only running batches without an update for this long."""
        silent_since = db_now(-timeout.total_seconds())
        return self.running().where(batches.c.updated_at < silent_since)

    def stale_pending(self, timeout: timedelta = timedelta(minutes=5)) -> Self:
        """Keep only batches that have waited this long; waiting is not a fault."""
        return self.pending().where(batches.c.created_at < db_now(-timeout.total_seconds()))

    def older_than(self, moment: datetime) -> Self:
        """Keep only batches created before a moment."""
        return self.where(batches.c.created_at < moment)

    def created_since(self, moment: datetime) -> Self:
        """Keep only batches created after a moment."""
        return self.where(batches.c.created_at > moment)

    def count(self) -> int:
        """Return the number of batches."""
        counted = select(func.count()).select_from(batches).where(*self.conditions)
        with reading_connection() as conn:
            return conn.execute(counted).scalar_one()

    def counts_by_status(self) -> dict[str, int]:
        """Return the number of batches by status; a status without any is left out."""
        status = batches.c.status
        counted = select(status, func.count()).where(*self.conditions).group_by(status)
        with reading_connection() as conn:
            return dict(map(tuple, conn.execute(counted)))

    def last(self, number: int) -> list[BatchJobTracking]:
        """Return the newest batches, newest first."""
        return self._read(newest=True, limit=number)

    def first(self) -> BatchJobTracking | None:
        """Return the oldest batch."""
        return next(iter(self._read(limit=1)), None)

    def __iter__(self) -> Iterator[BatchJobTracking]:
        return iter(self._read())

    def _read(self, newest: bool = False, limit: int | None = None) -> list[BatchJobTracking]:
        order = batches.c.id.desc() if newest else batches.c.id
        chosen = select(*_COLUMNS).where(*self.conditions).order_by(order).limit(limit)
        with reading_connection() as conn:
            return [BatchJobTracking(**row._mapping) for row in conn.execute(chosen)]


@dataclass(frozen=True)
class BatchJobTracking:
    """One batch, as it was when it was read."""

    id: int
    parent_job_id: int
    child_job_id: str | None
    status: str
    doc_identifiers: Sequence[Mapping[str, str]] = field(repr=False)
    item_count: int
    error_message: str | None
    started_at: datetime | None
    completed_at: datetime | None
    created_at: datetime
    updated_at: datetime
    attempt: int
    worker_id: str | None
    current_item: str | None
    parent_batch_id: int | None

    #: Selections of all batches, described at :class:`Batches`.
    all: ClassVar = Batches
    for_parent: ClassVar = Batches().for_parent
    pending: ClassVar = Batches().pending
    running: ClassVar = Batches().running
    completed: ClassVar = Batches().completed
    failed: ClassVar = Batches().failed
    crashed: ClassVar = Batches().crashed
    cancelled: ClassVar = Batches().cancelled
    finished: ClassVar = Batches().finished
    possibly_crashed: ClassVar = Batches().possibly_crashed
    stale_pending: ClassVar = Batches().stale_pending
    older_than: ClassVar = Batches().older_than

    @classmethod
    def create(
        cls,
        *,
        parent_job_id: int,
        item_count: int,
        doc_identifiers: Sequence[Mapping[str, str]] = (),
        child_job_id: str | None = None,
    ) -> BatchJobTracking:
        """Create a pending batch, before its child job is enqueued."""
        if item_count < 1:
            raise InvalidInput(f"item_count must be at least 1, not {item_count}.")
        with civic_db_connection() as conn:
            row = conn.execute(
                insert(batches)
                .values(
                    parent_job_id=parent_job_id,
                    item_count=item_count,
                    doc_identifiers=[dict(each) for each in doc_identifiers],
                    child_job_id=child_job_id,
                )
                .returning(*_COLUMNS)
            ).one()
        return cls(**row._mapping)

    @classmethod
    def find(cls, batch_id: int) -> BatchJobTracking:
        """Return the batch with this id, or raise NotFound."""
        found = Batches((batches.c.id == batch_id,)).first()
        if found is None:
            raise NotFound(f"There is no batch {batch_id}.", hint="List them: clerk batch list")
        return found

    @classmethod
    def stats_for_parent(cls, parent_job_id: int) -> dict[str, int]:
        """Return the items of a job by status; a status without any is left out."""
        counted = (
            select(batches.c.status, func.sum(batches.c.item_count))
            .where(batches.c.parent_job_id == parent_job_id)
            .group_by(batches.c.status)
        )
        with reading_connection() as conn:
            return {status: int(items) for status, items in conn.execute(counted)}

    def mark_running(self) -> bool:
        """Record that the work has started."""
        return self._move(Batch.RUNNING, started_at=db_now())

    def mark_completed(self) -> bool:
        """Record that the work succeeded."""
        return self._move(Batch.COMPLETED, completed_at=db_now())

    def mark_failed(self, error: BaseException | str) -> bool:
        """Record that the work ended with this error."""
        return self._move(Batch.FAILED, completed_at=db_now(), error_message=described(error))

    def mark_crashed(self) -> bool:
        """Record that the worker has stopped reporting."""
        return self._move(
            Batch.CRASHED, completed_at=db_now(), error_message=CRASHED_MESSAGE, current_item=None
        )

    def _move(self, status: str, **columns: Any) -> bool:
        with civic_db_connection() as conn:
            changed = conn.execute(
                update(batches)
                .where(batches.c.id == self.id, batches.c.status.in_(MAY_COME_FROM[status]))
                .values(status=status, updated_at=db_now(), **columns)
            )
        return changed.rowcount == 1

    def reload(self) -> BatchJobTracking:
        """Return the batch as it is now."""
        return self.find(self.id)

    @property
    def duration(self) -> timedelta | None:
        """How long it took; None until it has started and ended."""
        if self.started_at is None or self.completed_at is None:
            return None
        return self.completed_at - self.started_at

    @property
    def status_label(self) -> str:
        """The status in words."""
        return LABELS[self.status]

    def doc_summary(self, limit: int = 3) -> str:
        """Name the first documents, and count the others."""
        return doc_summary(self.doc_identifiers, limit)


_COLUMNS = [batches.c[each.name] for each in fields(BatchJobTracking)]


# --------------------------------------------------------------------------------- reports


@dataclass(frozen=True)
class CrashedBatch:
    """A batch whose worker died; one that was cleaned up has no job any more."""

    job: int | None
    documents: str
    error: str


@dataclass(frozen=True)
class BatchHealth:
    """The batches created in the last hours, by status."""

    hours: float
    total: int
    pending: int
    running: int
    completed: int
    failed: int
    crashed: int
    split: int
    cancelled: int
    recent_crashes: tuple[CrashedBatch, ...] = ()

    @property
    def completed_percent(self) -> float:
        """The share of completed batches."""
        return round(100.0 * self.completed / self.total, 1) if self.total else 0.0


def health(hours: float = 24.0) -> BatchHealth:
    """Return the batches created in the last hours by status, with the latest crashes."""
    since = utc_now() - timedelta(hours=hours)
    counts: Counter[str] = Counter()
    crashes: list[CrashedBatch] = []
    kept = batch_failures_table
    with reading_connection() as conn:
        for created in by_hour(conn, since).values():
            counts.update(created)
        if counts[Batch.CRASHED]:
            live = Batches().created_since(since).crashed().last(CRASHES_SHOWN)
            crashes += [
                CrashedBatch(each.parent_job_id, each.doc_summary(), each.error_message or "")
                for each in live
            ]
            cleaned_up = conn.execute(
                select(kept)
                .where(kept.c.crashed > 0, kept.c.last_at >= _hour(since))
                .order_by(kept.c.alone.desc(), kept.c.last_at.desc())
                .limit(CRASHES_SHOWN - len(live))
            )
            crashes += [
                CrashedBatch(None, doc_summary([row._mapping]), row.error or "")
                for row in cleaned_up
            ]
    by_status = {status: counts[status] for status in Batch.ALL}
    total = sum(by_status.values())
    return BatchHealth(hours=hours, total=total, recent_crashes=tuple(crashes), **by_status)


def by_hour(conn: Connection, since: datetime) -> dict[datetime, Counter[str]]:
    """Return the batches created in each hour since a moment, counted by status."""
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


def _hour(moment: datetime) -> datetime:
    return moment.astimezone(UTC).replace(minute=0, second=0, microsecond=0)


@dataclass
class DayOfBatches:
    """The batches created on one day."""

    date: date
    crashed: int = 0
    total: int = 0

    @property
    def crash_rate_pct(self) -> float:
        """The share of batches that crashed."""
        return round(100.0 * self.crashed / self.total, 2) if self.total else 0.0


def crash_rate(days: int = 7) -> list[DayOfBatches]:
    """Return how many batches crashed on each of the last days, newest first."""
    found: dict[date, DayOfBatches] = {}
    with reading_connection() as conn:
        for hour, created in by_hour(conn, utc_now() - timedelta(days=days)).items():
            day = found.setdefault(hour.date(), DayOfBatches(hour.date()))
            day.crashed += created[Batch.CRASHED]
            day.total += created.total()
    return [found[when] for when in sorted(found, reverse=True)]


@dataclass(frozen=True)
class BatchTiming:
    """How long completed batches took."""

    days: int
    count: int
    avg_seconds: float
    max_seconds: float
    p95_seconds: float


def timing(days: int = 7) -> BatchTiming:
    """Return how long the completed batches of the last days took.

    The 95th percentile of batches that were cleaned up is accurate to ten per cent.
    """
    since = utc_now() - timedelta(days=days)
    with reading_connection() as conn:
        live = select(seconds_taken(conn)).where(
            batches.c.created_at > since, _timed(Batch.COMPLETED)
        )
        seconds = [float(each) for each in conn.execute(live).scalars()]
        kept = conn.execute(select(history).where(history.c.hour >= _hour(since))).fetchall()
    weighted = [(each, 1) for each in seconds]
    for row in kept:
        weighted += [(_BUCKET_GROWTH ** int(name), n) for name, n in row.durations.items()]
    count = sum(number for _, number in weighted)
    total = sum(seconds) + sum(row.seconds for row in kept)
    longest = max([*seconds, *(row.longest_seconds for row in kept)], default=0.0)
    p95, left = 0.0, math.ceil(0.95 * count)
    for value, number in sorted(weighted):
        left -= number
        if left <= 0:
            p95 = min(longest, value)
            break
    average = total / count if count else 0.0
    return BatchTiming(days, count, round(average, 3), round(longest, 3), round(p95, 3))


def _timed(*statuses: str) -> ColumnElement[bool]:
    both = batches.c.started_at.is_not(None) & batches.c.completed_at.is_not(None)
    return batches.c.status.in_(statuses) & both


def seconds_taken(conn: Connection) -> ColumnElement[float]:
    """Return an expression for the seconds between a batch's start and end."""
    started, ended = batches.c.started_at, batches.c.completed_at
    if conn.dialect.name == "sqlite":
        taken: Any = (func.julianday(ended) - func.julianday(started)) * 86_400.0
        return func.round(taken, 3)
    epoch: ColumnElement[float] = sql_cast(func.extract("epoch", ended - started), Float)
    return epoch


@dataclass(frozen=True)
class TableSize:
    """How large the table of batches is."""

    rows: int
    #: None where the database cannot tell.
    bytes: int | None
    by_status: Mapping[str, int]
    oldest_at: datetime | None
    rows_in_history: int


def size() -> TableSize:
    """Return how large the table of batches is."""
    by_status = Batches().counts_by_status()
    bytes_used = None
    with reading_connection() as conn:
        if conn.dialect.name == "postgresql":
            bytes_used = conn.execute(select(func.pg_total_relation_size(batches.name))).scalar()
        elif ("ENABLE_DBSTAT_VTAB",) in map(tuple, conn.exec_driver_sql("PRAGMA compile_options")):
            pages = "SELECT sum(pgsize) FROM dbstat WHERE name LIKE '%batch_job_trackings%'"
            bytes_used = conn.exec_driver_sql(pages).scalar()
        return TableSize(
            sum(by_status.values()),
            bytes_used,
            by_status,
            conn.execute(select(func.min(batches.c.created_at))).scalar(),
            conn.execute(select(func.count()).select_from(history)).scalar_one(),
        )


def slow(limit: int = 10, days: int = 7) -> list[BatchJobTracking]:
    """Return the batches of the last days that took longest."""
    since = utc_now() - timedelta(days=days)
    with reading_connection() as conn:
        slowest = conn.execute(
            select(*_COLUMNS)
            .where(batches.c.created_at > since, _timed(*Batch.FINAL))
            .order_by(seconds_taken(conn).desc(), batches.c.id)
            .limit(limit)
        )
        return [BatchJobTracking(**row._mapping) for row in slowest]


@dataclass
class DocumentFailures:
    """A document and how often batches that contain it failed or crashed."""

    stage: str
    sourcedb: str
    sourceid: str
    failed: int = 0
    crashed: int = 0
    #: How often it was the only document of the batch, and so the cause.
    alone: int = 0
    last_at: datetime | None = None
    #: The first line of the latest error.
    error: str = ""


class _FailureCounter(dict[tuple[str, str, str], DocumentFailures]):
    """Failures by document, added up from batches and from the history."""

    def add(self, more: DocumentFailures) -> None:
        """Add the counts of a document, and its error if it is the latest."""
        key = (more.stage, more.sourcedb, more.sourceid)
        found = self.setdefault(key, DocumentFailures(*key))
        found.failed += more.failed
        found.crashed += more.crashed
        found.alone += more.alone
        if found.last_at is None or (more.last_at is not None and more.last_at >= found.last_at):
            found.last_at, found.error = more.last_at, (more.error or "").split("\n", 1)[0]

    def add_batch(self, row: Row[Any]) -> None:
        """Add a failed or crashed batch to each of its documents."""
        for name in row.doc_identifiers:
            self.add(
                DocumentFailures(
                    row.stage,
                    str(name["sourcedb"]),
                    str(name["sourceid"]),
                    failed=row.status == Batch.FAILED,
                    crashed=row.status == Batch.CRASHED,
                    alone=len(row.doc_identifiers) == 1,
                    last_at=row.completed_at or row.updated_at,
                    error=row.error_message or "",
                )
            )


def failures(limit: int = 20) -> list[DocumentFailures]:
    """Return the documents in most failed or crashed batches, proven causes first."""
    found, kept = _FailureCounter(), batch_failures_table
    columns = [kept.c[each.name] for each in fields(DocumentFailures)]
    with reading_connection() as conn:
        bad = [Batch.FAILED, Batch.CRASHED]
        for row in conn.execute(_with_stage().where(batches.c.status.in_(bad))):
            found.add_batch(row)
        for row in conn.execute(select(*columns)):
            found.add(DocumentFailures(*row))
    worst = sorted(found.values(), key=lambda d: (-d.alone, -(d.failed + d.crashed), d.sourceid))
    return worst[:limit]


def _with_stage() -> Select[Any]:
    return select(batches, jobs.c.stage).join(jobs, jobs.c.id == batches.c.parent_job_id)


def kind_of(batch: BatchJobTracking) -> str:
    """Return whether a batch belongs to a stage or to an upload."""
    chosen = select(jobs.c.kind).where(jobs.c.id == batch.parent_job_id)
    with reading_connection() as conn:
        kind: str = conn.execute(chosen).scalar_one()
    return kind if kind == Kind.UPLOAD else Kind.STAGE


# --------------------------------------------------------------------------------- cleanup


@dataclass
class CleanedUp:
    """What a cleanup removed, or would remove."""

    batches: int = 0
    former_sets: int = 0
    uploaded_files: int = 0


def cleanup(storage_dir: Path, older_than: timedelta = KEPT, *, dry_run: bool = False) -> CleanedUp:
    """Remove older finished batches after adding them to the history.

    Pending and running batches are kept.  Also removed are annotation sets that were replaced, and
    files of uploads that ended, before that time: such an upload cannot be rolled back any more.
    """
    before = utc_now() - older_than
    if dry_run:
        with reading_connection() as conn:
            return CleanedUp(
                Batches().finished().older_than(before).count(),
                store.count_former_sets(conn, before),
                len(_finished_upload_folders(storage_dir, before)),
            )
    done = CleanedUp()
    finished = (
        _with_stage()
        .where(batches.c.status.in_(Batch.FINAL), batches.c.created_at < before)
        .order_by(batches.c.id)
        .limit(BATCHES_PER_TRANSACTION)
        .with_for_update(of=batches)
    )
    while True:
        with civic_db_connection() as conn:
            rows = conn.execute(finished).fetchall()
            _move_to_history(conn, rows)
        if not rows:
            break
        done.batches += len(rows)
    while True:
        with civic_db_connection() as conn:
            removed = store.forget_former_sets(conn, before)
        if not removed:
            break
        done.former_sets += removed
    for folder in _finished_upload_folders(storage_dir, before):
        shutil.rmtree(folder, ignore_errors=True)
        done.uploaded_files += 1
    return done


def _finished_upload_folders(storage_dir: Path, before: datetime) -> list[Path]:
    """Return the folders of uploads that ended before a moment, and of unknown uploads."""
    root = uploads_folder(storage_dir)
    known = annotation_uploads_table
    chosen = select(known.c.source, known.c.state, jobs.c.closed_at)
    with reading_connection() as conn:
        rows = conn.execute(chosen.join(jobs, jobs.c.id == known.c.job_id)).fetchall()
    needed = {
        row.source["path"].rsplit("/", 2)[-2]
        for row in rows
        if row.source and (row.state in (Upload.OPEN, Upload.SUSPENDED) or row.closed_at >= before)
    }
    return [
        folder
        for folder in (root.iterdir() if root.is_dir() else ())
        if folder.name not in needed and folder.stat().st_mtime < before.timestamp()
    ]


@dataclass
class _HourOfBatches:
    """What the history keeps of the batches of a stage that were created in one hour."""

    by_status: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0
    longest_seconds: float = 0.0
    #: Bucket -> number of batches.
    durations: Counter[str] = field(default_factory=Counter)


def move_runs_to_history(conn: Connection, run_ids: Sequence[str]) -> None:
    """Move the batches of runs that are over to the history."""
    of_runs = jobs.c.run_id.in_(run_ids)
    _move_to_history(conn, conn.execute(_with_stage().where(of_runs)).fetchall())


def _move_to_history(conn: Connection, rows: Sequence[Row[Any]]) -> None:
    sums: dict[tuple[datetime, str], _HourOfBatches] = {}
    failed = _FailureCounter()
    for row in rows:
        hour = sums.setdefault((_hour(row.created_at), row.stage), _HourOfBatches())
        hour.by_status[row.status] += 1
        if row.status == Batch.COMPLETED and row.started_at and row.completed_at:
            seconds = (row.completed_at - row.started_at).total_seconds()
            hour.seconds += seconds
            hour.longest_seconds = max(hour.longest_seconds, seconds)
            bucket = math.ceil(math.log(max(seconds, 1e-3), _BUCKET_GROWTH))
            hour.durations[str(bucket)] += 1
        if row.status in (Batch.FAILED, Batch.CRASHED):
            failed.add_batch(row)
    # In order, so that two who do this at once do not wait for each other.
    for (at, stage), more in sorted(sums.items()):
        this = (history.c.hour == at) & (history.c.stage == stage)
        before = conn.execute(select(history).where(this).with_for_update()).first()
        values: dict[str, object] = {status: more.by_status[status] for status in Batch.FINAL}
        if before is None:
            values |= {"seconds": more.seconds, "longest_seconds": more.longest_seconds}
            values |= {"hour": at, "stage": stage, "durations": dict(more.durations)}
            conn.execute(insert(history).values(values))
        else:
            values = {status: before._mapping[status] + number for status, number in values.items()}
            values |= {
                "seconds": before.seconds + more.seconds,
                "longest_seconds": max(before.longest_seconds, more.longest_seconds),
                "durations": dict(Counter(before.durations) + more.durations),
            }
            conn.execute(update(history).where(this).values(values))
    kept = batch_failures_table
    for _, each in sorted(failed.items()):
        changed = conn.execute(
            update(kept)
            .where(kept.c.stage == each.stage)
            .where(kept.c.sourcedb == each.sourcedb, kept.c.sourceid == each.sourceid)
            .values(
                failed=kept.c.failed + each.failed,
                crashed=kept.c.crashed + each.crashed,
                alone=kept.c.alone + each.alone,
                last_at=each.last_at,
                error=each.error,
            )
        )
        if changed.rowcount == 0:
            conn.execute(insert(kept).values(asdict(each)))
    conn.execute(delete(batches).where(batches.c.id.in_([row.id for row in rows])))
