"""The transitions of runs and stages: each one function, in one transaction.

What follows a stage is in :mod:`clerk.pipeline.stages`, and :func:`close_stage` is the only place
that opens it.  Stage, counters and the coordinator's claim in ``sites`` are written in the same
transaction, by :mod:`clerk.pipeline.site_counters`.  Whatever dies in between leaves an item that
is pending, or running until it is swept.
"""

from __future__ import annotations

import logging
import uuid
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cache
from typing import Any

import msgspec
from sqlalchemy import (
    ColumnElement,
    Connection,
    and_,
    bindparam,
    func,
    insert,
    select,
    update,
)

from clerk.annotations import Issue
from clerk.annotations.store import Stored
from clerk.core import manifest
from clerk.core.db import (
    lock_site,
    require_site,
)
from clerk.core.manifest import TextRecord
from clerk.core.models import (
    db_now,
    items_table,
    jobs_table,
    runs_table,
    schedules_table,
    sites_table,
)
from clerk.core.run_options import NO_OPTIONS, RunOptions
from clerk.core.site_extra import SiteRow
from clerk.core.states import (
    COMPILATION,
    COMPLETED,
    FETCH,
    OCR,
    STAGES,
    Batch,
    Item,
    Kind,
    Run,
    Step,
    Upload,
    check_stage,
)
from clerk.executors.work import Claim, Crash, Outcome

from . import ledger, upload_state
from .ledger import Job, LogLine, NewItem, NewPart, Settled, Statement
from .remembered_failures import Remembered, load_remembered, remember_failures
from .site_counters import (
    begin,
    begin_again,
    correct,
    counter_columns,
    counters_of,
    enter,
    error_columns,
    note_error,
    set_columns,
    set_columns_if,
    show_job,
    zero_counters,
)
from .stages import FetchResult, Stage, StageResult, opened_with, stage_named

log = logging.getLogger(__name__)

NO_DOCUMENTS = "No PDFs found during fetch - site may have no documents or fetch failed"


SUPERSEDED = "A newer run was started"

_BEHIND_FETCH = tuple(stage for stage in STAGES if stage != FETCH)


@dataclass(frozen=True)
class ActiveRun:
    """The run of a site that is under way."""

    run_id: str
    subdomain: str
    #: The stage after which it ends, if it was asked for a part of the pipeline.
    goal_stage: str | None
    rank: int


@dataclass(frozen=True)
class FoundDocument:
    """A document that a fetch left on disk to be read."""

    name: str
    bytes: int
    sha256: str


@dataclass(frozen=True)
class Rejected:
    """What the source offered and nobody can read: its name, the class of the error, and why."""

    name: str
    kind: str
    why: str


@dataclass(frozen=True)
class Found:
    """What a fetch found, and what is to be read after it.

    Without ``documents`` the manifest is asked which have no text of this reader, and how many need
    no reading (``carried``).
    """

    documents: tuple[FoundDocument, ...] | None = None
    carried: int = 0
    rejected: tuple[Rejected, ...] = ()
    #: The reader they are for; a document that failed with another one is tried again.
    engine: str = ""
    figures: FetchResult = FetchResult()


# -------------------------------------------------------------------------------- starting


def start_run(
    conn: Connection,
    subdomain: str,
    *,
    first: str = FETCH,
    goal: str | None = None,
    options: RunOptions = NO_OPTIONS,
    rank: int = 0,
) -> str:
    """Open a run at a stage, fencing everything older, and return its id.

    ``rank``: where its work waits; that of a lower rank goes first.
    """
    require_site(conn, subdomain)
    check_stage(first)
    run_id = open_run(conn, subdomain, options, goal, rank)
    if first == FETCH:
        # What the run before achieved is shown until the fetch has found something.
        begin_again(conn, subdomain, first)
    else:
        begin(conn, subdomain, first)
    ledger.record(conn, "run started", subdomain=subdomain, run_id=run_id, stage=first)
    if first == OCR:
        raise ValueError("reading starts with a fetch, which finds what is on disk")
    for stage in opened_with(first):
        open_step(conn, run_id, subdomain, stage)
    return run_id


def resume_run(
    conn: Connection,
    subdomain: str,
    stage: str,
    opened_by: str = "reconciliation",
    rank: int = 0,
) -> str:
    """Open a run in a late stage for what is on disk; the counters of earlier ones stay."""
    run_id = open_run(conn, subdomain, RunOptions(opened_by=opened_by), rank=rank)
    ledger.record(conn, "run resumed", subdomain=subdomain, run_id=run_id, stage=stage)
    for each in opened_with(stage):
        open_step(conn, run_id, subdomain, each)
    return run_id


def open_run(
    conn: Connection,
    subdomain: str,
    options: RunOptions,
    goal: str | None = None,
    rank: int = 0,
) -> str:
    """Open a run, superseding the active one, and return its id."""
    lock_site(conn, subdomain)
    former = conn.execute(
        update(runs_table)
        .where(runs_table.c.subdomain == subdomain, runs_table.c.state == Run.ACTIVE)
        .values(state=Run.SUPERSEDED, finished_at=db_now(), reason=SUPERSEDED)
        .returning(runs_table.c.run_id)
    ).scalar()
    if former:
        ledger.cancel_open_work(conn, former, SUPERSEDED)
        ledger.record(conn, "run superseded", subdomain=subdomain, run_id=former)
    run_id = f"{subdomain}-{uuid.uuid4().hex[:12]}"
    last_epoch = select(func.coalesce(func.max(runs_table.c.epoch), 0)).where(
        runs_table.c.subdomain == subdomain
    )
    conn.execute(
        insert(runs_table).values(
            run_id=run_id,
            subdomain=subdomain,
            epoch=last_epoch.scalar_subquery() + 1,
            options=options.as_stored(),
            goal_stage=goal,
            rank=rank,
        )
    )
    return run_id


def change_rank(conn: Connection, run_id: str, rank: int) -> None:
    """Move a run that is under way, with all its open jobs, to another rank."""
    former = select(runs_table.c.rank).where(runs_table.c.run_id == run_id).scalar_subquery()
    mine = and_(jobs_table.c.run_id == run_id, jobs_table.c.state == "open")
    conn.execute(update(jobs_table).where(mine).values(rank=jobs_table.c.rank + rank - former))
    conn.execute(update(runs_table).where(runs_table.c.run_id == run_id).values(rank=rank))


def open_step(conn: Connection, run_id: str, subdomain: str, stage: Stage) -> None:
    """Open a stage that is a single step."""
    name = stage.name
    job_id = ledger.open_job(
        conn, run_id=run_id, subdomain=subdomain, stage=name, queue=stage.queue, total=1
    )
    ledger.add_items(conn, job_id, run_id, [NewItem(step=stage.step)])
    enter(conn, subdomain, name, **counter_columns(name, 1, 0, 0))


def open_arrived(
    conn: Connection, run_id: str, subdomain: str, engine: str, names: Sequence[str]
) -> None:
    """Open the reading of documents that a fetch has stored, while it stores others.

    The stage does not close before the fetch does.  The caller holds the fetch's claim.
    """
    run = active_run(conn, subdomain)
    if run is None or run.run_id != run_id or run.goal_stage == FETCH:
        return
    job = job_of_stage(conn, subdomain, OCR)
    # With the first of them comes what earlier runs left unread.
    wanted = names if job else None
    unread = manifest.documents_to_read(conn, subdomain, engine, wanted)
    if not unread:
        return
    job = job or _open_reading_job(conn, run_id, subdomain, engine)
    known = _documents_of(conn, job.id)
    remembered = load_remembered(conn, subdomain, engine)
    rows = [
        _document_row(FoundDocument(row.name, row.bytes, row.pdf_sha256 or ""), remembered)
        for row in unread
        if row.name not in known
    ]
    total, _ = manifest.count_documents(conn, subdomain)
    _add_to_reading(conn, job, rows, carried=total - len(known) - len(rows))


def open_reading(conn: Connection, run_id: str, subdomain: str, found: Found) -> None:
    """Open the reading of documents: a row each, and one for those that need none.

    A document that failed before, with the same bytes and the same reader, counts as failed at
    once, since when it failed first; one that a person skipped does not count.  Some may have been
    opened while they were fetched.  If nothing is left to read the stage closes here.
    """
    remembered = load_remembered(conn, subdomain, found.engine)
    rows = [_document_row(document, remembered) for document in found.documents or ()]
    job = job_of_stage(conn, subdomain, OCR)
    known = _documents_of(conn, job.id) if job else frozenset()
    taken = {row.document for row in rows} | known
    rejected = []
    for each in found.rejected:
        before = remembered.get((each.name, ""))
        if before is not None:
            state, error, kind = before.state, before.reason, before.error_kind
        else:
            state, error, kind = Item.FAILED, f"{each.kind}: {each.why}", each.kind
        # Under a name that is taken it gets a number: none is lost, no two are one.
        name, number = each.name, 1
        while name in taken:
            number += 1
            name = f"{each.name} ({number})"
        taken.add(name)
        rejected.append(NewItem(name, state=state, error=error, error_kind=kind))
    rows += _with_dates(conn, subdomain, rejected)
    enter(conn, subdomain, OCR)
    job = job or _open_reading_job(conn, run_id, subdomain, found.engine)
    job = _add_to_reading(conn, job, rows, found.carried)
    if is_over(conn, job):
        close_stage(conn, job, [])


def _open_reading_job(conn: Connection, run_id: str, subdomain: str, engine: str) -> Job:
    """Write the parent of the documents to read; only now do the counters of the run before go."""
    set_columns(conn, subdomain, **zero_counters(_BEHIND_FETCH))
    detail = {"engine": engine}
    ledger.open_job(conn, run_id=run_id, subdomain=subdomain, stage=OCR, queue=OCR, detail=detail)
    job = job_of_stage(conn, subdomain, OCR)
    assert job is not None, "the job was written in this transaction"
    return job


def _documents_of(conn: Connection, job_id: int) -> frozenset[str]:
    """Return the documents that a reading has rows of."""
    items = items_table
    named = select(items.c.document).where(items.c.job_id == job_id, items.c.document.is_not(None))
    return frozenset(conn.execute(named).scalars())


def _add_to_reading(conn: Connection, job: Job, rows: Sequence[NewItem], carried: int) -> Job:
    """Write rows of a reading, count them, and show the site's counters.

    ``carried`` is how many documents need no reading in total; one whose bytes have changed since
    is among the rows.
    """
    failures = [row for row in rows if row.state in (Item.FAILED, Item.QUARANTINED)]
    living = [row for row in rows if row.state != Item.CANCELLED]
    items = items_table
    of_carried = and_(items.c.job_id == job.id, items.c.step == Step.CARRIED)
    before = conn.execute(select(items.c.documents).where(of_carried)).scalar()
    if before is None and carried:
        rows = [*rows, NewItem(step=Step.CARRIED, documents=carried, state=Item.COMPLETED)]
    elif before is not None and before != carried:
        conn.execute(update(items).where(of_carried).values(documents=carried))
    ledger.add_items(conn, job.id, job.run_id, rows)
    more = carried - (before or 0)
    job = ledger.extend_job(conn, job.id, len(living) + more, more, len(failures))
    show_job(conn, job, (failures[-1].error or "") if failures else "")
    return job


def _document_row(
    document: FoundDocument, remembered: Mapping[tuple[str, str], Remembered]
) -> NewItem:
    known = remembered.get((document.name, document.sha256))
    if known is None:
        return NewItem(document.name, document.bytes, document.sha256)
    return NewItem(
        document.name,
        document.bytes,
        document.sha256,
        state=known.state,
        error=known.reason,
        error_kind=known.error_kind,
        finished_at=known.created_at,
    )


def _with_dates(conn: Connection, subdomain: str, rejected: Sequence[NewItem]) -> list[NewItem]:
    """Date what was rejected: when it was rejected first, if the reading before lists it too."""
    if not rejected:
        return []
    jobs, items, runs = jobs_table, items_table, runs_table
    last_reading = (
        select(jobs.c.id)
        .join(runs, runs.c.run_id == jobs.c.run_id)
        .where(runs.c.subdomain == subdomain, jobs.c.stage == OCR, jobs.c.kind == Kind.STAGE)
        .order_by(runs.c.epoch.desc())
        .limit(1)
        .scalar_subquery()
    )
    failed = items.c.state.in_([Item.FAILED, Item.QUARANTINED])
    listed = select(items.c.document, items.c.finished_at).where(items.c.job_id == last_reading)
    since = {row.document: row.finished_at for row in conn.execute(listed.where(failed))}
    now = conn.execute(select(db_now())).scalar_one()
    return [
        msgspec.structs.replace(row, finished_at=since.get(row.document, now)) for row in rejected
    ]


def open_stage(conn: Connection, subdomain: str, stage: str, total: int) -> None:
    """Open a run in a stage, for documents that are not known by name yet."""
    run_id = open_run(conn, subdomain, RunOptions(opened_by="initialize_stage"))
    ledger.record(conn, "run started", subdomain=subdomain, run_id=run_id, stage=stage)
    _open_unnamed(conn, run_id, subdomain, stage, total=total)
    enter(conn, subdomain, stage, **counter_columns(stage, total, 0, 0))


def adopt(conn: Connection, site: SiteRow) -> Job:
    """Take a site that is in a stage without a run into the ledger with its counters."""
    stage, subdomain = site["current_stage"] or "", site["subdomain"]
    total, completed, failed = counters_of(site, stage)
    # An old worker counts without looking at the total.
    total = max(total, completed + failed)
    run_id = open_run(conn, subdomain, RunOptions(opened_by="adoption"))
    ledger.record(conn, "run started", subdomain=subdomain, run_id=run_id, stage=stage)
    _open_unnamed(conn, run_id, subdomain, stage, total, completed, failed)
    job = job_of_stage(conn, subdomain, stage)
    assert job is not None, "the job was written in this transaction"
    return job


def _open_unnamed(
    conn: Connection,
    run_id: str,
    subdomain: str,
    stage: str,
    total: int,
    completed: int = 0,
    failed: int = 0,
) -> None:
    job_id = ledger.open_job(
        conn,
        run_id=run_id,
        subdomain=subdomain,
        stage=stage,
        queue=stage,
        total=total,
        completed=completed,
        failed=failed,
    )
    rows = [
        NewItem(step=Step.UNNAMED, documents=total - completed - failed),
        NewItem(step=Step.CARRIED, documents=completed, state=Item.COMPLETED),
        NewItem(step=Step.CARRIED, documents=failed, state=Item.FAILED),
    ]
    ledger.add_items(conn, job_id, run_id, [row for row in rows if row.documents])


def active_run(conn: Connection, subdomain: str) -> ActiveRun | None:
    """Return the run that is under way, or None."""
    columns = (runs_table.c[each.name] for each in fields(ActiveRun))
    chosen = select(*columns).where(
        runs_table.c.subdomain == subdomain, runs_table.c.state == Run.ACTIVE
    )
    row = conn.execute(chosen).first()
    return None if row is None else ActiveRun(*row)


def active_run_ids(conn: Connection) -> dict[str, str]:
    """Return the run that is under way of every site that has one."""
    rows = conn.execute(
        select(runs_table.c.subdomain, runs_table.c.run_id).where(
            runs_table.c.state == ledger.sql_word(Run.ACTIVE)
        )
    )
    return {row.subdomain: row.run_id for row in rows}


_JOB_OF_STAGE = (
    select(jobs_table, runs_table.c.options)
    .join(runs_table, runs_table.c.run_id == jobs_table.c.run_id)
    .where(runs_table.c.subdomain == bindparam("site"))
    .where(runs_table.c.state == ledger.sql_word(Run.ACTIVE))
    .where(jobs_table.c.stage == bindparam("stage"), jobs_table.c.kind == bindparam("kind"))
)


def job_of_stage(
    conn: Connection, subdomain: str, stage: str, kind: str = Kind.STAGE
) -> Job | None:
    """Return the parent of a stage in the active run, or None."""
    values = {"site": subdomain, "stage": stage, "kind": kind}
    row = conn.execute(_JOB_OF_STAGE, values).first()
    return None if row is None else ledger.job_from(row)


# -------------------------------------------------------------------------------- settling


def finish(
    conn: Connection,
    claim: Claim,
    outcomes: Sequence[Outcome],
    *,
    ended: bool,
    going_on: Collection[str] = (),
) -> Settled:
    """Account for items of a claim and open what follows.

    ``ended``: the worker has finished this batch.  A run that is over, and rows that
    somebody else holds now, are left alone.  A coordinator is given to the worker that ends the
    reading (``Settled.following``) if it serves its queue.
    """
    noted = [each for each in outcomes if _is_worth_a_line(each)]
    if noted and claim.token not in ledger.still_held(conn, [claim.token]):
        noted = []  # late or repeated: somebody else holds it now
    settled = ledger.settle(conn, claim, outcomes)
    if settled is None:
        # A batch in work was cancelled with its run; one that had settled all it held was not.
        status = Batch.CANCELLED if outcomes else Batch.COMPLETED
        ledger.end_batch(conn, claim, status, "The run has ended" if outcomes else None)
        return Settled()
    failed = {each.item.id for each in settled.failures}
    ledger.log_lines(conn, claim, [_line(each, each.item.id in failed) for each in noted])
    if claim.step == Step.DOCUMENT:
        texts = {
            each.item.document: each.result
            for each in outcomes
            if each.state == Item.COMPLETED and isinstance(each.result, TextRecord)
        }
        manifest.record_texts(conn, claim.subdomain, texts)
    also: list[Statement] = []
    error = settled.error or next((each.error for each in outcomes if each.error), "")
    if ended and len(outcomes) < len(claim.items):
        ledger.release(conn, claim)
    if claim.kind == Kind.UPLOAD and (ended or outcomes):
        # A part is a batch until it succeeds or fails; what succeeded was settled with its storing.
        if settled.failures:
            ledger.end_batch(conn, claim, Batch.FAILED, error)
        else:
            ledger.return_batch(conn, claim, error or None)
    elif ended:
        useless = error and not settled.completed and not settled.results
        status = Batch.FAILED if useless else Batch.COMPLETED
        also.append(ledger.ending_batch(claim, status, error or None))
    taker = claim if COMPILATION in going_on else None
    _account(conn, claim, settled, also, taker)
    return settled


def _is_worth_a_line(outcome: Outcome) -> bool:
    """Whether the log of the run gets a line.

    Not for each document that went well, and not again for what waits for a person.
    """
    if outcome.state == Item.COMPLETED:
        return outcome.item.step != Step.DOCUMENT
    repeated = outcome.error == outcome.item.error and not outcome.charged
    return outcome.state == Item.FAILED or bool(outcome.error and not repeated)


def _line(outcome: Outcome, failed: bool) -> LogLine:
    """Return the line about an outcome; an item may have ``failed`` by its last attempt."""
    state = Item.FAILED if failed else outcome.state
    message = {
        Item.COMPLETED: f"{outcome.item.step} completed",
        Item.FAILED: f"{outcome.item.step} failed: {outcome.error}",
        Item.PENDING: f"{outcome.item.step} will be tried again: {outcome.error}",
    }[state]
    level = {Item.COMPLETED: "info", Item.FAILED: "error", Item.PENDING: "warning"}[state]
    document, attempt = outcome.item.document or None, outcome.item.attempt
    message = message[: ledger.ERROR_LENGTH]
    return LogLine(level, message, document, attempt, round(outcome.seconds, 3) or None)


def crash(conn: Connection, claim: Claim, crash: Crash, parts: Sequence[NewPart] = ()) -> Settled:
    """Record that a process died: charge what it was running, release the rest.

    A part of an upload may be divided instead of being tried again; ``parts`` take its place.
    """
    if claim.run_id and not ledger.hold_run(conn, claim.run_id, exclusive=True):
        ledger.end_batch(conn, claim, Batch.CRASHED, crash.error)
        return Settled()
    blamed = crash.item
    document, attempt = (blamed.document or None, blamed.attempt) if blamed else (None, None)
    if claim.token in ledger.still_held(conn, [claim.token]):
        ledger.log_lines(conn, claim, [LogLine("error", crash.error, document, attempt)])
    if parts:
        if ledger.record_crash(conn, claim, crash):
            ledger.replace_part(conn, claim, parts, Batch.CRASHED, crash.error)
        return Settled()
    settled = ledger.crash(conn, claim, crash)
    _account(conn, claim, settled, [])
    return settled


def _account(
    conn: Connection,
    claim: Claim,
    settled: Settled,
    also: list[Statement],
    taker: Claim | None = None,
) -> None:
    """Record and count what was settled; the rows that all workers count on are locked last."""
    remember_failures(conn, claim, settled)
    if not (settled.completed or settled.failed or settled.results):
        if settled.seconds:
            ledger.count(conn, claim.job_id, *also, seconds=settled.seconds)
        elif also:
            ledger.together(conn, *also)
        return
    if claim.step == Step.SPLIT:
        why = settled.error.splitlines()[0]
        issue = Issue("unreadable", f"the file could not be split into batches: {why}")
        upload_state.add_issues(conn, claim.job_id, [issue])
        settled.closed = upload_state.cancel_upload(conn, claim.job_id, settled.error)
        return
    if claim.kind != Kind.COORDINATOR:
        also.append(_recording(claim, settled))
    job = ledger.count(
        conn,
        claim.job_id,
        *also,
        completed=settled.completed,
        failed=settled.failed,
        seconds=settled.seconds,
    )
    if job.kind == Kind.UPLOAD:
        upload_state.count_failed_parts(conn, claim, settled.failures)
    settled.closed = is_over(conn, job)
    if job.kind == Kind.STAGE and job.stage == OCR and settled.closed:
        settled.following = complete_reading(conn, job, settled.error, taker)
        return
    if job.kind == Kind.STAGE:
        show_job(conn, job, settled.error)
    if settled.closed:
        close_stage(conn, job, settled.results)


def _recording(claim: Claim, settled: Settled) -> Statement:
    return ledger.recording(
        "finished",
        subdomain=claim.subdomain or None,
        run_id=claim.run_id or None,
        stage=claim.stage,
        completed=settled.completed,
        failed=settled.failed,
        seconds=settled.seconds,
        detail=settled.error or None,
    )


def finish_split(conn: Connection, claim: Claim) -> None:
    """Note that all parts are written; an upload without any is over."""
    if not ledger.complete_item(conn, claim, 0):
        raise upload_state.ClaimLost
    job = ledger.count(conn, claim.job_id)
    if is_over(conn, job):
        close_stage(conn, job, [])


def finish_part(
    conn: Connection,
    claim: Claim,
    stored: Stored,
    issues: Sequence[Issue],
    bad: Sequence[NewPart] = (),
    seconds: float = 0.0,
) -> None:
    """Complete a part, in the transaction that stores what is in it.

    Bad documents become failed parts of their own.  Raises `ClaimLost` when the claim is lost: the
    transaction must not be committed.
    """
    (item,) = claim.items
    lost = sum(part.objects for part in bad)
    done = item.documents - lost
    if not ledger.complete_item(conn, claim, done):
        raise upload_state.ClaimLost
    batch_id = ledger.batch_id_of(conn, claim)
    ledger.end_batch(conn, claim, Batch.COMPLETED if done else Batch.SPLIT)
    if bad and done:
        ledger.shrink_batch(conn, claim, done)
    ledger.add_parts(conn, claim.job_id, bad, parent_item_id=item.id, parent_batch_id=batch_id)
    upload_state.add_issues(conn, claim.job_id, issues)
    settled = Settled(completed=done, failed=lost, seconds=seconds)
    job = ledger.count(
        conn,
        claim.job_id,
        _recording(claim, settled),
        completed=done,
        failed=lost,
        seconds=seconds,
    )
    upload_state.count_part(conn, claim, stored)
    if is_over(conn, job):
        close_stage(conn, job, [])


def is_over(conn: Connection, job: Job) -> bool:
    """Whether everything of a job is accounted for; the job is locked by this transaction."""
    if job.completed + job.failed != job.total:
        return False
    if job.kind == Kind.UPLOAD:
        return not ledger.has_open_step(conn, job.id)
    if job.kind == Kind.STAGE and job.stage == OCR:
        # More documents may arrive.
        fetching = job_of_stage(conn, job.subdomain, FETCH)
        return fetching is None or fetching.state != "open"
    return True


def close_stage(conn: Connection, job: Job, results: list[Any]) -> None:
    """Close a stage whose documents are all accounted for, and open what follows."""
    if job.kind == Kind.COORDINATOR:
        ledger.close_job(conn, job.id)
        _coordinate(conn, job, results)
    elif job.kind == Kind.UPLOAD:
        upload_state.close_upload(conn, job.id, Upload.COMPLETED)
    elif job.kind == Kind.NOTICE:
        ledger.close_job(conn, job.id)
    elif job.stage == OCR:
        complete_reading(conn, job)
    elif ledger.close_job(conn, job.id):
        if results and isinstance(results[0], StageResult):
            ledger.note_detail(conn, job.id, msgspec.to_builtins(results[0]))
        if job.stage == FETCH and not job.failed:
            _after_fetch(conn, job, results[0])
        else:
            _after_step(conn, job)


def _after_fetch(conn: Connection, job: Job, found: Found) -> None:
    """Open the reading of what was found and not opened while it was fetched."""
    ledger.note_detail(conn, job.id, msgspec.to_builtins(found.figures))
    if found.documents is None:
        # What is to be read, and how many documents need no reading, is in the manifest.
        total, _ = manifest.count_documents(conn, job.subdomain)
        reading = job_of_stage(conn, job.subdomain, OCR)
        opened = _documents_of(conn, reading.id) if reading else frozenset()
        documents = tuple(
            FoundDocument(row.name, row.bytes, row.pdf_sha256 or "")
            for row in manifest.documents_to_read(conn, job.subdomain, found.engine)
            if row.name not in opened
        )
        carried = total - len(opened) - len(documents)
        found = replace(found, documents=documents, carried=carried)
    if _goal(conn, job) == FETCH:
        if not found.rejected:
            end_run(conn, job, Run.COMPLETED, "Stopped after fetch, as requested")
            return
        # A page that could not be read is no document.
        first, number = found.rejected[0], len(found.rejected)
        problems = f"{number} problems, the first" if number > 1 else "1 problem"
        reason = f"Stopped after fetch, as requested; {problems}: {first.why}"
        end_run(conn, job, Run.PARTIAL, reason)
        return
    reading = job_of_stage(conn, job.subdomain, OCR)
    if not (reading or found.documents or found.carried or found.rejected):
        set_columns(conn, job.subdomain, **zero_counters(_BEHIND_FETCH))
        note_error(conn, job.subdomain, FETCH, NO_DOCUMENTS)
        end_run(conn, job, Run.NO_DOCUMENTS, NO_DOCUMENTS)
    else:
        open_reading(conn, job.run_id, job.subdomain, found)


def _coordinate(conn: Connection, job: Job, results: list[Any]) -> None:
    """Open compilation and extraction if there is any text, else end the run."""
    text_documents = results[0]
    read = job_of_stage(conn, job.subdomain, OCR)
    if text_documents is None:
        end_run(conn, job, Run.FAILED, "The text on disk could not be checked", stage=OCR)
    elif _goal(conn, job) == OCR:
        end_run(conn, job, _verdict(conn, job.run_id), "Stopped after ocr, as requested")
    elif text_documents:
        for name in stage_named(OCR).then:
            open_step(conn, job.run_id, job.subdomain, stage_named(name))
    elif read is not None and read.total:
        reason = (
            f"No text: none of {read.total} documents could be read"
            if read.total > 1
            else "No text: the only document could not be read"
        )
        end_run(conn, job, Run.FAILED, reason, stage=OCR)
    else:
        note_error(conn, job.subdomain, FETCH, NO_DOCUMENTS)
        end_run(conn, job, Run.NO_DOCUMENTS, NO_DOCUMENTS)


def _after_step(conn: Connection, job: Job) -> None:
    """Open what follows once all stages that run side by side are over, or end the run.

    The run is held exclusively, so one of them sees that all are over.
    """
    parallel = opened_with(job.stage)
    jobs = conn.execute(
        select(jobs_table.c.stage, jobs_table.c.state, jobs_table.c.failed).where(
            jobs_table.c.run_id == job.run_id,
            jobs_table.c.stage.in_([stage.name for stage in parallel]),
        )
    ).fetchall()
    if any(each.state == "open" for each in jobs):
        return
    failed = {each.stage for each in jobs if each.failed}
    then = parallel[0].then
    for stage in parallel:
        if stage.failure and stage.name in failed:
            if stage.is_retried:
                # The site is not published: it stays in the stage, for reconciliation to retry.
                _end(conn, job, Run.FAILED, stage.failure)
                enter(conn, job.subdomain, stage.name)
            else:
                end_run(conn, job, Run.FAILED, stage.failure, stage.name)
            return
    if not then:
        end_run(conn, job, _verdict(conn, job.run_id))
    elif _goal(conn, job) in [stage.name for stage in parallel]:
        end_run(conn, job, _verdict(conn, job.run_id), f"Stopped before {then[0]}, as requested")
    else:
        for name in then:
            open_step(conn, job.run_id, job.subdomain, stage_named(name))


# ----------------------------------------------------------------------------- coordinator


def complete_reading(
    conn: Connection, job: Job, error: str = "", taker: Claim | None = None
) -> Claim | None:
    """Show a reading whose documents are all accounted for, and claim its coordinator, at once.

    The coordinator is assigned to the worker that takes it, if there is one.
    """
    counters = counter_columns(job.stage, job.total, job.completed, job.failed)
    noted = error_columns(job.stage, error) if error else {}
    unclaimed = _unclaimed(job.stage)
    if not set_columns_if(
        conn, job.subdomain, unclaimed, coordinator_enqueued=True, **counters, **noted
    ):
        show_job(conn, job, error)
        return None
    if taker is not None:
        return ledger.open_coordinator_for(conn, job, taker)
    ledger.close_job(conn, job.id)
    open_coordinator(conn, job)
    return None


def claim_coordinator(conn: Connection, subdomain: str, stage: str, job: Job) -> bool:
    """Set the visible claim and write the coordinator's row; False when taken or too early."""
    if not set_columns_if(conn, subdomain, _ripe(stage), coordinator_enqueued=True):
        return False
    ledger.close_job(conn, job.id)
    if stage == OCR:
        open_coordinator(conn, job)
    return True


@cache
def _ripe(stage: str) -> ColumnElement[bool]:
    sites = sites_table
    counted = sites.c[f"{stage}_completed"] + sites.c[f"{stage}_failed"]
    return and_(_unclaimed(stage), counted == sites.c[f"{stage}_total"])


@cache
def _unclaimed(stage: str) -> ColumnElement[bool]:
    sites = sites_table
    return and_(sites.c.current_stage == stage, sites.c.coordinator_enqueued.is_(False))


def open_coordinator(conn: Connection, job: Job) -> None:
    """Write the coordinator of a stage whose documents are all accounted for."""
    job_id = ledger.open_job(
        conn,
        run_id=job.run_id,
        subdomain=job.subdomain,
        stage=job.stage,
        queue=COMPILATION,
        kind=Kind.COORDINATOR,
        rank=-1,
    )
    ledger.add_items(conn, job_id, job.run_id, [NewItem(step=Step.COORDINATOR, documents=0)])


# ---------------------------------------------------------------------------------- ending


def end_run(conn: Connection, job: Job, state: str, reason: str = "", stage: str = "") -> None:
    """End a run; the site waits for its next one.  ``stage`` is where it failed, if it did.

    A fetch that left something makes a scheduled site due at once.
    """
    fetch = job_of_stage(conn, job.subdomain, FETCH)
    found = FetchResult.stored(fetch.detail) if fetch is not None else None
    if found is not None and found.left:
        mine = schedules_table.c.subdomain == job.subdomain
        conn.execute(update(schedules_table).where(mine).values(next_at=db_now()))
    _end(conn, job, state, reason)
    enter(conn, job.subdomain, COMPLETED)
    noted = select(sites_table.c.last_error_stage).where(sites_table.c.subdomain == job.subdomain)
    if stage and conn.execute(noted).scalar() is None:
        note_error(conn, job.subdomain, stage, reason)


def _end(conn: Connection, of: Job | ActiveRun, state: str, reason: str) -> None:
    """End a run, with all that is open of it, and record that and the stage it was in."""
    conn.execute(
        update(runs_table)
        .where(runs_table.c.run_id == of.run_id, runs_table.c.state == Run.ACTIVE)
        .values(state=state, reason=reason or None, finished_at=db_now())
    )
    ledger.cancel_open_work(conn, of.run_id, reason or "The run has ended")
    ledger.record(
        conn,
        f"run {state}",
        subdomain=of.subdomain,
        run_id=of.run_id,
        stage=of.stage if isinstance(of, Job) else None,
        detail=reason or None,
    )


def cancel_run(conn: Connection, subdomain: str, reason: str) -> bool:
    """Cancel the active run of a site and say whether there was one."""
    run = active_run(conn, subdomain)
    if run is None or not ledger.hold_run(conn, run.run_id, exclusive=True):
        return False
    _end(conn, run, Run.CANCELLED, reason)
    enter(conn, subdomain, COMPLETED)
    return True


def _verdict(conn: Connection, run_id: str) -> str:
    failed = conn.execute(
        select(func.coalesce(func.sum(jobs_table.c.failed), 0)).where(jobs_table.c.run_id == run_id)
    ).scalar_one()
    return Run.PARTIAL if failed else Run.COMPLETED


_GOAL = select(runs_table.c.goal_stage).where(runs_table.c.run_id == bindparam("run"))


def _goal(conn: Connection, job: Job) -> str | None:
    return conn.execute(_GOAL, {"run": job.run_id}).scalar()


# ---------------------------------------------------------------------- what people decide


def read_again(
    conn: Connection,
    subdomain: str,
    former: Job,
    rows: Sequence[NewItem],
    options: RunOptions,
    rank: int = 0,
) -> str:
    """Open a run that reads some documents of a former reading again, and return its id.

    ``rows`` are the documents to read and the failures that stay; what was read counts as before.
    """
    run_id = open_run(conn, subdomain, options, rank=rank)
    ledger.record(conn, "run started", subdomain=subdomain, run_id=run_id, stage=OCR)
    job_id = ledger.open_job(
        conn,
        run_id=run_id,
        subdomain=subdomain,
        stage=OCR,
        queue=OCR,
        detail=former.detail,
    )
    carried = NewItem(step=Step.CARRIED, documents=former.completed, state=Item.COMPLETED)
    ledger.add_items(conn, job_id, run_id, [*rows, *([carried] if former.completed else [])])
    begin_again(conn, subdomain, OCR)
    show_job(conn, ledger.recount(conn, job_id))
    return run_id


def retry_in_run(conn: Connection, job: Job, ids: Sequence[int], new: Sequence[NewItem]) -> None:
    """Have failures of a reading that is under way read again: they leave the failed count.

    ``new`` replaces failures that had no name, which leave the reading.
    """
    if not ledger.hold_run(conn, job.run_id, exclusive=True):
        return
    ledger.reopen(conn, ids)
    ledger.leave_out(conn, ids, "Named when it was retried")
    ledger.add_items(conn, job.id, job.run_id, new)
    show_job(conn, ledger.recount(conn, job.id))


def leave_out(conn: Connection, ids: Sequence[int], reason: str) -> None:
    """Take failures out of the counts of their reading, and of the site unless it has gone on."""
    for job_id in ledger.leave_out(conn, ids, reason):
        job = ledger.recount(conn, job_id)
        run = active_run(conn, job.subdomain)
        if run is None or run.run_id == job.run_id:
            correct(conn, job)
