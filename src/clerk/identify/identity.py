"""Decide what a document is: what people and portals said, what it prints, and its path."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

import msgspec

from .bodies import BARE, MENTIONED, body_of, district_of, mentioned_body, printed_place
from .dates import begins_with_date, day_comes_first, day_in_year, iso_day, years_in
from .days import OF_A_MEETING, day_lines, meeting_day
from .facts import (
    AGENDA,
    KINDS,
    OTHER,
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
from .kinds import heading_rule, kind_of
from .paths import body_of_path, read_path
from .text import LONGEST_HEADING, Line, is_address, lines_of, title_block, without_remarks

#: A cover page has fewer lines than this; then the second page is looked at too.
_COVER_LINES: Final = 12
#: How sure a body or a kind is that only a later page than the first names.
_LATER_PAGE: Final = 0.45
#: The adoption of a resolution is looked for on this many pages.
_RESOLUTION_PAGES: Final = 4
_TITLE_LINES: Final = 3
_NAMES_NOTHING = re.compile(
    r"(?:state|county|town|city|village) of [A-Za-z .]+|[\W\d]*|page [0-9]+.*|.{1,2}",
    re.IGNORECASE,
)


def identify(pages: Sequence[PageView], hints: Hints) -> Identity:
    """Return what a document is, with the evidence; looks at its first pages only."""
    printed = read_pages(pages, hints.place)
    if pages and pages[0].page > 1:
        printed = printed.without_first_page()
    path = read_path(hints.path, day_first=printed.day_first)
    person, portal = _said(hints.person, PERSON), _said(hints.portal, PORTAL)
    others: list[OtherReading] = [OtherReading("date", fact) for fact in printed.other_days]

    def choose(field: Field, *facts: Fact) -> Fact:
        known = [fact for fact in facts if fact.value]
        if not known:
            return UNKNOWN
        first, *rest = known
        others.extend(OtherReading(field, fact) for fact in rest if fact.value != first.value)
        return first

    kind_said, kind_by_path = printed.kind, path.kind
    if kind_by_path.value == PACKET and printed.kind.value == AGENDA:
        # The page shows the agenda, the name says that its papers follow.
        kind_said, kind_by_path = kind_by_path, printed.kind
    weak = printed.kind.confidence < 0.4
    facts = (kind_by_path, kind_said) if weak and path.kind.value else (kind_said, kind_by_path)
    kind = choose("kind", person.kind, portal.kind, *facts)
    day_of_path = path.date
    if (
        path.date.value
        and printed.has_text
        and kind.value not in OF_A_MEETING
        and not printed.date.value
    ):
        # The day of a file that is not of a meeting may be of anything.
        others.append(OtherReading("date", path.date))
        day_of_path = UNKNOWN
    printed_day = printed.date
    if not printed_day.value and path.date.value:
        # A day that the page prints without saying what it is of, and that the path names too.
        same = [fact for fact in printed.unclear_days if fact.value == path.date.value]
        printed_day = same[0] if same else UNKNOWN
    if not (printed_day.value or day_of_path.value) and kind.value in OF_A_MEETING:
        printed_day = _day_without_year(printed.block, hints.path)
    date = choose("date", person.date, portal.date, printed_day, day_of_path)
    of_meeting = kind.value in OF_A_MEETING or date.value is not None
    # A policy or a flyer that names a board is not the board's meeting.
    bodies = [printed.body] if of_meeting or kind.value != OTHER else []
    if of_meeting and printed.body.confidence < MENTIONED:
        # The path says more than a mention in the text.
        bodies.insert(0, body_of_path(hints.path))
    body = choose("body", person.body, portal.body, *bodies)
    # The name of a file contradicts no title; it is one where nothing else is known.
    title = choose("title", person.title, portal.title, printed.title)
    title = title if title.value else path.title
    return Identity(date, body, kind, title, others)


def _day_without_year(block: Sequence[Line], path: str) -> Fact:
    """Return the day of a title block that prints a weekday and no year.

    The year is the one that the rest of the block prints, or the path names, if the weekday fits.
    """
    printed = {year for line in block for year in years_in(line.text)}
    for years, sure in ((printed, 0.7), (years_in(path), 0.5)):
        days = [(line, day) for line in block if (day := day_in_year(line.text, years))]
        if len({day for _, day in days}) == 1:
            line, day = days[0]
            return Fact(day.isoformat(), PAGE, line.text[:120], line.page, sure)
    return UNKNOWN


class Printed(NamedTuple):
    """What some pages print."""

    date: Fact = UNKNOWN
    body: Fact = UNKNOWN
    kind: Fact = UNKNOWN
    title: Fact = UNKNOWN
    other_days: Sequence[Fact] = ()
    unclear_days: Sequence[Fact] = ()
    day_first: bool = False
    has_text: bool = False
    is_letter: bool = False
    block: Sequence[Line] = ()

    def without_first_page(self) -> Printed:
        """Return what is left where the first page could not be read.

        The heading is unknown.  A day on a later page may be of anything, and what names the body
        or the kind there is in doubt.
        """
        days = (self.date, *self.other_days) if self.date.value else self.other_days
        body, kind = (
            msgspec.structs.replace(fact, confidence=min(fact.confidence, _LATER_PAGE))
            for fact in (self.body, self.kind)
        )
        return self._replace(
            date=UNKNOWN, body=body, kind=kind, title=UNKNOWN, other_days=days, block=()
        )


def read_pages(
    pages: Sequence[PageView], place: str = "", own: frozenset[str] = frozenset()
) -> Printed:
    """Return what the first of these pages say that they are, in a place or with its words."""
    written = [page for page in pages[:_RESOLUTION_PAGES] if page.text and not page.text.isspace()]
    if not written:
        return Printed()
    lines = without_remarks(lines_of(written[0]))
    block = title_block(lines)
    own_lines = lines
    # A short page that names its kind is what it says, whatever follows.
    names_kind = any(heading_rule(line.text) for line in block)
    if len(lines) < _COVER_LINES and len(written) > 1:
        lines = lines + lines_of(written[1])
        block = block or title_block(lines)
    own = own or printed_place(place, [line.text for line in lines])
    kind = kind_of(block, own_lines if names_kind else lines)
    name = kind.fact.value
    day_first = day_comes_first("\n".join(line.text for line in day_lines(block, lines, name)))
    day = meeting_day(block, lines, name, kind.is_letter, day_first)
    if name == RESOLUTION:
        for page in written[1:]:
            if day.fact.confidence > 0.8:
                break
            later = meeting_day([], lines_of(page), name, kind.is_letter, day_first)
            day = later if later.fact.confidence > day.fact.confidence else day
    has_day = day.fact.value is not None
    body = body_of(block, lines, name in OF_A_MEETING, has_day, kind.is_letter, own)
    of_meeting = name in OF_A_MEETING or (name == REPORT and has_day)
    if of_meeting and (body is UNKNOWN or body.confidence == BARE):
        mentioned = mentioned_body([line for page in written for line in lines_of(page)], own)
        # "Board" in the heading, "Board of Education" in the text; a "Town Board" may be another.
        if (mentioned.value or "").lower().startswith((body.value or "").lower()):
            body = mentioned
        if body is UNKNOWN:
            body = district_of(block)
    fact = kind.fact
    if fact.confidence < 0.5 and name in OF_A_MEETING and has_day and body.confidence > 0.8:
        # Hardly anything names the kind, but a heading names the body and the day of a meeting.
        fact = msgspec.structs.replace(fact, confidence=0.55)
    return Printed(
        day.fact,
        body,
        fact,
        _title(block, lines, kind.heading),
        day.others,
        day.unclear,
        day_first,
        True,
        kind.is_letter,
        block,
    )


def _title(block: Sequence[Line], lines: Sequence[Line], heading: Line | None) -> Fact:
    """Return what a document calls itself: the heading that names its kind, and its neighbours."""
    for line in lines[:16]:
        if ":" in line.text and (match := _TITLE_LABEL.match(line.text)):
            return Fact(match["title"], PAGE, line.text, line.page, 0.7)
    rows = block or lines[:2]
    names = (number for number, line in enumerate(rows) if _is_name(line.text))
    first = next(names, None)
    if first is None:
        return UNKNOWN
    at = rows.index(heading) if heading in rows else first
    if at and len(rows[at].text.split()) < 3 and _is_name(rows[at - 1].text):
        at -= 1
    end = at + 1
    while end < min(len(rows), at + _TITLE_LINES) and _is_name(rows[end].text):
        end += 1
    text = " ".join(line.text for line in rows[at:end])[:200]
    return Fact(text, PAGE, text, rows[at].page, 0.6)


def _is_name(line: str) -> bool:
    """Whether a line of the title block may be part of a title."""
    if len(line) > LONGEST_HEADING or is_address(line) or begins_with_date(line):
        return False
    return not _NAMES_NOTHING.fullmatch(line)


_TITLE_LABEL = re.compile(
    r"(?:title|subject|re|topic|betreff|objet)\s?:\s?(?P<title>.{4,})", re.IGNORECASE
)


def _said(known: Known, source: str) -> Identity:
    day = iso_day(known.date or "")
    return Identity(
        Fact(day.isoformat(), source, known.date, None, 1.0) if day else UNKNOWN,
        Fact(known.body, source, known.body, None, 1.0) if known.body else UNKNOWN,
        Fact(known.kind, source, known.kind, None, 1.0) if known.kind in KINDS else UNKNOWN,
        Fact(known.title, source, known.title, None, 1.0) if known.title else UNKNOWN,
    )
