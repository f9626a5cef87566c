"""How soon a crash is seen: from SIGKILL until the work is given out again.

A child of an embedded run, and a whole RQ worker, are killed while a document is in hand.  Both are
shown beside the ten minutes after which such work counts as crashed elsewhere.
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
from collections.abc import Iterator
from pathlib import Path

from sqlalchemy import select

from bench import servers
from clerk.core import config, db, schema
from clerk.core.models import items_table
from clerk.core.states import QUEUES, Step
from clerk.executors.child_process import Order, Performed, Report
from clerk.pipeline import runs
from clerk.pipeline.workers import Pipeline

ROUNDS = 7
#: What the systems before clerk wait before they call work crashed.
USUAL_SECONDS = 600.0


class Sleepy(Pipeline):
    """Documents that note who has them and never end, until a file says so."""

    def perform(self, order: Order, index: int, report: Report) -> Performed:
        """Sleep over a document."""
        folder = Path(os.environ["STORAGE_DIR"])
        if order.step == Step.FETCH:
            listed = [{"name": "minutes/Council/1", "bytes": 1, "sha256": "1"}]
            return Performed({"documents": listed, "engine": "none"})
        if order.step == Step.DOCUMENT:
            (folder / "holder").write_text(f"{os.getppid()} {os.getpid()}")
            while not (folder / "enough").exists():
                time.sleep(0.01)
        return Performed(1)


def attempts() -> int:
    """Return how often the document was given out."""
    with db.reading_connection() as conn:
        query = select(items_table.c.attempt).where(items_table.c.step == Step.DOCUMENT)
        return conn.execute(query.order_by(items_table.c.id.desc())).scalar() or 0


def wait_for(attempt: int) -> None:
    """Wait until the document was given out so often and is in hand."""
    holder = Path(os.environ["STORAGE_DIR"]) / "holder"
    while attempts() < attempt or not holder.exists():
        time.sleep(0.002)


@contextlib.contextmanager
def workers(mode: str, number: int) -> Iterator[None]:
    """Run workers, which end when there is enough."""
    command = [sys.executable, "-m", "bench.crashes", mode]
    started = [subprocess.Popen(command, stderr=subprocess.DEVNULL) for _ in range(number)]
    try:
        yield
    finally:
        for process in started:
            process.kill()
            process.wait()


def kill_once(mode: str, number: int, victim: int) -> float:
    """Kill what holds the document and return the seconds until it is given out again."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ["STORAGE_DIR"] = folder
        schema.upgrade(db.get_civic_db())
        with db.civic_db_connection() as conn:
            db.upsert_site(conn, {"subdomain": "bench"})
        runs.start("bench", restart=True)
        with workers(mode, number):
            wait_for(1)
            pid = int((Path(folder) / "holder").read_text().split()[victim])
            killed = time.perf_counter()
            os.kill(pid, signal.SIGKILL)
            while attempts() < 2:
                time.sleep(0.002)
            return time.perf_counter() - killed


def be_worker(mode: str) -> None:
    """Be what is to be killed, or stands by."""
    from clerk.executors import embedded, rq

    if mode == "embedded":
        embedded.run(Sleepy(), config.load(), done=lambda: False)
    else:
        rq.work(Sleepy(), QUEUES, config.load(), burst=False)


def report() -> None:
    """Kill some, and print the medians."""
    os.environ.update(DATABASE_URL="", REDIS_URL="", CLERK_WORKERS="1")
    child = statistics.median(kill_once("embedded", 1, victim=1) for _ in range(ROUNDS))
    with servers.redis() as socket, servers.postgres() as database:
        os.environ.update(REDIS_URL=f"unix://{socket}", DATABASE_URL=database)
        worker = statistics.median(kill_once("rq", 2, victim=0) for _ in range(ROUNDS))
    print(f"median of {ROUNDS} kills, default settings")
    for what, seconds in (("a child, embedded", child), ("a whole worker, RQ", worker)):
        share = USUAL_SECONDS / seconds
        print(f"  {what:20} claimed again after {seconds:6.2f} s: {share:,.0f} x sooner than usual")


if __name__ == "__main__":
    be_worker(sys.argv[1]) if len(sys.argv) > 1 else report()
