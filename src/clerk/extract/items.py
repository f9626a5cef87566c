"""Find the agenda items of a document: headings with a number, a title or both.

::

    4. APPROVAL OF MINUTES          2.1 Wildwood Park          VIII.  Reports
    NEW BUSINESS                    ## New business            A. Minutes of May 4

A number is a heading's only if it goes on from the one before: "R." in ``R. A. Gardiner`` and "27"
in ``27 William Street`` number nothing.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import msgspec

from clerk.core import lazy_re as re

from .cues import DocumentText
from .findings import AgendaItem, place
from .names import STOPS, read_name
from .text import line_start, pattern, word_set

#: A title is published up to this length.
_LONGEST = 160

_NUMBERED = pattern(
    r"\n(?P<indent> {0,60})(?:item\s{1,2}(?:no\.?\s?)?)?\(?"
    r"(?P<number>\d{1,2}(?:\.\d{1,2}){1,3}|\d{1,2}(?= ?[.):])"
    r"|(?P<bare>\d{1,2})(?= {1,8}[a-z][^\n\d]{2,58}(?:\n|$))|[IVX]{1,6}(?= ?[.)])"
    r"|[A-Za-z](?= ?[.)])|\d{1,2}[A-Za-z](?=[.)])) ?[.):]{0,2}\s{1,40}(?=\S)",
    re.I,
)
_CAPITALS = re.compile(r"\n {0,60}(?P<title>[A-Z][A-Z0-9 ,.&'/()\-]{4,90}[A-Z0-9)]):? *(?=\n|$)")
_MARKED = re.compile(r"\n(?:#{1,5} +|\*\*_?)(?P<title>[^\n*#:]{3,90})")
#: A short line between blank lines, or one that ends with a colon.
_ALONE = re.compile(
    r"\n {0,20}(?:(?<=\n\n)|(?<=\n \n)|(?<=\n  \n))(?P<title>[A-Z][^\n.;]{3,70}?)"
    r"(?: *\n *(?=\n)|: *(?=\n))"
)
_WITH_NUMBER = re.compile(r"(?P<number>\d{1,2}|[A-Z]|[IVX]{2,5}) ?\\?[.)] *(?P<title>.+)")
#: Lines that are part of a vote, and no titles.
_OF_A_VOTE = pattern(
    r"(?:motions?|moved|seconded|seconder|second|roll\s+call\s+vote|ayes?|nays?|noes|yeas?|absent|abstain\w*"
    r"|carried|passed|resolved|whereas|now\s+therefore|voting|vote|unanimous\w*|mover|result|none"
    r"|it\s+was|upon|on\s+motion|a\s+motion|that)\b",
    re.I,
)
#: Lines of a page or of a signature, and names of bodies.
_OF_A_PAGE = pattern(
    r".{0,60}\bmeeting\b|.{0,60}\b(?:council|board|commission|committee|trustees|selectmen|authority)"
    r"\s+(?:minutes|agenda)$|(?:regular\s+|special\s+)?(?:minutes|agenda)$"
    r"|(?:(?:jan|febr)uary|march|april|may|june|july|august|(?:sept|nov|dec)ember|october)"
    r"\s\d{1,2},?\s\d{4}$"
    r"|(?:roll\s+call|resolution$|(?:mon|tues|wednes|thurs|fri|satur|sun)day|present|attest\w*|page|minutes\s+of|draft|approved|adopted|resolution\s+no"
    r"|mr|mrs|ms|trustee|council\s?members?|commissioners?|(?:the\s+)?(?:corporation|city|town|township"
    r"|village|county|borough|parish|state|board|council|district)\s+of)\b",
    re.I,
)
#: ``b. Case 24-003``
_NEXT_POINT = pattern(r"(?:[a-z]|[ivx]{2,5})[.)]\s")
#: No title ends with one of these: ``Ordinance to repeal Chapter 19 of the Code of``
_HANGING = pattern(r"\b(?:of|the|and|for|in|to|with|by|from|an?)\s*$", re.I)
_TITLE_ENDS = pattern(
    r"[:.;](?<!\bno.)(?<!\bnos.)(?<!\bst.)(?<!\b[a-z].)(?=\s|$)"
    r"|\s(?=(?:motion|moved|it\s+was\s+moved|upon\s+motion|on\s+motion|a\s+motion)\b)",
    re.I,
)
#: ``Resolution: Adopt the capital forecast``: what is done, and then with what.
_WHAT_IS_DONE = pattern(
    r"(?:resolution|by-?law|ordinance|discussion|presentation|consideration|public\s+hearing|report"
    r"|update|information|delegation|request|appointment|correspondence)s?:\s+(?=\w)",
    re.I,
)
#: A sentence, and no title: it has a subject and a verb.
_SENTENCE = pattern(
    r"(?:(?:the|he|she|they|this|there|it)\s.{0,80}|\w+\s+)\b(?:is|are|was|were|will|would|has|had|have)\b",
    re.I,
)
_VERBS = word_set("is are was were will would has had have")
_WHO_MOVED = pattern(r"\b(?:moved|seconded|proposed)\b.{0,40}\b(?:by|second\w*)\b", re.I)
_INLINE = pattern(
    r"(?:^|[:;)] {1,3}|(?<=[a-z0-9)]\.) {1,3})(?P<number>\d{1,2}(?:\.\d{1,2}){0,2}"
    r"|[IVX]{1,5}|[A-Z])\s?[.)]\s{1,4}"
    r"(?P<title>[A-Z(](?:(?![.:;)]\s{1,3}(?:\d{1,2}|[IVX]{1,5}|[A-Z])\s?[.)]\s)[^\n]){3,150}?)"
    r"[\s:.\-]{0,6}$"
)
_ROMAN = {"I": 1, "V": 5, "X": 10}
#: Numbered lists inside an item; they end a little below their last line.
_LIST_STYLES = ("a", "A", "1a")
_LIST_REACH = 1500
#: A consent agenda is at most this far above the vote on it.
_CONSENT_REACH = 12_000
#: Numbers may be left out between two headings, at most this many.
_SKIPPED = 4

_EXCEPT = pattern(
    r"\b(?:except(?:ing|ion\s+of)?(?:\s+for)?|excluding|removal\s+of|removing|pulling|minus|less)\s+"
    r"(?:agenda\s+|consent\s+)?items?\s+(?:nos?\.?\s*|numbers?\s+)?"
    r"(?P<items>[\w.\-]{1,8}(?:\s*(?:,|and|&|,\s*and)\s*[\w.\-]{1,8}){0,12})",
    re.I,
)
_ITEM_NUMBER = re.compile(
    r"(?:[A-Za-z]{0,2}[-.]?\d{1,3}[A-Za-z]?(?:\.\d{1,2})*\.?[A-Za-z]?|[A-Z])\b"
)


class Heading(msgspec.Struct, frozen=True):
    """An agenda item: where it begins, its number and its title as printed."""

    start: int
    number: str | None
    title: str | None
    #: How it is numbered: "1", "1.1", "I", "A", "a" or nothing.
    style: str


@dataclass(frozen=True)
class Consent:
    """The items that one vote decides, and those that are taken out of it."""

    items: list[str]
    exceptions: list[str]
    #: The heading that the items are listed under.
    heading: Heading | None = None


def _is_consent(words: str | None) -> bool:
    low = (words or "").lower()
    return "consent" in low and re.search(r"\bconsent\b", low) is not None


class Items:
    """The agenda items of a document in the order of the text."""

    def __init__(self, doc: DocumentText) -> None:
        self.doc = doc
        #: Cache: the items already looked for, by position.
        self.found: dict[int, Heading | None] = {}

    @cached_property
    def headings(self) -> list[Heading]:
        """The headings, looked for only in documents that have votes."""
        found = sorted(_headings(self.doc), key=lambda heading: heading.start)
        return _without_candidates(self.doc.text, found)

    @cached_property
    def starts(self) -> list[int]:
        """Where the headings begin."""
        return [heading.start for heading in self.headings]

    def at(self, position: int) -> Heading | None:
        """Return the item that a position belongs to; each position is looked for once."""
        if position not in self.found:
            self.found[position] = self._heading_before(position)
        return self.found[position]

    def _heading_before(self, position: int) -> Heading | None:
        floor = max(0, position - 200)
        inline = _INLINE.search(self.doc.text[floor:position])
        if inline and (inline.start() > 0 or floor == 0):
            start = floor + inline.start("number")
            title = _tidy(inline["title"])
            after = bisect_right(self.starts, start)
            if after and self.starts[after - 1] == start:
                return self.headings[after - 1]
            if title is not None and not (
                after < len(self.starts) and self.starts[after] < position
            ):
                return Heading(start, inline["number"], title, "inline")
        place = bisect_right(self.starts, position) - 1
        while place >= 0 and (
            self.headings[place].style in _LIST_STYLES
            and position - self.headings[place].start > _LIST_REACH
        ):
            # The letters of a list that is over.
            place -= 1
        return self.headings[place] if place >= 0 else None

    def between(self, start: int, end: int) -> bool:
        """Whether a numbered heading stands between two places."""
        place = bisect_right(self.starts, start)
        following = self.headings[place : place + 4]
        return any(each.number is not None and each.start < end for each in following)

    def consent(self, position: int, item: Heading | None, words: str | None) -> Consent | None:
        """Return what a vote at a position over a consent agenda decides, with the exceptions."""
        if not _is_consent(words) and not (item and _is_consent(item.title)):
            return None
        exceptions: list[str] = []
        if left_out := _EXCEPT.search(words or ""):
            exceptions = _ITEM_NUMBER.findall(left_out["items"])
        place = bisect_right(self.starts, position) - 1
        while place >= 0 and not _is_consent(self.headings[place].title):
            place -= 1
        if place < 0 or position - self.headings[place].start > _CONSENT_REACH:
            return Consent([], exceptions)
        style = self.headings[place].style
        listed: list[str] = []
        for each in self.headings[place + 1 :]:
            if each.style in (style, "") or each.number is None:
                break
            listed.append(f"{each.number} {each.title}" if each.title else each.number)
        return Consent(listed, exceptions, self.headings[place])


#: How the items of an agenda may be numbered; numbers of other kinds are those of its lists.
_TOP_STYLES = ("1", "I", "A")
#: A row of numbers that begins again after so many items belongs to something else.
_WHOLE_AGENDA = 3
#: Rows of a table of items: a number without a mark behind it, and a title.
_ROW = re.compile(r"\n {0,60}(?P<number>\d{1,2})(?= |\n|$) {0,40}(?P<first>[^\n]?)")
#: A table of items has at least this many rows and begins this close to the beginning.
_FEWEST_ROWS = 4
_ABOVE_TABLE = 3000
#: Lines between two rows, where the cell of one goes on.
_LINES_OF_A_CELL = 3


def agenda_items(items: Items) -> list[AgendaItem]:
    """Return the items with a number and a title, as far as the numbers go up.

    Where the row begins again, the agenda is over: what follows is a report or another document of
    a packet, with lists of its own.
    """
    numbered = [each for each in items.headings if each.number]
    often = Counter(each.style for each in numbered if each.title)
    tops_of = [each.style for each in numbered if each.style in _TOP_STYLES]
    # A stray letter or two is no row.
    style = next((each for each in tops_of if often[each] >= _WHOLE_AGENDA), None)
    style = style or next(iter(tops_of), None)
    found: dict[int, Heading] = {}
    last = tops = 0
    for each in numbered:
        if each.style == style:
            value = _numbered(each.number or "", {"I": last} if style == "I" else {})[1]
            if value < last:
                if tops >= _WHOLE_AGENDA:
                    break
                found.clear()
                tops = 0
            last, tops = value, tops + (value != last)
        if each.title:
            found.setdefault(each.start, each)
    doc, listed = items.doc, []
    rows = _table_of_items(doc)
    if len(rows) > tops and (not found or rows[0].start < min(found)):
        # Numbers with a mark below the table are those of its notes: ``Item 5: It would allow ...``
        found = {each.start: each for each in rows if each.title}
    if len(found) < 2:
        return []
    for each in found.values():
        number, title = each.number or "", each.title or ""
        line_end = doc.original.find("\n", each.start)
        end = line_end if line_end > 0 else len(doc.original)
        listed.append(AgendaItem(**place(doc, each.start, end), number=number, title=title))
    return listed


def _table_of_items(doc: DocumentText) -> list[Heading]:
    """Return the rows of a table of items near the beginning, numbered 1, 2, 3, ... without a gap.

    Numbers of lines, which begin with the first line or number lines that go on, are no table.
    """
    # The text without line numbers lacks these numbers.
    text = f"\n{doc.original}"
    rows: list[Heading] = []
    for match in _ROW.finditer(text):
        start = match.start("number") - 1
        goes_on = bool(rows) and text.count("\n", rows[-1].start, start) <= _LINES_OF_A_CELL
        if not goes_on:
            if len(rows) >= _FEWEST_ROWS or start > _ABOVE_TABLE:
                break
            rows = []
        if int(match["number"]) == len(rows) + 1:
            if not match["first"].isupper() or not text[: match.start()].strip():
                return []
            rows.append(
                Heading(start, match["number"], _title_at(doc, match.start("first") - 1), "1")
            )
    return rows if len(rows) >= _FEWEST_ROWS else []


def _headings(doc: DocumentText) -> Iterator[Heading]:
    """Yield the headings of lines: first those with numbers, then those without."""
    text = f"\n{doc.text}"
    last: dict[str, int] = {}
    #: Where a heading begins that was read.
    lines: set[int] = set()
    #: The last clause of a motion or a sentence: ``we support the following: 1. ...``
    clause_style, clause, clause_start = "", 0, 0
    for match in _NUMBERED.finditer(text):
        number = match["number"]
        style, value = _numbered(number, last)
        if match["bare"] and not _is_next(text, match.end() - 1, value, last.get(style, 0)):
            continue
        if style == clause_style and value == clause + 1:
            between = doc.lower[clause_start : match.start()]
            over = doc.text.find("\n", match.end() - 1)
            printed = doc.text[match.end() - 1 : over if over >= 0 else None].strip()
            # ``4. Old business`` behind item 3, whose clauses are three.
            is_next_item = (
                value - 1 == last.get(style)
                and printed[:40] == printed.rstrip(".;,")
                and not text[line_start(text, match.start()) : match.start()].strip()
            )
            is_clause = (
                len(between) < _LONGEST_CLAUSE and not _DECIDED.search(between) and not is_next_item
            )
        else:
            # ``we support the Association:`` is a sentence, ``Consent agenda:`` is a heading.
            above = text[max(0, match.start() - _LEAD) : match.start()].rstrip()
            sentence = _SENTENCE_BREAK.split(above)[-1] if above.endswith(":") else ""
            words = sentence.split()
            is_clause = (
                value == 1
                and style != "1.1"
                and len(words) > 4
                and sum(word[0].islower() for word in words) > 2
                and not _OF_THE_MEETING.search(sentence.lower())
            )
        if is_clause:
            clause_style, clause, clause_start = style, value, match.start()
            continue
        goes_on = _goes_on(value, last.get(style))
        # The line above must not go on in this one: ``Items 5.4 and / 5.6. The motion``.
        above = text[max(0, match.start() - 120) : match.start()]
        last_line = above.rpartition("\n")[2]
        apart = (
            _LISTED.match(last_line) or len(last_line.strip()) < 45 or _SENTENCE_OVER.search(above)
        )
        if (style in last and not goes_on) or not apart:
            continue
        title = _title_at(doc, match.end() - 1)
        if style in ("A", "a", "I") and title is None:
            continue
        if not goes_on and not title:
            continue
        if style in ("A", "a") and value > 1 and style not in last:
            continue
        last[style] = value
        if style in ("1", "I"):
            last.pop("A", None)
            last.pop("a", None)
        lines.add(match.start("number") - 1)
        yield Heading(match.start("number") - 1, number, title, style)
    sources = ((_CAPITALS, text), (_MARKED, f"\n{doc.original}"), (_ALONE, f"\n{text}"))
    for line, source in sources:
        added = len(source) - len(doc.text)
        for match in line.finditer(source):
            start = match.start("title") - added
            if start in lines:
                continue
            number, title = None, match["title"]
            if numbered := _WITH_NUMBER.match(title):
                number, title = numbered["number"], numbered["title"]
            title = _tidy(title) or ""
            if len(title) < 5 or _OF_A_PAGE.match(title):
                continue
            # A line that is the name of a member is no heading.
            if title.count(" ") > 3 or not doc.roster.is_known(title):
                lines.add(start)
                yield Heading(start, number, title, _numbered(number, {})[0] if number else "")


#: A number without a mark is an item's only if as many with a mark are above it.
_MARKED_ABOVE = 3
_ADDRESS = pattern(
    r"\b(?:street|st|avenue|ave|road|rd|lane|ln|drive|dr|court|ct|way|place|pl|highway|hwy|boulevard"
    r"|blvd|circle|terrace|square|parkway)\b",
    re.I,
)


def _is_next(text: str, position: int, value: int, last: int) -> bool:
    """Whether the rest of a line is the title of the next item: ``9 Correspondence.``"""
    line = text[position:].partition("\n")[0].strip()
    return (
        value == last + 1
        and last >= _MARKED_ABOVE
        and line[0].isupper()
        and line.rstrip(".:") == _tidy(line)
        and not _ADDRESS.search(line)
    )


#: A list of people who are to be elected or heard has at least this many.
_FEWEST_CANDIDATES = 3
#: Titles such as ``Fire Chief`` and ``Opening Ceremonies`` look like names as well.
_ON_AGENDAS = STOPS | word_set(
    """
    account accounts additions administration administrator agreements amendments announcement
    announcements annual appointments area attorney audit auditor authority beach bills board
    bridge building buildings calendar capital case cemetery ceremonies chair chairman chief
    citizens city claims clerk code college commission commissioner committee committees
    communications community conference construction control correspondence council county court
    creek delegations design development director disclosure district donations drive economic
    education election employee engineer engineering estates event events extension facilities
    facility finance financial fire general golf grants green hall health heights highway hill
    hills historic house housing human improvement improvements information insurance invocation
    lake land landing lane law leave leaves legal legislative library liquor maintenance
    management manager mayor meadows memorial mental museum music network officer officers
    operations order ordinances other parking parks payroll permit permits personnel planning
    pledge point police policy pool presentation presentations president proclamation
    proclamations programs property purchase purchases recognition recommendations recreation
    renewals reorganization request requests requirements reserve resignations retirement
    retirements review reviews ridge river roads run salary sale school schools secretary senior
    service services sewer sidewalk site solid springs state status storm stormwater student
    students subdivision superintendent supervisor systems tax taxes technology town township
    traffic trail trails training transportation treasurer treasurer's trustee trustees update
    updates utilities utility valley veterans view village visitors warrants waste water welcome
    woods works youth zoning
    """
)
_WHOLE_NAME = re.compile(r"[A-Z][\w'’-]+(?: [A-Z]\.?)?(?: (?:de|van|von|St\.|la))? [A-Z][\w'’-]+")


def _without_candidates(text: str, headings: list[Heading]) -> list[Heading]:
    """Return the headings without lists of people: names in lines one below the other.

    What is decided below such a list does not belong to the last of them.
    """
    kept: list[Heading] = []
    names: list[Heading] = []
    for each in headings:
        title = each.title or ""
        words = title.lower().replace(".", "").split()
        is_name = (
            each.number is not None
            and not title.isupper()
            and _WHOLE_NAME.fullmatch(title) is not None
            and _ON_AGENDAS.isdisjoint(words)
            and text[each.start :].partition("\n")[0].strip().endswith(title)
        )
        goes_on = names and is_name and text.count("\n", names[-1].start, each.start) == 1
        if not goes_on:
            kept += names if len(names) < _FEWEST_CANDIDATES else []
            names = []
        (names if is_name else kept).append(each)
    return kept + (names if len(names) < _FEWEST_CANDIDATES else [])


#: A clause is at most this long, and nothing is decided before the next one.
_LONGEST_CLAUSE = 1500
_DECIDED = pattern(r"\b(?:carried|passed|adopted|approved|moved|seconded|motion|ayes?|vote[ds]?)\b")
#: A sentence that introduces the items of a meeting.
_OF_THE_MEETING = pattern(
    r"\b(?:agendas?|items?|business|considered|discuss\w*|review\w*|present(?:ed|ations?)?|topics?"
    r"|matters|reports?|updates?|hear\w*)\b"
)
_LEAD = 240
#: Not behind ``St.``
_SENTENCE_BREAK = re.compile(r"(?<=[a-z]{3})\.\s|\n\s*\n")


_COLUMNS = re.compile(r"(?<=\w{3}) {6,}")
#: ``Approval of Minutes: May 13, 2019``
_DATE_ONLY = re.compile(r" {0,3}[A-Z][a-z]{2,8}\.? \d{1,2}(?:st|nd|rd|th)?,? \d{4}[ .]*")
_SENTENCE_OVER = re.compile(
    r"(?:[.:;!?)\"\n*|-]|\b(?:CARRIED|PASSED|ADOPTED|APPROVED|FAILED|DEFEATED|LOST)) {0,3}$"
)


_LISTED = re.compile(r" {0,60}\(?(?:\d{1,2}|[A-Za-z]|[ivxIVX]{2,4})[.)] {1,8}[A-Z]")


def _numbered(number: str, last: dict[str, int]) -> tuple[str, int]:
    """Return how a heading is numbered, and its place in the row."""
    if "." in number:
        return "1.1", int(number.rpartition(".")[2])
    if number.isdigit():
        return "1", int(number)
    if number[:-1].isdigit():
        return "1a", ord(number[-1].lower()) - 96
    roman = sum(
        -_ROMAN[letter]
        if index + 1 < len(number) and _ROMAN.get(number[index + 1], 0) > _ROMAN[letter]
        else _ROMAN[letter]
        for index, letter in enumerate(number)
        if letter in _ROMAN
    )
    is_roman = all(letter in _ROMAN for letter in number)
    if is_roman and (len(number) > 1 or _goes_on(roman, last.get("I")) or (roman == 1)):
        return "I", roman
    return ("A", ord(number[0]) - 64) if number[0].isupper() else ("a", ord(number[0]) - 96)


def _goes_on(value: int, last: int | None) -> bool:
    return value == 1 if last is None else value == 1 or last <= value <= last + _SKIPPED


def _title_at(doc: DocumentText, position: int) -> str | None:
    """Return the title that begins at a position: its line, and the next where it goes on."""
    text = doc.text
    end = text.find("\n", position)
    end = len(text) if end < 0 else end
    line = text[position:end]
    following = text[end + 1 : end + 161].partition("\n")[0].strip()
    hangs = following[:1].isalpha() and _HANGING.search(line) is not None
    goes_on = (following[:1].islower() or hangs) and not _NEXT_POINT.match(following)
    if len(line) > 55 and goes_on and not _TITLE_ENDS.search(line):
        line = f"{line} {following}"
    return _tidy(line)


def _tidy(line: str) -> str | None:
    """Return a title without what follows it in its line, or None if it is no title."""
    # What is far behind it is another column.
    line = line.strip()
    if "      " in line:
        line = _COLUMNS.split(line, 1)[0]
    line = " ".join(line.split())
    if _OF_A_VOTE.match(line):
        return None
    if not _VERBS.isdisjoint(line.lower().split()) and _SENTENCE.match(line):
        return None
    what = _WHAT_IS_DONE.match(line)
    ends = _TITLE_ENDS.search(line, what.end() if what else 3)
    if ends and _DATE_ONLY.fullmatch(line, ends.end()):
        ends = None
    title = (line[: ends.start()] if ends else line).strip(" .:;-,_")
    if len(title) < 3 or not title[0].isalnum() or title.lower() == title.upper():
        return None
    low = title.lower()
    if low in ("the", "and", "all", "present", "absent"):
        return None
    if ("moved" in low or "proposed" in low or "seconded" in low) and _WHO_MOVED.search(title):
        return None
    name = read_name(title, 0) if "," in title else None
    if name is not None and name.start == 0 and title[name.end : name.end + 1] == ",":
        return None
    return title if len(title) <= _LONGEST else title[: _LONGEST - 3].rstrip() + "..."
