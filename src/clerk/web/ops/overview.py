"""Whether everything is OK: the overview, charts, and the search over everything."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response

from clerk.ops import activity, counts
from clerk.ops.find import SHOWN, find_everything
from clerk.ops.trends import SPANS, trends
from clerk.web import metrics
from clerk.web.auth import viewer
from clerk.web.parameters import one_of
from clerk.web.rendering import page, settings_of

#: Longer words are found nowhere.
MOST_LETTERS = 200


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


@viewer
def charts(request: Request) -> Response:
    """Show throughput, age, and failures by cause and vendor over a span."""
    span = one_of("span", request.query_params.get("span") or "24h", tuple(SPANS))
    return page(request, "ops/trends.html", span=span, spans=SPANS, trends=trends(span))


@viewer
def search(request: Request) -> Response:
    """Show everything that contains some words."""
    words = request.query_params.get("q", "").strip()[:MOST_LETTERS]
    found = find_everything(words) if words else None
    return page(request, "ops/search.html", words=words, found=found, shown=SHOWN)
