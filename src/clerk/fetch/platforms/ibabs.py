"""iBabs (Netherlands): the pages of a town, or the SOAP service of ``wcf.ibabs.eu`` with its key.

The pages name kinds of meetings (``/Calendar``), list those of a year
(``/Agenda/RetrieveAgendasForYear``), and have one for each meeting, which is its agenda.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime, time
from xml.sax.saxutils import escape

from selectolax.lexbor import LexborNode

from clerk.core.errors import SourceUnavailable
from clerk.core.storage import AGENDAS, MINUTES
from clerk.fetch import html, naming
from clerk.fetch.base import DocumentRef, FetcherSpec, MeetingRef, SourceSettings, Window
from clerk.fetch.http.responses import ApiError, PageMissing

from .common import Offer, PlatformFetcher, iso_moment, parameter, time_in
from .notubiz import kind_of_document

_SERVICE = "https://wcf.ibabs.eu/api/Public.svc"
_CATEGORY = re.compile(r"/Calendar/OpenCategory/(?:[^/?#]+/)?([0-9]+)", re.IGNORECASE)
_MEETING_PAGE = re.compile(r"/Agenda/(?:Index|Details)/(?:[^/?#]+/)?([0-9a-f-]{36})", re.IGNORECASE)
_TOWN = re.compile(
    r"/(?:Agenda/(?:Index|Details)|Calendar/Index)/(?![0-9a-f]{8}-)([^/?#]+)", re.IGNORECASE
)
#: A page that shows a document; the document itself has another address.
_VIEWER = re.compile(r"/Agenda/Document/", re.IGNORECASE)


class IbabsSettings(SourceSettings, kw_only=True):
    """The town's name at the service, which serves as a key."""

    key: str = ""


class Ibabs(PlatformFetcher):
    """Lists the meetings of a range of days, by the service if there is a key, else by pages."""

    settings: IbabsSettings
    #: The kinds of meetings that the pages list, by the address for a year.
    _kinds: dict[str, str]

    def list_meetings(self, window: Window) -> Iterator[MeetingRef]:
        """Yield the meetings of the window, a year at a time."""
        if not self.settings.key:
            self._kinds = self._kinds_of_meetings()
            yield from super().list_meetings(window)
            return
        types = {
            _said(node, "id"): _said(node, "description")
            for node in self._asked("GetMeetingtypes", "").css("a\\:ibabsmeetingtype")
        }
        for year in window.years:
            days = (
                f"<StartDate>{year}-01-01T00:00:00</StartDate>"
                f"<EndDate>{year}-12-31T23:59:59</EndDate><MetaDataOnly>false</MetaDataOnly>"
            )
            answer = self._asked("GetMeetingsByDateRange", days)
            rows = answer.css("a\\:ibabsmeeting")
            yield from self.understood(rows, lambda row: self._meeting(row, types))

    def _kinds_of_meetings(self) -> dict[str, str]:
        """Return what the portal calls its kinds of meetings, by the address of their lists."""
        # A host of several towns names them in its addresses.
        town = match[1] if (match := _TOWN.search(self.source)) else ""
        calendar = f"{self.root}/Calendar{f'/Index/{town}' if town else ''}"
        years = f"{self.root}/Agenda/RetrieveAgendasForYear{f'/{town}' if town else ''}"
        try:
            page = self.client.page(calendar)
        except PageMissing:
            page = self.client.page(self.source)
        kinds = {
            f"{years}?agendatypeId={match[1]}&year=": said
            for node in html.parsed(page.text).css("a[href]")
            if (match := _CATEGORY.search(node.attributes["href"] or ""))
            and (said := html.text_of(node))
        }
        if not kinds and "/agenda/" in self.source.lower():
            # The page of a meeting leads to the others of its kind.
            page = self.client.page(self.source)
            tree = html.parsed(page.text)
            heading = (
                tree.css_first("h1") or tree.css_first(".page-title h2") or tree.css_first("title")
            )
            title = naming.without_dates(html.text_of(heading))
            kinds = {
                re.sub(r"(?<=[?&]year=)[0-9]+", "", html.joined(page.url, address)): title
                for node in tree.css("[data-agenda-url]")
                if (address := node.attributes["data-agenda-url"]) and title
            }
        if not kinds:
            raise SourceUnavailable(
                f"{page.url} names no kinds of meetings; the service of iBabs needs the key of the "
                "town.",
                hint="Ask the town for its iBabs site name: --set key=NAME.",
            )
        return kinds

    def meetings_of_year(self, part: Window) -> Iterator[MeetingRef]:
        """Yield the meetings that the pages list for a year."""
        year = str(part.start.year)
        for address, kind in self._kinds.items():
            page = self.read(f"{address}{year}")
            for node in html.parsed(page.text).css("a[href]") if page else ():
                url, said = html.href_of(node, self.root), html.text_of(node)
                match = _MEETING_PAGE.search(url)
                day = naming.find_date(said) or naming.date_below([year], said)
                if match and day and (part.full or part.covers(day)):
                    yield self.meeting(
                        f"{kind} {said}",
                        datetime.combine(day, time_in(said) or time()),
                        vendor_id=match[1],
                        body=kind,
                        source_url=url,
                    )

    @property
    def asks_each_meeting(self) -> bool:
        """Whether each meeting has a page that is asked for; the service has all in its list."""
        return not self.settings.key

    def list_documents(self, meeting: MeetingRef) -> Iterator[DocumentRef]:
        """Yield the agenda and the minutes of a meeting.

        On the pages that is the page itself, if it has items, and what hangs on no item.
        """
        if self.settings.key:
            yield from meeting.documents
            return
        page = self.client.page(meeting.source_url)
        offers = []
        tree = html.parsed(page.text)
        for node in tree.css("a[href]"):
            url, name = html.href_of(node, page.url), html.text_of(node)
            number = parameter(url, "documentId") or node.attributes.get("data-document-id") or ""
            of_item = parameter(url, "agendaItemId") or any(
                "agendapunten" in (each.attributes.get("class") or "")
                for each in html.ancestors(node)
            )
            # Minutes that hang on an item are those of an earlier meeting, unless their day says
            # that they are this one's.
            own = not of_item or (
                kind_of_document(name) == MINUTES
                and naming.find_date(name, day_first=True) == meeting.day
            )
            if not number or not (own or self.settings.attachments):
                continue
            if _VIEWER.search(url):
                handler = "LoadAgendaItemDocument" if of_item else "LoadAgendaDocument"
                whose = f"agendaItemId={of_item}" if of_item else f"agendaId={meeting.vendor_id}"
                url = f"{self.root}/Document/{handler}/{number}?{whose}"
            kind = kind_of_document(name) if own else ""
            offers.append(Offer(name, url, kind, number, attachment=not own))
        has_items = tree.css_first(".agendapunten li, .agenda-item, .panel-title-label") is not None
        if has_items and not any(each.kind == AGENDAS for each in offers):
            offers.append(Offer("Agenda", page.url, AGENDAS, "page", format="html"))
        yield from self.documents(offers, f"{meeting.body} {meeting.day or ''}")

    def _asked(self, operation: str, arguments: str) -> LexborNode:
        key = escape(self.settings.key)
        envelope = (
            '<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body>'
            f'<{operation} xmlns="http://tempuri.org/"><Sitename>{key}</Sitename>{arguments}'
            f"</{operation}></s:Body></s:Envelope>"
        )
        page = self.client.page(
            _SERVICE,
            method="POST",
            content=envelope,
            headers={
                "Content-Type": "text/xml; charset=utf-8",
                "SOAPAction": f'"http://tempuri.org/IPublic/{operation}"',
            },
        )
        # The parser of HTML takes a tag that closes itself for one that stays open.
        tree = html.parsed(re.sub(r"<([\w:]+)([^<>]*)/>", r"<\1\2></\1>", page.text)).root
        if tree is None or f"{operation}Response" not in page.text:
            raise ApiError(page, f"the result of {operation}")
        return tree

    def _meeting(self, row: LexborNode, types: dict[str, str]) -> MeetingRef:
        title = types.get(_said(row, "meetingtypeid"), "") or _said(row, "meetingtypeid")
        offers = []
        for node in row.css("a\\:ibabsdocument"):
            name = _said(node, "displayname") or _said(node, "filename")
            url, kind = _said(node, "publicdownloadurl"), kind_of_document(name)
            offers.append(Offer(name, url, kind, _said(node, "id")))
        return self.meeting(
            title,
            iso_moment(_said(row, "meetingdate")),
            offers,
            vendor_id=_said(row, "id"),
            body=title,
            source_url=self.source,
        )


def _said(node: LexborNode, name: str) -> str:
    return html.text_of(node.css_first(f"a\\:{name}"))


SPEC = FetcherSpec(
    "ibabs",
    Ibabs,
    hosts=("bestuurlijkeinformatie.nl", "wcf.ibabs.eu", "ibabs.eu"),
    settings=IbabsSettings,
    document_links=(r"<a:PublicDownloadURL>[^<]+",),
    missing="lists and reports outside of meetings",
    help="iBabs: https://TOWN.bestuurlijkeinformatie.nl",
)
