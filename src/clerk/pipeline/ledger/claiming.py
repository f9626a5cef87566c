"""Claims: who takes which items, and what a claim holds."""

from __future__ import annotations

import uuid
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import cache, lru_cache
from typing import Any, Final

from sqlalchemy import (
    ColumnElement,
    Connection,
    Row,
    Select,
    String,
    and_,
    bindparam,
    case,
    exists,
    func,
    insert,
    literal,
    select,
    true,
    union_all,
    update,
)

from clerk.core.models import (
    batches_table,
    db_now,
    items_table,
    jobs_table,
    queues_table,
    runs_table,
)
from clerk.core.states import (
    ANNOTATIONS,
    COMPILATION,
    DEPLOY,
    EXTRACTION,
    FETCH,
    OCR,
    Batch,
    Item,
    Kind,
    Step,
)
from clerk.executors.work import Claim, ClaimItem, Limit

from .items import CLOSE_JOB, Job, job_from
from .sql import bound, sql_word, together

#: Towards the end of a job shares grow smaller, but not below this many documents.
LAST_SHARE = 4


def claim(conn: Connection, queues: Collection[str], worker_id: str, limit: Limit) -> Claim | None:
    """Take up to ``limit(queue)`` items of the job that was served longest ago, or return None.

    A document suspected of killing its worker is assigned alone.
    """
    return claim_one(conn, claimable_jobs(conn, queues), worker_id, limit)


def claimable_jobs(conn: Connection, queues: Collection[str]) -> list[Job]:
    """Return the first jobs in which a claim could succeed now; asks without taking a lock."""
    rows = conn.execute(_claimable_jobs(tuple(queues))).all()
    # Sorted here: SQLite takes twenty times as long to sort the union as to find its few rows.
    rows = sorted(rows, key=lambda row: (row.rank, row.claimed_at, row.id))
    return list({row.id: job_from(row) for row in rows}.values())[:JOBS_FOUND]


def claim_one(conn: Connection, jobs: Sequence[Job], worker_id: str, limit: Limit) -> Claim | None:
    """Take items of the first of the jobs that has any left.

    The jobs may have been looked up before this transaction: when a run ends, its items are
    cancelled with it, and what is cancelled cannot be taken.
    """
    claims = (claim_from(conn, job, worker_id, _share(job, limit(job.queue))) for job in jobs)
    return next((claimed for claimed in claims if claimed), None)


def _share(job: Job, most: int) -> int:
    """Return how many items to assign: fewer towards the end, so that all workers end together.

    What is left counts what others are running: half of it may be all that is not assigned.  A part
    of an upload is a batch of its own.
    """
    if job.kind == Kind.UPLOAD:
        return 1
    left: int = job.total - job.completed - job.failed
    return min(most, max(LAST_SHARE, left // 4))


#: How many open jobs of a queue are checked in the order they are served.  When none of them has
#: anything to claim (all of it is running, or is to be tried again later), jobs are found by the
#: items that wait: there may be thousands of such jobs before the next with work.
JOBS_LOOKED_AT = 40
ITEMS_LOOKED_AT = 4
#: How many jobs are found for one claim, all queues together.
JOBS_FOUND = 8

#: The items that are claimed from a queue; others (unnamed, carried) are never claimed.
STEPS_OF_QUEUE: Final[Mapping[str, tuple[str, ...]]] = {
    FETCH: (Step.FETCH,),
    OCR: (Step.DOCUMENT,),
    COMPILATION: (Step.COORDINATOR, Step.COMPILE),
    EXTRACTION: (Step.EXTRACT,),
    DEPLOY: (Step.DEPLOY,),
    ANNOTATIONS: (Step.SPLIT, Step.STORE),
}


@lru_cache(maxsize=64)
def _claimable_jobs(queues: tuple[str, ...]) -> Any:
    """Return the query of some jobs of each queue, unsorted; each is a walk along the index."""
    first = [each.subquery() for queue in queues or ("",) for each in _claimable_in(queue)]
    return union_all(*(select(each) for each in first))


def _claimable_in(queue: str) -> list[Select[Any]]:
    """Return queries of jobs with something to claim: the first ones, and those of items."""
    items, jobs = items_table, jobs_table
    is_open = and_(
        *(jobs.c.state == sql_word("open"), jobs.c.suspended_at.is_(None)),
        *(jobs.c.queue == queue, jobs.c.queue.not_in(_paused())),
    )
    in_order = select(jobs).where(is_open).order_by(jobs.c.rank, jobs.c.claimed_at, jobs.c.id)
    # The walk ends with the fourth: sorting what it finds would make it go on to the last.
    first = in_order.limit(JOBS_LOOKED_AT).subquery()
    found = select(first, runs_table.c.options).join_from(
        first, runs_table, runs_table.c.run_id == first.c.run_id, isouter=True
    )
    found = found.where(exists().where(items.c.job_id == first.c.id, _claimable()))
    queries = [found.limit(4)]
    for step in STEPS_OF_QUEUE.get(queue, ()):
        waiting = select(items.c.job_id).where(items.c.step == sql_word(step), _claimable())
        waiting = waiting.order_by(items.c.available_at).limit(ITEMS_LOOKED_AT)
        owners = select(waiting.subquery().c.job_id).distinct().subquery()
        by_items = select(jobs, runs_table.c.options).select_from(
            owners.join(jobs, jobs.c.id == owners.c.job_id).join(
                runs_table, runs_table.c.run_id == jobs.c.run_id, isouter=True
            )
        )
        queries.append(by_items.where(is_open).limit(ITEMS_LOOKED_AT))
    return queries


def documents_to_read(conn: Connection, limit: int) -> list[tuple[str, str]]:
    """Return site and name of some documents that are to be read, the newest first."""
    items, jobs = items_table, jobs_table
    rows = conn.execute(
        select(jobs.c.subdomain, items.c.document)
        .join(items, items.c.job_id == jobs.c.id)
        .where(jobs.c.state == sql_word("open"), items.c.step == Step.DOCUMENT)
        .where(items.c.state.in_([sql_word(Item.PENDING), sql_word(Item.RUNNING)]))
        .where(items.c.sha256.is_not(None))
        .order_by(items.c.id.desc())
        .limit(limit)
    )
    return [(row.subdomain, row.document) for row in rows]


def queues_with_work(conn: Connection, queues: Collection[str]) -> list[str]:
    """Return those of the queues in which a claim could succeed now."""
    found = set(conn.execute(_queues_with_work(tuple(queues))).scalars())
    return [name for name in queues if name in found]


@lru_cache(maxsize=64)
def _queues_with_work(queues: tuple[str, ...]) -> Any:
    first = [each.limit(1).subquery() for queue in queues or ("",) for each in _claimable_in(queue)]
    return union_all(*(select(each.c.queue) for each in first))


def _paused() -> Select[tuple[str]]:
    return select(queues_table.c.name).where(queues_table.c.paused_at.is_not(None))


def _claimable() -> ColumnElement[bool]:
    return and_(
        items_table.c.state == sql_word(Item.PENDING), items_table.c.available_at <= db_now()
    )


#: What a claim needs to know of its items.
_TAKEN = (
    items_table.c.id,
    items_table.c.job_id,
    items_table.c.step,
    items_table.c.document,
    items_table.c.attempt,
    items_table.c.bytes,
    items_table.c.sha256,
    items_table.c.error,
    items_table.c.blamed_pages,
    items_table.c.errors,
    items_table.c.crashes,
    items_table.c.lost,
    items_table.c.documents,
    items_table.c.payload,
)


_SERVED = update(jobs_table).where(jobs_table.c.id == bindparam("job")).values(claimed_at=db_now())


def claim_from(
    conn: Connection,
    job: Job,
    worker_id: str,
    limit: int,
    document: str | None = None,
) -> Claim | None:
    """Take items of one job, or this document of it; None when others were quicker."""
    token = uuid.uuid4().hex
    values = {"claim": token, "worker_id": worker_id, "job": job.id, "name": document}
    taken: tuple[ClaimItem, ...] = ()
    for alone, most in ((False, limit), (True, 1)):
        take = _taking(conn.dialect.name, alone, by_name=document is not None)
        taken = taken or _as_items(conn.execute(take, values | {"most": most}).fetchall())
    if not taken:
        return None
    claim = _as_claim(token, job, taken, worker_id)
    served = (_SERVED, {"job": job.id})
    if claim.step == Step.SPLIT:
        conn.execute(*served)
    elif claim.step == Step.STORE:
        part = {"part": claim.items[0].id, "part_worker": worker_id, "part_token": token}
        together(conn, (_START_BATCH, part), served)
    else:
        together(conn, (_OPEN_BATCH, _batch_values(claim)), served)
    return claim


@cache
def _taking(dialect: str, alone: bool, *, by_name: bool) -> Any:
    """Return the statement that takes some rows, which are chosen once and for all."""
    items = items_table
    mine = and_(items.c.job_id == bindparam("job"), items.c.alone.is_(alone))
    named = items.c.document == bindparam("name", type_=String) if by_name else true()
    chosen = (
        select(items.c.id)
        .where(_claimable(), mine, named)
        .order_by(items.c.id)
        .limit(bindparam("most"))
        .with_for_update(skip_locked=True)
        .correlate(None)
    )
    is_chosen: ColumnElement[bool]
    if dialect == "sqlite":
        is_chosen = items.c.id.in_(chosen)
    else:
        # PostgreSQL keeps its plan while the table grows.  Given a list, it joins the two by a hash
        # or by the primary key.  Given the query, it expects one row and scans the table for each;
        # with a second condition on the state, it scans all pending items if they were few when
        # the table was last analyzed.
        listed = func.unnest(func.array(chosen.scalar_subquery())).table_valued("id", name="chosen")
        is_chosen = items.c.id == listed.render_derived().c.id
    return (
        update(items)
        .where(is_chosen)
        .values(state=Item.RUNNING, attempt=items.c.attempt + 1)
        .returning(*_TAKEN)
    )


def _as_claim(token: str, job: Job, items: tuple[ClaimItem, ...], worker_id: str = "") -> Claim:
    return Claim(
        token=token,
        job_id=job.id,
        run_id=job.run_id,
        kind=job.kind,
        stage=job.stage,
        queue=job.queue,
        subdomain=job.subdomain,
        items=items,
        worker_id=worker_id,
        options=job.options,
        reader=job.reader,
    )


def _as_items(taken: Sequence[Row[Any]]) -> tuple[ClaimItem, ...]:
    items = [
        ClaimItem(
            id=row.id,
            step=row.step,
            document=row.document or (row.payload or {}).get("name", ""),
            attempt=row.attempt,
            bytes=row.bytes or 0,
            sha256=row.sha256 or "",
            error=row.error or "",
            blamed_pages={int(page): how for page, how in (row.blamed_pages or {}).items()},
            errors=row.errors,
            crashes=row.crashes,
            lost=row.lost,
            documents=row.documents,
            payload=row.payload or {},
        )
        for row in taken
    ]
    return tuple(sorted(items, key=lambda item: item.id))


def _batch_values(claim: Claim) -> dict[str, object]:
    names = [item.document or item.step for item in claim.items]
    return {
        "batch_parent_job_id": claim.job_id,
        "batch_child_job_id": claim.token,
        "batch_doc_identifiers": [
            {"sourcedb": claim.subdomain, "sourceid": name} for name in names
        ],
        "batch_item_count": len(claim.items),
        "batch_claim": claim.token,
        "batch_worker_id": claim.worker_id,
        "batch_current_item": names[0],
    }


_BATCH_COLUMNS = ("child_job_id", "doc_identifiers", "item_count", "claim", "worker_id")


_BATCH = bound(batches_table, "batch", *_BATCH_COLUMNS, "current_item") | {
    "status": literal(Batch.RUNNING),
    "attempt": literal(1),
    "started_at": db_now(),
}


_OPEN_BATCH = insert(batches_table).values(bound(batches_table, "batch", "parent_job_id") | _BATCH)


_START_BATCH = (
    update(batches_table)
    .where(batches_table.c.item_id == bindparam("part"))
    .where(batches_table.c.status == sql_word(Batch.PENDING))
    .values(
        status=literal(Batch.RUNNING),
        claim=bindparam("part_token", type_=String),
        child_job_id=bindparam("part_token", type_=String),
        worker_id=bindparam("part_worker", type_=String),
        attempt=batches_table.c.attempt + 1,
        started_at=db_now(),
        updated_at=db_now(),
        current_item=literal(""),
    )
)


def open_coordinator_for(conn: Connection, job: Job, taker: Claim) -> Claim | None:
    """Close a reading and open its coordinator, claimed by the worker that ended it.

    In the transaction that opens it nobody else can see it, so there is nobody to wait for.  While
    its queue is paused it is left for a later claim, and None is returned.
    """
    coordinator = replace(
        taker,
        token=uuid.uuid4().hex,
        kind=Kind.COORDINATOR,
        queue=COMPILATION,
        items=(ClaimItem(0, Step.COORDINATOR, "", attempt=1),),
        reader="",
    )
    values = {"job": job.id, "run": job.run_id, "site": job.subdomain, "of_stage": job.stage}
    values |= _batch_values(coordinator)
    statements = _opening_coordinator(conn.dialect.name)
    row = together(conn, *((statement, values) for statement in statements)).one()
    if row.state != Item.RUNNING:
        return None
    return replace(coordinator, job_id=row.job_id, items=_as_items([row]))


@cache
def _opening_coordinator(dialect: str) -> tuple[Any, ...]:
    """Return the statements that write a coordinator's rows, the last telling of its item."""
    jobs, items, batches = jobs_table, items_table, batches_table
    job = insert(jobs).values(
        kind=literal(Kind.COORDINATOR),
        queue=literal(COMPILATION),
        rank=literal(-1),
        run_id=bindparam("run", type_=String),
        subdomain=bindparam("site", type_=String),
        stage=bindparam("of_stage", type_=String),
    )
    if dialect == "postgresql":
        opened: Any = job.returning(jobs.c.id).cte("opened")
    else:
        mine = and_(jobs.c.run_id == bindparam("run"), jobs.c.kind == Kind.COORDINATOR)
        opened = select(jobs.c.id).where(mine).subquery()
    free = literal(COMPILATION).not_in(_paused())
    item = {
        "job_id": opened.c.id,
        "run_id": bindparam("run", type_=String),
        "step": literal(Step.COORDINATOR),
        "documents": literal(0),
        "state": case((free, Item.RUNNING), else_=Item.PENDING),
        "attempt": case((free, 1), else_=0),
        "claim": case((free, bindparam("batch_claim", type_=String)), else_=None),
        "worker_id": case((free, bindparam("batch_worker_id", type_=String)), else_=None),
        "available_at": db_now(),
    }
    batch = {"parent_job_id": opened.c.id} | _BATCH
    written = [
        CLOSE_JOB,
        insert(batches).from_select(list(batch), select(*batch.values()).where(free)),
        insert(items).from_select(list(item), select(*item.values())).returning(items),
    ]
    return tuple(written if dialect == "postgresql" else [job, *written])


def load_claim(conn: Connection, token: str) -> Claim | None:
    """Return a claim as it is in the ledger: its items are the ones still running."""
    items = items_table
    held = conn.execute(
        select(items)
        .where(items.c.claim == token, items.c.state == sql_word(Item.RUNNING))
        .order_by(items.c.id)
    ).fetchall()
    of_batch = select(batches_table.c.parent_job_id).where(batches_table.c.claim == token)
    job_id = held[0].job_id if held else conn.execute(of_batch).scalar()
    job = conn.execute(
        select(jobs_table, runs_table.c.options)
        .join(runs_table, runs_table.c.run_id == jobs_table.c.run_id, isouter=True)
        .where(jobs_table.c.id == job_id)
    ).first()
    return None if job is None else _as_claim(token, job_from(job), _as_items(held))


def running_item(conn: Connection, claim: Claim) -> ClaimItem | None:
    """Return the item a worker last reported to be working on, if it is still running."""
    if claim.kind == Kind.UPLOAD:
        return claim.items[0] if claim.items else None
    name = conn.execute(
        select(batches_table.c.current_item).where(batches_table.c.claim == claim.token)
    ).scalar()
    return next((item for item in claim.items if (item.document or item.step) == name), None)
