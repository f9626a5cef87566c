"""Searching the pages of all sites.

::

    words       words as the index knows them: folded, stemmed, CJK in pairs
    query       the query language: what a person typed, as a tree
    index       the tantivy index over all sites: layout, fields, the writer
    readers     the index as a reader has it open
    results     run a query
    answers     what it answers: documents with their best pages, totals, facets
    listing     places, new and upcoming documents
    suggest     did you mean ...?
    boxes       where on the page the hits are
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .answers import FACETS, DocumentHits, Facet, Hit, Results
    from .boxes import hit_boxes
    from .query import QueryError, parse
    from .results import (
        SORTS,
        PageAddress,
        Query,
        check_place,
        find_document,
        find_page,
        pages_with_hits,
        search,
    )

__all__ = [
    "FACETS",
    "SORTS",
    "DocumentHits",
    "Facet",
    "Hit",
    "PageAddress",
    "Query",
    "QueryError",
    "Results",
    "check_place",
    "find_document",
    "find_page",
    "hit_boxes",
    "pages_with_hits",
    "parse",
    "search",
]

_MODULES = {
    "hit_boxes": "boxes",
    **dict.fromkeys(("QueryError", "parse"), "query"),
    **dict.fromkeys(("FACETS", "DocumentHits", "Facet", "Hit", "Results"), "answers"),
}


def __getattr__(name: str) -> Any:
    """Load what searches when it is first asked for: whoever writes the index needs none of it."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{_MODULES.get(name, 'results')}", __name__), name)
