"""The ledger of batches as operators see it: operations, texts, SQL, reports and clean-up."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from small_work import Town, hurry, work_embedded
from sqlalchemy import insert, text, update

from clerk.core import config
from clerk.core.db import civic_db_connection, reading_connection
from clerk.core.errors import InvalidInput, NotFound
from clerk.core.models import batches_table, jobs_table
from clerk.core.states import Batch, Kind
from clerk.pipeline import batches, ledger
from clerk.pipeline.batches import BatchJobTracking
from clerk.pipeline.reconcile import detect_crashed_batches

DOCS = [{"sourcedb": "PMC", "sourceid": str(number)} for number in (1, 2, 3, 4, 5)]


@pytest.fixture
def job(database: str) -> int:
    """A parent."""
    return new_job()


def new_job() -> int:
    with civic_db_connection() as conn:
        return ledger.open_job(
            conn,
            run_id=None,
            subdomain=None,
            stage="annotations",
            queue="annotations",
            kind=Kind.UPLOAD,
        )


def made(job: int, status: str = "pending", *, age: timedelta = timedelta(), **columns: Any) -> int:
    """Write a batch that was made some time ago, and return its number."""
    at = datetime.now(UTC) - age
    moments = {"created_at": at, "updated_at": at}
    if status in (Batch.COMPLETED, Batch.FAILED, Batch.CRASHED):
        moments |= {"started_at": at, "completed_at": at + timedelta(seconds=2)}
    values = {"item_count": 1, "doc_identifiers": DOCS[:1], "status": status} | moments | columns
    with civic_db_connection() as conn:
        made = insert(batches_table).values(parent_job_id=job, **values)
        return int(conn.execute(made.returning(batches_table.c.id)).scalar_one())


# ------------------------------------------------------------------------------- operations


def test_a_new_batch_is_pending_and_has_at_least_one_item(job: int) -> None:
    batch = BatchJobTracking.create(parent_job_id=job, doc_identifiers=DOCS[:2], item_count=2)

    assert (batch.status, batch.item_count, batch.started_at) == ("pending", 2, None)
    with pytest.raises(InvalidInput):
        BatchJobTracking.create(parent_job_id=job, doc_identifiers=[], item_count=0)


def test_marks_move_a_batch_and_keep_their_moments(job: int) -> None:
    batch = BatchJobTracking.create(parent_job_id=job, item_count=1)

    assert batch.duration is None
    assert batch.mark_running() and batch.reload().started_at is not None
    assert batch.reload().duration is None
    assert batch.mark_completed()

    after = batch.reload()
    assert after.status == "completed" and after.completed_at is not None
    assert after.duration is not None and after.duration >= timedelta()


def test_nothing_leaves_a_final_status(job: int) -> None:
    batch = BatchJobTracking.create(parent_job_id=job, item_count=1)
    batch.mark_running()
    batch.mark_completed()

    moves = (batch.mark_running, batch.mark_crashed, lambda: batch.mark_failed("no"))

    assert [move() for move in moves] == [False, False, False]
    assert batch.reload().status == "completed"


def test_a_failure_keeps_class_message_and_where_it_was(job: int) -> None:
    batch = BatchJobTracking.create(parent_job_id=job, item_count=1)
    batch.mark_running()

    try:
        raise ValueError("a bad span")
    except ValueError as error:
        batch.mark_failed(error)

    message = batch.reload().error_message or ""
    first, *trace = message.splitlines()
    assert first == "ValueError: a bad span"
    assert "test_batches.py" in trace[0] and len(trace) <= 5


def test_a_crash_says_that_nothing_was_heard(job: int) -> None:
    batch = BatchJobTracking.create(parent_job_id=job, item_count=1)

    assert batch.mark_crashed()

    assert "did not update its status within the expected time" in str(batch.reload().error_message)


def test_scopes_choose_and_combine(job: int) -> None:
    for status in Batch.ALL:
        made(job, status)
    other = new_job()
    made(other, Batch.CRASHED, age=timedelta(days=8))

    assert BatchJobTracking.for_parent(job).count() == len(Batch.ALL)
    assert BatchJobTracking.crashed().count() == 2
    assert BatchJobTracking.for_parent(job).crashed().count() == 1
    assert BatchJobTracking.finished().for_parent(job).count() == len(Batch.FINAL)
    week_ago = datetime.now(UTC) - timedelta(days=7)
    assert [b.parent_job_id for b in BatchJobTracking.older_than(week_ago)] == [other]
    for scope in ("pending", "running", "completed", "failed"):
        chosen = getattr(BatchJobTracking, scope)().for_parent(job)
        assert [batch.status for batch in chosen] == [scope]


def test_silence_and_waiting_are_distinguished(job: int) -> None:
    silent = made(job, Batch.RUNNING, age=timedelta(minutes=11))
    waiting = made(job, Batch.PENDING, age=timedelta(minutes=6))
    made(job, Batch.RUNNING, age=timedelta(minutes=9))

    assert [b.id for b in BatchJobTracking.possibly_crashed(timedelta(minutes=10))] == [silent]
    assert [b.id for b in BatchJobTracking.stale_pending(timedelta(minutes=5))] == [waiting]


def test_items_of_a_parent_are_summed_by_status(job: int) -> None:
    made(job, Batch.COMPLETED, item_count=10)
    made(job, Batch.COMPLETED, item_count=5)
    made(job, Batch.CRASHED, item_count=3)

    assert BatchJobTracking.stats_for_parent(job) == {"completed": 15, "crashed": 3}


@pytest.mark.parametrize(
    ("docs", "said"),
    [
        (DOCS[:2], "PMC:1, PMC:2"),
        (DOCS, "PMC:1, PMC:2, PMC:3... (2 more)"),
        ([], "(no docs)"),
    ],
)
def test_documents_are_summed_up(job: int, docs: list[Any], said: str) -> None:
    batch = BatchJobTracking.create(parent_job_id=job, doc_identifiers=docs, item_count=1)

    assert batch.doc_summary() == said
    assert batch.doc_summary(2) == said or batch.doc_summary(2) == "PMC:1, PMC:2... (3 more)"


def test_every_status_has_a_label(job: int) -> None:
    labels = {status: BatchJobTracking.find(made(job, status)).status_label for status in Batch.ALL}

    assert labels["pending"] == "Waiting to start"
    assert labels["running"] == "In progress"
    assert labels["completed"] == "Completed successfully"
    assert labels["failed"] == "Failed with error"
    assert labels["crashed"] == "Crashed or killed"


def test_deleting_a_parent_deletes_its_batches(job: int) -> None:
    made(job)
    with civic_db_connection() as conn:
        conn.execute(jobs_table.delete())

    assert BatchJobTracking.all().count() == 0
    with pytest.raises(NotFound):
        BatchJobTracking.find(1)


# ----------------------------------------------------------------------- SQL that people keep

VERBATIM = {
    "count": "SELECT COUNT(*) FROM batch_job_trackings;",
    "size": "SELECT pg_size_pretty(pg_total_relation_size('batch_job_trackings'));",
    "crash rate": """
  SELECT
    DATE(created_at) as date,
    COUNT(*) FILTER (WHERE status = 'crashed') as crashed,
    COUNT(*) as total,
    ROUND(100.0 * COUNT(*) FILTER (WHERE status = 'crashed') / COUNT(*), 2) as crash_rate_pct
  FROM batch_job_trackings
  WHERE created_at > NOW() - INTERVAL '7 days'
  GROUP BY DATE(created_at)
  ORDER BY date DESC;
""",
    "timing": """
  SELECT
    AVG(EXTRACT(EPOCH FROM (completed_at - started_at))) as avg_seconds,
    MAX(EXTRACT(EPOCH FROM (completed_at - started_at))) as max_seconds,
    COUNT(*) as count
  FROM batch_job_trackings
  WHERE status = 'completed'
  AND created_at > NOW() - INTERVAL '7 days';
""",
}


@pytest.mark.parametrize("database", ["postgresql"], indirect=True)
def test_the_operators_sql_runs_unchanged_with_true_results(job: int) -> None:
    for status in (Batch.COMPLETED, Batch.COMPLETED, Batch.CRASHED, Batch.FAILED):
        made(job, status)

    with reading_connection() as conn:
        found = {name: conn.execute(text(sql)).fetchall() for name, sql in VERBATIM.items()}

    assert found["count"][0][0] == 4
    assert found["size"][0][0].endswith("kB")
    (day,) = found["crash rate"]
    assert (day.crashed, day.total, float(day.crash_rate_pct)) == (1, 4, 25.0)
    (timing,) = found["timing"]
    assert (float(timing.avg_seconds), timing.count) == (2.0, 2)
    assert batches.crash_rate()[0].crash_rate_pct == 25.0
    assert batches.timing().avg_seconds == 2.0


# ----------------------------------------------------------------------------------- reports


def test_health_is_printed_as_operators_know_it(job: int, clerk: Callable[..., Any]) -> None:
    for status in (*[Batch.COMPLETED] * 7, Batch.FAILED, Batch.CRASHED, Batch.PENDING):
        made(job, status)
    made(job, Batch.CRASHED, age=timedelta(hours=25))

    said = clerk("batch", "health")

    assert said.out == (
        "\nBatch Job Tracking Health (Last 24h)\n"
        + "=" * 60
        + "\nTotal batches: 10\nCompleted: 7 (70.0%)\nFailed: 1\nCrashed: 1\n"
        + f"\nRecent crashes:\n  - Job {job}: PMC:1\n"
    )
    found = json.loads(clerk("batch", "health", "--hours", "48", "--json").out)
    assert (found["total"], found["crashed"]) == (11, 2)


def test_health_of_nothing_is_no_division_by_zero(database: str) -> None:
    assert batches.health().completed_percent == 0.0


def test_reports_come_as_text_csv_and_json(job: int, clerk: Callable[..., Any]) -> None:
    made(job, Batch.COMPLETED)
    made(job, Batch.FAILED, error_message="ValueError: no\nsomewhere")

    for name in ("crash-rate", "timing", "size", "slow", "failures"):
        assert clerk("batch", "report", name).code == 0
        rows = json.loads(clerk("batch", "report", name, "--json").out)
        table = list(csv.DictReader(io.StringIO(clerk("batch", "report", name, "--csv").out)))
        assert len(rows) == len(table) and list(rows[0]) == list(table[0])
    (worst,) = batches.failures()
    assert (worst.sourceid, worst.failed, worst.alone, worst.error) == ("1", 1, 1, "ValueError: no")


def test_the_document_to_blame_comes_first(job: int) -> None:
    for _ in range(3):
        made(job, Batch.CRASHED, doc_identifiers=DOCS[:2])
    made(job, Batch.CRASHED, doc_identifiers=DOCS[1:2])

    assert [d.sourceid for d in batches.failures()] == ["2", "1"]


def test_cleaning_up_changes_no_figure(job: int, storage: Path) -> None:
    for days in range(12):
        age = timedelta(days=days, minutes=1)
        for status in (Batch.COMPLETED, Batch.COMPLETED, Batch.CRASHED, Batch.FAILED):
            made(job, status, age=age)

    def figures() -> Any:
        timing = batches.timing(30)
        failing = [(d.sourceid, d.failed, d.crashed, d.alone) for d in batches.failures()]
        health = batches.health(24 * 30)
        counts = (health.total, health.completed, health.failed, health.crashed)
        days = [(d.date, d.crashed, d.total) for d in batches.crash_rate(30)]
        return counts, days, timing.count, timing.avg_seconds, timing.max_seconds, failing

    before = figures()
    assert batches.cleanup(storage, dry_run=True).batches == 20
    assert figures() == before

    assert batches.cleanup(storage).batches == 20
    assert BatchJobTracking.all().count() == 28
    assert batches.cleanup(storage).batches == 0
    assert figures() == before

    assert batches.cleanup(storage, timedelta()).batches == 28
    assert figures() == before
    assert batches.timing(30).p95_seconds == pytest.approx(2.0, rel=0.1)
    assert len(batches.health(24 * 30).recent_crashes) == 1


def test_cleaning_up_never_touches_what_is_not_finished(
    job: int, clerk: Callable[..., Any]
) -> None:
    for status in Batch.ALL:
        made(job, status, age=timedelta(days=30))

    assert clerk("batch", "cleanup", "--dry-run").out == (
        "Would delete 5 old batch tracking records\n"
    )
    assert clerk("batch", "cleanup").out == "Deleted 5 old batch tracking records\n"
    assert BatchJobTracking.all().counts_by_status() == {"pending": 1, "running": 1}


def test_batches_of_scripts_are_crashed_only_by_the_timeout(job: int) -> None:
    old = made(job, Batch.RUNNING, age=timedelta(minutes=11))
    made(job, Batch.RUNNING, age=timedelta(minutes=9))

    assert detect_crashed_batches(config.load(), timedelta(minutes=10)) == 1
    assert BatchJobTracking.find(old).status == "crashed"


def test_the_pipelines_batches_are_in_the_same_commands(
    make_site: Callable[..., str], clerk: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    hurry(monkeypatch)
    town = Town(make_site())
    town.pdfs(3)
    town.pdf("2024-02-01", "crash SIGSEGV")
    town.start()
    work_embedded()

    listed = json.loads(clerk("batch", "list", "--json", "-n", "100").out)
    crashed = json.loads(clerk("batch", "list", "--status", "crashed", "--json").out)

    assert len(listed) == BatchJobTracking.all().count() > 4
    assert any("springfield:minutes/Council/2024-02-01" in b["doc_summary"] for b in crashed)
    assert "Crashed or killed" in clerk("batch", "show", str(crashed[0]["id"])).out
    assert batches.failures()[0].sourceid == "minutes/Council/2024-02-01"
    assert batches.health().crashed == len(crashed)
    town.pdf("2024-02-01", "fine")
    assert clerk("batch", "retry", str(crashed[0]["id"])).code == 0


def test_an_unknown_batch_is_refused_by_its_number(
    database: str, clerk: Callable[..., Any]
) -> None:
    said = clerk("batch", "show", "99")

    assert (said.code, said.out) == (1, "")
    assert "There is no batch 99." in said.err


def test_a_batch_that_was_touched_lately_is_not_silent(job: int) -> None:
    batch = made(job, Batch.RUNNING, age=timedelta(hours=1))
    with civic_db_connection() as conn:
        conn.execute(
            update(batches_table)
            .where(batches_table.c.id == batch)
            .values(updated_at=datetime.now(UTC))
        )

    assert detect_crashed_batches(config.load(), timedelta(minutes=10)) == 0
