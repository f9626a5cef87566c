"""Feeds and calendar files of a static site.

Ids do not contain the address of the site: they stay the same when it moves.
"""

from __future__ import annotations

import uuid
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING
from xml.etree import ElementTree as Xml

from clerk.core.language import say
from clerk.publish.page_text import counted, day, label

from . import addresses

if TYPE_CHECKING:
    from .pages import SitePages

_ATOM = "http://www.w3.org/2005/Atom"
#: How much a feed lists, and a calendar file.
ENTRIES = 50
MEETINGS = 200
#: XML cannot hold control characters.
_CONTROLS = {code: " " for code in range(32) if chr(code) not in "\t\n\r"}


def atom(pages: SitePages, address: str, title: str, body: str | None = "") -> str:
    """Return the feed of the newest documents, dated by when they were first seen."""
    gate, facts = pages.gate, pages.facts
    feed = Xml.Element("feed", {"xmlns": _ATOM})

    def add(parent: Xml.Element, name: str, text: str = "", **attributes: str) -> None:
        element = Xml.SubElement(parent, name, attributes)
        if text:
            element.text = gate(text).translate(_CONTROLS)

    def address_of(target: str) -> str:
        return pages.canonical(target) or addresses.relative(address, target)

    newest = pages.newest_documents(ENTRIES, body)
    seen = {each.name: pages.first_seen[each.name] for each in newest}
    add(feed, "id", uuid.uuid5(uuid.NAMESPACE_URL, f"clerk:{facts.subdomain}:{address}").urn)
    add(feed, "title", say("New documents: %(title)s", title=title))
    add(feed, "updated", max(filter(None, seen.values()), default="1970-01-01T00:00:00+00:00"))
    add(feed, "link", rel="alternate", href=address_of("index.html"))
    if own := pages.canonical(address):
        add(feed, "link", rel="self", href=own)
    author = Xml.SubElement(feed, "author")
    add(author, "name", facts.name)
    for each in newest:
        entry = Xml.SubElement(feed, "entry")
        add(entry, "id", uuid.uuid5(uuid.NAMESPACE_URL, f"clerk:document:{each.id}").urn)
        add(entry, "title", f"{label(each)}, {day(each.date)}")
        add(entry, "updated", seen[each.name] or "1970-01-01T00:00:00+00:00")
        add(entry, "link", rel="alternate", href=address_of(addresses.document_page(each.id)))
        add(entry, "summary", f"{label(each)}, {counted(each.pages, 'page')}, {facts.name}")
    return Xml.tostring(feed, encoding="unicode", xml_declaration=True)


def calendar(pages: SitePages, title: str, body: str | None = "") -> str:
    """Return the latest meetings as a calendar; the time of day is not known."""
    facts = pages.facts
    lines = [
        *("BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//clerk//published site//EN"),
        f"X-WR-CALNAME:{_text(pages.gate(title))}",
    ]
    for meeting, on_day in pages.held.latest(MEETINGS, body):
        try:
            begins = date.fromisoformat(on_day)
        except ValueError:
            continue
        seen = [pages.first_seen[name] for name in pages.held.telling[meeting, on_day]]
        known = max(filter(None, seen), default="1970-01-01T00:00:00+00:00")
        identity = f"clerk:meeting:{facts.subdomain}:{meeting or ''}:{on_day}"
        lines += [
            "BEGIN:VEVENT",
            f"UID:{uuid.uuid5(uuid.NAMESPACE_URL, identity)}",
            f"DTSTAMP:{datetime.fromisoformat(known).astimezone(UTC):%Y%m%dT%H%M%SZ}",
            f"DTSTART;VALUE=DATE:{begins:%Y%m%d}",
            f"DTEND;VALUE=DATE:{begins + timedelta(days=1):%Y%m%d}",
            f"SUMMARY:{_text(pages.public(f'{pages.named(meeting)}, {facts.name}'))}",
        ]
        if address := pages.canonical(addresses.meeting_page(meeting, on_day)):
            lines.append(f"URL:{address}")
        lines.append("END:VEVENT")
    lines.append("END:VCALENDAR")
    return "".join(f"{_folded(line)}\r\n" for line in lines)


def _text(value: str) -> str:
    """Return a text as RFC 5545 writes it."""
    plain = " ".join(value.translate(_CONTROLS).split())
    return plain.replace("\\", "\\\\").replace(";", "\\;").replace(",", "\\,")


def _folded(line: str) -> str:
    """Return a line in pieces of at most 75 bytes, none of them with half a letter."""
    if line.isascii() and len(line) < 75:
        return line
    pieces, piece, size = [], "", 0
    for letter in line:
        length = len(letter.encode())
        if size + length > 74:
            pieces.append(piece)
            piece, size = "", 0
        piece += letter
        size += length
    return "\r\n ".join((*pieces, piece))
