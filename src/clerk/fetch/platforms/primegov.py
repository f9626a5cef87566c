"""PrimeGov: ``{town}.primegov.com``, a JSON API by year."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from clerk.fetch.base import FetcherSpec, MeetingRef, Window
from clerk.fetch.http.responses import PageMissing

from .common import Offer, PlatformFetcher, iso_moment, kind_of_title, moment, records_of

#: compileOutputType of a PDF and of a page.
_PDF, _HTML = 1, 3


class PrimeGov(PlatformFetcher):
    """Lists upcoming meetings and the archive of each year."""

    def list_meetings(self, window: Window) -> Iterator[MeetingRef]:
        """Yield what is to come, then year by year; without an archive, what a search has."""
        found = False
        for meeting in self._everything(window):
            found = True
            yield meeting
        if not found:
            url = f"{self.root}/api/v2/PublicPortal/search"
            page = self.client.page(url, method="POST", json={"text": "", "pageSize": 1000})
            yield from self.understood(records_of(page), self._meeting)

    def _everything(self, window: Window) -> Iterator[MeetingRef]:
        try:
            yield from self._listed("ListUpcomingMeetings", {})
        except PageMissing:
            self.report.complete = True
        yield from super().list_meetings(window)

    def meetings_of_year(self, part: Window) -> Iterator[MeetingRef]:
        """Yield the archive of one year."""
        try:
            yield from self._listed("ListArchivedMeetings", {"year": str(part.start.year)})
        except PageMissing:
            return

    def _listed(self, which: str, query: dict[str, str]) -> Iterator[MeetingRef]:
        page = self.client.page(f"{self.root}/api/v2/PublicPortal/{which}", params=query)
        yield from self.understood(records_of(page), self._meeting)

    def _meeting(self, meeting: dict[str, Any]) -> MeetingRef:
        in_one_format: dict[tuple[str, str], dict[str, Any]] = {}
        for document in meeting.get("documentList") or []:
            output = document.get("compileOutputType")
            template = str(document.get("templateId") or "")
            if template and output in (_PDF, _HTML):
                key = (template, document.get("templateName") or "")
                if key not in in_one_format or output == _PDF:
                    in_one_format[key] = document
        offers = []
        for (template, name), document in in_one_format.items():
            output = document["compileOutputType"]
            query = f"meetingTemplateId={template}&compileOutputType={output}"
            url = f"{self.root}/Public/CompiledDocument?{query}"
            offers.append(
                Offer(
                    name,
                    url,
                    vendor_id=name,
                    version_hint=document.get("publishDate") or "",
                    format="" if output == _PDF else "html",
                )
            )
        with_pdf = {kind_of_title(offer.title) for offer in offers if not offer.format}
        offers = [
            offer
            for offer in offers
            if not offer.format or kind_of_title(offer.title) not in with_pdf
        ]
        title = (meeting.get("title") or "").strip()
        if meeting.get("meetingTitle"):
            title = meeting["meetingTitle"].strip()
        start = iso_moment(meeting.get("dateTime") or meeting.get("meetingDate")) or moment(
            meeting.get("date") or meeting.get("meetingDateDisplay") or "",
            meeting.get("time") or "",
        )
        return self.meeting(
            title,
            start,
            offers,
            vendor_id=str(meeting.get("meetingId") or meeting["id"]),
            source_url=f"{self.root}/public/portal",
        )


SPEC = FetcherSpec(
    "primegov",
    PrimeGov,
    hosts=("primegov.com",),
    missing="robots.txt refuses at some towns; attachments inside the pages of agendas",
    help="PrimeGov: https://TOWN.primegov.com/public/portal",
    document_links=(r'"templateId":\s*[0-9]+',),
)
