"""The jobs of the pipeline, in its order.  Read it top to bottom.

A job named here does its one thing on a site and counts it once, however often it is called: it
claims the site's row for that step in the ledger, works in a child process, and accounts for it.
Called for a run that is over, or for work that is done or in other hands, it does nothing.

``ocr_page_job`` keeps the name operators know; it reads a whole document.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import msgspec
from sqlalchemy import Connection, Row, select

from clerk.annotations import follow_pages
from clerk.annotations.uploads import Uploads
from clerk.core import config, storage
from clerk.core.db import civic_db_connection, lock_site, reading_connection, require_site
from clerk.core.models import runs_table
from clerk.core.states import (
    COMPILATION,
    DEPLOY,
    EXTRACTION,
    FETCH,
    OCR,
    QUEUES,
    Item,
    Kind,
    Run,
    Step,
)
from clerk.executors.child_process import Order, OrderItem, Performed, Report
from clerk.executors.pool import Crew

from . import ledger, liveness, pipeline_state, queue, steps, transitions
from .ledger import Claimed, ClaimedItem, Limit, Outcome

log = logging.getLogger(__name__)

#: How many batches of dead workers one that has its own work to watch takes back at a time.
BURIED_AT_ONCE = 50


# ---------------------------------------------------------------------------------- the jobs


def fetch_site_job(subdomain: str, run_id: str | None = None, **options: Any) -> None:
    """Fetch a site's documents; the reading of what was found is opened with it."""
    _do_step(subdomain, FETCH, Step.FETCH, run_id, options=options)


def ocr_page_job(
    subdomain: str, pdf_path: str, backend: str | None = None, run_id: str | None = None
) -> None:
    """Read one document.  A bad one is counted as failed and does not raise."""
    folder = storage.site_folder(config.load().storage_dir, subdomain)
    document = storage.Document.from_pdf(Path(pdf_path), folder)
    options = {"ocr_backend": backend} if backend else {}
    _do_step(subdomain, OCR, Step.DOCUMENT, run_id, document=document.name, options=options)


def ocr_complete_coordinator(subdomain: str, run_id: str | None = None) -> None:
    """Look whether there is any text, and open compilation and extraction, or end the run."""
    with civic_db_connection() as conn:
        lock_site(conn, subdomain)
        if _is_over(conn, run_id):
            return
        site = require_site(conn, subdomain)
        job = _job(conn, site, OCR)
        if job and not pipeline_state.job_of_stage(conn, subdomain, OCR, Kind.COORDINATOR):
            pipeline_state.claim_coordinator(conn, subdomain, OCR, job)
    _perform_now(lambda conn, me: _claim_step(conn, subdomain, OCR, Kind.COORDINATOR, me))


def compile_db_job(subdomain: str, run_id: str | None = None, **_ignored: Any) -> None:
    """Compile the site's database and publish its text."""
    _do_step(subdomain, COMPILATION, Step.COMPILE, run_id)


def extract_entities_job(subdomain: str, run_id: str | None = None, **_ignored: Any) -> None:
    """Find votes and names and compile them in."""
    _do_step(subdomain, EXTRACTION, Step.EXTRACT, run_id)


def deploy_job(subdomain: str, run_id: str | None = None, **_ignored: Any) -> None:
    """Publish the site and end its run."""
    _do_step(subdomain, DEPLOY, Step.DEPLOY, run_id)


def drain_job(queue_name: str) -> None:
    """Work on a queue until nothing is left: what a hint in the queue asks for."""
    with Crew(Pipeline(), (queue_name,), config.load()) as crew:
        while crew.turn() or not crew.nothing_to_claim():
            pass


# ------------------------------------------------------------------------------- doing one


def _do_step(
    subdomain: str,
    stage: str,
    step: str,
    run_id: str | None,
    document: str | None = None,
    options: dict[str, Any] | None = None,
) -> None:
    with civic_db_connection() as conn:
        lock_site(conn, subdomain)
        if _is_over(conn, run_id):
            log.info("%s: run %s is over, nothing to do", subdomain, run_id)
            return
        job = _job(conn, require_site(conn, subdomain), stage)
        if job is None:
            log.warning("%s: a run without %s is under way, nothing to do", subdomain, stage)
            return
        grown = ledger.name_item(conn, job, step, document)
        if grown is not None:
            pipeline_state.show_job(conn, grown)

    def claim(conn: Connection, me: str) -> Claimed | None:
        claimed = _claim_step(conn, subdomain, stage, Kind.STAGE, me, document)
        return claimed and replace(claimed, options={**claimed.options, **(options or {})})

    _perform_now(claim)


def _is_over(conn: Connection, run_id: str | None) -> bool:
    """Whether a run is known and not active any more; a label nobody knows is the caller's own."""
    state = conn.execute(select(runs_table.c.state).where(runs_table.c.run_id == run_id)).scalar()
    return state is not None and state != Run.ACTIVE


def _job(conn: Connection, site: dict[str, Any], stage: str) -> Row[Any] | None:
    """Return the parent of a stage: of the active run, of the site as it is, or of a new run.

    None while a run without the stage is under way: a stray message does not end it.
    """
    subdomain = site["subdomain"]
    job = pipeline_state.job_of_stage(conn, subdomain, stage)
    if job is not None or pipeline_state.active_run(conn, subdomain) is not None:
        return job
    if site["current_stage"] == stage:
        return pipeline_state.adopt(conn, site)
    if stage == FETCH:
        transitions.start_run(conn, subdomain)
    elif stage == OCR:
        pipeline_state.open_stage(conn, subdomain, OCR, total=0)
    else:
        transitions.resume_run(conn, subdomain, stage, opened_by="a job of its own")
    return pipeline_state.job_of_stage(conn, subdomain, stage)


def _claim_step(
    conn: Connection,
    subdomain: str,
    stage: str,
    kind: str,
    worker_id: str,
    document: str | None = None,
) -> Claimed | None:
    job = pipeline_state.job_of_stage(conn, subdomain, stage, kind)
    if job is None:
        return None
    return ledger.claim_from(conn, job, worker_id, 1, document)


def _perform_now(claim: Callable[[Connection, str], Claimed | None]) -> None:
    """Do what a claim gives, in a child of this process, and account for it."""
    with Crew(_OneClaim(claim), (), config.load()) as crew:
        while crew.turn():
            pass


# ------------------------------------------------------------------------------- the flow


class Pipeline:
    """What a crew asks of the pipeline, and of uploads; see :class:`clerk.executors.Flow`."""

    uploads = Uploads()
    #: Whether something was opened that idle workers do not know of.
    _opened = False

    def claim(self, queues: Collection[str], worker_id: str, limit: Limit) -> Claimed | None:
        """Take some work; looked for without a lock, which on SQLite keeps all others waiting."""
        with reading_connection() as conn:
            jobs = ledger.claimable_jobs(conn, queues)
        if jobs:
            with civic_db_connection() as conn:
                if claimed := ledger.claim_one(conn, jobs, worker_id, limit):
                    return claimed
        return self.uploads.claim(queues, worker_id, limit)

    def order(self, claimed: Claimed) -> Order:
        """Return the site and the items, in values that can be sent."""
        if claimed.kind == Kind.UPLOAD:
            return self.uploads.order(claimed)
        items = [
            OrderItem(each.document, each.bytes, each.sha256, each.error) for each in claimed.items
        ]
        return Order(claimed.step, _site_for(claimed), items, dict(claimed.options))

    def invitation(self, queues: Collection[str]) -> Order | None:
        """Return pages of a long document that somebody reads."""
        return steps.invitation(config.load()) if OCR in queues else None

    def perform(self, order: Order, index: int, report: Report) -> Performed:
        """Do one item; runs in the child."""
        if order.step == steps.ASSIST:
            return steps.assist(order, index, report)
        if not order.site:
            return self.uploads.perform(order, index, report)
        performed = steps.perform(order, index, report)
        if order.step == Step.COORDINATOR and not performed.result:
            self._explain_no_text(order.site["subdomain"])
        if order.step == Step.EXTRACT:
            report(steps.SITE_SECONDS, "keeping annotations")
            follow_pages.follow(order.site["subdomain"], everything=False)
        return performed

    def _explain_no_text(self, subdomain: str) -> None:
        """Tell a reading in which every document failed from a machine without the text."""
        with reading_connection() as conn:
            reading = pipeline_state.job_of_stage(conn, subdomain, OCR)
        if reading is not None and reading.completed:
            raise steps.no_text(subdomain, reading.completed, config.load())

    def finish(
        self,
        claimed: Claimed,
        outcomes: list[Outcome],
        *,
        ended: bool,
        going_on: Collection[str] = (),
    ) -> Claimed | None:
        """Account for items and open what follows; a coordinator need not wait to be found."""
        if claimed.kind == Kind.UPLOAD:
            self.uploads.finish(claimed, outcomes, ended=ended)
            return None
        ready = [_with_findings(outcome) for outcome in outcomes]
        with civic_db_connection() as conn:
            settled = transitions.finish(conn, claimed, ready, ended=ended, going_on=going_on)
        for outcome in outcomes:
            _log_outcome(claimed, outcome)
        self._opened |= settled.closed
        return settled.following

    def crash(self, claimed: Claimed, blamed: ClaimedItem | None, cause: str) -> None:
        """Account for a child that died."""
        if claimed.kind == Kind.UPLOAD:
            self.uploads.crash(claimed, blamed, cause)
            return
        with civic_db_connection() as conn:
            transitions.crash(conn, claimed, blamed, cause)
        document = blamed.document if blamed else None
        log.error("%s", cause, extra=_context(claimed) | {"document": document})
        self._opened = True

    def still_held(self, claims: Collection[str]) -> set[str]:
        """Return which of the claims still hold something: their run or upload goes on."""
        with reading_connection() as conn:
            return ledger.still_held(conn, claims)

    def still_wanted(self, order: Order) -> bool:
        """Whether the document whose pages were ordered still has its reader."""
        return steps.has_reader(order, config.load())

    def hint(self) -> None:
        """Tell idle workers elsewhere of what was opened since the last hint."""
        if self._opened:
            queue.offer(QUEUES)
            self._opened = False

    def sweep(self) -> None:
        """Take work back from workers that are dead, not so much at once that a beat is late."""
        sweep(most=BURIED_AT_ONCE)
        self.uploads.sweep()

    def release(self, worker_id: str) -> None:
        """Give back what a worker holds without knowing."""
        with reading_connection() as conn:
            held = ledger.claims_of(conn, worker_id)
        for claimed in held:
            with civic_db_connection() as conn:
                transitions.finish(conn, claimed, [], ended=True)
        self.uploads.release(worker_id)


class _OneClaim(Pipeline):
    """A flow that gives out one claim and nothing after it."""

    def __init__(self, claim: Callable[[Connection, str], Claimed | None]) -> None:
        self._claim: Callable[[Connection, str], Claimed | None] | None = claim

    def claim(self, queues: Collection[str], worker_id: str, limit: Limit) -> Claimed | None:
        """Take the one claim, the first time."""
        if self._claim is None:
            return None
        with civic_db_connection() as conn:
            claimed = self._claim(conn, worker_id)
        self._claim = None
        return claimed

    def sweep(self) -> None:
        """Leave that to those who stay."""


def sweep(most: int | None = None) -> int:
    """Take work back from dead workers and return how many batches were found."""
    with reading_connection() as conn:
        dead = liveness.dead_on_this_host(conn)
        found = ledger.batches_of_the_dead(conn, dead, most)
    if found:
        names = [item.document or item.step for claimed in found for item in claimed.items]
        log.error("Detected %d potentially crashed jobs: %s", len(found), ", ".join(names[:10]))
    for claimed in found:
        _bury(claimed, dead)
    return len(found)


def _bury(claimed: Claimed, dead: Collection[str]) -> None:
    with civic_db_connection() as conn:
        if ledger.is_of_the_dead(conn, claimed, dead):
            blamed = ledger.in_hand(conn, claimed)
            transitions.crash(conn, claimed, blamed, "The worker died", worker_lost=True)


def _with_findings(outcome: Outcome) -> Outcome:
    """Give a fetch's result the shape the road expects."""
    if outcome.item.step != Step.FETCH or outcome.state != Item.COMPLETED:
        return outcome
    return replace(outcome, result=msgspec.convert(outcome.result, transitions.Found))


def _site_for(claimed: Claimed) -> dict[str, Any]:
    """Return the site in values that can be sent; a coordinator, which must not wait, its name."""
    if claimed.step == Step.COORDINATOR:
        return {"subdomain": claimed.subdomain}
    with reading_connection() as conn:
        site = require_site(conn, claimed.subdomain)
    return {
        key: value.isoformat() if isinstance(value, datetime) else value
        for key, value in site.items()
    }


def _context(claimed: Claimed) -> dict[str, Any]:
    return {
        "site": claimed.subdomain,
        "run": claimed.run_id,
        "stage": claimed.stage,
        "batch": claimed.claim,
        "job": claimed.job_id,
    }


def _log_outcome(claimed: Claimed, outcome: Outcome) -> None:
    if outcome.state == Item.COMPLETED and not log.isEnabledFor(logging.INFO):
        return
    extra = _context(claimed) | {
        "document": outcome.item.document or None,
        "duration": round(outcome.seconds, 3),
    }
    if outcome.state == Item.COMPLETED:
        log.info("%s completed", outcome.item.step, extra=extra)
    else:
        again = "will be tried again" if outcome.state == Item.PENDING else "failed"
        log.warning("%s %s: %s", outcome.item.step, again, outcome.error, extra=extra)
