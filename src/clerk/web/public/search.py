"""The front page and the search."""

from __future__ import annotations

from dataclasses import dataclass, replace

from starlette.requests import Request
from starlette.responses import Response

from clerk.core.clock import utc_now
from clerk.core.errors import NotFound
from clerk.core.public_text import PublicText, document_text
from clerk.search import SORTS, Facet, Query, Results, listing, search
from clerk.site_db.schema import DOCUMENT_KINDS
from clerk.web.middleware import limited
from clerk.web.parameters import count_pages, optional_date, optional_word, page_slice
from clerk.web.rendering import page, settings_of

HITS_PER_PAGE = 20
#: At most this many values of a facet are shown.
FACET_VALUES = 12
#: At most this many hits are exported.
EXPORTED_AT_MOST = 500
FACETS = {"site": "Place", "body": "Body", "kind": "Kind", "year": "Year"}


@dataclass(frozen=True)
class FacetGroup:
    """A facet that the hits can be narrowed by."""

    name: str
    title: str
    values: list[Facet]


@dataclass(frozen=True)
class ActiveFilter:
    """A filter that can be removed."""

    name: str
    title: str
    value: str
    label: str


def home(request: Request) -> Response:
    """Show the search box, the places, upcoming and new documents."""
    storage_dir = settings_of(request).storage_dir
    places = listing.places(storage_dir)
    return page(
        request,
        "public/home.html",
        places=places,
        new=listing.newly_added(storage_dir),
        upcoming=listing.upcoming(storage_dir, utc_now().date().isoformat()),
        totals={
            "places": len(places),
            "documents": sum(place.documents for place in places),
            "pages": sum(place.pages for place in places),
        },
    )


@limited("search")
def search_page(request: Request) -> Response:
    """Show results with their facets."""
    number, offset = page_slice(request, HITS_PER_PAGE, most=500)
    query = query_of(request, limit=HITS_PER_PAGE, offset=offset)
    results = find(request, query)
    asked = request.query_params
    facets = []
    for name, title in FACETS.items():
        found = results.facets.get(name, [])
        if not asked.get(name) and len(found) > 1:
            values = [each for each in found if each.value][:FACET_VALUES]
            values = sorted(values, reverse=True) if name == "year" else values
            facets.append(FacetGroup(name, title, values))
    labels = {each.value: each.label for each in results.facets.get("site", ())}
    filters = [
        ActiveFilter(name, title, value, labels.get(value, value))
        for name, title in (FACETS | {"from": "From", "to": "To"}).items()
        if (value := asked.get(name))
    ]
    return page(
        request,
        "public/search.html",
        query=query,
        results=results,
        number=number,
        last=count_pages(results.total, HITS_PER_PAGE),
        facets=facets,
        filters=filters,
    )


def find(request: Request, query: Query) -> Results:
    """Search; an installation that has compiled nothing yet finds nothing."""
    try:
        found = search(settings_of(request).storage_dir, query)
    except NotFound:
        return Results()
    hits = [
        replace(hit, snippet=tuple((document_text(part), is_hit) for part, is_hit in hit.snippet))
        for hit in found.hits
    ]
    return replace(found, hits=hits)


def query_of(request: Request, *, limit: int, offset: int = 0) -> Query:
    """Return the query in an address; refuse invalid values by name."""
    asked = request.query_params
    year = optional_date(request, "year")
    return Query(
        PublicText(asked.get("q", "")),
        site=asked.get("site") or None,
        body=asked.get("body") or None,
        kind=optional_word(request, "kind", DOCUMENT_KINDS) or None,
        since=optional_date(request, "from") or year,
        until=optional_date(request, "to") or year,
        sort=asked.get("sort") or SORTS[0],
        limit=limit,
        offset=offset,
    )
