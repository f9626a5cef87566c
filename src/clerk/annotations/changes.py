"""Changes to projects and documents: previewed, audited, and undoable until they are cleaned up.

Each function has ``dry_run``: it then only returns what would be affected.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import Connection, insert, select, update

from clerk.core.clock import utc_now
from clerk.core.db import civic_db_connection, reading_connection
from clerk.core.errors import Conflict, InvalidInput, NotFound
from clerk.core.models import annotation_changes_table, audit_table, db_now

from . import rereading, store
from .store import Key, StoredDocument

changes = annotation_changes_table

#: How long a change can be undone.
UNDOABLE = timedelta(days=7)

RENAMED, DELETED = "project renamed", "project deleted"
DOCUMENT_DELETED, TEXT_REPLACED = "document deleted", "text replaced"


@dataclass(frozen=True)
class Effect:
    """What a change does, or would do."""

    #: The number to undo it by; 0: it was only previewed.
    change: int
    kind: str
    subject: str
    documents: int = 0
    annotations: int = 0
    #: Annotations that keep their place, and that have none, when a text is replaced.
    moved: int = 0
    orphaned: int = 0


@dataclass(frozen=True)
class UndoableChange:
    """A change that was made."""

    id: int
    kind: str
    subject: str
    who: str
    at: datetime
    undone_at: datetime | None

    @property
    def can_be_undone(self) -> bool:
        """Whether it is recent, and not undone."""
        return self.undone_at is None and self.at > utc_now() - UNDOABLE


def list_changes(limit: int = 50) -> list[UndoableChange]:
    """Return the newest changes, the newest first."""
    columns = [changes.c[name] for name in ("id", "kind", "subject", "who", "at", "undone_at")]
    with reading_connection() as conn:
        rows = conn.execute(select(*columns).order_by(changes.c.id.desc()).limit(limit))
        return [UndoableChange(*row) for row in rows]


def rename_project(name: str, new_name: str, *, who: str, dry_run: bool = False) -> Effect:
    """Give a project another name."""
    store.check_project_name(new_name)
    with civic_db_connection() as conn:
        project_id = store.require_project(conn, name)
        if store.find_project(conn, new_name) is not None:
            raise InvalidInput(f"There is a project {new_name!r} already.")
        number = 0
        if not dry_run:
            former = {"name": name, "new_name": new_name}
            number = _record(conn, RENAMED, name, who, former, project_id=project_id)
            store.rename_project(conn, project_id, new_name)
        return _effect_on_project(conn, number, RENAMED, name, project_id)


def delete_project(name: str, *, who: str, dry_run: bool = False) -> Effect:
    """Delete a project with all its annotations."""
    with civic_db_connection() as conn:
        project_id = store.require_project(conn, name)
        number = 0
        if not dry_run:
            number = _record(conn, DELETED, name, who, {"name": name}, project_id=project_id)
            hidden = f"{name[:150]} (deleted {number})"
            store.rename_project(conn, project_id, hidden, deleted=True)
        return _effect_on_project(conn, number, DELETED, name, project_id)


def delete_document(key: Key, *, who: str, dry_run: bool = False) -> Effect:
    """Delete a document that was uploaded, with the annotations of all projects on it."""
    with civic_db_connection() as conn:
        document = _require_document(conn, key)
        heads = store.sets_on(conn, document.id)
        size, subject = sum(head.size for head in heads.values()), ":".join(key)
        number = 0
        if not dry_run:
            ids = {str(project_id): head.id for project_id, head in heads.items()}
            former = {"sourcedb": key[0], "sourceid": key[1], "sets": ids}
            number = _record(conn, DOCUMENT_DELETED, subject, who, former, document_id=document.id)
            for project_id, head in heads.items():
                store.swap(conn, project_id, [head], [])
            hidden = f"{key[1]} (deleted {document.id})"
            store.rename_document(conn, document.id, hidden, deleted=True)
        return Effect(number, DOCUMENT_DELETED, subject, 1, size)


def replace_text(key: Key, text: str, *, who: str, dry_run: bool = False) -> Effect:
    """Replace the text of a document; annotations move, or are kept without a place."""
    with civic_db_connection() as conn:
        document = _require_document(conn, key)
        subject = ":".join(key)
        if dry_run:
            found, number = rereading.preview_text(conn, document, text), 0
        else:
            before = store.texts_of(conn, [document.id])[document.id]
            former = {"sourcedb": key[0], "sourceid": key[1], "text": before}
            number = _record(conn, TEXT_REPLACED, subject, who, former, document_id=document.id)
            found, _ = rereading.change_text(conn, document, text, {})
        return Effect(
            number,
            TEXT_REPLACED,
            subject,
            1,
            found.moved + found.orphaned,
            found.moved,
            found.orphaned,
        )


def decoded(content: bytes) -> str:
    """Return the text of a file that replaces that of a document, or raise `InvalidInput`."""
    try:
        text = content.decode()
    except UnicodeDecodeError as error:
        raise InvalidInput(
            f"The text is not UTF-8: {error.reason} at byte {error.start}."
        ) from None
    if "\0" in text:
        raise InvalidInput("The text contains a NUL character, which databases reject.")
    return text


def undo(number: int, *, who: str) -> UndoableChange:
    """Undo a change; raises `Conflict` if its name is taken by now."""
    with civic_db_connection() as conn:
        row = conn.execute(select(changes).where(changes.c.id == number).with_for_update()).first()
        if row is None:
            raise NotFound(f"There is no change {number}.")
        found = UndoableChange(row.id, row.kind, row.subject, row.who, row.at, row.undone_at)
        if not found.can_be_undone:
            raise InvalidInput(
                f"Change {number} was undone, or is older than {UNDOABLE.days} days."
            )
        former = row.former
        if row.kind in (RENAMED, DELETED):
            if store.find_project(conn, former["name"]) is not None:
                raise Conflict(f"A project {former['name']!r} has been created since.")
            store.rename_project(conn, row.project_id, former["name"])
        elif row.kind == DOCUMENT_DELETED:
            key = (former["sourcedb"], former["sourceid"])
            if store.find_documents(conn, [key]):
                raise Conflict(f"A document {row.subject} has been created since.")
            store.rename_document(conn, row.document_id, former["sourceid"])
            for project_id, head in store.heads_of(conn, former["sets"].values()).items():
                store.swap(conn, project_id, [], [head])
        else:
            document = _require_document(conn, (former["sourcedb"], former["sourceid"]))
            rereading.change_text(conn, document, former["text"], {})
        conn.execute(update(changes).where(changes.c.id == number).values(undone_at=db_now()))
        _audit(conn, who, f"{row.kind}: undone", row.subject)
        return found


def _require_document(conn: Connection, key: Key) -> StoredDocument:
    found = store.find_documents(conn, [key]).get(key)
    if found is None:
        raise NotFound(f"There is no document {key[0]}:{key[1]}.")
    return found


def _effect_on_project(
    conn: Connection, number: int, kind: str, subject: str, project_id: int
) -> Effect:
    documents, annotations = store.size_of_project(conn, project_id)
    return Effect(number, kind, subject, documents, annotations)


def _record(
    conn: Connection, kind: str, subject: str, who: str, former: Mapping[str, object], **about: int
) -> int:
    _audit(conn, who, kind, subject)
    made = insert(changes).values(kind=kind, subject=subject, who=who, former=former, **about)
    number: int = conn.execute(made.returning(changes.c.id)).scalar_one()
    return number


def _audit(conn: Connection, who: str, action: str, subject: str) -> None:
    conn.execute(insert(audit_table).values(who=who, action=action, subject=subject))
