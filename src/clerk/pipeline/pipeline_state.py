"""Stage, counters and the coordinator's claim in ``sites``: the only module that writes them.

The counters are a projection of the ledger, kept in the same transaction.  The public functions
are the ones operators' scripts know; each is one transaction.  A site they find in a stage without
a run (an older system wrote it) is first taken into the ledger as it stands.
"""

from __future__ import annotations

import logging
import uuid
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Row,
    String,
    and_,
    bindparam,
    case,
    exists,
    func,
    insert,
    or_,
    select,
    true,
    update,
)

from clerk.core.db import (
    civic_db_connection,
    lock_site,
    reading_connection,
    require_site,
    unknown_site,
)
from clerk.core.errors import InvalidInput
from clerk.core.models import db_now, items_table, jobs_table, runs_table, sites_table
from clerk.core.states import COMPILATION, FETCH, OCR, STAGES, Item, Kind, Run, Step, check_stage

from . import ledger
from .ledger import Claimed

log = logging.getLogger(__name__)

NO_DOCUMENTS = "No PDFs found during fetch - site may have no documents or fetch failed"
SUPERSEDED = "A newer run was started"


_NO_ERROR: dict[str, Any] = {
    "last_error_stage": None,
    "last_error_message": None,
    "last_error_at": None,
}


# ------------------------------------------------------------------ what operators' scripts call


def initialize_stage(subdomain: str, stage: str, total_jobs: int) -> None:
    """Open a stage for a number of documents that are not known by name yet.

    A run that is under way is superseded: nothing of it counts any more.
    """
    check_stage(stage)
    if total_jobs < 0:
        raise InvalidInput(f"A stage cannot have {total_jobs} documents.")
    with civic_db_connection() as conn:
        require_site(conn, subdomain)
        open_stage(conn, subdomain, stage, total_jobs)


def increment_completed(subdomain: str, stage: str) -> bool:
    """Count one more document as completed; False when all were accounted for already."""
    return _increment(subdomain, stage, Item.COMPLETED)


def increment_failed(subdomain: str, stage: str, error_message: str, error_class: str) -> bool:
    """Count one more document as failed and keep why; False when all were accounted for."""
    error = f"{error_class}: {error_message}"[: ledger.ERROR_LENGTH]
    return _increment(subdomain, stage, Item.FAILED, error)


def should_trigger_coordinator(subdomain: str, stage: str) -> bool:
    """Say whether every document of the stage is accounted for and nobody has the coordinator."""
    check_stage(stage)
    with reading_connection() as conn:
        site = require_site(conn, subdomain)
    accounted = site[f"{stage}_completed"] + site[f"{stage}_failed"] == site[f"{stage}_total"]
    return bool(accounted and site["current_stage"] == stage and not site["coordinator_enqueued"])


def claim_coordinator_enqueue(subdomain: str) -> bool:
    """Claim the coordinator of the site's stage; True for exactly one caller.

    The coordinator's own row is written with the claim, so that a caller that dies now loses
    nothing.  A stage with documents still open cannot be claimed: a slow worker of the stage before
    finds the next one's counters and is refused.
    """
    with civic_db_connection() as conn:
        lock_site(conn, subdomain)
        stage = require_site(conn, subdomain)["current_stage"]
        if stage not in STAGES:
            return False
        return claim_coordinator(conn, subdomain, stage, _held_job(conn, subdomain, stage))


# ------------------------------------------------------------------------- used by the road


def open_run(
    conn: Connection, subdomain: str, options: Mapping[str, Any], goal: str | None = None
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
            options=dict(options),
            goal_stage=goal,
        )
    )
    return run_id


def open_stage(conn: Connection, subdomain: str, stage: str, total: int) -> None:
    """Open a run in a stage, for documents that are not known by name yet."""
    run_id = open_run(conn, subdomain, {"opened_by": "initialize_stage"})
    ledger.record(conn, "run started", subdomain=subdomain, run_id=run_id, stage=stage)
    _open_unnamed(conn, run_id, subdomain, stage, total=total)
    enter(conn, subdomain, stage, **_counters(stage, total, 0, 0))


def active_run(conn: Connection, subdomain: str) -> Row[Any] | None:
    """Return the run that is under way, or None."""
    return conn.execute(
        select(runs_table).where(
            runs_table.c.subdomain == subdomain, runs_table.c.state == Run.ACTIVE
        )
    ).first()


_JOB_OF_STAGE = (
    select(jobs_table, runs_table.c.options)
    .join(runs_table, runs_table.c.run_id == jobs_table.c.run_id)
    .where(runs_table.c.subdomain == bindparam("site"))
    .where(runs_table.c.state == ledger.sql_word(Run.ACTIVE))
    .where(jobs_table.c.stage == bindparam("stage"), jobs_table.c.kind == bindparam("kind"))
)


def job_of_stage(
    conn: Connection, subdomain: str, stage: str, kind: str = Kind.STAGE
) -> Row[Any] | None:
    """Return the parent of a stage in the active run, or None."""
    values = {"site": subdomain, "stage": stage, "kind": kind}
    return conn.execute(_JOB_OF_STAGE, values).first()


def adopt(conn: Connection, site: Mapping[str, Any]) -> Row[Any]:
    """Take a site that is in a stage without a run into the ledger, counters as they stand."""
    stage, subdomain = site["current_stage"], site["subdomain"]
    total, completed, failed = (site[f"{stage}_{c}"] for c in ("total", "completed", "failed"))
    run_id = open_run(conn, subdomain, {"opened_by": "adoption"})
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
    never = {"available_at": None}
    rows = [
        never | {"step": Step.UNNAMED, "documents": total - completed - failed},
        never | {"step": Step.CARRIED, "documents": completed, "state": Item.COMPLETED},
        never | {"step": Step.CARRIED, "documents": failed, "state": Item.FAILED},
    ]
    ledger.add_items(conn, job_id, run_id, [row for row in rows if row["documents"]])


def take_over(conn: Connection, sites: Sequence[Mapping[str, Any]]) -> int:
    """Write where sites of an older system stand and return how many were written.

    Only those are that no run has touched and that have not gone past reading; the moments of
    their last movement stay, so that reconciliation sees how long ago it was.
    """
    by_stage: dict[tuple[str, ...], list[Mapping[str, Any]]] = {}
    for site in sites:
        by_stage.setdefault(tuple(sorted(site)), []).append(site)
    return sum(_take_over_alike(conn, alike) for alike in by_stage.values())


def _take_over_alike(conn: Connection, sites: Sequence[Mapping[str, Any]]) -> int:
    table = sites_table
    columns = [name for name in sites[0] if name not in ("subdomain", "error")]
    failed = bindparam("b_error", type_=String) != ""
    statement = (
        update(table)
        .where(table.c.subdomain == bindparam("b_subdomain"))
        .where(or_(table.c.current_stage.is_(None), table.c.current_stage == OCR))
        .where(~exists().where(runs_table.c.subdomain == table.c.subdomain))
        .values(
            coordinator_enqueued=False,
            last_error_stage=case((failed, FETCH), else_=table.c.last_error_stage),
            last_error_message=case(
                (failed, bindparam("b_error")), else_=table.c.last_error_message
            ),
            last_error_at=case((failed, db_now()), else_=table.c.last_error_at),
            **{name: bindparam(f"b_{name}") for name in columns},
        )
    )
    rows = [{f"b_{name}": value for name, value in site.items()} for site in sites]
    return conn.execute(statement, rows).rowcount


def show_job(conn: Connection, job: Row[Any], error: str = "") -> None:
    """Bring the site's counters of a stage in line with the job, in the job's transaction."""
    values = _counters(job.stage, job.total, job.completed, job.failed)
    if error:
        values |= _error(job.stage, error)
    _write(conn, job.subdomain, **values)


def correct(conn: Connection, job: Row[Any]) -> None:
    """Bring the site's counters in line with a job that a person corrected: not a movement."""
    conn.execute(
        update(sites_table)
        .where(sites_table.c.subdomain == job.subdomain)
        .values(**_counters(job.stage, job.total, job.completed, job.failed))
    )


def enter(conn: Connection, subdomain: str, stage: str, **values: Any) -> None:
    """Show the site in a stage, nobody having its coordinator yet."""
    _write(conn, subdomain, current_stage=stage, coordinator_enqueued=False, **values)


def begin(conn: Connection, subdomain: str, stage: str) -> None:
    """Show a site at the start of a run: counters at zero, no error."""
    zeros: dict[str, Any] = {}
    for each in STAGES:
        zeros |= _counters(each, 0, 0, 0)
    enter(conn, subdomain, stage, started_at=db_now(), **zeros, **_NO_ERROR)


def begin_again(conn: Connection, subdomain: str, stage: str) -> None:
    """Show a site at the start of a run in a later stage: counters stay, no error."""
    enter(conn, subdomain, stage, started_at=db_now(), **_NO_ERROR)


def note_error(conn: Connection, subdomain: str, stage: str, error: str) -> None:
    """Keep the last error of a site."""
    _write(conn, subdomain, **_error(stage, error))


def complete(
    conn: Connection, job: Row[Any], error: str = "", taker: Claimed | None = None
) -> Claimed | None:
    """Show a reading whose documents are all accounted for, and claim its coordinator, at once.

    The coordinator is given to the one who takes it, if there is such a worker.
    """
    values = _counters(job.stage, job.total, job.completed, job.failed)
    if error:
        values |= _error(job.stage, error)
    if not _change(conn, job.subdomain, _unclaimed(job.stage), coordinator_enqueued=True, **values):
        show_job(conn, job, error)
        return None
    if taker is not None:
        return ledger.open_coordinator_for(conn, job, taker)
    ledger.close_job(conn, job.id)
    open_coordinator(conn, job)
    return None


def claim_coordinator(conn: Connection, subdomain: str, stage: str, job: Row[Any]) -> bool:
    """Set the visible claim and write the coordinator's row; False when taken or too early."""
    if not _change(conn, subdomain, _ripe(stage), coordinator_enqueued=True):
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


def open_coordinator(conn: Connection, job: Row[Any]) -> None:
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
    ledger.add_items(conn, job_id, job.run_id, [{"step": Step.COORDINATOR, "documents": 0}])


def _increment(subdomain: str, stage: str, state: str, error: str = "") -> bool:
    check_stage(stage)
    with civic_db_connection() as conn:
        lock_site(conn, subdomain)
        job = _held_job(conn, subdomain, stage)
        if not _take_unnamed(conn, job.id, state):
            log.warning("%s: all documents of %s are accounted for already", subdomain, stage)
            return False
        more = {{Item.COMPLETED: "completed", Item.FAILED: "failed"}[state]: 1}
        show_job(conn, ledger.count(conn, job.id, **more), error)
        ledger.record(
            conn,
            "finished",
            subdomain=subdomain,
            run_id=job.run_id,
            stage=stage,
            detail=error or None,
            **more,
        )
        return True


def _held_job(conn: Connection, subdomain: str, stage: str) -> Row[Any]:
    """Return the parent of a stage, its run held against being ended.

    The caller has locked the site: else two callers would adopt it, or count into a run that a
    third is superseding.
    """
    job = job_of_stage(conn, subdomain, stage)
    if job is None or not ledger.hold_run(conn, job.run_id, exclusive=False):
        job = adopt(conn, _site_in_stage(conn, subdomain, stage))
    return job


def _site_in_stage(conn: Connection, subdomain: str, stage: str) -> dict[str, Any]:
    site = require_site(conn, subdomain)
    if site["current_stage"] != stage:
        raise InvalidInput(
            f"{subdomain} is not in the stage {stage} but in {site['current_stage']}.",
            hint="Open the stage first: initialize_stage(subdomain, stage, total_jobs)",
        )
    return site


def _take_unnamed(conn: Connection, job_id: int, state: str) -> bool:
    """Move one document from the unnamed to the finished ones; False when none is left.

    Those of an hour share a row, so that it is known, to the hour, when each of them ended.
    """
    items = items_table
    taken = ledger.take_unnamed(conn, job_id)
    if taken is None:
        return False
    added = conn.execute(
        update(items)
        .where(items.c.job_id == job_id, items.c.step == Step.CARRIED, items.c.state == state)
        .where(items.c.finished_at.is_not(None), items.c.created_at >= db_now(-3600.0))
        .values(documents=items.c.documents + 1, finished_at=db_now())
    )
    if added.rowcount == 0:
        now = conn.execute(select(db_now())).scalar_one()
        row = {"step": Step.CARRIED, "state": state, "available_at": None, "finished_at": now}
        ledger.add_items(conn, job_id, taken, [row])
    return True


def _counters(stage: str, total: int, completed: int, failed: int) -> dict[str, Any]:
    return {
        f"{stage}_total": total,
        f"{stage}_completed": completed,
        f"{stage}_failed": failed,
    }


def _error(stage: str, error: str) -> dict[str, Any]:
    return {
        "last_error_stage": stage,
        "last_error_message": error[: ledger.ERROR_LENGTH],
        "last_error_at": db_now(),
    }


def _write(conn: Connection, subdomain: str, **values: Any) -> None:
    if not _change(conn, subdomain, _ALWAYS, **values):
        raise unknown_site(subdomain)


_ALWAYS = true()


def _change(conn: Connection, subdomain: str, where: ColumnElement[bool], **values: Any) -> bool:
    """Change a site for which something holds, and say whether it did."""
    moments = tuple(name for name, value in values.items() if isinstance(value, db_now))
    plain = {name: value for name, value in values.items() if name not in moments}
    return conn.execute(_changing(where, moments), plain | {"site": subdomain}).rowcount == 1


@cache
def _changing(where: ColumnElement[bool], moments: tuple[str, ...]) -> Any:
    """Return the statement that sets these columns to the database's clock, others as given."""
    return (
        update(sites_table)
        .where(sites_table.c.subdomain == bindparam("site"), where)
        .values(**dict.fromkeys((*moments, "updated_at"), db_now()))
    )
