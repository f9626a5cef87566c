"""ModernGov (most councils of the UK, some of Australia): the XML service next to the pages.

``/mgWebService.asmx/GetCommittees``, ``GetMeetings``, ``GetMeeting``; dates are day first.
Agendas and minutes are pages (``ieListDocuments.aspx``); PDFs that it links are preferred.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime, time
from urllib.parse import unquote, urlsplit

from selectolax.lexbor import LexborNode

from clerk.core.errors import SourceUnavailable
from clerk.core.storage import AGENDAS, MINUTES
from clerk.fetch import html, naming
from clerk.fetch.base import DocumentRef, FetcherSpec, MeetingRef, Window
from clerk.fetch.http.responses import (
    ChallengePage,
    CircuitOpen,
    NotUnderstood,
    PageMissing,
    RobotsRefused,
    WebPage,
)

from .common import Offer, PlatformFetcher, parameter, time_in

_FILE = re.compile(r"/documents/g[0-9]+/.*\.pdf", re.IGNORECASE)
_LISTING = re.compile(r"ieListDocuments\.aspx\?", re.IGNORECASE)
#: The T parameter of a meeting's PDFs: front sheet, reports pack, minutes.
_FRONT_SHEET, _PACK, _PRINTED_MINUTES = "0", "10", "1"

_OTHER_PAPER = re.compile(r"decision|supplement|addend|attendance", re.IGNORECASE)
_FURTHER = re.compile(r"ieListMeetings\.aspx\?(?:.*&)?Act=(?:earlier|later)\b", re.IGNORECASE)
#: A list of a committee's meetings has about fifteen of them on a page.
_MOST_PAGES = 200
_COMMITTEE = re.compile(r"mgCommitteeDetails\.aspx|ieListMeetings\.aspx", re.IGNORECASE)


class ModernGov(PlatformFetcher):
    """Lists the meetings of each committee; where the service is closed, its pages."""

    _is_service_open = True

    def list_meetings(self, window: Window) -> Iterator[MeetingRef]:
        """Yield the meetings of the window, committee by committee."""
        path = re.sub(r"/(?:mg|ie)\w*\.(?:aspx|asmx).*", "", urlsplit(self.source).path, flags=re.I)
        self._base = f"{self.root}{path.rstrip('/')}"
        try:
            answer = self._asked("GetCommittees", {})
        except (CircuitOpen, RobotsRefused, ChallengePage):
            raise
        except SourceUnavailable:
            # Many councils close the service, each with another answer.
            answer = None
        committees = answer.css("committee") if answer is not None else []
        self._is_service_open = bool(committees)
        if not committees:
            yield from self._meetings_of_pages(window)
            return
        for committee in committees:
            if _is_true(committee, "committeedeleted"):
                continue
            if _is_true(committee, "committeeexpired") and not window.full:
                continue
            query = {
                "lCommitteeId": _said(committee, "committeeid"),
                "sFromDate": f"{window.start:%d/%m/%Y}",
                "sToDate": f"{window.end:%d/%m/%Y}",
            }
            listing = self._asked("GetMeetings", query)
            if listing is None:
                continue
            for listed in listing.css("committee") or [listing]:
                number = _said(listed, "committeeid") or query["lCommitteeId"]
                body = _said(listed, "committeetitle") or _said(committee, "committeetitle")
                rows = [(row, number, body) for row in listed.css("meeting")]
                yield from self.understood(rows, lambda each: self._meeting(*each))

    def _asked(self, operation: str, query: dict[str, str]) -> LexborNode | None:
        try:
            page = self.client.page(f"{self._base}/mgWebService.asmx/{operation}", params=query)
        except PageMissing:
            return None
        return html.parsed(page.text).root

    def _meeting(self, row: LexborNode, committee: str, body: str) -> MeetingRef | None:
        day = naming.find_date(_said(row, "meetingdate"), day_first=True)
        number = _said(row, "meetingid")
        if not day or not number:
            return None
        clock = _said(row, "meetingtime").replace(".", ":", 1)
        return self.meeting(
            body,
            datetime.combine(day, time_in(clock) or time()),
            vendor_id=number,
            body=body,
            notice=_said(row, "meetingstatus") or body,
            source_url=f"{self._base}/ieListDocuments.aspx?CId={committee}&MId={number}",
        )

    def list_documents(self, meeting: MeetingRef) -> Iterator[DocumentRef]:
        """Yield the published agenda and minutes, as PDF where the meeting's page links one."""
        if meeting.status == "cancelled":
            return
        published = {AGENDAS, MINUTES}
        query = {"lMeetingId": meeting.vendor_id}
        answer = self._asked("GetMeeting", query) if self._is_service_open else None
        if answer is not None and not answer.css_first("meetingid"):
            answer = None
        if answer is not None:
            flags = ((AGENDAS, "agendapublished"), (MINUTES, "minutepublished"))
            published = {kind for kind, flag in flags if _is_true(answer, flag)}
        if not published:
            return
        try:
            page: WebPage | None = self.client.page(meeting.source_url)
        except PageMissing:
            page = None
        offers = list(_files(page)) if page else []
        have = {offer.kind for offer in offers}
        if page is None and answer is None:
            return
        for kind in (AGENDAS, MINUTES):
            if kind in published and kind not in have and answer is not None:
                offers.append(
                    Offer(kind.capitalize(), meeting.source_url, kind, kind, format="html")
                )
        yield from self.documents(offers, f"{meeting.body} {meeting.day or ''}")

    def _meetings_of_pages(self, window: Window) -> Iterator[MeetingRef]:
        """Yield the meetings that the lists of the committees' pages link."""
        for number, body in self._committees_of_pages().items():
            # The first page has the meetings around today; others follow on both sides of it.
            first = f"{self._base}/ieListMeetings.aspx?CId={number}&Year=0"
            waiting: list[tuple[tuple[str, ...], str]] = [(("earlier", "later"), first)]
            read: set[str] = set()
            while waiting and len(read) < _MOST_PAGES:
                sides, url = waiting.pop()
                read.add(url)
                listing = self.read(url)
                if listing is None:
                    continue
                dated = html.DatedPage(listing.text, listing.url, day_first=True)
                headings = [html.text_of(each) for each in dated.tree.css("h1, h2")]
                body = body or next(filter(naming.BODY_WORD.search, headings), naming.UNNAMED_BODY)
                days = []
                for node, link in dated.links(_LISTING):
                    found = dated.dated_row(node)
                    meeting = parameter(link, "MId") or parameter(link, "MeetingId")
                    if not found or not meeting:
                        continue
                    days.append(found.day)
                    line = next((each for each in html.ancestors(node) if each.tag == "li"), node)
                    if window.covers(found.day):
                        yield self.meeting(
                            body,
                            datetime.combine(found.day, time_in(found.rest[:30]) or time()),
                            vendor_id=meeting,
                            body=body,
                            notice=dated.text(line),
                            source_url=f"{self._base}/ieListDocuments.aspx?"
                            f"CId={number}&MId={meeting}",
                        )
                is_past = {
                    "earlier": not days or min(days) <= window.start,
                    "later": not days or max(days) >= window.end,
                }
                for _, link in dated.links(_FURTHER):
                    side = parameter(link, "Act").lower()
                    if side in sides and not is_past[side] and link not in read:
                        waiting.append(((side,), link))
                        read.add(link)

    def _committees_of_pages(self) -> dict[str, str]:
        """Return the names of the committees that a page lists, by number.

        Where no page does, that is the committee in the address.
        """
        page: WebPage | None = None
        for address in ("mgListCommittees.aspx?bcr=1", "ieDocHome.aspx?Year=0"):
            try:
                page = self.client.page(f"{self._base}/{address}")
            except PageMissing:
                continue
            committees: dict[str, str] = {}
            for node, url in html.DatedPage(page.text, page.url).links(_COMMITTEE):
                # With "info" it is a collection of papers, such as the constitution.
                if (number := _committee(url)) and not parameter(url, "info"):
                    committees.setdefault(number, html.text_of(node))
            if committees:
                return committees
        if number := _committee(self.source):
            return {number: ""}
        raise NotUnderstood(page, "links to committees (mgCommitteeDetails.aspx)")


def _files(page: WebPage) -> Iterator[Offer]:
    """Yield the PDFs of a meeting's page; the printed minutes, not those of the meeting before."""
    for node in html.parsed(page.text).css("a[href]"):
        url = html.href_of(node, page.url)
        if not _FILE.search(unquote(url)):
            continue
        which, name = parameter(url, "T"), unquote(url).rsplit("/", 1)[-1].lower()
        if which == _PRINTED_MINUTES or name.startswith("printed minutes"):
            yield Offer("Minutes", url, MINUTES, "printed minutes")
        elif which == _FRONT_SHEET or name.startswith("agenda frontsheet"):
            yield Offer("Agenda", url, AGENDAS, "agenda frontsheet")
        elif which == _PACK or name.startswith("public reports pack"):
            yield Offer("Public reports pack", url, AGENDAS, "public reports pack", packet=True)
        elif _OTHER_PAPER.search(name):
            yield Offer(html.text_of(node), url, vendor_id=name, attachment=True)


def _committee(url: str) -> str:
    return next(filter(None, (parameter(url, name) for name in ("ID", "CId", "CommitteeId"))), "")


def _said(node: LexborNode, name: str) -> str:
    return html.text_of(node.css_first(name))


def _is_true(node: LexborNode, name: str) -> bool:
    return _said(node, name).lower() in ("true", "1")


SPEC = FetcherSpec(
    "moderngov",
    ModernGov,
    hosts=("moderngov.co.uk",),
    url_patterns=(
        r"/mg[A-Z]\w+\.(?:aspx|asmx)",
        r"/ie(?:List\w+|DocHome|Doc\w*)\.aspx",
        r"^https?://(?:democracy|moderngov|modgov)\.[^/]+",
    ),
    missing="two requests per meeting; decisions",
    help="ModernGov: https://democracy.COUNCIL.gov.uk",
    document_links=(r"/?documents/g[0-9]+/[^\"'<>]+?\.pdf",),
    page_marks=(r"(?:mgListCommittees|ieListMeetings|mgCommitteeDetails|ieDocHome)\.aspx",),
)
