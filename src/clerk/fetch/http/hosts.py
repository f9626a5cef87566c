"""How all processes of this machine treat a host: one pace, pauses, no hammering.

One small file per host below ``_clerk/pace/``, changed under its lock::

    {"next_at": 1719846000.2, "failures": 2, "closed_until": 0}
"""

from __future__ import annotations

import contextlib
import fcntl
import random
import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Protocol

import msgspec

from clerk.core.storage import storage_errors

from .responses import CircuitOpen

#: After this many failures in a row no requests are sent to a host ...
FAILURES_TO_CLOSE = 5
#: ... for this long.
CLOSED_SECONDS = 300.0
#: A turn further away than this comes from a clock that was set back.
_MAX_WAIT_SECONDS = 3600.0
#: The pace varies by this share, so that workers do not fall into step.
_JITTER = 0.2


class Clock(Protocol):
    """What the module ``time`` offers; a test need not wait."""

    def time(self) -> float:
        """Seconds since 1970, the same for all processes."""

    def monotonic(self) -> float:
        """Seconds that only ever grow."""

    def sleep(self, seconds: float, /) -> None:
        """Return after this long."""


class _State(msgspec.Struct):
    next_at: float = 0.0
    failures: int = 0
    closed_until: float = 0.0


class Hosts:
    """Turns and failures of hosts.  ``vendors`` are host suffixes that share one pace."""

    def __init__(
        self,
        folder: Path,
        clock: Clock,
        *,
        pace_seconds: float,
        vendors: Mapping[str, float] | None = None,
    ) -> None:
        self._folder = folder
        self._clock = clock
        self._pace_seconds = pace_seconds
        self._vendors = dict(vendors or {})

    def await_turn(self, host: str, at_least_seconds: float = 0.0) -> None:
        """Take the host's next turn and wait for it; refuse while the host is closed."""
        key = self._key(host)
        pace = max(self._vendors.get(key, self._pace_seconds), at_least_seconds)
        now = self._clock.time()
        if key != _plain(host):
            with self._state(_plain(host)) as own:
                _check_open(own, host, now)
        with self._state(key) as state:
            _check_open(state, host, now)
            turn = state.next_at if now < state.next_at < now + _MAX_WAIT_SECONDS else now
            state.next_at = turn + pace * random.uniform(1, 1 + _JITTER)
        if turn > now:
            self._clock.sleep(turn - now)

    def succeeded(self, host: str) -> None:
        """Forget the failures of a host."""
        for key in {self._key(host), _plain(host)}:
            with self._state(key) as state:
                state.failures = 0

    def failed(self, host: str) -> None:
        """Count a failure of the host and its vendor; too many in a row close them for a while."""
        self._count_failure(self._key(host))

    def refused(self, host: str) -> None:
        """Count a refusal: it is this host's own, not that of others at the same vendor."""
        self._count_failure(_plain(host))

    def _count_failure(self, key: str) -> None:
        with self._state(key) as state:
            state.failures += 1
            if state.failures >= FAILURES_TO_CLOSE:
                state.closed_until = self._clock.time() + CLOSED_SECONDS
                state.failures = FAILURES_TO_CLOSE - 1

    def close_for(self, host: str, seconds: float) -> None:
        """Send no requests to a host for as long as it asked."""
        with self._state(self._key(host)) as state:
            state.closed_until = max(state.closed_until, self._clock.time() + seconds)

    def _key(self, host: str) -> str:
        host = _plain(host)
        for suffix in self._vendors:
            if host == suffix or host.endswith(f".{suffix}"):
                return suffix
        return host

    @contextlib.contextmanager
    def _state(self, key: str) -> Iterator[_State]:
        """Give the state of a host while its lock is held, and write it back."""
        path = self._folder / re.sub(r"[^a-z0-9.-]", "_", key)[:120]
        with storage_errors(path):
            self._folder.mkdir(parents=True, exist_ok=True)
            file = path.open("a+b")
        with file:
            fcntl.flock(file, fcntl.LOCK_EX)
            file.seek(0)
            try:
                state = msgspec.json.decode(file.read(), type=_State)
            except msgspec.DecodeError:
                state = _State()
            yield state
            file.truncate(0)
            file.write(msgspec.json.encode(state))


def _plain(host: str) -> str:
    return host.lower().rstrip(".")


def _check_open(state: _State, host: str, now: float) -> None:
    if state.closed_until > now:
        until = datetime.fromtimestamp(state.closed_until, UTC)
        raise CircuitOpen(
            f"{host} gets no requests until {until:%H:%M} UTC, after failures or at its request.",
            hint="The next run asks again.",
        )
