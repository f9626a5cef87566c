"""A process beside the pages: started again whenever it dies, gone when the server is.

::

    clerk serve --thread--> ChildProcess --starts, waits, starts again--> python -m MODULE PID ...

A process with threads must not fork, so the child is a fresh interpreter.  It is given the process
id of the server first, and calls :func:`die_with`.  :attr:`ChildProcess.state` is true at every
moment: also between a death and the next start.
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

#: The pause before the first new start; it doubles with every death in a row.
FIRST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS = 0.5, 60.0
#: One that lived so long had started well: its death is the first in a row.
STEADY_SECONDS = 60.0
#: What it works on may take this long once the server is to stop.
GRACE_SECONDS = 1.0
_PR_SET_PDEATHSIG = 1


@dataclass(frozen=True)
class State:
    """How the process is."""

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


class ChildProcess:
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
        self.state = State(alive=False)
        self._name, self._environment = name, environment
        self._command = [sys.executable, "-m", module, str(os.getpid()), *arguments]
        self._sockets = sockets
        self._process: subprocess.Popen[bytes] | None = None
        self._begun, self._ending = threading.Event(), threading.Event()
        self._lock = threading.RLock()
        self._keeper = threading.Thread(target=self._keep, name=name, daemon=True)

    def start(self) -> None:
        """Start it; from now on it is started again when it dies."""
        self._keeper.start()
        self._begun.wait(GRACE_SECONDS)

    @property
    def pid(self) -> int | None:
        """The number of the process that was started last."""
        return self._process.pid if self._process else None

    def kill(self, pid: int | None) -> None:
        """Kill the process if it is still this one; another is started."""
        with self._lock:
            if self._process is not None and self._process.pid == pid:
                self._process.kill()

    def finish(self) -> None:
        """Tell it to finish what it works on and take nothing more."""
        self._ending.set()
        self._send(signal.SIGTERM)

    def end(self) -> None:
        """Have it give up what it works on, and be gone."""
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
            self._note_death(code, pause)
            self._ending.wait(pause)
            pause = min(2 * pause, LONGEST_PAUSE_SECONDS)
        self.state = State(alive=False, deaths=self.state.deaths)

    def _started(self) -> subprocess.Popen[bytes] | None:
        """Start the process, unless the end has come.

        Called by the thread that waits for it: a process that dies with its parent dies with the
        thread that has started it.
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
        self.state = State(True, former.deaths, former.died_at, former.how)
        self._begun.set()
        return self._process

    def _note_death(self, code: int, pause: float) -> None:
        how = f"killed by {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"
        now = utc_now()
        starts_at = now + timedelta(seconds=pause)
        self.state = State(False, self.state.deaths + 1, now, how, starts_at)
        _log.error("The %s has died (%s); it is started again in %.1f s", self._name, how, pause)


def die_with(parent: int, number: signal.Signals) -> None:
    """Have this process get a signal when its parent is gone; exit if it is gone already."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, number)
    if os.getppid() != parent:
        sys.exit(0)
