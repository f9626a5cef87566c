"""What a person typed, as terms: words, "phrases", -minus, prefix*, OR.

Everything typed is a search; nothing is an error.  Each word reaches FTS5 as a quoted string, so
that no operator, column or bracket of its language can be smuggled in.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

#: Longer queries are cut; nobody types them.
_LONGEST = 1000
_TERMS_AT_MOST = 32
#: Shorter beginnings of words match too much of an index at once.
_SHORTEST_PREFIX = 2

#: Quotation marks and apostrophes as programs and phones write them, made plain.
_STRAIGHT = dict.fromkeys(map(ord, "\u201c\u201d\u201e\u201f\u00ab\u00bb"), '"') | dict.fromkeys(
    map(ord, "\u2018\u2019\u201a\u201b"), "'"
)
_WORD = re.compile(r"[^\W_]+")
_PIECE = re.compile(r'(?P<minus>-?)(?:"(?P<phrase>[^"]*)"?|(?P<word>[^\s"]+))(?P<star>\*?)')


@dataclass(frozen=True)
class Term:
    """Words that must follow each other; the last may be only the beginning of a word."""

    words: tuple[str, ...]
    prefix: bool = False
    excluded: bool = False

    @property
    def fts(self) -> str:
        """The term in FTS5's language."""
        return f'"{" ".join(self.words)}"' + (" *" if self.prefix else "")

    @property
    def typed(self) -> str:
        """The term as a person would type it."""
        words = " ".join(self.words)
        quoted = f'"{words}"' if len(self.words) > 1 else words
        return f"{'-' if self.excluded else ''}{quoted}{'*' if self.prefix else ''}"


@dataclass(frozen=True)
class Parsed:
    """Alternatives (joined by OR) of terms that must all be there, and terms that must not."""

    alternatives: tuple[tuple[Term, ...], ...]
    excluded: tuple[Term, ...] = ()

    @property
    def terms(self) -> list[Term]:
        """Every term that may be found."""
        return [term for group in self.alternatives for term in group]

    @property
    def fts(self) -> str:
        """The query in FTS5's language; empty if there is nothing to look for."""
        groups = (" AND ".join(term.fts for term in group) for group in self.alternatives)
        wanted = " OR ".join(f"({group})" for group in groups)
        if not wanted or not self.excluded:
            return wanted
        return f"({wanted}) NOT ({' OR '.join(term.fts for term in self.excluded)})"

    @property
    def typed(self) -> str:
        """The query as a person would type it."""
        groups = (" ".join(term.typed for term in group) for group in self.alternatives)
        return " ".join([" OR ".join(groups), *(term.typed for term in self.excluded)])


def parse(text: str) -> Parsed:
    """Read what was typed.

    A word with punctuation inside (2024-15, O'Brien) is a phrase of its parts.  OR and AND stand
    between two terms, and behind the last one mean nothing; anywhere else they are words.
    """
    groups: list[list[Term]] = [[]]
    excluded: list[Term] = []
    pieces = list(_PIECE.finditer(_cleaned(text)))[:_TERMS_AT_MOST]
    for piece in pieces:
        follows = bool(groups[-1])
        if follows and piece[0] == "OR":
            groups.append([])
        elif follows and piece[0] == "AND":
            continue
        elif term := _term(piece):
            (excluded if term.excluded else groups[-1]).append(term)
    alternatives = tuple(tuple(group) for group in groups if group)
    return Parsed(alternatives, tuple(excluded) if alternatives else ())


def _cleaned(text: str) -> str:
    """Return as much as is used, in the plain forms of letters that the index has."""
    return unicodedata.normalize("NFKC", storable(text[:_LONGEST]).translate(_STRAIGHT))


def storable(text: str) -> str:
    """Return text that SQLite takes: without lone surrogates and NULs."""
    return text.encode("utf-8", "replace").decode().replace("\0", " ")


def _term(piece: re.Match[str]) -> Term | None:
    typed = piece["phrase"] if piece["phrase"] is not None else piece["word"]
    words = tuple(fold(typed))
    star = bool(piece["star"]) or typed.endswith("*")
    if not words:
        return None
    prefix = star and (len(words) > 1 or len(words[-1]) >= _SHORTEST_PREFIX)
    return Term(words, prefix, bool(piece["minus"]))


def too_short_beginnings(text: str) -> list[str]:
    """Return the beginnings of words that are taken for whole words, since so much begins so."""
    return re.findall(r"(?<!\S)-?(\w)\*(?!\S)", _cleaned(text))


def fold(text: str) -> list[str]:
    """Return the words of a text as the index knows them: lower case, without accents."""
    return [folded(word) for word in _WORD.findall(_plain(text))]


def _plain(text: str) -> str:
    """Join letters with marks that follow them, which would otherwise end the word."""
    return text if text.isascii() else unicodedata.normalize("NFKC", text)


@lru_cache(maxsize=50_000)
def folded(word: str) -> str:
    """Return one word in lower case and without accents."""
    if word.isascii():
        return word.lower()
    decomposed = unicodedata.normalize("NFD", word)
    bare = "".join(letter for letter in decomposed if not unicodedata.combining(letter))
    return unicodedata.normalize("NFC", bare).lower()


def places(text: str, terms: Iterable[Term]) -> list[tuple[int, int]]:
    """Return where in a text the words of the terms stand, in order."""
    patterns = [_pattern(term) for term in terms]
    if not patterns:
        return []
    plain = text.lower() if text.isascii() else text.translate(_LETTERS)
    found = re.finditer("|".join(patterns), plain)
    words = (word for hit in found for word in _WORD.finditer(plain, *hit.span()))
    return [word.span() for word in words]


def _pattern(term: Term) -> str:
    words = r"[\W_]+".join(map(re.escape, term.words))
    return rf"(?<![^\W_]){words}" + (r"[^\W_]*" if term.prefix else r"(?![^\W_])")


class _Letters(dict[int, int]):
    """Each letter's bare lower-case form, of the same length, so that places stay the same."""

    def __missing__(self, letter: int) -> int:
        bare = folded(chr(letter))
        self[letter] = ord(bare) if len(bare) == 1 else letter
        return self[letter]


_LETTERS = _Letters()


def hits(words: Sequence[str], terms: Iterable[Term]) -> set[int]:
    """Return which of the folded words of a text belong to a hit of one of the terms."""
    known: dict[str, list[int]] = {}
    for place, word in enumerate(words):
        known.setdefault(word, []).append(place)
    found: set[int] = set()
    for term in terms:
        length = len(term.words)
        only_prefix = term.prefix and length == 1
        for start in range(len(words)) if only_prefix else known.get(term.words[0], ()):
            if _matches(term, words[start : start + length]):
                found.update(range(start, start + length))
    return found


def _matches(term: Term, words: Sequence[str]) -> bool:
    if len(words) < len(term.words) or tuple(words[:-1]) != term.words[:-1]:
        return False
    last = term.words[-1]
    return words[-1].startswith(last) if term.prefix else words[-1] == last
