"""The front page and the search."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from starlette.requests import Request
from starlette.responses import Response

from clerk.core.clock import utc_now
from clerk.core.errors import InvalidInput, NotFound
from clerk.core.public_text import PublicText, document_text
from clerk.core.storage import KINDS
from clerk.search import SORTS, Facet, Query, Results, search

from . import library
from .rendering import page, settings_of
from .throttling import limited

HITS_PER_PAGE = 20
#: So many values of a facet are shown.
FACET_VALUES = 12
#: Exports carry at most so many hits.
EXPORTED_AT_MOST = 500
FACETS = {"site": "Place", "body": "Body", "kind": "Kind", "year": "Year"}
#: So many places are listed at once.
PLACES_PER_PAGE = 200
_DATE = re.compile(r"\d{4}(-\d{2}(-\d{2})?)?")


class Listing(NamedTuple):
    """A page of a long list; ``any`` says whether the list has anything without its filter."""

    rows: Sequence[Any]
    found: int
    number: int
    last: int
    any: bool


def home(request: Request) -> Response:
    """Show the search box, the places, what comes and what is new."""
    storage_dir = settings_of(request).storage_dir
    places = library.places(storage_dir)
    return page(
        request,
        "public/home.html",
        places=places,
        new=library.newly_added(storage_dir),
        upcoming=library.upcoming(storage_dir, utc_now().date().isoformat()),
        totals={
            "places": len(places),
            "documents": sum(place.documents for place in places),
            "pages": sum(place.pages for place in places),
        },
    )


@limited("search")
def search_page(request: Request) -> Response:
    """Show results with their facets."""
    number = whole(request, "page", 1, most=500)
    asked = query_of(request, limit=HITS_PER_PAGE, offset=(number - 1) * HITS_PER_PAGE)
    results = find(request, asked)
    return page(
        request,
        "public/search.html",
        query=asked,
        results=results,
        number=number,
        last=max(1, -(-results.total // HITS_PER_PAGE)),
        facets=facets(request, results),
        chosen=chosen(request, results),
    )


def find(request: Request, asked: Query) -> Results:
    """Search; an installation that has compiled nothing yet finds nothing."""
    try:
        found = search(settings_of(request).storage_dir, asked)
    except NotFound:
        return Results()
    hits = [
        replace(hit, snippet=tuple((document_text(part), is_hit) for part, is_hit in hit.snippet))
        for hit in found.hits
    ]
    return replace(found, hits=hits)


def query_of(request: Request, *, limit: int, offset: int = 0) -> Query:
    """Return the query that an address asks; what cannot be right is refused by name."""
    asked = request.query_params
    year = _date(request, "year")
    kind, sort = asked.get("kind") or None, asked.get("sort") or SORTS[0]
    if kind is not None and kind not in KINDS:
        raise InvalidInput(f"kind must be one of {', '.join(KINDS)}, not {kind!r}.")
    return Query(
        PublicText(asked.get("q", "")),
        site=asked.get("site") or None,
        body=asked.get("body") or None,
        kind=kind,
        since=_date(request, "from") or year,
        until=_date(request, "to") or year,
        sort=sort,
        limit=limit,
        offset=offset,
    )


def _date(request: Request, name: str) -> str | None:
    value = request.query_params.get(name) or None
    if value is not None and not _DATE.fullmatch(value):
        raise InvalidInput(f"{name} must be a day, month or year as in 2024-01, not {value!r}.")
    return value


def whole(request: Request, name: str, default: int, *, least: int = 1, most: int) -> int:
    """Return a number of the query, or refuse it by name."""
    text = request.query_params.get(name) or str(default)
    if not (text.isascii() and text.isdigit() and len(text) < 9 and least <= int(text) <= most):
        raise InvalidInput(f"{name} must be a number from {least} to {most}, not {text!r}.")
    return int(text)


def number_of(request: Request, name: str) -> int:
    """Return a number in the path; one that no row can have leads nowhere."""
    text = str(request.path_params[name])
    if not (text.isascii() and text.isdigit() and len(text) < 16):
        raise NotFound(f"There is no {name} {text[:40]!r}.")
    return int(text)


def some_places(request: Request, places: Sequence[Any], named: Callable[[Any], str]) -> Listing:
    """Return those of many places whose name has the words asked for, a page of them."""
    words = request.query_params.get("q", "").lower()
    found = [place for place in places if words in named(place).lower()]
    number = whole(request, "page", 1, most=10_000)
    begin = (number - 1) * PLACES_PER_PAGE
    last = max(1, -(-len(found) // PLACES_PER_PAGE))
    return Listing(found[begin : begin + PLACES_PER_PAGE], len(found), number, last, bool(places))


def facets(request: Request, results: Results) -> list[dict[str, Any]]:
    """Return what the hits can be narrowed by; a facet that is chosen already is left out."""
    return [
        {"name": name, "title": title, "values": _in_order(name, results.facets.get(name, []))}
        for name, title in FACETS.items()
        if not request.query_params.get(name) and len(results.facets.get(name, [])) > 1
    ]


def _in_order(name: str, values: list[Facet]) -> list[Facet]:
    shown = [value for value in values if value.value][:FACET_VALUES]
    return sorted(shown, reverse=True) if name == "year" else shown


def chosen(request: Request, results: Results) -> list[dict[str, str]]:
    """Return the filters in force, so that each can be taken away."""
    titles = FACETS | {"from": "From", "to": "To"}
    asked = request.query_params
    labels = {each.value: each.label for each in results.facets.get("site", ())}
    return [
        {"name": name, "title": title, "value": value, "label": labels.get(value, value)}
        for name, title in titles.items()
        if (value := asked.get(name))
    ]
