"""The scan before a build: what lies in a site's folder, looked at as little as possible.

Reading every page to learn that nothing changed would cost as much as building.  A document's
directory is moved in whole, so the times of its parent and of its ``document.json`` tell whether
to look closer; hashes are remembered by those stamps.  Text that carries no ``document.json``
(older installations, text put there by hand) may be edited in place and is looked at page by page
each time.

A folder whose own time is as young as the scan itself is not believed: it may change again within
the resolution of the clock.
"""

from __future__ import annotations

import contextlib
import os
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple

from clerk.core.public_text import Gate
from clerk.core.storage import DOCUMENT_FACTS, FAILED_PAGES

from .holdings import EXTRACTED, PAGE, TEXT_ROOTS, Contents, Folder, Shelf
from .remembered import Holding, Memory, Seal, Stamp

#: Times closer to the scan than this may be repeated by the next change.
_RESOLUTION_NS = 2_000_000_000
#: Where the fetchers remember the origin of each PDF.
_SOURCES = "_clerk/sources.db"

_Holdings = dict[str, Holding]


def scan(folder: Path, memory: Memory, gate: Gate) -> Shelf:
    """Look at the site's folder and return what is there, with the hashes already known.

    Documents whose names must not be published are passed over.
    """
    known = memory.state()
    shelf = Shelf(known)
    for root in TEXT_ROOTS.values():
        shelf.texts.update(_Walk(folder, memory, known.texts, _Texts(gate)).below(root))
    results = _Walk(folder, memory, known.extracted, _Results(gate))
    shelf.extracted.update(results.below(EXTRACTED))
    with contextlib.suppress(OSError):
        stamp = _stamp((folder / _SOURCES).stat())
        shelf.sources = _holding(stamp, True, known.sources)
    return shelf


class _Walk:
    """Goes through directories, and looks closer only at those that are not as they were."""

    def __init__(self, site: Path, memory: Memory, known: dict[str, Seal], look: _Look) -> None:
        self._site = site
        self._memory = memory
        self._known = known
        self._look = look

    def below(self, root: str) -> Iterator[tuple[str, Folder]]:
        """Yield each directory that holds something, or that has folders that may."""
        waiting = [root]
        while waiting:
            path = waiting.pop()
            try:
                found = self._looked_at(path)
            except (FileNotFoundError, NotADirectoryError):
                continue
            waiting.extend(f"{path}/{name}" for name in found.folders)
            if found.documents or found.folders:
                yield path, found

    def _looked_at(self, path: str) -> Folder:
        """Return the folder as it was when its time vouches for that, else with all in it."""
        now = time.time_ns()
        stamp = _stamp(os.stat(f"{self._site}/{path}"))  # noqa: PTH116 - there may be many
        known = self._known.get(path)
        if known and known.digest and known.stamp == stamp:
            return Folder(known, lambda: self._read_again(path, known))
        before = self._memory.holdings(path, known.digest) if known else {}
        holdings, folders = self._look(self._site / path, before or {})
        is_old = now - stamp[1] > _RESOLUTION_NS
        vouches = is_old and all(holding.whole for holding in holdings.values())
        seal = Seal(stamp if vouches else (), known.digest if known else "", 0, folders)
        folder = Folder(seal, lambda: Contents(holdings, _touched(before, holdings)))
        folder.read()
        return folder

    def _read_again(self, path: str, known: Seal) -> Contents:
        """Return what is in a folder that is as it was; look at it if its card is lost."""
        holdings = self._memory.holdings(path, known.digest)
        if holdings is not None:
            return Contents(holdings, set())
        with contextlib.suppress(FileNotFoundError, NotADirectoryError):
            return Contents(self._look(self._site / path, {}).holdings, None)
        return Contents({}, None)


def _touched(before: _Holdings | None, now: _Holdings) -> set[str] | None:
    """Return the names of what is not as it was; None if that is not known."""
    if before is None:
        return None
    return {name for name in before.keys() | now.keys() if now.get(name) is not before.get(name)}


class _Listing(NamedTuple):
    """What lies in a directory: what it holds by name, and folders that may hold something."""

    holdings: _Holdings
    folders: list[str]


class _Look(ABC):
    """How to recognise what lies in a directory."""

    def __init__(self, gate: Gate) -> None:
        self._gate = gate

    def __call__(self, path: Path, known: _Holdings) -> _Listing:
        found = _Listing({}, [])
        handle = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
        try:
            with os.scandir(handle) as entries:
                for entry in entries:
                    if not entry.name.startswith(".") and self._gate.allows_name(entry.name):
                        self.take(entry, handle, found, known)
        finally:
            os.close(handle)
        found.folders.sort()
        return found

    @abstractmethod
    def take(self, entry: os.DirEntry[str], parent: int, found: _Listing, known: _Holdings) -> None:
        """Add one entry to what was found."""


class _Results(_Look):
    """One file per document."""

    def take(self, entry: os.DirEntry[str], parent: int, found: _Listing, known: _Holdings) -> None:
        if entry.is_dir(follow_symlinks=False):
            found.folders.append(entry.name)
        elif entry.name.endswith(".json"):
            name = entry.name.removesuffix(".json")
            found.holdings[name] = _holding(_stamp(entry.stat()), True, known.get(name))


class _Texts(_Look):
    """A directory with pages, or a flat file of an older installation."""

    def take(self, entry: os.DirEntry[str], parent: int, found: _Listing, known: _Holdings) -> None:
        name = entry.name
        if entry.is_dir(follow_symlinks=False):
            try:
                # Relative to its parent it is found sooner, and there may be many.
                stamp = _stamp(os.stat(f"{name}/{DOCUMENT_FACTS}", dir_fd=parent))
            except OSError:
                self._take_pages(name, parent, found, known)
            else:
                found.holdings[name] = _holding(stamp, True, known.get(name))
        elif name.endswith(".txt"):
            name = name.removesuffix(".txt")
            holding = _holding(_stamp(entry.stat()), False, known.get(name))
            found.holdings.setdefault(name, holding)

    def _take_pages(self, name: str, parent: int, found: _Listing, known: _Holdings) -> None:
        """Add a directory that may hold pages of an older installation, or other directories."""
        try:
            stamp = _stamp_of_pages(name, parent)
        except (FileNotFoundError, NotADirectoryError):
            # It vanished a moment ago; what lies beside it is still there.
            return
        if stamp:
            found.holdings[name] = _holding(stamp, False, known.get(name))
        else:
            found.folders.append(name)


def _stamp(facts: os.stat_result) -> Stamp:
    return facts.st_ino, facts.st_mtime_ns, facts.st_size, facts.st_ctime_ns


def _stamp_of_pages(name: str, parent: int) -> Stamp:
    """Return a stamp over every page in a directory; empty if it holds none."""
    parts = []
    handle = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=parent)
    try:
        with os.scandir(handle) as entries:
            for entry in entries:
                if PAGE.fullmatch(entry.name) or entry.name == FAILED_PAGES:
                    parts.append((entry.name, *_stamp(entry.stat())))
    finally:
        os.close(handle)
    if not parts:
        return ()
    total = blake2b(repr(sorted(parts)).encode("utf-8", "surrogatepass"), digest_size=7)
    return (int.from_bytes(total.digest(), "big"),)


def _holding(stamp: Stamp, whole: bool, known: Holding | None) -> Holding:
    """Return the holding, with its hash if it looks as it did."""
    if known and known.stamp == stamp and known.whole == whole:
        return known
    return Holding(stamp, "", whole)
