"""Lists over all sites, read from the index: searchable places, new and upcoming documents."""

from __future__ import annotations

from dataclasses import dataclass
from heapq import nsmallest
from pathlib import Path
from typing import Any

import msgspec
import tantivy

from clerk.core.errors import NotFound

from .index import SCHEMA, StoredFacts, document_id_of, seen_at
from .readers import OpenIndex, open_index
from .words import storable

_Q = tantivy.Query
_FIRST_PAGES = _Q.term_query(SCHEMA, "first", 1, "basic")
_PLACES_AT_MOST = 60_000
_DATES = {"first": {"min": {"field": "day"}}, "last": {"max": {"field": "day"}}}


@dataclass(frozen=True)
class SearchablePlace:
    """A site in the index, with what the index has of it."""

    subdomain: str
    name: str
    state: str
    documents: int
    pages: int
    first: str
    last: str


@dataclass(frozen=True)
class ListedDocument:
    """A document in a list over several sites."""

    site: str
    site_name: str
    id: str
    kind: str
    body: str
    date: str
    pages: int
    #: When it was first seen; empty if that is not known.
    first_seen_at: str


def _opened(storage_dir: Path) -> OpenIndex | None:
    try:
        return open_index(storage_dir)
    except NotFound:
        return None


#: The places of the last index that was asked for them.
_known_places: list[tuple[OpenIndex, list[SearchablePlace]]] = []


def places(storage_dir: Path) -> list[SearchablePlace]:
    """Return all places that can be searched, by name."""
    index = _opened(storage_dir)
    if index is None:
        return []
    for known, listed in _known_places:
        if known is index:
            return listed
    terms = {"field": "site", "size": _PLACES_AT_MOST, "segment_size": _PLACES_AT_MOST}
    dated = _Q.range_query(SCHEMA, "day", tantivy.FieldType.Integer, 1, 99_991_231)
    is_dated = _Q.boolean_query([(tantivy.Occur.Must, _FIRST_PAGES), (tantivy.Occur.Must, dated)])
    sums = {"s": {"terms": terms, "aggs": {"pages": {"sum": {"field": "pages"}}}}}
    dates = {"s": {"terms": terms, "aggs": _DATES}}
    held: dict[str, Any] = {}
    days: dict[str, Any] = {}
    for counted in index.ask(lambda searcher: searcher.aggregate(_FIRST_PAGES, sums)):
        held |= {each["key"]: each for each in counted["s"]["buckets"]}
    for counted in index.ask(lambda searcher: searcher.aggregate(is_dated, dates)):
        days |= {each["key"]: each for each in counted["s"]["buckets"]}
    found = [
        SearchablePlace(
            subdomain,
            place.name,
            place.state,
            held[subdomain]["doc_count"] if subdomain in held else 0,
            int(held[subdomain]["pages"]["value"]) if subdomain in held else 0,
            _date(days[subdomain]["first"]["value"]) if subdomain in days else "",
            _date(days[subdomain]["last"]["value"]) if subdomain in days else "",
        )
        for subdomain, place in index.places.items()
    ]
    found.sort(key=lambda place: (place.name, place.subdomain))
    _known_places[:] = [(index, found)]
    return found


def _date(day: float) -> str:
    digits = f"{int(day):08d}"
    return f"{digits[:4]}-{digits[4:6]}-{digits[6:]}"


def newly_added(storage_dir: Path, limit: int = 8, site: str | None = None) -> list[ListedDocument]:
    """Return the documents that were seen first last, of all sites or of one."""
    query = _FIRST_PAGES
    if site is not None:
        of_site = _Q.term_query(SCHEMA, "site", storable(site), "basic")
        query = _Q.boolean_query([(tantivy.Occur.Must, query), (tantivy.Occur.Must, of_site)])
    return _listed(storage_dir, query, "seen", tantivy.Order.Desc, limit)


def upcoming(storage_dir: Path, today: str, limit: int = 8) -> list[ListedDocument]:
    """Return documents about meetings of today and later, the next first."""
    day = int(today.replace("-", ""))
    later = _Q.range_query(SCHEMA, "day", tantivy.FieldType.Integer, day, 99_991_231)
    query = _Q.boolean_query([(tantivy.Occur.Must, _FIRST_PAGES), (tantivy.Occur.Must, later)])
    return _listed(storage_dir, query, "oldest", tantivy.Order.Asc, limit)


def _listed(
    storage_dir: Path, query: tantivy.Query, field: str, order: tantivy.Order, limit: int
) -> list[ListedDocument]:
    index = _opened(storage_dir)
    if index is None:
        return []
    sign = 1 if order == tantivy.Order.Asc else -1

    def ask(searcher: tantivy.Searcher) -> list[tuple[int, ListedDocument]]:
        hits = searcher.search(query, limit, order_by_field=field, order=order, count=False).hits
        addresses = [address for _, address in hits]
        numbers = searcher.fast_field_values("document", addresses)
        moments = searcher.fast_field_values("seen", addresses)
        found = []
        for (value, address), number, seen in zip(hits, numbers, moments, strict=True):
            raw = searcher.doc(address).get_first("facts")
            facts = msgspec.json.decode(bytes(raw or b""), type=StoredFacts)
            place = index.places.get(facts.site)
            listed = ListedDocument(
                facts.site,
                place.name if place else facts.site,
                document_id_of(int(number or 0)),
                facts.kind,
                facts.body,
                facts.date,
                facts.pages,
                seen_at(int(seen or 0)),
            )
            found.append((sign * int(value or 0), listed))
        return found

    answers = (each for answer in index.ask(ask) for each in answer)
    return [listed for _, listed in nsmallest(limit, answers, key=lambda each: each[0])]


def count_documents(storage_dir: Path) -> int:
    """Return how many documents can be searched."""
    index = _opened(storage_dir)
    return index.count(_FIRST_PAGES) if index else 0


def document_ids(storage_dir: Path, limit: int, offset: int) -> list[str]:
    """Return a slice of the ids of all documents, in an order that stays."""
    index = _opened(storage_dir)
    if index is None:
        return []

    def numbers(searcher: tantivy.Searcher) -> list[int]:
        found = searcher.search(
            _FIRST_PAGES,
            offset + limit,
            order_by_field="document",
            order=tantivy.Order.Asc,
            count=False,
        ).hits
        return [int(value) for value, _ in found]

    ordered = sorted(number for answer in index.ask(numbers) for number in answer)
    return [document_id_of(number) for number in ordered[offset : offset + limit]]
