"""Patterns that no text can make slow, and phrases that are found fast."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence

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


def indented(text: str, position: int, most: int) -> int | None:
    """Return where the line of a position begins if at most so many spaces stand before it."""
    start = position
    while start > 0 and text[start - 1] == " " and position - start < most:
        start -= 1
    return start if start == 0 or text[start - 1] == "\n" else None


class Phrase:
    """A pattern that begins a word, and with one of a few stems.

    In ``so_ordered`` the line stands for any space; such a stem is found by its first word.
    All stems of all phrases are looked for together, once in a text, and a pattern is tried only
    where one of its own stands: many times as fast as trying alternatives at every character.
    """

    def __init__(self, stems: str, source: str) -> None:
        words = stems.split()
        firsts = {stem.partition("_")[0] for stem in words if "_" in stem}
        spaced = [first + space for first in sorted(firsts) for space in " \n"]
        self.stems = [*(stem for stem in words if "_" not in stem), *spaced]
        self.index = _CAPITALS if all("A" <= stem[0] <= "Z" for stem in self.stems) else _SMALL
        self.index.add(self.stems)
        self.pattern = compiled(source)

    def find(self, text: str) -> Iterator[re.Match[str]]:
        """Yield the matches in the order of the text; they may overlap."""
        match = self.pattern.match
        for position in self._starts(text):
            if (found := match(text, position)) is not None:
                yield found

    def _starts(self, text: str) -> Sequence[int]:
        places = self.index.places(text)
        found = [places[stem] for stem in self.stems if stem in places]
        if len(found) < 2:
            return found[0] if found else ()
        return sorted({position for positions in found for position in positions})


class _StemIndex:
    """Tells where the words of a text begin that begin with a stem, for all stems at once."""

    def __init__(self) -> None:
        self.stems: set[str] = set()
        self.pattern: re.Pattern[str] | None = None
        #: For a stem that no other one begins with, those that begin with it.
        self.longer: dict[str, list[str]] = {}
        self.last: tuple[str, dict[str, list[int]]] = ("", {})

    def add(self, stems: Sequence[str]) -> None:
        """Look for these stems too."""
        self.stems.update(stems)
        self.pattern = None

    def places(self, text: str) -> dict[str, list[int]]:
        """Return the positions of each stem, in order; all phrases ask for one text in turn."""
        known, places = self.last
        if known is text and self.pattern is not None:
            return places
        places = self._read(text)
        self.last = (text, places)
        return places

    def _read(self, text: str) -> dict[str, list[int]]:
        pattern = self.pattern or self._prepared()
        places: dict[str, list[int]] = defaultdict(list)
        for word in pattern.finditer(f"\n{text}\n"):
            stem, start = word[1], word.start()
            places[stem].append(start)
            for longer in self.longer[stem]:
                if text.startswith(longer, start):
                    places[longer].append(start)
        return dict(places)

    def _prepared(self) -> re.Pattern[str]:
        shortest = sorted(stem for stem in self.stems if not self._shorter(stem))
        self.longer = {
            stem: sorted(each for each in self.stems if each.startswith(stem) and each != stem)
            for stem in shortest
        }
        # A set of plain characters is looked through at once: it comes before what is exact.
        firsts = re.escape("".join(sorted({stem[0] for stem in shortest})))
        tree = _tree(shortest)
        self.pattern = re.compile(rf"[^0-9A-Za-z](?=[{firsts}])(?=({tree}))(?<!\w)")
        return self.pattern

    def _shorter(self, stem: str) -> bool:
        """Whether another stem begins this one."""
        return any(stem[:size] in self.stems for size in range(1, len(stem)))


def _tree(words: Sequence[str]) -> str:
    """Return a pattern for any of the words that looks at each character once."""
    by_first: dict[str, list[str]] = defaultdict(list)
    for word in words:
        if word:
            by_first[word[0]].append(word[1:])
    branches = [re.escape(first) + _tree(rest) for first, rest in by_first.items()]
    return f"(?:{'|'.join(branches)})" if len(branches) > 1 else "".join(branches)


_SMALL, _CAPITALS = _StemIndex(), _StemIndex()
