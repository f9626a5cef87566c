"""The fetcher ``plain``: a page that links to documents, an RSS or Atom feed, an iCal calendar.

A document's date is looked for in the link's text, in the file's name, and in the row or paragraph
around it; its kind there and in the heading of the page.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime, time
from urllib.parse import unquote, urlsplit

from clerk.core.errors import SourceUnavailable
from clerk.fetch import html, naming
from clerk.fetch.base import FetcherSpec, MeetingRef, SourceSettings, Window, canonical_url
from clerk.fetch.http.responses import WebPage

from .common import Offer, PlatformFetcher

_MOST_PAGES = 50
_LONGEST_AROUND = 500
_LONGEST_BODY = 80
_BODY_WORD = re.compile(
    r"council|board|commission|committee|authority|trustees|select(?:men|board)|assembly|court|"
    r"agency|panel|task force|conseil|comit[ée]|consejo",
    re.IGNORECASE,
)
_AROUND = frozenset(("tr", "li", "p", "dd", "article", "section"))
#: Links to documents whose names do not end in .pdf.
_DOCUMENT_LINK = re.compile(
    r"\.pdf(?:[?#]|$)|/DocumentCenter/View/|[?&]ADID=|showdocument|showpublisheddocument|"
    r"/ViewFile/|/download(?:[/?]|$)|DocView\.aspx",
    re.IGNORECASE,
)


class PlainSettings(SourceSettings, kw_only=True):
    """What a page does not say itself, and which of its links are pages of the same kind."""

    meeting: str = ""
    kind: str = ""
    #: A regular expression: pages of the same host whose URL matches are read too.
    follow: str = ""
    #: 1.2.2024 is the first of February.
    day_first: bool = False


@dataclass(frozen=True)
class Link:
    """A link with the texts around it that may describe it."""

    url: str
    text: str
    around: str
    heading: str

    @property
    def file_name(self) -> str:
        """The last part of its path, readable."""
        return unquote(urlsplit(self.url).path).rsplit("/", 1)[-1].removesuffix(".pdf")


class PlainFetcher(PlatformFetcher):
    """Lists the documents that pages, feeds or calendars link to."""

    settings: PlainSettings

    def list_meetings(self, window: Window) -> Iterator[MeetingRef]:
        """Yield one meeting per link to a document."""
        follow = self.settings.follow
        waiting, read = [self.source], set[str]()
        while waiting and len(read) < _MOST_PAGES:
            page = self.client.page(waiting.pop(0))
            read.add(page.url)
            for link in _links(page):
                same_host = (urlsplit(link.url).hostname or "") == self.host
                if follow and same_host and re.search(follow, link.url):
                    if link.url not in read and link.url not in waiting:
                        waiting.append(link.url)
                elif _DOCUMENT_LINK.search(link.url) and (meeting := self._meeting(link)):
                    yield meeting

    def _meeting(self, link: Link) -> MeetingRef | None:
        texts = (link.text, link.file_name, link.around)
        dates = (naming.find_date(text, day_first=self.settings.day_first) for text in texts)
        day = next((each for each in dates if each), None)
        kind = next((k for text in (*texts, link.heading) if (k := naming.find_kind(text))), "")
        if not kind and not (day and self.settings.kind):
            self.skip(f"{link.text} ({link.url})", "says neither minutes nor agenda")
            return None
        offer = Offer(link.text or link.file_name, link.url, kind or self.settings.kind, "url")
        month = next((m for text in texts if (m := naming.find_month(text))), "")
        return MeetingRef(
            vendor_id=canonical_url(link.url),
            body=self.settings.meeting or _body(link),
            title=month if month and not day else link.text or link.file_name,
            start_local=datetime.combine(day, time()) if day else None,
            tz=self.settings.tz,
            source_url=self.source,
            documents=self.documents([offer], link.url),
        )


def _body(link: Link) -> str:
    """Return the first thing said about a link that sounds like a body of people."""
    for text in (link.text, link.around, *re.split(r"[|–—:]", link.heading)):
        body = naming.body_of_title(text)
        if len(body) < _LONGEST_BODY and _BODY_WORD.search(body):
            return body
    return naming.UNNAMED_BODY


def _links(page: WebPage) -> list[Link]:
    """Return the links of a page, a feed or a calendar, each URL once.

    The texts of several links to one URL are joined, as of a picture and the words next to it.
    """
    start = page.content[:2000].lstrip()
    if start.startswith(b"BEGIN:VCALENDAR"):
        found = _calendar_links(page)
    elif re.match(rb"<\?xml|<rss|<feed", start) and not re.search(rb"<html", start, re.IGNORECASE):
        found = _feed_links(page)
    else:
        found = _page_links(page)
    merged: dict[str, Link] = {}
    for link in found:
        known = merged.get(link.url)
        if known and link.text not in known.text:
            link = replace(link, text=f"{known.text} {link.text}".strip())
        merged[link.url] = link
    return list(merged.values())


def _page_links(page: WebPage) -> Iterator[Link]:
    tree = html.parsed(page.text)
    titles = [html.text_of(node) for node in tree.css("h1, title")]
    heading = " | ".join(dict.fromkeys(title for title in titles if title))
    for node in tree.css("a[href]"):
        url = html.href_of(node, page.url)
        if url:
            parent = node.parent
            while parent is not None and parent.tag not in _AROUND:
                parent = parent.parent
            around = html.text_of(parent)
            # A longer text is a whole page and not about this link.
            around = around if len(around) <= _LONGEST_AROUND else ""
            yield Link(url, html.text_of(node), around, heading)


def _feed_links(page: WebPage) -> Iterator[Link]:
    import feedparser  # type: ignore[import-untyped]

    feed = feedparser.parse(page.content)
    heading = feed.feed.get("title", "")
    for entry in feed.entries:
        title, published = entry.get("title", ""), entry.get("published", "")
        urls = [
            each.get("href", "") for each in (*entry.get("links", ()), *entry.get("enclosures", ()))
        ]
        for url in filter(None, (html.joined(page.url, each) for each in urls)):
            yield Link(url, title, f"{title} {published}", heading)


def _calendar_links(page: WebPage) -> Iterator[Link]:
    from icalendar import Calendar

    try:
        calendar = Calendar.from_ical(page.text)
    except ValueError as error:
        raise SourceUnavailable(f"{page.url} is not a calendar: {error}.") from error
    for event in calendar.walk("VEVENT"):
        title = str(event.get("SUMMARY", ""))
        start = event.get("DTSTART")
        around = f"{start.dt:%Y-%m-%d} {title}" if start else title
        values: list[object] = []
        for name in ("URL", "DESCRIPTION", "ATTACH"):
            value = event.get(name, "")
            values += value if isinstance(value, list) else [value]
        for url in re.findall(r"https?://[^\s<>\"']+", " ".join(map(str, values))):
            yield Link(url, title, around, str(calendar.get("X-WR-CALNAME", "")))


SPEC = FetcherSpec(
    "plain",
    PlainFetcher,
    settings=PlainSettings,
    lists_all=True,
    finds_gaps=False,
    help="A page that links to PDFs, an RSS or Atom feed, or an iCal calendar.",
)
