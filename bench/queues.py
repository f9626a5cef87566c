"""Fan-out and fan-in of documents that cost nothing: clerk compared with RQ, Celery and Dramatiq.

    python -m bench.queues [--only NAME ...]

Two workers each, on one machine, one after the other in one run.  Only the ratios mean anything.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import signal
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from bench import options, servers

WORKERS = 2

#: Runs this many documents through a system; returns the seconds in all and those of the fan-in.
Run = Callable[[int], tuple[float, float]]


@dataclass(frozen=True)
class Sizes:
    """How much one system is given."""

    #: Numbers of documents for which the rate is measured.
    documents: tuple[int, ...]
    #: The wait from the last document to the next step is short: many small rounds, their median.
    rounds: int
    round_documents: int
    #: Rounds before the first that counts, until connections, plans and caches are warm.
    warm_rounds: int


FULL = Sizes((1_000, 10_000), rounds=40, round_documents=100, warm_rounds=25)
#: RQ with a process per job needs minutes for ten thousand, and has nothing to warm up.
FULL_RQ = Sizes((1_000,), rounds=10, round_documents=100, warm_rounds=2)
TINY = Sizes((4, 8), rounds=2, round_documents=2, warm_rounds=1)
TINY_RQ = Sizes((4,), rounds=1, round_documents=2, warm_rounds=1)


@dataclass(frozen=True)
class Measured:
    """What one system needed: documents per second by size, and the median wait of the fan-in."""

    system: str
    rates: dict[int, float]
    fan_in: float


@contextlib.contextmanager
def processes(*commands: list[str]) -> Iterator[None]:
    """Run worker processes and end them.  The first warm-up round waits until they have started."""
    started = [
        subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for command in commands
    ]
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
    """A system to compare, and the module it needs."""

    name: str
    module: str
    start: Callable[[], contextlib.AbstractContextManager[Run]]


SYSTEMS = [
    System("RQ, fork and depends_on", "rq", rq),
    System("Celery chord, prefork", "celery", celery),
    System("Dramatiq group", "dramatiq", dramatiq),
    System("clerk on RQ, PostgreSQL", "clerk", clerk_on_rq),
    System("clerk embedded, SQLite", "clerk", clerk_embedded),
]


def measure(system: System, sizes: Sizes) -> Measured:
    """Measure one system at every size, its workers warm, and its fan-in over many rounds."""
    with system.start() as run:
        for _ in range(sizes.warm_rounds):
            run(sizes.round_documents)
        rates = {documents: documents / run(documents)[0] for documents in sizes.documents}
        fan_in = statistics.median(run(sizes.round_documents)[1] for _ in range(sizes.rounds))
    print(f"  measured {system.name}", file=sys.stderr)
    return Measured(system.name, rates, fan_in)


def report(measured: list[Measured]) -> None:
    """Print each system relative to the best of the others at the same size."""
    others = [each for each in measured if not each.system.startswith("clerk")] or measured
    sizes = sorted({documents for each in measured for documents in each.rates})
    for documents in sizes:
        best = max((each.rates.get(documents, 0.0) for each in others), default=0.0)
        compared = "best other = 1"
        if not best:
            # RQ alone is measured at the small size only.
            best = max(max(each.rates.values()) for each in others)
            compared = f"best other = 1, measured with {sizes[0]:,}"
        print(f"\n{documents:,} documents that cost nothing, {WORKERS} workers: rate, {compared}")
        for each in measured:
            if documents in each.rates:
                print(f"  {each.system:26} {each.rates[documents] / best:>10.2f}")
    quickest = min(each.fan_in for each in others)
    print("\nfan-in, median of many rounds: wait after the last document, best other = 1")
    for each in measured:
        print(f"  {each.system:26} {each.fan_in / quickest:>10.2f}")
    print(f"\ncost per document at {sizes[-1]:,} relative to {sizes[0]:,}")
    for each in measured:
        if len(each.rates) == len(sizes):
            print(f"  {each.system:26} {each.rates[sizes[0]] / each.rates[sizes[-1]]:>10.2f}")


def main() -> int:
    """Measure every system that is installed, or those asked for, and print the ratios."""
    parser = options.parser("queues", __doc__)
    parser.add_argument("--only", nargs="+", default=[], help="systems whose names begin so")
    asked: argparse.Namespace = parser.parse_args()
    chosen = [
        each
        for each in SYSTEMS
        if each.name.startswith(tuple(asked.only) or "")
        and options.is_installed(each.module, each.name)
    ]
    small, full = (TINY_RQ, TINY) if asked.tiny else (FULL_RQ, FULL)
    with servers.redis() as socket:
        os.environ["BENCH_REDIS"] = socket
        report([measure(each, small if each.start is rq else full) for each in chosen])
    return 0


if __name__ == "__main__":
    sys.exit(main())
