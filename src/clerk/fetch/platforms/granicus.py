"""Granicus: ``/ViewPublisher.php?view_id=N``, one page with every meeting of a view.

A viewer may answer a PDF, an HTML page or a redirect; what is no PDF is skipped by name.
"""

from __future__ import annotations

from collections.abc import Iterator

from selectolax.lexbor import LexborNode

from clerk.core.storage import AGENDAS, MINUTES
from clerk.fetch import html, naming
from clerk.fetch.base import FetcherSpec, MeetingRef, Window
from clerk.fetch.platform import Offer, PlatformFetcher, moment, parameter

_KIND_OF_VIEWER = {"AgendaViewer.php": AGENDAS, "MinutesViewer.php": MINUTES}


class Granicus(PlatformFetcher):
    """Lists the rows of a publisher page."""

    def list_meetings(self, window: Window) -> Iterator[MeetingRef]:
        """Yield all meetings of the page."""
        page = self.client.page(self.source)
        for row in html.parsed(page.text).css("tr"):
            if row.css_first("td[headers]") and not row.css_first("tr tr"):
                meeting = self._meeting(row, page.url)
                if meeting:
                    yield meeting

    def _meeting(self, row: LexborNode, base: str) -> MeetingRef | None:
        name = html.text_of(row.css_first('td[headers^="Name"]'))
        start = moment(_date_text(row)) or moment(html.text_of(row))
        if not start or not name:
            return None
        links = [html.href_of(node, base) for node in row.css("a[href]")]
        numbers = [(key, parameter(link, key)) for key in ("clip_id", "event_id") for link in links]
        identity = next((f"{key}={number}" for key, number in numbers if number), "")
        return MeetingRef(
            vendor_id=identity,
            body=naming.body_of_title(name) or naming.UNNAMED_BODY,
            title=name,
            start_local=start,
            tz=self.settings.tz,
            status="cancelled" if naming.is_cancelled(name) else "",
            source_url=base,
            documents=self.documents(_offers(links), f"{name} {start:%Y-%m-%d}"),
        )


def _date_text(row: LexborNode) -> str:
    """Return the text of the date's cell, without the seconds some views hide in it."""
    cell = row.css_first('td[headers^="Date"]')
    hidden = html.text_of(cell.css_first("span[style*=none]")) if cell else ""
    return html.text_of(cell).removeprefix(hidden)


def _offers(links: list[str]) -> Iterator[Offer]:
    for link in links:
        for viewer, kind in _KIND_OF_VIEWER.items():
            if f"/{viewer}" in link:
                yield Offer(kind.capitalize(), link, kind, kind)


SPEC = FetcherSpec(
    "granicus",
    Granicus,
    hosts=("granicus.com",),
    url_patterns=(r"/ViewPublisher\.php",),
    pace=3.6,
    help="Granicus: https://TOWN.granicus.com/ViewPublisher.php?view_id=N",
)
