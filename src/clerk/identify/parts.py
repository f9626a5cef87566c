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
from collections.abc import Iterator, Sequence, Set
from datetime import date
from functools import cached_property
from itertools import zip_longest
from typing import Final, NamedTuple

import msgspec

from .bodies import (
    BARE,
    DISTRICT,
    GOVERNING,
    HEAD,
    MENTIONED,
    ONE_BOARD,
    after_own_place,
    clean_name,
    municipalities,
    own_words,
    place_words,
)
from .dates import begins_with_date, printed_dates
from .facts import (
    AGENDA,
    MINUTES,
    NOTICE,
    OTHER,
    PACKET,
    PAGE,
    PERSON,
    PORTAL,
    REPORT,
    RESOLUTION,
    UNKNOWN,
    Bookmark,
    Fact,
    Hints,
    Identity,
    OtherReading,
    PageView,
    Part,
)
from .identity import Printed, read_pages
from .kinds import KindRule, heading_rule, is_item, openings
from .paths import PACKET_WORD
from .text import (
    LONGEST_LINE,
    MOST_CHARACTERS,
    MOST_LINES,
    Line,
    Words,
    ascii_lower,
    cased_pattern,
    is_address,
    is_sentence,
    lines_of,
    may_be_remark,
    page_lines,
    tidy,
    title_block,
    without_remarks,
)

#: A part begins where the signs for it weigh at least this much.
_ENOUGH: Final = 3.0
#: Lines at the top and the end of a page that are looked at.
_TOP_LINES, _HEADER_LINES, _END_LINES, _HEADING_LINES = 26, 3, 4, 14
_END_CHARACTERS: Final = 400
#: "Page 2" is within this many lines of the beginning or the end.
_NUMBER_LINES: Final = 8
_BEGINNING: Final = 2500
_REMARK_LINES: Final = 4
#: A first line on this share of the pages is a running header.
_OFTEN: Final = 0.4
#: A heading of these kinds nearly begins a part alone.
_OWN_DOCUMENT: Final = frozenset({MINUTES, AGENDA, NOTICE, RESOLUTION, PACKET})

_GOES_ON = Words(
    r"^(?:and (?:whereas|be it|that|further)|be it further|further(?:more)?\b|continued\b"
    r"|therefore\b|\(?(?:[b-hj-z]|ii|iii|iv)\) |[2-9][.)] |1[0-9][.)] )"
)
_LOWER_CASE = re.compile(r"[a-zà-ü]{2,}[ ,;.]|[a-z] [a-z]")
_PAGE_NUMBER = Words(
    r"\b(?:page|pg\.?|seite|p\.) ?#? ?(?P<one>[0-9]{1,3})\b"
    r"(?: ?(?:of|/|von) ?(?P<of>[0-9]{1,3})\b)?"
    r"|^(?P<two>[0-9]{1,3}) ?(?:of|/) ?(?P<of2>[0-9]{1,3})$|^[-–—~ ]*(?P<three>[0-9]{1,3})[-–—~ ]*$"
    r"|\|(?: ?page) ?(?P<four>[0-9]{1,3})|https?:\S+ (?P<five>[0-9]{1,3})/(?P<of5>[0-9]{1,3})$"
)
_NUMBER_WORDS: Final = {
    **{"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7},
    **{"eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12},
}
_PAGE_WORD = cased_pattern(rf"\bpage ({'|'.join(_NUMBER_WORDS)})\b")
_PACKET_PAGE = Words(
    r"\b(?:packet|agenda|pack) (?:pg|page|p)\b\.? ?[0-9]+|\bpage [0-9]+ of [0-9]{3,}\b"
)
#: The last lines of a part that is complete.
_COMPLETE = Words(
    r"\badjourn\w*|\brespectfully submitted|\bmeeting (?:closed|ended)|\bsincerely|\byours (?:truly"
    r"|faithfully)|-30-|\bminutes (?:to be|are subject to) approv|\b(?:passed|adopted"
    r"|enacted) (?:\w+ ){0,6}this\b(?! (?:order|resolution|ordinance)\b)"
)
_COMPLETE_NEEDS: Final = (
    *("adjourn", "respectfully", "meeting", "sincerely", "yours", "-30-", "minutes", "this"),
)
_MEETING_ENDS = Words(r"adjourn|\bmeeting (?:was )?(?:closed|ended|concluded)\b")
_RESUMED = Words(r"\badjourn\w* (?:in)?to\b|\b(?:closed|executive) session\b")
_SIGNED = Words(
    r"\b(?:mayor|clerk|reeve|secretary|chair(?:man|person|woman)?|president|superintendent"
    r"|treasurer)\b"
)
_SIGNED_NEEDS: Final = (
    *("mayor", "clerk", "reeve", "secretary", "chair", "president", "superintendent", "treasurer"),
)
_LONGEST_SIGNATURE: Final = 60
#: Where a part ends within a page, one of these is printed.
_ENDS: Final = ("adjourn", "submitted", "closed at", "ended at", "meeting closed", "carried")
#: Words of headings that name a document of its own, and of those of minutes.
_MINUTES_HEADINGS: Final = (
    "minutes",
    "proceedings",
    "verbal",
    "niederschrift",
    "protokoll",
    "acta",
)
_OTHER_HEADINGS: Final = (
    *("agenda", "notice", "resolution", "ordinance", "law", "pack", "mintues", "record", "journal"),
    *("summary", "notes", "cofnod", "ordre", "orden", "order", "ordnung", "docket", "bill"),
    *("schedule", "dates", "calendar", "cancel"),
)
#: A title within a page has at least this many lines above it.
_ABOVE_TITLE: Final = 3
#: How minutes begin, below their title: within this many lines.
_TITLE_LINES: Final = 5
_MEETING_OPENS = Words(
    r"\bto order\b|^(?:\w+ ){0,3}(?:present|in attendance|attending|apologies|roll call|absent) ?:"
    r"|\b(?:were|was) present\b"
)
_OPENS_MINUTES = Words(
    r"(?:at )?(?:an?|the) (?:\w+ ){0,4}(?:meeting|session) of (?:the )?\w|be it remembered\b"
    r"|i hereby give notice that an? |at an? (?:\w+ ){1,5}(?:meeting|session) (?:holden|held)\b"
    r"|report of an? (?:\w+ ){0,3}(?:meeting|session|hearing) held\b"
    r"|(?:[a-z]{3,20}: )?(?:an?|the) (?:[\w'’.-]+ ){1,9}(?:(?:met|convened) (?:in|at|on|for)"
    r"|held (?:a|an|its) (?:\w+ ){0,3}(?:meeting|session|hearing))\b"
    r"|the following (?:\w+ )?(?:is|are) the (?:\w+ )?minutes of\b"
)
_OF_MEETINGS: Final = ("present", "to order", "attend", "hereby give")
_HEARING_BEGINS: Final = ("present:", "present :", "to order")
_PAYMENTS = Words(r"(?:payments|accounts|invoices|bills) (?:for (?:approval|payment)|to be paid)")
_DECIDED = Words(r"\b(?:moved|motion|seconded|proposed|carried|resolved|agreed)\b")
_ITEM = Words(r"(?:[0-9]{1,3}|[A-Z]|[ivx]{1,6})[.)] ")
_MOVED = Words(r"^(?:it was )?moved by\b|\bmoved by:")
_OF_MINUTES: Final = ("to order", "present:", "in attendance", "adjourned")
_NUMBER_ONE = Words(r"^(?:(?:part|section|article|item) )?(?:1|I|A)[.):]? \S")
_DEAR = Words(r"^dear \w|^to whom it may|^attention ?:|^attn ?:|\bwe thank you\b|^re ?:")
_CLOSINGS: Final = ("yours truly", "sincerely,", "yours sincerely", "yours faithfully")
_DEAR_NEEDS: Final = ("dear", "to whom", "attention", "attn", "thank you", "re:", "re :")
#: A page with the running header of its part begins another only if it has one of these.
_OPENING_WORDS: Final = (
    *_DEAR_NEEDS,
    *("moved by", "to:", "from:", "to :", "order", "present", "whereas", "resolved", "convened"),
    *(" met ", "held", "apolog", "adjourn", "attend", "notice", "summon", "business"),
)
_LABEL = Words(r"^(?:to|from|date|subject|title|re|via|dept\.?|department|category|prepared by) ?:")
_MEETING = Words(r"\b(?:meeting|session|hearing|workshop|sitzung|séance|réunion|sesión)\b")
#: "Date of next meeting: 7 November 2024" closes minutes.
_NEXT = Words(r"\bnext (?:\w+ ){0,3}(?:meeting|session)")
#: Every document of a town may begin with its name.
_ONLY_PLACE = Words(
    r"(?:city|town|township|village|county|borough|municipality|shire|district|region) of "
    r"[\w'’.-]+(?: \w+)?"
    r"|(?:[\w'’.&-]+ ){1,5}(?:township|county|district|schools|(?:city|county|district|parish"
    r"|shire|town|township|village) council)(?: (?:no\.? ?)?[#0-9]{1,5})?"
)
_DIGITS = re.compile(r"[0-9]+")


class _Page:
    """What a page prints at its beginning and end."""

    def __init__(self, page: PageView, running: frozenset[str]) -> None:
        self.view = page
        self._lines = page_lines(page)
        lines = self._lines.first(_REMARK_LINES + 1)
        self.is_headed = bool(running and lines) and _fixed(lines[0].text) in running
        self._above = int(self.is_headed)
        first = lines[self._above : self._above + _REMARK_LINES]
        if first and may_be_remark(first[0].text):
            # "(These minutes are subject to approval)" above the title.
            kept = without_remarks(first)
            self._above += len(first) - len(kept) if kept[:1] != first[:1] else 0
            lines = self._lines.first(self._above + 1)
        self.opening = lines[self._above].text if self._above < len(lines) else ""

    @cached_property
    def last(self) -> list[str]:
        """The last lines."""
        ending = map(str.strip, self.view.text[-_END_CHARACTERS:].split("\n"))
        return list(filter(None, ending))[-_END_LINES:]

    @cached_property
    def number(self) -> _PageNumber:
        """The number that the first or last lines print."""
        first = [line.text for line in self._lines.first(_NUMBER_LINES)]
        lines = (*first, *reversed(self.last))
        has_word = any(map("\n".join(lines).lower().__contains__, _PAGE_WORDS))
        for number, printed in enumerate(lines):
            # A number by itself, or next to a word for a page.
            if len(printed) <= _NUMBER_ALONE:
                is_number = has_word or bool(_DIGITS.search(printed))
            else:
                is_number = has_word and any(map(printed.lower().__contains__, _PAGE_WORDS))
            if is_number:
                line = _in_digits(printed)
                match = _PAGE_NUMBER.search(line) if len(line) < 100 else None
                if not match or _PACKET_PAGE.search(line):
                    continue
                named = match.groupdict()
                if named["three"] and _HEADER_LINES < number < len(first):
                    # A number by itself, but not at the edge of the page.
                    continue
                found = next(named[each] for each in _NUMBERS if named[each])
                of = named["of"] or named["of2"] or named["of5"]
                return _PageNumber(int(found), int(of) if of else None, not named["three"])
        return _PageNumber()

    @cached_property
    def first(self) -> frozenset[str]:
        """The lines that a running header would have."""
        head = self._lines.first(_NUMBER_LINES)[self._above : self._above + _HEADER_LINES]
        return frozenset(
            line.lower() if begins_with_date(line) else _fixed(line)
            for line, _ in head
            if len(line) > 7 and not _ONLY_PLACE.fullmatch(line)
        )

    @cached_property
    def goes_on(self) -> bool:
        """Whether the page begins in the middle of a text, or with nothing."""
        opening = self.opening
        return not opening or bool(_LOWER_CASE.match(opening) or _GOES_ON.match(opening))

    def top(self, most: int = _TOP_LINES) -> list[Line]:
        """Return the first lines below the running header."""
        return self._lines.first(most + self._above)[self._above :]

    @cached_property
    def block(self) -> list[Line]:
        few = title_block(self.top(_HEADING_LINES))
        # Most title blocks end within the first lines.
        return few if len(few) < _HEADING_LINES - 1 else title_block(self.top())

    @cached_property
    def small(self) -> str:
        """The page in lower case: rules look for their words here before they search."""
        return ascii_lower(self.view.text[:MOST_CHARACTERS])

    @cached_property
    def beginning(self) -> str:
        """The beginning of the page in lower case."""
        return self.small[:_BEGINNING]

    @cached_property
    def moved(self) -> int:
        if "moved by" not in self.beginning:
            return 0
        return sum(bool(_MOVED.search(line.text)) for line in self.top())

    @property
    def is_form(self) -> bool:
        """Whether it is a form for one motion; minutes print more than that."""
        if self.moved != 1 or any(map(self.beginning.__contains__, _OF_MINUTES)):
            return False
        return self.heading is None or self.heading[0].kind not in (MINUTES, AGENDA)

    @cached_property
    def heading(self) -> tuple[KindRule, Line] | None:
        for line in self.block[:_HEADING_LINES]:
            rule = heading_rule(line.text)
            if rule is None or line.text.endswith(":"):
                continue
            if _PAGE_NUMBER.search(_in_digits(line.text)):
                continue
            # "Resolution 2022-309 Moved by Councillor Ling" is one of many in minutes.
            of_minutes = self.moved > 1 or "moved by" in line.text.lower()
            if rule.kind == RESOLUTION and of_minutes:
                continue
            # Minutes have an item "Accounts for payment", and then a vote.
            if not (_PAYMENTS.fullmatch(line.text) and _DECIDED.search(self.beginning)):
                return rule, line
        return None

    @cached_property
    def days(self) -> frozenset[date]:
        found = printed_dates("\n".join(line.text for line in self.block))
        return frozenset(each.day for each in found)

    @cached_property
    def is_complete(self) -> bool:
        return any(map(_ends_part, self.last))

    @property
    def is_adjourned(self) -> bool:
        """Whether it ends with the end of a meeting; "adjourned to executive session" is none."""
        return any(_MEETING_ENDS.search(each) and not _RESUMED.search(each) for each in self.last)

    @cached_property
    def is_letter(self) -> bool:
        if any(map(self.beginning.__contains__, _DEAR_NEEDS)) and any(
            _DEAR.search(line.text) for line in self.top()
        ):
            return True
        is_signed = any(map(self.small.__contains__, _CLOSINGS)) and bool(self.days)
        return is_signed and any(is_address(line.text) for line in self.block[:7])

    @cached_property
    def names_meeting(self) -> Line | None:
        """The line of the title block that names a meeting or a body, next to a date."""
        if not self.days:
            return None
        for line in self.block[:_HEADING_LINES]:
            if is_item(line.text):
                continue
            if _MEETING.search(line.text) or HEAD.search(line.text):
                return None if _NEXT.search(line.text) else line
        return None

    @property
    def names_owner(self) -> bool:
        """Whether the first line names a place or a body, as above a title."""
        opening = self.opening
        if self.is_headed and _ONLY_PLACE.fullmatch(self._lines.first(1)[0].text):
            return True
        return bool(HEAD.search(opening) or DISTRICT.search(opening) or municipalities(opening))

    @cached_property
    def opens_minutes(self) -> Line | None:
        """The line of the sentence with which minutes, or a notice, without a title open."""
        if not any(map(self.beginning.__contains__, _OF_MEETINGS)):
            return None
        lines = self.top(_TITLE_LINES + 2)
        is_begun = any(map(self.beginning.__contains__, _HEARING_BEGINS))
        for number, line in enumerate(lines[:_TITLE_LINES]):
            opens = _OPENS_MINUTES.match(line.text)
            # Within minutes: "The Planning Board held a hearing on May 4 and recommends it."
            if opens and (is_begun or "hearing" not in opens[0].lower()) and not self.heading:
                # The day may be above: "The Board met on this date".
                sentence = "\n".join(each.text for each in lines[max(0, number - 1) : number + 3])
                return line if printed_dates(sentence) else None
        # A day by itself, and below it "The meeting was called to order".
        dated = (line for line in lines[:3] if begins_with_date(line.text))
        day = next((line for line in dated if printed_dates(line.text)), None)
        is_opened = day and any("to order" in line.text.lower() for line in lines)
        return day if is_opened and not self.heading else None

    @cached_property
    def is_memorandum(self) -> bool:
        labels = (":" in line.text and bool(_LABEL.match(line.text)) for line in self.top(10))
        return sum(labels) >= 3

    @cached_property
    def opens_again(self) -> bool:
        """Whether it begins as a document does, not only with a title."""
        if is_sentence(self.opening):
            return False
        if self.is_form or self.is_letter or self.is_memorandum:
            return True
        kind = self.heading[0].kind if self.heading else None
        if kind not in (None, MINUTES):
            return self.opens_like(kind)
        # Motions are everywhere in minutes.
        if kind is None and (self.names_meeting is None or not self.opens_like(MINUTES, AGENDA)):
            return False
        return any(_MEETING_OPENS.search(line.text) for line in self.top())

    def opens_like(self, *kinds: str) -> bool:
        """Whether the text after the title block begins as documents of these kinds do."""
        if RESOLUTION in kinds and self.is_form:
            return True
        return bool(openings(self.top(), len(self.block), kinds))


def split(pages: Sequence[PageView], identity: Identity, hints: Hints) -> list[Part]:
    """Return the parts of a document in order; together they have every page."""
    if not pages:
        return []
    # The first lines that are on many pages belong to no part.
    first_lines = Counter(
        _fixed(page.text[:200].lstrip().split("\n", 1)[0].strip()) for page in pages if page.text
    )
    often = max(3, _OFTEN * len(pages))
    running = frozenset(
        line for line, count in first_lines.items() if len(line) > 7 and count >= often
    )
    tops = [_Page(page, running) for page in pages]
    numbered_through: bool | None = None
    marked = sum(bool(page.bookmarks) for page in pages)
    starts: list[_Start] = []
    #: First lines of the pages of the part so far, without its first page; up to which page.
    seen: set[str] = set()
    seen_to = 0
    for index, page in enumerate(tops):
        begins = UNKNOWN
        # Nothing but a bookmark weighs as much as a text that goes on.
        if starts and (page.view.bookmarks or not page.goes_on):
            before, first = tops[index - 1], starts[-1]
            if seen_to <= first.at:
                seen, seen_to = set(), first.at + 1
            seen.update(*(each.first for each in tops[seen_to:index]))
            seen_to = index
            signs: list[_Sign] = []
            if numbered_through is None:
                # Whether the numbers on the pages count the pages of the whole packet.
                counted = tops if len(tops) > _FEW_PAGES else ()
                numbers = ((at, top.number.number) for at, top in enumerate(counted))
                offsets = Counter(at - number for at, number in numbers if number)
                numbered_through = max(offsets.values(), default=0) > 0.6 * len(tops)
            if not numbered_through:
                signs += _signs_of_number(page, before, index - first.at + 1)
            if not any(sign.weight < -_ENOUGH for sign in signs):
                signs += _signs(page, before, seen or before.first)
            if numbered_through and running:
                signs.append(_Sign("header and number go on", -3.0))
            if 1 < marked <= max(2, _MARKED_SHARE * len(pages)):
                signs += _signs_of_bookmarks(page.view.bookmarks)
            if (
                index > first.at + 1
                and (again := page.first & first.page.first)
                and not again & seen
            ):
                signs.append(_Sign("title of the part before", 2.0, page.opening))
            if sum(sign.weight for sign in signs) >= _ENOUGH:
                signs += _signs_against(page, first.page, seen or before.first)
            weight = sum(sign.weight for sign in signs)
            if weight >= _ENOUGH and page.opening:
                best = max(signs, key=lambda sign: sign.weight)
                sure = round(min(0.95, 0.5 + 0.08 * (weight - _ENOUGH)), 2)
                begins = Fact(best.name, PAGE, best.quote[:120], page.view.page, sure)
        if not starts or begins.value:
            starts.append(_Start(index, page, begins))
        rest, character = page, 0
        while (inside := _begins_inside(rest, starts[-1].page)) is not None:
            above, rest, begins = inside
            character += above
            starts.append(_Start(index, rest, begins, character))
    own = _Own()
    if len(starts) > 1:
        heads = [line.text for page in pages[:3] for line in lines_of(page, _TOP_LINES)]
        own = _Own(
            own_words(hints.place, heads), frozenset(_fixed(line.text) for line in tops[0].top())
        )
    parts = []
    for start, following in zip_longest(starts, starts[1:]):
        end = following.at if following else len(pages)
        of_part = [start.page.view, *pages[start.at + 1 : end]]
        if following and following.character:
            # The part ends within the page on which the next one begins.
            last = start.page.view if end == start.at else pages[end]
            above = following.character - (start.character if end == start.at else 0)
            ending = msgspec.structs.replace(last, text=last.text[:above])
            of_part = [ending] if end == start.at else [*of_part, ending]
        parts.append(_part(of_part, start, identity, own))
    return _with_whole_names(parts)


def _with_whole_names(parts: Sequence[Part]) -> list[Part]:
    """Return the parts with "Board of Directors" for "Board", where only one is in the packet."""
    named = [part.body for part in parts if part.kind.value == MINUTES and not part.of_other_place]
    whole = list(parts)
    for number, part in enumerate(parts):
        bare = f"{part.body.value} of ".lower()
        fuller = {body.value: body for body in named if (body.value or "").lower().startswith(bare)}
        if len(fuller) == 1 and not part.of_other_place:
            whole[number] = msgspec.structs.replace(part, body=_taken(*fuller.values()))
    return whole


class _Start(NamedTuple):
    """Where a part begins: the page, from the part's first line if it begins within one."""

    at: int
    page: _Page
    begins: Fact
    character: int = 0


def _begins_inside(page: _Page, first: _Page) -> tuple[int, _Page, Fact] | None:
    """Return the rest of a page on which another part begins, after how many characters.

    Only where everything is printed: the adjournment or signature, then the title of minutes, an
    agenda or a resolution with a day of its own, then how such a document begins.  Minutes whose
    title is followed by who was there, or who called them to order, need no end above them.
    """
    titles = _titles(page)
    if not titles:
        return None
    text = page.view.text[:MOST_CHARACTERS]
    lines = page.top(MOST_LINES)
    for number in range(_ABOVE_TITLE, len(lines) - 2):
        rule = titles.get(lines[number].text)
        if rule is None:
            continue
        top = number
        while top > number - 4 and not _ends_part(lines[top - 1].text):
            top -= 1
        if top == number - 4:
            below = lines[number + 1 : number + 1 + _TITLE_LINES]
            if rule.kind != MINUTES or not any(_MEETING_OPENS.search(each.text) for each in below):
                continue
            top = number
            while top > 1 and _is_title(lines[top - 1].text) and number - top < _TITLE_LINES:
                top -= 1
        raw = text.split("\n")
        at = -1
        # Line by line: names come twice.
        for line in lines[: top + 1]:
            following = enumerate(raw[at + 1 :], at + 1)
            at = next((n for n, each in following if line.text in " ".join(each.split())), at)
        above = sum(len(each) + 1 for each in raw[: max(at, 0)])
        view = msgspec.structs.replace(page.view, text=page.view.text[above:])
        rest = _Page(view, frozenset())
        if above and rest.days and not rest.days <= first.days and rest.opens_like(rule.kind):
            return above, rest, Fact("heading", PAGE, lines[top].text[:120], view.page, 0.6)
    return None


def _titles(page: _Page) -> dict[str, KindRule]:
    """Return the lines that may be the title of a document: of minutes, or after an end.

    What is within the first three lines of a page begins it.
    """
    text, small = page.view.text, page.small
    ends = [at for word in _ENDS if (at := small.find(word)) >= 0]
    searched = [(word, 0) for word in _MINUTES_HEADINGS]
    if ends:
        searched += [(word, min(ends)) for word in _OTHER_HEADINGS]
    whole_lines: set[tuple[int, int]] = set()
    for word, first in searched:
        at = small.find(word, first)
        while at >= 0:
            end = small.find("\n", at)
            end = end if end >= 0 else len(small)
            whole_lines.add((small.rfind("\n", 0, at) + 1, end))
            at = small.find(word, end)
    found: dict[str, KindRule] = {}
    for begin, end in whole_lines:
        lines = [tidy(text[begin:end])]
        if end - begin > LONGEST_LINE:
            lines = [line.text for line in page.top(MOST_LINES)]
        elif begin < LONGEST_LINE and small.count("\n", 0, begin) < _ABOVE_TITLE:
            continue
        for line in lines:
            first_word = line.split(" ", 1)[0].lower()
            if line in found or line[:1].islower() or first_word in _MOTION_BEGINS:
                continue
            rule = None if is_sentence(line) else heading_rule(line)
            if rule and rule.kind in _OWN_DOCUMENT and not _ITEM.match(line):
                found[line] = rule
    return found


#: "THAT By-Law 2023-14 be read a third time" is in minutes, "Approval of the minutes" too.
_MOTION_BEGINS: Final = frozenset(
    {
        *("that", "and", "whereas", "now", "be", "moved", "motion", "seconded", "approve"),
        *("approval", "adopt", "adoption", "recommendation", "recommendation:", "request", "see"),
    }
)


def _is_title(line: str) -> bool:
    """Whether a line above a heading belongs to it: a name in capitals, without a full stop."""
    return len(line) <= _LONGEST_SIGNATURE and line[-1].isalnum() and _in_capitals(line)


def _in_capitals(line: str) -> bool:
    """Whether more than half of the words of a line begin with a capital."""
    words = [word for word in line.split() if word[0].isalpha()]
    return 2 * sum(word[0].isupper() for word in words) > len(words)


def _ends_part(line: str) -> bool:
    small = line.lower()
    if any(map(small.__contains__, _COMPLETE_NEEDS)) and _COMPLETE.search(small):
        return True
    # "Mayor Hale called the meeting to order" is no signature, "Present: Ann Lee, Mayor" neither.
    may_sign = len(line) <= _LONGEST_SIGNATURE and any(map(small.__contains__, _SIGNED_NEEDS))
    may_sign = may_sign and not small.startswith(("present", "members present"))
    return may_sign and bool(_SIGNED.search(small)) and _in_capitals(line)


def with_papers(identity: Identity, parts: Sequence[Part]) -> Identity:
    """Return an agenda that its papers follow as a packet; anything else keeps its kind.

    What a person or the portal said of the kind stays; an agenda that the portal calls a packet may
    be one.  "Board" may be "Board of Directors" in the minutes among the papers.
    """
    kind, body = identity.kind, identity.body
    if parts and body.source == PAGE and parts[0].body.value != body.value:
        identity = msgspec.structs.replace(
            identity, body=parts[0].body, others=[*identity.others, OtherReading("body", body)]
        )
    is_said = kind.source == PERSON or (
        kind.source == PORTAL and not PACKET_WORD.search(identity.title.value or "")
    )
    papers = [part for part in parts[1:] if part.kind.value in _PAPERS]
    has_minutes = any(part.kind.value == MINUTES for part in papers)
    if kind.value != AGENDA or is_said or not (has_minutes or papers[1:]):
        return identity
    first = papers[0]
    shown = Fact(PACKET, PAGE, first.begins.quote, first.first_page, 0.7)
    return msgspec.structs.replace(
        identity, kind=shown, others=[*identity.others, OtherReading("kind", kind)]
    )


_PAPERS: Final = frozenset({MINUTES, REPORT, RESOLUTION, OTHER})


class _Sign(NamedTuple):
    """What speaks for a part that begins on a page, or against it."""

    name: str
    weight: float
    quote: str = ""


def _signs(page: _Page, before: _Page, seen: Set[str]) -> Iterator[_Sign]:
    """Yield the signs on a page; ``seen`` has the first lines of the part before it."""
    if page.first & seen and not any(map(page.beginning.__contains__, _OPENING_WORDS)):
        yield _Sign("running header", -5.0)
        return
    opening = page.opening
    if not opening:
        return
    if page.goes_on:
        yield _Sign("text goes on", -5.0)
        return
    is_text = is_sentence(opening)
    if _VOUCHERS.match(opening):
        yield _Sign("list of payments", 3.5, opening)
    if opens := page.opens_minutes:
        yield _Sign("meeting", 3.5, opens.text)
    if is_text:
        yield _Sign("text", -0.5)
    else:
        yield from _signs_of_title(page)
    if page.heading and page.heading[0].kind == RESOLUTION and not before.is_form:
        numbered = _fixed(page.heading[1].text)
        if "#" in numbered and numbered in map(_fixed, before.small.split("\n")):
            yield _Sign("numbered like motions of the page before", -4.0, opening)
    if before.is_form and before.is_complete:
        yield _Sign("end of the form before", 3.5, opening)
    elif before.is_complete and not any(_ends_part(line.text) for line in page.top(_END_LINES)):
        # Signatures at the top end the part before, too.
        yield _Sign("end of the part before", 2.0 if before.is_adjourned else 1.0, opening)
        if not page.heading and len(page.block) >= 2 and not is_text:
            yield _Sign("title", 1.0, opening)
    if before.is_headed and not page.is_headed:
        yield _Sign("no running header", 1.0, opening)
    if not before.last:
        yield _Sign("blank page before", 1.0, opening)
    sizes = [each.view.width + each.view.height for each in (page, before) if each.view.width]
    if len(sizes) == 2 and abs(sizes[0] - sizes[1]) >= _PAPER_POINTS:
        # Whichever way they are turned.
        yield _Sign("other paper", 1.5, opening)
    if None not in (scans := {page.view.is_scan, before.view.is_scan}) and len(scans) == 2:
        yield _Sign("scan next to text", 1.5, opening)


#: How the page begins that approves payments, without a title.
_VOUCHERS = Words(
    r"(?:the )?following (?:\w+ ){0,2}(?:vouchers?|claims?|bills|warrants?|checks|cheques|payments"
    r"|accounts)\b(?!.*\b(?:was|were)\b)"
)


def _signs_against(page: _Page, first: _Page, seen: Set[str]) -> Iterator[_Sign]:
    """Yield what speaks against a part that seems to begin; ``first`` begins the one before it."""
    if page.days and page.days == first.days and not page.opens_again:
        yield _Sign("running header with the same day", -3.5)
    same_day = page.days and page.days <= first.days and not page.is_form
    kinds = [each.heading[0].kind for each in (page, first) if each.heading]
    if same_day and kinds == [AGENDA, AGENDA]:
        yield _Sign("the same agenda", -4.0)
    # "Minutes of the meeting held on 8 November" below the name of the committee.
    is_titled = (
        kinds[:1] == [MINUTES] != kinds[1:]
        and page.heading is not None
        and bool(page.days - first.days)
        and "meeting" in page.heading[1].text.lower()
    )
    if page.first & seen and (same_day or not (page.opens_again or is_titled)):
        yield _Sign("running header", -4.0)


def _signs_of_title(page: _Page) -> Iterator[_Sign]:
    """Yield what the first lines show."""
    opening = page.opening
    if page.heading:
        rule, line = page.heading
        strong = (
            rule.kind in _OWN_DOCUMENT or rule.weight >= 7 or bool(_NUMBERED_PAPER.match(opening))
        )
        weight = 3.0 if strong else 2.0 if line in page.top(2) else 1.5
        if page.opens_like(rule.kind):
            weight += 1.5
        weight += 0.5 * bool(page.days)
        if not strong and page.names_owner:
            # A letterhead above the title.
            weight += 1.0
        if any(_NUMBER_ONE.match(each.text) for each in page.top(12)):
            weight += 1.0
        yield _Sign("heading", weight, line.text)
    elif (meeting := page.names_meeting) and (
        len(page.block) <= _HEADING_LINES or page.opens_like(MINUTES, AGENDA)
    ):
        yield _Sign("meeting", 3.5, meeting.text)
    if page.is_memorandum:
        yield _Sign("labels of a memorandum", 3.0, opening)
    elif page.is_letter and not page.number.says_page:
        yield _Sign("letter", 3.0, opening)
    if any(is_address(line.text) for line in page.block[:7]):
        yield _Sign("letterhead", 1.5, opening)


#: "POLICY 443.5", "EXHIBIT B": the first line of a paper of its own.
_NUMBERED_PAPER = Words(r"(?:(?:board|administrative) )?policy (?:no\.? |number )?[a-z]{0,3}[-0-9]")


def _signs_of_number(page: _Page, before: _Page, expected: int) -> Iterator[_Sign]:
    """Yield what the numbers of pages say; ``expected`` if the part before goes on."""
    number = page.number.number
    if before.number.of and before.number.number == before.number.of:
        yield _Sign("last page of the part before", 2.0)
    if number == 1:
        yield _Sign("page 1", 2.0, page.opening)
    elif number is not None and number in (expected, (before.number.number or -1) + 1):
        # A bare number may be anything.
        yield _Sign("page number goes on", -5.0 if page.number.says_page else -2.0)


def _signs_of_bookmarks(marks: Sequence[Bookmark]) -> Iterator[_Sign]:
    """Yield what the outline says; a document's own outline has its headings and slides."""
    for mark in marks:
        rule = heading_rule(mark.title)
        names_document = _FILE.search(mark.title) or (rule and rule.kind in _OWN_DOCUMENT)
        if mark.level <= 1 and not _SLIDE.match(mark.title):
            weight = 3.0 if names_document else 1.5 if mark.level == 0 else 0.5
            yield _Sign("bookmark", weight, mark.title)
            return


_FILE = Words(r"\.(?:pdf|docx?|xlsx?|pptx?)$")
_SLIDE = Words(r"^(?:slide|folie|page|sheet|blank page) ?[0-9]*\b")
#: If more pages than this have bookmarks, they are headings within one document.
_MARKED_SHARE: Final = 0.6


_PAPER_POINTS: Final = 15.0


def _fixed(line: str) -> str:
    """Return what is the same in a running header on every page."""
    return _DIGITS.sub("#", line.lower())


def _in_digits(line: str) -> str:
    """Return a line with the number of a page in digits: typists wrote "Page Two"."""
    if "age " not in line and "AGE " not in line:
        return line
    return _PAGE_WORD.sub(lambda found: f"Page {_NUMBER_WORDS[found[1].lower()]}", line)


class _PageNumber(NamedTuple):
    """The number of a page, of how many, and whether it says that it is one."""

    number: int | None = None
    of: int | None = None
    says_page: bool = False


_NUMBER_ALONE: Final = 14
#: With no more pages than this, a number on each of them says nothing about a packet.
_FEW_PAGES: Final = 5
_PAGE_WORDS: Final = ("page", "pg", "seite", "p.", "http")
_NUMBERS: Final = ("one", "two", "three", "four", "five")


# ------------------------------------------------------------------------- what a part is


class _Own(NamedTuple):
    """The words of the own place, and the first lines of the packet."""

    words: frozenset[str] = frozenset()
    lines: frozenset[str] = frozenset()


def _part(pages: Sequence[PageView], start: _Start, packet: Identity, own: _Own) -> Part:
    """Return what a part is; the first part of a packet is its agenda or what the packet is."""
    top = start.page
    if start.begins is UNKNOWN:
        kind = packet.kind
        if kind.value == PACKET:
            kind = msgspec.structs.replace(kind, value=AGENDA, confidence=0.6)
        last = pages[-1].page
        return Part(pages[0].page, 0, last, kind, packet.body, packet.date, packet.title)
    printed = read_pages(pages[:2], own=own.words)
    place, is_own = _place_of(top, printed, own.words)
    day, body, kind = printed.date, printed.body, printed.kind
    elsewhere: bool | None = place.value is not None and not is_own
    if kind.value == RESOLUTION:
        if elsewhere:
            if place.value and (body.value is None or body.value.lower() in _BARE_COUNCILS):
                name = _whole_name(place.value, top)
                body = msgspec.structs.replace(place, value=f"{name} Council")
        else:
            day = day if day.value else _taken(packet.date)
            body = body if body.value else _taken(packet.body)
    elif kind.value in (OTHER, REPORT, None):
        same_day = next(
            (
                Fact(packet.date.value, PAGE, line.text, line.page, 0.8)
                for line in top.block
                for found in printed_dates(line.text)
                if found.day.isoformat() == packet.date.value
            ),
            None,
        )
        if not place.value and not printed.is_letter:
            # A report of the day, or to the body; a list of payments or a policy is nobody else's.
            is_own = is_own or bool(same_day) or _is_same_body(body, packet.body, own.words)
            is_own = is_own or any(_OWN_PAPER.search(line.text) for line in top.top(_TITLE_LINES))
        if is_own and not elsewhere and not printed.is_letter and (same_day or day.value is None):
            day = same_day or _taken(packet.date)
            body = body if body.value else _taken(packet.body)
        elif day.value != packet.date.value:
            day, body = UNKNOWN, UNKNOWN
            # Where nothing says whose it is, nobody knows.
            is_sent = top.heading and _RELEASE.search(top.heading[1].text)
            elsewhere = elsewhere or (False if is_own else True if is_sent else None)
    elif not elsewhere and (other := _organisation(top, own, has_body=bool(body.value))):
        # "Soil Conservation District" above "Board of Supervisors"; a club's minutes.
        whole = f"{other.value} {body.value}" if body.value else other.value
        elsewhere, place = True, other
        body = msgspec.structs.replace(other, value=whole)
    elif not elsewhere and body.confidence < MENTIONED:
        # A body that is only mentioned in the text; the packet's is as good, but a bare board is no
        # council.
        is_bare = bool(body.value) and body.confidence == BARE
        if not is_bare or (body.value or "").lower() in (packet.body.value or "").lower():
            body = _taken(packet.body) if packet.body.value else body
    if not elsewhere and _is_same_body(body, packet.body, own.words):
        # A place has one council, whether it is called "Council" or "Township Council".
        body = msgspec.structs.replace(body, value=packet.body.value)
    return Part(
        pages[0].page,
        start.character,
        pages[-1].page,
        kind,
        body,
        day,
        printed.title,
        elsewhere,
        place if elsewhere else UNKNOWN,
        start.begins,
    )


def _whole_name(place: str, top: _Page) -> str:
    """Return the longest name that the text has for a place: "Town of Ashby" for "Ashby"."""
    found = municipalities(_running_text(top))
    names = [each for each in found if place_words(each) == place_words(place)]
    return max([place, *names], key=lambda each: len(each.split()))


def _running_text(top: _Page) -> str:
    """Return the text of a page without its line ends."""
    lines = [line.text for line in lines_of(top.view)]
    return "".join(line + ("" if line[-1] == "-" else " ") for line in lines)


_RESOLVING = Words(r"\bresolved,? (?:that )?(?:by )?(?:the )?(?:\w+ )?council (?:of|for) (?:the )?")
#: A name that says which kind of place it is: not "The Corporation of the Later".
_KIND_OF_PLACE = Words(
    r"\b(?:city|town|township|village|municipality|count(?:y|ies)|borough|district|region|shire"
    r"|parish|council)\b"
)


_BARE_COUNCILS: Final = frozenset({"council", "town council", "city council", "municipal council"})


def _is_same_body(body: Fact, of_packet: Fact, own: frozenset[str]) -> bool:
    """Whether a part names the body of its packet, in other words perhaps."""
    if not (body.value and of_packet.value):
        return False
    if after_own_place(body.value, own).lower() == of_packet.value.lower():
        # "Salter Board of Health" in the packet of the Board of Health.
        return True
    if any(
        each.fullmatch(body.value) and each.fullmatch(of_packet.value) for each in _ONE_OF_A_PLACE
    ):
        return True
    is_named = " " in body.value or _COUNCIL.fullmatch(body.value)
    if is_named and of_packet.value.lower().endswith(f" {body.value.lower()}"):
        # "Parish Council", or "Council", in the packet of the Millbrook Parish Council.
        return True
    fewer, all_words = (set(each.lower().split()) for each in (body.value, of_packet.value))
    return bool(GOVERNING.fullmatch(of_packet.value)) and fewer <= all_words


_COUNCIL = Words(r"(?:(?:city|town|township|village|municipal|common|regional) )?council")
#: Names for the one council of a town, the one board of a school district or a county.
_ONE_OF_A_PLACE: Final = (_COUNCIL, *ONE_BOARD)


def _taken(fact: Fact) -> Fact:
    """Return a fact of the packet as that of a part that does not print its own."""
    return msgspec.structs.replace(fact, confidence=round(0.7 * fact.confidence, 2))


def _place_of(top: _Page, printed: Printed, own: frozenset[str]) -> tuple[Fact, bool]:
    """Return the place or organisation that a part names first, and whether it is the own one."""
    body = printed.body
    if body.value and _ORGANISATION.search(body.value):
        names = (body.value, *(line.text for line in top.block[:_TITLE_LINES]))
        is_own = bool(own) and any(own <= place_words(name) for name in names)
        return Fact(body.value, PAGE, body.quote, body.page, 0.6), is_own
    # A letter names its reader further down; a resolution its council in the text.
    of_text = printed.kind.value == RESOLUTION
    lines = top.top() if of_text else top.block[:2] if printed.is_letter else top.block
    if any(_VENUE.fullmatch(line.text) for line in lines):
        lines = [line for line in lines if not line.text.lower().startswith("county of ")]
    for line in (*lines_of(top.view, 1), *lines):
        for name in municipalities(line.text):
            if of_text and not _KIND_OF_PLACE.search(name):
                text = _running_text(top)
                says = _RESOLVING.search(text)
                named = municipalities(text[says.end() : says.end() + 80]) if says else ()
                name = next(iter(named), name)
            is_own = own <= place_words(name)
            return Fact(name, PAGE, line.text[:120], line.page, 0.7), is_own
    if body.value and own and own <= place_words(body.value):
        return UNKNOWN, True
    for name in municipalities(body.value or "") if own else ():
        # "The Marsh County Board of Supervisors met ..."
        words = {each for word in place_words(name) for each in word.split("-")}
        return Fact(name, PAGE, body.quote, body.page, 0.6), own <= words
    # The name of the own place may be the running header.
    title = () if printed.is_letter else (*lines_of(top.view, 1), *top.block[:_TITLE_LINES])
    if own and any(own <= place_words(line.text) for line in title):
        return UNKNOWN, True
    if printed.is_letter and top.block:
        line = top.block[0]
        return Fact(clean_name(line.text), PAGE, line.text, line.page, 0.4), False
    return UNKNOWN, printed.kind.value not in (OTHER, REPORT, None)


def _organisation(top: _Page, own: _Own, *, has_body: bool) -> Fact | None:
    """Return the organisation whose name is above the title of a part, if it is not the own one.

    Where the title names a body, only a district has others of the same name.
    """
    names = (line.text for line in top.block[:_TITLE_LINES] if not heading_rule(line.text))
    if any(_fixed(name) in own.lines for name in names):
        return None
    for line in top.block[:_TITLE_LINES]:
        text = line.text
        words = place_words(text)
        is_district = bool(DISTRICT.search(text)) and not HEAD.search(text)
        is_district = is_district or bool(_OF_SEVERAL_PLACES.search(text))
        if _NAMED_AUTHORITY.fullmatch(text) and not own.words & words:
            is_district = True
        if (own.words and words == own.words) or (not is_district and own.words & words):
            return None
        if is_district or not (
            has_body
            or heading_rule(text)
            or _MEETING.search(text)
            or HEAD.search(text)
            or printed_dates(text)
        ):
            named = len(words) > 1 and _is_title(text) and not is_address(text)
            return Fact(clean_name(text), PAGE, text, line.page, 0.4) if named else None
        if not has_body:
            return None
    return None


_NAMED_AUTHORITY = Words(
    r"(?:[\w'’-]+ ){1,3}(?:conservation|port|transit|transportation|airport|water|power|health"
    r"|planning) authority"
)
#: "STATE OF TEXAS", "COUNTY OF LLANO" at the head of a contract: where it is made.
_VENUE = Words(r"(?:the )?state of [\w ]{4,20}[^\w]*")
_OF_SEVERAL_PLACES = Words(
    r"\b(?:council of governments|(?:association|league) of (?:\w+ )?(?:governments|counties|cities"
    r"|municipalities|towns(?:hips)?|boroughs|villages|school boards)|joint powers)\b"
)
#: Who publishes a packet has no release of its own in it.
_RELEASE = Words(r"\b(?:news|press|media) release\b|\bfor immediate release\b")
_OWN_PAPER = Words(
    r"\bpolic(?:y|ies)$|\b(?:payments?|payables?|claims?|cheques?|checks?|vouchers?|warrants?"
    r"|disbursements?) (?:\w+ ){0,2}(?:register|report|list\w*)\b|\blist of (?:bills|claims"
    r"|payments|accounts)\b|\b(?:payments|accounts|bills) (?:for (?:approval|payment)|to be paid)\b"
    r"|^(?:the )?following (?:\w+ ){0,2}(?:vouchers?|claims|bills|warrants)\b"
)
#: The library board, conservation commission and housing committee are bodies of the town.
_ORGANISATION = Words(
    r"\b(?:corporation|association|authority|society|foundation|health unit|inc|cooperative)\b"
    r"|\b(?:library|conservation|housing)\b(?! (?:board|commission|committee|advisory|trust))"
)
