"""What the fetchers of meeting platforms have in common."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, time
from urllib.parse import parse_qs, urlsplit

from clerk.core.storage import AGENDAS

from . import naming
from .base import Context, DocumentRef, Fetcher, MeetingRef, Window

#: A full sweep backwards through the years ends after so many without meetings.
EMPTY_YEARS = 3
_TIME = re.compile(r"([0-9]{1,2}):([0-9]{2})(?::[0-9]{2})?\s*(?:([ap])\.?\s*m)?", re.IGNORECASE)


@dataclass(frozen=True)
class Offer:
    """A document as a platform's page names it; the kind is read off the title if not given."""

    title: str
    url: str
    kind: str = ""
    vendor_id: str = ""
    version_hint: str = ""

    @property
    def is_packet(self) -> bool:
        """Whether it is an agenda with all attachments."""
        return naming.is_packet(self.title)


class PlatformFetcher(Fetcher):
    """A fetcher of a portal at one URL."""

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        source = self.settings.source.strip()
        self.source = source if re.match(r"https?://", source, re.I) else f"https://{source}"
        parts = urlsplit(self.source)
        self.host = parts.hostname or ""
        self.root = f"{parts.scheme}://{parts.netloc}"

    def documents(self, offers: Iterable[Offer], what: str) -> tuple[DocumentRef, ...]:
        """Return the minutes and agendas among the offers; the rest is skipped by name.

        A packet counts only if it is wanted or is the only agenda there is.
        """
        offers = list(offers)
        agendas = any(_kind(offer) == AGENDAS and not offer.is_packet for offer in offers)
        seen: dict[tuple[str, str], int] = {}
        found = []
        for offer in offers:
            kind = _kind(offer)
            if not kind:
                self.skip(f"{what}: {offer.title or offer.url}", "neither minutes nor agenda")
            elif offer.is_packet and agendas and not self.settings.packets:
                self.skip(f"{what}: {offer.title}", "a packet beside the agenda")
            else:
                found.append(_reference(offer, kind, seen))
        return tuple(found)

    def by_year(self, window: Window) -> Iterator[tuple[int, list[MeetingRef]]]:
        """Yield the meetings of each year, the latest first, until the years are empty."""
        empty = 0
        for year in window.years:
            meetings = list(self.meetings_of(year, window))
            empty = 0 if meetings else empty + 1
            yield year, meetings
            if empty == EMPTY_YEARS:
                return

    def meetings_of(self, year: int, window: Window) -> Iterator[MeetingRef]:
        """Yield the meetings of one year."""
        raise NotImplementedError


def _kind(offer: Offer) -> str:
    return offer.kind or naming.find_kind(offer.title) or ""


def _reference(offer: Offer, kind: str, seen: dict[tuple[str, str], int]) -> DocumentRef:
    """Return the reference, with an id of its own even if the platform gives the same one twice."""
    key = (kind, offer.vendor_id)
    seen[key] = seen.get(key, 0) + 1
    vendor_id = naming.numbered(offer.vendor_id, seen[key]) if offer.vendor_id else ""
    return DocumentRef(
        kind, offer.url, vendor_id, title=offer.title, version_hint=offer.version_hint
    )


def moment(*texts: str) -> datetime | None:
    """Return the date in the texts, with the time of day if they tell it."""
    spoken = " ".join(texts)
    day = naming.find_date(spoken)
    return datetime.combine(day, _time_in(spoken)) if day else None


def _time_in(text: str) -> time:
    for match in _TIME.finditer(text):
        hour, minute = int(match[1]), int(match[2])
        if match[3]:
            hour = hour % 12 + (12 if match[3].lower() == "p" else 0)
        if hour < 24 and minute < 60:
            return time(hour, minute)
    return time()


def iso_moment(text: str | None) -> datetime | None:
    """Return a moment of an API as local time: a Z at the end is not to be believed."""
    try:
        return datetime.fromisoformat((text or "").replace("/", "-")).replace(tzinfo=None)
    except ValueError:
        return None


def parameter(url: str, name: str) -> str:
    """Return a parameter of a URL, without regard to the case of its name."""
    values = {key.lower(): value for key, value in parse_qs(urlsplit(url).query).items()}
    return values.get(name.lower(), [""])[0]
