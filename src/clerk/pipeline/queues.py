"""The queues: how much work waits in each, who serves it, pause, resume and purge.

The work itself is in the ledger; Redis only carries hints.  So a pause is stored in SQL and holds
for every worker, and purging Redis loses nothing that clerk has to do.
"""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TYPE_CHECKING

from sqlalchemy import Connection, delete, func, insert, select

from clerk.core import notifications
from clerk.core.config import Settings
from clerk.core.db import civic_db_connection, reading_connection, snapshot_connection
from clerk.core.errors import QueueUnavailable
from clerk.core.models import (
    annotation_uploads_table,
    db_now,
    items_table,
    jobs_table,
    queues_table,
    runs_table,
    workers_table,
)
from clerk.core.states import ANNOTATIONS, QUEUES, Item, Run, Step, Upload

from . import ledger, transitions, upload_state
from .ledger import sql_word

if TYPE_CHECKING:
    from rq import Queue


# ----------------------------------------------------------------------------------- Redis


def redis_queue(settings: Settings, name: str) -> Queue:
    """Return the RQ queue of a name; needs REDIS_URL."""
    if settings.embedded:
        raise QueueUnavailable(
            "There are no queues in Redis: REDIS_URL is not set.",
            hint="Set REDIS_URL=redis://host:6379/0, or see the work: clerk queue list",
        )
    from clerk.executors import rq

    return rq.queue(settings.redis_url, name)


def require_redis(settings: Settings) -> None:
    """Raise QueueUnavailable unless REDIS_URL is set and Redis answers."""
    redis_queue(settings, QUEUES[0])
    from clerk.executors import rq

    rq.check(settings)


def require_workers(settings: Settings) -> None:
    """Raise QueueUnavailable unless workers can share the work: by Redis, or by PostgreSQL."""
    if settings.redis_url:
        require_redis(settings)
    elif not settings.uses_postgresql:
        raise QueueUnavailable(
            "Workers need REDIS_URL or a PostgreSQL database; neither is set.",
            hint="Set DATABASE_URL=postgresql://host/name, or REDIS_URL, or use: clerk run",
        )


def check_redis(settings: Settings) -> None:
    """Raise QueueUnavailable if REDIS_URL is set and Redis does not answer."""
    if not settings.embedded:
        require_redis(settings)


def offer(settings: Settings, names: Collection[str]) -> None:
    """Notify idle workers of those of the queues that have work: by Redis, or by PostgreSQL.

    With SQLite and no Redis there is nobody to notify.
    """
    if settings.embedded and not settings.uses_postgresql:
        return
    with reading_connection() as conn:
        waiting = ledger.queues_with_work(conn, names)
        if waiting and settings.embedded:
            notifications.notify(conn, waiting)
    if not settings.embedded:
        from clerk.executors import rq

        rq.offer(settings.redis_url, waiting)


# ------------------------------------------------------------------------------- the ledger


@dataclass(frozen=True)
class QueueWork:
    """How much of a queue is waiting and running."""

    waiting: int = 0
    running: int = 0
    sites: int = 0
    oldest_at: datetime | None = None
    #: Since when there is something that could be claimed.
    claimable_at: datetime | None = None


@dataclass(frozen=True)
class LiveWorkers:
    """The workers that are alive."""

    alive: int
    by_queue: Mapping[str, int]
    last_beat_at: datetime | None


@dataclass(frozen=True)
class QueueState:
    """One queue: its work in the ledger, its workers, and its messages in Redis."""

    name: str
    waiting: int
    running: int
    sites: int
    oldest_at: datetime | None
    workers: int
    paused_by: str | None
    paused_at: datetime | None
    messages: dict[str, int] = field(default_factory=dict)


def open_work(conn: Connection) -> dict[str, QueueWork]:
    """Return how much is waiting and running, by queue."""
    items, jobs = items_table, jobs_table
    waiting = items.c.state == sql_word(Item.PENDING)
    running = items.c.state == sql_word(Item.RUNNING)
    rows = conn.execute(
        select(
            jobs.c.queue,
            func.count().filter(waiting).label("waiting"),
            func.count().filter(running).label("running"),
            func.count(jobs.c.subdomain.distinct()).label("sites"),
            func.min(items.c.created_at).filter(waiting).label("oldest_at"),
            func.min(items.c.available_at).filter(waiting).label("claimable_at"),
        )
        .join(items, items.c.job_id == jobs.c.id)
        .where(jobs.c.state == sql_word("open"), jobs.c.suspended_at.is_(None))
        .where(waiting | running, items.c.step != Step.UNNAMED)
        .group_by(jobs.c.queue)
    )
    work = {
        row.queue: QueueWork(row.waiting, row.running, row.sites, row.oldest_at, row.claimable_at)
        for row in rows
    }
    if (uploads := work.get(ANNOTATIONS)) is not None:
        work[ANNOTATIONS] = replace(uploads, claimable_at=None)
    return {name: work.get(name, QueueWork()) for name in QUEUES}


def live_workers(conn: Connection) -> LiveWorkers:
    """Return how many workers are alive and serve each queue, and the last heartbeat of any.

    A worker of this host that died is not alive, though its lease may not have ended.
    """
    workers = workers_table
    last_beat_at = conn.execute(select(func.max(workers.c.beat_at))).scalar()
    served = select(workers.c.queues).where(
        workers.c.lease_until >= db_now(), workers.c.id.not_in(ledger.dead_on_this_host(conn))
    )
    alive = conn.execute(served).scalars().all()
    by_queue: dict[str, int] = {}
    for names in alive:
        for name in filter(None, names.split(",")):
            by_queue[name] = by_queue.get(name, 0) + 1
    return LiveWorkers(len(alive), by_queue, last_beat_at)


def is_served(name: str) -> bool:
    """Whether a live worker serves a queue."""
    with reading_connection() as conn:
        return name in live_workers(conn).by_queue


#: With more open jobs than these, a new one in a queue is not expected to start at once.
_SHORT_QUEUE = 10


def starts_soon(name: str) -> bool:
    """Whether new work in a queue is likely to be taken within moments."""
    jobs = jobs_table.c
    opened = select(jobs.id).where(jobs.queue == name, jobs.state == "open")
    with reading_connection() as conn:
        if name in paused(conn) or name not in live_workers(conn).by_queue:
            return False
        return len(conn.execute(opened.limit(_SHORT_QUEUE + 1)).all()) <= _SHORT_QUEUE


def paused(conn: Connection) -> list[str]:
    """Return the names of the paused queues."""
    chosen = select(queues_table.c.name).where(queues_table.c.paused_at.is_not(None))
    return list(conn.execute(chosen.order_by(queues_table.c.name)).scalars())


def list_queues(settings: Settings) -> list[QueueState]:
    """Return the state of every queue; if Redis does not answer, without messages."""
    messages: dict[str, dict[str, int]] = {}
    if not settings.embedded:
        from clerk.executors import rq

        with contextlib.suppress(QueueUnavailable):
            messages = {name: rq.messages(settings, name) for name in QUEUES}
    with snapshot_connection() as conn:
        work, workers = open_work(conn), live_workers(conn)
        pauses = {row.name: row for row in conn.execute(select(queues_table))}
    return [
        QueueState(
            name=name,
            waiting=each.waiting,
            running=each.running,
            sites=each.sites,
            oldest_at=each.oldest_at,
            workers=workers.by_queue.get(name, 0),
            paused_by=getattr(pauses.get(name), "paused_by", None),
            paused_at=getattr(pauses.get(name), "paused_at", None),
            messages=messages.get(name, {}),
        )
        for name, each in work.items()
    ]


# --------------------------------------------------------------------------- pause and purge


def pause(name: str, *, who: str) -> bool:
    """Let no more work of a queue be claimed; False when it was paused already."""
    with civic_db_connection() as conn:
        if _paused_by(conn, name) is not None:
            return False
        conn.execute(delete(queues_table).where(queues_table.c.name == name))
        conn.execute(insert(queues_table).values(name=name, paused_by=who, paused_at=db_now()))
        ledger.audit(conn, who, "queue paused", name)
    return True


def resume(settings: Settings, name: str, *, who: str) -> bool:
    """Let work of a paused queue be claimed again; False when it was not paused."""
    with civic_db_connection() as conn:
        if _paused_by(conn, name) is None:
            return False
        conn.execute(delete(queues_table).where(queues_table.c.name == name))
        ledger.audit(conn, who, "queue resumed", name)
    offer(settings, [name])
    return True


def paused_by(name: str) -> str | None:
    """Return who paused a queue, or None when it is not paused."""
    with reading_connection() as conn:
        return _paused_by(conn, name)


def _paused_by(conn: Connection, name: str) -> str | None:
    is_paused = queues_table.c.paused_at.is_not(None)
    chosen = select(queues_table.c.paused_by).where(queues_table.c.name == name, is_paused)
    row = conn.execute(chosen).first()
    return None if row is None else row.paused_by or "somebody"


@dataclass(frozen=True)
class Purged:
    """What a purge removed."""

    messages: int
    #: Cancelled runs of sites, or cancelled uploads.
    runs: int


def purge(settings: Settings, name: str, *, who: str, runs: bool = False) -> Purged:
    """Delete a queue's messages in Redis; with ``runs`` also cancel the work that waits in it.

    Nothing is done while Redis does not answer.
    """
    check_redis(settings)
    cancelled = messages = 0
    if runs:
        reason = f"The queue {name} was purged by {who}"
        for subdomain in waiting_sites(name):
            with civic_db_connection() as conn:
                cancelled += transitions.cancel_run(conn, subdomain, reason)
        for job_id in waiting_uploads(name):
            with civic_db_connection() as conn:
                cancelled += upload_state.cancel_upload(conn, job_id, reason)
    if not settings.embedded:
        from clerk.executors import rq

        url = settings.redis_url
        messages += sum(rq.clear_deferred(url, name)) + sum(rq.clear_failed(url, name))
        messages += rq.empty(url, name)
    with civic_db_connection() as conn:
        ledger.audit(conn, who, "queue purged", name, f"{messages} messages, {cancelled} runs")
    return Purged(messages, cancelled)


def waiting_uploads(name: str) -> list[int]:
    """Return the open uploads, if that is what waits in the queue."""
    if name != ANNOTATIONS:
        return []
    with reading_connection() as conn:
        is_open = annotation_uploads_table.c.state == sql_word(Upload.OPEN)
        chosen = select(annotation_uploads_table.c.job_id).where(is_open)
        return list(conn.execute(chosen.order_by(annotation_uploads_table.c.job_id)).scalars())


def waiting_sites(name: str) -> list[str]:
    """Return the sites whose active run waits in a queue."""
    items, jobs, runs = items_table, jobs_table, runs_table
    with reading_connection() as conn:
        return list(
            conn.execute(
                select(jobs.c.subdomain)
                .distinct()
                .join(items, items.c.job_id == jobs.c.id)
                .join(runs, runs.c.run_id == jobs.c.run_id)
                .where(runs.c.state == sql_word(Run.ACTIVE), jobs.c.queue == name)
                .where(jobs.c.state == sql_word("open"), items.c.state == sql_word(Item.PENDING))
                .order_by(jobs.c.subdomain)
            ).scalars()
        )
