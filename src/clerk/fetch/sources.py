"""What is remembered about where a site's documents came from: ``_clerk/sources.db``.

The PDFs on disk are the truth; this file can be lost and is then made again from them and from
the next fetch (versions kept aside stay on disk, but nobody remembers whose they were).
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
import time
from collections.abc import Iterable
from dataclasses import astuple, dataclass, fields
from functools import cached_property
from operator import attrgetter
from pathlib import Path
from types import TracebackType

from clerk.core.errors import StorageUnusable
from clerk.core.storage import Document, sha256_of

from .base import Gap, HeldDocument, MeetingRef

#: Writes are committed together so often, in seconds.
COMMIT_EVERY = 0.5

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
class Known:
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
    def source_facts(self) -> tuple[int, int, str]:
        """By what a file of the source is known to be the one that was taken."""
        return self.source_bytes, self.source_mtime_ns, self.version_hint

    @property
    def document(self) -> Document:
        """What it is called here."""
        return Document(self.kind, self.meeting, self.date)


#: The fields of Known in the order of the table; they hold plain values, which need no copying.
_values_of = attrgetter(*(each.name for each in fields(Known)))
_RECORD = f"INSERT OR REPLACE INTO documents VALUES ({', '.join('?' * len(fields(Known)))})"


def sources_path(folder: Path) -> Path:
    """Return where the memory of a site's sources is."""
    return folder / "_clerk" / "sources.db"


def has_held(folder: Path, document: Document, sha256: str) -> bool:
    """Whether a site's folder is known to have held these very bytes, and holds others it knows.

    Then the file was deleted from it.  A folder of which that is not known is not the one that was
    fetched into, or not all of it; nothing is written there to find out.
    """
    path = sources_path(folder).absolute()
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
    """The memory of one site's sources; committed in groups and on leaving the block."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._path = sources_path(folder)
        self._db = _opened(self._path)
        self._committed_at = time.monotonic()

    def __enter__(self) -> Sources:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            self._db.commit()
        finally:
            self._db.close()

    def documents(self) -> dict[str, Known]:
        """Return everything that was ever fetched, by identity."""
        names = ", ".join(each.name for each in fields(Known))
        rows = self._db.execute(f"SELECT {names} FROM documents")
        return {row[0]: Known(*row) for row in rows}

    def source_url(self, document: Document) -> str:
        """Return where a document came from, or an empty text."""
        query = "SELECT source_url FROM documents WHERE kind = ? AND meeting = ? AND date = ?"
        row = self._db.execute(query, astuple(document)).fetchone()
        return str(row[0]) if row else ""

    def record(self, known: Known) -> None:
        """Remember a document as it is now, and this version of it."""
        self._write(_RECORD, _values_of(known))
        self._write(
            "INSERT OR IGNORE INTO versions VALUES (?, ?, ?, ?)",
            (known.identity, known.sha256, known.bytes, known.fetched_at),
        )
        self._commit_now_and_then()

    def forget(self, identity: str) -> None:
        """Drop a document whose name another one has taken over."""
        self._write("DELETE FROM documents WHERE identity = ?", (identity,))

    def mark_gone(self, identity: str, at: str) -> None:
        """Remember that the source does not offer a document any more."""
        self._write("UPDATE documents SET gone_at = ? WHERE identity = ?", (at, identity))

    def versions(self, identity: str) -> list[str]:
        """Return the hashes a document has had, the oldest first."""
        query = "SELECT sha256 FROM versions WHERE identity = ? ORDER BY fetched_at"
        return [sha256 for (sha256,) in self._db.execute(query, (identity,))]

    def record_meeting(self, identity: str, meeting: MeetingRef, gap: Gap | None) -> None:
        """Remember a meeting as it was listed last."""
        start = meeting.start_local.isoformat() if meeting.start_local else ""
        facts = (meeting.body, meeting.title, start, meeting.tz, meeting.status, meeting.source_url)
        self._write(
            "INSERT OR REPLACE INTO meetings VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (identity, *facts, gap.reason if gap else ""),
        )

    def fact(self, key: str) -> str:
        """Return something remembered about the source as a whole, or an empty text."""
        row = self._db.execute("SELECT value FROM facts WHERE key = ?", (key,)).fetchone()
        return str(row[0]) if row else ""

    def remember(self, key: str, value: str) -> None:
        """Remember something about the source as a whole."""
        self._write("INSERT OR REPLACE INTO facts VALUES (?, ?)", (key, value))

    def held(self, documents: Iterable[Document]) -> list[HeldDocument]:
        """Return the documents with their hashes and origins."""
        origins = {known.document.name: known for known in self.documents().values()}
        return [self._held(document, origins.get(document.name)) for document in documents]

    def hash_on_disk(self, document: Document) -> str:
        """Return the hash of a document's PDF, or an empty text if there is none."""
        return self._size_and_hash(document)[1]

    def remember_hash(self, document: Document, sha256: str) -> None:
        """Remember the hash of a PDF that was just moved in."""
        self._remember_hash(document, document.pdf(self.folder).stat(), sha256)

    @cached_property
    def _hashes(self) -> dict[str, tuple[int, int, str]]:
        """What is remembered of PDFs by their names: bytes, time of change, hash."""
        rows = self._db.execute("SELECT name, bytes, mtime_ns, sha256 FROM hashes")
        return {name: (size, mtime_ns, sha256) for name, size, mtime_ns, sha256 in rows}

    def _held(self, document: Document, origin: Known | None) -> HeldDocument:
        size, sha256 = self._size_and_hash(document)
        if origin is None:
            return HeldDocument(document.name, size, sha256)
        facts = (origin.source_url, origin.fetched_at, origin.gone_at)
        return HeldDocument(document.name, size, sha256, *facts)

    def _size_and_hash(self, document: Document) -> tuple[int, str]:
        path = document.pdf(self.folder)
        try:
            stat = path.stat()
            size, mtime_ns, sha256 = self._hashes.get(document.name, (0, 0, ""))
            if sha256 and (size, mtime_ns) == (stat.st_size, stat.st_mtime_ns):
                return size, sha256
            sha256 = sha256_of(path)
        except OSError:
            return 0, ""
        self._remember_hash(document, stat, sha256)
        self._commit_now_and_then()
        return stat.st_size, sha256

    def _remember_hash(self, document: Document, stat: os.stat_result, sha256: str) -> None:
        facts = (stat.st_size, stat.st_mtime_ns, sha256)
        self._hashes[document.name] = facts
        self._write("INSERT OR REPLACE INTO hashes VALUES (?, ?, ?, ?)", (document.name, *facts))

    def _write(self, statement: str, values: tuple[object, ...]) -> None:
        try:
            self._db.execute(statement, values)
        except sqlite3.OperationalError as error:
            raise _unusable(self._path, error) from error

    def _commit_now_and_then(self) -> None:
        if time.monotonic() - self._committed_at > COMMIT_EVERY:
            self.commit()

    def commit(self) -> None:
        """Make what was remembered so far durable."""
        try:
            self._db.commit()
        except sqlite3.OperationalError as error:
            raise _unusable(self._path, error) from error
        self._committed_at = time.monotonic()


def _opened(path: Path) -> sqlite3.Connection:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        return _connected(path)
    except OSError as error:
        raise _unusable(path, error) from error
    except sqlite3.OperationalError as error:
        raise _unusable(path, error) from error
    except sqlite3.DatabaseError:
        path.replace(path.with_suffix(".damaged"))
        return _connected(path)


def _connected(path: Path) -> sqlite3.Connection:
    database = sqlite3.connect(path, timeout=60)
    try:
        database.executescript(_SCHEMA)
    except sqlite3.Error:
        database.close()
        raise
    return database


def _unusable(path: Path, error: Exception) -> StorageUnusable:
    return StorageUnusable(
        f"{path} cannot be written to: {error}.",
        hint="Free space or mend its permissions, or set STORAGE_DIR to another folder.",
    )
