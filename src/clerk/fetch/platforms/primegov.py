"""PrimeGov: ``{town}.primegov.com``, a JSON API by year."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from clerk.fetch import naming
from clerk.fetch.base import FetcherSpec, MeetingRef, Window
from clerk.fetch.platform import Offer, PlatformFetcher, iso_moment

#: compileOutputType of a PDF; others are HTML and packets of it.
_PDF = 1


class PrimeGov(PlatformFetcher):
    """Lists upcoming meetings and the archive of each year."""

    def list_meetings(self, window: Window) -> Iterator[MeetingRef]:
        """Yield the meetings of the window."""
        yield from self._listed("ListUpcomingMeetings", {})
        for _, meetings in self.by_year(window):
            yield from meetings

    def meetings_of(self, year: int, window: Window) -> Iterator[MeetingRef]:
        """Yield the archived meetings of one year."""
        yield from self._listed("ListArchivedMeetings", {"year": str(year)})

    def _listed(self, which: str, query: dict[str, str]) -> Iterator[MeetingRef]:
        page = self.client.page(f"{self.root}/api/v2/PublicPortal/{which}", params=query)
        for meeting in page.json():
            yield self._meeting(meeting)

    def _meeting(self, meeting: dict[str, Any]) -> MeetingRef:
        title = meeting.get("title") or ""
        start = iso_moment(meeting.get("dateTime"))
        documents = meeting.get("documentList") or []
        offers = [self._offer(each) for each in documents if each["compileOutputType"] == _PDF]
        return MeetingRef(
            vendor_id=str(meeting["id"]),
            body=naming.body_of_title(title) or title,
            title=title,
            start_local=start,
            tz=self.settings.tz,
            status="cancelled" if naming.is_cancelled(title) else "",
            source_url=f"{self.root}/public/portal",
            documents=self.documents(offers, f"{title} {start or ''}"),
        )

    def _offer(self, document: dict[str, Any]) -> Offer:
        name, template = document.get("templateName") or "", document["templateId"]
        query = f"meetingTemplateId={template}&compileOutputType={_PDF}"
        return Offer(
            name,
            f"{self.root}/Public/CompiledDocument?{query}",
            vendor_id=name,
            version_hint=document.get("publishDate") or "",
        )


SPEC = FetcherSpec(
    "primegov",
    PrimeGov,
    hosts=("primegov.com",),
    help="PrimeGov: https://TOWN.primegov.com/public/portal",
)
