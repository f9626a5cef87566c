"""The verdict of :mod:`clerk.ops.health`, and on the worker that ``clerk serve`` runs itself."""

from __future__ import annotations

from starlette.requests import Request

from clerk.ops import health
from clerk.ops.health import Check, Health, Level


def check_all(request: Request) -> Health:
    """Look at everything that ``clerk health`` does, and at the worker of this server."""
    seen = health.check_all()
    worker = request.app.state.worker
    if worker is not None:
        level = Level.OK if worker.state.alive else Level.CRITICAL
        seen.checks.append(Check("worker", level, worker.state.said))
    return seen
