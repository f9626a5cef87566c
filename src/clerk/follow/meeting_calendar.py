"""Meetings of a place or a body as iCalendar (RFC 5545), for calendars that subscribe to it.

A meeting that the source lists has the id of its listing: when it is moved or cancelled, the same
event changes, with a higher SEQUENCE.  A meeting that is only known by its documents has an id of
its body and day.  Where no time is known the event takes the whole day.
"""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from typing import Final
from urllib.parse import quote
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from clerk.core import fetch_memory
from clerk.core.config import Settings
from clerk.core.db import reading_connection
from clerk.core.errors import NotFound
from clerk.core.fetch_memory import ListedMeeting
from clerk.core.language import Message, say, word
from clerk.core.public_text import Gate
from clerk.site_db.queries import AGENDA_KINDS, HeldMeeting, SiteDatabase, open_site

#: The namespace of the ids of events.  It must never change.
_IDS: Final = uuid.UUID("0c7d1f0e-5a3b-4f7e-9a55-6f1f3b6f0d52")
#: How long a meeting is taken to last; sources do not say.
_LENGTH: Final = timedelta(hours=2)
#: Older meetings are not in the calendar.
_SHOWN: Final = timedelta(days=365)
#: Where nothing says when something changed.
_LONG_AGO: Final = datetime(2000, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class CalendarEvent:
    """A meeting in a calendar."""

    uid: str
    title: str
    begin: datetime | date
    path: str
    sequence: int = 0
    changed_at: datetime = _LONG_AGO
    is_cancelled: bool = False
    source_url: str = ""
    #: Words and paths of what is held.
    documents: Sequence[tuple[str, str]] = field(default_factory=tuple)


def calendar_of(settings: Settings, subdomain: str, body: str | None, today: date) -> bytes:
    """Return the calendar of a place, or of one of its bodies; raise NotFound for others."""
    from icalendar import Calendar, Event

    with open_site(settings.storage_dir, subdomain) as site:
        bodies = [each.body for each in site.bodies() if each.body]
        if body is not None and body not in bodies:
            raise NotFound(
                Message("There is no body %(body)s in %(place)s.", body=repr(body), place=site.name)
            )
        name = f"{body}, {site.name}" if body else site.name
        with reading_connection() as conn:
            listed = fetch_memory.listed_meetings(conn, subdomain, body)
        events = events_of(site, [body] if body else bodies, listed, today)
    calendar = Calendar()
    gate = Gate(settings)
    for key, value in (
        ("prodid", "-//clerk//meetings//EN"),
        ("version", "2.0"),
        ("method", "PUBLISH"),
        ("x-wr-calname", gate(say("Meetings: %(name)s", name=name))),
        ("x-published-ttl", "PT6H"),
    ):
        calendar.add(key, value)
    for each in events:
        event = Event()
        event.add("uid", each.uid)
        cancelled = say("Cancelled: %(title)s", title=each.title)
        event.add("summary", gate(cancelled if each.is_cancelled else each.title))
        event.add("dtstamp", each.changed_at)
        event.add("last-modified", each.changed_at)
        event.add("sequence", each.sequence)
        event.add("status", "CANCELLED" if each.is_cancelled else "CONFIRMED")
        event.add("dtstart", each.begin)
        if isinstance(each.begin, datetime):
            event.add("dtend", each.begin + _LENGTH)
        if settings.public_url and each.path:
            event.add("url", settings.public_url + each.path)
        lines = [f"{words}: {settings.public_url}{path}" for words, path in each.documents]
        if each.source_url:
            lines.append(say("Source: %(source)s", source=gate.source(each.source_url)))
        if lines:
            event.add("description", gate.without_secrets("\n".join(lines)))
        calendar.add_component(event)
    content: bytes = calendar.to_ical()
    return content


def events_of(
    site: SiteDatabase,
    bodies: Sequence[str],
    listed: Sequence[tuple[ListedMeeting, int, datetime | None]],
    today: date,
) -> list[CalendarEvent]:
    """Return the meetings of some bodies, in order: those that are listed, and others held."""
    first = (today - _SHOWN).isoformat()
    held: dict[tuple[str, str], HeldMeeting] = {
        (body, meeting.date): meeting
        for body in bodies
        for meeting in site.meetings(body)
        if meeting.date and meeting.date >= first
    }
    events, seen = [], set()
    for meeting, sequence, changed_at in listed:
        if not meeting.start_local or meeting.start_local < first:
            continue
        day = meeting.start_local[:10]
        known = held.get((meeting.body, day))
        seen.add((meeting.body, day))
        events.append(
            CalendarEvent(
                uid=_uid(site.subdomain, "listed", meeting.identity),
                title=meeting.title or meeting.body or site.name,
                begin=_begin(meeting.start_local, meeting.timezone),
                path=_path(site.subdomain, meeting.body, day) if known else "",
                sequence=sequence,
                changed_at=changed_at or _LONG_AGO,
                is_cancelled=meeting.status == "cancelled",
                source_url=meeting.source_url,
                documents=_documents(known),
            )
        )
    for (body, day), known in held.items():
        if (body, day) not in seen:
            events.append(
                CalendarEvent(
                    uid=_uid(site.subdomain, "held", body, day),
                    title=body,
                    begin=date.fromisoformat(day),
                    path=_path(site.subdomain, body, day),
                    documents=_documents(known),
                )
            )
    return sorted(events, key=lambda each: (str(each.begin), each.uid))


def _uid(*parts: str) -> str:
    return f"{uuid.uuid5(_IDS, chr(0).join(parts))}@clerk"


def _path(subdomain: str, body: str, day: str) -> str:
    return f"/s/{quote(subdomain)}/{quote(body)}/{day}/"


def _documents(meeting: HeldMeeting | None) -> list[tuple[str, str]]:
    """Return words and paths of agendas and minutes."""
    if meeting is None:
        return []
    return [
        (word(each.kind or "document").capitalize(), f"/d/{each.id}")
        for each in (*meeting.of_kinds(*AGENDA_KINDS), *meeting.of_kinds("minutes"))
    ]


def _begin(start_local: str, timezone: str) -> datetime | date:
    """Return when a meeting begins; only the day if the time or its zone is not known."""
    begin = datetime.fromisoformat(start_local)
    if begin.time() == time():
        return begin.date()
    if begin.tzinfo is None:
        try:
            # Without a zone it is the same hour wherever the calendar is read (RFC 5545).
            begin = begin.replace(tzinfo=ZoneInfo(timezone)) if timezone else begin
        except (ZoneInfoNotFoundError, ValueError, OSError):
            return begin
    return begin.astimezone(UTC) if begin.tzinfo else begin
