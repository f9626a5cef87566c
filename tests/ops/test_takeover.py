"""Taking over sites of the old system, one oddity at a time, on both databases."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path
from typing import Any

import legacy
import pytest
from guide import clerk
from sqlalchemy import Engine, event, inspect, text

from clerk.core import config, db, schema
from clerk.migrations import (
    clear_rq_state,
    count_pdf_files,
    count_txt_files,
    migrate_stuck_sites,
)
from clerk.ops import takeover
from clerk.pipeline.scripted_stages import initialize_stage
from clerk.pipeline.transitions import NO_DOCUMENTS

Copies = Callable[..., AbstractContextManager[str]]


def take_over(url: str) -> None:
    """Take over a database of the old system."""
    engine = db.engine_for(url)
    legacy.create_tables(engine, "by hand")
    legacy.add_site(engine, "other")
    schema.upgrade(engine)
    db._engines.pop(url, engine).dispose()


@pytest.fixture(scope="module")
def taken_over_sqlite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("old") / "clerk.db"
    take_over(f"sqlite:///{path}")
    return path


@pytest.fixture(scope="module")
def taken_over_postgres(copied_postgres: Copies) -> Iterator[str]:
    with copied_postgres() as url:
        take_over(url.replace("postgresql://", "postgresql+psycopg://", 1))
        yield url.partition("?")[0].rpartition("/")[2]


@pytest.fixture(params=["sqlite", "postgresql"])
def old(
    request: pytest.FixtureRequest, storage: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Engine]:
    """The database of an old installation, taken over."""
    with ExitStack() as stack:
        if request.param == "postgresql":
            copied: Copies = request.getfixturevalue("copied_postgres")
            url = stack.enter_context(copied(request.getfixturevalue("taken_over_postgres")))
            monkeypatch.setenv("DATABASE_URL", url)
        else:
            shutil.copy(request.getfixturevalue("taken_over_sqlite"), storage / "clerk.db")
        yield db.get_civic_db()
        db._engines.pop(db.config.load().sql_url).dispose()


@pytest.fixture
def stuck(old: Engine, storage: Path) -> Callable[..., str]:
    """Return a function that adds a site that the old system left in ocr."""

    def add(subdomain: str = "springfield", total: int = 0, **documents: Any) -> str:
        legacy.add_site(old, subdomain, status="needs_ocr", progress=("ocr", total, 0))
        legacy.write_documents(storage / subdomain, **documents)
        return subdomain

    return add


def row(subdomain: str) -> Any:
    with db.reading_connection() as conn:
        return conn.execute(
            text("SELECT * FROM sites WHERE subdomain = :name"), {"name": subdomain}
        ).one()


def counted(subdomain: str) -> tuple[int, int, int]:
    site = row(subdomain)
    return site.ocr_completed, site.ocr_total, site.ocr_failed


def test_pages_are_not_documents(stuck: Callable[..., str]) -> None:
    name = stuck(both=2, pages=60)

    migrate_stuck_sites()

    assert (count_txt_files(name), count_pdf_files(name), counted(name)) == (2, 2, (2, 2, 0))


def test_agendas_count_on_both_sides(stuck: Callable[..., str], storage: Path) -> None:
    name = stuck(both=2, pdf=1)
    legacy.write_documents(storage / name, both=3, pdf=1, folder="_agendas")

    migrate_stuck_sites()

    assert counted(name) == (5, 7, 2)


def test_failures_survive_when_what_was_read_is_moved_away(stuck: Callable[..., str]) -> None:
    name = stuck(total=100, text=95)

    migrate_stuck_sites()

    assert counted(name) == (95, 100, 5)


def test_documents_with_pdf_or_text_make_the_total(stuck: Callable[..., str]) -> None:
    name = stuck(total=2, both=1, pdf=2, text=3)

    migrate_stuck_sites()

    assert counted(name) == (4, 6, 2)


def test_a_site_without_documents_is_completed_with_the_error_of_the_fetch(
    stuck: Callable[..., str],
) -> None:
    name = stuck(total=12)

    migrate_stuck_sites()

    site = row(name)
    assert (site.current_stage, site.last_error_stage) == ("completed", "fetch")
    assert site.last_error_message == NO_DOCUMENTS
    sites = json.loads(clerk("site", "list", "--json").output)
    listed = {each["subdomain"]: each for each in sites}
    assert listed[name]["outcome"] == "no documents"
    assert clerk("site", "show", name).output.splitlines()[0].endswith(": no documents")


def test_what_a_completed_site_has_read_is_counted_by_the_disk(old: Engine, storage: Path) -> None:
    legacy.add_site(old, "springfield", status="deployed")
    legacy.write_documents(storage / "springfield", both=2, pdf=1, text=1)

    migrate_stuck_sites()

    site = row("springfield")
    assert site.current_stage == "completed"
    assert (site.ocr_total, site.ocr_completed, site.ocr_failed) == (4, 3, 1)


def test_the_moment_of_the_last_movement_is_kept(stuck: Callable[..., str]) -> None:
    name = stuck(both=1)

    migrate_stuck_sites()

    assert str(row(name).updated_at).startswith("2026-01-17 08:00:00")


def test_a_claim_that_nobody_works_on_is_released(stuck: Callable[..., str], old: Engine) -> None:
    name = stuck(both=1)
    with old.begin() as conn:
        conn.execute(
            text(
                "UPDATE sites SET current_stage = 'ocr', coordinator_enqueued = TRUE"
                " WHERE subdomain = :name"
            ),
            {"name": name},
        )

    migrate_stuck_sites()

    assert not row(name).coordinator_enqueued


def test_a_site_that_clerk_works_on_is_left_alone(stuck: Callable[..., str]) -> None:
    name = stuck(both=2)
    initialize_stage(name, "ocr", total_jobs=7)

    migration = migrate_stuck_sites()

    assert (migration.stuck, counted(name)) == ([], (0, 7, 0))


def test_a_site_past_reading_is_left_alone(stuck: Callable[..., str], old: Engine) -> None:
    name = stuck(both=2)
    with old.begin() as conn:
        conn.execute(
            text("UPDATE sites SET current_stage = 'deploy' WHERE subdomain = :name"),
            {"name": name},
        )

    assert migrate_stuck_sites().stuck == []


@pytest.mark.parametrize(
    ("status", "stage"),
    [
        ("needs_extraction", "extraction"),
        ("needs_deploy", "deploy"),
        ("deployed", "completed"),
        ("no_documents", "completed"),
        (None, None),
    ],
)
def test_sites_with_a_status_only_are_taken_over_too(
    old: Engine, status: str | None, stage: str | None
) -> None:
    legacy.add_site(old, "springfield", status=status)

    migrate_stuck_sites()

    assert row("springfield").current_stage == stage


def test_rows_that_cannot_be_taken_over_are_named(old: Engine) -> None:
    legacy.add_site(old, "UPPER CASE", progress=("ocr", 1, 0))
    legacy.add_site(old, "springfield", progress=("polishing", 1, 0))
    with old.begin() as conn:
        conn.execute(
            text("INSERT INTO site_progress (subdomain, current_stage) VALUES ('ghost', 'ocr')")
        )

    migration = migrate_stuck_sites()

    assert set(migration.refused) == {"UPPER CASE", "springfield", "ghost"}


def test_a_dry_run_changes_nothing_anywhere(
    stuck: Callable[..., str], old: Engine, storage: Path, redis: str
) -> None:
    stuck(both=1)
    legacy.leave_rq_jobs(redis, deferred=2, failed=3)
    before = state(old), files(storage), keys(redis)

    ran = clerk("migrate-stuck-sites", "--dry-run")

    assert ran.exit_code == 0
    assert "Would cancel 2 deferred coordinators and delete 3 failed OCR jobs" in ran.output
    assert (state(old), files(storage), keys(redis)) == before


def test_migrating_twice_is_migrating_once(stuck: Callable[..., str], old: Engine) -> None:
    stuck("one", both=2, pdf=1)
    stuck("two")
    clerk("migrate-stuck-sites")
    before = state(old, but=("audit",))

    clerk("migrate-stuck-sites")

    assert state(old, but=("audit",)) == before


def test_without_redis_the_queue_is_passed_over_with_a_sentence(old: Engine) -> None:
    assert takeover.rq_leftovers(config.load()) is None
    assert clear_rq_state() is None
    assert "No Redis is configured" in clerk("migrate-stuck-sites").output


def test_what_was_really_deleted_is_counted(database: str, redis: str) -> None:
    from clerk.executors import rq

    legacy.leave_rq_jobs(redis, deferred=3, failed=4)
    rq.connect(redis).delete("rq:job:ocr-1", "rq:job:coordinator-2")

    cleared = clear_rq_state()

    assert cleared == takeover.LeftoverJobs(deferred=2, failed=3, stale=2)
    assert keys(redis) == []


def test_redis_that_does_not_answer_is_found_before_anything_is_written(
    stuck: Callable[..., str], old: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    stuck(both=1)
    monkeypatch.setenv("REDIS_URL", "redis://127.0.0.1:1/0")
    before = state(old)

    assert clerk("migrate-stuck-sites").exit_code == 3
    assert state(old) == before


def test_a_site_of_clerks_own_database_is_never_migrated(site: str) -> None:
    initialize_stage(site, "ocr", total_jobs=2)

    ran = clerk("migrate-stuck-sites")

    assert "Found 0 stuck sites in OCR stage" in ran.output
    assert counted(site) == (0, 2, 0)


# -------------------------------------------------------------------------------- killed


#: Every day at each sixth statement; in `make chaos` at each.
strides = pytest.mark.parametrize("stride", [6, pytest.param(1, marks=pytest.mark.chaos)])


@strides
def test_killed_at_any_statement_the_migration_ends_the_same(
    stuck: Callable[..., str],
    old: Engine,
    redis: str,
    monkeypatch: pytest.MonkeyPatch,
    stride: int,
) -> None:
    for number in range(6):
        stuck(f"site{number}", both=number, pdf=1)
    legacy.add_site(old, "elsewhere", status="needs_deploy", progress=("deploy", 1, 0))
    monkeypatch.setattr(takeover, "SITES_PER_TRANSACTION", 2)
    legacy.leave_rq_jobs(redis, deferred=2, failed=3)
    steps = killed_everywhere("migrate-stuck-sites", stride=stride)

    done = clerk("migrate-stuck-sites")

    assert steps > 8
    assert "Migration complete!" in done.output
    assert [counted(f"site{number}") for number in range(6)] == [
        (number, number + 1, 1) for number in range(6)
    ]
    assert row("elsewhere").current_stage == "deploy"
    assert keys(redis) == []


@strides
def test_killed_at_any_statement_the_cleanup_ends_the_same(
    stuck: Callable[..., str], old: Engine, stride: int
) -> None:
    stuck(both=1)
    clerk("migrate-stuck-sites")

    killed_everywhere("db", "cleanup", "--force", "--yes", stride=stride)
    clerk("db", "cleanup", "--force", "--yes")

    assert not schema.has_legacy(old)
    with old.begin() as conn:
        dropped = "SELECT count(*) FROM audit WHERE action = 'legacy dropped'"
        assert conn.execute(text(dropped)).scalar() == 1


def killed_everywhere(*command: str, stride: int) -> int:
    """Run a command again and again, killed before its nth statement, until it gets through."""
    db.get_civic_db().dispose()
    for number in range(1, 200, stride):
        child = os.fork()
        if not child:
            _die_at_statement(number)
            clerk(*command)
            os._exit(0)
        if os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0:
            return number
    raise AssertionError("it never got through")


def _die_at_statement(number: int) -> None:
    """Die before the nth writing statement or commit of this process, or command to Redis.

    To die before reading is to have died after the writing before it.
    """
    from redis.connection import AbstractConnection

    seen = 0

    def count(*_: Any) -> None:
        nonlocal seen
        seen += 1
        if seen == number:
            os._exit(9)

    def count_writing(_conn: Any, _cursor: Any, statement: str, *_: Any) -> None:
        if not statement.lstrip().upper().startswith(("SELECT", "PRAGMA", "SHOW", "BEGIN")):
            count()

    engine = db.get_civic_db()
    event.listen(engine, "before_cursor_execute", count_writing)
    event.listen(engine, "commit", count)
    send = AbstractConnection.send_packed_command

    def counted_send(self: Any, *arguments: Any, **options: Any) -> None:
        count()
        send(self, *arguments, **options)

    AbstractConnection.send_packed_command = counted_send  # type: ignore[method-assign]


# ------------------------------------------------------------------------------- by hand


def state(engine: Engine, but: tuple[str, ...] = ()) -> dict[str, list[str]]:
    with engine.begin() as conn:
        return {
            name: sorted(repr(tuple(each)) for each in conn.execute(text(f"SELECT * FROM {name}")))
            for name in inspect(conn).get_table_names()
            if name not in but
        }


def files(folder: Path) -> list[tuple[str, int]]:
    return sorted(
        (str(path), path.stat().st_mtime_ns)
        for path in folder.rglob("*")
        if path.is_file() and not path.name.startswith("clerk.db")
    )


def keys(url: str) -> list[bytes]:
    from clerk.executors import rq

    kept = (b"rq:queues", b"rq:workers")
    return sorted(key for key in rq.connect(url).scan_iter() if not key.startswith(kept))
