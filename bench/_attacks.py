"""Attacks on a server on loopback, each in a process of its own: ``python -m bench._attacks NAME``.

Bounded: at most 1,000 connections, 1 GB and 60 seconds.  A line on stdout says that an attack is
under way; it ends when it is done, or when it is told to.
"""

from __future__ import annotations

import contextlib
import socket
import sys
import threading
import time
from collections.abc import Callable
from http.client import HTTPConnection, HTTPException
from urllib.parse import quote

SECONDS = 40.0
CONNECTIONS = 900
QUERIES = 30
MEGABYTE = 1 << 20
GIGABYTE = "1 GB without a length"
#: Runs until it is stopped.
ENDLESS = "with recursive n(x) as (select 1 union all select x+1 from n) select count(*) from n"


def half_open(host: str, port: int) -> None:
    """Hold connections that have not asked for anything; those that are closed are opened again."""
    opened: list[socket.socket] = []
    give_up = time.monotonic() + SECONDS
    for number in range(CONNECTIONS):
        opened.append(_connected(host, port, b"GET / HTTP/1.1\r\nX: " if number % 2 else b""))
    _begin()
    while time.monotonic() < give_up:
        time.sleep(1)
        for number, connection in enumerate(opened):
            try:
                connection.send(b"x" if number % 2 else b"")
                connection.setblocking(False)
                if not connection.recv(1000):
                    raise ConnectionError
            except BlockingIOError:
                continue
            except OSError:
                connection.close()
                with contextlib.suppress(OSError):
                    opened[number] = _connected(host, port, b"")


def gigabyte(host: str, port: int) -> None:
    """Send a gigabyte in chunks without its length, in as many requests as it takes."""
    chunk = b"100000\r\n" + b"x" * MEGABYTE + b"\r\n"
    head = b"POST /ops/login HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
    sent = 0
    give_up = time.monotonic() + SECONDS
    _begin()
    while sent < 1024 and time.monotonic() < give_up:
        with contextlib.suppress(OSError), _connected(host, port, head) as connection:
            while sent < 1024:
                connection.sendall(chunk)
                sent += 1


def trickled(host: str, port: int) -> None:
    """Send bodies byte by byte."""
    head = (
        b"POST /ops/login HTTP/1.1\r\nHost: localhost\r\nContent-Length: 60000\r\n"
        b"Content-Type: application/x-www-form-urlencoded\r\n\r\n"
    )
    opened = [_connected(host, port, head) for _ in range(200)]
    give_up = time.monotonic() + SECONDS
    _begin()
    while time.monotonic() < give_up:
        time.sleep(0.5)
        for number, connection in enumerate(opened):
            try:
                connection.send(b"x")
            except OSError:
                connection.close()
                with contextlib.suppress(OSError):
                    opened[number] = _connected(host, port, head)


def queries(host: str, port: int) -> None:
    """Run endless queries, many at once, over and over."""
    _repeat(host, port, f"/data/town-000.json?sql={quote(ENDLESS)}")


def errors(host: str, port: int) -> None:
    """Ask for what is not there below the data pages, many at once, over and over."""
    _repeat(host, port, "/data/town-000/nowhere")


def _repeat(host: str, port: int, path: str) -> None:
    give_up = time.monotonic() + SECONDS

    def ask() -> None:
        while time.monotonic() < give_up:
            with contextlib.suppress(OSError, HTTPException):
                connection = HTTPConnection(host, port, timeout=60)
                connection.request("GET", path)
                connection.getresponse().read()
            # At once refused, it would be a race of who can ask more often.
            time.sleep(0.2)

    asking = [threading.Thread(target=ask, daemon=True) for _ in range(QUERIES)]
    for thread in asking:
        thread.start()
    _begin()
    for thread in asking:
        thread.join(SECONDS)


def _connected(host: str, port: int, head: bytes) -> socket.socket:
    connection = socket.create_connection((host, port), timeout=60)
    with contextlib.suppress(ConnectionError):
        connection.sendall(head)
    return connection


def _begin() -> None:
    print("under way", flush=True)


#: Attacks that need the pages of Datasette.
ON_DATA_PAGES = ("30 endless queries", "30 clients at missing data pages")

ATTACKS: dict[str, Callable[[str, int], None]] = {
    "900 half-open connections": half_open,
    GIGABYTE: gigabyte,
    "200 trickled bodies": trickled,
    "30 endless queries": queries,
    "30 clients at missing data pages": errors,
}


if __name__ == "__main__":
    ATTACKS[sys.argv[1]](sys.argv[2], int(sys.argv[3]))
