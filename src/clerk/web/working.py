"""The worker beside the pages: a process of its own, started again whenever it dies.

::

    clerk serve --thread--> Worker --starts, waits, starts again--> python -m clerk.web.working

A process with threads must not fork, so the worker is a fresh interpreter.  The pages ask
:attr:`Worker.state`, which is true at every moment: also between a death and the next start.
"""

from __future__ import annotations

import contextlib
import ctypes
import logging
import os
import signal
import subprocess
import sys
import threading
import time
from dataclasses import dataclass
from datetime import datetime, timedelta

from clerk import config
from clerk.clock import utc_now
from clerk.config import Settings
from clerk.errors import ClerkError

from .serving import log_safely

_log = logging.getLogger(__name__)

#: The pause before the first new start; it doubles with every death in a row.
FIRST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS = 0.5, 60.0
#: One that lived so long had started well: its death is the first in a row.
STEADY_SECONDS = 60.0
#: The document in hand may take so long once the server is to stop.
GRACE_SECONDS = 1.0
_PR_SET_PDEATHSIG = 1


@dataclass(frozen=True)
class State:
    """How the worker is."""

    alive: bool
    deaths: int = 0
    died_at: datetime | None = None
    how: str = ""
    starts_at: datetime | None = None

    @property
    def said(self) -> str:
        """How it is, in a line."""
        if self.alive:
            return "alive"
        if self.starts_at is None:
            return "stopped"
        pause = max(0.0, (self.starts_at - utc_now()).total_seconds())
        return f"died ({self.how}); it is started again in {pause:.0f} s"


class Worker:
    """Keeps an embedded worker running until it is told to end."""

    def __init__(self) -> None:
        self.state = State(alive=False)
        self._process: subprocess.Popen[bytes] | None = None
        self._ending = threading.Event()
        self._lock = threading.RLock()
        self._keeper = threading.Thread(target=self._keep, name="worker", daemon=True)

    def start(self) -> None:
        """Start it; from now on it is started again when it dies."""
        self._keeper.start()

    def finish(self) -> None:
        """Tell it to finish the documents in hand and take nothing more."""
        self._ending.set()
        self._send(signal.SIGTERM)

    def end(self) -> None:
        """Have it give back what it has in hand, and be gone."""
        self._ending.set()
        for number, seconds in ((None, 0.1), (signal.SIGINT, GRACE_SECONDS), (signal.SIGKILL, 1.0)):
            if not self._keeper.is_alive():
                return
            if number is not None:
                self._send(number)
            self._keeper.join(seconds)

    def _send(self, number: signal.Signals) -> None:
        with self._lock:
            if self._process is not None:
                self._process.send_signal(number)

    def _keep(self) -> None:
        pause = FIRST_PAUSE_SECONDS
        while process := self._started():
            began = time.monotonic()
            code = process.wait()
            if self._ending.is_set():
                break
            if time.monotonic() - began > STEADY_SECONDS:
                pause = FIRST_PAUSE_SECONDS
            self._mourn(code, pause)
            self._ending.wait(pause)
            pause = min(2 * pause, LONGEST_PAUSE_SECONDS)
        self.state = State(alive=False, deaths=self.state.deaths)

    def _started(self) -> subprocess.Popen[bytes] | None:
        """Start the process, unless the end has come."""
        with self._lock:
            if self._ending.is_set():
                return None
            command = [sys.executable, "-m", "clerk.web.working", str(os.getpid())]
            self._process = subprocess.Popen(command, stdin=subprocess.DEVNULL)
        former = self.state
        self.state = State(True, former.deaths, former.died_at, former.how)
        return self._process

    def _mourn(self, code: int, pause: float) -> None:
        how = f"killed by {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"
        now = utc_now()
        starts_at = now + timedelta(seconds=pause)
        self.state = State(False, self.state.deaths + 1, now, how, starts_at)
        _log.error("The worker has died (%s); it is started again in %.1f s", how, pause)


def be_worker(parent: int) -> int:
    """Work until told to stop, or until the server is gone; return the exit code."""
    settings = config.load()
    log_safely(settings)
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
    if os.getppid() != parent:
        return 0
    try:
        _work(settings)
    except (ClerkError, OSError) as error:
        _log.error("The worker has stopped: %s", error)
        return 1
    return 0


def _work(settings: Settings) -> None:
    from clerk.executors import embedded
    from clerk.workers import Pipeline

    with contextlib.suppress(embedded.Interrupted, KeyboardInterrupt):
        embedded.run(Pipeline(), settings, done=lambda: False, stays=True)


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt):
        sys.exit(be_worker(int(sys.argv[1])))
