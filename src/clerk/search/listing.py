"""Lists over all sites, read from the index: searchable places, new and upcoming documents."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from clerk.core.storage import search_index


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


def _rows(storage_dir: Path, query: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
    """Return the rows of a query on the index; none as long as nothing has been compiled."""
    path = search_index(storage_dir)
    if not path.exists():
        return []
    address = f"{path.absolute().as_uri()}?mode=ro"
    with contextlib.closing(sqlite3.connect(address, uri=True)) as index:
        return index.execute(query, values).fetchall()


def places(storage_dir: Path) -> list[SearchablePlace]:
    """Return all places that can be searched, by name."""
    query = """
        SELECT sites.subdomain, sites.name, sites.state, count(documents.id),
               coalesce(sum(documents.pages), 0), coalesce(min(documents.date), ''),
               coalesce(max(documents.date), '')
        FROM sites LEFT JOIN documents ON documents.site = sites.id
        GROUP BY sites.id ORDER BY sites.name, sites.subdomain"""
    return [SearchablePlace(*row) for row in _rows(storage_dir, query)]


_DOCUMENTS = """
    SELECT sites.subdomain, sites.name, public_id, kind, body, date, documents.pages
    FROM documents JOIN sites ON sites.id = documents.site """


def newly_added(storage_dir: Path, limit: int = 8) -> list[ListedDocument]:
    """Return the documents that were added or changed last."""
    query = f"{_DOCUMENTS} ORDER BY documents.id DESC LIMIT ?"
    return [ListedDocument(*row) for row in _rows(storage_dir, query, (limit,))]


def upcoming(storage_dir: Path, today: str, limit: int = 8) -> list[ListedDocument]:
    """Return documents about meetings of today and later, the next first."""
    query = f"{_DOCUMENTS} WHERE documents.date >= ? ORDER BY date, documents.id LIMIT ?"
    return [ListedDocument(*row) for row in _rows(storage_dir, query, (today, limit))]


def count_documents(storage_dir: Path) -> int:
    """Return how many documents can be searched."""
    return sum(row[0] for row in _rows(storage_dir, "SELECT count(*) FROM documents"))


def document_ids(storage_dir: Path, limit: int, offset: int) -> list[str]:
    """Return a slice of the ids of all documents, in the order in which they were added."""
    query = "SELECT public_id FROM documents ORDER BY id LIMIT ? OFFSET ?"
    return [str(row[0]) for row in _rows(storage_dir, query, (limit, offset))]
