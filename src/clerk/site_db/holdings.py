"""What a site holds on disk, by content hash, as a scan has found it.

Beside what is there, a shelf knows what of it the last build did not know, and what that one had
touched: a file that is one build behind, or two, is brought up to date without going through all
the documents of a folder.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple

from clerk.core.storage import AGENDAS, MINUTES, Document

from .remembered import Holding, Memory, Seal, State, Step

#: With more names than this, going through the whole folder costs no more.
_NAMES_AT_MOST = 100

TEXT_ROOTS = {MINUTES: "txt", AGENDAS: "_agendas/txt"}
EXTRACTED = "_clerk/extracted"

PAGE = re.compile(r"page-([1-9]\d*)\.txt")


class Contents(NamedTuple):
    """What is in a folder, and what of it the last build does not know; None if that is unknown."""

    holdings: dict[str, Holding]
    touched: set[str] | None


class Folder:
    """The documents directly below one directory; of one that is as it was, read when asked for."""

    def __init__(self, seal: Seal, read: Callable[[], Contents]) -> None:
        self.folders = seal.folders
        self._seal = seal
        self._read = read
        self._found: Contents | None = None
        self._digest = seal.digest

    def read(self) -> Contents:
        """Return what is in it."""
        if self._found is None:
            self._found = self._read()
            if self._found.touched != set():
                self._digest = ""
        return self._found

    @property
    def holdings(self) -> dict[str, Holding]:
        """What is in it, by name."""
        return self.read().holdings

    @property
    def documents(self) -> int:
        """How many things are in it."""
        return len(self._found.holdings) if self._found else self._seal.documents

    @property
    def touched(self) -> set[str] | None:
        """The names of what is not as the last build has left it; None if that is unknown."""
        return self._found.touched if self._found else set()

    @property
    def digest(self) -> str:
        """The hash of all that is in it; empty while that of one thing is unknown."""
        if not self._digest and not self.unknown:
            parts = sorted((name, holding.digest) for name, holding in self.holdings.items())
            self._digest = digest_of(repr(parts).encode("utf-8", "surrogatepass"))
        return self._digest

    @property
    def unknown(self) -> list[str]:
        """The names of what has to be read to learn its hash."""
        if self._digest:
            return []
        return [name for name, holding in self.holdings.items() if not holding.digest]

    def learn(self, name: str, digest: str) -> None:
        """Take over the hash of a thing that was read."""
        holding = self.holdings[name]
        if holding.digest != digest:
            holding.digest = digest
            self._touch(name)

    def drop(self, name: str) -> None:
        """Leave out a thing that vanished after the scan."""
        if self.holdings.pop(name, None):
            self._touch(name)

    def _touch(self, name: str) -> None:
        self._digest = ""
        if (touched := self.read().touched) is not None:
            touched.add(name)

    def sealed(self) -> Seal:
        """Return it as it is left to the next build."""
        return Seal(self._seal.stamp, self.digest, self.documents, self.folders)

    @property
    def needs_card(self) -> bool:
        """Whether what is in it has to be written down again."""
        if self._found is None:
            return False
        return self._found.touched != set() or self.digest != self._seal.digest


class Shelf:
    """Everything a site holds: folders of texts and of extraction results, by relative path."""

    def __init__(self, known: State) -> None:
        self.texts: dict[str, Folder] = {}
        self.extracted: dict[str, Folder] = {}
        self.sources: Holding | None = None
        self._known = known

    @property
    def documents(self) -> int:
        """How many documents have text."""
        return sum(folder.documents for folder in self.texts.values())

    def names(self, path: str) -> dict[str, Holding]:
        """Return the texts of one folder by the last part of their names."""
        folder = self.texts.get(path)
        return folder.holdings if folder else {}

    def digest(self, path: str) -> str:
        """Return the hash of a folder's texts and findings; empty while one of them is unknown."""
        found = self.extracted.get(_beside(path))
        return _both(self.texts[path].digest, found.digest if found else None)

    def digest_before(self, path: str) -> str:
        """Return that hash as the last build knew it; empty if it did not."""
        known, found = self._known.texts.get(path), self._known.extracted.get(_beside(path))
        return _both(known.digest, found.digest if found else None) if known else ""

    def touched_since(self, path: str, digest: str) -> set[str] | None:
        """Return the names that may not be what they were when the folder had this hash.

        None if anything may be.
        """
        touched, before = self._touched(path), self.digest_before(path)
        if touched is None or not digest or not before:
            return None
        if digest == before:
            return touched
        step = self._known.steps.get(path)
        if step and (step.before, step.after) == (digest, before):
            return touched.union(step.names)
        return None

    def _touched(self, path: str) -> set[str] | None:
        """Return the names of what is not as the last build has left it; None if unknown."""
        texts, found = self.texts.get(path), self.extracted.get(_beside(path))
        found_is_gone = found is None and _beside(path) in self._known.extracted
        if texts is None or texts.touched is None or found_is_gone:
            return None
        if found is None:
            return set(texts.touched)
        return None if found.touched is None else texts.touched | found.touched

    def unknown_texts(self) -> int:
        """Return how many texts have to be read to learn their hash."""
        return sum(len(folder.unknown) for folder in self.texts.values())

    def learn(self, document: Document, digest: str) -> None:
        """Take over the hash of a document's text."""
        self.texts[text_folder(document.kind, document.meeting)].learn(document.date, digest)

    def learn_extracted(self, document: Document, digest: str) -> None:
        """Take over the hash of what was extracted from a document, if anything was."""
        folder = self.extracted.get(extracted_folder(document))
        if folder and document.date in folder.holdings:
            folder.learn(document.date, digest)

    def drop(self, document: Document) -> None:
        """Leave out a document that vanished after the scan."""
        self.texts[text_folder(document.kind, document.meeting)].drop(document.date)

    def extraction(self, document: Document) -> Holding | None:
        """Return the extraction result of a document."""
        folder = self.extracted.get(extracted_folder(document))
        return folder.holdings.get(document.date) if folder else None

    def remember(self, memory: Memory) -> None:
        """Keep what is known for the next scan; the cards first, which are believed by the rest."""
        state = State(sources=self.sources, steps=self._steps())
        for folders, seals, before in (
            (self.texts, state.texts, self._known.texts),
            (self.extracted, state.extracted, self._known.extracted),
        ):
            for path, folder in folders.items():
                seals[path] = folder.sealed()
                if folder.needs_card:
                    memory.keep_card(path, folder.digest, folder.holdings)
            memory.forget(before.keys() - folders.keys())
        memory.keep(state)

    def _steps(self) -> dict[str, Step]:
        """Return how each folder has changed last, as far as it is known."""
        steps = {path: step for path, step in self._known.steps.items() if path in self.texts}
        for path in self.texts:
            if self._touched(path) == set():
                continue
            before, after = self.digest_before(path), self.digest(path)
            if before != after:
                names = self.touched_since(path, before)
                steps.pop(path, None)
                if names is not None and after and len(names) <= _NAMES_AT_MOST:
                    steps[path] = Step(before, after, sorted(names))
        return steps


@lru_cache(maxsize=4096)
def _both(texts: str, found: str | None) -> str:
    """Return one hash for texts and findings; empty while one of them is unknown."""
    digests = [texts] if found is None else [texts, found]
    return digest_of(*(each.encode() for each in digests)) if all(digests) else ""


def digest_of(*parts: bytes) -> str:
    """Return a short hash over parts, whose borders count."""
    total = blake2b(digest_size=16)
    for part in parts:
        total.update(len(part).to_bytes(8, "big"))
        total.update(part)
    return total.hexdigest()


def kind_and_meeting(path: str) -> tuple[str, str]:
    """Return what the documents in a folder of texts are."""
    kind = AGENDAS if path.startswith(TEXT_ROOTS[AGENDAS]) else MINUTES
    return kind, path[len(TEXT_ROOTS[kind]) + 1 :]


def kind_and_meeting_found(path: str) -> tuple[str, str]:
    """Return what the documents are whose findings are in a folder."""
    kind, _, meeting = path[len(EXTRACTED) + 1 :].partition("/")
    return kind, meeting


def text_folder(kind: str, meeting: str) -> str:
    """Return the folder of texts of a meeting, relative to the site's."""
    return "/".join(part for part in (TEXT_ROOTS[kind], meeting) if part)


def extracted_folder(document: Document) -> str:
    """Return the folder of a document's extraction result, relative to the site's."""
    return "/".join(part for part in (EXTRACTED, document.kind, document.meeting) if part)


@lru_cache(maxsize=4096)
def _beside(path: str) -> str:
    """Return the folder of findings that belongs to a folder of texts."""
    return "/".join(part for part in (EXTRACTED, *kind_and_meeting(path)) if part)


def extracted_path(folder: Path, document: Document) -> Path:
    """Return where the extraction result of a document lies."""
    return folder / extracted_folder(document) / f"{document.date}.json"
