"""What is held: a place, a body, a meeting, a document, a page."""

from __future__ import annotations

import re
from pathlib import Path

from starlette.requests import Request
from starlette.responses import FileResponse, RedirectResponse, Response

from clerk.core import storage
from clerk.core.errors import NotFound
from clerk.core.public_text import PublicText, document_text
from clerk.core.storage import Document
from clerk.read.files import load_facts
from clerk.search import find_document, find_page, hit_boxes, parse
from clerk.search.query import places as hit_places

from . import library, page_images
from .answers import gate_of
from .library import Record
from .public import whole
from .rendering import meeting_link, page, public_url, settings_of
from .safety import SANDBOX
from .throttling import limited

PAGES_SHOWN = 50
IMAGE_WIDTHS = (240, 1000, 1600)
_NOT_IN_A_FILE_NAME = re.compile(r"[^\w.-]+")


def place(request: Request) -> Response:
    """Show a place: its bodies, and what is held of each year."""
    site = request.path_params["site"]
    with library.opened(settings_of(request).storage_dir, site) as compiled:
        return page(
            request,
            "public/place.html",
            site=site,
            name=compiled.name,
            state=compiled.about.get("state", ""),
            totals=compiled.totals(),
            bodies=compiled.bodies(),
            grid=grid(compiled.coverage()),
            people=compiled.count_people(),
        )


def grid(coverage: list[Record]) -> Record:
    """Return counts per body and year, with the years in between that have none."""
    years = sorted({row["year"] for row in coverage if row["year"].isdigit()})
    span = [str(y) for y in range(int(years[0]), int(years[-1]) + 1)] if years else []
    rows: dict[str, dict[str, Record]] = {}
    for row in coverage:
        rows.setdefault(row["body"], {})[row["year"]] = row
    return {"years": span, "rows": rows}


def body_or_meeting(request: Request) -> Response:
    """Show a body, or one of its meetings: names of bodies may hold slashes."""
    site, rest = request.path_params["site"], request.path_params["rest"].strip("/")
    with library.opened(settings_of(request).storage_dir, site) as compiled:
        if any(each["body"] == rest for each in compiled.bodies()):
            return _body(request, compiled, rest)
        body, _, date = rest.rpartition("/")
        return _meeting(request, compiled, body, date)


def _body(request: Request, compiled: library.Compiled, body: str) -> Response:
    year = request.query_params.get("year", "")
    meetings = compiled.meetings(body, year)
    years = sorted({each.date[:4] for each in compiled.meetings(body)}, reverse=True)
    return page(
        request,
        "public/body.html",
        site=compiled.subdomain,
        name=compiled.name,
        body=body,
        meetings=meetings,
        years=years,
        year=year,
    )


def _meeting(request: Request, compiled: library.Compiled, body: str, date: str) -> Response:
    found = [each for each in compiled.meetings(body) if each.date == date]
    if not found:
        raise NotFound(f"Nothing is held of a meeting of {body!r} on {date!r} in {compiled.name}.")
    before, after = compiled.neighbours(body, date)
    return page(
        request,
        "public/meeting.html",
        site=compiled.subdomain,
        name=compiled.name,
        meeting=found[0],
        votes=compiled.votes(body=body, date=date, limit=500),
        before=before,
        after=after,
    )


def document(request: Request) -> Response:
    """Show a document: its pages, where it came from, how it was read."""
    identity = request.path_params["document"]
    storage_dir = settings_of(request).storage_dir
    site, document = find_document(storage_dir, identity)
    first = whole(request, "from", 1, most=1_000_000)
    with library.opened(storage_dir, site) as compiled:
        facts = compiled.document(document)
        return page(
            request,
            "public/document.html",
            site=site,
            name=compiled.name,
            document=facts,
            pages=compiled.pages(document, first, PAGES_SHOWN),
            first=first,
            step=PAGES_SHOWN,
            has_pdf=document.pdf(storage_dir / site).is_file(),
            votes=compiled.count_votes(document=document.name),
        )


def page_view(request: Request) -> Response:
    """Show a page: the scan with the hits marked, beside its text."""
    storage_dir = settings_of(request).storage_dir
    address = find_page(storage_dir, request.path_params["page"])
    query = PublicText(request.query_params.get("q", ""))
    folder = storage_dir / address.site
    with library.opened(storage_dir, address.site) as compiled:
        row = compiled.page(address.document, address.page)
        return page(
            request,
            "public/page.html",
            site=address.site,
            name=compiled.name,
            document=compiled.document(address.document),
            page=row,
            parts=marked(row["text"], query),
            boxes=hit_boxes(folder, address.document, address.page, query) if query else [],
            size=_size(folder, address.document, address.page),
            has_pdf=address.document.pdf(folder).is_file(),
            query=query,
            permalink=public_url(request, f"/p/{row['id']}"),
            **_around(compiled, address.document, address.page, query),
        )


def _around(compiled: library.Compiled, document: Document, number: int, query: str) -> Record:
    """Return the pages before and after, and those with the next hits."""
    pages = compiled.page_ids(document)
    with_hits = compiled.pages_hit(document, query) if query else []
    return {
        "before": max((each for each in pages if each < number), default=None),
        "after": min((each for each in pages if each > number), default=None),
        "hit_before": max((each for each in with_hits if each < number), default=None),
        "hit_after": min((each for each in with_hits if each > number), default=None),
    }


def _size(folder: Path, document: Document, number: int) -> tuple[int, int]:
    """Return width and height of a page, so that the picture has its room before it comes."""
    facts = load_facts(document.text(folder))
    for each in facts.pages if facts else ():
        if each.page == number and each.width and each.height:
            return 1000, round(1000 * each.height / each.width)
    return 1000, 1294


def marked(text: str, query: str) -> list[tuple[str, int]]:
    """Return a text in parts, each with the number of its hit, or 0: marking follows escaping."""
    parts: list[tuple[str, int]] = []
    begin = 0
    for number, (start, end) in enumerate(hit_places(text, parse(query).terms), start=1):
        parts += [(text[begin:start], 0), (text[start:end], number)]
        begin = end
    parts.append((text[begin:], 0))
    return [(document_text(words), number) for words, number in parts if words]


@limited("image")
def page_image(request: Request) -> Response:
    """Give the picture of a page."""
    settings = settings_of(request)
    address = find_page(settings.storage_dir, request.path_params["page"])
    width = whole(request, "w", 1000, most=IMAGE_WIDTHS[-1])
    width = next(each for each in IMAGE_WIDTHS if each >= width)
    pdf = address.document.pdf(settings.storage_dir / address.site)
    if not pdf.is_file():
        raise NotFound("The original of this page is not here.")
    picture = page_images.picture(settings, address.site, pdf, address.page, width)
    headers = {"Cache-Control": "public, max-age=3600"}
    return Response(picture, media_type="image/webp", headers=headers)


def original(request: Request) -> Response:
    """Give the PDF as it was fetched, to be saved and not to be run."""
    storage_dir = settings_of(request).storage_dir
    site, document = find_document(storage_dir, request.path_params["document"])
    pdf = document.pdf(storage.site_folder(storage_dir, site))
    if not pdf.is_file():
        raise NotFound("The original of this document is not here.")
    name = _NOT_IN_A_FILE_NAME.sub("-", gate_of(request)(f"{site}-{document.name}")).strip("-")
    headers = {"Content-Security-Policy": SANDBOX}
    return FileResponse(pdf, media_type="application/pdf", filename=f"{name}.pdf", headers=headers)


def meeting_of_document(request: Request) -> Response:
    """Lead from a document to its meeting."""
    storage_dir = settings_of(request).storage_dir
    site, document = find_document(storage_dir, request.path_params["document"])
    return RedirectResponse(meeting_link(site, document.meeting, document.date), 307)
