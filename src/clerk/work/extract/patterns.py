"""Patterns that no text can make slow, and phrases that are found fast."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from functools import lru_cache

#: So much white space may stand between two words of a phrase.
_GAP = 40


def compiled(source: str, flags: int = 0) -> re.Pattern[str]:
    r"""Compile a pattern with its ``\s*`` and ``\s+`` bounded.

    Two unbounded gaps side by side cost the square of the white space they meet; a page of blanks
    must not cost more than a page of words.
    """
    bounded = source.replace(r"\s*", rf"\s{{0,{_GAP}}}").replace(r"\s+", rf"\s{{1,{_GAP}}}")
    return re.compile(bounded, flags)


def line_start(text: str, position: int, reach: int = 240) -> int:
    """Return where the line around a position begins, looking back at most so far."""
    floor = max(0, position - reach)
    return max(floor, text.rfind("\n", floor, position) + 1)


class Phrase:
    """A pattern that begins a word, and with one of a few stems.

    In ``so_ordered`` the line stands for a space or a line break.
    The stems are looked for among the words that begin with the same two characters, and the
    pattern is tried only there: ten times as fast as trying alternatives at every character.
    """

    def __init__(self, stems: str, source: str) -> None:
        words = stems.split()
        broken = [stem.replace("_", "\n") for stem in words if "_" in stem]
        self.stems = [*(stem.replace("_", " ") for stem in words), *broken]
        self.capitals = all("A" <= stem[0] <= "Z" for stem in self.stems)
        self.pattern = compiled(source)

    def find(self, text: str) -> Iterator[re.Match[str]]:
        """Yield the matches in the order of the text; they may overlap."""
        for position in sorted(set(self._starts(text))):
            match = self.pattern.match(text, position)
            if match is not None:
                yield match

    def _starts(self, text: str) -> Iterator[int]:
        words = _words(text, self.capitals)
        for stem in self.stems:
            for position in words.get(stem[:2], ()):
                if text.startswith(stem, position):
                    yield position


_WORD = re.compile(r"[^\W_]+")
_CAPITAL = re.compile(r"[A-Z](?<![^\W_].)[^\W_]*")


@lru_cache(maxsize=4)
def _words(text: str, capitals: bool) -> dict[str, list[int]]:
    """Return where the words of a text begin, or only those with a capital, by two characters.

    All phrases ask for the same few texts in turn, so the last ones are kept.
    """
    places: dict[str, list[int]] = defaultdict(list)
    for word in (_CAPITAL if capitals else _WORD).finditer(text):
        start = word.start()
        places[text[start : start + 2]].append(start)
    return dict(places)
