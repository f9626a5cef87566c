"""Small collections of annotations, and documents whose text says what happens to their worker."""

from __future__ import annotations

import json
import os
import signal
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from sqlalchemy import func, select

from clerk import annotation_store, annotations, config, db
from clerk.executors import rq
from clerk.models import (
    SET_TABLES,
    annotation_documents_table,
    annotation_issues_table,
    annotation_projects_table,
    annotation_sets_table,
    batches_table,
    jobs_table,
)
from clerk.stages import ANNOTATIONS, Batch
from clerk.upload_decisions import Decision, Options, Target
from clerk.uploads import Uploads
from clerk.work.annotations import CheckedObject
from clerk.workers import Pipeline

WORDS = "The clerk read the minutes of the last meeting and the council approved them."


class Troubled(Uploads):
    """Uploads with documents that kill, raise or are slow, as their text says."""

    def decide(self, options: Options, target: Target, objects: list[CheckedObject]) -> Decision:
        """Meet trouble, or decide as always."""
        order = objects[0].text.split(" ", 2)
        match order[0]:
            case "KILL":
                os.kill(os.getpid(), signal.SIGKILL)
            case "KILL-ONCE":
                _kill_once(objects[0].sourceid)
            case "RAISE":
                raise ValueError("this document raises")
            case "SLOW":
                time.sleep(float(order[1]))
        return super().decide(options, target, objects)


def _kill_once(name: str) -> None:
    mark = config.load().storage_dir / f"killed-{name}"
    if not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)


class TroubledPipeline(Pipeline):
    """All work, with troubled uploads."""

    uploads = Troubled()


def work_on_rq() -> None:
    """Be an RQ worker for uploads until a signal comes."""
    rq.work(TroubledPipeline(), (ANNOTATIONS,), config.load(), burst=False)


def line(number: int | str, text: str = WORDS, **more: Any) -> dict[str, Any]:
    """Return an annotation object with two denotations, a relation and an attribute."""
    return {
        "sourcedb": "Town",
        "sourceid": str(number),
        "text": text,
        "denotations": [
            {"id": "T1", "span": {"begin": 0, "end": 3}, "obj": "Word"},
            {"id": "T2", "span": {"begin": 4, "end": 9}, "obj": "Person"},
        ],
        "relations": [{"id": "R1", "pred": "before", "subj": "T1", "obj": "T2"}],
        "attributes": [{"id": "A1", "subj": "T2", "pred": "sure", "obj": 0.5}],
        **more,
    }


def write(path: Path, lines: Iterable[dict[str, Any] | str]) -> Path:
    """Write a collection, an object a line."""
    texts = (each if isinstance(each, str) else json.dumps(each) for each in lines)
    path.write_text("".join(f"{text}\n" for text in texts), encoding="utf-8")
    return path


def upload(path: Path, **how: Any) -> annotations.Status:
    """Upload a file and wait for the end."""
    how = {"project": "p", "create_docs": True} | how
    return annotations.upload([path], **how).wait(workers=2)


def exported(project: str = "p") -> list[dict[str, Any]]:
    """Return what a project holds, in the order of names."""
    content = b"".join(annotations.export(project))
    return [json.loads(each) for each in content.splitlines()]


def codes(job_id: int) -> dict[str, list[str]]:
    """Return the names of documents with issues, by code."""
    found: dict[str, list[str]] = {}
    for issue in annotations.find(job_id).issues():
        found.setdefault(issue.code, []).append(issue.sourceid)
    return {code: sorted(names) for code, names in found.items()}


def everything() -> dict[str, list[Any]]:
    """Return all rows of the annotation tables."""
    tables = [
        annotation_projects_table,
        annotation_documents_table,
        annotation_sets_table,
        annotation_issues_table,
        jobs_table,
        *annotation_store.ROW_TABLES.values(),
    ]
    with db.reading_connection() as conn:
        return {
            table.name: sorted(map(repr, conn.execute(select(table)).fetchall()))
            for table in tables
        }


def check() -> None:
    """Assert what must hold for uploads, whatever happened."""
    with db.reading_connection() as conn:
        for project in conn.execute(select(annotation_projects_table)).fetchall():
            _counts_are_true(conn, project)
        for job in conn.execute(select(jobs_table).where(jobs_table.c.kind == "upload")).fetchall():
            _items_add_up(conn, job)


def _counts_are_true(conn: Any, project: Any) -> None:
    sets = annotation_sets_table
    mine = select(sets.c.id).where(sets.c.project_id == project.id, sets.c.is_current)
    for name in SET_TABLES:
        table = annotation_store.ROW_TABLES[name]
        rows = select(func.count()).select_from(table).where(table.c.set_id.in_(mine))
        assert conn.execute(rows).scalar_one() == project._mapping[name], name
    number = conn.execute(select(func.count()).select_from(mine.subquery())).scalar_one()
    assert number == project.documents


def _items_add_up(conn: Any, job: Any) -> None:
    batches = batches_table
    rows = conn.execute(select(batches).where(batches.c.parent_job_id == job.id)).fetchall()
    if not rows:
        return

    def items(*statuses: str) -> int:
        return sum(row.item_count for row in rows if row.status in statuses)

    assert job.completed == items(Batch.COMPLETED), job
    assert job.failed == items(Batch.FAILED, Batch.CRASHED), job
    assert job.total == items(*(status for status in Batch.ALL if status != Batch.SPLIT)), job
