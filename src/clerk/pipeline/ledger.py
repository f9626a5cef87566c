"""The ledger: the only module that opens, claims, settles and releases pieces of work.

A row of ``items`` moves by guarded statements::

    pending --claim--> running --settle--> completed | failed
       ^                  |  \\--crash----> quarantined    (too often in hand when a worker died)
       \\---- give back ---/                                any --cancel--> cancelled

Every claim makes a new fencing token (``claim``), and everything that follows names it in its
WHERE: a worker that was given up for dead changes nothing any more.  Nothing here touches
``sites``; see :mod:`clerk.pipeline.pipeline_state` and :mod:`clerk.pipeline.transitions`.

Locks are taken in the order runs, items, jobs, sites.

Statements of the daily work are made once, as constants or by a cached function: building one takes
SQLAlchemy several times as long as the database takes to do it.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from typing import Any

from sqlalchemy import (
    ARRAY,
    BigInteger,
    BindParameter,
    ColumnElement,
    Connection,
    CursorResult,
    Row,
    Select,
    String,
    Table,
    and_,
    any_,
    bindparam,
    case,
    exists,
    false,
    func,
    insert,
    literal,
    literal_column,
    or_,
    select,
    true,
    type_coerce,
    union,
    update,
)

from clerk.core import config
from clerk.core.models import (
    annotation_uploads_table,
    audit_table,
    batches_table,
    db_now,
    items_table,
    jobs_table,
    queues_table,
    runs_table,
    stage_events_table,
    workers_table,
)
from clerk.core.states import COMPILATION, Batch, Item, Kind, Run, Step, Upload

from .batch_tracking import BatchJobTracking as BatchJobTracking
from .blame import both_causes, tells_another_page

#: How often a document may raise, be in hand when its process dies, or lose its worker.
ERROR_BUDGET = 3
CRASH_BUDGET = 2
LOST_BUDGET = 5

#: Seconds to wait before a document that raised is tried again, by how often it has raised.
RETRY_DELAYS = (5.0, 30.0, 120.0)

#: How much of an error is kept.
ERROR_LENGTH = 500

#: Towards the end of a job shares grow smaller, but not below so many documents.
LAST_SHARE = 4

#: How many items of a queue to claim at once.
Limit = Callable[[str], int]


@dataclass(frozen=True)
class ClaimedItem:
    """One piece of work that this claim holds."""

    id: int
    step: str
    document: str
    attempt: int
    bytes: int = 0
    sha256: str = ""
    #: Why the attempt before ended, if there was one.
    error: str = ""


@dataclass(frozen=True)
class Claimed:
    """What a worker was given: some items of one job, held by a token."""

    claim: str
    job_id: int
    run_id: str
    kind: str
    stage: str
    queue: str
    subdomain: str
    items: tuple[ClaimedItem, ...]
    worker_id: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)
    detail: Mapping[str, Any] = field(default_factory=dict)

    @property
    def step(self) -> str:
        """The kind of work; all items of a claim are of one kind."""
        return self.items[0].step


@dataclass(frozen=True)
class Outcome:
    """How one item of a claim ended.

    ``state`` is completed or failed, or pending: to be tried again (``charged``) or given back.
    """

    item: ClaimedItem
    state: str
    error: str = ""
    charged: bool = False
    #: Seconds to wait before it may be claimed again; None: by how often it was tried.
    delay: float | None = None
    #: The same bytes would fail again with the same reader.
    lasting: bool = False
    pages: int | None = None
    seconds: float = 0.0
    result: Any = None


@dataclass
class Settled:
    """What a settlement changed: documents to count, and the rows that ended badly.

    A step that is not counted shows in ``results`` alone, as None when it failed.
    """

    completed: int = 0
    failed: int = 0
    seconds: float = 0.0
    error: str = ""
    failures: list[tuple[ClaimedItem, str, str]] = field(default_factory=list)
    results: list[Any] = field(default_factory=list)
    #: Whether a stage ended with it, so that others may have work now.
    closed: bool = False
    #: What the worker that settled was given to go on with.
    following: Claimed | None = None


def sql_word(word: str) -> ColumnElement[str]:
    """Return a constant that PostgreSQL can match with a partial index, as a bound one cannot."""
    return literal_column(f"'{word}'")


def among(conn: Connection, column: ColumnElement[int], ids: Sequence[int]) -> ColumnElement[bool]:
    """Return the condition that a column is one of many ids, sent as one value however many."""
    dialect = conn.dialect.name
    return _is_among(dialect, column, bindparam(None, _listed(dialect, ids)))


def _is_among(
    dialect: str, column: ColumnElement[int], ids: BindParameter[Any]
) -> ColumnElement[bool]:
    if dialect == "postgresql":
        return column == any_(type_coerce(ids, ARRAY(BigInteger)))
    return column.in_(select(func.json_each(ids).table_valued("value").c.value))


def _listed(dialect: str, ids: Sequence[int]) -> list[int] | str:
    """Return ids as the one value that the database takes for many."""
    return list(ids) if dialect == "postgresql" else json.dumps(list(ids))


#: A statement that was made once, and its values.
Statement = tuple[Any, Mapping[str, Any]]


def together(conn: Connection, *statements: Statement) -> CursorResult[Any]:
    """Do several things of which none needs to know what came of another; return the last's result.

    PostgreSQL is sent them as one: the way there and back takes longer than to do them.
    """
    if conn.dialect.name == "postgresql":
        values = {name: value for _, each in statements for name, value in each.items()}
        return conn.execute(_as_one(tuple(statement for statement, _ in statements)), values)
    *before, last = statements
    for each in before:
        conn.execute(*each)
    return conn.execute(*last)


@lru_cache(maxsize=64)
def _as_one(statements: tuple[Any, ...]) -> Any:
    *before, last = statements
    return last.add_cte(*(each.cte(f"step_{number}") for number, each in enumerate(before)))


def _bound(table: Table, prefix: str, *names: str) -> dict[str, ColumnElement[Any]]:
    """Return values for columns, to be given by names that no other statement uses."""
    return {name: bindparam(f"{prefix}_{name}", type_=table.c[name].type) for name in names}


# ------------------------------------------------------------------------------- opening


_OPEN_JOB = insert(jobs_table).returning(jobs_table.c.id)


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
    detail: Mapping[str, Any] | None = None,
) -> int:
    """Write a parent and return its id."""
    values = {
        "run_id": run_id,
        "subdomain": subdomain,
        "stage": stage,
        "queue": queue,
        "kind": kind,
        "total": total,
        "completed": completed,
        "failed": failed,
        "rank": rank,
        "detail": dict(detail or {}),
    }
    job_id: int = conn.execute(_OPEN_JOB, values).scalar_one()
    return job_id


_ADD_AT_ONCE = insert(items_table).values(available_at=db_now())
_ADD = insert(items_table)


def add_items(
    conn: Connection, job_id: int, run_id: str, rows: Iterable[Mapping[str, Any]]
) -> None:
    """Write items of a job, claimable at once unless a row says otherwise."""
    blank: dict[str, Any] = dict.fromkeys(("document", "bytes", "sha256", "error", "finished_at"))
    blank |= {"step": Step.DOCUMENT, "documents": 1, "state": Item.PENDING, "alone": False}
    blank |= {"job_id": job_id, "run_id": run_id}
    filled = [blank | dict(row) for row in rows]
    at_once = [row for row in filled if "available_at" not in row]
    if at_once:
        conn.execute(_ADD_AT_ONCE, at_once)
    if len(at_once) < len(filled):
        conn.execute(_ADD, [row for row in filled if "available_at" in row])


# ------------------------------------------------------------------------------ claiming


def claim(
    conn: Connection, queues: Collection[str], worker_id: str, limit: Limit
) -> Claimed | None:
    """Take up to ``limit(queue)`` items of the job that was served longest ago, or return None.

    A document suspected of killing its worker is given out alone.
    """
    return claim_one(conn, claimable_jobs(conn, queues), worker_id, limit)


def claimable_jobs(conn: Connection, queues: Collection[str]) -> Sequence[Row[Any]]:
    """Return the first jobs in which a claim could succeed now; asks without taking a lock."""
    return conn.execute(_claimable_jobs(tuple(queues))).fetchall()


def claim_one(
    conn: Connection, jobs: Sequence[Row[Any]], worker_id: str, limit: Limit
) -> Claimed | None:
    """Take items of the first of the jobs that has any left.

    The jobs may have been looked up before this transaction: when a run ends, its items are
    cancelled with it, and what is cancelled cannot be taken.
    """
    claims = (claim_from(conn, job, worker_id, _share(job, limit(job.queue))) for job in jobs)
    return next((claimed for claimed in claims if claimed), None)


def _share(job: Row[Any], most: int) -> int:
    """Return how many items to give out: fewer towards the end, so that all end together.

    What is left counts what others have in hand: half of it may be all that is not given out.
    """
    left: int = job.total - job.completed - job.failed
    return min(most, max(LAST_SHARE, left // 4))


@lru_cache(maxsize=64)
def _claimable_jobs(queues: tuple[str, ...]) -> Any:
    jobs, items = jobs_table, items_table
    return (
        select(jobs, runs_table.c.options)
        .join(runs_table, runs_table.c.run_id == jobs.c.run_id)
        .where(jobs.c.state == sql_word("open"), runs_table.c.state == sql_word(Run.ACTIVE))
        .where(jobs.c.queue.in_(queues), jobs.c.queue.not_in(_paused()))
        .where(exists().where(items.c.job_id == jobs.c.id, _claimable()))
        .order_by(jobs.c.rank, jobs.c.claimed_at, jobs.c.id)
        .limit(4)
    )


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
    jobs, uploads = jobs_table, annotation_uploads_table
    claimable = _claimable_jobs(queues).with_only_columns(jobs.c.queue).order_by(None).limit(None)
    waiting = (
        select(jobs.c.queue)
        .join(uploads, uploads.c.job_id == jobs.c.id)
        .where(jobs.c.queue.in_(queues), jobs.c.state == sql_word("open"))
        .where(uploads.c.state == Upload.OPEN)
    )
    return union(claimable, waiting)


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
)
_SERVED = update(jobs_table).where(jobs_table.c.id == bindparam("job")).values(claimed_at=db_now())


def claim_from(
    conn: Connection,
    job: Row[Any],
    worker_id: str,
    limit: int,
    document: str | None = None,
) -> Claimed | None:
    """Take items of one job, or this document of it; None when others were quicker."""
    token = uuid.uuid4().hex
    values = {"claim": token, "job": job.id, "name": document}
    taken: Sequence[Row[Any]] = ()
    for alone, most in ((False, limit), (True, 1)):
        take = _taking(conn.dialect.name, alone, by_name=document is not None)
        taken = taken or conn.execute(take, values | {"most": most}).fetchall()
    if not taken:
        return None
    claimed = _as_claimed(token, job, taken, worker_id)
    together(conn, (_OPEN_BATCH, _batch_values(claimed)), (_SERVED, {"job": job.id}))
    return claimed


@cache
def _taking(dialect: str, alone: bool, *, by_name: bool) -> Any:
    """Return the statement that takes up to so many rows, which are chosen once and for all."""
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
    return (
        update(items)
        .where(_is_chosen(dialect, chosen), _claimable())
        .values(state=Item.RUNNING, attempt=items.c.attempt + 1)
        .returning(*_TAKEN)
    )


def _is_chosen(dialect: str, chosen: Select[tuple[int]]) -> ColumnElement[bool]:
    """Return the condition that an item is one of those chosen.

    PostgreSQL keeps its plan while the table grows.  Told of a list it joins the two by a hash, or
    by the index; told of the query it expects one row, and goes through the table for each.
    """
    if dialect == "sqlite":
        return items_table.c.id.in_(chosen)
    listed = func.unnest(func.array(chosen.scalar_subquery())).table_valued("id", name="chosen")
    return items_table.c.id == listed.render_derived().c.id


def _as_claimed(
    token: str, job: Row[Any], taken: Sequence[Row[Any]], worker_id: str = ""
) -> Claimed:
    return Claimed(
        claim=token,
        job_id=job.id,
        run_id=job.run_id,
        kind=job.kind,
        stage=job.stage,
        queue=job.queue,
        subdomain=job.subdomain,
        items=_as_items(taken),
        worker_id=worker_id,
        options=job.options or {},
        detail=job.detail or {},
    )


def _as_items(taken: Sequence[Row[Any]]) -> tuple[ClaimedItem, ...]:
    items = [
        ClaimedItem(
            id=row.id,
            step=row.step,
            document=row.document or "",
            attempt=row.attempt,
            bytes=row.bytes or 0,
            sha256=row.sha256 or "",
            error=row.error or "",
        )
        for row in taken
    ]
    return tuple(sorted(items, key=lambda item: item.id))


def _batch_values(claimed: Claimed) -> dict[str, Any]:
    names = [item.document or item.step for item in claimed.items]
    return {
        "batch_parent_job_id": claimed.job_id,
        "batch_child_job_id": claimed.claim,
        "batch_doc_identifiers": [
            {"sourcedb": claimed.subdomain, "sourceid": name} for name in names
        ],
        "batch_item_count": len(claimed.items),
        "batch_claim": claimed.claim,
        "batch_worker_id": claimed.worker_id,
        "batch_current_item": names[0],
    }


_BATCH_COLUMNS = ("child_job_id", "doc_identifiers", "item_count", "claim", "worker_id")
_BATCH = _bound(batches_table, "batch", *_BATCH_COLUMNS, "current_item") | {
    "status": literal(Batch.RUNNING),
    "attempt": literal(1),
    "started_at": db_now(),
}
_OPEN_BATCH = insert(batches_table).values(_bound(batches_table, "batch", "parent_job_id") | _BATCH)


# ------------------------------------------------------------------------------ settling


def hold_run(conn: Connection, run_id: str, *, exclusive: bool) -> bool:
    """Lock the run against being ended, and say whether it is active.

    A transaction that may end the run or join two stages takes it exclusively.
    """
    return conn.execute(_holding(exclusive), {"run": run_id}).first() is not None


@cache
def _holding(exclusive: bool) -> Any:
    runs = runs_table
    held = select(runs.c.run_id).where(
        runs.c.run_id == bindparam("run"), runs.c.state == sql_word(Run.ACTIVE)
    )
    return held.with_for_update(read=not exclusive)


def settle(conn: Connection, claimed: Claimed, outcomes: Sequence[Outcome]) -> Settled | None:
    """Write how items ended, as far as this claim still holds them, and return what to count.

    Their run is locked against being ended meanwhile; None when it is over.  The work of a stage
    that is a single step locks it exclusively: it may end the run, or be one of two that meet.
    """
    exclusive = claimed.step != Step.DOCUMENT
    settled = Settled()
    done = [outcome for outcome in outcomes if outcome.state == Item.COMPLETED]
    _settle_completed(conn, claimed, done, settled, exclusive)
    if settled.results and len(done) == len(outcomes):
        return settled
    if not hold_run(conn, claimed.run_id, exclusive=exclusive):
        return None
    for outcome in outcomes:
        if outcome.state == Item.FAILED:
            _settle_failure(conn, claimed, outcome, settled)
        elif outcome.state == Item.PENDING:
            _settle_retry(conn, claimed, outcome, settled)
    return settled


#: The guard of every settlement: this claim, and still running.
_HELD = and_(
    items_table.c.claim == bindparam("token"), items_table.c.state == sql_word(Item.RUNNING)
)
_HELD_ITEM = and_(items_table.c.id == bindparam("item"), _HELD)


@cache
def _completing(dialect: str, exclusive: bool) -> Any:
    held = _holding(exclusive).cte("held").prefix_with("MATERIALIZED", dialect="postgresql")
    return (
        update(items_table)
        .where(_is_among(dialect, items_table.c.id, bindparam("ids")), _HELD)
        .where(items_table.c.run_id.in_(select(held.c.run_id)))
        .values(state=Item.COMPLETED, error=None, finished_at=db_now())
        .returning(items_table.c.id, items_table.c.documents)
    )


def _settle_completed(
    conn: Connection,
    claimed: Claimed,
    done: Sequence[Outcome],
    settled: Settled,
    exclusive: bool,
) -> None:
    """Complete items of a run that is active, which is locked with them."""
    if not done:
        return
    by_id = {outcome.item.id: outcome for outcome in done}
    dialect = conn.dialect.name
    values = {"token": claimed.claim, "run": claimed.run_id, "ids": _listed(dialect, list(by_id))}
    changed = conn.execute(_completing(dialect, exclusive), values)
    for row in changed:
        settled.completed += row.documents
        settled.seconds += by_id[row.id].seconds
        settled.results.append(by_id[row.id].result)
    paged = [
        {"item": each.item.id, "token": claimed.claim, "pages": each.pages}
        for each in done
        if each.pages is not None
    ]
    if paged:
        conn.execute(_WRITE_PAGES, paged)


#: Written after the state, so the claim alone is the guard.
_WRITE_PAGES = update(items_table).where(
    items_table.c.id == bindparam("item"), items_table.c.claim == bindparam("token")
)


_FAIL = (
    update(items_table)
    .where(_HELD_ITEM)
    .values(state=Item.FAILED, finished_at=db_now())
    .returning(items_table.c.state, items_table.c.documents)
)


def _settle_failure(conn: Connection, claimed: Claimed, outcome: Outcome, settled: Settled) -> None:
    values = {"item": outcome.item.id, "token": claimed.claim}
    row = conn.execute(_FAIL, values | {"error": outcome.error[:ERROR_LENGTH]}).first()
    _add_failure(settled, outcome.item, row, outcome.error, lasting=outcome.lasting)
    settled.seconds += outcome.seconds


def _settle_retry(conn: Connection, claimed: Claimed, outcome: Outcome, settled: Settled) -> None:
    """Give an item back: charged with an error it waits, and fails when it has had enough."""
    items = items_table
    errors = items.c.errors + (1 if outcome.charged else 0)
    spent = errors >= ERROR_BUDGET if outcome.charged else false()
    delay = outcome.delay
    if delay is None:
        delay = RETRY_DELAYS[min(outcome.item.attempt, len(RETRY_DELAYS)) - 1]
    row = conn.execute(
        update(items)
        .where(_HELD_ITEM)
        .values(
            state=case((spent, Item.FAILED), else_=Item.PENDING),
            errors=errors,
            error=outcome.error[:ERROR_LENGTH] or None,
            available_at=db_now(delay),
            finished_at=case((spent, db_now()), else_=None),
        )
        .returning(items.c.state, items.c.documents),
        {"item": outcome.item.id, "token": claimed.claim},
    ).first()
    _add_failure(settled, outcome.item, row, outcome.error, lasting=False)


def _add_failure(
    settled: Settled, item: ClaimedItem, row: Row[Any] | None, error: str, *, lasting: bool
) -> None:
    if row is None or row.state == Item.PENDING:
        return
    settled.failed += row.documents
    settled.error = error
    if not row.documents:
        settled.results.append(None)
    if lasting or row.state == Item.QUARANTINED:
        settled.failures.append((item, row.state, error))


def crash(
    conn: Connection,
    claimed: Claimed,
    blamed: ClaimedItem | None,
    cause: str,
    *,
    worker_lost: bool = False,
) -> Settled:
    """Charge the item that was in hand when its process died and give the others back unharmed.

    ``worker_lost``: the whole worker went, so that the item is only one of the suspects.  A page
    that was not blamed before is forgiven: the next attempt leaves it alone and reads the others.
    """
    settled = Settled()
    if not end_batch(conn, claimed, Batch.CRASHED, cause):
        return settled
    if blamed is not None:
        held = {"item": blamed.id, "token": claimed.claim}
        told = both_causes(blamed.error, cause)[:ERROR_LENGTH]
        forgiven = not worker_lost and tells_another_page(told, blamed.error)
        row = conn.execute(_blame(told, worker_lost, forgiven), held).first()
        _add_failure(settled, blamed, row, told, lasting=True)
    give_back(conn, claimed)
    _record_crash(conn, claimed, blamed, cause)
    return settled


def _record_crash(
    conn: Connection, claimed: Claimed, blamed: ClaimedItem | None, cause: str
) -> None:
    work = (blamed.document or blamed.step) if blamed else claimed.stage
    record(
        conn,
        "crashed",
        subdomain=claimed.subdomain,
        run_id=claimed.run_id,
        stage=claimed.stage,
        detail=f"{work}: {cause}",
    )


def _blame(cause: str, worker_lost: bool, forgiven: bool) -> Any:
    items = items_table
    crashes = items.c.crashes + (0 if worker_lost or forgiven else 1)
    lost = items.c.lost + (1 if worker_lost else 0)
    spent = or_(crashes >= CRASH_BUDGET, lost >= LOST_BUDGET)
    return (
        update(items)
        .where(_HELD_ITEM)
        .values(
            crashes=crashes,
            lost=lost,
            alone=True,
            state=case((spent, Item.QUARANTINED), else_=Item.PENDING),
            error=cause[:ERROR_LENGTH],
            available_at=db_now(),
            finished_at=case((spent, db_now()), else_=None),
        )
        .returning(items.c.state, items.c.documents)
    )


def name_item(conn: Connection, job: Row[Any], step: str, document: str | None) -> Row[Any] | None:
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
    add_items(conn, job.id, job.run_id, [{"step": step, "document": document}])
    return recount(conn, job.id) if taken is None else None


def take_unnamed(conn: Connection, job_id: int) -> str | None:
    """Take one of a job's unnamed documents and return its run; None when there is none left.

    Those that reconciliation has found on disk have names now: nobody may count them without.
    """
    items = items_table
    left = and_(items.c.state == Item.PENDING, items.c.documents > 0)
    return conn.execute(
        update(items)
        .where(items.c.job_id == job_id, items.c.step == Step.UNNAMED, left)
        .values(documents=items.c.documents - 1)
        .returning(items.c.run_id)
    ).scalar()


_GIVE_BACK = (
    update(items_table).where(_HELD).values(state=Item.PENDING, claim=None, available_at=db_now())
)


def give_back(conn: Connection, claimed: Claimed) -> int:
    """Make everything this claim still holds claimable again, without a charge."""
    return conn.execute(_GIVE_BACK, {"token": claimed.claim}).rowcount


_END_BATCH = (
    update(batches_table)
    .where(
        batches_table.c.claim == bindparam("batch_token"),
        batches_table.c.status == sql_word(Batch.RUNNING),
    )
    .values(_bound(batches_table, "end", "status", "error_message"))
    .values(completed_at=db_now(), updated_at=db_now(), current_item=None)
)


def ending_batch(claimed: Claimed, status: str, error: str | None = None) -> Statement:
    """Return how to end what the worker was given, once."""
    values = {"batch_token": claimed.claim, "end_status": status, "end_error_message": error}
    return _END_BATCH, values


def end_batch(conn: Connection, claimed: Claimed, status: str, error: str | None = None) -> bool:
    """End what the worker was given, and say whether this call did it."""
    return conn.execute(*ending_batch(claimed, status, error)).rowcount == 1


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
) -> Row[Any]:
    """Add to a job's counters, do what goes with it, and return the job as it stands now."""
    more = {"more_completed": completed, "more_failed": failed, "more_seconds": seconds}
    return together(conn, *also, (_COUNT, {"job": job_id} | more)).one()


def note_detail(conn: Connection, job_id: int, detail: Mapping[str, Any]) -> None:
    """Keep what a job has to say about itself."""
    conn.execute(update(jobs_table).where(jobs_table.c.id == job_id).values(detail=dict(detail)))


_CLOSE_JOB = (
    update(jobs_table)
    .where(jobs_table.c.id == bindparam("job"), jobs_table.c.state == sql_word("open"))
    .values(state="closed", closed_at=db_now(), updated_at=db_now())
)


def close_job(conn: Connection, job_id: int) -> bool:
    """Close a job and say whether this call did it."""
    return conn.execute(_CLOSE_JOB, {"job": job_id}).rowcount == 1


def open_coordinator_for(conn: Connection, job: Row[Any], taker: Claimed) -> Claimed | None:
    """Close a reading and open its coordinator in the hands of the worker that ended it.

    In the transaction that opens it nobody else can see it, so there is nobody to wait for.  While
    its queue is paused it is left to whoever is given it later, and None is returned.
    """
    coordinator = replace(
        taker,
        claim=uuid.uuid4().hex,
        kind=Kind.COORDINATOR,
        queue=COMPILATION,
        items=(ClaimedItem(0, Step.COORDINATOR, "", attempt=1),),
        detail={},
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
        "available_at": db_now(),
    }
    batch = {"parent_job_id": opened.c.id} | _BATCH
    written = [
        _CLOSE_JOB,
        insert(batches).from_select(list(batch), select(*batch.values()).where(free)),
        insert(items).from_select(list(item), select(*item.values())).returning(items),
    ]
    return tuple(written if dialect == "postgresql" else [job, *written])


def cancel_open_work(conn: Connection, run_id: str, why: str) -> None:
    """Close the jobs of a run that is over and cancel its unfinished items.

    Batches that hold some of them are cancelled too: by that their workers notice and stop.
    """
    items = items_table
    in_work = select(items.c.claim).where(
        items.c.run_id == run_id, items.c.state == sql_word(Item.RUNNING)
    )
    if tokens := conn.execute(in_work.distinct()).scalars().all():
        end_as_cancelled(conn, batches_table.c.claim.in_(tokens), why)
    conn.execute(
        update(items_table)
        .where(items_table.c.run_id == run_id)
        .where(items_table.c.state.in_([sql_word(Item.PENDING), sql_word(Item.RUNNING)]))
        .values(state=Item.CANCELLED, finished_at=db_now())
    )
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


def recount(conn: Connection, job_id: int) -> Row[Any]:
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
    return conn.execute(
        update(jobs_table)
        .where(jobs_table.c.id == job_id)
        .values(total=sums.total, completed=sums.completed, failed=sums.failed)
        .returning(jobs_table)
    ).one()


# ------------------------------------------------------------------- what people decide


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


# ------------------------------------------------------------------------------ liveness


def register_worker(
    conn: Connection, worker_id: str, *, lease_seconds: float, **facts: Any
) -> None:
    """Make a worker known before it claims anything: an unknown owner is a dead owner."""
    conn.execute(
        insert(workers_table).values(id=worker_id, lease_until=db_now(lease_seconds), **facts)
    )


def forget_worker(conn: Connection, worker_id: str) -> None:
    """Strike a worker that ended in order."""
    conn.execute(workers_table.delete().where(workers_table.c.id == worker_id))


def forget_dead_workers(conn: Connection) -> list[tuple[str, str | None]]:
    """Strike workers silent for a day that hold nothing; return host and lock of each."""
    holds = exists().where(
        batches_table.c.worker_id == workers_table.c.id,
        batches_table.c.status == sql_word(Batch.RUNNING),
    )
    struck = conn.execute(
        workers_table.delete()
        .where(workers_table.c.lease_until < db_now(-86_400.0), ~holds)
        .returning(workers_table.c.host, workers_table.c.lock_path)
    )
    return [(row.host, row.lock_path) for row in struck]


def beat(
    conn: Connection, worker_id: str, lease_seconds: float, in_hand: Mapping[str, str]
) -> bool:
    """Renew a worker's lease and note the document in hand per claim; False: it was given up."""
    for token, document in sorted(in_hand.items()):
        conn.execute(
            update(batches_table)
            .where(
                batches_table.c.claim == token,
                batches_table.c.status == sql_word(Batch.RUNNING),
                batches_table.c.current_item != document,
            )
            .values(current_item=document, updated_at=db_now())
        )
    changed = conn.execute(
        update(workers_table)
        .where(workers_table.c.id == worker_id)
        .values(beat_at=db_now(), lease_until=db_now(lease_seconds))
    )
    return changed.rowcount == 1


def still_held(conn: Connection, tokens: Collection[str]) -> set[str]:
    """Return which of the claims still hold something: a batch, an item, or a file to cut.

    The others were cancelled, or given to somebody else: their work is in vain.
    """
    batches, items, uploads = batches_table, items_table, annotation_uploads_table
    named = list(tokens)
    found = conn.execute(
        union(
            select(batches.c.claim).where(
                batches.c.claim.in_(named), batches.c.status == sql_word(Batch.RUNNING)
            ),
            select(items.c.claim).where(
                items.c.claim.in_(named), items.c.state == sql_word(Item.RUNNING)
            ),
            select(uploads.c.split_claim).where(uploads.c.split_claim.in_(named)),
        )
    )
    return set(found.scalars())


def batches_of_the_dead(
    conn: Connection, known_dead: Collection[str] = (), most: int | None = None
) -> list[Claimed]:
    """Return what workers hold whose lease has ended, who are unknown, or who are known dead."""
    tokens = _tokens_of_the_dead(conn, known_dead)[:most]
    claims = (load_claim(conn, token) for token in tokens)
    return [claimed for claimed in claims if claimed]


def claims_of(conn: Connection, worker_id: str) -> list[Claimed]:
    """Return what a worker holds."""
    batches = batches_table
    tokens = conn.execute(
        select(batches.c.claim)
        .join(jobs_table, jobs_table.c.id == batches.c.parent_job_id)
        .where(batches.c.worker_id == worker_id, batches.c.status == sql_word(Batch.RUNNING))
        .where(jobs_table.c.kind != Kind.UPLOAD)
    ).scalars()
    claims = [load_claim(conn, token) for token in tokens.all()]
    return [claimed for claimed in claims if claimed]


def is_of_the_dead(conn: Connection, claimed: Claimed, known_dead: Collection[str] = ()) -> bool:
    """Whether a claim is still held by a worker that is dead."""
    this = batches_table.c.claim == claimed.claim
    return bool(_tokens_of_the_dead(conn, known_dead, this))


def _tokens_of_the_dead(
    conn: Connection, known_dead: Collection[str], *only: ColumnElement[bool]
) -> list[str]:
    batches, workers = batches_table, workers_table
    dead = or_(
        workers.c.id.is_(None),
        workers.c.lease_until < db_now(),
        workers.c.beat_at < db_now(-config.load().crash_detection_timeout),
        batches.c.worker_id.in_(list(known_dead)),
    )
    # Sorted here: asked for an order, SQLite walks all batches there ever were.
    found = conn.execute(
        select(batches.c.id, batches.c.claim)
        .join(jobs_table, jobs_table.c.id == batches.c.parent_job_id)
        .join(workers, workers.c.id == batches.c.worker_id, isouter=True)
        .where(batches.c.status == sql_word(Batch.RUNNING), batches.c.claim.is_not(None), dead)
        .where(jobs_table.c.kind != Kind.UPLOAD, *only)
    )
    return [row.claim for row in sorted(found)]


def load_claim(conn: Connection, token: str) -> Claimed | None:
    """Return a claim as it stands in the ledger: its items are the ones still running."""
    job = conn.execute(
        select(jobs_table, runs_table.c.options)
        .join(batches_table, batches_table.c.parent_job_id == jobs_table.c.id)
        .join(runs_table, runs_table.c.run_id == jobs_table.c.run_id)
        .where(batches_table.c.claim == token)
    ).first()
    if job is None:
        return None
    held = conn.execute(
        select(items_table)
        .where(items_table.c.claim == token, items_table.c.state == sql_word(Item.RUNNING))
        .order_by(items_table.c.id)
    ).fetchall()
    return _as_claimed(token, job, held)


def in_hand(conn: Connection, claimed: Claimed) -> ClaimedItem | None:
    """Return the item a worker last said it was working on, if it is still open."""
    name = conn.execute(
        select(batches_table.c.current_item).where(batches_table.c.claim == claimed.claim)
    ).scalar()
    return next((item for item in claimed.items if (item.document or item.step) == name), None)


# ------------------------------------------------------------------------------- history


_EVENT = ("event", "subdomain", "run_id", "stage", "completed", "failed", "seconds", "detail")
_RECORD = insert(stage_events_table).values(_bound(stage_events_table, "event", *_EVENT))


def recording(
    event: str,
    *,
    subdomain: str | None = None,
    run_id: str | None = None,
    stage: str | None = None,
    completed: int = 0,
    failed: int = 0,
    seconds: float | None = None,
    detail: str | None = None,
) -> Statement:
    """Return how to append to the history, for the transaction of what happened."""
    said = (event, subdomain, run_id, stage, completed, failed, seconds, detail)
    return _RECORD, {f"event_{name}": value for name, value in zip(_EVENT, said, strict=True)}


def record(conn: Connection, event: str, **facts: Any) -> None:
    """Append to the history, in the transaction of what happened; see :func:`recording`."""
    conn.execute(*recording(event, **facts))


def audit(
    conn: Connection, who: str, action: str, subject: str | None = None, detail: str | None = None
) -> None:
    """Keep what a person did, in the transaction that does it."""
    conn.execute(insert(audit_table).values(who=who, action=action, subject=subject, detail=detail))
