"""A document and its pages: the viewer, the frame for other sites, images and downloads."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, RedirectResponse, Response

from clerk.annotations.browsing import Track, find_projects, tracks_on
from clerk.annotations.store import Project
from clerk.core import storage
from clerk.core.errors import InvalidInput, NotFound
from clerk.core.language import Message, speaking
from clerk.core.public_text import PublicText, document_text
from clerk.core.storage import Document
from clerk.ops.document_versions import (
    DocumentVersion,
    VersionHit,
    compare,
    list_versions,
    search_versions,
)
from clerk.pipeline.mirror import bring_document, has_original, has_pdf
from clerk.read.files import PageWords, load_facts, load_words_of
from clerk.read.paragraphs import flowing
from clerk.search import QueryError, find_document, find_page, hit_boxes, pages_with_hits, parse
from clerk.search.boxes import Box
from clerk.search.passages import LONGEST, lines_of, passage_boxes, passage_in_text
from clerk.search.query import Term
from clerk.search.query import places as hit_places
from clerk.search.snippets import snippet
from clerk.site_db.queries import (
    CompiledDocument,
    CompiledPage,
    CompiledPart,
    SiteDatabase,
    open_site,
)
from clerk.web import page_images
from clerk.web.drawn_annotations import draw
from clerk.web.middleware import EMBEDDED_POLICY, SANDBOX, limited, refuse_over_limit
from clerk.web.parameters import optional_word, whole_number
from clerk.web.project_access import project_user
from clerk.web.rendering import (
    as_json,
    gate_of,
    language_of,
    meeting_link,
    page,
    page_link,
    public_url,
    settings_of,
    within_packet,
)

from .heads import document_head

PAGES_SHOWN = 50
IMAGE_WIDTHS = (240, 1000, 1600, 2400)
#: How large the scan is shown, in percent of its room, and the image that is used for it.
ZOOMS = {100: 1000, 150: 1600, 200: 1600, 300: 2400}
#: Pages of a document that are shown with what was found on them.
HIT_PAGES_SHOWN = 100
#: Pages with hits that the viewer links to: those next to the one that is shown.
HITS_NEARBY = 12
#: Thumbnails that are shown next to a page.
THUMBNAILS = 12
#: At most this many pages are sent as a PDF of their own.
PAGES_IN_A_PART = 500
#: Words of a page that can be selected on the scan; a page with more is a table of a report.
SELECTABLE_WORDS = 4000
#: At most this many earlier versions are searched, the last ones.
VERSIONS_SEARCHED = 10
#: At most this many lines of a comparison are shown.
LINES_SHOWN = 2000
#: The size of a frame on another site, unless it asks for less.
FRAME = (700, 560)
_NOT_IN_A_FILE_NAME = re.compile(r"[^\w.-]+")
_EMBEDDED_PATH = re.compile(r"/(?:p/([\w-]+)|d/(\w+))/?")


@dataclass(frozen=True)
class ShownPage:
    """A page as readers see it: the scan with what is marked on it, and its text."""

    site: str
    name: str
    document: CompiledDocument
    page: CompiledPage
    part: CompiledPart | None
    #: Why the page has no text, if it could not be read.
    failure: str | None
    last: int
    #: Paragraphs, as pieces of text with the name of their mark or none.
    paragraphs: list[list[tuple[str, str]]]
    hits: int
    hit_boxes: Sequence[Box]
    passage_boxes: Sequence[Box]
    has_passage: bool
    #: Lines of the scan, to be selected: top, height, and words with left and width.
    lines: Sequence[tuple[int, int, Sequence[tuple[int, int, str]]]]
    size: tuple[int, int]
    #: Whether there is an image of the page.
    has_scan: bool
    language: str
    problem: str
    query: str
    passage: str
    words: PageWords | None

    @property
    def title(self) -> str:
        """What the page is of."""
        return within_packet(self.document, self.part)


def document(request: Request) -> Response:
    """Show a document: its pages, where it came from, how it was read; with ``q``, where it is.

    With ``versions=1`` its earlier versions are searched too, which may mean to read them.
    """
    storage_dir = settings_of(request).storage_dir
    identity = request.path_params["document"]
    subdomain, document = find_document(storage_dir, identity)
    first = whole_number(request, "from", 1, most=1_000_000)
    query = PublicText(request.query_params.get("q", ""))
    terms, problem = _terms(query)
    versions = known_versions(subdomain, document.name)
    in_versions = optional_word(request, "versions", ("1",)) == "1" and len(versions) > 1
    former: list[VersionHit] = []
    if in_versions and terms:
        if refusal := refuse_over_limit(request, "download"):
            return refusal
        searched = [each for each in versions if not each.is_current][-VERSIONS_SEARCHED:]
        settings = settings_of(request)
        former = search_versions(settings, subdomain, document.name, query, searched[::-1])
    with open_site(storage_dir, subdomain) as site:
        numbers = pages_with_hits(storage_dir, identity, query) if terms else []
        inside = [
            (each, [(document_text(part), is_hit) for part, is_hit in shown])
            for each in (site.page(document, number) for number in numbers[:HIT_PAGES_SHOWN])
            if (shown := snippet(each.text, terms, _languages(site)))
        ]
        pages = site.pages(document, first, PAGES_SHOWN)
        text = document.text(storage_dir / subdomain)
        words = load_words_of(text, [each.page for each in pages])
        found = site.document(document)
        return page(
            request,
            "public/document.html",
            head=document_head(
                request,
                subdomain,
                site.name,
                site.about.get("language", ""),
                found,
                pages[0].text if pages else "",
            ),
            site=subdomain,
            name=site.name,
            document=found,
            parts=site.parts(document),
            pages=pages,
            texts={each.page: _paragraphs(each.text, [], words.get(each.page)) for each in pages},
            language=site.language,
            first=first,
            step=PAGES_SHOWN,
            has_pdf=has_pdf(settings_of(request), subdomain, document),
            has_original=has_original(settings_of(request), subdomain, document),
            votes=site.count_votes(document=document.name),
            versions=versions,
            in_versions=in_versions,
            former=[
                (each, [(document_text(part), is_hit) for part, is_hit in each.snippet])
                for each in former[:HIT_PAGES_SHOWN]
            ],
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
        return [], error.explanation


def _languages(site: SiteDatabase) -> tuple[str, ...]:
    return (site.about.get("language", ""),)


def _paragraphs(
    text: str, marks: Sequence[tuple[int, int, str]], words: PageWords | None
) -> list[list[tuple[str, str]]]:
    return [
        [(document_text(piece), name) for piece, name in pieces]
        for pieces in flowing(text, marks, words)
    ]


def _show(request: Request) -> ShownPage:
    """Return the page that is asked for, with what ``q`` and ``passage`` mark on it."""
    settings = settings_of(request)
    address = find_page(settings.storage_dir, request.path_params["page"])
    document, number = address.document, address.page
    query = PublicText(request.query_params.get("q", ""))
    passage = document_text(request.query_params.get("passage", "")[:LONGEST])
    folder = settings.storage_dir / address.site
    bring_document(settings, address.site, document)
    words = load_words_of(document.text(folder), [number]).get(number)
    with open_site(settings.storage_dir, address.site) as site:
        compiled = site.document(document)
        failure = compiled.failed_pages.get(str(number))
        if failure is not None:
            nothing = (None, None, compiled.kind, compiled.meeting, compiled.date, None)
            shown = CompiledPage(f"{compiled.id}-{number}", number, "", *nothing)
        else:
            shown = site.page(document, number)
        part = next(
            (
                each
                for each in site.parts(document)
                if each.first_page == shown.part and number <= each.last_page
            ),
            None,
        )
        terms, problem = _terms(query)
        languages = _languages(site)
        hits = hit_places(shown.text, terms, languages)
        place = passage_in_text(shown.text, passage)
        marks = [(start, end, f"hit-{at}") for at, (start, end) in enumerate(hits, 1)]
        if place is not None:
            outside = [each for each in marks if each[1] <= place[0] or each[0] >= place[1]]
            marks = sorted([*outside, (*place, "passage")])
        return ShownPage(
            site=address.site,
            name=site.name,
            document=compiled,
            page=shown,
            part=part,
            failure=failure,
            last=max(compiled.pages, number),
            paragraphs=_paragraphs(shown.text, marks, words),
            hits=len(hits),
            hit_boxes=hit_boxes(folder, document, number, query, languages) if terms else [],
            passage_boxes=passage_boxes(words, passage) if words and passage else [],
            has_passage=place is not None,
            lines=_selectable(words),
            size=_image_size(folder, document, number),
            has_scan=has_pdf(settings, address.site, document),
            language=site.language,
            problem=problem,
            query=query,
            passage=passage,
            words=words,
        )


def _selectable(
    words: PageWords | None,
) -> Sequence[tuple[int, int, Sequence[tuple[int, int, str]]]]:
    """Return the lines of a scan with where their words are, to be laid over it."""
    if words is None or len(words.words) > SELECTABLE_WORDS:
        return []
    lines = []
    for line in lines_of(words):
        top, bottom = min(box[1] for _, box in line), max(box[3] for _, box in line)
        placed = [
            (box[0], max(1, box[2] - box[0]), document_text(f"{word} ")) for word, box in line
        ]
        lines.append((top, max(1, bottom - top), placed))
    return lines


def page_view(request: Request) -> Response:
    """Show a page in the viewer: the scan with the hits marked, next to its text."""
    settings = settings_of(request)
    shown = _show(request)
    number, identity = shown.page.page, shown.document.id
    projects: list[Project] = []
    chosen: list[Project] = []
    tracks: list[Track] = []
    if "project" in request.query_params:
        projects = find_projects([], project_user(request))
        names = request.query_params.getlist("project")
        chosen = [each for each in projects if each.name in names]
        tracks = tracks_on(shown.site, f"{shown.document.name}/{number}", chosen)
    with_hits: list[int] = []
    if shown.query.strip() and not shown.problem:
        with_hits = pages_with_hits(settings.storage_dir, identity, shown.query)
    zoom = whole_number(request, "zoom", 100, most=max(ZOOMS))
    first = (number - 1) // THUMBNAILS * THUMBNAILS + 1
    return page(
        request,
        "public/page.html",
        head=document_head(
            request,
            shown.site,
            shown.name,
            shown.language,
            shown.document,
            shown.page.text,
            number,
        ),
        shown=shown,
        site=shown.site,
        name=shown.name,
        document=shown.document,
        projects=projects,
        chosen=[each.name for each in chosen],
        drawn=draw(shown.page.text, tracks, shown.words) if tracks else None,
        is_pdf=shown.document.is_pdf,
        has_original=has_original(settings, shown.site, Document.from_name(shown.document.name)),
        permalink=public_url(request, f"/p/{shown.page.id}"),
        embed=public_url(request, f"/embed/{shown.page.id}"),
        frame_code=_frame_code(request, shown, *FRAME),
        oembed=settings.public_url and public_url(request, "/oembed"),
        with_hits=sorted(sorted(with_hits, key=lambda each: abs(each - number))[:HITS_NEARBY]),
        pages_found=len(with_hits),
        hit_before=max((each for each in with_hits if each < number), default=None),
        hit_after=min((each for each in with_hits if each > number), default=None),
        zoom=next(each for each in ZOOMS if each >= zoom),
        zooms=ZOOMS,
        thumbnails=range(first, min(first + THUMBNAILS - 1, shown.last) + 1),
    )


def _image_size(folder: Path, document: Document, number: int) -> tuple[int, int]:
    """Return width and height of a page, so that the browser can reserve room for the image."""
    facts = load_facts(document.text(folder))
    for each in facts.pages if facts else ():
        if each.page == number and each.width and each.height:
            return 1000, round(1000 * each.height / each.width)
    return 1000, 1294


def go_to_page(request: Request) -> Response:
    """Redirect to a page of a document by its number."""
    identity = request.path_params["document"]
    find_document(settings_of(request).storage_dir, identity)
    number = whole_number(request, "page", 1, most=1_000_000)
    return RedirectResponse(page_link(f"{identity}-{number}", request.query_params.get("q", "")))


def embed(request: Request) -> Response:
    """Show a page for a frame on another site: the scan, and a link to the viewer."""
    shown = _show(request)
    link = page_link(shown.page.id, shown.query)
    response = page(request, "public/embed.html", shown=shown, link=public_url(request, link))
    response.headers["Content-Security-Policy"] = EMBEDDED_POLICY
    return response


def oembed(request: Request) -> Response:
    """Respond with how a page is embedded, to a site that was given its address (oEmbed)."""
    asked = request.query_params
    if asked.get("format", "json") != "json":
        raise HTTPException(501, Message("Only the format json is available."))
    base = settings_of(request).public_url
    address = asked.get("url", "").partition("?")[0].partition("#")[0]
    path = _EMBEDDED_PATH.fullmatch(address.removeprefix(base))
    if not base or not address.startswith(base) or path is None:
        raise NotFound(Message("There is nothing to embed at this address."))
    request.path_params["page"] = path[1] or f"{path[2]}-1"
    shown = _show(request)
    width, height = (
        min(most, whole_number(request, name, most, most=100_000))
        for name, most in zip(("maxwidth", "maxheight"), FRAME, strict=True)
    )
    return as_json(
        request,
        {
            "type": "rich",
            "version": "1.0",
            "title": f"{shown.title}, {shown.name}",
            "provider_name": shown.name,
            "provider_url": base,
            "html": _frame_code(request, shown, width, height),
            "width": width,
            "height": height,
        },
    )


def _frame_code(request: Request, shown: ShownPage, width: int, height: int) -> PublicText:
    """Return the HTML that shows a page in a frame."""
    source = public_url(request, f"/embed/{shown.page.id}")
    with speaking(language_of(request)):
        title = escape(gate_of(request)(f"{shown.title}, {shown.name}"))
    size = f'width="{width}" height="{height}"'
    return PublicText(f'<iframe src="{source}" {size} title="{title}"></iframe>')


def known_versions(subdomain: str, name: str) -> list[DocumentVersion]:
    """Return the versions of a document, the oldest first; none of a site that has gone."""
    try:
        return list_versions(subdomain, name)
    except NotFound:
        return []


@limited("download")
def changes(request: Request) -> Response:
    """Show how the text of a version of a document differs from the one before."""
    settings = settings_of(request)
    subdomain, document = find_document(settings.storage_dir, request.path_params["document"])
    versions = known_versions(subdomain, document.name)
    if len(versions) < 2:
        raise NotFound(Message("Only one version of this document is known."))
    new = whole_number(request, "version", len(versions), least=2, most=len(versions))
    compared = compare(settings, subdomain, document.name, new=new, ocr="never")
    with open_site(settings.storage_dir, subdomain) as site:
        return page(
            request,
            "public/changes.html",
            site=subdomain,
            name=site.name,
            document=site.document(document),
            versions=versions,
            compared=compared,
            lines=[document_text(line) for line in compared.lines[2 : 2 + LINES_SHOWN]],
            more=max(0, len(compared.lines) - 2 - LINES_SHOWN),
            language=site.language,
        )


@limited("image")
def page_image(request: Request) -> Response:
    """Respond with the image of a page."""
    settings = settings_of(request)
    address = find_page(settings.storage_dir, request.path_params["page"])
    width = whole_number(request, "w", 1000, most=IMAGE_WIDTHS[-1])
    width = next(each for each in IMAGE_WIDTHS if each >= width)
    pdf = _pdf(request, address.site, address.document)
    image = page_images.page_image(settings, pdf, address.page, width)
    headers = {"Cache-Control": "public, max-age=3600"}
    return Response(image, media_type="image/webp", headers=headers)


@limited("download")
def page_pdf(request: Request) -> Response:
    """Respond with one page as a PDF of its own."""
    address = find_page(settings_of(request).storage_dir, request.path_params["page"])
    return _pages_pdf(request, address.site, address.document, address.page, address.page)


@limited("download")
def pages_pdf(request: Request) -> Response:
    """Respond with some pages of a document as a PDF of their own."""
    site, document = find_document(
        settings_of(request).storage_dir, request.path_params["document"]
    )
    first = whole_number(request, "from", 1, most=1_000_000)
    last = whole_number(request, "to", first, most=1_000_000)
    if not first <= last < first + PAGES_IN_A_PART:
        most = first + PAGES_IN_A_PART - 1
        raise InvalidInput(
            Message("to must be from %(first)s to %(most)s.", first=first, most=most)
        )
    return _pages_pdf(request, site, document, first, last)


def _pages_pdf(request: Request, site: str, document: Document, first: int, last: int) -> Response:
    with open_site(settings_of(request).storage_dir, site) as database:
        known = database.document(document).pages
    if last > known:
        raise InvalidInput(
            Message(
                "The document has %(known)s pages; there is no page %(page)s.",
                known=known,
                page=last,
            )
        )
    pages = page_images.pages_as_pdf(_pdf(request, site, document), first, last)
    name = _file_name(request, site, document)
    name += f"-page-{first}.pdf" if first == last else f"-pages-{first}-{last}.pdf"
    headers = {
        "Content-Security-Policy": SANDBOX,
        "Content-Disposition": f'attachment; filename="{name}"',
    }
    return Response(pages, media_type="application/pdf", headers=headers)


def _pdf(request: Request, site: str, document: Document) -> Path:
    """Return where the PDF of a document is; raise NotFound if there is none."""
    settings = settings_of(request)
    bring_document(settings, site, document)
    pdf = document.pdf(settings.storage_dir / site)
    if not pdf.is_file() or not document.is_pdf:
        raise NotFound(Message("The original of this page is not available."))
    return pdf


def _file_name(request: Request, site: str, document: Document) -> str:
    public = gate_of(request)(f"{site}-{document.name}")
    return _NOT_IN_A_FILE_NAME.sub("-", public).strip("-").encode("ascii", "ignore").decode()


def original(request: Request) -> Response:
    """Respond with the file as it was fetched, to be saved and not run."""
    storage_dir = settings_of(request).storage_dir
    site, document = find_document(storage_dir, request.path_params["document"])
    bring_document(settings_of(request), site, document)
    pdf = document.pdf(storage.site_folder(storage_dir, site))
    if not pdf.is_file():
        raise NotFound(Message("The original of this document is not available."))
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
