"""Prepare a text for reading: normalise it without moving a character, and find phrases fast.

Every change keeps the length: a curly quote becomes a straight one, a running header becomes
spaces, a word broken over two lines is joined and the room it leaves is filled after it.  An
offset into the normalised text is therefore an offset into the original.
"""

from __future__ import annotations

import sys
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from clerk.core import lazy_re as re

#: At most this much white space may separate two words of a phrase.
_GAP = 40


def pattern(source: str, flags: int = 0) -> re.Pattern[str]:
    r"""Compile a pattern with its ``\s*`` and ``\s+`` bounded.

    Two unbounded gaps side by side cost the square of the white space they meet; a page of blanks
    must not cost more than a page of words.
    """
    bounded = source.replace(r"\s*", rf"\s{{0,{_GAP}}}").replace(r"\s+", rf"\s{{1,{_GAP}}}")
    return re.compile(bounded, flags)


def word_set(words: str) -> frozenset[str]:
    """Return the words of a text as a set."""
    return frozenset(words.split())


def line_start(text: str, position: int, reach: int = 240) -> int:
    """Return where the line around a position begins, at most ``reach`` characters before it."""
    floor = max(0, position - reach)
    return max(floor, text.rfind("\n", floor, position) + 1)


def end_without(text: str, position: int, characters: str) -> int:
    """Return where the text before a position ends without these characters."""
    while position > 0 and text[position - 1] in characters:
        position -= 1
    return position


def indent_start(text: str, position: int, most: int) -> int | None:
    """Return where the line of a position begins if only spaces, at most ``most``, precede it."""
    start = position
    while start > 0 and text[start - 1] == " " and position - start < most:
        start -= 1
    return start if start == 0 or text[start - 1] == "\n" else None


def is_inside(stretches: Sequence[tuple[int, int]], *positions: int) -> bool:
    """Whether one of the positions is in one of the stretches, which are in order."""
    for position in positions:
        place = bisect_right(stretches, (position, sys.maxsize))
        if place > 0 and position < stretches[place - 1][1]:
            return True
    return False


def last_match(regex: re.Pattern[str], text: str, start: int, end: int) -> re.Match[str] | None:
    """Return the last match of a pattern in a stretch of text."""
    found = None
    for match in regex.finditer(text, start, end):
        found = match
    return found


class Phrase:
    """A pattern that begins a word, and with one of a few stems.

    Each alternative of the pattern needs a stem: all stems of all phrases are looked for together,
    once in a text, and a pattern is tried only where one of its own stems is, many times as fast as
    trying alternatives at every character.  In ``so_ordered`` the underscore is any space; such a
    stem is found by its first word and the next letter, or more space.
    """

    def __init__(self, stems: str, source: str) -> None:
        found: set[str] = set()
        for stem in stems.split():
            first, spaced, second = stem.partition("_")
            after = (second[:1], " ", "\n") if second else ("",)
            found |= {first + gap + next for gap in " \n" for next in after} if spaced else {stem}
        # What begins with another stem of the phrase is found with that one.
        self.stems = {stem for stem in found if found.isdisjoint(_beginnings(stem))}
        self.index = _CAPITALS if all("A" <= stem[0] <= "Z" for stem in self.stems) else _SMALL
        self.index.add(self)
        self._source = source

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """The pattern, compiled when a text first has one of its stems: few texts have all."""
        return pattern(self._source)

    def find(self, text: str) -> list[re.Match[str]]:
        """Return the matches in the order of the text; they may overlap."""
        starts = self.index.starts(text, self)
        if not starts:
            return []
        match = self.pattern.match
        return [found for start in starts if (found := match(text, start)) is not None]


def _beginnings(word: str) -> list[str]:
    return [word[:size] for size in range(1, len(word))]


class _StemIndex:
    """Finds the words of a text that begin with a stem, for all phrases at once."""

    def __init__(self) -> None:
        self.phrases: list[Phrase] = []
        self.pattern: re.Pattern[str] | None = None
        #: For each stem, the phrases that it or a beginning of it is a stem of.
        self.owners: dict[str, list[int]] = {}
        self.last: tuple[str, dict[Phrase, list[int]]] = ("", {})

    def add(self, phrase: Phrase) -> None:
        """Look for the stems of this phrase too."""
        self.phrases.append(phrase)
        self.pattern = None

    def starts(self, text: str, phrase: Phrase) -> list[int]:
        """Return where a phrase may begin, in order; all phrases ask for one text in turn."""
        if self.pattern is not None and self.last[0] is text:
            return self.last[1][phrase]
        pattern = self.pattern or self._build()
        found: list[list[int]] = [[] for _ in self.phrases]
        owners = self.owners
        # The text ends, and begins, as its lines do.
        for word in pattern.finditer(f"\n{text}\n"):
            start = word.start()
            for owner in owners[word[1]]:
                found[owner].append(start)
        self.last = (text, dict(zip(self.phrases, found, strict=True)))
        return self.last[1][phrase]

    def _build(self) -> re.Pattern[str]:
        places: dict[str, set[int]] = defaultdict(set)
        for place, phrase in enumerate(self.phrases):
            for stem in phrase.stems:
                places[stem].add(place)
        stems = set(places)
        self.owners = {
            stem: sorted({place for each in found if each in places for place in places[each]})
            for stem, found in ((stem, (stem, *_beginnings(stem))) for stem in stems)
        }
        # The regex engine scans fast for a plain character class: it comes first.
        firsts = re.escape("".join(sorted({stem[0] for stem in stems})))
        self.pattern = re.compile(rf"[^0-9A-Za-z](?=[{firsts}])(?=({_tree(stems)}))(?<!\w)")
        return self.pattern


def _tree(words: Iterable[str]) -> str:
    """Return a pattern for the longest of the words that looks at each character once."""
    by_first: dict[str, list[str]] = defaultdict(list)
    ends = False
    for word in sorted(words):
        if word:
            by_first[word[0]].append(word[1:])
        else:
            ends = True
    branches = [re.escape(first) + _tree(rest) for first, rest in by_first.items()]
    if not branches:
        return ""
    if len(branches) == 1 and not ends:
        return branches[0]
    return f"(?:{'|'.join(branches)}){'?' if ends else ''}"


_SMALL, _CAPITALS = _StemIndex(), _StemIndex()


#: Replacement -> the characters it replaces, one for one.
_SAME_WIDTH = {
    "'": "\u2018\u2019\u201b\u02bc\u00b4",
    '"': "\u201c\u201d\u201e",
    "-": "\u2010\u2011\u2012\u2013\u2014\u2015\u2212\u00ad",
    " ": "\u00a0\u2002\u2003\u2007\u2009\u202f\t\r\v*_|#`\\",
    "\n": "\f\u2028\u2029\u0085",
}

#: A long dash between a heading and a name is no hyphen: ``Claims\u2014Smith moved``.
_LONG_DASH = re.compile(
    r"[\u2014\u2015](?<=[a-z]{3}.)(?=[A-Z][a-z]+ (?:[A-Z][a-z]+ )?mo(?:ved|ves|tion)\b)"
)
_BROKEN_WORD = re.compile(r"-(?<=[^\W\d_]-)( {0,8}\n {0,60})([^\W\d_]{2,30}(?:-[^\W\d_]{1,30})?)")
#: A one or a zero in a word, before small letters, was an l, an i or an o; so was a zero among
#: capitals.
_DIGIT_IN_WORD = re.compile(
    r"[10](?:(?<=[A-Za-z].)(?=[a-z]{2})|(?<=[a-z]0)(?=[a-z])|(?<=[A-Z]0)(?=[A-Z]{3})"
    r"|(?<=[A-Z]{3}0)(?=[A-Z]))"
)
_PAGE_MARK = re.compile(
    r"^ {0,8}-{2,5} {0,2}page {1,2}(\d{1,5})(?: of \d{1,5})? {0,2}-{2,5} {0,8}$", re.M | re.I
)
_PAGE_BREAK = re.compile(rf"\f|{_PAGE_MARK.pattern}", re.M | re.I)
_FORM_FEED = re.compile("\f")
_MAYBE_MARK = re.compile("-- {0,2}[Pp][Aa][Gg][Ee]")
_PAGE_NUMBER = re.compile(
    r"age {0,2}[/|:]? {0,2}[\divxlo]{1,4}(?: {1,2}of {1,2}\d{1,4})?[ .]{0,3}$", re.M
)
_SPLIT_SENTENCE = re.compile(
    r"\n(?:(?<=[a-z,]\n)|(?<=[a-z,] \n))(?: {0,80}\n){1,4}(?= {0,80}[a-z]{2})"
)
#: A line that ends with a word that no sentence ends with goes on, whatever follows.
_UNFINISHED = re.compile(
    r"\n(?:(?<= the\n)|(?<= a\n)|(?<= an\n)|(?<= of\n)|(?<= to\n)|(?<= and\n)|(?<= by\n)"
    r"|(?<= for\n)|(?<= in\n)|(?<= with\n)|(?<= that\n))(?: {0,80}\n){1,3}(?= {0,80}\S)"
)
_SPLIT_LINE = re.compile(
    r"\n(?:(?<=[^\s.:;?!]\n)|(?<=[^\s.:;?!] \n))(?: {0,80}\n){1,2}(?= {0,80}\S)"
)
_HEADER_WORD = re.compile("page|minutes|meeting")
_LISTED = re.compile(r"[:,;&]\s{0,3}(?:\w{1,15}\.?\s{1,2}){0,3}[Pp][Aa][Gg][Ee]|\band\s+[Pp]age")
_LOOSE_STOP = re.compile(r"(?<=\w)( {1,2})([.,;:])(?=[ \n]|$)")
#: More than this many of a kind are a habit of the text, not an accident.
_FEW = 8
_FIRST_NUMBER = re.compile(r"^ {0,12}(\d{1,3})(?= |$)", re.M)
_LAST_NUMBER = re.compile(r"([0-9](?<= .)\d{0,2}) {0,4}$", re.M)
#: A line number is at most this much more than that of the numbered line before.
_NUMBER_STEP = 5
#: As many numbers in a row, in lines that follow each other, are line numbers.
_NUMBERED_LINES = 5
_DIGITS = re.compile(r"\d+")

#: This many lines at the top and bottom of a page may be a running header or footer.
_MARGIN_LINES = 3
#: A margin line printed on this many pages is one.
_REPEATS = 3


@dataclass(frozen=True)
class NormalText:
    """A document's text, the normalised text of the same length, and where its pages begin."""

    original: str
    text: str
    lower: str
    page_starts: Sequence[int]

    def printed_end(self, start: int, end: int) -> int:
        """Return where a stretch ends in the original if a word in it was joined over a line."""
        if self.original.find("-", start, end) < 0:
            return end
        for broken in _BROKEN_WORD.finditer(self.original, start, end):
            if broken.start() + 1 < end and not self.text[broken.start() + 1].isspace():
                end += len(broken[1])
        return end

    @property
    def text_with_digits(self) -> str:
        """The normalised text with the ones and zeros that it has letters for."""
        if not _DIGIT_IN_WORD.search(self.original):
            return self.text
        pairs = zip(self.original, self.text, strict=True)
        return "".join(was if was in "10" and now in "loO" else now for was, now in pairs)

    def page_at(self, offset: int) -> int:
        """Return the number of the page, from 1, that an offset is on."""
        return bisect_right(self.page_starts, offset)

    def page_bounds(self, page: int) -> tuple[int, int]:
        """Return where a page begins and ends, its form feed not counted."""
        start = self.page_starts[page - 1]
        if page < len(self.page_starts):
            return start, self.page_starts[page] - 1
        return start, len(self.original)


def normalise(pages: Sequence[str]) -> NormalText:
    """Join the pages by form feeds and normalise them, character for character."""
    original = text = "\f".join(pages)
    starts = [0]
    for page in pages[:-1]:
        starts.append(starts[-1] + len(page) + 1)

    if "\n" not in text and "\f" not in text:
        text = text.replace("\r", "\n")
    text = plain(_LONG_DASH.sub(":", text))
    text = _blank(text, running_headers(text, original))
    if _MAYBE_MARK.search(text):
        text = _blank(text, (mark.span() for mark in _PAGE_MARK.finditer(text)))
    text = _blank(text, sorted(margin_numbers(text)))
    numbers = [
        (line_start(text, end.start()), end.end()) for end in _PAGE_NUMBER.finditer(lower(text))
    ]
    text = _blank(
        text,
        [
            (start, end)
            for start, end in numbers
            # ``AYES: Smith, Page 2`` is a list that a Mr. Page is on.
            if end - start <= 120 and not _LISTED.search(text, start, end)
        ],
    )
    if text.count(" . ") + text.count(" , ") > _FEW:
        # ``Com . Smith , aye``: a full stop or comma belongs to the word before it.
        text = _LOOSE_STOP.sub(r"\2\1", text)
    text = _BROKEN_WORD.sub(_join_word, text)
    text = _DIGIT_IN_WORD.sub(
        lambda digit: (
            "l" if digit[0] == "1" else "O" if digit.string[digit.end()].isupper() else "o"
        ),
        text,
    )

    # Blank lines inside sentences go: page breaks, and text set in double spacing.
    gaps = text.count("\n\n")
    mostly_blank = gaps > 20 and gaps > 0.3 * (text.count("\n") - gaps)
    if mostly_blank and len(_SPLIT_SENTENCE.findall(text)) > gaps / 5:
        text = _SPLIT_LINE.sub(_one_line_break, text)
    text = _UNFINISHED.sub(_one_line_break, _SPLIT_SENTENCE.sub(_one_line_break, text))
    return NormalText(original, text, lower(text), starts)


def plain(text: str) -> str:
    """Replace curly quotes, long dashes and the like by plain characters, one for one."""
    # Most texts have no other letters than those of ASCII: nothing else is looked for in them.
    ascii_only = text.isascii()
    for character, fancy in _SAME_WIDTH.items():
        for each in fancy:
            if not ascii_only or each.isascii():
                text = text.replace(each, character)
    return text


def page_marks(text: str) -> list[tuple[int, int]]:
    """Return (offset, page number) of every line such as ``--- PAGE 3 ---``."""
    if not _MAYBE_MARK.search(text):
        return []
    return [(mark.start(), int(mark[1])) for mark in _PAGE_MARK.finditer(text)]


def lower(text: str) -> str:
    """Return the text in lower case, of the same length whatever letters are in it."""
    lowered = text.lower()
    if len(lowered) == len(text):
        return lowered
    return "".join(low if len(low := char.lower()) == 1 else char for char in text)


def _blank(text: str, spans: Iterable[tuple[int, int]]) -> str:
    """Replace stretches of a text by spaces; of two that overlap, the first."""
    pieces, done = [], 0
    for start, end in spans:
        if start >= done:
            pieces += [text[done:start], " " * (end - start)]
            done = end
    return "".join([*pieces, text[done:]])


def running_headers(text: str, original: str) -> Iterator[tuple[int, int]]:
    """Yield the lines that come back at the top or bottom of many pages, numbers apart."""
    page_break = _PAGE_BREAK if _MAYBE_MARK.search(original) else _FORM_FEED
    breaks = [mark.span() for mark in page_break.finditer(original)]
    if len(breaks) + 1 < _REPEATS:
        return
    margins: dict[tuple[int, int], str] = {}
    start = 0
    for end, following in [*breaks, (len(original), len(original))]:
        lines, offset = [], start
        for line in original[start:end].split("\n"):
            if line and not line.isspace():
                lines.append((offset, offset + len(line)))
            offset += len(line) + 1
        for span in lines[:_MARGIN_LINES] + lines[max(_MARGIN_LINES, len(lines) - _MARGIN_LINES) :]:
            words = " ".join(text[slice(*span)].split())
            # A line with a colon that is no header may be a list of votes.
            if ":" not in words or _HEADER_WORD.search(words.lower()):
                margins[span] = _DIGITS.sub("0", words)
        start = following
    printed = Counter(margins.values())
    for span, words in margins.items():
        if words and printed[words] >= _REPEATS:
            yield span


def margin_numbers(text: str) -> Iterator[tuple[int, int]]:
    """Yield the numbers of lines that are printed in the left or right margin.

    They are numbers that begin, or end, lines in a row and grow by one from line to line; a line
    or two may lack its number.  They may begin again on each page.
    """
    for side in (_FIRST_NUMBER, _LAST_NUMBER):
        run: list[re.Match[str]] = []
        lines = 0
        for number in side.finditer(text):
            if run:
                step = int(number[1]) - int(run[-1][1])
                lines = text.count("\n", run[-1].end(), number.start())
                if not (1 <= step <= _NUMBER_STEP and step <= lines <= 2 * step + 1):
                    if len(run) >= _NUMBERED_LINES:
                        yield from [each.span(1) for each in run]
                    run = []
            run.append(number)
        if len(run) >= _NUMBERED_LINES:
            yield from [each.span(1) for each in run]


def _join_word(broken: re.Match[str]) -> str:
    """Return the rest of a word with the line break after it, as long as before."""
    gap, tail = broken.groups()
    whole = tail[0].islower() and broken.string[broken.start() - 1].islower()
    # ``end-of-life`` has hyphens wherever its line ends.
    hyphen = "" if whole and "-" not in tail else "-"
    return hyphen + tail + " " * (len(gap) - len(hyphen)) + "\n"


def _one_line_break(gap: re.Match[str]) -> str:
    return " " * (len(gap[0]) - 1) + "\n"
