"""The pages of one run, one document and the schedule."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest
from databases import sqlite_daily
from small_work import Town, hurry, work_embedded
from sqlalchemy import select
from test_web_figures import row_of, rows
from web_town import Browser

from clerk.core import config, db, manifest
from clerk.core.answers import keep_answer
from clerk.core.models import audit_table, jobs_table, runs_table, stage_events_table
from clerk.executors.work import Outcome, WorkerInfo
from clerk.ops.web_sessions import OPERATOR, VIEWER
from clerk.pipeline import schedule
from clerk.pipeline.flow import Pipeline
from clerk.pipeline.scan import scan_site


@pytest.fixture
def town(make_site: Callable[..., str], monkeypatch: pytest.MonkeyPatch) -> Town:
    """A site of which two documents were read and one failed."""
    hurry(monkeypatch)
    town = Town(make_site(subdomain="springfield"))
    town.pdfs(2)
    town.pdf("2024-02-01", "bad")
    town.start()
    work_embedded()
    return town


def last_run() -> str:
    with db.reading_connection() as conn:
        newest = select(runs_table.c.run_id).order_by(runs_table.c.epoch.desc())
        return str(conn.execute(newest).scalars().first())


def test_a_run_is_shown_with_stages_documents_and_events(town: Town) -> None:
    page = Browser(VIEWER).get(f"/ops/runs/{last_run()}")

    assert page.status_code == 200
    _, state, _, total, completed, failed, *_ = row_of(page.text, "ocr")
    assert (state, total, completed, failed) == ("closed", "3", "2", "1")
    shown = row_of(page.text, "minutes/Council/2024-02-01")
    assert shown[2] == "failed" and "not a PDF" in shown[-1]
    assert any("run partial" in row for row in rows(page.text))
    log = [row for row in rows(page.text[page.text.index("<h2>Log</h2>") :]) if len(row) == 8]
    said = {(row[1], row[2], row[4].partition(":")[0]) for row in log}
    assert ("info", "fetch", "fetch completed") in said
    assert ("error", "ocr", "document failed") in said
    assert ("info", "deploy", "deploy completed") in said
    assert Browser(VIEWER).get("/ops/runs/nothing").status_code == 404
    assert last_run() in Browser(VIEWER).get("/ops/sites/springfield").text


def test_the_last_attempt_of_a_step_is_logged_as_failed_with_its_time(
    make_site: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    hurry(monkeypatch)
    town = Town(make_site(subdomain="springfield"))
    (town.folder / "on-fetch").write_text("transient 9")
    town.start()
    work_embedded()

    page = Browser(VIEWER).get(f"/ops/runs/{last_run()}").text

    log = [row for row in rows(page[page.index("<h2>Log</h2>") :]) if len(row) == 8]
    assert [(row[1], row[4].partition(":")[0]) for row in log[1:]] == [
        ("warning", "fetch will be tried again"),
        ("warning", "fetch will be tried again"),
        ("error", "fetch failed"),
    ]
    with db.reading_connection() as conn:
        jobs, events = jobs_table, stage_events_table
        worked = conn.execute(select(jobs.c.busy_seconds)).scalar_one()
        finished = select(events.c.seconds).where(events.c.event == "finished")
        last_attempt = conn.execute(finished).scalar_one()
    assert 0 < last_attempt < worked, "the time of all three attempts"


def test_a_run_can_be_cancelled_from_the_page_only_while_there_is_one(town: Town) -> None:
    operator = Browser(OPERATOR)
    assert "Cancel the active run" not in operator.get("/ops/sites/springfield").text

    town.start()

    assert "Cancel the active run" in operator.get("/ops/sites/springfield").text


@sqlite_daily
def test_a_failure_leads_to_the_page_of_its_document(town: Town) -> None:
    page = Browser(VIEWER).get("/ops/failures").text

    assert 'href="/ops/sites/springfield/documents/minutes/Council/2024-02-01"' in page


def test_a_failed_document_is_shown_and_retried_from_its_page(town: Town) -> None:
    address = "/ops/sites/springfield/documents/minutes/Council/2024-02-01"
    page = Browser(VIEWER).get(address)
    assert "not a PDF" in page.text and "Retry" not in page.text
    assert Browser(VIEWER).post(address, data={"action": "retry"}).status_code == 403
    operator = Browser(OPERATOR)
    assert "Retry" in operator.get(address).text
    town.pdf("2024-02-01", "fine now")

    assert operator.post(address, data={"action": "retry"}).status_code in (200, 303)
    work_embedded()

    assert "completed" in row_of(operator.get(address).text, last_run())
    assert Browser(VIEWER).get(f"{address}-none").status_code == 404


def test_a_document_that_was_read_is_read_again_from_its_page(town: Town) -> None:
    address = "/ops/sites/springfield/documents/minutes/Council/2024-01-01"
    scan_site(config.load(), "springfield")
    before = last_run()

    Browser(OPERATOR).post(address, data={"action": "redo"})

    assert last_run() != before
    work_embedded()
    with db.reading_connection() as conn:
        site = db.require_site(conn, "springfield")
    assert (site["ocr_total"], site["ocr_completed"], site["ocr_failed"]) == (3, 2, 1)


def test_a_document_shows_what_it_is_its_versions_and_its_pdf(town: Town) -> None:
    address = "/ops/sites/springfield/documents/minutes/Council/2024-01-01"
    scan_site(config.load(), "springfield")
    viewer = Browser(VIEWER)

    page = viewer.get(address).text
    pdf = viewer.get(address.replace("/documents/", "/pdf/"))

    with db.reading_connection() as conn:
        known = manifest.document(conn, "springfield", "minutes/Council/2024-01-01")
    assert known is not None and known.pdf_sha256
    assert known.pdf_sha256 in page and "present" in page
    assert "<dt>Date</dt><dd>2024-01-01" in page and "<dt>Title</dt><dd>unknown" in page
    assert pdf.headers["content-type"] == "application/pdf"
    assert "sandbox" in pdf.headers["content-security-policy"]
    assert pdf.headers["content-disposition"].startswith("attachment")
    assert hashlib.sha256(pdf.content).hexdigest() == known.pdf_sha256
    nowhere = "/ops/sites/springfield/pdf/minutes/Council/1999-01-01"
    assert viewer.get(nowhere).status_code == 404
    assert viewer.get("/ops/sites/springfield/pdf/..%2f..%2fclerk").status_code == 404


@sqlite_daily
def test_the_page_that_a_document_is_at_is_shown_while_it_is_read(town: Town) -> None:
    name = "minutes/Council/2024-04-01"
    town.pdf("2024-04-01", "long")
    town.start()
    flow = Pipeline(config.load())
    worker = WorkerInfo("a-worker", ("fetch", "ocr"), "", 60.0)
    flow.register(worker)
    fetch = flow.claim(("fetch",), worker.id, lambda _queue: 1)
    assert fetch is not None
    found = {"documents": [{"name": name, "bytes": 1, "sha256": "x"}]}
    flow.finish(fetch, [Outcome(fetch.items[0], "completed", result=found)], ended=True)
    reading = flow.claim(("ocr",), worker.id, lambda _queue: 9)
    assert reading is not None
    assert name in [item.document for item in reading.items]

    assert flow.beat(worker, {reading.token: name}, {reading.token: 17})

    page = Browser(VIEWER).get(f"/ops/sites/springfield/documents/{name}").text
    assert "Being read: page 17, attempt 1, by <code>a-worker</code>" in page


def test_the_schedule_is_shown_and_changed_from_the_pages(town: Town, storage: Path) -> None:
    operator = Browser(OPERATOR)
    assert "Nothing queues due sites here yet" in operator.get("/ops/schedule").text

    operator.post(
        "/ops/sites/springfield/schedule",
        data={
            "action": "set",
            "how": "at",
            "at": "06:30",
            "on": ["mon", "thu"],
            "zone": "America/Chicago",
            "jitter": "20",
        },
    )
    operator.post("/ops/sites/springfield/schedule", data={"action": "pause"})

    row = row_of(operator.get("/ops/schedule").text, "springfield")
    assert row[2] == "mon, thu at 06:30 America/Chicago + 20 min" and row[4].startswith("paused by")
    assert "Resume" in operator.get("/ops/sites/springfield").text
    refused = operator.post(
        "/ops/sites/springfield/schedule", data={"action": "set", "how": "every", "hours": "x"}
    )
    assert refused.status_code == 422 or refused.status_code == 400
    operator.post("/ops/sites/springfield/schedule", data={"action": "resume"})
    with db.reading_connection() as conn:
        actions = conn.execute(select(audit_table.c.action)).scalars().all()
        [listed] = schedule.list_schedules(conn, config.load())
    assert {"schedule changed", "schedule paused", "schedule resumed"} <= set(actions)
    assert listed.paused_at is None


def test_what_a_portal_returned_and_nobody_understood_is_shown_with_its_permission(
    make_site: Callable[..., str], storage: Path
) -> None:
    permission = {"granted_by": "City Clerk", "reason": "letter", "recorded_at": "2024-03-01"}
    extra = {"source": "https://town.example/", "permission": permission}
    make_site("springfield", scraper="plain", extra=json.dumps(extra))
    now = datetime(2024, 3, 1, tzinfo=UTC)
    url, text = "https://town.example/minutes", "<b>We have moved</b>"
    with db.get_civic_db().begin() as conn:
        kept = keep_answer(conn, "springfield", "NotUnderstood", url, text, now)

    shown = Browser(VIEWER).get("/ops/sites/springfield").text
    answer = Browser(VIEWER).get(f"/ops/sites/springfield/answers/{kept.name}")

    assert "granted by City Clerk (letter)" in shown
    assert "NotUnderstood" in shown and "https://town.example/minutes" in shown
    assert "We have moved" in answer.text and answer.headers["content-type"].startswith(
        "text/plain"
    )
    assert "sandbox" in answer.headers["content-security-policy"]
    other = Browser(VIEWER).get("/ops/sites/springfield/answers/..%2f..%2fclerk.db")
    assert other.status_code == 404
