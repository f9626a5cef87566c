"""Documents as rows of the tables of ``meetings.db``: made here, wherever they are inserted."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import msgspec

from clerk.core.storage import KINDS, Document

from . import rows, schema
from .rows import Content, Found

Row = Sequence[Any]

_VOTE_COLUMNS = (
    "start",
    "end",
    "item",
    "motion",
    "mover",
    "seconder",
    "result",
    "result_text",
    "vote_type",
    "tally",
    "unanimous",
    "flags",
    "quote",
    "confidence",
)
_ENTITY_COLUMNS = ("type", "text", "value", "role", "start", "end")
_COLUMNS_OF = dict.fromkeys(KINDS, f"({schema.PAGE_COLUMNS})")
_ALL = ("documents", *KINDS, "votes", "vote_members", "entities")


class Facts(msgspec.Struct, frozen=True, array_like=True):
    """What is known about the PDF a document was read from."""

    sha256: str | None = None
    bytes: int | None = None
    source_url: str | None = None
    fetched_at: str | None = None
    #: Since when the source does not offer it any more.
    gone_at: str | None = None


@dataclass(frozen=True)
class Change:
    """What is to be done about one document; what it does not give stays as it is."""

    document: Document
    #: Whether the file has it already.
    known: bool
    content: Content | None = None
    found: Found | None = None
    extracted_digest: str = ""
    facts: Facts | None = None

    ADDED: ClassVar = "added"
    UPDATED: ClassVar = "updated"
    REMOVED: ClassVar = "removed"

    @property
    def action(self) -> str:
        """What happens to the document."""
        if self.content or self.found or self.facts:
            return self.UPDATED if self.known else self.ADDED
        return self.REMOVED


class Tables:
    """Rows by table, of documents that are not in the file yet."""

    def __init__(self, subdomain: str) -> None:
        self._subdomain = subdomain
        self.rows: dict[str, list[Row]] = {}
        #: Number and text of each page, by kind, for the full text.
        self.searched: dict[str, list[tuple[int, str]]] = {}

    def add(self, change: Change, content: Content, rowids: Iterable[int]) -> None:
        """Add a document whole; its pages are given the numbers."""
        document, identity = content.document, rows.document_id(self._subdomain, content.document)
        found = fitting(change.found or Found(), content.text_sha256)
        self._of("documents").append(_document(identity, content, change))
        self._add_pages(identity, content, PageJson(change, found), rowids)
        self.add_found(document, found)

    def add_found(self, document: Document, found: Found) -> None:
        """Add what was extracted from a document."""
        identity = rows.document_id(self._subdomain, document)
        self._add_votes(identity, document, found.votes)
        self._of("entities").extend(
            (
                *(f"{identity}-e{number}", document.name, *_place(identity, entity)),
                *(_plain(entity.get(column)) for column in _ENTITY_COLUMNS),
            )
            for number, entity in enumerate(found.entities, start=1)
        )

    def _of(self, table: str) -> list[Row]:
        return self.rows.setdefault(table, [])

    def _add_pages(
        self, identity: str, content: Content, json: PageJson, rowids: Iterable[int]
    ) -> None:
        document, name = content.document, content.document.name
        page_rows = self._of(document.kind)
        searched_rows = self.searched.setdefault(document.kind, [])
        for rowid, page in zip(rowids, content.pages, strict=False):
            number, text = page.number, page.text
            searched = rows.search_text(text)
            searched_rows.append((rowid, searched))
            page_rows.append(
                (
                    *(rowid, rows.page_id(identity, number), document.meeting, document.date),
                    *(number, text, page_image(name, number), *json.of(number), name),
                    *(page.method, page.confidence, searched if searched != text else None),
                )
            )

    def _add_votes(self, identity: str, document: Document, votes: list[dict[str, Any]]) -> None:
        for number, vote in enumerate(votes, start=1):
            key = f"{identity}-v{number}"
            where = (document.name, document.meeting, document.date, *_place(identity, vote))
            values = (_plain(vote.get(column)) for column in _VOTE_COLUMNS)
            self._of("votes").append((key, *where, *values))
            members = dict.fromkeys((key, member, ballot) for member, ballot in rows.names_of(vote))
            self._of("vote_members").extend(members)


class PageJson:
    """What was extracted from each page of a document, as JSON; None if nothing ever was."""

    def __init__(self, change: Change, found: Found) -> None:
        extracted = bool(change.extracted_digest)
        self._entities = _by_page(found.entities) if extracted else None
        self._votes = _by_page(found.votes) if extracted else None

    def of(self, page: int) -> tuple[str | None, str | None]:
        """Return a page's entities and votes."""
        return _json(self._entities, page), _json(self._votes, page)


def insert(connection: sqlite3.Connection, new: Mapping[str, Sequence[Row]]) -> None:
    """Insert rows into the tables they are for."""
    for table, table_rows in new.items():
        if table_rows:
            marks = ", ".join("?" * len(table_rows[0]))
            statement = f"INSERT INTO {table}{_COLUMNS_OF.get(table, '')} VALUES ({marks})"
            connection.executemany(statement, table_rows)


def copy(connection: sqlite3.Connection, part: str) -> None:
    """Copy the rows of all tables from an attached part."""
    for table in _ALL:
        columns = _COLUMNS_OF.get(table, "")
        connection.execute(f"INSERT INTO main.{table}{columns} SELECT * FROM {part}.{table}")


def _document(identity: str, content: Content, change: Change) -> Row:
    document, facts = content.document, change.facts or Facts()
    # Text of an older installation does not say which PDF it was read from.
    sha256 = content.pdf_sha256 if content.method else facts.sha256
    failed = msgspec.json.encode(content.failed_pages).decode() if content.failed_pages else None
    return (
        *(document.name, identity, document.kind, document.meeting, document.date),
        *(content.page_count, content.method, content.confidence, failed),
        *(sha256, facts.bytes, facts.source_url, facts.fetched_at, facts.gone_at),
        *(content.text_sha256, content.digest, change.extracted_digest),
    )


def page_image(document: str, page: int) -> str:
    """Return the address of a page's picture, relative to the published site."""
    return f"images/{document}/page-{page}.webp"


def fitting(found: Found, text_sha256: str) -> Found:
    """Return what was extracted, or nothing if it speaks about another text."""
    return found if found.text_sha256 in ("", text_sha256) else Found()


def _by_page(entries: list[dict[str, Any]]) -> dict[int, list[dict[str, Any]]]:
    pages: dict[int, list[dict[str, Any]]] = {}
    for entry in entries:
        if isinstance(page := entry.get("page"), int):
            pages.setdefault(page, []).append(entry)
    return pages


def _json(pages: Mapping[int, Any] | None, page: int) -> str | None:
    """Return a page's entries; None where nothing was extracted yet."""
    return None if pages is None else msgspec.json.encode(pages.get(page, [])).decode()


def _place(identity: str, entry: Mapping[str, Any]) -> tuple[int | None, str | None]:
    page = entry.get("page")
    return (page, rows.page_id(identity, page)) if isinstance(page, int) else (None, None)


def _plain(value: Any) -> Any:
    """Return a value that fits a column; lists and mappings as JSON."""
    return msgspec.json.encode(value).decode() if isinstance(value, list | dict) else value
