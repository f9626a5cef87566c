"""Running the application: a web server that stops at once, and a worker beside it.

::

    clerk serve --fork, before any thread--> the embedded worker
         |
         +-- uvicorn on a socket that is bound first, so that a taken port is said at once
"""

from __future__ import annotations

import contextlib
import ctypes
import logging
import os
import signal
import socket
import time
from collections.abc import Callable
from types import FrameType
from typing import Any, NoReturn

import uvicorn

from clerk import log
from clerk.config import Settings
from clerk.errors import BadSetting, ClerkError

from .redaction import RedactingFilter, Redactor

#: Answers under way, and the document in hand, may take so long once the server is to stop.
GRACE_SECONDS = 1
_PR_SET_PDEATHSIG = 1

_log = logging.getLogger(__name__)


def listen(host: str, port: int) -> socket.socket:
    """Return the socket to serve on, or say that it cannot be had."""
    try:
        family, *_, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        return socket.create_server(address[:2], family=family, backlog=512)
    except OSError as error:
        raise BadSetting(
            f"Cannot listen on {host} port {port}: {error.strerror or error}.",
            hint="Choose another: clerk serve --port 8080",
        ) from error


def log_safely(settings: Settings) -> None:
    """Send logs to stderr, without any secret."""
    log.set_up(settings.log_format, level="WARNING", sentry_dsn=settings.sentry_dsn)
    for handler in logging.getLogger("clerk").handlers:
        handler.addFilter(RedactingFilter(Redactor(settings)))


class Server(uvicorn.Server):
    """A server that ends its live streams before it waits for the answers under way."""

    def __init__(self, config: uvicorn.Config, on_exit: Callable[[], None]) -> None:
        super().__init__(config)
        self._on_exit = on_exit

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Stop, streams first."""
        self._on_exit()
        super().handle_exit(sig, frame)


def run_server(app: Any, listening: socket.socket, on_exit: Callable[[], None]) -> None:
    """Serve until told to stop."""
    config = uvicorn.Config(
        app,
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=GRACE_SECONDS,
        timeout_keep_alive=30,
    )
    # The server repeats the signal to itself when it is done; it has been obeyed by then.
    with contextlib.suppress(KeyboardInterrupt):
        Server(config, on_exit).run(sockets=[listening])


class Worker:
    """The embedded worker, in a process of its own."""

    def __init__(self, settings: Settings, listening: socket.socket) -> None:
        parent = os.getpid()
        self._process = os.fork()
        if self._process == 0:
            listening.close()
            _be_worker(settings, parent)

    def finish(self) -> None:
        """Tell it to finish the documents in hand and take nothing more."""
        with contextlib.suppress(ProcessLookupError):
            os.kill(self._process, signal.SIGTERM)

    def end(self) -> None:
        """Have it give back what it has in hand, and be gone."""
        with contextlib.suppress(ProcessLookupError, ChildProcessError):
            if not self._gone_within(0.1):
                os.kill(self._process, signal.SIGINT)
            if not self._gone_within(GRACE_SECONDS):
                os.kill(self._process, signal.SIGKILL)
                os.waitpid(self._process, 0)

    def _gone_within(self, seconds: float) -> bool:
        give_up = time.monotonic() + seconds
        while time.monotonic() < give_up:
            if os.waitpid(self._process, os.WNOHANG)[0]:
                return True
            time.sleep(0.02)
        return False


def _be_worker(settings: Settings, parent: int) -> NoReturn:
    """Work until told to stop; never return into the parent's code."""
    status = 1
    try:
        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
        if os.getppid() == parent:
            _work(settings)
        status = 0
    except (ClerkError, OSError) as error:
        _log.error("The worker has stopped: %s", error)
    finally:
        os._exit(status)


def _work(settings: Settings) -> None:
    from clerk.executors import embedded
    from clerk.workers import Pipeline

    with contextlib.suppress(embedded.Interrupted, KeyboardInterrupt):
        embedded.run(Pipeline(), settings, done=lambda: False)
