"""BoardBook, Sparq and BOEconnect: one product on three hosts, mostly for school boards.

``/Public/Organization/{id}`` is one page with all years; committees have rows of their own class.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from selectolax.lexbor import LexborHTMLParser, LexborNode

from clerk.core.storage import AGENDAS, MINUTES
from clerk.fetch import html, naming
from clerk.fetch.base import FetcherSpec, MeetingRef, Window
from clerk.fetch.http.responses import NotUnderstood

from .common import Offer, PlatformFetcher, moment, parameter

_LINK = re.compile(r"/Public/(?:Download)?(Agenda|Minutes)/([^/?]+)\?", re.IGNORECASE)
_UNIT = re.compile(r"row-for-unit-(\w+)")


class BoardBook(PlatformFetcher):
    """Lists the rows of an organization's page."""

    def list_meetings(self, window: Window) -> Iterator[MeetingRef]:
        """Yield the meetings of the board and its committees."""
        match = re.search(r"/Public/\w+/([^/?]+)", self.source)
        where = f"{self.root}/Public/Organization/{match[1]}" if match else self.source
        page = self.client.page(where)
        tree = html.parsed(page.text)
        rows = tree.css('tr[class*="row-for-"]')
        listed = list(self.understood(rows, lambda row: self._meeting(row, tree, page.url)))
        listed += self.beside_dates(page, _LINK, self._offer, listed)
        if not listed and not tree.css_first("#PublicMeetingsTable"):
            raise NotUnderstood(page, "rows of meetings (tr.row-for-board)")
        yield from listed

    def _meeting(self, row: LexborNode, tree: LexborHTMLParser, base: str) -> MeetingRef | None:
        first = html.text_of(row.css_first("td div") or row.css_first("td"))
        start = moment(first)
        title = re.sub(r"^.*?[0-9]\s*[ap]\.?m\.?\s*-\s*", "", first, flags=re.IGNORECASE).strip()
        title = title if title != first else first.partition(" - ")[2].strip()
        offers, number = [], ""
        for node in row.css("a[href]"):
            link = html.href_of(node, base)
            if offer := self._offer(link, ""):
                number = parameter(link, "meeting")
                offers.append(offer)
        if not start:
            return None
        unit = _UNIT.search(row.attributes.get("class") or "")
        body, named = _name_of_unit(tree, unit[1]) if unit else "", naming.body_of_meeting(title)
        if not naming.names_body(named):
            # "Regular Meeting", "Public Hearing to Discuss the Budget": the document will say it.
            named = "" if title else "Board"
        return self.meeting(
            title,
            start,
            offers,
            vendor_id=number,
            body=body or named,
            source_url=base,
        )

    def _offer(self, url: str, _text: str) -> Offer | None:
        """Return the PDF of a page: it is below Download instead of Agenda or Minutes."""
        match = _LINK.search(url)
        if not match:
            return None
        kind = AGENDAS if match[1].lower() == "agenda" else MINUTES
        number = parameter(url, "meeting")
        file = f"{self.root}/Public/Download{match[1]}/{match[2]}?meeting={number}"
        return Offer(kind.capitalize(), file, kind, kind)


def _name_of_unit(tree: LexborHTMLParser, unit: str) -> str:
    """Return what the page's filter calls a committee."""
    for node in tree.css("option[value], [data-unit], label[for], input[value]"):
        values = (node.attributes.get(name) or "" for name in ("value", "data-unit", "for"))
        if any(re.search(rf"(?:^|\D){re.escape(unit)}$", value) for value in values):
            name = html.text_of(node) or html.text_of(node.parent)
            if re.search(r"[^\W\d_]{3}", name):
                return name
    return ""


SPEC = FetcherSpec(
    "boardbook",
    BoardBook,
    hosts=("meetings.boardbook.org", "meeting.sparqdata.com", "meeting.boeconnect.net"),
    lists_all=True,
    missing="names of committees that the page does not list",
    help="BoardBook and Sparq: https://meetings.boardbook.org/Public/Organization/ID",
    document_links=(r"/Public/(?:Agenda|Minutes)/[^/\"'?]+\?meeting=[0-9]+",),
    page_marks=(r"row-for-board",),
)
