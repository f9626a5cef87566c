"""RQ as its documentation shows it: a process per job, a final job that depends on all."""

from __future__ import annotations

import os
import sys
import time

from redis import Redis
from rq import Queue, Worker


def document() -> float:
    """Cost nothing."""
    return time.time()


def finish() -> float:
    """Run when all are done."""
    return time.time()


def connection() -> Redis:
    """Connect to the benchmark's Redis."""
    return Redis(unix_socket_path=os.environ["BENCH_REDIS"])


def run(documents: int) -> tuple[float, float]:
    """Enqueue, wait, and return the seconds in all and those of the fan-in."""
    queue = Queue(connection=connection())
    started = time.perf_counter()
    jobs = queue.enqueue_many([Queue.prepare_data(document, result_ttl=600)] * documents)
    final = queue.enqueue(finish, depends_on=jobs, result_ttl=600)
    while not final.is_finished:
        time.sleep(0.005)
    seconds = time.perf_counter() - started
    last = max(job.return_value() for job in jobs[-20:])
    return seconds, final.return_value() - last


if __name__ == "__main__":
    sys.exit(Worker([Queue(connection=connection())], connection=connection()).work() or 0)
