"""The road of a run: what each finished piece of work opens next, in the transaction that ends it.

::

    start -> fetch -> ocr: a row per document -> coordinator
          -> compilation + extraction -> deploy -> end

Nothing calls back up, and whatever dies on this road leaves a row that is pending or leased.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Connection, Row, bindparam, delete, func, insert, or_, select, update

from clerk.core.db import require_site
from clerk.core.models import (
    db_now,
    items_table,
    jobs_table,
    quarantine_table,
    runs_table,
    sites_table,
)
from clerk.core.states import (
    COMPILATION,
    COMPLETED,
    DEPLOY,
    EXTRACTION,
    FETCH,
    OCR,
    Batch,
    Item,
    Kind,
    Run,
    Step,
    check_stage,
)

from . import ledger, pipeline_state
from .ledger import Claimed, ClaimedItem, Outcome, Settled, Statement

#: The single step that is the whole work of a stage.
STEP_OF_STAGE = {
    FETCH: Step.FETCH,
    COMPILATION: Step.COMPILE,
    EXTRACTION: Step.EXTRACT,
    DEPLOY: Step.DEPLOY,
}


@dataclass(frozen=True)
class Found:
    """What a fetch left on disk: the documents to read, and how many need no reading."""

    documents: tuple[Mapping[str, Any], ...] = ()
    carried: int = 0
    #: What the source offered and nobody can read: name and error.
    rejected: tuple[Mapping[str, Any], ...] = ()
    #: The reader they are for; a document that failed with another one is tried again.
    engine: str = ""
    detail: Mapping[str, Any] = field(default_factory=dict)


# -------------------------------------------------------------------------------- beginning


def start_run(
    conn: Connection,
    subdomain: str,
    *,
    first: str = FETCH,
    goal: str | None = None,
    options: Mapping[str, Any] | None = None,
) -> str:
    """Open a run at a stage, fencing everything older, and return its id."""
    require_site(conn, subdomain)
    check_stage(first)
    run_id = pipeline_state.open_run(conn, subdomain, options or {}, goal)
    pipeline_state.begin(conn, subdomain, first)
    ledger.record(conn, "run started", subdomain=subdomain, run_id=run_id, stage=first)
    if first == OCR:
        raise ValueError("reading starts with a fetch, which finds what is on disk")
    if first in (COMPILATION, EXTRACTION):
        _open_compile_and_extract(conn, run_id, subdomain)
    else:
        open_step(conn, run_id, subdomain, first)
    return run_id


def resume_run(
    conn: Connection, subdomain: str, stage: str, opened_by: str = "reconciliation"
) -> str:
    """Open a run in a late stage for what is on disk; the counters of earlier ones stay."""
    run_id = pipeline_state.open_run(conn, subdomain, {"opened_by": opened_by})
    ledger.record(conn, "run resumed", subdomain=subdomain, run_id=run_id, stage=stage)
    if stage == DEPLOY:
        open_step(conn, run_id, subdomain, DEPLOY)
    else:
        _open_compile_and_extract(conn, run_id, subdomain)
    return run_id


def open_step(conn: Connection, run_id: str, subdomain: str, stage: str) -> None:
    """Open a stage that is a single step."""
    job_id = ledger.open_job(
        conn, run_id=run_id, subdomain=subdomain, stage=stage, queue=stage, total=1
    )
    ledger.add_items(conn, job_id, run_id, [{"step": STEP_OF_STAGE[stage]}])
    counters = {f"{stage}_total": 1, f"{stage}_completed": 0, f"{stage}_failed": 0}
    pipeline_state.enter(conn, subdomain, stage, **counters)


# --------------------------------------------------------------------------------- finishing


def finish(
    conn: Connection,
    claimed: Claimed,
    outcomes: Sequence[Outcome],
    *,
    ended: bool,
    going_on: Collection[str] = (),
) -> Settled:
    """Account for items of a claim and open what follows.

    ``ended``: the worker has no more of this batch in hand.  A run that is over, and rows that
    somebody else holds by now, are left alone.  A coordinator is given to the worker that ends the
    reading (``Settled.following``) if it serves its queue.
    """
    settled = ledger.settle(conn, claimed, outcomes)
    if settled is None:
        # A batch in work was cancelled with its run; one that had settled all it held was not.
        status = Batch.CANCELLED if outcomes else Batch.COMPLETED
        ledger.end_batch(conn, claimed, status, "The run is over" if outcomes else None)
        return Settled()
    also: list[Statement] = []
    if ended:
        if len(outcomes) < len(claimed.items):
            ledger.give_back(conn, claimed)
        error = settled.error or next((each.error for each in outcomes if each.error), "")
        useless = error and not settled.completed and not settled.results
        status = Batch.FAILED if useless else Batch.COMPLETED
        also.append(ledger.ending_batch(claimed, status, error or None))
    taker = claimed if COMPILATION in going_on else None
    _account(conn, claimed, settled, also, taker)
    return settled


def crash(
    conn: Connection,
    claimed: Claimed,
    blamed: ClaimedItem | None,
    cause: str,
    *,
    worker_lost: bool = False,
) -> Settled:
    """Account for a process that died: charge what it had in hand, give the rest back."""
    if not ledger.hold_run(conn, claimed.run_id, exclusive=True):
        ledger.end_batch(conn, claimed, Batch.CRASHED, cause)
        return Settled()
    settled = ledger.crash(conn, claimed, blamed, cause, worker_lost=worker_lost)
    _account(conn, claimed, settled, [])
    return settled


def _account(
    conn: Connection,
    claimed: Claimed,
    settled: Settled,
    also: list[Statement],
    taker: Claimed | None = None,
) -> None:
    """Record and count what was settled; the rows that all workers count on are locked last."""
    _remember_failures(conn, claimed, settled)
    if not (settled.completed or settled.failed or settled.results):
        if also:
            ledger.together(conn, *also)
        return
    if claimed.kind == Kind.STAGE:
        also.append(_recording(claimed, settled))
    job = ledger.count(
        conn,
        claimed.job_id,
        *also,
        completed=settled.completed,
        failed=settled.failed,
        seconds=settled.seconds,
    )
    settled.closed = job.completed + job.failed == job.total
    if job.kind == Kind.STAGE and job.stage == OCR and settled.closed:
        settled.following = pipeline_state.complete(conn, job, settled.error, taker)
        return
    if job.kind == Kind.STAGE:
        pipeline_state.show_job(conn, job, settled.error)
    if settled.closed:
        close(conn, job, settled.results)


def _recording(claimed: Claimed, settled: Settled) -> Statement:
    return ledger.recording(
        "finished",
        subdomain=claimed.subdomain,
        run_id=claimed.run_id,
        stage=claimed.stage,
        completed=settled.completed,
        failed=settled.failed,
        seconds=settled.seconds,
        detail=settled.error or None,
    )


def close(conn: Connection, job: Row[Any], results: list[Any]) -> None:
    """Close a stage whose documents are all accounted for, and open what follows."""
    if job.kind == Kind.COORDINATOR:
        ledger.close_job(conn, job.id)
        _coordinate(conn, job, results)
    elif job.stage == OCR:
        pipeline_state.complete(conn, job)
    elif ledger.close_job(conn, job.id):
        if results and isinstance(results[0], Mapping):
            ledger.note_detail(conn, job.id, results[0])
        _AFTER_STAGE[job.stage](conn, job, results)


def _after_fetch(conn: Connection, job: Row[Any], results: list[Any]) -> None:
    if job.failed:
        end_run(conn, job, Run.FAILED, "The documents could not be fetched", stage=FETCH)
        return
    found: Found = results[0]
    ledger.note_detail(conn, job.id, found.detail)
    if _goal(conn, job) == FETCH:
        end_run(conn, job, Run.COMPLETED, "Stopped after fetch, as asked")
    elif not (found.documents or found.carried or found.rejected):
        pipeline_state.note_error(conn, job.subdomain, FETCH, pipeline_state.NO_DOCUMENTS)
        end_run(conn, job, Run.NO_DOCUMENTS, pipeline_state.NO_DOCUMENTS)
    else:
        open_reading(conn, job.run_id, job.subdomain, found)


def open_reading(conn: Connection, run_id: str, subdomain: str, found: Found) -> None:
    """Open the reading of documents: a row each, and one for those that need none.

    A document that failed before, with the same bytes and the same reader, counts as failed at
    once, since when it failed first; one that a person skipped does not count.  If nothing is left
    to read the stage closes here.
    """
    remembered = _remembered(conn, subdomain, found.engine)
    rows = [_document_row(document, remembered) for document in found.documents]
    rejected = _told_apart(rows, [_rejected_row(each, remembered) for each in found.rejected])
    rows += _with_dates(conn, subdomain, rejected)
    failures = [row for row in rows if row["state"] in (Item.FAILED, Item.QUARANTINED)]
    skipped = sum(row["state"] == Item.CANCELLED for row in rows)
    job_id = ledger.open_job(
        conn,
        run_id=run_id,
        subdomain=subdomain,
        stage=OCR,
        queue=OCR,
        total=len(rows) - skipped + found.carried,
        completed=found.carried,
        failed=len(failures),
        detail={"engine": found.engine},
    )
    if found.carried:
        rows.append({"step": Step.CARRIED, "documents": found.carried, "state": Item.COMPLETED})
    ledger.add_items(conn, job_id, run_id, rows)
    pipeline_state.enter(conn, subdomain, OCR)
    job = ledger.count(conn, job_id)
    pipeline_state.show_job(conn, job, failures[-1]["error"] if failures else "")
    if job.completed + job.failed == job.total:
        close(conn, job, [])


def _document_row(
    document: Mapping[str, Any], remembered: Mapping[tuple[str, str], Row[Any]]
) -> dict[str, Any]:
    row = {"document": document["name"], "bytes": document["bytes"], "sha256": document["sha256"]}
    known = remembered.get((document["name"], document["sha256"]))
    if known is None:
        return row | {"state": Item.PENDING}
    return row | {"state": known.state, "error": known.reason, "finished_at": known.created_at}


def _rejected_row(
    rejected: Mapping[str, Any], remembered: Mapping[tuple[str, str], Row[Any]]
) -> dict[str, Any]:
    known = remembered.get((rejected["name"], ""))
    if known is not None:
        return {"document": rejected["name"], "state": known.state, "error": known.reason}
    return {"document": rejected["name"], "state": Item.FAILED, "error": rejected["error"]}


def _told_apart(
    rows: Sequence[Mapping[str, Any]], rejected: Sequence[dict[str, Any]]
) -> list[dict[str, Any]]:
    """Number what was rejected under a name that is taken: none is lost, no two are one."""
    taken = {row["document"] for row in rows}
    told_apart = []
    for row in rejected:
        name, number = row["document"], 1
        while row["document"] in taken:
            number += 1
            row = row | {"document": f"{name} ({number})"}
        taken.add(row["document"])
        told_apart.append(row)
    return told_apart


def _with_dates(
    conn: Connection, subdomain: str, rejected: Sequence[dict[str, Any]]
) -> list[dict[str, Any]]:
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
    return [row | {"finished_at": since.get(row["document"], now)} for row in rejected]


def read_again(
    conn: Connection,
    subdomain: str,
    former: Row[Any],
    rows: Sequence[Mapping[str, Any]],
    options: Mapping[str, Any],
) -> str:
    """Open a run that reads some documents of a former reading again, and return its id.

    ``rows`` are the documents to read and the failures that stay; what was read counts as before.
    """
    run_id = pipeline_state.open_run(conn, subdomain, options)
    ledger.record(conn, "run started", subdomain=subdomain, run_id=run_id, stage=OCR)
    job_id = ledger.open_job(
        conn,
        run_id=run_id,
        subdomain=subdomain,
        stage=OCR,
        queue=OCR,
        detail=former.detail,
    )
    carried = {"step": Step.CARRIED, "documents": former.completed, "state": Item.COMPLETED}
    ledger.add_items(conn, job_id, run_id, [*rows, *([carried] if former.completed else [])])
    pipeline_state.begin_again(conn, subdomain, OCR)
    pipeline_state.show_job(conn, ledger.recount(conn, job_id))
    return run_id


def retry_in_run(
    conn: Connection, job: Row[Any], ids: Sequence[int], new: Sequence[Mapping[str, Any]]
) -> None:
    """Have failures of a reading that is under way read again: they leave the failed count.

    ``new`` stands for failures that had no name, which leave the reading.
    """
    if not ledger.hold_run(conn, job.run_id, exclusive=True):
        return
    ledger.reopen(conn, ids)
    ledger.leave_out(conn, ids, "Named when it was retried")
    ledger.add_items(conn, job.id, job.run_id, new)
    pipeline_state.show_job(conn, ledger.recount(conn, job.id))


def leave_out(conn: Connection, ids: Sequence[int], reason: str) -> None:
    """Take failures out of the counts of their reading, and of the site unless it has gone on."""
    for job_id in ledger.leave_out(conn, ids, reason):
        job = ledger.recount(conn, job_id)
        run = pipeline_state.active_run(conn, job.subdomain)
        if run is None or run.run_id == job.run_id:
            pipeline_state.correct(conn, job)


def _coordinate(conn: Connection, job: Row[Any], results: list[Any]) -> None:
    """Open compilation and extraction if there is any text, else end the run."""
    text_documents = results[0]
    read = pipeline_state.job_of_stage(conn, job.subdomain, OCR)
    if text_documents is None:
        end_run(conn, job, Run.FAILED, "The text on disk could not be looked at", stage=OCR)
    elif _goal(conn, job) == OCR:
        end_run(conn, job, _verdict(conn, job.run_id), "Stopped after ocr, as asked")
    elif text_documents:
        _open_compile_and_extract(conn, job.run_id, job.subdomain)
    elif read is not None and read.total:
        reason = f"No text: none of {read.total} documents could be read"
        end_run(conn, job, Run.FAILED, reason, stage=OCR)
    else:
        pipeline_state.note_error(conn, job.subdomain, FETCH, pipeline_state.NO_DOCUMENTS)
        end_run(conn, job, Run.NO_DOCUMENTS, pipeline_state.NO_DOCUMENTS)


def _open_compile_and_extract(conn: Connection, run_id: str, subdomain: str) -> None:
    open_step(conn, run_id, subdomain, COMPILATION)
    open_step(conn, run_id, subdomain, EXTRACTION)


def _after_compile_or_extract(conn: Connection, job: Row[Any], results: list[Any]) -> None:
    """Open deploy when both are through; the run is held exclusively, so one of them sees both."""
    stages = conn.execute(
        select(jobs_table.c.stage, jobs_table.c.state, jobs_table.c.failed).where(
            jobs_table.c.run_id == job.run_id, jobs_table.c.stage.in_([COMPILATION, EXTRACTION])
        )
    ).fetchall()
    if any(row.state == "open" for row in stages):
        return
    if any(row.stage == COMPILATION and row.failed for row in stages):
        _stay(conn, job, COMPILATION, "The database could not be compiled")
    elif _goal(conn, job) in (COMPILATION, EXTRACTION):
        end_run(conn, job, _verdict(conn, job.run_id), "Stopped before deploy, as asked")
    else:
        open_step(conn, job.run_id, job.subdomain, DEPLOY)


def _after_deploy(conn: Connection, job: Row[Any], results: list[Any]) -> None:
    if job.failed:
        _stay(conn, job, DEPLOY, "The site could not be published")
    else:
        end_run(conn, job, _verdict(conn, job.run_id))


_AFTER_STAGE = {
    FETCH: _after_fetch,
    COMPILATION: _after_compile_or_extract,
    EXTRACTION: _after_compile_or_extract,
    DEPLOY: _after_deploy,
}


# ------------------------------------------------------------------------------------ ending


def end_run(conn: Connection, job: Row[Any], state: str, reason: str = "", stage: str = "") -> None:
    """End a run; the site waits for its next one.  ``stage`` is where it failed, if it did."""
    _end(conn, job.run_id, state, reason)
    pipeline_state.enter(conn, job.subdomain, COMPLETED)
    if stage and not _has_error(conn, job.subdomain):
        pipeline_state.note_error(conn, job.subdomain, stage, reason)
    _record_end(conn, job, state, reason)


def _stay(conn: Connection, job: Row[Any], stage: str, reason: str) -> None:
    """End a run whose site is not published: it stays in the stage, for reconciliation to retry."""
    _end(conn, job.run_id, Run.FAILED, reason)
    pipeline_state.enter(conn, job.subdomain, stage)
    _record_end(conn, job, Run.FAILED, reason)


def _end(conn: Connection, run_id: str, state: str, reason: str) -> None:
    conn.execute(
        update(runs_table)
        .where(runs_table.c.run_id == run_id, runs_table.c.state == Run.ACTIVE)
        .values(state=state, reason=reason or None, finished_at=db_now())
    )
    ledger.cancel_open_work(conn, run_id, reason or "The run is over")


def _record_end(conn: Connection, job: Row[Any], state: str, reason: str) -> None:
    ledger.record(
        conn,
        f"run {state}",
        subdomain=job.subdomain,
        run_id=job.run_id,
        stage=job.stage,
        detail=reason or None,
    )


def cancel_run(conn: Connection, subdomain: str, reason: str) -> bool:
    """Cancel the active run of a site and say whether there was one."""
    run = pipeline_state.active_run(conn, subdomain)
    if run is None or not ledger.hold_run(conn, run.run_id, exclusive=True):
        return False
    _end(conn, run.run_id, Run.CANCELLED, reason)
    pipeline_state.enter(conn, subdomain, COMPLETED)
    ledger.record(
        conn, "run cancelled", subdomain=subdomain, run_id=run.run_id, detail=reason or None
    )
    return True


def _verdict(conn: Connection, run_id: str) -> str:
    failed = conn.execute(
        select(func.coalesce(func.sum(jobs_table.c.failed), 0)).where(jobs_table.c.run_id == run_id)
    ).scalar_one()
    return Run.PARTIAL if failed else Run.COMPLETED


_GOAL = select(runs_table.c.goal_stage).where(runs_table.c.run_id == bindparam("run"))


def _goal(conn: Connection, job: Row[Any]) -> str | None:
    return conn.execute(_GOAL, {"run": job.run_id}).scalar()


def _has_error(conn: Connection, subdomain: str) -> bool:
    return (
        conn.execute(
            select(sites_table.c.last_error_stage).where(sites_table.c.subdomain == subdomain)
        ).scalar()
        is not None
    )


# ------------------------------------------------------------------------------ remembering


def _remembered(conn: Connection, subdomain: str, engine: str) -> dict[tuple[str, str], Row[Any]]:
    quarantine = quarantine_table
    holds = or_(quarantine.c.engine == engine, quarantine.c.state == Item.CANCELLED)
    rows = conn.execute(select(quarantine).where(quarantine.c.subdomain == subdomain, holds))
    return {(row.document, row.sha256): row for row in rows}


def forget_failures(conn: Connection, subdomain: str, documents: Sequence[str]) -> None:
    """Let documents be tried again that were remembered as failing or skipped."""
    conn.execute(
        delete(quarantine_table)
        .where(quarantine_table.c.subdomain == subdomain)
        .where(quarantine_table.c.document.in_(list(documents)))
    )


def remember_skipped(
    conn: Connection, subdomain: str, document: str, sha256: str, reason: str
) -> None:
    """Leave a document out of coming runs, whatever reads it, until its bytes change."""
    forget_failures(conn, subdomain, [document])
    conn.execute(
        insert(quarantine_table).values(
            subdomain=subdomain,
            document=document,
            sha256=sha256,
            state=Item.CANCELLED,
            reason=reason,
        )
    )


def _remember_failures(conn: Connection, claimed: Claimed, settled: Settled) -> None:
    """Keep documents that would fail again, by their bytes, so that the next run spares them."""
    for item, state, reason in settled.failures:
        if item.step != Step.DOCUMENT:
            continue
        key = {
            "subdomain": claimed.subdomain,
            "document": item.document,
            "sha256": item.sha256,
        }
        conn.execute(delete(quarantine_table).filter_by(**key))
        conn.execute(
            insert(quarantine_table).values(
                **key, engine=claimed.detail.get("engine", ""), state=state, reason=reason
            )
        )
