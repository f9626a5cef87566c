"""The piece of a page's text around the hits, in parts, so that marking comes after escaping."""

from __future__ import annotations

import re
from collections.abc import Sequence

from .query import Term, hits, words_with_places

#: Parts of a text, each with whether it is a hit.
Snippet = Sequence[tuple[str, bool]]

WORDS = 32
#: How many words of the snippet stand before its first hit.
_BEFORE = 6
_SPACE = re.compile(r"\s+")


def snippet(text: str, terms: Sequence[Term], words: int = WORDS) -> Snippet:
    """Return about so many words of a text with as many hits as can be had."""
    places = list(words_with_places(text))
    found = hits([word for word, _, _ in places], terms)
    if not places:
        return ()
    first = _best_start([places[at][0] if at in found else "" for at in range(len(places))], words)
    last = min(first + words, len(places)) - 1
    begin = 0 if first == 0 else places[first][1]
    end = len(text) if last == len(places) - 1 else places[last][2]
    marks = [places[at][1:] for at in range(first, last + 1) if at in found]
    parts = _parts(text, begin, end, marks)
    return [("… ", False)] * (begin > 0) + parts + [(" …", False)] * (end < len(text))


def _best_start(found: Sequence[str], words: int) -> int:
    """Return where the window with the most different hits, then the most hits, starts."""
    best, best_start = (0, 0), 0
    for start in range(len(found)):
        if found[start]:
            window = [word for word in found[start : start + words - _BEFORE] if word]
            score = (len(set(window)), len(window))
            if score > best:
                best, best_start = score, start
    return max(0, min(best_start - _BEFORE, len(found) - words))


def _parts(
    text: str, begin: int, end: int, marks: Sequence[tuple[int, int]]
) -> list[tuple[str, bool]]:
    parts: list[tuple[str, bool]] = []
    for start, stop in marks:
        parts.append((_SPACE.sub(" ", text[begin:start]), False))
        parts.append((text[start:stop], True))
        begin = stop
    parts.append((_SPACE.sub(" ", text[begin:end]), False))
    return [part for part in parts if part[0]]
