"""CivicEngage ArchiveCenter: ``Archive.aspx?AMID=N`` lists one series: "City Council Minutes".

The series is body and kind; the title of an item is its date.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime, time

from clerk.fetch import html, naming
from clerk.fetch.base import FetcherSpec, MeetingRef, Window
from clerk.fetch.http.responses import NotUnderstood, WebPage

from .common import Offer, PlatformFetcher, kind_of_title, parameter

_ITEM = re.compile(r"Archive\.aspx\?(?:.*&)?ADID=[0-9]+|/ArchiveCenter/ViewFile/Item/[0-9]+", re.I)
_SERIES = re.compile(r"Archive\.aspx\?(?:.*&)?AMID=[0-9]+", re.IGNORECASE)


class ArchiveCenter(PlatformFetcher):
    """Lists the items of a series, or of all series that name minutes or agendas."""

    def list_meetings(self, window: Window) -> Iterator[MeetingRef]:
        """Yield one meeting per item."""
        first = self.client.page(self.source)
        if parameter(self.source, "AMID"):
            meetings = list(self._items(first, ""))
            if not meetings:
                raise NotUnderstood(first, "items of an archive (Archive.aspx?ADID=N)")
            yield from meetings
            return
        dated = html.DatedPage(first.text, first.url)
        series = {url: html.text_of(node) for node, url in dated.links(_SERIES)}
        wanted = {url: name for url, name in series.items() if kind_of_title(name)}
        if not wanted:
            raise NotUnderstood(first, "series of minutes or agendas (Archive.aspx?AMID=N)")
        for url, name in wanted.items():
            page = self.read(url)
            if page is not None:
                yield from self._items(page, name)

    def _items(self, page: WebPage, series: str) -> Iterator[MeetingRef]:
        dated = html.DatedPage(page.text, page.url)
        titles = dated.tree.css("h1, h2, .archiveTitle, title")
        items = dated.links(_ITEM)
        names = [series, *(html.text_of(node) for node in titles)]
        if items and dated.tree.body is not None:
            # In some designs the name of the series is no heading, but the last text that may be.
            for node in dated.tree.body.traverse(include_text=True):
                if node.mem_id == items[0][0].mem_id:
                    break
                if node.tag == "-text":
                    names.insert(1 + len(titles), " ".join((node.text_content or "").split()))
        series = next((name for name in names if len(name) < 150 and kind_of_title(name)), "")
        seen: set[str] = set()
        for node, url in items:
            title = html.text_of(node)
            day = naming.find_date(title)
            if day is None and (found := dated.dated_row(node)):
                day = found.day
            number = parameter(url, "ADID") or url.rstrip("/").rsplit("/", 1)[-1]
            kind = kind_of_title(title) or kind_of_title(series)
            if number in seen or not title:
                continue
            seen.add(number)
            if not day:
                self.skip(f"{title} ({url})", "no date", url)
                continue
            yield self.meeting(
                f"{series} {title}".strip(),
                datetime.combine(day, time()),
                [Offer(title, url, kind, number)],
                vendor_id=number,
                body=naming.body_of_meeting(series) or naming.UNNAMED_BODY,
                source_url=page.url,
            )


SPEC = FetcherSpec(
    "archivecenter",
    ArchiveCenter,
    url_patterns=(r"/Archive\.aspx",),
    pace=7.0,
    lists_all=True,
    finds_gaps=False,
    missing="items whose title has no date",
    help="CivicEngage ArchiveCenter: https://TOWN/Archive.aspx?AMID=N",
    document_links=(r"Archive\.aspx\?ADID=[0-9]+",),
)
