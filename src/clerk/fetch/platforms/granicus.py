"""Granicus: ``/ViewPublisher.php?view_id=N``, one page with every meeting of a view.

A viewer may answer a PDF, an HTML page or a redirect; what is no PDF is skipped by name.
"""

from __future__ import annotations

from collections.abc import Iterator

from clerk.core.storage import AGENDAS, MINUTES
from clerk.fetch import html, naming
from clerk.fetch.base import FetcherSpec, MeetingRef, Window

from .common import Offer, PlatformFetcher, moment, parameter

_KIND_OF_VIEWER = {"AgendaViewer.php": AGENDAS, "MinutesViewer.php": MINUTES}


class Granicus(PlatformFetcher):
    """Lists the rows of a publisher page."""

    def list_meetings(self, window: Window) -> Iterator[MeetingRef]:
        page = self.client.page(self.source)
        for row in html.parsed(page.text).css("tr"):
            if not row.css_first("td[headers]") or row.css_first("tr tr"):
                continue
            name = html.text_of(row.css_first('td[headers^="Name"]'))
            cell = row.css_first('td[headers^="Date"]')
            # Some views hide seconds in front of the date.
            hidden = html.text_of(cell.css_first("span[style*=none]")) if cell else ""
            start = moment(html.text_of(cell).removeprefix(hidden)) or moment(html.text_of(row))
            if not start or not name:
                continue
            links = [html.href_of(node, page.url) for node in row.css("a[href]")]
            keys = ("clip_id", "event_id")
            numbers = [(key, parameter(link, key)) for key in keys for link in links]
            offers = [
                Offer(kind.capitalize(), link, kind, kind)
                for link in links
                for viewer, kind in _KIND_OF_VIEWER.items()
                if f"/{viewer}" in link
            ]
            yield self.meeting(
                name,
                start,
                offers,
                vendor_id=next((f"{key}={number}" for key, number in numbers if number), ""),
                body=naming.body_of_title(name) or naming.UNNAMED_BODY,
                source_url=page.url,
            )


SPEC = FetcherSpec(
    "granicus",
    Granicus,
    hosts=("granicus.com",),
    url_patterns=(r"/ViewPublisher\.php",),
    pace=3.6,
    help="Granicus: https://TOWN.granicus.com/ViewPublisher.php?view_id=N",
)
