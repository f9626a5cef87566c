"""The piece of a page's text around the hits, in parts, so that marking comes after escaping."""

from __future__ import annotations

import re
from collections.abc import Sequence

from .query import Term, places

#: Parts of a text, each with whether it is a hit.
Snippet = Sequence[tuple[str, bool]]

LETTERS = 220
#: How many letters of the snippet stand before its first hit.
_BEFORE = 50
#: How far the borders move to fall between words.
_WORD = 25
_SPACE = re.compile(r"\s+")


def snippet(text: str, terms: Sequence[Term], letters: int = LETTERS) -> Snippet:
    """Return about so many letters of a text with as many hits as can be had."""
    hits = places(text, terms)
    begin = _best_start(text, hits, letters)
    end = min(begin + letters, len(text))
    begin, end = _between_words(text, begin, end)
    inside = [hit for hit in hits if begin <= hit[0] and hit[1] <= end]
    parts = _parts(text, begin, end, inside)
    return [("… ", False)] * (begin > 0) + parts + [(" …", False)] * (end < len(text))


def _best_start(text: str, hits: Sequence[tuple[int, int]], letters: int) -> int:
    """Return where the piece with the most different hits, then the most hits, starts."""
    best, best_start = (0, 0), 0
    for number, (start, _) in enumerate(hits):
        last = start + letters - _BEFORE
        words = [text[a:b].lower() for a, b in hits[number : number + _WORD] if b <= last]
        score = (len(set(words)), len(words))
        if score > best:
            best, best_start = score, start
    return max(0, min(best_start - _BEFORE, len(text) - letters))


def _between_words(text: str, begin: int, end: int) -> tuple[int, int]:
    """Move the borders to the next space, if there is one near."""
    if begin:
        space = _SPACE.search(text, begin, min(begin + _WORD, end))
        begin = space.end() if space else begin
    if end < len(text):
        space_before = text.rfind(" ", max(begin, end - _WORD), end)
        end = space_before if space_before > begin else end
    return begin, end


def _parts(
    text: str, begin: int, end: int, hits: Sequence[tuple[int, int]]
) -> list[tuple[str, bool]]:
    parts: list[tuple[str, bool]] = []
    for start, stop in hits:
        parts.append((_SPACE.sub(" ", text[begin:start]), False))
        parts.append((text[start:stop], True))
        begin = stop
    parts.append((_SPACE.sub(" ", text[begin:end]), False))
    return [part for part in parts if part[0]]
