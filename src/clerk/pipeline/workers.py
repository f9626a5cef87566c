"""The jobs of the pipeline, in its order.  Read it top to bottom.

A job named here does its one thing on a site and counts it once, however often it is called: it
claims the site's row for that step in the ledger, works in a child process, and accounts for it.
Called for a run that is over, or for work that is done or claimed by others, it does nothing.

``ocr_page_job`` keeps the name operators know; it reads a whole document.
"""

from __future__ import annotations

import logging
from dataclasses import replace
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, select

from clerk.core import config, manifest, storage
from clerk.core.db import civic_db_connection, lock_site, require_site
from clerk.core.models import runs_table
from clerk.core.run_options import NO_OPTIONS, RunOptions
from clerk.core.site_extra import SiteRow
from clerk.core.states import (
    COMPILATION,
    COMPLETED,
    DEPLOY,
    EXTRACTION,
    FETCH,
    OCR,
    Kind,
    Run,
    Step,
)
from clerk.executors.work import Claim
from clerk.read.ocr import backends

from . import failures, flow, ledger, site_counters, transitions
from .ledger import Job

log = logging.getLogger(__name__)

# ---------------------------------------------------------------------------------- the jobs


def fetch_site_job(subdomain: str, run_id: str | None = None, **options: Any) -> None:
    """Fetch a site's documents; the reading of what was found is opened with it."""
    _do_step(subdomain, FETCH, Step.FETCH, run_id, options=RunOptions.of(options))


def ocr_page_job(
    subdomain: str, pdf_path: str, backend: str | None = None, run_id: str | None = None
) -> None:
    """Read one document.  A bad one is counted as failed and does not raise."""
    folder = storage.site_folder(config.load().storage_dir, subdomain)
    document = storage.Document.from_pdf(Path(pdf_path), folder)
    options = RunOptions(ocr_backend=backend)
    _do_step(subdomain, OCR, Step.DOCUMENT, run_id, document=document.name, options=options)


def ocr_complete_coordinator(subdomain: str, run_id: str | None = None) -> None:
    """Look whether there is any text, and open compilation and extraction, or end the run."""
    with civic_db_connection() as conn:
        lock_site(conn, subdomain)
        if _is_over(conn, run_id):
            return
        site = require_site(conn, subdomain)
        job = _job(conn, site, OCR)
        if job and not transitions.job_of_stage(conn, subdomain, OCR, Kind.COORDINATOR):
            transitions.claim_coordinator(conn, subdomain, OCR, job)
    flow.perform_now(
        config.load(), lambda conn, me: _claim_step(conn, subdomain, OCR, Kind.COORDINATOR, me)
    )


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
    flow.drain(config.load(), queue_name)


# -------------------------------------------- the same, under the names that may wait in Redis


def ocr_document_job(
    subdomain: str,
    pdf_path: str,
    backend: str | None = None,
    run_id: str | None = None,
    proceed: bool = True,
    **_ignored: Any,
) -> None:
    """Read one document; what follows the last one does not depend on ``proceed``.

    An engine of the old system that clerk does not have is replaced by the site's own.
    """
    known = backends()
    ocr_page_job(subdomain, pdf_path, backend if backend in known else None, run_id)


def coordinator_job(subdomain: str, run_id: str | None = None, **_ignored: Any) -> None:
    """Open what follows the reading, if it is over."""
    ocr_complete_coordinator(subdomain, run_id)


def db_compilation_job(subdomain: str, run_id: str | None = None, **_ignored: Any) -> None:
    """Compile the site's database and publish its text."""
    compile_db_job(subdomain, run_id)


# ------------------------------------------------------------------------------- doing one


def _do_step(
    subdomain: str,
    stage: str,
    step: str,
    run_id: str | None,
    document: str | None = None,
    options: RunOptions = NO_OPTIONS,
) -> None:
    with civic_db_connection() as conn:
        lock_site(conn, subdomain)
        if _is_over(conn, run_id):
            log.info("%s: run %s has ended, nothing to do", subdomain, run_id)
            return
        job = _job(conn, require_site(conn, subdomain), stage, document)
        if job is None:
            log.warning("%s: already done, or the current run has no %s", subdomain, stage)
            return
        grown = ledger.name_item(conn, job, step, document)
        if grown is not None:
            site_counters.show_job(conn, grown)

    def claim(conn: Connection, me: str) -> Claim | None:
        claimed = _claim_step(conn, subdomain, stage, Kind.STAGE, me, document)
        return claimed and replace(claimed, options=options.over(claimed.options))

    flow.perform_now(config.load(), claim)


def _is_over(conn: Connection, run_id: str | None) -> bool:
    """Whether a run is known and not active any more; a label nobody knows is the caller's own."""
    state = conn.execute(select(runs_table.c.state).where(runs_table.c.run_id == run_id)).scalar()
    return state is not None and state != Run.ACTIVE


def _job(conn: Connection, site: SiteRow, stage: str, document: str | None = None) -> Job | None:
    """Return the parent of a stage: of the active run, of the site as it is, or of a new run.

    None while a run without the stage is under way: a stray message does not end it.  None, too,
    for the reading of a site that has been read since: a message that waited in Redis while the
    site was taken over finds its work done.
    """
    subdomain = site["subdomain"]
    job = transitions.job_of_stage(conn, subdomain, stage)
    if job is not None or transitions.active_run(conn, subdomain) is not None:
        return job
    if site["current_stage"] == stage:
        return transitions.adopt(conn, site)
    if stage == FETCH:
        transitions.start_run(conn, subdomain)
    elif stage == OCR:
        former = failures.last_reading(conn, subdomain)
        if former is not None and site["current_stage"] == COMPLETED:
            known = document is None or failures.is_in_reading(conn, former, document)
            text = document and manifest.document(conn, subdomain, document)
            if known or (text and text.text_sha256):
                return None
        transitions.open_stage(conn, subdomain, OCR, total=0)
    else:
        transitions.resume_run(conn, subdomain, stage, opened_by="a job of its own")
    return transitions.job_of_stage(conn, subdomain, stage)


def _claim_step(
    conn: Connection,
    subdomain: str,
    stage: str,
    kind: str,
    worker_id: str,
    document: str | None = None,
) -> Claim | None:
    job = transitions.job_of_stage(conn, subdomain, stage, kind)
    if job is None:
        return None
    return ledger.claim_from(conn, job, worker_id, 1, document)
