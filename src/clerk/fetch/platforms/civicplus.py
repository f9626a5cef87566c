"""CivicPlus AgendaCenter: ``/AgendaCenter``, on the vendor's host or a town's own."""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import urlsplit

from selectolax.lexbor import LexborNode

from clerk.core.storage import AGENDAS, MINUTES
from clerk.fetch import html
from clerk.fetch.base import FetcherSpec, MeetingRef, Window

from .common import Offer, PlatformFetcher, moment, parameter

_FILE = re.compile(r"/AgendaCenter/ViewFile/(Agenda|Minutes)/(_[0-9]{8}-[0-9]+)", re.IGNORECASE)


class CivicPlus(PlatformFetcher):
    """Lists the results of the AgendaCenter's own search, a year at a time."""

    def meetings_of_year(self, part: Window) -> Iterator[MeetingRef]:
        first, last = f"{part.start:%m/%d/%Y}", f"{part.end:%m/%d/%Y}"
        query = {"term": "", "CIDs": "all", "startDate": first, "endDate": last}
        page = self.client.page(f"{self.root}/AgendaCenter/Search/", params=query)
        for row in html.parsed(page.text).css("tr.catAgendaRow"):
            links = [html.href_of(node, page.url) for node in row.css("a[href]")]
            found = [match for link in links if (match := _FILE.search(urlsplit(link).path))]
            if not found:
                continue
            number, body = found[0][2], _list_heading(row)
            title = html.text_of(row.css_first("p")) or html.text_of(row.css_first("h3, h4"))
            yield self.meeting(
                title,
                moment(number[1:9]),
                _offers(links),
                vendor_id=number,
                body=body or title,
                source_url=page.url,
            )


def _list_heading(row: LexborNode) -> str:
    """Return the heading of the list that a row is in."""
    node = row.parent
    while node is not None and "listing" not in (node.attributes.get("class") or ""):
        node = node.parent
    heading = html.text_of(node.css_first("h2")) if node else ""
    return heading.strip("▼►▲ ")


def _offers(links: list[str]) -> Iterator[Offer]:
    """Yield each file once: rows link to it as HTML, as PDF, and with its packet."""
    seen: set[str] = set()
    for link in links:
        match = _FILE.search(urlsplit(link).path)
        if not match or parameter(link, "html"):
            continue
        name = match[1].capitalize() + (" Packet" if parameter(link, "packet") else "")
        if name not in seen:
            seen.add(name)
            kind = MINUTES if match[1].lower() == "minutes" else AGENDAS
            yield Offer(name, link, kind, name.lower())


SPEC = FetcherSpec(
    "civicplus",
    CivicPlus,
    hosts=("civicplus.com",),
    url_patterns=(r"/AgendaCenter\b",),
    pace=7.0,
    help="CivicPlus AgendaCenter: https://TOWN/AgendaCenter",
)
