"""Decide what a document is: what people and portals said, what it prints, and its path."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import Final, get_args

import msgspec

from .dates import iso_day, printed_dates
from .model import (
    AGENDA,
    FILE_NAME,
    FOLDER,
    KINDS,
    MINUTES,
    NOTICE,
    PACKET,
    PAGE,
    PERSON,
    PORTAL,
    REPORT,
    RESOLUTION,
    UNKNOWN,
    Fact,
    Field,
    Hints,
    Identity,
    Known,
    OtherReading,
    PageView,
)

#: The title block of a document is within this many lines.
TOP_LINES: Final = 25
#: No more than this much of a page is looked at.
MOST_CHARACTERS: Final = 20_000

_KIND_WORDS: Final = (
    (PACKET, r"agenda (?:package|packet|pack)|(?:council|board|meeting) pack(?:et|age)?"),
    (MINUTES, r"minutes|procès[- ]verbal|proces[- ]verbal|niederschrift|acta"),
    (AGENDA, r"agenda|ordre du jour|tagesordnung|orden del día"),
    (NOTICE, r"notice of .{0,40}meeting|meeting notice"),
    (RESOLUTION, r"resolution|ordinance|by-?law"),
    (REPORT, r"report|budget|memorandum|statement|forecast"),
)
_KIND: Final = [
    (kind, re.compile(rf"(?<![^\W\d_])(?:{words})(?![^\W\d_])", re.IGNORECASE))
    for kind, words in _KIND_WORDS
]
_BODY = re.compile(
    r"(?:[^\W\d_][\w.'&-]*\s){0,6}(?:council|board|commission|committee|authority|trustees)"
    r"(?: of (?:trustees|education|directors|selectmen|supervisors|commissioners))?",
    re.IGNORECASE,
)


def identify(pages: Sequence[PageView], hints: Hints) -> Identity:
    """Return what a document is, with the evidence; looks at its first page only."""
    readings: list[Identity] = [_said(hints.person, PERSON), _said(hints.portal, PORTAL)]
    readings += [_printed(page) for page in pages[:1]]
    readings += _of_path(hints.path)
    chosen: dict[Field, Fact] = {}
    others = []
    fields: tuple[Field, ...] = get_args(Field)
    for field in fields:
        facts: list[Fact] = [getattr(reading, field) for reading in readings]
        known = [fact for fact in facts if fact.value]
        chosen[field] = known[0] if known else UNKNOWN
        others += [OtherReading(field, fact) for fact in known[1:] if fact.value != known[0].value]
    return Identity(**chosen, others=others)


def _said(known: Known, source: str) -> Identity:
    facts = {
        field: Fact(value, source, value, None, 1.0) if value else UNKNOWN
        for field, value in msgspec.structs.asdict(known).items()
    }
    day = iso_day(known.date or "")
    facts["date"] = Fact(day.isoformat(), source, known.date, None, 1.0) if day else UNKNOWN
    if known.kind not in KINDS:
        facts["kind"] = UNKNOWN
    return Identity(facts["date"], facts["body"], facts["kind"], facts["title"])


def _printed(page: PageView) -> Identity:
    lines = [line.strip() for line in page.text[:MOST_CHARACTERS].splitlines()]
    lines = [line for line in lines if line][:TOP_LINES]
    top = "\n".join(lines)
    found = printed_dates(top)
    day = title = kind = body = UNKNOWN
    if found:
        day = Fact(
            found[0].day.isoformat(), PAGE, top[found[0].start : found[0].end], page.page, 0.7
        )
    if lines:
        title = Fact(lines[0], PAGE, lines[0], page.page, 0.5)
    for line in lines[:10]:
        for name, words in _KIND:
            if kind is UNKNOWN and len(line) < 80 and words.search(line):
                kind = Fact(name, PAGE, line, page.page, 0.7)
        if body is UNKNOWN and (match := _BODY.search(line)):
            body = Fact(match[0], PAGE, line, page.page, 0.6)
    return Identity(day, body, kind, title)


def _of_path(path: str) -> list[Identity]:
    parts = PurePosixPath(path).parts
    return [
        Identity(*_of_name(part, FILE_NAME if part is parts[-1] else FOLDER))
        for part in reversed(parts)
    ]


def _of_name(name: str, source: str) -> tuple[Fact, Fact, Fact]:
    plain = re.sub(r"[\s_-]+", " ", name)
    found = printed_dates(name) or printed_dates(plain)
    day = Fact(found[0].day.isoformat(), source, name, None, 0.4) if found else UNKNOWN
    kind = next((Fact(k, source, name, None, 0.4) for k, w in _KIND if w.search(plain)), UNKNOWN)
    return day, UNKNOWN, kind
