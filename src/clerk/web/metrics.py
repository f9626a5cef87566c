"""For monitoring: alive, ready, and the figures of :mod:`clerk.ops.counts` for Prometheus."""

from __future__ import annotations

import threading
from bisect import bisect_left
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from itertools import accumulate
from typing import Any

from prometheus_client import CONTENT_TYPE_PLAIN_0_0_4, CollectorRegistry, generate_latest
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    Metric,
)
from prometheus_client.registry import Collector
from sqlalchemy import Connection, select
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response

from clerk import __version__
from clerk.core.clock import utc_now
from clerk.core.db import reading_connection
from clerk.core.models import stage_events_table
from clerk.core.states import STAGES
from clerk.ops.counts import Figures
from clerk.ops.health import Level

from . import checks, figures
from .access import whoever
from .safety import client_of
from .worker_process import Worker

#: Without these nothing can be served; a stuck site takes nothing down.
NEEDED = ("database", "schema", "disk")
BUCKETS = (0.1, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0, 600.0, 1800.0)
LOOPBACK = ("127.0.0.1", "::1")


async def healthz(request: Request) -> Response:
    """Say that the process serves, and that its worker lives if it has one.

    Asynchronous, so that it does not wait for a thread behind handlers that take long.
    """
    worker = request.app.state.worker
    if worker is None:
        return PlainTextResponse("ok\n")
    state = worker.state
    said = f"{'ok' if state.alive else 'not ok'}\nworker: {state.said}\n"
    return PlainTextResponse(said, 200 if state.alive else 503)


def readyz(request: Request) -> Response:
    """Say whether requests can be answered; the level of every check, no details."""
    seen = checks.check_all(request)
    ready = all(each.level < Level.CRITICAL for each in seen.checks if each.name in NEEDED)
    levels = {each.name: each.word for each in seen.checks}
    answer = {"ready": ready, "level": seen.word, "checks": levels}
    return JSONResponse(answer, 200 if ready else 503, headers={"Cache-Control": "no-store"})


def metrics(request: Request) -> Response:
    """Give the figures, to this machine and to those with a login or token."""
    if not _is_local(request) and whoever(request) is None:
        return PlainTextResponse("A token is needed: Authorization: Bearer ...\n", 401)
    registry = CollectorRegistry()
    registry.register(FiguresCollector(request))
    return Response(generate_latest(registry), media_type=CONTENT_TYPE_PLAIN_0_0_4)


def _is_local(request: Request) -> bool:
    """Whether this very machine asks, and not for somebody else."""
    forwarded = any(name in request.headers for name in ("x-forwarded-for", "forwarded"))
    return client_of(request) in LOOPBACK and not forwarded


class FiguresCollector(Collector):
    """Gives the figures as they are while one request is answered."""

    def __init__(self, request: Request) -> None:
        self._request = request

    def collect(self) -> Iterator[Metric]:
        """Yield every metric with its samples."""
        return _families(self._request)


def _gauge(name: str, help: str, samples: Mapping[Any, float], *labels: str) -> GaugeMetricFamily:
    """Return a gauge whose samples are keyed by the values of its labels."""
    family = GaugeMetricFamily(name, help, labels=labels)
    for key, value in samples.items():
        values = key if isinstance(key, tuple) else (key,)
        family.add_metric([str(each) for each in values] if labels else [], value)
    return family


def _families(request: Request) -> Iterator[Metric]:
    health = checks.check_all(request)
    yield _gauge("clerk_info", "Version of clerk", {__version__: 1}, "version")
    help = "Worst of all checks: 0 OK, 1 warning, 2 critical, 3 unknown"
    yield _gauge("clerk_health_level", help, {"": health.level})
    levels = {each.name: each.level for each in health.checks}
    yield _gauge("clerk_check_level", "Each check of clerk health", levels, "check")
    yield from _worker(request.app.state.worker)
    streams = {"": request.app.state.doorbell.listeners}
    yield _gauge("clerk_live_streams", "Browsers with a live stream", streams)
    if health.figures is not None:
        yield from _figures(health.figures)
        with reading_connection() as conn:
            yield _gauge(
                "clerk_worker_heartbeat_age_seconds",
                "Since each worker beat",
                _ages(conn),
                "worker",
            )
            yield request.app.state.stage_seconds.family(conn)


def _figures(seen: Figures) -> Iterator[Metric]:
    """Yield the figures of :mod:`clerk.ops.counts`; docs/operating.md says what each means."""
    stages = dict.fromkeys((*STAGES, "completed"), 0) | dict(seen.stages)
    yield _gauge("clerk_sites", "Sites by stage", stages, "stage")
    yield _gauge("clerk_sites_stuck", "Sites nobody works on", {"": len(seen.stuck)})
    yield _gauge("clerk_sites_silent", "Sites without movement for two hours", {"": seen.silent})
    blocked = {"": len(seen.blocked)}
    yield _gauge("clerk_sites_blocked", "Sites whose work waits for a person", blocked)
    attention = {"": len(seen.attention)}
    yield _gauge("clerk_sites_needing_attention", "Sites a person should look at", attention)
    empty = {"": seen.without_documents}
    yield _gauge("clerk_sites_without_documents", "Completed with nothing found", empty)
    score = {} if seen.health_score is None else {"": seen.health_score}
    yield _gauge("clerk_health_score_percent", "Share of sites that move or are done", score)
    yield _gauge(
        "clerk_documents",
        "Documents of current runs by stage and state",
        _documents(seen),
        "stage",
        "state",
    )
    failed = {"": seen.failed.documents}
    yield _gauge("clerk_failed_documents", "Documents that are failed now", failed)
    yield _gauge("clerk_failed_steps", "Steps of last runs that failed", {"": seen.failed.steps})
    yield _gauge("clerk_batches", "Batches by status", seen.batches, "status")
    yield _gauge("clerk_reconcile_age_seconds", "Since reconciliation ran", _reconciled(seen))
    day = asdict(seen.last_day)
    for name in ("documents_read", "documents_failed", "crashes", "reconciliations"):
        help = f"{name.replace('_', ' ').capitalize()} in the last 24 hours"
        yield _gauge(f"clerk_{name}_24h", help, {"": day[name]})
    runs = {name.removeprefix("runs_"): day[name] for name in day if name.startswith("runs_")}
    yield _gauge("clerk_runs_24h", "Runs started and ended in the last 24 hours", runs, "state")
    waiting = {name: each.waiting for name, each in seen.queues.items()}
    yield _gauge("clerk_queue_depth", "Work that waits, by queue", waiting, "queue")


def _worker(worker: Worker | None) -> Iterator[Metric]:
    if worker is not None:
        state = worker.state
        yield _gauge(
            "clerk_worker_up", "Whether the worker beside the pages lives", {"": state.alive}
        )
        yield CounterMetricFamily(
            "clerk_worker_deaths_total", "How often it had to be started again", state.deaths
        )


def _documents(seen: Figures) -> dict[tuple[str, str], float]:
    """Return the documents of all sites by stage and state."""
    found: dict[tuple[str, str], float] = {}
    for stage, each in seen.documents.items():
        found[stage, "completed"] = each.completed
        found[stage, "failed"] = each.failed
        found[stage, "pending"] = each.total - each.completed - each.failed
    return found


def _ages(conn: Connection) -> dict[str, float]:
    now = utc_now()
    return {each["id"]: (now - each["beat_at"]).total_seconds() for each in figures.workers(conn)}


def _reconciled(seen: Figures) -> dict[str, float]:
    last = seen.reconciled_at
    return {"": (utc_now() - last).total_seconds()} if last else {}


class StageSeconds:
    """A histogram over all that was ever finished; each event is read from the database once."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._last = 0
        self._counts: dict[str, list[int]] = {}
        self._sums: dict[str, float] = {}

    def family(self, conn: Connection) -> HistogramMetricFamily:
        """Return the histogram as it is now."""
        family = HistogramMetricFamily(
            "clerk_stage_seconds", "Time a piece of work took, by stage", labels=["stage"]
        )
        limits = (*map("{:g}".format, BUCKETS), "+Inf")
        with self._lock:
            self._catch_up(conn)
            for stage, counts in sorted(self._counts.items()):
                buckets = list(zip(limits, accumulate(counts), strict=True))
                family.add_metric([stage], buckets, self._sums[stage])
        return family

    def _catch_up(self, conn: Connection) -> None:
        events = stage_events_table
        rows = conn.execute(
            select(
                events.c.id,
                events.c.stage,
                events.c.seconds,
                (events.c.completed + events.c.failed).label("pieces"),
            )
            .where(events.c.id > self._last, events.c.event == "finished")
            .where(events.c.seconds.is_not(None), events.c.stage.is_not(None))
            .order_by(events.c.id)
        )
        for row in rows:
            self._add(row.stage, row.seconds, max(1, row.pieces))
            self._last = row.id

    def _add(self, stage: str, seconds: float, pieces: int) -> None:
        counts = self._counts.setdefault(stage, [0] * (len(BUCKETS) + 1))
        counts[bisect_left(BUCKETS, seconds / pieces)] += pieces
        self._sums[stage] = self._sums.get(stage, 0.0) + seconds
