"""How all processes treat a host: one pace, pauses, no hammering.

Where one machine does all the work there is a small file per host below ``_clerk/pace/``, changed
under its lock; where there may be many (PostgreSQL), a row per host (:mod:`clerk.core.hosts`)::

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

from clerk.core.hosts import HostState
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


class HostStates(Protocol):
    """Where the states of hosts are kept."""

    def locked(self, host: str) -> contextlib.AbstractContextManager[tuple[HostState, float]]:
        """Give the state of a host and the time while nobody else can change it."""

    def robots(self, host: str) -> str | None:
        """Return a host's robots.txt if it was read lately."""

    def keep_robots(self, host: str, content: str) -> None:
        """Keep a host's robots.txt for a while."""


class HostFiles:
    """The states of hosts in files, for the processes of one machine."""

    def __init__(self, folder: Path, clock: Clock) -> None:
        self._folder = folder
        self._clock = clock

    @contextlib.contextmanager
    def locked(self, host: str) -> Iterator[tuple[HostState, float]]:
        """Give the state of a host and the time while its file is locked, and write it back."""
        path = self._folder / re.sub(r"[^a-z0-9.-]", "_", host)[:120]
        with storage_errors(path):
            self._folder.mkdir(parents=True, exist_ok=True)
            file = path.open("a+b")
        with file:
            fcntl.flock(file, fcntl.LOCK_EX)
            file.seek(0)
            try:
                state = msgspec.json.decode(file.read(), type=HostState)
            except msgspec.DecodeError:
                state = HostState()
            yield state, self._clock.time()
            file.truncate(0)
            file.write(msgspec.json.encode(state))

    def robots(self, _host: str) -> str | None:
        """Return None: each process reads it once."""
        return None

    def keep_robots(self, _host: str, _content: str) -> None:
        """Keep nothing."""


class Hosts:
    """Turns and failures of hosts.  ``vendors`` are host suffixes that share one pace.

    Failures are counted for the host if they are the host's own (no connection, no time, too many
    requests), and else for the site that is being fetched: one town's broken pages close neither
    its vendor nor the other towns on the same host.
    """

    def __init__(
        self,
        states: HostStates,
        clock: Clock,
        *,
        pace_seconds: float,
        vendors: Mapping[str, float] | None = None,
        site: str = "",
    ) -> None:
        self.states = states
        self._site = f"site {site}" if site else ""
        self._clock = clock
        self._pace_seconds = pace_seconds
        self._vendors = dict(vendors or {})

    def await_turn(self, host: str, at_least_seconds: float = 0.0) -> None:
        """Take the host's next turn and wait for it; refuse while the host is closed."""
        key = self._key(host)
        pace = max(self._vendors.get(key, self._pace_seconds), at_least_seconds)
        for other in (_plain(host), self._site):
            if other and other != key:
                with self.states.locked(other) as (own, now):
                    _check_open(own, host, now)
        with self.states.locked(key) as (state, now):
            _check_open(state, host, now)
            turn = state.next_at if now < state.next_at < now + _MAX_WAIT_SECONDS else now
            state.next_at = turn + pace * random.uniform(1, 1 + _JITTER)
        if turn > now:
            self._clock.sleep(turn - now)

    def succeeded(self, host: str) -> None:
        """Forget the failures of a host."""
        for key in {self._key(host), _plain(host), self._site or _plain(host)}:
            with self.states.locked(key) as (state, _):
                state.failures = 0

    def failed(self, host: str) -> None:
        """Count a failure of the host itself; too many in a row close it for a while."""
        self._count_failure(_plain(host))

    def failed_for_site(self, host: str) -> None:
        """Count a failure of the pages of one site; without a site it is the host's."""
        self._count_failure(self._site or _plain(host))

    def _count_failure(self, key: str) -> None:
        with self.states.locked(key) as (state, now):
            state.failures += 1
            if state.failures >= FAILURES_TO_CLOSE:
                state.closed_until = now + CLOSED_SECONDS
                state.failures = FAILURES_TO_CLOSE - 1

    def close_for(self, host: str, seconds: float) -> None:
        """Send no requests to a host for as long as it asked."""
        with self.states.locked(self._key(host)) as (state, now):
            state.closed_until = max(state.closed_until, now + seconds)

    def _key(self, host: str) -> str:
        host = _plain(host)
        for suffix in self._vendors:
            if host == suffix or host.endswith(f".{suffix}"):
                return suffix
        return host


def _plain(host: str) -> str:
    return host.lower().rstrip(".")


def _check_open(state: HostState, host: str, now: float) -> None:
    if state.closed_until > now:
        until = datetime.fromtimestamp(state.closed_until, UTC)
        raise CircuitOpen(
            f"No requests go to {host} until {until:%H:%M} UTC, after failures or at its request.",
            hint="The next run tries again.",
        )
