"""Legistar's calendar page, for towns whose Web API is closed.

The header row names the columns; which there are differs from town to town.  Other years and
further pages come by posting the page's form back.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from selectolax.lexbor import LexborHTMLParser, LexborNode

from clerk.core.storage import AGENDAS, MINUTES
from clerk.fetch import html
from clerk.fetch.base import FetcherSpec, MeetingRef, Window
from clerk.fetch.http.responses import WebPage

from .common import Offer, PlatformFetcher, moment, parameter

#: The M parameter of View.ashx for what clerk reads.  AADA is the agenda as HTML, IC a calendar.
_KIND_OF_VIEW = {"A": AGENDAS, "M": MINUTES}
_MOST_PAGES = 100
_YEARS = "ctl00$ContentPlaceHolder1$lstYears"
_POST_BACK = re.compile(r"__doPostBack\('([^']+)'")


class Legistar(PlatformFetcher):
    """Lists the rows of the calendar, or of one body's page."""

    def list_meetings(self, window: Window) -> Iterator[MeetingRef]:
        """Yield the meetings of the page, and of the years of the window if there is a choice."""
        calendar = f"{self.root}/Calendar.aspx"
        first = self.client.page(self.source if ".aspx" in self.source else calendar)
        yield from self._all_pages(first)
        if "lstYears" not in first.text:
            return
        for year in window.years:
            state = json.dumps({"logEntries": [], "value": str(year), "text": str(year)})
            chosen = {_YEARS.replace("$", "_") + "_ClientState": state, _YEARS: str(year)}
            found = list(self._all_pages(self._posted(first, _YEARS, chosen)))
            yield from found
            if window.full and not found:
                return

    def _all_pages(self, page: WebPage) -> Iterator[MeetingRef]:
        for _ in range(_MOST_PAGES):
            tree = html.parsed(page.text)
            page_body = html.text_of(tree.css_first("title")).rpartition(" - ")[2]
            for table in tree.css("table.rgMasterTable"):
                names = [html.text_of(node).lower() for node in table.css("th")]
                for row in table.css("tr.rgRow, tr.rgAltRow"):
                    cells = [html.text_of(node) for node in row.css("td")]
                    texts = dict(zip(names, cells, strict=False))
                    meeting = self._meeting(row, texts, page.url, page_body)
                    if meeting:
                        yield meeting
            target = _next_page(tree)
            if not target:
                return
            page = self._posted(page, target, {})

    def _posted(self, page: WebPage, target: str, fields: dict[str, str]) -> WebPage:
        tree = html.parsed(page.text)
        hidden = {
            node.attributes["name"] or "": node.attributes.get("value") or ""
            for node in tree.css("input[type=hidden][name]")
        }
        form = {**hidden, **fields, "__EVENTTARGET": target, "__EVENTARGUMENT": ""}
        return self.client.page(page.url, method="POST", form=form)

    def _meeting(
        self, row: LexborNode, texts: dict[str, str], base: str, page_body: str
    ) -> MeetingRef | None:
        start = moment(
            texts.get("meeting date") or texts.get("date") or "",
            texts.get("meeting time") or texts.get("time") or "",
        )
        if not start:
            return None
        body = texts.get("name") or page_body
        links = [html.href_of(node, base) for node in row.css("a[href]")]
        identities = [parameter(link, "ID") for link in links if "GUID=" in link]
        offers = []
        for link in links:
            view = parameter(link, "M")
            if "View.ashx" in link and view in _KIND_OF_VIEW:
                kind = _KIND_OF_VIEW[view]
                offers.append(Offer(kind.capitalize(), link, kind, view))
        return self.meeting(
            body,
            start,
            offers,
            vendor_id=identities[0] if identities else "",
            body=body,
            notice=html.text_of(row),
            source_url=next((link for link in links if "MeetingDetail" in link), base),
        )


def _next_page(tree: LexborHTMLParser) -> str:
    """Return the post-back target of the page after the current one."""
    current = tree.css_first("a.rgCurrentPage")
    node = current.next if current else None
    while node is not None and node.tag != "a":
        node = node.next
    match = _POST_BACK.search((node.attributes.get("href") or "") if node else "")
    return match[1] if match else ""


SPEC = FetcherSpec(
    "legistar",
    Legistar,
    hosts=("legistar.com",),
    help="Legistar's calendar: https://TOWN.legistar.com/Calendar.aspx",
)
