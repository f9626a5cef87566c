"""CivicWeb, HighBond and Diligent Community: one product, a JSON service next to the pages."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime, time
from typing import Any
from urllib.parse import urlsplit

from clerk.core.storage import AGENDAS, MINUTES
from clerk.fetch import html, naming
from clerk.fetch.base import DocumentRef, FetcherSpec, MeetingRef, Window
from clerk.fetch.http.responses import NotUnderstood, PageMissing

from .common import Offer, PlatformFetcher, iso_moment, parameter, records_of

#: ``Type`` of a meeting's document.
_KIND_OF_TYPE = {1: AGENDAS, 2: MINUTES}

#: With a ``type`` instead of an ``Id`` it is the page of a body.
_MEETING = re.compile(r"/MeetingInformation\.aspx\?(?:.*&)?Id=[0-9]+", re.IGNORECASE)
_FILE = re.compile(r"/document/[0-9]+", re.IGNORECASE)


class CivicWeb(PlatformFetcher):
    """Lists meetings, and requests the documents of each."""

    def list_meetings(self, window: Window) -> Iterator[MeetingRef]:
        """Yield the published meetings of the window."""
        query = {"from": f"{window.start}", "to": f"{window.end}"}
        try:
            page = self.client.page(f"{self._service}/meetings", params=query)
        except PageMissing:
            yield from self._meetings_of_page(window)
            return
        meetings = self.understood(records_of(page), self._meeting)
        yield from (each for each in meetings if window.covers(each.day))

    def _meetings_of_page(self, window: Window) -> Iterator[MeetingRef]:
        """Yield the meetings that the list of the portal links, where the service is closed."""
        listing = f"{self.root}/Portal/MeetingTypeList.aspx"
        page = self.client.page(self.source if ".aspx" in self.source else listing)
        dated = html.DatedPage(page.text, page.url)
        links = dated.links(_MEETING)
        if not links:
            raise NotUnderstood(page, "links to meetings (MeetingInformation.aspx)")
        above = html.titles_above(dated.tree)
        for node, url in links:
            title, found = html.text_of(node), dated.dated_row(node)
            if not found or not window.covers(found.day):
                continue
            name = naming.without_dates(title) or title
            heading = next(filter(naming.BODY_WORD.search, above.get(node.mem_id, ())), "")
            yield self.meeting(
                title,
                datetime.combine(found.day, time()),
                vendor_id=parameter(url, "Id"),
                body=naming.body_of_meeting(
                    heading if heading and not naming.BODY_WORD.search(name) else name
                ),
                source_url=url,
            )

    def _meeting(self, meeting: dict[str, Any]) -> MeetingRef | None:
        if not meeting.get("Published", True):
            return None
        number, name = str(meeting["Id"]), meeting.get("Name") or ""
        return self.meeting(
            name,
            iso_moment(meeting.get("MeetingDateTime") or meeting.get("MeetingDate") or name),
            vendor_id=number,
            body=naming.body_of_meeting(meeting.get("MeetingTypeName") or name),
            source_url=f"{self.root}/Portal/MeetingInformation.aspx?Org=Cal&Id={number}",
        )

    @property
    def _service(self) -> str:
        return f"{self.root}/Services/MeetingsService.svc"

    def list_documents(self, meeting: MeetingRef) -> Iterator[DocumentRef]:
        """Yield the agenda and the minutes of a meeting; what has no HTML beside them is a packet.

        Minutes that are said not to be public are linked all the same: the answer decides.
        """
        try:
            page = self.client.page(
                f"{self._service}/meetings/{meeting.vendor_id}/meetingDocuments"
            )
        except PageMissing:
            linked = self.read(meeting.source_url)
            links = html.DatedPage(linked.text, linked.url).links(_FILE) if linked else []
            offers = [
                Offer(html.text_of(node), url, vendor_id=urlsplit(url).path.strip("/"))
                for node, url in links
            ]
            yield from self.documents(offers, f"{meeting.body} {meeting.day or ''}")
            return
        offers = []
        documents = records_of(page)
        written = {each.get("Type") for each in documents if each.get("Html")}
        for document in documents:
            kind = _KIND_OF_TYPE.get(document.get("Type") or 0, "")
            twin = document.get("Type") in written and not document.get("Html")
            if "Id" not in document:
                continue
            url = f"{self.root}/document/{document['Id']}?printPdf=true"
            if kind != MINUTES and not document.get("IsPublic"):
                self.skip(f"{meeting.title} {document['Id']}", "not public", url)
                continue
            if twin and kind == MINUTES:
                self.skip(f"{meeting.title} {document['Id']}", "another form of the minutes", url)
                continue
            title = kind.capitalize() or document.get("Name") or ""
            offers.append(Offer(title, url, kind, str(document["Id"]), packet=twin))
        yield from self.documents(offers, f"{meeting.body} {meeting.day or ''}")


SPEC = FetcherSpec(
    "civicweb",
    CivicWeb,
    hosts=(
        "civicweb.net",
        "community.highbond.com",
        "diligent.community",
        "community.diligentoneplatform.com",
    ),
    missing="one request per meeting",
    help="CivicWeb and Diligent Community: https://TOWN.civicweb.net",
    document_links=(r"/document/[0-9]+", r'"Id":\s*[0-9]+(?=[^{}]*"DocumentType")'),
    page_marks=(r"/Portal/MeetingInformation\.aspx",),
)
