"""AgendaQuick (Destiny): ``destinyhosted.com/agenda_publish.cfm?id=CLIENT``, a month a page.

The newer product is at ``destinyhosted.com/CLIENT/agenda/``.  Agendas and minutes are pages.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from selectolax.lexbor import LexborNode

from clerk.core.storage import AGENDAS, MINUTES
from clerk.fetch import html
from clerk.fetch.base import FetcherSpec, MeetingRef, Window
from clerk.fetch.http.responses import NotUnderstood, WebPage

from .common import Offer, PlatformFetcher, moment, parameter

_KIND_OF_PAGE = {"ag": AGENDAS, "min": MINUTES, "agenda": AGENDAS, "minutes": MINUTES}
_NEWER = r"\b(agenda|minutes)\.cfm\?(?:seq|meetingId)=[0-9]+"
_PAGE = re.compile(rf"[?&]dsp=(?:ag|min)\b|{_NEWER}", re.IGNORECASE)
#: The way back through the months ends after this many without anything new.
_EMPTY_MONTHS = 12


class AgendaQuick(PlatformFetcher):
    """Lists the table of each month."""

    def list_meetings(self, window: Window) -> Iterator[MeetingRef]:
        """Yield the meetings of the page given, then month by month, the latest first."""
        first = self.client.page(self.source)
        is_list = "agenda_publish.cfm" in first.text or html.parsed(first.text).css("#list")
        newer = not is_list and bool(re.search(_NEWER, first.text, re.IGNORECASE))
        if not is_list and not newer:
            raise NotUnderstood(first, "the table of a month (table#list) or links to agenda.cfm")
        seen: set[str] = set()
        for meeting in self._meetings(first):
            seen.add(meeting.identity(""))
            yield meeting
        address, client_id = self.source.partition("?")[0], parameter(self.source, "id")
        if newer:
            address = re.sub(r"[^/]*$", "default.cfm", address)
        month, year, empty = window.end.month, window.end.year, 0
        while (year, month) >= (window.start.year, window.start.month) and empty < _EMPTY_MONTHS:
            query = {"id": client_id, "mt": "ALL", "get_month": str(month), "get_year": str(year)}
            if newer:
                query = {"mt": "ALL", "month": str(month), "year": str(year)}
            page = self.read(address, params=query)
            if page is None:
                return
            fresh = [each for each in self._meetings(page) if each.identity("") not in seen]
            seen.update(each.identity("") for each in fresh)
            yield from fresh
            if seen and (year, month) < (self.today.year, self.today.month):
                empty = 0 if fresh else empty + 1
            year, month = (year, month - 1) if month > 1 else (year - 1, 12)

    def _meetings(self, page: WebPage) -> Iterator[MeetingRef]:
        rows = html.parsed(page.text).css("table#list tbody tr")
        listed = list(self.understood(rows, lambda row: self._meeting(row, page.url)))
        yield from listed
        yield from self.beside_dates(page, _PAGE, _offer, listed)

    def _meeting(self, row: LexborNode, base: str) -> MeetingRef | None:
        cells = [html.text_of(cell) for cell in row.css("td")]
        start = next(filter(None, map(moment, cells)), None) if len(cells) > 1 else None
        if not start:
            return None
        offers, number = [], ""
        for node in row.css("a[href]"):
            url = html.href_of(node, base)
            said = node.attributes.get("title") or ""
            if offer := _offer(url, ""):
                number = number or parameter(url, "seq")
                offers.append(offer)
            elif url.lower().partition("?")[0].endswith(".pdf"):
                offers.append(Offer(said or html.text_of(node), url, vendor_id=url))
        return self.meeting(
            next(filter(None, map(html.name_in, cells)), ""),
            start,
            offers,
            vendor_id=number,
            source_url=base,
        )


def _offer(url: str, _text: str) -> Offer | None:
    newer = re.search(_NEWER, url, re.IGNORECASE)
    which = (newer[1] if newer else parameter(url, "dsp")).lower()
    kind = _KIND_OF_PAGE.get(which, "")
    return Offer(kind.capitalize(), url, kind, which, format="html") if kind else None


SPEC = FetcherSpec(
    "agendaquick",
    AgendaQuick,
    hosts=("destinyhosted.com",),
    url_patterns=(r"/agenda_publish\.cfm", r"/agenda/(?:default|agenda)\.cfm"),
    missing="PDFs in the agenda pages",
    help="AgendaQuick: https://destinyhosted.com/agenda_publish.cfm?id=CLIENT",
    document_links=(r"dsp=(?:ag|min)&(?:amp;)?seq=[0-9]+", _NEWER),
    page_marks=(r"agenda_publish\.cfm\?[^\"']*dsp=ag", r"\bagenda\.cfm\?seq=[0-9]+"),
)
