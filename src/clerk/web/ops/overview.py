"""The overview: is everything OK?"""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response

from clerk.ops import activity, counts
from clerk.web import metrics
from clerk.web.auth import viewer
from clerk.web.rendering import page, settings_of


@viewer
def overview(request: Request) -> Response:
    """Show health, sites that need attention, the progress of all stages, and the last day."""
    health = metrics.check_health(request)
    return page(
        request,
        "ops/overview.html",
        health=health,
        figures=health.figures or counts.figures(settings_of(request)),
        seconds=activity.seconds_by_stage(),
        events=activity.recent_events(),
    )
