"""IQM2: ``{town}.iqm2.com/Citizens``."""

from __future__ import annotations

from collections.abc import Iterator

from clerk.core.storage import AGENDAS, MINUTES
from clerk.fetch import html
from clerk.fetch.base import FetcherSpec, MeetingRef, Window

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
        page = self.client.page(f"{self.root}/Citizens/Calendar.aspx", params=query)
        for row in html.parsed(page.text).css("div.MeetingRow"):
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
                    kind = _KIND_OF_TYPE[number]
                    offers.append(Offer(html.text_of(node), url, kind, f"type {number}"))
            yield self.meeting(
                title,
                start,
                offers,
                vendor_id=parameter(detail, "ID"),
                body=title.partition(" - ")[0] or title,
                notice=html.text_of(row),
                source_url=detail,
            )


SPEC = FetcherSpec("iqm2", Iqm2, hosts=("iqm2.com",), help="IQM2: https://TOWN.iqm2.com/Citizens")
