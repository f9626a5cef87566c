"""For monitoring: liveness, readiness, and the figures for Prometheus."""

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
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response

from clerk import __version__
from clerk.core.clock import utc_now
from clerk.core.states import STAGES
from clerk.ops import activity, health
from clerk.ops.counts import Figures
from clerk.ops.health import Health, Level

from .auth import person_of
from .middleware import client_address
from .rendering import settings_of

#: Without these nothing can be served; a stuck site does not make the server unready.
NEEDED = ("database", "schema", "disk")
BUCKETS = (0.1, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0, 600.0, 1800.0)
LOOPBACK = ("127.0.0.1", "::1")

#: Every metric -> its help and its labels.
METRICS: dict[str, tuple[str, tuple[str, ...]]] = {
    "clerk_info": ("Version of clerk", ("version",)),
    "clerk_health_level": ("Worst of all checks: 0 OK, 1 warning, 2 critical, 3 unknown", ()),
    "clerk_check_level": ("Each check of clerk health", ("check",)),
    "clerk_findings": (
        "How many sites, runs, documents or queues each problem concerns",
        ("kind", "severity"),
    ),
    "clerk_worker_up": ("Whether the worker of clerk serve is alive", ()),
    "clerk_worker_deaths_total": ("How often it had to be restarted", ()),
    "clerk_worker_heartbeat_age_seconds": ("Age of the last heartbeat of each worker", ("worker",)),
    "clerk_live_streams": ("Browsers with a live stream", ()),
    "clerk_sites": ("Sites by stage", ("stage",)),
    "clerk_sites_stuck": ("Sites nobody works on", ()),
    "clerk_sites_silent": ("Sites without progress for two hours", ()),
    "clerk_sites_blocked": ("Sites whose work waits for a person", ()),
    "clerk_sites_needing_attention": ("Sites that need attention", ()),
    "clerk_sites_without_documents": ("Completed with nothing found", ()),
    "clerk_health_score_percent": ("Share of sites that progress or are done", ()),
    "clerk_documents": ("Documents of current runs by stage and state", ("stage", "state")),
    "clerk_failed_documents": ("Documents that are failed at the moment", ()),
    "clerk_failed_steps": ("Steps of last runs that failed", ()),
    "clerk_batches": ("Batches by status", ("status",)),
    "clerk_reconcile_age_seconds": ("Age of the last reconciliation", ()),
    "clerk_documents_read_24h": ("Documents read in the last 24 hours", ()),
    "clerk_documents_failed_24h": ("Documents failed in the last 24 hours", ()),
    "clerk_crashes_24h": ("Crashes in the last 24 hours", ()),
    "clerk_reconciliations_24h": ("Reconciliations in the last 24 hours", ()),
    "clerk_runs_24h": ("Runs started and ended in the last 24 hours", ("state",)),
    "clerk_queue_depth": ("Waiting work by queue", ("queue",)),
    "clerk_stage_seconds": ("Time a piece of work took, by stage", ("stage",)),
}


def check_health(request: Request) -> Health:
    """Check everything that ``clerk health`` checks."""
    return health.check_all(settings_of(request))


async def healthz(request: Request) -> Response:
    """Respond that the process serves, and that its worker is alive if it has one.

    Asynchronous, so that it does not wait for a thread behind slow handlers.
    """
    worker = request.app.state.worker
    if worker is None:
        return PlainTextResponse("ok\n")
    state = worker.state
    text = f"{'ok' if state.alive else 'not ok'}\nworker: {state.summary}\n"
    return PlainTextResponse(text, 200 if state.alive else 503)


def readyz(request: Request) -> Response:
    """Respond whether requests can be served: the level of every check, no details."""
    checked = check_health(request)
    ready = all(each.level < Level.CRITICAL for each in checked.checks if each.name in NEEDED)
    levels = {each.name: each.word for each in checked.checks}
    answer = {"ready": ready, "level": checked.word, "checks": levels}
    return JSONResponse(answer, 200 if ready else 503, headers={"Cache-Control": "no-store"})


def metrics(request: Request) -> Response:
    """Respond with the figures, to this machine and to clients with a login or token."""
    forwarded = any(name in request.headers for name in ("x-forwarded-for", "forwarded"))
    is_local = client_address(request) in LOOPBACK and not forwarded
    if not is_local and person_of(request) is None:
        return PlainTextResponse("A token is needed: Authorization: Bearer ...\n", 401)
    registry = CollectorRegistry()
    registry.register(FiguresCollector(request))
    return Response(generate_latest(registry), media_type=CONTENT_TYPE_PLAIN_0_0_4)


class FiguresCollector(Collector):
    """Collects the figures while one request is handled."""

    def __init__(self, request: Request) -> None:
        self._request = request

    def collect(self) -> Iterator[Metric]:
        """Yield every metric with its samples."""
        state = self._request.app.state
        checked = check_health(self._request)
        yield _gauge("clerk_info", {__version__: 1})
        yield _gauge("clerk_health_level", {"": checked.level})
        levels = {each.name: each.level for each in checked.checks}
        yield _gauge("clerk_check_level", levels)
        found: dict[tuple[str, str], int] = {}
        for each in checked.findings:
            key = (each.kind, each.severity.name.lower())
            found[key] = found.get(key, 0) + each.number
        yield _gauge("clerk_findings", found)
        if state.worker is not None:
            yield _gauge("clerk_worker_up", {"": state.worker.state.alive})
            name = "clerk_worker_deaths_total"
            yield CounterMetricFamily(name, METRICS[name][0], state.worker.state.deaths)
        yield _gauge("clerk_live_streams", {"": state.notifier.listeners})
        if checked.figures is not None:
            yield from pipeline_metrics(checked.figures)
            now = utc_now()
            ages = {
                each.id: (now - each.beat_at).total_seconds() for each in activity.list_workers()
            }
            yield _gauge("clerk_worker_heartbeat_age_seconds", ages)
            yield state.stage_seconds.family()


def _gauge(name: str, samples: Mapping[Any, float]) -> GaugeMetricFamily:
    """Return a gauge whose samples are keyed by the values of its labels."""
    help, labels = METRICS[name]
    family = GaugeMetricFamily(name, help, labels=labels)
    for key, value in samples.items():
        values = key if isinstance(key, tuple) else (key,)
        family.add_metric([str(each) for each in values] if labels else [], value)
    return family


def pipeline_metrics(figures: Figures) -> Iterator[Metric]:
    """Yield the figures of :mod:`clerk.ops.counts`; docs/operating.md says what each means."""
    yield _gauge("clerk_sites", dict.fromkeys((*STAGES, "completed"), 0) | dict(figures.stages))
    yield _gauge("clerk_sites_stuck", {"": len(figures.stuck)})
    yield _gauge("clerk_sites_silent", {"": figures.silent})
    yield _gauge("clerk_sites_blocked", {"": len(figures.blocked)})
    yield _gauge("clerk_sites_needing_attention", {"": len(figures.attention)})
    yield _gauge("clerk_sites_without_documents", {"": figures.without_documents})
    score = {} if figures.health_score is None else {"": figures.health_score}
    yield _gauge("clerk_health_score_percent", score)
    documents: dict[tuple[str, str], float] = {}
    for stage, each in figures.documents.items():
        documents[stage, "completed"] = each.completed
        documents[stage, "failed"] = each.failed
        documents[stage, "pending"] = each.total - each.completed - each.failed
    yield _gauge("clerk_documents", documents)
    yield _gauge("clerk_failed_documents", {"": figures.failed.documents})
    yield _gauge("clerk_failed_steps", {"": figures.failed.steps})
    yield _gauge("clerk_batches", figures.batches)
    last = figures.reconciled_at
    age = {"": (utc_now() - last).total_seconds()} if last else {}
    yield _gauge("clerk_reconcile_age_seconds", age)
    day = asdict(figures.last_day)
    for name in ("documents_read", "documents_failed", "crashes", "reconciliations"):
        yield _gauge(f"clerk_{name}_24h", {"": day[name]})
    runs = {name.removeprefix("runs_"): day[name] for name in day if name.startswith("runs_")}
    yield _gauge("clerk_runs_24h", runs)
    waiting = {name: each.waiting for name, each in figures.queues.items()}
    yield _gauge("clerk_queue_depth", waiting)


class StageSeconds:
    """A histogram of the work finished since the day before the start; read once per event."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._last_event = 0
        self._counts: dict[str, list[int]] = {}
        self._sums: dict[str, float] = {}

    def family(self) -> HistogramMetricFamily:
        """Return the histogram, brought up to date."""
        name = "clerk_stage_seconds"
        family = HistogramMetricFamily(name, METRICS[name][0], labels=METRICS[name][1])
        limits = (*map("{:g}".format, BUCKETS), "+Inf")
        with self._lock:
            for each in activity.finished_work(self._last_event):
                pieces = max(1, each.pieces)
                counts = self._counts.setdefault(each.stage, [0] * (len(BUCKETS) + 1))
                counts[bisect_left(BUCKETS, each.seconds / pieces)] += pieces
                self._sums[each.stage] = self._sums.get(each.stage, 0.0) + each.seconds
                self._last_event = each.event_id
            for stage, counts in sorted(self._counts.items()):
                buckets = list(zip(limits, accumulate(counts), strict=True))
                family.add_metric([stage], buckets, self._sums[stage])
        return family
