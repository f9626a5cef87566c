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

    def list_meetings(self, window: Window) -> Iterator[MeetingRef]:
        """Yield the meetings of the window."""
        return self.by_year(window)

    def meetings_of(self, year: int, window: Window) -> Iterator[MeetingRef]:
        """Yield the meetings of one year within the window, each in one language."""
        first = f"{window.start}" if year == window.start.year else f"{year}-01-01"
        last = f"{window.end}" if year == window.end.year else f"{year}-12-31"
        page = self.client.page(
            f"{self.root}/MeetingsCalendarView.aspx/GetCalendarMeetings",
            method="POST",
            json={"calendarStartDate": first, "calendarEndDate": last},
        )
        in_one_language: dict[str, dict[str, Any]] = {}
        for meeting in page.json().get("d") or []:
            key = str(meeting.get("ID"))
            preferred = meeting.get("LanguageName") == self.settings.language
            if key not in in_one_language or preferred:
                in_one_language[key] = meeting
        for meeting in in_one_language.values():
            title = meeting.get("MeetingName") or ""
            start = iso_moment(meeting.get("StartDate"))
            body = meeting.get("MeetingType") or title
            offers = self._offers(meeting.get("MeetingDocumentLink") or [])
            yield MeetingRef(
                body=naming.body_of_title(body) or body,
                title=title,
                start_local=start,
                tz=self.settings.tz,
                status="cancelled" if naming.is_cancelled(title) else "",
                source_url=meeting.get("Url") or self.root,
                documents=self.documents(offers, f"{title} {start or ''}"),
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
