"""PrimeGov: ``{town}.primegov.com``, a JSON API by year."""

from __future__ import annotations

from collections.abc import Iterator

from clerk.fetch import naming
from clerk.fetch.base import FetcherSpec, MeetingRef, Window

from .common import Offer, PlatformFetcher, iso_moment

#: compileOutputType of a PDF; others are HTML and packets of it.
_PDF = 1


class PrimeGov(PlatformFetcher):
    """Lists upcoming meetings and the archive of each year."""

    def list_meetings(self, window: Window) -> Iterator[MeetingRef]:
        """Yield the meetings of the window."""
        yield from self._listed("ListUpcomingMeetings", {})
        yield from self.by_year(window)

    def meetings_of(self, year: int, window: Window) -> Iterator[MeetingRef]:
        """Yield the archived meetings of one year."""
        yield from self._listed("ListArchivedMeetings", {"year": str(year)})

    def _listed(self, which: str, query: dict[str, str]) -> Iterator[MeetingRef]:
        page = self.client.page(f"{self.root}/api/v2/PublicPortal/{which}", params=query)
        for meeting in page.json():
            title = meeting.get("title") or ""
            start = iso_moment(meeting.get("dateTime"))
            offers = []
            for document in meeting.get("documentList") or []:
                if document["compileOutputType"] == _PDF:
                    name, template = document.get("templateName") or "", document["templateId"]
                    which = f"meetingTemplateId={template}&compileOutputType={_PDF}"
                    url = f"{self.root}/Public/CompiledDocument?{which}"
                    hint = document.get("publishDate") or ""
                    offers.append(Offer(name, url, vendor_id=name, version_hint=hint))
            yield MeetingRef(
                vendor_id=str(meeting["id"]),
                body=naming.body_of_title(title) or title,
                title=title,
                start_local=start,
                tz=self.settings.tz,
                status="cancelled" if naming.is_cancelled(title) else "",
                source_url=f"{self.root}/public/portal",
                documents=self.documents(offers, f"{title} {start or ''}"),
            )


SPEC = FetcherSpec(
    "primegov",
    PrimeGov,
    hosts=("primegov.com",),
    help="PrimeGov: https://TOWN.primegov.com/public/portal",
)
