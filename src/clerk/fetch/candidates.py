"""Finding the source at an address: candidates are collected, and each is tried with one listing.

::

    the address itself   its host or path is a platform's
    the page             it leads on to a platform's host, or is a platform's on a town's own host
    frames, scripts, feeds and links of the page
    the page itself      read as a plain page with links to documents
    the pages that it frames, and the pages about meetings that it links, in the same way
    the pages it links   if it is a list of meetings with a page for each of them
    the pages about the government that it links, and those about meetings that they link
    links to videos      the vendor may have documents, too

What yields documents counts, not who is linked first: every town links to vendors in its footer.
"""

from __future__ import annotations

import contextlib
import itertools
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from clerk.core.config import Settings
from clerk.core.errors import ClerkError, InvalidInput, SourceUnavailable
from clerk.core.site_extra import SiteRow

from . import shared_files
from .base import FetcherSpec, Window
from .discover import detect, registered
from .html import href_of, joined, parsed, text_of
from .http import DEFAULT_PACE_SECONDS
from .http.responses import (
    CertificateRefused,
    CircuitOpen,
    HostTrouble,
    NeedsBrowser,
    NeedsLogin,
    NotUnderstood,
    PageMissing,
    RobotsRefused,
    WebPage,
    format_of,
)
from .links import leads_to_document
from .preview import Preview, list_source

if TYPE_CHECKING:
    from .http.client import Client

#: A preview looks this far back first, and at everything if there is nothing.
LOOK_BACK, LOOK_AHEAD = timedelta(days=365), timedelta(days=60)
EARLIEST = date(2000, 1, 1)
#: How many pages a preview reads, and how many candidates of a page are tried.
MOST_PAGES = 40
MOST_CANDIDATES = 6
#: A page with at least this many dated documents is the source itself, whatever it links to.
ENOUGH_OF_ITS_OWN = 10

#: What links to pages about meetings say, else to those about a government, and how many of each
#: are looked at.
_ABOUT_MEETINGS = re.compile(
    r"agenda|minutes|meetings|business papers|sitzung|protokoll|niederschrift|ratsinfo|vergader|"
    r"notulen|s[ée]ances|comptes?[- ]rendus?|proc[eè]s[- ]verba|\bactas?\b|\bplenos?\b|sesiones|"
    r"verbali|sedute|"
    r"\batas\b|sessões|referater|møter|möten|pöytäkirj|zápisy|cofnodion|\bactes\b",
    re.IGNORECASE,
)
_ABOUT_GOVERNMENT = re.compile(
    r"\b(?:government|council|boards?|clerk|commission(?:ers)?|selectm[ae]n|trustees|"
    r"supervisors|committees|conseil municipal|vie municipale|mairie|rathaus|"
    r"\w*politik\w*|gemeinderat|stadtrat|"
    r"ayuntamiento|transparencia|amministrazione|consiglio|bestuur|gemeenteraad|ajuntament|"
    r"prefeitura|zastupitelstvo|kunta|kommun\w*)\b",
    re.IGNORECASE,
)
MOST_PAGES_ABOUT_MEETINGS = 3
#: A list whose newest meeting is older than this is an archive.
STILL_USED = timedelta(days=400)
#: A link to a video decides nothing.
_VIDEO = re.compile(r"/(?:player|camera|play|live|videos)/|MediaPlayer\.php", re.IGNORECASE)

#: Where a candidate was seen that is the page itself, as far as it links documents.
OWN_LINKS = "its own links"

_ADDRESS_IN_SCRIPT = re.compile(r"https?://[^\s\"'<>\\]+")
_REFRESH = re.compile(r"url\s*=\s*['\"]?([^'\"]+)", re.IGNORECASE)
_FEED = "link[rel=alternate][type*=rss], link[rel=alternate][type*=atom]"


@dataclass(frozen=True)
class Candidate:
    """A fetcher and the source to give it; ``found_in`` says where it was seen.

    ``settings`` are those of the fetcher that make it list what the preview shows.
    """

    scraper: str
    source: str
    found_in: str
    #: The page that links it.
    linked_from: str = ""
    settings: Mapping[str, str] = field(default_factory=dict)

    @property
    def where(self) -> str:
        """Where it was found, for people; nothing if it is at the address itself."""
        if self.settings:
            return self.found_in
        if self.found_in in (OWN_LINKS, "the address", "the page"):
            return f"linked from {self.linked_from}" if self.linked_from else ""
        return f"found in {self.found_in}{f' of {self.linked_from}' if self.linked_from else ''}"


@dataclass
class FoundSources:
    """What was found at an address: the best candidate first, then others that yield documents."""

    tried: list[tuple[Candidate, Preview]] = field(default_factory=list)
    #: Candidates that could not be listed, and why.
    failed: list[tuple[Candidate, ClerkError]] = field(default_factory=list)
    #: The pages that were read in search of candidates.
    pages: list[str] = field(default_factory=list)

    @property
    def best(self) -> tuple[Candidate, Preview] | None:
        """The candidate to take if nobody chooses another."""
        return self.tried[0] if self.tried else None


def client_opener(settings: Settings, *, permitted: bool) -> Callable[[FetcherSpec | None], Client]:
    """Return how to open a client for a fetcher, with its pace and that of its vendor's hosts."""
    from .http.client import Client

    vendors = {host: each.pace for each in registered().values() for host in each.hosts}

    def opened(spec: FetcherSpec | None) -> Client:
        return Client.from_settings(
            settings,
            pace_seconds=spec.pace if spec else DEFAULT_PACE_SECONDS,
            vendors=vendors,
            ignore_robots=permitted,
        )

    return opened


def find_source(
    source: str,
    open_client: Callable[[FetcherSpec | None], Client],
    *,
    scraper: str = "",
    today: date | None = None,
) -> FoundSources:
    """Collect the candidates at an address, try each with one listing, and rank them.

    Raises SourceUnavailable when the address cannot be read at all, RobotsRefused when robots.txt
    refuses the only candidate.
    """
    if "://" in source and not re.match(r"https?://[^/\s]", source, re.IGNORECASE):
        raise InvalidInput(
            f"{source!r} is not an http or https address.",
            hint="Give a portal's address as in https://springfield.example/minutes, or a folder.",
        )
    today = today or datetime.now(UTC).date()
    found = FoundSources()
    label, where = (scraper, source) if scraper else detect(source)
    if label != "plain" or scraper:
        _try(found, Candidate(label, where, "the address"), open_client, today)
        if scraper or "://" not in source or found.tried:
            return found
    if shared_files.folder_address(source):
        _try(found, Candidate("plain", source, "the address"), open_client, today)
        return found
    page = _first_page(source, open_client, found)
    for groups in _in_turn(page, open_client, found.pages) if page is not None else ():
        for group in groups:
            for candidate in group[: MOST_CANDIDATES + 1]:
                known = [*found.failed, *found.tried]
                if (candidate.scraper, candidate.source) not in [
                    (each.scraper, each.source) for each, _ in known
                ]:
                    _try(found, candidate, open_client, today)
                if found.tried and found.tried[-1][0].found_in in ("the page", "a frame"):
                    break
        if found.tried:
            break
    found.tried.sort(key=lambda tried: _rank(tried, today), reverse=True)
    if several := _all_of_them(found.tried):
        found.tried.insert(0, several)
    return found


def _all_of_them(tried: Sequence[tuple[Candidate, Preview]]) -> tuple[Candidate, Preview] | None:
    """Return one candidate for several lists that the same page links, as of agendas and minutes.

    None if what was tried is something else, or if one of the lists has all documents.
    """
    parents = {candidate.linked_from for candidate, _ in tried}
    hosts = {urlsplit(url).hostname for each, _ in tried for url in (each.linked_from, each.source)}
    if any(candidate.scraper != "plain" for candidate, _ in tried) or len(parents) > 1:
        return None
    parent = next(iter(parents), "")
    documents = {each.url: each for _, preview in tried for each in preview.documents}
    if not parent or len(hosts) > 1 or len(documents) == max(len(p.documents) for _, p in tried):
        return None
    follow = "|".join(sorted(re.escape(candidate.source) for candidate, _ in tried))
    together = Preview(
        "plain",
        parent,
        meetings=len({(each.body, each.day or url) for url, each in documents.items()}),
        documents=list(documents.values()),
        skipped=[problem for _, preview in tried for problem in preview.skipped],
        errors=[problem for _, preview in tried for problem in preview.errors],
        pages=sum(preview.pages for _, preview in tried),
        stopped_early=any(preview.stopped_early for _, preview in tried),
    )
    found_in = f"all {len(tried)} lists that it links"
    settings = {"follow": f"^(?:{follow})$"}
    return Candidate("plain", parent, found_in, settings=settings), together


def _first_page(
    source: str, open_client: Callable[[FetcherSpec | None], Client], found: FoundSources
) -> WebPage | None:
    """Return the page at an address; where nothing responds, that with or without https and www."""
    scheme, host = re.split("://", source, maxsplit=1)
    other_host = host.removeprefix("www.") if host.startswith("www.") else f"www.{host}"
    others = [f"{scheme}://{other_host}"]
    others += [f"http://{each}" for each in (host, other_host) if scheme.lower() == "https"]
    failure: SourceUnavailable | None = None
    for address in (source, *others):
        try:
            with open_client(None) as client:
                return client.page(address)
        except SourceUnavailable as error:
            failure = failure or error
            if not isinstance(failure, HostTrouble) or isinstance(failure, CertificateRefused):
                break
    if failure and not found.failed:
        found.failed.append((Candidate("plain", source, "the address"), failure))
    return None


def next_step(error: ClerkError, source: str, pages: Sequence[str] = ()) -> str:
    """Say what to do when nothing was found at an address, after these pages were read.

    The hint of an error is about a site, and this is none yet: no response was stored.
    """
    if isinstance(error, PageMissing):
        parts = urlsplit(source)
        return f"Check the address, or start from the home page: {parts.scheme}://{parts.netloc}/"
    if not isinstance(error, NotUnderstood):
        return error.hint
    content = error.page.content if error.page else b""
    if error.page and shared_files.is_closed_folder(error.page.url):
        return "clerk cannot list such a folder: download it, and give the folder instead."
    if content and format_of(content) not in ("an HTML page", "text"):
        return "Give the address of the page that links such documents, or a folder of them."
    if isinstance(error, NeedsLogin):
        return "clerk fetches only what everybody can read: give the address of a public page."
    if isinstance(error, NeedsBrowser):
        return (
            "Open it in a browser. If it shows another site in a frame, give the address of that "
            "one; else write the addresses of its documents into a file, and give that file."
        )
    also = len(pages) - 1
    looked = f"clerk also looked at {also} page{'s' * (also > 1)} that it leads to. "
    return (looked if also > 0 else "") + "Give the address of the page that lists the meetings."


def _in_turn(
    page: WebPage, open_client: Callable[[FetcherSpec | None], Client], read: list[str]
) -> Iterator[list[list[Candidate]]]:
    """Yield the candidates that a page leads to, the most telling first, page by page.

    ``read`` collects the addresses of the pages that were read.
    """
    read.append(page.url)
    parents: dict[str, str] = {}

    def opened(addresses: Iterable[str]) -> Iterator[WebPage]:
        for url in dict.fromkeys(addresses):
            if url and url not in read and not leads_to_document(url, ""):
                read.append(url)
                with contextlib.suppress(SourceUnavailable), open_client(None) as client:
                    found = client.page(url)
                    parents[found.url] = parents.get(url, "")
                    yield found

    def linked(
        pages: list[WebPage], what: re.Pattern[str], but: re.Pattern[str] | None = None
    ) -> list[WebPage]:
        links: dict[str, str] = {}
        for each in pages:
            for node in parsed(each.text).css("a[href]"):
                said, url = text_of(node), href_of(node, each.url).partition("#")[0]
                if url and url not in read and what.search(said) and not (but and but.search(said)):
                    links.setdefault(url, each.url)
        first = dict(itertools.islice(links.items(), MOST_PAGES_ABOUT_MEETINGS))
        parents.update(first)
        return list(opened(first))

    def candidates(pages: list[WebPage]) -> list[list[Candidate]]:
        return [
            [replace(it, linked_from=parents.get(each.url, "")) for it in candidates_of(each)]
            for each in pages
        ]

    def lists_of_pages(pages: list[WebPage]) -> list[list[Candidate]]:
        found_in = "pages that it links"
        return [
            [Candidate("meeting_pages", each.url, found_in, parents.get(each.url, ""))]
            for each in pages
        ]

    yield candidates([page])
    host = urlsplit(page.url).hostname
    framed = [
        url
        for where, urls in _addresses(page)
        for url in urls
        if where == "a frame" and urlsplit(url).hostname == host
    ]
    pages = [page, *opened(framed[:MOST_PAGES_ABOUT_MEETINGS])]
    yield candidates(pages[1:])
    about_meetings = linked(pages, _ABOUT_MEETINGS)
    yield candidates(about_meetings)
    yield lists_of_pages([*pages, *about_meetings])
    deeper = linked(about_meetings, _ABOUT_MEETINGS)
    yield candidates(deeper)
    for _ in range(2):
        # A page about the government may lead to that of the council.
        governing = linked([*pages, *about_meetings], _ABOUT_GOVERNMENT, but=_ABOUT_MEETINGS)
        yield candidates(governing)
        about_meetings = linked(governing, _ABOUT_MEETINGS)
        yield candidates(about_meetings)
        yield lists_of_pages(about_meetings)
        about_meetings = linked(about_meetings, _ABOUT_MEETINGS)
        yield candidates(about_meetings)
        pages = governing
    yield [[each for each in candidates_of(page, videos=True) if each.found_in == "links"]]


def _rank(tried: tuple[Candidate, Preview], today: date) -> tuple[int, int, int]:
    candidate, preview = tried
    dated = sum(1 for each in preview.documents if each.day)
    own = candidate.found_in in ("the page", "a frame") or (
        candidate.found_in == OWN_LINKS and dated >= ENOUGH_OF_ITS_OWN
    )
    is_used = preview.days is not None and preview.days[1] > today - STILL_USED
    return int(is_used), int(own), dated


def _try(
    found: FoundSources,
    candidate: Candidate,
    open_client: Callable[[FetcherSpec | None], Client],
    today: date,
) -> None:
    """List a candidate once and put it where it belongs."""
    spec = registered().get(candidate.scraper)
    if spec is None:
        return
    site: SiteRow = {"subdomain": "", "scraper": spec.id, "extra": {"source": candidate.source}}
    recent = Window(today - LOOK_BACK, today + LOOK_AHEAD)
    everything = Window(EARLIEST, today + LOOK_AHEAD, full=True)
    failure: ClerkError | None = None
    for window in (recent,) if spec.lists_all else (recent, everything):
        try:
            with open_client(spec) as client:
                preview = list_source(spec, site, client, window, most_pages=MOST_PAGES)
        except (RobotsRefused, CircuitOpen) as error:
            failure = error
            break
        except SourceUnavailable as error:
            failure = error
            continue
        if preview.documents or preview.meetings:
            found.tried.append((candidate, preview))
            return
    failure = failure or SourceUnavailable(f"{candidate.source} lists no meetings.")
    found.failed.append((candidate, failure))


def candidates_of(page: WebPage, *, videos: bool = False) -> list[Candidate]:
    """Return the candidates of a page: by itself, then what it frames, loads and links.

    With ``videos``, links to a vendor's videos are some of them.
    """
    specs = list(registered().values())
    markup = page.text
    found: dict[tuple[str, str], Candidate] = {}

    def add(spec: FetcherSpec, url: str, where: str) -> None:
        key = (spec.id, url if where != "links" else urlsplit(url).netloc)
        found.setdefault(key, Candidate(spec.id, url, where))

    for spec in specs:
        if spec.recognises(markup):
            add(spec, page.url, OWN_LINKS if spec.marks_whole_site else "the page")
        elif spec.hosts and spec.matches(page.url):
            add(spec, page.url, "the page")
    for where, urls in _addresses(page):
        # Of many links to one vendor's host the one that looks like a list is taken.
        for url, _ in Counter(urls).most_common():
            if where == "links" and not videos and _VIDEO.search(url):
                continue
            for spec in specs:
                if (spec.hosts or spec.url_patterns) and spec.id != "urls" and spec.matches(url):
                    add(spec, url, where)
                    break
    platforms = list(found.values())[:MOST_CANDIDATES]
    return [*platforms, Candidate("plain", page.url, OWN_LINKS)]


def _addresses(page: WebPage) -> Iterator[tuple[str, list[str]]]:
    """Yield the addresses on a page by where they are, the most telling first."""
    tree = parsed(page.text)

    def whole(selector: str, *attributes: str) -> list[str]:
        said = [node.attributes.get(name) for node in tree.css(selector) for name in attributes]
        return [url for each in said if (url := joined(page.url, each or ""))]

    refresh = [
        each.attributes.get("content") or "" for each in tree.css("meta[http-equiv=refresh i]")
    ]
    leads_on = [match[1] for each in refresh if (match := _REFRESH.search(each))]
    yield "a frame", [url for each in leads_on if (url := joined(page.url, each))]
    yield "a frame", whole("iframe, frame, object, embed", "src", "data-src", "data")
    yield "a feed", whole(_FEED, "href")
    yield "links", whole("main a[href], article a[href], #content a[href]", "href")
    yield "links", whole("a[href]", "href")
    scripts = [node.text() or "" for node in tree.css("script:not([src])")]
    scripts += [node.attributes["onclick"] or "" for node in tree.css("[onclick]")]
    addresses = _ADDRESS_IN_SCRIPT.findall(" ".join(scripts).replace("\\/", "/"))
    yield "a script", [*whole("script[src]", "src"), *addresses]
