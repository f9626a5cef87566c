"""The way in from every revision of the old system, both systems at once, and the way back."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import legacy
import pytest
from guide import clerk, run
from small_pdfs import printed
from sqlalchemy import Engine, inspect, text
from test_counts import OPERATORS_STATEMENTS

from clerk.core import db, schema
from clerk.core.errors import DowngradeRefused, SchemaUnknown
from clerk.queue import (
    get_compilation_queue,
    get_deploy_queue,
    get_fetch_queue,
    get_high_queue,
    get_ocr_queue,
)


@pytest.fixture(params=["sqlite", "postgresql"])
def engine(
    request: pytest.FixtureRequest,
    storage: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[Engine]:
    """An empty database that the settings name."""
    if request.param == "sqlite":
        monkeypatch.setenv("DATABASE_URL", f"sqlite:///{tmp_path / 'sites.db'}")
    else:
        monkeypatch.setenv("DATABASE_URL", request.getfixturevalue("empty_postgres"))
    yield db.get_civic_db()
    db._engines.pop(db.config.load().sql_url).dispose()


def everything(engine: Engine) -> dict[str, Any]:
    """Every table with its columns, indexes and rows."""
    seen = {}
    with engine.connect() as conn:
        conn = conn.execution_options(clerk_reads=True)
        found = inspect(conn)
        for name in found.get_table_names():
            columns = {
                each["name"]: (str(each["type"]), each["nullable"])
                for each in found.get_columns(name)
            }
            indexes = sorted(str(each["name"]) for each in found.get_indexes(name))
            rows = conn.execute(text(f"SELECT * FROM {name}"))
            seen[name] = (columns, indexes, sorted(map(_plain, rows)))
    return seen


def _plain(row: Any) -> str:
    """A row without the formats that clerk repairs on SQLite: of moments, and of booleans."""
    shown = str(sorted(row._mapping.items()))
    for repaired, stored in ((".000000", ""), ("+00:00", ""), ("'false'", "0"), ("'FALSE'", "0")):
        shown = shown.replace(repaired, stored)
    return shown


#: The first and the last of the old system; those between are for `make chaos`.
REVISIONS = [
    each
    if each in (legacy.REVISIONS[0], legacy.REVISIONS[-1])
    else pytest.param(each, marks=pytest.mark.chaos)
    for each in legacy.REVISIONS
]


@pytest.mark.parametrize("revision", REVISIONS)
def test_every_revision_is_taken_over_and_goes_back_as_it_was(
    engine: Engine, storage: Path, revision: str
) -> None:
    legacy.create_revision(engine, revision)
    legacy.fill_revision(engine, revision, storage)
    before = everything(engine)

    assert clerk("db", "upgrade").output.startswith("Took over an existing installation.")
    assert schema.current(engine) == schema.head()

    shown = clerk("db", "downgrade", "--yes", "old")
    assert shown.exit_code == 0
    assert f"the old system's again, at its revision {revision}." in shown.output
    assert everything(engine) == before
    legacy.old_code_works(engine, revision)


@pytest.mark.timeout(400)
@pytest.mark.parametrize(
    "revision",
    [
        *(pytest.param(each, marks=pytest.mark.chaos) for each in legacy.REVISIONS[:-1]),
        legacy.REVISIONS[-1],
    ],
)
def test_an_old_installation_works_after_the_guide_and_goes_back(
    engine: Engine, storage: Path, redis: str, revision: str
) -> None:
    """The guide from its first step to the last, with real jobs in Redis and real workers."""
    legacy.create_revision(engine, revision)
    legacy.fill_revision(engine, revision, storage)
    before = everything(engine)

    leave_old_jobs(storage)
    clerk("db", "upgrade")
    assert clerk("migrate-stuck-sites", "--dry-run").exit_code == 0
    migrated = clerk("migrate-stuck-sites").output
    in_site_progress = revision != "45db71312424"
    # The old system was about to read one of the five: that one is not counted as failed.
    assert ("springfield: 2/5 completed, 2 failed" in migrated) is in_site_progress
    assert "Deleted 1 waiting job clerk.workers.finance_job" in migrated
    reconciled = clerk("reconcile-pipeline").output
    assert "Recovered 1 sites" in reconciled
    # One of them divides by the number of sites under way.
    operators_statements_run(engine)
    assert run("clerk worker all -n 1 --burst").exit_code == 0
    assert {name: len(each.failed_job_registry) for name, each in old_queues().items()} == (
        dict.fromkeys(old_queues(), 0)
    )
    with db.reading_connection() as conn:
        done = db.require_site(conn, "springfield")
    assert done["current_stage"] == "completed" and done["deploy_completed"] == 1
    assert (done["ocr_total"], done["ocr_completed"], done["ocr_failed"]) == (5, 2, 3)
    listed = {each["subdomain"] for each in json.loads(clerk("site", "list", "--json").output)}
    assert listed == {"springfield", "shelbyville"}

    lost = clerk("db", "downgrade", "old").output
    assert "runs with their history" in lost
    assert schema.current(engine) == schema.head(), "nobody confirmed it"
    assert clerk("db", "downgrade", "--yes", "old").exit_code == 0
    after = everything(engine)
    assert {name: each[:2] for name, each in after.items()} == {
        name: each[:2] for name, each in before.items()
    }
    assert after["alembic_version"] == before["alembic_version"]
    unchanged = set(after) - {"sites", "alembic_version"}
    assert {name: after[name] for name in unchanged} == {name: before[name] for name in unchanged}
    if revision in legacy.REVISIONS[:3]:
        assert after["sites"][2] == before["sites"][2], "clerk worked in columns of its own"
    legacy.old_code_works(engine, revision)


def leave_old_jobs(storage: Path) -> None:
    """Let jobs of the old system wait in Redis, under its names and as it called them."""
    path = str(storage / "springfield" / "pdfs" / "Council" / "2025-03-01.pdf")
    names = {name: f"clerk.workers.{name}" for name in legacy.JOBS}
    reading = get_ocr_queue().enqueue(
        names["ocr_document_job"], "springfield", path, "tesseract", "r1", True
    )
    get_compilation_queue().enqueue(
        names["ocr_complete_coordinator"], "springfield", "r1", depends_on=reading
    )
    get_compilation_queue().enqueue(names["coordinator_job"], "springfield", "r1")
    get_compilation_queue().enqueue(names["db_compilation_job"], "springfield", run_id="r1")
    get_deploy_queue().enqueue(names["deploy_job"], "springfield", run_id="r1")
    get_fetch_queue().enqueue(names["fetch_site_job"], "shelbyville")
    get_high_queue().enqueue("clerk.workers.finance_job", "springfield")


def old_queues() -> dict[str, Any]:
    return {
        "fetch": get_fetch_queue(),
        "ocr": get_ocr_queue(),
        "compilation": get_compilation_queue(),
        "deploy": get_deploy_queue(),
    }


def operators_statements_run(engine: Engine) -> None:
    """Run every statement of the old guides, as they are; SQLite has no NOW() and no INTERVAL."""
    tables, only_postgresql = inspect(engine).get_table_names(), ("NOW()", "pg_", "EXTRACT")
    for statement in OPERATORS_STATEMENTS.values():
        if engine.dialect.name == "sqlite" and any(word in statement for word in only_postgresql):
            continue
        if "site_progress" in statement and "site_progress" not in tables:
            continue
        with db.reading_connection() as conn:
            conn.execute(text(statement)).fetchall()


def test_an_installation_without_a_revision_goes_back_without_one(
    engine: Engine, storage: Path
) -> None:
    legacy.create_revision(engine, "9daf09ff2554", stamped=False)
    legacy.fill_revision(engine, "9daf09ff2554", storage)
    schema.upgrade(engine)

    assert clerk("db", "downgrade", "--yes", "old").exit_code == 0

    assert "alembic_version" not in inspect(engine).get_table_names()


def test_what_the_cleanup_dropped_comes_back_empty_and_that_is_said(
    engine: Engine, storage: Path
) -> None:
    legacy.create_revision(engine, "s9z7il1abnmz")
    legacy.fill_revision(engine, "s9z7il1abnmz", storage)
    schema.upgrade(engine)
    schema.drop_legacy(engine)

    said = clerk("db", "downgrade", "--yes", "old").output

    assert "site_progress, sites.extraction_status," in said
    assert "come back empty, clerk db cleanup dropped their content" in said
    with engine.begin() as conn:
        assert conn.execute(text("SELECT count(*) FROM site_progress")).scalar_one() == 0
        assert conn.execute(text("SELECT status FROM sites LIMIT 1")).scalar() is None


def test_clerks_own_database_has_no_way_back_to_the_old_system(engine: Engine) -> None:
    schema.upgrade(engine)

    with pytest.raises(DowngradeRefused, match="was not taken over"):
        schema.downgrade_to_old_system(engine)


@pytest.mark.parametrize(
    ("statement", "reason"),
    [
        ("CREATE TABLE jobs (id INTEGER PRIMARY KEY, title VARCHAR)", "other programs"),
        ("CREATE TABLE site_progress (town VARCHAR)", "neither subdomain nor site_id"),
        ("ALTER TABLE sites RENAME COLUMN subdomain TO slug", "no column subdomain"),
    ],
)
def test_what_cannot_be_taken_over_is_refused_before_anything_is_changed(
    engine: Engine, statement: str, reason: str
) -> None:
    legacy.create_revision(engine, "45db71312424")
    with engine.begin() as conn:
        conn.execute(text(statement))
    before = everything(engine)

    with pytest.raises(SchemaUnknown, match=reason):
        schema.upgrade(engine)

    assert everything(engine) == before


def test_an_upgrade_that_fails_halfway_changes_nothing(engine: Engine, storage: Path) -> None:
    legacy.create_revision(engine, "c27bd77144ce")
    legacy.fill_revision(engine, "c27bd77144ce", storage)
    with engine.begin() as conn:
        # The name of an index that a late revision creates.
        conn.execute(text("CREATE INDEX ix_schedules_next_at ON sites(name)"))
    before = everything(engine)

    with pytest.raises(Exception, match="ix_schedules_next_at"):
        schema.upgrade(engine)

    assert everything(engine) == before


def test_old_workers_count_on_while_both_systems_run(engine: Engine, storage: Path) -> None:
    legacy.create_revision(engine, "e032d9c68444")
    legacy.fill_revision(engine, "e032d9c68444", storage)
    schema.upgrade(engine)

    with engine.begin() as conn:
        count = "UPDATE sites SET ocr_completed = ocr_completed + 1, status = 'needs_ocr'"
        for _ in range(9):
            conn.execute(text(count))
        conn.execute(text("UPDATE site_progress SET stage_completed = stage_completed + 1"))

    assert "Recovered 1 sites" in clerk("reconcile-pipeline").output
    schema.drop_legacy(engine)
    clerk("health")


def test_waiting_jobs_under_old_names_are_run_or_named_and_cleared(
    engine: Engine, storage: Path, redis: str
) -> None:
    legacy.create_revision(engine, "s9z7il1abnmz")
    legacy.fill_revision(engine, "s9z7il1abnmz", storage)
    shutil.rmtree(storage / "springfield")
    folder = storage / "springfield" / "pdfs" / "Council"
    folder.mkdir(parents=True)
    for day in (1, 2):
        (folder / f"2025-01-0{day}.pdf").write_bytes(
            printed(["The council met.", f"It was day {day}."])
        )
    schema.upgrade(engine)
    path = str(folder / "2025-01-01.pdf")
    get_ocr_queue().enqueue("clerk.workers.ocr_document_job", "springfield", path, "vision", "r1")
    get_high_queue().enqueue("clerk.workers.finance_job", "springfield")
    get_compilation_queue().enqueue("clerk.workers.db_compilation_job", "nowhere", run_id="r1")

    dry = clerk("migrate-stuck-sites", "--dry-run").output
    assert "springfield: 0/2 completed, 1 failed" in dry, "one was never tried"
    done = clerk("migrate-stuck-sites").output
    assert "1 waiting job clerk.workers.ocr_document_job: workers of clerk run them" in done
    assert "Deleted 1 waiting job clerk.workers.finance_job: clerk has no such job" in done
    assert len(get_high_queue()) == 0 and len(get_ocr_queue()) == 1

    reconciled = clerk("reconcile-pipeline").output
    assert "ALL OCR failed" not in reconciled
    assert "springfield: Found 0 completed documents, enqueueing 2 that are missing" in reconciled
    assert run("clerk worker ocr --burst").exit_code == 0
    assert run("clerk worker compilation --burst").exit_code == 0
    with db.reading_connection() as conn:
        site = db.require_site(conn, "springfield")
    assert (site["ocr_total"], site["ocr_completed"], site["ocr_failed"]) == (2, 2, 0)
    assert site["current_stage"] in ("extraction", "deploy", "completed")


def test_the_columns_have_the_comments_of_the_old_guide(engine: Engine) -> None:
    schema.upgrade(engine)

    if engine.dialect.name == "postgresql":
        comments = {each["name"]: each["comment"] for each in inspect(engine).get_columns("sites")}
        assert comments["coordinator_enqueued"] == (
            "Prevents duplicate coordinators - atomically claimed by last job"
        )
