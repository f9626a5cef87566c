"""Queues as operators ask about them: what waits, who serves, pause and purge.

The work is in the ledger; Redis only carries hints.  So pausing lives in SQL and holds for every
worker, and purging Redis loses nothing that clerk has to do.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from sqlalchemy import Connection, delete, insert, select

from clerk.core import config
from clerk.core.db import civic_db_connection, reading_connection, snapshot_connection
from clerk.core.errors import QueueUnavailable
from clerk.core.models import db_now, items_table, jobs_table, queues_table, runs_table
from clerk.core.states import ANNOTATIONS, QUEUES, Item, Run
from clerk.pipeline import ledger, queue, transitions, upload_ledger
from clerk.pipeline.ledger import sql_word

from . import counts


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


def look() -> list[QueueState]:
    """Return how every queue stands; of a Redis that does not answer, no messages."""
    messages = _messages()
    with snapshot_connection() as conn:
        work, workers = counts.open_work(conn), counts.live_workers(conn)
        paused = {row.name: row for row in conn.execute(select(queues_table))}
    return [
        QueueState(
            name=name,
            waiting=each.waiting,
            running=each.running,
            sites=each.sites,
            oldest_at=each.oldest_at,
            workers=workers.by_queue.get(name, 0),
            paused_by=getattr(paused.get(name), "paused_by", None),
            paused_at=getattr(paused.get(name), "paused_at", None),
            messages=messages.get(name, {}),
        )
        for name, each in work.items()
    ]


def _messages() -> dict[str, dict[str, int]]:
    settings = config.load()
    if settings.embedded:
        return {}
    from clerk.executors import rq

    try:
        return {name: rq.messages(settings.redis_url, name) for name in QUEUES}
    except QueueUnavailable:
        return {}


def pause(name: str, *, who: str) -> bool:
    """Let nothing more be claimed from a queue; False when it was paused already."""
    with civic_db_connection() as conn:
        if _paused_by(conn, name) is not None:
            return False
        conn.execute(delete(queues_table).where(queues_table.c.name == name))
        conn.execute(insert(queues_table).values(name=name, paused_by=who, paused_at=db_now()))
        ledger.audit(conn, who, "queue paused", name)
    return True


def resume(name: str, *, who: str) -> bool:
    """Let a paused queue be claimed from again; False when it was not paused."""
    with civic_db_connection() as conn:
        if _paused_by(conn, name) is None:
            return False
        conn.execute(delete(queues_table).where(queues_table.c.name == name))
        ledger.audit(conn, who, "queue resumed", name)
    queue.offer([name])
    return True


def paused_by(name: str) -> str | None:
    """Return who paused a queue, or None when it is not paused."""
    with reading_connection() as conn:
        return _paused_by(conn, name)


def _paused_by(conn: Connection, name: str) -> str | None:
    paused = queues_table.c.paused_at.is_not(None)
    chosen = select(queues_table.c.paused_by).where(queues_table.c.name == name, paused)
    row = conn.execute(chosen).first()
    return None if row is None else row.paused_by or "somebody"


@dataclass(frozen=True)
class Purged:
    """What a purge took away."""

    messages: int
    #: Runs of sites, or uploads, that were cancelled.
    runs: int


def purge(name: str, *, who: str, runs: bool = False) -> Purged:
    """Delete what Redis holds of a queue; with ``runs`` also cancel what waits in it.

    Nothing is done while Redis does not answer.
    """
    check_redis()
    cancelled = _cancel_waiting(name, f"The queue {name} was purged by {who}") if runs else 0
    messages = _empty(name)
    with civic_db_connection() as conn:
        detail = f"{messages} messages, {cancelled} runs"
        ledger.audit(conn, who, "queue purged", name, detail)
    return Purged(messages, cancelled)


def check_redis() -> None:
    """Refuse a Redis that is set and does not answer; embedded, none is needed."""
    if not config.load().embedded:
        queue.check()


def _cancel_waiting(name: str, why: str) -> int:
    cancelled = 0
    for subdomain in waiting_sites(name):
        with civic_db_connection() as conn:
            cancelled += transitions.cancel_run(conn, subdomain, why)
    for job_id in waiting_uploads(name):
        with civic_db_connection() as conn:
            cancelled += upload_ledger.cancel(conn, job_id, why)
    return cancelled


def waiting_uploads(name: str) -> list[int]:
    """Return the open uploads, if that is what waits in the queue."""
    if name != ANNOTATIONS:
        return []
    with reading_connection() as conn:
        return list(upload_ledger.open_uploads(conn))


def waiting_sites(name: str) -> list[str]:
    """Return the sites whose active run waits in a queue."""
    with reading_connection() as conn:
        return list(
            conn.execute(
                select(jobs_table.c.subdomain)
                .distinct()
                .join(items_table, items_table.c.job_id == jobs_table.c.id)
                .join(runs_table, runs_table.c.run_id == jobs_table.c.run_id)
                .where(runs_table.c.state == sql_word(Run.ACTIVE), jobs_table.c.queue == name)
                .where(jobs_table.c.state == sql_word("open"))
                .where(items_table.c.state == sql_word(Item.PENDING))
                .order_by(jobs_table.c.subdomain)
            ).scalars()
        )


def _empty(name: str) -> int:
    settings = config.load()
    if settings.embedded:
        return 0
    from clerk.executors import rq

    url = settings.redis_url
    cleared = (*rq.clear_deferred(url, name), *rq.clear_failed(url, name))
    return rq.empty(url, name) + sum(cleared)
