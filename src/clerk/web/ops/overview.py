"""Is it OK?  The answer in five seconds."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response

from clerk.core.db import reading_connection
from clerk.ops import counts
from clerk.web import checks, figures
from clerk.web.access import viewer
from clerk.web.rendering import page


@viewer
def overview(request: Request) -> Response:
    """Show whether all is well, what needs attention, how far everything is, and the last day."""
    health = checks.check_all(request)
    with reading_connection() as conn:
        return page(
            request,
            "ops/overview.html",
            health=health,
            seen=health.figures or counts.figures(),
            seconds=counts.seconds_by_stage(conn),
            events=figures.recent_events(conn),
        )
