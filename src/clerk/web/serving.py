"""Running the application: a web server that stops at once, and a worker beside it."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import uvicorn

from clerk import log
from clerk.config import Settings

#: Answers under way may take so long once the server is told to stop.
GRACE_SECONDS = 2


class Server(uvicorn.Server):
    """A server that ends its live streams before it waits for the answers under way."""

    def __init__(self, config: uvicorn.Config, on_exit: Callable[[], None]) -> None:
        super().__init__(config)
        self._on_exit = on_exit

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Stop, streams first."""
        self._on_exit()
        super().handle_exit(sig, frame)


def run_server(app: Any, host: str, port: int, on_exit: Callable[[], None]) -> None:
    """Serve until told to stop."""
    config = uvicorn.Config(
        app,
        host=host,
        port=port,
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=GRACE_SECONDS,
        timeout_keep_alive=30,
    )
    Server(config, on_exit).run()


def start_worker(settings: Settings) -> int:
    """Fork the embedded worker and return its process; call it before any thread is started."""
    parent = os.getpid()
    child = os.fork()
    if child:
        return child
    with contextlib.suppress(BaseException):
        _end_with(parent)
        _work(settings)
    os._exit(0)


def _work(settings: Settings) -> None:
    from clerk.executors import embedded
    from clerk.workers import Pipeline

    log.set_up(settings.log_format, level="WARNING", sentry_dsn=settings.sentry_dsn)
    with contextlib.suppress(embedded.Interrupted, KeyboardInterrupt):
        embedded.run(Pipeline(), settings, done=lambda: False)


def _end_with(parent: int) -> None:
    """Be told to stop when the parent is gone, however it went."""
    import ctypes

    pr_set_pdeathsig = 1
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(pr_set_pdeathsig, signal.SIGTERM)
    if os.getppid() != parent:
        sys.exit(0)


def stop_worker(worker: int) -> None:
    """Tell the worker to give back what it has in hand, and wait for it a little."""
    import time

    with contextlib.suppress(ProcessLookupError, ChildProcessError):
        os.kill(worker, signal.SIGTERM)
        os.kill(worker, signal.SIGTERM)
        give_up = time.monotonic() + GRACE_SECONDS
        while time.monotonic() < give_up:
            if os.waitpid(worker, os.WNOHANG)[0]:
                return
            time.sleep(0.02)
        os.kill(worker, signal.SIGKILL)
        os.waitpid(worker, 0)
