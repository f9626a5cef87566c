"""For programs: results as JSON and CSV, feeds, calendars, the site map, OpenSearch, robots.txt.

Links begin with PUBLIC_URL and are relative without it.  The site map and OpenSearch allow no
relative links, so without PUBLIC_URL there are none.  Ids of feeds and their entries are made from
paths alone and stay the same wherever the pages are served.
"""

from __future__ import annotations

import contextlib
import uuid
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import format_datetime, parsedate_to_datetime
from functools import wraps
from hashlib import sha256
from urllib.parse import quote, urlencode
from xml.etree import ElementTree as Xml

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from clerk.core import language
from clerk.core.clock import utc_now
from clerk.core.errors import NotFound
from clerk.core.language import Message, say, word
from clerk.core.public_text import PublicText, document_text
from clerk.follow.meeting_calendar import calendar_of
from clerk.publish.page_text import body_and_kind, counted, day, label, plain_flag
from clerk.search import DocumentHits, Hit, listing
from clerk.search.results import FIRST_SEEN
from clerk.site_db.queries import open_site
from clerk.site_db.record import SiteRecord
from clerk.web.middleware import Handler, limited
from clerk.web.parameters import id_in_path
from clerk.web.rendering import (
    as_calendar,
    as_csv,
    as_json,
    as_text,
    as_xml,
    body_link,
    feed_language,
    matter_link,
    meeting_link,
    page_link,
    person_link,
    public_url,
    settings_of,
)
from clerk.web.shared_answers import shared

from .search import (
    DOCUMENTS_PER_PAGE,
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
#: Entries of a feed.
ENTRIES = 50
#: The date of entries of which nobody knows when they were first seen.
_LONG_AGO = datetime(2000, 1, 1, tzinfo=UTC)

COLUMNS = (
    *("place", "site", "body", "kind", "date", "in", "file", "page", "id", "url"),
    "snippet",
)


@shared
@limited("search")
def search_json(request: Request) -> Response:
    """Respond with documents, their best pages and facets as JSON; ``cursor`` leads on."""
    results = find(request, query_of(request, limit=DOCUMENTS_PER_PAGE), switchable=True)
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


def _document(request: Request, found: DocumentHits) -> dict[str, object]:
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


@shared
@limited("search")
def search_csv(request: Request) -> Response:
    """Respond with results as a table."""
    results = find(request, query_of(request, limit=EXPORTED_AT_MOST))
    return as_csv(request, COLUMNS, (_hit(request, hit) for hit in results.hits), "search.csv")


def _hit(request: Request, hit: Hit) -> dict[str, object]:
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
    """An entry of a feed; ``seen`` is when its document was first seen, empty if not known.

    ``identity`` stays the same whatever else changes; its id is made from it.
    """

    title: str
    path: str
    summary: str
    seen: str
    identity: str


@dataclass(frozen=True)
class Feed:
    """A feed, and the page that shows the same."""

    title: str
    home: str
    entries: Sequence[FeedEntry]

    @property
    def updated(self) -> datetime:
        """When its newest entry was first seen: a feed without news stays the same."""
        return max((_moment(each.seen) for each in self.entries), default=_LONG_AGO)


def _moment(seen: str) -> datetime:
    return datetime.fromisoformat(seen).astimezone(UTC) if seen else _LONG_AGO


def _searched(request: Request) -> Feed:
    query = query_of(request, limit=ENTRIES, sort=FIRST_SEEN)
    marked = {"q": query.text}
    entries = [
        FeedEntry(
            title=f"{described_hit(hit)}, {say('page %(page)s', page=hit.page)}",
            path=f"/p/{hit.page_id}?{urlencode(marked)}",
            summary=_snippet(hit),
            seen=hit.first_seen_at,
            identity=f"/p/{hit.page_id}",
        )
        for hit in find(request, query).hits
    ]
    asked = {key: value for key, value in request.query_params.items() if key != "cursor"}
    title = say("Search: %(words)s", words=query.text)
    return Feed(title, f"/search?{urlencode(asked)}", entries)


def _newly_added(request: Request) -> Feed:
    storage_dir, site = settings_of(request).storage_dir, request.query_params.get("site")
    title, home = say("Newly added minutes and agendas"), "/"
    if site:
        with open_site(storage_dir, site) as known:
            title = say("%(name)s: newly added minutes and agendas", name=known.name)
            home = f"/s/{site}/"
    entries = [
        FeedEntry(
            title=f"{body_and_kind(each.body, kind_in_words(each.kind))}, {day(each.date)}",
            path=f"/d/{each.id}",
            summary=f"{each.site_name}: {counted(each.pages, 'page')}",
            seen=each.first_seen_at,
            identity=f"/d/{each.id}",
        )
        for each in listing.newly_added(storage_dir, ENTRIES, site or None)
    ]
    return Feed(title, home, entries)


def _of_place(request: Request) -> Feed:
    """Return what is new of a place, or of one of its bodies."""
    subdomain, body = request.path_params["site"], request.path_params.get("body")
    with open_site(settings_of(request).storage_dir, subdomain) as site:
        if body is not None and body not in {each.body for each in site.bodies()}:
            raise NotFound(
                Message("There is no body %(body)s in %(place)s.", body=repr(body), place=site.name)
            )
        entries = [
            FeedEntry(
                title=f"{label(each)}, {day(each.date)}",
                path=f"/d/{each.id}",
                summary=f"{site.name}: {counted(each.pages, 'page')}",
                seen=each.first_seen_at or "",
                identity=f"/d/{each.id}",
            )
            for each in site.newest(limit=ENTRIES, body=body)
        ]
        name = f"{body}, {site.name}" if body else site.name
    return Feed(name, body_link(subdomain, body) if body else f"/s/{subdomain}/", entries)


def _of_person(request: Request) -> Feed:
    """Return the votes of a person."""
    subdomain, person = request.path_params["site"], request.path_params["member"]
    entries = []
    with open_site(settings_of(request).storage_dir, subdomain) as site:
        name = SiteRecord(site).person(person).summary.name
        seen = site.first_seen()
        for vote in site.votes(person=person, limit=ENTRIES):
            voted = say("Voted")
            for ballot, names in vote.ballots.items():
                if any(vote.people.get(each) == person for each in names):
                    voted = say("Voted: %(ballot)s", ballot=word(ballot))
                    break
            unsure = "motion" in vote.doubtful or not vote.motion
            motion = say("A motion, see the quote") if unsure else vote.motion or ""
            meeting = f"{meeting_link(subdomain, vote.meeting, vote.date)}#{vote.id}"
            entries.append(
                FeedEntry(
                    title=f"{voted}: {document_text(motion)}",
                    path=meeting if vote.date else f"/d/{vote.document_id}",
                    summary=document_text(vote.quote or ""),
                    seen=seen.get(vote.document, ""),
                    identity=f"/votes/{vote.id}",
                )
            )
        title = say("Votes of %(person)s, %(place)s", person=name, place=site.name)
    return Feed(title, person_link(subdomain, person), entries)


def _of_matter(request: Request) -> Feed:
    """Return what meetings did with a matter."""
    subdomain, name = request.path_params["site"], request.path_params["matter"]
    with open_site(settings_of(request).storage_dir, subdomain) as site:
        record = SiteRecord(site)
        found, seen = record.matter(name), site.first_seen()
        entries = [
            FeedEntry(
                title=say("Mentioned")
                if step.doubtful and "action" in step.doubtful
                else plain_flag(step.action).capitalize(),
                path=page_link(step.page_id) if step.page_id else f"/d/{step.document_id}",
                summary=document_text(step.quote or ""),
                seen=seen.get(step.document, ""),
                identity=f"/matters/{subdomain}/{name}/{step.document_id}",
            )
            for step, _ in reversed(record.steps(name))
        ][:ENTRIES]
        title = document_text(f"{found.matter_title or found.matter}, {site.name}")
    return Feed(title, matter_link(subdomain, name), entries)


def _as_atom(request: Request, feed: Feed) -> Response:
    root = Xml.Element("feed", xmlns=ATOM)
    _add(root, "title", feed.title)
    # As the path reads, not as it is quoted: the id of a feed must not change.
    query = f"?{request.url.query}" if request.url.query else ""
    _add(root, "id", _stable_id(request.url.path + query))
    _add(root, "updated", _stamped(feed.updated))
    Xml.SubElement(root, "link", rel="self", href=public_url(request, _here(request)))
    Xml.SubElement(root, "link", rel="alternate", href=public_url(request, feed.home))
    _add(Xml.SubElement(root, "author"), "name", "clerk")
    for each in feed.entries:
        entry = Xml.SubElement(root, "entry")
        _add(entry, "title", each.title)
        _add(entry, "id", _stable_id(each.identity))
        Xml.SubElement(entry, "link", href=public_url(request, each.path))
        for tag in ("published", "updated"):
            _add(entry, tag, _stamped(_moment(each.seen)))
        _add(entry, "summary", each.summary)
    return as_xml(request, root, "application/atom+xml")


def _as_json_feed(request: Request, feed: Feed) -> Response:
    value = {
        "version": "https://jsonfeed.org/version/1.1",
        "title": feed.title,
        "home_page_url": public_url(request, feed.home),
        "feed_url": public_url(request, _here(request)),
        "items": [
            {
                "id": _stable_id(each.identity),
                "url": public_url(request, each.path),
                "title": each.title,
                "content_text": each.summary,
                "date_published": _stamped(_moment(each.seen)),
            }
            for each in feed.entries
        ],
    }
    response = as_json(request, value)
    response.headers["Content-Type"] = "application/feed+json"
    return response


def _here(request: Request) -> str:
    return quote(request.url.path) + (f"?{request.url.query}" if request.url.query else "")


def _stamped(at: datetime) -> str:
    return at.isoformat(timespec="seconds").replace("+00:00", "Z")


def _conditional(request: Request, response: Response, updated: datetime | None) -> Response:
    """Let clients ask whether something has changed: by its ETag, else by its time."""
    # Weak: the same entries may be sent compressed.
    etag = f'W/"{sha256(bytes(response.body)).hexdigest()[:32]}"'
    headers = {"ETag": etag, "Cache-Control": "public, max-age=300"}
    if updated is not None and updated > _LONG_AGO:
        headers["Last-Modified"] = format_datetime(updated.replace(microsecond=0), usegmt=True)
    asked = request.headers.get("if-none-match")
    since = request.headers.get("if-modified-since")
    is_known = False
    if asked is not None:
        tags = {tag.strip().removeprefix("W/") for tag in asked.split(",")}
        is_known = "*" in tags or etag.removeprefix("W/") in tags
    elif since is not None and "Last-Modified" in headers and updated is not None:
        with contextlib.suppress(ValueError, TypeError):
            is_known = updated.replace(microsecond=0) <= parsedate_to_datetime(since)
    if is_known:
        return Response(b"", 304, headers=headers)
    response.headers.update(headers)
    return response


def _feed(
    content: Callable[[Request], Feed], write: Callable[[Request, Feed], Response]
) -> Handler:
    def respond(request: Request) -> Response:
        with language.speaking(feed_language(request)):
            feed = content(request)
            return _conditional(request, write(request, feed), feed.updated)

    return limited("search")(respond)


def feed_routes() -> list[BaseRoute]:
    """Return the addresses of feeds and calendars; they come before those of bodies and people."""
    routes: list[BaseRoute] = []
    for path, json_path, content in (
        ("/search.atom", "/search.feed.json", _searched),
        ("/new.atom", "/new.json", _newly_added),
        ("/s/{site}/feed.atom", "/s/{site}/feed.json", _of_place),
        ("/s/{site}/{body:path}/feed.atom", "/s/{site}/{body:path}/feed.json", _of_place),
        (
            "/people/{site}/{member:path}/feed.atom",
            "/people/{site}/{member:path}/feed.json",
            _of_person,
        ),
        (
            "/matters/{site}/{matter:path}/feed.atom",
            "/matters/{site}/{matter:path}/feed.json",
            _of_matter,
        ),
    ):
        routes += [
            Route(path, _feed(content, _as_atom)),
            Route(json_path, _feed(content, _as_json_feed)),
        ]
    return [
        *routes,
        Route("/s/{site}/meetings.ics", meetings),
        Route("/s/{site}/{body:path}/meetings.ics", meetings),
    ]


@limited("search")
def meetings(request: Request) -> Response:
    """Respond with the meetings of a place or body as a calendar."""
    body = request.path_params.get("body")
    site, today = request.path_params["site"], utc_now().date()
    with language.speaking(feed_language(request)):
        content = calendar_of(settings_of(request), site, body, today)
    return _conditional(request, as_calendar(content), None)


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
            raise NotFound(Message("This needs absolute links: the setting PUBLIC_URL is not set."))
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
        raise NotFound(Message("There is no part %(number)s of the site map.", number=number))
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
    lines += ["Disallow: /report/", "Disallow: /follow"]
    if settings_of(request).public_url:
        lines.append(f"Sitemap: {public_url(request, '/sitemap.xml')}")
    # Addresses of ours: the gate would take them for paths of this machine.
    return as_text(request, map(PublicText, lines))
