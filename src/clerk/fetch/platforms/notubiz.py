"""Notubiz (Netherlands): ``api.notubiz.nl``; the page or a setting names the organization."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from clerk.core.errors import SourceUnavailable
from clerk.core.storage import AGENDAS, MINUTES
from clerk.fetch import naming
from clerk.fetch.base import DocumentRef, FetcherSpec, MeetingRef, SourceSettings, Window
from clerk.fetch.http.responses import ApiError

from .common import Offer, PlatformFetcher, iso_moment, parameter, records_of

_API = "https://api.notubiz.nl"
_VERSION = {"format": "json", "version": "1.10.8"}
_ORGANIZATION = re.compile(
    r"organisation(?:_?id)?[\"'=:\s{]+(?:[\"']?id[\"']?\s*:\s*)?([0-9]+)", re.I
)
#: Not a "jaarverslag", which is the report of a year.
_MINUTES = re.compile(
    r"notulen|besluitenlijst|(?<![^\W\d_])(?:concept|raads|vergader|commissie|woordelijk)*verslag",
    re.IGNORECASE,
)
_AGENDA = re.compile(r"\bagenda\b", re.IGNORECASE)


def kind_of_document(name: str) -> str:
    """Return the kind that the Dutch name of a document says."""
    if _MINUTES.search(name):
        return MINUTES
    return AGENDAS if _AGENDA.search(name) else ""


class NotubizSettings(SourceSettings, kw_only=True):
    """The number of the organization, if the address does not name it."""

    organisation: str = ""


class Notubiz(PlatformFetcher):
    """Lists the events of an organization, and asks for each meeting."""

    settings: NotubizSettings

    def list_meetings(self, window: Window) -> Iterator[MeetingRef]:
        """Yield the meetings of the window."""
        number = self.settings.organisation or parameter(self.source, "organisation_id")
        if not number:
            match = _ORGANIZATION.search(self.client.page(self.source).text)
            if not match:
                raise SourceUnavailable(
                    f"{self.source} does not say which organization of Notubiz it is.",
                    hint="Give its number: --set organisation=NUMBER.",
                )
            number = match[1]
        query = {
            **_VERSION,
            "organisation_id": number,
            "date_from": f"{window.start} 00:00:00",
            "date_to": f"{window.end} 23:59:59",
        }
        for page_number in range(1, 1000):
            page = self.client.page(f"{_API}/events", params=query | {"page": str(page_number)})
            events = records_of(page, "events")
            yield from self.understood(events, self._meeting)
            pages = (page.json().get("pagination") or {}).get("total_pages") or 1
            if not events or page_number >= pages:
                return

    def _meeting(self, event: dict[str, Any]) -> MeetingRef | None:
        if event.get("inactive"):
            return None
        titles = {str(each.get("id")): each.get("value") for each in event.get("attributes") or []}
        title = str(titles.get("title") or titles.get("1") or event.get("title") or "")
        gremium = event.get("gremium") or {}
        plannings = event.get("plannings") or [{}]
        return self.meeting(
            title,
            iso_moment(plannings[0].get("start_date")),
            vendor_id=str(event["id"]),
            body=gremium.get("title") or gremium.get("name") or title,
            notice="cancelled" if event.get("canceled") else title,
            source_url=event.get("url") or f"{_API}/events/meetings/{event['id']}",
        )

    def list_documents(self, meeting: MeetingRef) -> Iterator[DocumentRef]:
        """Yield the agenda and the minutes among the documents of a meeting."""
        page = self.read(f"{_API}/events/meetings/{meeting.vendor_id}", params=_VERSION)
        if page is None:
            return
        answer = page.json()
        if not isinstance(answer, dict):
            raise ApiError(page, "a meeting")
        answer = answer.get("meeting") or answer
        offers = []
        of_items = [
            each
            for item in answer.get("agenda_items") or []
            for each in item.get("documents") or []
            # Minutes that hang on an item are those of an earlier meeting, unless their day says
            # that they are this one's.
            if kind_of_document(str(each.get("title") or "")) == MINUTES
            and naming.find_date(str(each["title"]), day_first=True) == meeting.day
        ]
        for document in (answer.get("documents") or []) + of_items:
            types = [str(each.get("value") or "") for each in document.get("types") or []]
            said = " ".join((*types, str(document.get("title") or "")))
            kind = kind_of_document(said)
            url = document.get("url") or f"https://{document.get('self') or ''}"
            hint = f"{document.get('version') or ''} {document.get('last_modified') or ''}".strip()
            offers.append(Offer(said, url, kind, str(document.get("id") or ""), version_hint=hint))
        page_of_meeting = str(answer.get("url") or "")
        if (
            answer.get("agenda_items")
            and page_of_meeting.startswith("http")
            and not any(each.kind == AGENDAS for each in offers)
        ):
            # The items are the agenda, and the page of the meeting shows them.
            offers.append(Offer("Agenda", page_of_meeting, AGENDAS, "page", format="html"))
        yield from self.documents(offers, f"{meeting.body} {meeting.day or ''}")


SPEC = FetcherSpec(
    "notubiz",
    Notubiz,
    hosts=("notubiz.nl", "raadsinformatie.nl"),
    settings=NotubizSettings,
    missing="the number of the organization may have to be given",
    help="Notubiz: https://TOWN.notubiz.nl",
)
