"""Annotation collections as people ask for them: upload, follow, take back, export.

::

    job = upload(["collection.jsonl"], project="genes", create_docs=True)
    for status in job.events():
        print(status.items_done, status.items)
    assert job.wait().state == "completed"
    for issue in job.issues():
        print(issue)

Embedded, :meth:`UploadJob.events` and :meth:`UploadJob.wait` do the work in children of this
process; with REDIS_URL set they only look, and workers do it (``clerk worker annotations``).
"""

from __future__ import annotations

import contextlib
import shutil
import time
import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any, Protocol

import msgspec
from sqlalchemy import Row

from clerk import annotations as hands
from clerk.core import config
from clerk.core.clock import utc_now
from clerk.core.config import Settings
from clerk.core.db import civic_db_connection, reading_connection
from clerk.core.errors import InvalidInput, NotFound
from clerk.core.models import SET_TABLES
from clerk.core.states import ANNOTATIONS, Upload
from clerk.executors.embedded import Interrupted, lanes
from clerk.executors.pool import Crew, Signals
from clerk.pipeline import ledger, queue, upload_ledger

from . import CheckedObject, Issue, Issues, follow_pages, formats, store
from .decide import Options, TooMuchAtOnce, annotations_from
from .follow_pages import Followed
from .spool import gather
from .store import Annotated, WentBack
from .uploads import Task, Uploads, divided

#: So many files of an upload are named where it is listed.
FILES_NAMED = 100
#: Without a database so many issues of a kind are listed; the others are counted.
ISSUES_KEPT = 10_000
#: How often the state of an upload is looked at.
LOOK_SECONDS = 0.5

MODES = tuple(hands.Mode)
ALIGNMENTS = tuple(hands.Anchoring)
ON_LOST = ("drop", "reject")
FORMATS = (*formats.WRITERS, "brat")


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
    issues: Mapping[str, int]
    created_at: datetime
    closed_at: datetime | None
    retry_of: int | None = None

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
        return self.state == Upload.COMPLETED and not self.items_failed and not self.issues

    def as_dict(self) -> dict[str, Any]:
        """Return it as plain values."""
        return {**asdict(self), "seconds": round(self.seconds, 3)}


class Job(Protocol):
    """An upload that was asked for, or its rehearsal."""

    id: int

    def status(self) -> Status:
        """Return how far it is."""

    def events(self, *, workers: int | None = None) -> Iterator[Status]:
        """Give how far it is, again and again, until it is over or suspended."""

    def wait(self, *, workers: int | None = None) -> Status:
        """Return when it is over or suspended."""

    def issues(self, code: str | None = None) -> Iterator[Issue]:
        """Give everything that was wrong, in the order in which it was found."""


# ---------------------------------------------------------------------------------- uploads


def upload(
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
) -> Job:
    """Take in files of annotations for a project and return the job that stores them.

    The files are copied, so they may be changed or removed afterwards.  A file that cannot be used
    is refused with `UnusableUpload`; everything else that is wrong is an issue of the job.
    ``dry_run`` does everything but the commit, at once, and leaves nothing behind.
    """
    store.check_project_name(project)
    options = _options(mode, create_docs, align, on_lost, batch_items, batch_bytes)
    paths = [Path(each) for each in files]
    if dry_run:
        return _rehearsed(paths, project, options)
    folder = uploads_folder(config.load()) / uuid.uuid4().hex
    folder.mkdir(parents=True)
    try:
        source = gather(paths, folder)
        return UploadJob(_open(source, project, options, created_by))
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise


def uploads_folder(settings: Settings) -> Path:
    """Return where uploaded files are kept."""
    return settings.storage_dir / "_clerk" / "uploads"


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
        mode=hands.Mode(mode),
        create_docs=create_docs,
        align=hands.Anchoring(align),
        on_lost=on_lost,
        **given,
    )


def _open(source: hands.Upload, project: str, options: Options, created_by: str | None) -> int:
    names = [member.name for member in source.members[:FILES_NAMED]]
    size = sum(member.end - member.begin for member in source.members)
    with civic_db_connection() as conn:
        job_id = upload_ledger.open_upload(
            conn,
            project_id=store.make_project(conn, project),
            mode=options.mode,
            options=msgspec.to_builtins(options),
            source={"path": source.path, "files": names},
            size=size,
            created_by=created_by,
        )
        upload_ledger.add_issues(conn, job_id, map(msgspec.to_builtins, source.issues))
        ledger.audit(conn, created_by or "clerk", "annotations uploaded", project, _named(job_id))
    queue.offer([ANNOTATIONS])
    return job_id


class UploadJob:
    """An upload in the ledger."""

    #: What the children of this process do; tests have them meet trouble.
    flow = Uploads()

    def __init__(self, job_id: int) -> None:
        self.id = job_id

    def status(self) -> Status:
        """Return how far it is."""
        with reading_connection() as conn:
            row = upload_ledger.require_upload(conn, self.id)
            return _status(row, upload_ledger.issue_counts(conn, self.id))

    def events(self, *, workers: int | None = None) -> Iterator[Status]:
        """Give how far it is, again and again, until it is over or suspended.

        Embedded, the work is done meanwhile, in children of this process.  One interruption
        finishes what is in hand and raises `Interrupted`; whoever resumes goes on from there.
        """
        for _ in self._looks(workers):
            yield self.status()

    def wait(self, *, workers: int | None = None) -> Status:
        """Return when it is over or suspended."""
        for _ in self._looks(workers):
            pass
        return self.status()

    def _looks(self, workers: int | None) -> Iterator[None]:
        """Do or await the work and come back now and then, the last time when it rests."""
        settings = config.load()
        if settings.embedded:
            yield from self._worked_on(replace(settings, workers=workers or settings.workers))
            return
        while not self._rests():
            yield
            time.sleep(LOOK_SECONDS)
        yield

    def _worked_on(self, settings: Settings) -> Iterator[None]:
        with (
            Crew(self.flow, (ANNOTATIONS,), settings, lanes(settings), pauses=False) as crew,
            _signals(crew) as signals,
        ):
            look_at = 0.0
            while True:
                busy = crew.turn(LOOK_SECONDS)
                if signals.received and not busy:
                    raise Interrupted
                if crew.trouble:
                    raise crew.trouble
                if time.monotonic() < look_at and busy:
                    continue
                look_at = time.monotonic() + LOOK_SECONDS
                yield
                if crew.patiently(self._rests):
                    yield from _leave(crew)
                    return

    def _rests(self) -> bool:
        with reading_connection() as conn:
            return upload_ledger.state_of(conn, self.id) != Upload.OPEN

    def issues(self, code: str | None = None) -> Iterator[Issue]:
        """Give everything that was wrong, in the order in which it was found."""
        after = 0
        while True:
            with reading_connection() as conn:
                rows = upload_ledger.read_issues(conn, self.id, code=code, after=after)
            for row in rows:
                yield _issue(row)
            if not rows:
                return
            after = rows[-1].id


def _leave(crew: Crew) -> Iterator[None]:
    """Finish what is in hand; what another upload has left is for those who follow that one."""
    crew.stop()
    while crew.turn(LOOK_SECONDS):
        yield
    yield


class _NoSignals:
    """Signals that nobody listens for, because this is not the main thread."""

    received = 0


@contextlib.contextmanager
def _signals(crew: Crew) -> Iterator[Signals | _NoSignals]:
    import threading

    if threading.current_thread() is not threading.main_thread():
        yield _NoSignals()
        return
    with Signals(crew) as signals:
        yield signals


def _status(row: Row[Any], issues: Mapping[str, int]) -> Status:
    return Status(
        id=row.id,
        project=row.project,
        mode=row.mode,
        state=row.state,
        files=tuple(row.source.get("files", ())),
        items=row.total,
        items_done=row.completed + row.failed,
        items_failed=row.failed,
        items_cancelled=0 if row.closed_at is None else row.total - row.completed - row.failed,
        bytes=row.bytes,
        bytes_done=row.bytes if row.state == Upload.COMPLETED else min(row.bytes_done, row.bytes),
        is_split=row.is_split,
        batches=row.batches,
        stored={name: row._mapping[name] for name in ("documents", *SET_TABLES)},
        issues=issues,
        created_at=row.created_at,
        closed_at=row.closed_at,
        retry_of=row.retry_of,
    )


def _issue(row: Row[Any]) -> Issue:
    return Issue(**{name: row._mapping[name] for name in Issue.__struct_fields__})


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

    def events(self, *, workers: int | None = None) -> Iterator[Status]:
        """Give the end: it is over already."""
        yield self.found

    def wait(self, *, workers: int | None = None) -> Status:
        """Return what the upload would come to."""
        return self.found

    def issues(self, code: str | None = None) -> Iterator[Issue]:
        """Give everything that would be wrong."""
        return (each for each in self.problems if code in (None, each.code))


class _NotCommitted(Exception):
    """Ends a rehearsal's transaction."""


def _rehearsed(paths: Sequence[Path], project: str, options: Options) -> Rehearsal:
    import tempfile

    started = utc_now()
    stored = store.Stored()
    problems = Issues(ISSUES_KEPT, always_named=False)
    with tempfile.TemporaryDirectory(prefix="clerk-upload-") as folder:
        source = gather(paths, Path(folder))
        problems.add_all(source.issues)
        items = size = batches = 0
        for batch in hands.split(source, options.limits):
            items, size, batches = items + batch.items, size + batch.bytes, batches + 1
            _rehearse(project, options, source, batch, problems, stored)
    files = tuple(member.name for member in source.members)
    found = Status(
        id=0,
        project=project,
        mode=options.mode,
        state=Upload.COMPLETED,
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
    )
    return Rehearsal(found, list(problems))


def _rehearse(
    project: str,
    options: Options,
    source: hands.Upload,
    batch: hands.Batch,
    problems: Issues,
    stored: store.Stored,
) -> None:
    try:
        with civic_db_connection() as conn:
            project_id = store.make_project(conn, project)
            task = Task(project_id, None, options, source, batch)
            found = Uploads().rehearse(conn, task)
            problems.add_all(found.issues)
            stored.add(found.stored)
            raise _NotCommitted
    except _NotCommitted:
        return
    except TooMuchAtOnce:
        parts = divided(source, batch)
    for each in parts:
        _rehearse(project, options, source, each, problems, stored)


@dataclass(frozen=True)
class Validation:
    """What is in files, and what is wrong with it."""

    items: int
    documents: int
    counts: Mapping[str, int]
    issues: Issues


def validate(files: Sequence[Path | str]) -> Validation:
    """Read and check files without any database."""
    import tempfile

    counts = dict.fromkeys(SET_TABLES, 0)
    issues = Issues(ISSUES_KEPT, always_named=False)
    items = documents = 0
    with tempfile.TemporaryDirectory(prefix="clerk-upload-") as folder:
        source = gather([Path(each) for each in files], Path(folder))
        issues.add_all(source.issues)
        for batch in hands.split(source):
            found, problems = hands.read_documents(source, batch)
            items, documents = items + batch.items, documents + len(found)
            issues.add_all(problems)
            for each in (each for some in found.values() for each in some):
                for name in SET_TABLES:
                    counts[name] += len(getattr(each, name))
    return Validation(items, documents, counts, issues)


# ----------------------------------------------------------------------- what people decide


def find(job_id: int) -> UploadJob:
    """Return an upload by its number, or say that there is none."""
    job = UploadJob(job_id)
    job.status()
    return job


def list_uploads(project: str | None = None, limit: int = 20) -> list[Status]:
    """Return the newest uploads, the newest first."""
    with reading_connection() as conn:
        rows = upload_ledger.list_uploads(conn, project, limit)
        return [_status(row, upload_ledger.issue_counts(conn, row.id)) for row in rows]


def suspend(job_id: int, *, who: str = "") -> bool:
    """Give out no more batches of an upload; what is in hand is finished.  False: it is over."""
    return _changed(job_id, Upload.OPEN, Upload.SUSPENDED, who, "upload suspended")


def resume(job_id: int, *, who: str = "") -> bool:
    """Give out the batches of a suspended upload again; False when it was not suspended."""
    changed = _changed(job_id, Upload.SUSPENDED, Upload.OPEN, who, "upload resumed")
    queue.offer([ANNOTATIONS])
    return changed


def _changed(job_id: int, before: str, after: str, who: str, action: str) -> bool:
    with civic_db_connection() as conn:
        upload_ledger.require_upload(conn, job_id)
        changed = upload_ledger.change_state(conn, job_id, before, after)
        if changed:
            ledger.audit(conn, who or "clerk", action, _named(job_id))
    return changed


def _named(job_id: int) -> str:
    """Return an upload as the audit names it."""
    return f"upload {job_id}"


def cancel(job_id: int, *, who: str = "") -> bool:
    """End an upload; what is stored stays.  False when it was over."""
    why = f"Cancelled by {who}" if who else "Cancelled"
    with civic_db_connection() as conn:
        upload_ledger.require_upload(conn, job_id)
        ended = upload_ledger.cancel(conn, job_id, why)
        if ended:
            ledger.audit(conn, who or "clerk", "upload cancelled", _named(job_id))
    return ended


def retry(job_id: int, *, batch_id: int | None = None, who: str = "") -> UploadJob:
    """Open a new upload of what one that is over, or one batch of it, has not stored.

    That is what failed, crashed or was cancelled.
    """
    with civic_db_connection() as conn:
        row = upload_ledger.require_upload(conn, job_id)
        if row.state in (Upload.OPEN, Upload.SUSPENDED):
            raise InvalidInput(f"Upload {job_id} is not over.", hint="Wait, or cancel it first.")
        pieces = upload_ledger.lost_pieces(conn, job_id, batch_id)
        if not pieces:
            raise NotFound(f"Upload {job_id} has nothing that failed or was cancelled.")
        if not Path(row.source["path"]).is_file():
            raise NotFound(f"The file of upload {job_id} is cleaned up.", hint="Upload it again.")
        again = upload_ledger.open_retry(conn, row, pieces, who)
        ledger.audit(conn, who or "clerk", "upload retried", _named(job_id), _named(again))
    queue.offer([ANNOTATIONS])
    return UploadJob(again)


def rollback(job_id: int, *, who: str = "") -> WentBack:
    """Undo what an upload stored: every document has the annotations it had before.

    Documents that were changed again since are left alone and counted.
    """
    done = WentBack()
    with reading_connection() as conn:
        row = upload_ledger.require_upload(conn, job_id)
    if row.state in (Upload.OPEN, Upload.SUSPENDED):
        cancel(job_id, who=who)
    after = 0
    while True:
        with civic_db_connection() as conn:
            after = store.go_back(conn, row.project_id, job_id, done, after)
            if not after:
                done.left = store.sets_left(conn, job_id)
                if not done.left:
                    upload_ledger.change_state(conn, job_id, row.state, Upload.ROLLED_BACK)
                    upload_ledger.change_state(conn, job_id, Upload.CANCELLED, Upload.ROLLED_BACK)
                undone = (
                    f"{done.restored} as before, {done.removed} cleared, {done.left} left alone"
                )
                ledger.audit(conn, who or "clerk", "upload rolled back", _named(job_id), undone)
                return done


def recount(project: str) -> tuple[dict[str, int], dict[str, int]]:
    """Set a project's counts from its rows; return them as they were and as they are."""
    with civic_db_connection() as conn:
        project_id = store.require_project(conn, project)
        return store.recount(conn, project_id)


def list_projects() -> list[dict[str, Any]]:
    """Return the projects with their counts."""
    with reading_connection() as conn:
        return [dict(row._mapping) for row in store.all_projects(conn)]


def follow(subdomain: str) -> Followed:
    """Bring annotations of a site's pages to its text, and its extraction into its project."""
    return follow_pages.follow(subdomain)


# ----------------------------------------------------------------------------------- export


def read(project: str, *, sourcedb: str | None = None) -> Iterator[CheckedObject]:
    """Give the documents of a project with their annotations, in the order of their names."""
    with reading_connection() as conn:
        project_id = store.require_project(conn, project)
        for found in store.read_project(conn, project_id, sourcedb=sourcedb):
            yield _object(found)


def _object(found: Annotated) -> CheckedObject:
    annotations = annotations_from(found.rows)
    head = found.head
    return CheckedObject(
        sourcedb=found.key[0],
        sourceid=found.key[1],
        text=found.text,
        denotations=annotations.denotations,
        blocks=annotations.blocks,
        relations=annotations.relations,
        attributes=annotations.attributes,
        namespaces=msgspec.json.decode(head.namespaces) if head.namespaces else None,
        tracks=msgspec.json.decode(head.tracks) if head.tracks else None,
    )


def export(
    project: str, format: str = "pubannotation", *, sourcedb: str | None = None
) -> Iterator[bytes]:
    """Give the content of a file with a project, piece by piece; brat needs a folder."""
    if format not in formats.WRITERS:
        raise InvalidInput(f"{format} is written to a folder, not to a file.")
    return formats.export(read(project, sourcedb=sourcedb), format)


def export_brat(project: str, folder: Path, *, sourcedb: str | None = None) -> int:
    """Write two files for each document of a project and return how many documents there were."""
    documents = 0
    for found in read(project, sourcedb=sourcedb):
        text, annotations = formats.brat.dump(found)
        path = folder / _safe(found.sourcedb) / _safe(found.sourceid)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.with_name(f"{path.name}.txt").write_text(text, encoding="utf-8", newline="")
        path.with_name(f"{path.name}.ann").write_text(annotations, encoding="utf-8", newline="")
        documents += 1
    return documents


def _safe(name: str) -> Path:
    """Return a path for a name that leads nowhere else."""
    parts = [part for part in name.split("/") if part not in ("", ".", "..")]
    return Path(*(part[:200] for part in parts)) if parts else Path("_")
