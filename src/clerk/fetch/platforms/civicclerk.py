"""CivicClerk: the OData API behind ``{town}.portal.civicclerk.com``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from clerk.fetch import naming
from clerk.fetch.base import FetcherSpec, MeetingRef, Window
from clerk.fetch.html import joined

from .common import Offer, PlatformFetcher, iso_moment, records_of


class CivicClerk(PlatformFetcher):
    """Lists events with their published files."""

    def list_meetings(self, window: Window) -> Iterator[MeetingRef]:
        """Yield the events of the window, following the API from page to page."""
        days = f"startDateTime ge {window.start} and startDateTime le {window.end}"
        api = f"https://{self.host.split('.')[0]}.api.civicclerk.com/v1"
        page = self.client.page(
            f"{api}/Events", params={"$filter": days, "$orderby": "startDateTime"}
        )
        while True:
            yield from self.understood(
                records_of(page, "value"), lambda event: self._meeting(event, api)
            )
            answer = page.json()
            following = joined(f"{api}/Events", answer.get("@odata.nextLink") or "")
            if not following:
                return
            page = self.client.page(following)

    def _meeting(self, event: dict[str, Any], api: str) -> MeetingRef:
        title = event.get("eventName") or ""
        offers = []
        for file in event.get("publishedFiles") or []:
            number, kind = file.get("fileId"), file.get("type") or ""
            if number is None:
                continue
            offers.append(
                Offer(
                    (file.get("name") or kind) if kind in ("", "Other") else kind,
                    f"{api}/Meetings/GetMeetingFileStream(fileId={number},plainText=false)",
                    vendor_id=kind,
                    version_hint=f"{number} {file.get('publishOn') or ''}",
                )
            )
        return self.meeting(
            title,
            iso_moment(event.get("startDateTime") or event.get("eventDate")),
            offers,
            vendor_id=str(event["id"]),
            body=naming.body_of_meeting(event.get("categoryName") or title),
            notice="cancelled" if event.get("isDeleted") else "",
            source_url=f"{self.root}/event/{event['id']}",
        )


SPEC = FetcherSpec(
    "civicclerk",
    CivicClerk,
    hosts=("civicclerk.com",),
    help="CivicClerk: https://TOWN.portal.civicclerk.com",
    document_links=(r'"fileId":\s*[0-9]+',),
)
