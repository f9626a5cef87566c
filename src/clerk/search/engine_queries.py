"""The tree of what was typed as a query of the engine."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import tantivy
from tantivy import Occur

from clerk.core.language import Message
from clerk.site_db.schema import DOCUMENT_KINDS

from .index import SCHEMA, document_number
from .query import DateRange, FieldFilter, Node, QueryError, Term
from .readers import OpenIndex
from .words import has_cjk, sought, stemmer

#: Years that a range of dates may have to be looked up year by year.
_YEARS_AT_MOST = 60
_Q = tantivy.Query


def term_query(name: str, value: Any) -> tantivy.Query:
    return _Q.term_query(SCHEMA, name, value, "basic")


def number_query(name: str, value: int | str) -> tantivy.Query:
    return term_query(name, document_number(value) if isinstance(value, str) else value)


def all_of(queries: Sequence[tantivy.Query]) -> tantivy.Query:
    if len(queries) == 1:
        return queries[0]
    return _Q.boolean_query([(Occur.Must, each) for each in queries])


def any_of(queries: Sequence[tantivy.Query]) -> tantivy.Query:
    if len(queries) == 1:
        return queries[0]
    return _Q.boolean_query([(Occur.Should, each) for each in queries])


def unscored(query: tantivy.Query) -> tantivy.Query:
    return _Q.const_score_query(query, 0.0)


def dated(days: DateRange) -> tantivy.Query:
    """Return what is dated between two days; whole years are looked up, other days compared."""
    first, last = days.since // 10_000, days.until // 10_000
    whole = days.since % 10_000 <= 101 and days.until % 10_000 == 1231
    if whole and days.since and last - first < _YEARS_AT_MOST:
        return any_of([term_query("year", year) for year in range(first, last + 1)])
    return _Q.range_query(SCHEMA, "day", tantivy.FieldType.Integer, max(days.since, 1), days.until)


@lru_cache(maxsize=20_000)
def _of_term(term: Term, languages: Sequence[str]) -> tantivy.Query:
    """Return the engine's query for a term; saved searches ask for the same ones again."""
    words, is_prefix = sought(term.words)
    if term.prefix or is_prefix:
        if len(words) == 1:
            # No letter may differ; a regular expression takes longer to compile than to search.
            return _Q.fuzzy_term_query(SCHEMA, "text", words[0][1], distance=0, prefix=True)
        *before, (at, last) = words
        return _Q.regex_phrase_query(SCHEMA, "text", [*before, (at, f"{last}.*")])
    if len(words) > 1:
        return _Q.phrase_query(SCHEMA, "text", list(words), slop=term.slop)
    ((_, word),) = words
    if term.fuzzy:
        return _Q.fuzzy_term_query(SCHEMA, "text", word, distance=term.fuzzy)
    found = {("text", word)}
    if not term.exact and not has_cjk(word):
        stems = {language: stemmer(language).stem(word) for language in languages}
        if stems and word not in stems.values():
            # Every page with the word has its stem.
            found = set()
        found |= {(name, stem) for stem in stems.values() for name in ("text", "stem")}
    return any_of([_Q.term_query(SCHEMA, name, each, "freq") for name, each in sorted(found)])


class QueryBuilder:
    """Makes queries of the engine from the tree of what was typed."""

    def __init__(self, index: OpenIndex) -> None:
        self._index = index

    def query(self, node: Node) -> tantivy.Query:
        """Return the engine's query for a part of the tree."""
        if isinstance(node, Term):
            return _of_term(node, self._index.languages)
        if isinstance(node, FieldFilter):
            return unscored(self._of_filter(node))
        if isinstance(node, DateRange):
            return unscored(dated(node))
        wanted = any_of(
            [all_of([self.query(part) for part in parts]) for parts in node.alternatives]
        )
        if not node.excluded:
            return wanted
        excluded = [(Occur.MustNot, self.query(part)) for part in node.excluded]
        return _Q.boolean_query([(Occur.Must, wanted), *excluded])

    def _of_filter(self, asked: FieldFilter) -> tantivy.Query:
        value = asked.value
        if asked.field == "site":
            if value not in self._index.places:
                raise QueryError(
                    Message(
                        "There is no site %(name)s; use the name in its address.",
                        name=repr(value),
                    )
                )
            return term_query("site", value)
        if asked.field == "kind":
            if value not in DOCUMENT_KINDS:
                raise QueryError(
                    Message(
                        "There is no kind %(name)s; the kinds are %(words)s.",
                        name=repr(value),
                        words=", ".join(DOCUMENT_KINDS),
                    )
                )
            return term_query("kind", value)
        if asked.field == "state":
            states = {place.state for place in self._index.places.values() if place.state}
            named = {state.casefold(): state for state in states}
            if value.casefold() not in named:
                if not states:
                    raise QueryError(Message("No place here has a state; leave out state:."))
                raise QueryError(
                    Message(
                        "There is no state %(name)s; the states are %(words)s.",
                        name=repr(value),
                        words=", ".join(sorted(states)[:60]),
                    )
                )
            return term_query("state", named[value.casefold()])
        name, words = f"{asked.field}_words", value.split()
        if len(words) == 1:
            return _Q.term_query(SCHEMA, name, words[0], "position")
        return _Q.phrase_query(SCHEMA, name, list(words))
