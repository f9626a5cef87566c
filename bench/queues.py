"""Fan-out and fan-in of documents that cost nothing: clerk beside RQ, Celery and Dramatiq.

Two workers each, on one machine, one after the other in one run.  What counts are the ratios.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from bench import servers

WORKERS = 2
SIZES = (1_000, 10_000)
#: RQ with a process per job needs minutes for ten thousand.
RQ_SIZES = (1_000,)


@dataclass(frozen=True)
class Measured:
    """What one system needed for one number of documents."""

    system: str
    documents: int
    seconds: float
    fan_in: float

    @property
    def rate(self) -> float:
        """Documents per second."""
        return self.documents / self.seconds


@contextlib.contextmanager
def processes(*commands: list[str]) -> Iterator[None]:
    """Run worker processes and end them."""
    started = [
        subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for command in commands
    ]
    time.sleep(4.0)
    try:
        yield
    finally:
        for process in started:
            process.send_signal(signal.SIGTERM)
        for process in started:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(10)
            process.kill()


def clerk_embedded(documents: int) -> Measured:
    """Measure clerk in one process tree on SQLite."""
    from bench import queue_clerk

    with tempfile.TemporaryDirectory() as folder:
        os.environ.update(STORAGE_DIR=folder, DATABASE_URL="", REDIS_URL="")
        os.environ.update(CLERK_WORKERS=str(WORKERS), BENCH_DOCUMENTS=str(documents))
        queue_clerk.prepare()
        seconds = queue_clerk.run_embedded()
        fan_in = queue_clerk.fan_in_seconds(Path(folder))
        return Measured("clerk embedded, SQLite", documents, seconds, fan_in)


def clerk_on_rq(documents: int) -> Measured:
    """Measure clerk on RQ workers and PostgreSQL."""
    from bench import queue_clerk

    worker = [sys.executable, "-m", "bench.queue_clerk"]
    with tempfile.TemporaryDirectory() as folder, servers.postgres() as database:
        os.environ.update(STORAGE_DIR=folder, DATABASE_URL=database)
        os.environ.update(REDIS_URL=f"unix://{os.environ['BENCH_REDIS']}")
        os.environ.update(BENCH_DOCUMENTS=str(documents))
        queue_clerk.prepare()
        with processes(*[worker] * WORKERS):
            seconds = queue_clerk.run_on_workers()
        fan_in = queue_clerk.fan_in_seconds(Path(folder))
        return Measured("clerk on RQ, PostgreSQL", documents, seconds, fan_in)


def rq(documents: int) -> Measured:
    """Measure RQ with a process per job."""
    from bench import queue_rq

    with processes(*[[sys.executable, "-m", "bench.queue_rq"]] * WORKERS):
        return Measured("RQ, fork and depends_on", documents, *queue_rq.run(documents))


def celery(documents: int) -> Measured:
    """Measure a Celery chord."""
    from bench import queue_celery

    command = [sys.executable, "-m", "celery", "-A", "bench.queue_celery", "worker"]
    with processes([*command, "-c", str(WORKERS), "-P", "prefork", "--without-mingle"]):
        return Measured("Celery chord, prefork", documents, *queue_celery.run(documents))


def dramatiq(documents: int) -> Measured:
    """Measure a Dramatiq group."""
    from bench import queue_dramatiq

    command = [sys.executable, "-m", "dramatiq", "bench.queue_dramatiq"]
    with processes([*command, "-p", str(WORKERS), "-t", "1"]):
        return Measured("Dramatiq group", documents, *queue_dramatiq.run(documents))


def measure_all() -> list[Measured]:
    """Measure every system at every size."""
    systems: list[tuple[Callable[[int], Measured], tuple[int, ...]]] = [
        (rq, RQ_SIZES),
        (celery, SIZES),
        (dramatiq, SIZES),
        (clerk_on_rq, SIZES),
        (clerk_embedded, SIZES),
    ]
    found = []
    with servers.redis() as socket:
        os.environ["BENCH_REDIS"] = socket
        for system, sizes in systems:
            for documents in sizes:
                found.append(system(documents))
                print(f"  measured {found[-1].system}, {documents} documents", file=sys.stderr)
    return found


def report(measured: list[Measured]) -> None:
    """Print each system relative to the best of the others."""
    for documents in SIZES:
        rows = [each for each in measured if each.documents == documents]
        others = [each for each in rows if not each.system.startswith("clerk")]
        best, quickest = max(each.rate for each in others), min(each.fan_in for each in others)
        print(f"\n{documents} documents that cost nothing, {WORKERS} workers")
        print(f"  {'system':26} {'rate, best other = 1':>22} {'fan-in, best other = 1':>24}")
        for each in rows:
            fan_in = each.fan_in / max(quickest, 1e-6)
            print(f"  {each.system:26} {each.rate / best:>22.2f} {fan_in:>24.2f}")
    print("\ncost per document at 10,000 against 1,000")
    for name in sorted({each.system for each in measured}):
        rates = {each.documents: each.rate for each in measured if each.system == name}
        if len(rates) == len(SIZES):
            print(f"  {name:26} {rates[SIZES[0]] / rates[SIZES[1]]:>22.2f}")


if __name__ == "__main__":
    report(measure_all())
