"""OParl (Germany): ``/oparl`` names its bodies, each body its list of meetings.

The invitation is the agenda; the protocols are the minutes.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from clerk.core.storage import AGENDAS, MINUTES
from clerk.fetch.base import FetcherSpec, MeetingRef, Window
from clerk.fetch.html import joined
from clerk.fetch.http.responses import ApiError, PageMissing, WebPage

from .common import Offer, PlatformFetcher, iso_moment, kind_of_title, records_of

_MOST_PAGES = 2000
_PROTOCOLS = ("resultsProtocol", "verbatimProtocol")


class OParl(PlatformFetcher):
    """Lists the meetings of all bodies of a system."""

    def list_meetings(self, window: Window) -> Iterator[MeetingRef]:
        """Yield the meetings of the window."""
        self._organizations: dict[str, str] = {}
        page = self.client.page(self.source, headers={"Accept": "application/json"})
        system = page.json()
        if not isinstance(system, dict):
            raise ApiError(page, "an OParl system or body")
        if system.get("meeting"):
            bodies = [system]
        elif isinstance(system.get("body"), str):
            bodies = [
                each
                for listed in self._pages(system["body"])
                for each in records_of(listed, "data")
            ]
        else:
            raise ApiError(page, "an OParl system with the address of its bodies")
        for body in bodies:
            for listed in self._pages(str(body.get("meeting") or "")):
                for meeting in self.understood(records_of(listed, "data"), self._meeting):
                    if window.covers(meeting.day):
                        yield meeting

    def _pages(self, url: str) -> Iterator[WebPage]:
        for _ in range(_MOST_PAGES):
            if not url:
                return
            page = self.client.page(url, headers={"Accept": "application/json"})
            yield page
            answer = page.json()
            links = answer.get("links") if isinstance(answer, dict) else None
            url = joined(page.url, str((links or {}).get("next") or ""))

    def _meeting(self, record: dict[str, Any]) -> MeetingRef | None:
        if record.get("deleted"):
            return None
        offers = [*_files(record, ("invitation",), AGENDAS, "Einladung")]
        offers += _files(record, _PROTOCOLS, MINUTES, "Niederschrift")
        have = {offer.kind for offer in offers}
        others = record.get("auxiliaryFile") or []
        # One file may stand without a list around it.
        for file in [others] if isinstance(others, dict) else others:
            # Some publish the minutes only among the other files.
            said = file.get("name") or "" if isinstance(file, dict) else ""
            kind = kind_of_title(said)
            url = _address(file) if kind and kind not in have else ""
            if url:
                offers.append(Offer(said, url, kind, url, version_hint=file.get("modified") or ""))
        start = _start(record.get("start"))
        title = record.get("name") or ""
        if not start:
            raise ValueError(f"start is {record.get('start')!r}")
        return self.meeting(
            title,
            start,
            offers,
            vendor_id=record["id"],
            body=self._organization(record.get("organization")) or title,
            notice="cancelled" if record.get("cancelled") else title,
            source_url=record.get("web") or record["id"],
        )

    def _organization(self, named: Any) -> str:
        """Return the name of the first organization, which may be given by its address."""
        first = named[0] if isinstance(named, list) and named else named
        if isinstance(first, dict):
            return str(first.get("name") or "")
        if not isinstance(first, str):
            return ""
        if first not in self._organizations:
            try:
                answer = self.client.page(first, headers={"Accept": "application/json"}).json()
            except PageMissing:
                answer = {}
            self._organizations[first] = str(answer.get("name") or "")
        return self._organizations[first]


def _start(text: str | None) -> datetime | None:
    """Return the local time of a time with its zone, which OParl prescribes."""
    try:
        moment = datetime.fromisoformat(text or "")
        local = moment.astimezone(ZoneInfo("Europe/Berlin")) if moment.tzinfo else moment
    except (ValueError, ZoneInfoNotFoundError):
        return iso_moment(text)
    return local.replace(tzinfo=None)


def _address(file: dict[str, Any]) -> str:
    return str(file.get("accessUrl") or file.get("downloadUrl") or "")


def _files(
    record: dict[str, Any], names: tuple[str, ...], kind: str, title: str
) -> Iterator[Offer]:
    for name in names:
        file = record.get(name)
        if isinstance(file, dict) and (url := _address(file)):
            yield Offer(
                file.get("name") or title, url, kind, name, version_hint=file.get("modified") or ""
            )


SPEC = FetcherSpec(
    "oparl",
    OParl,
    url_patterns=(r"/oparl\b", r"^https?://oparl\."),
    missing="files other than invitation and minutes",
    help="OParl: https://HOST/oparl/v1.1/system",
    page_marks=(r"schema\.oparl\.org",),
)
