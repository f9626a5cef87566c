"""The functions operators' scripts call, on both databases."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from sqlalchemy import delete, select, text, update

from clerk.core.db import civic_db_connection, get_oldest_site, upsert_site
from clerk.core.errors import InvalidInput, UnknownSite, UnknownStage
from clerk.core.models import sites_table
from clerk.core.storage import Document
from clerk.pipeline.scripted_stages import (
    claim_coordinator_enqueue,
    increment_completed,
    increment_failed,
    initialize_stage,
    should_trigger_coordinator,
)

WORKERS = 100


def row(subdomain: str) -> Any:
    with civic_db_connection() as conn:
        return conn.execute(
            select(sites_table).where(sites_table.c.subdomain == subdomain)
        ).fetchone()


def test_opening_a_stage_sets_its_counters(site: str) -> None:
    initialize_stage(site, "ocr", total_jobs=5)

    now = row(site)
    assert (now.current_stage, now.ocr_total, now.ocr_completed, now.ocr_failed) == ("ocr", 5, 0, 0)
    assert now.coordinator_enqueued is False
    assert now.updated_at.tzinfo is not None


def test_a_completed_document_is_counted(site: str) -> None:
    initialize_stage(site, "ocr", total_jobs=3)

    increment_completed(site, "ocr")

    assert (row(site).ocr_completed, row(site).ocr_failed) == (1, 0)


def test_a_failed_document_is_counted_and_its_error_kept(site: str) -> None:
    initialize_stage(site, "ocr", total_jobs=3)

    increment_failed(site, "ocr", error_message="PDF corrupted", error_class="PdfReadError")

    now = row(site)
    assert (now.ocr_completed, now.ocr_failed, now.last_error_stage) == (0, 1, "ocr")
    assert now.last_error_message == "PdfReadError: PDF corrupted"
    assert now.last_error_at is not None


def test_an_error_is_cut_at_500_characters(site: str) -> None:
    initialize_stage(site, "ocr", total_jobs=1)

    increment_failed(site, "ocr", "x" * 900, "E")

    assert row(site).last_error_message == ("E: " + "x" * 900)[:500]


def test_the_coordinator_waits_for_every_document(site: str) -> None:
    initialize_stage(site, "ocr", total_jobs=3)
    increment_completed(site, "ocr")

    assert should_trigger_coordinator(site, "ocr") is False
    assert claim_coordinator_enqueue(site) is False


def test_failures_do_not_block_a_stage(site: str) -> None:
    initialize_stage(site, "ocr", total_jobs=3)
    increment_completed(site, "ocr")
    increment_completed(site, "ocr")
    increment_failed(site, "ocr", "PDF error", "PdfError")

    assert should_trigger_coordinator(site, "ocr") is True


def test_the_coordinator_is_claimed_once(site: str) -> None:
    initialize_stage(site, "ocr", total_jobs=2)
    increment_completed(site, "ocr")
    increment_completed(site, "ocr")

    assert claim_coordinator_enqueue(site) is True
    assert row(site).coordinator_enqueued is True
    assert claim_coordinator_enqueue(site) is False
    assert should_trigger_coordinator(site, "ocr") is False


def test_a_hundred_workers_at_once_lose_no_count_and_claim_one_coordinator(site: str) -> None:
    initialize_stage(site, "ocr", total_jobs=WORKERS)

    def finish(_number: int) -> bool:
        increment_completed(site, "ocr")
        return should_trigger_coordinator(site, "ocr") and claim_coordinator_enqueue(site)

    with ThreadPoolExecutor(16) as pool:
        claims = list(pool.map(finish, range(WORKERS)))

    assert row(site).ocr_completed == WORKERS
    assert sorted(claims) == [False] * (WORKERS - 1) + [True]


def test_more_documents_than_expected_are_not_counted(site: str) -> None:
    initialize_stage(site, "ocr", total_jobs=1)

    assert increment_completed(site, "ocr") is True
    assert increment_completed(site, "ocr") is False
    assert row(site).ocr_completed == 1


@pytest.mark.parametrize(
    "call",
    [
        lambda site, stage: initialize_stage(site, stage, 1),
        lambda site, stage: increment_completed(site, stage),
        lambda site, stage: increment_failed(site, stage, "message", "Class"),
    ],
)
def test_a_misspelt_stage_and_an_unknown_site_are_errors_by_name(site: str, call: Any) -> None:
    with pytest.raises(UnknownStage, match="orc"):
        call(site, "orc")
    with pytest.raises(UnknownSite, match="atlantis"):
        call("atlantis", "ocr")


def test_the_question_about_the_coordinator_knows_no_error_but_a_misspelt_stage(site: str) -> None:
    with pytest.raises(UnknownStage, match="orc"):
        should_trigger_coordinator(site, "orc")
    assert should_trigger_coordinator("atlantis", "ocr") is False


def test_counting_works_on_a_site_an_older_system_put_into_a_stage(site: str) -> None:
    with civic_db_connection() as conn:
        conn.execute(update(sites_table).values(current_stage="ocr", ocr_total=3, ocr_completed=1))

    increment_completed(site, "ocr")
    increment_failed(site, "ocr", "broken", "Error")

    assert (row(site).ocr_completed, row(site).ocr_failed) == (2, 1)
    assert claim_coordinator_enqueue(site) is True


def test_a_site_can_be_deleted_with_all_that_belongs_to_it(site: str) -> None:
    initialize_stage(site, "ocr", total_jobs=2)
    increment_completed(site, "ocr")

    with civic_db_connection() as conn:
        conn.execute(delete(sites_table).where(sites_table.c.subdomain == site))
        left = [
            conn.execute(text(f"SELECT count(*) FROM {t}")).scalar()
            for t in ("runs", "jobs", "items")
        ]

    assert left == [0, 0, 0]


def test_the_oldest_site_is_the_one_never_updated_then_the_longest_ago(make_site: Any) -> None:
    for name, age in (("old", "2020-01-01"), ("older", "2019-01-01"), ("new", "2999-01-01")):
        make_site(name)
        with civic_db_connection() as conn:
            conn.execute(
                text("UPDATE sites SET updated_at = :at WHERE subdomain = :name"),
                {
                    "at": f"{age} 00:00:00.000000+00"
                    if conn.dialect.name != "sqlite"
                    else f"{age} 00:00:00.000000",
                    "name": name,
                },
            )
    assert get_oldest_site() == "older"

    make_site("never")
    assert get_oldest_site() == "never"

    initialize_stage("never", "fetch", 1)
    assert get_oldest_site(lookback_hours=23) == "older"


def test_a_site_that_many_add_at_once_is_added_once(database: str) -> None:
    def add(number: int) -> None:
        with civic_db_connection() as conn:
            upsert_site(conn, {"subdomain": "springfield", "name": f"Springfield {number}"})

    with ThreadPoolExecutor(16) as pool:
        list(pool.map(add, range(16)))

    assert row("springfield").name.startswith("Springfield ")


@pytest.mark.parametrize("name", ["minutes//etc/passwd", "minutes/../x", "minutes/./x", "notes/x"])
def test_a_name_that_leads_elsewhere_is_no_document(name: str) -> None:
    with pytest.raises(InvalidInput):
        Document.from_name(name)
