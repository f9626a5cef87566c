"""Uploads that revision 0007 kept in batches go on in the ledger of items, on both databases.

The rows are written as that revision had them, not by code.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from small_uploads import check, exported, line, write
from small_work import hurry
from sqlalchemy import Connection, text

from clerk.annotations.spool import gather
from clerk.core import config, db, schema
from clerk.core.db import civic_db_connection, reading_connection
from clerk.core.states import Upload
from clerk.pipeline import uploads

#: Ten objects; four batches of two were cut: two are stored, one was running, one waits.
LINES = [line(n) for n in range(10)]


@pytest.fixture
def folder(database: str, storage: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The files of an upload, in a database of revision 0007."""
    hurry(monkeypatch)
    schema.downgrade(db.get_civic_db(), "0007")
    kept = storage / "_clerk" / "uploads" / "one"
    kept.mkdir(parents=True)
    gather([write(tmp_path / "a.jsonl", LINES)], kept)
    return kept


def insert(conn: Connection, table: str, **columns: Any) -> None:
    """Insert a row; lists and objects are stored as JSON."""
    values = {
        name: json.dumps(value) if isinstance(value, dict | list) else value
        for name, value in columns.items()
    }
    names = ", ".join(values)
    conn.execute(
        text(f"INSERT INTO {table} ({names}) VALUES ({', '.join(f':{name}' for name in values)})"),
        values,
    )


def payload(*numbers: int) -> dict[str, Any]:
    """Return what a batch said of its bytes: one range, on the lines of these objects."""
    lengths = [len(json.dumps(each).encode()) + 1 for each in LINES]
    begin = sum(lengths[: numbers[0]])
    end = begin + sum(lengths[number] for number in numbers) - 1
    return {
        "ranges": [[0, begin, end, numbers[0] + 1]],
        "issues": [],
        "name": ", ".join(f"Town:{number}" for number in numbers),
        "documents": len(numbers),
    }


def write_upload(folder: Path, job: int = 1, state: str = Upload.OPEN) -> None:
    """Write an upload that was cut half-way, and of which half is stored."""
    options = {
        "mode": "replace",
        "create_docs": True,
        "align": "auto",
        "on_lost": "drop",
        "batch_items": 2,
        "batch_bytes": 4_194_304,
    }
    source = {"path": str(folder / "stored"), "files": ["a.jsonl"]}
    with civic_db_connection() as conn:
        insert(conn, "annotation_projects", id=1, name="p", documents=4, denotations=4)
        insert(
            conn,
            "jobs",
            id=job,
            kind="upload",
            stage="annotations",
            queue="annotations",
            total=8,
            completed=4,
        )
        insert(
            conn,
            "annotation_uploads",
            job_id=job,
            project_id=1,
            state=state,
            mode="replace",
            options=options,
            source=source,
            bytes=(folder / "stored").stat().st_size,
            bytes_done=1000,
            batches=4,
            split_claim="cutting",
            split_worker_id="a worker that is gone",
            split_attempt=1,
            documents=4,
            denotations=4,
        )
        for number, status in enumerate(("completed", "completed", "running", "pending"), 1):
            members = (2 * number - 2, 2 * number - 1)
            insert(
                conn,
                "batch_job_trackings",
                id=number,
                parent_job_id=job,
                status=status,
                item_count=2,
                doc_identifiers=[{"sourcedb": "Town", "sourceid": str(n)} for n in members],
                payload=payload(*members),
                bytes=500,
                attempt=0 if status == "pending" else 1,
                claim=None if status == "pending" else f"token-{number}",
                worker_id=None if status == "pending" else "a worker that is gone",
            )
        for number in range(4):
            words = LINES[number]["text"]
            insert(
                conn,
                "annotation_documents",
                id=number + 1,
                sourcedb="Town",
                sourceid=str(number),
                digest=f"digest {number}",
                text=words,
                job_id=job,
            )
            insert(
                conn,
                "annotation_sets",
                id=number + 1,
                project_id=1,
                document_id=number + 1,
                job_id=job,
                is_current=True,
                denotations=1,
            )
            insert(
                conn,
                "denotations",
                set_id=number + 1,
                position=0,
                id="T1",
                span_begin=0,
                span_end=3,
                obj="Stored before",
            )
        for table in ("annotation_projects", "jobs", "batch_job_trackings"):
            follow_the_ids(conn, table)
        for table in ("annotation_documents", "annotation_sets"):
            follow_the_ids(conn, table)


def follow_the_ids(conn: Connection, table: str) -> None:
    """Have PostgreSQL count on from the ids that were given."""
    if conn.dialect.name == "postgresql":
        last = f"(SELECT max(id) FROM {table})"
        conn.execute(text(f"SELECT setval(pg_get_serial_sequence('{table}', 'id'), {last})"))


def rows(statement: str) -> list[tuple[Any, ...]]:
    with reading_connection() as conn:
        return [tuple(row) for row in conn.execute(text(statement))]


def test_an_upload_that_was_split_and_half_stored_continues(
    folder: Path, clerk: Callable[..., Any]
) -> None:
    write_upload(folder)

    assert clerk("db", "upgrade").code == 0
    before = uploads.find(1).status()
    after = uploads.find(1).wait(config.load(workers=1))

    assert (before.state, before.items, before.items_done, before.is_split) == ("open", 8, 4, False)
    assert (after.state, after.items, after.items_done, after.batches) == ("completed", 10, 10, 5)
    assert (after.items_failed, after.issues) == (0, {})
    found = {each["sourceid"]: each["denotations"][0]["obj"] for each in exported()}
    assert {name for name, label in found.items() if label == "Stored before"} == set("0123")
    assert set(found) == set("0123456789")
    check()


def test_a_suspended_upload_stays_suspended(folder: Path, clerk: Callable[..., Any]) -> None:
    write_upload(folder, state=Upload.SUSPENDED)
    clerk("db", "upgrade")

    assert uploads.find(1).wait(config.load(workers=1)).items_done == 4
    assert uploads.resume(config.load(), 1)
    assert uploads.find(1).wait(config.load(workers=1)).items_done == 10
    check()


def test_what_failed_before_can_be_tried_again_after(
    folder: Path, clerk: Callable[..., Any]
) -> None:
    write_upload(folder)
    with civic_db_connection() as conn:
        for statement in (
            "UPDATE batch_job_trackings SET status = 'failed', error_message = 'ValueError: odd'"
            " WHERE id = 3",
            "UPDATE batch_job_trackings SET status = 'crashed', error_message = 'The worker died'"
            " WHERE id = 4",
            "UPDATE jobs SET state = 'closed', failed = 4, closed_at = created_at",
            "UPDATE annotation_uploads SET state = 'completed', is_split = TRUE",
        ):
            conn.execute(text(statement))
    clerk("db", "upgrade")

    again = uploads.retry(config.load(), 1).wait(config.load(workers=1))

    assert (again.items, again.items_failed, again.retry_of) == (4, 0, 1)
    assert len(exported()) == 8
    kinds = rows("SELECT state, error_kind FROM items WHERE job_id = 1 ORDER BY id")
    assert kinds[2:] == [("failed", "ValueError"), ("quarantined", None)]
    check()


def test_the_schema_before_has_the_same_uploads_again(
    folder: Path, clerk: Callable[..., Any]
) -> None:
    write_upload(folder)
    asked = (
        "SELECT id, status, item_count, payload, bytes, attempt, claim FROM batch_job_trackings"
        " ORDER BY id",
        "SELECT job_id, state, batches, is_split, bytes_done FROM annotation_uploads",
        "SELECT id, total, completed, failed, state FROM jobs",
    )
    with civic_db_connection() as conn:
        # Of what is stored the bytes need not be known any more.
        conn.execute(text("UPDATE batch_job_trackings SET payload = NULL WHERE id < 3"))
    before = [rows(each) for each in asked]

    schema.upgrade(db.get_civic_db())
    schema.downgrade(db.get_civic_db(), "0007")

    assert [rows(each) for each in asked] == before
    assert rows("SELECT count(*) FROM items") == [(0,)]
