"""What operators' scripts import from the old system's paths."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from clerk.core import site_files
from clerk.core.clock import utc_now
from clerk.core.errors import InvalidInput, UnknownSite
from clerk.core.models import jobs_table, runs_table
from clerk.db import (
    civic_db_connection,
    delete_site,
    get_all_sites,
    get_site_by_subdomain,
    insert_site,
    update_site,
    upsert_site,
)
from clerk.pipeline_state import initialize_stage, should_trigger_coordinator
from clerk.queue import enqueue_job, generate_run_id, get_ocr_queue, get_redis
from clerk.workers import fetch_site_job

Make = Callable[..., str]


def test_all_sites_come_in_the_order_of_a_column(make_site: Make) -> None:
    for name, pages in (("a", 3), ("b", 1), ("c", 2)):
        make_site(name, pages=pages)

    with civic_db_connection() as conn:
        assert [site["subdomain"] for site in get_all_sites(conn)] == ["a", "b", "c"]
        assert [site["subdomain"] for site in get_all_sites(conn, "pages")] == ["b", "c", "a"]
        with pytest.raises(InvalidInput, match="no column 'colour'"):
            get_all_sites(conn, order_by="colour")


def test_sites_are_inserted_and_deleted(database: str) -> None:
    with civic_db_connection() as conn:
        insert_site(conn, {"subdomain": "springfield", "name": "Springfield"})
        assert get_site_by_subdomain(conn, "springfield") is not None
        delete_site(conn, "springfield")
        assert get_site_by_subdomain(conn, "springfield") is None
        with pytest.raises(UnknownSite):
            delete_site(conn, "springfield")


def test_a_deprecated_column_is_named_with_what_to_use(site: str) -> None:
    with civic_db_connection() as conn:
        with pytest.warns(DeprecationWarning, match="status of sites is deprecated.*current_stage"):
            upsert_site(conn, {"subdomain": site, "name": "New", "status": "needs_ocr"})
        with pytest.warns(DeprecationWarning, match="last_updated"):
            update_site(conn, site, {"last_updated": "2026-01-01"})
        row = get_site_by_subdomain(conn, site)
    assert row is not None and row["name"] == "New"


def test_the_coordinator_of_an_unknown_site_is_not_triggered(database: str) -> None:
    assert should_trigger_coordinator("nowhere", "ocr") is False


def test_an_urgent_fetch_is_queued_before_the_others(make_site: Make) -> None:
    make_site("first")
    make_site("second")
    with civic_db_connection() as conn:
        for name in ("first", "second"):
            site_files.record_full_listing(conn, name, utc_now())
    enqueue_job("fetch-site", "first")

    run_id = enqueue_job("fetch-site", "second", priority="high", all_years=True, ocr="never")

    with civic_db_connection() as conn:
        ranks = {row.subdomain: row.rank for row in conn.execute(jobs_table.select())}
        run = conn.execute(runs_table.select().where(runs_table.c.run_id == run_id)).one()
        listed = [site_files.last_full_listing(conn, name) for name in ("first", "second")]
    assert ranks["second"] < ranks["first"]
    assert run.options == {"ocr": "never"}
    assert listed[0] is not None and listed[1] is None, "all years of the second are listed next"
    with pytest.raises(InvalidInput, match="no job type 'scan'"):
        enqueue_job("scan", "first")


def test_an_option_that_is_none_is_not_set(site: str) -> None:
    run_id = enqueue_job("fetch-site", site, all_years=None, ocr_backend=None)
    initialize_stage(site, "ocr", total_jobs=1)

    fetch_site_job(site, run_id, all_years=None, ocr_backend=None)

    with civic_db_connection() as conn:
        run = conn.execute(runs_table.select().where(runs_table.c.run_id == run_id)).one()
        row = get_site_by_subdomain(conn, site)
    assert run.options == {}
    assert row is not None and row["current_stage"] == "ocr", "the run has ended"


def test_other_jobs_go_to_redis_under_their_names(site: str, redis: str) -> None:
    job_id = enqueue_job("ocr-page", site, run_id=generate_run_id(site), pdf_path="x.pdf")

    job = get_ocr_queue().fetch_job(job_id)
    assert job is not None and job.func_name == "clerk.workers.ocr_page_job"
    assert job.args == (site,) and job.kwargs["run_id"].startswith(f"{site}_")
    assert get_redis().ping()
