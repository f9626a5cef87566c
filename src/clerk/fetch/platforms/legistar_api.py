"""Legistar's Web API: ``webapi.legistar.com/v1/{client}``.  Complete, and no pages to parse."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

from clerk.core.storage import AGENDAS, MINUTES
from clerk.fetch import naming
from clerk.fetch.base import FetcherSpec, MeetingRef, SourceSettings, Window
from clerk.fetch.http.responses import WebPage

from .common import Offer, WithAttachments, moment, records_of

_PER_PAGE = 1000


class LegistarApiSettings(SourceSettings, kw_only=True):
    """Some towns require a token."""

    token: str = ""


class LegistarApi(WithAttachments):
    """Lists events; each may have an agenda file and a minutes file."""

    settings: LegistarApiSettings

    def list_meetings(self, window: Window) -> Iterator[MeetingRef]:
        """Yield the events of the window; the API repeats some of them."""
        town = self.host.split(".")[0]
        if self.host == "webapi.legistar.com":
            town = urlsplit(self.source).path.removeprefix("/v1/").strip("/").split("/")[0]
        url = self._events = f"https://webapi.legistar.com/v1/{town}/events"
        days = f"EventDate ge datetime'{window.start}' and EventDate le datetime'{window.end}'"
        seen: set[str] = set()
        for skip in range(0, 1_000_000, _PER_PAGE):
            query = {
                "$filter": days,
                "$orderby": "EventDate",
                "$top": str(_PER_PAGE),
                "$skip": str(skip),
            }
            page = self._asked(url, query)
            events = records_of(page)
            for meeting in self.understood(events, self._meeting):
                if meeting.vendor_id not in seen:
                    seen.add(meeting.vendor_id)
                    yield meeting
            if len(events) < _PER_PAGE:
                return

    def _asked(self, url: str, query: dict[str, str]) -> WebPage:
        token = {"token": self.settings.token} if self.settings.token else {}
        return self.client.page(url, params=query | token, headers={"Accept": "application/json"})

    def attachments_of(self, meeting: MeetingRef) -> Iterator[Offer]:
        """Yield what is attached to the items of an event."""
        items = records_of(
            self._asked(f"{self._events}/{meeting.vendor_id}/eventitems", {"Attachments": "1"})
        )
        for item in items:
            for each in item.get("EventItemMatterAttachments") or []:
                if isinstance(each, dict) and each.get("MatterAttachmentHyperlink"):
                    yield Offer(
                        each.get("MatterAttachmentName") or "",
                        each["MatterAttachmentHyperlink"],
                        vendor_id=str(each.get("MatterAttachmentId") or ""),
                    )

    def _meeting(self, event: dict[str, Any]) -> MeetingRef:
        body = event.get("EventBodyName") or ""
        offers = []
        for kind, name in ((AGENDAS, "Agenda"), (MINUTES, "Minutes")):
            if url := event.get(f"Event{name}File"):
                published = event.get(f"Event{name}LastPublishedUTC")
                hint = f"{url} {published}" if published else ""
                offers.append(Offer(name, url, kind, name.lower(), hint))
        return self.meeting(
            body,
            moment((event.get("EventDate") or "")[:10], event.get("EventTime") or ""),
            offers,
            vendor_id=str(event["EventId"]),
            body=naming.body_of_meeting(body),
            notice=" ".join(
                event.get(name) or "" for name in ("EventComment", "EventAgendaStatusName")
            ).strip(),
            source_url=event.get("EventInSiteURL") or "",
        )


SPEC = FetcherSpec(
    "legistar_api",
    LegistarApi,
    hosts=("webapi.legistar.com",),
    settings=LegistarApiSettings,
    document_links=(r'"Event(?:Agenda|Minutes)File":\s*"[^"]+"',),
    missing="clients that need a token (the setting token)",
    help="Legistar's Web API: https://webapi.legistar.com/v1/CLIENT",
)
