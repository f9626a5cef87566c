"""Uploads and their issues: opened, suspended, cancelled and closed, in the caller's transaction.

What settles their parts is in :mod:`clerk.pipeline.transitions`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec
from sqlalchemy import ColumnElement, Connection, insert, select, update

from clerk.annotations import Issue
from clerk.annotations.decide import Options
from clerk.annotations.store import Stored
from clerk.annotations.upload_parts import stored_part
from clerk.core.errors import Conflict, NotFound
from clerk.core.models import (
    annotation_issues_table,
    annotation_uploads_table,
    db_now,
    jobs_table,
)
from clerk.core.states import ANNOTATIONS, Batch, Item, Kind, Step, Upload
from clerk.executors.work import Claim

from . import ledger
from .ledger import FailedItem, NewItem, NewPart

uploads = annotation_uploads_table
#: Rows of issues in one statement.
_ISSUES_AT_ONCE = 5_000


class UploadSource(msgspec.Struct, frozen=True):
    """The file that holds everything of an upload, and the names of the files it came from."""

    path: str
    files: list[str] = []


@dataclass(frozen=True)
class StoredUpload:
    """An upload as it was asked for; clerk's own jobs have no source and no options."""

    job_id: int
    project_id: int
    mode: str
    state: str
    stored_options: Mapping[str, object]
    stored_source: Mapping[str, object]
    #: How many parts it was split into so far.
    batches: int

    @property
    def options(self) -> Options:
        """What was asked for."""
        return msgspec.convert({**self.stored_options, "mode": self.mode}, Options)

    @property
    def source(self) -> UploadSource:
        """Its file."""
        return msgspec.convert(self.stored_source, UploadSource)


class ClaimLost(Conflict):
    """Another worker holds the item now, or its upload was cancelled."""


def open_upload(
    conn: Connection,
    *,
    project_id: int,
    mode: str,
    options: Options | None = None,
    source: UploadSource | None = None,
    size: int = 0,
    parts: Sequence[NewPart] = (),
    retry_of: int | None = None,
    created_by: str | None = None,
) -> int:
    """Write an upload whose file is to be split, or that has its parts already; return its job."""
    job_id = ledger.open_job(
        conn,
        run_id=None,
        subdomain=None,
        stage=ANNOTATIONS,
        queue=ANNOTATIONS,
        kind=Kind.UPLOAD,
        total=sum(part.objects for part in parts),
    )
    conn.execute(
        insert(uploads).values(
            job_id=job_id,
            project_id=project_id,
            mode=mode,
            options=msgspec.to_builtins(options) if options else {},
            source=msgspec.to_builtins(source) if source else {},
            bytes=size,
            batches=len(parts),
            retry_of=retry_of,
            created_by=created_by,
        )
    )
    if source and not parts:
        ledger.add_items(conn, job_id, None, [NewItem(step=Step.SPLIT, documents=0)])
    ledger.add_parts(conn, job_id, parts)
    return job_id


def require_upload(conn: Connection, job_id: int) -> StoredUpload:
    """Return an upload, or say that there is none."""
    of = uploads.c
    chosen = select(
        *(of.job_id, of.project_id, of.mode, of.state, of.options, of.source, of.batches)
    )
    row = conn.execute(chosen.where(of.job_id == job_id)).first()
    if row is None:
        raise NotFound(f"There is no upload {job_id}.", hint="List them: clerk annotations list")
    return StoredUpload(*row)


def extend_split(conn: Connection, claim: Claim, parts: Sequence[NewPart]) -> None:
    """Write the next parts of a file; they can be claimed when this is committed."""
    if not ledger.extend_split(conn, claim, parts):
        raise ClaimLost
    conn.execute(
        update(uploads)
        .where(uploads.c.job_id == claim.job_id)
        .values(batches=uploads.c.batches + len(parts))
    )


def divide_part(conn: Connection, claim: Claim, parts: Sequence[NewPart], why: str) -> None:
    """Put smaller parts in the place of one that is too much at once."""
    ledger.replace_part(conn, claim, parts, Batch.SPLIT, why)


def close_upload(conn: Connection, job_id: int, state: str) -> bool:
    """End an upload, and say whether this call did it."""
    if not ledger.close_job(conn, job_id):
        return False
    conn.execute(update(uploads).where(uploads.c.job_id == job_id).values(state=state))
    return True


def cancel_upload(conn: Connection, job_id: int, why: str) -> bool:
    """End an upload now: what is stored stays, the rest is cancelled.  False when it was over."""
    ledger.cancel_job(conn, job_id, why)
    return close_upload(conn, job_id, Upload.CANCELLED)


def suspend_upload(conn: Connection, job_id: int) -> bool:
    """Let nothing more of an upload be claimed; False when it is over or suspended."""
    return _change_upload(conn, job_id, Upload.OPEN, Upload.SUSPENDED, db_now())


def resume_upload(conn: Connection, job_id: int) -> bool:
    """Let a suspended upload be claimed from again; False when it was not suspended."""
    return _change_upload(conn, job_id, Upload.SUSPENDED, Upload.OPEN, None)


def _change_upload(conn: Connection, job_id: int, before: str, after: str, moment: Any) -> bool:
    ledger.count(conn, job_id)
    changed = conn.execute(
        update(uploads)
        .where(uploads.c.job_id == job_id, uploads.c.state == before)
        .values(state=after)
    )
    if changed.rowcount != 1:
        return False
    conn.execute(update(jobs_table).where(jobs_table.c.id == job_id).values(suspended_at=moment))
    return True


def mark_rolled_back(conn: Connection, job_id: int) -> None:
    """Note that nothing of an upload that is over is stored any more."""
    ended = uploads.c.state.in_([Upload.COMPLETED, Upload.CANCELLED])
    conn.execute(
        update(uploads).where(uploads.c.job_id == job_id, ended).values(state=Upload.ROLLED_BACK)
    )


def count_failed_parts(conn: Connection, claim: Claim, failures: Sequence[FailedItem]) -> None:
    """Count the bytes of parts that failed, with an issue for each of their documents."""
    for failed in failures:
        code = Batch.CRASHED if failed.state == Item.QUARANTINED else Batch.FAILED
        known = stored_part(failed.item.payload).issues
        names = ledger.documents_of_part(conn, failed.item.id) or [("", "")]
        add_issues(
            conn,
            claim.job_id,
            [*known, *(document_failed(name, code, failed.error) for name in names)],
        )
        count_part(conn, claim, Stored())


def document_failed(name: tuple[str, str], code: str, error: str) -> Issue:
    """Return the issue of a document that could not be stored."""
    message = f"the document could not be stored: {error.splitlines()[0]}"
    return Issue(code, message[:2000], sourcedb=name[0], sourceid=name[1], detail=error[:2000])


def add_issues(conn: Connection, job_id: int, found: Iterable[Issue]) -> None:
    """Write what was wrong with an upload."""
    rows = [{"job_id": job_id, **msgspec.to_builtins(each)} for each in found]
    for start in range(0, len(rows), _ISSUES_AT_ONCE):
        conn.execute(insert(annotation_issues_table), rows[start : start + _ISSUES_AT_ONCE])


def count_part(conn: Connection, claim: Claim, stored: Stored) -> None:
    """Count the bytes of a part, and what was stored of it."""
    done = uploads.c.bytes_done + claim.items[0].bytes
    conn.execute(
        update(uploads)
        .where(uploads.c.job_id == claim.job_id)
        .values(bytes_done=done, **_more(stored))
    )


def count_stored(conn: Connection, job_id: int, stored: Stored) -> None:
    """Count documents that were stored by a job that has no parts."""
    more = stored.documents
    conn.execute(
        update(jobs_table)
        .where(jobs_table.c.id == job_id)
        .values(total=jobs_table.c.total + more, completed=jobs_table.c.completed + more)
    )
    conn.execute(update(uploads).where(uploads.c.job_id == job_id).values(_more(stored)))


def _more(stored: Stored) -> dict[str, ColumnElement[int]]:
    cleared = {f"cleared_{name}": number for name, number in stored.cleared.items()}
    more = stored.by_name() | cleared | {"refused": stored.refused}
    return {name: uploads.c[name] + number for name, number in more.items()}
