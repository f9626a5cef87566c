"""Did you mean: misspelt words mended from the words that are in the index."""

from __future__ import annotations

import sqlite3
from dataclasses import replace

from rapidfuzz import process
from rapidfuzz.distance import OSA

from .query import Parsed, Term

#: Words up to this length may differ in one letter, longer ones in two.
_SHORT = 5
#: Words on fewer pages than this are likelier misread than meant.
_COMMON = 2
_CANDIDATES = 20


def mend(connection: sqlite3.Connection, parsed: Parsed) -> Parsed | None:
    """Return the query with every unknown word replaced; None if there is nothing to replace."""
    words = {word for term in parsed.terms if not term.prefix for word in term.words}
    mended = {word: _nearest(connection, word) for word in words if not _known(connection, word)}
    if not any(mended.values()):
        return None
    groups = tuple(tuple(_with(term, mended) for term in group) for group in parsed.alternatives)
    return replace(parsed, alternatives=groups)


def _with(term: Term, mended: dict[str, str | None]) -> Term:
    return replace(term, words=tuple(mended.get(word) or word for word in term.words))


def _known(connection: sqlite3.Connection, word: str) -> bool:
    row = connection.execute("SELECT 1 FROM words WHERE word = ?", (word,)).fetchone()
    return row is not None


def _nearest(connection: sqlite3.Connection, word: str) -> str | None:
    """Return the most common of the words with the fewest differences."""
    differences = 1 if len(word) <= _SHORT else 2
    pages = dict(
        connection.execute(
            "SELECT word, pages FROM words WHERE length(word) BETWEEN ? AND ?",
            (len(word) - differences, len(word) + differences),
        ).fetchall()
    )
    near = process.extract(
        word, pages.keys(), scorer=OSA.distance, score_cutoff=differences, limit=_CANDIDATES
    )
    ranked = sorted(
        (pages[each] < _COMMON, distance, -pages[each], each) for each, distance, _ in near
    )
    return ranked[0][3] if ranked else None
