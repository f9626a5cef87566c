"""Legistar's Web API: ``webapi.legistar.com/v1/{client}``.  Complete, and no pages to parse."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

from clerk.core.storage import AGENDAS, MINUTES
from clerk.fetch import naming
from clerk.fetch.base import FetcherSpec, MeetingRef, SourceSettings, Window

from .common import Offer, PlatformFetcher, moment, records_of

_PER_PAGE = 1000


class LegistarApiSettings(SourceSettings, kw_only=True):
    """Some towns require a token."""

    token: str = ""


class LegistarApi(PlatformFetcher):
    """Lists events; each may have an agenda file and a minutes file."""

    settings: LegistarApiSettings

    def list_meetings(self, window: Window) -> Iterator[MeetingRef]:
        """Yield the events of the window; the API repeats some of them."""
        town = self.host.split(".")[0]
        if self.host == "webapi.legistar.com":
            town = urlsplit(self.source).path.removeprefix("/v1/").strip("/").split("/")[0]
        url = f"https://webapi.legistar.com/v1/{town}/events"
        days = f"EventDate ge datetime'{window.start}' and EventDate le datetime'{window.end}'"
        seen: set[str] = set()
        for skip in range(0, 1_000_000, _PER_PAGE):
            query = {
                "$filter": days,
                "$orderby": "EventDate",
                "$top": str(_PER_PAGE),
                "$skip": str(skip),
            }
            if self.settings.token:
                query["token"] = self.settings.token
            page = self.client.page(url, params=query, headers={"Accept": "application/json"})
            events = records_of(page)
            for meeting in self.understood(events, self._meeting):
                if meeting.vendor_id not in seen:
                    seen.add(meeting.vendor_id)
                    yield meeting
            if len(events) < _PER_PAGE:
                return

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
            notice=event.get("EventComment") or "",
            source_url=event.get("EventInSiteURL") or "",
        )


SPEC = FetcherSpec(
    "legistar_api",
    LegistarApi,
    hosts=("webapi.legistar.com",),
    settings=LegistarApiSettings,
    missing="clients that need a token (the setting token)",
    help="Legistar's Web API: https://webapi.legistar.com/v1/CLIENT",
)
