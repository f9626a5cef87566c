"""The manifest: the truth about documents, and the only module that writes the table ``documents``.

::

    fetch    -> record()            which bytes a document has, and where they came from
    read     -> record_texts()      which text was read from them, and what the document is, in the
                                    transaction that counts it
    people   -> correct()           what it is, for good
    extract  -> record_findings()   which votes and names were found in the text
    compile, publish, search, pages  <- documents(), and the outbox: which changed

A row says what is known; files are content under the hashes it names.  Nothing decides by listing a
folder.  Every change of what is published of a document that has text is announced in the outbox
(:mod:`clerk.core.outbox`), in the same transaction.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from datetime import UTC, date, datetime
from types import MappingProxyType
from typing import Any, Final, TypedDict, cast

import msgspec
from sqlalchemy import (
    ColumnElement,
    Connection,
    String,
    and_,
    bindparam,
    case,
    delete,
    func,
    insert,
    null,
    or_,
    select,
    update,
)
from sqlalchemy import (
    cast as sql_cast,
)

from . import outbox, store
from .db import among, insert_into
from .models import (
    db_now,
    document_parts_table,
    document_versions_table,
    documents_table,
    site_files_table,
)
from .storage import Document

#: Up to this many documents are queried by name; more, by reading all rows of the site.
_FEW: Final = 200

_d = documents_table.c
Day = date


#: What is said about a document: by itself, by its source, by people.
FACTS_OF_DOCUMENTS: Final = ("kind", "body", "date", "title")


class IdentityFacts(TypedDict):
    """The values of FACTS_OF_DOCUMENTS; what is not known is None."""

    kind: str | None
    body: str | None
    date: date | None
    title: str | None


class FactEvidence(TypedDict, total=False):
    """A fact as the evidence has it: its value and where it comes from, if it is known."""

    value: str | None
    source: str
    quote: str
    page: int
    confidence: float


class ContradictingFact(TypedDict):
    """What speaks against a fact, or what was known of it before a person corrected it."""

    field: str
    fact: FactEvidence


def facts_of(of: object, others: Mapping[str, str | None] = MappingProxyType({})) -> IdentityFacts:
    """Return the facts of a row, an identity or a part, with ``others`` in place of some.

    Among the others a date is as it is stored in evidence.
    """
    values = {name: getattr(of, name) for name in FACTS_OF_DOCUMENTS} | dict(others)
    if "date" in others:
        values["date"] = date.fromisoformat(values["date"]) if values["date"] else None
    return cast(IdentityFacts, values)


def fact_in(evidence: Mapping[str, object], name: str) -> FactEvidence:
    """Return what evidence says of a fact."""
    return cast(FactEvidence, evidence.get(name) or {})


def others_in(evidence: Mapping[str, object]) -> list[ContradictingFact]:
    """Return the other readings that evidence has."""
    return list(cast("Sequence[ContradictingFact]", evidence.get("others") or ()))


#: How the evidence names a person who corrected a fact.
PERSON: Final = "person"


@dataclass(frozen=True)
class DocumentPart:
    """Some pages of a document, and what they are; what is not known is NULL.

    ``first_character`` is where the part begins on its first page, 0 at the top: neighbours may
    share a page.  ``evidence`` is as that of a document.
    """

    first_page: int
    last_page: int
    kind: str | None = None
    body: str | None = None
    date: date | None = None
    title: str | None = None
    of_other_place: bool | None = False
    evidence: Mapping[str, object] = field(default_factory=dict)
    first_character: int = 0

    @property
    def is_own(self) -> bool:
        """Whether it is known to be of the site's place."""
        return self.of_other_place is False


@dataclass(frozen=True)
class DocumentIdentity:
    """What a document is; None is not known.

    ``identified_of`` says by which text and by which version of the rules.  ``evidence`` has for
    each fact its value, its source, the quote, the page and how sure it is, and under ``others``
    the readings that contradict it.
    """

    identified_of: str
    kind: str | None = None
    body: str | None = None
    date: date | None = None
    title: str | None = None
    evidence: Mapping[str, object] = field(default_factory=dict)
    parts: tuple[DocumentPart, ...] = ()


@dataclass(frozen=True)
class DocumentRow:
    """What the manifest knows of a document; the fields but ``parts`` are the columns."""

    id: int
    subdomain: str
    name: str
    identity: str | None
    kind: str | None
    body: str | None
    date: date | None
    title: str | None
    file_name: str | None
    sequence: int
    evidence: Mapping[str, object]
    listed: Mapping[str, str | None]
    corrections: Mapping[str, str | None]
    identified_of: str | None
    source_url: str | None
    pdf_sha256: str | None
    bytes: int
    text_sha256: str | None
    text_of: str | None
    reader: str | None
    pages: int | None
    failed_pages: int
    findings_sha256: str | None
    findings_of: str | None
    etag: str | None
    last_modified: str | None
    version_hint: str | None
    source_bytes: int
    source_mtime_ns: int
    first_seen_at: datetime
    last_seen_at: datetime
    fetched_at: datetime | None
    gone_at: datetime | None
    followed_of: str | None
    #: The parts of a packet, in order; only where they were asked for.
    parts: tuple[DocumentPart, ...] = field(default=(), metadata={"column": False})

    @property
    def document(self) -> Document:
        """The document by where its files lie."""
        return Document.from_name(self.name)

    @property
    def listed_date(self) -> Day | None:
        """The day that the source says it is of."""
        said = self.listed.get("date")
        return date.fromisoformat(said) if said else None

    @property
    def content(self) -> str:
        """What changes with the file and not when it is read again by another engine."""
        return self.text_of or self.pdf_sha256 or self.text_sha256 or ""


class KnownDocument(msgspec.Struct, frozen=True):
    """What a fetch asks about a document that it fetched before; the fields are columns.

    It asks about all of a site: columns that are slow to decode are left out.
    """

    name: str
    identity: str | None
    #: JSON, which is decoded when it is asked for.
    listed_json: str
    sequence: int
    pdf_sha256: str | None
    bytes: int
    etag: str | None
    last_modified: str | None
    version_hint: str | None
    source_bytes: int
    source_mtime_ns: int
    last_seen_at: datetime
    fetched_at: datetime | None
    gone_at: datetime | None

    @property
    def document(self) -> Document:
        """The document by where its files lie."""
        return Document.from_name(self.name)

    @property
    def listed(self) -> Mapping[str, str | None]:
        """What the source says of it."""
        said: dict[str, str | None] = msgspec.json.decode(self.listed_json)
        return said

    @property
    def listed_date(self) -> Day | None:
        """The day that the source says it is of."""
        said = self.listed.get("date")
        return date.fromisoformat(said) if said else None


@dataclass(frozen=True)
class FetchedDocument:
    """What a fetch knows of a document whose bytes it has stored; the fields are columns.

    ``kind``, ``body``, ``date`` and ``title`` are what the source says, if it does.
    ``former_name`` is the name it had so far, if that is another one.
    """

    name: str
    identity: str | None
    pdf_sha256: str | None
    bytes: int
    fetched_at: datetime | None
    kind: str | None = None
    body: str | None = None
    date: date | None = None
    title: str | None = None
    file_name: str | None = None
    sequence: int = 1
    source_url: str | None = None
    etag: str | None = None
    last_modified: str | None = None
    version_hint: str | None = None
    source_bytes: int = 0
    source_mtime_ns: int = 0
    former_name: str = field(default="", metadata={"column": False})

    @property
    def listed(self) -> dict[str, str | None]:
        """What the source says of it."""
        said = {name: getattr(self, name) for name in FACTS_OF_DOCUMENTS}
        if self.date:
            said["date"] = self.date.isoformat()
        return {name: value for name, value in said.items() if value}


_FETCHED = tuple(
    each.name
    for each in fields(FetchedDocument)
    if not each.metadata and each.name not in FACTS_OF_DOCUMENTS
)
#: What is published of what a fetch knows; a change of the others is nobody's news.
_PUBLISHED = ("name", "file_name", "sequence", "source_url", "pdf_sha256", "bytes", "fetched_at")


@dataclass(frozen=True)
class TextRecord:
    """What reading a document produced.

    ``pdf_sha256`` are the bytes it was read from.  ``reader`` identifies what read it, without the
    OCR engine if no page needed it: then another engine is no reason to read it again.  Text of an
    older installation has no reader.  ``identity`` is what the document is by this text.
    """

    pdf_sha256: str
    text_sha256: str
    reader: str | None
    pages: int
    failed_pages: int = 0
    identity: DocumentIdentity | None = None


@dataclass(frozen=True)
class KeptVersion:
    """The bytes that a document had, and since when."""

    pdf_sha256: str
    bytes: int
    fetched_at: datetime


# ------------------------------------------------------------------------------------ asking


#: In the order of the fields.
_ROW = tuple(_d[each.name] for each in fields(DocumentRow) if not each.metadata)
_PART = tuple(document_parts_table.c[each.name] for each in fields(DocumentPart))
#: Made once: making it takes as long as running it.
_DOCUMENTS = select(*_ROW).order_by(_d.name)


def documents(
    conn: Connection,
    subdomain: str,
    names: Sequence[str] | None = None,
    *,
    with_parts: bool = False,
) -> list[DocumentRow]:
    """Return the documents of a site, or those of these names, in the order of their names."""
    query = _DOCUMENTS.where(_d.subdomain == subdomain)
    if names is not None:
        query = query.where(among(conn, _d.name, names))
    found = [_typed(row) for row in conn.execute(query)]
    return _with_parts(conn, found) if with_parts else found


def known_documents(
    conn: Connection, subdomain: str, identities: Sequence[str] | None = None
) -> list[KnownDocument]:
    """Return what a fetch asks about the documents of a site, in the order of their names.

    With ``identities`` only about those.
    """
    columns = [
        sql_cast(_d.listed, String) if name == "listed_json" else _d[name]
        for name in KnownDocument.__struct_fields__
    ]
    query = select(*columns).where(_d.subdomain == subdomain).order_by(_d.name)
    if identities is not None:
        query = query.where(among(conn, _d.identity, identities))
    return [KnownDocument(*row) for row in conn.execute(query)]


def known_files(
    conn: Connection, subdomain: str, seen_before: datetime
) -> Sequence[tuple[str | None, str, str | None, bool]]:
    """Return the documents of a site as one who compares all of them with a folder needs them.

    Each is its identity, its name, what its file looked like at the source (None if it was gone or
    is to be fetched in any case), and whether it was last seen before that time.
    """
    looks = sql_cast(_d.source_bytes, String) + " " + sql_cast(_d.source_mtime_ns, String)
    looks = looks + " " + func.coalesce(_d.version_hint, "")
    is_held = and_(_d.pdf_sha256.is_not(None), _d.gone_at.is_(None))
    query = select(
        *(_d.identity, _d.name, case((is_held, looks), else_=null())),
        _d.last_seen_at < seen_before,
    ).where(_d.subdomain == subdomain)
    return conn.execute(query).all()


def document(conn: Connection, subdomain: str, name: str) -> DocumentRow | None:
    """Return one document of a site with its parts, or None."""
    found = documents(conn, subdomain, [name], with_parts=True)
    return found[0] if found else None


def _with_parts(conn: Connection, rows: Sequence[DocumentRow]) -> list[DocumentRow]:
    """Add their parts to documents of one site."""
    if not rows:
        return []
    table = document_parts_table.c
    query = select(table.document_id, *_PART).order_by(
        table.document_id, table.first_page, table.first_character
    )
    if len(rows) < _FEW:
        query = query.where(table.document_id.in_([row.id for row in rows]))
    else:
        of_site = select(_d.id).where(_d.subdomain == rows[0].subdomain)
        query = query.where(table.document_id.in_(of_site))
    parts: dict[int, list[DocumentPart]] = {}
    for document_id, *values in conn.execute(query):
        parts.setdefault(document_id, []).append(DocumentPart(*values))
    return [replace(row, parts=tuple(parts[row.id])) if row.id in parts else row for row in rows]


def _typed(row: Iterable[Any]) -> DocumentRow:
    return DocumentRow(*row)


def count_documents(conn: Connection, subdomain: str) -> tuple[int, int]:
    """Return how many documents a site has, and how many of them have text."""
    query = select(func.count(), func.count(_d.text_sha256)).where(
        _d.subdomain == subdomain, _d.pdf_sha256.is_not(None) | _d.text_sha256.is_not(None)
    )
    total, with_text = conn.execute(query).one()
    return total, with_text


def count_all_documents(conn: Connection) -> int:
    """Return how many documents all sites have."""
    return conn.execute(select(func.count()).select_from(documents_table)).scalar_one()


def has_text(conn: Connection, subdomain: str) -> bool:
    """Whether any document of a site has text."""
    query = select(_d.id).where(_d.subdomain == subdomain, _d.text_sha256.is_not(None)).limit(1)
    return conn.execute(query).first() is not None


def documents_to_read(
    conn: Connection, subdomain: str, reader: str, names: Sequence[str] | None = None
) -> list[DocumentRow]:
    """Return the documents that have no text, or text with holes, of other bytes or readers.

    With ``names`` only those.

    ``reader`` is ``layout | engine``.  Text without a reader was made by an older installation and
    stays as it is: nobody knows better.
    """
    layout = reader.partition(" | ")[0]
    current = (
        (_d.text_of == _d.pdf_sha256)
        & (_d.failed_pages == 0)
        & (func.coalesce(_d.reader, reader).in_((reader, layout)))
        & _d.text_sha256.is_not(None)
    )
    query = (
        select(*_ROW)
        .where(_d.subdomain == subdomain, _d.pdf_sha256.is_not(None))
        .where(func.coalesce(current, False).is_(False))
        .order_by(_d.name)
    )
    if names is not None:
        query = query.where(among(conn, _d.name, names))
    return [_typed(row) for row in conn.execute(query)]


def documents_to_extract(
    conn: Connection,
    subdomain: str,
    version: str,
    corrections: Mapping[str, str] = MappingProxyType({}),
) -> list[DocumentRow]:
    """Return the documents with text that this version of the extractor has not read.

    ``corrections`` are the documents that people corrected, with a digest of the corrections: one
    whose findings honour others is read again.
    """
    corrected = and_(
        _d.subdomain == subdomain,
        _d.text_sha256.is_not(None),
        among(conn, _d.name, list(corrections)),
    )
    query = select(*_ROW).where(or_(_is_to_extract(subdomain, version), corrected))
    rows = [
        row
        for row in map(_typed, conn.execute(query.order_by(_d.name)))
        if row.findings_of != _found_in(row.text_sha256, version, corrections.get(row.name))
    ]
    return _with_parts(conn, rows)


def _found_in(text: str | None, version: str, corrections: str | None) -> str:
    """Return what findings depend on."""
    return f"{text} {version}" + (f" {corrections}" if corrections else "")


def count_to_extract(conn: Connection, subdomain: str, version: str) -> int:
    """Return how many documents this version of the extractor has not read."""
    query = select(func.count()).where(_is_to_extract(subdomain, version))
    return conn.execute(query).scalar_one()


def _is_to_extract(subdomain: str, version: str) -> ColumnElement[bool]:
    looked_at = _d.findings_of.is_not_distinct_from(_d.text_sha256 + f" {version}")
    return and_(_d.subdomain == subdomain, _d.text_sha256.is_not(None), ~looked_at)


def documents_to_identify(conn: Connection, subdomain: str, version: str) -> list[DocumentRow]:
    """Return the documents that this version of the rules has not checked, with text or not."""
    query = (
        select(*_ROW)
        .where(_d.subdomain == subdomain)
        .where(_d.identified_of.is_distinct_from(identified_of(_d.text_sha256, version)))
        .order_by(_d.name)
    )
    return [_typed(row) for row in conn.execute(query)]


def documents_of_bodies(
    conn: Connection, subdomain: str, bodies: Collection[str]
) -> list[DocumentRow]:
    """Return the documents that are of one of these bodies, in lower case, or have such a part."""
    table = document_parts_table.c
    of_part = select(table.document_id).where(
        table.document_id == _d.id, func.lower(table.body).in_(bodies)
    )
    query = _DOCUMENTS.where(_d.subdomain == subdomain).where(
        func.lower(_d.body).in_(bodies) | of_part.exists()
    )
    return _with_parts(conn, [_typed(row) for row in conn.execute(query)])


def bodies_named(conn: Connection, subdomain: str) -> dict[str, float]:
    """Return the bodies of documents and own parts, each with how sure the surest of them is."""
    parts = document_parts_table.c
    sure, sure_of_part = (
        func.max(of.evidence["body"]["confidence"].as_float()) for of in (_d, parts)
    )
    of_documents = select(_d.body, sure).where(_d.subdomain == subdomain).group_by(_d.body)
    of_parts = select(parts.body, sure_of_part).join(documents_table, _d.id == parts.document_id)
    of_parts = of_parts.where(_d.subdomain == subdomain, parts.of_other_place.is_(False))
    named: dict[str, float] = {}
    for body, sure_of in conn.execute(of_documents.union_all(of_parts.group_by(parts.body))):
        if body:
            named[body] = max(named.get(body, 0.0), sure_of or 0.0)
    return named


def identified_of(text_sha256: Any, version: str) -> Any:
    """Return what says that a document with this text was identified by this version, also in SQL.

    A document without text is identified by its source.
    """
    if text_sha256 is None or isinstance(text_sha256, str):
        return f"{text_sha256 or ''} {version}"
    return func.coalesce(text_sha256, "") + f" {version}"


def versions(conn: Connection, document_id: int) -> list[KeptVersion]:
    """Return the bytes that a document has had, the oldest first."""
    table = document_versions_table.c
    query = (
        select(table.pdf_sha256, table.bytes, table.fetched_at)
        .where(table.document_id == document_id)
        .order_by(table.fetched_at, table.pdf_sha256)
    )
    return [KeptVersion(*row) for row in conn.execute(query)]


def contents(
    conn: Connection, subdomain: str, names: Collection[str] | None = None
) -> dict[str, tuple[str, str | None]]:
    """Return the hashes of the text of each document that has any, and of what was found in it.

    With ``names`` only of those.
    """
    query = select(_d.name, _d.text_sha256, _d.findings_sha256)
    query = query.where(_d.subdomain == subdomain, _d.text_sha256.is_not(None))
    if names is not None:
        query = query.where(among(conn, _d.name, list(names)))
    return {name: (text, findings) for name, text, findings in conn.execute(query)}


# ----------------------------------------------------------------------------------- writing

_NO_FINDINGS = {"findings_sha256": None, "findings_of": None}
_INSERT_DOCUMENT = insert(documents_table)


def record(conn: Connection, subdomain: str, fetched: Sequence[FetchedDocument]) -> None:
    """Record documents that a fetch has stored, new ones and those that were there before.

    One that is known by its name, or by its former name, stays the same document with its text,
    its versions and what people said about it; what was found in a text is kept under a name, and
    looked for again.  One of which the source says something else now is identified again.
    """
    if not fetched:
        return
    names = [each.former_name or each.name for each in fetched]
    known = {row.name: row for row in documents(conn, subdomain, names)}
    added: list[dict[str, object]] = []
    changes: list[tuple[str, str, str | None]] = []
    for each in fetched:
        before = known.get(each.former_name or each.name)
        values = {name: getattr(each, name) for name in _FETCHED} | {"listed": each.listed}
        if before is None:
            facts = {name: getattr(each, name) for name in FACTS_OF_DOCUMENTS}
            added.append(values | facts | {"subdomain": subdomain})
            continue
        if before.listed != each.listed or before.source_url != each.source_url:
            values["identified_of"] = None
        is_news = before.gone_at is not None or any(
            values[name] != getattr(before, name) for name in _PUBLISHED
        )
        conn.execute(
            update(documents_table)
            .where(_d.id == before.id)
            .values(
                **values,
                **({} if before.name == each.name else _NO_FINDINGS),
                last_seen_at=db_now(),
                gone_at=None,
            )
        )
        if is_news and before.text_sha256:
            if before.name != each.name:
                changes.append((before.name, outbox.REMOVED, None))
            changes.append((each.name, outbox.FACTS, before.text_sha256))
    if added:
        conn.execute(_INSERT_DOCUMENT, added)
    names = [each.name for each in fetched]
    query = select(_d.name, _d.id).where(_d.subdomain == subdomain, among(conn, _d.name, names))
    ids = {row.name: row.id for row in conn.execute(query)}
    versions = [
        {
            "document_id": ids[each.name],
            "pdf_sha256": each.pdf_sha256,
            "bytes": each.bytes,
            "fetched_at": each.fetched_at or datetime.now(UTC),
        }
        for each in fetched
        if each.pdf_sha256
    ]
    _insert_new(conn, document_versions_table, versions)
    outbox.announce(conn, subdomain, changes)


def record_versions(
    conn: Connection, document_id: int, former: Sequence[tuple[str, int, datetime]]
) -> None:
    """Record bytes a document had before: their hash, their number, when they were fetched."""
    names = ("document_id", "pdf_sha256", "bytes", "fetched_at")
    rows = [dict(zip(names, (document_id, *each), strict=True)) for each in former]
    _insert_new(conn, document_versions_table, rows)


def _insert_new(conn: Connection, table: Any, rows: list[dict[str, object]]) -> None:
    """Insert the rows that are not there yet."""
    if not rows:
        return
    conn.execute(insert_into(conn, table).on_conflict_do_nothing(), rows)


_RECORD_TEXT = (
    update(documents_table)
    .where(
        _d.subdomain == bindparam("site"),
        _d.name == bindparam("of_name"),
        func.coalesce(_d.pdf_sha256, bindparam("of_pdf")) == bindparam("of_pdf"),
    )
    .values(
        text_sha256=bindparam("text"),
        text_of=bindparam("of_pdf"),
        reader=bindparam("by"),
        pages=bindparam("number"),
        failed_pages=bindparam("failed"),
    )
)


def record_texts(conn: Connection, subdomain: str, texts: Mapping[str, TextRecord]) -> None:
    """Record the texts of documents, by name, and announce them.

    What was read from bytes that a document no longer has is not recorded.
    """
    if not texts:
        return
    values = [
        {
            "site": subdomain,
            "of_name": name,
            "of_pdf": read.pdf_sha256,
            "text": read.text_sha256,
            "by": read.reader,
            "number": read.pages,
            "failed": read.failed_pages,
        }
        for name, read in texts.items()
    ]
    conn.execute(_RECORD_TEXT, values)
    identities = {name: read.identity for name, read in texts.items() if read.identity}
    record_identities(conn, subdomain, identities, announce=False)
    outbox.announce(
        conn, subdomain, [(name, outbox.TEXT, read.text_sha256) for name, read in texts.items()]
    )


def record_identities(
    conn: Connection,
    subdomain: str,
    identities: Mapping[str, DocumentIdentity],
    *,
    announce: bool = True,
) -> None:
    """Record what documents are, by name; what a person said of one stays.

    What was found by a text that a document no longer has is not recorded.  Votes are looked for
    again where other pages are minutes now.
    """
    if not identities:
        return
    names = list(identities)
    query = select(*_ROW).where(_d.subdomain == subdomain, among(conn, _d.name, names))
    rows = _with_parts(conn, [_typed(row) for row in conn.execute(query.with_for_update())])
    changed: list[tuple[str, str, str | None]] = []
    for row in rows:
        new = _corrected(identities[row.name], row.corrections)
        if new.identified_of.partition(" ")[0] != (row.text_sha256 or ""):
            continue
        values: dict[str, object] = {"identified_of": new.identified_of}
        for name in (*FACTS_OF_DOCUMENTS, "evidence"):
            if getattr(new, name) != getattr(row, name):
                values[name] = getattr(new, name)
        if new.parts != row.parts:
            table = document_parts_table
            conn.execute(delete(table).where(table.c.document_id == row.id))
            names_of_part = [each.name for each in fields(DocumentPart)]
            parts = [
                {"document_id": row.id} | {name: getattr(part, name) for name in names_of_part}
                for part in new.parts
            ]
            if parts:
                conn.execute(insert(table), parts)
        if "kind" in values or new.parts != row.parts:
            values["findings_of"] = None
        if len(values) > 1:
            changed.append((row.name, outbox.FACTS, row.text_sha256))
        conn.execute(update(documents_table).where(_d.id == row.id).values(**values))
    if announce:
        outbox.announce(conn, subdomain, [each for each in changed if each[2]])


def _corrected(found: DocumentIdentity, corrections: Mapping[str, str | None]) -> DocumentIdentity:
    """Return an identity with what people said; what was found instead is kept as contradicting."""
    if not corrections:
        return found
    evidence: dict[str, object] = dict(found.evidence)
    others = others_in(evidence)
    for name, value in corrections.items():
        before = fact_in(evidence, name)
        if before.get("source") != PERSON:
            if before.get("value") and before["value"] != value:
                others.insert(0, {"field": name, "fact": before})
            evidence[name] = {"value": value, "source": PERSON, "confidence": 1.0}
    if others:
        evidence["others"] = others
    return replace(found, evidence=evidence, **facts_of(found, corrections))


def correct(
    conn: Connection, subdomain: str, names: Sequence[str], said: Mapping[str, str | None]
) -> int:
    """Record what a person says of documents, and return of how many that is news.

    ``said`` has values by the names of facts; None means that it is not known.  It takes effect
    at once and is permanent; parts and votes follow with the next run.
    """
    changed = 0
    query = select(*_ROW).where(_d.subdomain == subdomain, among(conn, _d.name, names))
    for row in [_typed(each) for each in conn.execute(query.with_for_update())]:
        corrections = {**row.corrections, **said}
        if corrections == row.corrections:
            continue
        changed += 1
        before = DocumentIdentity("", **facts_of(row), evidence=row.evidence)
        new = _corrected(before, corrections)
        _write_corrections(conn, row, new, corrections)
    return changed


def withdraw_corrections(conn: Connection, subdomain: str, names: Sequence[str]) -> int:
    """Forget what people said of documents, and return of how many; the next run identifies them.

    Until then a fact is what was known besides the correction, or not known.
    """
    changed = 0
    query = select(*_ROW).where(_d.subdomain == subdomain, among(conn, _d.name, names))
    for row in [_typed(each) for each in conn.execute(query.with_for_update())]:
        if not row.corrections:
            continue
        changed += 1
        evidence = dict(row.evidence)
        found = {each["field"]: each["fact"] for each in reversed(others_in(evidence))}
        was = {name: found.get(name, FactEvidence()) for name in row.corrections}
        values = {name: fact.get("value") for name, fact in was.items()}
        new = DocumentIdentity("", **facts_of(row, values), evidence=evidence | was)
        _write_corrections(conn, row, new, {})
    return changed


def _write_corrections(
    conn: Connection, row: DocumentRow, new: DocumentIdentity, corrections: Mapping[str, str | None]
) -> None:
    values = {name: getattr(new, name) for name in (*FACTS_OF_DOCUMENTS, "evidence")}
    if new.kind != row.kind:
        values["findings_of"] = None
    conn.execute(
        update(documents_table)
        .where(_d.id == row.id)
        .values(corrections=dict(corrections), identified_of=None, **values)
    )
    if row.text_sha256:
        outbox.announce(conn, row.subdomain, [(row.name, outbox.FACTS, row.text_sha256)])


def record_findings(
    conn: Connection,
    subdomain: str,
    version: str,
    findings: Mapping[str, tuple[str, str]],
    corrections: Mapping[str, str] = MappingProxyType({}),
) -> None:
    """Record what an extractor found: the name of each document -> its text's and the finds' hash.

    ``corrections`` are the digests of the corrections that were honoured.  What was found in a text
    that the document no longer has is not recorded.
    """
    if not findings:
        return
    statement = (
        update(documents_table)
        .where(
            _d.subdomain == subdomain,
            _d.name == bindparam("of_name"),
            _d.text_sha256 == bindparam("of_text"),
        )
        .values(
            findings_sha256=bindparam("found"),
            findings_of=bindparam("found_in"),
        )
    )
    conn.execute(
        statement,
        [
            {
                "of_name": name,
                "of_text": text,
                "found": found,
                "found_in": _found_in(text, version, corrections.get(name)),
            }
            for name, (text, found) in findings.items()
        ],
    )
    outbox.announce(
        conn, subdomain, [(name, outbox.FINDINGS, text) for name, (text, _) in findings.items()]
    )


def forget_bytes(conn: Connection, subdomain: str, name: str) -> None:
    """Record that the PDF of a document is about to be replaced: it is fetched again if it is not.

    Its text stays until the new bytes are read.
    """
    conn.execute(
        update(documents_table)
        .where(_d.subdomain == subdomain, _d.name == name)
        .values(pdf_sha256=null(), etag=null(), last_modified=null(), version_hint=null())
    )


def mark_gone(conn: Connection, subdomain: str, names: Sequence[str]) -> None:
    """Record that the source no longer offers documents; they stay, and are shown as gone."""
    if not names:
        return
    changed = conn.execute(
        update(documents_table)
        .where(_d.subdomain == subdomain, among(conn, _d.name, names), _d.gone_at.is_(None))
        .values(gone_at=db_now())
        .returning(_d.name, _d.text_sha256)
    )
    outbox.announce(conn, subdomain, [(name, outbox.FACTS, text) for name, text in changed if text])


def mark_seen(conn: Connection, subdomain: str, names: Sequence[str]) -> None:
    """Record that the source still offers documents, unchanged."""
    if not names:
        return
    listed = (_d.subdomain == subdomain) & among(conn, _d.name, names)
    back = conn.execute(
        update(documents_table)
        .where(listed, _d.gone_at.is_not(None))
        .values(gone_at=null())
        .returning(_d.name, _d.text_sha256)
    ).all()
    conn.execute(update(documents_table).where(listed).values(last_seen_at=db_now()))
    outbox.announce(conn, subdomain, [(name, outbox.FACTS, text) for name, text in back if text])


def forget(conn: Connection, subdomain: str, names: Sequence[str]) -> None:
    """Remove documents whose files were deleted on purpose."""
    if not names:
        return
    removed = conn.execute(
        delete(documents_table)
        .where(_d.subdomain == subdomain, among(conn, _d.name, names))
        .returning(_d.name, _d.text_sha256)
    ).all()
    outbox.announce(
        conn, subdomain, [(name, outbox.REMOVED, None) for name, text in removed if text]
    )


def forget_text(conn: Connection, subdomain: str, names: Sequence[str]) -> None:
    """Record that documents have no text any more, so that they are read again."""
    if not names:
        return
    changed = conn.execute(
        update(documents_table)
        .where(_d.subdomain == subdomain, among(conn, _d.name, names))
        .where(_d.text_sha256.is_not(None))
        .values(
            text_sha256=null(),
            text_of=null(),
            reader=null(),
            findings_sha256=null(),
            findings_of=null(),
            failed_pages=0,
        )
        .returning(_d.name)
    ).all()
    outbox.announce(conn, subdomain, [(name, outbox.REMOVED, None) for (name,) in changed])


def forget_findings(conn: Connection, subdomain: str, names: Sequence[str]) -> None:
    """Record that nothing is known of what is in documents, so that it is looked for again."""
    conn.execute(
        update(documents_table)
        .where(_d.subdomain == subdomain, among(conn, _d.name, names))
        .values(**_NO_FINDINGS)
    )


def claim_news(conn: Connection, contents: Mapping[int, str]) -> set[int]:
    """Record that followers are notified of documents' contents; return those they were not before.

    ``contents`` are by the ids of the documents.
    """
    # Locked in one order: two who claim the same documents wait for each other, not in a circle.
    locked = select(_d.id, _d.followed_of).where(_d.id.in_(contents)).order_by(_d.id)
    rows = conn.execute(locked.with_for_update()).all()
    new = {key: contents[key] for key, followed_of in rows if followed_of != contents[key]}
    if new:
        claimed = update(documents_table).where(_d.id == bindparam("document"))
        conn.execute(
            claimed.values(followed_of=bindparam("content")),
            [{"document": key, "content": content} for key, content in new.items()],
        )
    return set(new)


def extract_again(conn: Connection, subdomain: str) -> None:
    """Have all documents of a site looked through again; what was found stays until then."""
    conn.execute(
        update(documents_table).where(_d.subdomain == subdomain).values(findings_of=null())
    )


def meeting_dates(conn: Connection, subdomain: str) -> list[date]:
    """Return the dates of a site's documents, in order."""
    query = select(_d.date).where(_d.subdomain == subdomain, _d.date.is_not(None)).distinct()
    return [day for day in conn.execute(query.order_by(_d.date)).scalars() if day]


_NAMED: Final = {
    store.PDF: (_d.pdf_sha256, document_versions_table.c.pdf_sha256),
    store.TEXT: (_d.text_sha256,),
    store.FINDINGS: (_d.findings_sha256,),
    store.DATABASE: (site_files_table.c.database_sha256,),
}


def named_objects(
    conn: Connection, kind: str, hashes: Sequence[str] | None = None
) -> Iterator[str]:
    """Yield the hashes of the objects of a kind that a row names, or which of some hashes are."""
    for column in _NAMED[kind]:
        query = select(column).where(column.is_not(None))
        if hashes is not None:
            query = query.where(among(conn, column, hashes))
        yield from conn.execute(query.execution_options(yield_per=10_000)).scalars()
