"""Municode: ``meetings.municode.com/PublishPage``, and ``{town}-{st}.municodemeetings.com``.

The first is a plain table whose links to PDFs are wrapped in ``/d/f?u=``.  The second, also on
towns' own hosts, is a Drupal view with named cells.  Both repeat their last page for ever.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from urllib.parse import urlsplit, urlunsplit

from selectolax.lexbor import LexborNode

from clerk.core.storage import AGENDAS, MINUTES
from clerk.fetch import html
from clerk.fetch.base import FetcherSpec, MeetingRef, Window
from clerk.fetch.http.responses import NotUnderstood, PageMissing, WebPage

from .common import Offer, PlatformFetcher, iso_moment, kind_of_title, moment, parameter

_MOST_PAGES = 200
#: Where wrapped links may lead.
_STORES = (".blob.core.usgovcloudapi.net", ".blob.core.windows.net", ".municode.com")
_BLOB = re.compile(r"MEET-(?P<what>[A-Za-z]+)-(?P<id>[0-9a-f]{16,})", re.IGNORECASE)
_DETAILS = "td.views-field-view-node a[href], td.views-field-nothing a[href]"
_LIST = re.compile(r"^https?://[^/]+/meetings/?$", re.IGNORECASE)
_HTML_TWIN = re.compile(r"adaHtmlDocument", re.IGNORECASE)
_FILE = re.compile(r"\.(?:pdf|docx?)(?:\?|$)", re.IGNORECASE)


class Municode(PlatformFetcher):
    """Lists the rows of each page until there is none, or none that is new."""

    def list_meetings(self, window: Window) -> Iterator[MeetingRef]:
        """Yield the meetings, the latest first, until the window is left."""
        parts = urlsplit(self.source)
        drupal = "publishpage" not in parts.path.lower()
        name, first = ("page", 0) if drupal else ("p", 1)
        query = re.sub(rf"(^|&){name}=[0-9]+", "", parts.query).strip("&")
        seen: set[str] = set()
        following = ""
        for number in range(first, first + _MOST_PAGES):
            numbered = "" if drupal and number == 0 else f"{name}={number}"
            url = following or urlunsplit(parts._replace(query=f"{query}&{numbered}".strip("&")))
            page = self.client.page(url) if number == first else self.read(url)
            if page is None:
                return
            meetings = list(self._rows(page))
            meetings += self.beside_dates(page, _BLOB, _offer, meetings)
            if number == first and not meetings:
                # A calendar of a month leads to the list, which goes back further.
                links = html.DatedPage(page.text, page.url).links(_LIST)
                address = next((link for _, link in links if link.startswith(self.root)), "")
                try:
                    listing = self.client.page(address) if address not in ("", page.url) else page
                except PageMissing:
                    listing = page
                meetings = list(self._rows(listing)) or list(self._linked_pages(page))
                if listing is not page:
                    page, parts, query = listing, urlsplit(address), ""
                if not meetings:
                    raise NotUnderstood(page, "a table of meetings with dates")
            fresh = [each for each in meetings if each.identity("") not in seen]
            seen.update(each.identity("") for each in meetings)
            yield from fresh
            past = [each for each in fresh if each.day and each.day < window.start]
            # The home page may show the first rows of a list that has an address of its own.
            links = html.DatedPage(page.text, page.url).links(
                re.compile(rf"[?&]{name}={number + 1}\b")
            )
            following = next((link for _, link in links if link.startswith(self.root)), "")
            if not fresh or past or (drupal and not following):
                return

    def _rows(self, page: WebPage) -> Iterator[MeetingRef]:
        tree = html.parsed(page.text)
        # A link that stands in several rows is a body's page, and no meeting's.
        own_pages = Counter(html.href_of(node, page.url) for node in tree.css(_DETAILS))
        for row in tree.css("tr"):
            table = next((each for each in html.ancestors(row) if each.tag == "table"), None)
            classes = (table.attributes.get("class") or "").split() if table else []
            # A calendar of a month is no list of meetings.
            is_week = "calendar" in classes or row.css_first("td[data-date]") is not None
            if len(row.css("tr")) > 1 or is_week:
                continue
            stamp = row.css_first("span.date-display-single[content], time[datetime]")
            start = _moment_of(stamp) or moment(html.text_of(row))
            cell = row.css_first("td.views-field-title, td.meeting")
            names = (html.name_in(html.text_of(each)) for each in row.css("td"))
            name = html.text_of(cell) or next(filter(None, names), "")
            if name and start:
                detail = row.css_first(_DETAILS)
                own_page = html.href_of(detail, page.url) if detail else ""
                own_page = own_page if own_pages[own_page] == 1 else ""
                yield self._meeting(row, name, start, page.url, own_page)

    def _meeting(
        self, row: LexborNode, name: str, start: datetime, base: str, own_page: str
    ) -> MeetingRef:
        offers = list(self._offers(row, base))
        blobs = [match["id"] for offer in offers if (match := _BLOB.search(offer.url))]
        return self.meeting(
            name,
            start,
            offers,
            vendor_id=blobs[0] if blobs else own_page,
            notice=html.text_of(row),
            source_url=own_page or f"{base}#{blobs[0] if blobs else f'{name} {start:%Y-%m-%d}'}",
        )

    def _offers(self, row: LexborNode, base: str) -> Iterator[Offer]:
        twins: dict[str, str] = {}
        kinds: set[str] = set()
        for node in row.css("a[href]"):
            url, column = html.href_of(node, base), _column_of(node)
            if urlsplit(url).path == "/d/f":
                url = parameter(url, "u")
            match = _BLOB.search(url)
            if match and not (urlsplit(url).hostname or "").endswith(_STORES):
                self.skip(url, "a wrapped link that leads elsewhere", url)
            elif offer := _offer(url, ""):
                kinds.add(kind_of_title(offer.title))
                yield offer
            elif _HTML_TWIN.search(url):
                if column in (AGENDAS, MINUTES):
                    twins.setdefault(column, url)
            elif _FILE.search(url):
                kind = {"packets": AGENDAS, AGENDAS: AGENDAS, MINUTES: MINUTES}.get(column, "")
                title = html.text_of(node) or column
                if kind:
                    kinds.add(kind)
                    yield Offer(title, url, kind, url, packet=column == "packets")
        for kind, url in twins.items():
            # Some documents are published as a page only.
            if kind not in kinds:
                yield Offer(kind.capitalize(), url, kind, kind, format="html")

    def _linked_pages(self, page: WebPage) -> Iterator[MeetingRef]:
        """Yield the meetings that a calendar of a month links to, each from its own page."""
        tree = html.parsed(page.text)
        links = {
            html.href_of(node, page.url)
            for node in tree.css("table.calendar a[href], .calendar-calendar a[href]")
        }
        for url in sorted(link for link in links if link.startswith(self.root)):
            detail = self.read(url)
            if detail is None:
                continue
            body = html.parsed(detail.text)
            stamp = body.css_first("span.date-display-single[content]")
            start = _moment_of(stamp)
            title = html.text_of(body.css_first("h1")) or html.text_of(body.css_first("title"))
            holder = body.css_first("main, #content, article, body")
            if start and title and holder:
                offers = list(self._offers(holder, detail.url))
                yield self.meeting(title, start, offers, vendor_id=url, source_url=url)


def _offer(url: str, _text: str) -> Offer | None:
    match = _BLOB.search(parameter(url, "u") or url)
    if not match or _HTML_TWIN.search(url):
        return None
    return Offer(match["what"], parameter(url, "u") or url, vendor_id=match["what"].lower())


def _moment_of(stamp: LexborNode | None) -> datetime | None:
    """Return the time of an element for programs; universal time gives way to what it shows."""
    if stamp is None:
        return None
    written = stamp.attributes.get("content") or stamp.attributes.get("datetime") or ""
    shown = moment(html.text_of(stamp)) if written.endswith("Z") else None
    return shown or iso_moment(written)


def _column_of(node: LexborNode) -> str:
    """Return which cell or block of a meeting a link is in: agendas, packets or minutes."""
    parent = node.parent
    while parent is not None and parent.tag not in ("tr", "body"):
        match = re.search(
            r"(?:^|[\s-])(agenda|packet|minute)s?\b", parent.attributes.get("class") or ""
        )
        if match:
            return {"minute": "minutes"}.get(match[1], match[1] + "s")
        parent = parent.parent
    return ""


SPEC = FetcherSpec(
    "municode",
    Municode,
    hosts=("municodemeetings.com", "meetings.municode.com"),
    help="Municode: https://TOWN-ST.municodemeetings.com",
    document_links=(r"MEET-(?:Agenda|Minutes)-[0-9a-f]{16,}",),
    page_marks=(
        r"mccmeetings\.blob\.core\.usgovcloudapi\.net/[^\"']+/MEET-",
        # The calendar of a month has links to the meetings only.
        r"view-item-calendar[\s\S]{0,2000}views-field-field-calendar-date",
    ),
)
