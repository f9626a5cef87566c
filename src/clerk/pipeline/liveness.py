"""Who is alive: locks that die with a process, leases that end without a beat.

On one host a worker's death is seen at once, because the lock it held is free; from afar it is seen
when its lease ends.  A worker that beats is never declared dead, however long its work takes.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import socket
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, select

from clerk.core.models import workers_table

from . import ledger


class Lock:
    """A lock on a file that this process holds until it ends, however it ends."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self.path = path
        self.descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        fcntl.flock(self.descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        _held.add(self)

    def release(self) -> None:
        """Let go and leave no file behind."""
        self.path.unlink(missing_ok=True)
        self.close()

    def close(self) -> None:
        """Close this process's copy of the descriptor."""
        _held.discard(self)
        if self.descriptor >= 0:
            with contextlib.suppress(OSError):
                os.close(self.descriptor)
            self.descriptor = -1


#: The locks of this process.
_held: set[Lock] = set()


def _leave_to_parent() -> None:
    """Close a child's copies: a lock is shared with forked children and would outlive us."""
    for lock in list(_held):
        lock.close()


os.register_at_fork(after_in_child=_leave_to_parent)


def register(conn: Connection, worker_id: str, *, lease_seconds: float, **facts: Any) -> None:
    """Make this process known as a worker."""
    ledger.register_worker(
        conn, worker_id, lease_seconds=lease_seconds, host=this_host(), pid=os.getpid(), **facts
    )


def strike_off(conn: Connection, worker_id: str) -> None:
    """Forget a worker that ended in order."""
    ledger.forget_worker(conn, worker_id)


def beat(
    conn: Connection, worker_id: str, lease_seconds: float, in_hand: Mapping[str, str]
) -> bool:
    """Renew this worker's lease; False when it is not known any more."""
    return ledger.beat(conn, worker_id, lease_seconds, in_hand)


def forget_the_long_dead(conn: Connection) -> None:
    """Strike off workers that have been silent for a day, and remove the locks they left here."""
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
    return [row.id for row in workers if row.lock_path and _is_free(Path(row.lock_path))]


def _is_free(path: Path) -> bool:
    """Whether a lock file is there and unlocked; one that is absent proves nothing."""
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return True
    except BlockingIOError:
        return False
    finally:
        os.close(descriptor)


@lru_cache(maxsize=1)
def this_host() -> str:
    """Return a name that two machines never share, even if they share a host name."""
    boot = Path("/proc/sys/kernel/random/boot_id")
    mark = boot.read_text().strip() if boot.is_file() else "unknown"
    return f"{socket.gethostname()}/{mark}"
