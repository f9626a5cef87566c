"""The ledger: the only module that opens, claims, settles, releases and sweeps items of work.

An item is a document, a step, or a part of an upload.  Its row moves by guarded statements::

    pending --claim--> running --settle--> completed | failed
       ^                  |  \\--crash----> quarantined    (too often running when a process died)
       \\----- release ----/                                any --cancel--> cancelled

Every claim makes a new fencing token, and everything that follows names it in its WHERE: a worker
that was given up for dead changes nothing any more.  Next to the items a batch
(``batch_job_trackings``) shows what a worker was given.  The batch of a part of an upload exists
from the moment the part does, and a part that crashed and is tried again has another one; the other
batches are made by the claim.  Splitting a file has none.

Nothing here touches ``sites``; see :mod:`clerk.pipeline.transitions`.

Locks are taken in the order runs, items, batches, jobs, sites or uploads.

::

    items      jobs and items: written, counted, cancelled, closed
    claiming   which items a worker takes
    settling   how items end, and their batches with them
    held       which workers are alive, what they hold, and what the dead held
    history    what happened, and what people did

Statements of the daily work are made once, as constants or by a cached function: building one takes
SQLAlchemy several times as long as the database takes to do it.
"""

from __future__ import annotations

from .claiming import (
    JOBS_LOOKED_AT,
    LAST_SHARE,
    STEPS_OF_QUEUE,
    claim,
    claim_from,
    claim_one,
    claimable_jobs,
    documents_to_read,
    load_claim,
    open_coordinator_for,
    queues_with_work,
    running_item,
)
from .held import (
    batches_of_the_dead,
    beat,
    claims_of,
    dead_on_this_host,
    forget_dead_workers,
    forget_worker,
    is_of_the_dead,
    register_worker,
    still_held,
)
from .history import LogLine, audit, log_lines, record, recording
from .items import (
    ERROR_LENGTH,
    Job,
    NewItem,
    NewPart,
    add_items,
    add_parts,
    cancel_job,
    cancel_open_work,
    close_job,
    count,
    doc_summary,
    documents_of_part,
    end_as_cancelled,
    extend_job,
    has_open_step,
    job_from,
    leave_out,
    name_item,
    note_detail,
    open_job,
    recount,
    reopen,
    take_unnamed,
)
from .settling import (
    CRASH_BUDGET,
    CRASHED,
    ERROR_BUDGET,
    LOST_BUDGET,
    RETRY_DELAYS,
    WORKER_LOST,
    FailedItem,
    Settled,
    batch_id_of,
    complete_item,
    crash,
    end_batch,
    ending_batch,
    extend_split,
    hold_claim,
    hold_run,
    is_held,
    record_crash,
    release,
    replace_part,
    return_batch,
    settle,
    shrink_batch,
)
from .sql import Statement, sql_word, together

__all__ = [
    "CRASHED",
    "CRASH_BUDGET",
    "ERROR_BUDGET",
    "ERROR_LENGTH",
    "JOBS_LOOKED_AT",
    "LAST_SHARE",
    "LOST_BUDGET",
    "RETRY_DELAYS",
    "STEPS_OF_QUEUE",
    "WORKER_LOST",
    "FailedItem",
    "Job",
    "LogLine",
    "NewItem",
    "NewPart",
    "Settled",
    "Statement",
    "add_items",
    "add_parts",
    "audit",
    "batch_id_of",
    "batches_of_the_dead",
    "beat",
    "cancel_job",
    "cancel_open_work",
    "claim",
    "claim_from",
    "claim_one",
    "claimable_jobs",
    "claims_of",
    "close_job",
    "complete_item",
    "count",
    "crash",
    "dead_on_this_host",
    "doc_summary",
    "documents_of_part",
    "documents_to_read",
    "end_as_cancelled",
    "end_batch",
    "ending_batch",
    "extend_job",
    "extend_split",
    "forget_dead_workers",
    "forget_worker",
    "has_open_step",
    "hold_claim",
    "hold_run",
    "is_held",
    "is_of_the_dead",
    "job_from",
    "leave_out",
    "load_claim",
    "log_lines",
    "name_item",
    "note_detail",
    "open_coordinator_for",
    "open_job",
    "queues_with_work",
    "record",
    "record_crash",
    "recording",
    "recount",
    "register_worker",
    "release",
    "reopen",
    "replace_part",
    "return_batch",
    "running_item",
    "settle",
    "shrink_batch",
    "sql_word",
    "still_held",
    "take_unnamed",
    "together",
]
