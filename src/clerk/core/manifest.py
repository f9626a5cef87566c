"""The manifest: the truth about documents, and the only module that writes the table ``documents``.

::

    fetch    -> record()            which bytes a document has, and where they came from
    read     -> record_texts()      which text was read from them, and what the document is, in the
                                    transaction that counts it
    people   -> correct()           what it is, for good
    extract  -> record_findings()   which votes and names were found in the text
    compile, publish, search, pages  <- documents(), changes_after()

A row says what is known; files are content under the hashes it names.  Nothing decides by listing a
folder.  Every change of what is published of a document that has text adds a row to the outbox
``document_changes``, in the same transaction.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from datetime import UTC, date, datetime
from types import MappingProxyType
from typing import Any, Final

import msgspec
from sqlalchemy import (
    ColumnElement,
    Connection,
    String,
    Table,
    and_,
    bindparam,
    case,
    cast,
    delete,
    func,
    insert,
    null,
    or_,
    select,
    update,
)

from . import store
from .answers import KeptAnswer, keep_answer
from .db import among, insert_into, reading_connection, writing_to
from .models import (
    db_now,
    document_changes_table,
    document_parts_table,
    document_requests_table,
    document_versions_table,
    documents_table,
    site_files_table,
    sites_table,
    source_meetings_table,
)
from .storage import Document

#: What a row of the outbox says has changed.
TEXT: Final = "text"
FINDINGS: Final = "findings"
FACTS: Final = "facts"
REMOVED: Final = "removed"

#: On PostgreSQL, writers of the outbox share this lock until they commit.  Who reads on takes it
#: alone for a moment: then no number below those that can be seen is still to appear.
_OUTBOX_LOCK: Final = 0x6F7574626F78

#: Seconds between two commits of what a fetch has stored.
_COMMIT_SECONDS: Final = 0.5

#: Up to this many documents are queried by name; more, by reading all rows of the site.
_FEW: Final = 200

_d = documents_table.c
Day = date


#: What is said about a document: by itself, by its source, by people.
FACTS_OF_DOCUMENTS: Final = ("kind", "body", "date", "title")
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
    evidence: Mapping[str, Any] = field(default_factory=dict)
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
    evidence: Mapping[str, Any] = field(default_factory=dict)
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
    evidence: Mapping[str, Any]
    listed: Mapping[str, Any]
    corrections: Mapping[str, Any]
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
    def listed(self) -> Mapping[str, Any]:
        """What the source says of it."""
        said: dict[str, Any] = msgspec.json.decode(self.listed_json)
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
    def listed(self) -> dict[str, Any]:
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
class ListedMeeting:
    """A meeting as the source lists it; ``gap`` says what it lacks."""

    identity: str
    body: str
    title: str
    start_local: str
    timezone: str
    status: str
    source_url: str
    gap: str = ""


@dataclass(frozen=True)
class DocumentRequest:
    """When a document was last asked for, and how often that failed in a row.

    Before ``next_at`` it is not asked for again.  The empty identity is the fetch itself.
    """

    identity: str
    asked_at: datetime
    failures: int = 0
    next_at: datetime | None = None
    error: str = ""


@dataclass(frozen=True)
class KeptVersion:
    """The bytes that a document had, and since when."""

    pdf_sha256: str
    bytes: int
    fetched_at: datetime


@dataclass(frozen=True)
class DocumentChange:
    """A row of the outbox."""

    number: int
    subdomain: str
    name: str
    change: str
    text_sha256: str | None


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
        cast(_d.listed, String) if name == "listed_json" else _d[name]
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
    looks = cast(_d.source_bytes, String) + " " + cast(_d.source_mtime_ns, String)
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
    """Return the documents with text that this version of the extractor has not looked at.

    ``corrections`` are the documents that people corrected, with a digest of the corrections: one
    whose findings honour others is looked at again.
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
    """Return how many documents this version of the extractor has not looked at."""
    query = select(func.count()).where(_is_to_extract(subdomain, version))
    return conn.execute(query).scalar_one()


def _is_to_extract(subdomain: str, version: str) -> ColumnElement[bool]:
    looked_at = _d.findings_of.is_not_distinct_from(_d.text_sha256 + f" {version}")
    return and_(_d.subdomain == subdomain, _d.text_sha256.is_not(None), ~looked_at)


def documents_to_identify(conn: Connection, subdomain: str, version: str) -> list[DocumentRow]:
    """Return the documents that this version of the rules has not looked at, with text or not."""
    query = (
        select(*_ROW)
        .where(_d.subdomain == subdomain)
        .where(_d.identified_of.is_distinct_from(identified_of(_d.text_sha256, version)))
        .order_by(_d.name)
    )
    return [_typed(row) for row in conn.execute(query)]


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


def changes_after(conn: Connection, number: int, limit: int = 1000) -> list[DocumentChange]:
    """Return the changes behind a number of the outbox, oldest first; ask in a short transaction.

    Numbers are given when a row is written and seen when it is committed: on PostgreSQL this waits
    for those who are about to commit, so that no change is ever passed over.
    """
    table = document_changes_table
    behind = select(table.c.number).where(table.c.number > number).limit(1)
    if conn.execute(behind).first() is None:
        return []
    if conn.dialect.name == "postgresql":
        conn.execute(select(func.pg_advisory_xact_lock(_OUTBOX_LOCK)))
    columns = [table.c[each.name] for each in fields(DocumentChange)]
    query = select(*columns).where(table.c.number > number).order_by(table.c.number).limit(limit)
    return [DocumentChange(*row) for row in conn.execute(query)]


def changed_names(conn: Connection, subdomain: str, after: int) -> tuple[list[str] | None, int]:
    """Return the documents of a site that changed behind a number of the outbox, and the last one.

    None if the outbox does not reach back so far.  Ask in a short transaction.
    """
    table = document_changes_table.c
    if conn.dialect.name == "postgresql":
        conn.execute(select(func.pg_advisory_xact_lock(_OUTBOX_LOCK)))
    last = conn.execute(select(func.max(table.number))).scalar() or 0
    if after < oldest_change(conn) - 1 or after > last:
        return None, last
    query = select(table.name).distinct()
    query = query.where(table.subdomain == subdomain, table.number > after, table.number <= last)
    return list(conn.execute(query.order_by(table.name)).scalars()), last


def last_change(conn: Connection) -> int:
    """Return the last number of the outbox, 0 if it is empty; ask in a short transaction."""
    if conn.dialect.name == "postgresql":
        conn.execute(select(func.pg_advisory_xact_lock(_OUTBOX_LOCK)))
    return conn.execute(select(func.max(document_changes_table.c.number))).scalar() or 0


def announce_site(conn: Connection, subdomain: str, change: str) -> None:
    """Announce that facts about a site changed, or that it was removed."""
    _announce(conn, subdomain, [("", change, None)])


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


def oldest_change(conn: Connection) -> int:
    """Return the oldest number in the outbox, 0 if empty; a reader behind it must rebuild."""
    return conn.execute(select(func.min(document_changes_table.c.number))).scalar() or 0


def count_old_changes(conn: Connection, seconds: float) -> int:
    """Return how many rows of the outbox are older than this."""
    return conn.execute(select(func.count()).where(_is_old_change(seconds))).scalar_one()


def delete_old_changes(conn: Connection, seconds: float, limit: int) -> int:
    """Delete rows of the outbox that are older than this, oldest first; return how many.

    The newest row stays: by it a reader knows that it has seen everything.
    """
    number = document_changes_table.c.number
    if conn.dialect.name == "postgresql":
        # No reader advances meanwhile: it finds the changes it has not seen, or rebuilds.
        conn.execute(select(func.pg_advisory_xact_lock(_OUTBOX_LOCK)))
    oldest = select(number).where(_is_old_change(seconds)).order_by(number).limit(limit)
    return conn.execute(delete(document_changes_table).where(number.in_(oldest))).rowcount


def _is_old_change(seconds: float) -> ColumnElement[bool]:
    """Whether a row comes before all that are younger: what is left has no gaps."""
    table = document_changes_table.c
    newest = select(func.max(table.number)).scalar_subquery()
    young = select(table.number).where(table.at >= db_now(-seconds)).order_by(table.at).limit(1)
    return table.number < func.coalesce(young.scalar_subquery(), newest)


# ----------------------------------------------------------------------------------- writing

_NO_FINDINGS = {"findings_sha256": None, "findings_of": None}
_INSERT_DOCUMENT = insert(documents_table)
_INSERT_CHANGE = insert(document_changes_table)


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
    added: list[dict[str, Any]] = []
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
                changes.append((before.name, REMOVED, None))
            changes.append((each.name, FACTS, before.text_sha256))
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
    _announce(conn, subdomain, changes)


def record_versions(
    conn: Connection, document_id: int, former: Sequence[tuple[str, int, datetime]]
) -> None:
    """Record bytes a document had before: their hash, their number, when they were fetched."""
    names = ("document_id", "pdf_sha256", "bytes", "fetched_at")
    rows = [dict(zip(names, (document_id, *each), strict=True)) for each in former]
    _insert_new(conn, document_versions_table, rows)


def _insert_new(conn: Connection, table: Any, rows: list[dict[str, Any]]) -> None:
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
    _announce(conn, subdomain, [(name, TEXT, read.text_sha256) for name, read in texts.items()])


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
        values: dict[str, Any] = {"identified_of": new.identified_of}
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
            changed.append((row.name, FACTS, row.text_sha256))
        conn.execute(update(documents_table).where(_d.id == row.id).values(**values))
    if announce:
        _announce(conn, subdomain, [each for each in changed if each[2]])


def _corrected(found: DocumentIdentity, corrections: Mapping[str, Any]) -> DocumentIdentity:
    """Return an identity with what people said; what was found instead is kept as contradicting."""
    if not corrections:
        return found
    evidence: dict[str, Any] = dict(found.evidence)
    others = list(evidence.get("others", ()))
    facts: dict[str, Any] = {}
    for name, value in corrections.items():
        before = evidence.get(name, {})
        if before.get("source") != PERSON:
            if before.get("value") and before["value"] != value:
                others.insert(0, {"field": name, "fact": before})
            evidence[name] = {"value": value, "source": PERSON, "confidence": 1.0}
        facts[name] = date.fromisoformat(value) if name == "date" and value else value
    if others:
        evidence["others"] = others
    return replace(found, evidence=evidence, **facts)


def correct(
    conn: Connection, subdomain: str, names: Sequence[str], said: Mapping[str, str | None]
) -> int:
    """Record what a person says of documents, and return of how many that is news.

    ``said`` has values by the names of facts; None means that it is not known.  It holds at once
    and for good; parts and votes follow with the next run.
    """
    changed = 0
    query = select(*_ROW).where(_d.subdomain == subdomain, among(conn, _d.name, names))
    for row in [_typed(each) for each in conn.execute(query.with_for_update())]:
        corrections = {**row.corrections, **said}
        if corrections == row.corrections:
            continue
        changed += 1
        facts = {name: getattr(row, name) for name in FACTS_OF_DOCUMENTS}
        before = DocumentIdentity("", **facts, evidence=row.evidence)
        new = _corrected(before, corrections)
        _write_corrections(conn, row, new, corrections)
    return changed


def withdraw_corrections(conn: Connection, subdomain: str, names: Sequence[str]) -> int:
    """Forget what people said of documents, and return of how many; the next run identifies them.

    Until then a fact is what was known beside the correction, or not known.
    """
    changed = 0
    query = select(*_ROW).where(_d.subdomain == subdomain, among(conn, _d.name, names))
    for row in [_typed(each) for each in conn.execute(query.with_for_update())]:
        if not row.corrections:
            continue
        changed += 1
        evidence = dict(row.evidence)
        facts: dict[str, Any] = {name: getattr(row, name) for name in FACTS_OF_DOCUMENTS}
        for name in row.corrections:
            others = evidence.get("others", ())
            facts_beside = [each["fact"] for each in others if each["field"] == name]
            was: dict[str, Any] = facts_beside[0] if facts_beside else {}
            evidence[name] = was
            value = was.get("value")
            facts[name] = date.fromisoformat(value) if name == "date" and value else value
        new = DocumentIdentity("", **facts, evidence=evidence)
        _write_corrections(conn, row, new, {})
    return changed


def _write_corrections(
    conn: Connection, row: DocumentRow, new: DocumentIdentity, corrections: Mapping[str, Any]
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
        _announce(conn, row.subdomain, [(row.name, FACTS, row.text_sha256)])


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
    _announce(conn, subdomain, [(name, FINDINGS, text) for name, (text, _) in findings.items()])


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
    _announce(conn, subdomain, [(name, FACTS, text) for name, text in changed if text])


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
    _announce(conn, subdomain, [(name, FACTS, text) for name, text in back if text])


def forget(conn: Connection, subdomain: str, names: Sequence[str]) -> None:
    """Remove documents whose files were deleted on purpose."""
    if not names:
        return
    removed = conn.execute(
        delete(documents_table)
        .where(_d.subdomain == subdomain, among(conn, _d.name, names))
        .returning(_d.name, _d.text_sha256)
    ).all()
    _announce(conn, subdomain, [(name, REMOVED, None) for name, text in removed if text])


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
    _announce(conn, subdomain, [(name, REMOVED, None) for (name,) in changed])


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


def _announce(
    conn: Connection, subdomain: str, changes: Iterable[tuple[str, str, str | None]]
) -> None:
    """Add changes to the outbox: the name, what changed, and the text's hash."""
    rows = [
        {"subdomain": subdomain, "name": name, "change": change, "text_sha256": text}
        for name, change, text in changes
    ]
    if not rows:
        return
    if conn.dialect.name == "postgresql":
        conn.execute(select(func.pg_advisory_xact_lock_shared(_OUTBOX_LOCK)))
    conn.execute(_INSERT_CHANGE, rows)


# ------------------------------------------------------------------ what a fetch remembers


def record_meetings(conn: Connection, subdomain: str, meetings: Sequence[ListedMeeting]) -> None:
    """Record meetings as they were listed last, and count changes that concern a calendar."""
    known = source_meetings_table.c

    def counted(new: Any) -> dict[str, Any]:
        differs = or_(*(known[name] != new[name] for name in _IN_CALENDARS))
        return {
            "sequence": known.sequence + case((differs, 1), else_=0),
            "changed_at": case((differs, db_now()), else_=known.changed_at),
        }

    _replace(conn, source_meetings_table, subdomain, meetings, counted)


#: What a calendar shows of a meeting.
_IN_CALENDARS: Final = ("body", "title", "start_local", "timezone", "status")


def listed_meetings(
    conn: Connection, subdomain: str, body: str | None = None
) -> list[tuple[ListedMeeting, int, datetime | None]]:
    """Return the meetings that a site's source lists, how often each changed, and when last."""
    table = source_meetings_table.c
    columns = [table[each.name] for each in fields(ListedMeeting)]
    query = select(*columns, table.sequence, table.changed_at).where(table.subdomain == subdomain)
    if body is not None:
        query = query.where(table.body == body)
    rows = conn.execute(query.order_by(table.start_local, table.identity))
    return [(ListedMeeting(*row[:-2]), row[-2], row[-1]) for row in rows]


def _replace(
    conn: Connection,
    table: Table,
    subdomain: str,
    records: Sequence[ListedMeeting] | Sequence[DocumentRequest],
    more: Callable[[Any], dict[str, Any]] = lambda new: {},
) -> None:
    """Write records of a site in place of those with the same identity.

    ``more`` returns further columns of those that are there, given the new row.
    """
    if not records:
        return
    names = [each.name for each in fields(records[0])]
    statement = insert_into(conn, table)
    replaced = {name: statement.excluded[name] for name in names if name != "identity"}
    statement = statement.on_conflict_do_update(
        index_elements=["subdomain", "identity"], set_=replaced | more(statement.excluded)
    )
    rows = [
        {"subdomain": subdomain} | {name: getattr(each, name) for name in names} for each in records
    ]
    conn.execute(statement, rows)


def document_requests(conn: Connection, subdomain: str) -> dict[str, DocumentRequest]:
    """Return when the documents of a site were asked for, by their identity."""
    columns = [document_requests_table.c[each.name] for each in fields(DocumentRequest)]
    query = select(*columns).where(document_requests_table.c.subdomain == subdomain)
    return {row.identity: DocumentRequest(*row) for row in conn.execute(query)}


def record_requests(conn: Connection, subdomain: str, asked: Sequence[DocumentRequest]) -> None:
    """Record when documents were asked for."""
    _replace(conn, document_requests_table, subdomain, asked)


def forget_request(conn: Connection, subdomain: str, identity: str) -> None:
    """Forget when something was asked for."""
    table = document_requests_table.c
    conn.execute(
        delete(document_requests_table).where(
            table.subdomain == subdomain, table.identity == identity
        )
    )


def last_full_listing(conn: Connection, subdomain: str) -> datetime | None:
    """Return when the source of a site was last listed from its beginning."""
    table = site_files_table.c
    query = select(table.listed_at).where(table.subdomain == subdomain)
    return conn.execute(query).scalar()


def record_full_listing(conn: Connection, subdomain: str, at: datetime) -> None:
    """Record that the source of a site was listed from its beginning."""
    _note(conn, subdomain, listed_at=at)


def record_scan(conn: Connection, subdomain: str) -> None:
    """Record that a site's folder was compared with the manifest."""
    _note(conn, subdomain, scanned_at=db_now())


def is_scanned(conn: Connection, subdomain: str) -> bool:
    """Whether a site's folder was ever compared with the manifest."""
    table = site_files_table.c
    query = select(table.scanned_at).where(table.subdomain == subdomain)
    return conn.execute(query).scalar() is not None


def unscanned_sites(conn: Connection) -> list[str]:
    """Return the sites whose folders were never compared with the manifest, in order."""
    scanned = select(site_files_table.c.subdomain).where(site_files_table.c.scanned_at.is_not(None))
    sites = sites_table.c.subdomain
    return list(conn.execute(select(sites).where(sites.not_in(scanned)).order_by(sites)).scalars())


def make_database_current(
    conn: Connection, subdomain: str, before: str | None, sha256: str, digest: str
) -> bool:
    """Make a compiled database the one that readers get, if it was built from the current one.

    Returns whether it is current now; if not, another one was made current meanwhile.
    """
    _note(conn, subdomain)
    table = site_files_table
    changed = conn.execute(
        update(table)
        .where(table.c.subdomain == subdomain)
        .where(table.c.database_sha256.is_not_distinct_from(before))
        .values(database_sha256=sha256, database_digest=digest)
    )
    return bool(changed.rowcount)


def current_databases(conn: Connection) -> dict[str, str]:
    """Return the hash of the compiled database of every site that has one."""
    table = site_files_table.c
    query = select(table.subdomain, table.database_sha256).where(table.database_sha256.is_not(None))
    return {row.subdomain: row.database_sha256 for row in conn.execute(query)}


def current_database(conn: Connection, subdomain: str) -> str | None:
    """Return the hash of the compiled database that readers get."""
    table = site_files_table.c
    query = select(table.database_sha256).where(table.subdomain == subdomain)
    return conn.execute(query).scalar()


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


def _note(conn: Connection, subdomain: str, **values: Any) -> None:
    statement = insert_into(conn, site_files_table).values(subdomain=subdomain, **values)
    if values:
        statement = statement.on_conflict_do_update(index_elements=["subdomain"], set_=values)
    else:
        statement = statement.on_conflict_do_nothing()
    conn.execute(statement)


# ------------------------------------------------------------------------- for one who fetches


class SiteManifest:
    """The manifest of one site, for the process that fetches it; writes are committed in groups.

    ``check`` is called in every transaction that writes, and raises if the run may write no more.
    ``on_stored`` is called in the transaction that records documents, with their names.
    """

    def __init__(
        self,
        sql_url: str,
        subdomain: str,
        check: Callable[[Connection], None] = lambda conn: None,
        on_stored: Callable[[Connection, Sequence[str]], None] = lambda conn, names: None,
    ) -> None:
        self._sql_url = sql_url
        self.subdomain = subdomain
        self._check = check
        self._on_stored = on_stored
        self._fetched: dict[str, FetchedDocument] = {}
        self._seen: list[str] = []
        self._meetings: dict[str, ListedMeeting] = {}
        self._asked: dict[str, DocumentRequest] = {}
        self._committed_at = time.monotonic()

    def __enter__(self) -> SiteManifest:
        return self

    def __exit__(self, *_: object) -> None:
        self.commit()

    def documents(self) -> list[DocumentRow]:
        """Return everything that is known of the site's documents."""
        with reading_connection(self._sql_url) as conn:
            return documents(conn, self.subdomain)

    def known_documents(self, identities: Sequence[str] | None = None) -> list[KnownDocument]:
        """Return what a fetch asks about the site's documents, or about some of them."""
        with reading_connection(self._sql_url) as conn:
            return known_documents(conn, self.subdomain, identities)

    def known_files(
        self, seen_before: datetime
    ) -> Sequence[tuple[str | None, str, str | None, bool]]:
        """Return the site's documents as they are compared with a folder."""
        with reading_connection(self._sql_url) as conn:
            return known_files(conn, self.subdomain, seen_before)

    def record(self, fetched: FetchedDocument) -> None:
        """Record a document whose bytes are stored."""
        self._fetched[fetched.name] = fetched
        self._commit_if_due()

    def record_unchanged(self, name: str) -> None:
        """Record that the source still offers a document as it is."""
        self._seen.append(name)

    def record_meeting(self, meeting: ListedMeeting) -> None:
        """Record a meeting as it was listed."""
        self._meetings[meeting.identity] = meeting
        self._commit_if_due()

    def requests(self) -> dict[str, DocumentRequest]:
        """Return when the site's documents were asked for, by their identity."""
        with reading_connection(self._sql_url) as conn:
            return document_requests(conn, self.subdomain)

    def record_request(self, asked: DocumentRequest) -> None:
        """Record that a document was asked for."""
        self._asked[asked.identity] = asked
        self._commit_if_due()

    def begin_fetch(self, at: datetime) -> datetime | None:
        """Record that a fetch begins; return when the one began that was not finished, if any."""
        begun = self.requests().get("")
        if begun is None:
            with self._writing() as conn:
                record_requests(conn, self.subdomain, [DocumentRequest("", at)])
        return begun.asked_at if begun else None

    def end_fetch(self) -> None:
        """Record that the fetch asked for everything that was due."""
        with self._writing() as conn:
            forget_request(conn, self.subdomain, "")

    def mark_gone(self, names: Sequence[str]) -> None:
        """Record that the source no longer offers documents."""
        with self._writing() as conn:
            mark_gone(conn, self.subdomain, names)

    def forget_bytes(self, name: str) -> None:
        """Record that the PDF of a document is about to be replaced."""
        with self._writing() as conn:
            forget_bytes(conn, self.subdomain, name)

    def keep_answer(self, kind: str, url: str, text: str, now: datetime) -> KeptAnswer:
        """Keep what a host returned and nobody understood."""
        with self._writing() as conn:
            return keep_answer(conn, self.subdomain, kind, url, text, now)

    def last_full_listing(self) -> datetime | None:
        """Return when the source was last listed from its beginning."""
        with reading_connection(self._sql_url) as conn:
            return last_full_listing(conn, self.subdomain)

    def record_full_listing(self, at: datetime) -> None:
        """Record that the source was listed from its beginning."""
        with self._writing() as conn:
            record_full_listing(conn, self.subdomain, at)

    def commit(self) -> None:
        """Write what was recorded since the last time."""
        if self._fetched or self._seen or self._meetings or self._asked:
            with self._writing() as conn:
                record(conn, self.subdomain, list(self._fetched.values()))
                mark_seen(conn, self.subdomain, self._seen)
                record_meetings(conn, self.subdomain, list(self._meetings.values()))
                record_requests(conn, self.subdomain, list(self._asked.values()))
                if self._fetched:
                    self._on_stored(conn, list(self._fetched))
        self._fetched, self._seen, self._meetings, self._asked = {}, [], {}, {}
        self._committed_at = time.monotonic()

    def commit_stored(self) -> None:
        """Write documents that are stored, before something that may take long."""
        if self._fetched:
            self.commit()

    def _commit_if_due(self) -> None:
        if time.monotonic() - self._committed_at > _COMMIT_SECONDS:
            self.commit()

    @contextlib.contextmanager
    def _writing(self) -> Iterator[Connection]:
        with writing_to(self._sql_url) as conn:
            self._check(conn)
            yield conn
