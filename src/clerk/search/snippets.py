"""The piece of a page's text that shows why it was found."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence

from .query import DEFAULT_LANGUAGES, Term, places

#: Parts of a text, each with whether it is a hit.
Snippet = Sequence[tuple[str, bool]]

_LETTERS = 220
#: Letters of the snippet before its first hit.
_BEFORE = 50
#: How far the borders move to fall between words.
_WORD = 25
_SPACE = re.compile(r"\s+")


def snippet(
    text: str,
    terms: Sequence[Term],
    languages: Sequence[str] = DEFAULT_LANGUAGES,
    letters: int = _LETTERS,
) -> Snippet:
    """Return about this many letters of a text with as many hits as possible.

    In parts, so that marking the hits comes after escaping.
    """
    hits = places(text, terms, languages)
    begin = _best_start(text, hits, letters)
    end = min(begin + letters, len(text))
    if begin:
        space = _SPACE.search(text, begin, min(begin + _WORD, end))
        begin = space.end() if space else begin
    if end < len(text):
        space_before = text.rfind(" ", max(begin, end - _WORD), end)
        end = space_before if space_before > begin else end
    parts: list[tuple[str, bool]] = []
    at = begin
    for start, stop in hits:
        if begin <= start and stop <= end:
            parts += [(_SPACE.sub(" ", text[at:start]), False), (text[start:stop], True)]
            at = stop
    parts.append((_SPACE.sub(" ", text[at:end]), False))
    shown = [part for part in parts if part[0]]
    return [("… ", False)] * (begin > 0) + shown + [(" …", False)] * (end < len(text))


def _best_start(text: str, hits: Sequence[tuple[int, int]], letters: int) -> int:
    """Return where the piece with the most different hits, then the most hits, starts."""
    best, best_start = (0, 0), 0
    words = [text[start:stop].lower() for start, stop in hits]
    stops = [stop for _, stop in hits]
    different = len(set(words))
    for number, (start, _) in enumerate(hits):
        last = min(bisect_right(stops, start + letters - _BEFORE), number + _WORD)
        if (different, last - number) <= best:
            continue
        score = (len(set(words[number:last])), last - number)
        if score > best:
            best, best_start = score, start
    return max(0, min(best_start - _BEFORE, len(text) - letters))
