"""Swagit: ``{town}.new.swagit.com/views/N``, videos with an agenda next to some; no minutes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime, time

from clerk.core.storage import AGENDAS
from clerk.fetch import html, naming
from clerk.fetch.base import FetcherSpec, MeetingRef, Window
from clerk.fetch.http.responses import NotUnderstood

from .common import Offer, PlatformFetcher

_AGENDA = re.compile(r"/videos/([0-9]+)/agenda\b", re.IGNORECASE)
_MOST_PAGES = 100


class Swagit(PlatformFetcher):
    """Lists the videos of a view and of the views next to it."""

    def list_meetings(self, window: Window) -> Iterator[MeetingRef]:
        """Yield the meetings of the view's tabs."""
        first = self.client.page(self.source)
        if "/videos/" not in first.text:
            raise NotUnderstood(first, "a list of videos (/videos/N)")
        tree = html.parsed(first.text)
        tabs = [html.href_of(node, first.url) for node in tree.css(".nav-tabs-swagit a[href]")]
        waiting = [tab for tab in dict.fromkeys(tabs) if "live" not in tab.rsplit("/", 1)[-1]]
        seen: set[str] = set()
        page, read = first, {self.source.rstrip("/")}
        while page is not None:
            # The links of a video are commented out in some views.
            dated = html.DatedPage(re.sub(r"<!--|-->", " ", page.text), page.url)
            active = html.text_of(dated.tree.css_first(".nav-tabs-swagit li.active"))
            for node, url in dated.links(_AGENDA):
                match, row = _AGENDA.search(url), dated.row_of(node)
                found = dated.date_of(node, row) if row else None
                if not match or not row or not found or match[1] in seen:
                    continue
                seen.add(match[1])
                title = html.text_of(row.css_first("td a, a")) or active
                tab = re.sub(r"\b(?:archives?|videos?)\b", "", active, flags=re.IGNORECASE).strip()
                named = naming.body_of_meeting(title)
                yield self.meeting(
                    title,
                    datetime.combine(found[0], time()),
                    [Offer("Agenda", url, AGENDAS, "agenda")],
                    vendor_id=match[1],
                    body=tab
                    if naming.BODY_WORD.search(tab)
                    and not (" " in named and naming.BODY_WORD.search(named))
                    else named,
                    source_url=page.url,
                )
            waiting = [url for url in waiting if url.rstrip("/") not in read]
            if not waiting or len(read) > _MOST_PAGES:
                return
            read.add(waiting[0].rstrip("/"))
            following = self.read(waiting.pop(0))
            if following is None:
                return
            page = following


SPEC = FetcherSpec(
    "swagit",
    Swagit,
    hosts=("swagit.com",),
    lists_all=True,
    finds_gaps=False,
    missing="the platform has no minutes",
    help="Swagit: https://TOWN.new.swagit.com/views/N (agendas only)",
    document_links=(r"/videos/[0-9]+/agenda\b",),
)
