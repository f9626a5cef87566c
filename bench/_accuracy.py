"""How far a text is from the truth: character and word error rates."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from rapidfuzz.distance import Levenshtein

_RULES = re.compile(r"[_.=-]{3,}")
_SAME = str.maketrans(
    {"’": "'", "‘": "'", "“": '"', "”": '"', "–": "-", "—": "-", "‑": "-", "\ufffe": "-"}
)


@dataclass(frozen=True)
class Accuracy:
    """The errors on some pages, as shares."""

    characters: float
    words: float
    #: The share of wrong characters on each page.
    by_page: Sequence[float]


def accuracy(read: Sequence[str], truth: Sequence[str]) -> Accuracy:
    """Compare pages with their truth.

    The blocks of a page may be in another order than in the truth, as in a table: where that gives
    fewer errors, words are compared in any order.  Wrong words are those missing or added, as a
    share of all (1 - F1).
    """
    pairs = [(_plain(one), _plain(other)) for one, other in zip(read, truth, strict=True)]
    wrong = [min(_distance(*pair), _distance_in_any_order(*pair)) for pair in pairs]
    words = [_words_in_common(*pair) for pair in pairs]
    return Accuracy(
        sum(wrong) / max(1, sum(len(true) for _, true in pairs)),
        1 - 2 * sum(same for same, _ in words) / max(1, sum(both for _, both in words)),
        [errors / max(1, len(true)) for errors, (_, true) in zip(wrong, pairs, strict=True)],
    )


def _distance(read: str, truth: str) -> int:
    """Count the characters that must be changed."""
    return int(Levenshtein.distance(read, truth))


def _distance_in_any_order(read: str, truth: str) -> int:
    """Count the characters that must be changed in the words that have no twin."""
    mine, theirs = Counter(read.split()), Counter(truth.split())
    left = (" ".join(sorted((a - b).elements())) for a, b in ((mine, theirs), (theirs, mine)))
    return _distance(*left)


def _words_in_common(read: str, truth: str) -> tuple[int, int]:
    """Return how many words both have, and how many each has, added up."""
    found, wanted = Counter(read.split()), Counter(truth.split())
    return (found & wanted).total(), found.total() + wanted.total()


def _plain(text: str) -> str:
    """Return the text without what no reader misses: rules, leaders, shapes of quotes, spaces."""
    unruled = _RULES.sub(" ", unicodedata.normalize("NFKC", text).translate(_SAME))
    return " ".join(unruled.split())
