"""Locks that die with a process: on one host a worker's death is seen at once."""

from __future__ import annotations

import contextlib
import fcntl
import os
import socket
from functools import lru_cache
from pathlib import Path


class Lock:
    """A lock on a file that this process holds until it ends, however it ends."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self.path = path
        self.descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        fcntl.flock(self.descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        _held.add(self)

    def release(self) -> None:
        """Release the lock and delete its file."""
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


def is_free(path: Path) -> bool:
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
