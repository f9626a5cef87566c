"""A part of an upload: what becomes of its documents, storing that, and dividing the part.

Nothing here knows who works on which part; see :mod:`clerk.pipeline.upload_steps`.
"""

from __future__ import annotations

import dataclasses
import hashlib
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import msgspec
from msgspec.structs import replace
from sqlalchemy import Connection

from clerk.core.child_process import Report
from clerk.core.db import reading_connection
from clerk.core.errors import ClerkError, OperatorError

from . import (
    BatchLimits,
    CheckedObject,
    Issue,
    Mode,
    Range,
    UploadBatch,
    UploadedFiles,
    read_documents,
    split,
)
from . import store as annotation_store
from .decide import Decision, Options, Target, incomplete, look_up
from .store import Key, NewDocument, NewSet

#: Time a child may be silent, and for every megabyte of its part.
SECONDS, SECONDS_PER_MB = 60.0, 10.0
#: A child reports its document this often; one under suspicion before every document.
REPORT_SECONDS = 0.2

#: Decides what becomes of a document whose objects in the upload are these.
Decide = Callable[[Options, Target, list[CheckedObject]], Decision]


@dataclass(frozen=True)
class PartTask:
    """A part of an upload, and what to do with it."""

    project_id: int
    #: None in a rehearsal.
    job_id: int | None
    options: Options
    upload: UploadedFiles
    batch: UploadBatch
    #: Where the pages are that annotations may be about.
    storage_dir: Path


@dataclass(frozen=True)
class BadDocument:
    """A document of a part that could not be stored, and why."""

    batch: UploadBatch
    error: Exception


class Progress:
    """Reports which document is running: now and then, or each when one is suspected."""

    def __init__(self, report: Report, seconds: float, *, exact: bool = False) -> None:
        self._report = report
        self._seconds = seconds
        self._pause = 0.0 if exact else REPORT_SECONDS
        self._next_at = 0.0

    def at(self, key: Key) -> None:
        """Report a document."""
        now = time.monotonic()
        if now >= self._next_at:
            self._next_at = now + self._pause
            self._report(self._seconds, position=position_of(key))


def position_of(key: Key) -> int:
    """Return the number that identifies a document in the reports of a child."""
    name = "\0".join(key).encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.blake2b(name, digest_size=8).digest()) or 1


@dataclass
class Findings:
    """What a part comes to, before it is stored."""

    documents: list[NewDocument] = field(default_factory=list)
    sets: list[NewSet] = field(default_factory=list)
    issues: list[Issue] = field(default_factory=list)
    #: Objects that were used, whether or not they changed anything.
    accepted: int = 0
    #: By document, so that one that the database refuses is known; empty when stored as one.
    singly: list[tuple[Findings, UploadBatch]] = field(default_factory=list)
    bad: list[BadDocument] = field(default_factory=list)
    stored: annotation_store.Stored = field(default_factory=annotation_store.Stored)

    def take(self, decision: Decision, objects: int) -> None:
        """Add what was decided about a document that has this many objects in the upload."""
        self.accepted += 0 if decision.refused else objects
        if decision.new_document:
            self.documents.append(decision.new_document)
        if decision.new_set:
            self.sets.append(decision.new_set)
        self.issues += decision.issues

    def store(self, conn: Connection, task: PartTask) -> None:
        """Write it all; a document by itself that cannot be written is a bad one."""
        if not self.singly:
            self.stored = annotation_store.store(
                conn, task.project_id, task.job_id, self.documents, self.sets
            )
            self.stored.refused = task.batch.items - self.accepted
            return
        self.stored.refused = sum(issue.times for issue in task.batch.issues)
        for part, batch in self.singly:
            try:
                with conn.begin_nested():
                    part.store(conn, dataclasses.replace(task, batch=batch))
                self.stored.add(part.stored)
            except ClerkError:
                raise
            except Exception as error:  # noqa: BLE001 - the edge of a document: it costs only itself
                self.bad.append(BadDocument(batch, error))


def find(task: PartTask, progress: Progress, decide: Decide, *, singly: bool) -> Findings:
    """Decide about every document of a part, ``singly`` so that one that raises costs itself."""
    found = Findings(issues=list(task.batch.issues))
    if not singly:
        _read(task, task.batch, found, progress, decide)
        return found
    for each in documents_in(task.upload, task.batch):
        part = Findings()
        try:
            _read(task, each, part, progress, decide)
        except OperatorError:
            raise
        except Exception as error:  # noqa: BLE001 - the edge of a document: it costs only itself
            found.bad.append(BadDocument(each, error))
            continue
        found.issues += part.issues
        found.singly.append((part, each))
    return found


def _read(
    task: PartTask, batch: UploadBatch, found: Findings, progress: Progress, decide: Decide
) -> None:
    objects, issues = read_documents(task.upload, replace(batch, issues=()))
    found.issues += issues
    replaces = task.options.mode is Mode.REPLACE
    unusable = {(each.sourcedb, each.sourceid) for each in issues if replaces}
    with reading_connection() as conn:
        targets = look_up(conn, task.storage_dir, task.project_id, task.options, objects)
    for key, some in objects.items():
        progress.at(key)
        if key in unusable:
            found.issues.append(incomplete(some[0]))
        else:
            found.take(decide(task.options, targets[key], some), len(some))


# --------------------------------------------------------------------------------- dividing


def documents_in(upload: UploadedFiles, batch: UploadBatch) -> Iterator[UploadBatch]:
    """Give the documents of a part as parts of their own."""
    unlimited = 1 << 62
    alone = BatchLimits(
        documents=1,
        object_bytes=unlimited,
        document_bytes=unlimited,
        document_objects=unlimited,
    )
    yield from split(upload, alone, ranges=batch.ranges)


def divided(upload: UploadedFiles, batch: UploadBatch, position: int = 0) -> list[UploadBatch]:
    """Return a part as the document at a position and the rest, or if it is not there as halves."""
    documents = list(documents_in(upload, batch))
    first = [each for each in documents if position in map(position_of, each.documents)]
    rest = [each for each in documents if each not in first]
    if not first or not rest:
        middle = len(documents) // 2
        first, rest = documents[:middle], documents[middle:]
    parts = [
        UploadBatch(
            tuple(each for one in batches for each in one.ranges),
            sum(one.items for one in batches),
            sum(one.bytes for one in batches),
            tuple(name for one in batches for name in one.documents),
            tuple(issue for one in batches for issue in one.issues),
        )
        for batches in (first, rest)
        if batches
    ]
    parts[0] = replace(parts[0], issues=(*batch.issues, *parts[0].issues))
    counted = sum(issue.times for issue in batch.issues)
    parts[0] = replace(parts[0], items=parts[0].items + counted)
    return parts


class StoredPart(msgspec.Struct, frozen=True):
    """What the ledger keeps of a part: which bytes it is, and what is wrong with it."""

    ranges: tuple[Range, ...]
    issues: tuple[Issue, ...] = ()
    #: How many documents are in it, and which, in a few words.
    documents: int = 0
    name: str = ""


def payload_of(batch: UploadBatch, name: str) -> dict[str, object]:
    """Return what the ledger keeps of a part, as it stores it."""
    kept = StoredPart(batch.ranges, batch.issues, len(batch.documents), name)
    payload: dict[str, object] = msgspec.to_builtins(kept)
    return payload


def stored_part(payload: Mapping[str, object]) -> StoredPart:
    """Return what the ledger keeps of a part."""
    return msgspec.convert(payload, StoredPart)


def batch_from(payload: Mapping[str, object], items: int, size: int) -> UploadBatch:
    """Return a part from what is kept of it, without the names of its documents."""
    kept = stored_part(payload)
    return UploadBatch(kept.ranges, items, size, (), kept.issues)
