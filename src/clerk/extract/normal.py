"""Make text comparable without moving a character.

Every change keeps the length: a curly quote becomes a straight one, a running header becomes
spaces, a word broken over two lines is joined and the room it leaves is filled behind it.  An
offset into the normalised text is therefore an offset into the original.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from .patterns import line_start

#: What takes the place of a character, one for one.
_SAME_WIDTH = {
    "'": "\u2018\u2019\u201b\u02bc\u00b4",
    '"': "\u201c\u201d\u201e",
    "-": "\u2010\u2011\u2012\u2013\u2014\u2015\u2212\u00ad",
    " ": "\u00a0\u2002\u2003\u2007\u2009\u202f\t\r\v*_|#`\\",
    "\n": "\f\u2028\u2029\u0085",
}

_BROKEN_WORD = re.compile(r"-(?<=[^\W\d_]-)( {0,8}\n {0,60})([^\W\d_]{2,30}(?:-[^\W\d_]{1,30})?)")
_PAGE_MARK = re.compile(
    r"^ {0,8}-{2,5} {0,2}page {1,2}(\d{1,5})(?: of \d{1,5})? {0,2}-{2,5} {0,8}$", re.M | re.I
)
_PAGE_BREAK = re.compile(rf"\f|{_PAGE_MARK.pattern}", re.M | re.I)
_FORM_FEED = re.compile("\f")
_PAGE_NUMBER = re.compile(
    r"age {0,2}[/|:]? {0,2}[\divxlo]{1,4}(?: {1,2}of {1,2}\d{1,4})?[ .]{0,3}$", re.M
)
_SPLIT_SENTENCE = re.compile(
    r"\n(?:(?<=[a-z,]\n)|(?<=[a-z,] \n))(?: {0,80}\n){1,4}(?= {0,80}[a-z]{2})"
)
_SPLIT_LINE = re.compile(
    r"\n(?:(?<=[^\s.:;?!]\n)|(?<=[^\s.:;?!] \n))(?: {0,80}\n){1,2}(?= {0,80}\S)"
)
_HEADER_WORD = re.compile("page|minutes|meeting")
_DIGITS = re.compile(r"\d+")

#: So many lines at the top and bottom of a page may be a running header or footer.
_MARGIN_LINES = 3
#: A margin line printed on so many pages is one.
_REPEATS = 3


@dataclass(frozen=True)
class Normalised:
    """A document's text, its normalised twin of the same length, and where its pages begin."""

    original: str
    text: str
    lower: str
    page_starts: Sequence[int] = field(default=(0,))

    def page_at(self, offset: int) -> int:
        """Return the number of the page, from 1, that an offset lies on."""
        return bisect_right(self.page_starts, offset)

    def page_bounds(self, page: int) -> tuple[int, int]:
        """Return where a page begins and ends, its form feed not counted."""
        start = self.page_starts[page - 1]
        if page < len(self.page_starts):
            return start, self.page_starts[page] - 1
        return start, len(self.original)


def normalise(pages: Sequence[str]) -> Normalised:
    """Join the pages by form feeds and normalise them, character for character."""
    original = "\f".join(pages)
    starts = [0]
    for page in pages[:-1]:
        starts.append(starts[-1] + len(page) + 1)
    text = _translated(original)
    text = _blank_margins(text, original)
    text = _blank_page_marks(text)
    text = _blank_page_numbers(text)
    text = _BROKEN_WORD.sub(_joined, text)
    text = _close_gaps(text)
    return Normalised(original, text, _lower(text), starts)


def _close_gaps(text: str) -> str:
    """Drop blank lines inside sentences: page breaks, and text set in double spacing."""
    gaps = text.count("\n\n")
    lines = text.count("\n") - gaps
    mostly_blank = gaps > 20 and gaps > 0.3 * lines
    if mostly_blank and len(_SPLIT_SENTENCE.findall(text)) > gaps / 5:
        text = _SPLIT_LINE.sub(_closed, text)
    return _SPLIT_SENTENCE.sub(_closed, text)


def _closed(gap: re.Match[str]) -> str:
    return " " * (len(gap[0]) - 1) + "\n"


def page_marks(text: str) -> list[tuple[int, int]]:
    """Return (offset, page number) of every line such as ``--- PAGE 3 ---``."""
    if "--" not in text:
        return []
    return [(mark.start(), int(mark[1])) for mark in _PAGE_MARK.finditer(text)]


def _translated(original: str) -> str:
    if "\n" not in original and "\f" not in original:
        original = original.replace("\r", "\n")
    for plain, fancy in _SAME_WIDTH.items():
        for character in fancy:
            original = original.replace(character, plain)
    return original


def _blank_page_numbers(text: str) -> str:
    """Blank short lines that end with a page number."""
    pieces, done = [], 0
    for number in _PAGE_NUMBER.finditer(_lower(text)):
        start = line_start(text, number.start())
        if number.end() - start <= 120 and start >= done:
            pieces += [text[done:start], " " * (number.end() - start)]
            done = number.end()
    return "".join([*pieces, text[done:]])


def _lower(text: str) -> str:
    """Return the text in lower case, of the same length whatever letters are in it."""
    lowered = text.lower()
    if len(lowered) == len(text):
        return lowered
    return "".join(low if len(low := char.lower()) == 1 else char for char in text)


def _joined(broken: re.Match[str]) -> str:
    """Return the rest of a word with the line break behind it, as long as before."""
    gap, tail = broken.groups()
    whole = tail[0].islower() and broken.string[broken.start() - 1].islower()
    hyphen = "" if whole else "-"
    return hyphen + tail + " " * (len(gap) - len(hyphen)) + "\n"


def _blank_page_marks(text: str) -> str:
    return _PAGE_MARK.sub(lambda line: " " * len(line[0]), text) if "--" in text else text


def _blank_margins(text: str, original: str) -> str:
    """Replace lines that come back at the top or bottom of many pages by spaces."""
    break_of_page = _PAGE_BREAK if "--" in original else _FORM_FEED
    breaks = [mark.span() for mark in break_of_page.finditer(original)]
    if len(breaks) + 1 < _REPEATS:
        return text
    margins = _margin_lines(original, breaks)
    printed = Counter(_fingerprint(text[start:end]) for start, end in margins)
    pieces, done = [], 0
    for start, end in margins:
        mark = _fingerprint(text[start:end])
        if mark and printed[mark] >= _REPEATS and start >= done:
            pieces += [text[done:start], " " * (end - start)]
            done = end
    return "".join([*pieces, text[done:]])


def _fingerprint(line: str) -> str:
    """Return what a line has in common with its twin on another page; nothing for a vote list."""
    words = " ".join(line.split())
    if ":" in words and not _HEADER_WORD.search(words.lower()):
        return ""
    return _DIGITS.sub("0", words)


def _margin_lines(original: str, breaks: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the spans of the first and last lines of the pages between the breaks."""
    found: list[tuple[int, int]] = []
    start = 0
    for end, following in [*breaks, (len(original), len(original))]:
        lines = _line_spans(original[start:end], start)
        found += lines[:_MARGIN_LINES]
        found += lines[max(_MARGIN_LINES, len(lines) - _MARGIN_LINES) :]
        start = following
    return found


def _line_spans(page: str, offset: int) -> list[tuple[int, int]]:
    spans = []
    for line in page.split("\n"):
        if line and not line.isspace():
            spans.append((offset, offset + len(line)))
        offset += len(line) + 1
    return spans
