"""Projects renamed and deleted, documents deleted and their text replaced: and all of it undone."""

from __future__ import annotations

from pathlib import Path

import pytest
from small_uploads import WORDS, check, exported, line, upload, write
from sqlalchemy import select, update

from clerk.annotations import api as annotation_projects
from clerk.annotations import changes
from clerk.core import db
from clerk.core.clock import utc_now
from clerk.core.errors import Conflict, InvalidInput, NotFound
from clerk.core.models import annotation_changes_table, audit_table
from clerk.pipeline import uploads

pytestmark = pytest.mark.usefixtures("database")


@pytest.fixture(autouse=True)
def project(database: object, tmp_path: Path) -> Path:
    """A project with two documents."""
    path = write(tmp_path / "a.jsonl", [line(1), line(2)])
    upload(path)
    return path


def test_a_project_is_renamed_and_its_name_is_free(project: Path) -> None:
    preview = changes.rename_project("p", "q", who="me", dry_run=True)
    assert (preview.change, preview.documents, preview.annotations) == (0, 2, 8)
    done = changes.rename_project("p", "q", who="me")
    assert exported("q") == [line(1), line(2)]
    upload(project)
    with pytest.raises(InvalidInput, match="already"):
        changes.rename_project("q", "p", who="me")
    with pytest.raises(Conflict):
        changes.undo(done.change, who="me")
    check()


def test_a_deleted_project_comes_back_as_it_was() -> None:
    assert changes.delete_project("p", who="me", dry_run=True).annotations == 8
    assert exported() == [line(1), line(2)]

    done = changes.delete_project("p", who="me")

    assert annotation_projects.list_projects() == []
    with pytest.raises(NotFound):
        exported()
    changes.undo(done.change, who="you")
    assert exported() == [line(1), line(2)]
    with pytest.raises(InvalidInput, match="was undone"):
        changes.undo(done.change, who="me")
    with db.reading_connection() as conn:
        said = conn.execute(select(audit_table.c.who, audit_table.c.action)).fetchall()
    assert ("me", "project deleted") in said and ("you", "project deleted: undone") in said
    check()


def test_a_deleted_document_comes_back_unless_there_is_another(project: Path) -> None:
    done = changes.delete_document(("Town", "1"), who="me")
    assert (done.documents, done.annotations) == (1, 4)
    assert exported() == [line(2)]
    check()
    changes.undo(done.change, who="me")
    assert exported() == [line(1), line(2)]

    again = changes.delete_document(("Town", "1"), who="me")
    upload(project)
    with pytest.raises(Conflict):
        changes.undo(again.change, who="me")
    check()


def test_a_replaced_text_moves_annotations_and_is_undone() -> None:
    text = WORDS.replace("The clerk", "A scribe")

    preview = changes.replace_text(("Town", "1"), text, who="me", dry_run=True)
    done = changes.replace_text(("Town", "1"), text, who="me")

    assert (preview.moved, preview.orphaned) == (done.moved, done.orphaned) == (0, 4)
    assert exported()[0]["denotations"] == [] and exported()[0]["text"] == text
    assert len(annotation_projects.list_orphans()) == 4
    changes.undo(done.change, who="me")
    assert exported() == [line(1), line(2)]
    check()


def test_an_upload_can_be_rolled_back_after_its_text_was_replaced(tmp_path: Path) -> None:
    upload(write(tmp_path / "b.jsonl", [line(1, denotations=[], relations=[], attributes=[])]))
    (newest, *_) = uploads.list_uploads("p")
    changes.replace_text(("Town", "1"), "Page 1\n" + WORDS, who="me")

    done = uploads.rollback(newest.id)

    assert (done.restored, done.left) == (1, 0)
    assert len(exported()[0]["denotations"]) == len(line(1)["denotations"])
    check()


def test_a_change_can_be_undone_for_seven_days() -> None:
    done = changes.delete_project("p", who="me")
    long_ago = utc_now() - changes.UNDOABLE
    with db.civic_db_connection() as conn:
        conn.execute(update(annotation_changes_table).values(at=long_ago))

    assert [each.can_be_undone for each in changes.list_changes()] == [False]
    with pytest.raises(InvalidInput, match="older than 7 days"):
        changes.undo(done.change, who="me")
