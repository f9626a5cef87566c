"""Did you mean: correct misspelt words to words that are in the index.

The index lists its words by their beginning.  A word is compared with those that begin as it does
if one letter among its first is wrong, missing, superfluous or swapped: a few hundred beginnings,
each with few words, however large the index is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from string import ascii_lowercase

import tantivy
from rapidfuzz import process
from rapidfuzz.distance import OSA

from .index import SCHEMA
from .query import Parsed
from .readers import OpenIndex

#: Words up to this length may differ in one letter, longer ones in two.
_SHORT = 5
#: Words on fewer pages than this are likelier misread than meant.
_COMMON = 2
_CANDIDATES = 50
_BEGINNING = 3
#: Words compared for each beginning, at most.
_WORDS_AT_MOST = 2000
#: Words that are corrected in one query.
_CORRECTED_AT_MOST = 8


def correct(index: OpenIndex, parsed: Parsed) -> Parsed | None:
    """Return the query with unknown words replaced; None if there is nothing to replace."""
    words = {
        word for term in parsed.terms if not (term.prefix or term.fuzzy) for word in term.words
    }
    corrections: dict[str, str] = {}
    for word in sorted(words)[:_CORRECTED_AT_MOST]:
        if not index.count(tantivy.Query.term_query(SCHEMA, "text", word, "basic")):
            nearest = _nearest(index, word)
            if nearest is not None:
                corrections[word] = nearest
    return parsed.corrected(corrections) if corrections else None


def _nearest(index: OpenIndex, word: str) -> str | None:
    """Return the most common of the words with the fewest differences."""
    differences = 1 if len(word) <= _SHORT else 2
    beginnings = sorted(set(_beginnings(word)))

    def words_of(searcher: tantivy.Searcher) -> dict[str, int]:
        return {
            term: pages
            for beginning in beginnings
            for term, pages in searcher.terms_with_prefix(
                "text", beginning, None, limit=_WORDS_AT_MOST
            )
            if abs(len(term) - len(word)) <= differences
        }

    pages: Counter[str] = Counter()
    for found in index.ask(words_of):
        pages.update(found)
    near = process.extract(
        word, pages.keys(), scorer=OSA.distance, score_cutoff=differences, limit=_CANDIDATES
    )
    ranked = sorted(
        (pages[each] < _COMMON, distance, each[0] != word[0], -pages[each], each)
        for each, distance, _ in near
    )
    return str(ranked[0][4]) if ranked else None


def _beginnings(word: str) -> Iterator[str]:
    """Yield how a word may begin that is meant by this one."""
    start = word[: _BEGINNING + 1]
    yield start[:_BEGINNING]
    for at in range(min(_BEGINNING, len(start))):
        yield (start[:at] + start[at + 1 :])[:_BEGINNING]
        if at + 1 < len(start):
            yield (start[:at] + start[at + 1] + start[at] + start[at + 2 :])[:_BEGINNING]
        for letter in ascii_lowercase:
            yield (start[:at] + letter + start[at + 1 :])[:_BEGINNING]
            yield (start[:at] + letter + start[at:])[:_BEGINNING]
