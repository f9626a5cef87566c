"""A document as rows of ``meetings.db``: its pages, its votes, its entities.

The raw text of a page stays as it was read.  What is searched is a copy in which words broken at
the end of a line are joined and odd forms of letters (ligatures, full-width digits) are made
plain; it is kept only where it differs.
"""

from __future__ import annotations

import contextlib
import os
import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b, sha256
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from clerk.core.manifest import DocumentRow
from clerk.core.public_text import Gate
from clerk.core.storage import DOCUMENT_FACTS, FAILED_PAGES, PAGE_FILE, Document

Row = Sequence[Any]

#: A word broken at the end of a line; libpdfium and scanners write the hyphen in several ways.
_BROKEN = re.compile(
    "([^\\W\\d_]+)(?:[-\u2010\u00ac\u00ad\x02]+[ \t]*\r?\n[ \t]*|\ufffe\\s*)([^\\W\\d_]+)"
)
#: Quicker than the pattern above, and found in every text of plain letters that it may match.
_HYPHEN_AT_END = re.compile("-[ \t]*\r?\n")
_OTHER_HYPHENS = re.compile("[\u2010\u00ac\u00ad\ufffe]")
#: The lists of names of a vote, and what a name in each did.
_BALLOTS = {
    "ayes": "aye",
    "noes": "no",
    "abstain": "abstain",
    "absent": "absent",
    "recused": "recused",
}
_VOTE_COLUMNS = (
    *("start", "end", "item", "motion", "mover", "seconder", "result", "result_text"),
    *("vote_type", "tally", "unanimous", "flags", "quote", "confidence", "item_title"),
    *("consent_items", "consent_exceptions", "field_confidence", "doubtful", "doubts"),
)
#: How often a directory that is replaced while it is read is opened again.
_ATTEMPTS = 5
_ENTITY_COLUMNS = ("type", "text", "value", "role", "start", "end")


class _PageInFile(msgspec.Struct):
    """How one page was read."""

    page: int = 0
    method: str | None = None
    confidence: float | None = None


class _DocumentFile(msgspec.Struct):
    """What is taken from ``document.json``, whatever else stands there."""

    pdf_sha256: str | None = None
    page_count: int = 0
    pages: list[_PageInFile] = []


class _FailedPagesFile(msgspec.Struct):
    """The pages that could not be read, with the reason."""

    pages: dict[int, str] = {}


class _FindingsFile(msgspec.Struct):
    """What is taken from an extraction result; the entries are passed on as they are."""

    text_sha256: str = ""
    votes: list[dict[str, Any]] = []
    entities: list[dict[str, Any]] = []


_Json = TypeVar("_Json", _DocumentFile, _FailedPagesFile, _FindingsFile)


def document_id(subdomain: str, document: Document) -> str:
    """Return the permanent id of a document, the same on every machine."""
    return blake2b(f"{subdomain}/{document.name}".encode(), digest_size=8).hexdigest()


def page_id(document: str, number: int) -> str:
    """Return the permanent id of a page from that of its document."""
    return f"{document}-{number}"


def page_image(document: str, page: int) -> str:
    """Return the address of a page's picture, relative to the published site."""
    return f"images/{document}/page-{page}.webp"


def names_of(vote: dict[str, Any]) -> list[tuple[str, str]]:
    """Return (member, ballot) for every name a vote prints; none if the names are not certain."""
    if "names" in (vote.get("doubtful") or ()):
        return []
    return [(str(name), ballot) for key, ballot in _BALLOTS.items() for name in vote.get(key) or ()]


def search_text(text: str) -> str:
    """Return the copy of a page's text that is searched."""
    plain = text if text.isascii() else unicodedata.normalize("NFKC", text)
    may_be_broken = (
        _HYPHEN_AT_END.search(plain)
        or "\x02" in plain
        or (not plain.isascii() and _OTHER_HYPHENS.search(plain))
    )
    if not may_be_broken:
        return plain
    return _BROKEN.sub(lambda broken: _joined(broken, plain), plain).replace("\u00ad", "")


def _joined(broken: re.Match[str], text: str) -> str:
    """Join a broken word, unless it is a name or the text writes it with a hyphen elsewhere."""
    left, right = broken.groups()
    if right[0].isupper() or f"{left}-{right}" in text:
        return f"{left}-{right}"
    return left + right


@dataclass(frozen=True)
class DocumentRows:
    """The rows of one document, by table; ``pages`` without their rowids."""

    kind: str
    document: Row
    pages: list[Row]
    votes: list[Row]
    vote_members: list[Row]
    entities: list[Row]


def rows_of(
    subdomain: str, row: DocumentRow, text: Path, found: bytes | None, digest: str, gate: Gate
) -> DocumentRows:
    """Return the rows of a document, from its text and from what was found in it.

    ``text`` is a directory of pages, or a flat file of an older installation.  What was found in
    another text than this one is left out.
    """
    document = row.document
    name, identity = document.name, document_id(subdomain, document)
    raw, facts, failed = _read_text(text)
    text_sha256 = sha256(b"\f".join(raw.values())).hexdigest()
    findings = _tolerant(found or b"", _FindingsFile)
    if findings.text_sha256 not in ("", text_sha256):
        findings = _FindingsFile()
    was_extracted = found is not None
    votes_of, entities_of = _by_page(findings.votes), _by_page(findings.entities)
    facts_of = {each.page: each for each in facts.pages}
    pages: list[Row] = []
    methods: set[str] = set()
    confidences: list[float] = []
    for number, content in raw.items():
        plain = content.decode().replace("\0", " ")
        searched = search_text(plain)
        fact = facts_of.get(number, _PageInFile())
        if fact.method:
            methods.add(fact.method)
        if fact.confidence is not None:
            confidences.append(fact.confidence)
        pages.append(
            (
                *(page_id(identity, number), document.meeting, document.date),
                *(number, plain, page_image(name, number)),
                _json(entities_of.get(number, [])) if was_extracted else None,
                _json(votes_of.get(number, [])) if was_extracted else None,
                *(name, fact.method, fact.confidence, None if searched == plain else searched),
            )
        )
    method = methods.pop() if len(methods) == 1 else ("mixed" if methods else None)
    confidence = round(sum(confidences) / len(confidences), 4) if confidences else None
    reasons = {page: str(gate(reason)) for page, reason in failed.pages.items()}
    document_row = (
        *(name, identity, document.kind, document.meeting, document.date),
        max(facts.page_count, len(raw)),
        *(method, confidence, _json(reasons) if reasons else None),
        # Text of an older installation does not say which PDF it was read from.
        facts.pdf_sha256 if method else row.pdf_sha256,
        *(row.bytes if row.pdf_sha256 else None, gate.source(row.source_url)),
        *(_moment(row.fetched_at), _moment(row.first_seen_at), _moment(row.gone_at)),
        *(text_sha256, digest),
    )
    return DocumentRows(
        document.kind, document_row, pages, *_found_rows(identity, document, findings)
    )


def _found_rows(
    identity: str, document: Document, findings: _FindingsFile
) -> tuple[list[Row], list[Row], list[Row]]:
    """Return the rows of votes, of the names in them, and of entities."""
    votes: list[Row] = []
    members: dict[Row, None] = {}
    for number, vote in enumerate(findings.votes, start=1):
        key = f"{identity}-v{number}"
        values = (_plain(vote.get(column)) for column in _VOTE_COLUMNS)
        where = (document.name, document.meeting, document.date, *_place(identity, vote))
        votes.append((key, *where, *values))
        members.update(dict.fromkeys((key, member, ballot) for member, ballot in names_of(vote)))
    entities: list[Row] = [
        (
            *(f"{identity}-e{number}", document.name, *_place(identity, entity)),
            *(_plain(entity.get(column)) for column in _ENTITY_COLUMNS),
        )
        for number, entity in enumerate(findings.entities, start=1)
    ]
    return votes, list(members), entities


def _read_text(text: Path) -> tuple[dict[int, bytes], _DocumentFile, _FailedPagesFile]:
    """Return the pages of a document by number, as UTF-8, and how they were read.

    The directory may be replaced meanwhile: it is read through one handle, so that old and new
    pages are never mixed, and again when it was taken away during that.
    """
    for attempt in range(_ATTEMPTS):
        try:
            handle = os.open(text, os.O_RDONLY | os.O_DIRECTORY)
        except (FileNotFoundError, NotADirectoryError):
            flat = _encodable(Path(f"{text}.txt").read_bytes())
            return dict(enumerate(flat.split(b"\f"), start=1)), _DocumentFile(), _FailedPagesFile()
        try:
            names = set(os.listdir(handle))  # noqa: PTH208 - a handle is no path
            numbers = sorted(int(page[1]) for name in names if (page := PAGE_FILE.fullmatch(name)))
            raw = {
                number: _encodable(_bytes_of(f"page-{number}.txt", handle)) for number in numbers
            }
            facts = _bytes_of(DOCUMENT_FACTS, handle) if DOCUMENT_FACTS in names else b""
            failed = _bytes_of(FAILED_PAGES, handle) if FAILED_PAGES in names else b""
            return raw, _tolerant(facts, _DocumentFile), _tolerant(failed, _FailedPagesFile)
        except FileNotFoundError:
            if attempt == _ATTEMPTS - 1:
                raise
        finally:
            os.close(handle)
    raise FileNotFoundError(text)


def _bytes_of(name: str, folder: int) -> bytes:
    with os.fdopen(os.open(name, os.O_RDONLY, dir_fd=folder), "rb", buffering=0) as file:
        return file.readall()


def _encodable(raw: bytes) -> bytes:
    """Return the text as whoever decodes it tolerantly would encode it again."""
    try:
        raw.decode()
    except UnicodeDecodeError:
        return raw.decode("utf-8", "replace").encode()
    return raw


def _tolerant(raw: bytes, kind: type[_Json]) -> _Json:
    """Decode a file of somebody else's; one that cannot be read says nothing."""
    with contextlib.suppress(msgspec.MsgspecError, ValueError):
        if raw:
            return msgspec.json.decode(raw, type=kind)
    return kind()


def _by_page(entries: list[dict[str, Any]]) -> dict[int, list[dict[str, Any]]]:
    pages: dict[int, list[dict[str, Any]]] = {}
    for entry in entries:
        if isinstance(page := entry.get("page"), int):
            pages.setdefault(page, []).append(entry)
    return pages


def _place(identity: str, entry: Mapping[str, Any]) -> tuple[int | None, str | None]:
    page = entry.get("page")
    return (page, page_id(identity, page)) if isinstance(page, int) else (None, None)


def _plain(value: Any) -> Any:
    """Return a value that fits a column; lists and mappings as JSON."""
    return _json(value) if isinstance(value, list | dict) else value


def _json(value: Any) -> str:
    return msgspec.json.encode(value).decode()


def _moment(moment: Any) -> str | None:
    return moment.isoformat(timespec="milliseconds") if moment else None
