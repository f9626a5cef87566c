"""What the pages cost, compared with the least they need, in one run.

    python -m bench.web [--pages 100000] [--sites 50] [--clients 200] [--overview-sites 10000]

- the size of the first pages
- live clients that fetch the overview again: processor time of the server at 20 commits a second
- the overview of many sites, compared with the time of the SQL statements it runs
- ``/healthz`` during attacks, compared with ``/healthz`` of an idle server, and the memory used
"""

from __future__ import annotations

import asyncio
import contextlib
import gzip
import os
import random
import re
import signal
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import httpx
from sqlalchemy import event
from starlette.requests import Request

from bench import options
from bench._attacks import ATTACKS, GIGABYTE, ON_DATA_PAGES
from bench.compile import Prose, compile_rows, write_site
from clerk.core import config, db, schema
from clerk.core.models import sites_table
from clerk.pipeline import ledger
from clerk.publish import publish
from clerk.web.app import create_app
from clerk.web.ops.overview import overview as overview_page

COMMITS_PER_SECOND = 20
#: As in live.js: each further browser makes all of them fetch this much less often.
SECONDS_PER_CLIENT = 0.025
FEWEST_SAMPLES = 20
TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Sizes:
    """How much is measured."""

    pages: int = 100_000
    sites: int = 50
    clients: int = 200
    overview_sites: int = 10_000
    rounds: int = 8
    live_seconds: float = 10.0
    #: Requests to ``/healthz`` during each attack.
    samples: int = 300
    #: Pause after each attack, in which the server gets rid of its connections.
    pause_seconds: float = 2.0


TINY = Sizes(40, 2, 3, 5, rounds=1, live_seconds=0.5, samples=FEWEST_SAMPLES, pause_seconds=0.1)


def main() -> int:
    """Measure and print; 1 if a bound is missed."""
    parser = options.parser("web", __doc__)
    parser.add_argument("--pages", type=int, default=Sizes.pages)
    parser.add_argument("--sites", type=int, default=Sizes.sites)
    parser.add_argument("--clients", type=int, default=Sizes.clients)
    parser.add_argument("--overview-sites", type=int, default=Sizes.overview_sites)
    asked = parser.parse_args()
    sizes = Sizes(asked.pages, asked.sites, asked.clients, asked.overview_sites)
    sizes = TINY if asked.tiny else sizes
    with tempfile.TemporaryDirectory(prefix="clerk-bench-web-") as folder:
        storage = Path(folder)
        config.work_embedded_in(storage)
        schema.upgrade(db.get_civic_db())
        compile_sites(storage, sizes.pages, sizes.sites)
        publish_first_site(storage)
        with served() as (pid, client):
            kept = [weight(client), live(pid, client, sizes)]
        with served() as (pid, client):
            kept += attacks(pid, client, sizes)
        kept.append(overview(sizes.overview_sites, sizes.rounds))
    return options.exit_code(tiny=asked.tiny, bars_met=all(kept))


def say(name: str, figure: str, bound: str, kept: bool) -> bool:
    """Print one line of the report."""
    print(f"{name:42} {figure:44} {bound:18} {'ok' if kept else 'MISSED'}", flush=True)
    return kept


# ------------------------------------------------------------------------------------ setup


def compile_sites(storage: Path, pages: int, sites: int) -> None:
    """Write and compile synthetic minutes."""
    for number in range(sites):
        folder = storage / f"town-{number:03}"
        rows = write_site(folder, pages // sites, 10, Prose(seed=number + 1))
        compile_rows(folder, rows, {"subdomain": folder.name, "name": f"Town {number}"})
    print(f"{pages:,} pages over {sites} sites written and compiled")


def publish_first_site(storage: Path) -> None:
    """Publish a site for the data pages, and turn those on if Datasette is installed."""
    if options.is_installed("datasette", "attacks on the data pages"):
        os.environ["DATA_PAGES"] = "yes"
    publish({"subdomain": "town-000"}, storage / "town-000", config.load(), complete=True)


@contextlib.contextmanager
def served() -> Iterator[tuple[int, httpx.Client]]:
    """Run ``clerk serve`` without a worker, logged in."""
    command = [sys.executable, "-u", "-m", "clerk", "serve", "--port", "0", "--no-worker"]
    # The server logs a traceback for each request that is cut off when it is stopped.
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    try:
        assert process.stdout
        address, link = re.findall(
            r"http://\S+", process.stdout.readline() + process.stdout.readline()
        )
        with httpx.Client(base_url=address, timeout=60) as client:
            for _ in range(100):
                with contextlib.suppress(httpx.ConnectError):
                    client.post("/ops/login", data={"link": link.partition("link=")[2]})
                    break
                time.sleep(0.1)
            yield process.pid, client
    finally:
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=10)


def p95(seconds: Sequence[float]) -> float:
    """Return the time that 95 of 100 stay below."""
    return statistics.quantiles(seconds, n=20)[-1]


def median_seconds(action: Callable[[], object], rounds: int) -> float:
    """Return the median processor time of an action."""
    found = []
    for _ in range(rounds):
        began = time.process_time()
        action()
        found.append(time.process_time() - began)
    return statistics.median(found)


def weight(client: httpx.Client) -> bool:
    """Weigh the first pages as they go over the line."""
    heaviest = 0
    for path in ("/", "/search?q=the*+OR+in*", "/coverage", "/votes"):
        answer = client.get(path)
        assert answer.status_code == 200, path
        heaviest = max(heaviest, len(gzip.compress(answer.content, 6)))
    return say(
        "HTML of the first pages, gzipped", f"{heaviest:,} bytes", "under 30 KB", heaviest < 30_000
    )


# ------------------------------------------------------------------------------------- live


def live(pid: int, client: httpx.Client, sizes: Sizes) -> bool:
    """Measure what many open streams cost while others commit."""
    cookie = "; ".join(f"{name}={value}" for name, value in client.cookies.items())
    events, used = asyncio.run(_listen(pid, client.base_url, cookie, sizes))
    each = events / sizes.clients / sizes.live_seconds
    figure = f"{used:.3f} of a core, {each:.1f} events/s each"
    return say(f"{sizes.clients} live clients, 20 commits/s", figure, "under 0.25", used < 0.25)


async def _listen(pid: int, address: httpx.URL, cookie: str, sizes: Sizes) -> tuple[int, float]:
    heard = [0]
    streams = [asyncio.create_task(_stream(address, cookie, heard)) for _ in range(sizes.clients)]
    await asyncio.sleep(sizes.pause_seconds)
    before, began = _processor_seconds(pid), time.perf_counter()
    heard[0] = 0
    for number in range(int(sizes.live_seconds * COMMITS_PER_SECOND)):
        await asyncio.to_thread(_commit)
        await asyncio.sleep(
            max(0.0, began + (number + 1) / COMMITS_PER_SECOND - time.perf_counter())
        )
    used = (_processor_seconds(pid) - before) / (time.perf_counter() - began)
    events = heard[0]
    for stream in streams:
        stream.cancel()
    await asyncio.gather(*streams, return_exceptions=True)
    return events, used


async def _stream(address: httpx.URL, cookie: str, heard: list[int]) -> None:
    """Do what a browser does: listen, and fetch the overview again, but not too often."""
    reader, writer = await asyncio.open_connection(address.host, address.port)
    fetched = time.monotonic() - random.random() * SECONDS_PER_CLIENT * 200
    try:
        writer.write(_request("/ops/stream", address, cookie))
        async for line in reader:
            if line.startswith(b"event: change"):
                heard[0] += 1
            elif line.startswith(b"data: "):
                wait = max(0.5, SECONDS_PER_CLIENT * int(line[6:]))
                if time.monotonic() - fetched > wait:
                    fetched = time.monotonic()
                    await _fetch(address, cookie)
    finally:
        writer.close()


async def _fetch(address: httpx.URL, cookie: str) -> None:
    reader, writer = await asyncio.open_connection(address.host, address.port)
    writer.write(_request("/ops/?fragment=1", address, cookie, "Connection: close\r\n"))
    await reader.read()
    writer.close()


def _request(path: str, address: httpx.URL, cookie: str, more: str = "") -> bytes:
    host = f"Host: {address.host}\r\nCookie: {cookie}\r\n{more}\r\n"
    return f"GET {path} HTTP/1.1\r\n{host}".encode()


def _commit() -> None:
    with db.civic_db_connection() as conn:
        ledger.record(conn, "measured")


def _processor_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


# ---------------------------------------------------------------------------------- attacks


def attacks(pid: int, client: httpx.Client, sizes: Sizes) -> list[bool]:
    """Compare ``/healthz`` during each attack with that of the idle server."""
    host, port = client.base_url.host, client.base_url.port or 80
    has_data_pages = client.get("/data/town-000").status_code != 404
    idle = p95(_answer_seconds(host, port, sizes.samples))
    kept = []
    for name in ATTACKS:
        if name in ON_DATA_PAGES and not has_data_pages:
            continue
        with contextlib.suppress(OSError):
            Path(f"/proc/{pid}/clear_refs").write_text("5")
        before = _memory(pid, "VmRSS")
        command = [sys.executable, "-m", "bench._attacks", name, host, str(port)]
        with subprocess.Popen(command, stdout=subprocess.PIPE) as attack:
            assert attack.stdout and attack.stdout.readline()
            during = p95(_answer_seconds(host, port, sizes.samples, attack))
            attack.terminate()
        cost = (_memory(pid, "VmHWM") - before) / 1024
        figure = f"p95 {1000 * during:.1f} ms, idle {1000 * idle:.1f} ms: {during / idle:.2f} x"
        kept.append(say(f"/healthz, {name}", figure, "2 x idle + 50 ms", during <= 2 * idle + 0.05))
        if name == GIGABYTE:
            kept.append(say("memory for it", f"{cost:.1f} MB", "under 20 MB", cost < 20))
        time.sleep(sizes.pause_seconds)
    return kept


def _answer_seconds(
    host: str, port: int, samples: int, attack: subprocess.Popen[bytes] | None = None
) -> list[float]:
    """Return how long new clients wait for ``/healthz`` during an attack."""
    found: list[float] = []
    while len(found) < samples:
        if attack is not None and attack.poll() is not None and len(found) >= FEWEST_SAMPLES:
            break
        began = time.perf_counter()
        connection = HTTPConnection(host, port, timeout=60)
        connection.request("GET", "/healthz")
        assert connection.getresponse().read().startswith(b"ok")
        connection.close()
        found.append(time.perf_counter() - began)
        time.sleep(0.01)
    return found


def _memory(pid: int, name: str) -> int:
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status.partition(f"{name}:")[2].split()[0])


# --------------------------------------------------------------------------------- overview


def overview(sites: int, rounds: int) -> bool:
    """Compare the overview of many sites with the statements it runs."""
    _add_sites(sites)
    app = create_app(config.load())
    logins = app.state.logins
    cookie = f"clerk_session={logins.use_link(logins.new_link('viewer', 'bench'))}"
    scope = {
        "type": "http",
        "method": "GET",
        "path": "/ops/",
        "query_string": b"",
        "headers": [(b"cookie", cookie.encode()), (b"host", b"localhost")],
        "server": ("localhost", 80),
        "scheme": "http",
        "app": app,
    }
    statements: list[tuple[str, Any]] = []

    def note(_conn: Any, _cursor: Any, statement: str, values: Any, *_rest: Any) -> None:
        statements.append((statement, values))

    event.listen(db.get_civic_db(), "before_cursor_execute", note)
    overview_page(Request(scope))
    event.remove(db.get_civic_db(), "before_cursor_execute", note)
    statements = [each for each in statements if not each[0].startswith("BEGIN")]
    whole = median_seconds(lambda: overview_page(Request(scope)), rounds)
    with contextlib.closing(sqlite3.connect(config.load().storage_dir / "clerk.db")) as bare:
        alone = median_seconds(lambda: _run(bare, statements), rounds)
    figure = f"{1000 * whole:.0f} ms, its SQL {1000 * alone:.0f} ms: {whole / alone:.2f} x"
    return say(f"overview of {sites:,} sites", figure, "at most 3 x", whole <= 3 * alone)


def _run(bare: sqlite3.Connection, statements: Sequence[tuple[str, Any]]) -> None:
    for statement, values in statements:
        bare.execute(statement, values).fetchall()


def _add_sites(number: int) -> None:
    stages = ("fetch", "ocr", "ocr", "extraction", "deploy", "completed", "completed", "completed")
    rows = [
        {
            "subdomain": f"site-{each:05}",
            "name": f"Site {each}",
            "current_stage": stages[each % len(stages)],
            "ocr_total": 100,
            "ocr_completed": each % 90,
            "ocr_failed": 12 if each % 100 == 0 else int(each % 10 == 0),
        }
        for each in range(number)
    ]
    with db.civic_db_connection() as conn:
        conn.execute(sites_table.insert(), rows)
        conn.exec_driver_sql("UPDATE sites SET updated_at = strftime('%Y-%m-%d %H:%M:%f', 'now')")


if __name__ == "__main__":
    sys.exit(main())
