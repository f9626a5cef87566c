"""IQM2: ``{town}.iqm2.com/Citizens``."""

from __future__ import annotations

from collections.abc import Iterator

from clerk.core.storage import AGENDAS, MINUTES
from clerk.fetch import html, naming
from clerk.fetch.base import FetcherSpec, MeetingRef, Window
from clerk.fetch.http.responses import NotUnderstood, PageMissing

from .common import Offer, PlatformFetcher, moment, parameter

#: The Type parameter of FileOpen.aspx.  Type 1 is the packet, as its label says.
_KIND_OF_TYPE = {"14": AGENDAS, "1": AGENDAS, "12": MINUTES, "15": MINUTES}


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
        rows = tree.css("div.MeetingRow")
        if not rows and not tree.css_first('[id*="pnlMeetings"], div.MonthHeader'):
            raise NotUnderstood(page, "the rows of a calendar (div.MeetingRow)")
        for row in rows:
            link = row.css_first("div.RowLink a[href]")
            start = moment(html.text_of(link))
            if not link or not start:
                continue
            detail = html.href_of(link, page.url)
            title = html.text_of(row.css_first("div.RowDetails"))
            offers = []
            for node in row.css("a[href]"):
                url = html.href_of(node, page.url)
                number = parameter(url, "Type")
                if "FileOpen.aspx" in url and number in _KIND_OF_TYPE:
                    label = html.text_of(node)
                    # The label decides: towns use the types for documents of their own.
                    kind = naming.find_kind(label) or _KIND_OF_TYPE[number]
                    packet = number == "1" and kind == AGENDAS
                    offers.append(Offer(label, url, kind, f"type {number}", packet=packet))
            yield self.meeting(
                title,
                start,
                offers,
                vendor_id=parameter(detail, "ID"),
                body=title.partition(" - ")[0] or title,
                notice=html.text_of(row),
                source_url=detail,
            )


SPEC = FetcherSpec(
    "iqm2",
    Iqm2,
    hosts=("iqm2.com",),
    help="IQM2: https://TOWN.iqm2.com/Citizens",
    document_links=(r"FileOpen\.aspx\?Type=(?:1[245]|1)&(?:amp;)?ID=[0-9]+",),
)
