"""Connections: how many may be open, and how long a client may take to send its headers.

::

    opened --headers in 10 s--> request --answer--> kept alive --headers--> request ...
       |                                                |
       +-- none: closed                                 +-- nothing for 30 s: closed

uvicorn itself waits for headers without a limit, and keeps every connection it can get.  Here the
connection that has waited longest for its client makes room for a new one, so connections that ask
for nothing keep nobody out.  A connection with a request in progress is never closed for another:
if there is none without, the new one is refused.

Behind a proxy all connections come from one address.  So the limit per address does not hold for
trusted proxies; the proxy has to limit its own clients.
"""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import resource
from collections import defaultdict
from collections.abc import Iterable
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from .middleware import HEADER_BYTES, address_group

HEADER_SECONDS = 10.0
KEEP_ALIVE_SECONDS = 30
#: A client that reads nothing of the response for this long is disconnected.
STALLED_SECONDS = 60.0
#: Bytes read at a time.  asyncio would read 256 kB; nobody else is served while they are parsed.
READ_BYTES = 16 << 10
#: This many chunks of a body that arrive together must have this many bytes on average.
CHUNKS, CHUNK_BYTES = 100, 64
#: Files and sockets that are not connections of clients.
OTHER_FILES = 256

_BUSY = b"HTTP/1.1 503 Service Unavailable\r\nRetry-After: 5\r\n"
_LATE = b"HTTP/1.1 408 Request Timeout\r\n"
_TINY = b"HTTP/1.1 400 Bad Request\r\n"
_END = b"Content-Length: 0\r\nConnection: close\r\n\r\n"


class OpenConnections:
    """All connections of a server, and which of them wait for their clients."""

    def __init__(self, most: int, most_per_address: int, proxies: Iterable[str]) -> None:
        self._most, self._most_per_address = most, most_per_address
        self._proxies = [ipaddress.ip_network(each, strict=False) for each in proxies]
        self._of: defaultdict[str, set[BoundedConnection]] = defaultdict(set)
        self._open = 0
        #: In the order in which they began to wait.
        self._waiting: dict[BoundedConnection, None] = {}

    def admit(self, connection: BoundedConnection) -> bool:
        """Count a new connection; False if no other can be closed for it."""
        address = connection.address
        crowded = len(self._of.get(address, ())) >= self._most_per_address
        if crowded:
            with contextlib.suppress(ValueError):
                host = ipaddress.ip_address(connection.client[0] if connection.client else "")
                crowded = not any(host in network for network in self._proxies)
        if crowded and not self._make_room(address):
            return False
        if self._open >= self._most and not self._make_room():
            return False
        self._of[address].add(connection)
        self._open += 1
        self._waiting[connection] = None
        return True

    def _make_room(self, address: str | None = None) -> bool:
        """Close the connection that has waited longest, of one address if it is given."""
        for connection in self._waiting:
            if address is None or connection.address == address:
                self.forget(connection)
                connection.transport.abort()
                return True
        return False

    def forget(self, connection: BoundedConnection) -> None:
        """Stop counting a connection; one that is not counted changes nothing."""
        of_address = self._of[connection.address]
        if connection in of_address:
            of_address.remove(connection)
            self._open -= 1
        if not of_address:
            del self._of[connection.address]
        self._waiting.pop(connection, None)

    def note(self, connection: BoundedConnection, *, waiting: bool) -> None:
        """Note whether a connection waits for its client."""
        if not waiting:
            self._waiting.pop(connection, None)
        elif connection in self._of.get(connection.address, ()):
            self._waiting.setdefault(connection, None)


class BoundedParser(h11.Connection):
    """A parser that stops at a flood of tiny chunks: each costs as much time as a large one."""

    chunks = body_bytes = 0

    @property
    def is_flooded(self) -> bool:
        """Whether too many tiny chunks have arrived together."""
        return self.chunks >= CHUNKS and self.body_bytes < self.chunks * CHUNK_BYTES

    def receive_data(self, data: bytes) -> None:
        """Take in data that arrived together."""
        self.chunks = self.body_bytes = 0
        super().receive_data(data)

    def next_event(self) -> h11.Event | type[h11.NEED_DATA] | type[h11.PAUSED]:
        """Return the next event, or pretend that there is none yet."""
        if self.is_flooded:
            return h11.NEED_DATA
        event = super().next_event()
        if isinstance(event, h11.Data):
            self.chunks += 1
            self.body_bytes += len(event.data)
        return event


class BoundedConnection(H11Protocol):
    """A connection whose client has to send its request in time, and to read the response."""

    #: Set by :func:`protocol_for`.
    others: OpenConnections

    conn: BoundedParser
    address = ""
    _headers_due: asyncio.TimerHandle | None = None
    _answer_due: asyncio.TimerHandle | None = None
    _has_sent_something = False

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self.conn = BoundedParser(h11.SERVER, HEADER_BYTES)

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Refuse the connection, or begin to wait for headers."""
        super().connection_made(transport)
        self.address = address_group(self.client[0] if self.client else "")
        with contextlib.suppress(AttributeError):
            transport.max_size = READ_BYTES  # type: ignore[attr-defined]
        if self.others.admit(self):
            self._wait_for_headers()
        else:
            self._disconnect(_BUSY)

    def connection_lost(self, exc: Exception | None) -> None:
        """Make room for others."""
        self.others.forget(self)
        for timer in (self._headers_due, self._answer_due):
            if timer is not None:
                timer.cancel()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Note the beginning of a request, and the end of its headers.

        A body that arrives after the response has begun is not needed, and is not parsed.
        """
        if not self._in_progress:
            self._has_sent_something = True
            self._wait_for_headers()
        elif self.cycle.response_started and self.conn.their_state is h11.SEND_BODY:
            return
        super().data_received(data)
        if self.conn.is_flooded:
            self._disconnect(b"" if self.cycle.response_started else _TINY)
        self._note_progress()

    def on_response_complete(self) -> None:
        """Wait for the next request, which may have begun already."""
        super().on_response_complete()
        self._has_sent_something = bool(self.conn.trailing_data[0])
        if self._has_sent_something and not self._in_progress:
            self._wait_for_headers()
        self._note_progress()

    @property
    def _in_progress(self) -> bool:
        return self.cycle is not None and not self.cycle.response_complete

    def _note_progress(self) -> None:
        self.others.note(self, waiting=not self._in_progress)
        if self._in_progress and self._headers_due is not None:
            self._headers_due.cancel()
            self._headers_due = None

    def _wait_for_headers(self) -> None:
        if self._headers_due is None:
            # Without a response if the client has sent nothing.
            self._headers_due = self.loop.call_later(
                HEADER_SECONDS,
                lambda: self._disconnect(_LATE if self._has_sent_something else b""),
            )

    def _disconnect(self, status: bytes) -> None:
        if status and not self.transport.is_closing():
            self.transport.write(status + _END)
        self.transport.close()

    def pause_writing(self) -> None:
        """Disconnect a client that does not read the response."""
        super().pause_writing()
        self._answer_due = self.loop.call_later(STALLED_SECONDS, self.transport.abort)

    def resume_writing(self) -> None:
        """Go on: the client has read some of the response."""
        if self._answer_due is not None:
            self._answer_due.cancel()
        super().resume_writing()


def protocol_for(others: OpenConnections) -> type[BoundedConnection]:
    """Return the protocol of a server with its own count of connections."""
    return type("Connection", (BoundedConnection,), {"others": others})


def with_open_files(connections: int) -> int:
    """Return how many of these connections the limit of open files leaves room for.

    The limit is raised as far as is needed and allowed.
    """
    needed = connections + OTHER_FILES
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY or soft >= needed:
        return connections
    allowed = needed if hard == resource.RLIM_INFINITY else min(needed, hard)
    resource.setrlimit(resource.RLIMIT_NOFILE, (allowed, hard))
    return max(1, allowed - OTHER_FILES)
