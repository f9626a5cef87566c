"""How items end: settled, released, crashed, divided; and their batches with them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from sqlalchemy import Connection, Row, and_, bindparam, case, false, insert, or_, select, update

from clerk.core.child_process import OUT_OF_TIME
from clerk.core.models import batches_table, db_now, items_table, jobs_table, runs_table
from clerk.core.states import MOST_PAGES, Batch, Item, Run, Step
from clerk.executors.work import Claim, ClaimItem, Crash, Outcome

from .history import record
from .items import ERROR_LENGTH, NewPart, add_parts
from .sql import Statement, bound, is_among, listed, sql_word

#: How often an item may raise, be running when its process dies, or lose its worker.
ERROR_BUDGET = 3


CRASH_BUDGET = 2


LOST_BUDGET = 5


#: Retry delays in seconds of an item that raised, by how often it was tried.
RETRY_DELAYS = (5.0, 30.0, 120.0)


@dataclass(frozen=True)
class FailedItem:
    """An item that failed for good."""

    item: ClaimItem
    state: str
    error: str
    error_kind: str
    #: The same bytes would fail again with the same reader.
    lasting: bool


@dataclass
class Settled:
    """What a settlement changed: documents to count, and the items that failed for good.

    A step that is not counted shows in ``results`` alone, as None when it failed.
    """

    completed: int = 0
    failed: int = 0
    seconds: float = 0.0
    error: str = ""
    failures: list[FailedItem] = field(default_factory=list)
    results: list[Any] = field(default_factory=list)
    #: Whether a stage ended with it, so that others may have work now.
    closed: bool = False
    #: The follow-up claim of the worker that settled.
    following: Claim | None = None


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


def settle(conn: Connection, claim: Claim, outcomes: Sequence[Outcome]) -> Settled | None:
    """Write how items ended, as far as this claim still holds them, and return what to count.

    Their run is locked against being ended meanwhile; None when it is over.  The work of a stage
    that is a single step locks it exclusively: it may end the run, or be one of two that meet.
    Items of an upload have no run: cancelling it cancels them, and what succeeded was settled in
    the transaction that stored it.
    """
    exclusive = claim.step != Step.DOCUMENT
    settled = Settled()
    if claim.run_id:
        done = [outcome for outcome in outcomes if outcome.state == Item.COMPLETED]
        _settle_completed(conn, claim, done, settled, exclusive)
        if settled.results and len(done) == len(outcomes):
            return settled
        if not hold_run(conn, claim.run_id, exclusive=exclusive):
            return None
    for outcome in outcomes:
        if outcome.state == Item.FAILED:
            _settle_failure(conn, claim, outcome, settled)
        elif outcome.state == Item.PENDING:
            _settle_retry(conn, claim, outcome, settled)
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
        .where(is_among(dialect, items_table.c.id, bindparam("ids")), _HELD)
        .where(items_table.c.run_id.in_(select(held.c.run_id)))
        .values(state=Item.COMPLETED, error=None, finished_at=db_now())
        .returning(items_table.c.id, items_table.c.documents)
    )


def _settle_completed(
    conn: Connection,
    claim: Claim,
    done: Sequence[Outcome],
    settled: Settled,
    exclusive: bool,
) -> None:
    """Complete items of a run that is active, which is locked with them."""
    if not done:
        return
    by_id = {outcome.item.id: outcome for outcome in done}
    dialect = conn.dialect.name
    values = {"token": claim.token, "run": claim.run_id, "ids": listed(dialect, list(by_id))}
    changed = conn.execute(_completing(dialect, exclusive), values)
    for row in changed:
        settled.completed += row.documents
        settled.seconds += by_id[row.id].seconds
        settled.results.append(by_id[row.id].result)
    paged = [
        {"item": each.item.id, "token": claim.token, "pages": each.pages}
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


def _settle_failure(conn: Connection, claim: Claim, outcome: Outcome, settled: Settled) -> None:
    values = {"item": outcome.item.id, "token": claim.token, "error_kind": outcome.error_kind}
    row = conn.execute(_FAIL, values | {"error": outcome.error[:ERROR_LENGTH]}).first()
    _add_failure(settled, outcome, row, lasting=outcome.lasting)
    settled.seconds += outcome.seconds


def _settle_retry(conn: Connection, claim: Claim, outcome: Outcome, settled: Settled) -> None:
    """Release an item: after an error it waits, and fails once its budget of errors is used up."""
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
            error_kind=outcome.error_kind or None,
            available_at=db_now(delay),
            finished_at=case((spent, db_now()), else_=None),
        )
        .returning(items.c.state, items.c.documents),
        {"item": outcome.item.id, "token": claim.token},
    ).first()
    _add_failure(settled, outcome, row, lasting=False)
    settled.seconds += outcome.seconds


def _add_failure(
    settled: Settled, outcome: Outcome, row: Row[Any] | None, *, lasting: bool
) -> None:
    if row is None or row.state == Item.PENDING:
        return
    settled.failed += row.documents
    settled.error = outcome.error
    if not row.documents:
        settled.results.append(None)
    settled.failures.append(
        FailedItem(outcome.item, row.state, outcome.error, outcome.error_kind, lasting)
    )


#: The kinds of error of an item whose process, or whose worker, died.
CRASHED, WORKER_LOST = "Crashed", "WorkerLost"


def crash(conn: Connection, claim: Claim, crash: Crash) -> Settled:
    """Charge the item that was running when its process died and release the others unharmed.

    A page that was not blamed before is forgiven: the next attempt leaves it out and reads the
    others.  The only place that records a crash.
    """
    settled = Settled()
    if not record_crash(conn, claim, crash):
        return settled
    if (blamed := crash.item) is not None:
        error, pages = crash.error, dict(blamed.blamed_pages)
        is_new_page = (
            blamed.step == Step.DOCUMENT
            and crash.position not in {0, *pages}
            and len(pages) < MOST_PAGES
        )
        if crash.position and pages:
            error = f"{blamed.error}; {error}"
        if is_new_page:
            pages[crash.position] = crash.cause
        forgiven = is_new_page and not crash.worker_lost
        items = items_table
        crashes = items.c.crashes + (0 if crash.worker_lost or forgiven else 1)
        lost = items.c.lost + (1 if crash.worker_lost else 0)
        spent = or_(crashes >= CRASH_BUDGET, lost >= LOST_BUDGET)
        kind = WORKER_LOST if crash.worker_lost else CRASHED
        row = conn.execute(
            update(items)
            .where(_HELD_ITEM)
            .values(
                crashes=crashes,
                lost=lost,
                alone=True,
                state=case((spent, Item.QUARANTINED), else_=Item.PENDING),
                error=error[:ERROR_LENGTH],
                error_kind=kind,
                blamed_pages={str(page): how for page, how in pages.items()} or None,
                available_at=db_now(),
                finished_at=case((spent, db_now()), else_=None),
            )
            .returning(items.c.state, items.c.documents),
            {"item": blamed.id, "token": claim.token},
        ).first()
        outcome = Outcome(blamed, Item.FAILED, error[:ERROR_LENGTH], kind)
        # The next run may have more time.
        _add_failure(settled, outcome, row, lasting=crash.cause != OUT_OF_TIME)
    release(conn, claim)
    if claim.step == Step.STORE and not settled.failures:
        conn.execute(_BATCH_AFTER_CRASH, {"batch_token": claim.token})
    return settled


#: What crashed and is tried again has another batch: the crash stays to be seen.
_FORMER = ("parent_job_id", "item_id", "doc_identifiers", "item_count", "attempt")


_BATCH_AFTER_CRASH = insert(batches_table).from_select(
    [*_FORMER, "parent_batch_id", "error_message"],
    select(
        *(batches_table.c[name] for name in _FORMER),
        batches_table.c.id,
        batches_table.c.error_message,
    ).where(batches_table.c.claim == bindparam("batch_token")),
)


def record_crash(conn: Connection, claim: Claim, crash: Crash) -> bool:
    """End the batch of a process that died, and say whether the claim was still held."""
    if not (end_batch(conn, claim, Batch.CRASHED, crash.error) or is_held(conn, claim)):
        return False
    work = (crash.item.document or crash.item.step) if crash.item else claim.stage
    record(
        conn,
        "crashed",
        subdomain=claim.subdomain or None,
        run_id=claim.run_id or None,
        stage=claim.stage,
        detail=f"{work}: {crash.error}",
    )
    return True


def is_held(conn: Connection, claim: Claim) -> bool:
    """Whether the claim still holds an item."""
    held = select(items_table.c.id).where(_HELD)
    return conn.execute(held, {"token": claim.token}).first() is not None


def complete_item(conn: Connection, claim: Claim, documents: int) -> bool:
    """Complete the one item of a claim, in the transaction that does its work.

    ``documents`` is what it counts for now; with none left it is cancelled, because others have
    taken its place.  False when the claim is lost: the transaction must not be committed.
    """
    items = items_table
    changed = conn.execute(
        update(items)
        .where(_HELD_ITEM)
        .values(
            state=Item.COMPLETED if documents or claim.step == Step.SPLIT else Item.CANCELLED,
            documents=documents or items.c.documents,
            error=None,
            error_kind=None,
            finished_at=db_now(),
        ),
        {"item": claim.items[0].id, "token": claim.token},
    )
    return changed.rowcount == 1


def replace_part(
    conn: Connection, claim: Claim, parts: Sequence[NewPart], status: str, why: str
) -> bool:
    """Replace a part by smaller ones; False when the claim is lost."""
    changed = conn.execute(
        update(items_table)
        .where(_HELD_ITEM)
        .values(state=Item.CANCELLED, error=why[:ERROR_LENGTH], finished_at=db_now()),
        {"item": claim.items[0].id, "token": claim.token},
    )
    if changed.rowcount != 1:
        return False
    end_batch(conn, claim, status, why)
    add_parts(
        conn,
        claim.job_id,
        parts,
        parent_item_id=claim.items[0].id,
        parent_batch_id=batch_id_of(conn, claim),
    )
    return True


def batch_id_of(conn: Connection, claim: Claim) -> int | None:
    """Return the batch of a claim."""
    chosen = select(batches_table.c.id).where(batches_table.c.claim == claim.token)
    return conn.execute(chosen).scalar()


def shrink_batch(conn: Connection, claim: Claim, items: int) -> None:
    """Reduce the number of items of a batch: some have batches of their own now."""
    mine = batches_table.c.claim == claim.token
    conn.execute(update(batches_table).where(mine).values(item_count=items))


def hold_claim(conn: Connection, run_id: str, token: str) -> bool:
    """Lock a run against being ended and the items of a claim against being taken over.

    False when the run is over or the claim is lost.
    """
    if not hold_run(conn, run_id, exclusive=False):
        return False
    held = select(items_table.c.id).where(_HELD).order_by(items_table.c.id).with_for_update()
    return conn.execute(held, {"token": token}).first() is not None


def extend_split(conn: Connection, claim: Claim, parts: Sequence[NewPart]) -> bool:
    """Write the next parts of a file that is being split; False when the claim is lost.

    The split item is locked first: a cancellation waits for it, and then finds the
    parts too.
    """
    held = select(items_table.c.id).where(_HELD_ITEM).with_for_update()
    values = {"item": claim.items[0].id, "token": claim.token}
    if conn.execute(held, values).first() is None:
        return False
    add_parts(conn, claim.job_id, parts)
    objects = sum(part.objects for part in parts)
    conn.execute(
        update(jobs_table)
        .where(jobs_table.c.id == claim.job_id)
        .values(total=jobs_table.c.total + objects, updated_at=db_now())
    )
    return True


def return_batch(conn: Connection, claim: Claim, error: str | None = None) -> None:
    """Show the batch of a part that is to be tried again as waiting."""
    conn.execute(
        update(batches_table)
        .where(batches_table.c.claim == claim.token)
        .where(batches_table.c.status == sql_word(Batch.RUNNING))
        .values(
            status=Batch.PENDING,
            claim=None,
            worker_id=None,
            current_item=None,
            started_at=None,
            error_message=error,
            updated_at=db_now(),
        )
    )


_RELEASE = (
    update(items_table)
    .where(_HELD)
    .values(state=Item.PENDING, claim=None, worker_id=None, available_at=db_now())
)


def release(conn: Connection, claim: Claim) -> int:
    """Make everything this claim still holds claimable again, without a charge."""
    return conn.execute(_RELEASE, {"token": claim.token}).rowcount


_END_BATCH = (
    update(batches_table)
    .where(
        batches_table.c.claim == bindparam("batch_token"),
        batches_table.c.status == sql_word(Batch.RUNNING),
    )
    .values(bound(batches_table, "end", "status", "error_message"))
    .values(completed_at=db_now(), updated_at=db_now(), current_item=None)
)


def ending_batch(claim: Claim, status: str, error: str | None = None) -> Statement:
    """Return how to end what the worker was given, once."""
    values = {"batch_token": claim.token, "end_status": status, "end_error_message": error}
    return _END_BATCH, values


def end_batch(conn: Connection, claim: Claim, status: str, error: str | None = None) -> bool:
    """End what the worker was given, and say whether this call did it."""
    return conn.execute(*ending_batch(claim, status, error)).rowcount == 1
