"""PrimeGov: ``{town}.primegov.com``, a JSON API by year."""

from __future__ import annotations

from collections.abc import Iterator

from clerk.fetch.base import FetcherSpec, MeetingRef, Window

from .common import Offer, PlatformFetcher, iso_moment

#: compileOutputType of a PDF; others are HTML and packets of it.
_PDF = 1


class PrimeGov(PlatformFetcher):
    """Lists upcoming meetings and the archive of each year."""

    def list_meetings(self, window: Window) -> Iterator[MeetingRef]:
        yield from self._listed("ListUpcomingMeetings", {})
        yield from super().list_meetings(window)

    def meetings_of_year(self, part: Window) -> Iterator[MeetingRef]:
        return self._listed("ListArchivedMeetings", {"year": str(part.start.year)})

    def _listed(self, which: str, query: dict[str, str]) -> Iterator[MeetingRef]:
        page = self.client.page(f"{self.root}/api/v2/PublicPortal/{which}", params=query)
        for meeting in page.json():
            offers = []
            for document in meeting.get("documentList") or []:
                if document["compileOutputType"] == _PDF:
                    name = document.get("templateName") or ""
                    template = f"meetingTemplateId={document['templateId']}"
                    url = f"{self.root}/Public/CompiledDocument?{template}&compileOutputType={_PDF}"
                    hint = document.get("publishDate") or ""
                    offers.append(Offer(name, url, vendor_id=name, version_hint=hint))
            yield self.meeting(
                meeting.get("title") or "",
                iso_moment(meeting.get("dateTime")),
                offers,
                vendor_id=str(meeting["id"]),
                source_url=f"{self.root}/public/portal",
            )


SPEC = FetcherSpec(
    "primegov",
    PrimeGov,
    hosts=("primegov.com",),
    help="PrimeGov: https://TOWN.primegov.com/public/portal",
)
