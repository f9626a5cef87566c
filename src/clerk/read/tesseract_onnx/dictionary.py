"""The words, numbers and punctuation in Tesseract's data for a language.

Each of the three lists is stored as a graph whose edges are letters.  In the numbers a digit, and
in the punctuation the word itself, is written as a space: ``$  .  ``, ``( ),``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy
from numpy.typing import NDArray

_LAST_EDGE_OF_NODE, _END_OF_WORD = 1, 4
_FLAG_BITS = 3
#: Stands for any digit in the numbers, and for the word in the punctuation.
PLACEHOLDER = " "
#: Punctuation marks before or after a word.
_MOST_MARKS = 5
#: Nodes whose edges are cached: about those of the common words.
_NODES_CACHED = 20_000


@dataclass(frozen=True)
class WordGraph:
    """A set of words; ``letters`` says by which number the graph knows each letter."""

    edges: NDArray[numpy.uint64]
    letter_bits: int
    letters: Mapping[str, int]
    _cached_edges: dict[int, dict[int, tuple[int, bool]]] = field(default_factory=dict, repr=False)

    def __contains__(self, word: str) -> bool:
        """Say whether the word is in the set."""
        node, ends_here = 0, False
        for position, letter in enumerate(word):
            if position and node == 0:
                return False
            edge = self._edges_of(node).get(self.letters.get(letter, -1))
            if edge is None:
                return False
            node, ends_here = edge
        return ends_here

    def _edges_of(self, node: int) -> dict[int, tuple[int, bool]]:
        """Return by letters where the edges of a node lead, and whether a word ends with them."""
        known = self._cached_edges.get(node)
        if known is not None:
            return known
        found: dict[int, tuple[int, bool]] = {}
        for edge in self.edges[node : node + len(self.letters)].tolist():
            flags = edge >> self.letter_bits
            letter = edge & ((1 << self.letter_bits) - 1)
            found[letter] = (flags >> _FLAG_BITS, bool(flags & _END_OF_WORD))
            if flags & _LAST_EDGE_OF_NODE:
                break
        if len(self._cached_edges) >= _NODES_CACHED:
            self._cached_edges.clear()
        self._cached_edges[node] = found
        return found


@dataclass(frozen=True)
class Dictionary:
    """What is likely to be written in a language."""

    words: WordGraph
    numbers: WordGraph
    punctuation: WordGraph

    def knows(self, text: str) -> bool:
        """Say whether the text is a known word or kind of number, with usual punctuation."""
        most_before = min(_MOST_MARKS, len(text) - len(text.lstrip(_NOT_IN_WORDS)))
        most_after = min(_MOST_MARKS, len(text) - len(text.rstrip(_NOT_IN_WORDS)))
        for start in range(most_before + 1):
            for end in range(len(text), len(text) - most_after - 1, -1):
                before, core, after = text[:start], text[start:end], text[end:]
                if not core:
                    continue
                if (before or after) and before + PLACEHOLDER + after not in self.punctuation:
                    continue
                if core in self.words:
                    return True
                shape = "".join(PLACEHOLDER if each.isdigit() else each for each in core)
                if shape in self.numbers:
                    return True
        return False


_NOT_IN_WORDS = "".join(
    chr(code) for code in range(33, 0x2040) if not chr(code).isalnum() and chr(code).isprintable()
)
