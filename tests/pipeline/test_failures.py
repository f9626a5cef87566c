"""Failed documents: listed by cause, read again, left out."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any

import legacy
import pytest
from guide import clerk
from sqlalchemy import select, text, update

from clerk.core import config, db
from clerk.core.clock import utc_now
from clerk.core.models import audit_table, items_table, jobs_table, quarantine_table, runs_table
from clerk.core.states import Item
from clerk.executors.work import Outcome
from clerk.pipeline import failures, ledger, scripted_stages, transitions
from clerk.pipeline.failures import Filter, find, groups

GOOD, BAD, WORSE = (f"minutes/Council/2025-0{month}-01" for month in (1, 2, 3))
DAMAGED = "UnreadablePdf: no PDF reader can make sense of it"
LOCKED = "EncryptedPdf: it needs a password"

OUTCOMES = {GOOD: (Item.COMPLETED, ""), BAD: (Item.FAILED, DAMAGED), WORSE: (Item.FAILED, LOCKED)}


@pytest.fixture
def failing(site: str, storage: Path) -> str:
    """A site whose last run read one document and failed with two."""
    legacy.write_documents(storage / site, both=1, pdf=2)
    start(site)
    read(OUTCOMES)
    finish_steps()
    assert run_state(site) == "partial"
    return site


def start(site: str) -> None:
    """Open a run and fetch three documents."""
    with db.civic_db_connection() as conn:
        transitions.start_run(conn, site)
    documents = [transitions.FoundDocument(name, 10, name[-5:]) for name in OUTCOMES]
    work(
        "fetch",
        lambda item: Outcome(item, Item.COMPLETED, result=transitions.Found(tuple(documents))),
    )


def read(outcomes: Mapping[str, tuple[str, str]]) -> None:
    """Work off the reading; what is not given completes."""

    def outcome(item: Any) -> Outcome:
        state, error = outcomes.get(item.document, (Item.COMPLETED, ""))
        return Outcome(item, state, error, error.partition(":")[0], lasting=bool(error))

    work("ocr", outcome)


def finish_steps(texts: int = 1) -> None:
    """Coordinate, compile, extract and deploy."""
    for queue in ("compilation", "compilation", "extraction", "deploy"):
        work(queue, lambda item: Outcome(item, Item.COMPLETED, result=texts))


def fails_with(error: str) -> Callable[[Any], Outcome]:
    """Fail with an error that begins with its class."""
    return lambda item: Outcome(item, Item.FAILED, error, error.partition(":")[0])


def work(queue: str, outcome: Callable[[Any], Outcome]) -> None:
    with db.civic_db_connection() as conn:
        ledger.register_worker(conn, f"w{next(_numbers)}", lease_seconds=60, queues=queue)
        claimed = ledger.claim(conn, [queue], "w", lambda _: 100)
        if claimed is not None:
            transitions.finish(conn, claimed, [outcome(item) for item in claimed.items], ended=True)


_numbers = iter(range(10_000))


def counters(site: str) -> tuple[int, int, int]:
    with db.reading_connection() as conn:
        row = db.require_site(conn, site)
    return row["ocr_total"], row["ocr_completed"], row["ocr_failed"]


def run_state(site: str) -> str:
    with db.reading_connection() as conn:
        return conn.execute(
            select(runs_table.c.state)
            .where(runs_table.c.subdomain == site)
            .order_by(runs_table.c.epoch.desc())
            .limit(1)
        ).scalar_one()


def ledger_agrees(site: str) -> bool:
    """Whether the counters of the site's last reading equal the sums of its rows."""
    with db.civic_db_connection() as conn:
        job = conn.execute(
            select(jobs_table)
            .where(jobs_table.c.subdomain == site, jobs_table.c.stage == "ocr")
            .where(jobs_table.c.kind == "stage")
            .order_by(jobs_table.c.id.desc())
        ).first()
        assert job is not None
        again = ledger.recount(conn, job.id)
    counted = (again.total, again.completed, again.failed)
    return (job.total, job.completed, job.failed) == counted == counters(site)


# ------------------------------------------------------------------------------- listing


def test_failures_are_grouped_by_stage_and_error_with_the_remedy(failing: str) -> None:
    found = groups(find())

    assert [(group.stage, group.kind, group.failed.documents) for group in found] == [
        ("ocr", "EncryptedPdf", 1),
        ("ocr", "UnreadablePdf", 1),
    ]
    assert "password" in found[0].remedy
    assert "ocr: EncryptedPdf" in clerk("failures", "list").output


@pytest.mark.parametrize(
    ("wanted", "documents"),
    [
        (Filter(error="unreadable"), [BAD]),
        (Filter(document="*-03-01"), [WORSE]),
        (Filter(stage="ocr"), [BAD, WORSE]),
        (Filter(stage="deploy"), []),
        (Filter(quarantined=True), []),
    ],
)
def test_a_filter_says_which(failing: str, wanted: Filter, documents: list[str]) -> None:
    assert [failure.document for failure in find(wanted)] == documents


def test_one_failure_is_shown_with_all_that_is_known(failing: str) -> None:
    failure = find(Filter(document=BAD))[0]

    shown = clerk("failures", "show", str(failure.id))

    assert DAMAGED in shown.output
    assert clerk("failures", "show", "999999").exit_code == 1


def test_failures_of_a_former_run_are_not_listed(failing: str) -> None:
    with db.civic_db_connection() as conn:
        conn.execute(quarantine_table.delete())
    start(failing)
    read({BAD: (Item.FAILED, DAMAGED)})

    assert [failure.document for failure in find()] == [BAD]


# ------------------------------------------------------------------------------ retrying


def test_a_retried_document_leaves_the_failed_count_and_is_counted_once_again(
    failing: str,
) -> None:
    assert counters(failing) == (3, 1, 2)

    failures.retry(config.load(), find(Filter(document=BAD)), who="ann")
    assert counters(failing) == (3, 1, 1)
    assert run_state(failing) == "active"
    read({})
    assert counters(failing) == (3, 2, 1)
    finish_steps()

    assert run_state(failing) == "partial"
    assert [failure.document for failure in find()] == [WORSE]
    assert ledger_agrees(failing)


def test_a_retry_reads_just_what_was_asked_for(failing: str) -> None:
    failures.retry(config.load(), find(Filter(document=BAD)), who="ann")

    with db.reading_connection() as conn:
        pending = conn.execute(
            select(items_table.c.document).where(items_table.c.state == Item.PENDING)
        ).scalars()
        assert list(pending) == [BAD]


def test_a_document_that_fails_again_is_counted_once(failing: str) -> None:
    failures.retry(config.load(), find(), who="ann")
    read(OUTCOMES)
    finish_steps()

    assert counters(failing) == (3, 1, 2)
    assert ledger_agrees(failing)


def test_in_a_reading_that_is_under_way_the_document_is_read_in_it(
    site: str, storage: Path
) -> None:
    legacy.write_documents(storage / site, pdf=3)
    start(site)
    with db.civic_db_connection() as conn:
        claimed = ledger.claim(conn, ["ocr"], "w", lambda _: 1)
        assert claimed is not None
        outcome = Outcome(claimed.items[0], Item.FAILED, DAMAGED, "UnreadablePdf", lasting=True)
        transitions.finish(conn, claimed, [outcome], ended=True)
    before = run_id(site)
    assert counters(site) == (3, 0, 1)

    failures.retry(config.load(), find(), who="ann")

    assert (counters(site), run_id(site)) == ((3, 0, 0), before)
    assert ledger_agrees(site)
    read({})
    assert counters(site) == (3, 3, 0)


def run_id(site: str) -> str:
    with db.reading_connection() as conn:
        run = transitions.active_run(conn, site)
    assert run is not None
    return str(run.run_id)


def test_a_retry_lifts_the_quarantine(failing: str) -> None:
    failures.retry(config.load(), find(), who="ann")

    assert remembered() == []


def remembered() -> list[tuple[str, str]]:
    with db.reading_connection() as conn:
        rows = conn.execute(select(quarantine_table.c.document, quarantine_table.c.state))
        return sorted((row.document, row.state) for row in rows)


def test_a_document_whose_pdf_is_gone_is_fetched_again(failing: str, storage: Path) -> None:
    for pdf in (storage / failing / "pdfs").rglob("*.pdf"):
        pdf.unlink()

    failures.retry(config.load(), find(), who="ann")

    with db.reading_connection() as conn:
        assert db.require_site(conn, failing)["current_stage"] == "fetch"


def test_a_failed_step_is_done_again(site: str, storage: Path) -> None:
    legacy.write_documents(storage / site, both=3)
    start(site)
    read({})
    work("compilation", lambda item: Outcome(item, Item.COMPLETED, result=3))
    work("compilation", fails_with("OSError: disk"))
    work("extraction", lambda item: Outcome(item, Item.COMPLETED))
    assert run_state(site) == "failed"
    assert [failure.stage for failure in find()] == ["compilation"]

    failures.retry(config.load(), find(), who="ann")
    for queue in ("compilation", "extraction", "deploy"):
        work(queue, lambda item: Outcome(item, Item.COMPLETED))

    assert (run_state(site), find()) == ("completed", [])


def test_failures_of_an_older_system_are_named_by_the_disk(site: str, storage: Path) -> None:
    legacy.write_documents(storage / site, both=1, pdf=2)
    scripted_stages.initialize_stage(site, "ocr", total_jobs=4)
    scripted_stages.increment_completed(site, "ocr")
    for _ in range(3):
        scripted_stages.increment_failed(site, "ocr", "by the old system", "Error")

    failures.retry(config.load(), find(), who="ann")

    assert counters(site) == (4, 1, 1)
    read({})
    assert counters(site) == (4, 3, 1)
    assert [failure.error for failure in find()] == ["Neither text nor PDF on disk"]


def test_a_frozen_selection_leaves_alone_what_has_changed(failing: str, tmp_path: Path) -> None:
    listed = tmp_path / "failures.json"
    listed.write_text(clerk("failures", "list", "--each", "--json").output)
    clerk("failures", "retry", "--document", BAD, "--yes")

    ran = clerk("failures", "retry", "--from", str(listed), "--yes")

    assert "Not touched: 2 that have changed" in ran.output
    assert ran.exit_code == 1


def test_a_preview_changes_nothing(failing: str) -> None:
    before = state()

    ran = clerk("failures", "retry", "--all", "--dry-run")
    skipped = clerk("failures", "skip", "--all", "--reason", "no", "--dry-run")

    assert "Would retry 2 documents of 1 site\n" in ran.output
    assert "Would skip 2 documents of 1 site\n" in skipped.output
    assert state() == before


def test_a_retry_with_an_engine_that_is_not_there_is_refused(failing: str) -> None:
    before = state()

    ran = clerk("failures", "retry", "--all", "--yes", "--ocr-backend", "nope")

    assert ran.exit_code == 3
    assert state() == before


def test_everything_has_to_be_asked_for(failing: str) -> None:
    assert clerk("failures", "retry", "--yes").exit_code == 2


# ------------------------------------------------------------------------------ skipping


def test_a_skipped_document_is_left_out_of_the_counts(failing: str) -> None:
    before = updated_at(failing)

    failures.skip(config.load(), find(Filter(document=WORSE)), who="ann", why="no password")

    assert counters(failing) == (2, 1, 1)
    assert [failure.document for failure in find()] == [BAD]
    assert ledger_agrees(failing)
    assert updated_at(failing) == before


def updated_at(site: str) -> Any:
    with db.reading_connection() as conn:
        return db.require_site(conn, site)["updated_at"]


def test_a_skip_keeps_who_and_why(failing: str) -> None:
    failures.skip(config.load(), find(Filter(document=WORSE)), who="ann", why="no password")

    with db.reading_connection() as conn:
        row = conn.execute(select(audit_table)).one()
    assert (row.who, row.action, row.detail) == ("ann", "document skipped", "no password")
    assert row.subject == f"{failing} {WORSE}"


def test_a_skipped_document_stays_out_of_the_next_run(failing: str, storage: Path) -> None:
    from clerk.core.storage import sha256_of

    failures.skip(config.load(), find(), who="ann", why="never mind")
    pdf = storage / failing / "pdfs" / "Council" / "2025-02-01.pdf"
    documents = [transitions.FoundDocument(BAD, 10, sha256_of(pdf))]

    with db.civic_db_connection() as conn:
        transitions.start_run(conn, failing)
    found = transitions.Found(tuple(documents), carried=1, engine="another engine")
    work("fetch", lambda item: Outcome(item, Item.COMPLETED, result=found))

    assert counters(failing) == (1, 1, 0)
    assert ledger_agrees(failing)


def test_a_skipped_document_whose_bytes_changed_is_read(failing: str) -> None:
    failures.skip(config.load(), find(), who="ann", why="never mind")

    start(failing)

    assert counters(failing) == (3, 0, 0)


def test_what_the_source_offers_and_nobody_can_read_can_be_skipped(site: str) -> None:
    rejected = (transitions.Rejected("notes.docx", "Rejected", "not a PDF"),)
    found = transitions.Found((), carried=1, rejected=rejected)
    for _ in range(2):
        with db.civic_db_connection() as conn:
            transitions.start_run(conn, site)
        work("fetch", lambda item: Outcome(item, Item.COMPLETED, result=found))
        failures.skip(config.load(), find(), who="ann", why="not a PDF")

    assert counters(site) == (1, 1, 0)


def test_a_failed_step_is_not_a_document(site: str) -> None:
    with db.civic_db_connection() as conn:
        transitions.start_run(conn, site)
    work(
        "fetch",
        fails_with("SourceUnavailable: gone"),
    )

    (group,) = json.loads(clerk("failures", "list", "--json").output)
    assert (group["documents"], group["steps"]) == (0, 1)
    preview = clerk("failures", "retry", "--all", "--dry-run").output
    assert "Would retry 1 step of 1 site\n" in preview


def test_a_coordinator_that_failed_is_listed_and_retried(site: str, storage: Path) -> None:
    legacy.write_documents(storage / site, both=1, pdf=2)
    start(site)
    read({})
    work(
        "compilation",
        fails_with("OSError: the disk is gone"),
    )
    assert run_state(site) == "failed"

    (failure,) = find()
    failures.retry(config.load(), [failure], who="ann")
    for queue in ("compilation", "extraction", "deploy"):
        work(queue, lambda item: Outcome(item, Item.COMPLETED))

    assert (failure.step, find(), run_state(site)) == ("coordinator", [], "completed")


def test_what_an_older_system_counted_is_a_group_without_rows(site: str) -> None:
    with db.civic_db_connection() as conn:
        counted = {"current_stage": "completed", "ocr_total": 8, "ocr_completed": 5}
        db.update_site(conn, site, counted | {"ocr_failed": 3})

    (group,) = json.loads(clerk("failures", "list", "--json").output)
    assert (group["documents"], group["sites"]) == (3, [site])
    assert "clerk run SITE" in group["remedy"]
    assert find() == []
    assert failures.find_groups(Filter(error="Encrypted")) == []
    assert failures.find_groups(Filter(stage="fetch")) == []


def test_a_failure_is_dated_when_it_happened_first(site: str) -> None:
    """Known failures are carried from run to run; they do not fail again every night."""
    documents = (transitions.FoundDocument(BAD, 10, "b"),)
    rejected = (transitions.Rejected("notes.docx", "Rejected", "not a PDF"),)
    found = transitions.Found(documents, rejected=rejected, engine="e")
    dates, yesterday = [], utc_now() - timedelta(days=1)
    for _ in range(2):
        with db.civic_db_connection() as conn:
            transitions.start_run(conn, site)
        work("fetch", lambda item: Outcome(item, Item.COMPLETED, result=found))
        read(dict.fromkeys([BAD], (Item.FAILED, DAMAGED)))
        dates.append({each.document: each.finished_at for each in find()})
        with db.civic_db_connection() as conn:
            conn.execute(update(quarantine_table).values(created_at=yesterday))
            conn.execute(update(items_table).values(finished_at=yesterday))

    first, second = dates
    assert first.keys() == second.keys() == {BAD, "notes.docx"}
    assert all(each is not None for each in first.values())
    assert set(second.values()) == {yesterday}


def test_a_failure_that_is_not_retried_keeps_its_date(failing: str) -> None:
    kept = {each.document: each.finished_at for each in find()}
    retried, stays = find()

    failures.retry(config.load(), [retried], who="ann")

    assert [(each.document, each.finished_at) for each in find()] == [
        (stays.document, kept[stays.document])
    ]


def test_a_document_a_script_counts_as_failed_is_dated(site: str) -> None:
    scripted_stages.initialize_stage(site, "ocr", total_jobs=3)
    scripted_stages.increment_failed(site, "ocr", "damaged", "UnreadablePdf")
    with db.civic_db_connection() as conn:
        yesterday = utc_now() - timedelta(days=1)
        conn.execute(update(items_table).values(created_at=yesterday, finished_at=yesterday))

    scripted_stages.increment_failed(site, "ocr", "damaged", "UnreadablePdf")

    dated = {each.finished_at: each.documents for each in find()}
    assert dated.pop(yesterday) == 1
    assert list(dated.values()) == [1] and None not in dated


def test_a_failed_step_cannot_be_skipped(site: str) -> None:
    with db.civic_db_connection() as conn:
        transitions.start_run(conn, site)
    work(
        "fetch",
        fails_with("SourceUnavailable: gone"),
    )

    decided = failures.skip(config.load(), find(), who="ann", why="no")

    assert "retry the failed step" in decided.refused[site]
    assert len(find()) == 1


def test_skipping_twice_is_skipping_once(failing: str) -> None:
    selected = find()
    failures.skip(config.load(), selected, who="ann", why="no")

    again = failures.skip(config.load(), selected, who="ben", why="yes")

    assert (again.documents, again.changed) == (0, 2)


def state() -> str:
    tables = ("items", "jobs", "runs", "sites", "quarantine", "audit")
    with db.reading_connection() as conn:
        rows = {name: conn.execute(text(f"SELECT * FROM {name}")).fetchall() for name in tables}
    return json.dumps({name: sorted(map(repr, each)) for name, each in rows.items()})
