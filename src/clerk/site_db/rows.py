"""A document on disk as rows: its pages, its votes, its entities.

The raw text of a page stays as it was read.  What is searched is a copy in which words broken at
the end of a line are joined and odd forms of letters (ligatures, full-width digits) are made
plain; it is kept only where it differs.
"""

from __future__ import annotations

import contextlib
import os
import re
import unicodedata
from dataclasses import dataclass, field
from hashlib import blake2b, sha256
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from clerk.core.storage import DOCUMENT_FACTS, FAILED_PAGES, Document

from .holdings import PAGE, digest_of, extracted_path

#: A word broken at the end of a line; libpdfium and scanners write the hyphen in several ways.
_BROKEN = re.compile(
    "([^\\W\\d_]+)(?:[-\u2010\u00ac\u00ad\x02]+[ \t]*\r?\n[ \t]*|\ufffe\\s*)([^\\W\\d_]+)"
)
#: Quicker than the pattern above, and found in every text of plain letters that it may match.
_HYPHEN_AT_END = re.compile("-[ \t]*\r?\n")
_OTHER_HYPHENS = re.compile("[\u2010\u00ac\u00ad\ufffe]")
#: Most pages are read by one call.
_READ_BYTES = 1 << 16
#: How often a directory that is replaced while it is read is opened again.
_ATTEMPTS = 5
#: The lists of names of a vote, and what a name in each did.
_BALLOTS = {
    "ayes": "aye",
    "noes": "no",
    "abstain": "abstain",
    "absent": "absent",
    "recused": "recused",
}


class PageFacts(msgspec.Struct):
    """How one page was read."""

    page: int = 0
    method: str | None = None
    confidence: float | None = None


class DocumentFacts(msgspec.Struct):
    """What is taken from ``document.json``, whatever else stands there."""

    pdf_sha256: str | None = None
    page_count: int = 0
    pages: list[PageFacts] = []


class FailedPages(msgspec.Struct):
    """The pages that could not be read, with the reason."""

    pages: dict[int, str] = {}


class Found(msgspec.Struct):
    """What is taken from an extraction result; the entries are passed on as they are."""

    text_sha256: str = ""
    votes: list[dict[str, Any]] = []
    entities: list[dict[str, Any]] = []


_Json = TypeVar("_Json", DocumentFacts, FailedPages, Found)


@dataclass(slots=True)
class Page:
    """One page as it goes into the database."""

    number: int
    text: str
    method: str | None = None
    confidence: float | None = None


@dataclass
class Content:
    """Everything the database says about one document."""

    document: Document
    digest: str
    text_sha256: str
    pages: list[Page]
    failed_pages: dict[int, str] = field(default_factory=dict)
    page_count: int = 0
    pdf_sha256: str | None = None

    @property
    def method(self) -> str | None:
        """How its pages were read; ``mixed`` when in several ways."""
        methods = {page.method for page in self.pages if page.method}
        return methods.pop() if len(methods) == 1 else ("mixed" if methods else None)

    @property
    def confidence(self) -> float | None:
        """The mean over the pages that have one."""
        known = [page.confidence for page in self.pages if page.confidence is not None]
        return round(sum(known) / len(known), 4) if known else None


def document_id(subdomain: str, document: Document) -> str:
    """Return the permanent id of a document, the same on every machine."""
    return blake2b(f"{subdomain}/{document.name}".encode(), digest_size=8).hexdigest()


def page_id(document: str, number: int) -> str:
    """Return the permanent id of a page from that of its document."""
    return f"{document}-{number}"


def search_text(text: str) -> str:
    """Return the copy of a page's text that is searched."""
    plain = text if text.isascii() else unicodedata.normalize("NFKC", text)
    if not _may_be_broken(plain):
        return plain
    return _BROKEN.sub(lambda broken: _joined(broken, plain), plain).replace("\u00ad", "")


def _may_be_broken(text: str) -> bool:
    if _HYPHEN_AT_END.search(text) or "\x02" in text:
        return True
    return not text.isascii() and bool(_OTHER_HYPHENS.search(text))


def _joined(broken: re.Match[str], text: str) -> str:
    """Join a broken word, unless it is a name or the text writes it with a hyphen elsewhere."""
    left, right = broken.groups()
    if right[0].isupper() or f"{left}-{right}" in text:
        return f"{left}-{right}"
    return left + right


def read_content(folder: Path, document: Document) -> Content:
    """Read the text of a document, from its directory or from an older installation's file.

    The directory may be replaced meanwhile: it is read through one handle, so that old and new
    pages are never mixed, and again when it was taken away during that.
    """
    for _ in range(_ATTEMPTS):
        with contextlib.suppress(FileNotFoundError):
            return _read_once(document, str(document.text(folder)))
    return _read_once(document, str(document.text(folder)))


def _read_once(document: Document, path: str) -> Content:
    try:
        handle = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    except (FileNotFoundError, NotADirectoryError):
        return _flat_content(document, _bytes_of(f"{path}.txt"))
    try:
        return _directory_content(document, handle)
    finally:
        os.close(handle)


def _directory_content(document: Document, handle: int) -> Content:
    names = os.listdir(handle)
    numbers = sorted(int(page[1]) for name in names if (page := PAGE.fullmatch(name)))
    raw = [_bytes_of(f"page-{number}.txt", handle) for number in numbers]
    facts = _bytes_of(DOCUMENT_FACTS, handle) if DOCUMENT_FACTS in names else b""
    holes = _bytes_of(FAILED_PAGES, handle) if FAILED_PAGES in names else b""
    content = _content(document, dict(zip(numbers, raw, strict=True)), facts, holes)
    _add_facts(content, _tolerant(facts, DocumentFacts))
    return content


def _flat_content(document: Document, raw: bytes) -> Content:
    return _content(document, dict(enumerate(raw.split(b"\f"), start=1)))


def _content(
    document: Document, raw: dict[int, bytes], facts: bytes = b"", holes: bytes = b""
) -> Content:
    """Return the document with the hash of its text and the hash of all that is known of it."""
    text_sha256 = sha256(_encodable(b"\f".join(raw.values()))).hexdigest()
    digest = digest_of(text_sha256.encode(), repr(list(raw)).encode(), facts, holes)
    pages = [Page(number, _decoded(text)) for number, text in raw.items()]
    failed = _tolerant(holes, FailedPages).pages
    return Content(document, digest, text_sha256, pages, failed, page_count=len(pages))


def _bytes_of(path: str, folder: int | None = None) -> bytes:
    handle = os.open(path, os.O_RDONLY, dir_fd=folder)
    try:
        parts = [os.read(handle, _READ_BYTES)]
        # A file gives less than it was asked for only at its end.
        while len(parts[-1]) == _READ_BYTES:
            parts.append(os.read(handle, _READ_BYTES))
        return b"".join(parts)
    finally:
        os.close(handle)


def _encodable(raw: bytes) -> bytes:
    """Return the text as whoever decodes it tolerantly would encode it again."""
    try:
        raw.decode()
    except UnicodeDecodeError:
        return raw.decode("utf-8", "replace").encode()
    return raw


def _decoded(raw: bytes) -> str:
    return raw.decode("utf-8", "replace").replace("\0", " ")


def _add_facts(content: Content, facts: DocumentFacts) -> None:
    """Take over how the pages were read."""
    content.pdf_sha256 = facts.pdf_sha256
    content.page_count = max(facts.page_count, content.page_count)
    known = {each.page: each for each in facts.pages}
    for page in content.pages:
        if fact := known.get(page.number):
            page.method, page.confidence = fact.method, fact.confidence


def read_found(folder: Path, document: Document) -> tuple[str, Found]:
    """Return the hash and the contents of a document's extraction result, if there is one."""
    try:
        raw = extracted_path(folder, document).read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return "", Found()
    return digest_of(raw), _tolerant(raw, Found)


def _tolerant(raw: bytes, kind: type[_Json]) -> _Json:
    """Decode a file of somebody else's; one that cannot be read says nothing."""
    with contextlib.suppress(msgspec.MsgspecError, ValueError):
        if raw:
            return msgspec.json.decode(raw, type=kind)
    return kind()


def names_of(vote: dict[str, Any]) -> list[tuple[str, str]]:
    """Return (member, ballot) for every name a vote prints."""
    return [(str(name), ballot) for key, ballot in _BALLOTS.items() for name in vote.get(key) or ()]
