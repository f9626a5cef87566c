"""The ledger of annotation uploads: the only module that opens, claims, divides and ends them.

An upload is a job with batches that are cut beforehand, each some bytes of the stored file::

    pending --claim--> running --finish--> completed
       ^  ^               |  \\---divide--> split, its parts pending
       |  \\--give back----/ \\----end-----> failed | crashed        any --cancel--> cancelled

As in :mod:`clerk.pipeline.ledger` every claim makes a new token that everything after it names;
who has lost it changes nothing.  A batch is finished in the transaction that stores what is in it.
Cutting is claimed in the same way, so that it is taken up where it stopped.

Locks are taken in the order batches, jobs, uploads.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Row,
    exists,
    func,
    insert,
    or_,
    select,
    update,
)

from clerk.annotations.store import Stored
from clerk.core.errors import NotFound, TransientError
from clerk.core.models import (
    annotation_issues_table,
    annotation_projects_table,
    annotation_uploads_table,
    batches_table,
    db_now,
    jobs_table,
    queues_table,
    workers_table,
)
from clerk.core.states import ANNOTATIONS, Batch, Kind, Upload

from . import ledger
from .batch_tracking import doc_summary
from .ledger import Claimed, ClaimedItem, sql_word

jobs, batches, uploads, issues = (
    jobs_table,
    batches_table,
    annotation_uploads_table,
    annotation_issues_table,
)

#: The kinds of work of an upload.
STORE = "annotations"
SPLIT = "split"

#: Seconds before a batch that raised or crashed is given out again, by how often it did.
PAUSES = (1.0, 5.0, 30.0)

#: What is read of a batch that is claimed; the names of its documents may be many.
_CLAIMED = [
    batches.c[name]
    for name in (
        "id",
        "parent_job_id",
        "claim",
        "attempt",
        "payload",
        "item_count",
        "bytes",
        "errors",
        "crashes",
    )
]
#: Rows of issues in one statement.
_CHUNK = 5_000


class Fenced(TransientError):
    """The batch is in other hands by now, or its upload was cancelled."""


@dataclass(frozen=True)
class Piece:
    """Part of an upload, as it is kept."""

    payload: Mapping[str, Any]
    items: int
    bytes: int
    doc_identifiers: Sequence[Mapping[str, str]]


# -------------------------------------------------------------------------------- opening


def open_upload(
    conn: Connection,
    *,
    project_id: int,
    mode: str,
    options: Mapping[str, Any],
    source: Mapping[str, Any],
    size: int,
    retry_of: int | None = None,
    created_by: str | None = None,
) -> int:
    """Write an upload that is to be cut into batches, and return its job's number."""
    job_id = ledger.open_job(
        conn, run_id=None, subdomain=None, stage=ANNOTATIONS, queue=ANNOTATIONS, kind=Kind.UPLOAD
    )
    conn.execute(
        insert(uploads).values(
            job_id=job_id,
            project_id=project_id,
            mode=mode,
            options=dict(options),
            source=dict(source),
            bytes=size,
            is_split=not source,
            retry_of=retry_of,
            created_by=created_by,
        )
    )
    return job_id


def add_issues(conn: Connection, job_id: int, found: Iterable[Mapping[str, Any]]) -> int:
    """Write what was wrong with an upload and return how much."""
    rows = [{"job_id": job_id, **each} for each in found]
    for start in range(0, len(rows), _CHUNK):
        conn.execute(insert(issues), rows[start : start + _CHUNK])
    return len(rows)


# ------------------------------------------------------------------------------- claiming


def anything_claimable(conn: Connection) -> bool:
    """Whether a claim could succeed now; asks without taking a lock."""
    return bool(conn.execute(_claimable()).scalar())


@cache
def _claimable() -> Any:
    return select(or_(exists(_to_cut().order_by(None)), exists(_to_store().order_by(None))))


@cache
def _active() -> ColumnElement[bool]:
    paused = select(queues_table.c.name).where(queues_table.c.paused_at.is_not(None))
    return (
        exists()
        .where(uploads.c.job_id == jobs.c.id, uploads.c.state == sql_word(Upload.OPEN))
        .where(jobs.c.state == sql_word("open"), jobs.c.queue.not_in(paused))
        .correlate(jobs)
    )


@cache
def _to_cut() -> Any:
    return (
        select(uploads.c.job_id)
        .join(jobs, jobs.c.id == uploads.c.job_id)
        .where(~uploads.c.is_split, uploads.c.split_claim.is_(None), _active())
        .order_by(jobs.c.rank, uploads.c.job_id)
    )


@cache
def _to_store() -> Any:
    return (
        select(batches.c.id)
        .join(jobs, jobs.c.id == batches.c.parent_job_id)
        .where(batches.c.status == sql_word(Batch.PENDING), batches.c.available_at <= db_now())
        .where(jobs.c.kind == Kind.UPLOAD, _active())
        .order_by(jobs.c.rank, jobs.c.claimed_at, batches.c.id)
    )


def claim(conn: Connection, worker_id: str) -> Claimed | None:
    """Take a batch, or the cutting of a file before that, or return None."""
    return _claim_cutting(conn, worker_id) or _claim_batch(conn, worker_id)


def _claim_cutting(conn: Connection, worker_id: str) -> Claimed | None:
    token = uuid.uuid4().hex
    chosen = _to_cut().limit(1).with_for_update(skip_locked=True, of=uploads)
    row = conn.execute(
        update(uploads)
        .where(uploads.c.job_id == conn.execute(chosen).scalar(), uploads.c.split_claim.is_(None))
        .values(
            split_claim=token,
            split_worker_id=worker_id,
            split_attempt=uploads.c.split_attempt + 1,
        )
        .returning(*uploads.c)
    ).first()
    if row is None:
        return None
    item = ClaimedItem(row.job_id, SPLIT, SPLIT, row.split_attempt)
    return _claimed(token, row, item, {"batches": row.batches})


def _claim_batch(conn: Connection, worker_id: str) -> Claimed | None:
    token = uuid.uuid4().hex
    chosen = _to_store().limit(1).with_for_update(skip_locked=True, of=batches)
    row = conn.execute(
        update(batches)
        .where(
            batches.c.id == conn.execute(chosen).scalar(),
            batches.c.status == sql_word(Batch.PENDING),
        )
        .values(
            status=Batch.RUNNING,
            claim=token,
            child_job_id=token,
            attempt=batches.c.attempt + 1,
            worker_id=worker_id,
            started_at=db_now(),
            updated_at=db_now(),
            current_item="",
        )
        .returning(*_CLAIMED)
    ).first()
    if row is None:
        return None
    conn.execute(update(jobs).where(jobs.c.id == row.parent_job_id).values(claimed_at=db_now()))
    upload = conn.execute(select(uploads).where(uploads.c.job_id == row.parent_job_id)).one()
    return _claimed(token, upload, _item(row), _facts(row))


def _item(batch: Row[Any]) -> ClaimedItem:
    return ClaimedItem(batch.id, STORE, batch.payload["name"], batch.attempt, batch.bytes)


def _facts(batch: Row[Any]) -> dict[str, Any]:
    return {
        "payload": batch.payload,
        "items": batch.item_count,
        "bytes": batch.bytes,
        "errors": batch.errors,
        "crashes": batch.crashes,
        "documents": batch.payload["documents"],
    }


def _claimed(token: str, upload: Row[Any], item: ClaimedItem, detail: Mapping[str, Any]) -> Claimed:
    options = {
        **upload.options,
        "source": upload.source,
        "mode": upload.mode,
        "project_id": upload.project_id,
    }
    return Claimed(
        claim=token,
        job_id=upload.job_id,
        run_id="",
        kind=Kind.UPLOAD,
        stage=ANNOTATIONS,
        queue=ANNOTATIONS,
        subdomain="",
        items=(item,),
        options=options,
        detail=detail,
    )


# -------------------------------------------------------------------------------- cutting


def add_batches(conn: Connection, job_id: int, token: str, pieces: Sequence[Piece]) -> None:
    """Write the next batches of an upload; claimable when this is committed."""
    items = sum(piece.items for piece in pieces)
    conn.execute(
        update(jobs)
        .where(jobs.c.id == job_id)
        .values(total=jobs.c.total + items, updated_at=db_now())
    )
    changed = conn.execute(
        update(uploads)
        .where(uploads.c.job_id == job_id, uploads.c.split_claim == token)
        .values(batches=uploads.c.batches + len(pieces))
    )
    if changed.rowcount != 1:
        raise Fenced()
    _insert(conn, job_id, pieces)


def _insert(conn: Connection, job_id: int, pieces: Sequence[Piece], **common: Any) -> None:
    rows = [
        {
            "parent_job_id": job_id,
            "payload": {
                **piece.payload,
                "name": doc_summary(piece.doc_identifiers),
                "documents": len(piece.doc_identifiers),
            },
            "item_count": piece.items,
            "bytes": piece.bytes,
            "doc_identifiers": [dict(each) for each in piece.doc_identifiers],
        }
        for piece in pieces
    ]
    if rows:
        conn.execute(insert(batches).values(**common), rows)


def end_cutting(conn: Connection, job_id: int, token: str) -> None:
    """Note that all batches are written; an upload without any is over."""
    job = ledger.count(conn, job_id)
    changed = conn.execute(
        update(uploads)
        .where(uploads.c.job_id == job_id, uploads.c.split_claim == token)
        .values(is_split=True, split_claim=None, split_worker_id=None)
    )
    if changed.rowcount != 1:
        raise Fenced()
    _close_if_done(conn, job, is_split=True)


def leave_cutting(conn: Connection, token: str) -> bool:
    """Let somebody else go on with the cutting."""
    changed = conn.execute(
        update(uploads)
        .where(uploads.c.split_claim == token)
        .values(split_claim=None, split_worker_id=None)
    )
    return changed.rowcount == 1


# --------------------------------------------------------------------------------- ending


@dataclass(frozen=True)
class BadDocument:
    """A document of a batch that could not be stored: what it is, and why."""

    piece: Piece
    error: str


def finish(
    conn: Connection,
    claimed: Claimed,
    stored: Stored,
    bad: Sequence[BadDocument] = (),
    seconds: float = 0.0,
) -> None:
    """Complete a batch, in the transaction that stores what is in it.

    Bad documents become failed batches of their own.  Raises :class:`Fenced` when the claim is
    lost: the transaction must not be committed.
    """
    lost = sum(each.piece.items for each in bad)
    done = claimed.detail["items"] - lost
    status = Batch.COMPLETED if done else Batch.SPLIT
    if not _end(conn, claimed.claim, status, item_count=done or claimed.detail["items"]):
        raise Fenced()
    for each in bad:
        _insert(
            conn,
            claimed.job_id,
            [each.piece],
            status=Batch.FAILED,
            error_message=each.error,
            parent_batch_id=claimed.items[0].id,
            attempt=claimed.items[0].attempt,
            started_at=db_now(),
            completed_at=db_now(),
        )
    _account(conn, claimed, stored, completed=done, failed=lost, seconds=seconds)


def fail(conn: Connection, claimed: Claimed, status: str, error: str) -> bool:
    """End a batch badly: failed or crashed; its items count as failed."""
    if not _end(conn, claimed.claim, status, error_message=error):
        return False
    _account(conn, claimed, Stored(), failed=claimed.detail["items"])
    ledger.record(conn, status, stage=ANNOTATIONS, detail=f"upload {claimed.job_id}: {error}")
    return True


def divide(conn: Connection, claimed: Claimed, pieces: Sequence[Piece], why: str) -> bool:
    """Give a batch out in pieces."""
    if not _end(conn, claimed.claim, Batch.SPLIT, error_message=why):
        return False
    _insert(conn, claimed.job_id, pieces, parent_batch_id=claimed.items[0].id)
    return True


def give_back(
    conn: Connection, claimed: Claimed, why: str = "", *, errors: int = 0, crashes: int = 0
) -> bool:
    """Make a batch claimable again, after a pause if it is charged with something."""
    tries = claimed.detail["errors"] + claimed.detail["crashes"]
    pause = PAUSES[min(tries, len(PAUSES) - 1)] if errors or crashes else 0.0
    changed = conn.execute(
        update(batches)
        .where(batches.c.claim == claimed.claim, batches.c.status == sql_word(Batch.RUNNING))
        .values(
            status=Batch.PENDING,
            claim=None,
            worker_id=None,
            current_item=None,
            started_at=None,
            errors=batches.c.errors + errors,
            crashes=batches.c.crashes + crashes,
            error_message=why or None,
            available_at=db_now(pause),
            updated_at=db_now(),
        )
    )
    return changed.rowcount == 1


def _end(conn: Connection, token: str, status: str, **columns: Any) -> bool:
    changed = conn.execute(
        update(batches)
        .where(batches.c.claim == token, batches.c.status == sql_word(Batch.RUNNING))
        .values(
            status=status,
            completed_at=db_now(),
            updated_at=db_now(),
            current_item=None,
            **columns,
        )
    )
    return changed.rowcount == 1


def is_held(conn: Connection, claimed: Claimed) -> bool:
    """Whether the claim still holds its batch."""
    held = select(batches.c.id).where(batches.c.claim == claimed.claim)
    return conn.execute(held.where(batches.c.status == Batch.RUNNING)).first() is not None


def _account(
    conn: Connection,
    claimed: Claimed,
    stored: Stored,
    *,
    completed: int = 0,
    failed: int = 0,
    seconds: float = 0.0,
) -> None:
    job = ledger.count(conn, claimed.job_id, completed=completed, failed=failed, seconds=seconds)
    is_split = conn.execute(
        update(uploads)
        .where(uploads.c.job_id == claimed.job_id)
        .values(bytes_done=uploads.c.bytes_done + claimed.detail["bytes"], **_more(stored))
        .returning(uploads.c.is_split)
    ).scalar_one()
    ledger.record(
        conn, "finished", stage=ANNOTATIONS, completed=completed, failed=failed, seconds=seconds
    )
    _close_if_done(conn, job, is_split=is_split)


def _close_if_done(conn: Connection, job: Row[Any], *, is_split: bool) -> None:
    if is_split and job.completed + job.failed == job.total:
        close(conn, job.id, Upload.COMPLETED)


def close(conn: Connection, job_id: int, state: str) -> None:
    """End an upload."""
    if ledger.close_job(conn, job_id):
        conn.execute(update(uploads).where(uploads.c.job_id == job_id).values(state=state))


def _more(stored: Stored) -> dict[str, ColumnElement[int]]:
    return {name: uploads.c[name] + number for name, number in stored.by_name().items()}


def grow(conn: Connection, job_id: int, items: int, stored: Stored) -> None:
    """Count more completed items of a job that has no batches, and what was stored of them."""
    conn.execute(
        update(jobs)
        .where(jobs.c.id == job_id)
        .values(total=jobs.c.total + items, completed=jobs.c.completed + items)
    )
    conn.execute(update(uploads).where(uploads.c.job_id == job_id).values(_more(stored)))


# ----------------------------------------------------------------------- what people decide


def change_state(conn: Connection, job_id: int, before: str, after: str) -> bool:
    """Suspend or resume an upload; False when it was in another state."""
    changed = conn.execute(
        update(uploads)
        .where(uploads.c.job_id == job_id, uploads.c.state == before)
        .values(state=after)
    )
    return changed.rowcount == 1


def cancel(conn: Connection, job_id: int, why: str) -> bool:
    """End an upload now: what is stored stays, the rest of it is cancelled."""
    ledger.end_as_cancelled(conn, batches.c.parent_job_id == job_id, why)
    ledger.count(conn, job_id)
    open_states = [Upload.OPEN, Upload.SUSPENDED]
    changed = conn.execute(
        update(uploads)
        .where(uploads.c.job_id == job_id, uploads.c.state.in_(open_states))
        .values(is_split=True, split_claim=None)
    )
    close(conn, job_id, Upload.CANCELLED)
    return changed.rowcount == 1


# ------------------------------------------------------------------------------- the dead


def held_by_the_dead(
    conn: Connection, known_dead: Collection[str], timeout_seconds: float
) -> list[Claimed]:
    """Return the batches and cuttings of workers that are dead.

    Dead is who is unknown, whose lease has ended, whose lock is free, or who has not beaten for
    the longest time allowed.
    """
    workers = workers_table

    def dead(owner: ColumnElement[str]) -> ColumnElement[bool]:
        alive = select(workers.c.id).where(
            workers.c.lease_until >= db_now(), workers.c.beat_at >= db_now(-timeout_seconds)
        )
        return or_(owner.not_in(alive), owner.in_(list(known_dead)))

    return _held(conn, dead)


def held_by(conn: Connection, worker_id: str) -> list[Claimed]:
    """Return the batches and cuttings of a worker."""
    return _held(conn, lambda owner: owner == worker_id)


def _held(
    conn: Connection, is_theirs: Callable[[ColumnElement[str]], ColumnElement[bool]]
) -> list[Claimed]:
    held = (
        select(*_CLAIMED)
        .join(jobs, jobs.c.id == batches.c.parent_job_id)
        .where(batches.c.status == sql_word(Batch.RUNNING), jobs.c.kind == Kind.UPLOAD)
        .where(batches.c.claim.is_not(None), is_theirs(batches.c.worker_id))
    )
    found = [_load(conn, row) for row in conn.execute(held).fetchall()]
    cut = select(uploads).where(
        uploads.c.split_claim.is_not(None), is_theirs(uploads.c.split_worker_id)
    )
    for row in conn.execute(cut).fetchall():
        item = ClaimedItem(row.job_id, SPLIT, SPLIT, row.split_attempt)
        found.append(_claimed(row.split_claim, row, item, {}))
    return found


def _load(conn: Connection, batch: Row[Any]) -> Claimed:
    upload = conn.execute(select(uploads).where(uploads.c.job_id == batch.parent_job_id)).one()
    return _claimed(batch.claim, upload, _item(batch), _facts(batch))


# -------------------------------------------------------------------------------- reading


def require_upload(conn: Connection, job_id: int) -> Row[Any]:
    """Return an upload with its job and the name of its project, or say that there is none."""
    row: Row[Any] | None = conn.execute(_described().where(jobs.c.id == job_id)).first()
    if row is None:
        raise NotFound(f"There is no upload {job_id}.", hint="List them: clerk annotations list")
    return row


def list_uploads(conn: Connection, project: str | None, limit: int) -> Sequence[Row[Any]]:
    """Return the newest uploads, the newest first."""
    chosen = _described().order_by(jobs.c.id.desc()).limit(limit)
    if project is not None:
        chosen = chosen.where(annotation_projects_table.c.name == project)
    return conn.execute(chosen).fetchall()


@cache
def _described() -> Any:
    names = annotation_projects_table
    return (
        select(
            jobs.c.id,
            jobs.c.total,
            jobs.c.completed,
            jobs.c.failed,
            jobs.c.busy_seconds,
            jobs.c.created_at,
            jobs.c.closed_at,
            uploads,
            names.c.name.label("project"),
        )
        .join(uploads, uploads.c.job_id == jobs.c.id)
        .join(names, names.c.id == uploads.c.project_id)
    )


@dataclass(frozen=True)
class OpenWork:
    """What there is to do for uploads: batches, and files to be cut."""

    waiting: int
    running: int
    oldest_at: datetime | None


def open_work(conn: Connection) -> OpenWork:
    """Count what of open uploads waits and is in hand; what is suspended waits for a person."""
    is_open = uploads.c.state == sql_word(Upload.OPEN)
    cut = conn.execute(
        select(uploads.c.split_claim, jobs.c.created_at)
        .join(jobs, jobs.c.id == uploads.c.job_id)
        .where(is_open, ~uploads.c.is_split)
    ).fetchall()
    stored = conn.execute(
        select(batches.c.status, func.count(), func.min(batches.c.created_at))
        .join(uploads, uploads.c.job_id == batches.c.parent_job_id)
        .where(is_open, batches.c.status.in_([Batch.PENDING, Batch.RUNNING]))
        .group_by(batches.c.status)
    ).fetchall()
    batches_by = {status: (number, oldest_at) for status, number, oldest_at in stored}
    waiting, oldest_at = batches_by.get(Batch.PENDING, (0, None))
    to_cut = [row.created_at for row in cut if row.split_claim is None]
    return OpenWork(
        waiting + len(to_cut),
        batches_by.get(Batch.RUNNING, (0, None))[0] + len(cut) - len(to_cut),
        min(filter(None, [oldest_at, *to_cut]), default=None),
    )


def open_uploads(conn: Connection) -> Sequence[int]:
    """Return the uploads that wait or are worked on."""
    chosen = select(uploads.c.job_id).where(uploads.c.state == sql_word(Upload.OPEN))
    return conn.execute(chosen.order_by(uploads.c.job_id)).scalars().all()


def state_of(conn: Connection, job_id: int) -> str | None:
    """Return the state of an upload."""
    return conn.execute(select(uploads.c.state).where(uploads.c.job_id == job_id)).scalar()


def issue_counts(conn: Connection, job_id: int) -> dict[str, int]:
    """Return how many issues an upload has, by code."""
    counted = select(issues.c.code, func.sum(issues.c.times)).where(issues.c.job_id == job_id)
    rows = conn.execute(counted.group_by(issues.c.code))
    return {code: int(number) for code, number in rows}


def read_issues(
    conn: Connection, job_id: int, *, code: str | None = None, after: int = 0, limit: int = _CHUNK
) -> Sequence[Row[Any]]:
    """Return issues of an upload in the order in which they were found."""
    chosen = select(issues).where(issues.c.job_id == job_id, issues.c.id > after)
    if code is not None:
        chosen = chosen.where(issues.c.code == code)
    return conn.execute(chosen.order_by(issues.c.id).limit(limit)).fetchall()


def lost_pieces(conn: Connection, job_id: int, batch_id: int | None = None) -> list[Piece]:
    """Return what of an upload, or of one batch of it, is not stored and could be tried again."""
    ended = select(batches).where(batches.c.parent_job_id == job_id)
    if batch_id is not None:
        ended = ended.where(batches.c.id == batch_id)
    rows = conn.execute(
        ended.where(batches.c.status.in_([Batch.FAILED, Batch.CRASHED, Batch.CANCELLED])).order_by(
            batches.c.id
        )
    )
    return [Piece(r.payload, r.item_count, r.bytes, r.doc_identifiers) for r in rows]


def open_retry(conn: Connection, former: Row[Any], pieces: Sequence[Piece], who: str) -> int:
    """Open an upload of pieces of a former one, already cut."""
    job_id = open_upload(
        conn,
        project_id=former.project_id,
        mode=former.mode,
        options=former.options,
        source=former.source,
        size=sum(piece.bytes for piece in pieces),
        retry_of=former.job_id,
        created_by=who,
    )
    token = uuid.uuid4().hex
    conn.execute(update(uploads).where(uploads.c.job_id == job_id).values(split_claim=token))
    add_batches(conn, job_id, token, pieces)
    end_cutting(conn, job_id, token)
    return job_id
