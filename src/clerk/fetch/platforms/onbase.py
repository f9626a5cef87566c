"""OnBase Agenda Online (Hyland): on the vendor's hosts, or a town's own with ``/AgendaOnline``.

Towns redraw the list, so the links tell: the meeting's number, the kind by ``doctype`` (1 agenda,
2 minutes, 3 summary), date, time and body in the link's title.  Some hosts offer PDFs, others only
pages.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, time

from selectolax.lexbor import LexborNode

from clerk.core.storage import AGENDAS, MINUTES
from clerk.fetch import html, naming
from clerk.fetch.base import FetcherSpec, MeetingRef, Window
from clerk.fetch.http.responses import NotUnderstood, WebPage

from .common import EMPTY_YEARS, Offer, PlatformFetcher, moment, parameter, time_in

#: The documentType parameter: agenda, minutes, summary, packet.
_KIND_OF_TYPE = {"1": AGENDAS, "2": MINUTES, "3": MINUTES, "5": AGENDAS}
_LINK = re.compile(
    r"/Documents/DownloadFile/|/Meetings/ViewMeeting\?|/Documents/ViewAgenda\?|/ViewMeetingAgenda\?",
    re.IGNORECASE,
)
_COMMENTED = re.compile(r"<!--(?=[^>]*DownloadFile)(.*?)-->", re.IGNORECASE | re.DOTALL)
_APPLICATION = re.compile(r"(https?://[^/]+(?:/[^/?]*agendaonline[^/?]*))", re.IGNORECASE)
#: "View Agenda for NAME BODY on 9/27/2022 10:00:00 AM"
_TITLE = re.compile(
    r"\bfor\s+(?P<name>.+?)\s+on\s+(?P<when>[0-9]{1,2}/[0-9]{1,2}/[0-9]{4}.*)", re.S
)


@dataclass
class FoundMeeting:
    """What the links of a page say about one meeting."""

    title: str = ""
    body: str = ""
    start: datetime | None = None
    notice: str = ""
    files: dict[str, str] = field(default_factory=dict)
    pages: dict[str, str] = field(default_factory=dict)


class OnBase(PlatformFetcher):
    """Lists the links of the home page, of the address given, and of a search by year."""

    def list_meetings(self, window: Window) -> Iterator[MeetingRef]:
        """Yield the meetings of the pages, then of each year until the years are empty."""
        match = _APPLICATION.match(self.source)
        root = match[1] if match else ""
        first = self.client.page(self.source if self.source.rstrip("/") != root else f"{root}/")
        seen: set[str] = set()
        listed = list(self._meetings(first))
        if not listed and not root:
            raise NotUnderstood(first, "links to ViewMeeting or DownloadFile of Agenda Online")
        for meeting in listed:
            seen.add(meeting.vendor_id)
            yield meeting
        empty_years = 0
        for year in window.years if root else ():
            query = {
                "dropid": "11",
                "mtids": parameter(self.source, "mtids"),
                "dropsv": f"01/01/{year}",
                "dropev": f"12/31/{year}",
            }
            page = self.read(f"{root}/Meetings/Search", params=query)
            if page is None:
                return
            fresh = [each for each in self._meetings(page) if each.vendor_id not in seen]
            seen.update(each.vendor_id for each in fresh)
            yield from fresh
            if seen and year < self.today.year:
                empty_years = 0 if fresh else empty_years + 1
            if empty_years == EMPTY_YEARS:
                return
        if not seen:
            raise NotUnderstood(first, "links to ViewMeeting or DownloadFile of Agenda Online")

    def _meetings(self, page: WebPage) -> Iterator[MeetingRef]:
        # Some hosts show their PDFs only in comments.
        dated = html.DatedPage(_COMMENTED.sub(r"\1", page.text), page.url)
        found: dict[str, FoundMeeting] = {}
        for node, url in dated.links(_LINK):
            number = parameter(url, "meetingId") or parameter(url, "id")
            which = parameter(url, "documentType") or parameter(url, "doctype") or "1"
            is_attachment = which != "5" and parameter(url, "isAttachment").lower() == "true"
            if number and which in _KIND_OF_TYPE and not is_attachment:
                meeting = found.setdefault(number, FoundMeeting())
                self._describe(meeting, dated, node)
                kept = meeting.files if "/downloadfile/" in url.lower() else meeting.pages
                kept.setdefault(which, url)
        root = _APPLICATION.match(page.url)
        base = root[1] if root else self.root
        for number, meeting in found.items():
            if not meeting.start:
                self.skip_undated(f"meeting {number} of {page.url}", page.url)
                continue
            offers = [
                Offer(
                    "Agenda Packet" if which == "5" else _KIND_OF_TYPE[which].capitalize(),
                    url,
                    _KIND_OF_TYPE[which],
                    f"type {which}",
                    packet=which == "5",
                )
                for which, url in meeting.files.items()
            ]
            for which in meeting.pages.keys() - meeting.files.keys():
                kind = _KIND_OF_TYPE[which]
                name = {"1": "agenda", "2": "minutes", "3": "summary"}.get(which, "agenda")
                query = f"meetingId={number}&type={name}&doctype={which}"
                url = f"{base}/Documents/ViewAgenda?{query}"
                offers.append(Offer(kind.capitalize(), url, kind, f"type {which}", format="html"))
            named = [naming.body_of_meeting(each) for each in (meeting.body, meeting.title) if each]
            yield self.meeting(
                meeting.title,
                meeting.start,
                sorted(offers, key=lambda offer: offer.vendor_id),
                vendor_id=number,
                # A type like "Regular Meeting" names nobody.
                body=next(filter(naming.names_body, named), next(iter(named), "")),
                notice=meeting.notice,
                source_url=f"{base}/Meetings/ViewMeeting?id={number}&doctype=1",
            )

    def _describe(self, meeting: FoundMeeting, dated: html.DatedPage, node: LexborNode) -> None:
        """Take date and names from the row's cells, the link's title, or the text around it."""
        if meeting.start:
            return
        row = dated.row_of(node)
        while row is not None and row.tag not in ("tr", "li", "div", "section", "article"):
            row = row.parent
        cells = {
            each.attributes.get("data-sortable-type") or "": html.text_of(each)
            for each in (row.css("td[data-sortable-type]") if row else [])
        }
        said = node.attributes.get("title") or node.attributes.get("aria-label") or ""
        meeting.notice = f"{dated.text(row)[:300] if row else ''} {said}"
        if title := _TITLE.search(said):
            meeting.title, meeting.start = title["name"], moment(title["when"])
        if cells:
            meeting.start = meeting.start or moment(cells.get("mtgTime", ""))
            meeting.body = cells.get("mtgType", "")
            meeting.title = cells.get("mtgName", "") or meeting.title
        if not meeting.start and row is not None and (found := dated.date_of(node, row)):
            meeting.start = datetime.combine(found[0], time_in(found[1][:40]) or time())
            meeting.title = meeting.title or html.name_of_row(row, dated)
        if not meeting.body and not re.search(r"[^\W\d_]{3}", naming.without_dates(meeting.title)):
            titles = html.titles_above(dated.tree).get(node.mem_id, ())
            meeting.body = next(filter(naming.BODY_WORD.search, titles), "")


SPEC = FetcherSpec(
    "onbase",
    OnBase,
    hosts=("hylandcloud.com", "databankcloud.com"),
    url_patterns=(r"/[^/?]*AgendaOnline\b",),
    missing="meetings without any link",
    help="OnBase: https://HOST/OnBaseAgendaOnline",
    document_links=(
        r"/Documents/DownloadFile/[^\"'\s<>]*meetingId=[0-9]+",
        r"/Meetings/ViewMeeting\?[^\"'\s<>]*id=[0-9]+",
    ),
    page_marks=(r"/[^/\"]*AgendaOnline[^\"]*/(?:Documents/DownloadFile|Meetings/ViewMeeting)",),
)
