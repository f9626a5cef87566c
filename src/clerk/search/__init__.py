"""Searching the pages of all sites.

::

    compile     bring a site's database and the index up to date
    index       STORAGE_DIR/sites.db, the full-text index over all sites
    query       what a person typed, as terms
    results     run a query: pages, facets, snippets
    facts       what results are counted and filtered by, cached in memory
    suggest     did you mean ...?
    boxes       where on the page the hits are
"""

from __future__ import annotations

from .boxes import hit_boxes
from .index import forget_site
from .query import parse, too_short_beginnings
from .results import (
    SORTS,
    Facet,
    Hit,
    PageAddress,
    Query,
    Results,
    check_place,
    find_document,
    find_page,
    search,
)

__all__ = [
    "SORTS",
    "Facet",
    "Hit",
    "PageAddress",
    "Query",
    "Results",
    "check_place",
    "find_document",
    "find_page",
    "forget_site",
    "hit_boxes",
    "parse",
    "search",
    "too_short_beginnings",
]
