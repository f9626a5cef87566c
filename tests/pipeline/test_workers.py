"""The jobs as operators' scripts call them, with real PDFs."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from invariants import check, forbid_going_back
from small_work import Town
from sqlalchemy import func, select

from clerk.core import db
from clerk.core.db import civic_db_connection, reading_connection
from clerk.core.errors import UnknownSite
from clerk.core.models import batches_table
from clerk.pipeline.scripted_stages import (
    claim_coordinator_enqueue,
    increment_completed,
    initialize_stage,
)
from clerk.pipeline.workers import compile_db_job, ocr_complete_coordinator, ocr_page_job
from tools.pdf_writer import PdfWriter, Text


@pytest.fixture
def town(make_site: Any, storage: Path) -> Iterator[Town]:
    with civic_db_connection() as conn:
        forbid_going_back(conn)
    yield Town(make_site("test-site"))
    with reading_connection() as conn:
        check(conn)


def good_pdf(town: Town, name: str = "2024-01-01") -> Path:
    writer = PdfWriter("Minutes")
    words = [
        "The regular meeting of the City Council was called to order at seven.",
        "Motion by Alder Green, seconded by Alder Brown, to approve the minutes.",
        "The motion carried unanimously. The meeting was adjourned at nine.",
    ]
    marks = [Text(72, 700 - 20 * n, "Helvetica", 12, line) for n, line in enumerate(words)]
    writer.add_page(marks)
    path = town.pdf(name)
    path.write_bytes(writer.getvalue())
    return path


def corrupt_pdf(town: Town, name: str = "2024-01-01") -> Path:
    path = town.pdf(name)
    path.write_bytes(b"%PDF-1.4 fake pdf")
    return path


def test_a_good_pdf_counts_as_completed(town: Town) -> None:
    pdf = good_pdf(town)
    initialize_stage(town.subdomain, "ocr", total_jobs=1)

    ocr_page_job(
        subdomain=town.subdomain, pdf_path=str(pdf), backend="tesseract", run_id="test_run"
    )

    assert town.counts == (1, 1, 0)
    page = town.folder / "txt/Council/2024-01-01/page-1.txt"
    assert "called to order" in page.read_text()


def test_a_corrupt_pdf_counts_as_failed_and_does_not_raise(town: Town) -> None:
    pdf = corrupt_pdf(town)
    initialize_stage(town.subdomain, "ocr", total_jobs=1)

    ocr_page_job(
        subdomain=town.subdomain, pdf_path=str(pdf), backend="tesseract", run_id="test_run"
    )

    assert town.counts == (1, 0, 1)
    assert town.row.last_error_stage == "ocr"
    assert town.row.last_error_message


def test_a_missing_pdf_counts_as_failed(town: Town) -> None:
    initialize_stage(town.subdomain, "ocr", total_jobs=1)

    ocr_page_job(town.subdomain, str(town.folder / "pdfs/Council/2024-01-01.pdf"))

    assert town.counts == (1, 0, 1)


def test_a_job_called_twice_counts_once(town: Town) -> None:
    pdf = good_pdf(town)
    initialize_stage(town.subdomain, "ocr", total_jobs=2)

    ocr_page_job(town.subdomain, str(pdf))
    ocr_page_job(town.subdomain, str(pdf))

    assert town.counts == (2, 1, 0)


def test_a_job_called_many_times_at_once_counts_once(town: Town) -> None:
    """Threads may not fork, so only the claiming is raced here; whoever wins does the work."""
    from clerk.pipeline import workers

    initialize_stage(town.subdomain, "ocr", total_jobs=2)
    pdf = good_pdf(town)
    name = "minutes/Council/2024-01-01"

    def claim(number: int) -> object:
        with civic_db_connection() as conn:
            db.lock_site(conn, town.subdomain)
            job = workers._job(conn, db.require_site(conn, town.subdomain), "ocr")
            workers.ledger.name_item(conn, job, "document", name)
        with civic_db_connection() as conn:
            return workers._claim_step(conn, town.subdomain, "ocr", "stage", f"w{number}", name)

    with ThreadPoolExecutor(8) as pool:
        claims = [each for each in pool.map(claim, range(16)) if each]

    assert len(claims) == 1
    assert town.counts[0] == 2
    assert pdf.is_file()


def test_a_document_nobody_expected_is_counted_too(town: Town) -> None:
    initialize_stage(town.subdomain, "ocr", total_jobs=0)

    ocr_page_job(town.subdomain, str(good_pdf(town)))

    assert town.counts == (1, 1, 0)


def test_a_document_that_comes_after_the_stage_closed_waits_for_the_next_run(town: Town) -> None:
    initialize_stage(town.subdomain, "ocr", total_jobs=1)
    ocr_page_job(town.subdomain, str(good_pdf(town, "2024-01-01")))
    assert town.row.coordinator_enqueued is True

    ocr_page_job(town.subdomain, str(good_pdf(town, "2024-01-02")))

    assert town.counts == (1, 1, 0)


def test_a_job_of_an_old_run_does_nothing(town: Town) -> None:
    pdf = good_pdf(town)
    old = town.start()
    initialize_stage(town.subdomain, "ocr", total_jobs=1)

    ocr_page_job(town.subdomain, str(pdf), run_id=old)
    compile_db_job(town.subdomain, run_id=old)

    assert town.counts == (1, 0, 0)
    assert not (town.folder / "txt").exists()


def test_the_last_document_claims_the_coordinator(town: Town) -> None:
    initialize_stage(town.subdomain, "ocr", total_jobs=2)

    ocr_page_job(town.subdomain, str(good_pdf(town, "2024-01-01")))
    assert town.row.coordinator_enqueued is False
    ocr_page_job(town.subdomain, str(corrupt_pdf(town, "2024-01-02")))

    assert town.row.coordinator_enqueued is True
    assert claim_coordinator_enqueue(town.subdomain) is False


def test_the_coordinator_opens_the_next_stages_and_resets_the_flag(town: Town) -> None:
    initialize_stage(town.subdomain, "ocr", total_jobs=1)
    increment_completed(town.subdomain, "ocr")
    claim_coordinator_enqueue(town.subdomain)
    txt = town.folder / "txt" / "Meeting"
    txt.mkdir(parents=True)
    (txt / "2024-01-01.txt").write_text("test content")

    ocr_complete_coordinator(town.subdomain, run_id="test_run")

    now = town.row
    assert (now.current_stage, now.coordinator_enqueued) == ("extraction", False)
    assert (now.compilation_total, now.extraction_total) == (1, 1)


def test_a_coordinator_called_again_changes_nothing(town: Town) -> None:
    test_the_coordinator_opens_the_next_stages_and_resets_the_flag(town)
    before = town.row

    ocr_complete_coordinator(town.subdomain, run_id="test_run")

    assert town.row == before


def test_a_coordinator_without_any_text_fails_the_run_with_a_reason(town: Town) -> None:
    initialize_stage(town.subdomain, "ocr", total_jobs=1)
    ocr_page_job(town.subdomain, str(corrupt_pdf(town)))

    ocr_complete_coordinator(town.subdomain)

    assert (town.row.current_stage, town.run.state) == ("completed", "failed")
    assert town.run.reason == "No text: the only document could not be read"


def test_a_coordinator_before_its_time_does_nothing(town: Town) -> None:
    initialize_stage(town.subdomain, "ocr", total_jobs=2)
    increment_completed(town.subdomain, "ocr")

    ocr_complete_coordinator(town.subdomain)

    assert (town.row.current_stage, town.counts) == ("ocr", (2, 1, 0))


def test_an_unknown_site_is_refused_by_name(town: Town) -> None:
    with pytest.raises(UnknownSite, match="atlantis"):
        compile_db_job("atlantis")


def test_a_job_leaves_a_batch_that_ended(town: Town) -> None:
    initialize_stage(town.subdomain, "ocr", total_jobs=1)
    ocr_page_job(town.subdomain, str(good_pdf(town)))

    with reading_connection() as conn:
        ended = (
            select(func.count())
            .select_from(batches_table)
            .where(batches_table.c.status == "completed")
        )
        assert conn.execute(ended).scalar() == 1


def test_scripts_that_count_at_once_on_an_older_site_lose_nothing(town: Town) -> None:
    with civic_db_connection() as conn:
        db.update_site(conn, town.subdomain, {"current_stage": "ocr", "ocr_total": 40})

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: increment_completed(town.subdomain, "ocr"), range(40)))

    assert town.counts == (40, 40, 0)
    with reading_connection() as conn:
        from clerk.core.models import runs_table

        assert conn.execute(select(func.count()).select_from(runs_table)).scalar() == 1


def test_runs_started_at_once_leave_one_active(town: Town) -> None:
    with ThreadPoolExecutor(8) as pool:
        started = list(pool.map(lambda _: town.start(), range(16)))

    assert len(set(started)) == 16
    assert town.run.state == "active"
