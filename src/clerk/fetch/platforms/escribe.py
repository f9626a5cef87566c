"""eSCRIBE: ``pub-{town}.escribemeetings.com``.

Its ids change when a meeting is edited, so meetings and documents are known by what they are.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from clerk.fetch import naming
from clerk.fetch.base import FetcherSpec, MeetingRef, SourceSettings, Window
from clerk.fetch.html import joined

from .common import Offer, PlatformFetcher, iso_moment


class EscribeSettings(SourceSettings, kw_only=True):
    """Bilingual towns offer everything twice; the other language is used where this is missing."""

    language: str = "English"


class Escribe(PlatformFetcher):
    """Lists the calendar, a year at a time."""

    settings: EscribeSettings

    def meetings_of_year(self, part: Window) -> Iterator[MeetingRef]:
        """Yield the meetings of one year, each in one language."""
        page = self.client.page(
            f"{self.root}/MeetingsCalendarView.aspx/GetCalendarMeetings",
            method="POST",
            json={"calendarStartDate": f"{part.start}", "calendarEndDate": f"{part.end}"},
        )
        in_one_language: dict[str, dict[str, Any]] = {}
        for meeting in page.json().get("d") or []:
            key = str(meeting.get("ID"))
            preferred = meeting.get("LanguageName") == self.settings.language
            if key not in in_one_language or preferred:
                in_one_language[key] = meeting
        for meeting in in_one_language.values():
            title = meeting.get("MeetingName") or ""
            body = meeting.get("MeetingType") or title
            yield self.meeting(
                title,
                iso_moment(meeting.get("StartDate")),
                self._offers(meeting.get("MeetingDocumentLink") or []),
                body=naming.body_of_title(body) or body,
                source_url=meeting.get("Url") or self.root,
            )

    def _offers(self, links: list[dict[str, Any]]) -> Iterator[Offer]:
        seen: set[str] = set()
        for link in links:
            kind = link.get("Type") or ""
            if link.get("Format") != ".pdf" or kind == "AgendaCover" or kind in seen:
                continue
            if kind != "AdditionalDocuments":
                seen.add(kind)
            url = joined(f"{self.root}/", link.get("Url") or "")
            title = link.get("Title") or kind
            yield Offer(
                title if kind == "AdditionalDocuments" else kind, url, vendor_id=kind or title
            )


SPEC = FetcherSpec(
    "escribe",
    Escribe,
    hosts=("escribemeetings.com",),
    settings=EscribeSettings,
    help="eSCRIBE: https://pub-TOWN.escribemeetings.com",
)
