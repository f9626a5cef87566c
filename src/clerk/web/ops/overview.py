"""Is it OK?  The answer in five seconds."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response

from clerk.core.db import reading_connection
from clerk.ops import health
from clerk.web import figures
from clerk.web.access import viewer
from clerk.web.rendering import page


@viewer
def overview(request: Request) -> Response:
    """Show what needs attention, how far everything is, and the last day."""
    seen = health.pipeline()
    with reading_connection() as conn:
        return page(
            request,
            "ops/overview.html",
            seen=seen,
            healthy=health.HEALTHY_SCORE,
            hours=figures.last_hours(conn),
            seconds=figures.seconds_by_stage(conn),
            events=figures.recent_events(conn),
            running=figures.open_batches(conn),
        )
