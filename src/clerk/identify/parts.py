"""Split a packet into its parts by what its pages print.

Each page is judged once, by its first and last lines and the page before it: does a part begin
here?  Signs for it are a heading that names a kind, a letter, a page numbered 1, a bookmark, the
end of the part before; signs against it are a page number that goes on, a running header that was
on the page before, a sentence that goes on.  Then every part says what it is, as a document does,
and takes from the packet what it does not print itself.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Final, NamedTuple

import msgspec

from .bodies import MENTIONED, clean_name, municipalities, place_words
from .dates import printed_dates
from .document import Printed, read_pages
from .kinds import OPENINGS, Rule, heading_rule
from .model import (
    AGENDA,
    MINUTES,
    NOTICE,
    OTHER,
    PACKET,
    PAGE,
    REPORT,
    RESOLUTION,
    UNKNOWN,
    Fact,
    Hints,
    Identity,
    PageView,
    Part,
)
from .text import Line, is_address, is_sentence, lines_of, pattern, title_block

#: A part begins where the signs for it weigh at least this much.
_ENOUGH: Final = 3.0
#: Lines at the top and the end of a page that are looked at.
_TOP_LINES, _END_LINES, _HEADING_LINES = 26, 4, 9
_END_CHARACTERS: Final = 400
#: A first line on this share of the pages is a running header.
_OFTEN: Final = 0.4

_GOES_ON = pattern(
    r"^(?:and (?:whereas|be it|that|further)|be it further|further(?:more)?\b|continued\b"
    r"|therefore\b"
    r"|\(?(?:[b-hj-z]|ii|iii|iv)\) |[2-9][.)] |1[0-9][.)] )"
)
_LOWER_CASE = re.compile(r"[a-zà-ü]{2,}[ ,;.]|[a-z] [a-z]")
_PAGE_NUMBER = pattern(
    r"\b(?:page|pg\.?|seite|p\.) ?(?P<one>[0-9]{1,3})\b(?: ?(?:of|/|von) ?(?P<of>[0-9]{1,3})\b)?"
    r"|^(?P<two>[0-9]{1,3}) ?(?:of|/) ?(?P<of2>[0-9]{1,3})$"
    r"|^[-–—~ ]*(?P<three>[0-9]{1,3})[-–—~ ]*$|\|(?: ?page) ?(?P<four>[0-9]{1,3})"
    r"|https?:\S+ (?P<five>[0-9]{1,3})/(?P<of5>[0-9]{1,3})$"
)
_PACKET_PAGE = pattern(
    r"\b(?:packet|agenda|pack) (?:pg|page|p)\b\.? ?[0-9]+|\bpage [0-9]+ of [0-9]{3,}\b"
)
#: The last lines of a part that is complete.
_COMPLETE = pattern(
    r"\b(?:adjourn\w*|respectfully submitted|meeting (?:closed|ended)|sincerely|yours (?:truly"
    r"|faithfully)|-30-|mayor|clerk"
    r"|reeve|secretary|chair(?:man|person|woman)?|president|superintendent|treasurer)\b"
)
#: A form with a place for each vote: a resolution on one page.
_MOVED = pattern(r"^(?:it was )?moved by\b|\bmoved by:")
_NUMBER_ONE = pattern(r"^(?:(?:part|section|article|item) )?(?:1|I|A)[.):]? \S")
_ORDERED = pattern(
    r"^(?:attachment|exhibit|appendix|enclosure|schedule|annex|item) (?:no\.? )?[A-Z0-9]{1,4}\b"
)


class _Top(NamedTuple):
    """What a page prints at its beginning and end."""

    lines: Sequence[Line]
    block: Sequence[Line]
    first: frozenset[str]
    number: int | None
    of: int | None
    headings: Sequence[tuple[Rule, Line]]
    openings: frozenset[str]
    is_complete: bool
    is_form: bool
    is_letter: bool


def split(pages: Sequence[PageView], identity: Identity, hints: Hints) -> list[Part]:
    """Return the parts of a document in order; together they have every page."""
    if not pages:
        return []
    running = _running_headers(pages)
    tops = [_top_of(page, running) for page in pages]
    numbered_through = _is_numbered_through(tops)
    has_bookmarks = sum(bool(page.bookmarks) for page in pages) > 1
    starts: list[tuple[int, Fact]] = [(0, UNKNOWN)]
    for index in range(1, len(pages)):
        first = starts[-1][0]
        weight, why = _begins(tops, index, first, numbered_through)
        marks = [mark for mark in pages[index].bookmarks if mark.level <= 1]
        if has_bookmarks and marks:
            weight += 3.0
            why = why or marks[0].title
        if weight >= _ENOUGH:
            confidence = round(min(0.95, 0.5 + 0.08 * (weight - _ENOUGH)), 2)
            fact = Fact("begins", PAGE, why[:120], pages[index].page, confidence)
            starts.append((index, fact))
    ends = [index for index, _ in starts[1:]] + [len(pages)]
    own = place_words(hints.place) or _own_words(tops[0])
    return [
        _part(pages[index:end], tops[index], why, identity, own, index == 0)
        for (index, why), end in zip(starts, ends, strict=True)
    ]


def _running_headers(pages: Sequence[PageView]) -> frozenset[str]:
    """Return the first lines that are on many pages: they belong to no part."""
    found = Counter(
        _fixed(page.text[:200].lstrip().split("\n", 1)[0].strip()) for page in pages if page.text
    )
    often = max(3, _OFTEN * len(pages))
    return frozenset(line for line, count in found.items() if line and count >= often)


def _top_of(page: PageView, running: frozenset[str]) -> _Top:
    lines = lines_of(page, _TOP_LINES)
    if lines and _fixed(lines[0].text) in running:
        del lines[0]
    block = title_block(lines)
    ending = page.text[-_END_CHARACTERS:].split("\n")
    last = [line.strip() for line in ending if line.strip()][-_END_LINES:]
    headings = [
        (rule, line)
        for line in block[:_HEADING_LINES]
        if (rule := heading_rule(line.text)) and not _PAGE_NUMBER.search(line.text)
    ]
    openings = {
        rule.kind
        for rule in OPENINGS
        if any(rule.words.search(line.text) for line in lines[len(block) :])
    }
    number, of = _page_number([line.text for line in lines[:3]], last)
    moved = sum(bool(_MOVED.search(line.text)) for line in lines)
    if moved > 1:
        # Minutes that print every resolution, not a resolution.
        headings = [each for each in headings if each[0].kind != RESOLUTION]
    return _Top(
        lines,
        block,
        frozenset(_fixed(line.text) for line in lines[:3] if len(line.text) > 7),
        number,
        of,
        headings,
        frozenset(openings),
        any(_COMPLETE.search(line) for line in last),
        moved == 1,
        any(_DEAR.search(line.text) for line in lines),
    )


_DEAR = pattern(r"^dear \w|^to whom it may|^attention ?:|^attn ?:|\bwe thank you\b|^re ?:")
_DIGITS = re.compile(r"[0-9]+")


def _fixed(line: str) -> str:
    """Return what is the same in a running header on every page."""
    return _DIGITS.sub("#", line.lower())


def _page_number(first: Sequence[str], last: Sequence[str]) -> tuple[int | None, int | None]:
    for line in (*first, *reversed(last)):
        if len(line) < 100 and not _PACKET_PAGE.search(line):
            match = _PAGE_NUMBER.search(line)
            if match:
                number = (
                    match["one"] or match["two"] or match["three"] or match["four"] or match["five"]
                )
                of = match["of"] or match["of2"] or match["of5"]
                return int(number), int(of) if of else None
    return None, None


def _is_numbered_through(tops: Sequence[_Top]) -> bool:
    """Whether the numbers on the pages count the pages of the whole packet."""
    offsets = Counter(index - top.number for index, top in enumerate(tops) if top.number)
    return len(tops) > 5 and bool(offsets) and offsets.most_common(1)[0][1] > 0.6 * len(tops)


def _begins(
    tops: Sequence[_Top], index: int, first: int, numbered_through: bool
) -> tuple[float, str]:
    """Return how much speaks for a part that begins on this page, and what shows it best."""
    top, before = tops[index], tops[index - 1]
    if not top.lines:
        return 0.0, ""
    weight, why = 0.0, ""
    opening = top.lines[0].text
    for rule, line in top.headings[:1]:
        strong = rule.weight >= 7
        weight += 3.0 if strong else 2.0
        why = line.text
        if rule.kind in top.openings or (rule.kind == RESOLUTION and top.is_form):
            weight += 1.5
        if any(printed_dates(each.text) for each in top.block):
            weight += 0.5
        if any(_NUMBER_ONE.match(each.text) for each in top.lines[:12]):
            weight += 1.0
    if not why and MINUTES in top.openings and any(map(_names_meeting, top.block)):
        weight += 3.5
        why = top.block[0].text
    if top.is_letter and not top.number:
        weight += 3.0
        why = why or opening
    if any(is_address(line.text) for line in top.block[:7]):
        weight += 1.5
        why = why or opening
    if not numbered_through and top.number is not None:
        if top.number == 1:
            weight += 2.0
            why = why or opening
        elif top.number in (index - first + 1, (before.number or -1) + 1):
            weight -= 5.0
    if before.of and before.number == before.of:
        weight += 2.0
    if before.is_form and before.is_complete:
        weight += 3.5
        why = why or opening
    elif before.is_complete:
        weight += 1.0
    if top.first & before.first and not (top.is_form or top.is_letter or _opens_again(top)):
        weight -= 4.0
    if _LOWER_CASE.match(opening) or _GOES_ON.match(opening):
        weight -= 3.0
    if is_sentence(opening):
        weight -= 0.5
    elif not top.headings and len(top.block) >= 2 and before.is_complete:
        weight += 1.0
        why = why or opening
    return weight, why


def _opens_again(top: _Top) -> bool:
    """Whether a page with a heading also has how such a document begins."""
    if any(_names_meeting(line) for line in top.block) and MINUTES in top.openings:
        return True
    return any(rule.kind in top.openings for rule, _ in top.headings)


def _names_meeting(line: Line) -> bool:
    return bool(_MEETING.search(line.text) and printed_dates(line.text))


_MEETING = pattern(r"\b(?:meeting|session|hearing|workshop|sitzung|séance|réunion|sesión)\b")


# ------------------------------------------------------------------------- what a part is


def _own_words(top: _Top) -> frozenset[str]:
    """Return the words of the place that the first page names, if nobody said which it is."""
    named = municipalities("\n".join(line.text for line in top.lines))
    return place_words(named[0]) if named else frozenset()


def _part(
    pages: Sequence[PageView],
    top: _Top,
    begins: Fact,
    packet: Identity,
    own: frozenset[str],
    is_first: bool,
) -> Part:
    """Return what a part is; the first part of a packet is its agenda or what the packet is."""
    printed = read_pages(pages[:2], own)
    place, is_own = _place_of(top, printed, own)
    date, body = printed.date, printed.body
    kind = printed.kind
    elsewhere = place.value is not None and not is_own
    if is_first:
        kind = packet.kind if packet.kind.value not in (PACKET, None) else printed.kind
        if packet.kind.value == PACKET and kind.value not in (AGENDA, MINUTES, NOTICE):
            kind = Fact(AGENDA, packet.kind.source, packet.kind.quote, packet.kind.page, 0.6)
        date, body, elsewhere = packet.date, packet.body, False
        place = UNKNOWN
    elif kind.value == RESOLUTION:
        if elsewhere:
            if place.value and (body.value is None or body.value.lower() in _BARE_COUNCILS):
                body = msgspec.structs.replace(place, value=f"{place.value} Council")
        else:
            date = date if date.value else _taken(packet.date)
            body = body if body.value else _taken(packet.body)
    elif kind.value in (OTHER, REPORT, None):
        same_day = _prints(top, packet.date)
        if is_own and not elsewhere and not printed.is_letter and (same_day or date.value is None):
            date = same_day or _taken(packet.date)
            body = body if body.value else _taken(packet.body)
        elif date.value != packet.date.value:
            date, body = UNKNOWN, UNKNOWN
            elsewhere = elsewhere or not is_own
    elif not elsewhere and body.confidence < MENTIONED:
        # A body that is only mentioned in the text; the packet's is as good.
        body = _taken(packet.body) if packet.body.value else body
    if not elsewhere and _is_council(body) and _is_council(packet.body):
        # A place has one council, whether it is called "Council" or "Township Council".
        body = msgspec.structs.replace(body, value=packet.body.value)
    return Part(
        pages[0].page,
        pages[-1].page,
        kind,
        body,
        date,
        printed.title,
        elsewhere,
        place if elsewhere else UNKNOWN,
        begins,
    )


_BARE_COUNCILS: Final = frozenset({"council", "town council", "city council", "municipal council"})


def _is_council(body: Fact) -> bool:
    return bool(body.value and _COUNCIL.fullmatch(body.value))


_COUNCIL = pattern(r"(?:(?:city|town|township|village|municipal|common|regional) )?council")


def _taken(fact: Fact) -> Fact:
    """Return a fact of the packet as that of a part that does not print its own."""
    return msgspec.structs.replace(fact, confidence=round(0.7 * fact.confidence, 2))


def _prints(top: _Top, day: Fact) -> Fact | None:
    """Return where the title block prints the day of the packet."""
    for line in top.block:
        if any(found.day.isoformat() == day.value for found in printed_dates(line.text)):
            return Fact(day.value, PAGE, line.text, line.page, 0.8)
    return None


def _place_of(top: _Top, printed: Printed, own: frozenset[str]) -> tuple[Fact, bool]:
    """Return the place or organisation that a part names first, and whether it is the own one."""
    body = printed.body
    if body.value and _ORGANISATION.search(body.value):
        is_own = bool(own & place_words(body.value))
        return Fact(body.value, PAGE, body.quote, body.page, 0.6), is_own
    # A letter names its reader further down; a resolution its council in the text.
    of_text = printed.kind.value == RESOLUTION
    lines = top.lines if of_text else top.block[:2] if printed.is_letter else top.block
    for line in lines:
        for name in municipalities(line.text):
            is_own = bool(own & place_words(name))
            return Fact(name, PAGE, line.text[:120], line.page, 0.7), is_own
    if body.value and own & place_words(body.value):
        return UNKNOWN, True
    if printed.is_letter and top.block:
        line = top.block[0]
        return Fact(clean_name(line.text), PAGE, line.text, line.page, 0.4), False
    return UNKNOWN, printed.kind.value not in (OTHER, REPORT, None)


_ORGANISATION = pattern(
    r"\b(?:corporation|association|authority|society|foundation|library|health unit"
    r"|conservation|housing|inc|cooperative)\b"
)
