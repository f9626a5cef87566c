"""The notifier and the server: rung by every commit, silent otherwise, gone at once when told."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

import httpx
import pytest
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from web_server import running

from clerk.core import db
from clerk.ops.web_sessions import Person
from clerk.pipeline import ledger
from clerk.web.live import ChangeNotifier, SharedFragments
from clerk.web.supervised_process import FIRST_PAUSE_SECONDS, ProcessState
from clerk.web.worker_process import Worker

T = TypeVar("T")


def commit() -> None:
    """Write something, as a worker would."""
    with db.civic_db_connection() as conn:
        ledger.record(conn, "tested")


async def true(condition: Callable[[], bool]) -> None:
    """Wait for something that a task does."""
    async with asyncio.timeout(60):
        while not condition():
            await asyncio.sleep(0.01)


async def heard(
    *, then: Callable[[], None] | None = None, beside: Callable[[], object] = lambda: None
) -> list[bytes]:
    """Listen; do something after the database was looked at, and wait for three more looks."""
    looks: list[None] = []
    notifier, events = ChangeNotifier(lambda: (looks.append(None), beside())), []

    async def listen() -> None:
        async for event in notifier.listen():
            events.append(event)

    listening = asyncio.create_task(listen())
    await true(lambda: len(looks) >= 1)
    if then:
        await asyncio.to_thread(then)
    enough = len(looks) + 3
    await true(lambda: len(looks) >= enough)
    notifier.close()
    await asyncio.wait_for(listening, 60)
    await true(lambda: notifier.notifications is None)
    return [event for event in events if event.startswith(b"event: change")]


def test_a_commit_rings_the_notifier(database: str) -> None:
    assert asyncio.run(heard(then=commit))


def test_what_happens_to_the_worker_rings_it_too(database: str) -> None:
    worker = Worker()

    def die() -> None:
        worker.state = ProcessState(alive=False, deaths=1)

    assert len(asyncio.run(heard(then=die, beside=lambda: worker.state))) == 1


def test_without_a_commit_it_is_quiet(database: str) -> None:
    assert asyncio.run(heard()) == []


async def made(notifier: ChangeNotifier, fragments: SharedFragments, times: list[float]) -> None:
    """Fetch a fragment as two browsers would, note when it was made, commit, and fetch again."""

    def handler(request: Request) -> Response:
        times.append(time.monotonic())
        return HTMLResponse("fragment")

    def fetch() -> None:
        request = Request({"type": "http", "method": "GET", "path": "/", "headers": []})
        request.state.person = Person("ann", "viewer")
        fragments.respond(request, handler)

    for _ in range(2):
        await asyncio.gather(*(asyncio.to_thread(fetch) for _ in range(5)))
        before = notifier.notifications
        await asyncio.to_thread(commit)
        while before is not None and notifier.notifications == before:
            await asyncio.sleep(0.01)


def test_a_fragment_is_made_once_for_all_after_each_ring(database: str) -> None:
    times: list[float] = []

    async def run() -> None:
        looks: list[None] = []
        notifier = ChangeNotifier(lambda: looks.append(None))
        stream = notifier.listen()
        await anext(stream)
        await true(lambda: len(looks) >= 1)
        await made(notifier, SharedFragments(notifier), times)
        notifier.close()
        await true(lambda: notifier.notifications is None)
        await stream.aclose()

    asyncio.run(run())
    assert len(times) == 2


def test_without_listeners_every_fragment_is_fresh(database: str) -> None:
    times: list[float] = []
    notifier = ChangeNotifier()

    asyncio.run(made(notifier, SharedFragments(notifier), times))
    assert len(times) == 10


@contextlib.contextmanager
def serving(*options: str) -> Iterator[tuple[subprocess.Popen[str], httpx.Client]]:
    """Run ``clerk serve`` and log in."""
    with (
        running(*options) as server,
        httpx.Client(base_url=server.address, timeout=60) as client,
    ):
        client.post("/ops/login", data={"link": server.link})
        yield server.process, client


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_serve_stops_with_streams_open(town: Path, number: signal.Signals) -> None:
    with serving() as (process, client):
        opened = [threading.Event() for _ in range(4)]
        for event in opened:
            threading.Thread(target=_hold_stream, args=(client, event), daemon=True).start()
        assert all(event.wait(60) for event in opened)

        os.killpg(process.pid, number)

        process.wait(60)
        assert process.returncode in (0, -number)


def _hold_stream(client: httpx.Client, opened: threading.Event) -> None:
    with contextlib.suppress(httpx.HTTPError), client.stream("GET", "/ops/stream") as answer:
        for _ in answer.iter_bytes():
            opened.set()


def test_the_stream_of_a_revoked_session_ends(town: Path) -> None:
    with serving("--no-worker") as (_, client):
        opened, ended = threading.Event(), threading.Event()

        def hold() -> None:
            with client.stream("GET", "/ops/stream", timeout=90) as answer:
                for _ in answer.iter_bytes():
                    opened.set()
            ended.set()

        threading.Thread(target=hold, daemon=True).start()
        assert opened.wait(60)

        command = [sys.executable, "-m", "clerk", "session", "revoke", "--all"]
        subprocess.run(command, check=True, timeout=90, capture_output=True)

        assert ended.wait(60)
        assert client.get("/ops/stream").status_code == 401
        assert client.get("/ops/").headers["location"].startswith("/ops/login")


def test_serve_has_a_worker_of_its_own(town: Path) -> None:
    with serving() as (_, client):
        _until(lambda: "alive" in client.get("/ops/queues").text or None)


def _until(found: Callable[[], T | None], seconds: float = 60.0) -> T:
    """Wait until something is there."""
    give_up = time.monotonic() + seconds
    while time.monotonic() < give_up:
        if (it := found()) is not None:
            return it
        time.sleep(0.02)
    raise AssertionError("It did not happen in time.")


def _text_of(answer: httpx.Response, status: int) -> str | None:
    return answer.text if answer.status_code == status else None


def _worker_of(process: subprocess.Popen[str], but: int = 0) -> int | None:
    """Return the process id of the worker beside a server, unless it is a certain one."""
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children").parent.parent
    listed = " ".join(each.read_text() for each in children.glob("*/children")).split()
    for pid in map(int, listed):
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            command = Path(f"/proc/{pid}/cmdline").read_bytes()
            if pid != but and b"clerk.web.worker_process" in command:
                return pid
    return None


def test_a_killed_worker_is_reported_and_restarted(town: Path) -> None:
    with serving() as (process, client):
        first = _until(lambda: _worker_of(process))
        _until(lambda: client.get("/healthz").status_code == 200 or None)
        _until(lambda: "alive" in client.get("/ops/queues").text or None)

        os.kill(first, signal.SIGKILL)

        said = _until(lambda: _text_of(client.get("/healthz"), 503))
        assert "worker: died (killed by SIGKILL)" in said
        second = _until(lambda: _worker_of(process, but=first))
        assert second != first
        _until(lambda: client.get("/healthz").text == "ok\nworker: alive\n" or None)
        assert "clerk_worker_deaths_total 1" in client.get("/metrics").text
        assert "restarted" in client.get("/ops/queues").text

        os.killpg(process.pid, signal.SIGINT)
        process.wait(60)
        assert not Path(f"/proc/{second}").exists()


def test_a_worker_that_keeps_dying_is_started_ever_less_often(
    town: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLERK_WORKERS", "none")
    worker = Worker()
    worker.start()
    try:
        state = _until(lambda: worker.state if worker.state.deaths == 3 else None, 60)
        assert not state.alive and "exit code" in state.summary
        assert state.restarts_at and state.died_at
        assert (state.restarts_at - state.died_at).total_seconds() == 4 * FIRST_PAUSE_SECONDS
    finally:
        worker.end()
    assert worker.state.summary == "stopped"


def test_serve_without_a_worker_only_shows(town: Path) -> None:
    with serving("--no-worker") as (_, client):
        assert "alive" not in client.get("/ops/queues").text
        assert client.get("/healthz").text == "ok\n"


def test_a_taken_port_is_said_at_once(town: Path) -> None:
    with serving("--no-worker") as (_, client):
        port = str(client.base_url.port)
        command = [sys.executable, "-m", "clerk", "serve", "--port", port]
        second = subprocess.run(command, capture_output=True, text=True, timeout=90, check=False)

    assert second.returncode == 3
    assert f"port {port}" in second.stderr and "--port" in second.stderr
