"""A document as rows of ``meetings.db``: its pages, and what was found in it.

The raw text of a page stays as it was read.  What is searched is a copy in which words broken at
the end of a line are joined and odd forms of letters (ligatures, full-width digits) are made
plain; it is kept only where it differs.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import unicodedata
from bisect import bisect_left
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from hashlib import blake2b, sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from clerk.core.parts import part_at, part_spans
from clerk.core.public_text import Gate
from clerk.core.storage import DOCUMENT_FACTS, FAILED_PAGES, PAGE_FILE, Document

from . import schema

if TYPE_CHECKING:
    from clerk.core.manifest import DocumentPart, DocumentRow

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
    *("corrected_fields", "corrected_by", "corrected_at"),
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
    """What is taken from ``document.json``, whatever else is in it."""

    pdf_sha256: str | None = None
    page_count: int = 0
    pages: list[_PageInFile] = []


class _FailedPagesFile(msgspec.Struct):
    """The pages that could not be read, with the reason."""

    pages: dict[int, str] = {}


class _FindingsFile(msgspec.Struct):
    """What is taken from an extraction result; the entries are passed on as they are."""

    text_sha256: str = ""
    votes: list[dict[str, object]] = []
    entities: list[dict[str, object]] = []
    items: list[dict[str, object]] = []
    attendance: list[dict[str, object]] = []
    speakers: list[dict[str, object]] = []
    declarations: list[dict[str, object]] = []
    matters: list[dict[str, object]] = []


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


def names_of(vote: dict[str, object]) -> list[tuple[str, str]]:
    """Return (member, ballot) for every name a vote prints; none if the names are not certain."""
    if "names" in listed(vote, "doubtful"):
        return []
    return [(str(name), ballot) for key, ballot in _BALLOTS.items() for name in listed(vote, key)]


def listed(found: Mapping[str, object], name: str) -> Sequence[object]:
    """Return a list in a finding; whoever wrote the file may have left it out."""
    value = found.get(name)
    return value if isinstance(value, list) else ()


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

    document: Row
    page_table: str
    pages: list[Row]
    #: What was found in it, by table.
    found: Mapping[str, list[Row]]


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
    whose = _Whose(row, raw, gate)
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
                *(page_id(identity, number), *whose.page(number)),
                *(number, plain, page_image(name, number)),
                _json(entities_of.get(number, [])) if was_extracted else None,
                _json(list(filter(whose.counts, votes_of.get(number, []))))
                if was_extracted
                else None,
                *(name, fact.method, fact.confidence, None if searched == plain else searched),
                *whose.page_kind(number),
            )
        )
    method = methods.pop() if len(methods) == 1 else ("mixed" if methods else None)
    confidence = round(sum(confidences) / len(confidences), 4) if confidences else None
    reasons = {page: str(gate(reason)) for page, reason in failed.pages.items()}
    document_row = (
        *(name, identity, row.kind, _public(row.body, gate), _iso(row.date)),
        *(_public(row.title, gate), _public(row.file_name, gate), row.sequence),
        _public_json(row.evidence, gate),
        max(facts.page_count, len(raw)),
        *(method, confidence, _json(reasons) if reasons else None),
        # Text of an older installation does not say which PDF it was read from.
        facts.pdf_sha256 if method else row.pdf_sha256,
        *(row.bytes if row.pdf_sha256 else None, gate.source(row.source_url)),
        *(_moment(row.fetched_at), _moment(row.first_seen_at), _moment(row.gone_at)),
        *(text_sha256, digest),
    )
    found_rows = _found_rows(identity, document, findings, whose, gate)
    found_rows["parts"] = [
        (
            *(name, part.first_page, part.first_character, part.last_page, part.kind),
            _public(part.body, gate),
            *(_iso(part.date), _public(part.title, gate), part.of_other_place),
            _public_json(part.evidence, gate),
        )
        for part in row.parts
    ]
    return DocumentRows(document_row, schema.page_table(row.kind), pages, found_rows)


def _public(text: str | None, gate: Gate) -> str | None:
    return str(gate(text)) if text else None


def _public_json(value: Mapping[str, object], gate: Gate) -> str:
    return json.dumps(gate.clean(value), ensure_ascii=False, sort_keys=True)


def _iso(day: date | None) -> str | None:
    return day.isoformat() if day else None


class _Whose:
    """Whose meeting, and of which day, the pages and findings of a document are.

    In a packet that is decided by its parts.  What is said of a meeting, and above all its votes,
    is only in minutes of this place.
    """

    def __init__(self, row: DocumentRow, raw: Mapping[int, bytes], gate: Gate) -> None:
        self._row, self._gate = row, gate
        texts = {number: content.decode() for number, content in raw.items()} if row.parts else {}
        self._spans = part_spans(texts, row.parts)

    def page(self, number: int) -> tuple[str | None, str | None]:
        """Return the body and the day of a page; of two parts on one page, of the first."""
        return self._facts(self._part_of_page(number))

    def page_kind(self, number: int) -> tuple[str | None, int | None]:
        """Return the kind of a page, and the first page of its part."""
        part = self._part_of_page(number)
        return (part.kind, part.first_page) if part else (self._row.kind, None)

    def finding(self, found: Mapping[str, object]) -> tuple[str | None, str | None]:
        """Return the body and the day of what was found somewhere in the text."""
        return self._facts(self._part_of(found))

    def counts(self, found: Mapping[str, object]) -> bool:
        """Whether a vote is on the record: minutes of this place have it."""
        part = self._part_of(found)
        if part is None:
            return self._row.kind == schema.MINUTES
        return part.kind == schema.MINUTES and part.is_own

    def _part_of_page(self, number: int) -> DocumentPart | None:
        parts = self._row.parts
        if not parts:
            return None
        place = bisect_left(parts, number, key=lambda part: part.last_page)
        return parts[min(place, len(parts) - 1)]

    def _part_of(self, found: Mapping[str, object]) -> DocumentPart | None:
        start = found.get("start")
        return part_at(self._spans, start if isinstance(start, int) else 0)

    def _facts(self, part: DocumentPart | None) -> tuple[str | None, str | None]:
        said = part or self._row
        return _public(said.body, self._gate), _iso(said.date)


def _found_rows(
    identity: str, document: Document, findings: _FindingsFile, whose: _Whose, gate: Gate
) -> dict[str, list[Row]]:
    """Return the rows of what was found in a document, by table."""
    votes: dict[str, Row] = {}
    members: dict[Row, None] = {}
    names: Counter[tuple[str, str | None, str]] = Counter()
    for number, vote in enumerate(findings.votes, start=1):
        if not whose.counts(vote):
            continue
        key = f"{identity}-v{number}"
        if vote.get("corrected_by"):
            vote["corrected_by"] = str(gate(str(vote["corrected_by"])))
        values = (_plain(vote.get(column)) for column in _VOTE_COLUMNS)
        body, day = whose.finding(vote)
        # Whether another document repeats it is decided when all are there.
        votes[key] = (key, document.name, body, day, *_place(identity, vote), *values, None)
        members.update(dict.fromkeys((key, member, ballot) for member, ballot in names_of(vote)))
        printed = [member for member, _ in names_of(vote)]
        certain = (who for who in ("mover", "seconder") if who not in listed(vote, "doubtful"))
        printed += [str(vote[who]) for who in certain if vote.get(who)]
        # Nobody can be placed without a body.
        names.update((body, day, name) for name in printed if body)
    for each in findings.attendance:
        body, day = whose.finding(each)
        if each.get("group") == "member" and body:
            names[body, day, str(each["name"])] += 1
    entities: list[Row] = [
        (
            *(f"{identity}-e{number}", document.name, *_place(identity, entity)),
            *(_plain(entity.get(column)) for column in _ENTITY_COLUMNS),
        )
        for number, entity in enumerate(findings.entities, start=1)
    ]

    def found(mark: str, entries: list[dict[str, object]], *columns: str) -> list[Row]:
        """Return a row for each finding: where it is, then its columns."""
        return [
            (
                *(f"{identity}-{mark}{number}", document.name, *whose.finding(each)),
                *(*_place(identity, each), each.get("start"), each.get("end"), each.get("quote")),
                *(_plain(each.get(column)) for column in columns),
            )
            for number, each in enumerate(entries, start=1)
        ]

    for each in findings.attendance:
        each["is_member"] = each.get("group") == "member"
    appearances = found(
        *("m", findings.matters, "key", "key", "kind", "number", "title", "action"),
        *("continued_to", "amounts", "addresses", "doubtful"),
    )
    return {
        "votes": list(votes.values()),
        "vote_members": list(members),
        "entities": entities,
        "agenda_items": found("i", findings.items, "number", "title"),
        "attendance": found(
            *("a", findings.attendance, "name", "role", "is_member", "status"),
            *("late", "left_early", "remote"),
        ),
        "speakers": found("s", findings.speakers, "name", "side", "item", "item_title"),
        "interests": found("d", findings.declarations, "name", "kind", "about"),
        "matter_appearances": appearances,
        "matter_votes": [
            (row[0], f"{identity}-v{place + 1}")
            for row, each in zip(appearances, findings.matters, strict=True)
            for place in dict.fromkeys(listed(each, "votes"))
            if isinstance(place, int) and f"{identity}-v{place + 1}" in votes
        ],
        "document_names": [
            (document.name, body, day, name, times)
            for (body, day, name), times in sorted(names.items(), key=repr)
        ],
    }


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


def _by_page(entries: list[dict[str, object]]) -> dict[int, list[dict[str, object]]]:
    pages: dict[int, list[dict[str, object]]] = {}
    for entry in entries:
        if isinstance(page := entry.get("page"), int):
            pages.setdefault(page, []).append(entry)
    return pages


def _place(identity: str, entry: Mapping[str, object]) -> tuple[int | None, str | None]:
    page = entry.get("page")
    return (page, page_id(identity, page)) if isinstance(page, int) else (None, None)


def _plain(value: Any) -> Any:
    """Return a value that fits a column; lists and mappings as JSON."""
    return _json(value) if isinstance(value, list | dict) else value


def _json(value: Any) -> str:
    return msgspec.json.encode(value).decode()


def _moment(moment: Any) -> str | None:
    return moment.isoformat(timespec="milliseconds") if moment else None
