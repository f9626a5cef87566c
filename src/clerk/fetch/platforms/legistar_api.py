"""Legistar's Web API: ``webapi.legistar.com/v1/{client}``.  Complete, and needs no page reading."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

from clerk.core.storage import AGENDAS, MINUTES
from clerk.fetch import naming
from clerk.fetch.base import FetcherSpec, MeetingRef, SourceSettings, Window
from clerk.fetch.platform import Offer, PlatformFetcher, moment

_PER_PAGE = 1000


class LegistarApiSettings(SourceSettings, kw_only=True):
    """Some towns give out their data only with a token."""

    token: str = ""


class LegistarApi(PlatformFetcher):
    """Lists events; each may have an agenda file and a minutes file."""

    def list_meetings(self, window: Window) -> Iterator[MeetingRef]:
        """Yield the events of the window; the API repeats some of them."""
        seen: set[str] = set()
        for event in self._events(window):
            meeting = self._meeting(event)
            if meeting.vendor_id not in seen:
                seen.add(meeting.vendor_id)
                yield meeting

    @property
    def _client_name(self) -> str:
        parts = urlsplit(self.source)
        if self.host == "webapi.legistar.com":
            return parts.path.removeprefix("/v1/").strip("/").split("/")[0]
        return self.host.split(".")[0]

    def _events(self, window: Window) -> Iterator[dict[str, Any]]:
        url = f"https://webapi.legistar.com/v1/{self._client_name}/events"
        days = f"EventDate ge datetime'{window.start}' and EventDate le datetime'{window.end}'"
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
            events = page.json()
            yield from events
            if len(events) < _PER_PAGE:
                return

    def _meeting(self, event: dict[str, Any]) -> MeetingRef:
        body = event.get("EventBodyName") or ""
        start = moment((event.get("EventDate") or "")[:10], event.get("EventTime") or "")
        comment = event.get("EventComment") or ""
        return MeetingRef(
            vendor_id=str(event["EventId"]),
            body=body,
            title=naming.body_of_title(body) or body,
            start_local=start,
            tz=self.settings.tz,
            status="cancelled" if naming.is_cancelled(comment) else "",
            source_url=event.get("EventInSiteURL") or "",
            documents=self.documents(_offers(event), f"{body} {start or ''}"),
        )


def _offers(event: dict[str, Any]) -> Iterator[Offer]:
    for kind, name in ((AGENDAS, "Agenda"), (MINUTES, "Minutes")):
        url = event.get(f"Event{name}File")
        if url:
            published = event.get(f"Event{name}LastPublishedUTC") or ""
            hint = f"{url} {published}" if published else ""
            yield Offer(name, url, kind, name.lower(), hint)


SPEC = FetcherSpec(
    "legistar_api",
    LegistarApi,
    hosts=("webapi.legistar.com",),
    settings=LegistarApiSettings,
    help="Legistar's Web API: https://webapi.legistar.com/v1/CLIENT",
)
