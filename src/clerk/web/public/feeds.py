"""For programs: results as JSON, CSV and Atom, the site map, OpenSearch, robots.txt.

Links begin with PUBLIC_URL and are relative without it.  The site map and OpenSearch allow no
relative links, so without PUBLIC_URL there are none.  Ids of feeds and their entries are made from
paths alone and stay the same wherever the pages are served.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import wraps
from typing import Any
from xml.etree import ElementTree as Xml

from starlette.requests import Request
from starlette.responses import Response

from clerk.core.clock import utc_now
from clerk.core.errors import NotFound
from clerk.core.public_text import PublicText, document_text
from clerk.search import DocumentHits, Hit, listing
from clerk.search.results import FIRST_SEEN, OFFSET_AT_MOST
from clerk.web.middleware import Handler, limited
from clerk.web.parameters import id_in_path, whole_number
from clerk.web.rendering import as_csv, as_json, as_text, as_xml, day, public_url, settings_of

from .search import (
    EXPORTED_AT_MOST,
    described_document,
    described_hit,
    find,
    kind_in_words,
    query_of,
    snippet_of,
)

ATOM = "http://www.w3.org/2005/Atom"
OPENSEARCH = "http://a9.com/-/spec/opensearch/1.1/"
SITEMAP = "http://www.sitemaps.org/schemas/sitemap/0.9"
#: The protocol's own limit for one file is 50,000; the places go with the first documents.
SITEMAP_URLS = 40_000

#: The namespace of the ids in feeds.  It must never change.
_IDS = uuid.UUID("5f0e3b0c-93a8-4f6c-8c34-2f6a1d1c7b11")

COLUMNS = (
    *("place", "site", "body", "kind", "date", "in", "file", "page", "id", "url"),
    "snippet",
)


@limited("search")
def search_json(request: Request) -> Response:
    """Respond with documents, their best pages and facets as JSON; ``cursor`` leads on."""
    limit = whole_number(request, "limit", 20, most=EXPORTED_AT_MOST)
    offset = whole_number(request, "offset", 0, least=0, most=OFFSET_AT_MOST)
    results = find(request, query_of(request, limit=limit, offset=offset), switchable=True)
    facets = {
        name: [{"value": each.value, "label": each.label, "pages": each.pages} for each in values]
        for name, values in results.facets.items()
    }
    answer = {
        "query": PublicText(request.query_params.get("q", "")),
        "total": results.total,
        "documents": results.documents,
        "documents_are_exact": results.documents_are_exact,
        "is_partial": results.is_partial,
        "did_you_mean": results.did_you_mean,
        "facets": facets,
        "found": [_document(request, found) for found in results.found],
        "hits": [_hit(request, hit) for hit in results.hits],
        "cursor": results.cursor,
    }
    return as_json(request, answer)


def _document(request: Request, found: DocumentHits) -> dict[str, Any]:
    facts = found.facts
    return {
        "place": facts.site_name,
        "site": facts.site,
        "body": facts.body,
        "kind": facts.kind,
        "date": facts.date or None,
        "file": facts.file,
        "document": facts.document_id,
        "url": public_url(request, f"/d/{facts.document_id}"),
        "pages": found.pages,
        "pages_found": found.pages_found,
        "best_pages": [hit.page_id for hit in found.best],
    }


@limited("search")
def search_csv(request: Request) -> Response:
    """Respond with results as a table."""
    results = find(request, query_of(request, limit=EXPORTED_AT_MOST))
    return as_csv(request, COLUMNS, (_hit(request, hit) for hit in results.hits), "search.csv")


def _hit(request: Request, hit: Hit) -> dict[str, Any]:
    return {
        "place": hit.site_name,
        "site": hit.site,
        "body": hit.of.body,
        "kind": hit.of.kind,
        "date": hit.of.date or None,
        "in": described_document(hit) if hit.part else None,
        "file": hit.file,
        "page": hit.page,
        "id": hit.page_id,
        "document": hit.document_id,
        "url": public_url(request, f"/p/{hit.page_id}"),
        "score": hit.score,
        "snippet": _snippet(hit),
    }


def _snippet(hit: Hit) -> str:
    return document_text("".join(part for part, _ in snippet_of(hit)))


@dataclass(frozen=True)
class FeedEntry:
    """An entry of a feed."""

    title: str
    path: str
    summary: str
    date: str


@limited("search")
def search_atom(request: Request) -> Response:
    """Respond with the results that were seen last as a feed."""
    query = query_of(request, limit=50)
    if not request.query_params.get("sort"):
        query = replace(query, sort=FIRST_SEEN)
    entries = [
        FeedEntry(
            title=f"{described_hit(hit)}, page {hit.page}",
            path=f"/p/{hit.page_id}",
            summary=_snippet(hit),
            date=hit.of.date,
        )
        for hit in find(request, query).hits
    ]
    return _atom(request, f"Search: {query.text}", entries)


def new_atom(request: Request) -> Response:
    """Respond with the documents that were added last as a feed."""
    entries = [
        FeedEntry(
            title=f"{each.body} {kind_in_words(each.kind)}, {day(each.date)}".strip(),
            path=f"/d/{each.id}",
            summary=f"{each.site_name}: {each.pages} pages",
            date=each.date,
        )
        for each in listing.newly_added(settings_of(request).storage_dir, 50)
    ]
    return _atom(request, "Newly added minutes and agendas", entries)


def _atom(request: Request, title: str, entries: Iterable[FeedEntry]) -> Response:
    now = utc_now().isoformat(timespec="seconds")
    feed = Xml.Element("feed", xmlns=ATOM)
    _add(feed, "title", title)
    here = request.url.path + (f"?{request.url.query}" if request.url.query else "")
    _add(feed, "id", _stable_id(here))
    _add(feed, "updated", now)
    Xml.SubElement(feed, "link", rel="self", href=public_url(request, here))
    for each in entries:
        entry = Xml.SubElement(feed, "entry")
        _add(entry, "title", each.title)
        _add(entry, "id", _stable_id(each.path))
        Xml.SubElement(entry, "link", href=public_url(request, each.path))
        _add(entry, "updated", f"{each.date}T00:00:00Z" if each.date else now)
        _add(entry, "summary", each.summary)
    return as_xml(request, feed, "application/atom+xml")


def _stable_id(path: str) -> str:
    """Return a permanent absolute id, as Atom requires, for what a path leads to."""
    return f"urn:uuid:{uuid.uuid5(_IDS, path)}"


def _add(parent: Xml.Element, tag: str, text: str) -> None:
    Xml.SubElement(parent, tag).text = text


def _with_public_url(handler: Handler) -> Handler:
    """Let a handler respond only where the public address is known."""

    @wraps(handler)
    def responding(request: Request) -> Response:
        if not settings_of(request).public_url:
            raise NotFound("This needs absolute links: the setting PUBLIC_URL is not set.")
        return handler(request)

    return responding


@_with_public_url
def sitemap(request: Request) -> Response:
    """List the places and documents for search engines; many of them over several files."""
    parts = -(-listing.count_documents(settings_of(request).storage_dir) // SITEMAP_URLS)
    if parts <= 1:
        return _urlset(request, [*_main_addresses(request), *_document_addresses(request, 0)])
    root = Xml.Element("sitemapindex", xmlns=SITEMAP)
    for number in range(parts + 1):
        address = public_url(request, f"/sitemap-{number}.xml")
        _add(Xml.SubElement(root, "sitemap"), "loc", address)
    return as_xml(request, root, "application/xml")


@_with_public_url
def sitemap_part(request: Request) -> Response:
    """List the front page and the places as part 0, then the documents."""
    number = id_in_path(request, "number")
    if number == 0:
        return _urlset(request, _main_addresses(request))
    addresses = _document_addresses(request, number - 1)
    if not addresses:
        raise NotFound(f"There is no part {number} of the site map.")
    return _urlset(request, addresses)


def _main_addresses(request: Request) -> list[str]:
    places = listing.places(settings_of(request).storage_dir)
    paths = ["/", *(f"/s/{place.subdomain}/" for place in places)]
    return [public_url(request, path) for path in paths]


def _document_addresses(request: Request, part: int) -> list[str]:
    storage_dir = settings_of(request).storage_dir
    ids = listing.document_ids(storage_dir, SITEMAP_URLS, part * SITEMAP_URLS)
    return [public_url(request, f"/d/{identity}") for identity in ids]


def _urlset(request: Request, addresses: Iterable[str]) -> Response:
    root = Xml.Element("urlset", xmlns=SITEMAP)
    for address in addresses:
        _add(Xml.SubElement(root, "url"), "loc", address)
    return as_xml(request, root, "application/xml")


@_with_public_url
def opensearch(request: Request) -> Response:
    """Let browsers add the search to their bar."""
    root = Xml.Element("OpenSearchDescription", xmlns=OPENSEARCH)
    _add(root, "ShortName", "Minutes")
    _add(root, "Description", "Minutes and agendas of local government")
    _add(root, "InputEncoding", "UTF-8")
    template = public_url(request, "/search?q={searchTerms}")
    Xml.SubElement(root, "Url", type="text/html", template=template)
    return as_xml(request, root, "application/opensearchdescription+xml")


def robots(request: Request) -> Response:
    """Tell robots what they may read: documents, but no searches and no operators' pages."""
    lines = ["User-agent: *", "Disallow: /search", "Disallow: /ops/", "Disallow: /api/"]
    lines.append("Disallow: /report/")
    if settings_of(request).public_url:
        lines.append(f"Sitemap: {public_url(request, '/sitemap.xml')}")
    return as_text(request, "\n".join([*lines, ""]))
