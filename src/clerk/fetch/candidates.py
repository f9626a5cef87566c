"""Finding the source at an address: candidates are collected, and each is tried with one listing.

::

    the address itself   its host or path is a platform's
    the page             it leads on to a platform's host, or is a platform's on a town's own host
    frames, scripts, feeds and links of the page
    the page itself      read as a plain page with links to documents
    the pages about meetings that it links, in the same way
    the pages it links   if it is a list of meetings with a page for each of them
    the pages about the government that it links
    links to videos      the vendor may have documents, too

What yields documents counts, not who is linked first: every town links to vendors in its footer.
"""

from __future__ import annotations

import contextlib
import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from clerk.core.config import Settings
from clerk.core.errors import ClerkError, InvalidInput, SourceUnavailable
from clerk.core.site_extra import SiteRow

from .base import FetcherSpec, Window
from .discover import detect, registered
from .html import href_of, joined, parsed, text_of
from .http import DEFAULT_PACE_SECONDS
from .http.responses import CircuitOpen, RobotsRefused, WebPage
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
    r"agenda|minutes|meetings|business papers|sitzung|vergader|s[ée]ances", re.IGNORECASE
)
_ABOUT_GOVERNMENT = re.compile(r"\b(?:government|council|boards?|clerk)\b", re.IGNORECASE)
MOST_PAGES_ABOUT_MEETINGS = 3
#: A link to a video decides nothing.
_VIDEO = re.compile(r"/(?:player|camera|play|live|videos)/|MediaPlayer\.php", re.IGNORECASE)

#: Where a candidate was seen that is the page itself, as far as it links documents.
OWN_LINKS = "the page's own links"

_ADDRESS_IN_SCRIPT = re.compile(r"https?://[^\s\"'<>\\]+")
_REFRESH = re.compile(r"url\s*=\s*['\"]?([^'\"]+)", re.IGNORECASE)
_FEED = "link[rel=alternate][type*=rss], link[rel=alternate][type*=atom]"


@dataclass(frozen=True)
class Candidate:
    """A fetcher and the source to give it; ``found_in`` says where it was seen."""

    scraper: str
    source: str
    found_in: str


@dataclass
class FoundSources:
    """What was found at an address: the best candidate first, then others that yield documents."""

    tried: list[tuple[Candidate, Preview]] = field(default_factory=list)
    #: Candidates that could not be listed, and why.
    failed: list[tuple[Candidate, ClerkError]] = field(default_factory=list)

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
    page: WebPage | None = None
    try:
        with open_client(None) as client:
            page = client.page(source)
    except SourceUnavailable as error:
        if not found.failed:
            found.failed.append((Candidate("plain", source, "the address"), error))
    for group in _in_turn(page, open_client) if page is not None else ():
        for candidate in group[: MOST_CANDIDATES + 1]:
            failed = [(each.scraper, each.source) for each, _ in found.failed]
            if (candidate.scraper, candidate.source) not in failed:
                _try(found, candidate, open_client, today)
            if found.tried and found.tried[-1][0].found_in in ("the page", "a frame"):
                break
        if found.tried:
            break
    found.tried.sort(key=_rank, reverse=True)
    return found


def _in_turn(
    page: WebPage, open_client: Callable[[FetcherSpec | None], Client]
) -> Iterator[list[Candidate]]:
    """Yield the candidates that a page leads to, the most telling first."""

    def pages_about(what: re.Pattern[str], but: re.Pattern[str] | None = None) -> Iterator[WebPage]:
        said = [(text_of(node), node) for node in parsed(page.text).css("a[href]")]
        links = [
            href_of(node, page.url)
            for text, node in said
            if what.search(text) and not (but and but.search(text))
        ]
        for url in list(dict.fromkeys(filter(None, links)))[:MOST_PAGES_ABOUT_MEETINGS]:
            with contextlib.suppress(SourceUnavailable), open_client(None) as client:
                yield client.page(url)

    yield candidates_of(page)
    pages = [page]
    for linked in pages_about(_ABOUT_MEETINGS):
        pages.append(linked)
        yield candidates_of(linked)
    for each in pages:
        yield [Candidate("meeting_pages", each.url, "pages that it links")]
    for linked in pages_about(_ABOUT_GOVERNMENT, but=_ABOUT_MEETINGS):
        yield candidates_of(linked)
    yield [each for each in candidates_of(page, videos=True) if each.found_in == "links"]


def _rank(tried: tuple[Candidate, Preview]) -> tuple[int, int]:
    candidate, preview = tried
    dated = sum(1 for each in preview.documents if each.day)
    own = candidate.found_in in ("the page", "a frame") or (
        candidate.found_in == OWN_LINKS and dated >= ENOUGH_OF_ITS_OWN
    )
    return int(own), dated


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
        failure = SourceUnavailable(_nothing_found(candidate.source, preview))
    failure = failure or SourceUnavailable(f"{candidate.source} lists no meetings.")
    found.failed.append((candidate, failure))


def _nothing_found(source: str, preview: Preview) -> str:
    """Say that a source lists no meetings, and what it links instead."""
    skipped = len(preview.skipped)
    if not skipped:
        return f"{source} lists no meetings."
    first = preview.skipped[0]
    return (
        f"{source} lists no meetings: it links {skipped} document{'s' * (skipped > 1)}, and none "
        f"was taken for minutes or an agenda. The first is {first.what}: {first.why}."
    )


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
