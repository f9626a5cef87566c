"""A process next to the server: restarted whenever it dies, ended together with the server.

::

    clerk serve --thread--> SupervisedProcess --starts, waits, restarts--> python -m MODULE PID ...

A process with threads must not fork, so the child is a new interpreter.  Its first argument is the
process id of the server, for :func:`end_with_parent`.  :attr:`SupervisedProcess.state` is correct
at any time, also between a death and the restart.
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
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from clerk.core.clock import utc_now

_log = logging.getLogger(__name__)

#: The delay before the first restart; it doubles with every death in a row.
FIRST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS = 0.5, 60.0
#: A process that lived this long had started well: its death is the first in a row.
STEADY_SECONDS = 60.0
#: Time to finish its work once the server stops.
GRACE_SECONDS = 1.0
_PR_SET_PDEATHSIG = 1


@dataclass(frozen=True)
class ProcessState:
    """Whether the process is alive, and how it died last."""

    alive: bool
    deaths: int = 0
    died_at: datetime | None = None
    how: str = ""
    restarts_at: datetime | None = None

    @property
    def summary(self) -> str:
        """The state in one line."""
        if self.alive:
            return "alive"
        if self.restarts_at is None:
            return "stopped"
        pause = max(0.0, (self.restarts_at - utc_now()).total_seconds())
        return f"died ({self.how}); it is restarted in {pause:.0f} s"


class SupervisedProcess:
    """Keeps a process running until it is told to end."""

    def __init__(
        self,
        name: str,
        module: str,
        arguments: Sequence[str] = (),
        *,
        sockets: Sequence[int] = (),
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self.state = ProcessState(alive=False)
        self._name, self._environment = name, environment
        self._command = [sys.executable, "-m", module, str(os.getpid()), *arguments]
        self._sockets = sockets
        self._process: subprocess.Popen[bytes] | None = None
        self._begun, self._ending = threading.Event(), threading.Event()
        self._lock = threading.RLock()
        self._supervisor = threading.Thread(target=self._supervise, name=name, daemon=True)

    def start(self) -> None:
        """Start it; from now on it is restarted when it dies."""
        self._supervisor.start()
        self._begun.wait(GRACE_SECONDS)

    @property
    def pid(self) -> int | None:
        """The process id of the last start."""
        return self._process.pid if self._process else None

    def kill(self, pid: int | None) -> None:
        """Kill the process if it still has this id; it is restarted."""
        with self._lock:
            if self._process is not None and self._process.pid == pid:
                self._process.kill()

    def finish(self) -> None:
        """Tell it to finish its work and start nothing new."""
        self._ending.set()
        self._send(signal.SIGTERM)

    def end(self) -> None:
        """End it, whatever it is doing."""
        self._ending.set()
        for number, seconds in ((None, 0.1), (signal.SIGINT, GRACE_SECONDS), (signal.SIGKILL, 1.0)):
            if not self._supervisor.is_alive():
                return
            if number is not None:
                self._send(number)
            self._supervisor.join(seconds)

    def _send(self, number: signal.Signals) -> None:
        with self._lock:
            if self._process is not None:
                self._process.send_signal(number)

    def _supervise(self) -> None:
        pause = FIRST_PAUSE_SECONDS
        while process := self._started():
            began = time.monotonic()
            code = process.wait()
            if self._ending.is_set():
                break
            if time.monotonic() - began > STEADY_SECONDS:
                pause = FIRST_PAUSE_SECONDS
            how = f"killed by {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"
            now = utc_now()
            restarts_at = now + timedelta(seconds=pause)
            self.state = ProcessState(False, self.state.deaths + 1, now, how, restarts_at)
            _log.error("The %s died (%s); it is restarted in %.1f s", self._name, how, pause)
            self._ending.wait(pause)
            pause = min(2 * pause, LONGEST_PAUSE_SECONDS)
        self.state = ProcessState(alive=False, deaths=self.state.deaths)

    def _started(self) -> subprocess.Popen[bytes] | None:
        """Start the process, unless the server stops.

        Called by the thread that waits for it: a process that is ended with its parent is ended
        with the thread that started it.
        """
        with self._lock:
            if self._ending.is_set():
                return None
            self._process = subprocess.Popen(
                self._command,
                stdin=subprocess.DEVNULL,
                pass_fds=self._sockets,
                env=self._environment,
            )
        former = self.state
        self.state = ProcessState(True, former.deaths, former.died_at, former.how)
        self._begun.set()
        return self._process


def end_with_parent(parent: int, number: signal.Signals) -> None:
    """Have the system signal this process when its parent dies; exit if that has happened."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, number)
    if os.getppid() != parent:
        sys.exit(0)
