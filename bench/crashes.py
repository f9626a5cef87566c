"""How soon a crash is noticed: from SIGKILL until the document is claimed again.

    python -m bench.crashes [--rounds 7]

A child of an embedded run and a whole RQ worker of clerk are killed while they work on a document.
The child is compared with a job of plain RQ that has a retry, killed in the same way.  For a whole
worker other systems wait for an interval that they define; the shortest one of those installed is
the comparison, and is not waited for.
"""

from __future__ import annotations

import contextlib
import importlib.util
import inspect
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from sqlalchemy import select

from bench import options, servers
from clerk.core import config, db, schema
from clerk.core.child_process import Order, Performed, Report
from clerk.core.models import items_table
from clerk.core.states import QUEUES, Step
from clerk.pipeline import runs
from clerk.pipeline.flow import Pipeline


def hold() -> None:
    """Note which process has the document, and keep it until that process is killed."""
    folder = Path(os.environ["STORAGE_DIR"])
    part = folder / f"{os.getpid()}.part"
    part.write_text(f"{os.getppid()} {os.getpid()}")
    part.rename(folder / "holder")
    time.sleep(600)


class Sleepy(Pipeline):
    """A pipeline whose documents never finish."""

    def perform(self, order: Order, index: int, report: Report) -> Performed:
        """Find one document, and hold it."""
        if order.step == Step.FETCH:
            listed = [{"name": "minutes/Council/1", "bytes": 1, "sha256": "1"}]
            return Performed({"documents": listed, "engine": "none"})
        if order.step == Step.DOCUMENT:
            hold()
        return Performed(1)


def claims() -> int:
    """Return how often the document was claimed."""
    with db.reading_connection() as conn:
        query = select(items_table.c.attempt).where(items_table.c.step == Step.DOCUMENT)
        return conn.execute(query.order_by(items_table.c.id.desc())).scalar() or 0


@contextlib.contextmanager
def workers(mode: str, number: int) -> Iterator[None]:
    """Run workers and kill them in the end."""
    command = [sys.executable, "-m", "bench.crashes", "--worker", mode]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    started = [subprocess.Popen(command, **quiet) for _ in range(number)]
    try:
        yield
    finally:
        for process in started:
            process.kill()
            process.wait()


def kill_holder(victim: int, is_claimed_again: Callable[[], bool]) -> float:
    """Kill the parent (0) or the child (1) that holds the document; return the seconds it costs."""
    holder = Path(os.environ["STORAGE_DIR"]) / "holder"
    while not holder.exists():
        time.sleep(0.002)
    pid = int(holder.read_text().split()[victim])
    holder.unlink()
    killed = time.perf_counter()
    os.kill(pid, signal.SIGKILL)
    while not is_claimed_again():
        time.sleep(0.002)
    return time.perf_counter() - killed


def kill_clerk(mode: str, number: int, victim: int) -> float:
    """Kill a process of clerk and return the seconds until its document is claimed again."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ["STORAGE_DIR"] = folder
        schema.upgrade(db.get_civic_db())
        with db.civic_db_connection() as conn:
            db.upsert_site(conn, {"subdomain": "bench"})
        runs.start(config.load(), "bench", restart=True)
        with workers(mode, number):
            return kill_holder(victim, lambda: claims() >= 2)


def kill_job_of_plain_rq() -> float:
    """Kill the process of a job that may be retried; return the seconds until it runs again."""
    from redis import Redis
    from rq import Queue, Retry

    with tempfile.TemporaryDirectory() as folder:
        os.environ["STORAGE_DIR"] = folder
        connection = Redis.from_url(os.environ["REDIS_URL"])
        connection.flushall()
        Queue("plain", connection=connection).enqueue("bench.crashes.hold", retry=Retry(max=1))
        holder = Path(folder) / "holder"
        with workers("plain-rq", 1):
            try:
                return kill_holder(1, holder.exists)
            finally:
                # A worker of RQ that is killed leaves the process of its job behind.
                os.kill(int(holder.read_text().split()[1]), signal.SIGKILL)


def be_worker(mode: str) -> None:
    """Be the worker that is killed, or one that takes over."""
    from clerk.executors import embedded, rq

    if mode == "embedded":
        embedded.run(Sleepy(config.load()), config.load(), done=lambda: False)
    elif mode == "rq":
        rq.work(Sleepy(config.load()), QUEUES, config.load(), burst=False)
    else:
        from redis import Redis
        from rq import Queue, Worker

        connection = Redis.from_url(os.environ["REDIS_URL"])
        Worker([Queue("plain", connection=connection)], connection=connection).work()


def shortest_interval() -> tuple[str, float]:
    """Return which system notices a killed worker first by its defaults, and after how long."""
    from rq.defaults import DEFAULT_MAINTENANCE_TASK_INTERVAL

    found = {"RQ's maintenance": float(DEFAULT_MAINTENANCE_TASK_INTERVAL)}
    if importlib.util.find_spec("dramatiq"):
        from dramatiq.brokers.redis import RedisBroker

        arguments = inspect.signature(RedisBroker.__init__).parameters
        found["Dramatiq's heartbeat"] = arguments["heartbeat_timeout"].default / 1000
    return min(found.items(), key=lambda pair: pair[1])


def report(rounds: int) -> None:
    """Kill processes of each kind, and print the medians and how they compare."""
    os.environ.update(DATABASE_URL="", REDIS_URL="", CLERK_WORKERS="1")
    child = statistics.median(kill_clerk("embedded", 1, victim=1) for _ in range(rounds))
    with servers.redis() as socket, servers.postgres() as database:
        os.environ.update(REDIS_URL=f"unix://{socket}", DATABASE_URL=database)
        worker = statistics.median(kill_clerk("rq", 2, victim=0) for _ in range(rounds))
        plain = statistics.median(kill_job_of_plain_rq() for _ in range(rounds))
    name, interval = shortest_interval()
    print(f"seconds until a killed document is claimed again, median of {rounds}, default settings")
    print(f"  a child, clerk embedded        {child:6.2f} s")
    print(f"  the process of a job, plain RQ {plain:6.2f} s   {plain / child:.2f} x the time")
    print(f"  a whole worker, clerk on RQ    {worker:6.2f} s")
    print(f"  {name + ' (not measured)':30} {interval:6.0f} s   {interval / worker:.0f} x the time")


def main() -> int:
    """Measure, or be one of the workers."""
    parser = options.parser("crashes", __doc__)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--worker", choices=["embedded", "rq", "plain-rq"], help="for internal use")
    asked = parser.parse_args()
    if asked.worker:
        be_worker(asked.worker)
    else:
        options.is_installed("dramatiq", "Dramatiq's heartbeat")
        report(1 if asked.tiny else asked.rounds)
    return 0


if __name__ == "__main__":
    sys.exit(main())
