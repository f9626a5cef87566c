"""Projects of annotations as people ask for them: check files, list, count, export.

Uploading is in :mod:`clerk.pipeline.uploads`.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
from sqlalchemy import insert

from clerk.core.db import civic_db_connection, reading_connection
from clerk.core.errors import InvalidInput
from clerk.core.models import SET_TABLES, audit_table

from . import CheckedObject, Issues, formats, read_documents, split, store
from .browsing import object_of
from .spool import gather
from .store import Project

#: Maximum issues of a kind that are listed without a database; the others are counted.
ISSUES_KEPT = 10_000

_NAME_LETTERS = 100

FORMATS = (*formats.WRITERS, "brat")


@dataclass(frozen=True)
class Validation:
    """What is in files, and what is wrong with it."""

    items: int
    documents: int
    counts: Mapping[str, int]
    issues: Issues


def validate(files: Sequence[Path | str]) -> Validation:
    """Read and check files without any database."""
    counts = dict.fromkeys(SET_TABLES, 0)
    issues = Issues(ISSUES_KEPT, always_named=False)
    items = documents = 0
    with tempfile.TemporaryDirectory(prefix="clerk-upload-") as folder:
        source = gather([Path(each) for each in files], Path(folder))
        issues.add_all(source.issues)
        for batch in split(source):
            found, problems = read_documents(source, batch)
            items, documents = items + batch.items, documents + len(found)
            issues.add_all(problems)
            for each in (each for some in found.values() for each in some):
                for name in SET_TABLES:
                    counts[name] += len(getattr(each, name))
    return Validation(items, documents, counts, issues)


def list_projects() -> list[Project]:
    """Return the projects with their counts."""
    with reading_connection() as conn:
        return store.all_projects(conn)


@dataclass(frozen=True)
class Orphan:
    """An annotation that has no place in the text of its document."""

    project: str
    sourcedb: str
    sourceid: str
    kind: str
    id: str
    #: Its label, or the predicate of a relation or attribute.
    label: Any
    #: The words it marked; empty for relations and attributes.
    quote: str


def list_orphans(project: str | None = None, sourcedb: str | None = None) -> list[Orphan]:
    """Return the annotations that have no place in the text of their document."""
    with reading_connection() as conn:
        project_id = store.require_project(conn, project) if project else None
        return [
            Orphan(
                found.project,
                *found.key,
                name[:-1],
                each.id,
                each.obj if name in ("denotations", "blocks") else each.pred,
                group.quotes.get(each.id, "") if name in ("denotations", "blocks") else "",
            )
            for found in store.sets_with_orphans(conn, project_id, sourcedb)
            for group in found.orphans
            for name in SET_TABLES
            for each in getattr(group.annotations, name)
        ]


def set_public(project: str, is_public: bool, *, who: str) -> None:
    """Let everybody see a project, or only people with a role in it and operators."""
    with civic_db_connection() as conn:
        store.set_public(conn, store.require_project(conn, project), is_public)
        said = "made public" if is_public else "made private"
        conn.execute(insert(audit_table).values(who=who, action=f"project {said}", subject=project))


def set_role(project: str, person: str, role: str | None, *, who: str) -> None:
    """Give somebody a role in a project, or none."""
    person = person.strip()
    if not person or len(person) > _NAME_LETTERS:
        raise InvalidInput(f"The name of a person has 1 to {_NAME_LETTERS} letters.")
    if role is not None and role not in store.PROJECT_ROLES:
        raise InvalidInput(f"{role!r} is not one of {', '.join(store.PROJECT_ROLES)}.")
    with civic_db_connection() as conn:
        project_id = store.require_project(conn, project)
        known = next(each for each in store.all_projects(conn) if each.id == project_id)
        members = {name: its for name, its in known.members.items() if name != person}
        store.set_members(conn, project_id, members | ({person: role} if role else {}))
        detail = f"{person}: {role or 'no role'}"
        conn.execute(
            insert(audit_table).values(
                who=who, action="project role", subject=project, detail=detail
            )
        )


# ----------------------------------------------------------------------------------- export


def read(project: str, *, sourcedb: str | None = None) -> Iterator[CheckedObject]:
    """Give the documents of a project with their annotations, in the order of their names."""
    with reading_connection() as conn:
        project_id = store.require_project(conn, project)
        for found in store.read_project(conn, project_id, sourcedb=sourcedb):
            each, head = object_of(found), found.head
            each.namespaces = msgspec.json.decode(head.namespaces) if head.namespaces else None
            each.tracks = msgspec.json.decode(head.tracks) if head.tracks else None
            yield each


def export(
    project: str, format: str = "pubannotation", *, sourcedb: str | None = None
) -> Iterator[bytes]:
    """Give the content of a file with a project, piece by piece; brat needs a folder."""
    if format not in formats.WRITERS:
        raise InvalidInput(f"{format} is written to a folder, not to a file.")
    if format == "pubannotation":
        return _lines(project, sourcedb)
    return formats.export(read(project, sourcedb=sourcedb), format)


def _lines(project: str, sourcedb: str | None) -> Iterator[bytes]:
    with reading_connection() as conn:
        project_id = store.require_project(conn, project)
        for found in store.read_project(conn, project_id, sourcedb=sourcedb):
            yield formats.pubannotation.dump_rows(found)


def export_brat(project: str, folder: Path, *, sourcedb: str | None = None) -> int:
    """Write two files for each document of a project and return how many documents there were."""
    documents = 0
    for name, content in brat_files(project, sourcedb=sourcedb):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        documents += path.suffix == ".ann"
    return documents


def brat_files(project: str, *, sourcedb: str | None = None) -> Iterator[tuple[str, bytes]]:
    """Yield the name and content of brat's two files for each document of a project."""
    for found in read(project, sourcedb=sourcedb):
        path = (_safe(found.sourcedb) / _safe(found.sourceid)).as_posix()
        for suffix, content in zip((".txt", ".ann"), formats.brat.dump(found), strict=True):
            yield path + suffix, content.encode()


def _safe(name: str) -> Path:
    """Return a path for a name that leads nowhere else."""
    parts = [part for part in name.split("/") if part not in ("", ".", "..")]
    return Path(*(part[:200] for part in parts)) if parts else Path("_")
