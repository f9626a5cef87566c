"""Paragraphs from the lines of a scan: which line breaks are the author's, and which the paper's.

A line break is dropped where the text ran on: where the first word of the next line would not have
fitted any more, and no space was left between the lines.  Offsets count in the text as it was read,
so that hits and passages can be marked.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from itertools import pairwise
from statistics import median, quantiles
from typing import NamedTuple

from .files import PageWords

#: A line that leaves more than this share of the usual width free was ended on purpose.
_FILLED = 0.86
#: Pages with narrower lines than this are lists: no line is joined.
_NARROWEST = 45
#: A line begins a paragraph if it is further from the one above than usual, by this share of it.
_EXTRA_SPACE = 0.45
_PRINTED = re.compile(r"\S+")
_GAP = re.compile(r"\S(?: {3,}|\t)\S")
_LISTED = re.compile(
    r"[(\[]?(?:\d{1,3}|[A-Za-z]|[ivxIVX]{1,5})[.)\]](?:\d{1,3}[.)]?)*\s"
    r"|[\u2022\u25cf\u25aa\u25e6*\u2013\u2014\u00a7\u00b7]|-\s"
    r"|(?:Section|SECTION|Sec\.|WHEREAS|NOW)\b"
)
#: Ayes:   Present:   Moved by:
_LABEL = re.compile(r"[A-Z][\w./() -]{0,34}:(?:\s|$)")
#: No line ends on purpose with a title that a name has to follow, or with one of these words.
_TITLES = ("Mr.", "Ms.", "Mrs.", "Dr.", "No.")
_LINKING = (
    *(" by", " of", " the", " and", " to", " a", " an", " for", " in", " on", " that", " with"),
    *(" at", " from", " or", " as"),
)
_UNFINISHED = re.compile(r"\b(?:Mr|Ms|Mrs|Dr|No)\.$")
_SENTENCE_END = (".", "!", "?", ":", ";", ".\u201d", '."')
#: For counting small letters quickly.
_WITHOUT_SMALL = dict.fromkeys(range(ord("a"), ord("z") + 1))
_HYPHENS = ("-", "\u2010", "\u00ad")


class TextRun(NamedTuple):
    """Some text of a line, and what is between it and the run before: nothing, a space, a break."""

    start: int
    end: int
    before: str


class _Line(NamedTuple):
    start: int
    end: int
    text: str
    is_heading: bool
    #: Whether it has cells, as a line of a table has.
    has_gap: bool


def _is_heading(text: str) -> bool:
    """Whether a line is printed in capitals."""
    if len(text) - len(text.translate(_WITHOUT_SMALL)) > 0.15 * len(text):
        return False
    letters = [each for each in text if each.isalpha()]
    return len(letters) > 2 and sum(map(str.isupper, letters)) > 0.85 * len(letters)


def starts_after_space(text: str, words: PageWords) -> set[int]:
    """Return where lines start that are further from the line above than lines usually are."""
    found = list(_PRINTED.finditer(text))
    if [each[0] for each in found] != list(words.words):
        return set()
    starts: list[int] = []
    boxes: list[tuple[int, int]] = []
    for number, each in enumerate(found):
        top, bottom = words.boxes[4 * number + 1], words.boxes[4 * number + 3]
        if number and "\n" not in text[found[number - 1].end() : each.start()]:
            boxes[-1] = (min(boxes[-1][0], top), max(boxes[-1][1], bottom))
        else:
            starts.append(each.start())
            boxes.append((top, bottom))
    if len(boxes) < 3:
        return set()
    height = median(bottom - top for top, bottom in boxes)
    spaces = [below[0] - above[1] for above, below in pairwise(boxes)]
    usual = median(each for each in spaces if each > -height)
    return {
        start
        for start, space in zip(starts[1:], spaces, strict=True)
        if space > usual + _EXTRA_SPACE * height
    }


def paragraphs(text: str, breaks: Collection[int] = ()) -> list[list[TextRun]]:
    """Return the paragraphs of a page, each as the runs of text it is made of.

    ``breaks`` are starts of lines at which a paragraph begins in any case.
    """
    lines: list[_Line | None] = []
    start = 0
    may_have_gaps = "   " in text or "\t" in text
    for each in text.split("\n"):
        if stripped := each.strip():
            begin = start + each.index(stripped)
            has_gap = may_have_gaps and _GAP.search(stripped) is not None
            end = begin + len(stripped)
            lines.append(_Line(begin, end, stripped, _is_heading(stripped), has_gap))
        else:
            lines.append(None)
        start += len(each) + 1
    printed = [each for each in lines if each is not None]
    if not printed:
        return []
    followed = [after is None for line, after in pairwise(lines) if line is not None]
    if len(followed) > 8 and sum(followed) > 0.9 * len(followed):
        # Double spaced: almost every line is followed by an empty one, which says nothing.
        lines = [*printed]
    widths = [len(each.text) for each in printed]
    width = quantiles(widths, n=10)[-1] if len(widths) > 1 else widths[0]
    found_paragraphs: list[list[TextRun]] = []
    above: _Line | None = None
    for line in lines:
        if line is not None:
            begins = above is None or line.start in breaks
            joint = None if begins or above is None else _joint(above, line, width)
            if joint is None:
                found_paragraphs.append([TextRun(line.start, line.end, "")])
            else:
                if not joint and "-" not in line.text.split()[0]:
                    # Without the hyphen that the line above ends with; "end-of-life" keeps it.
                    last = found_paragraphs[-1][-1]
                    found_paragraphs[-1][-1] = TextRun(last.start, last.end - 1, last.before)
                found_paragraphs[-1].append(TextRun(line.start, line.end, joint))
        above = line
    return found_paragraphs


def _joint(above: _Line, line: _Line, width: float) -> str | None:
    """Return what is between two lines; None if a new paragraph begins."""
    if _LISTED.match(line.text):
        return None
    if width < _NARROWEST or above.has_gap or line.has_gap:
        return "\n"
    if above.is_heading or line.is_heading:
        return "\n" if above.is_heading and line.is_heading else None
    goes_on = line.text[0].islower() and not above.text.endswith((*_SENTENCE_END, *_HYPHENS))
    # The regular expression alone would be looked for at every letter.
    is_unfinished = above.text.endswith((",", *_LINKING)) or (
        above.text.endswith(_TITLES) and _UNFINISHED.search(above.text)
    )
    if goes_on or (is_unfinished and not _LABEL.match(line.text)):
        # The sentence goes on, as in a quote that begins in the middle of a line.
        return " "
    room = width * _FILLED - len(above.text) - 1
    if len(line.text.split()[0]) <= room:
        return None if above.text.endswith(_SENTENCE_END) else "\n"
    if _LABEL.match(line.text):
        return "\n"
    if above.text.endswith(_HYPHENS) and above.text[-2:-1].isalpha() and line.text[0].islower():
        return ""
    return " "


def flowing(
    text: str, marks: Sequence[tuple[int, int, str]], words: PageWords | None = None
) -> list[list[tuple[str, str]]]:
    """Return the paragraphs of a page as pieces of text, each with the name of its mark or none.

    ``marks`` are where marks start and end, in order and apart, and their names.
    """
    shown: list[list[tuple[str, str]]] = []
    for runs in paragraphs(text, starts_after_space(text, words) if words else ()):
        pieces: list[tuple[str, str]] = []
        for run in runs:
            of_run: list[tuple[str, str]] = []
            at = run.start
            for start, end, name in marks:
                if start < run.end and end > run.start:
                    of_run.append((text[at : max(start, at)], ""))
                    of_run.append((text[max(start, at) : min(end, run.end)], name))
                    at = min(end, run.end)
            of_run = [each for each in (*of_run, (text[at : run.end], "")) if each[0]]
            if run.before:
                # A mark that goes on in the next line is not interrupted.
                same = pieces[-1][1] if of_run and of_run[0][1] == pieces[-1][1] else ""
                pieces.append((run.before, same))
            pieces += of_run
        shown.append(pieces)
    return shown
