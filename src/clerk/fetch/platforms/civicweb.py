"""CivicWeb, HighBond and Diligent Community: one product, a JSON service next to the pages."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from clerk.core.storage import AGENDAS, MINUTES
from clerk.fetch import naming
from clerk.fetch.base import DocumentRef, FetcherSpec, MeetingRef, Window

from .common import Offer, PlatformFetcher, iso_moment, records_of

#: ``Type`` of a meeting's document.
_KIND_OF_TYPE = {1: AGENDAS, 2: MINUTES}


class CivicWeb(PlatformFetcher):
    """Lists meetings, and requests the documents of each."""

    def list_meetings(self, window: Window) -> Iterator[MeetingRef]:
        """Yield the published meetings of the window."""
        query = {"from": f"{window.start}", "to": f"{window.end}"}
        page = self.client.page(f"{self._service}/meetings", params=query)
        meetings = self.understood(records_of(page), self._meeting)
        yield from (each for each in meetings if window.covers(each.day))

    def _meeting(self, meeting: dict[str, Any]) -> MeetingRef | None:
        if not meeting.get("Published"):
            return None
        number, name = str(meeting["Id"]), meeting.get("Name") or ""
        return self.meeting(
            name,
            iso_moment(meeting.get("MeetingDateTime") or meeting.get("MeetingDate")),
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
        page = self.read(f"{self._service}/meetings/{meeting.vendor_id}/meetingDocuments")
        offers = []
        documents = records_of(page) if page else []
        written = {each.get("Type") for each in documents if each.get("Html")}
        for document in documents:
            kind = _KIND_OF_TYPE.get(document.get("Type") or 0, "")
            twin = document.get("Type") in written and not document.get("Html")
            if "Id" not in document or (kind != MINUTES and not document.get("IsPublic")):
                continue
            url = f"{self.root}/document/{document['Id']}?printPdf=true"
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
    help="CivicWeb and Diligent Community: https://TOWN.civicweb.net",
    page_marks=(r"/Portal/MeetingInformation\.aspx",),
)
