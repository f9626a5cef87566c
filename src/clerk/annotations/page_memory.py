"""Which documents of a site its annotations were compared with: ``_clerk/followed.msgpack``.

A site has thousands of documents, and a run changes a few.  A document that the outbox does not
name since then is not compared with the database again, as long as the database has not changed
either; nor is one that only the disk knows, if its text and extraction are the same files as
before.  Without the file everything is compared.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import msgspec

from clerk.core import storage
from clerk.extract.documents import cache_of

#: Raised when annotations are made otherwise from the same findings.
_VERSION = 3

#: The hashes of a document's text and findings, or inode, modification time and size of its two
#: files; empty if one is missing.
Stamp = tuple[str | int, ...]
#: The project of a site's extraction, its current sets, and the site's newest document.
Standing = tuple[int, int, int]


class FollowedDocuments(msgspec.Struct, frozen=True):
    """The state of the database, and of the documents, after the last comparison.

    ``number`` is where the outbox stood before it; ``documents`` are then only those in which
    nobody has looked for anything.  None if the manifest knew no document: then they are all.
    """

    standing: Standing
    documents: dict[str, Stamp]
    number: int | None = None
    version: int = _VERSION

    def stale(self, now: dict[str, Stamp]) -> set[str]:
        """Return the names of documents that are new, changed or gone, or may be."""
        names = self.documents.keys() | now.keys()
        return {
            name for name in names if not now.get(name) or now[name] != self.documents.get(name)
        }


def recall(folder: Path, standing: Standing) -> FollowedDocuments | None:
    """Return what was stored about a site; None if the database has changed since then."""
    try:
        memory = msgspec.msgpack.decode(_path(folder).read_bytes(), type=FollowedDocuments)
    except (OSError, msgspec.MsgspecError):
        return None
    believed = memory.standing == standing and memory.version == _VERSION
    return memory if believed else None


def remember(folder: Path, memory: FollowedDocuments) -> None:
    """Store it for the next time."""
    with storage.written_whole(_path(folder)) as part:
        part.write_bytes(msgspec.msgpack.encode(memory))


def stamps(folder: Path) -> dict[str, Stamp]:
    """Return the documents of a site that have text, with their stamps."""
    return {
        document.name: (*_stamped(folder, document),)
        for document in storage.text_documents(folder, incomplete=True)
    }


def _stamped(folder: Path, document: storage.Document) -> Iterator[int]:
    """Yield nothing for a document whose pages may have been edited in place."""
    try:
        files = [
            os.stat(f"{document.text(folder)}/{storage.DOCUMENT_FACTS}"),  # noqa: PTH116 - many
            os.stat(cache_of(folder, document)),  # noqa: PTH116
        ]
    except OSError:
        return
    for facts in files:
        yield from (facts.st_ino, facts.st_mtime_ns, facts.st_size)


def _path(folder: Path) -> Path:
    return storage.own_files(folder) / "followed.msgpack"
