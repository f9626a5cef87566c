"""PrimeGov: ``{town}.primegov.com``, a JSON API by year."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from clerk.core.storage import AGENDAS
from clerk.fetch.base import Context, FetcherSpec, MeetingRef, Window
from clerk.fetch.html import joined
from clerk.fetch.http.responses import PageMissing

from .common import (
    Offer,
    WithAttachments,
    iso_moment,
    kind_of_title,
    moment,
    parameter,
    records_of,
)

#: compileOutputType of a PDF and of a page; another one is taken if there is nothing else.
_PDF, _HTML = 1, 3
#: An attachment in the page of an agenda: as a file, or in a viewer.
_ATTACHED = re.compile(
    r"(?:historyattachment/?\?(?:.*&)?historyId|viewer/preview\?(?:.*&)?uid)=([0-9a-f-]{32,36})",
    re.IGNORECASE,
)


class PrimeGov(WithAttachments):
    """Lists upcoming meetings and the archive of each year."""

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        #: The templates whose documents are pages, too.
        self._with_page: set[str] = set()

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

    def attachments_of(self, meeting: MeetingRef) -> Iterator[Offer]:
        """Yield what the pages of a meeting's agendas link; a file and its viewer are one."""
        names: dict[str, str] = {}
        for document in meeting.documents:
            template = parameter(document.url, "meetingTemplateId")
            if document.kind != AGENDAS or template not in self._with_page:
                continue
            page = self.client.page(f"{self.root}/Portal/Meeting?meetingTemplateId={template}")
            for url, text in self.links_of(page, _ATTACHED).items():
                if found := _ATTACHED.search(url):
                    names[found[1]] = names.get(found[1]) or text
        service = f"{self.root}/api/compilemeetingattachmenthistory/historyattachment"
        for number, name in names.items():
            yield Offer(name or "Attachment", f"{service}/?historyId={number}", vendor_id=number)

    def _listed(self, which: str, query: dict[str, str]) -> Iterator[MeetingRef]:
        page = self.client.page(f"{self.root}/api/v2/PublicPortal/{which}", params=query)
        yield from self.understood(records_of(page), self._meeting)

    def _meeting(self, meeting: dict[str, Any]) -> MeetingRef:
        usual = {
            str(document.get("templateId") or "")
            for document in meeting.get("documentList") or []
            if document.get("compileOutputType") in (_PDF, _HTML)
        }
        self._with_page |= {
            str(document.get("templateId"))
            for document in meeting.get("documentList") or []
            if document.get("compileOutputType") == _HTML
        }
        in_one_format: dict[tuple[str, str], dict[str, Any]] = {}
        for document in meeting.get("documentList") or []:
            output = document.get("compileOutputType")
            template = str(document.get("templateId") or "")
            if template and (output in (_PDF, _HTML) or (output and template not in usual)):
                key = (template, document.get("templateName") or "")
                if key not in in_one_format or output == _PDF:
                    in_one_format[key] = document
        offers = []
        for (template, name), document in in_one_format.items():
            output = document["compileOutputType"]
            query = f"meetingTemplateId={template}&compileOutputType={output}"
            # What was not made by the portal is elsewhere.
            elsewhere = joined(f"{self.root}/", document.get("link") or "")
            url = elsewhere or f"{self.root}/Public/CompiledDocument?{query}"
            offers.append(
                Offer(
                    name,
                    url,
                    vendor_id=name,
                    version_hint=document.get("publishDate") or "",
                    format="html" if output == _HTML else "",
                )
            )
        with_pdf = {
            kind_of_title(name)
            for (_, name), document in in_one_format.items()
            if document["compileOutputType"] == _PDF
        }
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
    missing="robots.txt refuses at some towns; attachments of agendas that have no page",
    help="PrimeGov: https://TOWN.primegov.com/public/portal",
    document_links=(r'"templateId":\s*[0-9]+',),
)
