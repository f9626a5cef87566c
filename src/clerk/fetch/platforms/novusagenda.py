"""NovusAgenda: ``{town}.novusagenda.com/agendapublic``; links hide in scripts, years are short."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape

from clerk.core.storage import AGENDAS, MINUTES
from clerk.fetch import html
from clerk.fetch.base import FetcherSpec, MeetingRef, Window
from clerk.fetch.http.responses import WebPage

from .common import Offer, PlatformFetcher, moment, parameter

_PDF = re.compile(r"DisplayAgendaPDF\.ashx\?[^'\"\s]+", re.IGNORECASE)
_MEETING = re.compile(r"[?&]MeetingID=([0-9]+)", re.IGNORECASE)


class NovusAgenda(PlatformFetcher):
    """Lists the rows of the page of meetings."""

    def list_meetings(self, window: Window) -> Iterator[MeetingRef]:
        """Yield the meetings that the page shows."""
        general = f"{self.root}/agendapublic/meetingsgeneral.aspx"
        page = self.client.page(self.source if ".aspx" in self.source.lower() else general)
        listed = list(self._rows(page))
        listed += self.beside_dates(page, _PDF, _offer, listed)
        yield from listed

    def _rows(self, page: WebPage) -> Iterator[MeetingRef]:
        for row in html.parsed(page.text).css("tr.rgRow, tr.rgAltRow"):
            cells = [html.text_of(cell) for cell in row.css("td")]
            start = moment(cells[0]) if len(cells) > 1 else None
            if not start or "Items" in (row.attributes.get("id") or ""):
                continue
            markup = unescape(row.html or "")
            number = _MEETING.search(markup)
            offers = []
            for found in dict.fromkeys(_PDF.findall(markup)):
                offers.append(_offer(html.joined(page.url, found), ""))
            yield self.meeting(
                cells[1],
                start,
                offers,
                vendor_id=number[1] if number else "",
                notice=" ".join(cells),
                source_url=page.url,
            )


def _offer(url: str, _text: str) -> Offer:
    kind = MINUTES if parameter(url, "MinutesMeetingID") else AGENDAS
    return Offer(kind.capitalize(), url, kind, kind)


SPEC = FetcherSpec(
    "novusagenda",
    NovusAgenda,
    hosts=("novusagenda.com",),
    pace=3.6,
    missing="meetings older than the page shows",
    help="NovusAgenda: https://TOWN.novusagenda.com/agendapublic",
    url_patterns=(r"/agendapublic/(?:meetingsgeneral|default)\.aspx",),
    page_marks=(r"DisplayAgendaPDF\.ashx\?",),
    document_links=(r"DisplayAgendaPDF\.ashx\?(?:Minutes)?MeetingID=[0-9]+",),
)
