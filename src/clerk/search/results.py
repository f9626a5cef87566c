"""Searching the index over all sites: documents with their best pages, totals, facets, snippets.

:func:`search` never changes anything.  It raises :class:`~clerk.search.query.QueryError` if what
was typed cannot be searched and :class:`~clerk.core.errors.NotFound` when there is no index yet.
"""

from __future__ import annotations

import base64
import binascii
import contextlib
import math
import re
import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from itertools import repeat
from pathlib import Path
from typing import Any, Final, NamedTuple, cast

import msgspec
import tantivy

from clerk.core.errors import InvalidInput, NotFound
from clerk.core.language import Message
from clerk.core.storage import Document, compiled_database
from clerk.site_db.schema import DOCUMENT_KINDS, is_current, open_readonly, page_table

from . import suggest
from .answers import (
    EXACT_PAGES_AT_MOST,
    DocumentHits,
    Facet,
    FoundPage,
    Hit,
    PartFacts,
    RankedDocument,
    Results,
)
from .engine_queries import QueryBuilder, all_of, any_of, dated, number_query, term_query, unscored
from .index import SCHEMA, StoredFacts, document_id_of
from .query import Group, Parsed, QueryError, Term, check_date, date_range, parse
from .readers import OpenIndex, open_index
from .snippets import Snippet, snippet
from .words import fold, storable

RELEVANCE, NEWEST, OLDEST, FIRST_SEEN = "relevance", "newest", "oldest", "first-seen"
SORTS = (RELEVANCE, NEWEST, OLDEST, FIRST_SEEN)
#: No answer carries more documents, or starts further down the list.
LIMIT_AT_MOST = 1000
OFFSET_AT_MOST = 10_000
#: Pages shown below a document.
BEST_PAGES = 3
#: Pages looked at to find the best of the documents shown.
_PAGES_AT_ONCE = 500
#: Pages fetched first to find documents, and at most.
_FETCHED, _FETCHED_AT_MOST = 200, 50_000
_FACET_VALUES = 30
#: Up to this many sites are counted one by one.
_SITES_COUNTED = 5000
#: Values of each shard that are merged.
_FACET_VALUES_OF_SHARDS = 1000
#: Values of a facet compared, so that the counts are exact.
_FACET_VALUES_COUNTED = 60_000
#: Persons of a segment that are compared: their counts are exact up to this many.
_PERSONS_COMPARED = 500
#: Documents counted at once; tantivy refuses more than 65,000 groups.
_DOCUMENTS_AT_ONCE = 40_000
_BY_DOCUMENT = "document"
_ORDER_FIELD: Final = {
    _BY_DOCUMENT: ("document", tantivy.Order.Asc),
    NEWEST: ("newest", tantivy.Order.Desc),
    OLDEST: ("oldest", tantivy.Order.Asc),
    FIRST_SEEN: ("seen", tantivy.Order.Desc),
}
_PAGE_ID = re.compile(r"([0-9a-f]{16})-([1-9][0-9]{0,5})")
_DOCUMENT_ID = re.compile(r"[0-9a-f]{16}")
_Q = tantivy.Query


@dataclass(frozen=True)
class Query:
    """What is looked for, and where; dates may be years or months.

    A value that cannot be right raises InvalidInput, whichever door it came through.
    ``limit`` and ``offset`` count documents, or pages with ``single_pages``.  ``after`` is the
    cursor of an earlier answer: the list goes on behind it, whatever was added meanwhile.
    """

    text: str
    site: str | None = None
    body: str | None = None
    kind: str | None = None
    since: str | None = None
    until: str | None = None
    sort: str = RELEVANCE
    limit: int = 20
    offset: int = 0
    state: str | None = None
    year: str | None = None
    person: str | None = None
    single_pages: bool = False
    after: str | None = None

    def __post_init__(self) -> None:
        for name, word, words in (
            ("sort", self.sort, SORTS),
            ("kind", self.kind, (None, *DOCUMENT_KINDS)),
        ):
            if word not in words:
                raise InvalidInput(
                    Message(
                        "%(name)s must be one of %(words)s, not %(value)s.",
                        name=name,
                        words=", ".join(filter(None, words)),
                        value=repr(word),
                    )
                )
        for name, number, least, most in (
            ("limit", self.limit, 1, LIMIT_AT_MOST),
            ("offset", self.offset, 0, OFFSET_AT_MOST),
        ):
            if not least <= number <= most:
                raise InvalidInput(
                    Message(
                        "%(name)s must be a number from %(least)s to %(most)s, not %(value)s.",
                        name=name,
                        least=least,
                        most=most,
                        value=repr(number),
                    )
                )
        for day in (self.year, self.since, self.until):
            if day:
                check_date(day)
        if self.since and self.until:
            date_range(f"{self.since}..{self.until}")
        _read_cursor(self)


class PageAddress(NamedTuple):
    """Where a page is."""

    site: str
    document: Document
    page: int


#: A page as the index returns it: order (the best has the smallest), document, page, number of the
#: shard, place in it.  A plain tuple, since hundreds are sorted and few are shown.
_Found = tuple[int | float, int, int, int, tantivy.DocAddress]


def search(storage_dir: Path, query: Query, *, switchable: bool = False) -> Results:
    """Return the documents that match with their best pages, in the order that was asked for.

    With ``switchable``, facets that are chosen list their other values too, as if they were not
    chosen; that costs as much as a search without them.
    """
    parsed = parse(query.text)
    index = open_index(storage_dir)
    if parsed.group is None:
        return Results()
    running = RunningSearch(index, query, parsed)
    results = running.run(switchable=switchable)
    if results.total:
        return results
    corrected = suggest.correct(index, parsed)
    meant = corrected and RunningSearch(index, query, corrected).count()
    return Results(
        did_you_mean=corrected.typed if corrected and meant else None,
        is_partial=results.is_partial,
    )


def pages_with_hits(storage_dir: Path, document_id: str, text: str) -> list[int]:
    """Return the pages of a document that a query finds, in order."""
    parsed = parse(text)
    if parsed.group is None:
        return []
    index = open_index(storage_dir)
    wanted = all_of(
        [(RunningSearch(index, Query(text), parsed).words), number_query("document", document_id)]
    )

    def pages(searcher: tantivy.Searcher) -> list[int]:
        found = [address for _, address in searcher.search(wanted, 100_000, count=False).hits]
        return [int(page or 0) for page in searcher.fast_field_values("page", found)]

    return sorted(page for answer in index.ask(pages) for page in answer if page)


def page_snippet(storage_dir: Path, site: str, identity: str, text: str) -> Snippet:
    """Return the piece of a page that shows why a query finds it; empty if it cannot be read."""
    path = compiled_database(storage_dir / site)
    with (
        contextlib.suppress(sqlite3.Error, QueryError),
        contextlib.closing(open_readonly(path)) as db,
    ):
        about = dict(db.execute("SELECT key, value FROM about").fetchall())
        languages = (about.get("language", ""),)
        query = "SELECT search_text FROM pages WHERE id = ?"
        for (words,) in db.execute(query, (identity,)):
            return snippet(words, parse(text).terms, languages)
    return ()


def check_place(storage_dir: Path, query: Query) -> None:
    """Refuse a site or body that nothing was compiled of; to be asked when nothing was found."""
    index = open_index(storage_dir)
    if index.missing:
        # It may be in the part of the index that is being rebuilt.
        return
    if query.site and query.site not in index.places:
        raise NotFound(
            Message("The site %(name)s has not been compiled.", name=repr(query.site)),
            hint="List the sites: clerk site list",
        )
    if not query.body:
        return
    of_site = [term_query("site", query.site)] if query.site else []
    if not index.count(all_of([*of_site, term_query("body_key", " ".join(fold(query.body)))])):
        everything = all_of(of_site or [number_query("first", 1)])
        bodies = [each.value for each in _facets(index, everything, ("body",))["body"]]
        raise NotFound(
            Message("There is no body %(name)s.", name=repr(query.body)),
            hint=f"There are: {', '.join(bodies[:20])}.",
        )


def find_page(storage_dir: Path, identity: str) -> PageAddress:
    """Return where the page of an id is."""
    parts = _PAGE_ID.fullmatch(identity)
    if parts is None:
        raise NotFound(Message("There is no page %(name)s.", name=repr(identity[:80])))
    site, document = find_document(storage_dir, parts[1])
    return PageAddress(site, document, int(parts[2]))


def find_document(storage_dir: Path, identity: str) -> tuple[str, Document]:
    """Return the site and the document of an id."""
    if _DOCUMENT_ID.fullmatch(identity):
        wanted = all_of([number_query("document", identity), number_query("first", 1)])

        def stored(searcher: tantivy.Searcher) -> list[StoredFacts]:
            return [
                _stored(searcher, address)
                for _, address in searcher.search(wanted, 1, count=False).hits
            ]

        for found in open_index(storage_dir).ask(stored):
            for facts in found:
                return facts.site, Document.from_name(facts.name)
    raise NotFound(Message("There is no document %(name)s.", name=repr(identity[:80])))


def _stored(searcher: tantivy.Searcher, address: tantivy.DocAddress) -> StoredFacts:
    raw = searcher.doc(address).get_first("facts")
    return msgspec.json.decode(bytes(raw or b""), type=StoredFacts)


# --------------------------------------------------------------------------------- searching


class RunningSearch:
    """One query against one state of the index."""

    def __init__(self, index: OpenIndex, query: Query, parsed: Parsed) -> None:
        assert parsed.group is not None
        self._index = index
        self._query = query
        self._parsed = parsed
        group: Group = parsed.group
        self.words = QueryBuilder(index).query(group)
        if not parsed.terms:
            # Only filters: the entries without text must not be counted.
            self.words = all_of([self.words, unscored(_Q.term_set_query(SCHEMA, "first", [0, 1]))])
        self._chosen = dict(self._filters())

    def _filters(self) -> Iterable[tuple[str, tantivy.Query]]:
        """Yield the filters that were chosen, by facet."""
        query = self._query
        if query.site:
            yield "site", term_query("site", storable(query.site))
        if query.state:
            yield "state", term_query("state", storable(query.state))
        if query.body:
            yield "body", term_query("body_key", " ".join(fold(query.body)))
        if query.kind:
            yield "kind", term_query("kind", query.kind)
        if query.person:
            yield "person", term_query("person_key", " ".join(fold(query.person)))
        if query.year:
            yield "year", dated(date_range(query.year))
        if query.since or query.until:
            yield "date", dated(date_range(f"{query.since or ''}..{query.until or ''}"))

    def asked(self, without: str = "") -> tantivy.Query:
        """Return the engine's query, all filters but one included."""
        filters = [unscored(each) for name, each in self._chosen.items() if name != without]
        return all_of([self.words, *filters])

    def count(self) -> int:
        """Return how many pages match."""
        return self._index.count(self.asked())

    def run(self, *, switchable: bool) -> Results:
        """Find the documents to show, their best pages, the totals and the facets."""
        asked = self.asked()
        total, groups, is_complete = self._groups(asked)
        is_partial = bool(self._index.missing)
        if not total:
            return Results(is_partial=is_partial)
        start, limit = self._start(groups), self._query.limit
        shown = groups[start : start + limit]
        more = start + limit < len(groups)
        query = self._query
        where = (query.site, query.state, query.body, query.kind, query.person)
        key = (self._parsed.typed, *where, query.year, query.since, query.until)
        return Results(
            self._documents(asked, shown, is_complete=is_complete),
            total,
            cursor=self._cursor(shown[-1][0], start + limit) if more and shown else None,
            is_partial=is_partial,
            _count=(lambda: len({group[0][1] for group in groups}))
            if is_complete
            else (lambda: self._index.counted(key, lambda: self._count_documents(asked, total))),
            _facets=lambda names: self._index.counted(
                (*key, *names, switchable),
                lambda: self._facets(asked, total, names, switchable=switchable),
            ),
        )

    def _facets(
        self, asked: tantivy.Query, total: int, names: Sequence[str], *, switchable: bool
    ) -> dict[str, list[Facet]]:
        """Count the pages by some facets; of one that is chosen, what it is narrowed to."""
        query, places = self._query, self._index.places
        known = {"kind": query.kind} if query.kind else {}
        if query.site in places:
            known |= {"site": query.site, "state": places[query.site].state}
        counted = _facets(self._index, asked, [name for name in names if name not in known])
        for name, value in known.items():
            label = places[value].name if name == "site" else value
            counted[name] = [Facet(value, label, total)] if value else []
        if switchable:
            for name in names:
                if name in self._chosen:
                    counted |= _facets(self._index, self.asked(without=name), (name,))
        return {name: counted[name] for name in names}

    def _groups(self, asked: tantivy.Query) -> tuple[int, list[list[_Found]], bool]:
        """Return the number of pages, the best of them by document, and whether these are all."""
        cursor = _read_cursor(self._query)
        needed = (cursor.offset if cursor else self._query.offset) + self._query.limit + 1
        fetched = max(_FETCHED, needed)
        # Without words all pages are equally relevant.
        sort = self._query.sort
        if sort == RELEVANCE and not self._parsed.terms:
            sort = _BY_DOCUMENT
        while True:
            answers = self._fetch(asked, fetched, sort)
            total = sum(count for count, _ in answers)
            found = sorted(each for _, some in answers for each in some)[:fetched]
            is_complete = total <= fetched
            is_last = is_complete or fetched >= _FETCHED_AT_MOST
            # Pages that rank like the last one fetched may be missing, and some of them belong
            # before it: only what ranks better is in its final place.
            limits = [some[-1][0] for count, some in answers if count > len(some)]
            end = math.inf if is_last else min(limits, default=math.inf)
            groups: dict[Any, list[_Found]] = {}
            for each in found:
                if each[0] >= end:
                    break
                # By document and page, or by document.
                key = each[1:3] if self._query.single_pages else each[1]
                groups.setdefault(key, []).append(each)
            shown = list(groups.values())
            # Behind a cursor, documents that were added since may come before it.
            if is_last or len(shown) > self._start(shown) + self._query.limit:
                return total, shown, is_complete
            fetched = min(fetched * 5, _FETCHED_AT_MOST)

    def _fetch(self, asked: tantivy.Query, limit: int, sort: str) -> list[tuple[int, list[_Found]]]:
        name, order = _ORDER_FIELD.get(sort, (None, tantivy.Order.Desc))
        sign = 1 if order == tantivy.Order.Asc else -1
        numbers = {id(shard.searcher): at for at, shard in enumerate(self._index.shards)}

        def fetch(searcher: tantivy.Searcher) -> tuple[int, list[_Found]]:
            answer = searcher.search(asked, limit, order_by_field=name, order=order)
            hits = answer.hits
            addresses = [address for _, address in hits]
            documents = cast(list[int], searcher.fast_field_values("document", addresses))
            pages = cast(list[int], searcher.fast_field_values("page", addresses))
            shard = numbers[id(searcher)]
            orders: list[int | float] = [sign * (value or 0) for value, _ in hits]
            # As many as the addresses, except the number of the shard.
            found = list(zip(orders, documents, pages, repeat(shard), addresses, strict=False))
            return int(answer.count), found  # type: ignore[attr-defined]

        return self._index.ask(fetch)

    def _start(self, groups: Sequence[Sequence[_Found]]) -> int:
        cursor = _read_cursor(self._query)
        if cursor is None:
            return self._query.offset
        for at, group in enumerate(groups):
            if group[0][1:3] == (cursor.document, cursor.page):
                return at + 1
        return sum(group[0][0] <= cursor.order for group in groups)

    def _cursor(self, last: _Found, offset: int) -> str:
        order, document, page, _, _ = last
        cursor = _Cursor(self._query.sort, order, document, page, offset)
        return base64.urlsafe_b64encode(msgspec.json.encode(cursor)).decode().rstrip("=")

    def _documents(
        self, asked: tantivy.Query, groups: Sequence[Sequence[_Found]], *, is_complete: bool
    ) -> list[DocumentHits]:
        """Return the documents shown; the best pages of all are looked for when one is asked."""
        places, shards = self._index.places, self._index.shards
        shown: list[DocumentHits] = []

        @cache
        def look_at_all() -> list[tuple[Sequence[Hit], int]]:
            return self._hits(asked, [each.document for each in shown], groups, is_complete)

        def look(at: int) -> tuple[Sequence[Hit], int]:
            return look_at_all()[at]

        def describe(found: _Found) -> tuple[RankedDocument, int]:
            _, number, _, shard, address = found
            facts = _stored(shards[shard].searcher, address)
            place = places.get(facts.site)
            document = RankedDocument(
                facts.site,
                place.name if place else facts.site,
                facts.name,
                document_id_of(number),
                facts.kind,
                facts.body,
                facts.date,
            )
            return document, facts.pages

        for at, group in enumerate(groups):
            shown.append(DocumentHits(partial(describe, group[0]), partial(look, at)))
        return shown

    def _hits(
        self,
        asked: tantivy.Query,
        documents: Sequence[RankedDocument],
        groups: Sequence[Sequence[_Found]],
        is_complete: bool,
    ) -> list[tuple[Sequence[Hit], int]]:
        """Return the best pages of each document, and how many were found."""
        is_scored = self._query.sort == RELEVANCE and bool(self._parsed.terms)
        best, counts = groups, [len(group) for group in groups]
        if self._query.single_pages:
            best, counts = [group[:1] for group in groups], [1] * len(groups)
        elif not (is_complete and self._query.sort == RELEVANCE):
            best, counts = self._best_pages(asked, groups)
        load = _Texts(self._index.storage_dir, self._parsed.terms, self._index.languages)
        found: list[tuple[Sequence[Hit], int]] = []
        for document, group, pages in zip(documents, best, counts, strict=True):
            hits = [
                Hit(document, page, -order if is_scored else None, load)
                for order, _, page, _, _ in group[:BEST_PAGES]
            ]
            load.shown.setdefault(document.site, []).extend(hits)
            found.append((hits, pages))
        return found

    def _best_pages(
        self, asked: tantivy.Query, groups: Sequence[Sequence[_Found]]
    ) -> tuple[list[Sequence[_Found]], list[int]]:
        """Return the pages found of some documents, the best first, and how many of each."""
        numbers = [group[0][1] for group in groups]
        only = unscored(any_of([number_query("document", number) for number in numbers]))
        narrowed = all_of([asked, only])
        best: dict[int, list[_Found]] = {number: [] for number in numbers}
        total = fetched = 0
        for count, some in self._fetch(narrowed, _PAGES_AT_ONCE, RELEVANCE):
            total += count
            fetched += len(some)
            # All pages of a document are in one shard, which returns the best first.
            for each in some:
                best[each[1]].append(each)
        counts = {number: len(found) for number, found in best.items()}
        if total > fetched:
            by_document = {"d": {"terms": {"field": "document", "size": len(numbers)}}}
            for answer in self._index.ask(lambda each: each.aggregate(narrowed, by_document)):
                counts |= {int(each["key"]): each["doc_count"] for each in answer["d"]["buckets"]}
        # Of a document whose pages did not fit, at least the one that it was found by is shown.
        shown = [best[group[0][1]] or group for group in groups]
        return shown, [counts[number] for number in numbers]

    def _count_documents(self, asked: tantivy.Query, total: int) -> int:
        """Count the documents of the found pages, in as many parts as the engine needs."""
        if total > EXACT_PAGES_AT_MOST:
            estimates = self._index.ask(lambda each: each.cardinality(asked, "document"))
            return round(sum(estimates))
        documents = max(1, self._index.count(number_query("first", 1)))
        parts = -(-min(total, documents) // _DOCUMENTS_AT_ONCE)
        width = 2**64 // parts
        groups = {"d": {"terms": {"field": "document", "size": 65_000, "segment_size": 65_000}}}
        counted = 0
        for part in range(parts):
            low = -(2**63) + part * width
            high = 2**63 - 1 if part == parts - 1 else low + width - 1
            numbers = _Q.range_query(SCHEMA, "document", tantivy.FieldType.Integer, low, high)
            within = asked if parts == 1 else all_of([asked, unscored(numbers)])

            def count(searcher: tantivy.Searcher, within: tantivy.Query = within) -> int:
                return len(searcher.aggregate(within, groups)["d"]["buckets"])

            counted += sum(self._index.ask(count))
        return counted


class _Cursor(msgspec.Struct, array_like=True):
    """The last thing shown, and how much was shown."""

    sort: str
    order: float
    document: int
    page: int
    offset: int


def _read_cursor(query: Query) -> _Cursor | None:
    if not query.after:
        return None
    try:
        raw = base64.urlsafe_b64decode(query.after + "=" * (-len(query.after) % 4))
        cursor = msgspec.json.decode(raw, type=_Cursor)
    except (binascii.Error, ValueError, msgspec.MsgspecError) as error:
        raise InvalidInput(
            Message("The cursor does not belong to this search: start from the beginning.")
        ) from error
    if cursor.sort != query.sort or not cursor.offset >= 0:
        raise InvalidInput(
            Message("The cursor belongs to another sort order: start from the beginning.")
        )
    if cursor.offset > OFFSET_AT_MOST:
        raise InvalidInput(
            Message(
                "Only the first %(number)s documents can be listed: narrow the search.",
                number=OFFSET_AT_MOST,
            )
        )
    return cursor


def _facets(index: OpenIndex, asked: tantivy.Query, names: Sequence[str]) -> dict[str, list[Facet]]:
    """Count the pages by each value of some facets, the most frequent first."""
    # What a site has is in one shard; of the others a shard may have less of what is frequent.
    size = _FACET_VALUES if len(index.shards) == 1 else _FACET_VALUES_OF_SHARDS
    compared = _FACET_VALUES_COUNTED // max(1, len(names))
    groups = {
        name: {"terms": {"field": name, "size": size, "segment_size": compared}} for name in names
    }
    # The states follow from the sites, which is quicker than counting each page again.
    states_of_sites = {"site", "state"} <= groups.keys() and len(index.places) <= _SITES_COUNTED
    if states_of_sites:
        del groups["state"]
        groups["site"]["terms"]["size"] = max(1, len(index.places))
    # Few pages name anybody: they are counted by themselves.
    persons = {"person": groups.pop("person")} if "person" in groups else {}
    for each in persons.values():
        each["terms"]["segment_size"] = max(size, _PERSONS_COMPARED)

    def count(searcher: tantivy.Searcher) -> dict[str, Any]:
        counted: dict[str, Any] = searcher.aggregate(asked, groups) if groups else {}
        if persons:
            named = all_of([asked, unscored(number_query("has_person", 1))])
            counted |= searcher.aggregate(named, persons)
        return counted

    answers = index.ask(count)
    found: dict[str, list[Facet]] = {}
    for name in names:
        source = "site" if name == "state" and states_of_sites else name
        counts: dict[Any, int] = {}
        for answer in answers:
            for bucket in answer[source]["buckets"]:
                key = bucket["key"]
                if source != name:
                    key = index.places[key].state if key in index.places else ""
                counts[key] = counts.get(key, 0) + bucket["doc_count"]
        counts.pop("", None)
        if name == "year":
            counts = {str(int(year)): pages for year, pages in counts.items() if year}
        best = sorted(counts.items(), key=_most_pages)[:_FACET_VALUES]
        places = index.places if name == "site" else {}
        found[name] = [
            Facet(key, places[key].name if key in places else key, pages) for key, pages in best
        ]
    return found


def _most_pages(counted: tuple[str, int]) -> tuple[int, str]:
    return -counted[1], counted[0]


class _Texts:
    """Reads the texts of the shown pages from the sites' databases, and makes snippets of them.

    All pages of a site are read together when the first of them is asked for.
    """

    def __init__(self, storage_dir: Path, terms: Sequence[Term], languages: Sequence[str]) -> None:
        #: The pages that are shown, by site.
        self.shown: dict[str, list[Hit]] = {}
        self._storage_dir = storage_dir
        self._terms = terms
        self._languages = languages
        self._read: dict[str, dict[str, FoundPage]] = {}

    def __call__(self, hit: Hit) -> FoundPage:
        """Return the snippet of a page, what it is of, and where its document comes from."""
        if hit.site not in self._read:
            self._read[hit.site] = self._of_site(hit.site)
        return self._read[hit.site].get(hit.page_id, FoundPage())

    def _of_site(self, site: str) -> dict[str, FoundPage]:
        pages = self.shown.get(site, [])
        found: dict[str, FoundPage] = {}
        with (
            contextlib.suppress(sqlite3.Error),
            contextlib.closing(open_readonly(compiled_database(self._storage_dir / site))) as db,
        ):
            if not is_current(db):
                # A file of an older version, which the next build replaces.
                for hit in pages:
                    old = f"SELECT search_text FROM {page_table(hit.kind)} WHERE id = ?"
                    for (text,) in db.execute(old, (hit.page_id,)):
                        found[hit.page_id] = FoundPage(self._snippet(text))
                return found
            for kind in {hit.kind for hit in pages}:
                of_kind = [hit.page_id for hit in pages if hit.kind == kind]
                query = f"""SELECT page.id, search_text, gone_at, source_url, part, page.kind,
                                   page.meeting, page.date, first_seen_at
                            FROM {page_table(kind)} AS page JOIN documents ON name = document
                            WHERE page.id IN ({", ".join("?" * len(of_kind))})"""
                for key, text, gone_at, file, part, *facts, seen in db.execute(query, of_kind):
                    found[key] = FoundPage(
                        self._snippet(text),
                        gone_at or "",
                        file or "",
                        PartFacts(*(each or "" for each in facts)) if part else None,
                        seen or "",
                    )
        return found

    def _snippet(self, text: str) -> Snippet:
        return snippet(text, self._terms, self._languages)
