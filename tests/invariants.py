"""The promises of the ledger, checked after every test that touches state.

1. For every run and stage: counters equal the ledger's sums, and completed + failed <= total.
2. A stage is closed exactly when all its documents are accounted for; reading not before fetch.
3. At most one active run per site; an active run always has a pending or running row.
4. Exactly one coordinator per run and stage ever takes effect.
5. No row goes backwards out of a final status; no budget is exceeded.
6. No document is lost: every PDF of the run has its text, or failed with its reason.
7. Readers never see half a file.

They hold for uploads of annotations too, and a project counts what it has.

:func:`check` looks at a moment; :func:`forbid_going_back` has the database itself refuse, in every
process, what promise 5 rules out.
"""

from __future__ import annotations

import uuid
from collections import Counter
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Row, func, select, text

from clerk.annotations import store
from clerk.core import storage
from clerk.core.models import (
    annotation_projects_table,
    annotation_sets_table,
    annotation_uploads_table,
    batches_table,
    items_table,
    jobs_table,
    runs_table,
    sites_table,
    stage_events_table,
)
from clerk.core.states import FETCH, OCR, Batch, Item, Kind, Run, Step, Upload
from clerk.pipeline import ledger

#: Runs that scripts drive by the seeds' functions: nobody but the script knows what comes next.
SCRIPTED = ("initialize_stage", "adoption")

ENDED_IN_ORDER = (Run.COMPLETED, Run.PARTIAL, Run.NO_DOCUMENTS)


def check(conn: Connection, storage_dir: Path | None = None) -> None:
    """Assert promises 1 to 5, and with a storage directory 6 and 7 of runs that ended."""
    runs = {row.run_id: row for row in conn.execute(select(runs_table))}
    jobs = conn.execute(select(jobs_table)).fetchall()
    items = conn.execute(select(items_table)).fetchall()
    batches = conn.execute(select(batches_table)).fetchall()
    sites = {row.subdomain: row for row in conn.execute(select(sites_table))}
    by_job: dict[int, list[Row[Any]]] = {job.id: [] for job in jobs}
    for item in items:
        by_job[item.job_id].append(item)
    for job in jobs:
        steps = {item.step for item in by_job[job.id]}
        never_claimed = {Step.CARRIED, Step.UNNAMED, Step.DELIVER}
        assert steps - never_claimed <= set(ledger.STEPS_OF_QUEUE.get(job.queue, ())), job
    check_uploads(conn)
    jobs = [job for job in jobs if job.kind not in (Kind.UPLOAD, Kind.NOTICE)]
    fetching = {job.run_id for job in jobs if job.stage == FETCH and job.state == "open"}
    for job in jobs:
        _counters_equal_the_sums(job, by_job[job.id], runs[job.run_id])
        _closed_exactly_when_accounted_for(job, by_job[job.id], runs[job.run_id], fetching)
    _sites_show_their_last_run(sites, runs, jobs)
    _one_active_run_with_work(runs, items)
    _one_coordinator(conn, jobs)
    _each_run_ends_once(conn, runs)
    for item in items:
        _within_budgets(item)
    _held_by_a_batch(items, batches)
    if storage_dir is not None:
        for subdomain in sites:
            _no_document_lost(storage_dir / subdomain, subdomain, runs, items)


def _documents(items: list[Row[Any]], *states: str) -> int:
    return sum(item.documents for item in items if item.state in states)


def _counters_equal_the_sums(job: Row[Any], items: list[Row[Any]], run: Row[Any]) -> None:
    assert job.completed == _documents(items, Item.COMPLETED), f"1: {job} {items}"
    assert job.failed == _documents(items, Item.FAILED, Item.QUARANTINED), f"1: {job} {items}"
    assert job.completed + job.failed <= job.total, f"1: {job}"
    if run.state in (Run.ACTIVE, *ENDED_IN_ORDER):
        living = [state for state in Item.ALL if state != Item.CANCELLED]
        assert job.total == _documents(items, *living), f"1: {job} {items}"


def _closed_exactly_when_accounted_for(
    job: Row[Any], items: list[Row[Any]], run: Row[Any], fetching: set[str]
) -> None:
    if run.state != Run.ACTIVE:
        assert job.state == "closed", f"2: {job} of {run}"
        return
    if job.kind == Kind.COORDINATOR:
        accounted = all(item.state in Item.FINAL for item in items)
    else:
        accounted = job.completed + job.failed == job.total
    if job.stage == OCR and job.run_id in fetching:
        # More documents may arrive.
        assert job.state == "open", f"2: {job} {items}"
        return
    if accounted and job.state == "open" and run.options.get("opened_by") in SCRIPTED:
        return
    assert (job.state == "closed") == accounted, f"2: {job} {items}"


def _sites_show_their_last_run(
    sites: dict[str, Row[Any]], runs: dict[str, Row[Any]], jobs: Any
) -> None:
    last: dict[str, Row[Any]] = {}
    for run in runs.values():
        if run.subdomain not in last or run.epoch > last[run.subdomain].epoch:
            last[run.subdomain] = run
    for job in jobs:
        if job.kind == Kind.STAGE and last[job.subdomain].run_id == job.run_id:
            site = sites[job.subdomain]._mapping
            shown = [site[f"{job.stage}_{each}"] for each in ("total", "completed", "failed")]
            assert shown == [job.total, job.completed, job.failed], f"1: {shown} {job}"


def _one_active_run_with_work(runs: dict[str, Row[Any]], items: Any) -> None:
    active = [run for run in runs.values() if run.state == Run.ACTIVE]
    per_site = Counter(run.subdomain for run in active)
    assert all(number == 1 for number in per_site.values()), f"3: {per_site}"
    open_rows = Counter(item.run_id for item in items if item.state in (Item.PENDING, Item.RUNNING))
    for run in active:
        scripted = run.options.get("opened_by") in SCRIPTED
        assert open_rows[run.run_id] or scripted, f"3: {run} has nothing to do"
    for run in runs.values():
        assert run.state == Run.ACTIVE or not open_rows[run.run_id], f"3: {run} has open rows"


def _one_coordinator(conn: Connection, jobs: Any) -> None:
    coordinators = Counter((j.run_id, j.stage) for j in jobs if j.kind == Kind.COORDINATOR)
    assert all(number == 1 for number in coordinators.values()), f"4: {coordinators}"
    opened = Counter((job.run_id, job.stage, job.kind) for job in jobs)
    assert all(number == 1 for number in opened.values()), f"4: {opened}"


def _each_run_ends_once(conn: Connection, runs: dict[str, Row[Any]]) -> None:
    ends = [f"run {state}" for state in Run.ALL if state not in (Run.ACTIVE, Run.SUPERSEDED)]
    events = conn.execute(
        select(stage_events_table).where(stage_events_table.c.event.in_(ends))
    ).fetchall()
    ended = Counter(event.run_id for event in events)
    assert all(number == 1 for number in ended.values()), f"4: {ended}"
    for event in events:
        if event.run_id in runs:
            assert event.event == f"run {runs[event.run_id].state}", f"4: {event}"


def _within_budgets(item: Row[Any]) -> None:
    assert item.errors <= ledger.ERROR_BUDGET, f"5: {item}"
    assert item.crashes <= ledger.CRASH_BUDGET, f"5: {item}"
    assert item.lost <= ledger.LOST_BUDGET, f"5: {item}"
    if item.state in (Item.FAILED, Item.QUARANTINED) and item.step != Step.CARRIED:
        assert item.error, f"6: {item} failed without a reason"


def _held_by_a_batch(items: Any, batches: Any) -> None:
    """A running row belongs to a worker and a running batch; splitting a file has no batch."""
    running = {batch.claim for batch in batches if batch.status == Batch.RUNNING}
    for item in items:
        if item.state == Item.RUNNING:
            assert item.worker_id and item.claim, f"3: {item} is nobody's"
            assert item.step == Step.SPLIT or item.claim in running, f"3: {item} has no batch"


def _no_document_lost(folder: Path, subdomain: str, runs: dict[str, Row[Any]], items: Any) -> None:
    fetched = {item.run_id for item in items if item.step == Step.FETCH}
    ended = [r for r in runs.values() if r.subdomain == subdomain and r.state in ENDED_IN_ORDER]
    last = max(ended, key=lambda run: run.epoch, default=None)
    if last is None or last.run_id not in fetched:
        return
    named = {i.document: i for i in items if i.run_id == last.run_id and i.step == Step.DOCUMENT}
    read = {document.name for document in storage.text_documents(folder)}
    for document in storage.pdf_documents(folder):
        item = named.get(document.name)
        failed = item is not None and item.state in (Item.FAILED, Item.QUARANTINED)
        assert failed or document.name in read, f"6: {document.name} is lost"
        if item is not None and item.state == Item.COMPLETED:
            assert document.name in read, f"6: {document.name} has no text"
    for document in storage.text_documents(folder):
        _whole(document, folder)


def _whole(document: storage.Document, folder: Path) -> None:
    pdf, page = document.pdf(folder), document.text(folder) / "page-1.txt"
    if pdf.is_file() and page.is_file():
        assert page.read_text() == pdf.read_text(), f"7: {document.name} is half read"


# ------------------------------------------------------------------------------------- uploads


def check_uploads(conn: Connection) -> None:
    """Assert the promises about uploads and projects."""
    rows = conn.execute(
        select(jobs_table, annotation_uploads_table.c.state.label("upload_state")).join(
            annotation_uploads_table, annotation_uploads_table.c.job_id == jobs_table.c.id
        )
    ).fetchall()
    for job in rows:
        items = conn.execute(select(items_table).where(items_table.c.job_id == job.id)).fetchall()
        mine = select(batches_table).where(batches_table.c.parent_job_id == job.id)
        mine = mine.order_by(batches_table.c.id)
        _objects_add_up(job, items)
        _an_upload_is_closed_when_accounted_for(job, items)
        _each_part_has_its_batches(items, conn.execute(mine).fetchall())
    for project in conn.execute(select(annotation_projects_table)).fetchall():
        _a_project_counts_what_it_has(conn, project)


def _objects_add_up(job: Row[Any], items: Any) -> None:
    assert job.completed + job.failed <= job.total, f"1: {job}"
    if not items:
        return
    assert job.completed == _documents(items, Item.COMPLETED), f"1: {job} {items}"
    assert job.failed == _documents(items, Item.FAILED, Item.QUARANTINED), f"1: {job} {items}"
    replaced = {item.parent_item_id for item in items}
    left = [item for item in items if item.state != Item.CANCELLED or item.id not in replaced]
    assert job.total == _documents(left, *Item.ALL), f"1: {job} {items}"


def _an_upload_is_closed_when_accounted_for(job: Row[Any], items: Any) -> None:
    is_open = job.upload_state in (Upload.OPEN, Upload.SUSPENDED)
    waiting = [item for item in items if item.state in (Item.PENDING, Item.RUNNING)]
    assert is_open == (job.state == "open"), f"2: {job}"
    assert is_open == bool(waiting), f"2: {job} {waiting}"
    assert (job.upload_state == Upload.SUSPENDED) == (is_open and job.suspended_at is not None)


def _each_part_has_its_batches(items: Any, batches: Any) -> None:
    """A part is shown by one batch, and by one more for every time it crashed."""
    expected = {
        Item.PENDING: Batch.PENDING,
        Item.RUNNING: Batch.RUNNING,
        Item.COMPLETED: Batch.COMPLETED,
        Item.FAILED: Batch.FAILED,
        Item.QUARANTINED: Batch.CRASHED,
    }
    by_item: dict[int | None, list[Any]] = {}
    for batch in batches:
        by_item.setdefault(batch.item_id, []).append(batch)
    for item in items:
        shown = [batch.status for batch in by_item.get(item.id, ())]
        last = by_item.get(item.id, [])[-1:]
        if item.step == Step.SPLIT or not shown:
            assert not shown, f"1: {item} has a batch"
            continue
        assert set(shown[:-1]) <= {Batch.CRASHED}, f"1: {item} {shown}"
        if item.state != Item.CANCELLED:
            assert shown[-1] == expected[item.state], f"1: {item} {shown}"
            assert last[0].item_count == item.documents, f"1: {item} {last}"
        if item.state == Item.RUNNING:
            assert (last[0].claim, last[0].worker_id) == (item.claim, item.worker_id), f"3: {item}"
    for batch in batches:
        if batch.status in (Batch.FAILED, Batch.CRASHED):
            assert batch.error_message, f"6: {batch} failed without a reason"


def _a_project_counts_what_it_has(conn: Connection, project: Row[Any]) -> None:
    sets = annotation_sets_table
    mine = select(sets.c.id).where(sets.c.project_id == project.id, sets.c.is_current)
    for name, table in store.ROW_TABLES.items():
        rows = select(func.count()).select_from(table).where(table.c.set_id.in_(mine))
        assert conn.execute(rows).scalar_one() == project._mapping[name], f"1: {name} {project}"
    documents = conn.execute(select(func.count()).select_from(mine.subquery())).scalar_one()
    assert documents == project.documents, f"1: {project}"


# --------------------------------------------------------------------- refused by the database

_FINAL = {
    "items": ("state", Item.FINAL, "OLD.step NOT IN ('carried', 'unnamed')"),
    "runs": ("state", tuple(s for s in Run.ALL if s != Run.ACTIVE), "TRUE"),
    "batch_job_trackings": ("status", Batch.FINAL, "TRUE"),
    "jobs": ("state", ("closed",), "TRUE"),
    "annotation_uploads": (
        "state",
        (Upload.COMPLETED, Upload.CANCELLED, Upload.ROLLED_BACK),
        f"NEW.state <> '{Upload.ROLLED_BACK}'",
    ),
}


def forbid_going_back(conn: Connection) -> None:
    """Have the database refuse to move a row out of a final state, whoever tries."""
    for table, (column, final, where) in _FINAL.items():
        words = ", ".join(f"'{word}'" for word in final)
        moved = f"OLD.{column} IN ({words}) AND NEW.{column} <> OLD.{column} AND {where}"
        forbid(conn, f"UPDATE OF {column}", table, moved, f"5: a row of {table} goes back")


def forbid(conn: Connection, what: str, table: str, when: str, message: str) -> None:
    """Have the database refuse a kind of statement on some rows of a table."""
    name = f"forbid_{uuid.uuid4().hex[:8]}"
    trigger = f"CREATE TRIGGER {name} BEFORE {what} ON {table} FOR EACH ROW WHEN ({when})"
    if conn.dialect.name == "sqlite":
        conn.execute(text(f"{trigger} BEGIN SELECT RAISE(ABORT, '{message}'); END"))
        return
    raises = f"BEGIN RAISE EXCEPTION '{message}'; END"
    conn.execute(
        text(f"CREATE FUNCTION {name}() RETURNS trigger AS $$ {raises} $$ LANGUAGE plpgsql")
    )
    conn.execute(text(f"{trigger} EXECUTE FUNCTION {name}()"))
