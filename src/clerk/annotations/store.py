"""Annotations in the database: the only module that reads and writes their tables.

::

    project, document --- sets, one of them current --- denotations, blocks, relations, attributes

The rows of a set are never changed.  Whatever happens to a document's annotations writes a new set
and makes it the current one in one statement each, in one transaction; the former set stays until
it is cleaned up.  So a reader has the old set or the new one, and going back is giving the former
one its place again.  A writer names the set it built on: if another one was quicker, nothing is
changed and :class:`Outpaced` says so.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, TypeVar

from sqlalchemy import (
    ColumnElement,
    Connection,
    Row,
    Table,
    and_,
    case,
    delete,
    func,
    insert,
    select,
    update,
)
from sqlalchemy.exc import IntegrityError

from clerk.core.errors import InvalidInput, NotFound, TransientError
from clerk.core.models import (
    SET_TABLES,
    annotation_documents_table,
    annotation_projects_table,
    annotation_sets_table,
    attributes_table,
    blocks_table,
    denotations_table,
    relations_table,
)

documents, sets, projects = (
    annotation_documents_table,
    annotation_sets_table,
    annotation_projects_table,
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

Values = tuple[Any, ...]
#: The rows of a set by table, without their keys, in order.
Rows = Mapping[str, Sequence[Values]]
Key = tuple[str, str]
T = TypeVar("T")


class Outpaced(TransientError):
    """Another upload changed the same document meanwhile."""


@dataclass(frozen=True)
class StoredDocument:
    """A document that annotations can be about, without its text."""

    id: int
    digest: str


@dataclass(frozen=True)
class NewDocument:
    """A document to be made."""

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
    """A set to take the place of the one it was built on."""

    #: The document: its number, or the key of one that is made with it.
    document: int | Key
    rows: Rows
    former: SetHead | None = None
    namespaces: str | None = None
    tracks: str | None = None
    #: Whether everything of the former set is in it again, and only the rest is new.
    keeps_former: bool = False


@dataclass
class Stored:
    """What was stored: documents whose annotations changed, and annotations that are new."""

    documents: int = 0
    counts: dict[str, int] = field(default_factory=lambda: dict.fromkeys(SET_TABLES, 0))

    def add(self, more: Stored) -> None:
        """Add what else was stored."""
        self.documents += more.documents
        for name, number in more.counts.items():
            self.counts[name] += number

    def by_name(self) -> dict[str, int]:
        """Return the numbers under the names they are kept and shown by."""
        return {"documents": self.documents, **self.counts}


def digest_of(text: str) -> str:
    """Return the hash that says whether two texts are the same."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


# ------------------------------------------------------------------------------- projects


def check_project_name(name: str) -> str:
    """Return the name, or refuse it."""
    if not name.strip() or len(name) > PROJECT_LENGTH or not name.isprintable():
        raise InvalidInput(f"{name!r} cannot name a project.", hint="Use printable letters.")
    return name


def make_project(conn: Connection, name: str) -> int:
    """Return the number of a project, which is made if it is not there."""
    found = find_project(conn, check_project_name(name))
    if found is not None:
        return found
    with conn.begin_nested() as attempt:
        try:
            made: int = conn.execute(
                insert(projects).values(name=name).returning(projects.c.id)
            ).scalar_one()
            return made
        except IntegrityError:
            attempt.rollback()
    return require_project(conn, name)


def find_project(conn: Connection, name: str) -> int | None:
    """Return the number of a project, or None."""
    return conn.execute(select(projects.c.id).where(projects.c.name == name)).scalar()


def require_project(conn: Connection, name: str) -> int:
    """Return the number of a project, or say which there are."""
    found = find_project(conn, name)
    if found is None:
        known = conn.execute(select(projects.c.name).order_by(projects.c.name).limit(10)).scalars()
        raise NotFound(
            f"There is no project {name!r}.", hint=f"There are: {', '.join(known) or 'none yet'}."
        )
    return found


def all_projects(conn: Connection) -> Sequence[Row[Any]]:
    """Return the projects with their counts, by name."""
    return conn.execute(select(projects).order_by(projects.c.name)).fetchall()


# -------------------------------------------------------------------------------- reading


def find_documents(conn: Connection, keys: Collection[Key]) -> dict[Key, StoredDocument]:
    """Return those of the documents that are known."""
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
    counts = {name: row._mapping[name] for name in SET_TABLES}
    return SetHead(row.id, row.document_id, counts, row.namespaces, row.tracks)


def rows_of(conn: Connection, heads: Collection[SetHead]) -> dict[int, dict[str, list[Values]]]:
    """Return the rows of sets, without their keys, by set and table."""
    found: dict[int, dict[str, list[Values]]] = {
        head.id: {name: [] for name in SET_TABLES} for head in heads
    }
    for name, table in ROW_TABLES.items():
        filled = [head.id for head in heads if head.counts[name]]
        for some in _chunks(filled):
            chosen = (
                select(table)
                .where(table.c.set_id.in_(some))
                .order_by(table.c.set_id, table.c.position)
            )
            for set_id, _position, *values in conn.execute(chosen):
                found[set_id][name].append(tuple(values))
    return found


@dataclass(frozen=True)
class Annotated:
    """A document with the set a project has on it."""

    key: Key
    text: str
    head: SetHead
    rows: Rows


def read_project(
    conn: Connection, project_id: int, *, sourcedb: str | None = None, at_once: int = 200
) -> Iterator[Annotated]:
    """Give the documents of a project in the order of their names, a few at a time."""
    after: Key | None = None
    while True:
        page = conn.execute(_page_of(project_id, sourcedb, after, at_once)).fetchall()
        heads = {row.id: _head(row) for row in page}
        rows = rows_of(conn, heads.values())
        for row in page:
            key = (row.sourcedb, row.sourceid)
            yield Annotated(key, row.text, heads[row.id], rows[row.id])
        if len(page) < at_once:
            return
        after = (page[-1].sourcedb, page[-1].sourceid)


def _page_of(project_id: int, sourcedb: str | None, after: Key | None, at_once: int) -> Any:
    chosen = (
        select(sets, documents.c.sourcedb, documents.c.sourceid, documents.c.text)
        .join(documents, documents.c.id == sets.c.document_id)
        .where(sets.c.project_id == project_id, sets.c.is_current)
        .order_by(documents.c.sourcedb, documents.c.sourceid)
        .limit(at_once)
    )
    if sourcedb is not None:
        chosen = chosen.where(documents.c.sourcedb == sourcedb)
    if after is not None:
        same, later = documents.c.sourcedb == after[0], documents.c.sourceid > after[1]
        chosen = chosen.where((documents.c.sourcedb > after[0]) | and_(same, later))
    return chosen


# -------------------------------------------------------------------------------- writing


def store(
    conn: Connection,
    project_id: int,
    job_id: int | None,
    new_documents: Sequence[NewDocument],
    new_sets: Sequence[NewSet],
) -> Stored:
    """Write documents and sets, each set in the place of the one it was built on.

    Raises :class:`Outpaced` if one of those is not current any more; the transaction is then to be
    rolled back.
    """
    made = _make_documents(conn, job_id, new_documents)
    _retire(conn, [each.former.id for each in new_sets if each.former])
    numbered = list(zip(_numbers(conn, sets, len(new_sets)), new_sets, strict=True))
    _write(conn, sets, _SET_COLUMNS, _set_rows(numbered, project_id, job_id, made))
    stored = Stored(len(new_sets))
    for name, table in ROW_TABLES.items():
        columns = [column.name for column in table.columns]
        written = _write(conn, table, columns, _keyed(numbered, name))
        stored.counts[name] = written - _kept(name, new_sets)
    _count(conn, project_id, new_sets)
    return stored


def _kept(name: str, new_sets: Iterable[NewSet]) -> int:
    """Count what was there before and is there again."""
    return sum(each.former.counts[name] for each in new_sets if each.former and each.keeps_former)


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
)


def _set_rows(
    numbered: Sequence[tuple[int, NewSet]],
    project_id: int,
    job_id: int | None,
    made: Mapping[Key, int],
) -> Iterator[Values]:
    for number, each in numbered:
        yield (
            number,
            project_id,
            each.document if isinstance(each.document, int) else made[each.document],
            job_id,
            each.former.id if each.former else None,
            True,
            *(len(each.rows[name]) for name in SET_TABLES),
            each.namespaces,
            each.tracks,
        )


def _keyed(numbered: Sequence[tuple[int, NewSet]], name: str) -> Iterator[Values]:
    for number, each in numbered:
        for position, row in enumerate(each.rows[name]):
            yield (number, position, *row)


def _make_documents(
    conn: Connection, job_id: int | None, new: Sequence[NewDocument]
) -> dict[Key, int]:
    """Write documents in the order of their names, so that two writers never wait in a circle."""
    ordered = sorted(new, key=lambda each: each.key)
    made = dict(zip((e.key for e in ordered), _numbers(conn, documents, len(ordered)), strict=True))
    columns = ("id", "sourcedb", "sourceid", "digest", "text", "job_id")
    rows = ((made[each.key], *each.key, each.digest, each.text, job_id) for each in ordered)
    _write(conn, documents, columns, rows)
    return made


def _retire(conn: Connection, ids: Collection[int]) -> None:
    for some in _chunks(sorted(ids)):
        changed = conn.execute(
            update(sets).where(sets.c.id.in_(some), sets.c.is_current).values(is_current=False)
        )
        if changed.rowcount != len(some):
            raise Outpaced()


def _count(conn: Connection, project_id: int, new_sets: Iterable[NewSet]) -> None:
    """Bring the project's counts up to date, last of all: its row is shared with other writers."""
    more = dict.fromkeys(("documents", *SET_TABLES), 0)
    for each in new_sets:
        more["documents"] += each.former is None
        for name in SET_TABLES:
            more[name] += len(each.rows[name])
            more[name] -= each.former.counts[name] if each.former else 0
    _add_to_project(conn, project_id, more)


def _add_to_project(conn: Connection, project_id: int, more: Mapping[str, int]) -> None:
    if any(more.values()):
        conn.execute(
            update(projects)
            .where(projects.c.id == project_id)
            .values({name: projects.c[name] + number for name, number in more.items()})
        )


def _numbers(conn: Connection, table: Table, how_many: int) -> Sequence[int]:
    """Return numbers for new rows of a table."""
    if not how_many:
        return ()
    if conn.dialect.name == "sqlite":
        first: int = conn.execute(select(func.coalesce(func.max(table.c.id), 0) + 1)).scalar_one()
        return range(first, first + how_many)
    sequence = func.pg_get_serial_sequence(table.name, "id")
    drawn = select(func.nextval(sequence)).select_from(func.generate_series(1, how_many))
    return conn.execute(drawn).scalars().all()


def _write(conn: Connection, table: Table, columns: Sequence[str], rows: Iterable[Values]) -> int:
    """Write many rows as fast as the database takes them and return how many."""
    try:
        return _WRITERS[conn.dialect.name](conn, table, columns, rows)
    except conn.dialect.loaded_dbapi.IntegrityError as error:
        raise Outpaced() from error


def _copy(conn: Connection, table: Table, columns: Sequence[str], rows: Iterable[Values]) -> int:
    written = 0
    named = ", ".join(columns)
    cursor: Any = conn.connection.cursor()
    with cursor.copy(f"COPY {table.name} ({named}) FROM STDIN") as copy:
        for row in rows:
            copy.write_row(row)
            written += 1
    cursor.close()
    return written


def _executemany(
    conn: Connection, table: Table, columns: Sequence[str], rows: Iterable[Values]
) -> int:
    marks = ", ".join("?" for _ in columns)
    statement = f"INSERT INTO {table.name} ({', '.join(columns)}) VALUES ({marks})"
    cursor: Any = conn.connection.cursor()
    cursor.executemany(statement, rows)
    return max(0, int(cursor.rowcount))


_WRITERS: dict[str, Callable[[Connection, Table, Sequence[str], Iterable[Values]], int]] = {
    "postgresql": _copy,
    "sqlite": _executemany,
}


# --------------------------------------------------------------- texts that have changed


def documents_from(conn: Connection, sourcedb: str) -> dict[str, StoredDocument]:
    """Return the documents of a source by name."""
    chosen = select(documents.c.sourceid, documents.c.id, documents.c.digest)
    ordered = chosen.where(documents.c.sourcedb == sourcedb).order_by(documents.c.sourceid)
    return {name: StoredDocument(number, digest) for name, number, digest in conn.execute(ordered)}


def standing(conn: Connection, project_id: int, sourcedb: str) -> tuple[int, int, int]:
    """Return what changes when another set of a project is current, or a source gets a document."""
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


def change_text(conn: Connection, document: StoredDocument, text: str) -> None:
    """Give a document another text; its sets must be given new places in the same transaction.

    Former sets were about the old text: nobody can go back to them, and they are deleted.
    """
    changed = conn.execute(
        update(documents)
        .where(documents.c.id == document.id, documents.c.digest == document.digest)
        .values(text=text, digest=digest_of(text))
    )
    if changed.rowcount != 1:
        raise Outpaced()
    formers = select(sets.c.id).where(sets.c.document_id == document.id, ~sets.c.is_current)
    delete_sets(conn, conn.execute(formers).scalars().all())


# ------------------------------------------------------------------------------ going back


@dataclass
class WentBack:
    """What a rollback did."""

    #: Documents that have the annotations of before again, and that have none as before.
    restored: int = 0
    removed: int = 0
    #: Documents that were left alone: changed again since, or what was before is cleaned up.
    left: int = 0


def go_back(conn: Connection, project_id: int, job_id: int, done: WentBack, after: int = 0) -> int:
    """Give the sets of a job back to those before, some at a time; return the last, 0 at the end.

    Each call is one transaction: a document has the set of the job or the one before.
    """
    chosen = select(sets).where(sets.c.job_id == job_id, sets.c.is_current, sets.c.id > after)
    mine = conn.execute(chosen.order_by(sets.c.id).limit(CHUNK).with_for_update()).fetchall()
    formers = _heads(conn, [row.former_id for row in mine if row.former_id])
    back = [row for row in mine if row.former_id is None or row.former_id in formers]
    heads = [_head(row) for row in back]
    delete_sets(conn, [head.id for head in heads])
    for some in _chunks(list(formers)):
        conn.execute(update(sets).where(sets.c.id.in_(some)).values(is_current=True))
    _remove_documents_of(conn, job_id, [head.document_id for head in heads])
    _add_to_project(conn, project_id, _difference(heads, formers.values()))
    done.restored += len(formers)
    done.removed += len(back) - len(formers)
    return mine[-1].id if mine else 0


def _heads(conn: Connection, ids: Collection[int]) -> dict[int, SetHead]:
    found = {}
    for some in _chunks(ids):
        chosen = select(sets).where(sets.c.id.in_(some))
        found.update({row.id: _head(row) for row in conn.execute(chosen)})
    return found


def _difference(gone: Collection[SetHead], back: Collection[SetHead]) -> dict[str, int]:
    more = {"documents": len(back) - len(gone)}
    for name in SET_TABLES:
        more[name] = sum(e.counts[name] for e in back) - sum(e.counts[name] for e in gone)
    return more


def _remove_documents_of(conn: Connection, job_id: int, ids: Collection[int]) -> None:
    """Remove those of the documents that the job made and nobody else annotated."""
    used = select(sets.c.id).where(sets.c.document_id == documents.c.id).exists()
    for some in _chunks(ids):
        conn.execute(
            delete(documents).where(documents.c.id.in_(some), documents.c.job_id == job_id, ~used)
        )


def sets_left(conn: Connection, job_id: int) -> int:
    """Count the sets of a job that are there, current or not."""
    return _number_of(conn, sets, sets.c.job_id == job_id)


def delete_sets(conn: Connection, ids: Collection[int]) -> int:
    """Delete sets with their rows."""
    for some in _chunks(ids):
        for table in ROW_TABLES.values():
            conn.execute(delete(table).where(table.c.set_id.in_(some)))
        conn.execute(delete(sets).where(sets.c.id.in_(some)))
    return len(ids)


def forget_former_sets(conn: Connection, before: datetime, at_most: int = CHUNK) -> int:
    """Delete some sets that have been out of place since before a moment; return how many."""
    chosen = select(sets.c.id).where(_replaced(before)).limit(at_most)
    return delete_sets(conn, conn.execute(chosen).scalars().all())


def count_former_sets(conn: Connection, before: datetime) -> int:
    """Count the sets that have been out of place since before a moment."""
    return _number_of(conn, sets, _replaced(before))


def _replaced(before: datetime) -> ColumnElement[bool]:
    later = sets.alias("later")
    replaced = select(later.c.id).where(later.c.former_id == sets.c.id, later.c.stored_at < before)
    return and_(~sets.c.is_current, replaced.exists())


# --------------------------------------------------------------------------------- counts


def recount(conn: Connection, project_id: int) -> tuple[dict[str, int], dict[str, int]]:
    """Set a project's counts from its rows; return them as they were and as they are."""
    mine = and_(sets.c.project_id == project_id, sets.c.is_current)
    row = conn.execute(select(projects).where(projects.c.id == project_id).with_for_update()).one()
    before = {name: row._mapping[name] for name in ("documents", *SET_TABLES)}
    after = {"documents": _number_of(conn, sets, mine)}
    for name, table in ROW_TABLES.items():
        joined = table.c.set_id.in_(select(sets.c.id).where(mine))
        after[name] = _number_of(conn, table, joined)
    conn.execute(update(projects).where(projects.c.id == project_id).values(after))
    _recount_sets(conn, project_id)
    return before, after


def _number_of(conn: Connection, table: Table, where: ColumnElement[bool]) -> int:
    return conn.execute(select(func.count()).select_from(table).where(where)).scalar_one()


def _recount_sets(conn: Connection, project_id: int) -> None:
    counted = {
        name: select(func.count())
        .select_from(table)
        .where(table.c.set_id == sets.c.id)
        .scalar_subquery()
        for name, table in ROW_TABLES.items()
    }
    wrong = [sets.c[name] != number for name, number in counted.items()]
    differs = case(*((each, True) for each in wrong), else_=False)
    conn.execute(update(sets).where(sets.c.project_id == project_id, differs).values(counted))


def _chunks(values: Collection[T]) -> Iterator[list[T]]:
    listed = list(values)
    for start in range(0, len(listed), CHUNK):
        yield listed[start : start + CHUNK]
