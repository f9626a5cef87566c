"""The figures of health against the operators' own SQL, and what the commands make of them."""

from __future__ import annotations

import json
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
from clerk.core.models import audit_table, sites_table, stage_events_table
from clerk.core.states import QUEUES
from clerk.ops import health, queues
from clerk.pipeline import ledger, liveness, transitions
from clerk.pipeline.pipeline_state import (
    NO_DOCUMENTS,
    increment_completed,
    increment_failed,
    initialize_stage,
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
    seen = health.pipeline()

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
        silent = health.silent_sites(conn)
        failing = health.sites_with_failures(conn)

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
    seen = health.pipeline()

    assert (seen.silent, seen.health_score, seen.silent_percent) == (3, 78.6, 60.0)
    assert (seen.ocr.failure, seen.ocr.success) == (26.7, 73.3)
    assert [site.subdomain for site in seen.stuck] == ["busy1", "busy2", "stuck-site"]
    assert seen.without_documents == 1


def test_sites_that_need_attention_come_with_the_reason(sites: None) -> None:
    reasons = {each.subdomain: each.reason for each in health.pipeline().attention}

    assert reasons["failing"] == "3 of 8 documents failed (37.5 %)"
    assert reasons["nothing"] == "no documents found"
    assert reasons["stuck-site"].startswith("stuck in ocr, no movement for 9.0 h")


@pytest.mark.parametrize(
    ("part", "whole", "share"), [(1, 8, 12.5), (1, 16, 6.3), (0, 5, 0.0), (1, 0, None)]
)
def test_shares_are_rounded_as_sql_rounds_them(part: int, whole: int, share: float | None) -> None:
    assert health.percent(part, whole) == share


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
    with db.civic_db_connection() as conn:
        ledger.record(conn, "finished", stage="ocr", completed=5, failed=2)
        ledger.record(conn, "crashed", stage="ocr")
        ledger.record(conn, "run completed")
        conn.execute(
            insert(stage_events_table).values(
                event="finished",
                stage="ocr",
                completed=100,
                at=utc_now() - timedelta(hours=25),
            )
        )

    happened = health.pipeline().last_day

    assert (happened["documents_read"], happened["documents_failed"]) == (5, 2)
    assert (happened["crashes"], happened["runs_completed"]) == (1, 1)


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
