"""The worker of ``clerk serve``: an embedded worker in a process of its own."""

from __future__ import annotations

import contextlib
import logging
import signal
import sys

from clerk.core import config
from clerk.core.errors import ClerkError

from .serving import log_safely
from .supervised_process import SupervisedProcess, end_with_parent

_log = logging.getLogger(__name__)


class Worker(SupervisedProcess):
    """Keeps an embedded worker running until it is told to end."""

    def __init__(self) -> None:
        super().__init__("worker", "clerk.web.worker_process")


def be_worker(parent: int) -> int:
    """Work until told to stop, or until the server is gone; return the exit code."""
    settings = config.load()
    log_safely(settings)
    end_with_parent(parent, signal.SIGTERM)
    from clerk.executors import embedded
    from clerk.pipeline.flow import Pipeline

    try:
        with contextlib.suppress(embedded.Interrupted, KeyboardInterrupt):
            embedded.run(Pipeline(settings), settings, done=lambda: False, stays=True)
    except (ClerkError, OSError) as error:
        _log.error("The worker has stopped: %s", error)
        return 1
    return 0


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt):
        sys.exit(be_worker(int(sys.argv[1])))
