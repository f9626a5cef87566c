"""Reconciliation: what it did, what it would do, and doing it now."""

from __future__ import annotations

import json
from typing import Any

from starlette.background import BackgroundTask
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from clerk.core.db import reading_connection
from clerk.pipeline import reconcile
from clerk.pipeline.reconcile import Plan, Reconciliation
from clerk.web import figures
from clerk.web.access import operator, viewer
from clerk.web.rendering import page


@viewer
def look(request: Request) -> Response:
    """Show the last reconciliations; with ``?preview=1`` also what one would do now."""
    wanted = bool(request.query_params.get("preview"))
    seen = list(reconcile.reconcile(dry_run=True)) if wanted else []
    plans = [each for each in seen if isinstance(each, Plan)]
    whole = next((each for each in seen if isinstance(each, Reconciliation)), None)
    with reading_connection() as conn:
        past = [_past(row) for row in figures.reconciliations(conn)]
    return page(request, "ops/reconcile.html", past=past, plans=plans, whole=whole)


def _past(row: Any) -> dict[str, Any]:
    detail = json.loads(row.detail or "{}")
    return {
        "at": row.at,
        "found": detail.get("found", 0),
        "crashed_batches": detail.get("crashed_batches", 0),
        "recovered": row.completed,
        "need_a_person": row.failed,
    }


@operator
def run(request: Request) -> Response:
    """Reconcile now; the page shows the result when it is there."""
    who = request.state.person.who
    return RedirectResponse("/ops/reconcile", 303, background=BackgroundTask(_reconcile, who))


def _reconcile(who: str) -> None:
    for _ in reconcile.reconcile(who=who):
        pass
