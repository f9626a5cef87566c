"""IQM2: ``{town}.iqm2.com/Citizens``."""

from __future__ import annotations

import re
from collections.abc import Iterator

from selectolax.lexbor import LexborNode

from clerk.core.storage import AGENDAS, MINUTES
from clerk.fetch import html, naming
from clerk.fetch.base import FetcherSpec, MeetingRef, Window
from clerk.fetch.http.responses import NotUnderstood, PageMissing

from .common import Offer, PlatformFetcher, moment, parameter

#: The Type parameter of FileOpen.aspx.  Type 1 is the packet, as its label says.
_KIND_OF_TYPE = {"14": AGENDAS, "1": AGENDAS, "12": MINUTES, "15": MINUTES}

#: What a link says when it is pointed at: board, type and status of the meeting.
_TOLD = re.compile(r"Board:\s*(.*?)\s*Type:\s*(.*?)\s*Status:\s*(\w*)", re.DOTALL)
_FILE = re.compile(r"/File(?:Open|View)\.aspx\?", re.IGNORECASE)


class Iqm2(PlatformFetcher):
    """Lists the calendar of the window in one page."""

    def list_meetings(self, window: Window) -> Iterator[MeetingRef]:
        query = {
            "View": "List",
            "From": f"{window.start:%m/%d/%Y}",
            "To": f"{window.end:%m/%d/%Y}",
        }
        try:
            page = self.client.page(f"{self.root}/Citizens/Calendar.aspx", params=query)
        except PageMissing:
            page = self.client.page(self.source)
        tree = html.parsed(page.text)
        rows = tree.css("div.MeetingRow") or tree.css("div.RowTop")
        listed = list(self.understood(rows, lambda row: self._meeting(row, page.url)))
        listed += self.beside_dates(page, _FILE, _offer, listed)
        if not listed and not tree.css_first('[id*="pnlMeetings"], div.MonthHeader'):
            raise NotUnderstood(page, "the rows of a calendar (div.MeetingRow)")
        yield from listed

    def _meeting(self, row: LexborNode, base: str) -> MeetingRef | None:
        link = row.css_first("div.RowLink a[href]")
        start = moment(html.text_of(link))
        if not link or not start:
            return None
        detail = html.href_of(link, base)
        told = _TOLD.search(link.attributes.get("title") or "")
        board, sort = (told[1].strip(), told[2].strip()) if told else ("", "")
        title = html.text_of(row.css_first("div.RowDetails")) or f"{board} - {sort}"
        body = board if board and not naming.BODY_WORD.search(board) else ""
        links = [(html.href_of(node, base), html.text_of(node)) for node in row.css("a[href]")]
        offers = [offer for url, said in links if (offer := _offer(url, said))]
        return self.meeting(
            title,
            start,
            offers,
            vendor_id=parameter(detail, "ID"),
            body=body or naming.body_of_meeting(board or title),
            notice=f"{html.text_of(row)} {told[3] if told else ''}",
            source_url=detail,
        )


def _offer(url: str, label: str) -> Offer | None:
    """Return what a link offers; its label decides, because towns use the types as they like."""
    number = parameter(url, "Type")
    if not _FILE.search(url) or number not in _KIND_OF_TYPE:
        return None
    said = naming.find_kind(label)
    kind = said or _KIND_OF_TYPE[number]
    packet = number == "1" and kind == AGENDAS
    # "Backup" is none of them, whatever its type.
    other = not said and "summary" not in label.lower() and bool(html.name_in(label))
    return Offer(label, url, kind, f"type {number}", packet=packet, attachment=other)


SPEC = FetcherSpec(
    "iqm2",
    Iqm2,
    hosts=("iqm2.com",),
    url_patterns=(r"/Citizens/(?:Calendar|Default|Board|Detail_\w+)\.aspx",),
    help="IQM2: https://TOWN.iqm2.com/Citizens",
    page_marks=(r"/Citizens/File(?:Open|View)\.aspx\?Type=",),
    document_links=(r"File(?:Open|View)\.aspx\?Type=(?:1[245]|1)&(?:amp;)?ID=[0-9]+",),
)
