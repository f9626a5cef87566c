"""Attacks on a real ``clerk serve``: it goes on serving, at little cost, and they come to an end.

Bounded: at most 1,000 connections and 1 GB.  What other clients notice is measured by
``python -m bench web``.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import threading
import time
from collections.abc import Iterator
from http import HTTPStatus
from pathlib import Path

import httpx
import pytest
from web_server import Server, answer_on, is_closed, running, until
from web_town import SITE

from clerk.core import config, db
from clerk.publish import publish
from clerk.web.data import remove_leftovers

HALF_OPEN = 900
MEGABYTE = 1 << 20
#: Runs until it is stopped.
ENDLESS = "with recursive n(x) as (select 1 union all select x+1 from n) select count(*) from n"
FORM = "application/x-www-form-urlencoded"
DATA_SERVER = "clerk.web.data_server"


@pytest.fixture(scope="module")
def town(
    tmp_path_factory: pytest.TempPathFactory, town_template: Path, sqlite_template: Path
) -> Path:
    """An installation that serves the town, and whatever is done to its server."""
    storage = tmp_path_factory.mktemp("attacked")
    shutil.copytree(town_template, storage, dirs_exist_ok=True)
    shutil.copy(sqlite_template, storage / "clerk.db")
    with db.engine_for(f"sqlite:///{storage / 'clerk.db'}").begin() as conn:
        db.upsert_site(conn, SITE)
    return storage


@pytest.fixture(scope="module")
def server(town: Path) -> Iterator[Server]:
    """A server without a worker."""
    with serving(town) as served:
        yield served


@pytest.fixture(scope="module")
def data_server(town: Path) -> Iterator[Server]:
    """A server with data pages."""
    with serving(town, DATA_PAGES="yes") as served:
        yield served


@contextlib.contextmanager
def serving(town: Path, *options: str, **settings: str) -> Iterator[Server]:
    """Serve the town, without a worker."""
    with pytest.MonkeyPatch.context() as environment:
        for name, value in {"STORAGE_DIR": str(town), **settings}.items():
            environment.setenv(name, value)
        if "DATA_PAGES" in settings:
            pytest.importorskip("datasette", reason="Datasette is not installed")
            publish(SITE, town / SITE["subdomain"], config.load(), complete=True)
        with running("--no-worker", *options) as served:
            yield served


def is_served(server: Server) -> bool:
    return httpx.get(f"{server.address}healthz", timeout=60).status_code == HTTPStatus.OK


def log_in(server: Server) -> str:
    """Return the Cookie header of an operator."""
    with httpx.Client(base_url=server.address, timeout=60) as client:
        assert client.post("/ops/login", data={"link": server.link}).status_code == 303
        return "; ".join(f"{name}={value}" for name, value in client.cookies.items())


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


def test_a_flood_of_tiny_chunks_is_cut_short(server: Server) -> None:
    head = b"POST /ops/login HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
    head += b"Transfer-Encoding: chunked\r\n\r\n"

    def said(chunk: bytes, times: int) -> bytes:
        with server.connect() as connection:
            with contextlib.suppress(ConnectionError):
                connection.sendall(head + chunk * times + b"0\r\n\r\n")
            return answer_on(connection)

    assert said(b"1\r\nx\r\n", 50_000)[:12] in (b"HTTP/1.1 400", b"")
    assert said(b"c8\r\n" + b"x" * 200 + b"\r\n", 300).startswith(b"HTTP/1.1 403 ")
    assert is_served(server)


def test_900_half_open_connections_keep_nobody_out_and_are_gone(server: Server) -> None:
    before = server.sockets()
    half_open = [server.connect() for _ in range(HALF_OPEN)]
    for connection in half_open[::2]:
        with contextlib.suppress(ConnectionError):
            connection.send(b"GET / HTTP/1.1\r\nHost: local")

    assert is_served(server)
    until(lambda: is_served(server) and all(map(is_closed, half_open)))
    until(lambda: server.sockets() <= before)
    for connection in half_open:
        connection.close()


def test_clients_that_trickle_headers_or_a_body_are_disconnected(server: Server) -> None:
    headers = "GET / HTTP/1.1\r\nX: "
    body = f"POST /ops/login HTTP/1.1\r\nHost: localhost\r\nContent-Type: {FORM}\r\n"
    body += "Content-Length: 60000\r\n\r\n"
    with server.connect() as first, server.connect() as second:
        said = {first: b"", second: b""}
        for connection, start in ((first, headers), (second, body)):
            connection.sendall(start.encode())
            connection.setblocking(False)
        open_ones = set(said)
        for _ in range(1000):
            time.sleep(0.1)
            for connection in list(open_ones):
                try:
                    more = connection.recv(65536)
                    said[connection] += more
                    if not more:
                        open_ones.remove(connection)
                except BlockingIOError:
                    connection.send(b"x")
                except ConnectionError:
                    open_ones.remove(connection)
            if not open_ones:
                break
        else:
            pytest.fail("A connection is still open.")

    assert all(each.startswith(b"HTTP/1.1 408 ") for each in said.values())


def test_a_request_on_a_connection_that_is_kept_has_to_come_in_time(server: Server) -> None:
    with server.connect() as connection:
        connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\nGET /healthz HTT")
        said = answer_on(connection)

    assert said.startswith(b"HTTP/1.1 200 ") and b"ok\nHTTP/1.1 408 " in said


def test_the_oldest_idle_connection_makes_room_for_a_new_one(town: Path) -> None:
    with serving(town, WEB_CONNECTIONS="20") as server:
        before = server.sockets()
        idle = [server.connect() for _ in range(40)]

        assert is_served(server)
        assert server.sockets() <= before + 20
        for connection in idle:
            connection.close()


def test_one_address_cannot_have_all_connections(town: Path) -> None:
    with (
        serving(town, WEB_CONNECTIONS_PER_ADDRESS="5") as server,
        contextlib.ExitStack() as opened,
    ):
        stream = f"GET /ops/stream HTTP/1.1\r\nHost: localhost\r\nCookie: {log_in(server)}\r\n\r\n"

        def open_stream(source: str) -> bytes:
            connection = opened.enter_context(server.connect(source))
            connection.sendall(stream.encode())
            with contextlib.suppress(ConnectionError):
                return connection.recv(100)
            return b""

        greedy = [open_stream("127.0.0.2") for _ in range(5)]
        assert all(said.startswith(b"HTTP/1.1 200 ") for said in greedy)
        assert not open_stream("127.0.0.2").startswith(b"HTTP/1.1 200 ")
        assert open_stream("127.0.0.3").startswith(b"HTTP/1.1 200 ")

        behind_a_proxy = [open_stream("127.0.0.1") for _ in range(20)]
        assert all(said.startswith(b"HTTP/1.1 200 ") for said in behind_a_proxy)


def test_endless_queries_freeze_nothing_but_themselves(data_server: Server) -> None:
    httpx.get(f"{data_server.address}data/springfield", timeout=60)
    statuses: list[int] = []

    def ask() -> None:
        address = f"{data_server.address}data/springfield.json"
        statuses.append(httpx.get(address, params={"sql": ENDLESS}, timeout=120).status_code)

    asking = [threading.Thread(target=ask) for _ in range(30)]
    for thread in asking:
        thread.start()
    served = 0
    while any(thread.is_alive() for thread in asking):
        is_answered = is_served(data_server)
        # Not one that had to wait until the queries had ended.
        served += is_answered and any(thread.is_alive() for thread in asking)
    assert served, "others are served while the queries run"
    assert set(statuses) <= {400, 503} and len(statuses) == 30
    assert len(data_server.logged()) < 5000
    page = until(lambda: _page(data_server, "data/springfield"))
    assert "documents" in page


def _page(server: Server, path: str) -> str | None:
    answer = httpx.get(f"{server.address}{path}", timeout=120)
    return answer.text if answer.status_code == HTTPStatus.OK else None


def test_errors_of_data_pages_cost_no_more_than_pages(data_server: Server) -> None:
    until(lambda: _page(data_server, "data/springfield"))
    pid = until(lambda: data_server.child(DATA_SERVER))

    def ticks(path: str) -> int:
        before = _processor_ticks(pid)
        with httpx.Client(base_url=data_server.address, timeout=60) as client:
            for _ in range(20):
                client.get(path)
        return _processor_ticks(pid) - before

    page, missing = ticks("/data/springfield/documents"), ticks("/data/springfield/nowhere")

    assert missing <= page + 10
    assert len(data_server.logged()) < 5000


def _processor_ticks(pid: int) -> int:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return int(fields[11]) + int(fields[12])


def test_frozen_data_pages_are_killed_and_started_again(data_server: Server) -> None:
    until(lambda: _page(data_server, "data/springfield"))
    frozen = until(lambda: data_server.child(DATA_SERVER))
    os.kill(frozen, signal.SIGSTOP)

    answer = httpx.get(f"{data_server.address}data/springfield", timeout=120)

    assert answer.status_code == HTTPStatus.SERVICE_UNAVAILABLE
    assert is_served(data_server)
    assert until(lambda: data_server.child(DATA_SERVER, but=frozen)) != frozen
    assert "documents" in until(lambda: _page(data_server, "data/springfield"))


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
def test_data_pages_end_with_the_server(town: Path, number: signal.Signals) -> None:
    with serving(town, DATA_PAGES="yes") as server:
        until(lambda: _page(server, "data/springfield"))
        pid = until(lambda: server.child(DATA_SERVER))

        listening = until(lambda: _sockets_of_data_pages(server.process.pid))

        server.process.send_signal(number)
        server.process.wait(60)

    until(lambda: not _is_running(pid))

    def is_removed() -> bool:
        remove_leftovers()
        return not any(path.exists() for path in listening)

    until(is_removed)


def _sockets_of_data_pages(pid: int) -> list[Path]:
    """Return the paths of the unix sockets that a process listens on."""
    inodes = {str(each.readlink()) for each in Path(f"/proc/{pid}/fd").iterdir()}
    rows = (line.split() for line in Path("/proc/net/unix").read_text().splitlines()[1:])
    return [Path(row[7]) for row in rows if len(row) > 7 and f"socket:[{row[6]}]" in inodes]


def _is_running(pid: int) -> bool:
    with contextlib.suppress(FileNotFoundError, ProcessLookupError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    return False


@pytest.mark.parametrize("host", ["0.0.0.0", "::"])
def test_all_addresses_are_served_at_one_that_works(town: Path, host: str) -> None:
    if host == "::":
        try:
            with socket.create_server(("::1", 0), family=socket.AF_INET6):
                pass
        except OSError:
            pytest.skip("This machine has no IPv6.")
    with serving(town, "--host", host) as server:
        assert host not in httpx.URL(server.address).host.split("/")
        assert httpx.get(server.address, timeout=60).status_code == HTTPStatus.OK
        loopback = "127.0.0.1" if host == "0.0.0.0" else "[::1]"
        assert httpx.get(f"http://{loopback}:{server.port}/", timeout=60).status_code == 200
        assert "plain HTTP" in server.logged()


def test_on_loopback_nobody_is_warned(server: Server) -> None:
    assert "plain HTTP" not in server.logged()
