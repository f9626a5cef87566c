"""The words, numbers and punctuation that Tesseract's data knows for a language.

Each of the three lists is stored as a graph whose edges are letters.  In the numbers a digit, and
in the punctuation the word itself, is written as a space: ``$  .  ``, ``( ),``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import numpy
from numpy.typing import NDArray

_LAST_EDGE_OF_NODE, _END_OF_WORD = 1, 4
_FLAG_BITS = 3
#: Stands for any digit in the numbers, and for the word in the punctuation.
PLACEHOLDER = " "
#: Punctuation marks before or after a word.
_MOST_MARKS = 5


#: Nodes whose edges are kept ready: about those of the common words.
_NODES_KEPT = 20_000


@dataclass(frozen=True)
class WordGraph:
    """A set of words; ``letters`` says by which number the graph knows each letter."""

    edges: NDArray[numpy.uint64]
    letter_bits: int
    letters: Mapping[str, int]
    _from_nodes: dict[int, dict[int, tuple[int, bool]]] = field(default_factory=dict, repr=False)

    def __contains__(self, word: str) -> bool:
        """Say whether the word is in the set."""
        node, ends_here = 0, False
        for position, letter in enumerate(word):
            if position and node == 0:
                return False
            edge = self._edges_from(node).get(self.letters.get(letter, -1))
            if edge is None:
                return False
            node, ends_here = edge
        return ends_here

    def _edges_from(self, node: int) -> dict[int, tuple[int, bool]]:
        """Return by letters where the edges of a node lead, and whether a word ends with them."""
        known = self._from_nodes.get(node)
        if known is None:
            if len(self._from_nodes) >= _NODES_KEPT:
                self._from_nodes.clear()
            known = self._from_nodes[node] = dict(self._read_edges(node))
        return known

    def _read_edges(self, node: int) -> Iterator[tuple[int, tuple[int, bool]]]:
        for edge in self.edges[node : node + len(self.letters)].tolist():
            flags = edge >> self.letter_bits
            letter = edge & ((1 << self.letter_bits) - 1)
            yield letter, (flags >> _FLAG_BITS, bool(flags & _END_OF_WORD))
            if flags & _LAST_EDGE_OF_NODE:
                break


@dataclass(frozen=True)
class Dictionary:
    """What is likely to be written in a language."""

    words: WordGraph
    numbers: WordGraph
    punctuation: WordGraph

    def knows(self, text: str) -> bool:
        """Say whether the text is a known word or kind of number, with usual punctuation."""
        before = min(_MOST_MARKS, len(text) - len(text.lstrip(_NOT_IN_WORDS)))
        after = min(_MOST_MARKS, len(text) - len(text.rstrip(_NOT_IN_WORDS)))
        return any(
            self._knows_split(
                text[:start], text[start : len(text) - left], text[len(text) - left :]
            )
            for start in range(before + 1)
            for left in range(after + 1)
            if start + left < len(text)
        )

    def _knows_split(self, before: str, core: str, after: str) -> bool:
        usual = not before + after or before + PLACEHOLDER + after in self.punctuation
        return usual and (core in self.words or _digits_hidden(core) in self.numbers)


_NOT_IN_WORDS = "".join(
    chr(code) for code in range(33, 0x2040) if not chr(code).isalnum() and chr(code).isprintable()
)


def _digits_hidden(text: str) -> str:
    return "".join(PLACEHOLDER if letter.isdigit() else letter for letter in text)
