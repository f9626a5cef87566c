"""Municode Meetings: tables of meetings; links to PDFs are wrapped in ``/d/f?u=``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import urlsplit, urlunsplit

from selectolax.lexbor import LexborNode

from clerk.fetch import html
from clerk.fetch.base import FetcherSpec, MeetingRef, Window

from .common import Offer, PlatformFetcher, moment, parameter

_MOST_PAGES = 200
#: Where wrapped links may lead.
_STORES = (".blob.core.usgovcloudapi.net", ".blob.core.windows.net", ".municode.com")
_BLOB = re.compile(r"MEET-(?P<what>[A-Za-z]+)-(?P<id>[0-9a-f]{16,})", re.IGNORECASE)


class Municode(PlatformFetcher):
    """Lists the rows of each page until there is none, or none that is new."""

    def list_meetings(self, window: Window) -> Iterator[MeetingRef]:
        """Yield the meetings, the latest first, until the window is left."""
        parts = urlsplit(self.source)
        query = re.sub(r"(^|&)p=[0-9]+", "", parts.query).strip("&")
        seen: set[str] = set()
        for number in range(1, _MOST_PAGES + 1):
            numbered = parts._replace(query=f"{query}&p={number}".strip("&"))
            page = self.client.page(urlunsplit(numbered))
            meetings = list(self._rows(page.text, page.url))
            fresh = [each for each in meetings if each.source_url not in seen]
            seen.update(each.source_url for each in meetings)
            yield from fresh
            past = [each for each in fresh if each.day and each.day < window.start]
            if not fresh or past:
                return

    def _rows(self, text: str, base: str) -> Iterator[MeetingRef]:
        for row in html.parsed(text).css("tr"):
            name = html.text_of(row.css_first("td"))
            start = moment(html.text_of(row))
            if not name or not start:
                continue
            offers = list(self._offers(row, base))
            blobs = [match["id"] for offer in offers if (match := _BLOB.search(offer.url))]
            yield self.meeting(
                name,
                start,
                offers,
                vendor_id=blobs[0] if blobs else "",
                notice=html.text_of(row),
                source_url=f"{base}#{blobs[0] if blobs else f'{name} {start:%Y-%m-%d}'}",
            )

    def _offers(self, row: LexborNode, base: str) -> Iterator[Offer]:
        for node in row.css("a[href]"):
            url = html.href_of(node, base)
            if urlsplit(url).path == "/d/f":
                url = parameter(url, "u")
            match = _BLOB.search(url)
            if match and not (urlsplit(url).hostname or "").endswith(_STORES):
                self.skip(url, "a wrapped link that leads elsewhere")
            elif match:
                yield Offer(match["what"], url, vendor_id=match["what"].lower())


SPEC = FetcherSpec(
    "municode",
    Municode,
    hosts=("municodemeetings.com", "meetings.municode.com"),
    help="Municode: https://meetings.municode.com/PublishPage?cid=TOWN&ppid=ID",
)
