"""Swagit: ``{town}.new.swagit.com/views/N``, videos with an agenda next to some; no minutes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime, time

from clerk.core.storage import AGENDAS
from clerk.fetch import html, naming
from clerk.fetch.base import FetcherSpec, MeetingRef, Window
from clerk.fetch.http.responses import NotUnderstood, WebPage

from .common import Offer, PlatformFetcher

_AGENDA = re.compile(r"/videos/([0-9]+)/agenda\b", re.IGNORECASE)
_MOST_PAGES = 500


class Swagit(PlatformFetcher):
    """Lists the videos of a view and of the views next to it."""

    def list_meetings(self, window: Window) -> Iterator[MeetingRef]:
        """Yield the meetings of the view's tabs, page by page, the latest first."""
        first = self.client.page(self.source)
        if "/videos/" not in first.text:
            raise NotUnderstood(first, "a list of videos (/videos/N)")
        tabs = html.parsed(first.text).css(".nav-tabs-swagit a[href]")
        waiting = [
            url
            for node in tabs
            if (url := html.href_of(node, first.url)) and "live" not in url.rsplit("/", 1)[-1]
        ]
        seen: set[str] = set()
        read = {self.source.rstrip("/")}
        page: WebPage | None = first
        while True:
            meetings = list(self._meetings(page)) if page is not None else []
            for meeting in meetings:
                if meeting.vendor_id not in seen and (window.full or window.covers(meeting.day)):
                    seen.add(meeting.vendor_id)
                    yield meeting
            days = [each.day for each in meetings if each.day]
            if page is not None and (window.full or not days or min(days) >= window.start):
                further = html.parsed(page.text).css(".pagination a[href]")
                waiting = [*(html.href_of(node, page.url) for node in further), *waiting]
            waiting = [url for url in dict.fromkeys(waiting) if url and url.rstrip("/") not in read]
            if not waiting or len(read) > _MOST_PAGES:
                return
            read.add(waiting[0].rstrip("/"))
            page = self.read(waiting.pop(0))

    def _meetings(self, page: WebPage) -> Iterator[MeetingRef]:
        # The links of a video are commented out in some views.
        dated = html.DatedPage(re.sub(r"<!--|-->", " ", page.text), page.url)
        active = html.text_of(dated.tree.css_first(".nav-tabs-swagit li.active"))
        tab = re.sub(r"\b(?:archives?|videos?)\b", "", active, flags=re.IGNORECASE).strip()
        for node, url in dated.links(_AGENDA):
            match, found = _AGENDA.search(url), dated.dated_row(node)
            if not match or not found:
                continue
            title = html.text_of(found.row.css_first("td a, a")) or active
            named = naming.body_of_meeting(title)
            yield self.meeting(
                title,
                datetime.combine(found.day, time()),
                [Offer("Agenda", url, AGENDAS, "agenda")],
                vendor_id=match[1],
                body=naming.body_of_meeting(tab)
                if naming.BODY_WORD.search(tab)
                and not (" " in named and naming.BODY_WORD.search(named))
                else named,
                source_url=page.url,
            )


SPEC = FetcherSpec(
    "swagit",
    Swagit,
    hosts=("swagit.com",),
    finds_gaps=False,
    missing="the platform has no minutes",
    help="Swagit: https://TOWN.new.swagit.com/views/N (agendas only)",
    document_links=(r"/videos/[0-9]+/agenda\b",),
)
