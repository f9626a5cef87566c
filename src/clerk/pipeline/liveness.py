"""Which workers are alive: locks that die with a process, leases that end without a beat.

On one host a worker's death is seen at once, because the lock it held is free; from afar it is seen
when its lease ends.  A worker that beats is never declared dead, however long its work takes.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from sqlalchemy import Connection, select

from clerk import __version__
from clerk.core.models import workers_table
from clerk.executors.worker_lock import is_free, this_host

from . import ledger


def register(
    conn: Connection,
    worker_id: str,
    *,
    lease_seconds: float,
    queues: str,
    lock_path: str | None = None,
) -> None:
    """Make this process known as a worker before it claims anything."""
    ledger.register_worker(
        conn,
        worker_id,
        lease_seconds=lease_seconds,
        queues=queues,
        lock_path=lock_path,
        host=this_host(),
        pid=os.getpid(),
        version=__version__,
    )


def beat(
    conn: Connection,
    worker_id: str,
    lease_seconds: float,
    running: Mapping[str, str],
    pages: Mapping[str, int] | None = None,
) -> bool:
    """Renew a worker's lease; False when it is not known any more."""
    return ledger.beat(conn, worker_id, lease_seconds, running, pages or {})


def forget_the_long_dead(conn: Connection) -> None:
    """Forget workers that have been silent for a day, and remove the locks they left here."""
    for host, lock_path in ledger.forget_dead_workers(conn):
        if lock_path and host == this_host():
            Path(lock_path).unlink(missing_ok=True)


def dead_on_this_host(conn: Connection) -> list[str]:
    """Return the workers of this host whose lock nobody holds any more."""
    workers = conn.execute(
        select(workers_table.c.id, workers_table.c.lock_path).where(
            workers_table.c.host == this_host()
        )
    )
    return [row.id for row in workers if row.lock_path and is_free(Path(row.lock_path))]
