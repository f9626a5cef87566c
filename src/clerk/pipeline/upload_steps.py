"""The steps of an upload: split its file into parts, and store each part, whatever dies meanwhile.

A child reads a part, decides what becomes of each document, and stores all of it in one transaction
together with the end of its item.  The ledger sees to what raised or died::

    raised        -> again after a delay, document by document: a bad one costs only itself
    died          -> again -> the document that was running alone, or two halves
    died alone    -> again -> quarantined: an issue names it, everything else is stored
"""

from __future__ import annotations

import gc
import time
from pathlib import Path

import msgspec

from clerk.annotations import UploadBatch, upload_parts
from clerk.annotations import split as split_batches
from clerk.annotations.decide import Options
from clerk.annotations.spool import stored_upload
from clerk.annotations.upload_parts import (
    SECONDS,
    SECONDS_PER_MB,
    Decide,
    PartTask,
    Progress,
    stored_part,
)
from clerk.core.child_process import Order, OrderItem, Performed, Report
from clerk.core.config import Settings
from clerk.core.db import civic_db_connection, reading_connection
from clerk.core.errors import described
from clerk.core.states import Batch, Step
from clerk.executors.work import Claim, Crash

from . import ledger, transitions, upload_state
from .ledger import CRASH_BUDGET, NewPart, doc_summary
from .upload_state import ClaimLost

#: Parts are written in groups: at most this many, or this long after the last.
SPLIT_AT_ONCE, SPLIT_SECONDS = 16, 0.25


class _Sent(msgspec.Struct, frozen=True):
    """What a child is told: its claim, and what it needs to know of the upload."""

    claim: Claim
    project_id: int
    options: Options
    path: str
    #: How many parts the file was split into so far.
    parts: int


def order(claim: Claim) -> Order:
    """Return a claim with its upload, in values that can be sent."""
    with reading_connection() as conn:
        upload = upload_state.require_upload(conn, claim.job_id)
    sent = _Sent(claim, upload.project_id, upload.options, upload.source.path, upload.batches)
    (item,) = claim.items
    items = [OrderItem(item.document, item.bytes)]
    return Order(claim.step, items=items, upload=msgspec.msgpack.encode(sent))


def split(order: Order, report: Report) -> Performed:
    """Split the rest of a file into parts, which can be claimed while this goes on."""
    sent = msgspec.msgpack.decode(order.upload, type=_Sent)
    upload = stored_upload(sent.path)
    seconds = SECONDS + SECONDS_PER_MB * Path(upload.path).stat().st_size / 1e6
    report(seconds, Step.SPLIT)
    waiting: list[NewPart] = []
    written_at = time.monotonic()
    for batch in split_batches(upload, sent.options.limits, skip=sent.parts):
        waiting.append(new_part(batch))
        if len(waiting) >= SPLIT_AT_ONCE or time.monotonic() - written_at > SPLIT_SECONDS:
            _write(sent.claim, waiting)
            written_at = time.monotonic()
            report(seconds, Step.SPLIT)
    _write(sent.claim, waiting)
    with civic_db_connection() as conn:
        transitions.finish_split(conn, sent.claim)
    return Performed()


def _write(claim: Claim, waiting: list[NewPart]) -> None:
    if waiting:
        with civic_db_connection() as conn:
            upload_state.extend_split(conn, claim, waiting)
    waiting.clear()


def new_part(batch: UploadBatch, error: Exception | None = None) -> NewPart:
    """Return a part as the ledger keeps it; one with an error has failed."""
    names = [{"sourcedb": db, "sourceid": name} for db, name in batch.documents]
    return NewPart(
        upload_parts.payload_of(batch, doc_summary(names)),
        batch.items,
        batch.bytes,
        names,
        described(error) if error else "",
        type(error).__name__ if error else "",
    )


def store(order: Order, report: Report, decide: Decide, settings: Settings) -> Performed:
    """Decide about every document of a part, and store all in one transaction."""
    sent = msgspec.msgpack.decode(order.upload, type=_Sent)
    # There are no cycles among the many values of a part: do not look for them.
    gc.disable()
    try:
        started = time.monotonic()
        (item,) = sent.claim.items
        task = PartTask(
            sent.project_id,
            sent.claim.job_id,
            sent.options,
            stored_upload(sent.path),
            _batch(sent.claim),
            settings.storage_dir,
        )
        seconds = SECONDS + SECONDS_PER_MB * item.bytes / 1e6
        progress = Progress(report, seconds, exact=bool(item.crashes or item.lost))
        found = upload_parts.find(task, progress, decide, singly=bool(item.errors))
        report(seconds)
        with civic_db_connection() as conn:
            if conn.dialect.name == "postgresql":
                # The locks of a child that was stopped while it holds them are let go.
                limit = f"idle_in_transaction_session_timeout = {int(seconds * 1000)}"
                conn.exec_driver_sql(f"SET LOCAL {limit}")
            if not ledger.is_held(conn, sent.claim):
                raise ClaimLost
            found.store(conn, task)
            bad = [new_part(each.batch, each.error) for each in found.bad]
            issues = [
                upload_state.document_failed(name, Batch.FAILED, part.error)
                for part, each in zip(bad, found.bad, strict=True)
                for name in each.batch.documents or [("", "")]
            ]
            transitions.finish_part(
                conn,
                sent.claim,
                found.stored,
                [*found.issues, *issues],
                bad,
                time.monotonic() - started,
            )
    finally:
        gc.enable()
    return Performed()


def divided_after(claim: Claim, crash: Crash) -> list[NewPart]:
    """Return the parts that take the place of one whose process died; none: it is tried again.

    A part of several documents is divided when it has used up its budget, so that only the
    document that is to blame is given up.
    """
    item = crash.item
    if item is None or item.step != Step.STORE or stored_part(item.payload).documents <= 1:
        return []
    if item.crashes + item.lost + 1 < CRASH_BUDGET:
        return []
    return divided(claim, crash.position)


def divided(claim: Claim, position: int = 0) -> list[NewPart]:
    """Return a part as the document at a position and the rest, or else as two halves."""
    sent = msgspec.msgpack.decode(order(claim).upload, type=_Sent)
    parts = upload_parts.divided(stored_upload(sent.path), _batch(sent.claim), position)
    return [new_part(each) for each in parts]


def _batch(claim: Claim) -> UploadBatch:
    (item,) = claim.items
    return upload_parts.batch_from(item.payload, item.documents, item.bytes)
