"""What clerk health and clerk pipeline-status decide, and the commands of the operating guide."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable
from dataclasses import fields, replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import guide
import pytest
from databases import sqlite_daily
from guide import clerk
from object_server import Failure, ObjectServer
from small_sites import compile_folder, write_text
from sqlalchemy import insert, update
from web_town import Browser

from clerk.core import config, db, installation
from clerk.core.clock import utc_now
from clerk.core.errors import DatabaseUnavailable, StoreUnavailable
from clerk.core.models import (
    batches_table,
    items_table,
    jobs_table,
    runs_table,
    sites_table,
    stage_events_table,
    workers_table,
)
from clerk.core.states import QUEUES
from clerk.core.storage import search_folder
from clerk.executors.work import Outcome
from clerk.ops import counts, store_check
from clerk.pipeline import ledger, queues, search_index, transitions
from clerk.pipeline.batches import BatchJobTracking
from clerk.pipeline.flow import Pipeline
from clerk.pipeline.scripted_stages import increment_completed, increment_failed, initialize_stage
from clerk.pipeline.transitions import job_of_stage

OPERATING = "operating.md"
Make = Callable[..., str]


def test_an_empty_installation_is_healthy(database: str) -> None:
    ran = clerk("health")

    assert (ran.exit_code, ran.output.splitlines()[0].split(" | ")[0]) == (
        0,
        "CLERK OK - all is well",
    )
    assert clerk("pipeline-status", "--check").exit_code == 0


def test_stuck_sites_are_critical_and_named(sites: None) -> None:
    ran = clerk("health", "--json")

    told = {check["name"]: check for check in json.loads(ran.output)["checks"]}
    assert ran.exit_code == 2
    assert "stuck-site" in told["stuck"]["said"]
    assert told["stuck"]["mend"] == "Run: clerk reconcile-pipeline"
    assert clerk("pipeline-status", "--check").exit_code == 1


def test_work_that_nobody_serves_is_a_warning(site: str) -> None:
    with db.civic_db_connection() as conn:
        transitions.start_run(conn, site)

    ran = clerk("health")

    assert ran.exit_code == 1
    assert "no worker serves 1 in fetch" in ran.output


def test_a_worker_that_serves_all_queues_is_one(site: str) -> None:
    with db.civic_db_connection() as conn:
        ledger.register_worker(conn, "one", lease_seconds=600.0, queues=",".join(QUEUES))

    assert "1 alive" in clerk("health").output


def test_work_that_waits_for_a_person_is_critical_though_it_is_served(site: str) -> None:
    with db.civic_db_connection() as conn:
        transitions.start_run(conn, site)
        ledger.register_worker(conn, "one", lease_seconds=600.0, queues="fetch")
        claimed = ledger.claim(conn, QUEUES, "one", lambda _queue: 1)
        assert claimed is not None
        error = "StorageUnusable: the disk is full"
        full = Outcome(claimed.items[0], "pending", error, "StorageUnusable")
        transitions.finish(conn, claimed, [full], ended=True)

    ran = clerk("health")

    assert ran.exit_code == 2
    assert f"{site}: StorageUnusable: the disk is full" in ran.output
    assert "waits for a person" in clerk("pipeline-status").output


def test_a_paused_queue_is_a_warning(database: str) -> None:
    queues.pause("ocr", who="ann")

    assert "paused: ocr" in clerk("health").output


def test_a_database_that_is_not_set_up_is_critical(storage: Path) -> None:
    ran = clerk("health")

    assert ran.exit_code == 2
    assert "CRITICAL  schema" in ran.output


def test_a_server_that_does_not_answer_is_critical(
    storage: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgresql://nobody:secret@127.0.0.1:1/none")

    ran = clerk("health")

    assert ran.exit_code == 2
    assert "CRITICAL  database" in ran.output
    assert "secret" not in ran.output


def test_what_happened_in_a_day_is_counted(site: str) -> None:
    initialize_stage(site, "ocr", total_jobs=9)
    for _ in range(3):
        increment_completed(site, "ocr")
    for _ in range(2):
        increment_failed(site, "ocr", "damaged", "UnreadablePdf")
    with db.reading_connection() as conn:
        job = job_of_stage(conn, site, "ocr")
    assert job is not None
    BatchJobTracking.create(parent_job_id=job.id, item_count=1).mark_crashed()
    long_ago = utc_now() - timedelta(hours=25)
    old = {"event": "finished", "stage": "ocr", "completed": 100, "at": long_ago}
    with db.civic_db_connection() as conn:
        ledger.record(conn, "run completed")
        conn.execute(insert(stage_events_table).values(old))

    seen = counts.figures(config.load())

    day = seen.last_day
    assert (day.documents_read, day.documents_failed, day.crashes) == (3, 2, 1)
    assert (day.runs_started, day.runs_completed, day.runs) == (1, 1, 1)
    assert sum(hour.done for hour in seen.hours) == 3
    assert sum(hour.failed for hour in seen.hours) == seen.failed.documents_24h == 2

    with db.civic_db_connection() as conn:
        conn.execute(update(items_table).values(finished_at=long_ago))
    later = counts.figures(config.load())
    assert (later.last_day.documents_failed, later.failed.documents) == (0, 2)


def test_the_status_shows_documents_in_work(site: str) -> None:
    initialize_stage(site, "ocr", total_jobs=4)
    increment_completed(site, "ocr")
    increment_failed(site, "ocr", "damaged", "UnreadablePdf")

    shown = clerk("pipeline-status").output

    assert "ocr    1" in shown
    assert "25.0 % of 4 documents read, 25.0 % failed (1)" in shown
    assert "Sites: 0 stuck, 0 without documents, 0 whose last run failed" in shown


# ---------------------------------------------------------------------------- the verdict


def verdict() -> dict[str, Any]:
    """What ``clerk health --json`` says; the other command must agree."""
    ran = clerk("health", "--json")
    said = json.loads(ran.output)
    assert ran.exit_code == said["exit_code"]
    assert clerk("pipeline-status", "--check").exit_code == min(1, ran.exit_code)
    assert json.loads(clerk("pipeline-status", "--json").output)["level"] == said["level"]
    return said | {"levels": {check["name"]: check["level"] for check in said["checks"]}}


def record_ends(**runs: int) -> None:
    """Let runs of nobody's end in the last day, by state."""
    with db.civic_db_connection() as conn:
        for state, number in runs.items():
            events = [{"event": f"run {state}"}] * number
            conn.execute(insert(stage_events_table), events)


@sqlite_daily
@pytest.mark.parametrize(
    ("ended", "level"),
    [
        ({"failed": 215, "completed": 86}, "CRITICAL"),
        ({"failed": 5, "completed": 4}, "CRITICAL"),
        ({"failed": 5, "completed": 5}, "WARNING"),
        ({"failed": 1}, "WARNING"),
        ({"failed": 4}, "WARNING"),
        ({"failed": 1, "partial": 9}, "WARNING"),
        ({"failed": 1, "no_documents": 10}, "OK"),
        ({"failed": 1, "completed": 1, "cancelled": 90, "superseded": 90}, "WARNING"),
        ({"cancelled": 5, "superseded": 5}, "OK"),
        ({"completed": 3}, "OK"),
    ],
)
def test_failed_runs_decide_by_their_share(
    database: str, ended: dict[str, int], level: str
) -> None:
    record_ends(**ended)

    said = verdict()

    assert (said["level"], said["levels"]["runs"]) == (level, level)


def test_runs_that_failed_longer_ago_do_not_count(database: str) -> None:
    record_ends(failed=10)
    with db.civic_db_connection() as conn:
        conn.execute(update(stage_events_table).values(at=utc_now() - timedelta(hours=25)))

    assert verdict()["levels"]["runs"] == "OK"


@sqlite_daily
@pytest.mark.parametrize(
    ("read", "failed", "level"),
    [(3, 5, "CRITICAL"), (3, 4, "WARNING"), (9, 1, "WARNING"), (19, 1, "OK"), (4, 0, "OK")],
)
def test_failed_documents_decide_by_their_share(
    site: str, read: int, failed: int, level: str
) -> None:
    initialize_stage(site, "ocr", total_jobs=read + failed)
    for _ in range(read):
        increment_completed(site, "ocr")
    for _ in range(failed):
        increment_failed(site, "ocr", "damaged", "UnreadablePdf")
    with db.civic_db_connection() as conn:
        ledger.record(conn, "reconciled")

    said = verdict()

    assert (said["level"], said["levels"]["documents"]) == (level, level)


def backlog(waiting: int, done: int, *, hours: float = 5.0) -> None:
    """Sites whose run waits in the fetch queue for hours, next to some that are done."""
    then = utc_now() - timedelta(hours=hours)
    names = [f"site{number}" for number in range(waiting)]
    with db.civic_db_connection() as conn:
        conn.execute(
            insert(sites_table),
            [{"subdomain": name, "current_stage": "fetch", "updated_at": then} for name in names]
            + [
                {"subdomain": f"done{number}", "current_stage": "completed", "updated_at": then}
                for number in range(done)
            ],
        )
        conn.execute(
            insert(runs_table),
            [{"run_id": name, "subdomain": name, "epoch": 1, "created_at": then} for name in names],
        )
        job = {"kind": "stage", "stage": "fetch", "queue": "fetch", "total": 1}
        conn.execute(
            insert(jobs_table),
            [job | {"id": at, "run_id": n, "subdomain": n} for at, n in enumerate(names, start=1)],
        )
        item = {"step": "fetch", "available_at": then, "created_at": then}
        conn.execute(
            insert(items_table),
            [item | {"job_id": at, "run_id": n} for at, n in enumerate(names, start=1)],
        )
        ledger.record(conn, "reconciled")


def serve(*, hours: float = 5.0) -> None:
    """Let a worker be alive that serves every queue."""
    with db.civic_db_connection() as conn:
        ledger.register_worker(conn, "one", lease_seconds=600.0, queues=",".join(QUEUES))
        conn.execute(update(workers_table).values(started_at=utc_now() - timedelta(hours=hours)))


def test_a_long_queue_that_is_served_is_ok(database: str) -> None:
    backlog(waiting=1990, done=10)
    serve()
    with db.civic_db_connection() as conn:
        assert ledger.claim(conn, ["fetch"], "one", lambda _queue: 1)

    said = verdict()

    assert (said["level"], set(said["levels"].values())) == ("OK", {"OK"})
    assert (said["pipeline"]["silent"], said["pipeline"]["stuck"]) == (1990, [])
    assert said["pipeline"]["health_score"] == 0.5
    shown = clerk("health").output
    assert "health score 0.5 %" in shown and "score=0.5%" in shown
    assert clerk("pipeline-status").output.count("Health score: 0.5 %") == 1


def test_a_long_queue_that_nobody_serves_is_critical(database: str) -> None:
    backlog(waiting=20, done=5)

    said = verdict()

    assert (said["level"], said["levels"]["stuck"]) == ("CRITICAL", "CRITICAL")
    assert len(said["pipeline"]["stuck"]) == 20


def test_a_queue_from_which_idle_workers_take_nothing_is_critical(database: str) -> None:
    backlog(waiting=3, done=5)
    serve()

    said = verdict()
    assert (said["level"], said["levels"]["queues"]) == ("CRITICAL", "CRITICAL")
    told = next(check["said"] for check in said["checks"] if check["name"] == "queues")
    assert told == "no work was taken from fetch for 2 h: 3 waiting, 1 idle worker"

    queues.pause("fetch", who="ann")
    assert verdict()["levels"]["queues"] == "WARNING"


def test_a_queue_whose_workers_are_busy_for_hours_is_ok(database: str) -> None:
    backlog(waiting=3, done=5)
    serve()
    with db.civic_db_connection() as conn:
        assert ledger.claim(conn, ["fetch"], "one", lambda _queue: 1)
        conn.execute(update(batches_table).values(created_at=utc_now() - timedelta(hours=4)))

    assert verdict()["level"] == "OK"


@pytest.mark.parametrize("waiting_hours, worker_hours", [(5.0, 1.0), (1.0, 5.0)])
def test_a_queue_gets_two_hours_to_move(
    database: str, waiting_hours: float, worker_hours: float
) -> None:
    backlog(waiting=3, done=5, hours=waiting_hours)
    serve(hours=worker_hours)

    assert verdict()["level"] == "OK"


def test_a_site_that_needs_attention_is_never_ok(sites: None) -> None:
    with db.civic_db_connection() as conn:
        nothing = sites_table.c.subdomain == "nothing"
        conn.execute(sites_table.delete().where(~nothing))

    said = verdict()

    assert (said["level"], said["levels"]["attention"]) == ("WARNING", "WARNING")
    assert [each["subdomain"] for each in said["pipeline"]["attention"]] == ["nothing"]


def test_crashes_are_a_warning_by_their_share_though_they_were_recovered(site: str) -> None:
    initialize_stage(site, "ocr", total_jobs=1)
    with db.reading_connection() as conn:
        job = job_of_stage(conn, site, "ocr")
    assert job is not None

    def crash(times: int) -> str:
        for _ in range(times):
            BatchJobTracking.create(parent_job_id=job.id, item_count=1).mark_crashed()
        level: str = verdict()["levels"]["crashes"]
        return level

    assert (crash(2), crash(1)) == ("OK", "WARNING")


# ------------------------------------------------------------------------ states of damage


def run_of(site: str, state: str, *, stage: str = "fetch", why: str = "") -> None:
    """Let a run of a site end as if its work had gone so."""
    with db.civic_db_connection() as conn:
        run_id = transitions.start_run(conn, site)
        job = job_of_stage(conn, site, "fetch")
        assert job is not None
        job = replace(job, stage=stage, run_id=run_id)
        transitions.end_run(conn, job, state, why, stage=stage if state == "failed" else "")


def findings(kind: str) -> list[dict[str, Any]]:
    """The findings of a kind that ``clerk health --json`` lists."""
    return [each for each in verdict()["findings"] if each["kind"] == kind]


def test_many_sites_of_one_fetcher_are_one_finding(make_site: Make) -> None:
    for number in range(6):
        name = make_site(f"granicus{number}", scraper="granicus")
        for _ in range(3):
            run_of(name, "failed", why="SourceUnavailable: the list of meetings has no table")
    for number in range(20):
        run_of(make_site(f"legistar{number}", scraper="legistar"), "completed")
    run_of(make_site("lonely", scraper="legistar"), "failed", why="SourceUnavailable: away")

    (found,) = findings("fetchers")

    assert (found["severity"], found["number"], found["subject"]) == ("CRITICAL", 6, "granicus")
    assert found["what"] == (
        "6 of 6 sites with the fetcher granicus failed to fetch in the last 24 h"
        " (SourceUnavailable: the list of meetings has no table)"
    )
    assert found["command"] == "See why: clerk pipeline-status"
    assert findings("failing") == [], "they are one problem already"
    public = Browser()
    said = "6 of 6 places with a portal of type granicus could not be checked"
    assert said in public.get("/coverage").text
    assert "for 5 other places" in public.get("/coverage/granicus1").text
    assert "could not be checked" not in public.get("/coverage/legistar1").text


def test_a_fetcher_that_finds_nothing_any_more_is_broken(make_site: Make) -> None:
    for number in range(4):
        name = make_site(f"site{number}", scraper="civicplus", ocr_total=3, ocr_completed=3)
        run_of(name, "no_documents")

    (found,) = findings("fetchers")

    assert (found["severity"], found["number"]) == ("WARNING", 4)


def test_a_site_that_fails_again_and_again_is_named_with_the_number(make_site: Make) -> None:
    site = make_site("springfield", scraper="folder")
    run_of(site, "completed")
    run_of(site, "failed", why="first")
    run_of(site, "failed", why="second")
    assert findings("failing") == []

    run_of(site, "failed", stage="deploy", why="the target is away")

    (found,) = findings("failing")
    assert found["what"] == "springfield failed 3 times in a row: the target is away"
    assert (found["subject"], found["command"]) == (site, "See why: clerk site show springfield")
    run_of(site, "partial")
    assert findings("failing") == []


def test_a_queue_that_will_not_be_done_tomorrow_is_a_warning(database: str) -> None:
    backlog(waiting=20, done=5, hours=30.0)
    serve()
    with db.civic_db_connection() as conn:
        assert ledger.claim(conn, ["fetch"], "one", lambda _queue: 1)
        ledger.record(conn, "finished", stage="fetch", completed=5)

    (found,) = findings("backlog")

    assert found["what"] == (
        "19 wait in fetch, the oldest queued 1 d ago; 5 were done in the last 24 h"
    )
    assert verdict()["level"] == "WARNING", "it is served, so it is not critical"
    with db.civic_db_connection() as conn:
        ledger.record(conn, "finished", stage="fetch", completed=15)
    assert verdict()["level"] == "OK"


def deploy(site: str) -> None:
    """Let a run of a site end as if it had published files that are in its folder."""
    with db.civic_db_connection() as conn:
        transitions.start_run(conn, site, first="deploy")
        ledger.register_worker(conn, f"of {site}", lease_seconds=600.0, queues="deploy")
        claimed = ledger.claim(conn, ["deploy"], f"of {site}", lambda _queue: 1)
        assert claimed is not None
        done = Outcome(claimed.items[0], "completed", result={})
        transitions.finish(conn, claimed, [done], ended=True)


def test_a_storage_directory_that_is_not_mounted_is_critical(site: str, storage: Path) -> None:
    (storage / site).mkdir()
    deploy(site)
    assert verdict()["levels"]["store"] == "OK"

    (storage / site).rmdir()

    (found,) = findings("store")
    assert (found["severity"], found["number"]) == ("CRITICAL", 1)
    assert found["what"].endswith(f"has no files of {site}")


def test_the_missing_folder_of_one_site_is_a_warning(make_site: Make, storage: Path) -> None:
    for name in ("ash", "beech"):
        (storage / make_site(name)).mkdir()
        deploy(name)
    assert verdict()["levels"]["store"] == "OK"

    (storage / "beech").rmdir()

    (found,) = findings("store")
    assert (found["severity"], found["number"]) == ("WARNING", 1)
    assert found["what"].endswith("has no files of beech")
    (storage / "beech").mkdir()
    assert verdict()["levels"]["store"] == "OK"


@sqlite_daily
@pytest.mark.parametrize("lost", ["meta.json", "*.idx"])
def test_damage_of_the_search_index_is_found_before_anybody_searches(
    make_site: Make, storage: Path, lost: str
) -> None:
    site = make_site("springfield")
    write_text(storage / site, "minutes/Council/2024-01-15", ["Zoning."])
    compile_folder(storage / site, {"subdomain": site})
    assert verdict()["levels"]["search"] == "OK"

    (folder,) = search_folder(storage).glob("0-*")
    path = next(folder.glob(lost))
    path.write_bytes(path.read_bytes()[:-1] + b"x")
    # As if opened by another process.
    (folder / "meta.json").touch()

    (found,) = findings("search")
    assert found["severity"] == "WARNING"
    assert "The search index cannot be read" in found["what"]
    search_index.update(config.load())
    assert verdict()["levels"]["search"] == "OK"


def of_the_store() -> tuple[str, str]:
    """What ``clerk health`` says of the store: level and words."""
    checks = json.loads(clerk("health", "--json").output)["checks"]
    (found,) = [check for check in checks if check["name"] == "store"]
    return found["level"], found["said"]


@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_a_bucket_is_asked_by_health_and_doctor(
    database: str, storage: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = ObjectServer()
    for name, value in {
        "STORAGE_URL": "s3://bucket/towns",
        "AWS_ACCESS_KEY_ID": "somebody",
        "AWS_SECRET_ACCESS_KEY": "very-secret-key",
        "AWS_REGION": "us-east-1",
        "AWS_ENDPOINT_URL": server.url,
        "AWS_ALLOW_HTTP": "true",
    }.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(store_check, "ANSWER_HOLDS_SECONDS", -1.0)
    with db.civic_db_connection() as conn:
        ours = installation.installation_id(conn)

    def mark(of: str) -> None:
        server.objects["/bucket/towns/installation.json"] = json.dumps({"id": of}).encode()

    assert "answers and is empty" in of_the_store()[1]
    mark(ours)
    assert of_the_store() == ("OK", "s3://bucket/towns answers and is this installation's")
    assert "s3://bucket/towns answers and can be written to" in clerk("doctor").output

    def refuse(method: str, path: str) -> Failure | None:
        return Failure(403, "AccessDenied") if method == "PUT" else None

    server.fault = refuse
    told = clerk("doctor").output
    assert "access was refused" in told and "very-secret-key" not in told
    server.fault = lambda method, path: None
    mark("another")
    level, said = of_the_store()
    assert level == "CRITICAL" and "belongs to the installation another" in said
    mark(ours)
    monkeypatch.setattr(store_check, "ANSWER_SECONDS", 0.5)
    server.fault = lambda method, path: Failure(0, seconds=2.0)
    assert "did not answer within" in of_the_store()[1]
    server.close()
    assert of_the_store()[0] == "CRITICAL"

    # An answer holds for a minute.
    monkeypatch.setattr(store_check, "ANSWER_HOLDS_SECONDS", 60.0)
    asked = len(server.asked)
    assert of_the_store()[0] == "CRITICAL" and len(server.asked) == asked


@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_a_worker_starts_though_the_process_that_asks_the_bucket_is_killed(
    database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    killed = tmp_path / "python"
    killed.write_text("#!/bin/sh\nkill -9 $$\n")
    killed.chmod(0o755)
    monkeypatch.setenv("STORAGE_URL", "s3://killed/towns")
    monkeypatch.setattr(sys, "executable", str(killed))

    # A worker tries again after this error, and ends after others.
    with pytest.raises(StoreUnavailable, match=r"could not be checked: .+ ended with code -9\.$"):
        store_check.check_store(config.load())


def test_a_worker_that_died_is_missed_until_another_serves_its_queues(database: str) -> None:
    with db.civic_db_connection() as conn:
        ledger.register_worker(conn, "dead", lease_seconds=-60.0, queues="ocr,deploy")

    (found,) = findings("workers")
    assert found["what"].endswith("the last worker of ocr, deploy died")

    with db.civic_db_connection() as conn:
        ledger.register_worker(conn, "one", lease_seconds=600.0, queues=",".join(QUEUES))
    said = verdict()
    assert said["level"] == "OK"
    told = next(check["said"] for check in said["checks"] if check["name"] == "crashes")
    assert told == "0 of 0 batches crashed in the last 24 h, 1 worker died"


@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_a_full_disk_under_the_database_is_named(database: str) -> None:
    with (
        pytest.raises(DatabaseUnavailable, match=r"The disk of the database .+ is full\.$"),
        db.civic_db_connection() as conn,
    ):
        conn.exec_driver_sql("PRAGMA max_page_count = 1")
        ledger.audit(conn, "ada", "wrote", "x" * 10**7)
    db.get_civic_db().dispose()


def test_a_worker_that_died_is_not_missed_when_a_later_one_ended_in_order(database: str) -> None:
    for name, lease in (("dead", -60.0), ("later", 600.0)):
        with db.civic_db_connection() as conn:
            ledger.register_worker(conn, name, lease_seconds=lease, queues="ocr,deploy")
    Pipeline(config.load()).unregister("later")

    said = verdict()

    assert said["level"] == "OK"
    told = next(check["said"] for check in said["checks"] if check["name"] == "crashes")
    assert told.endswith("1 worker died")


@sqlite_daily
@pytest.mark.parametrize(
    ("free", "level"), [(50, "OK"), (9, "WARNING"), (2, "CRITICAL")], ids=["ok", "low", "full"]
)
def test_a_disk_that_is_nearly_full(
    database: str, monkeypatch: pytest.MonkeyPatch, free: int, level: str
) -> None:
    small = shutil._ntuple_diskusage(10**9, (100 - free) * 10**7, free * 10**7)  # type: ignore[attr-defined]
    monkeypatch.setattr(shutil, "disk_usage", lambda _path: small)

    assert verdict()["levels"]["disk"] == level


@sqlite_daily
def test_a_small_disk_is_measured_in_megabytes(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    tiny = shutil._ntuple_diskusage(12 * 10**6, 11_500_000, 500_000)  # type: ignore[attr-defined]
    monkeypatch.setattr(shutil, "disk_usage", lambda _path: tiny)

    told = next(check["said"] for check in verdict()["checks"] if check["name"] == "disk")

    assert told == "0.5 MB free of 12.0 MB (4%)"


def test_a_site_that_has_stopped_in_a_stage_is_not_said_to_be_under_way(make_site: Make) -> None:
    make_site("stopped", current_stage="deploy")

    told = next(check["said"] for check in verdict()["checks"] if check["name"] == "reconcile")

    assert told == "never ran; 1 site in a stage"


def test_a_failed_fetch_keeps_the_counters_of_the_last_good_run(make_site: Make) -> None:
    site = make_site("springfield", ocr_total=8, ocr_completed=7, ocr_failed=1, deploy_total=1)

    run_of(site, "failed", why="SourceUnavailable: away")

    with db.reading_connection() as conn:
        row = db.require_site(conn, site)
    assert (row["ocr_total"], row["ocr_completed"], row["ocr_failed"]) == (8, 7, 1)
    assert (row["deploy_total"], row["last_error_message"]) == (1, "SourceUnavailable: away")


def test_reconciliation_lists_the_sites_that_the_status_lists(sites: None) -> None:
    ran = clerk("reconcile-pipeline", "--dry-run", "--json")

    listed = json.loads(ran.output)["attention"]
    status = json.loads(clerk("pipeline-status", "--json").output)
    assert listed == status["attention"]
    assert {"failing", "stuck-site", "nothing"} <= {each["subdomain"] for each in listed}
    assert ran.exit_code == 4


# -------------------------------------------------------------------- the operating guide


def test_every_command_of_the_operating_guide_runs(
    sites: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    guide.use_the_servers_own_programs(monkeypatch)
    ran = [
        each for heading in guide.sections(OPERATING) for each in guide.follow(OPERATING, heading)
    ]

    unwell = {each.command.split()[0]: each.exit_code for each in ran if each.exit_code}
    assert unwell == {"health": 2, "reconcile-pipeline": 4}
    assert len(ran) >= 20


def test_config_shows_where_each_value_was_set_and_no_password(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgresql://ann:secret@host/db")

    shown = {row["variable"]: row for row in json.loads(clerk("config", "show", "--json").output)}

    assert shown["DATABASE_URL"]["origin"] == "the environment"
    assert "secret" not in shown["DATABASE_URL"]["value"]
    variables = {f.metadata["variable"] for f in fields(config.Settings) if f.metadata}
    assert set(shown) == variables
