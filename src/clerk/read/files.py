"""The files of a document that has been read: the only module that writes and reads them.

::

    page-1.txt ...       the raw text of each page; empty for a blank page, none for a failed one
    document.json        {"format": 1, "pdf_sha256": "...", "fingerprint": "...", "page_count": 3,
                          "pages": [{"page": 1, "method": "text", "confidence": 0.99,
                                     "width": 612.0, "height": 792.0},
                                    {"page": 2, "method": "ocr", "why": "no text",
                                     "engine": "tesseract 5.5.3", "dpi": 200, ...},
                                    {"page": 3, "method": "failed", "error": "..."}]}
    words.json           {"format": 1, "unit": 10000,
                          "pages": [{"page": 1, "width": 612.0, "height": 792.0,
                                     "words": ["MINUTES", ...],
                                     "boxes": [4470, 686, 5582, 827, ...],
                                     "confidence": [96, ...]}]}
    failed-pages.json    {"pages": {"3": "the reason"}}, only if there are any

Boxes are four numbers a word: left, top, right, bottom in ten-thousandths of the page's width and
height as shown, from the top left corner.  Word confidences are percentages, and only for pages
read by OCR.  The same PDF read by the same engine gives the same bytes.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Final

import msgspec

from clerk.core import storage

FORMAT: Final = 1
#: Boxes divide the width and the height of a page into this many parts.
UNIT: Final = 10_000

TEXT: Final = "text"
OCR: Final = "ocr"
#: The text layer, and by OCR what the picture shows besides.
MIX: Final = "mix"
BLANK: Final = "blank"
FAILED: Final = "failed"

#: Separates the part of a fingerprint that concerns every page from the part about OCR.
ENGINE_MARK: Final = " | "


class PageBookmark(msgspec.Struct, frozen=True, omit_defaults=True):
    """An entry of the PDF's outline that leads to a page; ``level`` is 0 at the top."""

    title: str
    level: int = 0


class PageFacts(msgspec.Struct, frozen=True, omit_defaults=True):
    """How one page was read.

    ``why`` says why its text layer was not used, ``engine`` which engine read it (and found
    nothing, if the page is blank).
    """

    page: int = 0
    method: str = ""
    confidence: float = 0.0
    width: float = 0.0
    height: float = 0.0
    why: str = ""
    engine: str = ""
    dpi: int = 0
    error: str = ""
    bookmarks: tuple[PageBookmark, ...] = ()


class PageWords(msgspec.Struct, frozen=True, omit_defaults=True):
    """The words of one page in reading order, with their boxes."""

    page: int
    width: float = 0.0
    height: float = 0.0
    words: Sequence[str] = ()
    boxes: Sequence[int] = ()
    confidence: Sequence[int] = ()

    def placed(self) -> Iterator[tuple[str, tuple[int, ...]]]:
        """Yield each word with its box."""
        for index, word in enumerate(self.words):
            yield word, tuple(self.boxes[4 * index : 4 * index + 4])


class ReadPage(msgspec.Struct, frozen=True):
    """One page: its text, its words, and how it was read."""

    text: str
    facts: PageFacts
    words: PageWords


class ReadDocument(msgspec.Struct, frozen=True):
    """A document that has been read; ``page_count`` counts all pages of the PDF."""

    page_count: int
    pages: Sequence[ReadPage]

    @property
    def failed_pages(self) -> dict[int, str]:
        """The pages that could not be read, with the reason."""
        facts = [page.facts for page in self.pages]
        return {each.page: each.error for each in facts if each.method == FAILED}


class DocumentFacts(msgspec.Struct, frozen=True, kw_only=True):
    """The content of ``document.json``; a file of somebody else's may leave out anything."""

    format: int = FORMAT
    pdf_sha256: str = ""
    fingerprint: str = ""
    page_count: int = 0
    pages: Sequence[PageFacts] = ()


class _DocumentWords(msgspec.Struct, frozen=True, kw_only=True):
    format: int = FORMAT
    unit: int = UNIT
    pages: Sequence[PageWords]


class _RawDocumentWords(msgspec.Struct, frozen=True, kw_only=True):
    pages: Sequence[msgspec.Raw]


_decode_page_words = msgspec.json.Decoder(PageWords).decode


class _FailedPages(msgspec.Struct, frozen=True):
    pages: dict[int, str] = {}


def store(
    document: ReadDocument, target_dir: Path, *, pdf_sha256: str = "", fingerprint: str = ""
) -> DocumentFacts:
    """Write the directory of a document; it appears, or replaces the old one, by one rename."""
    facts = DocumentFacts(
        pdf_sha256=pdf_sha256,
        fingerprint=fingerprint,
        page_count=document.page_count,
        pages=[page.facts for page in document.pages],
    )
    with storage.directory_written_whole(target_dir) as folder:
        for page in document.pages:
            if page.facts.method != FAILED:
                _write(folder, storage.page_file(page.facts.page), page.text.encode())
        words = _DocumentWords(pages=[page.words for page in document.pages])
        _write(folder, storage.WORDS, msgspec.json.encode(words))
        if document.failed_pages:
            failed = _FailedPages(document.failed_pages)
            _write(folder, storage.FAILED_PAGES, msgspec.json.encode(failed))
        _write(folder, storage.DOCUMENT_FACTS, msgspec.json.encode(facts))
    return facts


def _write(folder: Path, name: str, content: bytes) -> None:
    """Write a new file by system calls: for many small files, file objects double the cost."""
    file = os.open(f"{folder}/{name}", os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
    try:
        left = memoryview(content)
        while left:
            left = left[os.write(file, left) :]
    finally:
        os.close(file)


def is_current(target_dir: Path, pdf_sha256: str, fingerprint: str) -> bool:
    """Whether a document need not be read again: same bytes, same reader, no failed pages.

    Another OCR engine matters only where OCR was used.  Text of an older installation, a flat file
    or a directory without ``document.json``, is current: nobody knows better.
    """
    if not target_dir.is_dir():
        return Path(f"{target_dir}.txt").is_file()
    if (target_dir / storage.FAILED_PAGES).exists():
        return False
    try:
        stored = (target_dir / storage.DOCUMENT_FACTS).read_bytes()
    except OSError:
        return Path(f"{target_dir}.txt").is_file() or any(target_dir.glob("*.txt"))
    facts = decode_facts(stored)
    if facts is None or facts.pdf_sha256 != pdf_sha256:
        return False
    if any(page.engine for page in facts.pages):
        return facts.fingerprint == fingerprint
    return facts.fingerprint.split(ENGINE_MARK)[0] == fingerprint.split(ENGINE_MARK)[0]


def decode_facts(stored: bytes) -> DocumentFacts | None:
    """Return the content of a ``document.json``; None if it is damaged."""
    try:
        return _decode_facts(stored)
    except (msgspec.DecodeError, UnicodeError):
        return None


_decode_facts = msgspec.json.Decoder(DocumentFacts).decode
_decode_failed_pages = msgspec.json.Decoder(_FailedPages).decode


def load_facts(target_dir: Path) -> DocumentFacts | None:
    """Return how a stored document was read; None for one of an older installation."""
    try:
        stored = (target_dir / storage.DOCUMENT_FACTS).read_bytes()
    except OSError:
        return None
    return _decode_facts(stored)


def load_words(target_dir: Path) -> dict[int, PageWords]:
    """Return the words of a stored document by page; empty for one of an older installation."""
    try:
        stored = (target_dir / storage.WORDS).read_bytes()
    except OSError:
        return {}
    pages = msgspec.json.decode(stored, type=_DocumentWords).pages
    return {page.page: page for page in pages}


def load_words_of(target_dir: Path, numbers: Collection[int]) -> dict[int, PageWords]:
    """Return the words of some pages, without taking in those of the others."""
    try:
        stored = (target_dir / storage.WORDS).read_bytes()
    except OSError:
        return {}
    raw = msgspec.json.decode(stored, type=_RawDocumentWords).pages
    # Almost always every page is there; those after a missing one are nearer to the beginning.
    near = {at for number in numbers for at in (number - 1, number - 2) if 0 <= at < len(raw)}
    found = {page.page: page for page in (_decode_page_words(raw[at]) for at in near)}
    if not all(number in found for number in numbers):
        found = load_words(target_dir)
    return {number: found[number] for number in numbers if number in found}


def load_failed_pages(target_dir: Path) -> dict[int, str]:
    """Return the pages of a stored document that could not be read, with the reason."""
    try:
        stored = (target_dir / storage.FAILED_PAGES).read_bytes()
    except OSError:
        return {}
    return _decode_failed_pages(stored).pages
