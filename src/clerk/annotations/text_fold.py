"""What counts as the same text: the fold used by alignment and by the check of each quote.

Every character is folded to one character (case, accents, width, the kind of dash and of quotation
mark do not count), and some do not count at all: white space, soft hyphens and other invisible
characters, combining accents, a hyphen between letters (``com-\\nmittee`` is ``committee``, but
``-5`` is not ``5``), and leaders: three or more dots, underscores or the like in a row, and what
OCR makes of the rest of them (``.......ceceeeeseeeeeaeees``).
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Codes = npt.NDArray[np.uint32]
    Positions = npt.NDArray[np.int64]
else:
    from clerk.core import lazy_numpy as np

_LETTER, _IGNORED, _DASH, _LEADER, _DIGIT = 1, 2, 4, 8, 16
#: Characters that fill the space between a title and its page number; a shorter run counts.
_LEADERS, _LEADER_RUN = "._\u00b7\u2022\u2024\u2219\u22c5=~*:,;|", 3
#: A leader that goes on in small letters, at least so many of which are but a few different ones:
#: OCR reads small dots as c, e, s, a and n.  No word is like that.
_MISREAD = re.compile(rf"[{re.escape(_LEADERS)}]{{{_LEADER_RUN},}}([a-z.,:;]{{16,}})")
_MISREAD_LETTERS = 8
_SINGLE_QUOTES = "\u2018\u2019\u201a\u201b\u2032`\u00b4"
_DOUBLE_QUOTES = "\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb"
_BLOCK = 256


class Folded:
    """A text as it is compared: the characters that count, folded, and where each of them is."""

    def __init__(self, text: str) -> None:
        points = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), "<u4")
        table = _table()
        table.cover(points)
        flags = table.flags[points]
        for found in _MISREAD.finditer(text):
            if len(set(found[1])) <= _MISREAD_LETTERS:
                flags[found.start() : found.end()] = _IGNORED
        kept = _kept(flags)
        self.codes: Codes = table.codes[points[kept]]
        self.text: str = self.codes.astype("<u4").tobytes().decode("utf-32-le", "surrogatepass")
        self.positions: Positions = kept
        #: Whether each counting character is a letter or a digit.
        self.in_words = (flags[kept] & (_LETTER | _DIGIT)) > 0
        counts = np.zeros(len(text) + 1, np.int32)
        counts[kept + 1] = 1
        self._before = np.cumsum(counts, dtype=np.int32)

    def __len__(self) -> int:
        return len(self.codes)

    def words_between(self, first: int, last: int) -> str:
        """Return the letters and digits from one counting character to another."""
        kept = self.codes[first:last][self.in_words[first:last]]
        found: str = kept.astype("<u4").tobytes().decode("utf-32-le", "surrogatepass")
        return found

    def before(self, position: int) -> int:
        """Return how many counting characters are before a position of the text."""
        return int(self._before[position])


def fold(text: str) -> str:
    """Return what counts of the text; two quotes match when their folds are equal."""
    return Folded(text).text


def _kept(flags: npt.NDArray[np.uint8]) -> Positions:
    """Return the positions that count: not ignored, no leader, and no hyphen between letters.

    At the edge of the text a hyphen next to a letter does not count either, so that a quote cut out
    of its text folds as it does inside.
    """
    kept = np.flatnonzero((flags & _IGNORED) == 0)
    seen = flags[kept]
    filling = (seen & (_LEADER | _DASH)) > 0
    if np.count_nonzero(filling) >= _LEADER_RUN:
        starts = np.flatnonzero(np.diff(filling, prepend=~filling[:1]))
        lengths = np.diff(starts, append=len(filling))
        leaders = filling & np.repeat(lengths >= _LEADER_RUN, lengths)
        kept, seen = kept[~leaders], seen[~leaders]
    dashes = np.flatnonzero(seen & _DASH)
    if not len(dashes):
        return kept
    around = np.concatenate(([_LETTER], seen, [_LETTER])) & _LETTER
    joined = dashes[(around[dashes] & around[dashes + 2]) == 1] if len(seen) > 1 else dashes[:0]
    return np.delete(kept, joined)


class _Table:
    """Fold and flags of every character, filled in by blocks as texts need them."""

    def __init__(self) -> None:
        self.codes = np.zeros(0x110000, np.uint32)
        self.flags = np.zeros(0x110000, np.uint8)
        self._filled = np.zeros(0x110000 // _BLOCK, bool)

    def cover(self, codes: Codes) -> None:
        blocks = np.flatnonzero(np.bincount(codes // _BLOCK))
        for block in blocks[~self._filled[blocks]]:
            for code in range(block * _BLOCK, (block + 1) * _BLOCK):
                self.codes[code], self.flags[code] = _fold_one(chr(code))
            self._filled[block] = True


@lru_cache(maxsize=1)
def _table() -> _Table:
    return _Table()


def _fold_one(char: str) -> tuple[int, int]:
    category = unicodedata.category(char)
    if (
        char == "\u2026"
        or char.isspace()
        or category in ("Cf", "Cc")
        or "\u0300" <= char <= "\u036f"
    ):
        return ord(" "), _IGNORED
    if category == "Pd" or char == "\u2212":
        return ord("-"), _DASH
    if char in _LEADERS:
        return ord(char), _LEADER
    if char in _SINGLE_QUOTES:
        return ord("'"), 0
    if char in _DOUBLE_QUOTES:
        return ord('"'), 0
    # Without accents and compatibility forms, if that is one character.
    decomposed = unicodedata.normalize("NFKD", char)
    accents = decomposed[1:]
    base = decomposed[0] if all("\u0300" <= each <= "\u036f" for each in accents) else char
    lower = base.casefold() if len(base.casefold()) == 1 else base
    return ord(lower), _LETTER if lower.isalpha() else _DIGIT if lower.isdigit() else 0
