"""What the fetchers of meeting platforms have in common."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date, datetime, time
from urllib.parse import parse_qs, urlsplit

from clerk.core.storage import AGENDAS
from clerk.fetch import naming
from clerk.fetch.base import Context, DocumentRef, Fetcher, MeetingRef, Window

#: A full sweep backwards through the years ends after this many without meetings.
EMPTY_YEARS = 3
_TIME = re.compile(r"([0-9]{1,2}):([0-9]{2})(?::[0-9]{2})?\s*(?:([ap])\.?\s*m)?", re.IGNORECASE)


@dataclass(frozen=True)
class Offer:
    """A document as a platform's page names it; the kind is found in the title if not given."""

    title: str
    url: str
    kind: str = ""
    vendor_id: str = ""
    version_hint: str = ""


class PlatformFetcher(Fetcher):
    """A fetcher of a portal at one URL."""

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        source = self.settings.source.strip()
        self.source = source if re.match(r"https?://", source, re.I) else f"https://{source}"
        parts = urlsplit(self.source)
        self.host = parts.hostname or ""
        self.root = f"{parts.scheme}://{parts.netloc}"

    def meeting(
        self,
        title: str,
        start: datetime | None,
        offers: Iterable[Offer] = (),
        *,
        source_url: str,
        vendor_id: str = "",
        body: str = "",
        notice: str = "",
    ) -> MeetingRef:
        """Return a meeting with the minutes and agendas among the offers.

        The body is found in the title if not given.  ``notice`` is the text that may say that the
        meeting is cancelled; if not given, that is the title.
        """
        return MeetingRef(
            vendor_id=vendor_id,
            body=body or naming.body_of_title(title) or title,
            title=title,
            start_local=start,
            tz=self.settings.tz,
            status="cancelled" if naming.is_cancelled(notice or title) else "",
            source_url=source_url,
            documents=self.documents(offers, f"{title} {start.date() if start else ''}".strip()),
        )

    def documents(self, offers: Iterable[Offer], what: str) -> tuple[DocumentRef, ...]:
        """Return the minutes and agendas among the offers; the rest is skipped by name.

        A packet counts only if it is wanted or is the only agenda there is.  A platform may give
        the same id to two documents: the second one gets a number.
        """
        sorted_out = [
            (offer, offer.kind or naming.find_kind(offer.title), naming.is_packet(offer.title))
            for offer in offers
        ]
        agendas = any(kind == AGENDAS and not packet for _, kind, packet in sorted_out)
        times_seen: dict[tuple[str, str], int] = {}
        found = []
        for offer, kind, packet in sorted_out:
            if not kind:
                self.skip(f"{what}: {offer.title or offer.url}", "neither minutes nor agenda")
            elif packet and agendas and not self.settings.packets:
                self.skip(f"{what}: {offer.title}", "a packet in addition to the agenda")
            else:
                number = times_seen.get((kind, offer.vendor_id), 0) + 1
                times_seen[kind, offer.vendor_id] = number
                vendor_id = naming.numbered(offer.vendor_id, number) if offer.vendor_id else ""
                found.append(
                    DocumentRef(
                        kind,
                        offer.url,
                        vendor_id,
                        title=offer.title,
                        version_hint=offer.version_hint,
                    )
                )
        return tuple(found)

    def list_meetings(self, window: Window) -> Iterator[MeetingRef]:
        """Yield the meetings of each year, the latest first, until the years are empty."""
        empty_years = 0
        for year in window.years:
            first, last = date(year, 1, 1), date(year, 12, 31)
            part = Window(max(window.start, first), min(window.end, last), window.full)
            meetings = list(self.meetings_of_year(part))
            yield from meetings
            empty_years = 0 if meetings else empty_years + 1
            if empty_years == EMPTY_YEARS:
                return

    def meetings_of_year(self, part: Window) -> Iterator[MeetingRef]:
        """Yield the meetings of the part of one year that the window covers."""
        raise NotImplementedError


def moment(*texts: str) -> datetime | None:
    """Return the date in the texts, with the time of day if there is one."""
    text = " ".join(texts)
    day = naming.find_date(text)
    if not day:
        return None
    for match in _TIME.finditer(text):
        hour, minute = int(match[1]), int(match[2])
        if match[3]:
            hour = hour % 12 + (12 if match[3].lower() == "p" else 0)
        if hour < 24 and minute < 60:
            return datetime.combine(day, time(hour, minute))
    return datetime.combine(day, time())


def iso_moment(text: str | None) -> datetime | None:
    """Return a time of an API as local time: a Z at the end cannot be trusted."""
    try:
        return datetime.fromisoformat((text or "").replace("/", "-")).replace(tzinfo=None)
    except ValueError:
        return None


def parameter(url: str, name: str) -> str:
    """Return a parameter of a URL, without regard to the case of its name."""
    values = {key.lower(): value for key, value in parse_qs(urlsplit(url).query).items()}
    return values.get(name.lower(), [""])[0]
