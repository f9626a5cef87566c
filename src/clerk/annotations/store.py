"""Annotations in the database: the only module that reads and writes their tables.

::

    project, document --- sets, one of them current --- denotations, blocks, relations, attributes

The rows of a set are never changed.  Whatever happens to a document's annotations writes a new set
and makes it the current one in one transaction; the former set stays until it is cleaned up.  So a
reader sees the old set or the new one, and rollback makes the former set current again.  A writer
names the set it built on: if another writer was quicker, nothing is changed and :class:`Outpaced`
is raised.

Rows are tuples ready for COPY and executemany, without set and position, which come first:

=============  ==================================================================================
denotations    id, begin, end, pieces, obj, value
relations      id, subj, pred, obj
attributes     id, subj, pred, value
=============  ==================================================================================

Blocks have the rows of denotations.  ``begin`` and ``end`` are the outermost of a discontinuous
mention; ``pieces`` is then the JSON list of its spans, else None.  ``obj`` is the label; ``value``
is its JSON where the label is not a string, else None.  The value of an attribute is always JSON.
"""

from __future__ import annotations

import hashlib
from array import array
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, TypeVar

import msgspec
from sqlalchemy import (
    ColumnElement,
    Connection,
    Row,
    String,
    Table,
    and_,
    cast,
    delete,
    false,
    func,
    insert,
    or_,
    select,
    update,
)
from sqlalchemy.exc import IntegrityError

from clerk.core.errors import Conflict, InvalidInput, NotFound, OperatorError
from clerk.core.models import (
    SET_TABLES,
    annotation_documents_table,
    annotation_projects_table,
    annotation_sets_table,
    annotation_texts_table,
    annotation_uploads_table,
    attributes_table,
    blocks_table,
    db_now,
    denotations_table,
    relations_table,
)

from .objects import AnnotationSet, Attribute, Denotation, Orphans, Relation, Span

documents, sets, projects, texts, uploads = (
    annotation_documents_table,
    annotation_sets_table,
    annotation_projects_table,
    annotation_texts_table,
    annotation_uploads_table,
)
ROW_TABLES: dict[str, Table] = {
    "denotations": denotations_table,
    "blocks": blocks_table,
    "relations": relations_table,
    "attributes": attributes_table,
}

#: Values in one IN list.
CHUNK = 1_000
#: The name of a project is used in commands and file names.
PROJECT_LENGTH = 200

_encode = msgspec.json.Encoder().encode

Values = tuple[Any, ...]
#: The rows of a set by table, without their keys, in order.
Rows = Mapping[str, Sequence[Values]]
Key = tuple[str, str]
T = TypeVar("T")


class CountsDiffer(OperatorError):
    """The rows of sets are not as many as the sets say."""


class Outpaced(Conflict):
    """Another upload changed the same document meanwhile."""


#: What somebody may do in a project: see it, change its annotations, decide who may.
READER, EDITOR, OWNER = "reader", "editor", "owner"
PROJECT_ROLES = (READER, EDITOR, OWNER)


@dataclass(frozen=True)
class Project:
    """A project and how much it has."""

    id: int
    name: str
    documents: int
    denotations: int
    blocks: int
    relations: int
    attributes: int
    created_at: datetime
    #: Who created it, and whether everybody sees it.
    owner: str | None = None
    is_public: bool = False
    #: People and their roles in it.
    members: Mapping[str, str] = field(default_factory=dict)

    def role_of(self, who: str | None) -> str | None:
        """Return the role that somebody has in the project; whoever created it owns it."""
        if who is None:
            return None
        return OWNER if who == self.owner else self.members.get(who)


@dataclass(frozen=True)
class StoredDocument:
    """A document that annotations can be about, without its text."""

    id: int
    digest: str


@dataclass(frozen=True)
class NewDocument:
    """A document to be created."""

    key: Key
    text: str
    digest: str


@dataclass(frozen=True)
class SetHead:
    """A set without its rows."""

    id: int
    document_id: int
    counts: Mapping[str, int]
    namespaces: str | None = None
    tracks: str | None = None
    #: Annotations without a place in the document's text: how many, and they as JSON.
    orphaned: int = 0
    orphans: str | None = None
    #: The former text it is about; None: the document's text.
    text_id: int | None = None
    former_id: int | None = None
    job_id: int | None = None
    is_current: bool = True

    @property
    def size(self) -> int:
        """How many annotations are in it."""
        return sum(self.counts.values())

    @property
    def is_empty(self) -> bool:
        """Whether there is no annotation in it."""
        return not self.size


@dataclass(frozen=True)
class NewSet:
    """A set that replaces the one it was built on."""

    #: The id of the document, or the key of one that is created with it.
    document: int | Key
    rows: Rows
    former: SetHead | None = None
    namespaces: str | None = None
    tracks: str | None = None
    #: Whether it contains everything of the former set, so that only the rest is new.
    keeps_former: bool = False
    orphans: Sequence[Orphans] = ()


@dataclass
class Stored:
    """What was stored: documents whose annotations changed, and annotations that are new.

    ``cleared`` counts documents that have no annotations any more, and by how many annotations
    lists became shorter; ``refused`` counts objects of which nothing was stored.
    """

    documents: int = 0
    counts: dict[str, int] = field(default_factory=lambda: dict.fromkeys(SET_TABLES, 0))
    cleared: Counter[str] = field(default_factory=Counter)
    refused: int = 0

    def add(self, more: Stored) -> None:
        """Add what else was stored."""
        self.documents += more.documents
        self.refused += more.refused
        self.cleared.update(more.cleared)
        for name, number in more.counts.items():
            self.counts[name] += number

    def by_name(self) -> dict[str, int]:
        """Return what was stored under the names it is shown by."""
        return {"documents": self.documents, **self.counts}


def digest_of(text: str) -> str:
    """Return the hash by which two texts are compared."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


# ----------------------------------------------------------------- annotations as rows, and back


def rows_from(annotations: AnnotationSet) -> Rows:
    """Return annotations as rows, by table."""
    return {
        "denotations": denotation_rows(annotations.denotations),
        "blocks": denotation_rows(annotations.blocks),
        "relations": [(each.id, each.subj, each.pred, each.obj) for each in annotations.relations],
        "attributes": [
            (each.id, each.subj, each.pred, _encode(each.obj).decode())
            for each in annotations.attributes
        ],
    }


def denotation_rows(denotations: list[Denotation]) -> list[Values]:
    """Return a row for each denotation or block."""
    plain = {type(each.span) for each in denotations} <= {Span}
    if plain and {type(each.obj) for each in denotations} <= {str}:
        return [
            (each.id, (span := each.span).begin, span.end, None, each.obj, None)  # type: ignore[union-attr]
            for each in denotations
        ]
    rows: list[Values] = []
    for each in denotations:
        spans = each.spans
        begin, end = min(span.begin for span in spans), max(span.end for span in spans)
        pieces = None
        if len(spans) > 1:
            pieces = _encode([(span.begin, span.end) for span in spans]).decode()
        if isinstance(each.obj, str):
            rows.append((each.id, begin, end, pieces, each.obj, None))
        else:
            value = _encode(each.obj).decode()
            rows.append((each.id, begin, end, pieces, value, value))
    return rows


def annotations_from(rows: Rows) -> AnnotationSet:
    """Return rows as annotations."""
    return AnnotationSet(
        denotations=[_denotation(*row) for row in rows["denotations"]],
        blocks=[_denotation(*row) for row in rows["blocks"]],
        relations=[Relation(id=name, subj=s, pred=p, obj=o) for name, s, p, o in rows["relations"]],
        attributes=[
            Attribute(id=name, subj=subj, pred=pred, obj=msgspec.json.decode(value))
            for name, subj, pred, value in rows["attributes"]
        ],
    )


def _denotation(
    name: str, begin: int, end: int, pieces: str | None, obj: str, value: str | None
) -> Denotation:
    span: Any = Span(begin, end)
    if pieces is not None:
        span = [Span(*piece) for piece in msgspec.json.decode(pieces)]
    return Denotation(span, obj if value is None else msgspec.json.decode(value), name)


# ------------------------------------------------------------------------------- projects


def check_project_name(name: str) -> str:
    """Return the name, or raise `InvalidInput`."""
    if not name.strip() or len(name) > PROJECT_LENGTH or not name.isprintable():
        raise InvalidInput(
            f"{name!r} is not a valid project name.",
            hint=f"Use 1 to {PROJECT_LENGTH} printable characters.",
        )
    return name


def make_project(
    conn: Connection, name: str, owner: str | None = None, *, is_public: bool = False
) -> int:
    """Return the id of a project, which is created if it does not exist."""
    found = find_project(conn, check_project_name(name))
    if found is not None:
        return found
    with conn.begin_nested() as attempt:
        try:
            made: int = conn.execute(
                insert(projects)
                .values(name=name, owner=owner, is_public=is_public)
                .returning(projects.c.id)
            ).scalar_one()
            return made
        except IntegrityError:
            attempt.rollback()
    return require_project(conn, name)


def find_project(conn: Connection, name: str) -> int | None:
    """Return the id of a project, or None."""
    return conn.execute(select(projects.c.id).where(projects.c.name == name)).scalar()


def require_project(conn: Connection, name: str) -> int:
    """Return the id of a project; if there is none, the error names those that exist."""
    found = find_project(conn, name)
    if found is None:
        known = conn.execute(select(projects.c.name).order_by(projects.c.name).limit(10)).scalars()
        raise NotFound(
            f"There is no project {name!r}.", hint=f"There are: {', '.join(known) or 'none yet'}."
        )
    return found


def all_projects(conn: Connection) -> list[Project]:
    """Return the projects with their counts, by name."""
    shown = [column for column in projects.columns if column.name != "deleted_at"]
    chosen = select(*shown).where(projects.c.deleted_at.is_(None)).order_by(projects.c.name)
    return [Project(**row._mapping) for row in conn.execute(chosen)]


def rename_project(conn: Connection, project_id: int, name: str, *, deleted: bool = False) -> None:
    """Give a project another name; a deleted one is not listed any more."""
    moment = db_now() if deleted else None
    chosen = update(projects).where(projects.c.id == project_id)
    conn.execute(chosen.values(name=name, deleted_at=moment))


def rename_document(
    conn: Connection, document_id: int, sourceid: str, *, deleted: bool = False
) -> None:
    """Give a document another name; a deleted one is not listed any more."""
    moment = db_now() if deleted else None
    chosen = update(documents).where(documents.c.id == document_id)
    conn.execute(chosen.values(sourceid=sourceid, deleted_at=moment))


def size_of_project(conn: Connection, project_id: int) -> tuple[int, int]:
    """Return how many documents and annotations a project has."""
    row = conn.execute(select(projects).where(projects.c.id == project_id)).one()
    return row.documents, sum(row._mapping[name] for name in SET_TABLES)


def heads_of(conn: Connection, ids: Iterable[int]) -> dict[int, SetHead]:
    """Return sets by the id of their project."""
    chosen = select(sets).where(sets.c.id.in_(list(ids)))
    return {row.project_id: _head(row) for row in conn.execute(chosen)}


def set_members(conn: Connection, project_id: int, members: Mapping[str, str]) -> None:
    """Say who has which role in a project."""
    conn.execute(update(projects).where(projects.c.id == project_id).values(members=dict(members)))


def set_public(conn: Connection, project_id: int, is_public: bool) -> None:
    """Say whether people who are not logged in see a project."""
    conn.execute(update(projects).where(projects.c.id == project_id).values(is_public=is_public))


# -------------------------------------------------------------------------------- reading


def find_documents(conn: Connection, keys: Collection[Key]) -> dict[Key, StoredDocument]:
    """Return those of the documents that exist."""
    found: dict[Key, StoredDocument] = {}
    by_source: dict[str, list[str]] = {}
    for sourcedb, sourceid in keys:
        by_source.setdefault(sourcedb, []).append(sourceid)
    for sourcedb, names in by_source.items():
        for some in _chunks(names):
            chosen = select(documents.c.sourceid, documents.c.id, documents.c.digest).where(
                documents.c.sourcedb == sourcedb, documents.c.sourceid.in_(some)
            )
            for sourceid, number, digest in conn.execute(chosen):
                found[sourcedb, sourceid] = StoredDocument(number, digest)
    return found


def texts_of(conn: Connection, ids: Collection[int]) -> dict[int, str]:
    """Return the texts of documents."""
    found: dict[int, str] = {}
    for some in _chunks(ids):
        chosen = select(documents.c.id, documents.c.text).where(documents.c.id.in_(some))
        found.update(map(tuple, conn.execute(chosen)))
    return found


def current_sets(
    conn: Connection, project_id: int, document_ids: Collection[int]
) -> dict[int, SetHead]:
    """Return the current sets of a project on documents, by document."""
    found = {}
    for some in _chunks(document_ids):
        chosen = select(sets).where(
            sets.c.project_id == project_id, sets.c.document_id.in_(some), sets.c.is_current
        )
        found.update({row.document_id: _head(row) for row in conn.execute(chosen)})
    return found


def _head(row: Row[Any]) -> SetHead:
    mapping = row._mapping
    counts = {name: mapping[name] for name in SET_TABLES}
    return SetHead(
        row.id,
        row.document_id,
        counts,
        row.namespaces,
        row.tracks,
        row.orphaned,
        row.orphans,
        row.text_id,
        row.former_id,
        row.job_id,
        row.is_current,
    )


def orphans_of(head: SetHead) -> list[Orphans]:
    """Return the annotations of a set that have no place in the document's text."""
    return msgspec.json.decode(head.orphans, type=list[Orphans]) if head.orphans else []


def rows_of(conn: Connection, heads: Collection[SetHead]) -> dict[int, dict[str, list[Values]]]:
    """Return the rows of sets, without their keys, by set and table."""
    found: dict[int, dict[str, list[Values]]] = {
        head.id: {name: [] for name in SET_TABLES} for head in heads
    }
    cursor: Any = conn.connection.cursor()
    for name, table in ROW_TABLES.items():
        columns = ", ".join(column.name for column in table.columns[2:])
        filled = sorted((head.id, head.counts[name]) for head in heads if head.counts[name])
        for some in _chunks(filled):
            numbers = ", ".join(str(number) for number, _ in some)
            # There may be millions of rows: the driver's tuples are used as they are, and divided
            # by the counts of the sets, which were written with them.
            cursor.execute(
                f"SELECT {columns} FROM {table.name} WHERE set_id IN ({numbers})"
                " ORDER BY set_id, position"
            )
            rows, start = cursor.fetchall(), 0
            for number, count in some:
                found[number][name] = rows[start : start + count]
                start += count
            if start != len(rows):
                raise CountsDiffer(f"Sets {numbers} have {len(rows)} {name}, not {start}.")
    cursor.close()
    return found


@dataclass(frozen=True)
class Annotated:
    """A document with the set a project has on it."""

    key: Key
    text: str
    head: SetHead
    rows: Rows
    #: When it was stored and by whom, if that was asked for.
    stored_at: datetime | None = None
    stored_by: str | None = None


def read_project(
    conn: Connection,
    project_id: int,
    *,
    sourcedb: str | None = None,
    at_once: int = 200,
    dated: bool = False,
    limit: int | None = None,
    offset: int = 0,
) -> Iterator[Annotated]:
    """Yield the documents of a project in the order of their names.

    The documents are sorted once; texts and annotations are read of a few at a time.  Sets that are
    replaced meanwhile are read as they were.
    """
    chosen = (
        select(sets.c.id)
        .join(documents, documents.c.id == sets.c.document_id)
        .where(sets.c.project_id == project_id, sets.c.is_current)
        .order_by(documents.c.sourcedb, documents.c.sourceid)
    )
    if sourcedb is not None:
        chosen = chosen.where(documents.c.sourcedb == sourcedb)
    if limit is not None:
        chosen = chosen.limit(limit).offset(offset)
    ordered = array("q", conn.execute(chosen).scalars())
    needed = [column for column in sets.columns if not column.name.endswith("_at")]
    named: Any = select(*needed, documents.c.sourcedb, documents.c.sourceid, documents.c.text)
    named = named.join(documents, documents.c.id == sets.c.document_id)
    if dated:
        named = named.add_columns(sets.c.stored_at, uploads.c.created_by)
        named = named.outerjoin(uploads, uploads.c.job_id == sets.c.job_id)
    for start in range(0, len(ordered), at_once):
        some = ordered[start : start + at_once]
        found = {row.id: row for row in conn.execute(named.where(sets.c.id.in_(some))).all()}
        heads = {number: _head(row) for number, row in found.items()}
        rows = rows_of(conn, heads.values())
        for number in some:
            if number in found:
                row = found[number]
                key = (row.sourcedb, row.sourceid)
                when = (row.stored_at, row.created_by) if dated else ()
                yield Annotated(key, row.text, heads[number], rows[number], *when)


@dataclass(frozen=True)
class ProjectTrack:
    """The annotations of a project on a document."""

    project: str
    found: Annotated


def tracks_on(conn: Connection, key: Key, project_ids: Collection[int]) -> list[ProjectTrack]:
    """Return the current sets of some projects on a document, by the name of the project."""
    chosen = (
        select(
            sets,
            documents.c.sourcedb,
            documents.c.sourceid,
            documents.c.text,
            projects.c.name,
            uploads.c.created_by,
        )
        .join(documents, documents.c.id == sets.c.document_id)
        .join(projects, projects.c.id == sets.c.project_id)
        .outerjoin(uploads, uploads.c.job_id == sets.c.job_id)
        .where(documents.c.sourcedb == key[0], documents.c.sourceid == key[1], sets.c.is_current)
        .where(sets.c.project_id.in_(list(project_ids)))
        .order_by(projects.c.name)
    )
    rows = conn.execute(chosen).all()
    heads = [_head(row) for row in rows]
    found = rows_of(conn, heads)
    return [
        ProjectTrack(
            row.name,
            Annotated(key, row.text, head, found[head.id], row.stored_at, row.created_by),
        )
        for row, head in zip(rows, heads, strict=True)
    ]


@dataclass(frozen=True)
class FoundDenotation:
    """A denotation as a list shows it."""

    project: str
    sourcedb: str
    sourceid: str
    id: str
    label: str
    begin: int
    end: int
    quote: str


def find_denotations(
    conn: Connection,
    project_ids: Collection[int],
    *,
    label: str = "",
    text: str = "",
    limit: int = 50,
    offset: int = 0,
) -> list[FoundDenotation]:
    """Return denotations of projects with this label whose words contain this text."""
    rows = denotations_table
    quote = func.substr(
        documents.c.text, rows.c.span_begin + 1, rows.c.span_end - rows.c.span_begin
    )
    chosen = (
        select(
            projects.c.name,
            documents.c.sourcedb,
            documents.c.sourceid,
            rows.c.id,
            rows.c.obj,
            rows.c.span_begin,
            rows.c.span_end,
            quote.label("quote"),
        )
        .select_from(rows)
        .join(sets, sets.c.id == rows.c.set_id)
        .join(documents, documents.c.id == sets.c.document_id)
        .join(projects, projects.c.id == sets.c.project_id)
        .where(sets.c.is_current, sets.c.project_id.in_(list(project_ids)))
        .order_by(rows.c.set_id, rows.c.position)
        .limit(limit)
        .offset(offset)
    )
    if label:
        chosen = chosen.where(rows.c.obj == label)
    if text:
        chosen = chosen.where(quote.icontains(text, autoescape=True))
    return [FoundDenotation(*row) for row in conn.execute(chosen)]


def count_labels(conn: Connection, project_ids: Collection[int]) -> list[tuple[str, str, int]]:
    """Return (project, label, number of denotations), the most frequent first."""
    number = func.count()
    chosen = (
        select(projects.c.name, denotations_table.c.obj, number)
        .select_from(denotations_table)
        .join(sets, sets.c.id == denotations_table.c.set_id)
        .join(projects, projects.c.id == sets.c.project_id)
        .where(sets.c.is_current, sets.c.project_id.in_(list(project_ids)))
        .group_by(projects.c.name, denotations_table.c.obj)
        .order_by(number.desc(), denotations_table.c.obj, projects.c.name)
        .limit(500)
    )
    return [(name, label, times) for name, label, times in conn.execute(chosen)]


@dataclass(frozen=True)
class SetWithOrphans:
    """A document on which a project has annotations without a place in its text."""

    project: str
    key: Key
    orphans: Sequence[Orphans]


def sets_with_orphans(
    conn: Connection, project_id: int | None = None, sourcedb: str | None = None
) -> Iterator[SetWithOrphans]:
    """Yield the current sets that have annotations without a place, by project and document."""
    chosen = (
        select(sets, documents.c.sourcedb, documents.c.sourceid, projects.c.name)
        .join(documents, documents.c.id == sets.c.document_id)
        .join(projects, projects.c.id == sets.c.project_id)
        .where(sets.c.is_current, sets.c.orphaned > 0, projects.c.deleted_at.is_(None))
        .order_by(projects.c.name, documents.c.sourcedb, documents.c.sourceid)
    )
    if project_id is not None:
        chosen = chosen.where(sets.c.project_id == project_id)
    if sourcedb is not None:
        chosen = chosen.where(documents.c.sourcedb == sourcedb)
    for row in conn.execute(chosen):
        yield SetWithOrphans(row.name, (row.sourcedb, row.sourceid), orphans_of(_head(row)))


# -------------------------------------------------------------------------------- writing


_SET_COLUMNS = (
    "id",
    "project_id",
    "document_id",
    "job_id",
    "former_id",
    "is_current",
    *SET_TABLES,
    "namespaces",
    "tracks",
    "orphaned",
    "orphans",
)


def store(
    conn: Connection,
    project_id: int,
    job_id: int | None,
    new_documents: Sequence[NewDocument],
    new_sets: Sequence[NewSet],
    *,
    former_id: int | None = None,
) -> Stored:
    """Write documents and sets; each set replaces the one it was built on.

    ``former_id`` names the set before one that takes the place of no current set.

    Raises :class:`Outpaced` if one of those is not current any more; the transaction must then be
    rolled back.
    """
    # In the order of their names, so that two writers cannot deadlock.
    ordered = sorted(new_documents, key=lambda each: each.key)
    numbers = _new_ids(conn, documents, len(ordered))
    made = {each.key: number for each, number in zip(ordered, numbers, strict=True)}
    write_rows(
        conn,
        documents,
        ("id", "sourcedb", "sourceid", "digest", "text", "job_id"),
        ((made[each.key], *each.key, each.digest, each.text, job_id) for each in ordered),
    )

    for some in _chunks(sorted(each.former.id for each in new_sets if each.former)):
        retired = conn.execute(
            update(sets)
            .where(sets.c.id.in_(some), sets.c.is_current)
            .values(is_current=False, retired_at=db_now())
        )
        if retired.rowcount != len(some):
            raise Outpaced()
    numbered = list(zip(_new_ids(conn, sets, len(new_sets)), new_sets, strict=True))
    set_rows = (
        (
            number,
            project_id,
            each.document if isinstance(each.document, int) else made[each.document],
            job_id,
            each.former.id if each.former else former_id,
            True,
            *(len(each.rows[name]) for name in SET_TABLES),
            each.namespaces,
            each.tracks,
            sum(len(some.annotations) for some in each.orphans),
            _encode(list(each.orphans)).decode() if each.orphans else None,
        )
        for number, each in numbered
    )
    write_rows(conn, sets, _SET_COLUMNS, set_rows)

    stored = Stored(len(new_sets))
    for each in new_sets:
        fewer = fewer_than_before(each)
        stored.cleared.update(fewer)
        stored.cleared["documents"] += bool(fewer) and not any(map(len, each.rows.values()))
    more = {"documents": sum(each.former is None for each in new_sets)}
    for name, table in ROW_TABLES.items():
        rows = (
            (number, position, *row)
            for number, each in numbered
            for position, row in enumerate(each.rows[name])
        )
        written = write_rows(conn, table, [column.name for column in table.columns], rows)
        formers = [
            (each.former.counts[name], each.keeps_former) for each in new_sets if each.former
        ]
        stored.counts[name] = written - sum(number for number, kept in formers if kept)
        more[name] = written - sum(number for number, _ in formers)
    # Last of all: the project's row is shared with other writers.
    _add_to_project(conn, project_id, more)
    return stored


def fewer_than_before(new: NewSet) -> dict[str, int]:
    """Return how many annotations less than the former set a set has, for each list.

    Those that became orphans are kept: they are reported as such.
    """
    orphaned = sum(len(each.annotations) for each in new.orphans)
    if new.former is None or orphaned > new.former.orphaned:
        return {}
    fewer = {name: new.former.counts[name] - len(new.rows[name]) for name in SET_TABLES}
    return {name: number for name, number in fewer.items() if number > 0}


def _add_to_project(conn: Connection, project_id: int, more: Mapping[str, int]) -> None:
    if any(more.values()):
        conn.execute(
            update(projects)
            .where(projects.c.id == project_id)
            .values({name: projects.c[name] + number for name, number in more.items()})
        )


def _new_ids(conn: Connection, table: Table, rows: int) -> Sequence[int]:
    """Return ids for new rows of a table."""
    if not rows:
        return ()
    if conn.dialect.name == "sqlite":
        first: int = conn.execute(select(func.coalesce(func.max(table.c.id), 0) + 1)).scalar_one()
        return range(first, first + rows)
    sequence = func.pg_get_serial_sequence(table.name, "id")
    drawn = select(func.nextval(sequence)).select_from(func.generate_series(1, rows))
    return conn.execute(drawn).scalars().all()


def write_rows(
    conn: Connection, table: Table, columns: Sequence[str], rows: Iterable[Values]
) -> int:
    """Write many rows by the fastest way of the database and return how many."""
    cursor: Any = conn.connection.cursor()
    named = ", ".join(columns)
    try:
        if conn.dialect.name == "sqlite":
            marks = ", ".join("?" for _ in columns)
            cursor.executemany(f"INSERT INTO {table.name} ({named}) VALUES ({marks})", rows)
            return max(0, int(cursor.rowcount))
        written = 0
        with cursor.copy(f"COPY {table.name} ({named}) FROM STDIN") as copy:
            for row in rows:
                copy.write_row(row)
                written += 1
        cursor.close()
        return written
    except conn.dialect.loaded_dbapi.IntegrityError as error:
        raise Outpaced() from error


# --------------------------------------------------------------- texts that have changed


#: More folders than these are not told apart by the database.
_FOLDERS_ASKED_FOR = 20


def documents_from(
    conn: Connection, sourcedb: str, folders: Collection[str] | None = None
) -> dict[str, StoredDocument]:
    """Return the documents of a source by name.

    Of a few ``folders`` only what is in them is returned, and possibly a little more.
    """
    chosen = select(documents.c.sourceid, documents.c.id, documents.c.digest)
    chosen = chosen.where(documents.c.sourcedb == sourcedb, documents.c.deleted_at.is_(None))
    if folders is not None and len(folders) <= _FOLDERS_ASKED_FOR:
        inside = (documents.c.sourceid.startswith(f"{each}/", autoescape=True) for each in folders)
        chosen = chosen.where(or_(false(), *inside))
    ordered = chosen.order_by(documents.c.sourceid)
    return {name: StoredDocument(number, digest) for name, number, digest in conn.execute(ordered)}


def standing(conn: Connection, project_id: int, sourcedb: str) -> tuple[int, int, int]:
    """Return values that change when a project's current sets or a source's documents change."""
    of_project = select(func.sum(sets.c.id)).where(
        sets.c.project_id == project_id, sets.c.is_current
    )
    of_source = select(func.max(documents.c.id)).where(documents.c.sourcedb == sourcedb)
    all_current, newest = (conn.execute(each).scalar() for each in (of_project, of_source))
    return project_id, int(all_current or 0), newest or 0


def sets_on(conn: Connection, document_id: int) -> dict[int, SetHead]:
    """Return the current sets on a document by project."""
    chosen = select(sets).where(sets.c.document_id == document_id, sets.c.is_current)
    return {row.project_id: _head(row) for row in conn.execute(chosen)}


def keep_text(conn: Connection, document: StoredDocument, text: str) -> int:
    """Keep the text of a document for its former sets and its orphans; return the text's id."""
    mine = texts.c.document_id == document.id, texts.c.digest == document.digest
    known: int | None = conn.execute(select(texts.c.id).where(*mine)).scalar()
    if known is not None:
        conn.execute(update(texts).where(texts.c.id == known).values(replaced_at=db_now()))
        return known
    made = insert(texts).values(document_id=document.id, digest=document.digest, text=text)
    number: int = conn.execute(made.returning(texts.c.id)).scalar_one()
    return number


def former_texts(conn: Connection, ids: Collection[int]) -> dict[int, str]:
    """Return former texts of documents by id."""
    chosen = select(texts.c.id, texts.c.text).where(texts.c.id.in_(list(ids)))
    return dict(map(tuple, conn.execute(chosen)))


def change_text(conn: Connection, document: StoredDocument, text: str, former_text_id: int) -> None:
    """Change the text of a document, whose current sets the caller has moved.

    Its former sets are about the former text from now on.
    """
    changed = conn.execute(
        update(documents)
        .where(documents.c.id == document.id, documents.c.digest == document.digest)
        .values(text=text, digest=digest_of(text))
    )
    if changed.rowcount != 1:
        raise Outpaced()
    mine = sets.c.document_id == document.id, ~sets.c.is_current
    conn.execute(update(sets).where(*mine, sets.c.text_id.is_(None)).values(text_id=former_text_id))
    again = select(texts.c.id).where(
        texts.c.document_id == document.id, texts.c.digest == digest_of(text)
    )
    # Sets about a text that is the document's again can be made current as they are.
    conn.execute(update(sets).where(*mine, sets.c.text_id.in_(again)).values(text_id=None))


# ------------------------------------------------------------------------------ going back


@dataclass(frozen=True)
class RolledBack:
    """A set of a job that is current, or was moved and is; and the set before it, if any."""

    mine: SetHead
    current: SetHead
    former: SetHead | None


def sets_to_roll_back(
    conn: Connection, project_id: int, job_id: int, moving_mode: str, after: int
) -> tuple[list[RolledBack], int, int]:
    """Return some sets of a job that can be undone, how many cannot, and the id to go on from.

    A set that was moved to another text by a job of that mode is followed to where it is now.  One
    that somebody else replaced, or whose former set is cleaned up, cannot be undone.
    """
    chosen = select(sets).where(
        sets.c.job_id == job_id, sets.c.project_id == project_id, sets.c.id > after
    )
    rows = conn.execute(chosen.order_by(sets.c.id).limit(CHUNK).with_for_update()).fetchall()
    moving = select(uploads.c.job_id).where(uploads.c.mode == moving_mode)
    found: list[RolledBack] = []
    left = 0
    on_documents = sets.c.document_id.in_({row.document_id for row in rows})
    # A text that somebody replaced moves its sets without a job.
    moves = or_(sets.c.job_id.is_(None), sets.c.job_id.in_(moving))
    others = select(sets, moves.label("moves")).where(on_documents, sets.c.project_id == project_id)
    heads: dict[int, SetHead] = {}
    next_of: dict[int, list[tuple[int, bool]]] = {}
    for row in conn.execute(others):
        heads[row.id] = _head(row)
        if row.former_id is not None:
            next_of.setdefault(row.former_id, []).append((row.id, row.moves))
    for row in rows:
        current = heads[row.id]
        while not current.is_current and any(moves for _, moves in next_of.get(current.id, ())):
            current = heads[max(name for name, moves in next_of[current.id] if moves)]
        if not current.is_current:
            left += bool(next_of.get(current.id))
        elif row.former_id is not None and row.former_id not in heads:
            left += 1
        else:
            former = heads[row.former_id] if row.former_id is not None else None
            found.append(RolledBack(heads[row.id], current, former))
    return found, left, rows[-1].id if rows else 0


def swap(
    conn: Connection, project_id: int, retired: Collection[SetHead], restored: Collection[SetHead]
) -> None:
    """Make sets current again that others took the place of, and count what the project has."""
    for some in _chunks([head.id for head in retired]):
        gone = update(sets).where(sets.c.id.in_(some), sets.c.is_current)
        done = conn.execute(gone.values(is_current=False, retired_at=db_now()))
        if done.rowcount != len(some):
            raise Outpaced()
    for some in _chunks([head.id for head in restored]):
        back = update(sets).where(sets.c.id.in_(some))
        conn.execute(back.values(is_current=True, retired_at=None))
    more = {"documents": len(restored) - len(retired)}
    for name in SET_TABLES:
        more[name] = sum(head.counts[name] for head in restored)
        more[name] -= sum(head.counts[name] for head in retired)
    _add_to_project(conn, project_id, more)


def hide_documents_made_by(conn: Connection, job_id: int, ids: Collection[int]) -> None:
    """Delete those of the documents that a job made and nobody annotates any more."""
    used = select(sets.c.id).where(sets.c.document_id == documents.c.id, sets.c.is_current)
    for some in _chunks(ids):
        made = documents.c.id.in_(some), documents.c.job_id == job_id
        # What is deleted leaves its name to others.
        name = documents.c.sourceid + " (deleted " + cast(documents.c.id, String) + ")"
        unused = update(documents).where(*made, ~used.exists())
        conn.execute(unused.values(deleted_at=db_now(), sourceid=name))


def delete_sets(conn: Connection, ids: Collection[int]) -> int:
    """Delete sets with their rows."""
    for some in _chunks(ids):
        for table in ROW_TABLES.values():
            conn.execute(delete(table).where(table.c.set_id.in_(some)))
        conn.execute(delete(sets).where(sets.c.id.in_(some)))
    return len(ids)


def forget_former_sets(conn: Connection, before: datetime, at_most: int = CHUNK) -> int:
    """Delete some sets that were replaced before a moment; return how many.

    At the end also former texts that no set and no orphan needs, and deleted documents.
    """
    chosen = select(sets.c.id).where(_replaced(before)).limit(at_most)
    removed = delete_sets(conn, conn.execute(chosen).scalars().all())
    if not removed:
        used = select(sets.c.id).where(
            sets.c.document_id == texts.c.document_id,
            (sets.c.text_id == texts.c.id) | (sets.c.orphaned > 0),
        )
        conn.execute(delete(texts).where(texts.c.replaced_at < before, ~used.exists()))
        left = select(sets.c.id).where(sets.c.document_id == documents.c.id)
        conn.execute(delete(documents).where(documents.c.deleted_at < before, ~left.exists()))
    return removed


def count_former_sets(conn: Connection, before: datetime) -> int:
    """Count the sets that were replaced before a moment."""
    former = select(func.count()).select_from(sets).where(_replaced(before))
    return conn.execute(former).scalar_one()


def _replaced(before: datetime) -> ColumnElement[bool]:
    return and_(~sets.c.is_current, sets.c.retired_at < before)


def _chunks(values: Collection[T]) -> Iterator[list[T]]:
    listed = list(values)
    for start in range(0, len(listed), CHUNK):
        yield listed[start : start + CHUNK]
