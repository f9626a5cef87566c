"""Several workers of one kind, each in a process of its own."""

from __future__ import annotations

import contextlib
import logging
import os
import signal
import time
from collections.abc import Callable

log = logging.getLogger(__name__)

#: A worker that ran this long before its set-up failed is replaced: the fault may pass.
SETTLED_SECONDS = 10.0
#: How often a pool looks whether one of its workers ended.
LOOK_SECONDS = 0.1

_STOPS = (signal.SIGINT, signal.SIGTERM)


class WorkerPool:
    """Some workers of one kind, each in a process of its own; one that dies is replaced."""

    def __init__(self, start: Callable[[], None], number: int, *, burst: bool) -> None:
        self._start = start
        self._number = number
        self._burst = burst
        #: When each was started, by process id.
        self._started: dict[int, float] = {}
        self._stopping = False

    def run(self) -> int:
        """Run them until they end and return the worst exit status of a burst."""
        for number in _STOPS:
            signal.signal(number, self._pass_on)
        for _ in range(self._number):
            self._spawn()
        worst = 0
        while self._started:
            pid, status = self._wait()
            lived = time.monotonic() - self._started.pop(pid)
            code = os.waitstatus_to_exitcode(status)
            # 3 at the start is a set-up that a person has to fix.
            has_failed = code not in (0, 3) or (code == 3 and lived > SETTLED_SECONDS)
            if has_failed and not (self._burst or self._stopping):
                log.error("A worker ended with %s; starting another", code)
                time.sleep(1.0)
                if not self._stopping:
                    self._spawn()
            else:
                worst = max(worst, code if code >= 0 else 1)
        return worst

    def _wait(self) -> tuple[int, int]:
        """Wait for one to end, by looking: a signal just before a blocking wait would go unheard.

        Python calls a handler between two instructions, and a wait that has begun is one.
        """
        while True:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if pid:
                return pid, status
            time.sleep(LOOK_SECONDS)

    def _spawn(self) -> None:
        """Start a worker out of reach of the terminal's signals: it hears of them from here, once.

        They are held back meanwhile, so that none meets a process that is neither pool nor worker.
        Nothing is started once one has come.
        """
        signal.pthread_sigmask(signal.SIG_BLOCK, _STOPS)
        pid = -1 if self._stopping else os.fork()
        if pid > 0:
            self._started[pid] = time.monotonic()
        if pid == 0:
            os.setpgid(0, 0)
            for number in _STOPS:
                signal.signal(number, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _STOPS)
        if pid == 0:
            code = 0
            try:
                self._start()
            except SystemExit as end:
                code = end.code if isinstance(end.code, int) else int(end.code is not None)
            except BaseException:
                log.exception("A worker ended unexpectedly")
                code = 1
            os._exit(code)

    def _pass_on(self, number: int, _frame: object) -> None:
        self._stopping = True
        for pid in self._started:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, number)
