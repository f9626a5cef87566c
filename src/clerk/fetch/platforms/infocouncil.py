"""InfoCouncil (Australia, New Zealand): ``{council}.infocouncil.biz`` or a council's own host.

One page a year; rows with named cells; day first.  The row's date counts: names of files carry the
date in two different orders.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime, time

from selectolax.lexbor import LexborNode

from clerk.core.storage import AGENDAS, MINUTES
from clerk.fetch import html, naming
from clerk.fetch.base import FetcherSpec, MeetingRef, Window
from clerk.fetch.http.responses import NotUnderstood, PageMissing, WebPage

from .common import EMPTY_YEARS, Offer, PlatformFetcher, parameter, time_in

#: Documents in grids that name their cells otherwise.
_DOCUMENT = re.compile(r"_(AGN|MIN)(?:_[^/]*)?\.pdf", re.IGNORECASE)
_ATTACHED = re.compile(r"_(?:ATT|MAT)(?:_[^/]*)?\.\w+$", re.IGNORECASE)
_CELLS = {"bpsGridAgenda": AGENDAS, "bpsGridMinutes": MINUTES}


class InfoCouncil(PlatformFetcher):
    """Lists the grid of each year."""

    def list_meetings(self, window: Window) -> Iterator[MeetingRef]:
        """Yield the meetings of each year, the latest first, until the years are empty."""
        address = re.sub(r"[?&]year=[0-9]+", "", self.source)
        address += "&" if "?" in address else "?"
        empty_years, odd, understood = 0, None, False
        seen: set[str] = set()
        addresses = [(self.today.year, self.source)]
        addresses += [(year, f"{address}year={year}") for year in window.years]
        for year, url in addresses:
            meetings: list[MeetingRef] = []
            try:
                page = self.client.page(url)
            except PageMissing:
                pass
            else:
                meetings = [each for each in self._meetings(page) if each.identity("") not in seen]
                understood = understood or bool(meetings) or "bpsGrid" in page.text
                odd = odd or (None if understood else page)
                seen.update(each.identity("") for each in meetings)
                yield from meetings
            if seen and year < self.today.year:
                empty_years = 0 if meetings else empty_years + 1
            if empty_years == EMPTY_YEARS:
                break
        if not understood:
            raise NotUnderstood(odd, "the grid of meetings (bpsGridMenuItem)")

    def _meetings(self, page: WebPage) -> Iterator[MeetingRef]:
        tree = html.parsed(page.text)
        rows = [row for row in tree.css("tr") if len(row.css("td.bpsGridDate")) == 1]
        listed = list(self.understood(rows, lambda row: self._meeting(row, page.url)))
        yield from listed
        if not listed:
            yield from self.beside_dates(page, _DOCUMENT, _offer, day_first=True)

    def _meeting(self, row: LexborNode, base: str) -> MeetingRef | None:
        when = html.text_of(row.css_first("td.bpsGridDate"))
        day = naming.find_date(when, day_first=True)
        cell = row.css_first("td.bpsGridCommittee")
        if not day or not cell:
            return None
        title = html.text_of(cell)
        # The name is the first text; the place follows in elements of its own.
        nodes = [each for each in cell.traverse(include_text=True) if each.is_text_node]
        texts = ((each.text_content or "").strip() for each in nodes)
        name = next(filter(None, texts), title)
        offers = []
        for cell_class, kind in _CELLS.items():
            links: dict[str, str] = {}
            for node in row.css(f"td.{cell_class} a[href]"):
                said = node.attributes.get("title") or html.text_of(node)
                links.setdefault(html.href_of(node, base), said)
            links = {url: said for url, said in links.items() if not _ATTACHED.search(_file(url))}
            pdfs = {url: said for url, said in links.items() if _file(url).endswith(".pdf")}
            for url, said in (pdfs or links).items():
                form = "html" if _file(url).endswith((".htm", ".html")) else ""
                title_of = said if pdfs else kind.capitalize()
                offers.append(Offer(title_of, url, kind, _file(url), format=form))
        return self.meeting(
            name,
            datetime.combine(day, time_in(when) or time()),
            offers,
            body=naming.body_of_meeting(name),
            notice=title,
            source_url=base,
        )


def _offer(url: str, _text: str) -> Offer | None:
    match = _DOCUMENT.search(_file(url))
    kind = {"agn": AGENDAS, "min": MINUTES}.get(match[1].lower(), "") if match else ""
    return Offer(kind.capitalize(), url, kind, _file(url)) if kind else None


def _file(url: str) -> str:
    return (parameter(url, "URL") or url.partition("?")[0]).lower()


SPEC = FetcherSpec(
    "infocouncil",
    InfoCouncil,
    hosts=("infocouncil.biz",),
    missing="attachments",
    help="InfoCouncil: https://COUNCIL.infocouncil.biz",
    document_links=(r"RedirectToDoc\.aspx\?URL=[^\"'\s<>]+_(?:AGN|MIN)[^\"'\s<>]*\.PDF",),
    page_marks=(r"bpsGrid(?:MenuItem|MenuAltItem|Date|Committee)\b",),
)
