"""The files of a site: in its folder alone, or in a store with the folder as a cache of it.

::

    with files.pdf(document, sha256) as path: ...      a PDF that stays while it is used
    files.keep_pdf(document, sha256)                    what was written becomes the store's
    with files.text(document, sha256) as folder: ...
    sha256 = files.keep_text(document)

Without STORAGE_URL the folder is the only place, and a file that is not there is missing.  With it
the folder is a cache of at most STORAGE_CACHE_MB: what is not there is fetched from the store, what
was used longest ago makes room, and what is in use stays.  Files are then known by a small database
next to them, so that neither size nor age is found out by looking at them all.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import re
import shutil
import sqlite3
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import msgspec

from . import storage
from .config import Settings
from .errors import ObjectDamaged, ObjectLost, ObjectMissing, StorageIncomplete
from .storage import Document
from .store import FINDINGS, PDF, TEXT, Store, key_of

MEGABYTE: Final = 1024 * 1024
#: When the cache is full, so much of it is kept.
_KEPT_SHARE: Final = 0.8
#: How exactly it is remembered when a file was used; remembering costs a write.
_USED_WITHIN_SECONDS: Final = 60.0

_SCHEMA = """
CREATE TABLE IF NOT EXISTS files (
    path TEXT PRIMARY KEY, sha256 TEXT NOT NULL, bytes INTEGER NOT NULL, used_at REAL NOT NULL
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS files_used_at ON files (used_at);
CREATE TABLE IF NOT EXISTS held (single INTEGER PRIMARY KEY, bytes INTEGER NOT NULL);
CREATE TRIGGER IF NOT EXISTS file_added AFTER INSERT ON files
BEGIN UPDATE held SET bytes = bytes + new.bytes; END;
CREATE TRIGGER IF NOT EXISTS file_replaced AFTER UPDATE OF bytes ON files
BEGIN UPDATE held SET bytes = bytes + new.bytes - old.bytes; END;
CREATE TRIGGER IF NOT EXISTS file_removed AFTER DELETE ON files
BEGIN UPDATE held SET bytes = bytes - old.bytes; END;
INSERT OR IGNORE INTO held
SELECT 1, coalesce(sum(bytes), 0) FROM files WHERE NOT EXISTS (SELECT 1 FROM held);
"""
_ADD = """
INSERT INTO files VALUES (?, ?, ?, ?) ON CONFLICT (path) DO UPDATE
SET sha256 = excluded.sha256, bytes = excluded.bytes, used_at = excluded.used_at
"""
#: How many files are looked at at once when room is made.
_LOOKED_AT: Final = 500


_PAGE_FILE = re.compile(r"page-(\d+)\.txt")


def pack_text(folder: Path) -> bytes:
    """Return the files of a document's text as one value: the same files, the same bytes."""
    files = {
        entry.name: (folder / entry.name).read_bytes()
        for entry in sorted(os.scandir(folder), key=lambda entry: entry.name)
        if entry.is_file() and not entry.name.startswith(".")
    }
    return msgspec.msgpack.encode(files)


def packed_files(packed: bytes) -> dict[str, bytes]:
    """Return the files of a packed text by their names."""
    try:
        return msgspec.msgpack.decode(packed, type=dict[str, bytes])
    except msgspec.DecodeError as error:
        raise StorageIncomplete(f"A compressed text cannot be read: {error}.") from error


def packed_pages(files: Mapping[str, bytes]) -> dict[int, str]:
    """Return the text of each page among the files of a text, by its number."""
    numbers = {int(found[1]): name for name in files if (found := _PAGE_FILE.fullmatch(name))}
    return {number: files[numbers[number]].decode() for number in sorted(numbers)}


def unpack_text(packed: bytes, target: Path) -> None:
    """Write the files of a document's text; the folder appears whole."""
    files = packed_files(packed)
    with storage.directory_written_whole(target) as folder:
        for name, content in files.items():
            if Path(name).name != name:
                raise StorageIncomplete(f"The text of {target} contains a path: {name!r}.")
            (folder / name).write_bytes(content)


@dataclass(frozen=True)
class SiteFiles:
    """The files of one site, for one process."""

    settings: Settings
    subdomain: str

    @cached_property
    def folder(self) -> Path:
        """The folder of the site on this machine."""
        return storage.site_folder(self.settings.storage_dir, self.subdomain)

    @cached_property
    def store(self) -> Store | None:
        """The store behind the folder; None if the folder is the only place."""
        settings = self.settings
        if not settings.storage_url:
            return None
        return Store(settings.storage_url, allow_http=settings.storage_allow_http)

    @cached_property
    def _cache(self) -> Cache:
        return Cache(self.settings.storage_dir, self.settings.storage_cache_mb * MEGABYTE)

    @contextlib.contextmanager
    def pdf(self, document: Document, sha256: str) -> Iterator[Path]:
        """Give the path of a document's PDF with these bytes, which stays while it is used."""
        path = document.pdf(self.folder)
        if self.store is None:
            yield path
            return
        with self._cache.in_use(path):
            if not self._cache.holds(path, sha256):
                with self._lost_is_named(PDF, sha256, document):
                    self.store.get_into(PDF, sha256, path)
                self._cache.add(path, sha256)
            yield path

    def keep_pdf(self, document: Document, sha256: str) -> None:
        """Make a PDF that was written to its place the store's."""
        if self.store is not None:
            path = document.pdf(self.folder)
            self.store.put(PDF, sha256, path)
            self._cache.add(path, sha256)

    @contextlib.contextmanager
    def text(self, document: Document, sha256: str) -> Iterator[Path]:
        """Give the folder of a document's text, which stays while it is used."""
        path = document.text(self.folder)
        if self.store is None:
            if not path.is_dir() and not document.flat_text(self.folder).is_file():
                raise self._missing(f"The text of {document.name}")
            yield path
            return
        with self._cache.in_use(path):
            if not self._cache.holds(path, sha256):
                with self._lost_is_named(TEXT, sha256, document):
                    unpack_text(self.store.get(TEXT, sha256), path)
                self._cache.add(path, sha256)
            yield path

    def keep_text(self, document: Document) -> str:
        """Make a text that was written to its place the store's; return its hash."""
        path = document.text(self.folder)
        packed = pack_text(path)
        sha256 = hashlib.sha256(packed).hexdigest()
        if self.store is not None:
            self.store.put(TEXT, sha256, packed)
            self._cache.add(path, sha256)
        return sha256

    def findings(self, document: Document, sha256: str) -> bytes:
        """Return what was found in a document's text."""
        path = storage.extracted_file(self.folder, document)
        if self.store is None:
            try:
                return path.read_bytes()
            except FileNotFoundError as error:
                raise self._missing(f"The extraction result of {document.name}") from error
        with self._cache.in_use(path):
            if not self._cache.holds(path, sha256):
                with self._lost_is_named(FINDINGS, sha256, document):
                    content = self.store.get(FINDINGS, sha256)
                with storage.written_whole(path) as part:
                    part.write_bytes(content)
                self._cache.add(path, sha256)
            return path.read_bytes()

    @contextlib.contextmanager
    def _lost_is_named(self, kind: str, sha256: str, document: Document) -> Iterator[None]:
        """Say which document an object that is missing or damaged is of; a damaged one is removed.

        Else it would stay for ever: an object that is there is not written again.
        """
        try:
            yield
        except (ObjectMissing, ObjectDamaged) as error:
            if isinstance(error, ObjectDamaged) and self.store is not None:
                self.store.delete([key_of(kind, sha256)])
            raise ObjectLost(
                f"{document.name}: {error}",
                kind=kind,
                document=document.name,
                hint="The next run creates it again.",
            ) from error

    def _missing(self, what: str) -> StorageIncomplete:
        return StorageIncomplete(
            f"{what} is not in {self.folder} on this machine.",
            hint="Mount the storage directory that the other workers use, or set STORAGE_DIR to it;"
            " the work resumes by itself. If files were deleted on purpose:"
            " clerk reconcile-pipeline --scan",
        )

    def keep_findings(self, document: Document, content: bytes) -> str:
        """Write what was found in a document's text; return its hash."""
        path = storage.extracted_file(self.folder, document)
        sha256 = hashlib.sha256(content).hexdigest()
        with storage.written_whole(path) as part:
            part.write_bytes(content)
        if self.store is not None:
            self.store.put(FINDINGS, sha256, content)
            self._cache.add(path, sha256)
        return sha256


class Cache:
    """Which files of the store are in the storage directory of this machine."""

    def __init__(self, storage_dir: Path, limit_bytes: int) -> None:
        self._root = storage_dir
        self._limit = limit_bytes
        path = storage.cache_database(storage_dir)
        with storage.storage_errors(path.parent):
            path.parent.mkdir(parents=True, exist_ok=True)
        try:
            self._db = self._open(path)
        except sqlite3.OperationalError as error:
            raise storage.cannot_write(path.parent, error) from error
        except sqlite3.DatabaseError:
            # Damaged: what it knew is fetched again.
            path.unlink(missing_ok=True)
            self._db = self._open(path)

    @staticmethod
    def _open(path: Path) -> sqlite3.Connection:
        db = sqlite3.connect(path, timeout=60, isolation_level=None)
        db.execute("PRAGMA journal_mode = WAL")
        db.execute("PRAGMA synchronous = NORMAL")
        db.executescript(_SCHEMA)
        return db

    def _execute(self, statement: str, values: Sequence[str | int | float] = ()) -> list[Any]:
        """Run a statement; a disk that is full or read-only is not the document's fault."""
        try:
            return self._db.execute(statement, values).fetchall()
        except sqlite3.Error as error:
            raise storage.cannot_write(self._root, error) from error

    def holds(self, path: Path, sha256: str) -> bool:
        """Whether a file is here with this content; it counts as used now."""
        key, now = self._key(path), time.time()
        found = self._execute("SELECT sha256, used_at FROM files WHERE path = ?", (key,))
        if not found or found[0][0] != sha256 or not path.exists():
            return False
        if now - found[0][1] > _USED_WITHIN_SECONDS:
            self._execute("UPDATE files SET used_at = ? WHERE path = ?", (now, key))
        return True

    def add(self, path: Path, sha256: str) -> None:
        """Take in a file that is in its place now, and make room if there are too many."""
        size = _bytes_of(path)
        self._execute(_ADD, (self._key(path), sha256, size, time.time()))
        self.make_room()

    def make_room(self) -> None:
        """Remove what was used longest ago, but for what is in use, if the cache is too large."""
        ((total,),) = self._execute("SELECT bytes FROM held")
        if total <= self._limit:
            return
        # Counted again, because it is worth it now: a fifth of the files is about to go.
        recount = "UPDATE held SET bytes = (SELECT coalesce(sum(bytes), 0) FROM files)"
        ((total,),) = self._execute(f"{recount} RETURNING bytes")
        after = (0.0, "")
        while oldest := self._execute(
            "SELECT used_at, path, bytes FROM files WHERE (used_at, path) > (?, ?)"
            " ORDER BY used_at, path LIMIT ?",
            (*after, _LOOKED_AT),
        ):
            for used_at, key, size in oldest:
                if total <= self._limit * _KEPT_SHARE:
                    return
                if self._remove(key):
                    total -= size
                after = (used_at, key)

    @contextlib.contextmanager
    def in_use(self, path: Path) -> Iterator[None]:
        """Keep a file from being removed while the block runs."""
        with self._lock(self._key(path), fcntl.LOCK_SH):
            yield

    def _remove(self, key: str) -> bool:
        """Remove a file unless somebody uses it."""
        try:
            with self._lock(key, fcntl.LOCK_EX | fcntl.LOCK_NB):
                path = self._root / key
                if path.is_dir():
                    shutil.rmtree(path, ignore_errors=True)
                else:
                    path.unlink(missing_ok=True)
                self._execute("DELETE FROM files WHERE path = ?", (key,))
                return True
        except BlockingIOError:
            return False

    @contextlib.contextmanager
    def _lock(self, key: str, how: int) -> Iterator[None]:
        """Hold one of a fixed number of lock files: which one follows from the key."""
        number = int(hashlib.sha256(key.encode()).hexdigest()[:3], 16)
        with storage.cache_lock(self._root, number).open("w") as lock:
            fcntl.flock(lock, how)
            yield

    def _key(self, path: Path) -> str:
        return path.relative_to(self._root).as_posix()


def _bytes_of(path: Path) -> int:
    if path.is_dir():
        return sum(entry.stat().st_size for entry in os.scandir(path))
    return path.stat().st_size
