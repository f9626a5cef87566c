"""Small collections of annotations, and documents whose text says what happens to their worker."""

from __future__ import annotations

import json
import os
import signal
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import invariants
from sqlalchemy import select

from clerk.annotations import CheckedObject, api, store
from clerk.annotations.decide import Decision, Options, Target
from clerk.core import config, db
from clerk.core.models import (
    annotation_documents_table,
    annotation_issues_table,
    annotation_projects_table,
    annotation_sets_table,
    jobs_table,
)
from clerk.core.states import ANNOTATIONS
from clerk.executors import rq
from clerk.executors.work import Claim
from clerk.pipeline import uploads
from clerk.pipeline.flow import Pipeline

WORDS = "The clerk read the minutes of the last meeting and the council approved them."


class Troubled(Pipeline):
    """All work, with uploaded documents that kill, raise or are slow, as their text says."""

    def decide(self, options: Options, target: Target, objects: list[CheckedObject]) -> Decision:
        """Meet trouble, or decide as always."""
        order = objects[0].text.split(" ", 2)
        match order[0]:
            case "KILL":
                os.kill(os.getpid(), signal.SIGKILL)
            case "KILL-ONCE":
                _kill_once(objects[0].sourceid)
            case "KILL-WORKER-ONCE":
                _kill_once(objects[0].sourceid, os.getppid())
            case "RAISE":
                raise ValueError("this document raises")
            case "SLOW":
                time.sleep(float(order[1]))
        return super().decide(options, target, objects)


def _kill_once(name: str, pid: int | None = None) -> None:
    mark = config.load().storage_dir / f"killed-{name}"
    if not mark.exists():
        mark.touch()
        os.kill(pid or os.getpid(), signal.SIGKILL)
        time.sleep(60)


def work_on_rq() -> None:
    """Be an RQ worker for uploads until a signal comes."""
    rq.work(Troubled(config.load()), (ANNOTATIONS,), config.load(), burst=False)


def claim_as(worker: str) -> Claim | None:
    """Claim a file to split, or a part of an upload."""
    return Pipeline(config.load()).claim((ANNOTATIONS,), worker, lambda _queue: 1)


def perform(claim: Claim | None, flow: Pipeline | None = None) -> None:
    """Do what was claimed, in this process."""
    assert claim is not None
    flow = flow or Pipeline(config.load())
    flow.perform(flow.order(claim), 0, quiet)


def quiet(seconds: float, note: str = "", position: int = 0) -> None:
    """Report to nobody."""


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


def upload(path: Path, **how: Any) -> uploads.Status:
    """Upload a file and wait for the end."""
    how = {"project": "p", "create_docs": True} | how
    return uploads.upload(config.load(), [path], **how).wait(config.load(workers=1))


def exported(project: str = "p") -> list[dict[str, Any]]:
    """Return what a project holds, in the order of names."""
    content = b"".join(api.export(project))
    return [json.loads(each) for each in content.splitlines()]


def codes(job_id: int) -> dict[str, list[str]]:
    """Return the names of documents with issues, by code."""
    found: dict[str, list[str]] = {}
    for issue in uploads.find(job_id).issues():
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
        *store.ROW_TABLES.values(),
    ]
    with db.reading_connection() as conn:
        return {
            table.name: sorted(map(repr, conn.execute(select(table)).fetchall()))
            for table in tables
        }


def check() -> None:
    """Assert what must hold, whatever happened."""
    with db.reading_connection() as conn:
        invariants.check(conn)
