"""A Celery chord on Redis."""

from __future__ import annotations

import os
import time

from celery import Celery, chord

_redis = f"redis+socket://{os.environ.get('BENCH_REDIS', '')}"
app = Celery("bench.queue_celery", broker=_redis, backend=_redis)
app.conf.update(worker_prefetch_multiplier=64, result_expires=600)


@app.task
def document() -> float:
    """Cost nothing."""
    return time.time()


@app.task
def finish(times: list[float]) -> float:
    """Run when all are done, and return how long after the last."""
    return time.time() - max(times)


def run(documents: int) -> tuple[float, float]:
    """Send the chord, wait, and return the seconds in all and those of the fan-in."""
    started = time.perf_counter()
    latency = chord([document.s() for _ in range(documents)])(finish.s()).get(timeout=600)
    return time.perf_counter() - started, latency
