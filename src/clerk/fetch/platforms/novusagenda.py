"""NovusAgenda: ``{town}.novusagenda.com/agendapublic``; links hide in scripts, years are short."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape

from selectolax.lexbor import LexborNode

from clerk.core.storage import AGENDAS, MINUTES
from clerk.fetch import html, naming
from clerk.fetch.base import FetcherSpec, MeetingRef, Window
from clerk.fetch.platform import Offer, PlatformFetcher, moment, parameter

_PDF = re.compile(r"DisplayAgendaPDF\.ashx\?[^'\"\s]+", re.IGNORECASE)
_MEETING = re.compile(r"[?&]MeetingID=([0-9]+)", re.IGNORECASE)


class NovusAgenda(PlatformFetcher):
    """Lists the rows of the page of meetings."""

    def list_meetings(self, window: Window) -> Iterator[MeetingRef]:
        """Yield the meetings of the page."""
        page = self.client.page(self._start_page)
        for row in html.parsed(page.text).css("tr.rgRow, tr.rgAltRow"):
            if "Items" in (row.attributes.get("id") or ""):
                continue
            meeting = self._meeting(row, page.url)
            if meeting:
                yield meeting

    @property
    def _start_page(self) -> str:
        if ".aspx" in self.source.lower():
            return self.source
        return f"{self.root}/agendapublic/meetingsgeneral.aspx"

    def _meeting(self, row: LexborNode, base: str) -> MeetingRef | None:
        cells = [html.text_of(cell) for cell in row.css("td")]
        start = moment(cells[0]) if cells else None
        if not start or len(cells) < 2:
            return None
        markup = unescape(row.html or "")
        number = _MEETING.search(markup)
        links = [html.joined(base, link) for link in dict.fromkeys(_PDF.findall(markup))]
        name = cells[1]
        return MeetingRef(
            vendor_id=number[1] if number else "",
            body=naming.body_of_title(name) or name,
            title=name,
            start_local=start,
            tz=self.settings.tz,
            status="cancelled" if naming.is_cancelled(" ".join(cells)) else "",
            source_url=base,
            documents=self.documents(_offers(links), f"{name} {start:%Y-%m-%d}"),
        )


def _offers(links: list[str]) -> Iterator[Offer]:
    for link in links:
        kind = MINUTES if parameter(link, "MinutesMeetingID") else AGENDAS
        yield Offer(kind.capitalize(), link, kind, kind)


SPEC = FetcherSpec(
    "novusagenda",
    NovusAgenda,
    hosts=("novusagenda.com",),
    pace=3.6,
    help="NovusAgenda: https://TOWN.novusagenda.com/agendapublic",
)
