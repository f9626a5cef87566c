"""What a site holds on disk, by content hash: the scan before a build.

Reading every page to learn that nothing changed would cost as much as building.  A document's
directory is moved in whole, so the times of its parent and of its ``document.json`` tell whether
to look closer; hashes are remembered by those stamps in ``_clerk/compile.state``.  Text that
carries no ``document.json`` (older installations, text put there by hand) may be edited in place
and is looked at page by page each time.

A folder whose own time is as young as the scan itself is not believed: it may change again within
the resolution of the clock.
"""

from __future__ import annotations

import contextlib
import os
import re
import time
from collections.abc import Iterator
from hashlib import blake2b
from pathlib import Path

import msgspec

from clerk.storage import (
    AGENDAS,
    DOCUMENT_FACTS,
    FAILED_PAGES,
    MINUTES,
    Document,
    written_whole,
)

_VERSION = 1
#: Times closer to the scan than this may be repeated by the next change.
_RESOLUTION_NS = 2_000_000_000

_TEXT_ROOTS = {MINUTES: "txt", AGENDAS: "_agendas/txt"}
_EXTRACTED = "_clerk/extracted"
#: Where the fetchers remember the origin of each PDF.
_SOURCES = "_clerk/sources.db"

PAGE = re.compile(r"page-([1-9]\d*)\.txt")
Stamp = tuple[int, ...]


class Holding(msgspec.Struct, array_like=True):
    """A thing on disk, how it looked last time, and the hash it had then (empty: not known)."""

    stamp: Stamp
    digest: str = ""
    whole: bool = True


class Folder(msgspec.Struct, array_like=True):
    """The documents directly below one directory.

    ``stamp`` is empty when it does not vouch for what is in it: because it is too young, or because
    something in it may be edited in place.
    """

    stamp: Stamp
    holdings: dict[str, Holding]
    folders: list[str]
    #: The hash of all that is in it, from the last scan; empty if it was looked at since.
    sealed: str = ""

    @property
    def settled(self) -> bool:
        """Whether its own stamp vouches for everything in it."""
        return bool(self.stamp and self.sealed)

    @property
    def digest(self) -> str:
        """The hash of all that is in it; empty while that of one thing is unknown."""
        if self.sealed:
            return self.sealed
        parts = sorted((name, holding.digest) for name, holding in self.holdings.items())
        known = all(digest for _, digest in parts)
        return digest_of(repr(parts).encode("utf-8", "surrogatepass")) if known else ""


class Shelf(msgspec.Struct):
    """Everything a site holds: folders of texts and of extraction results, by relative path."""

    texts: dict[str, Folder] = {}
    extracted: dict[str, Folder] = {}
    sources: Holding | None = None
    version: int = _VERSION

    def documents(self, path: str) -> dict[Document, Holding]:
        """Return the texts of one folder by document."""
        folder = self.texts.get(path)
        kind, meeting = kind_and_meeting(path)
        return {
            Document(kind, meeting, name): holding
            for name, holding in (folder.holdings.items() if folder else ())
        }

    def text(self, document: Document) -> Holding:
        """Return the text of a document that was found."""
        return self.texts[text_folder(document.kind, document.meeting)].holdings[document.date]

    def digest(self, path: str) -> str:
        """Return the hash of a folder's texts and findings; empty while one of them is unknown."""
        found = self.extracted.get(_beside(path))
        digests = [part.digest for part in (self.texts[path], found) if part]
        return digest_of(*(each.encode() for each in digests)) if all(digests) else ""

    def unknown_texts(self) -> int:
        """Return how many texts have to be read to learn their hash."""
        unsealed = (folder for folder in self.texts.values() if not folder.sealed)
        return sum(not each.digest for folder in unsealed for each in folder.holdings.values())

    def drop(self, document: Document) -> None:
        """Leave out a document that vanished after the scan."""
        folder = self.texts[text_folder(document.kind, document.meeting)]
        folder.holdings.pop(document.date, None)
        folder.sealed = ""

    def extraction(self, document: Document) -> Holding | None:
        """Return the extraction result of a document."""
        folder = self.extracted.get(extracted_folder(document))
        return folder.holdings.get(document.date) if folder else None


def digest_of(*parts: bytes) -> str:
    """Return a short hash over parts, whose borders count."""
    total = blake2b(digest_size=16)
    for part in parts:
        total.update(len(part).to_bytes(8, "big"))
        total.update(part)
    return total.hexdigest()


def kind_and_meeting(path: str) -> tuple[str, str]:
    """Return what the documents in a folder of texts are."""
    kind = AGENDAS if path.startswith(_TEXT_ROOTS[AGENDAS]) else MINUTES
    return kind, path[len(_TEXT_ROOTS[kind]) + 1 :]


def text_folder(kind: str, meeting: str) -> str:
    """Return the folder of texts of a meeting, relative to the site's."""
    return "/".join(part for part in (_TEXT_ROOTS[kind], meeting) if part)


def extracted_folder(document: Document) -> str:
    """Return the folder of a document's extraction result, relative to the site's."""
    return "/".join(part for part in (_EXTRACTED, document.kind, document.meeting) if part)


def _beside(path: str) -> str:
    """Return the folder of findings that belongs to a folder of texts."""
    return "/".join(part for part in (_EXTRACTED, *kind_and_meeting(path)) if part)


def extracted_path(folder: Path, document: Document) -> Path:
    """Return where the extraction result of a document lies."""
    return folder / extracted_folder(document) / f"{document.date}.json"


def state_path(folder: Path) -> Path:
    """Return where the hashes are remembered."""
    return folder / "_clerk" / "compile.state"


def scan(folder: Path) -> Shelf:
    """Look at the site's folder and return what is there, with the hashes already known."""
    known = _remembered(folder)
    shelf = Shelf()
    for root in _TEXT_ROOTS.values():
        shelf.texts.update(_walk(folder, root, known.texts, _look_at_texts))
    shelf.extracted.update(_walk(folder, _EXTRACTED, known.extracted, _look_at_results))
    with contextlib.suppress(OSError):
        stamp = _stamp((folder / _SOURCES).stat())
        shelf.sources = _holding(stamp, True, known.sources)
    return shelf


def remember(folder: Path, shelf: Shelf) -> None:
    """Keep the hashes for the next scan."""
    for each in (*shelf.texts.values(), *shelf.extracted.values()):
        each.sealed = each.digest
    with written_whole(state_path(folder)) as part:
        part.write_bytes(msgspec.msgpack.encode(shelf))


def _remembered(folder: Path) -> Shelf:
    """Return the last scan; a file that is missing, damaged or of another version is no loss."""
    with contextlib.suppress(OSError, msgspec.MsgspecError, ValueError):
        shelf = msgspec.msgpack.decode(state_path(folder).read_bytes(), type=Shelf)
        if shelf.version == _VERSION:
            return shelf
    return Shelf()


def _walk(
    site: Path, root: str, known: dict[str, Folder], look: _Look
) -> Iterator[tuple[str, Folder]]:
    """Yield each directory below the root that holds something, or that has folders that may."""
    waiting = [root]
    while waiting:
        path = waiting.pop()
        try:
            found = _look_again(site / path, known.get(path), look)
        except (FileNotFoundError, NotADirectoryError):
            continue
        waiting.extend(f"{path}/{name}" for name in found.folders)
        if found.holdings or found.folders:
            yield path, found


def _look_again(path: Path, known: Folder | None, look: _Look) -> Folder:
    """Return the folder as it was when its time vouches for that, else look at each thing in it."""
    now = time.time_ns()
    stamp = _stamp(path.stat())
    if known and known.settled and known.stamp == stamp:
        return known
    trusted = stamp if now - stamp[1] > _RESOLUTION_NS else ()
    return look(path, trusted, known.holdings if known else {})


class _Look:
    """How to recognise what lies in a directory."""

    def __call__(self, path: Path, stamp: Stamp, known: dict[str, Holding]) -> Folder:
        found = Folder(stamp, {}, [])
        with os.scandir(path) as entries:
            for entry in entries:
                if not entry.name.startswith("."):
                    self.take(entry, found, known)
        found.folders.sort()
        if not all(each.whole for each in found.holdings.values()):
            found.stamp = ()
        return found

    def take(self, entry: os.DirEntry[str], found: Folder, known: dict[str, Holding]) -> None:
        """Add one entry to what was found."""
        raise NotImplementedError


class _Results(_Look):
    """One file per document."""

    def take(self, entry: os.DirEntry[str], found: Folder, known: dict[str, Holding]) -> None:
        if entry.is_dir(follow_symlinks=False):
            found.folders.append(entry.name)
        elif entry.name.endswith(".json"):
            name = entry.name.removesuffix(".json")
            found.holdings[name] = _holding(_stamp(entry.stat()), True, known.get(name))


class _Texts(_Look):
    """A directory with pages, or a flat file of an older installation."""

    def take(self, entry: os.DirEntry[str], found: Folder, known: dict[str, Holding]) -> None:
        if entry.is_dir(follow_symlinks=False):
            self._take_directory(entry, found, known)
        elif entry.name.endswith(".txt"):
            name = entry.name.removesuffix(".txt")
            holding = _holding(_stamp(entry.stat()), False, known.get(name))
            found.holdings.setdefault(name, holding)

    def _take_directory(
        self, entry: os.DirEntry[str], found: Folder, known: dict[str, Holding]
    ) -> None:
        whole = True
        try:
            stamp = _stamp(os.stat(f"{entry.path}/{DOCUMENT_FACTS}"))  # noqa: PTH116 - hot loop
        except OSError:
            stamp, whole = _stamp_of_pages(entry.path), False
        if stamp:
            found.holdings[entry.name] = _holding(stamp, whole, known.get(entry.name))
        else:
            found.folders.append(entry.name)


_look_at_texts = _Texts()
_look_at_results = _Results()


def _stamp(facts: os.stat_result) -> Stamp:
    return facts.st_ino, facts.st_mtime_ns, facts.st_size, facts.st_ctime_ns


def _stamp_of_pages(path: str) -> Stamp:
    """Return a stamp over every page in a directory; empty if it holds none."""
    parts = []
    with os.scandir(path) as entries:
        for entry in entries:
            if PAGE.fullmatch(entry.name) or entry.name == FAILED_PAGES:
                parts.append((entry.name, *_stamp(entry.stat())))
    if not parts:
        return ()
    total = blake2b(repr(sorted(parts)).encode("utf-8", "surrogatepass"), digest_size=7)
    return (int.from_bytes(total.digest(), "big"),)


def _holding(stamp: Stamp, whole: bool, known: Holding | None) -> Holding:
    """Return the holding, with its hash if it looks as it did."""
    if known and known.stamp == stamp and known.whole == whole:
        return known
    return Holding(stamp, "", whole)
