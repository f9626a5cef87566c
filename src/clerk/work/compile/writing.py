"""Writing documents into a private ``meetings.db``, and taking them out again."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import msgspec

from clerk.storage import KINDS, Document

from . import fulltext, rows
from .rows import Content, Found

Row = tuple[Any, ...]

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


class Writer:
    """Puts the documents of one site into one open file."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        subdomain: str,
        fillers: Mapping[str, fulltext.Filler] | None = None,
    ) -> None:
        """Write through the connection; the full text of a kind goes to its filler, if any."""
        self._db = connection
        self._subdomain = subdomain
        self._fillers = fillers or {}
        self._next_row = {kind: self._last_row(kind) + 1 for kind in KINDS}

    def _last_row(self, kind: str) -> int:
        return int(self._db.execute(f"SELECT coalesce(max(rowid), 0) FROM {kind}").fetchone()[0])

    def apply(self, change: Change) -> None:
        """Do what a change says."""
        document, found = change.document, change.found
        if change.known and (change.content or change.action == Change.REMOVED):
            self._remove(document)
        if change.content:
            facts = change.facts or Facts()
            self._add(change.content, found or Found(), change.extracted_digest, facts)
        elif found:
            self._set_found(document, found, change.extracted_digest)
        elif change.facts:
            self._set_facts(document, change.facts)

    def _add(self, content: Content, found: Found, extracted_digest: str, facts: Facts) -> None:
        """Write a document that is not there."""
        document = content.document
        found = _fitting(found, content.text_sha256)
        self._add_document(content, extracted_digest, facts)
        self._add_pages(content, found, extracted=bool(extracted_digest))
        self._add_votes(document, found.votes)
        self._add_entities(document, found.entities)

    def _remove(self, document: Document) -> None:
        """Take a document out, with everything that belongs to it."""
        kind, name = document.kind, (document.name,)
        query = f"SELECT rowid, search_text FROM {kind} WHERE document = ? ORDER BY rowid"
        fulltext.remove(self._db, f"{kind}_fts", self._db.execute(query, name).fetchall())
        self._db.execute(f"DELETE FROM {kind} WHERE document = ?", name)
        self._remove_found(document)
        self._db.execute("DELETE FROM documents WHERE name = ?", name)

    def _set_found(self, document: Document, found: Found, extracted_digest: str) -> None:
        """Replace what was extracted from a document; its text stays."""
        query = "SELECT text_sha256 FROM documents WHERE name = ?"
        found = _fitting(found, self._db.execute(query, (document.name,)).fetchone()[0])
        self._remove_found(document)
        self._db.execute(
            "UPDATE documents SET extracted_digest = ? WHERE name = ?",
            (extracted_digest, document.name),
        )
        self._set_page_json(document, found, extracted=bool(extracted_digest))
        self._add_votes(document, found.votes)
        self._add_entities(document, found.entities)

    def _set_facts(self, document: Document, facts: Facts) -> None:
        """Replace what is known about the PDF of a document."""
        self._db.execute(
            """UPDATE documents SET sha256 = iif(method IS NULL, ?, sha256), bytes = ?,
               source_url = ?, fetched_at = ?, gone_at = ? WHERE name = ?""",
            (*msgspec.structs.astuple(facts), document.name),
        )

    def _id(self, document: Document) -> str:
        return rows.document_id(self._subdomain, document)

    def _add_document(self, content: Content, extracted_digest: str, facts: Facts) -> None:
        document = content.document
        # Text of an older installation does not say which PDF it was read from.
        sha256 = content.pdf_sha256 if content.method else facts.sha256
        failed = (
            msgspec.json.encode(content.failed_pages).decode() if content.failed_pages else None
        )
        row = (
            *(document.name, self._id(document), document.kind, document.meeting, document.date),
            *(content.page_count, content.method, content.confidence, failed),
            *(sha256, facts.bytes, facts.source_url, facts.fetched_at, facts.gone_at),
            *(content.text_sha256, content.digest, extracted_digest),
        )
        self._insert("documents", [row])

    def _add_pages(self, content: Content, found: Found, *, extracted: bool) -> None:
        document, name = content.document, content.document.name
        votes = _by_page(found.votes) if extracted else None
        entities = _by_page(found.entities) if extracted else None
        first = self._next_row[document.kind]
        self._next_row[document.kind] += len(content.pages)
        identity, to_index, page_rows = self._id(document), [], []
        for rowid, page in enumerate(content.pages, start=first):
            searched = rows.search_text(page.text)
            to_index.append((rowid, searched))
            page_rows.append(
                (
                    *(rowid, rows.page_id(identity, page.number)),
                    *(document.meeting, document.date, page.number, page.text),
                    *(page_image(name, page.number), _json(entities, page.number)),
                    *(_json(votes, page.number), name, page.method, page.confidence),
                    searched if searched != page.text else None,
                )
            )
        self._insert_pages(document.kind, page_rows)
        self._index(document.kind, to_index)

    def _index(self, kind: str, to_index: fulltext.Rows) -> None:
        if kind in self._fillers:
            self._fillers[kind].add(to_index)
        else:
            fulltext.add(self._db, f"{kind}_fts", to_index)

    def _insert_pages(self, kind: str, page_rows: list[Row]) -> None:
        self._db.executemany(
            f"""INSERT INTO {kind}(rowid, id, meeting, date, page, text, page_image, entities_json,
                votes_json, document, method, confidence, joined)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)""",
            page_rows,
        )

    def _set_page_json(self, document: Document, found: Found, *, extracted: bool) -> None:
        votes = _by_page(found.votes) if extracted else None
        entities = _by_page(found.entities) if extracted else None
        kind = document.kind
        pages = self._db.execute(f"SELECT page FROM {kind} WHERE document = ?", (document.name,))
        self._db.executemany(
            f"""UPDATE {kind} SET entities_json = ?, votes_json = ?
                WHERE document = ? AND page = ?""",
            [
                (_json(entities, page), _json(votes, page), document.name, page)
                for (page,) in pages.fetchall()
            ],
        )

    def _add_votes(self, document: Document, votes: list[dict[str, Any]]) -> None:
        identity = self._id(document)
        for number, vote in enumerate(votes, start=1):
            key = f"{identity}-v{number}"
            where = (document.name, document.meeting, document.date, *_place(identity, vote))
            values = (_plain(vote.get(column)) for column in _VOTE_COLUMNS)
            self._insert("votes", [(key, *where, *values)])
            members = dict.fromkeys((key, member, ballot) for member, ballot in rows.names_of(vote))
            self._insert("vote_members", members)

    def _add_entities(self, document: Document, entities: list[dict[str, Any]]) -> None:
        identity = self._id(document)
        self._insert(
            "entities",
            [
                (
                    *(f"{identity}-e{number}", document.name, *_place(identity, entity)),
                    *(_plain(entity.get(column)) for column in _ENTITY_COLUMNS),
                )
                for number, entity in enumerate(entities, start=1)
            ],
        )

    def _remove_found(self, document: Document) -> None:
        name = (document.name,)
        self._db.execute(
            "DELETE FROM vote_members WHERE vote IN (SELECT id FROM votes WHERE document = ?)", name
        )
        self._db.execute("DELETE FROM votes WHERE document = ?", name)
        self._db.execute("DELETE FROM entities WHERE document = ?", name)

    def _insert(self, table: str, new: Iterable[Row]) -> None:
        new = list(new)
        if new:
            marks = ", ".join("?" * len(new[0]))
            self._db.executemany(f"INSERT INTO {table} VALUES ({marks})", new)


def page_image(document: str, page: int) -> str:
    """Return the address of a page's picture, relative to the published site."""
    return f"images/{document}/page-{page}.webp"


def _fitting(found: Found, text_sha256: str) -> Found:
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
