"""A passage that a link names by its words: where it is in a text, and on the scan.

A long passage is named by the words it begins and ends with, and an ellipsis between them.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

from clerk.read.files import PageWords

from .boxes import Box
from .words import fold, in_place, spans

LONGEST = 600
_ELLIPSIS = "\u2026"
#: A passage whose beginning and end are named has at most this many letters.
_FURTHEST = 8_000


def find_passage(words: Sequence[str], passage: str) -> range | None:
    """Return which of the folded words of a page are the passage; None if it is not there.

    Letters are compared, not words: a word that is divided at the end of a line is the same.
    """
    beginning, _, ending = passage[:LONGEST].partition(_ELLIPSIS)
    first, last = "".join(fold(beginning)), "".join(fold(ending))
    if not first:
        return None
    letters = "".join(words)
    edges = list(accumulate(map(len, words), initial=0))
    word_at = {edge: number for number, edge in enumerate(edges)}
    at = letters.find(first)
    while at >= 0:
        stop = at + len(first)
        if last:
            end = stop + _FURTHEST
            found = letters.find(last, stop, end)
            while found >= 0 and found + len(last) not in word_at:
                found = letters.find(last, found + 1, end)
            stop = found + len(last) if found >= 0 else -1
        if at in word_at and stop in word_at:
            return range(word_at[at], word_at[stop])
        at = letters.find(first, at + 1)
    return None


def passage_in_text(text: str, passage: str) -> tuple[int, int] | None:
    """Return where a passage starts and ends in the text of a page."""
    folded = in_place(text)
    words = folded.split()
    found = find_passage(words, passage)
    if not found:
        return None
    where = spans(folded, words, {found[0], found[-1]})
    return where[0][0], where[-1][1]


def passage_boxes(page: PageWords, passage: str) -> list[Box]:
    """Return the boxes of a passage on the scan, one for each of its lines."""
    pieces = [(word, number) for number, text in enumerate(page.words) for word in fold(text)]
    found = find_passage([word for word, _ in pieces], passage)
    if not found:
        return []
    numbers = range(pieces[found[0]][1], pieces[found[-1]][1] + 1)
    return [_around([box for _, box in line]) for line in lines_of(page, numbers)]


def lines_of(page: PageWords, numbers: range | None = None) -> list[list[tuple[str, Box]]]:
    """Return the words of a page with their boxes, line by line as they are on the scan."""
    lines: list[list[tuple[str, Box]]] = []
    for number in range(len(page.words)) if numbers is None else numbers:
        left, top, right, bottom = page.boxes[4 * number : 4 * number + 4]
        box = (left, top, right, bottom)
        if lines:
            *_, (_, (_, above, before, below)) = lines[-1]
            if left >= before - 20 and above <= (top + bottom) / 2 <= below:
                lines[-1].append((page.words[number], box))
                continue
        lines.append([(page.words[number], box)])
    return lines


def _around(boxes: Sequence[Box]) -> Box:
    lefts, tops, rights, bottoms = zip(*boxes, strict=True)
    return min(lefts), min(tops), max(rights), max(bottoms)
