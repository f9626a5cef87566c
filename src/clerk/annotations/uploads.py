"""How an upload is worked on: cut into batches, each decided and stored, whatever dies meanwhile.

A child reads a batch, decides what becomes of each document, and stores all of it in one
transaction together with the batch's end; its parent beats, and sees to what raised or died::

    raised        -> again after a pause, document by document: a bad one costs only itself
    died          -> again after a pause -> the document in hand alone, or two halves
    died alone    -> again -> crashed: an issue names it, everything else is stored
"""

from __future__ import annotations

import contextlib
import gc
import logging
import time
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace
from sqlalchemy import Connection

from clerk import annotations as hands
from clerk.core import config
from clerk.core.db import civic_db_connection, reading_connection
from clerk.core.errors import ClerkError, DatabaseUnavailable, OperatorError
from clerk.core.states import ANNOTATIONS, Batch, Item
from clerk.executors.child_process import Order, OrderItem, Performed, Report
from clerk.pipeline import ledger, liveness, upload_ledger
from clerk.pipeline.batch_tracking import described
from clerk.pipeline.ledger import Claimed, ClaimedItem, Limit, Outcome
from clerk.pipeline.upload_ledger import SPLIT, BadDocument, Fenced, Piece

from . import CheckedObject, Issue
from . import store as annotation_store
from .decide import Decision, Options, Target, TooMuchAtOnce, decide, incomplete, look_up
from .spool import stored_upload
from .store import Key, NewDocument, NewSet, Outpaced

log = logging.getLogger(__name__)

#: How often a batch may raise, and a document alone be in hand when its process dies.
ERROR_BUDGET = 3
CRASH_BUDGET = 2
#: How often a batch may be lost with its worker, and a file be cut in vain.
LOST_BUDGET = 6
#: Time a child may be silent, and for every megabyte of its batch.
SECONDS, SECONDS_PER_MB = 60.0, 10.0
#: A child says where it is this often; one under suspicion before every document.
BREADCRUMB_SECONDS = 0.2
#: Batches are written in groups: at most so many, or so long after the last.
CUT_AT_ONCE, CUT_SECONDS = 16, 0.25


class _Sent(msgspec.Struct, frozen=True):
    """What a child is told of its claim."""

    claimed: Claimed


@dataclass(frozen=True)
class Task:
    """A batch of an upload, and what to do with it."""

    project_id: int
    job_id: int | None
    options: Options
    upload: hands.Upload
    batch: hands.Batch

    @classmethod
    def of(cls, claimed: Claimed) -> Task:
        """Return the task that a claim is."""
        told = dict(claimed.options)
        return cls(
            told["project_id"],
            claimed.job_id,
            msgspec.convert(told, Options),
            stored_upload(told["source"]["path"]),
            batch_of(claimed.detail),
        )


class Uploads:
    """What a crew asks of uploads; see :class:`clerk.executors.Flow`."""

    def claim(self, queues: Collection[str], worker_id: str, limit: Limit) -> Claimed | None:
        """Take a batch, asking first without a lock whether there is any."""
        if ANNOTATIONS not in queues:
            return None
        with reading_connection() as conn:
            if not upload_ledger.anything_claimable(conn):
                return None
        with civic_db_connection() as conn:
            return upload_ledger.claim(conn, worker_id)

    def order(self, claimed: Claimed) -> Order:
        """Return the claim, in values that can be sent."""
        item = claimed.items[0]
        told = msgspec.to_builtins(_Sent(claimed))
        return Order(claimed.step, {}, [OrderItem(item.document, item.bytes)], told)

    def invitation(self, queues: Collection[str]) -> Order | None:
        """Ask nobody for help: a batch is small."""
        return None

    def perform(self, order: Order, index: int, report: Report) -> Performed:
        """Cut a file, or store a batch; runs in the child."""
        claimed = msgspec.convert(order.options, _Sent).claimed
        if claimed.step == SPLIT:
            cut(claimed, report)
        else:
            with _without_garbage_collection():
                self.store(claimed, report)
        return Performed()

    def decide(self, options: Options, target: Target, objects: list[CheckedObject]) -> Decision:
        """Decide what becomes of a document whose objects in the upload are these."""
        return decide(options, target, objects)

    # ------------------------------------------------------------------- in the child

    def store(self, claimed: Claimed, report: Report) -> None:
        """Decide about every document of a batch, and store all in one transaction."""
        started = time.monotonic()
        task = Task.of(claimed)
        seconds = SECONDS + SECONDS_PER_MB * claimed.detail["bytes"] / 1e6
        trail = _Trail(report, seconds, exact=bool(claimed.detail["crashes"]))
        found, bad = self._found(task, trail, singly=bool(claimed.detail["errors"]))
        report(seconds)
        with civic_db_connection() as conn:
            _limit_idling(conn, seconds)
            if not upload_ledger.is_held(conn, claimed):
                raise Fenced()
            bad += found.store(conn, task)
            found.issues += [_failure(each) for each in bad]
            upload_ledger.add_issues(conn, claimed.job_id, map(msgspec.to_builtins, found.issues))
            upload_ledger.finish(conn, claimed, found.stored, bad, time.monotonic() - started)

    def rehearse(self, conn: Connection, task: Task) -> Findings:
        """Do all of it but the end, in a transaction that the caller rolls back."""
        found, _ = self._found(task, _Trail(_silent, SECONDS), singly=False)
        found.store(conn, task)
        return found

    def _found(
        self, task: Task, trail: _Trail, *, singly: bool
    ) -> tuple[Findings, list[BadDocument]]:
        if singly:
            return self._found_singly(task, trail)
        found = Findings(issues=list(task.batch.issues))
        self._read(task, task.batch, found, trail)
        return found, []

    def _found_singly(self, task: Task, trail: _Trail) -> tuple[Findings, list[BadDocument]]:
        found, bad = Findings(issues=list(task.batch.issues), singly=True), []
        for each in documents_in(task.upload, task.batch):
            part = Findings()
            try:
                self._read(task, each, part, trail)
            except OperatorError:
                raise
            except Exception as error:  # noqa: BLE001 - the edge of a document: it costs only itself
                bad.append(BadDocument(piece_of(each), described(error)))
                continue
            found.add(part, each)
        return found, bad

    def _read(self, task: Task, batch: hands.Batch, found: Findings, trail: _Trail) -> None:
        objects, issues = hands.read_documents(task.upload, replace(batch, issues=()))
        found.issues += issues
        replaces = task.options.mode is hands.Mode.REPLACE
        unusable = {(each.sourcedb, each.sourceid) for each in issues if replaces}
        with reading_connection() as conn:
            targets = look_up(conn, task.project_id, task.options, objects)
        for key, some in objects.items():
            trail.at(key)
            if key in unusable:
                found.issues.append(incomplete(some[0]))
            else:
                found.take(self.decide(task.options, targets[key], some))

    # ------------------------------------------------------------------ in the parent

    def finish(
        self,
        claimed: Claimed,
        outcomes: list[Outcome],
        *,
        ended: bool,
        going_on: Collection[str] = (),
    ) -> None:
        """See to a batch that raised or was interrupted; the child accounts for the others."""
        for outcome in outcomes:
            if outcome.state != Item.COMPLETED:
                self._see_to(claimed, outcome)
        if ended and not outcomes:
            with civic_db_connection() as conn:
                give_up_claim(conn, claimed)

    def _see_to(self, claimed: Claimed, outcome: Outcome) -> None:
        name = outcome.error.partition(":")[0]
        if name == Fenced.__name__:
            return
        with civic_db_connection() as conn:
            if name == TooMuchAtOnce.__name__:
                _divide(conn, claimed, "", outcome.error)
            elif name in _NOBODYS_FAULT or outcome.delay is not None:
                give_up_claim(conn, claimed)
            elif claimed.step == SPLIT:
                _cut_in_vain(conn, claimed, outcome.error)
            elif claimed.detail["errors"] + 1 >= ERROR_BUDGET:
                _end_badly(conn, claimed, Batch.FAILED, outcome.error)
            else:
                upload_ledger.give_back(conn, claimed, outcome.error, errors=1)
        log.warning("A batch of upload %d: %s", claimed.job_id, outcome.error)

    def crash(self, claimed: Claimed, blamed: ClaimedItem | None, cause: str) -> None:
        """See to a batch whose child died: the note before the cause names the document in hand."""
        in_hand, _, why = cause.rpartition(": ")
        with civic_db_connection() as conn:
            after_crash(conn, claimed, in_hand, why)
        log.error("A batch of upload %d: %s", claimed.job_id, cause)

    def still_held(self, claims: Collection[str]) -> set[str]:
        """Return which of the claims still hold a batch, or a file to cut."""
        with reading_connection() as conn:
            return ledger.still_held(conn, claims)

    def still_wanted(self, order: Order) -> bool:
        """Say that nobody wants help."""
        return False

    def hint(self) -> None:
        """Tell nobody: who serves uploads looks by itself."""

    def sweep(self) -> None:
        """Take work back from workers that are dead."""
        sweep()

    def release(self, worker_id: str) -> None:
        """Give back what a worker holds without knowing."""
        with civic_db_connection() as conn:
            for claimed in upload_ledger.held_by(conn, worker_id):
                give_up_claim(conn, claimed)


@contextlib.contextmanager
def _without_garbage_collection() -> Iterator[None]:
    """Spare looking for cycles among the many values of a batch, where there are none."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


#: Errors that say nothing about the batch.
_NOBODYS_FAULT = (Outpaced.__name__, DatabaseUnavailable.__name__)


def _silent(seconds: float, note: str = "") -> None:
    """Report to nobody."""


def _limit_idling(conn: Connection, seconds: float) -> None:
    """Have the database let go of the locks of a child that was stopped while it holds them."""
    if conn.dialect.name == "postgresql":
        milliseconds = int(seconds * 1000)
        conn.exec_driver_sql(f"SET LOCAL idle_in_transaction_session_timeout = {milliseconds}")


class _Trail:
    """Says which document is in hand: now and then, or exactly when one is suspected."""

    def __init__(self, report: Report, seconds: float, *, exact: bool = False) -> None:
        self._report = report
        self._seconds = seconds
        self._pause = 0.0 if exact else BREADCRUMB_SECONDS
        self._next_at = 0.0

    def at(self, key: Key) -> None:
        """Leave a mark."""
        now = time.monotonic()
        if now >= self._next_at:
            self._next_at = now + self._pause
            self._report(self._seconds, ":".join(key))


@dataclass
class Findings:
    """What a batch comes to, before it is stored."""

    documents: list[NewDocument] = field(default_factory=list)
    sets: list[NewSet] = field(default_factory=list)
    issues: list[Issue] = field(default_factory=list)
    #: Store document by document, so that one that the database refuses is known.
    singly: bool = False
    parts: list[tuple[Findings, hands.Batch]] = field(default_factory=list)
    stored: annotation_store.Stored = field(default_factory=annotation_store.Stored)

    def take(self, decision: Decision) -> None:
        """Add what was decided about a document."""
        if decision.new_document:
            self.documents.append(decision.new_document)
        if decision.new_set:
            self.sets.append(decision.new_set)
        self.issues += decision.issues

    def add(self, part: Findings, batch: hands.Batch) -> None:
        """Add what was found of a document by itself."""
        self.issues += part.issues
        self.parts.append((part, batch))

    def store(self, conn: Connection, task: Task) -> list[BadDocument]:
        """Write it all; return the documents that could not be written."""
        if not self.singly:
            self.stored = annotation_store.store(
                conn, task.project_id, task.job_id, self.documents, self.sets
            )
            return []
        bad = []
        for part, batch in self.parts:
            try:
                with conn.begin_nested():
                    part.store(conn, task)
                self.stored.add(part.stored)
            except ClerkError:
                raise
            except Exception as error:  # noqa: BLE001 - the edge of a document: it costs only itself
                bad.append(BadDocument(piece_of(batch), described(error)))
        return bad


# ---------------------------------------------------------------------------------- cutting


def cut(claimed: Claimed, report: Report) -> None:
    """Cut the rest of a file into batches, which can be claimed while this goes on."""
    told = dict(claimed.options)
    upload = stored_upload(told["source"]["path"])
    limits = msgspec.convert(told, Options).limits
    seconds = SECONDS + SECONDS_PER_MB * Path(upload.path).stat().st_size / 1e6
    report(seconds, SPLIT)
    waiting: list[Piece] = []
    written_at = time.monotonic()
    for batch in hands.split(upload, limits, skip=claimed.detail["batches"]):
        waiting.append(piece_of(batch))
        if len(waiting) >= CUT_AT_ONCE or time.monotonic() - written_at > CUT_SECONDS:
            _add(claimed, waiting)
            written_at = time.monotonic()
            report(seconds, SPLIT)
    _add(claimed, waiting)
    with civic_db_connection() as conn:
        upload_ledger.end_cutting(conn, claimed.job_id, claimed.claim)


def _add(claimed: Claimed, waiting: list[Piece]) -> None:
    if waiting:
        with civic_db_connection() as conn:
            upload_ledger.add_batches(conn, claimed.job_id, claimed.claim, waiting)
    waiting.clear()


def piece_of(batch: hands.Batch) -> Piece:
    """Return a batch as it is kept."""
    return Piece(
        {
            "ranges": msgspec.to_builtins(batch.ranges),
            "issues": msgspec.to_builtins(batch.issues),
        },
        batch.items,
        batch.bytes,
        [_identifier(name) for name in batch.documents],
    )


def _identifier(name: str) -> dict[str, str]:
    sourcedb, _, sourceid = name.partition(":")
    return {"sourcedb": sourcedb, "sourceid": sourceid}


def batch_of(detail: Any) -> hands.Batch:
    """Return what a claim holds as a batch."""
    facts = {**detail["payload"], "items": detail["items"], "bytes": detail["bytes"]}
    return msgspec.convert({**facts, "documents": []}, hands.Batch)


def documents_in(upload: hands.Upload, batch: hands.Batch) -> Iterator[hands.Batch]:
    """Give the documents of a batch as batches of their own."""
    unlimited = 1 << 62
    alone = hands.BatchLimits(
        documents=1,
        object_bytes=unlimited,
        document_bytes=unlimited,
        document_objects=unlimited,
    )
    yield from hands.split(upload, alone, ranges=batch.ranges)


# --------------------------------------------------------------------------------- recovery


def give_up_claim(conn: Connection, claimed: Claimed) -> bool:
    """Let somebody else have it, without a charge."""
    if claimed.step == SPLIT:
        return upload_ledger.leave_cutting(conn, claimed.claim)
    return upload_ledger.give_back(conn, claimed)


def after_crash(
    conn: Connection, claimed: Claimed, in_hand: str, why: str, *, worker_lost: bool = False
) -> None:
    """Decide what becomes of a batch whose process died, and do it."""
    alone = claimed.detail["documents"] <= 1 if claimed.step != SPLIT else False
    crashes = claimed.detail.get("crashes", 0) + 1
    if claimed.step == SPLIT:
        _cut_in_vain(conn, claimed, why)
    elif alone and (claimed.items[0].attempt >= LOST_BUDGET or _is_poison(crashes, worker_lost)):
        _end_badly(conn, claimed, Batch.CRASHED, why)
    elif alone or crashes < CRASH_BUDGET:
        innocent = alone and worker_lost
        upload_ledger.give_back(conn, claimed, why, crashes=0 if innocent else 1)
    else:
        _divide(conn, claimed, in_hand, why)


def _is_poison(crashes: int, worker_lost: bool) -> bool:
    """A document alone with a child that died is guilty; with a whole worker only a suspect."""
    return crashes >= CRASH_BUDGET and not worker_lost


def _divide(conn: Connection, claimed: Claimed, in_hand: str, why: str) -> None:
    """Give out the document in hand alone, or if nobody knows it two halves."""
    task = Task.of(claimed)
    parts = divided(task.upload, task.batch, in_hand)
    upload_ledger.divide(conn, claimed, [piece_of(each) for each in parts], why)


def divided(upload: hands.Upload, batch: hands.Batch, in_hand: str = "") -> list[hands.Batch]:
    """Return a batch as the document in hand and the rest, or if it is not there as two halves."""
    documents = list(documents_in(upload, batch))
    first = [each for each in documents if in_hand in each.documents]
    rest = [each for each in documents if in_hand not in each.documents]
    if not first or not rest:
        middle = len(documents) // 2
        first, rest = documents[:middle], documents[middle:]
    parts = [_together(each) for each in (first, rest) if each]
    parts[0] = replace(parts[0], issues=(*batch.issues, *parts[0].issues))
    counted = sum(issue.times for issue in batch.issues)
    parts[0] = replace(parts[0], items=parts[0].items + counted)
    return parts


def _together(batches: Sequence[hands.Batch]) -> hands.Batch:
    return hands.Batch(
        tuple(each for batch in batches for each in batch.ranges),
        sum(batch.items for batch in batches),
        sum(batch.bytes for batch in batches),
        tuple(name for batch in batches for name in batch.documents),
        tuple(issue for batch in batches for issue in batch.issues),
    )


def _end_badly(conn: Connection, claimed: Claimed, status: str, why: str) -> None:
    """End a batch for good, with an issue for each of its documents."""
    if not upload_ledger.fail(conn, claimed, status, why):
        return
    task = Task.of(claimed)
    named = [BadDocument(piece_of(each), why) for each in documents_in(task.upload, task.batch)]
    found = [*task.batch.issues, *(_failure(each, status) for each in named)]
    upload_ledger.add_issues(conn, claimed.job_id, map(msgspec.to_builtins, found))


def _failure(bad: BadDocument, status: str = Batch.FAILED) -> Issue:
    name = (*bad.piece.doc_identifiers, {"sourcedb": "", "sourceid": ""})[0]
    message = f"the document could not be stored: {bad.error.splitlines()[0]}"
    return Issue(
        status,
        message[:2000],
        sourcedb=name["sourcedb"],
        sourceid=name["sourceid"],
        detail=bad.error[:2000],
    )


def _cut_in_vain(conn: Connection, claimed: Claimed, why: str) -> None:
    if claimed.items[0].attempt < LOST_BUDGET:
        upload_ledger.leave_cutting(conn, claimed.claim)
        return
    issue = Issue("unreadable", f"the file could not be cut into batches: {why}")
    upload_ledger.add_issues(conn, claimed.job_id, [msgspec.to_builtins(issue)])
    upload_ledger.cancel(conn, claimed.job_id, why)


def sweep() -> int:
    """Take batches back from dead workers and return how many were found."""
    timeout = config.load().crash_detection_timeout
    with reading_connection() as conn:
        dead = liveness.dead_on_this_host(conn)
        found = upload_ledger.held_by_the_dead(conn, dead, timeout)
    if found:
        names = ", ".join(each.items[0].document for each in found[:10])
        log.error("Detected %d potentially crashed jobs: %s", len(found), names)
    for claimed in found:
        with civic_db_connection() as conn:
            still = upload_ledger.held_by_the_dead(conn, dead, timeout)
            if any(each.claim == claimed.claim for each in still):
                after_crash(conn, claimed, "", "The worker died", worker_lost=True)
    return len(found)
