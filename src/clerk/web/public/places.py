"""What is held: a place, a body, a meeting, a document, a page."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

from starlette.requests import Request
from starlette.responses import FileResponse, RedirectResponse, Response

from clerk.annotations.browsing import Track, find_projects, tracks_on
from clerk.annotations.store import Project
from clerk.core import storage
from clerk.core.errors import NotFound
from clerk.core.public_text import PublicText, document_text
from clerk.core.storage import Document
from clerk.pipeline.mirror import bring_document, has_original, has_pdf
from clerk.read.files import load_facts, load_words
from clerk.search import QueryError, find_document, find_page, hit_boxes, pages_with_hits, parse
from clerk.search.query import Term
from clerk.search.query import places as hit_places
from clerk.search.snippets import snippet
from clerk.site_db.queries import SiteDatabase, YearCoverage, open_site
from clerk.site_db.record import (
    DeclaredInterest,
    MatterStep,
    PublicSpeaker,
    Recorded,
    RecordedItem,
    RecordedPresence,
    SiteRecord,
)
from clerk.web import page_images
from clerk.web.drawn_annotations import draw
from clerk.web.middleware import SANDBOX, limited
from clerk.web.parameters import count_pages, page_slice, whole_number
from clerk.web.project_access import project_user
from clerk.web.rendering import NO_BODY, gate_of, meeting_link, page, public_url, settings_of

T = TypeVar("T")

PAGES_SHOWN = 50
IMAGE_WIDTHS = (240, 1000, 1600)
#: Pages of a document that are shown with what was found on them.
HIT_PAGES_SHOWN = 100
#: At most this many places are listed at once.
PLACES_PER_PAGE = 200
#: What is shown of a meeting besides its votes.
_OF_A_MEETING: Mapping[str, type[Recorded]] = {
    "items": RecordedItem,
    "attendance": RecordedPresence,
    "speakers": PublicSpeaker,
    "interests": DeclaredInterest,
    "matters": MatterStep,
}
_NOT_IN_A_FILE_NAME = re.compile(r"[^\w.-]+")


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
        return page(
            request,
            "public/place.html",
            site=subdomain,
            name=site.name,
            state=site.about.get("state", ""),
            totals=site.totals(),
            bodies=site.bodies(),
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
    year = request.query_params.get("year", "")
    return page(
        request,
        "public/body.html",
        site=site.subdomain,
        name=site.name,
        body=body,
        meetings=site.meetings(body, year),
        years=site.years(body),
        year=year,
    )


def _meeting(request: Request, site: SiteDatabase, body: str | None, date: str) -> Response:
    found = [each for each in site.meetings(body) if each.date == date]
    if not found:
        # A link to where a document is filed still leads to what it is.
        filed = site.documents_filed_under(body or "", date)
        if filed:
            return RedirectResponse(f"/d/{filed[0].id}", 308)
        raise NotFound(f"Nothing is held of a meeting of {body!r} on {date!r} in {site.name}.")
    before, after = site.neighbours(body, date)
    record = SiteRecord(site)
    recorded: dict[str, Any] = {
        name: record.find(kind, body=body, date=date) if body else []
        for name, kind in _OF_A_MEETING.items()
    }
    return page(
        request,
        "public/meeting.html",
        site=site.subdomain,
        name=site.name,
        meeting=found[0],
        votes=site.votes(body=body or "", date=date, limit=500),
        **recorded,
        before=before,
        after=after,
    )


def document(request: Request) -> Response:
    """Show a document: its pages, where it came from, how it was read; with ``q``, where it is."""
    storage_dir = settings_of(request).storage_dir
    identity = request.path_params["document"]
    subdomain, document = find_document(storage_dir, identity)
    first = whole_number(request, "from", 1, most=1_000_000)
    query = PublicText(request.query_params.get("q", ""))
    terms, problem = _terms(query)
    with open_site(storage_dir, subdomain) as site:
        numbers = pages_with_hits(storage_dir, identity, query) if terms else []
        inside = [
            (each, [(document_text(part), is_hit) for part, is_hit in shown])
            for each in (site.page(document, number) for number in numbers[:HIT_PAGES_SHOWN])
            if (shown := snippet(each.text, terms, _languages(site)))
        ]
        return page(
            request,
            "public/document.html",
            site=subdomain,
            name=site.name,
            document=site.document(document),
            parts=site.parts(document),
            pages=site.pages(document, first, PAGES_SHOWN),
            first=first,
            step=PAGES_SHOWN,
            has_pdf=has_pdf(settings_of(request), subdomain, document),
            has_original=has_original(settings_of(request), subdomain, document),
            votes=site.count_votes(document=document.name),
            query=query,
            problem=problem,
            inside=inside,
            pages_found=len(numbers),
        )


def _terms(query: str) -> tuple[list[Term], str]:
    """Return what is to be marked, and why nothing is if the query cannot be read."""
    try:
        return parse(query).terms, ""
    except QueryError as error:
        return [], str(error)


def _languages(site: SiteDatabase) -> tuple[str, ...]:
    return (site.about.get("language", ""),)


def page_view(request: Request) -> Response:
    """Show a page: the scan with the hits marked, next to its text."""
    storage_dir = settings_of(request).storage_dir
    address = find_page(storage_dir, request.path_params["page"])
    document, number = address.document, address.page
    query = PublicText(request.query_params.get("q", ""))
    folder = storage_dir / address.site
    bring_document(settings_of(request), address.site, document)
    projects: list[Project] = []
    tracks: list[Track] = []
    if "project" in request.query_params:
        projects = find_projects([], project_user(request))
        on_page = (address.site, f"{document.name}/{number}")
        names = request.query_params.getlist("project")
        chosen = [each for each in projects if each.name in names]
        tracks = tracks_on(*on_page, chosen)
    with open_site(storage_dir, address.site) as site:
        shown = site.page(document, number)
        part = next((each for each in site.parts(document) if each.first_page == shown.part), None)
        pages = site.page_ids(document)
        terms, problem = _terms(query)
        languages = _languages(site)
        identity = site.document(document).id
        with_hits = pages_with_hits(storage_dir, identity, query) if terms else []
        return page(
            request,
            "public/page.html",
            site=address.site,
            name=site.name,
            document=site.document(document),
            page=shown,
            part=part,
            parts=marked(shown.text, terms, languages),
            problem=problem,
            projects=projects,
            chosen=[track.project for track in tracks],
            drawn=draw(shown.text, tracks, load_words(document.text(folder)).get(number))
            if tracks
            else None,
            boxes=hit_boxes(folder, document, number, query, languages) if terms else [],
            size=_image_size(folder, document, number),
            has_pdf=has_pdf(settings_of(request), address.site, document),
            is_pdf=document.is_pdf,
            has_original=has_original(settings_of(request), address.site, document),
            query=query,
            permalink=public_url(request, f"/p/{shown.id}"),
            before=max((each for each in pages if each < number), default=None),
            after=min((each for each in pages if each > number), default=None),
            hit_before=max((each for each in with_hits if each < number), default=None),
            hit_after=min((each for each in with_hits if each > number), default=None),
        )


def _image_size(folder: Path, document: Document, number: int) -> tuple[int, int]:
    """Return width and height of a page, so that the browser can reserve room for the image."""
    facts = load_facts(document.text(folder))
    for each in facts.pages if facts else ():
        if each.page == number and each.width and each.height:
            return 1000, round(1000 * each.height / each.width)
    return 1000, 1294


def marked(text: str, terms: Sequence[Term], languages: Sequence[str]) -> list[tuple[str, int]]:
    """Return a text in parts, each with the number of its hit, or 0: marking follows escaping."""
    parts: list[tuple[str, int]] = []
    begin = 0
    for number, (start, end) in enumerate(hit_places(text, terms, languages), start=1):
        parts += [(text[begin:start], 0), (text[start:end], number)]
        begin = end
    parts.append((text[begin:], 0))
    return [(document_text(words), number) for words, number in parts if words]


@limited("image")
def page_image(request: Request) -> Response:
    """Respond with the image of a page."""
    settings = settings_of(request)
    address = find_page(settings.storage_dir, request.path_params["page"])
    width = whole_number(request, "w", 1000, most=IMAGE_WIDTHS[-1])
    width = next(each for each in IMAGE_WIDTHS if each >= width)
    bring_document(settings, address.site, address.document)
    pdf = address.document.pdf(settings.storage_dir / address.site)
    if not pdf.is_file() or not address.document.is_pdf:
        raise NotFound("The original of this page is not here.")
    image = page_images.page_image(settings, pdf, address.page, width)
    headers = {"Cache-Control": "public, max-age=3600"}
    return Response(image, media_type="image/webp", headers=headers)


def original(request: Request) -> Response:
    """Respond with the file as it was fetched, to be saved and not run."""
    storage_dir = settings_of(request).storage_dir
    site, document = find_document(storage_dir, request.path_params["document"])
    bring_document(settings_of(request), site, document)
    pdf = document.pdf(storage.site_folder(storage_dir, site))
    if not pdf.is_file():
        raise NotFound("The original of this document is not here.")
    name = _NOT_IN_A_FILE_NAME.sub("-", gate_of(request)(f"{site}-{document.name}")).strip("-")
    headers = {"Content-Security-Policy": SANDBOX}
    if document.is_pdf:
        name, kind = f"{name}.pdf", "application/pdf"
    else:
        # Nothing that a browser would show: web pages and Word documents may be active.
        kind = "application/octet-stream"
    return FileResponse(pdf, media_type=kind, filename=name, headers=headers)


def meeting_of_document(request: Request) -> Response:
    """Redirect from a document to its meeting."""
    storage_dir = settings_of(request).storage_dir
    subdomain, document = find_document(storage_dir, request.path_params["document"])
    with open_site(storage_dir, subdomain) as site:
        found = site.document(document)
    return RedirectResponse(meeting_link(subdomain, found.meeting, found.date), 307)
