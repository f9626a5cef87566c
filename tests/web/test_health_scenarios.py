"""Each state of damage by a scenario: every door names it, and none says OK next to another."""

from __future__ import annotations

import os
import shutil
import signal
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from databases import sqlite_daily
from small_work import SmallWork, Town, hurry, spawn, wait_until, work_embedded
from sqlalchemy import insert, select, update
from test_one_set_of_numbers import Doors
from web_town import Browser

from clerk.core import config, db, site_files
from clerk.core.clock import utc_now
from clerk.core.models import items_table, jobs_table, runs_table, sites_table, workers_table
from clerk.core.states import QUEUES
from clerk.executors import embedded
from clerk.ops.web_sessions import VIEWER
from clerk.pipeline import ledger, transitions
from clerk.pipeline.transitions import job_of_stage

Make = Callable[..., str]


def seen() -> dict[str, str]:
    """Ask every door; return the checks that are not OK, on which they agree."""
    doors = Doors(Browser(VIEWER))
    doors.agree_on_the_verdict()
    return {each["name"]: each["level"] for each in doors.health["checks"] if each["level"] != "OK"}


def fetch_fails(site: str, why: str = "SourceUnavailable: the portal is away") -> None:
    with db.civic_db_connection() as conn:
        run_id = transitions.start_run(conn, site)
        job = job_of_stage(conn, site, "fetch")
        assert job is not None
        transitions.end_run(conn, replace(job, run_id=run_id), "failed", why, stage="fetch")


def run_goes_well(site: str) -> None:
    with db.civic_db_connection() as conn:
        transitions.start_run(conn, site)
        job = job_of_stage(conn, site, "fetch")
        assert job is not None
        transitions.end_run(conn, job, "completed", "")


@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_all_fetches_fail(make_site: Make) -> None:
    for number in range(6):
        fetch_fails(make_site(f"town{number}", scraper="legistar" if number % 2 else "granicus"))

    assert seen() == {"runs": "CRITICAL", "fetchers": "WARNING", "attention": "WARNING"}


@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_one_vendor_breaks(make_site: Make) -> None:
    for number in range(40):
        run_goes_well(make_site(f"fine{number}", scraper="legistar"))
    assert seen() == {}

    for number in range(3):
        fetch_fails(make_site(f"town{number}", scraper="granicus"))

    assert seen() == {"fetchers": "WARNING", "attention": "WARNING"}


@sqlite_daily
def test_a_backlog_that_is_served_and_not(make_site: Make) -> None:
    then = utc_now() - timedelta(hours=5)
    for number in range(8):
        site = make_site(f"town{number}")
        with db.civic_db_connection() as conn:
            transitions.start_run(conn, site)
    with db.civic_db_connection() as conn:
        conn.execute(update(sites_table).values(updated_at=then))
        conn.execute(update(items_table).values(created_at=then, available_at=then))
        ledger.record(conn, "reconciled")
    assert seen() == {"workers": "WARNING", "stuck": "CRITICAL", "attention": "WARNING"}

    with db.civic_db_connection() as conn:
        ledger.register_worker(conn, "one", lease_seconds=600.0, queues=",".join(QUEUES))
        conn.execute(update(workers_table).values(started_at=then))
        assert ledger.claim(conn, ["fetch"], "one", lambda _queue: 1)

    assert seen() == {}


@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_the_store_is_away(make_site: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    hurry(monkeypatch)
    town = Town(make_site())
    town.pdfs(2)
    town.start()
    work_embedded()
    with db.civic_db_connection() as conn:
        # As every real fetch does first.
        site_files.record_scan(conn, town.subdomain)
    assert seen() == {}

    shutil.move(config.load().storage_dir / town.subdomain, town.folder.parent / "elsewhere")

    assert seen() == {"store": "CRITICAL"}


@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_a_bucket_is_away(
    make_site: Make, s3: str, s3_endpoint: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_goes_well(make_site())
    monkeypatch.setenv("STORAGE_URL", s3)
    monkeypatch.setenv("STORAGE_ALLOW_HTTP", "yes")
    assert seen() == {}

    bucket = f"{s3.rpartition('/')[0]}-gone/towns"
    monkeypatch.setenv("STORAGE_URL", bucket)

    assert seen() == {"store": "CRITICAL"}


@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_a_disk_is_nearly_full(make_site: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    run_goes_well(make_site())
    for free, level in ((9, "WARNING"), (2, "CRITICAL")):
        small = shutil._ntuple_diskusage(10**9, (100 - free) * 10**7, free * 10**7)  # type: ignore[attr-defined]
        monkeypatch.setattr(shutil, "disk_usage", lambda _path, small=small: small)

        assert seen() == {"disk": level}


@sqlite_daily
def test_a_worker_is_killed_and_another_recovers(
    make_site: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    hurry(monkeypatch)
    town = Town(make_site())
    town.pdf("2024-01-01", "slow 60")
    town.start()

    def work() -> None:
        embedded.run(SmallWork(config.load()), config.load(), done=lambda: False)

    worker = spawn(work)
    wait_until(lambda: reading() == "running")
    os.kill(worker, signal.SIGKILL)
    os.waitpid(worker, 0)

    assert seen()["workers"] == "WARNING", "at once, before its lease ends"

    town.pdf("2024-01-01", "fine now")
    work_embedded()
    with db.civic_db_connection() as conn:
        ledger.register_worker(conn, "another", lease_seconds=600.0, queues=",".join(QUEUES))
    doors = Doors(Browser(VIEWER))
    doors.agree_on_the_verdict()
    assert doors.status["last_day"]["crashes"] >= 1, "a crash that was recovered counts"
    crashes = next(each for each in doors.health["checks"] if each["name"] == "crashes")
    assert "1 worker died" in crashes["said"]


@sqlite_daily
def test_the_votes_of_a_site_cannot_be_extracted(
    make_site: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    hurry(monkeypatch)
    town = Town(make_site())
    town.pdfs(2)
    instruction = town.folder / "on-extract"
    instruction.write_text("crash SIGKILL")
    town.start()

    work_embedded()

    assert seen()["attention"] == "WARNING"
    (site,) = Doors(Browser(VIEWER)).status["attention"]
    assert site["reason"].startswith("extraction failed: ")

    instruction.unlink()
    town.start()
    work_embedded()
    assert "attention" not in seen()


def reading() -> str:
    with db.reading_connection() as conn:
        found = select(items_table.c.state).where(items_table.c.step == "document")
        return str(conn.execute(found).scalar())


@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_many_documents_fail(make_site: Make, storage: Path) -> None:
    site = make_site()
    with db.civic_db_connection() as conn:
        run = {"run_id": "r", "subdomain": site, "epoch": 1, "state": "partial"}
        conn.execute(insert(runs_table).values(**run, finished_at=utc_now()))
        job = {"id": 1, "kind": "stage", "run_id": "r", "subdomain": site, "stage": "ocr"}
        conn.execute(
            insert(jobs_table).values(**job, queue="ocr", state="closed", total=9, failed=9)
        )
        for number in range(9):
            item = {"job_id": 1, "run_id": "r", "step": "document", "document": f"d{number}"}
            failed = {"state": "failed", "attempt": 1, "error": "bad", "finished_at": utc_now()}
            conn.execute(insert(items_table).values(**item, **failed))

    assert seen() == {"documents": "CRITICAL", "attention": "WARNING"}
