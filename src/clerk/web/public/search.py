"""The front page and the search."""

from __future__ import annotations

import re
from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response

from clerk.core.clock import utc_now
from clerk.core.errors import InvalidInput, NotFound
from clerk.core.language import Message, say, word
from clerk.core.public_text import PublicText, document_text
from clerk.publish.page_text import body_and_kind, day
from clerk.search import SORTS, Facet, Hit, Query, Results, check_place, listing, search
from clerk.search.results import OFFSET_AT_MOST
from clerk.site_db.schema import UNKNOWN
from clerk.web.middleware import limited
from clerk.web.parameters import count_pages, optional_word, refuse_unknown, whole_number
from clerk.web.rendering import page, settings_of
from clerk.web.shared_answers import RunningAnswers, shared

from .heads import home_head

DOCUMENTS_PER_PAGE = 20
#: At most this many values of a facet are shown.
FACET_VALUES = 12
#: At most this many documents or pages are exported.
EXPORTED_AT_MOST = 500
FACETS = ("site", "state", "body", "kind", "year", "person")
#: The parameters of every address that searches.
PARAMETERS = ("q", *FACETS, "from", "to", "sort", "by", "limit", "offset", "cursor", "lang")
#: What other sites add to the links they show; it means nothing here.
TRACKING = re.compile(r"utm_\w+|fbclid|gclid|msclkid")


@dataclass(frozen=True)
class FacetGroup:
    """A facet that the hits can be narrowed by; ``chosen`` is the value it is narrowed to."""

    name: str
    values: list[Facet]
    chosen: str


@dataclass(frozen=True)
class ActiveFilter:
    """A filter that can be removed."""

    name: str
    value: str
    label: str


#: Places that the description of the front page names.
PLACES_DESCRIBED = 20


def home(request: Request) -> Response:
    """Show the search box, the places, upcoming and new documents."""
    storage_dir = settings_of(request).storage_dir
    places = listing.places(storage_dir)
    return page(
        request,
        "public/home.html",
        head=home_head(request, [place.name for place in places[:PLACES_DESCRIBED]]),
        places=places,
        new=listing.newly_added(storage_dir),
        upcoming=listing.upcoming(storage_dir, utc_now().date().isoformat()),
        totals={
            "places": len(places),
            "documents": sum(place.documents for place in places),
            "pages": sum(place.pages for place in places),
        },
    )


@shared
@limited("search")
def search_page(request: Request) -> Response:
    """Show the documents that were found, with their best pages and facets."""
    number, status, problem, results = 1, 200, "", Results()
    query = Query(PublicText(request.query_params.get("q", "")))
    try:
        query = query_of(request, limit=DOCUMENTS_PER_PAGE, is_paged=True)
        number = int(request.query_params.get("page") or 1)
        results = find(request, query, switchable=True)
    except InvalidInput as error:
        status, problem = 400, error.explanation
    except NotFound as error:
        status, problem = 404, error.explanation
    asked = request.query_params
    facets = []
    for name in FACETS:
        values = results.facets.get(name, [])[:FACET_VALUES]
        chosen = asked.get(name) or ""
        if len(values) > 1 or (values and chosen):
            values = sorted(values, reverse=True) if name == "year" else values
            facets.append(FacetGroup(name, values, chosen))
    labels = {each.value: each.label for each in results.facets.get("site", ())}
    filters = [
        ActiveFilter(name, value, labels.get(value, value))
        for name in (*FACETS, "from", "to")
        if (value := asked.get(name))
    ]
    shown = results.total if query.single_pages else results.documents
    answers: RunningAnswers = request.app.state.running_answers
    with answers.rendering:
        return page(
            request,
            "public/search.html",
            status,
            query=query,
            problem=problem,
            results=results,
            snippet_of=snippet_of,
            described_hit=described_hit,
            number=number,
            last=count_pages(min(shown, OFFSET_AT_MOST), query.limit),
            can_be_paged=shown <= OFFSET_AT_MOST,
            facets=facets,
            filters=filters,
            sorts=SORTS,
        )


def find(request: Request, query: Query, *, switchable: bool = False) -> Results:
    """Search; an installation that has compiled nothing yet finds nothing.

    Where nothing is found because there is no such site or body, NotFound says so.
    """
    storage_dir = settings_of(request).storage_dir
    try:
        results = search(storage_dir, query, switchable=switchable)
    except NotFound:
        return Results()
    if not results.total:
        check_place(storage_dir, query)
    return results


def kind_in_words(kind: str) -> str:
    """Return the kind of a document, or ``document`` if it is not known."""
    return kind if kind not in ("", UNKNOWN) else "document"


def described_document(hit: Hit) -> str:
    """Return what the document of a hit is: packet of 3 February 2026."""
    kind = word(kind_in_words(hit.kind))
    return say("%(kind)s of %(day)s", kind=kind, day=day(hit.date)) if hit.date else kind


def described_hit(hit: Hit) -> str:
    """Return what a page is of: minutes of 20 January 2026, in the packet of 3 February 2026."""
    of = hit.of
    words = body_and_kind(of.body, kind_in_words(of.kind))
    if not hit.part:
        return f"{words}, {day(of.date)}"
    if of.date:
        words = say("%(kind)s of %(day)s", kind=words, day=day(of.date))
    return say("%(part)s, in the %(document)s", part=words, document=described_document(hit))


def snippet_of(hit: Hit) -> list[tuple[str, bool]]:
    """Return the snippet of a hit, marked as the words of a document."""
    return [(document_text(part), is_hit) for part, is_hit in hit.snippet]


def query_of(
    request: Request, *, limit: int, sort: str = SORTS[0], is_paged: bool = False
) -> Query:
    """Return the query in an address; refuse invalid values and unknown parameters by name.

    ``limit`` and ``sort`` are used where the address names none.  ``is_paged`` is for an address
    that takes the number of a page, too.
    """
    asked = request.query_params
    tracking = (name for name in asked if TRACKING.fullmatch(name))
    paged = ("page", "fragment") if is_paged else ()
    refuse_unknown(request, *PARAMETERS, *paged, *tracking)
    for name in asked:
        if len(asked.getlist(name)) > 1:
            raise InvalidInput(Message("%(name)s may be given only once.", name=name))
    limit = whole_number(request, "limit", limit, most=EXPORTED_AT_MOST)
    offset = whole_number(request, "offset", 0, least=0, most=OFFSET_AT_MOST)
    if is_paged:
        pages = max(1, (OFFSET_AT_MOST - offset) // limit)
        offset += limit * (whole_number(request, "page", 1, most=pages) - 1)
    return Query(
        PublicText(asked.get("q", "")),
        site=asked.get("site") or None,
        state=asked.get("state") or None,
        body=asked.get("body") or None,
        kind=asked.get("kind") or None,
        person=asked.get("person") or None,
        year=asked.get("year") or None,
        since=asked.get("from") or None,
        until=asked.get("to") or None,
        sort=asked.get("sort") or sort,
        single_pages=optional_word(request, "by", ("document", "page")) == "page",
        after=asked.get("cursor") or None,
        limit=limit,
        offset=offset,
    )
