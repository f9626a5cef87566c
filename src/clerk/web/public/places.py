"""What is held: a place, a body, a meeting."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from clerk.core.errors import NotFound
from clerk.core.language import Message
from clerk.search.listing import SearchablePlace
from clerk.site_db.meeting import VOTES_AT_MOST, meeting_record, votes_of_documents
from clerk.site_db.queries import SiteDatabase, YearCoverage, open_site
from clerk.site_db.record import SiteRecord
from clerk.web.parameters import count_pages, page_slice
from clerk.web.rendering import NO_BODY, page, settings_of

from .documents import known_versions
from .heads import body_head, meeting_head, place_head

T = TypeVar("T")

#: At most this many places are listed at once.
PLACES_PER_PAGE = 200
#: Items of a meeting that are shown at once.
ITEMS_PER_PAGE = 100
#: Of at most this many documents of a meeting the versions are looked up.
DOCUMENTS_WITH_VERSIONS = 20
#: At most this many amounts or ordinances of a meeting are named; the others are counted.
NAMED = 40


#: Items that the description of a meeting names.
ITEMS_DESCRIBED = 10


@dataclass(frozen=True)
class PlaceList(Generic[T]):
    """A page of a list of places; ``any`` says whether the list has entries without its filter."""

    rows: Sequence[T]
    found: int
    number: int
    last: int
    any: bool


def filter_places(
    request: Request, places: Sequence[T], name_of: Callable[[T], str]
) -> PlaceList[T]:
    """Return the places whose name contains the words asked for, one page of them."""
    words = request.query_params.get("q", "").lower()
    found = [place for place in places if words in name_of(place).lower()]
    number, offset = page_slice(request, PLACES_PER_PAGE)
    rows = found[offset : offset + PLACES_PER_PAGE]
    last = count_pages(len(found), PLACES_PER_PAGE)
    return PlaceList(rows, len(found), number, last, bool(places))


def choose_place(
    request: Request, places: Sequence[SearchablePlace], what: str, link: str
) -> Response:
    """Show the places to choose from, or redirect to the only one."""
    if len(places) == 1:
        return RedirectResponse(f"{link}{places[0].subdomain}", 307)
    shown = filter_places(request, places, lambda place: f"{place.name}, {place.state}")
    return page(request, "public/choose.html", listing=shown, what=what, link=link)


@dataclass(frozen=True)
class CoverageGrid:
    """Documents per body and year; the years include those without any."""

    years: list[str]
    rows: dict[str | None, dict[str, YearCoverage]]
    #: Of each body, what has no date.
    undated: dict[str | None, YearCoverage]

    @classmethod
    def of(cls, coverage: Iterable[YearCoverage]) -> CoverageGrid:
        """Arrange what is held of each body and year."""
        rows: dict[str | None, dict[str, YearCoverage]] = {}
        undated: dict[str | None, YearCoverage] = {}
        for each in coverage:
            held = rows.setdefault(each.body, {})
            if each.year is None:
                undated[each.body] = each
            else:
                held[each.year] = each
        years = sorted({int(year) for held in rows.values() for year in held})
        span = range(years[0], years[-1] + 1) if years else ()
        return cls([str(year) for year in span], rows, undated)


def place(request: Request) -> Response:
    """Show a place: its bodies, and what is held of each year."""
    subdomain = request.path_params["site"]
    with open_site(settings_of(request).storage_dir, subdomain) as site:
        bodies = site.bodies()
        return page(
            request,
            "public/place.html",
            head=place_head(request, site, [each.body for each in bodies]),
            site=subdomain,
            name=site.name,
            state=site.about.get("state", ""),
            totals=site.totals(),
            bodies=bodies,
            grid=CoverageGrid.of(site.coverage()),
            people=len(SiteRecord(site).people()),
            matters=SiteRecord(site).count_matters(),
        )


def body_or_meeting(request: Request) -> Response:
    """Show a body, or one of its meetings: names of bodies may contain slashes."""
    subdomain, rest = request.path_params["site"], request.path_params["rest"].strip("/")
    with open_site(settings_of(request).storage_dir, subdomain) as site:
        if rest == NO_BODY or any(each.body == rest for each in site.bodies()):
            return _body(request, site, None if rest == NO_BODY else rest)
        body, _, date = rest.rpartition("/")
        return _meeting(request, site, None if body == NO_BODY else body, date)


def _body(request: Request, site: SiteDatabase, body: str | None) -> Response:
    year, years = request.query_params.get("year", ""), site.years(body)
    return page(
        request,
        "public/body.html",
        head=body_head(request, site, body, years),
        site=site.subdomain,
        name=site.name,
        body=body,
        meetings=site.meetings(body, year),
        years=years,
        year=year,
    )


def _meeting(request: Request, site: SiteDatabase, body: str | None, date: str) -> Response:
    found = [each for each in site.meetings(body) if each.date == date]
    if not found:
        # A link to where a document is filed still leads to what it is.
        filed = site.documents_filed_under(body or "", date)
        if filed:
            return RedirectResponse(f"/d/{filed[0].id}", 308)
        raise NotFound(
            Message(
                "There are no documents of a meeting of %(body)s on %(date)s in %(place)s.",
                body=repr(body),
                date=repr(date),
                place=site.name,
            )
        )
    before, after = site.neighbours(body, date)
    meeting = found[0]
    names = [each.name for each in meeting.documents]
    if body is None:
        record = votes_of_documents(site, names)
    else:
        record = meeting_record(site, body, date, names)
    number, offset = page_slice(request, ITEMS_PER_PAGE)
    return page(
        request,
        "public/meeting.html",
        head=meeting_head(
            request, site, body, date, [each.title for each in record.items[:ITEMS_DESCRIBED]]
        ),
        site=site.subdomain,
        name=site.name,
        meeting=meeting,
        record=record,
        items=record.items[offset : offset + ITEMS_PER_PAGE],
        number=number,
        last=count_pages(len(record.items), ITEMS_PER_PAGE),
        votes_shown=VOTES_AT_MOST,
        versions={
            each.name: versions
            for each in meeting.documents[:DOCUMENTS_WITH_VERSIONS]
            if len(versions := known_versions(site.subdomain, each.name)) > 1
        },
        named=NAMED,
        kinds={each.name: each.kind for each in meeting.documents},
        before=before,
        after=after,
        language=site.language,
    )
