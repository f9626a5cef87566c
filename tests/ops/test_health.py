"""The figures of health against the operators' own SQL, and what the commands make of them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import fields
from datetime import timedelta
from pathlib import Path
from typing import Any

import guide
import legacy
import pytest
from guide import clerk
from sqlalchemy import insert, text, update

from clerk.core import config, db, schema
from clerk.core.clock import utc_now
from clerk.core.models import (
    audit_table,
    batches_table,
    items_table,
    jobs_table,
    runs_table,
    sites_table,
    stage_events_table,
    workers_table,
)
from clerk.core.states import QUEUES
from clerk.ops import counts, health, queues
from clerk.pipeline import ledger, liveness, transitions
from clerk.pipeline.batch_tracking import BatchJobTracking
from clerk.pipeline.pipeline_state import (
    NO_DOCUMENTS,
    increment_completed,
    increment_failed,
    initialize_stage,
    job_of_stage,
)

Make = Callable[..., str]

OPERATING = "operating.md"


@pytest.fixture
def sites(make_site: Make) -> None:
    """Sites in every stage: moving, silent, failing, completed, new."""
    for number in range(7):
        _site(make_site, f"done{number}", "completed", hours=100)
    for number, (stage, hours) in enumerate([("ocr", 1), ("ocr", 3), ("deploy", 30), ("fetch", 0)]):
        _site(make_site, f"busy{number}", stage, hours=hours)
    _site(make_site, "failing", "completed", hours=5, ocr_total=8, ocr_completed=5, ocr_failed=3)
    _site(make_site, "stuck-site", "ocr", hours=9, ocr_total=7, ocr_completed=6, ocr_failed=1)
    _site(make_site, "nothing", "completed", hours=5, last_error_message=NO_DOCUMENTS)
    make_site("new")


def _site(make_site: Make, name: str, stage: str, hours: float, **columns: Any) -> None:
    make_site(name)
    moment = utc_now() - timedelta(hours=hours)
    values = {"current_stage": stage, "updated_at": moment, "compilation_total": 1, **columns}
    with db.civic_db_connection() as conn:
        conn.execute(update(sites_table).where(sites_table.c.subdomain == name).values(**values))


# ----------------------------------------------------- the statements of the operators' guides

STUCK_COUNT = """
SELECT COUNT(*) as stuck_count
FROM sites
WHERE current_stage != 'completed'
  AND current_stage IS NOT NULL
  AND updated_at < NOW() - INTERVAL '2 hours';
"""

BY_STAGE = """
SELECT current_stage, COUNT(*) as count
FROM sites
WHERE current_stage IS NOT NULL
GROUP BY current_stage
ORDER BY count DESC;
"""

FAILURE_RATES = """
SELECT
  ROUND(100.0 * SUM(ocr_failed) / NULLIF(SUM(ocr_total), 0), 1) as ocr_failure_rate,
  ROUND(100.0 * SUM(compilation_failed) / NULLIF(SUM(compilation_total), 0), 1) as compilation_failure_rate
FROM sites WHERE ocr_total > 0;
"""  # noqa: E501

STUCK_SITES = """
SELECT subdomain, current_stage, updated_at,
       ocr_total, ocr_completed, ocr_failed,
       EXTRACT(EPOCH FROM (NOW() - updated_at))/3600 as hours_stuck
FROM sites
WHERE current_stage != 'completed'
  AND updated_at < NOW() - INTERVAL '2 hours'
ORDER BY hours_stuck DESC
LIMIT 10;
"""

HIGH_FAILURE_RATES = """
SELECT subdomain, current_stage,
       ocr_total, ocr_completed, ocr_failed,
       ROUND(100.0 * ocr_failed / NULLIF(ocr_total, 0), 1) as failure_rate
FROM sites
WHERE ocr_total > 0
  AND ocr_failed > 0
ORDER BY failure_rate DESC
LIMIT 10;
"""

STUCK_PERCENT = """
SELECT
    COUNT(*) FILTER (WHERE updated_at < NOW() - INTERVAL '2 hours') as stuck,
    COUNT(*) as total,
    ROUND(100.0 * COUNT(*) FILTER (WHERE updated_at < NOW() - INTERVAL '2 hours') / COUNT(*), 1) as stuck_pct
FROM sites
WHERE current_stage != 'completed' AND current_stage IS NOT NULL;
"""  # noqa: E501

HEALTH_SCORE = """
SELECT
    ROUND(100.0 *
        COUNT(*) FILTER (
            WHERE current_stage = 'completed'
               OR updated_at >= NOW() - INTERVAL '2 hours'
        ) / NULLIF(COUNT(*), 0),
    1) as health_score
FROM sites
WHERE current_stage IS NOT NULL;
"""

AVERAGE_HOURS = """
SELECT current_stage, COUNT(*), AVG(EXTRACT(EPOCH FROM (NOW() - updated_at))/3600) as avg_hours
FROM sites WHERE current_stage != 'completed' GROUP BY current_stage;
"""

RECENT_LEGACY = """
SELECT COUNT(*) FROM site_progress WHERE updated_at > NOW() - INTERVAL '24 hours';
"""

#: Statements that list rows as they are; nothing is computed from them.
LISTS = {
    "in ocr": """
SELECT subdomain, current_stage, ocr_total, ocr_completed, ocr_failed, coordinator_enqueued
FROM sites
WHERE current_stage = 'ocr'
LIMIT 10;
""",
    "one site": """
SELECT subdomain, coordinator_enqueued, ocr_total, ocr_completed FROM sites WHERE subdomain = 'stuck-site';
""",  # noqa: E501
    "five in ocr": """
SELECT subdomain, current_stage, ocr_total, ocr_completed, ocr_failed FROM sites WHERE current_stage = 'ocr' LIMIT 5;
""",  # noqa: E501
    "stuck names": """
SELECT subdomain, current_stage, updated_at FROM sites WHERE current_stage != 'completed' AND updated_at < NOW() - INTERVAL '2 hours';
""",  # noqa: E501
    "failing": """
SELECT subdomain, ocr_total, ocr_completed, ocr_failed FROM sites WHERE ocr_failed > 0 ORDER BY ocr_failed DESC LIMIT 20;
""",  # noqa: E501
}

only_postgresql = pytest.mark.parametrize("database", ["postgresql"], indirect=True)


def query(statement: str) -> list[Any]:
    with db.reading_connection() as conn:
        return list(conn.execute(text(statement)))


@only_postgresql
def test_the_figures_are_those_of_the_operators_statements(sites: None) -> None:
    seen = counts.figures()

    assert query(STUCK_COUNT)[0].stuck_count == seen.silent == 3
    assert {row.current_stage: row.count for row in query(BY_STAGE)} == seen.stages
    assert (
        dict(
            query(
                "SELECT current_stage, COUNT(*) FROM sites WHERE current_stage IS NOT NULL"
                " GROUP BY current_stage;"
            )
        )
        == seen.stages
    )
    everything = dict(query("SELECT current_stage, COUNT(*) FROM sites GROUP BY current_stage;"))
    assert sum(everything.values()) == seen.sites
    taken = query("SELECT COUNT(*) FROM sites WHERE current_stage IS NOT NULL;")[0][0]
    assert taken == sum(seen.stages.values())
    rates = query(FAILURE_RATES)[0]
    assert float(rates.ocr_failure_rate) == seen.ocr.failure == 26.7
    assert float(rates.compilation_failure_rate) == seen.compilation.failure
    share = query(STUCK_PERCENT)[0]
    assert (share.stuck, float(share.stuck_pct)) == (seen.silent, seen.silent_percent)
    assert share.total == sum(seen.stages.values()) - seen.stages["completed"]
    assert float(query(HEALTH_SCORE)[0].health_score) == seen.health_score == 78.6
    hours = {row.current_stage: float(row.avg_hours) for row in query(AVERAGE_HOURS)}
    assert hours == pytest.approx(seen.hours_by_stage, abs=0.01)


@only_postgresql
def test_the_lists_are_those_of_the_operators_statements(sites: None) -> None:
    with db.reading_connection() as conn:
        silent = counts.silent_sites(conn)
        failing = counts.sites_with_failures(conn.execute(db.documents_of_sites()))

    rows = query(STUCK_SITES)
    assert [row.subdomain for row in rows] == [site.subdomain for site in silent]
    assert [float(row.hours_stuck) for row in rows] == pytest.approx(
        [site.hours for site in silent], abs=0.01
    )
    assert [row.subdomain for row in query(HIGH_FAILURE_RATES)] == [r.subdomain for r in failing]
    shown = {name: {row[0] for row in query(statement)} for name, statement in LISTS.items()}
    assert shown["in ocr"] == shown["five in ocr"] == {"busy0", "busy1", "stuck-site"}
    assert shown["one site"] == {"stuck-site"}
    assert shown["stuck names"] == {site.subdomain for site in silent}
    assert shown["failing"] == {"failing", "stuck-site"}


@only_postgresql
def test_recent_writes_of_the_old_code_are_counted_as_by_sql(database: str) -> None:
    engine = db.get_civic_db()
    schema.downgrade(engine, "0003")
    for name, at in (("old", "2026-01-17 08:00:00"), ("now", None)):
        legacy.add_site(engine, name, progress=("ocr", 1, 0), progress_at=at)
    with db.civic_db_connection() as conn:
        conn.execute(text("UPDATE site_progress SET updated_at = NOW() WHERE subdomain = 'now'"))

    with db.reading_connection() as conn:
        assert health.recent_legacy_writes(conn) == query(RECENT_LEGACY)[0][0] == 1


def test_the_figures_are_the_same_on_both_databases(sites: None) -> None:
    seen = counts.figures()

    assert (seen.silent, seen.health_score, seen.silent_percent) == (3, 78.6, 60.0)
    assert (seen.ocr.failure, seen.ocr.success) == (26.7, 73.3)
    assert [site.subdomain for site in seen.stuck] == ["busy1", "busy2", "stuck-site"]
    assert seen.without_documents == 1


def test_sites_that_need_attention_come_with_the_reason(sites: None) -> None:
    reasons = {each.subdomain: each.reason for each in counts.figures().attention}

    assert reasons["failing"] == "3 of 8 documents failed (37.5 %)"
    assert reasons["nothing"] == "no documents found"
    assert reasons["stuck-site"].startswith("stuck in ocr, no movement for 9.0 h")


@pytest.mark.parametrize(
    ("part", "whole", "share"), [(1, 8, 12.5), (1, 16, 6.3), (0, 5, 0.0), (1, 0, None)]
)
def test_shares_are_rounded_as_sql_rounds_them(part: int, whole: int, share: float | None) -> None:
    assert counts.percent(part, whole) == share


# ------------------------------------------------------------------------------ commands


def test_an_empty_installation_is_well(database: str) -> None:
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
    assert "nobody serves 1 in fetch" in ran.output


def test_a_worker_that_serves_all_queues_is_one(site: str) -> None:
    with db.civic_db_connection() as conn:
        liveness.register(conn, "one", lease_seconds=600.0, queues=",".join(QUEUES))

    assert "1 alive" in clerk("health").output


def test_work_that_waits_for_a_person_is_critical_though_it_is_served(site: str) -> None:
    with db.civic_db_connection() as conn:
        transitions.start_run(conn, site)
        liveness.register(conn, "one", lease_seconds=600.0, queues="fetch")
        claimed = ledger.claim(conn, QUEUES, "one", lambda _queue: 1)
        assert claimed is not None
        full = ledger.Outcome(claimed.items[0], "pending", "StorageUnusable: the disk is full")
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

    seen = counts.figures()

    day = seen.last_day
    assert (day.documents_read, day.documents_failed, day.crashes) == (3, 2, 1)
    assert (day.runs_started, day.runs_completed, day.runs) == (1, 1, 1)
    assert sum(hour.done for hour in seen.hours) == 3
    assert sum(hour.failed for hour in seen.hours) == seen.failed.documents_24h == 2

    with db.civic_db_connection() as conn:
        conn.execute(update(items_table).values(finished_at=long_ago))
    later = counts.figures()
    assert (later.last_day.documents_failed, later.failed.documents) == (0, 2)


def test_the_status_shows_documents_in_work(site: str) -> None:
    initialize_stage(site, "ocr", total_jobs=4)
    increment_completed(site, "ocr")
    increment_failed(site, "ocr", "damaged", "UnreadablePdf")

    shown = clerk("pipeline-status").output

    assert "ocr    1" in shown
    assert "25.0 % of 4 documents read, 25.0 % failed (1)" in shown


def test_counters_are_compared_with_the_disk(site: str, storage: Path) -> None:
    initialize_stage(site, "ocr", total_jobs=2)
    legacy.write_documents(storage / site, both=2, pdf=1)
    with db.reading_connection() as conn:
        row = db.require_site(conn, site)

    assert health.disk_differences(row, storage / site) == [
        "documents read: 0 counted, 2 on disk",
        "documents in all: 2 counted, 3 on disk",
    ]


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
        liveness.register(conn, "one", lease_seconds=600.0, queues=",".join(QUEUES))
        conn.execute(update(workers_table).values(started_at=utc_now() - timedelta(hours=hours)))


def test_a_long_queue_that_is_served_is_ok(database: str) -> None:
    backlog(waiting=9950, done=50)
    serve()
    with db.civic_db_connection() as conn:
        assert ledger.claim(conn, ["fetch"], "one", lambda _queue: 1)

    said = verdict()

    assert (said["level"], set(said["levels"].values())) == ("OK", {"OK"})
    assert (said["pipeline"]["silent"], said["pipeline"]["stuck"]) == (9950, [])
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
    assert told == "nothing was taken from fetch for 2 h: 3 waiting, 1 idle worker"

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


def test_many_crashes_in_a_day_are_a_warning(site: str) -> None:
    initialize_stage(site, "ocr", total_jobs=1)
    with db.reading_connection() as conn:
        job = job_of_stage(conn, site, "ocr")
    assert job is not None

    def crash(times: int) -> str:
        for _ in range(times):
            BatchJobTracking.create(parent_job_id=job.id, item_count=1).mark_crashed()
        level: str = verdict()["levels"]["crashes"]
        return level

    assert (crash(20), crash(1)) == ("OK", "WARNING")


def test_nothing_is_counted_at_the_doors() -> None:
    """One module counts: commands, pages and the verdict have no sums of their own."""
    package = Path(counts.__file__).parent
    doors = [*(package / "web").rglob("*.py"), *(package / "cli").rglob("*.py")]
    counting = re.compile(r"\bfunc\.(count|sum|avg|min)\b")

    assert [
        path.name
        for path in [*doors, package / "health.py", package / "queues.py"]
        if counting.search(path.read_text())
    ] == []


# ----------------------------------------------------------------------------- pre-flight


def test_the_preflight_wants_ten_calm_reconciliations(database: str) -> None:
    assert not _criterion("Reconciliation").passed
    with db.civic_db_connection() as conn:
        for number in range(10):
            ledger.record(conn, "reconciled", detail=json.dumps({"found": number % 5}))

    assert _criterion("Reconciliation").passed

    with db.civic_db_connection() as conn:
        ledger.record(conn, "reconciled", detail=json.dumps({"found": 5}))
    assert not _criterion("Reconciliation").passed


def test_the_preflight_wants_a_week_without_manual_recovery(database: str) -> None:
    assert _criterion("Manual recovery").passed
    with db.civic_db_connection() as conn:
        ledger.audit(conn, "ann", "failures retried")

    assert not _criterion("Manual recovery").passed

    with db.civic_db_connection() as conn:
        conn.execute(update(audit_table).values(at=utc_now() - timedelta(days=7, minutes=1)))
    assert _criterion("Manual recovery").passed


def _criterion(name: str) -> health.Criterion:
    return next(each for each in health.preflight() if each.name == name)


def test_what_fails_is_not_dropped_unless_the_number_of_sites_is_typed(sites: None) -> None:
    engine = db.get_civic_db()
    schema.downgrade(engine, "0003")
    assert "columns status" in schema.upgrade(engine).left

    refused = clerk("db", "cleanup")
    mistyped = clerk("db", "cleanup", "--force", input="3\n")

    assert (refused.exit_code, mistyped.exit_code) == (1, 2)
    assert refused.output.count("PASS") + refused.output.count("FAIL") == 5
    assert schema.has_legacy(engine)
    assert clerk("db", "cleanup", "--force", input="15\n").exit_code == 0
    assert not schema.has_legacy(engine)
    assert clerk("db", "cleanup").output == "Nothing is left of the old system.\n"


# -------------------------------------------------------------------------- the other guide


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


def test_doctor_names_the_mend(storage: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OCR_LANGUAGES", "eng,tlh")

    ran = clerk("doctor", "--json")

    ocr = next(check for check in json.loads(ran.output) if check["name"] == "ocr")
    assert (ran.exit_code, ocr["level"]) == (1, "CRITICAL")
    assert "TESSDATA_DIR" in ocr["mend"]


def test_config_shows_where_each_value_was_set_and_no_password(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgresql://ann:secret@host/db")

    shown = {row["variable"]: row for row in json.loads(clerk("config", "show", "--json").output)}

    assert shown["DATABASE_URL"]["origin"] == "the environment"
    assert "secret" not in shown["DATABASE_URL"]["value"]
    variables = {f.metadata["variable"] for f in fields(config.Settings) if f.metadata}
    assert set(shown) == variables
