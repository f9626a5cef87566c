"""Charts of the last 24 hours, 7 days and 90 days, and the search over everything."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response

from clerk.ops.find import SHOWN, find_everything
from clerk.ops.trends import SPANS, trends
from clerk.web.auth import viewer
from clerk.web.parameters import one_of
from clerk.web.rendering import page

#: Longer words are found nowhere.
MOST_LETTERS = 200


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
