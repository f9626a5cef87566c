"""eSCRIBE: ``pub-{town}.escribemeetings.com``.

Its ids change when a meeting is edited, so meetings and documents are known by what they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from clerk.fetch import naming
from clerk.fetch.base import FetcherSpec, MeetingRef, SourceSettings, Window
from clerk.fetch.html import joined

from .common import Offer, WithAttachments, iso_moment, kind_of_title, moment, records_of

_OTHER_LANGUAGE = re.compile(
    r"\b(?:spanish|español|french|français|chinese|vietnamese|tagalog|korean|somali|hmong|arabic)\b",
    re.IGNORECASE,
)
_FORMS = (".pdf", ".doc", ".docx", "html")
_FILE = re.compile(r"filestream\.ashx\?(?:.*&)?DocumentId=[0-9]+", re.IGNORECASE)


class EscribeSettings(SourceSettings, kw_only=True):
    """Bilingual towns offer everything twice; the other language is used where this is missing."""

    language: str = "English"


class Escribe(WithAttachments):
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
        for meeting in records_of(page, "d"):
            key = str(meeting.get("ID"))
            preferred = meeting.get("LanguageName") == self.settings.language
            if key not in in_one_language or preferred:
                in_one_language[key] = meeting
        yield from self.understood(in_one_language.values(), self._meeting)

    def _meeting(self, meeting: dict[str, Any]) -> MeetingRef:
        title = meeting.get("MeetingName") or ""
        start, shown = meeting.get("StartDate") or "", meeting.get("FormattedStart") or ""
        # Milliseconds may be of universal time; what the page shows is local.
        local = moment(shown) if start.startswith("/Date") or not iso_moment(start) else None
        links = meeting.get("MeetingDocumentLink") or []
        pages = [
            joined(f"{self.root}/", link.get("Url") or "")
            for link in links
            if (link.get("Format") or "").upper() == "HTML" and "genda" in (link.get("Type") or "")
        ]
        return self.meeting(
            title,
            local or iso_moment(start),
            self._offers(links),
            body=naming.body_of_meeting(meeting.get("MeetingType") or title),
            source_url=meeting.get("Url") or next(iter(pages), self.root),
        )

    def attachments_of(self, meeting: MeetingRef) -> Iterator[Offer]:
        """Yield the files that the page of a meeting's agenda links."""
        if "Meeting.aspx" in meeting.source_url:
            page = self.client.page(meeting.source_url)
            for url, text in self.links_of(page, _FILE).items():
                yield Offer(text or "Attachment", url, vendor_id=text or "Attachment")

    def _offers(self, links: list[dict[str, Any]]) -> Iterator[Offer]:
        """Yield one document of each type: as a file, else as the page it is.

        The cover of an agenda counts where there is nothing else of the agenda.
        """
        of_type: dict[str, dict[str, Any]] = {}
        for link in links:
            which, form = link.get("Type") or "", (link.get("Format") or "").lower()
            if form not in _FORMS and not _FILE.search(link.get("Url") or ""):
                continue
            if which == "AdditionalDocuments":
                title = link.get("Title") or which
                # A translation of a document is not another document.
                if not _OTHER_LANGUAGE.search(title):
                    of_type.setdefault(f"{which} {title}", link)
            elif which not in of_type or (form != "html" and _is_page(of_type[which])):
                of_type[which] = link
        if any("genda" in which for which in of_type if which != "AgendaCover"):
            of_type.pop("AgendaCover", None)
        for which, link in of_type.items():
            url = joined(f"{self.root}/", link.get("Url") or "")
            additional = which.startswith("AdditionalDocuments")
            title = link.get("Title") or which
            # "Merged" says nothing, and its title "Revised Agenda (PDF)" does.
            says_nothing = additional or not kind_of_title(which)
            yield Offer(
                title if says_nothing else which,
                url,
                vendor_id=which if not additional else title,
                format="html" if _is_page(link) else "",
            )


def _is_page(link: dict[str, Any]) -> bool:
    return (link.get("Format") or "").lower() == "html"


SPEC = FetcherSpec(
    "escribe",
    Escribe,
    hosts=("escribemeetings.com",),
    settings=EscribeSettings,
    missing="attachments of agendas that have no page",
    help="eSCRIBE: https://pub-TOWN.escribemeetings.com",
    page_marks=(r"MeetingsCalendarView\.aspx",),
    document_links=(r"FileStream\.ashx\?DocumentId=[0-9]+",),
)
