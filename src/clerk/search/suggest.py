"""Did you mean: misspelt words mended from the words that are in the index.

The index itself is asked for its words, so nothing has to be counted when it is written.  That
costs as much as there are pages with the words looked at; people mostly get the beginning right, so
the words with the same beginning are looked at first.
"""

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
#: With so many letters at the beginning alike, so many differences are few enough to stop looking.
_BEGINNINGS = ((2, 1), (1, 2), (0, 2))
_LAST_LETTER = "\U0010ffff"


def mend(connection: sqlite3.Connection, parsed: Parsed) -> Parsed | None:
    """Return the query with every unknown word replaced; None if there is nothing to replace."""
    connection.execute(
        "CREATE VIRTUAL TABLE IF NOT EXISTS temp.vocabulary USING fts5vocab(main, pages_fts, row)"
    )
    words = {word for term in parsed.terms if not term.prefix for word in term.words}
    mended = {word: _nearest(connection, word) for word in words if not _known(connection, word)}
    if not any(mended.values()):
        return None
    groups = tuple(tuple(_with(term, mended) for term in group) for group in parsed.alternatives)
    return replace(parsed, alternatives=groups)


def _with(term: Term, mended: dict[str, str | None]) -> Term:
    return replace(term, words=tuple(mended.get(word) or word for word in term.words))


def _known(connection: sqlite3.Connection, word: str) -> bool:
    query = "SELECT 1 FROM temp.vocabulary WHERE term = ?"
    return connection.execute(query, (word,)).fetchone() is not None


def _nearest(connection: sqlite3.Connection, word: str) -> str | None:
    """Return the most common of the words with the fewest differences."""
    for letters, few_enough in _BEGINNINGS:
        if found := _nearest_with(connection, word, word[:letters]):
            nearest, differences = found
            if differences <= few_enough:
                return nearest
    return None


def _nearest_with(
    connection: sqlite3.Connection, word: str, beginning: str
) -> tuple[str, int] | None:
    """Return the nearest of the words with this beginning, and how many differences it has."""
    differences = 1 if len(word) <= _SHORT else 2
    pages = dict(
        connection.execute(
            """SELECT term, doc FROM temp.vocabulary
               WHERE term BETWEEN ? AND ? AND length(term) BETWEEN ? AND ?""",
            (
                *(beginning, beginning + _LAST_LETTER),
                *(len(word) - differences, len(word) + differences),
            ),
        ).fetchall()
    )
    near = process.extract(
        word, pages.keys(), scorer=OSA.distance, score_cutoff=differences, limit=_CANDIDATES
    )
    ranked = sorted(
        (pages[each] < _COMMON, distance, -pages[each], each) for each, distance, _ in near
    )
    return (ranked[0][3], int(ranked[0][1])) if ranked else None
