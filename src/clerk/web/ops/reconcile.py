"""Reconciliation: its last runs, a preview, and running it now."""

from __future__ import annotations

from collections import deque

from starlette.background import BackgroundTask
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from clerk.ops import activity
from clerk.pipeline import reconcile
from clerk.pipeline.reconcile import Reconciliation, RecoveryPlan
from clerk.web.auth import operator, viewer
from clerk.web.rendering import page, settings_of


@viewer
def reconcile_page(request: Request) -> Response:
    """Show the last reconciliations; with ``?preview=1`` also what one would do now."""
    wanted = bool(request.query_params.get("preview"))
    planned = list(reconcile.reconcile(settings_of(request), dry_run=True)) if wanted else []
    return page(
        request,
        "ops/reconcile.html",
        past=activity.past_reconciliations(),
        plans=[each for each in planned if isinstance(each, RecoveryPlan)],
        whole=next((each for each in planned if isinstance(each, Reconciliation)), None),
    )


@operator
def run(request: Request) -> Response:
    """Reconcile in the background; the page shows the result once it is there."""

    def run_to_the_end(who: str) -> None:
        deque(reconcile.reconcile(settings_of(request), who=who), maxlen=0)

    task = BackgroundTask(run_to_the_end, request.state.person.who)
    return RedirectResponse("/ops/reconcile", 303, background=task)
