"""Live updates: one doorbell per browser, rung when the database changes.

::

    database --asked every 250 ms--> Doorbell --"event: change"--> the leading tab of each browser
                                                                       | BroadcastChannel
                                     a fragment <--fetch-- every tab that shows one

What changed is not told: every region of a page fetches itself again as an ordinary address.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import threading
import time
from collections.abc import AsyncIterator, Callable, Collection
from http import HTTPStatus
from typing import NamedTuple

from sqlalchemy.pool import PoolProxiedConnection
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response, StreamingResponse

from clerk.core.db import get_civic_db

from .sessions import Person
from .throttling import Handler

_log = logging.getLogger(__name__)

LOOK_SECONDS = 0.25
#: Between two checks whether those who listen may still do so.
ADMIT_SECONDS = 2.0
#: Between two signs of life on a quiet stream, so that both ends notice a dead line.
QUIET_SECONDS = 15.0
STREAMS_AT_MOST = 1000
#: A fragment is made again after so long although nothing rang: it tells how long ago things were.
KEPT_SECONDS = 5.0
FRAGMENTS_AT_MOST = 500

#: A number that differs whenever somebody else has written something.
_CHANGES = {
    "sqlite": "PRAGMA data_version",
    "postgresql": "SELECT pg_snapshot_xmax(pg_current_snapshot())::text",
}


class Doorbell:
    """Looks at the database for all streams of this process, while there are any.

    ``beside`` gives what else the pages show; it rings when that changes, too.  ``still_admitted``
    gives those whose session has not ended; the streams of all others end within seconds.
    """

    def __init__(
        self,
        beside: Callable[[], object] = lambda: None,
        still_admitted: Callable[[Collection[Person]], Collection[Person]] = lambda people: people,
    ) -> None:
        self._beside = beside
        self._still_admitted = still_admitted
        self._rung = asyncio.Event()
        self._rings = 0
        #: Who listens, for each stream.
        self._people: dict[object, Person | None] = {}
        self._dismissed: frozenset[Person] = frozenset()
        self._looking: asyncio.Task[None] | None = None
        self._connection: PoolProxiedConnection | None = None
        self._closed = False

    async def listen(self, person: Person | None = None) -> AsyncIterator[bytes]:
        """Yield the events of one stream until the server stops or the person's session ends."""
        stream = object()
        self._people[stream] = person
        self._start_looking()
        heard = self._rings
        try:
            yield b"retry: 2000\n" + self._event("hello")
            while not self._is_over(person):
                if heard == self._rings and not await self._wait():
                    yield b": still here\n\n"
                    continue
                heard = self._rings
                if not self._is_over(person):
                    yield self._event("change")
        finally:
            del self._people[stream]

    def _is_over(self, person: Person | None) -> bool:
        return self._closed or person in self._dismissed

    def _event(self, name: str) -> bytes:
        """Return an event with the number of streams: the more there are, the less each fetches."""
        return f"event: {name}\ndata: {self.listeners}\n\n".encode()

    @property
    def rings(self) -> int | None:
        """How often it has rung; None while nobody listens and so nobody looks."""
        looking = self._looking is not None and not self._looking.done()
        return self._rings if looking else None

    async def _wait(self) -> bool:
        """Wait for the next ring; False when it has been quiet for long."""
        try:
            await asyncio.wait_for(self._rung.wait(), QUIET_SECONDS)
        except TimeoutError:
            return False
        return True

    @property
    def listeners(self) -> int:
        """How many streams are open."""
        return len(self._people)

    def ring(self) -> None:
        """Wake all streams once."""
        self._rings += 1
        self._rung.set()
        self._rung = asyncio.Event()

    def close(self) -> None:
        """End all streams; may be called from a signal handler."""
        self._closed = True
        with contextlib.suppress(RuntimeError):
            self.ring()

    def _start_looking(self) -> None:
        if self._looking is None or self._looking.done():
            self._looking = asyncio.create_task(self._look())

    async def _look(self) -> None:
        """Ring whenever the database has changed, as long as anybody listens."""
        known: tuple[str | None, object] | None = None
        admitted_at = time.monotonic()
        try:
            while self._people and not self._closed:
                seen = (await run_in_threadpool(self._ask), self._beside())
                if known is not None and seen != known:
                    self.ring()
                known = seen
                if time.monotonic() >= admitted_at + ADMIT_SECONDS:
                    await self._dismiss()
                    admitted_at = time.monotonic()
                await asyncio.sleep(LOOK_SECONDS)
        finally:
            await run_in_threadpool(self._hang_up)

    async def _dismiss(self) -> None:
        """Wake the streams of those whose session has ended, so that they end."""
        people = frozenset(each for each in self._people.values() if each is not None)
        try:
            admitted = await run_in_threadpool(self._still_admitted, people)
        except Exception:  # noqa: BLE001 - a loop: it asks again, and a stream tells no secrets
            _log.debug("The database did not answer", exc_info=True)
            return
        before, self._dismissed = self._dismissed, people.difference(admitted)
        if self._dismissed - before:
            self.ring()

    def _ask(self) -> str | None:
        """Return the number that tells whether something changed; None if nobody answers."""
        try:
            if self._connection is None:
                self._connection = self._connected()
            cursor = self._connection.cursor()
            cursor.execute(_CHANGES[get_civic_db().dialect.name])
            return str(cursor.fetchone())
        except Exception:  # noqa: BLE001 - a loop: it asks again, the pages say what is wrong
            _log.debug("The database did not answer", exc_info=True)
            self._hang_up()
            return None

    def _connected(self) -> PoolProxiedConnection:
        """Return a connection of its own, outside any transaction: inside, nothing ever changes."""
        connection = get_civic_db().raw_connection()
        if get_civic_db().dialect.name == "postgresql":
            connection.driver_connection.autocommit = True  # type: ignore[union-attr]
        return connection

    def _hang_up(self) -> None:
        with contextlib.suppress(Exception):
            if self._connection is not None:
                self._connection.invalidate()
        self._connection = None


class SharedFragments:
    """Fragments that many browsers fetch after the same ring are made once."""

    def __init__(self, doorbell: Doorbell) -> None:
        self._doorbell = doorbell
        self._kept: dict[tuple[str, str], _Kept] = {}
        self._locks: dict[tuple[str, str], threading.Lock] = {}

    def answer(self, request: Request, handler: Handler) -> Response:
        """Return the fragment as it was made since the last ring, or make it."""
        rings = self._doorbell.rings
        if rings is None:
            return handler(request)
        key = (str(request.url), request.state.person.role)
        if len(self._locks) > FRAGMENTS_AT_MOST:
            self._locks, self._kept = {}, {}
        with self._locks.setdefault(key, threading.Lock()):
            kept = self._kept.get(key)
            if kept is None or kept.rings != rings or kept.at < time.monotonic() - KEPT_SECONDS:
                answer = handler(request)
                if answer.status_code != HTTPStatus.OK:
                    return answer
                kept = self._kept[key] = _Kept(rings, time.monotonic(), bytes(answer.body))
        return HTMLResponse(kept.body)


class _Kept(NamedTuple):
    rings: int
    at: float
    body: bytes


async def stream(request: Request) -> Response:
    """Open the doorbell of one browser that is logged in."""
    doorbell: Doorbell = request.app.state.doorbell
    if doorbell.listeners >= STREAMS_AT_MOST:
        return PlainTextResponse("Too many streams.\n", 503, headers={"Retry-After": "30"})
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    events = doorbell.listen(request.state.person)
    return StreamingResponse(events, media_type="text/event-stream", headers=headers)
