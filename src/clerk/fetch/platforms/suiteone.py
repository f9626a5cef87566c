"""SuiteOne: ``{town}.suiteonemedia.com``, tables of meetings whose header row names the columns."""

from __future__ import annotations

import re
from collections.abc import Iterator

from selectolax.lexbor import LexborNode

from clerk.core.storage import AGENDAS, MINUTES
from clerk.fetch import html
from clerk.fetch.base import FetcherSpec, MeetingRef, Window
from clerk.fetch.http.responses import NotUnderstood

from .common import Offer, PlatformFetcher, moment, parameter

_KIND_OF_FILE = {
    "getagendafile": AGENDAS,
    "getagendapacketfile": AGENDAS,
    "getminutesfile": MINUTES,
}


_FILE = re.compile(r"/event/(Get\w+File)/", re.IGNORECASE)


class SuiteOne(PlatformFetcher):
    """Lists the rows of all tables."""

    def list_meetings(self, window: Window) -> Iterator[MeetingRef]:
        """Yield each meeting once, however many tabs show it."""
        page = self.client.page(self.source)
        tables = html.parsed(page.text).css("table.eventTable")
        listed: list[MeetingRef] = []
        for table in tables:
            names = [html.text_of(node).lower() for node in table.css("th")]
            rows = [(row, names) for row in table.css("tbody tr")]
            listed += self.understood(rows, lambda each: self._meeting(*each, page.url))
        listed += self.beside_dates(page, _FILE, _offer, listed)
        if not listed and not tables:
            raise NotUnderstood(page, "a table of events (table.eventTable)")
        yield from listed

    def _meeting(self, row: LexborNode, names: list[str], base: str) -> MeetingRef | None:
        cells = dict(zip(names, row.css("td"), strict=False))
        name_cell, when = cells.get("meeting"), html.text_of(cells.get("date | time"))
        start = moment(when) or moment(html.text_of(row))
        link = name_cell.css_first("a[href]") if name_cell else None
        title = html.text_of(name_cell).replace("(opens in new window)", "").strip()
        if not start or not title:
            return None
        links = [html.href_of(node, base) for node in row.css("a[href]")]
        offers = [offer for url in links if (offer := _offer(url, ""))]
        own_page = html.href_of(link, base) if link else ""
        return self.meeting(
            title, start, offers, vendor_id=parameter(own_page, "id"), source_url=own_page or base
        )


def _offer(url: str, _text: str) -> Offer | None:
    match = _FILE.search(url)
    kind = _KIND_OF_FILE.get(match[1].lower(), "") if match else ""
    if not match or not kind:
        return None
    packet = "packet" in match[1].lower()
    name = "Agenda Packet" if packet else kind.capitalize()
    number = parameter(url, "aid") or parameter(url, "mid")
    return Offer(name, url, kind, f"{match[1].lower()} {number}", packet=packet)


SPEC = FetcherSpec(
    "suiteone",
    SuiteOne,
    hosts=("suiteonemedia.com",),
    lists_all=True,
    missing="'Older Meetings', which scripts load",
    help="SuiteOne: https://TOWN.suiteonemedia.com",
    document_links=(r"/event/Get(?:Agenda|Minutes)File/[^\"'\s<>]+",),
    page_marks=(r"/event/Get(?:Agenda|Minutes)File/",),
)
