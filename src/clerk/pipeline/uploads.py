"""Uploads of annotations as people ask for them: upload, follow, retry, roll back.

::

    job = upload(settings, ["collection.jsonl"], project="genes", create_docs=True)
    for status in job.events(settings):
        print(status.items_done, status.items)
    assert job.wait(settings).state == "completed"
    for issue in job.issues():
        print(issue)

Embedded, :meth:`UploadJob.events` and :meth:`UploadJob.wait` do the work in children of this
process; with REDIS_URL set they only look, and workers do it (``clerk worker annotations``).
"""

from __future__ import annotations

import contextlib
import shutil
import tempfile
import threading
import time
import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any, Protocol

from sqlalchemy import Connection, Row, Select, exists, func, select

from clerk.annotations import (
    Anchoring,
    Issue,
    Issues,
    Mode,
    UploadBatch,
    UploadedFiles,
    rereading,
    split,
    store,
    upload_parts,
)
from clerk.annotations.api import ISSUES_KEPT
from clerk.annotations.conversion import FORMATS as FORMATS
from clerk.annotations.conversion import convert
from clerk.annotations.decide import Options, TooMuchAtOnce, decide
from clerk.annotations.objects import NOTES
from clerk.annotations.rereading import WentBack
from clerk.annotations.spool import gather
from clerk.annotations.upload_parts import SECONDS, PartTask, Progress
from clerk.core.clock import utc_now
from clerk.core.config import Settings
from clerk.core.db import civic_db_connection, reading_connection
from clerk.core.errors import InvalidInput, NotFound
from clerk.core.models import (
    SET_TABLES,
    annotation_issues_table,
    annotation_projects_table,
    annotation_uploads_table,
    batches_table,
    items_table,
    jobs_table,
)
from clerk.core.states import ANNOTATIONS, Item, Step, Upload
from clerk.core.storage import uploads_folder
from clerk.executors.embedded import Interrupted, slots
from clerk.executors.pool import Pool, Signals

from . import ledger, queues, upload_state
from .flow import Pipeline
from .ledger import NewPart
from .upload_state import UploadSource, require_upload

jobs, uploads = jobs_table, annotation_uploads_table

#: How many files of an upload are named where it is listed.
FILES_NAMED = 100
#: How often the state of an upload is checked, in seconds.
LOOK_SECONDS = 0.5
#: Issues read in one statement.
ISSUES_AT_ONCE = 5_000

MODES = tuple(Mode)
ALIGNMENTS = tuple(Anchoring)
ON_LOST = ("drop", "reject")
#: How an upload is shown that ended and of which no object could be used.
REJECTED = "rejected"


@dataclass(frozen=True)
class Status:
    """How far an upload is."""

    id: int
    project: str
    mode: str
    state: str
    files: tuple[str, ...]
    #: Objects found so far, those that are done, and those among them that could not be stored.
    items: int
    items_done: int
    items_failed: int
    #: Objects that were left when it was cancelled.
    items_cancelled: int
    bytes: int
    bytes_done: int
    is_split: bool
    batches: int
    #: What was stored so far: documents whose annotations changed, annotations that are new.
    stored: Mapping[str, int]
    #: Issues by code, and notes on what was done.
    issues: Mapping[str, int]
    created_at: datetime
    closed_at: datetime | None
    retry_of: int | None = None
    #: Objects that were done, but could not be used.
    items_refused: int = 0
    #: Documents that have no annotations any more, and annotations that lists have less.
    cleared: Mapping[str, int] = field(default_factory=dict)

    @property
    def is_over(self) -> bool:
        """Whether nothing more will happen to it."""
        return self.state not in (Upload.OPEN, Upload.SUSPENDED)

    @property
    def seconds(self) -> float:
        """How long it has taken so far."""
        return ((self.closed_at or utc_now()) - self.created_at).total_seconds()

    @property
    def bytes_per_second(self) -> float:
        """How fast it goes."""
        return self.bytes_done / max(self.seconds, 1e-3)

    @property
    def seconds_left(self) -> float | None:
        """How long it will take from now, as far as one can tell."""
        if not self.bytes_done or self.is_over:
            return None
        return (self.bytes - self.bytes_done) / self.bytes_per_second

    @property
    def succeeded(self) -> bool:
        """Whether everything was stored as it was meant."""
        return self.state == Upload.COMPLETED and not self.items_failed and not self.problems

    @property
    def problems(self) -> int:
        """How many issues there are, without notes."""
        return sum(times for code, times in self.issues.items() if code not in NOTES)

    def as_dict(self) -> dict[str, object]:
        """Return it as plain values."""
        return {**asdict(self), "seconds": round(self.seconds, 3)}


class StartedUpload(Protocol):
    """An upload that was asked for, or its rehearsal."""

    id: int

    def status(self) -> Status:
        """Return how far it is."""

    def events(self, settings: Settings) -> Iterator[Status]:
        """Give how far it is, again and again, until it is over or suspended."""

    def wait(self, settings: Settings) -> Status:
        """Return when it is over or suspended."""

    def issues(self, code: str | None = None) -> Iterator[Issue]:
        """Give everything that was wrong, in the order in which it was found."""


def upload(
    settings: Settings,
    files: Sequence[Path | str],
    *,
    project: str,
    mode: str = "replace",
    create_docs: bool = False,
    align: str = "auto",
    on_lost: str = "drop",
    batch_items: int | None = None,
    batch_bytes: int | None = None,
    dry_run: bool = False,
    created_by: str | None = None,
    format: str | None = None,
    sourcedb: str | None = None,
) -> StartedUpload:
    """Take in files of annotations for a project and return the job that stores them.

    The files are copied, so they may be changed or removed afterwards.  A file that cannot be used
    is refused with `UnusableUpload`; everything else that is wrong is an issue of the job.
    ``dry_run`` does everything but the commit, at once, and leaves nothing behind.  Files in
    another ``format`` are converted first; objects without a source get ``sourcedb``, by default
    the name of the project, and the name of their file.
    """
    store.check_project_name(project)
    options = _options(mode, create_docs, align, on_lost, batch_items, batch_bytes)
    paths = [Path(each) for each in files]
    if format is not None or sourcedb is not None:
        with tempfile.TemporaryDirectory(prefix="clerk-upload-") as converted:
            kind, source = format or "pubannotation", sourcedb or project
            lines = convert(paths, kind, Path(converted), sourcedb=source)
            return _taken_in(settings, lines, project, options, dry_run, created_by)
    return _taken_in(settings, paths, project, options, dry_run, created_by)


def _taken_in(
    settings: Settings,
    paths: Sequence[Path],
    project: str,
    options: Options,
    dry_run: bool,
    created_by: str | None,
) -> StartedUpload:
    """Copy files and open their upload, or rehearse it."""
    if dry_run:
        return _rehearsed(settings, paths, project, options)
    folder = uploads_folder(settings.storage_dir) / uuid.uuid4().hex
    folder.mkdir(parents=True)
    try:
        source = gather(paths, folder)
        return UploadJob(_open(settings, source, project, options, created_by))
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise


def _options(
    mode: str,
    create_docs: bool,
    align: str,
    on_lost: str,
    batch_items: int | None,
    batch_bytes: int | None,
) -> Options:
    for name, value, known in (
        ("mode", mode, MODES),
        ("align", align, ALIGNMENTS),
        ("on_lost", on_lost, ON_LOST),
    ):
        if value not in known:
            raise InvalidInput(f"{name} must be one of {', '.join(known)}, not {value!r}.")
    sizes = {"batch_items": batch_items, "batch_bytes": batch_bytes}
    given = {name: size for name, size in sizes.items() if size is not None}
    if any(size < 1 for size in given.values()):
        raise InvalidInput("A batch holds at least one item and one byte.")
    return Options(
        mode=Mode(mode),
        create_docs=create_docs,
        align=Anchoring(align),
        on_lost=on_lost,
        **given,
    )


def _open(
    settings: Settings,
    source: UploadedFiles,
    project: str,
    options: Options,
    created_by: str | None,
) -> int:
    names = [member.name for member in source.members[:FILES_NAMED]]
    size = sum(member.end - member.begin for member in source.members)
    with civic_db_connection() as conn:
        job_id = upload_state.open_upload(
            conn,
            project_id=store.make_project(conn, project, created_by),
            mode=options.mode,
            options=options,
            source=UploadSource(source.path, names),
            size=size,
            created_by=created_by,
        )
        upload_state.add_issues(conn, job_id, source.issues)
        ledger.audit(conn, created_by or "clerk", "annotations uploaded", project, _named(job_id))
    queues.offer(settings, [ANNOTATIONS])
    return job_id


class UploadJob:
    """An upload in the ledger."""

    #: What the children of this process do; tests have them meet trouble.
    flow: type[Pipeline] = Pipeline

    def __init__(self, job_id: int) -> None:
        self.id = job_id

    def status(self) -> Status:
        """Return how far it is."""
        with reading_connection() as conn:
            require_upload(conn, self.id)
            return _status(conn, conn.execute(_described().where(jobs.c.id == self.id)).one())

    def events(self, settings: Settings) -> Iterator[Status]:
        """Give how far it is, again and again, until it is over or suspended.

        Embedded, the work is done meanwhile, in children of this process.  One interruption
        finishes what is running and raises `Interrupted`; a resumed upload continues from there.
        """
        for _ in self._looks(settings):
            yield self.status()

    def wait(self, settings: Settings) -> Status:
        """Return when it is over or suspended."""
        for _ in self._looks(settings):
            pass
        return self.status()

    def _looks(self, settings: Settings) -> Iterator[None]:
        """Do or await the work and come back now and then, the last time when it rests."""
        if not settings.embedded:
            while not self._rests():
                yield
                time.sleep(LOOK_SECONDS)
            yield
            return
        is_main = threading.current_thread() is threading.main_thread()
        with (
            Pool(
                self.flow(settings), (ANNOTATIONS,), settings, slots(settings), pauses=False
            ) as pool,
            # Only the main thread may listen for signals.
            Signals(pool) if is_main else contextlib.nullcontext() as signals,
        ):
            look_at = 0.0
            while True:
                busy = pool.turn(LOOK_SECONDS)
                if signals is not None and signals.received and not busy:
                    raise Interrupted
                if pool.trouble:
                    raise pool.trouble
                if time.monotonic() < look_at and busy:
                    continue
                look_at = time.monotonic() + LOOK_SECONDS
                yield
                if pool.retry_while_database_is_down(self._rests):
                    yield from _leave(pool)
                    return

    def is_worked_on(self) -> bool:
        """Whether it is over or suspended, or a live worker has a part of it."""
        if self._rests():
            return True
        items = items_table
        with reading_connection() as conn:
            running = select(items.c.worker_id).where(
                items.c.job_id == self.id, items.c.state == Item.RUNNING
            )
            dead = ledger.dead_on_this_host(conn)
            return any(worker not in dead for worker in conn.execute(running).scalars())

    def _rests(self) -> bool:
        with reading_connection() as conn:
            chosen = select(uploads.c.state).where(uploads.c.job_id == self.id)
            return conn.execute(chosen).scalar() != Upload.OPEN

    def some_issues(self, code: str | None, limit: int, offset: int = 0) -> list[Issue]:
        """Return some of what was wrong, in the order in which it was found."""
        table = annotation_issues_table
        chosen = select(table).where(table.c.job_id == self.id).order_by(table.c.id)
        if code is not None:
            chosen = chosen.where(table.c.code == code)
        with reading_connection() as conn:
            rows = conn.execute(chosen.limit(limit).offset(offset)).fetchall()
        names = Issue.__struct_fields__
        return [Issue(**{name: row._mapping[name] for name in names}) for row in rows]

    def issues(self, code: str | None = None) -> Iterator[Issue]:
        """Give everything that was wrong, in the order in which it was found."""
        table, after = annotation_issues_table, 0
        chosen = select(table).where(table.c.job_id == self.id).order_by(table.c.id)
        if code is not None:
            chosen = chosen.where(table.c.code == code)
        while True:
            with reading_connection() as conn:
                later = chosen.where(table.c.id > after).limit(ISSUES_AT_ONCE)
                rows = conn.execute(later).fetchall()
            for row in rows:
                yield Issue(**{name: row._mapping[name] for name in Issue.__struct_fields__})
            if not rows:
                return
            after = rows[-1].id


def _leave(pool: Pool) -> Iterator[None]:
    """Finish what is running; what another upload has left is for those who follow that one."""
    pool.stop()
    while pool.turn(LOOK_SECONDS):
        yield
    yield


@cache
def _described() -> Select[Any]:
    names, items = annotation_projects_table, items_table
    to_split = exists().where(
        items.c.job_id == jobs.c.id,
        items.c.step == Step.SPLIT,
        items.c.state.in_([Item.PENDING, Item.RUNNING]),
    )
    return (
        select(
            jobs.c.id,
            jobs.c.total,
            jobs.c.completed,
            jobs.c.failed,
            jobs.c.created_at,
            jobs.c.closed_at,
            uploads,
            names.c.name.label("project"),
            (~to_split).label("is_split"),
        )
        .join(uploads, uploads.c.job_id == jobs.c.id)
        .join(names, names.c.id == uploads.c.project_id)
    )


def _status(conn: Connection, row: Row[Any]) -> Status:
    issues = annotation_issues_table
    done = row.completed + row.failed
    counted = select(issues.c.code, func.sum(issues.c.times)).where(issues.c.job_id == row.id)
    return Status(
        id=row.id,
        project=row.project,
        mode=row.mode,
        state=_shown_state(row.state, row.source, row.refused + row.failed, row.total),
        files=tuple(row.source.get("files", ())),
        items=row.total,
        items_done=done,
        items_failed=row.failed,
        items_cancelled=0 if row.closed_at is None else row.total - done,
        bytes=row.bytes,
        bytes_done=row.bytes if row.state == Upload.COMPLETED else min(row.bytes_done, row.bytes),
        is_split=bool(row.is_split),
        batches=row.batches,
        stored={name: row._mapping[name] for name in ("documents", *SET_TABLES)},
        issues={code: int(times) for code, times in conn.execute(counted.group_by(issues.c.code))},
        created_at=row.created_at,
        closed_at=row.closed_at,
        retry_of=row.retry_of,
        items_refused=row.refused,
        cleared={
            name: number
            for name in ("documents", *SET_TABLES)
            if (number := row._mapping[f"cleared_{name}"])
        },
    )


def _shown_state(state: str, files: object, not_stored: int, items: int) -> str:
    """Return the state of an upload; one of which nothing could be used is not completed."""
    return REJECTED if state == Upload.COMPLETED and files and not_stored >= items else state


# --------------------------------------------------------------------------------- rehearsal


@dataclass
class Rehearsal:
    """An upload that was done in full and rolled back."""

    found: Status
    problems: list[Issue] = field(default_factory=list)
    id: int = 0

    def status(self) -> Status:
        """Return what the upload would come to."""
        return self.found

    def events(self, settings: Settings) -> Iterator[Status]:
        """Give the end: it is over already."""
        yield self.found

    def wait(self, settings: Settings) -> Status:
        """Return what the upload would come to."""
        return self.found

    def issues(self, code: str | None = None) -> Iterator[Issue]:
        """Give everything that would be wrong."""
        return (each for each in self.problems if code in (None, each.code))


class _NotCommitted(Exception):
    """Ends a rehearsal's transaction."""


def _rehearsed(
    settings: Settings, paths: Sequence[Path], project: str, options: Options
) -> Rehearsal:
    started = utc_now()
    stored = store.Stored()
    problems = Issues(ISSUES_KEPT, always_named=False)
    with tempfile.TemporaryDirectory(prefix="clerk-upload-") as folder:
        source = gather(paths, Path(folder))
        problems.add_all(source.issues)
        items = size = batches = 0
        for batch in split(source, options.limits):
            items, size, batches = items + batch.items, size + batch.bytes, batches + 1
            _rehearse(settings.storage_dir, project, options, source, batch, problems, stored)
    files = tuple(member.name for member in source.members)
    found = Status(
        id=0,
        project=project,
        mode=options.mode,
        state=_shown_state(Upload.COMPLETED, files, stored.refused, items),
        files=files,
        items=items,
        items_done=items,
        items_failed=0,
        items_cancelled=0,
        bytes=size,
        bytes_done=size,
        is_split=True,
        batches=batches,
        stored=stored.by_name(),
        issues=problems.by_code(),
        created_at=started,
        closed_at=utc_now(),
        items_refused=stored.refused,
        cleared={name: number for name, number in stored.cleared.items() if number},
    )
    return Rehearsal(found, list(problems))


def _rehearse(
    storage_dir: Path,
    project: str,
    options: Options,
    source: UploadedFiles,
    batch: UploadBatch,
    problems: Issues,
    stored: store.Stored,
) -> None:
    try:
        with civic_db_connection() as conn:
            project_id = store.make_project(conn, project)
            task = PartTask(project_id, None, options, source, batch, storage_dir)
            progress = Progress(lambda _seconds, _note="", position=0: None, SECONDS)
            found = upload_parts.find(task, progress, decide, singly=False)
            found.store(conn, task)
            problems.add_all(found.issues)
            stored.add(found.stored)
            raise _NotCommitted
    except _NotCommitted:
        return
    except TooMuchAtOnce:
        parts = upload_parts.divided(source, batch)
    for each in parts:
        _rehearse(storage_dir, project, options, source, each, problems, stored)


# ----------------------------------------------------------------------- what people decide


def find(job_id: int) -> UploadJob:
    """Return an upload by its number, or say that there is none."""
    job = UploadJob(job_id)
    job.status()
    return job


def list_uploads(
    project: str | None = None, limit: int = 20, *, everything: bool = False
) -> list[Status]:
    """Return the newest uploads, the newest first; on request also jobs of clerk itself."""
    with reading_connection() as conn:
        chosen = _described().order_by(jobs.c.id.desc()).limit(limit)
        if not everything:
            chosen = chosen.where(uploads.c.mode.in_(MODES))
        if project is not None:
            chosen = chosen.where(annotation_projects_table.c.name == project)
        return [_status(conn, row) for row in conn.execute(chosen).fetchall()]


def suspend(job_id: int, *, who: str = "") -> bool:
    """Assign no more parts of an upload; what is running is finished.  False: it is over."""
    with civic_db_connection() as conn:
        require_upload(conn, job_id)
        if not upload_state.suspend_upload(conn, job_id):
            return False
        ledger.audit(conn, who or "clerk", "upload suspended", _named(job_id))
    return True


def resume(settings: Settings, job_id: int, *, who: str = "") -> bool:
    """Assign the parts of a suspended upload again; False when it was not suspended."""
    with civic_db_connection() as conn:
        require_upload(conn, job_id)
        resumed = upload_state.resume_upload(conn, job_id)
        if resumed:
            ledger.audit(conn, who or "clerk", "upload resumed", _named(job_id))
    queues.offer(settings, [ANNOTATIONS])
    return resumed


def _named(job_id: int) -> str:
    """Return an upload as the audit names it."""
    return f"upload {job_id}"


def cancel(job_id: int, *, who: str = "") -> bool:
    """End an upload; what is stored stays.  False when it was over."""
    why = f"Cancelled by {who}" if who else "Cancelled"
    with civic_db_connection() as conn:
        require_upload(conn, job_id)
        ended = upload_state.cancel_upload(conn, job_id, why)
        if ended:
            ledger.audit(conn, who or "clerk", "upload cancelled", _named(job_id))
    return ended


def retry(
    settings: Settings, job_id: int, *, batch_id: int | None = None, who: str = ""
) -> UploadJob:
    """Open a new upload of what one that is over, or one batch of it, has not stored.

    That is what failed, crashed or was cancelled.
    """
    with civic_db_connection() as conn:
        former = require_upload(conn, job_id)
        if former.state in (Upload.OPEN, Upload.SUSPENDED):
            raise InvalidInput(
                f"Upload {job_id} is still running.", hint="Wait, or cancel it first."
            )
        parts = _parts_not_stored(conn, job_id, batch_id)
        if not parts:
            raise NotFound(f"Upload {job_id} has no failed or cancelled items.")
        if not Path(former.source.path).is_file():
            raise NotFound(
                f"The file of upload {job_id} has been deleted.", hint="Upload it again."
            )
        again = upload_state.open_upload(
            conn,
            project_id=former.project_id,
            mode=former.mode,
            options=former.options,
            source=former.source,
            size=sum(part.bytes for part in parts),
            parts=parts,
            retry_of=job_id,
            created_by=who,
        )
        ledger.audit(conn, who or "clerk", "upload retried", _named(job_id), _named(again))
    queues.offer(settings, [ANNOTATIONS])
    return UploadJob(again)


def rollback(job_id: int, *, who: str = "") -> WentBack:
    """Undo what an upload stored: every document has the annotations it had before.

    Documents that were changed again since are left alone and counted.  A document that was read
    again since gets its former annotations on its new text.
    """
    done = WentBack()
    with reading_connection() as conn:
        former = require_upload(conn, job_id)
    if former.state in (Upload.OPEN, Upload.SUSPENDED):
        cancel(job_id, who=who)
    after = 0
    while True:
        with civic_db_connection() as conn:
            after = rereading.roll_back(conn, former.project_id, job_id, done, after)
            if not after:
                if not done.left:
                    upload_state.mark_rolled_back(conn, job_id)
                undone = (
                    f"{done.restored} as before, {done.removed} cleared, {done.left} left alone"
                )
                ledger.audit(conn, who or "clerk", "upload rolled back", _named(job_id), undone)
                return done


def _parts_not_stored(conn: Connection, job_id: int, batch_id: int | None = None) -> list[NewPart]:
    """Return what of an upload, or of one batch of it, is not stored and could be tried again."""
    items, batches = items_table, batches_table
    ended = [Item.FAILED, Item.QUARANTINED, Item.CANCELLED]
    chosen = select(items).where(items.c.job_id == job_id, items.c.step == Step.STORE)
    pieces = items.alias("pieces")
    replaced = exists().where(pieces.c.parent_item_id == items.c.id)
    chosen = chosen.where(items.c.state.in_(ended), ~replaced, items.c.payload.is_not(None))
    if batch_id is not None:
        of_batch = select(batches.c.item_id).where(batches.c.id == batch_id)
        chosen = chosen.where(items.c.id.in_(of_batch))
    return [
        NewPart(
            row.payload,
            row.documents,
            row.bytes,
            [
                {"sourcedb": sourcedb, "sourceid": sourceid}
                for sourcedb, sourceid in ledger.documents_of_part(conn, row.id)
            ],
        )
        for row in conn.execute(chosen.order_by(items.c.id)).fetchall()
    ]
