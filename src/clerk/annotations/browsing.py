"""Annotations as people read them: which projects they may see, one page, lists and statistics."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from clerk.core.db import reading_connection
from clerk.core.errors import NotFound

from . import store
from .formats import pubannotation, w3c
from .objects import CheckedObject
from .store import Annotated, FoundDenotation, Project, annotations_from

#: Returns the address of a document that annotations are about.
Address = Callable[[str, str], str]


@dataclass(frozen=True)
class ProjectUser:
    """Somebody who reads or changes annotations: anybody, a member of projects, an operator."""

    who: str | None = None
    is_operator: bool = False

    def may_read(self, project: Project) -> bool:
        """Whether they see it: it is public, or they have a role in it."""
        return project.is_public or self.is_operator or project.role_of(self.who) is not None

    def may_change(self, project: Project) -> bool:
        """Whether they may upload to it, and undo uploads."""
        return self.is_operator or project.role_of(self.who) in (store.EDITOR, store.OWNER)

    def may_manage(self, project: Project) -> bool:
        """Whether they decide who may do what."""
        return self.is_operator or project.role_of(self.who) == store.OWNER


def visible_projects(user: ProjectUser) -> list[Project]:
    """Return the projects that somebody may see."""
    with reading_connection() as conn:
        return [each for each in store.all_projects(conn) if user.may_read(each)]


def find_projects(names: Sequence[str], user: ProjectUser) -> list[Project]:
    """Return the named projects, or all; one that may not be seen does not exist."""
    seen = {each.name: each for each in visible_projects(user)}
    missing = [name for name in names if name not in seen]
    if missing:
        raise NotFound(f"There is no project {missing[0]!r}.")
    return [seen[name] for name in names] if names else list(seen.values())


def object_of(found: Annotated) -> CheckedObject:
    """Return a stored document as an object."""
    annotations = annotations_from(found.rows)
    return CheckedObject(
        sourcedb=found.key[0],
        sourceid=found.key[1],
        text=found.text,
        denotations=annotations.denotations,
        blocks=annotations.blocks,
        relations=annotations.relations,
        attributes=annotations.attributes,
    )


@dataclass(frozen=True)
class Track:
    """The annotations of a project on a document."""

    project: str
    object: CheckedObject


def tracks_on(sourcedb: str, sourceid: str, projects: Sequence[Project]) -> list[Track]:
    """Return the annotations of projects on a document."""
    with reading_connection() as conn:
        found = store.tracks_on(conn, (sourcedb, sourceid), [each.id for each in projects])
    return [Track(each.project, object_of(each.found)) for each in found]


def as_pubannotation(
    sourcedb: str, sourceid: str, tracks: Sequence[Track], text: str
) -> dict[str, Any]:
    """Return a document with the annotations of each project as a track of its own.

    Without tracks it has this ``text``.
    """
    values = [(each.project, pubannotation.to_value(each.object)) for each in tracks]
    found: dict[str, Any] = {"sourcedb": sourcedb, "sourceid": sourceid}
    found["text"] = values[0][1]["text"] if values else text
    outside = ("sourcedb", "sourceid", "text")
    found["tracks"] = [
        {"project": name, **{key: each for key, each in value.items() if key not in outside}}
        for name, value in values
    ]
    return found


def search(
    projects: Sequence[Project],
    *,
    label: str = "",
    text: str = "",
    limit: int = 50,
    offset: int = 0,
) -> list[FoundDenotation]:
    """Return denotations with a label, or on words that contain a text."""
    with reading_connection() as conn:
        return store.find_denotations(
            conn,
            [each.id for each in projects],
            label=label,
            text=text,
            limit=limit,
            offset=offset,
        )


def statistics(projects: Sequence[Project]) -> list[tuple[str, str, int]]:
    """Return (project, label, number of denotations), the most frequent first."""
    with reading_connection() as conn:
        return store.count_labels(conn, [each.id for each in projects])


def web_annotations(
    project: Project, address: Address, *, limit: int | None = None, offset: int = 0
) -> Iterator[dict[str, Any]]:
    """Yield the W3C annotation pages of a project's documents, with public addresses."""
    with reading_connection() as conn:
        chosen = store.read_project(conn, project.id, dated=True, limit=limit, offset=offset)
        for found in chosen:
            creator = found.stored_by or project.owner
            origin = w3c.Origin(address(*found.key), creator, found.stored_at)
            yield w3c.to_page(object_of(found), origin)
