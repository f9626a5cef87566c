"""Fan-out and fan-in of documents that cost nothing: clerk beside RQ, Celery and Dramatiq.

Two workers each, on one machine, one after the other in one run.  What counts are the ratios.
"""

from __future__ import annotations

import contextlib
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from bench import servers

WORKERS = 2
SIZES = (1_000, 10_000)
#: RQ with a process per job needs minutes for ten thousand.
RQ_SIZES = (1_000,)
#: The wait from the last document to what follows it is short: many small rounds, their median.
ROUNDS = 40
ROUND_DOCUMENTS = 100
#: Rounds before the first that counts: connections, plans and caches are those of a day's work.
WARM_ROUNDS = 25
#: With a process per job there is nothing to warm, and a round takes seconds.
RQ_ROUNDS, RQ_WARM_ROUNDS = 10, 2

#: Takes so many documents through a system; returns the seconds in all and those of the fan-in.
Run = Callable[[int], tuple[float, float]]


@dataclass(frozen=True)
class Measured:
    """What one system needed: documents per second by size, and the median wait of the fan-in."""

    system: str
    rates: dict[int, float]
    fan_in: float


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


@contextlib.contextmanager
def clerk_embedded() -> Iterator[Run]:
    """Give clerk in one process tree on SQLite."""
    from bench import queue_clerk

    with tempfile.TemporaryDirectory() as folder:
        os.environ.update(STORAGE_DIR=folder, DATABASE_URL="", REDIS_URL="")
        os.environ.update(CLERK_WORKERS=str(WORKERS))
        queue_clerk.prepare()
        yield queue_clerk.run_embedded


@contextlib.contextmanager
def clerk_on_rq() -> Iterator[Run]:
    """Give clerk on RQ workers and PostgreSQL."""
    from bench import queue_clerk

    worker = [sys.executable, "-m", "bench.queue_clerk"]
    with tempfile.TemporaryDirectory() as folder, servers.postgres() as database:
        os.environ.update(STORAGE_DIR=folder, DATABASE_URL=database)
        os.environ.update(REDIS_URL=f"unix://{os.environ['BENCH_REDIS']}")
        queue_clerk.prepare()
        with processes(*[worker] * WORKERS):
            yield queue_clerk.run_on_workers


@contextlib.contextmanager
def rq() -> Iterator[Run]:
    """Give RQ with a process per job."""
    from bench import queue_rq

    with processes(*[[sys.executable, "-m", "bench.queue_rq"]] * WORKERS):
        yield queue_rq.run


@contextlib.contextmanager
def celery() -> Iterator[Run]:
    """Give a Celery chord."""
    from bench import queue_celery

    command = [sys.executable, "-m", "celery", "-A", "bench.queue_celery", "worker"]
    with processes([*command, "-c", str(WORKERS), "-P", "prefork", "--without-mingle"]):
        yield queue_celery.run


@contextlib.contextmanager
def dramatiq() -> Iterator[Run]:
    """Give a Dramatiq group."""
    from bench import queue_dramatiq

    command = [sys.executable, "-m", "dramatiq", "bench.queue_dramatiq"]
    with processes([*command, "-p", str(WORKERS), "-t", "1"]):
        yield queue_dramatiq.run


@dataclass(frozen=True)
class System:
    """One of those compared."""

    name: str
    start: Callable[[], contextlib.AbstractContextManager[Run]]
    sizes: tuple[int, ...] = SIZES
    warm_rounds: int = WARM_ROUNDS
    rounds: int = ROUNDS


SYSTEMS = [
    System("RQ, fork and depends_on", rq, RQ_SIZES, RQ_WARM_ROUNDS, RQ_ROUNDS),
    System("Celery chord, prefork", celery),
    System("Dramatiq group", dramatiq),
    System("clerk on RQ, PostgreSQL", clerk_on_rq),
    System("clerk embedded, SQLite", clerk_embedded),
]


def measure(system: System) -> Measured:
    """Measure one system at every size, its workers warm, and its fan-in over many rounds."""
    with system.start() as run:
        for _ in range(system.warm_rounds):
            run(ROUND_DOCUMENTS)
        rates = {documents: documents / run(documents)[0] for documents in system.sizes}
        fan_in = statistics.median(run(ROUND_DOCUMENTS)[1] for _ in range(system.rounds))
    print(f"  measured {system.name}", file=sys.stderr)
    return Measured(system.name, rates, fan_in)


def measure_all(only: list[str]) -> list[Measured]:
    """Measure every system, or those whose name begins with one of these words."""
    chosen = [each for each in SYSTEMS if not only or each.name.startswith(tuple(only))]
    with servers.redis() as socket:
        os.environ["BENCH_REDIS"] = socket
        return [measure(each) for each in chosen]


def report(measured: list[Measured]) -> None:
    """Print each system relative to the best of the others."""
    others = [each for each in measured if not each.system.startswith("clerk")]
    for documents in SIZES:
        best = max(each.rates.get(documents, 0.0) for each in others)
        print(f"\n{documents} documents that cost nothing, {WORKERS} workers: rate, best other = 1")
        for each in measured:
            if documents in each.rates:
                print(f"  {each.system:26} {each.rates[documents] / best:>10.2f}")
    quickest = min(each.fan_in for each in others)
    print("\nfan-in, median of many rounds: wait after the last document, best other = 1")
    for each in measured:
        print(f"  {each.system:26} {each.fan_in / quickest:>10.2f}")
    print("\ncost per document at 10,000 against 1,000")
    for each in measured:
        if len(each.rates) == len(SIZES):
            print(f"  {each.system:26} {each.rates[SIZES[0]] / each.rates[SIZES[1]]:>10.2f}")


if __name__ == "__main__":
    report(measure_all(sys.argv[1:]))
