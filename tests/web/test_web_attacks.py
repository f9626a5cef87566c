"""Attacks on a real ``clerk serve``: it goes on serving, at little cost, and they come to an end.

Bounded: at most 1,000 connections and 1 GB.  What other clients notice is measured by
``python -m bench web``.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from http import HTTPStatus
from pathlib import Path

import httpx
import pytest
from web_server import Server, answer_on, running

MEGABYTE = 1 << 20
FORM = "application/x-www-form-urlencoded"


@pytest.fixture
def server(town: Path) -> Iterator[Server]:
    """A server without a worker."""
    with running("--no-worker") as served:
        yield served


def is_served(server: Server) -> bool:
    return httpx.get(f"{server.address}healthz", timeout=60).status_code == HTTPStatus.OK


def send_body(server: Server, start: str, megabytes: int) -> bytes:
    """Send a request with a body in chunks, as much of it as is taken; return the answer."""
    chunk = b"100000\r\n" + b"x" * MEGABYTE + b"\r\n"
    host = "" if "Host:" in start else "Host: localhost\r\n"
    with server.connect() as connection:
        with contextlib.suppress(ConnectionError):
            connection.sendall(f"{start}\r\n{host}Transfer-Encoding: chunked\r\n\r\n".encode())
            for _ in range(megabytes):
                connection.sendall(chunk)
            connection.sendall(b"0\r\n\r\n")
        return answer_on(connection)


def test_a_gigabyte_without_a_length_costs_nothing_and_ends_with_413(server: Server) -> None:
    httpx.post(f"{server.address}ops/login", data={"link": "x"}, timeout=60)
    server.forget_peak()
    before = server.memory()

    said = send_body(server, f"POST /ops/login HTTP/1.1\r\nContent-Type: {FORM}", 1024)

    assert said.startswith(b"HTTP/1.1 413 ")
    assert server.memory("VmHWM") - before < 20 * MEGABYTE
    assert is_served(server)


def test_no_route_takes_in_what_it_has_no_use_for(server: Server) -> None:
    multipart = "Content-Type: multipart/form-data; boundary=x"
    expected = {
        f"POST /ops/login HTTP/1.1\r\n{multipart}": 413,
        "POST /ops/login HTTP/1.1\r\nContent-Type: text/plain": 413,
        f"POST /ops/uploads HTTP/1.1\r\n{multipart}": 401,
        "POST /api/v1/uploads?project=x HTTP/1.1": 401,
        "POST /ops/failures/act HTTP/1.1": 401,
        "POST /nowhere HTTP/1.1": 404,
        "POST / HTTP/1.1": 405,
        "GET /healthz HTTP/1.1": 200,
        "POST /ops/login HTTP/1.1\r\nHost: evil.example": 421,
    }
    assert is_served(server)
    server.forget_peak()
    before = server.memory()

    for start, status in expected.items():
        said = send_body(server, start, 32)
        assert said.startswith(b"HTTP/1.1 %d " % status), (start, said[:200])

    assert server.memory("VmHWM") - before < 20 * MEGABYTE
    assert is_served(server)
