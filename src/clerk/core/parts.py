"""Which words of a document belong to which of its parts.

Neighbours may share a page.  Offsets count the characters of the pages joined by form feeds.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .manifest import DocumentPart


@dataclass(frozen=True)
class PartSpan:
    """A part, and the characters from ``start`` up to ``end`` that belong to it."""

    part: DocumentPart
    start: int
    end: int


def part_spans(pages: Mapping[int, str], parts: Sequence[DocumentPart]) -> list[PartSpan]:
    """Return the parts in order, each with its characters.

    ``pages`` are those that could be read, in order, by their numbers.
    """
    if not parts:
        return []
    page_starts: dict[int, int] = {}
    end = 0
    for number, text in pages.items():
        page_starts[number] = end
        end += len(text) + 1
    end = max(end - 1, 0)
    numbers = list(page_starts)
    starts: list[int] = []
    for part in parts:
        place = bisect_left(numbers, part.first_page)
        start = page_starts[numbers[place]] if place < len(numbers) else end
        if part.first_page in pages:
            start += min(part.first_character, len(pages[part.first_page]))
        starts.append(max(start, starts[-1]) if starts else 0)
    return [
        PartSpan(part, start, end)
        for part, (start, end) in zip(parts, pairwise([*starts, end]), strict=True)
    ]


def part_at(spans: Sequence[PartSpan], offset: int) -> DocumentPart | None:
    """Return the part that a character belongs to; None if there are no parts."""
    if not spans:
        return None
    place = bisect_right(spans, offset, key=lambda span: span.start)
    return spans[max(place - 1, 0)].part
