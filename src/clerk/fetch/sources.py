"""What a site has on disk and where it came from: ``_clerk/sources.db``.

The PDFs on disk are the truth; this file can be lost and is then rebuilt from them and from the
next fetch (former versions stay on disk, but nothing records which document they belonged to).
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
import time
from collections.abc import Mapping
from dataclasses import astuple, dataclass, fields
from datetime import datetime
from functools import cached_property
from operator import attrgetter
from pathlib import Path
from typing import Any
from urllib.parse import quote_from_bytes, unquote_to_bytes, urlsplit

from clerk.core.errors import BadSetting
from clerk.core.storage import (
    Document,
    cannot_write,
    pdf_documents,
    sha256_of,
    sources_database,
)

from .base import Gap, MeetingRef, site_extra

#: Seconds between two commits; writes are committed together.
COMMIT_SECONDS = 0.5

_SCHEMA = """
CREATE TABLE IF NOT EXISTS documents (
    identity TEXT PRIMARY KEY, kind TEXT NOT NULL, meeting TEXT NOT NULL, date TEXT NOT NULL,
    day TEXT NOT NULL, source_url TEXT NOT NULL, sha256 TEXT NOT NULL, bytes INTEGER NOT NULL,
    source_bytes INTEGER NOT NULL, source_mtime_ns INTEGER NOT NULL, etag TEXT NOT NULL,
    last_modified TEXT NOT NULL, version_hint TEXT NOT NULL, fetched_at TEXT NOT NULL,
    gone_at TEXT NOT NULL, UNIQUE (kind, meeting, date)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS versions (
    identity TEXT NOT NULL, sha256 TEXT NOT NULL, bytes INTEGER NOT NULL, fetched_at TEXT NOT NULL,
    PRIMARY KEY (identity, sha256)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS meetings (
    identity TEXT PRIMARY KEY, body TEXT NOT NULL, title TEXT NOT NULL, start_local TEXT NOT NULL,
    tz TEXT NOT NULL, status TEXT NOT NULL, source_url TEXT NOT NULL, gap TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS hashes (
    name TEXT PRIMARY KEY, bytes INTEGER NOT NULL, mtime_ns INTEGER NOT NULL, sha256 TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS facts (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
"""


@dataclass(frozen=True)
class KnownDocument:
    """A document that was fetched before; the fields are the columns."""

    identity: str
    kind: str
    meeting: str
    date: str
    day: str
    source_url: str
    sha256: str
    bytes: int
    source_bytes: int = 0
    source_mtime_ns: int = 0
    etag: str = ""
    last_modified: str = ""
    version_hint: str = ""
    fetched_at: str = ""
    gone_at: str = ""

    @property
    def document(self) -> Document:
        """The document by its name on disk."""
        return Document(self.kind, self.meeting, self.date)


_COLUMNS = tuple(each.name for each in fields(KnownDocument))
#: Faster than dataclasses.astuple, which copies values.
_values_of = attrgetter(*_COLUMNS)
_RECORD = f"INSERT OR REPLACE INTO documents VALUES ({', '.join('?' * len(_COLUMNS))})"
_FULL_SWEEP = "full sweep at"


@dataclass(frozen=True)
class StoredPdf:
    """A PDF on disk below a site's folder, whoever put it there.

    ``sha256`` is empty if it cannot be read, ``gone_at`` if the source still offers it.
    """

    name: str
    bytes: int
    sha256: str
    source_url: str = ""
    fetched_at: str = ""
    gone_at: str = ""


def has_held(folder: Path, document: Document, sha256: str) -> bool:
    """Whether a site's folder is known to have held these very bytes, and holds others it knows.

    Then the file was deleted from it.  A folder of which that is not known is not the one that was
    fetched into, or not all of it; nothing is written there to find out.
    """
    path = sources_database(folder).absolute()
    if not path.is_file():
        return False
    try:
        with contextlib.closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as db:
            known = dict(db.execute("SELECT name, sha256 FROM hashes"))
    except sqlite3.Error:
        return False
    others = (Document.from_name(name) for name in known if name != document.name)
    others_are_there = len(known) == 1 or any(each.pdf(folder).is_file() for each in others)
    return known.get(document.name) == sha256 and others_are_there


class Sources:
    """The record of one site's documents; committed in groups and on leaving the block."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._path = sources_database(folder)
        self._committed_at = time.monotonic()
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._db = _opened(self._path)
        except (OSError, sqlite3.OperationalError) as error:
            raise cannot_write(self._path, error) from error
        except sqlite3.DatabaseError:
            self._path.replace(self._path.with_suffix(".damaged"))
            self._db = _opened(self._path)

    def __enter__(self) -> Sources:
        return self

    def __exit__(self, *_: object) -> None:
        try:
            self._db.commit()
        finally:
            self._db.close()

    def documents(self) -> dict[str, KnownDocument]:
        """Return everything that was ever fetched, by identity."""
        rows = self._db.execute(f"SELECT {', '.join(_COLUMNS)} FROM documents")
        return {row[0]: KnownDocument(*row) for row in rows}

    def source_url(self, document: Document) -> str:
        """Return where a document came from, or an empty text."""
        query = "SELECT source_url FROM documents WHERE kind = ? AND meeting = ? AND date = ?"
        row = self._db.execute(query, astuple(document)).fetchone()
        return str(row[0]) if row else ""

    def record(self, known: KnownDocument) -> None:
        """Record a document as it is now, and this version of it."""
        self._write(_RECORD, _values_of(known))
        self._write(
            "INSERT OR IGNORE INTO versions VALUES (?, ?, ?, ?)",
            (known.identity, known.sha256, known.bytes, known.fetched_at),
        )
        self._commit_if_due()

    def forget(self, identity: str) -> None:
        """Delete the record of a document whose name another one has taken over."""
        self._write("DELETE FROM documents WHERE identity = ?", (identity,))

    def mark_gone(self, identity: str, at: str) -> None:
        """Record that the source no longer offers a document."""
        self._write("UPDATE documents SET gone_at = ? WHERE identity = ?", (at, identity))

    def versions(self, identity: str) -> list[str]:
        """Return the hashes a document has had, the oldest first."""
        query = "SELECT sha256 FROM versions WHERE identity = ? ORDER BY fetched_at"
        return [sha256 for (sha256,) in self._db.execute(query, (identity,))]

    def record_meeting(self, identity: str, meeting: MeetingRef, gap: Gap | None) -> None:
        """Record a meeting as it was listed last."""
        start = meeting.start_local.isoformat() if meeting.start_local else ""
        facts = (meeting.body, meeting.title, start, meeting.tz, meeting.status, meeting.source_url)
        self._write(
            "INSERT OR REPLACE INTO meetings VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (identity, *facts, gap.reason if gap else ""),
        )

    def last_full_sweep(self) -> datetime | None:
        """Return when the source was last listed from its beginning."""
        query = "SELECT value FROM facts WHERE key = ?"
        row = self._db.execute(query, (_FULL_SWEEP,)).fetchone()
        return datetime.fromisoformat(row[0]) if row else None

    def record_full_sweep(self, at: datetime) -> None:
        """Record that the source was listed from its beginning."""
        self._write("INSERT OR REPLACE INTO facts VALUES (?, ?)", (_FULL_SWEEP, at.isoformat()))

    def size_and_hash(self, document: Document) -> tuple[int, str]:
        """Return the size and hash of a document's PDF; 0 and an empty text if there is none.

        Hashes are kept by size and time of change: an unchanged file costs one stat.
        """
        path = document.pdf(self.folder)
        try:
            stat = path.stat()
            size, mtime_ns, sha256 = self._hashes.get(document.name, (0, 0, ""))
            if sha256 and (size, mtime_ns) == (stat.st_size, stat.st_mtime_ns):
                return size, sha256
            sha256 = sha256_of(path)
        except OSError:
            return 0, ""
        self.record_hash(document, stat, sha256)
        self._commit_if_due()
        return stat.st_size, sha256

    def record_hash(self, document: Document, stat: os.stat_result, sha256: str) -> None:
        """Record the hash of a PDF that has just been read or written."""
        facts = (stat.st_size, stat.st_mtime_ns, sha256)
        self._hashes[document.name] = facts
        self._write("INSERT OR REPLACE INTO hashes VALUES (?, ?, ?, ?)", (document.name, *facts))

    @cached_property
    def _hashes(self) -> dict[str, tuple[int, int, str]]:
        """Bytes, time of change and hash of PDFs, by the names of their documents."""
        rows = self._db.execute("SELECT name, bytes, mtime_ns, sha256 FROM hashes")
        return {name: (size, mtime_ns, sha256) for name, size, mtime_ns, sha256 in rows}

    def _write(self, statement: str, values: tuple[object, ...]) -> None:
        try:
            self._db.execute(statement, values)
        except sqlite3.OperationalError as error:
            raise cannot_write(self._path, error) from error

    def _commit_if_due(self) -> None:
        if time.monotonic() - self._committed_at > COMMIT_SECONDS:
            try:
                self._db.commit()
            except sqlite3.OperationalError as error:
                raise cannot_write(self._path, error) from error
            self._committed_at = time.monotonic()


def _opened(path: Path) -> sqlite3.Connection:
    database = sqlite3.connect(path, timeout=60)
    try:
        database.executescript(_SCHEMA)
    except sqlite3.Error:
        database.close()
        raise
    return database


def stored_pdfs(folder: Path) -> list[StoredPdf]:
    """Return every PDF on disk below a site's folder, also those that no fetcher put there."""
    if not folder.is_dir():
        return []
    found = []
    with Sources(folder) as sources:
        origins = {known.document.name: known for known in sources.documents().values()}
        for document in pdf_documents(folder):
            size, sha256 = sources.size_and_hash(document)
            origin = origins.get(document.name)
            facts = (origin.source_url, origin.fetched_at, origin.gone_at) if origin else ()
            found.append(StoredPdf(document.name, size, sha256, *facts))
    return found


def gone_documents(folder: Path) -> list[str]:
    """Return the documents of a site that its source no longer offers."""
    if not sources_database(folder).is_file():
        return []
    with Sources(folder) as sources:
        gone = (known.document for known in sources.documents().values() if known.gone_at)
        return sorted(document.name for document in gone if document.pdf(folder).exists())


def name_at_source(site: Mapping[str, Any], folder: Path, document: Document) -> str:
    """Return what a document is called where it came from: a path in the folder, or a URL."""
    if not sources_database(folder).is_file():
        return document.name
    with Sources(folder) as sources:
        url = sources.source_url(document)
    if not url.startswith("file:"):
        return url or document.name
    path, root = path_of_file_url(url), Path()
    with contextlib.suppress(BadSetting):
        root = Path(str(site_extra(site).get("source") or ""))
    return readable_name(path.relative_to(root) if path.is_relative_to(root) else path)


def file_url(path: Path) -> str:
    """Return a file URL, whatever bytes the path is made of."""
    return "file://" + quote_from_bytes(os.fsencode(path.absolute()))


def path_of_file_url(url: str) -> Path:
    """Return the path of a file URL."""
    quoted = url[len("file://") :] if url.startswith("file:///") else urlsplit(url).path
    return Path(os.fsdecode(unquote_to_bytes(quoted)))


def readable_name(path: Path) -> str:
    """Return the path as text that can be printed and stored, whatever bytes it is made of."""
    return os.fsencode(path).decode("utf-8", "replace")
