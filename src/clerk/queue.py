"""The RQ queues, under the import path of operators' scripts; see :mod:`clerk.pipeline.queues`."""

from __future__ import annotations

import time
import uuid
from typing import TYPE_CHECKING, Any

from clerk.core import config
from clerk.core.errors import InvalidInput
from clerk.core.run_options import RunOptions
from clerk.core.states import COMPILATION, DEPLOY, EXTRACTION, FETCH, OCR
from clerk.pipeline import runs
from clerk.pipeline.queues import redis_queue

if TYPE_CHECKING:
    from redis import Redis
    from rq import Queue

#: What scripts call a job -> its stage and its function in :mod:`clerk.workers`.
JOB_TYPES = {
    "fetch-site": (FETCH, "fetch_site_job"),
    "ocr-page": (OCR, "ocr_page_job"),
    "ocr-document": (OCR, "ocr_document_job"),
    "ocr-coordinator": (COMPILATION, "ocr_complete_coordinator"),
    "coordinator": (COMPILATION, "coordinator_job"),
    "compile-db": (COMPILATION, "compile_db_job"),
    "compile-site": (COMPILATION, "compile_db_job"),
    "db-compilation": (COMPILATION, "db_compilation_job"),
    "extract-site": (EXTRACTION, "extract_entities_job"),
    "extract-entities": (EXTRACTION, "extract_entities_job"),
    "deploy-site": (DEPLOY, "deploy_job"),
    "deploy": (DEPLOY, "deploy_job"),
}


def get_redis() -> Redis:
    """Return the connection to Redis; needs REDIS_URL."""
    return get_high_queue().connection


def generate_run_id(subdomain: str) -> str:
    """Return a label for a run that a script drives itself; clerk's own runs have ids already."""
    return f"{subdomain}_{int(time.time())}_{uuid.uuid4().hex[:6]}"


def enqueue_job(
    job_type: str, site_id: str, priority: str = "normal", run_id: str | None = None, **kwargs: Any
) -> str:
    """Enqueue a job of a site by the old system's name of it, and return its id.

    ``fetch-site`` starts a run in the ledger, or takes up the one that is under way, and returns
    the id of the run; it needs no Redis.  ``priority="high"`` goes before everything that waits,
    and ``all_years=True`` lists the source from the site's start year on.
    """
    name = job_type.replace("_", "-").removesuffix("-job")
    if name not in JOB_TYPES:
        raise InvalidInput(
            f"There is no job type {job_type!r}.", hint=f"They are {', '.join(JOB_TYPES)}."
        )
    stage, function = JOB_TYPES[name]
    if stage == FETCH:
        options = RunOptions.of(kwargs)
        if kwargs.get("all_years") or kwargs.get("all_agendas"):
            runs.list_all_years([site_id])
        return runs.start(config.load(), site_id, options=options, urgent=priority == "high")
    queue = get_high_queue() if priority == "high" else redis_queue(config.load(), stage)
    job = queue.enqueue_call(
        f"clerk.workers.{function}", args=(site_id,), kwargs=kwargs | {"run_id": run_id}, timeout=-1
    )
    return job.id


def get_high_queue() -> Queue:
    """Return the queue that every worker checks first."""
    return redis_queue(config.load(), "high")


def get_fetch_queue() -> Queue:
    """Return the queue of fetching."""
    return redis_queue(config.load(), FETCH)


def get_ocr_queue() -> Queue:
    """Return the queue of reading."""
    return redis_queue(config.load(), OCR)


def get_compilation_queue() -> Queue:
    """Return the queue of compiling and of the coordinators."""
    return redis_queue(config.load(), COMPILATION)


def get_extraction_queue() -> Queue:
    """Return the queue of extraction."""
    return redis_queue(config.load(), EXTRACTION)


def get_deploy_queue() -> Queue:
    """Return the queue of publishing."""
    return redis_queue(config.load(), DEPLOY)
