"""Stages that operators' scripts open, count and close themselves.

A site that they find in a stage without a run (an older system wrote it) is first taken into the
ledger as it is.
"""

from __future__ import annotations

import logging

from sqlalchemy import Connection, select, update

from clerk.core.db import (
    civic_db_connection,
    get_site_by_subdomain,
    lock_site,
    reading_connection,
    require_site,
)
from clerk.core.errors import InvalidInput
from clerk.core.models import db_now, items_table
from clerk.core.states import STAGES, Item, Step, check_stage

from . import ledger
from .ledger import Job, NewItem
from .site_counters import counters_of, show_job
from .transitions import adopt, claim_coordinator, job_of_stage, open_stage

log = logging.getLogger(__name__)


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
    """Say whether every document of the stage is accounted for and nobody has the coordinator.

    Not of a site that does not exist: there is nothing to trigger.
    """
    check_stage(stage)
    with reading_connection() as conn:
        site = get_site_by_subdomain(conn, subdomain)
    if site is None:
        return False
    total, completed, failed = counters_of(site, stage)
    accounted = completed + failed == total
    return accounted and site["current_stage"] == stage and not site["coordinator_enqueued"]


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


def _increment(subdomain: str, stage: str, state: str, error: str = "") -> bool:
    check_stage(stage)
    with civic_db_connection() as conn:
        lock_site(conn, subdomain)
        job = _held_job(conn, subdomain, stage)
        taken = ledger.take_unnamed(conn, job.id)
        if taken is None:
            log.warning("%s: all documents of %s are accounted for already", subdomain, stage)
            return False
        # The finished ones of an hour share a row, so that it is known, to the hour, when each of
        # them ended.
        items = items_table
        added = conn.execute(
            update(items)
            .where(items.c.job_id == job.id, items.c.step == Step.CARRIED, items.c.state == state)
            .where(items.c.finished_at.is_not(None), items.c.created_at >= db_now(-3600.0))
            .values(documents=items.c.documents + 1, finished_at=db_now())
        )
        if added.rowcount == 0:
            now = conn.execute(select(db_now())).scalar_one()
            row = NewItem(step=Step.CARRIED, state=state, finished_at=now)
            ledger.add_items(conn, job.id, taken, [row])
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


def _held_job(conn: Connection, subdomain: str, stage: str) -> Job:
    """Return the parent of a stage, its run held against being ended.

    The caller has locked the site: else two callers would adopt it, or count into a run that a
    third is superseding.
    """
    job = job_of_stage(conn, subdomain, stage)
    if job is None or not ledger.hold_run(conn, job.run_id, exclusive=False):
        site = require_site(conn, subdomain)
        if site["current_stage"] != stage:
            raise InvalidInput(
                f"{subdomain} is not in the stage {stage} but in {site['current_stage']}.",
                hint="Open the stage first: initialize_stage(subdomain, stage, total_jobs)",
            )
        job = adopt(conn, site)
    return job
