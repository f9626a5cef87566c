"""Writing documents into a private ``meetings.db``, and taking them out again."""

from __future__ import annotations

import sqlite3

import msgspec

from clerk.core.storage import KINDS, Document

from . import fts
from .rows import Content, Found
from .tables import Change, Facts, PageJson, Tables, fitting, insert


class Writer:
    """Puts the documents of one site into one open file."""

    def __init__(self, connection: sqlite3.Connection, subdomain: str) -> None:
        self._db = connection
        self._subdomain = subdomain
        self._next_row = {kind: self._last_row(kind) + 1 for kind in KINDS}

    def _last_row(self, kind: str) -> int:
        return int(self._db.execute(f"SELECT coalesce(max(rowid), 0) FROM {kind}").fetchone()[0])

    def apply(self, change: Change) -> None:
        """Do what a change says."""
        if change.known and (change.content or change.action == Change.REMOVED):
            self._remove(change.document)
        if change.content:
            self._add(change, change.content)
        elif change.found:
            self._set_found(change, change.found)
        elif change.facts:
            self._set_facts(change.document, change.facts)

    def _add(self, change: Change, content: Content) -> None:
        """Write a document that is not there."""
        kind = content.document.kind
        first = self._next_row[kind]
        self._next_row[kind] += len(content.pages)
        tables = Tables(self._subdomain)
        tables.add(change, content, range(first, self._next_row[kind]))
        insert(self._db, tables.rows)
        fts.add(self._db, f"{kind}_fts", tables.searched[kind])

    def _remove(self, document: Document) -> None:
        """Take a document out, with everything that belongs to it."""
        kind, name = document.kind, (document.name,)
        query = f"SELECT rowid, search_text FROM {kind} WHERE document = ? ORDER BY rowid"
        fts.remove(self._db, f"{kind}_fts", self._db.execute(query, name).fetchall())
        self._db.execute(f"DELETE FROM {kind} WHERE document = ?", name)
        self._remove_found(document)
        self._db.execute("DELETE FROM documents WHERE name = ?", name)

    def _set_found(self, change: Change, found: Found) -> None:
        """Replace what was extracted from a document; its text stays."""
        document = change.document
        query = "SELECT text_sha256 FROM documents WHERE name = ?"
        found = fitting(found, self._db.execute(query, (document.name,)).fetchone()[0])
        self._remove_found(document)
        self._db.execute(
            "UPDATE documents SET extracted_digest = ? WHERE name = ?",
            (change.extracted_digest, document.name),
        )
        self._set_page_json(document, PageJson(change, found))
        tables = Tables(self._subdomain)
        tables.add_found(document, found)
        insert(self._db, tables.rows)

    def _set_page_json(self, document: Document, json: PageJson) -> None:
        kind, name = document.kind, document.name
        pages = self._db.execute(f"SELECT page FROM {kind} WHERE document = ?", (name,)).fetchall()
        self._db.executemany(
            f"""UPDATE {kind} SET entities_json = ?, votes_json = ?
                WHERE document = ? AND page = ?""",
            [(*json.of(page), name, page) for (page,) in pages],
        )

    def _set_facts(self, document: Document, facts: Facts) -> None:
        """Replace what is known about the PDF of a document."""
        self._db.execute(
            """UPDATE documents SET sha256 = iif(method IS NULL, ?, sha256), bytes = ?,
               source_url = ?, fetched_at = ?, gone_at = ? WHERE name = ?""",
            (*msgspec.structs.astuple(facts), document.name),
        )

    def _remove_found(self, document: Document) -> None:
        name = (document.name,)
        self._db.execute(
            "DELETE FROM vote_members WHERE vote IN (SELECT id FROM votes WHERE document = ?)", name
        )
        self._db.execute("DELETE FROM votes WHERE document = ?", name)
        self._db.execute("DELETE FROM entities WHERE document = ?", name)
