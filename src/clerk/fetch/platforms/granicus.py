"""Granicus: ``/ViewPublisher.php?view_id=N``, one page with every meeting of a view.

Towns choose or write the template of that page, so rows and cells tell nothing: every link to a
viewer is looked for, and the smallest element around it that holds a date is its row.  Where a page
lists nothing, its feed with the newest hundred meetings does.  A viewer may answer a PDF, an HTML
page or a redirect.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import datetime, time
from urllib.parse import urlsplit

from selectolax.lexbor import LexborNode

from clerk.core.errors import SourceUnavailable
from clerk.core.storage import AGENDAS, MINUTES
from clerk.fetch import html, naming
from clerk.fetch.base import FetcherSpec, MeetingRef, Window
from clerk.fetch.http.responses import NotUnderstood, PageMissing, WebPage

from .common import Offer, PlatformFetcher, kind_of_title, moment, parameter, time_in

_VIEWER = re.compile(r"/(?:Generated)?(?P<what>Agenda|Minutes)Viewer\.php\?", re.IGNORECASE)
_PACKET = re.compile(r"cloudfront\.net/.*\.pdf", re.IGNORECASE)
_FILE = re.compile(r"\.(?:pdf|docx?)(?:[?#&]|$)", re.IGNORECASE)
_ELSEWHERE = re.compile(
    r"/?DocumentViewer\.php\?|/View\.ashx\?|\.(?:pdf|docx?)(?:[?#&\"']|$)", re.IGNORECASE
)
#: Views that are tried where the address names none.
_VIEWS = range(1, 13)
#: Elements that name a meeting in the templates that name their elements at all.
_NAME_CELLS = (
    'td[headers^="Name"], td[headers*="EventName"], td[headers^="Title"], [class*="committee"], '
    '[class*="meetingName"], [class*="meeting-name"], [class*="eventName"], [class*="EventName"], '
    'td[scope="row"], th[scope="row"]'
)


class Granicus(PlatformFetcher):
    """Lists the viewer links of publisher pages."""

    def list_meetings(self, window: Window) -> Iterator[MeetingRef]:
        """Yield the meetings of the view; without a view in the address, of the first views."""
        view = parameter(self.source, "view_id")
        if view:
            yield from self._view(f"{self.root}/ViewPublisher.php?view_id={view}")
            return
        if urlsplit(self.source).path.lower().endswith(".php"):
            yield from self._view(self.source)
            return
        found = False
        for number in _VIEWS:
            try:
                page = self.client.page(f"{self.root}/ViewPublisher.php?view_id={number}")
            except PageMissing:
                continue
            meetings = list(self._meetings(page))
            meetings += self._without_viewers(page, meetings)
            found = found or bool(meetings)
            yield from meetings
        if not found:
            raise SourceUnavailable(
                f"{self.root} needs the number of a view, and the first {len(_VIEWS)} are empty.",
                hint="Give the address with its view: "
                f"{self.root}/ViewPublisher.php?view_id=N, as the town's page links it.",
            )

    def _view(self, url: str) -> Iterator[MeetingRef]:
        page = self.client.page(url)
        meetings = list(self._meetings(page))
        meetings += self._without_viewers(page, meetings)
        if not meetings:
            meetings = list(self._meetings_of_feed(url))
        if not meetings:
            raise NotUnderstood(page, "links to AgendaViewer.php or MinutesViewer.php with dates")
        yield from meetings

    def _meetings(self, page: WebPage) -> Iterator[MeetingRef]:
        dated = html.DatedPage(page.text, page.url)
        tabs, above = _tabs(dated), html.titles_above(dated.tree)
        rows: dict[str, list[tuple[LexborNode, str]]] = {}
        for node, url in dated.links(_VIEWER):
            key = _meeting_key(url)
            # A menu may offer reports beside the minutes.
            if key and (node.tag != "option" or kind_of_title(html.text_of(node))):
                rows.setdefault(key, []).append((node, url))
        for key, links in rows.items():
            node = links[0][0]
            row = dated.row_of(node)
            found = dated.date_of(node, row) if row else None
            # What a link and its picture say about themselves.
            texts = [node.attributes.get("title"), node.attributes.get("aria-label")]
            texts += [each.attributes.get("alt") for each in node.css("img[alt]")]
            said = " ".join(filter(None, texts))
            start = moment(said)
            if found:
                start = datetime.combine(found[0], time_in(found[1][:60]) or time())
            if not start:
                self.skip_undated(f"{said or key} ({links[0][1]})", links[0][1])
                continue
            offers = [_offer(url) for _, url in links]
            if row:
                offers += _files_of_row(row, page.url, {offer.kind for offer in offers})
            name = html.name_of_row(row, dated, _NAME_CELLS) if row else ""
            name = name or said or naming.UNNAMED_BODY
            yield self.meeting(
                name,
                start,
                {(offer.kind, offer.url): offer for offer in offers}.values(),
                vendor_id=key,
                body=tabs.get(node.mem_id) or _body(name, above.get(node.mem_id, ())),
                notice=dated.text(row)[:500] if row else name,
                source_url=page.url,
            )

    def _without_viewers(self, page: WebPage, listed: list[MeetingRef]) -> Iterator[MeetingRef]:
        """Yield the meetings whose documents are all elsewhere, as files or on Legistar."""
        if not _ELSEWHERE.search(page.text):
            return
        known = {(meeting.day, meeting.body) for meeting in listed}
        for meeting in self.beside_dates(page, _ELSEWHERE, _offer_elsewhere, listed):
            if (meeting.day, meeting.body) not in known:
                yield meeting

    def _meetings_of_feed(self, url: str) -> Iterator[MeetingRef]:
        import feedparser  # type: ignore[import-untyped]

        view = parameter(url, "view_id")
        for mode, kind in (("agendas", AGENDAS), ("minutes", MINUTES)):
            feed_url = f"{self.root}/ViewPublisherRSS.php?view_id={view}&mode={mode}"
            try:
                page = self.client.page(feed_url)
            except PageMissing:
                continue
            for entry in feedparser.parse(page.content).entries:
                link = html.joined(page.url, entry.get("link", ""))
                title = entry.get("title", "")
                start = moment(title) or moment(entry.get("published", ""))
                if link and start:
                    yield self.meeting(
                        title,
                        start,
                        [Offer(kind.capitalize(), link, kind, kind)],
                        vendor_id=_meeting_key(link),
                        source_url=page.url,
                    )


def _body(name: str, titles: Sequence[str]) -> str:
    """Return the body that a row names, or else the nearest title above it."""
    if not naming.BODY_WORD.search(name):
        titles = [each for each in titles if naming.BODY_WORD.search(each)]
        name = titles[0] if titles else name
    return naming.body_of_meeting(name)


def _meeting_key(url: str) -> str:
    for name in ("clip_id", "event_id", "meta_id"):
        if number := parameter(url, name):
            return f"{name}={number}"
    return ""


def _offer(url: str) -> Offer:
    match = _VIEWER.search(url)
    kind = MINUTES if match and match["what"].lower() == "minutes" else AGENDAS
    return Offer(kind.capitalize(), url, kind, kind)


def _offer_elsewhere(url: str, text: str) -> Offer | None:
    kind = kind_of_title(text)
    return Offer(text, url, kind, kind) if kind else None


def _files_of_row(row: LexborNode, base: str, viewed: set[str]) -> Iterator[Offer]:
    """Yield the packet, and what a town links as a file of its own instead of by a viewer."""
    links = [(each, url) for each in row.css("a[href]") for url in html.targets(each, base)]
    one_meeting = len({key for _, url in links if (key := _meeting_key(url))}) == 1
    for node, url in links:
        text = html.text_of(node)
        kind = kind_of_title(text)
        if _PACKET.search(url) and "packet" in text.lower():
            yield Offer("Agenda Packet", url, AGENDAS, "packet", packet=True)
        elif one_meeting and kind and kind not in viewed and _FILE.search(url):
            yield Offer(text, url, kind, "file")


def _tabs(dated: html.DatedPage) -> dict[int, str]:
    """Return the tab of each link where tabs name bodies, by the link's number in memory."""
    bodies: dict[int, str] = {}
    for panel in dated.tree.css("div.TabbedPanels"):
        names = [
            html.text_of(each)
            for group in panel.css("ul.TabbedPanelsTabGroup")
            if (parent := group.parent) is not None and parent.mem_id == panel.mem_id
            for each in group.css("li.TabbedPanelsTab")
        ]
        contents = [
            each
            for group in panel.css("div.TabbedPanelsContentGroup")
            if (parent := group.parent) is not None and parent.mem_id == panel.mem_id
            for each in group.css("div.TabbedPanelsContent")
            if (inside := each.parent) is not None and inside.mem_id == group.mem_id
        ]
        for name, content in zip(names, contents, strict=False):
            if naming.BODY_WORD.search(name) and not naming.SEVERAL_BODIES.fullmatch(name):
                for node in content.css("a[href], input[onclick]"):
                    bodies.setdefault(node.mem_id, name)
    return bodies


SPEC = FetcherSpec(
    "granicus",
    Granicus,
    hosts=("granicus.com",),
    url_patterns=(r"/ViewPublisher\.php",),
    pace=3.6,
    lists_all=True,
    missing="robots.txt refuses: needs a recorded permission; without a view number only views "
    "1 to 12 are tried",
    help="Granicus: https://TOWN.granicus.com/ViewPublisher.php?view_id=N",
    document_links=(r"(?:Agenda|Minutes)Viewer\.php\?[^\"'\s<>]*(?:clip|event)_id=[0-9]+",),
    page_marks=(r"ViewPublisher\.php.{0,2000}?AgendaViewer\.php",),
)
