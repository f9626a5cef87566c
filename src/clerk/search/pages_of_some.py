"""Searching the pages of some documents only: of those that have changed.

What is found is what :func:`~clerk.search.results.search` finds in them.  :class:`IndexedPages`
asks the index, :class:`ChangedPages` an index of their own in memory.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, cast

import tantivy

from clerk.core.errors import ClerkError

from .engine_queries import all_of, any_of, number_query, unscored
from .index import (
    WRITER_BYTES,
    IndexedDocument,
    PlaceFacts,
    add_pages,
    document_id_of,
    engine_errors,
    open_tantivy,
)
from .query import Group, Parsed, Term, parse
from .readers import OpenIndex, OpenShard
from .results import Query, RunningSearch
from .words import fold, has_cjk, stemmer

#: Queries asked as one; a score has 24 binary digits.
_ASKED_AS_ONE: Final = 20
_Q = tantivy.Query


class _PagesOfSome:
    """The pages of some documents, found by the queries of :func:`search`."""

    def __init__(
        self,
        index: OpenIndex,
        searched: Sequence[tuple[tantivy.Searcher, tantivy.Query | None]],
        pages: int,
    ) -> None:
        self._index = index
        #: Where to look, and what narrows it to these documents.
        self._searched = searched
        self._pages = max(1, pages)

    def find(self, query: Query, parsed: Parsed | None = None) -> dict[str, list[int]]:
        """Return the documents that a query finds by id, each with its pages, the best first.

        ``parsed`` is its text as it was parsed before.  Raises QueryError.
        """
        parsed = parse(query.text) if parsed is None else parsed
        return {} if parsed.group is None else self._found_by(self.prepared(query, parsed))

    def find_each(
        self, queries: Sequence[tuple[Query, Parsed]]
    ) -> Iterator[tuple[int, dict[str, list[int]]]]:
        """Yield what each of many queries finds, by its number; what cannot be asked finds nothing.

        That is a query for a site or state of which there is none any more.
        """
        for number, (query, parsed) in enumerate(queries):
            with contextlib.suppress(ClerkError):
                yield number, self.find(query, parsed)

    def _found_by(self, asked: tantivy.Query) -> dict[str, list[int]]:
        by_document: dict[str, list[int]] = {}
        for searcher, only in self._searched:
            narrowed = asked if only is None else all_of([asked, only])
            hits = searcher.search(narrowed, self._pages, count=False).hits
            if not hits:
                continue
            found = [address for _, address in hits]
            numbers = searcher.fast_field_values("document", found)
            pages = searcher.fast_field_values("page", found)
            for number, page in zip(numbers, pages, strict=True):
                by_document.setdefault(document_id_of(int(number or 0)), []).append(int(page or 0))
        return by_document

    def prepared(self, query: Query, parsed: Parsed) -> tantivy.Query:
        """Return a query as the engine runs it."""
        return RunningSearch(self._index, query, parsed).asked()


def _only_of(documents: Iterable[str]) -> tantivy.Query:
    return unscored(any_of([number_query("document", each) for each in documents]))


class IndexedPages(_PagesOfSome):
    """The pages of some documents in the search index; ``documents`` are their ids by site."""

    def __init__(
        self, index: OpenIndex, documents: Mapping[str, Sequence[str]], pages: int
    ) -> None:
        of_shard: dict[int, list[str]] = {}
        for site, ids in documents.items():
            of_shard.setdefault(index.shard_number(site), []).extend(ids)
        searched = [
            (shard.searcher, _only_of(found))
            for shard in index.shards
            if (found := of_shard.get(shard.number))
        ]
        super().__init__(index, searched, pages)

    def find_each(
        self, queries: Sequence[tuple[Query, Parsed]]
    ) -> Iterator[tuple[int, dict[str, list[int]]]]:
        """Yield what each of many queries finds, by its number, unless it is nothing.

        Some are asked as one: each adds a power of two of its own to the score of a page, so that
        the score tells which of them have found it.  Only those are then asked one by one.
        """
        prepared: list[tuple[int, tantivy.Query]] = []
        for number, (query, parsed) in enumerate(queries):
            with contextlib.suppress(ClerkError):
                if parsed.group is not None:
                    prepared.append((number, self.prepared(query, parsed)))
        for start in range(0, len(prepared), _ASKED_AS_ONE):
            some = prepared[start : start + _ASKED_AS_ONE]
            any_of_them = any_of(
                [_Q.const_score_query(asked, 2.0**bit) for bit, (_, asked) in enumerate(some)]
            )
            finding = 0
            for searcher, only in self._searched:
                narrowed = any_of_them if only is None else all_of([any_of_them, only])
                for score, _ in searcher.search(narrowed, self._pages, count=False).hits:
                    finding |= int(cast(float, score))
            for bit, (number, asked) in enumerate(some):
                if finding >> bit & 1:
                    yield number, self._found_by(asked)


def are_indexed(index: OpenIndex, site: str, digests: Mapping[str, int]) -> set[str]:
    """Return which documents of a site, by id, the index has with these digests."""
    found: set[str] = set()
    for shard in index.shards:
        if digests and shard.number == index.shard_number(site):
            asked = all_of(
                [
                    any_of([number_query("document", each) for each in digests]),
                    number_query("first", 1),
                ]
            )
            hits = shard.searcher.search(asked, len(digests), count=False).hits
            addresses = [address for _, address in hits]
            numbers = shard.searcher.fast_field_values("document", addresses)
            values = shard.searcher.fast_field_values("digest", addresses)
            ids = [document_id_of(int(number or 0)) for number in numbers]
            found = {
                each for each, value in zip(ids, values, strict=True) if digests[each] == value
            }
    return found


class ChangedPages(_PagesOfSome):
    """The pages of some documents, in an index of their own in memory."""

    def __init__(
        self, documents: Sequence[IndexedDocument], places: Mapping[str, PlaceFacts]
    ) -> None:
        memory = Path("memory")
        with engine_errors(memory):
            index = open_tantivy(None)
            writer = index.writer(WRITER_BYTES, 1)
            for each in documents:
                add_pages(writer, each)
            writer.commit()
            writer.wait_merging_threads()
            index.reload()
            shard = OpenShard(0, memory, (0, 0), index, index.searcher())
        super().__init__(
            OpenIndex(memory, (0, 0), [shard], [], known_places=places),
            [(shard.searcher, None)],
            sum(len(each.pages) or 1 for each in documents),
        )
        self._words: set[str] = set()
        for document in documents:
            stems = stemmer(document.language)
            for page in document.pages:
                words = fold(page.text)
                self._words.update(words)
                self._words.update(stems.changed(words))

    def find(self, query: Query, parsed: Parsed | None = None) -> dict[str, list[int]]:
        """Return what a query finds; most end at once, because a word is on none of the pages."""
        parsed = parse(query.text) if parsed is None else parsed
        if parsed.group is None or not self._may_have(parsed.group):
            return {}
        return super().find(query, parsed)

    def count(self, asked: tantivy.Query) -> int:
        """Return how many pages a prepared query finds."""
        return self._index.count(asked)

    def _may_have(self, group: Group) -> bool:
        """Whether the words of one of a group's alternatives are there."""
        return any(
            all(not isinstance(part, Term) or self._may_have_term(part) for part in parts)
            for parts in group.alternatives
        )

    def _may_have_term(self, term: Term) -> bool:
        if term.prefix or term.fuzzy or self._words.issuperset(term.words):
            return True
        if any(map(has_cjk, term.words)):
            return True
        if term.exact or len(term.words) > 1:
            return False
        languages = self._index.languages
        return any(stemmer(each).stem(term.words[0]) in self._words for each in languages)
