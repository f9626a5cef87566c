"""OnBase Agenda Online: ``/OnBaseAgendaOnline``, mostly on a town's own host."""

from __future__ import annotations

import re
from collections.abc import Iterator

from selectolax.lexbor import LexborNode

from clerk.core.storage import AGENDAS, MINUTES
from clerk.fetch import html
from clerk.fetch.base import FetcherSpec, MeetingRef, Window

from .common import Offer, PlatformFetcher, moment, parameter

#: The documentType parameter: agenda, summary, minutes.
_KIND_OF_TYPE = {"1": AGENDAS, "2": MINUTES, "3": MINUTES}


class OnBase(PlatformFetcher):
    """Lists the rows of the page of meetings."""

    def list_meetings(self, window: Window) -> Iterator[MeetingRef]:
        root = re.fullmatch(r"(.*?/OnBaseAgendaOnline)/?", self.source, re.IGNORECASE)
        page = self.client.page(f"{root[1]}/Meetings" if root else self.source)
        for row in html.parsed(page.text).css("tr.meeting-row"):
            cells = {
                node.attributes.get("data-sortable-type") or "": html.text_of(node)
                for node in row.css("td[data-sortable-type]")
            }
            start = moment(cells.get("mtgTime", "")) or moment(cells.get("mtgName", ""))
            if not start:
                continue
            yield self.meeting(
                cells.get("mtgType") or cells.get("mtgName") or "",
                start,
                _offers(row, page.url),
                vendor_id=row.attributes.get("data-meeting-id") or "",
                notice=html.text_of(row),
                source_url=page.url,
            )


def _offers(row: LexborNode, base: str) -> Iterator[Offer]:
    """Yield each file once: rows repeat their links for small screens."""
    links = dict.fromkeys(html.href_of(node, base) for node in row.css("a[href]"))
    for link in links:
        number = parameter(link, "documentType")
        if "/documents/downloadfile/" in link.lower() and number in _KIND_OF_TYPE:
            kind = _KIND_OF_TYPE[number]
            yield Offer(kind.capitalize(), link, kind, f"type {number}")


SPEC = FetcherSpec(
    "onbase",
    OnBase,
    hosts=("hylandcloud.com",),
    url_patterns=(r"/OnBaseAgendaOnline\b",),
    help="OnBase: https://HOST/OnBaseAgendaOnline",
)
