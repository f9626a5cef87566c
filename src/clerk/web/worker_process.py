"""The worker beside the pages: an embedded worker in a process of its own."""

from __future__ import annotations

import contextlib
import logging
import signal
import sys

from clerk.core import config
from clerk.core.config import Settings
from clerk.core.errors import ClerkError

from .child_process import ChildProcess, die_with
from .serving import log_safely

_log = logging.getLogger(__name__)


class Worker(ChildProcess):
    """Keeps an embedded worker running until it is told to end."""

    def __init__(self) -> None:
        super().__init__("worker", "clerk.web.worker_process")


def be_worker(parent: int) -> int:
    """Work until told to stop, or until the server is gone; return the exit code."""
    settings = config.load()
    log_safely(settings)
    die_with(parent, signal.SIGTERM)
    try:
        _work(settings)
    except (ClerkError, OSError) as error:
        _log.error("The worker has stopped: %s", error)
        return 1
    return 0


def _work(settings: Settings) -> None:
    from clerk.executors import embedded
    from clerk.pipeline.workers import Pipeline

    with contextlib.suppress(embedded.Interrupted, KeyboardInterrupt):
        embedded.run(Pipeline(), settings, done=lambda: False, stays=True)


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt):
        sys.exit(be_worker(int(sys.argv[1])))
