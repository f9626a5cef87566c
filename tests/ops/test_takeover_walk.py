"""A whole migration: a legacy installation of 300 sites follows docs/migrating.md.

Every day 24 of them are stuck, twice in each of the odd ways; in `make chaos` 105.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import guide
import legacy
import pytest
from guide import Ran, clerk
from sqlalchemy import Engine, inspect, text

from clerk.core import config, db, schema
from clerk.ops import counts
from clerk.pipeline.transitions import NO_DOCUMENTS

GUIDE = "migrating.md"


@pytest.fixture(
    params=[
        "postgresql with Redis",
        pytest.param("sqlite without Redis", marks=pytest.mark.chaos),
    ]
)
def engine(
    request: pytest.FixtureRequest,
    storage: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[Engine]:
    """The empty database of an installation, with what else belongs to it."""
    if request.param == "sqlite without Redis":
        monkeypatch.setenv("DATABASE_URL", f"sqlite:///{tmp_path / 'sites.db'}")
    else:
        guide.use_the_servers_own_programs(monkeypatch)
        monkeypatch.setenv("DATABASE_URL", request.getfixturevalue("empty_postgres"))
        legacy.leave_rq_jobs(request.getfixturevalue("redis"))
    yield db.get_civic_db()
    db._engines.pop(db.config.load().sql_url).dispose()


@pytest.mark.timeout(400)
@pytest.mark.parametrize("stuck", [24, pytest.param(legacy.STUCK, marks=pytest.mark.chaos)])
def test_the_guide_takes_an_old_installation_over(
    engine: Engine, storage: Path, stuck: int
) -> None:
    made = legacy.install(engine, storage, stuck=stuck)
    with_redis = engine.dialect.name == "postgresql"

    ok(guide.follow(GUIDE, "Before you begin"))
    ok(guide.follow(GUIDE, "Step 1: Back up"))
    upgraded = ok(guide.follow(GUIDE, "Step 2: Upgrade the database"))
    assert upgraded[0].output.startswith("Took over an existing installation.")
    in_progress = len({**made.stuck, **made.elsewhere}) - legacy.ELSEWHERE["compilation"]
    assert f"site_progress ({in_progress} rows)" in upgraded[0].output
    old_code_writes(engine)

    before = everything(engine)
    (dry,) = ok(guide.follow(GUIDE, "Step 3: See what would be migrated"))
    assert_seeds_words(dry.output, made, dry_run=True)
    assert everything(engine) == before

    migrated = ok(guide.follow(GUIDE, "Step 4: Migrate"))
    assert_seeds_words(migrated[0].output, made, dry_run=False)
    if with_redis:
        assert_redis_was_cleared(migrated[0].output, stuck)
    else:
        assert "No Redis is configured" in migrated[0].output
    assert counters_are_possible(engine)

    cleared = guide.follow(GUIDE, "Step 5: Verify that RQ is clean")
    if with_redis:
        assert cleared[0].output == "Deferred coordinators: 0\nFailed OCR jobs: 0\n"

    _, reconciled = guide.follow(GUIDE, "Step 6: Restart the sites")
    assert reconciled.exit_code == 4
    moving = stuck - len(made.without_text) + 6
    assert f"Recovered {moving} sites" in reconciled.output

    _, worked = guide.follow(GUIDE, "Step 7: Start the workers and the timer")
    assert worked.exit_code == (0 if with_redis else 4)
    status, *_ = guide.follow(GUIDE, "Step 8: Watch")
    assert_status_is_true(engine, status, made)
    assert_every_site_is_completed_or_explained(engine, made)

    early = clerk("db", "cleanup", "--dry-run")
    assert (early.exit_code, early.output.count("FAIL")) == (1, 3), early.output
    assert clerk("db", "cleanup").exit_code == 1
    for _ in range(10):
        clerk("reconcile-pipeline")
    legacy.move_clock(engine, days=8)

    ok(guide.follow(GUIDE, "Clean up, one or two weeks later"))
    assert "site_progress" not in inspect(engine).get_table_names()
    columns = {column["name"] for column in inspect(engine).get_columns("sites")}
    assert not columns & set(schema.LEGACY_COLUMNS)
    health = json.loads(clerk("health", "--json").output)
    unwell = [check["name"] for check in health["checks"] if check["level"] != "OK"]
    assert (health["level"], unwell) == ("WARNING", ["attention"]), "sites without text stay listed"
    assert_status_is_true(engine, clerk("pipeline-status"), made)
    assert clerk("db", "downgrade", "--yes", "0003").exit_code == 0
    assert "site_progress" in inspect(engine).get_table_names()


def ok(ran: list[Ran]) -> list[Ran]:
    assert [each for each in ran if each.exit_code] == []
    return ran


def old_code_writes(engine: Engine) -> None:
    """What the old code goes on doing between upgrade and clean-up."""
    with engine.begin() as conn:
        conn.execute(
            text("INSERT INTO sites (subdomain, status) VALUES ('late.ca.us', 'needs_ocr')")
        )
        conn.execute(
            text(
                "INSERT INTO site_progress (subdomain, current_stage)"
                " VALUES ('late.ca.us', 'fetch')"
            )
        )
        conn.execute(
            text(
                "UPDATE site_progress SET stage_completed = stage_completed + 1"
                " WHERE subdomain = 'completed000.ca.us'"
            )
        )
        conn.execute(
            text("UPDATE sites SET status = 'deployed' WHERE subdomain = 'completed000.ca.us'")
        )
        conn.execute(
            text(
                "INSERT INTO job_tracking (rq_job_id, subdomain, job_type)"
                " VALUES ('1', 'late.ca.us', 'ocr')"
            )
        )
        row = conn.execute(text("SELECT * FROM sites WHERE subdomain = 'late.ca.us'")).one()
        assert (row.ocr_total, row.coordinator_enqueued) == (0, False)
        for table in ("site_progress", "sites", "job_tracking"):
            conn.execute(text(f"DELETE FROM {table} WHERE subdomain = 'late.ca.us'"))


def assert_seeds_words(output: str, made: legacy.Installation, *, dry_run: bool) -> None:
    lines = output.splitlines()
    heading = ["=" * 80, "MIGRATION: Stuck Sites to Atomic Counter System", "=" * 80, ""]
    if dry_run:
        heading += ["DRY RUN MODE - no changes will be made", ""]
    stuck = len(made.stuck)
    heading += [f"Found {stuck} stuck sites in OCR stage", ""]
    assert lines[: len(heading)] == heading
    listed = lines[len(heading) : len(heading) + stuck]
    assert [line.split(":")[0].strip() for line in listed] == sorted(made.stuck)
    expected = {
        "nothing on disk": "0/0 completed, 0 failed",
        "read, not coordinated": "3/3 completed, 0 failed",
        "partly read": "2/3 completed, 1 failed",
        "PDFs deleted after reading": "4/4 completed, 0 failed",
        "many pages": "2/2 completed, 0 failed",
        "only agendas": "2/2 completed, 0 failed",
        "flat text files": "2/2 completed, 0 failed",
        "everything failed": "0/3 completed, 3 failed",
        "coordinator deferred": "1/1 completed, 0 failed",
        "claimed, never enqueued": "2/2 completed, 0 failed",
        "never stamped": "1/1 completed, 0 failed",
        "failures of deleted PDFs": "2/3 completed, 1 failed",
    }
    assert listed == [f"  {name}: {expected[kind]}" for name, kind in sorted(made.stuck.items())]
    assert lines[len(heading) + stuck :][:2] == ["", f"Migrated {stuck} sites"]


def assert_redis_was_cleared(output: str, stuck: int) -> None:
    assert (
        f"Migrated {stuck} sites\n\n"
        "Clearing 82 deferred coordinators...\n"
        "  Cancelled 82 deferred coordinators\n\n"
        "Clearing 2695 failed OCR jobs...\n"
        "  Deleted 2695 failed OCR jobs\n\n"
        "Migration complete!\n"
        "Next step: Run reconciliation job to unstick sites\n"
        "  clerk reconcile-pipeline\n"
    ) in output


def counters_are_possible(engine: Engine) -> bool:
    with engine.begin() as conn:
        wrong = "SELECT count(*) FROM sites WHERE ocr_completed + ocr_failed > ocr_total"
        return conn.execute(text(wrong)).scalar() == 0


def assert_status_is_true(engine: Engine, shown: Ran, made: legacy.Installation) -> None:
    with engine.begin() as conn:
        rows = conn.execute(text("SELECT current_stage, count(*) FROM sites GROUP BY 1")).fetchall()
    for stage, number in rows:
        assert f"{stage}  {number}" in shown.output
    seen = json.loads(clerk("pipeline-status", "--json").output)
    assert seen["stages"] == {row[0]: row[1] for row in rows}
    assert (seen["health_score"], seen["stuck"], seen["silent"]) == (100.0, [], 0)
    assert seen["without_documents"] == len(made.of_kind("nothing on disk"))


def assert_every_site_is_completed_or_explained(engine: Engine, made: legacy.Installation) -> None:
    with engine.begin() as conn:
        rows: dict[str, Any] = {
            row.subdomain: row for row in conn.execute(text("SELECT * FROM sites"))
        }
    assert {row.current_stage for row in rows.values()} == {"completed"}
    for name in made.of_kind("nothing on disk"):
        assert rows[name].last_error_message == NO_DOCUMENTS
    for name in made.of_kind("everything failed"):
        assert rows[name].last_error_message == "No completed OCR documents found - ALL OCR failed"
    for name in sorted({*made.stuck} - {*made.without_text}):
        assert rows[name].deploy_completed == 1, name
    reasons = {each.subdomain for each in counts.figures(config.load()).attention}
    assert set(made.without_text) <= reasons


def everything(engine: Engine) -> dict[str, list[tuple[Any, ...]]]:
    with engine.begin() as conn:
        return {
            name: sorted(
                (tuple(row) for row in conn.execute(text(f"SELECT * FROM {name}"))), key=repr
            )
            for name in inspect(conn).get_table_names()
        }
