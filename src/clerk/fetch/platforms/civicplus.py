"""CivicPlus AgendaCenter: ``/AgendaCenter``, on the vendor's host or a town's own."""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import urlsplit

from selectolax.lexbor import LexborNode

from clerk.core.storage import AGENDAS, MINUTES
from clerk.fetch import html, naming
from clerk.fetch.base import FetcherSpec, MeetingRef, Window
from clerk.fetch.http.responses import NotUnderstood, PageMissing, WebPage

from .common import Offer, PlatformFetcher, moment, parameter

_FILE = re.compile(r"/AgendaCenter/ViewFile/(Agenda|Minutes)/(_[0-9]{8}-[0-9]+)", re.IGNORECASE)


class CivicPlus(PlatformFetcher):
    """Lists the results of the AgendaCenter's own search, a year at a time."""

    def list_meetings(self, window: Window) -> Iterator[MeetingRef]:
        """Yield what the search finds; where it finds nothing, what the page shows."""
        found = False
        try:
            for meeting in super().list_meetings(window):
                found = True
                yield meeting
        except PageMissing:
            if found:
                raise
        if not found:
            yield from self._meetings_of_page(window)

    def meetings_of_year(self, part: Window) -> Iterator[MeetingRef]:
        """Yield the search's results for one year."""
        first, last = f"{part.start:%m/%d/%Y}", f"{part.end:%m/%d/%Y}"
        # The address of one category, as /AgendaCenter/City-Council-3, stands for that alone.
        category = re.search(r"/AgendaCenter/[^/?]*?-([0-9]+)/?(?:[?#]|$)", self.source, re.I)
        only = category[1] if category else "all"
        query = {"term": "", "CIDs": only, "startDate": first, "endDate": last}
        page = self.client.page(f"{self.root}/AgendaCenter/Search/", params=query)
        if "AgendaCenter" not in page.text:
            raise NotUnderstood(page, "results of an AgendaCenter (tr.catAgendaRow)")
        yield from self._rows(page)

    def _meetings_of_page(self, window: Window) -> Iterator[MeetingRef]:
        """Yield the rows of the page, then of each category's further years."""
        page = self.client.page(self.source)
        rows = list(self._rows(page))
        if not rows and "catAgendaRow" not in page.text:
            raise NotUnderstood(page, "an AgendaCenter (tr.catAgendaRow)")
        yield from rows
        shown = {
            (match[2], match[1])
            for match in re.finditer(r"changeYear\(\s*([0-9]{4})\s*,\s*([0-9]+)", page.text)
        }
        for category, year in sorted(shown, key=lambda each: (each[1], each[0]), reverse=True):
            if int(year) not in window.years:
                continue
            form = {
                "year": year,
                "catID": category,
                "startDate": "",
                "endDate": "",
                "term": "",
                "prevVersionScreen": "false",
            }
            answer = self.read(
                f"{self.root}/AgendaCenter/UpdateCategoryList", method="POST", form=form
            )
            if answer is None:
                return
            heading = re.search(
                rf'aria-label="([^"]+?)\s*{year}"[^>]*changeYear\(\s*{year}\s*,\s*{category}\b',
                f"{answer.text}{page.text}",
            )
            yield from self._rows(answer, heading[1] if heading else "")

    def _rows(self, page: WebPage, body: str = "") -> Iterator[MeetingRef]:
        rows = html.parsed(page.text).css("tr.catAgendaRow")
        listed = list(self.understood(rows, lambda row: self._meeting(row, page.url, body)))
        yield from listed
        yield from self._outside_rows(page, body, {each.vendor_id for each in listed})

    def _outside_rows(self, page: WebPage, body: str, listed: set[str]) -> Iterator[MeetingRef]:
        """Yield the meetings whose files are linked elsewhere; the address has their date."""
        tree = html.parsed(page.text)
        links: dict[str, list[LexborNode]] = {}
        for node in tree.css("a[href]"):
            match = _FILE.search(urlsplit(html.href_of(node, page.url)).path)
            if match and match[2] not in listed:
                links.setdefault(match[2], []).append(node)
        above = html.titles_above(tree) if links else {}
        for number, nodes in links.items():
            titles = [html.text_of(node) for node in nodes]
            title = next((name for name in titles if html.name_in(name)), "")
            heading = next(filter(naming.BODY_WORD.search, above.get(nodes[0].mem_id, ())), "")
            yield self.meeting(
                title or heading,
                moment(number[1:9]),
                _offers([html.href_of(node, page.url) for node in nodes]),
                vendor_id=number,
                body=body or naming.body_of_meeting(heading or title),
                source_url=page.url,
            )

    def _meeting(self, row: LexborNode, base: str, body: str) -> MeetingRef | None:
        links = [html.href_of(node, base) for node in row.css("a[href]")]
        found = [match for link in links if (match := _FILE.search(urlsplit(link).path))]
        if not found:
            return None
        number = found[0][2]
        title = html.text_of(row.css_first("p")) or html.text_of(row.css_first("h3, h4"))
        lists = (
            each
            for each in html.ancestors(row)
            if "listing" in (each.attributes.get("class") or "")
        )
        listing = next(lists, None)
        heading = html.text_of(listing.css_first("h2")) if listing else ""
        return self.meeting(
            title,
            moment(number[1:9]),
            _offers(links),
            vendor_id=number,
            body=body or heading.strip("▼►▲ ") or title,
            source_url=base,
        )


def _offers(links: list[str]) -> Iterator[Offer]:
    """Yield each file once: rows link to it as HTML, as PDF, and with its packet.

    The page counts where there is nothing else.
    """
    seen: set[str] = set()
    for link in sorted(links, key=lambda each: bool(parameter(each, "html"))):
        match = _FILE.search(urlsplit(link).path)
        if not match:
            continue
        is_page = bool(parameter(link, "html"))
        name = match[1].capitalize() + (" Packet" if parameter(link, "packet") else "")
        if name not in seen:
            seen.add(name)
            kind = MINUTES if match[1].lower() == "minutes" else AGENDAS
            form = "html" if is_page else ""
            yield Offer(name, link, kind, name.lower(), format=form)


SPEC = FetcherSpec(
    "civicplus",
    CivicPlus,
    hosts=("civicplus.com",),
    url_patterns=(r"/AgendaCenter\b",),
    pace=7.0,
    missing="former versions that the page lists",
    help="CivicPlus AgendaCenter: https://TOWN/AgendaCenter",
    document_links=(r"/AgendaCenter/ViewFile/(?:Agenda|Minutes)/_[0-9]{8}-[0-9]+",),
    page_marks=(r"/AgendaCenter/ViewFile/(?:Agenda|Minutes)/_",),
)
