"""Kill a process at its n-th step, without a word about it in the code under test.

The steps of a process are: before and after every SQL statement, around every commit, before and
after every rename of a file or directory, before and after every send to Redis.  At the chosen one
the process ends by SIGKILL, which nothing can catch.  A supervisor's children count for themselves.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from multiprocessing.sharedctypes import RawArray
from pathlib import Path
from typing import Any

from redis.connection import AbstractConnection
from sqlalchemy import Engine, event

SUPERVISOR, CHILD = "supervisor", "child"


class Steps:
    """Counts the steps of a process, and ends it at the chosen one, once."""

    def __init__(self, die_at: int, who: str = SUPERVISOR) -> None:
        self._die_at = die_at
        self._who = who
        self._role = SUPERVISOR
        self._passed = 0
        self._died = RawArray("b", 1)

    def step(self) -> None:
        """Pass one step, or die at it."""
        self._passed += 1
        if self._role == self._who and self._passed == self._die_at and not self._died[0]:
            self._died[0] = 1
            os.kill(os.getpid(), signal.SIGKILL)

    def begin_as_child(self) -> None:
        """Count from the start: this is a new process."""
        self._role, self._passed = CHILD, 0

    @property
    def died(self) -> bool:
        """Whether any process reached the step."""
        return bool(self._died[0])


_counting: Steps | None = None


def count_steps(steps: Steps) -> None:
    """Count the steps of this process and of those it forks, until it ends."""
    global _counting
    _counting = steps
    for name in ("before_cursor_execute", "after_cursor_execute", "commit", "begin"):
        event.listen(Engine, name, _pass_step)
    event.listen(Engine, "checkin", _pass_step)
    sys.addaudithook(_on_audit)
    _around(AbstractConnection, "send_packed_command")
    _around(Path, "rename")
    _around(Path, "replace")
    os.register_at_fork(after_in_child=steps.begin_as_child)


def _pass_step(*_: Any) -> None:
    if _counting is not None:
        _counting.step()


def _on_audit(name: str, _arguments: tuple[Any, ...]) -> None:
    if name == "os.rename":
        _pass_step()


def _around(owner: type, name: str) -> None:
    """Pass a step after a call; for what has no event of its own."""
    original: Callable[..., Any] = getattr(owner, name)

    def called(*args: Any, **kwargs: Any) -> Any:
        _pass_step()
        result = original(*args, **kwargs)
        _pass_step()
        return result

    setattr(owner, name, called)
