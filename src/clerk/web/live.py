"""Live updates: one stream per browser, with an event whenever the database changes.

::

    database --asked every 250 ms--> ChangeNotifier --"event: change"--> leading tab of a browser
                                                                             | BroadcastChannel
                                          a fragment <--fetch-- every tab that shows one

What changed is not sent: every region of a page fetches itself again from an ordinary address.
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

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response, StreamingResponse

from clerk.core.database_changes import ChangeCounter
from clerk.ops.web_sessions import Person

from .middleware import Handler

_log = logging.getLogger(__name__)

POLL_SECONDS = 0.25
#: Between two checks whether the sessions of the listeners are still open.
SESSION_CHECK_SECONDS = 2.0
#: Between two comments on a quiet stream, so that both ends notice a dead connection.
QUIET_SECONDS = 15.0
STREAMS_AT_MOST = 1000
#: A fragment is made again after this long although nothing changed: it shows how long ago things
#: happened.
KEPT_SECONDS = 5.0
FRAGMENTS_AT_MOST = 500


class ChangeNotifier:
    """Polls the database for all streams of this process, while there are any.

    ``other_state`` returns what else the pages show; a change of it is notified, too.
    ``still_logged_in`` returns the people whose session has not ended; the streams of all others
    end within seconds.
    """

    def __init__(
        self,
        other_state: Callable[[], object] = lambda: None,
        still_logged_in: Callable[[Collection[Person]], Collection[Person]] = lambda people: people,
    ) -> None:
        self._other_state = other_state
        self._still_logged_in = still_logged_in
        self._notified = asyncio.Event()
        self._notifications = 0
        #: Stream -> who listens.
        self._people: dict[object, Person | None] = {}
        self._logged_out: frozenset[Person] = frozenset()
        self._polling: asyncio.Task[None] | None = None
        self._changes = ChangeCounter()
        self._closed = False

    async def listen(self, person: Person | None = None) -> AsyncIterator[bytes]:
        """Yield the events of one stream until the server stops or the person's session ends."""
        stream = object()
        self._people[stream] = person
        if self._polling is None or self._polling.done():
            self._polling = asyncio.create_task(self._poll())
        seen = self._notifications
        try:
            yield b"retry: 2000\n" + self._event("hello")
            while not self._is_over(person):
                if seen == self._notifications:
                    try:
                        await asyncio.wait_for(self._notified.wait(), QUIET_SECONDS)
                    except TimeoutError:
                        yield b": still here\n\n"
                        continue
                seen = self._notifications
                if not self._is_over(person):
                    yield self._event("change")
        finally:
            del self._people[stream]

    def _is_over(self, person: Person | None) -> bool:
        return self._closed or person in self._logged_out

    def _event(self, name: str) -> bytes:
        """Return an event with the number of streams: the more there are, the less each fetches."""
        return f"event: {name}\ndata: {self.listeners}\n\n".encode()

    @property
    def notifications(self) -> int | None:
        """How many there have been; None while nobody listens and so nothing is polled."""
        polling = self._polling is not None and not self._polling.done()
        return self._notifications if polling else None

    @property
    def listeners(self) -> int:
        """How many streams are open."""
        return len(self._people)

    def notify(self) -> None:
        """Wake all streams once."""
        self._notifications += 1
        self._notified.set()
        self._notified = asyncio.Event()

    def close(self) -> None:
        """End all streams; may be called from a signal handler."""
        self._closed = True
        with contextlib.suppress(RuntimeError):
            self.notify()

    async def _poll(self) -> None:
        """Notify whenever the database has changed, as long as anybody listens."""
        known: tuple[str | None, object] | None = None
        checked_at = time.monotonic()
        try:
            while self._people and not self._closed:
                now = (await run_in_threadpool(self._changes.read), self._other_state())
                if known is not None and now != known:
                    self.notify()
                known = now
                if time.monotonic() >= checked_at + SESSION_CHECK_SECONDS:
                    await self._end_streams_of_logged_out()
                    checked_at = time.monotonic()
                await asyncio.sleep(POLL_SECONDS)
        finally:
            await run_in_threadpool(self._changes.close)

    async def _end_streams_of_logged_out(self) -> None:
        people = frozenset(each for each in self._people.values() if each is not None)
        try:
            logged_in = await run_in_threadpool(self._still_logged_in, people)
        except Exception:  # noqa: BLE001 - a loop: it asks again, and a stream has no secrets
            _log.debug("The database did not answer", exc_info=True)
            return
        before, self._logged_out = self._logged_out, people.difference(logged_in)
        if self._logged_out - before:
            self.notify()


class SharedFragments:
    """Make fragments once that many browsers fetch after the same notification."""

    def __init__(self, notifier: ChangeNotifier) -> None:
        self._notifier = notifier
        self._kept: dict[tuple[str, str], _KeptFragment] = {}
        self._locks: dict[tuple[str, str], threading.Lock] = {}

    def respond(self, request: Request, handler: Handler) -> Response:
        """Return the fragment made since the last notification, or make it."""
        notifications = self._notifier.notifications
        if notifications is None:
            return handler(request)
        key = (str(request.url), request.state.person.role)
        if len(self._locks) > FRAGMENTS_AT_MOST:
            self._locks, self._kept = {}, {}
        with self._locks.setdefault(key, threading.Lock()):
            kept = self._kept.get(key)
            oldest = time.monotonic() - KEPT_SECONDS
            if kept is None or kept.notifications != notifications or kept.made_at < oldest:
                response = handler(request)
                if response.status_code != HTTPStatus.OK:
                    return response
                kept = _KeptFragment(notifications, time.monotonic(), bytes(response.body))
                self._kept[key] = kept
        return HTMLResponse(kept.body)


class _KeptFragment(NamedTuple):
    notifications: int
    made_at: float
    body: bytes


async def stream(request: Request, person: Person) -> Response:
    """Open the stream of one browser that is logged in."""
    notifier: ChangeNotifier = request.app.state.notifier
    if notifier.listeners >= STREAMS_AT_MOST:
        return PlainTextResponse("Too many streams.\n", 503, headers={"Retry-After": "30"})
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    events = notifier.listen(person)
    return StreamingResponse(events, media_type="text/event-stream", headers=headers)
