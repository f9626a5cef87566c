"""CivicWeb and HighBond: ``{town}.civicweb.net``, a JSON service next to the pages."""

from __future__ import annotations

from collections.abc import Iterator

from clerk.core.storage import AGENDAS, MINUTES
from clerk.fetch.base import DocumentRef, FetcherSpec, MeetingRef, Window

from .common import Offer, PlatformFetcher, iso_moment

#: ``Type`` of a meeting's document.
_KIND_OF_TYPE = {1: AGENDAS, 2: MINUTES}


class CivicWeb(PlatformFetcher):
    """Lists meetings, and requests the documents of each."""

    def list_meetings(self, window: Window) -> Iterator[MeetingRef]:
        """Yield the published meetings of the window."""
        query = {"from": f"{window.start}", "to": f"{window.end}"}
        page = self.client.page(f"{self._service}/meetings", params=query)
        for meeting in page.json():
            start = iso_moment(meeting.get("MeetingDateTime") or meeting.get("MeetingDate"))
            if meeting.get("Published") and window.covers(start.date() if start else None):
                number = str(meeting["Id"])
                url = f"{self.root}/Portal/MeetingInformation.aspx?Id={number}"
                yield self.meeting(
                    meeting.get("Name") or "", start, vendor_id=number, source_url=url
                )

    @property
    def _service(self) -> str:
        return f"{self.root}/Services/MeetingsService.svc"

    def list_documents(self, meeting: MeetingRef) -> Iterator[DocumentRef]:
        """Yield the public documents of a meeting."""
        page = self.client.page(f"{self._service}/meetings/{meeting.vendor_id}/meetingDocuments")
        offers = []
        for document in page.json():
            if document.get("IsPublic"):
                number, kind = document["Id"], _KIND_OF_TYPE.get(document.get("Type") or 0, "")
                url = f"{self.root}/document/{number}/?printPdf=true"
                title = kind.capitalize() or document.get("Name") or ""
                offers.append(Offer(title, url, kind, str(number)))
        yield from self.documents(offers, f"{meeting.body} {meeting.day or ''}")


SPEC = FetcherSpec(
    "civicweb",
    CivicWeb,
    hosts=("civicweb.net", "community.highbond.com"),
    help="CivicWeb: https://TOWN.civicweb.net",
)
