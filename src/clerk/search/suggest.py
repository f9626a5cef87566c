"""Did you mean: correct misspelt words to words that are in the index.

The index itself lists its words, so nothing has to be counted when it is written.  The cost grows
with the pages that have the words compared; people mostly get the beginning right, so the words
with the same beginning are compared first.
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
#: With this many equal letters at the beginning, this many differences end the search.
_BEGINNINGS = ((2, 1), (1, 2), (0, 2))
_LAST_LETTER = "\U0010ffff"


def correct(connection: sqlite3.Connection, parsed: Parsed) -> Parsed | None:
    """Return the query with every unknown word replaced; None if there is nothing to replace."""
    connection.execute(
        "CREATE VIRTUAL TABLE IF NOT EXISTS temp.vocabulary USING fts5vocab(main, pages_fts, row)"
    )
    words = {word for term in parsed.terms if not term.prefix for word in term.words}
    known = "SELECT 1 FROM temp.vocabulary WHERE term = ?"
    corrections = {
        word: _nearest(connection, word)
        for word in words
        if connection.execute(known, (word,)).fetchone() is None
    }
    if not any(corrections.values()):
        return None

    def corrected(term: Term) -> Term:
        return replace(term, words=tuple(corrections.get(word) or word for word in term.words))

    groups = tuple(tuple(map(corrected, group)) for group in parsed.alternatives)
    return replace(parsed, alternatives=groups)


def _nearest(connection: sqlite3.Connection, word: str) -> str | None:
    """Return the most common of the words with the fewest differences."""
    differences = 1 if len(word) <= _SHORT else 2
    for letters, few_enough in _BEGINNINGS:
        beginning = word[:letters]
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
        if ranked and ranked[0][1] <= few_enough:
            return str(ranked[0][3])
    return None
