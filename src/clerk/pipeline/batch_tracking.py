"""Batches as operators' scripts see them: the rows of ``batch_job_trackings`` by name.

::

    pending --mark_running--> running --mark_completed--> completed
                                 |  \\---mark_failed----> failed
       \\---------mark_crashed----+---------------------> crashed

clerk itself also ends batches as ``split`` (divided into smaller ones) and ``cancelled`` (a person
cancelled the run or upload, or a newer run superseded it).

A move is one guarded statement; its answer says whether this call made it.  Nothing leaves a final
status.  clerk's own workers move their rows with :mod:`clerk.pipeline.ledger`.
"""

from __future__ import annotations

import traceback
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import datetime, timedelta
from typing import Any, Self

from sqlalchemy import ColumnElement, Row, Select, delete, func, insert, select, update

from clerk.core.db import civic_db_connection, reading_connection
from clerk.core.errors import InvalidInput, NotFound
from clerk.core.models import batches_table, db_now
from clerk.core.states import Batch

#: For each status, the statuses a batch may come from.  Nothing leaves a final one.
MAY_COME_FROM = {
    Batch.RUNNING: (Batch.PENDING,),
    Batch.COMPLETED: (Batch.RUNNING,),
    Batch.FAILED: (Batch.RUNNING,),
    Batch.CRASHED: (Batch.PENDING, Batch.RUNNING),
}

LABELS = {
    Batch.PENDING: "Waiting to start",
    Batch.RUNNING: "In progress",
    Batch.COMPLETED: "Completed successfully",
    Batch.FAILED: "Failed with error",
    Batch.CRASHED: "Crashed or killed",
    Batch.SPLIT: "Divided into smaller batches",
    Batch.CANCELLED: "Cancelled",
}

CRASHED_MESSAGE = "The job did not update its status within the expected time: crashed or killed."

#: So many lines of a trace are kept.
TRACE_LINES = 5


@dataclass(frozen=True)
class BatchJobTracking:
    """One batch as it stood when it was read."""

    id: int
    parent_job_id: int
    child_job_id: str | None
    status: str
    doc_identifiers: Sequence[Mapping[str, Any]] = field(repr=False)
    item_count: int
    error_message: str | None
    started_at: datetime | None
    completed_at: datetime | None
    created_at: datetime
    updated_at: datetime
    attempt: int
    worker_id: str | None
    current_item: str | None
    parent_batch_id: int | None

    # ------------------------------------------------------------------ making and finding

    @classmethod
    def create(
        cls,
        *,
        parent_job_id: int,
        item_count: int,
        doc_identifiers: Sequence[Mapping[str, Any]] = (),
        child_job_id: str | None = None,
    ) -> BatchJobTracking:
        """Write a pending batch, before its child is enqueued."""
        if item_count < 1:
            raise InvalidInput(f"item_count must be at least 1, not {item_count}.")
        with civic_db_connection() as conn:
            row = conn.execute(
                insert(batches_table)
                .values(
                    parent_job_id=parent_job_id,
                    item_count=item_count,
                    doc_identifiers=[dict(each) for each in doc_identifiers],
                    child_job_id=child_job_id,
                )
                .returning(*_COLUMNS)
            ).one()
        return _from_row(row)

    @classmethod
    def find(cls, batch_id: int) -> BatchJobTracking:
        """Return the batch of that number, or say that there is none."""
        found = Batches((batches_table.c.id == batch_id,)).first()
        if found is None:
            raise NotFound(f"There is no batch {batch_id}.", hint="List them: clerk batch list")
        return found

    @classmethod
    def all(cls) -> Batches:
        """Every batch."""
        return Batches()

    @classmethod
    def for_parent(cls, parent_job_id: int) -> Batches:
        """The batches of a job."""
        return Batches().for_parent(parent_job_id)

    @classmethod
    def pending(cls) -> Batches:
        """Those that wait."""
        return Batches().pending()

    @classmethod
    def running(cls) -> Batches:
        """Those in work."""
        return Batches().running()

    @classmethod
    def completed(cls) -> Batches:
        """Those that succeeded."""
        return Batches().completed()

    @classmethod
    def failed(cls) -> Batches:
        """Those that ended with an error."""
        return Batches().failed()

    @classmethod
    def crashed(cls) -> Batches:
        """Those whose worker died."""
        return Batches().crashed()

    @classmethod
    def cancelled(cls) -> Batches:
        """Those whose run or upload was cancelled."""
        return Batches().cancelled()

    @classmethod
    def finished(cls) -> Batches:
        """Those that have ended, however."""
        return Batches().finished()

    @classmethod
    def possibly_crashed(cls, timeout: timedelta = timedelta(minutes=10)) -> Batches:
        """Those in work that nobody has touched for so long."""
        return Batches().possibly_crashed(timeout)

    @classmethod
    def stale_pending(cls, timeout: timedelta = timedelta(minutes=5)) -> Batches:
        """Those that have waited for so long; waiting is not being lost."""
        return Batches().stale_pending(timeout)

    @classmethod
    def older_than(cls, moment: datetime) -> Batches:
        """Those made before a moment."""
        return Batches().older_than(moment)

    @classmethod
    def stats_for_parent(cls, parent_job_id: int) -> dict[str, int]:
        """Return how many items of a job stand where; a status without any is left out."""
        batches = batches_table
        counted = (
            select(batches.c.status, func.sum(batches.c.item_count))
            .where(batches.c.parent_job_id == parent_job_id)
            .group_by(batches.c.status)
        )
        with reading_connection() as conn:
            return {status: int(items) for status, items in conn.execute(counted)}

    # --------------------------------------------------------------------------- moving

    def mark_running(self) -> bool:
        """Note that the work has begun."""
        return self._move(Batch.RUNNING, started_at=db_now())

    def mark_completed(self) -> bool:
        """Note that the work is done."""
        return self._move(Batch.COMPLETED, completed_at=db_now())

    def mark_failed(self, error: BaseException | str) -> bool:
        """Note that the work ended with an error, and which."""
        return self._move(Batch.FAILED, completed_at=db_now(), error_message=described(error))

    def mark_crashed(self) -> bool:
        """Note that nothing is heard of the work any more."""
        return self._move(
            Batch.CRASHED, completed_at=db_now(), error_message=CRASHED_MESSAGE, current_item=None
        )

    def _move(self, status: str, **columns: Any) -> bool:
        batches = batches_table
        with civic_db_connection() as conn:
            changed = conn.execute(
                update(batches)
                .where(batches.c.id == self.id, batches.c.status.in_(MAY_COME_FROM[status]))
                .values(status=status, updated_at=db_now(), **columns)
            )
        return changed.rowcount == 1

    def reload(self) -> BatchJobTracking:
        """Return the batch as it stands now."""
        return self.find(self.id)

    # -------------------------------------------------------------------------- showing

    @property
    def duration(self) -> timedelta | None:
        """How long it took; None until it has begun and ended."""
        if self.started_at is None or self.completed_at is None:
            return None
        return self.completed_at - self.started_at

    @property
    def status_label(self) -> str:
        """The status in words."""
        return LABELS[self.status]

    def doc_summary(self, limit: int = 3) -> str:
        """Name the first documents, and say how many there are besides."""
        return doc_summary(self.doc_identifiers, limit)


def doc_summary(doc_identifiers: Sequence[Mapping[str, Any]], limit: int = 3) -> str:
    """Name the first documents of a batch, and say how many there are besides."""
    if not doc_identifiers:
        return "(no docs)"
    names = ", ".join(f"{d.get('sourcedb')}:{d.get('sourceid')}" for d in doc_identifiers[:limit])
    more = len(doc_identifiers) - limit
    return f"{names}... ({more} more)" if more > 0 else names


def described(error: BaseException | str) -> str:
    """Return "Class: message" and the first lines of where it happened."""
    if isinstance(error, str):
        return error
    lines = [f"{type(error).__name__}: {error}"]
    for frame in traceback.extract_tb(error.__traceback__)[-TRACE_LINES:]:
        lines.append(f"{frame.filename}:{frame.lineno} in {frame.name}")
    return "\n".join(lines)


_COLUMNS = [batches_table.c[each.name] for each in fields(BatchJobTracking)]


def _from_row(row: Row[Any]) -> BatchJobTracking:
    return BatchJobTracking(**row._mapping)


@dataclass(frozen=True)
class Batches:
    """A choice of batches that can be narrowed, counted, listed and deleted."""

    conditions: tuple[ColumnElement[bool], ...] = ()

    def where(self, *conditions: ColumnElement[bool]) -> Self:
        """Narrow the choice."""
        return type(self)((*self.conditions, *conditions))

    def with_status(self, *statuses: str) -> Self:
        """Only those with one of these statuses."""
        return self.where(batches_table.c.status.in_(statuses))

    def for_parent(self, parent_job_id: int) -> Self:
        """Only those of a job."""
        return self.where(batches_table.c.parent_job_id == parent_job_id)

    def pending(self) -> Self:
        """Only those that wait."""
        return self.with_status(Batch.PENDING)

    def running(self) -> Self:
        """Only those in work."""
        return self.with_status(Batch.RUNNING)

    def completed(self) -> Self:
        """Only those that succeeded."""
        return self.with_status(Batch.COMPLETED)

    def failed(self) -> Self:
        """Only those that ended with an error."""
        return self.with_status(Batch.FAILED)

    def crashed(self) -> Self:
        """Only those whose worker died."""
        return self.with_status(Batch.CRASHED)

    def cancelled(self) -> Self:
        """Only those whose run or upload was cancelled."""
        return self.with_status(Batch.CANCELLED)

    def finished(self) -> Self:
        """Only those that have ended, however."""
        return self.with_status(*Batch.FINAL)

    def possibly_crashed(self, timeout: timedelta = timedelta(minutes=10)) -> Self:
        """Only those in work that nobody has touched for so long."""
        silent_since = db_now(-timeout.total_seconds())
        return self.running().where(batches_table.c.updated_at < silent_since)

    def stale_pending(self, timeout: timedelta = timedelta(minutes=5)) -> Self:
        """Only those that have waited for so long."""
        return self.pending().where(batches_table.c.created_at < db_now(-timeout.total_seconds()))

    def older_than(self, moment: datetime) -> Self:
        """Only those made before a moment."""
        return self.where(batches_table.c.created_at < moment)

    def created_since(self, moment: datetime) -> Self:
        """Only those made after a moment."""
        return self.where(batches_table.c.created_at > moment)

    def count(self) -> int:
        """Return how many there are."""
        counted = select(func.count()).select_from(batches_table).where(*self.conditions)
        with reading_connection() as conn:
            return conn.execute(counted).scalar_one()

    def counts_by_status(self) -> dict[str, int]:
        """Return how many there are by status; a status without any is left out."""
        status = batches_table.c.status
        counted = select(status, func.count()).where(*self.conditions).group_by(status)
        with reading_connection() as conn:
            return dict(map(tuple, conn.execute(counted)))

    def last(self, number: int) -> list[BatchJobTracking]:
        """Return the newest ones, the newest first."""
        return self._read(self._selected().order_by(batches_table.c.id.desc()).limit(number))

    def first(self) -> BatchJobTracking | None:
        """Return the oldest one."""
        return next(iter(self._read(self._selected().order_by(batches_table.c.id).limit(1))), None)

    def __iter__(self) -> Iterator[BatchJobTracking]:
        return iter(self._read(self._selected().order_by(batches_table.c.id)))

    def delete_all(self) -> int:
        """Delete them and return how many there were; see ``clerk batch cleanup`` for history."""
        with civic_db_connection() as conn:
            return conn.execute(delete(batches_table).where(*self.conditions)).rowcount

    def _selected(self) -> Select[Any]:
        return select(*_COLUMNS).where(*self.conditions)

    def _read(self, statement: Select[Any]) -> list[BatchJobTracking]:
        with reading_connection() as conn:
            return [_from_row(row) for row in conn.execute(statement)]
