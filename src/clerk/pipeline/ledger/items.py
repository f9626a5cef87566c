"""Jobs and their items: written, counted, named, cancelled and closed."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import msgspec
from sqlalchemy import (
    ColumnElement,
    Connection,
    Integer,
    Row,
    String,
    and_,
    bindparam,
    func,
    insert,
    select,
    update,
)

from clerk.core.db import among
from clerk.core.models import batches_table, db_now, items_table, jobs_table, runs_table
from clerk.core.run_options import RunOptions
from clerk.core.states import Batch, Item, Kind, Step

from .sql import Statement, sql_word, together

#: How much of an error is kept.
ERROR_LENGTH = 500


@dataclass(frozen=True, slots=True)
class Job:
    """The parent of items: a stage of a run, its coordinator, or an upload."""

    id: int
    kind: str
    #: Empty for an upload, as is the subdomain.
    run_id: str
    subdomain: str
    stage: str
    queue: str
    state: str
    total: int
    completed: int
    failed: int
    detail: Mapping[str, object]
    #: The options of the run, where they were read with it.
    options: RunOptions

    @property
    def reader(self) -> str:
        """What identifies the reader of its documents; empty for a job that reads none."""
        return str(self.detail.get("engine", ""))


def job_from(row: Row[Any]) -> Job:
    """Return a job from its row."""
    return Job(
        row.id,
        row.kind,
        row.run_id or "",
        row.subdomain or "",
        row.stage,
        row.queue,
        row.state,
        row.total,
        row.completed,
        row.failed,
        row.detail or {},
        RunOptions.stored(getattr(row, "options", None)),
    )


_RANK_OF_RUN = (
    select(runs_table.c.rank)
    .where(runs_table.c.run_id == bindparam("of_run", type_=String))
    .scalar_subquery()
)
_OPEN_JOB = (
    insert(jobs_table)
    .values(rank=bindparam("own_rank", type_=Integer) + func.coalesce(_RANK_OF_RUN, 0))
    .returning(jobs_table.c.id)
)


def open_job(
    conn: Connection,
    *,
    run_id: str | None,
    subdomain: str | None,
    stage: str,
    queue: str,
    kind: str = Kind.STAGE,
    total: int = 0,
    completed: int = 0,
    failed: int = 0,
    rank: int = 0,
    detail: Mapping[str, object] | None = None,
) -> int:
    """Write a parent and return its id; its rank is added to that of its run."""
    values = {
        "run_id": run_id,
        "subdomain": subdomain,
        "stage": stage,
        "queue": queue,
        "kind": kind,
        "total": total,
        "completed": completed,
        "failed": failed,
        "own_rank": rank,
        "of_run": run_id,
        "detail": dict(detail or {}),
    }
    job_id: int = conn.execute(_OPEN_JOB, values).scalar_one()
    return job_id


class NewItem(msgspec.Struct, frozen=True):
    """An item to be written: a document, a step, or a number of documents without names.

    The fields are columns of ``items``.
    """

    document: str = ""
    bytes: int | None = None
    sha256: str | None = None
    alone: bool = False
    step: str = Step.DOCUMENT
    documents: int = 1
    state: str = Item.PENDING
    error: str | None = None
    error_kind: str | None = None
    payload: Mapping[str, object] | None = None
    finished_at: datetime | None = None
    #: When it can be claimed, if not at once.
    not_before: datetime | None = None


_NOT_BEFORE = func.coalesce(
    bindparam("not_before", type_=items_table.c.available_at.type), db_now()
)
_ADD_CLAIMABLE = insert(items_table).values(available_at=_NOT_BEFORE)
_ADD_OTHERS = insert(items_table).values(available_at=None)


def add_items(conn: Connection, job_id: int, run_id: str | None, items: Iterable[NewItem]) -> None:
    """Write items of a job; those that are not finished and can be done may then be claimed."""
    claimable, others = [], []
    for item in items:
        values = {
            "job_id": job_id,
            "run_id": run_id,
            "document": item.document or None,
            "bytes": item.bytes,
            "sha256": item.sha256,
            "alone": item.alone,
            "step": item.step,
            "documents": item.documents,
            "state": item.state,
            "error": item.error,
            "error_kind": item.error_kind,
            "payload": item.payload,
            "finished_at": item.finished_at,
        }
        if item.state == Item.PENDING and item.step != Step.UNNAMED:
            claimable.append(values | {"not_before": item.not_before})
        else:
            others.append(values)
    if claimable:
        conn.execute(_ADD_CLAIMABLE, claimable)
    if others:
        conn.execute(_ADD_OTHERS, others)


@dataclass(frozen=True)
class NewPart:
    """A part of an upload: which bytes of its file, and which documents are in it."""

    payload: Mapping[str, object]
    objects: int
    bytes: int
    doc_identifiers: Sequence[Mapping[str, str]]
    #: Set where it is known beforehand that it cannot be stored.
    error: str = ""
    error_kind: str = ""


_ADD_PART = insert(items_table).returning(items_table.c.id, sort_by_parameter_order=True)


def add_parts(
    conn: Connection,
    job_id: int,
    parts: Sequence[NewPart],
    *,
    parent_item_id: int | None = None,
    parent_batch_id: int | None = None,
) -> None:
    """Write parts of an upload with their batches, claimable when this is committed.

    A part with an error is written as failed.
    """
    if not parts:
        return
    now = conn.execute(select(db_now())).scalar_one()
    rows = [
        {
            "job_id": job_id,
            "step": Step.STORE,
            "documents": part.objects,
            "state": Item.FAILED if part.error else Item.PENDING,
            "bytes": part.bytes,
            "payload": dict(part.payload),
            "parent_item_id": parent_item_id,
            "error": part.error or None,
            "error_kind": part.error_kind or None,
            "available_at": now,
            "finished_at": now if part.error else None,
        }
        for part in parts
    ]
    ids = conn.execute(_ADD_PART, rows).scalars().all()
    conn.execute(
        insert(batches_table),
        [
            {
                "parent_job_id": job_id,
                "item_id": item_id,
                "parent_batch_id": parent_batch_id,
                "status": Batch.FAILED if part.error else Batch.PENDING,
                "doc_identifiers": [dict(each) for each in part.doc_identifiers],
                "item_count": part.objects,
                "error_message": part.error or None,
                "started_at": now if part.error else None,
                "completed_at": now if part.error else None,
            }
            for part, item_id in zip(parts, ids, strict=True)
        ],
    )


def documents_of_part(conn: Connection, item_id: int) -> list[tuple[str, str]]:
    """Return (sourcedb, sourceid) of the documents in a part."""
    chosen = select(batches_table.c.doc_identifiers).where(batches_table.c.item_id == item_id)
    named = conn.execute(chosen.limit(1)).scalar() or []
    return [(each["sourcedb"], each["sourceid"]) for each in named]


def has_open_step(conn: Connection, job_id: int) -> bool:
    """Whether a step of a job that is not counted is still to be done."""
    items = items_table
    is_open = items.c.state.in_([sql_word(Item.PENDING), sql_word(Item.RUNNING)])
    chosen = select(items.c.id).where(items.c.job_id == job_id, items.c.documents == 0, is_open)
    return conn.execute(chosen.limit(1)).first() is not None


def cancel_job(conn: Connection, job_id: int, why: str) -> None:
    """Cancel the unfinished items of an upload and their batches."""
    items = items_table
    is_open = items.c.state.in_([sql_word(Item.PENDING), sql_word(Item.RUNNING)])
    split = select(items.c.id).where(items.c.job_id == job_id, items.c.step == Step.SPLIT, is_open)
    conn.execute(split.with_for_update()).fetchall()
    conn.execute(
        update(items)
        .where(items.c.job_id == job_id, is_open)
        .values(state=Item.CANCELLED, finished_at=db_now())
    )
    end_as_cancelled(conn, batches_table.c.parent_job_id == job_id, why)


def name_item(conn: Connection, job: Job, step: str, document: str | None) -> Job | None:
    """Give one of a job's unnamed documents its name, unless it has a row already.

    When none is left unnamed the job's total grows, for the document is there: then the job is
    returned as it is now, to be shown.  A closed job takes no more.
    """
    if job.state != "open":
        return None
    items = items_table
    known = select(items.c.id).where(items.c.job_id == job.id, items.c.step == step)
    if document is not None:
        known = known.where(items.c.document == document)
    if conn.execute(known).first() is not None:
        return None
    taken = take_unnamed(conn, job.id)
    add_items(conn, job.id, job.run_id, [NewItem(document or "", step=step)])
    return recount(conn, job.id) if taken is None else None


def take_unnamed(conn: Connection, job_id: int) -> str | None:
    """Take one of a job's unnamed documents and return its run; None when there is none left.

    Documents that reconciliation has found on disk have names now and are not counted again.
    """
    items = items_table
    left = and_(items.c.state == Item.PENDING, items.c.documents > 0)
    return conn.execute(
        update(items)
        .where(items.c.job_id == job_id, items.c.step == Step.UNNAMED, left)
        .values(documents=items.c.documents - 1)
        .returning(items.c.run_id)
    ).scalar()


_COUNT = (
    update(jobs_table)
    .where(jobs_table.c.id == bindparam("job"))
    .values(
        completed=jobs_table.c.completed + bindparam("more_completed"),
        failed=jobs_table.c.failed + bindparam("more_failed"),
        busy_seconds=jobs_table.c.busy_seconds + bindparam("more_seconds"),
        updated_at=db_now(),
    )
    .returning(jobs_table)
)


def count(
    conn: Connection,
    job_id: int,
    *also: Statement,
    completed: int = 0,
    failed: int = 0,
    seconds: float = 0.0,
) -> Job:
    """Add to a job's counters, do what goes with it, and return the job."""
    more = {"more_completed": completed, "more_failed": failed, "more_seconds": seconds}
    return job_from(together(conn, *also, (_COUNT, {"job": job_id} | more)).one())


def extend_job(conn: Connection, job_id: int, total: int, completed: int, failed: int) -> Job:
    """Add to a job's counters what was written to it in this transaction; return the job."""
    grown = (
        update(jobs_table)
        .where(jobs_table.c.id == job_id)
        .values(
            total=jobs_table.c.total + total,
            completed=jobs_table.c.completed + completed,
            failed=jobs_table.c.failed + failed,
            updated_at=db_now(),
        )
        .returning(jobs_table)
    )
    return job_from(conn.execute(grown).one())


def note_detail(conn: Connection, job_id: int, detail: Mapping[str, object]) -> None:
    """Store the details of a job, such as the OCR engine."""
    conn.execute(update(jobs_table).where(jobs_table.c.id == job_id).values(detail=dict(detail)))


CLOSE_JOB = (
    update(jobs_table)
    .where(jobs_table.c.id == bindparam("job"), jobs_table.c.state == sql_word("open"))
    .values(state="closed", closed_at=db_now(), updated_at=db_now())
)


def close_job(conn: Connection, job_id: int) -> bool:
    """Close a job and say whether this call did it."""
    return conn.execute(CLOSE_JOB, {"job": job_id}).rowcount == 1


def cancel_open_work(conn: Connection, run_id: str, why: str) -> None:
    """Close the jobs of a run that is over and cancel its unfinished items.

    Batches that hold some of them are cancelled too: by that their workers notice and stop.
    """
    items = items_table
    # Locked as a beat locks them: items before batches, each in the order of their claims.
    in_work = select(items.c.claim).where(
        items.c.run_id == run_id, items.c.state == sql_word(Item.RUNNING)
    )
    tokens = set(conn.execute(in_work.order_by(items.c.claim).with_for_update()).scalars())
    conn.execute(
        update(items_table)
        .where(items_table.c.run_id == run_id)
        .where(items_table.c.state.in_([sql_word(Item.PENDING), sql_word(Item.RUNNING)]))
        .values(state=Item.CANCELLED, finished_at=db_now())
    )
    if tokens:
        end_as_cancelled(conn, batches_table.c.claim.in_(tokens), why)
    conn.execute(
        update(jobs_table)
        .where(jobs_table.c.run_id == run_id, jobs_table.c.state == sql_word("open"))
        .values(state="closed", closed_at=db_now())
    )


def end_as_cancelled(conn: Connection, which: ColumnElement[bool], why: str) -> None:
    """Cancel some of the batches that wait or are in work.

    They are locked in the order in which a beat locks them: neither waits for the other.
    """
    batches = batches_table
    is_open = batches.c.status.in_([sql_word(Batch.PENDING), sql_word(Batch.RUNNING)])
    chosen = select(batches.c.id).where(which, is_open).order_by(batches.c.claim)
    locked = conn.execute(chosen.with_for_update()).scalars().all()
    conn.execute(
        update(batches)
        .where(among(conn, batches.c.id, locked))
        .values(
            status=Batch.CANCELLED,
            error_message=why[:ERROR_LENGTH],
            completed_at=db_now(),
            updated_at=db_now(),
            current_item=None,
        )
    )


def recount(conn: Connection, job_id: int) -> Job:
    """Set a job's counters from its items and return the job.

    The job is locked first: a settlement that counts at the same time comes wholly before the sums
    or wholly after them.
    """
    items = items_table
    conn.execute(select(jobs_table.c.id).where(jobs_table.c.id == job_id).with_for_update())
    failed = items.c.state.in_([Item.FAILED, Item.QUARANTINED])

    def documents(which: ColumnElement[bool]) -> ColumnElement[int]:
        return func.coalesce(func.sum(items.c.documents).filter(which), 0)

    sums = conn.execute(
        select(
            documents(items.c.state != Item.CANCELLED).label("total"),
            documents(items.c.state == Item.COMPLETED).label("completed"),
            documents(failed).label("failed"),
        ).where(items.c.job_id == job_id)
    ).one()
    changed = conn.execute(
        update(jobs_table)
        .where(jobs_table.c.id == job_id)
        .values(total=sums.total, completed=sums.completed, failed=sums.failed)
        .returning(jobs_table)
    ).one()
    return job_from(changed)


def reopen(conn: Connection, ids: Collection[int]) -> None:
    """Make failed documents of open jobs claimable again, with new budgets."""
    items, open_jobs = items_table, select(jobs_table.c.id).where(jobs_table.c.state == "open")
    conn.execute(
        update(items)
        .where(items.c.id.in_(list(ids)), _is_failed(), items.c.job_id.in_(open_jobs))
        .where(items.c.step == Step.DOCUMENT)
        .values(
            state=Item.PENDING,
            errors=0,
            crashes=0,
            lost=0,
            claim=None,
            error=None,
            error_kind=None,
            blamed_pages=None,
            available_at=db_now(),
            finished_at=None,
        )
    )


def leave_out(conn: Connection, ids: Collection[int], why: str) -> set[int]:
    """Take failed items out of the count and return the jobs that have to be recounted."""
    items = items_table
    changed = conn.execute(
        update(items)
        .where(items.c.id.in_(list(ids)), _is_failed())
        .values(state=Item.CANCELLED, error=why[:ERROR_LENGTH])
        .returning(items.c.job_id)
    )
    return set(changed.scalars())


def _is_failed() -> ColumnElement[bool]:
    return items_table.c.state.in_([sql_word(Item.FAILED), sql_word(Item.QUARANTINED)])


def doc_summary(doc_identifiers: Sequence[Mapping[Any, Any]], limit: int = 3) -> str:
    """Name the first documents of a batch, and say how many there are besides."""
    if not doc_identifiers:
        return "(no docs)"
    names = ", ".join(f"{d.get('sourcedb')}:{d.get('sourceid')}" for d in doc_identifiers[:limit])
    more = len(doc_identifiers) - limit
    return f"{names}... ({more} more)" if more > 0 else names
