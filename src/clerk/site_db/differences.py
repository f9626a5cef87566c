"""What separates a compiled file from what the disk shows: decided here, done by the writer."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path

import msgspec

from clerk.core.public_text import Gate
from clerk.core.storage import Document

from . import rows
from .holdings import Shelf, digest_of, kind_and_meeting, kind_and_meeting_found
from .remembered import Holding
from .rows import Content, Found
from .tables import Change, Facts

_SOURCES = "sources"
ADDED, UPDATED, REMOVED = Change.ADDED, Change.UPDATED, Change.REMOVED


class Disk:
    """A site's folder as it was scanned, read as far as it has to be; what it tells is public."""

    def __init__(self, folder: Path, shelf: Shelf, gate: Gate) -> None:
        self.folder = folder
        self.shelf = shelf
        self._gate = gate

    @cached_property
    def facts(self) -> dict[str, Facts]:
        """What the fetchers know about each PDF, by document; nothing if they were never used."""
        if self.shelf.sources is None:
            return {}
        from clerk.fetch.sources import stored_pdfs

        return {
            held.name: Facts(
                held.sha256 or None,
                held.bytes,
                self._gate.source(held.source_url),
                held.fetched_at or None,
                held.gone_at or None,
            )
            for held in stored_pdfs(self.folder)
        }

    @property
    def facts_digest(self) -> str:
        """The hash of those facts."""
        sources = self.shelf.sources
        if sources is None:
            return ""
        sources.digest = sources.digest or digest_of(repr(sorted(self.facts.items())).encode())
        return sources.digest

    def facts_of(self, document: Document) -> Facts:
        """Return what is known about the PDF of a document."""
        return self.facts.get(document.name, Facts())

    def content(self, document: Document) -> Content | None:
        """Read a document's text; None if it vanished after the scan."""
        try:
            content = rows.read_content(self.folder, document)
        except (FileNotFoundError, NotADirectoryError):
            self.shelf.drop(document)
            return None
        for page, reason in content.failed_pages.items():
            content.failed_pages[page] = str(self._gate(reason))
        self.shelf.learn(document, content.digest)
        return content

    def found(self, document: Document) -> tuple[str, Found]:
        """Read what was extracted from a document, and its hash."""
        if self.shelf.extraction(document) is None:
            return "", Found()
        digest, found = rows.read_found(self.folder, document)
        self.shelf.learn_extracted(document, digest)
        return digest, found

    def learn(self, document: Document, digest: str, extracted_digest: str) -> None:
        """Take over the hashes of a document that another process has read."""
        self.shelf.learn(document, digest)
        self.shelf.learn_extracted(document, extracted_digest)

    def read_the_rest(self) -> None:
        """Learn the hashes that nobody has asked for: of findings whose text is gone, say."""
        for path, folder in self.shelf.texts.items():
            for date in folder.unknown:
                self.content(Document(*kind_and_meeting(path), date))
        for path, folder in self.shelf.extracted.items():
            for date in folder.unknown:
                document = Document(*kind_and_meeting_found(path), date)
                folder.learn(date, rows.read_found(self.folder, document)[0])

    def extracted_digest(self, document: Document) -> str:
        """Return the hash of what was extracted, reading it only if it is not known."""
        holding = self.shelf.extraction(document)
        if holding and not holding.digest:
            return self.found(document)[0]
        return holding.digest if holding else ""


def everything(disk: Disk) -> list[Document]:
    """Return every document there is."""
    return [
        Document(*kind_and_meeting(path), date)
        for path in sorted(disk.shelf.texts)
        for date in sorted(disk.shelf.names(path))
    ]


def differences(connection: sqlite3.Connection, disk: Disk) -> Iterator[Change]:
    """Yield what has to be written for the file to show what the disk shows.

    A folder whose hash stands in the file is passed over without looking at its documents; of one
    whose hash is known from before, only the documents are looked at that were touched since.
    """
    compiled = dict(connection.execute("SELECT source, digest FROM compiled").fetchall())
    facts_digest = compiled.pop(_SOURCES, "")
    for path in sorted(compiled.keys() | disk.shelf.texts.keys()):
        digest = disk.shelf.digest(path) if path in disk.shelf.texts else ""
        if not digest or compiled.get(path) != digest:
            touched = disk.shelf.touched_since(path, compiled.get(path, ""))
            yield from _in_folder(connection, disk, path, touched)
    if facts_digest != disk.facts_digest:
        yield from _other_facts(connection, disk)


def _in_folder(
    connection: sqlite3.Connection, disk: Disk, path: str, touched: set[str] | None
) -> Iterator[Change]:
    """Yield what has to be written about the documents of a folder, or about those touched."""
    kind, meeting = kind_and_meeting(path)
    now = disk.shelf.names(path)
    before = _compiled(connection, kind, meeting, touched)
    dates = sorted(now.keys() | before.keys() if touched is None else touched)
    for date in dates:
        if date not in now and date in before:
            yield Change(Document(kind, meeting, date), known=True)
    for date in dates:
        if date in now:
            document = Document(kind, meeting, date)
            if change := _compared(disk, document, now[date], before.get(date)):
                yield change


def _compiled(
    connection: sqlite3.Connection, kind: str, meeting: str, dates: set[str] | None
) -> dict[str, tuple[str, str]]:
    """Return the hashes the file has of documents of a meeting: of all, or of some dates."""
    query = "SELECT date, digest, extracted_digest FROM documents WHERE kind = ? AND meeting = ?"
    if dates is None:
        found = connection.execute(query, (kind, meeting)).fetchall()
    else:
        query += " AND date = ?"
        found = [
            row
            for date in sorted(dates)
            for row in connection.execute(query, (kind, meeting, date)).fetchall()
        ]
    return {date: (digest, extracted) for date, digest, extracted in found}


def _compared(
    disk: Disk, document: Document, holding: Holding, before: tuple[str, str] | None
) -> Change | None:
    """Return what has to be written about one document, or None."""
    if not holding.digest or before is None or before[0] != holding.digest:
        change = written(disk, document, known=before is not None)
        content = change.content if change else None
        if content is None or before is None or content.digest != before[0]:
            return change
    if before[1] == disk.extracted_digest(document):
        return None
    extracted_digest, found = disk.found(document)
    return Change(document, True, None, found, extracted_digest)


def written(disk: Disk, document: Document, *, known: bool) -> Change | None:
    """Return the document whole; taken out if it vanished and was there."""
    content = disk.content(document)
    if content is None:
        return Change(document, known=True) if known else None
    extracted_digest, found = disk.found(document)
    return Change(document, known, content, found, extracted_digest, disk.facts_of(document))


def _other_facts(connection: sqlite3.Connection, disk: Disk) -> Iterator[Change]:
    columns_of_facts = "sha256, bytes, source_url, fetched_at, gone_at"
    query = f"SELECT name, {columns_of_facts} FROM documents ORDER BY name"
    for name, *columns in connection.execute(query).fetchall():
        document = Document.from_name(name)
        facts = disk.facts_of(document)
        if tuple(columns) != msgspec.structs.astuple(facts):
            yield Change(document, True, facts=facts)


def compiled_rows(disk: Disk) -> list[tuple[str, str]]:
    """Return the hashes that stand for everything on disk, once it has been read."""
    disk.read_the_rest()
    folders = [(path, disk.shelf.digest(path)) for path in sorted(disk.shelf.texts)]
    return [*((path, digest) for path, digest in folders if digest), (_SOURCES, disk.facts_digest)]
